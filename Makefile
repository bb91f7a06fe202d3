# lbp is header-only: nothing needs to be built to use it. This file tests, measures and installs it.
#
# Needs a C compiler, GNU make and a POSIX shell. What else is there is used: see the line starting with "lbp:".

CFLAGS      ?= -O3
BUILD       ?= build
PREFIX      ?= /usr/local
MPICC       ?= mpicc
WARNINGS    := -Wall -Wextra

HEADERS  := $(sort $(wildcard lbp*.h)) $(sort $(wildcard lbp/*/*.h))
FOLDERS  := $(wildcard lbp/*)
# examples that run for long do so in `make test-long`
LONG_EXAMPLES := binder cipher crime denoise ergm independent_set one_hot potts protein rbm_log_z samplers spin_glass
EXAMPLES := $(filter-out $(LONG_EXAMPLES),$(patsubst examples/%.c,%,$(wildcard examples/*.c)))

.PHONY: help all examples bridge lint-macros single dist manual install uninstall docs clean FORCE
.SECONDARY:

help:
	@echo 'make bench         build and run the benchmark: a table and a picture, in bench/out [ARGS="--help"]'
	@echo 'make test          every sampler exactly, runs, misuse, examples, in minutes; the last line is the sum'
	@echo ''
	@echo 'make examples      build the examples, into $(BUILD)/examples'
	@echo 'make bridge MODEL=model.c       a model as a shared library for Python, R and others, into $(BUILD)/bridge [LIBS=]'
	@echo 'make lint-macros FILE=model.c   parameters that your file misspells, which no compiler tells'
	@echo 'make tags FILE=model.c          for editors: from ising_albp_step to where it is defined'
	@echo 'make docs          the reference: docs/reference.md, and manual pages: man -M $(BUILD)/man lbp'
	@echo 'make single        each header as a whole, for those who copy one file: $(BUILD)/single'
	@echo 'make dist          a release archive, with these and manual pages: $(BUILD)/dist'
	@echo 'make install       headers, manual pages, pkg-config and CMake files [PREFIX=$(PREFIX)] [DESTDIR=]'
	@echo 'make uninstall     remove exactly these'
	@echo 'make clean         remove $(BUILD)'
	@echo ''
	@echo 'make test-long     laws, planted bugs, kills, packaging, a microcontroller, a big-endian machine, other flags'
	@echo 'make test-sanitize, make test-valgrind   both, shorter, under AddressSanitizer and UBSan, or Valgrind'
	@echo 'make test-plain    the same without CBLAS, OpenMP and zlib'
	@echo 'make test-all      the same, shorter, on all compilers, standards and machines there are, resumably [JOBS=2]'
	@echo 'make test-exact    long runs of every sampler against laws in closed form, in ten minutes on two cores'
	@echo 'make test-mutants  all planted bugs, for hours, resumably, or those of some lists [LISTS="run urn", JOBS=]'
	@echo 'make test-kills    a run that is killed fifty times, over threads and processes'
	@echo 'make test-lint, make test-thread         static analysis; many chains under ThreadSanitizer'
	@echo 'make coverage      how much of the headers the tests run; make coverage-quick: of the samplers, in minutes'
	@echo 'make fuzz          look for inputs that break something, $(MINUTES) minutes for each reader [MINUTES=, FUZZED=]'
	@echo 'make embedded      a bare-metal Cortex-M4F (in QEMU) and here: the same draws; code, RAM, stack'
	@echo ''
	@echo 'make bench-NAME    $(sort $(filter-out help everything,$(BENCH_TARGETS:bench-%=%)))' | fold -s -w 100 | sed '2,$$s/^/                   /'
	@echo 'make bench-help    what each of these measures, how long it takes, and what it needs'
	@echo 'make stale         which committed results other draws, programs or code have made since, and why'
	@echo 'make bench-everything   all of them, resumably, on one commit [DATA=, PACE=, ONLY=names, KEEP=1, INTO=folder ...]'
	@echo 'make ebm           train a deep energy-based model, in minutes, and see what it draws [ARGS="--help"]'
	@echo 'make rbm DATA=F    train the RBMs of the benchmark on the images in the IDX file F [HIDDEN="$(HIDDEN)"]'
	@echo ''
	@echo 'Variables: CC, CXX, CFLAGS (now $(CFLAGS)), MPICC, LBP_CBLAS=0, LBP_OPENMP=0, LBP_ZLIB=0, LBP_MPI=0, NATIVE=0'

# these use all cores, unless -j says how many
ifeq ($(MAKELEVEL),0)
ifneq ($(filter all examples test test-exact test-long test-plain test-sanitize test-valgrind,$(MAKECMDGOALS)),)
MAKEFLAGS += -j$(or $(shell getconf _NPROCESSORS_ONLN 2> /dev/null),1)
endif
endif

# ---- what this machine has: found by compiling -----------------------------------------------------------------

ifneq ($(filter-out help bench-help docs single dist manual install uninstall clean lint-macros,$(or $(MAKECMDGOALS),help)),)

# $(call links,compiler,flags,suffix,program): yes if it compiles and links
links = $(shell mkdir -p $(BUILD) && printf '%b' '$(4)' > $(BUILD)/probe.$(3) && \
          $(1) $(2) -o $(BUILD)/probe $(BUILD)/probe.$(3) $(2) > $(BUILD)/probe.log 2>&1 && echo yes)
# $(call first,header,program,flags flags ...): the first flags that link, with ':' for spaces
first = $(firstword $(foreach f,$(3),$(if $(call links,$(CC),$(subst :, ,$(f)),c,$(1)int main(void) { $(2) }\n),$(f))))

hash   := \#
space  := $(subst ,, )
comma  := ,
blas_pc := $(subst $(space),:,$(shell pkg-config --cflags --libs openblas 2>/dev/null))

ifneq ($(LBP_CBLAS),0)
blas   := $(call first,$(hash)include <cblas.h>\n,return cblas_isamax(0$(comma)0$(comma)1) != 0;,\
            $(blas_pc) -lopenblas -lcblas:-lblas -lblas)
# a LAPACK may be a library of its own
lapack := $(if $(blas),$(call first,void dsyevd_(void);\n,dsyevd_(); return 0;,$(blas) -llapack:$(blas)))
blas   := $(or $(lapack),$(blas))
endif
ifneq ($(LBP_OPENMP),0)
openmp := $(call first,$(hash)include <omp.h>\n,return omp_get_max_threads() < 1;,-fopenmp)
endif
ifneq ($(LBP_ZLIB),0)
zlib   := $(call first,$(hash)include <zlib.h>\n,return zlibVersion() == 0;,-lz)
endif
# not every compiler has -Og, or fuses products and sums below -O2; clang takes a flag that it does not know, and warns
lightly := $(call first,,return 0;,-Og -O1)
fusing  := $(filter-out -Werror,$(subst :, ,$(call first,,return 0;,-Werror:-O1:-fexpensive-optimizations -O2)))
thread := $(call first,$(hash)include <pthread.h>\n,return pthread_create(0$(comma)0$(comma)0$(comma)0);,-pthread)
ifneq ($(NATIVE),0)
native := $(call first,,return 0;,-march=native)
# the same without AVX-512, as most processors are; none where there is no AVX2
avx2   := $(call first,$(hash)ifndef __AVX2__\n$(hash)error none\n$(hash)endif\n,return 0;,-march=native:-mno-avx512f)
endif
mpi    := $(if $(filter 0,$(LBP_MPI)),,$(call links,$(MPICC),,c,$(hash)include <mpi.h>\nint main(void) { return MPI_Finalize(); }\n))
cxx    := $(call links,$(CXX),,cc,$(hash)include <vector>\nint main() { return std::vector<int>().size() > 0; }\n)

# OpenBLAS takes a processor that it does not know for a Prescott, the slowest it has: for measurements, name one that is
# alike
ifneq ($(blas),)
ifeq ($(OPENBLAS_CORETYPE),)
core := $(shell printf '$(hash)include <stdio.h>\nconst char *openblas_get_corename(void);\n\
          int main(void) { return puts(openblas_get_corename()) < 0; }\n' > $(BUILD)/core.c && \
          $(CC) -o $(BUILD)/core $(BUILD)/core.c $(subst :, ,$(blas)) > $(BUILD)/probe.log 2>&1 && $(BUILD)/core)
cpu  := $(if $(filter Prescott,$(core)),$(shell sed -n '/^flags/{p;q;}' /proc/cpuinfo 2>/dev/null))
alike := $(or $(if $(filter avx512vl,$(cpu)),SKYLAKEX),$(if $(filter avx2,$(cpu)),HASWELL))
endif
endif

BLAS   := $(if $(blas),-DLBP_CBLAS=1 $(subst :, ,$(blas)))
OPENMP := $(or $(openmp),-Wno-unknown-pragmas)
LAPACK := $(if $(lapack),-DLBP_LAPACK=1)
ZLIB   := $(if $(zlib),-DIDX_ZLIB=1 -lz)

$(info lbp: $(CC) $(CFLAGS) $(native), CBLAS $(if $(blas),yes$(if $(alike), (as $(alike))),no (plain loops)), \
  LAPACK $(if $(lapack),yes,no (the built-in method)), \
  OpenMP $(if $(openmp),yes,no (one thread)), zlib $(if $(zlib),yes,no (plain files only)), \
  MPI $(if $(mpi),yes,no (one process)), C++ $(if $(cxx),yes,no (its parts are skipped)), \
  gnuplot $(if $(shell command -v gnuplot 2> /dev/null),yes,no (tables without plots)))

EXAMPLES += $(if $(cxx),$(patsubst examples/%.cc,%,$(wildcard examples/*.cc)))

endif

# ---- programs --------------------------------------------------------------------------------------------------

include tests/Makefile bench/Makefile

all: $(patsubst %,$(BUILD)/tests/%,$(filter-out $(lacking),$(TESTS) $(LONG_TESTS))) examples $(BENCHES:%=$(BUILD)/bench/%)

examples: $(EXAMPLES:%=$(BUILD)/examples/%) $(LONG_EXAMPLES:%=$(BUILD)/examples/%)

# GNU make 3.81 takes the first rule that fits: this one before those for all examples
$(BUILD)/examples/ebm/%: examples/ebm/ebm.c $(HEADERS) $(wildcard examples/ebm/*.h) Makefile
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(native) -fno-math-errno $(WARNINGS) $(OPENMP) $(WEIGHT) -o $@ $< $(BLAS) $(ZLIB) -lm

$(BUILD)/examples/%: examples/%.c $(HEADERS) $(wildcard examples/*.h) Makefile
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(native) $(WARNINGS) $(OPENMP) -I. -o $@ $< -lm

$(BUILD)/examples/%: examples/%.cc $(HEADERS) Makefile
	@mkdir -p $(@D)
	$(CXX) $(CFLAGS) $(native) $(WARNINGS) -std=c++11 -I. -o $@ $< -lm

$(BUILD)/examples/ebm/ebm_barker: WEIGHT = -DEBM_WEIGHT=LBP_BARKER

# ---- your own models ---------------------------------------------------------------------------------------------

# a model file for other languages: it ends with #include "lbp_bridge.h"
bridge:
	$(if $(MODEL),,$(error say which model: make bridge MODEL=model.c [LIBS=]))
	@mkdir -p '$(BUILD)/bridge'
	$(CC) $(CFLAGS) $(native) $(WARNINGS) $(OPENMP) $(thread) -I. -shared -fPIC '$(MODEL)' \
	  -o '$(BUILD)/bridge/$(basename $(notdir $(MODEL))).so' $(LIBS) -lm

lint-macros:
	@sh tests/tools/macros.sh $(FILE)

tags: FORCE
	@sh tests/tools/tags.sh $(FILE) > $@.new && mv $@.new $@ || { rm -f $@.new; exit 1; }

include packaging/Makefile

# other programs have variables of this name, too
clean:
	$(if $(filter environment%,$(origin BUILD)),$(error BUILD comes from the environment: make clean BUILD='$(BUILD)'))
	rm -rf '$(BUILD)'
