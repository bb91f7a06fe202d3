# lbp is header-only: nothing needs to be built to use it. This file tests, measures and installs it.
#
# Needs a C compiler, GNU make and a POSIX shell. What else is there is used: see the line starting with "lbp:".

CFLAGS      ?= -O3
TEST_CFLAGS ?= -O2
BUILD       ?= build
PREFIX      ?= /usr/local
MPICC       ?= mpicc
KILLS       ?= 12
HIDDEN      ?= 100 400 1000
RUN         ?=
MINUTES     ?= 30
DIGIT_STEPS ?= 300
WARNINGS    := -Wall -Wextra

HEADERS  := $(wildcard lbp*.h)
# what bench/ and examples/ give to others
SHARED   := $(wildcard bench/*/*.h examples/*.h examples/ebm/*.h)
# examples that run for long do so in `make test-long`
LONG_EXAMPLES := cipher crime denoise ergm independent_set one_hot potts protein rbm_log_z samplers spin_glass
EXAMPLES := $(filter-out $(LONG_EXAMPLES),$(patsubst examples/%.c,%,$(wildcard examples/*.c)))
BENCH_C  := $(wildcard bench/*/*.c bench/*/*/*.c)
BENCHES  := $(basename $(notdir $(BENCH_C)))

FUZZED   := $(patsubst tests/fuzz/corpus/%.pack,%,$(wildcard tests/fuzz/corpus/*.pack))

# `make test` may take 8 CPU minutes, and has every other test_NAME.c once; `make test-long` what takes long by itself,
# what differs from one of those in the type of its numbers, in flags or libraries, and what runs whole programs
LONG_TESTS   := test_ab_numerics test_bench test_callbacks test_clamped test_clamped_cat test_flip_list test_laws test_log_ratio \
                test_models_ab test_parity test_path test_population test_run_clamped test_run_laws test_run_marginals \
                test_run_options test_run_promises test_run_wide test_selection test_sharp test_steps test_switches test_tails \
                test_urn_native test_exact_native test_known_native test_flip_list_native test_switches_native \
                test_known_double test_known_default test_api_plain test_api_fast_math test_path_fast_math \
                test_known_runs_double test_models_native test_models_double test_models_ab_double test_qubo_double \
                test_pairs_long test_pairs_cat_long test_pairs_perm_long test_run_families_long
TESTS        := $(filter-out $(LONG_TESTS),$(patsubst tests/%.c,%,$(wildcard tests/test_*.c)))
TEST_HEADERS := $(wildcard tests/*.h tests/cases/*.h tests/exact/*.h)
SCRIPTS      := readers docs reference awk
LONG_SCRIPTS := kills hygiene bridge mutants big_endian embedded packaging bridge_r resume fast_math ebm_runs

.PHONY: help all lint-macros test test-all test-exact test-kills test-lint test-long test-mutants test-plain test-programs \
        test-sanitize test-thread test-valgrind bridge coverage fuzz examples embedded bench bench-any-scale bench-bisection bench-bridge bench-builds bench-categorical bench-categorical-others \
        bench-compare bench-constraints bench-constraints-others bench-dense bench-diagonal bench-ebm bench-everything bench-floor bench-paper bench-peers bench-phases bench-ranges bench-rng bench-run bench-search bench-search-others bench-sharp bench-sharp-others bench-spread \
        bench-theory bench-tuning ebm rbm \
        install uninstall docs clean FORCE
.SECONDARY:

help:
	@echo 'make test          every sampler exactly, runs, misuse, examples, in minutes; the last line is the sum'
	@echo 'make test-long     the rest: laws, planted bugs, kills, packaging, a microcontroller, a big-endian machine, other flags and libraries'
	@echo 'make test-sanitize, make test-valgrind   both, shorter, under AddressSanitizer and UBSan, or Valgrind'
	@echo 'make test-plain    the same without CBLAS, OpenMP and zlib'
	@echo 'make coverage      how much of the headers the tests run'
	@echo 'make test-all      the same, shorter, on all compilers, standards and machines there are, resumably [JOBS=2]'
	@echo 'make test-lint, make test-thread         static analysis; many chains under ThreadSanitizer'
	@echo 'make test-exact    long runs of every sampler against laws in closed form, in ten minutes on two cores'
	@echo 'make test-mutants  all planted bugs, for hours, or those of some lists [LISTS="run urn"]'
	@echo 'make fuzz          look for inputs that break something, $(MINUTES) minutes each of: $(FUZZED) [MINUTES=, FUZZED=]'
	@echo 'make test-kills    a run that is killed fifty times, over threads and processes'
	@echo 'make examples      build the examples, into $(BUILD)/examples'
	@echo 'make bridge MODEL=model.c   a model as a shared library for Python, R and others, into $(BUILD)/bridge [LIBS=]'
	@echo 'make embedded      examples/embedded on a bare-metal Cortex-M4F (in QEMU) and here: the same draws; code, RAM, stack'
	@echo 'make lint-macros FILE=model.c   parameters that your file misspells, which no compiler tells'
	@echo 'make tags FILE=model.c   for editors: from ising_albp_step to where it is defined'
	@echo 'make all           build tests, examples and benchmarks'
	@echo 'make bench         build and run the benchmark; results go to bench/out [ARGS="--help"]'
	@echo 'make bench-everything   all of these, resumably, on one commit [DATA=folder, PACE=folder, ONLY=names, KEEP=1, INTO=folder of results]'
	@echo 'make bench-floor   how close a step is to what this machine allows, against N [PACE=folder of pace cars]'
	@echo 'make bench-phases  where the time of a step goes'
	@echo 'make bench-dense   the same for a dense model, one chain at a time and a hundred'
	@echo 'make bench-builds  what LBP_CHECKED and LBP_EXACT cost'
	@echo 'make bench-compare which sampler is best on which model, per second and per evaluation'
	@echo 'make bench-peers   samplers of others on the same models, half an hour, installed into $(BUILD)/peers [PYTHON=python3, LBP_SCALE=, DISCS=folders of code, PEERS=]'
	@echo 'make bench-paper   every table and figure of the paper, resumably, in 90 minutes [ARGS=--quick: in 10]'
	@echo 'make bench-spread  what its tables depend on beside the samplers: trained networks, states x0 [DATA=FILE of MNIST]'
	@echo 'make bench-any-scale   the any-scale balanced sampler on its targets, resumably [ARGS=--quick]'
	@echo 'make bench-diagonal   the diagonal that it needs: time, and against a solver of semidefinite programs'
	@echo 'make bench-ebm     training and sampling deep energy-based models, resumably, in a night [DATA=folder]'
	@echo 'make bench-run     log Z against exact values, memory of long runs, checkpoints, scaling over processes'
	@echo 'make bench-search   large cuts of the G-set, resumably: an hour; ground states of glasses [DATA=folder of G1.txt.gz]'
	@echo 'make bench-ranges   the temperatures that annealing finds beside others, resumably: 3 minutes [DATA=folder of G1.txt.gz]'
	@echo 'make bench-search-others   the cuts by dwave-samplers and OpenJij, an hour, installed into $(BUILD)/annealers [PYTHON=python3]'
	@echo 'make bench-sharp   sharp targets, and selections of columns whose log-ratios are all known, resumably [ARGS=--quick]'
	@echo 'make bench-sharp-others   the same selection by millipede, where PYTHON has it [PYTHON=python3]'
	@echo 'make bench-categorical   sites of several values: against the reference, and which sampler is best [DATA=folder]'
	@echo 'make bench-categorical-others   a Potts grid by thrml, a protein and an RNA family by adabmDCA, both installed into $(BUILD); $(MINUTES) minutes each [PYTHON=python3, MINUTES=, ALIGNMENTS=folder]'
	@echo 'make bench-constraints   swaps, exchanges and paths: against the reference, which is best, what a swap costs [DATA=folder]'
	@echo 'make bench-bisection   balanced cuts of the G-set beside swap annealing in plain C, in three minutes [DATA=folder of G1.txt.gz, SECONDS= of a read]'
	@echo 'make bench-bridge   Python beside C, dimod beside dwave-samplers, both installed into $(BUILD) [PYTHON=python3, DATA=]'
	@echo 'make bench-constraints-others   networks of a fixed number of edges by pyERGM, installed into $(BUILD)/pyergm [PYTHON=python3]'
	@echo 'make bench-rng     the generator under dieharder, resumably, in an hour and a half'
	@echo 'make bench-theory, make bench-tuning     theory against measurement; what tuning R gains'
	@echo 'make ebm           train a deep energy-based model, in minutes, and see what it draws [ARGS="--help"]'
	@echo 'make rbm DATA=F    train the RBMs of the benchmark on the images in the IDX file F [HIDDEN="$(HIDDEN)"]'
	@echo 'make docs          the reference: docs/reference.md, and manual pages: man -M $(BUILD)/man lbp'
	@echo 'make install       headers, manual pages, pkg-config and CMake files [PREFIX=$(PREFIX)] [DESTDIR=]'
	@echo 'make uninstall     remove exactly these'
	@echo 'make clean         remove $(BUILD)'
	@echo 'Variables: CC, CXX, CFLAGS (now $(CFLAGS)), MPICC, LBP_CBLAS=0, LBP_OPENMP=0, LBP_ZLIB=0, LBP_MPI=0, NATIVE=0'

# these use all cores, unless -j says how many
ifeq ($(MAKELEVEL),0)
ifneq ($(filter all examples test test-exact test-long test-plain test-sanitize test-valgrind,$(MAKECMDGOALS)),)
MAKEFLAGS += -j$(or $(shell getconf _NPROCESSORS_ONLN 2> /dev/null),1)
endif
endif

# ---- what this machine has: found by compiling -----------------------------------------------------------------

ifneq ($(filter-out help docs install uninstall clean lint-macros,$(or $(MAKECMDGOALS),help)),)

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
lapack := $(if $(blas),$(call links,$(CC),$(subst :, ,$(blas)),c,void dsyevd_(void);\nint main(void) { dsyevd_(); return 0; }\n))
endif
ifneq ($(LBP_OPENMP),0)
openmp := $(call first,$(hash)include <omp.h>\n,return omp_get_max_threads() < 1;,-fopenmp)
endif
ifneq ($(LBP_ZLIB),0)
zlib   := $(call first,$(hash)include <zlib.h>\n,return zlibVersion() == 0;,-lz)
endif
# not every compiler has -Og, or fuses products and sums below -O2
lightly := $(call first,,return 0;,-Og -O1)
fusing  := $(subst :, ,$(call first,,return 0;,-O1:-fexpensive-optimizations -O2))
thread := $(call first,$(hash)include <pthread.h>\n,return pthread_create(0$(comma)0$(comma)0$(comma)0);,-pthread)
ifneq ($(NATIVE),0)
native := $(call first,,return 0;,-march=native)
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
ifneq ($(alike),)
bench bench-any-scale bench-builds bench-compare bench-dense bench-floor bench-paper bench-phases bench-sharp bench-spread bench-theory bench-tuning ebm bench-ebm rbm: export OPENBLAS_CORETYPE := $(alike)
endif
endif
endif

BLAS   := $(if $(blas),-DLBP_CBLAS=1 $(subst :, ,$(blas)))
OPENMP := $(or $(openmp),-Wno-unknown-pragmas)
LAPACK := $(if $(lapack),-DLBP_LAPACK=1)
ZLIB   := $(if $(zlib),-DIDX_ZLIB=1 -lz)

$(info lbp: $(CC) $(CFLAGS) $(native), CBLAS $(if $(blas),yes$(if $(alike), (as $(alike))),no (plain loops)), \
  OpenMP $(if $(openmp),yes,no (one thread)), zlib $(if $(zlib),yes,no (plain files only)), \
  MPI $(if $(mpi),yes,no (one process)), C++ $(if $(cxx),yes,no (its parts are skipped)), \
  gnuplot $(if $(shell command -v gnuplot),yes,no (tables without plots)))

TESTS      += test_fused_native $(if $(blas),test_models_double_cblas) $(if $(thread),threads)
LONG_TESTS += $(if $(blas),ebm_cblas test_models_cblas test_memory_cblas,ebm) $(if $(lapack),test_ab_lapack test_ab_lapacke) \
              $(if $(cxx),test_callbacks_cxx)
EXAMPLES   += $(if $(cxx),$(patsubst examples/%.cc,%,$(wildcard examples/*.cc)))

endif

# ---- programs --------------------------------------------------------------------------------------------------

all: $(TESTS:%=$(BUILD)/tests/%) $(LONG_TESTS:%=$(BUILD)/tests/%) examples $(BENCHES:%=$(BUILD)/bench/%)

examples: $(EXAMPLES:%=$(BUILD)/examples/%) $(LONG_EXAMPLES:%=$(BUILD)/examples/%)

# for what differs from another test in flags or types alone
fewer := -DAPI_QUICK -DEXACT_TRIALS=10000u

# $(call compile,COMMAND): shows the command and the messages of the compiler. These are also kept in PROGRAM.said, where
# $(BUILD)/logs/warnings.log counts them
compile = @$(info $(1))mkdir -p $(@D); $(1) 2> $@.said; status=$$?; cat $@.said >&2; exit $$status

# What takes long: `make test` runs these with fewer instances and trials, as test_NAME, and `make test-long` with all of
# them, as test_NAME_long. Where tests/mutants/mutants.sh has the same flags, every planted bug is found with fewer, too.
sized := test_ab test_ab_adaptive test_anneal test_api test_cat test_chains test_check test_clamped_ab test_exact \
         test_kernel test_known test_log_z test_perm test_potts test_run test_run_ab test_run_clock test_run_faults \
         test_run_ladder test_run_perm test_swap test_urn
LONG_TESTS += $(sized:%=%_long)
$(sized:%=$(BUILD)/tests/%): size := -DAPI_QUICK
$(BUILD)/tests/test_exact: size := -DEXACT_QUICK

# tests are built for any processor, the rest for this one
define test_folder
$(BUILD)/tests/%: $(1)/%.c $(HEADERS) $(TEST_HEADERS) $(SHARED) Makefile
	$$(call compile,$$(CC) $$(TEST_CFLAGS) $$(less) $$(size) $$(WARNINGS) $$(OPENMP) -o $$@ $$< -lm)
endef
$(foreach folder,tests tests/mutants tests/tools,$(eval $(call test_folder,$(folder))))

# of many instances, which take as long to optimise as they then take to run: -Og is compiled in 0.4 of -O1's time, also
# under sanitizers, and runs 1.1 to 1.5 times as long
hardly := test_ab test_ab_adaptive test_ab_numerics test_anneal test_api test_bridge test_cat test_chains test_check \
          test_clamped test_clamped_ab test_clamped_cat test_exact test_flip_list test_kernel test_known test_known_runs \
          test_log_ratio test_log_z test_models test_pairs test_pairs_cat test_pairs_perm test_parity test_path test_perm \
          test_population test_potts test_qubo test_selection test_sharp test_steps test_swap test_switches test_tails \
          test_urn threads \
          $(filter test_run%,$(TESTS) $(LONG_TESTS))
$(foreach kind,% %_long %_double %_cblas %_double_cblas,$(hardly:%=$(BUILD)/tests/$(kind))): less := $(lightly)
# what runs at once: -O0 is compiled in 0.7 of -Og's time
barely := test_callbacks test_checked test_memory test_misuse test_perm_checked test_run_json test_run_options test_swap_checked \
          $(FUZZED:%=fuzz_%)
$(barely:%=$(BUILD)/tests/%) $(BUILD)/tests/test_memory_cblas: less := -O0
# runs for long, and calls small functions
$(patsubst %,$(BUILD)/tests/%_long,test_ab test_ab_adaptive test_perm test_run_ab test_urn): less :=
$(BUILD)/tests/test_known_double: less += $(fewer)

$(BUILD)/tests/%_long: tests/%.c $(HEADERS) $(TEST_HEADERS) $(SHARED) Makefile
	$(call compile,$(CC) $(TEST_CFLAGS) $(less) $(WARNINGS) $(OPENMP) -o $@ $< -lm)

$(BUILD)/tests/%_fast_math: tests/%.c $(HEADERS) $(TEST_HEADERS) Makefile
	$(call compile,$(CC) $(TEST_CFLAGS) $(WARNINGS) -O2 -ffast-math -o $@ $< -lm)

$(BUILD)/tests/test_api_plain: tests/test_api.c $(HEADERS) $(TEST_HEADERS) Makefile
	$(call compile,$(CC) $(TEST_CFLAGS) $(WARNINGS) -DAPI_PLAIN -o $@ $< -lm)

# more options
$(BUILD)/tests/test_run_families_long: tests/test_run_families.c $(HEADERS) $(TEST_HEADERS) Makefile
	$(call compile,$(CC) $(TEST_CFLAGS) $(less) $(WARNINGS) $(OPENMP) -DFAMILIES_LONG -o $@ $< -lm)

# all pairs of calls, and many more steps of each
$(BUILD)/tests/test_pairs_long $(BUILD)/tests/test_pairs_cat_long $(BUILD)/tests/test_pairs_perm_long: \
  $(BUILD)/tests/%_long: tests/%.c $(HEADERS) $(TEST_HEADERS) Makefile
	$(call compile,$(CC) $(TEST_CFLAGS) $(WARNINGS) -DPAIRS_LONG -o $@ $< -lm)

$(BUILD)/tests/%_double: tests/%.c $(HEADERS) $(TEST_HEADERS) $(SHARED) Makefile
	$(call compile,$(CC) $(TEST_CFLAGS) $(less) $(WARNINGS) -DLBP_MODELS_REAL=double -o $@ $< -lm)

$(BUILD)/tests/test_callbacks_cxx: tests/test_callbacks.c $(HEADERS) $(TEST_HEADERS) Makefile
	$(call compile,$(CXX) -std=c++11 $(TEST_CFLAGS) -O0 $(WARNINGS) $(OPENMP) -x c++ -o $@ $< -lm)

# where products and sums could be fused, and where what is written with vector instructions is tested
$(BUILD)/tests/%_native: tests/%.c $(HEADERS) $(TEST_HEADERS) Makefile
	$(call compile,$(CC) $(TEST_CFLAGS) $(fusing) $(native) $(WARNINGS) $(fewer) -o $@ $< -lm)

$(BUILD)/tests/test_known_default: tests/test_known.c $(HEADERS) $(TEST_HEADERS) Makefile
	$(call compile,$(CC) $(TEST_CFLAGS) $(fusing) $(native) $(WARNINGS) $(fewer) -DLBP_EXACT=0 -o $@ $< -lm)

$(BUILD)/tests/%_cblas: tests/%.c $(HEADERS) $(TEST_HEADERS) $(SHARED) Makefile
	$(call compile,$(CC) $(TEST_CFLAGS) $(less) $(WARNINGS) -o $@ $< $(BLAS) $(ZLIB) -lm)

$(BUILD)/tests/%_double_cblas: tests/%.c $(HEADERS) $(TEST_HEADERS) $(SHARED) Makefile
	$(call compile,$(CC) $(TEST_CFLAGS) $(less) $(WARNINGS) -DLBP_MODELS_REAL=double -o $@ $< $(BLAS) $(ZLIB) -lm)

$(BUILD)/tests/test_ab_lapack: tests/test_ab_numerics.c $(HEADERS) $(TEST_HEADERS) Makefile
	$(call compile,$(CC) $(TEST_CFLAGS) $(WARNINGS) $(LAPACK) -o $@ $< $(BLAS) -lm)

$(BUILD)/tests/test_ab_lapacke: tests/test_ab_numerics.c $(HEADERS) $(TEST_HEADERS) Makefile
	$(call compile,$(CC) $(TEST_CFLAGS) $(WARNINGS) $(LAPACK) -DNUMERICS_LAPACKE -o $@ $< $(BLAS) -lm)

$(BUILD)/tests/threads: tests/threads.c $(HEADERS) tests/test.h Makefile
	$(call compile,$(CC) $(TEST_CFLAGS) $(less) $(WARNINGS) $(OPENMP) $(thread) -o $@ $< -lm)

# a fuzz target without a fuzzer: it replays inputs
$(BUILD)/tests/fuzz_%: tests/fuzz/%.c $(HEADERS) $(TEST_HEADERS) $(wildcard tests/fuzz/*.[ch]) $(SHARED) Makefile
	$(call compile,$(CC) $(TEST_CFLAGS) $(less) $(WARNINGS) -Wno-unused-function $(OPENMP) -o $@ $< tests/fuzz/replay.c $(ZLIB) -lm)

$(BUILD)/examples/%: examples/%.c $(HEADERS) $(wildcard examples/*.h) Makefile
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(native) $(WARNINGS) $(OPENMP) -I. -o $@ $< -lm

$(BUILD)/examples/%: examples/%.cc $(HEADERS) Makefile
	@mkdir -p $(@D)
	$(CXX) $(CFLAGS) $(native) $(WARNINGS) -std=c++11 -I. -o $@ $< -lm

$(BUILD)/examples/ebm/%: examples/ebm/ebm.c $(HEADERS) $(wildcard examples/ebm/*.h) Makefile
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(native) -fno-math-errno $(WARNINGS) $(OPENMP) $(WEIGHT) -o $@ $< $(BLAS) $(ZLIB) -lm

$(BUILD)/examples/ebm/ebm_barker: WEIGHT = -DEBM_WEIGHT=LBP_BARKER

# a rule for each folder of bench/: its programs are all in build/bench
define bench_folder
$(BUILD)/bench/%: $(1)/%.c $(HEADERS) $(SHARED) Makefile
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS) $$(native) -fno-math-errno $$(WARNINGS) $$(OPENMP) $$(LAPACK) -DBENCH_FLAGS='"$$(strip $$(CFLAGS) $$(native))"' \
	  -o $$@ $$< $$(BLAS) $$(ZLIB) -lm
endef
$(foreach folder,$(sort $(patsubst %/,%,$(dir $(BENCH_C)))),$(eval $(call bench_folder,$(folder))))

# LBP_EXACT holds for all of a file
$(BUILD)/bench/builds: bench/speed/builds.c $(HEADERS) $(SHARED) Makefile
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(native) -fno-math-errno $(WARNINGS) $(OPENMP) -DLBP_EXACT=1 -c -o $@_exact.o $< $(BLAS)
	$(CC) $(CFLAGS) $(native) -fno-math-errno $(WARNINGS) $(OPENMP) -DBENCH_FLAGS='"$(strip $(CFLAGS) $(native))"' -o $@ $< \
	  $@_exact.o $(BLAS) -lm

# ---- tests -----------------------------------------------------------------------------------------------------

# every program runs anew; its output goes to a log, which ends with its exit status. What takes longest comes first.
LOGS      := $(SCRIPTS:%=$(BUILD)/logs/%.log) $(TESTS:%=$(BUILD)/logs/%.log) \
             $(EXAMPLES:%=$(BUILD)/logs/example_%.log) $(FUZZED:%=$(BUILD)/logs/fuzz_%.log)
LONG_LOGS := $(LONG_SCRIPTS:%=$(BUILD)/logs/%.log) $(LONG_TESTS:%=$(BUILD)/logs/%.log) \
             $(LONG_EXAMPLES:%=$(BUILD)/logs/example_%.log)
# the compilations whose warnings fail `make test`, and `make test-long`
COMPILED      := $(TESTS:%=$(BUILD)/tests/%) $(EXAMPLES:%=$(BUILD)/tested/examples/%) $(FUZZED:%=$(BUILD)/tests/fuzz_%) \
                 $(BUILD)/tests/planted $(if $(filter readers,$(SCRIPTS)),$(BUILD)/tested/run_tool)
LONG_COMPILED := $(patsubst %,$(BUILD)/tests/%,$(filter-out ebm%,$(LONG_TESTS))) $(LONG_EXAMPLES:%=$(BUILD)/tested/examples/%)

# threads that wait for each other give way: other programs run at the same time
export OMP_WAIT_POLICY ?= passive

test: $(LOGS) $(BUILD)/logs/warnings.log $(BUILD)/logs/planted.log
	@sh tests/tools/sum.sh $(LOGS) $(BUILD)/logs/warnings.log -- $(BUILD)/logs/planted.log

test-long: $(LONG_LOGS) $(BUILD)/logs/warnings_long.log
	@sh tests/tools/sum.sh $(LONG_LOGS) $(BUILD)/logs/warnings_long.log

log = @mkdir -p $(@D); $(1) > $@ 2>&1; echo "exit status $$?" >> $@; echo "ran $(basename $(@F))"

$(BUILD)/logs/%.log: $(BUILD)/tests/% FORCE
	$(call log,$(RUN) $<)

$(BUILD)/logs/example_%.log: $(BUILD)/tested/examples/% FORCE
	$(call log,$(RUN) $< $(ARGS))

$(BUILD)/logs/fuzz_%.log: $(BUILD)/tests/fuzz_% FORCE
	$(call log,$(RUN) $< --packed tests/fuzz/corpus/$*.pack $(wildcard tests/fuzz/corpus/$*-*))

$(BUILD)/logs/warnings.log: $(COMPILED) FORCE
	$(call log,CC='$(CC)' FLAGS='$(TEST_CFLAGS)' sh tests/tools/warnings.sh $(COMPILED:%=%.said))

$(BUILD)/logs/warnings_long.log: $(LONG_COMPILED) FORCE
	$(call log,CC='$(CC)' FLAGS='$(TEST_CFLAGS)' sh tests/tools/warnings.sh $(LONG_COMPILED:%=%.said))

$(BUILD)/logs/example_digits.log: ARGS = bench/data/rbm_400.bin $(BUILD)/digits.pgm $(DIGIT_STEPS)
$(BUILD)/logs/example_cipher.log: ARGS = docs/trust.md docs/recipes.md docs/runs.md README.md
$(BUILD)/logs/example_denoise.log: ARGS = - $(BUILD)/denoise.pgm
$(BUILD)/logs/example_fields.log: ARGS = 20000
$(BUILD)/logs/example_potts.log: ARGS = - $(BUILD)/potts.pgm
$(BUILD)/logs/example_select.log: ARGS = - $(BUILD)/select.svg
$(BUILD)/logs/example_spin_glass.log: ARGS = 4 $(DIGIT_STEPS)
$(BUILD)/logs/example_rbm_log_z.log: ARGS = bench/data/rbm_100.bin bench/data/mnist_mean.txt 4 $(DIGIT_STEPS) 1

make := $(MAKE)
# examples and programs of bench/ as tests run them: compiled in a fraction of the time
$(BUILD)/tested/examples/%: examples/%.c $(HEADERS) $(wildcard examples/*.h) Makefile
	$(call compile,$(CC) $(CFLAGS) $(native) $(less) $(WARNINGS) $(OPENMP) -I. -o $@ $< -lm)

$(BUILD)/tested/examples/%: less = $(lightly)
# a short program that runs for long
$(BUILD)/tested/examples/digits: less = -O2

$(BUILD)/tested/examples/%: examples/%.cc $(HEADERS) Makefile
	$(call compile,$(CXX) $(CFLAGS) $(native) $(lightly) $(WARNINGS) -std=c++11 -I. -o $@ $< -lm)

$(BUILD)/tested: FORCE
	@$(MAKE) --no-print-directory BUILD='$@' CFLAGS='$(lightly)' $(patsubst %,'$@/bench/%',bench compare floor paper phases sharp)

$(BUILD)/logs/hygiene.log: $(BUILD)/tested FORCE
	$(call log,BENCH='$</bench/bench' CC='$(CC)' CXX='$(if $(cxx),$(CXX))' LEVEL='$(lightly)' MAKE='$(make)' BUILD='$(BUILD)/hygiene' sh tests/hygiene.sh)

$(BUILD)/logs/awk.log: FORCE
	$(call log,OUT='$(BUILD)/awk' sh tests/awk.sh)

$(BUILD)/logs/reference.log: FORCE
	$(call log,CC='$(CC)' MAKE='$(make)' BUILD='$(BUILD)/reference' sh tests/reference.sh)

$(BUILD)/logs/bridge.log: FORCE
	$(call log,CC='$(CC)' CXX='$(CXX)' LEVEL='$(lightly)' BUILD='$(BUILD)/bridge_test' PYTHON='$(or $(PYTHON),python3)' sh tests/bridge.sh)

$(BUILD)/logs/packaging.log: FORCE
	$(call log,CC='$(CC)' BUILD='$(BUILD)/packaging' sh tests/packaging.sh)

$(BUILD)/logs/bridge_r.log: FORCE
	$(call log,CC='$(CC)' LEVEL='$(lightly)' OUT='$(BUILD)/bridge_r' sh tests/bridge_r.sh)

$(BUILD)/logs/docs.log: FORCE
	$(call log,CC='$(CC)' LEVEL=-O0 MAKE='$(make)' BUILD='$(BUILD)/docs' sh tests/docs.sh)

$(BUILD)/logs/resume.log: $(BUILD)/tested FORCE
	$(call log,PAPER='$</bench/paper' OUT='$(BUILD)/resume' sh tests/resume.sh)

# what tests/kills.sh and tests/readers.sh run
$(BUILD)/tests/run_tool_mpi: tests/tools/run_tool.c $(HEADERS) Makefile
	$(call compile,$(MPICC) $(TEST_CFLAGS) $(WARNINGS) -DLBP_RUN_MPI=1 -o $@ $< -lm)

run_tools := $(BUILD)/tests/run_tool $(if $(mpi),$(BUILD)/tests/run_tool_mpi)

$(BUILD)/logs/kills.log: $(run_tools) FORCE
	$(call log,TOOL='$(BUILD)/tests/run_tool' MPI_TOOL='$(if $(mpi),$(BUILD)/tests/run_tool_mpi)' KILLS='$(KILLS)' \
	  OUT='$(BUILD)/kills' sh tests/kills.sh)

$(BUILD)/logs/ebm_runs.log: $(BUILD)/examples/ebm/ebm FORCE
	$(call log,EBM='$<' OUT='$(BUILD)/ebm' sh tests/ebm.sh)

$(BUILD)/tested/run_tool: tests/tools/run_tool.c $(HEADERS) Makefile
	$(call compile,$(CC) $(TEST_CFLAGS) $(lightly) $(WARNINGS) $(OPENMP) -o $@ $< -lm)

$(BUILD)/logs/readers.log: $(BUILD)/tested/run_tool FORCE
	$(call log,TOOL='$<' OUT='$(BUILD)/readers' sh tests/readers.sh)

embedded := CC='$(CC)' BUILD='$(BUILD)/embedded' sh tests/embedded.sh

embedded:
	@$(embedded)

$(BUILD)/logs/embedded.log: FORCE
	$(call log,$(embedded))

# the other order of bytes: draws to the bit, in QEMU
$(BUILD)/logs/big_endian.log: FORCE
	$(call log,JOBS=1 ROWS=s390x BUILD='$(BUILD)/big_endian' sh tests/all.sh test_known test_flip_list)

# what clang reorders, and gcc does not
$(BUILD)/logs/fast_math.log: FORCE
	$(call log,JOBS=1 ROWS='^clang.c99.-Ofast' BUILD='$(BUILD)/fast_math' sh tests/all.sh test_selection)

# the same with fewer trials, in directories of their own; and without what differs from another only in how it rounds,
# in the type of its numbers, in names, in how it calls BLAS and LAPACK, or in the law or the figures that it looks at
unlike_tests = $(filter-out %_long test_ab_lapacke test_laws test_log_ratio test_parity test_run_laws test_steps test_tails \
  %_fast_math test_api_plain test_callbacks% test_known% %_native %_double %_cblas,$(TESTS) $(LONG_TESTS)) $(if $(blas),ebm)
quick    := $(lightly) -g1 -DEXACT_TRIALS=2000u -DAPI_QUICK
# what is read before it is written has a value that it can't have
patterns := $(call first,,return 0;,-ftrivial-auto-var-init=pattern)
# UBSan's checks of addresses take up to half of the time to compile, and AddressSanitizer sees where such addresses lead
asan_too := $(call first,,return 0;,-fno-sanitize=null$(comma)object-size$(comma)pointer-overflow)
sanitize := -fsanitize=address,undefined,float-cast-overflow $(asan_too) -fno-sanitize-recover=all $(patterns)
test-sanitize: export ASAN_OPTIONS ?= max_malloc_fill_size=1048576

$(BUILD)/logs/mutants.log: FORCE
	$(call log,CC='$(CC)' sh tests/mutants/mutants.sh)

# these take minutes, or more than a compiler, so they are asked for one by one
test-all:
	BUILD='$(BUILD)' MAKE='$(make)' sh tests/all.sh

test-lint:
	CC='$(CC)' BUILD='$(BUILD)/lint' sh tests/lint.sh

test-thread:
	CC='$(CC)' BUILD='$(BUILD)/thread' sh tests/threads.sh

test-mutants:
	CC='$(CC)' sh tests/mutants/mutants.sh $(or $(LISTS),all)

test-kills: $(run_tools)
	TOOL='$(BUILD)/tests/run_tool' MPI_TOOL='$(if $(mpi),$(BUILD)/tests/run_tool_mpi)' KILLS=50 OUT='$(BUILD)/kills' \
	  sh tests/kills.sh

# what test_laws does in `make test-long`, at length
test-exact: LENGTH ?= 8
test-exact:
	$(MAKE) --no-print-directory BUILD=$(BUILD)/exact TEST_CFLAGS='$(TEST_CFLAGS) -DEXACT_LENGTH=$(LENGTH)' \
	  $(BUILD)/exact/logs/test_laws.log $(BUILD)/exact/logs/test_laws_double.log
	@sh tests/tools/sum.sh $(BUILD)/exact/logs/test_laws.log $(BUILD)/exact/logs/test_laws_double.log

# the same with plain loops, one thread and plain files: what these make a difference to
test-plain:
	$(MAKE) --no-print-directory test BUILD=$(BUILD)/plain LBP_CBLAS=0 LBP_OPENMP=0 LBP_ZLIB=0 SCRIPTS= FUZZED= DIGIT_STEPS=100 \
	  EXAMPLES='check denoise digits ring' \
	  TESTS='ebm test_ab_numerics test_bench test_models test_models_ab test_run test_run_faults test_run_laws' \
	  TEST_CFLAGS='$(quick) -O2'

test-sanitize:
	$(MAKE) --no-print-directory test BUILD=$(BUILD)/sanitize SCRIPTS= DIGIT_STEPS=100 \
	  TESTS='$(unlike_tests)' CFLAGS='-O0 $(sanitize)' \
	  TEST_CFLAGS='$(quick) -DEXACT_QUICK $(sanitize)'

# what calls would be inlined into is counted once, and what no test calls is counted too
counters := -O0 --coverage -fkeep-inline-functions -Dalways_inline=__unused__ -DFAULTS_STEP=1

test-programs: $(TESTS:%=$(BUILD)/logs/%.log) $(patsubst %,$(BUILD)/logs/%.log,$(filter-out %_long,$(LONG_TESTS)))
	@sh tests/tools/sum.sh $^

coverage:
	@CC='$(CC)' MAKE='$(make)' BUILD='$(BUILD)/coverage' MPI='$(mpi)' FLAGS='$(quick) $(counters)' sh tests/tools/coverage.sh

fuzz:
	CC='$(CC)' BUILD='$(BUILD)/fuzz' MINUTES='$(MINUTES)' FLAGS='$(ZLIB)' sh tests/fuzz/run.sh $(FUZZED)

# the sanitizers see what is read before it is written only by what comes of it: tests that take no more than half a minute there
valgrind_tests := test_api test_checked test_memory test_misuse test_models test_run_ab test_steps test_urn
test-valgrind:
	$(MAKE) --no-print-directory test BUILD=$(BUILD)/valgrind SCRIPTS= EXAMPLES= FUZZED= TESTS='$(valgrind_tests)' \
	  CFLAGS=-O2 NATIVE=0 TEST_CFLAGS='$(quick)' RUN='valgrind -q --error-exitcode=9'

# ---- your own models ---------------------------------------------------------------------------------------------

# a model file for other languages: it ends with #include "lbp_bridge.h"
bridge:
	$(if $(MODEL),,$(error say which model: make bridge MODEL=model.c [LIBS=]))
	@mkdir -p '$(BUILD)/bridge'
	$(CC) $(CFLAGS) $(native) $(WARNINGS) $(OPENMP) -I. -shared -fPIC '$(MODEL)' -o '$(BUILD)/bridge/$(basename $(notdir $(MODEL))).so' $(LIBS) -lm

lint-macros:
	@sh tests/tools/macros.sh $(FILE)

tags: FORCE
	@sh tests/tools/tags.sh $(FILE) > $@.new && mv $@.new $@ || { rm -f $@.new; exit 1; }

# ---- measurements ----------------------------------------------------------------------------------------------

bench: $(BUILD)/bench/bench
bench-builds: $(BUILD)/bench/builds
bench-compare: $(BUILD)/bench/compare
bench-dense: $(BUILD)/bench/dense
bench-floor: $(BUILD)/bench/floor
bench-paper: $(BUILD)/bench/paper
bench-phases: $(BUILD)/bench/phases
bench-categorical: $(BUILD)/bench/categorical $(BUILD)/bench/categorical_double
bench-sharp: $(BUILD)/bench/sharp
bench-theory: $(BUILD)/bench/theory
bench-tuning: $(BUILD)/bench/tuning
bench-any-scale: $(BUILD)/bench/any_scale
bench-diagonal: $(BUILD)/bench/diagonal
bench bench-any-scale bench-builds bench-compare bench-dense bench-diagonal bench-paper bench-phases bench-theory bench-tuning:
	@mkdir -p bench/out
	$< $(ARGS)

bench-sharp:
	@mkdir -p bench/out
	$< $(ARGS)
	@! test -f bench/out/sharp/sharp.csv || cp bench/out/sharp/sharp.csv bench/out/sharp.csv

bench-categorical:
	@mkdir -p bench/out
	DATA='$(DATA)' $< $(ARGS)
	@! test -f bench/out/categorical/categorical.csv || cp bench/out/categorical/categorical.csv bench/out/categorical.csv

bench-peers: $(BUILD)/bench/peers
	@command -v '$(or $(PYTHON),python3)' > /dev/null || echo 'bench-peers: there is no $(or $(PYTHON),python3)'
	@! command -v '$(or $(PYTHON),python3)' > /dev/null || \
	  LBP_SCALE='$(LBP_SCALE)' DISCS='$(DISCS)' \
	  '$(or $(PYTHON),python3)' bench/compare/peers/peers.py '$(BUILD)' bench/out/peers $(PEERS)

bench-categorical-others: $(BUILD)/examples/protein
	@command -v '$(or $(PYTHON),python3)' > /dev/null || echo 'bench-categorical-others: there is no $(or $(PYTHON),python3)'
	@! command -v '$(or $(PYTHON),python3)' > /dev/null || \
	  '$(or $(PYTHON),python3)' bench/categorical/thrml.py '$(BUILD)/thrml' '$(DATA)' bench/out/categorical/race.csv
	@! command -v '$(or $(PYTHON),python3)' > /dev/null || \
	  '$(or $(PYTHON),python3)' bench/categorical/adabmdca.py '$(BUILD)/adabmdca' '$(ALIGNMENTS)' '$(MINUTES)' $<

bench-constraints: $(BUILD)/bench/constraints
	@mkdir -p bench/out
	DATA='$(DATA)' $< $(ARGS)
	@! test -f bench/out/constraints/constraints.csv || cp bench/out/constraints/constraints.csv bench/out/constraints.csv
	{ sh bench/common/made.sh '$(notdir $(CC)) $(CFLAGS) $(native)' && echo && DATA='$(DATA)' $< --speed; } \
	  > bench/out/constraints/speed.md; cat bench/out/constraints/speed.md

bench-search: $(BUILD)/bench/search $(BUILD)/bench/glasses $(BUILD)/bench/variants bench-ranges
	@mkdir -p bench/out/search
	$< '$(or $(DATA),../shared/data/gset)' bench/out/search
	$(BUILD)/bench/glasses bench/out/search
	$(BUILD)/bench/variants '$(or $(DATA),../shared/data/gset)' bench/out/search

bench-ranges: $(BUILD)/bench/ranges
	@mkdir -p bench/out/search
	$< '$(or $(DATA),../shared/data/gset)' bench/out/search

bench-search-others: $(BUILD)/bench/search
	@command -v '$(or $(PYTHON),python3)' > /dev/null || echo 'bench-search-others: there is no $(or $(PYTHON),python3)'
	@! command -v '$(or $(PYTHON),python3)' > /dev/null || \
	  '$(or $(PYTHON),python3)' bench/search/others.py '$(BUILD)/annealers' '$(or $(DATA),../shared/data/gset)' bench/out/search
	@$< --table bench/out/search

# what Python's way costs, and dimod's front beside dwave-samplers; both are installed into a virtual environment
bench-bridge: bridge_python := $(BUILD)/bridge_bench/bin/python
bench-bridge:
	@command -v '$(or $(PYTHON),python3)' > /dev/null || echo 'bench-bridge: there is no $(or $(PYTHON),python3)'
	@! command -v '$(or $(PYTHON),python3)' > /dev/null || test -x '$(bridge_python)' || \
	  { '$(or $(PYTHON),python3)' -m venv '$(BUILD)/bridge_bench' && \
	    '$(bridge_python)' -m pip install -q --disable-pip-version-check numpy dimod dwave-samplers; }
	@mkdir -p bench/out/bridge
	@! test -x '$(bridge_python)' || DATA='$(DATA)' '$(bridge_python)' -W ignore bench/bridge/bridge.py overhead '$(BUILD)' bench/out/bridge
	@! test -x '$(bridge_python)' || \
	  '$(bridge_python)' bench/bridge/bridge.py dimod '$(or $(DATA),../shared/data/gset)' bench/out/bridge

bench-bisection: $(BUILD)/bench/bisection
	$< '$(or $(DATA),../shared/data/gset)' $(or $(SECONDS),0.1)

bench-constraints-others: $(BUILD)/examples/ergm
	@command -v '$(or $(PYTHON),python3)' > /dev/null || echo 'bench-constraints-others: there is no $(or $(PYTHON),python3)'
	@! command -v '$(or $(PYTHON),python3)' > /dev/null || \
	  '$(or $(PYTHON),python3)' bench/constraints/pyergm.py '$(BUILD)/pyergm' $<

bench-sharp-others: $(BUILD)/bench/sharp
	sh bench/sharp/millipede.sh $< bench/out/sharp-others

# pace cars are built by the rules of their own Makefile, from a copy, for this processor. They may need more than it has
bench-floor:
	@mkdir -p bench/out
ifdef PACE
	@test -f '$(PACE)/Makefile' || { echo 'make bench-floor: PACE=$(PACE) has no Makefile that builds bern-portable' >&2; exit 2; }
	@rm -rf '$(BUILD)/pace' && mkdir -p '$(BUILD)/pace' && cp '$(PACE)'/Makefile '$(PACE)'/*.[ch] '$(BUILD)/pace'
	@$(MAKE) --no-print-directory -C '$(BUILD)/pace' CC='$(CC)' CFLAGS='$(CFLAGS) $(native) -w' bern-portable \
	  bern-sqrt-portable ising-portable ising-sqrt-portable > '$(BUILD)/pace/log' 2>&1 || { rm -f '$(BUILD)'/pace/*-portable; \
	  echo 'make bench-floor: no pace cars, which this compiler cannot build for this processor: $(BUILD)/pace/log'; }
	if test -x '$(BUILD)/pace/bern-portable'; then $< --pace '$(BUILD)/pace' $(ARGS); else $< $(ARGS); fi
else
	$< $(ARGS)
endif

bench-everything:
	DATA='$(DATA)' PACE='$(PACE)' ONLY='$(ONLY)' KEEP='$(KEEP)' MAKE='$(MAKE)' sh bench/everything.sh

bench-run: $(BUILD)/bench/run $(run_tools)
	sh bench/run/run.sh $< $(BUILD)/tests/run_tool '$(if $(mpi),$(BUILD)/tests/run_tool_mpi)' bench/out/run

ebm: $(BUILD)/examples/ebm/ebm
	@mkdir -p bench/out
	$< --out bench/out/ebm $(ARGS)

bench-ebm: $(BUILD)/bench/ebm $(BUILD)/examples/ebm/ebm $(BUILD)/examples/ebm/ebm_barker
	@mkdir -p bench/out
	DATA='$(DATA)' MADE="$(CC) $$($(CC) -dumpversion) $(CFLAGS) $(native)" sh bench/ebm/ebm.sh

bench-spread: $(BUILD)/bench/paper $(BUILD)/bench/train_rbm
	DATA='$(DATA)' PAPER='$<' TRAIN='$(BUILD)/bench/train_rbm' MADE="$(CC) $$($(CC) -dumpversion) $(CFLAGS) $(native)" sh bench/paper/spread.sh

bench-rng: $(BUILD)/bench/stream
	sh bench/rng/rng.sh $< bench/out/rng

ifdef DATA
rbm: $(BUILD)/bench/train_rbm
	for h in $(HIDDEN); do $< --data '$(DATA)' --hidden $$h --out bench/data/rbm_$$h.bin || exit 1; done
else
rbm:
	@echo 'make rbm: say where the training images are, an IDX file (gzipped too, with zlib): make rbm DATA=FILE' >&2
	@exit 2
endif

# ---- the reference ---------------------------------------------------------------------------------------------

reference := LC_ALL=C awk -f docs/reference.awk
# $(call manual,FOLDER): the pages there; `man 3 lbp_ess` is a link to the page that has it. Builders of packages say the
# date, so that the same source makes the same pages
today  = $$(date -u $${SOURCE_DATE_EPOCH:+-d @$$SOURCE_DATE_EPOCH} +%Y-%m-%d)
manual = mkdir -p '$(1)' && $(reference) -v man='$(1)' -v date="$(today)" $(sort $(HEADERS)) && \
         $(reference) -v links=1 $(sort $(HEADERS)) | while read -r page names; do \
           for name in $$names; do ln -sf $$page.3 '$(1)'/$$name.3 || exit 1; done; done

docs:
	@$(reference) $(sort $(HEADERS)) > docs/reference.md
	@rm -rf $(BUILD)/man
	@$(call manual,$(BUILD)/man/man3)

# ---- installation ----------------------------------------------------------------------------------------------

version_number := $(shell sed -n 's/^.define LBP_VERSION \([0-9]*\).*/\1/p' lbp.h)
VERSION := $(shell v=$(version_number); echo $$((v / 10000)).$$((v / 100 % 100)).$$((v % 100)))

# files of packaging/ that say the version, and where things are
fill := sed -e 's|@VERSION@|$(VERSION)|' -e 's|@PREFIX@|$(subst &,\&,$(subst |,\|,$(PREFIX)))|'
root := $(DESTDIR)$(PREFIX)

install:
	mkdir -p '$(root)/include' '$(root)/share/pkgconfig' '$(root)/share/cmake/lbp'
	cp $(HEADERS) '$(root)/include'
	@$(call manual,$(root)/share/man/man3)
	$(fill) packaging/lbp.pc.in > '$(root)/share/pkgconfig/lbp.pc'
	cp packaging/lbp-config.cmake '$(root)/share/cmake/lbp'
	$(fill) packaging/lbp-config-version.cmake.in > '$(root)/share/cmake/lbp/lbp-config-version.cmake'

uninstall:
	cd '$(root)' && rm -f $(HEADERS:%=include/%) share/pkgconfig/lbp.pc share/cmake/lbp/lbp-config.cmake \
	  share/cmake/lbp/lbp-config-version.cmake
	$(reference) -v links=1 $(sort $(HEADERS)) | tr ' ' '\n' | while read -r name; do \
	  rm -f '$(root)'/share/man/man3/$$name.3; done
	-rmdir '$(root)/share/cmake/lbp'

clean:
	rm -rf $(BUILD)
