#!/bin/sh
# How the headers behave as guests in other people's code: alone and together, under strict flags, in C and C++, with
# wrong parameters, in several translation units, installed. Prints a line per group, then the sum.
#
# Environment: CC, CXX (empty: none), LEVEL (of optimisation where that matters little, -O1), MAKE, BUILD (a directory
# for scratch files).

LEVEL=${LEVEL:--O1} CC=${CC:-cc} CXX=${CXX-c++} MAKE=${MAKE:-make} BUILD=${BUILD:-build/hygiene}
cd "$(dirname "$0")/.." || exit 2
rm -rf "$BUILD" && mkdir -p "$BUILD" || exit 2
work=$(cd "$BUILD" && pwd)
headers=$(ls lbp*.h lbp/*/*.h)
# the weight functions that lbp.h has
weights=$(sed -n '/^\/\* Values of LBP_WEIGHT/,/^$/s/^#define \(LBP_[A-Z]*\) .*/\1/p' lbp.h)

strict='-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Wundef -Wdouble-promotion -Werror'
strict_c='-std=c99 -D_POSIX_C_SOURCE=200809L -Wstrict-prototypes -Wmissing-prototypes'
. tests/check.sh

# end_group WHAT: the sum of checks since the last one
group_passed=0 group_failed=0
end_group() {
  echo "$1: $((passed - group_passed)) passed, $((failed - group_failed)) failed"
  group_passed=$passed group_failed=$failed
}

# All compilers there are, each once, as lines "language command flags".
compilers() {
  for compiler in "$CC" gcc clang; do
    usable c "$compiler" && echo "c $compiler $strict_c $strict $(reserved "$compiler" c)"
  done
  for compiler in "$CXX" g++ clang++; do
    usable c++ "$compiler" && echo "c++ $compiler -std=c++11 $strict $(reserved "$compiler" c++)"
  done
}

# Whether a command is there that was not met under another name.
seen=
usable() {
  path=$(command -v "${2%% *}") && path=$(real "$path") || return 1
  case " $seen " in
    *" $1:$path "*) return 1 ;;
  esac
  seen="$seen $1:$path"
}

# clang's -Wreserved-identifier, where it is known
reserved() {
  echo 'int main(void) { return 0; }' > "$work/empty.c"
  if $1 -x "$2" -Werror -Wreserved-identifier -c "$work/empty.c" -o "$work/empty.o" > /dev/null 2>&1; then
    echo -Wreserved-identifier
  fi
}

compilers > "$work/compilers"

# each LANGUAGE COMMAND...: runs COMMAND with every compiler of the language ("any": of both) in $compile
each() {
  language=$1
  shift
  while read -r kind compile <&3; do
    [ "$language" = any ] || [ "$language" = "$kind" ] || continue
    "$@"
  done 3< "$work/compilers"
}

# ---- headers by themselves and in every order, with and without an instance ----------------------------------------

# source NAME LINE...: a file whose lines these are
source_file() {
  file=$work/$1
  shift
  printf '%s\n' "$@" > "$file"
}

# together HEADER...: included in this order
together() {
  { printf '#include "%s"\n' "$@" && echo 'int main(void) { return 0; }'; } > "$work/together.c"
  check "$*: $compile" $compile -x "$kind" -I. -fsyntax-only "$work/together.c"
}

# parts of the template of lbp.h, which includes them
parts=$(grep -l "^#error .*don't include it yourself" $headers)
wholes=$(echo "$headers" | grep -vxF "$parts")

# each twice, so it stands by itself, too, and all in a row, in both orders: so any two come in both
backwards=
for header in $wholes; do
  each any together "$header" "$header"
  backwards="$header $backwards"
done
each any together $wholes
each any together $backwards
# a part says in one error that it is one
part() {
  source_file part.c "#include \"$1\"" 'int main(void) { return 0; }'
  ! $compile -x "$kind" -I. -fsyntax-only "$work/part.c" > "$work/part.log" 2>&1 && cat "$work/part.log" &&
    [ "$(grep -c 'error: ' "$work/part.log")" -eq 1 ] && grep -q "$1: lbp[a-z_]*\.h includes it" "$work/part.log"
}
for header in $parts; do each any check "$header, alone" part "$header"; done
for real in float double; do
  single() { check "lbp_models.h, $real: $compile" $compile -x "$kind" -I. -DLBP_MODELS_REAL=$real -fsyntax-only \
    "$work/models.c"; }
  source_file models.c '#include "lbp_models.h"' 'int main(void) { return 0; }'
  [ -f lbp_models.h ] && each any single
done

# brings FILE HEADER: whether including this one includes that one
brings() {
  source_file brings.c "#include \"$1\""
  $CC -std=c99 -D_POSIX_C_SOURCE=200809L -MM -I. "$work/brings.c" | sed 's,[a-z]*/\.\./,,g' > "$work/brings" && grep -q "[ /]$2\>" "$work/brings"
}
lacks() { brings "$1" lbp.h && ! brings "$1" "$2"; }
check 'lbp_models.h brings lbp/base/linear.h' brings lbp_models.h lbp/base/linear.h
check 'lbp_models.h brings no sampler' lacks lbp_models.h lbp_ab.h
check 'lbp/models/local.h brings no linear algebra' lacks lbp/models/local.h lbp/base/linear.h
check 'lbp/base/linear.h brings no model' lacks lbp/base/linear.h lbp/models/local.h
check 'lbp/base/linear.h brings no sampler but lbp.h' lacks lbp/base/linear.h lbp_ab.h
# vectors FOLDER: where a processor has AVX-512, lbp.h uses it. As draws are the same without, no other test would tell
vectors() {
  echo '#include "lbp.h"' > "$work/vectors.c"
  $CC -march=skylake-avx512 -E -dM -I"$1" "$work/vectors.c" > "$work/vectors" && grep -x '#define LBP_AVX512 1' "$work/vectors"
}
narrow_vectors() {
  $CC -march=haswell -E -dM -I. "$work/vectors.c" > "$work/vectors" && grep -x '#define LBP_AVX2 1' "$work/vectors"
}
lost_vectors() { mkdir -p "$work/lost" && cp lbp.h "$work/lost" && ! vectors "$work/lost"; }
if echo 'int i;' | $CC -march=skylake-avx512 -x c -S -o /dev/null - > /dev/null 2>&1; then
  check 'AVX-512 is used where it is there' vectors .
  check 'AVX2 is used where it alone is there' narrow_vectors
  check 'that lbp/options/vector.h is lost is found' lost_vectors
else
  skip 'AVX-512: this compiler has none'
fi
end_group 'headers, twice, all in a row'

# ---- instances: local, dense, dense with fields, lists x float, and n fixed with double, x weights ---------------------

{
  echo '#include "lbp.h"'
  uses=
  for hkind in 1 2 3 4; do
    for real in float double; do
      for weight in $weights; do
        name=h${hkind}_${real}_${weight#LBP_}
        uses="$uses + ${name}_use()"
        fixed=0
        [ $real = float ] || fixed=1
        printf '#define %s %s\n' H_NAME "$name" H_REAL "$real" H_WEIGHT "$weight" H_KIND "$hkind" H_FIXED "$fixed"
        echo '#include "instance.h"'
      done
    done
  done
  echo "int main(void) { return 0$uses; }"
} > "$work/instances.c"

# the same, some of them, with the run driver
{
  echo '#define H_RUN'
  uses=
  for hkind in 1 2 3 4 5; do
    for fixed in 0 1; do
      name=r${hkind}_$fixed
      uses="$uses + ${name}_use()"
      real=float
      [ $fixed = 0 ] || real=double
      printf '#define %s %s\n' H_NAME "$name" H_REAL "$real" H_WEIGHT LBP_BARKER H_KIND "$hkind" H_FIXED "$fixed"
      [ "$uses" != " + r1_0_use()" ] || echo '#include "lbp.h"'
      echo '#include "instance.h"'
    done
  done
  echo "int main(void) { return 0$uses; }"
} > "$work/runs.c"

instances() {
  case $compile in
    "$CC "*) level=$LEVEL ;; # finds more
    *) level=-O0 ;;
  esac
  for program in instances runs; do
    check "$program: $compile" $compile $level -x "$kind" -I. -Itests/hygiene "$work/$program.c" -o "$work/$program" -lm
    check "$program run: $compile" "$work/$program"
    rm -f "$work/$program"
  done
}
each any instances

# for profilers: functions that others get the address of must not ask to be inlined
uninlined() {
  {
    echo '#define H_RUN'
    printf '#define %s %s\n' H_NAME local H_REAL float H_WEIGHT LBP_BARKER H_KIND 1 H_FIXED 0
    printf '#include "%s"\n' lbp.h instance.h
  } > "$work/uninlined.c"
  $compile -Og -fno-inline -x "$kind" -I. -Itests/hygiene -c "$work/uninlined.c" -o "$work/uninlined.o"
}
each any check '-Og -fno-inline' uninlined

# where sizes are constants, optimisers follow counters to their ends; gcc 12 then warned without -Wall
constant_sizes() {
  {
    echo '#include "lbp/models/selection.h"'
    echo 'int main(void) {'
    echo '  static double X[200 * 30], y[200];'
    echo '  lbp_selection model;'
    echo '  return lbp_selection_init(&model, 200, 30, X, y, 0) != LBP_OK;'
    echo '}'
  } > "$work/sizes.c"
  $compile -O2 -x "$kind" -I. -c "$work/sizes.c" -o "$work/sizes.o"
}
each any check 'sizes that are constants, -O2' constant_sizes
end_group 'instances, all functions, strict'

# ---- lbp.h alone: in a folder that has no other header ---------------------------------------------------------------

mkdir "$work/alone" && cp lbp.h "$work/alone" && cp examples/ring.c "$work/alone"
{
  echo '#include "lbp.h"'
  uses=
  for real in float double; do
    for weight in $(echo "$weights" | grep -v CUSTOM); do
      for fixed in 0 1; do
        name=${real}_${weight#LBP_}_$fixed
        uses="$uses + ${name}_use()"
        printf '#define %s %s\n' H_NAME "$name" H_REAL "$real" H_WEIGHT "$weight" H_KIND 1 H_FIXED "$fixed"
        echo '#include "instance.h"'
      done
    done
  done
  echo "int main(void) { return 0$uses; }"
} > "$work/alone/local.c"
cat > "$work/alone/dense.c" <<'END'
#include "lbp.h"
#define LBP_NAME              toy
#define LBP_MODEL_T           double
#define LBP_LOGP(m, x)        ((x)[0] ? *(m) : 0)
#define LBP_DELTAS(m, x, out) ((out)[0] = (x)[0] ? -*(m) : *(m), (out)[1] = (out)[2] = 0)
#define LBP_RNG_T             uint64_t
#define LBP_RNG_U64(rng)      (*(rng) = 6364136223846793005u * *(rng) + 1442695040888963407u)
#include "lbp.h"
int main(void) {
  static uint8_t x[3];
  static uint64_t ws[LBP_WS_LEN_DENSE(3)];
  const double m = 0.5;
  uint64_t rng = 1;
  toy_chain c;
  int t, moved = 0;
  if (toy_init(&c, 3, x, ws, LBP_WS_LEN_DENSE(3)) != LBP_OK) return 1;
  if (toy_check(&c, &m, 3, &rng).status != LBP_OK || toy_fault(&c).status != LBP_OK) return 2;
  for (t = 0; t < 100; t++) moved += toy_lbp_step(&c, &m, 1, &rng).accepted != 0;
  return moved == 0;
}
END

alone() { # PROGRAM OPTION...: compiles and runs
  program=$work/alone/$1
  shift
  $compile "$@" -x "$kind" -I"$work/alone" -Itests/hygiene "$program.c" -o "$program" && "$program" > "$program.txt"
}
each any check 'lbp.h alone: a local model, all functions' alone local -O0
each any check 'lbp.h alone: a dense model, another generator' alone dense -O0
each any check 'lbp.h alone: examples/ring.c' alone ring $LEVEL -w

# asks PARAMETER...: these need the folder lbp/. Without it the compiler names a file of it, with it all is there.
compiled_in() { $compile -x "$kind" -I"$work/$1" -fsyntax-only "$work/asks.c"; }
asks_one() {
  if compiled_in alone > "$work/asks.log" 2>&1; then return 1; fi
  cat "$work/asks.log"
  grep -E 'error: .*(No such file|not found)' "$work/asks.log" > "$work/asks.named"
  grep lbp/ "$work/asks.named" && ! grep -v lbp/ "$work/asks.named" || return 1
  compiled_in copied
}
mkdir "$work/copied" && cp -R lbp.h lbp "$work/copied"
asks() {
  {
    echo '#include "lbp.h"'
    printf '#define %s\n' 'LBP_NAME toy' 'LBP_LOGP(m, ...) 0' 'LBP_DELTA(m, ...) 0' "$@"
    printf '%s\n' '#include "lbp.h"' 'int main(void) { return 0; }'
  } > "$work/asks.c"
  each any check "lbp.h with and without lbp/: $*" asks_one
}
few='LBP_NEIGHBOURS(m, i, out) 0
#define LBP_MAX_NEIGHBOURS 1'
fields='LBP_FIELDS_T double
#define LBP_FIELDS_INIT(m, f, x) (*(f) = 0)
#define LBP_FLIP(m, f, x, i) (*(f) = 0)'
asks "$few" "$fields"
asks "$few" "$fields" 'LBP_FLIP_LIST(m, f, x, i, site, ratio) ((site)[0] = 0, (ratio)[0] = 0, 1)'
asks "$few" LBP_TEMPERED
asks "$few" LBP_TEMPERED 'LBP_BASE(m, i) 0'
asks "$few" LBP_CLAMPED
asks "$few" 'LBP_WEIGHT LBP_CUSTOM' 'LBP_LOG_WEIGHT(d) ((d) / 2)'
asks "$few" 'LBP_CLOCK LBP_BARKER'
asks "$few" LBP_PATH
asks "$few" LBP_SWEEPS
asks "$few" LBP_PARTS 'LBP_SYMMETRIC(m) 0'
asks "$few" 'LBP_LEVEL(m, x, i) ((x)[i])' 'LBP_LEVELS 2'
asks "$few" 'LBP_GROUP(m, i) 0u'
asks 'LBP_NEIGHBOURS(m, i, out) 0' 'LBP_MAX_NEIGHBOURS 1
#undef LBP_DELTA' 'LBP_CAT_STATES 3' 'LBP_CAT_DELTAS_OF(m, x, i, out) ((out)[0] = (out)[1] = (out)[2] = 0)'
asks 'LBP_DELTAS(m, ...) (void)0' 'LBP_DELTAS_MANY(m, x, out, count) (out)[0][0] = (x)[(count) - 1][0]'
asks "$few
#undef LBP_CHECKED" 'LBP_CHECKED 1'

# a model by terms needs it, too, and one error says so; with it all is there
terms='LBP_TERM(m, t, v) (v)[0]
#define LBP_TERM_SITES(m, t, out) ((out)[0] = 0, 1u)
#define LBP_TERM_COUNT(m) 1u
#define LBP_TERM_MAX 1
#define LBP_TERMS_OF_MAX 1'
source_file asks.c '#include "lbp.h"' '#define LBP_NAME toy' "#define $terms" '#include "lbp.h"' 'int main(void) { return 0; }'
asks_terms() {
  if compiled_in alone > "$work/asks.log" 2>&1; then return 1; fi
  cat "$work/asks.log"
  [ "$(grep -c 'error: ' "$work/asks.log")" -eq 1 ] && grep -q 'lbp\.h: LBP_TERM needs .*copy the folder lbp/' "$work/asks.log" &&
    compiled_in copied
}
each any check 'lbp.h with and without lbp/: a sum of terms' asks_terms
asks "$few" 'LBP_PAIRS(m, i, site, J) ((site)[0] = 0, (J)[0] = 0, 0u)'
asks "$few" 'LBP_PAIRS(m, i, site, J) ((site)[0] = 0, (J)[0] = 0, 0u)' LBP_CLUSTERS

# what is enough beside lbp.h and lbp/
beside() { # FILE...: with these alone, each compiles
  cp "$@" "$work/copied" && { printf '#include "%s"\n' "$@" && echo 'int main(void) { return 0; }'; } > "$work/beside.c" &&
    $compile -x "$kind" -I"$work/copied" -fsyntax-only "$work/beside.c"
}
each any check 'lbp_stats.h beside lbp.h and lbp/' beside lbp_stats.h
each any check 'lbp_models.h beside lbp.h and lbp/' beside lbp_models.h
# and with all headers at the top, the examples
cp lbp*.h "$work/copied"
cp -R examples "$work/copied"
find "$work/copied/examples" -name '*.[ch]' -o -name '*.cc' | while read -r example; do
  sed '/^#include/s,"\(\.\./\)*lbp,"lbp,' "$example" > "$work/example" && cp "$work/example" "$example"
done
copied_example() { $CC -w -I"$work/copied" -fsyntax-only "$work/copied/$1"; }
for example in examples/*.c; do check "lbp*.h and lbp/ alone: $example" copied_example "$example"; done
end_group 'lbp.h alone'

# ---- macros: nothing leaks -------------------------------------------------------------------------------------------

good='#define LBP_NAME toy
#define LBP_DELTA          toy_delta
#define LBP_NEIGHBOURS     toy_neighbours
#define LBP_MAX_NEIGHBOURS 4'

# macros FILE: the names defined after it
macros() {
  $CC -std=c99 -dM -E -I. "$1" 2>/dev/null | sed 's/^#define \([A-Za-z_0-9]*\).*/\1/' | sort -u
}

# The support section's macros are those of an include without parameters.
printf '#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n' > "$work/libc.c"
printf '#include "lbp.h"\n' > "$work/support.c"
macros "$work/libc.c" > "$work/libc.macros"
macros "$work/support.c" > "$work/support.macros"
comm -13 "$work/libc.macros" "$work/support.macros" > "$work/new.macros"
only_lbp() { ! grep -v '^LBP_' "$work/new.macros" && ! grep '^LBP_P_' "$work/new.macros" && [ -s "$work/new.macros" ]; }
check 'the support section defines LBP_ constants only' only_lbp

# leaves HEADER: nothing that is private to it
leaves() {
  printf '#include "%s"\n' "$1" > "$work/leaves.c"
  macros "$work/leaves.c" > "$work/leaves.macros"
  [ -s "$work/leaves.macros" ] && ! grep '^LBP_P_' "$work/leaves.macros"
}
check 'lbp/base/linear.h leaves no private macro' leaves lbp/base/linear.h

# no_leak TEXT [HEADER]: after an include with these parameters, nothing but the support section's macros is there
no_leak() {
  printf '%s\n#include "%s"\n' "$1" "${2-lbp.h}" > "$work/leak.c"
  macros "$work/leak.c" > "$work/leak.macros"
  diff "$work/${2-lbp.h}.macros" "$work/leak.macros"
}
for header in lbp.h lbp_perm.h; do
  printf '#include "%s"\n' "$header" > "$work/bare.c"
  macros "$work/bare.c" > "$work/$header.macros"
done
check 'an instance leaks no macro' no_leak "$good"
check 'two instances leak no macro' no_leak "$good
#include \"lbp.h\"
$good"
end_group 'macros'

# ---- callbacks and types may be called anything ----------------------------------------------------------------------

# hidden FOLDER: what of the headers there could take the place of a callback or a type
hidden() {
  $CC -std=c99 -D_POSIX_C_SOURCE=200809L -E -P -I"$1" tests/hygiene/names.c | awk -f tests/hygiene/names.awk
}
free() { hidden . > "$work/hidden" && cat "$work/hidden" && [ ! -s "$work/hidden" ]; }
check 'no name of the headers hides a callback or a type' free
# planted HEADER PROGRAM TEXT: a copy of the headers with this change to one of them is found out, by this text
planted() {
  rm -rf "$work/planted" && mkdir "$work/planted" && cp -R lbp*.h lbp "$work/planted" || return 1
  sed "$2" "$1" > "$work/planted/$1"
  ! cmp "$1" "$work/planted/$1" && hidden "$work/planted" | grep "$3"
}
check 'a variable beside a callback is found' planted lbp/options/fields.h \
  '/LBP_(call_flip)(LBP_CHAIN_T/,/^}/s/lbp_i/i/g' 'callback: i$'
check 'a parameter beside a callback is found' planted lbp_ab.h \
  '/LBP_(call_conditional)(const/,/^}/s/lbp_x/x/g' 'callback: x$'
check 'a callback past its function is found' planted lbp.h \
  's/c->logp_proposed = LBP_(logp)(c, m);/c->logp_proposed = LBP_LOGP(m, c->fields, c->x);/' \
  'callback: backwards$'
check "a type by the user's name is found" planted lbp/run/flip_kernel.h 's/^  LBP_FIELDS_T fields;/  TYPE fields;/' 'type.*fields'
callbacks() { check "callbacks: $compile" $compile -Wno-shadow -x "$kind" -fsyntax-only tests/test_callbacks.c; }
each any callbacks
# instances in namespaces of C++, behind the headers that their parameters ask for
{
  printf '#include "%s"\n' lbp_run.h lbp/base/moves.h
  for space in one two; do
    echo "namespace $space {"
    echo 'static double delta(const double *m, const uint8_t *x, uint32_t) { return x[0] ? -*m : *m; }'
    echo 'static uint32_t alone(const double *, uint32_t, uint32_t *) { return 0; }'
    echo 'static double logp(const double *m, const uint8_t *x) { return *m * x[0]; }'
    printf '#define %s\n' 'LBP_NAME coin' 'LBP_MODEL_T double' 'LBP_DELTA delta' 'LBP_NEIGHBOURS alone' \
      'LBP_MAX_NEIGHBOURS 0' 'LBP_LOGP logp' LBP_TEMPERED
    echo '#include "lbp_run.h"'
    echo 'static void levels(const double *m, const uint8_t *x, uint32_t, double *out) {'
    echo '  for (int v = 0; v < 3; v++) out[v] = *m * (v - x[0]);'
    echo '}'
    printf '#define %s\n' 'LBP_NAME level' 'LBP_MODEL_T double' 'LBP_CAT_STATES 3' 'LBP_CAT_DELTAS_OF levels' \
      'LBP_NEIGHBOURS alone' 'LBP_MAX_NEIGHBOURS 1'
    echo '#include "lbp.h"'
    echo '}'
  done
  echo 'int main() {'
  echo '  const double m = 0.5;'
  echo '  lbp_run run;'
  echo '  lbp_run_result result;'
  echo '  lbp_run_init(&run);'
  echo '  if (one::coin_run(&run, &m, 1, &result) != LBP_OK) return 1;'
  echo '  lbp_run_free(&result);'
  echo '  if (two::coin_run(&run, &m, 1, &result) != LBP_OK) return 2;'
  echo '  lbp_run_free(&result);'
  echo '  return 0;'
  echo '}'
} > "$work/namespaces.cc"
namespaces() { $compile -I. "$work/namespaces.cc" -o "$work/namespaces" -lm && "$work/namespaces"; }
each c++ check 'runs in namespaces' namespaces
end_group 'callbacks'

# ---- the user's macros, defined before a header ----------------------------------------------------------------------

# Short names of programs, and what systems define: complex.h (I), gnu99 (unix, linux), sys/types.h (major, minor),
# windows.h (near, far, small, min ...). Each stands for what no code can be. Left out are letters that are members of
# structs which users see, as run.seed and m.W. Headers of the system come first.
foreign='E G H I M N O P Q S T V Y Z AA BB KK MM NN PI EPS INF MAX MIN ABS ONE TWO ZERO SIZE LEN COUNT NUM DIM ROWS COLS
  ROW COLUMN LANES FACTORS STRIP WORD WORDS BLOCK BLOCKS TILE TILES WIDTH HEIGHT DEPTH ROOM MOST LEAST PAD STATE STATES
  STATUS SAMPLER HISTORY BY_CHAIN BY_SITE BY_RUNG BY_PAIR DOUBLE FLOAT INT REAL FLAG STRING BOOL BYTE U8 U32 U64 INT32
  UINT8 UINT32 UINT64 TRUE FALSE ERROR OK IN OUT CONST BUFFER LIMIT STEP STEPS SCALE BASE SEED CHAIN CHAINS SITE SITES
  BETA GROUP DEBUG TEST CHECK ASSERT LOG EXP min max near far small unix linux major minor hyper cdecl pascal huge
  interface'
members='A B C D F J K L U W X' # not of lbp.h and of what it includes, of which R is a parameter

# foreign_file NAME...: a header that defines these
foreign_file() {
  printf '#include <%s.h>\n' errno fcntl float limits locale math pthread signal stdarg stddef stdint stdio stdlib string \
    sys/stat time unistd
  printf '%s\n' '#ifdef _OPENMP' '#include <omp.h>' '#endif'
  for name in "$@"; do
    printf '#undef %s\n#define %s ) a macro of the user ] (\n' "$name" "$name"
  done
}
foreign_file $foreign > "$work/foreign.h"
foreign_file $foreign $members > "$work/foreign_members.h"
{ printf '#include "%s"\n' $wholes && echo 'int main(void) { return 0; }'; } > "$work/together.c"
{
  echo 'typedef struct { unsigned n; const double *weight; } bias;'
  echo 'static double bias_delta(const bias *m, const uint8_t *x, uint32_t i) { return x[i] ? -m->weight[i] : m->weight[i]; }'
  echo 'static uint32_t bias_none(const bias *m, uint32_t i, uint32_t *out) { return (void)m, (void)i, (void)out, 0u; }'
  echo 'static double bias_logp(const bias *m, const uint8_t *x) { return x[0] ? m->weight[0] : 0; }'
  printf '#define %s\n' 'LBP_NAME bias' 'LBP_MODEL_T bias' 'LBP_DELTA bias_delta' 'LBP_NEIGHBOURS bias_none' \
    'LBP_MAX_NEIGHBOURS 0' 'LBP_LOGP bias_logp' LBP_TEMPERED 'LBP_BRIDGE_ARRAYS(a) a(weight, double, n)'
  echo '#include "lbp_bridge.h"'
} > "$work/foreign_bridge.c"
# foreign FILE SOURCE: compiles behind the macros of FILE
foreign() { $compile -w -x "$kind" -include "$work/$1" -I. -Itests/hygiene -fsyntax-only "$2"; }
foreign_kinds() {
  check 'macros of the user: all headers' foreign foreign.h "$work/together.c"
  check 'macros of the user: the bridge' foreign foreign.h "$work/foreign_bridge.c"
  check 'macros of the user: lbp.h and its steps' foreign foreign_members.h "$work/foreign_local.c"
}
{
  echo '#include "lbp.h"'
  printf '#define %s %s\n' H_NAME own H_REAL double H_WEIGHT LBP_BARKER H_KIND 1 H_FIXED 0
  printf '%s\n' '#include "instance.h"' 'int main(void) { return own_use(); }'
} > "$work/foreign_local.c"
each any foreign_kinds
each c check 'macros of the user: all parameters' foreign foreign.h tests/hygiene/names.c
vector() { # the same where vectors are used, which few compilers here take by themselves
  $compile -mavx2 -mpopcnt -x c -fsyntax-only /dev/null > /dev/null 2>&1 || return 0
  $compile -mavx2 -mpopcnt -w -x "$kind" -include "$work/foreign.h" -I. -Itests/hygiene -fsyntax-only tests/hygiene/names.c
}
each c check "macros of the user: all parameters, AVX2" vector
foreign_found() { # a planted one is
  selection=$work/foreign/lbp/models/selection.h
  mkdir -p "$work/foreign" && cp -R lbp*.h lbp "$work/foreign" &&
    sed 's/\([^A-Za-z_]\)tile\([^A-Za-z_]\)/\1TILE\2/g' lbp/models/selection.h > "$selection" || return 1
  ! $CC -D_POSIX_C_SOURCE=200809L -w -include "$work/foreign.h" -fsyntax-only "$selection"
}
check 'macros of the user: an enum in a function is found' foreign_found
end_group "the user's macros"

# ---- wrong parameters: one error that says what to do, and no leak ---------------------------------------------------

# All sets of wrong parameters are in one file, as a compiler that is started for each takes minutes in all.
: > "$work/wrong.c"
: > "$work/wrong.sets"
# wrong_of HEADER PARAMETERS...: with these it must give exactly one error, ours, and leave no macro
wrong_of() {
  header=$1
  shift
  echo "$*" | tr '\n' ' ' >> "$work/wrong.sets"
  echo >> "$work/wrong.sets"
  {
    echo "#line 1 \"set_$(wc -l < "$work/wrong.sets" | tr -d ' ')\""
    printf '#define %s\n' "$@"
    printf '#include "%s"\n' "$header" left.h
  } >> "$work/wrong.c"
}
wrong() { wrong_of lbp.h "$@"; }

local='LBP_DELTA d
#define LBP_NEIGHBOURS     n
#define LBP_MAX_NEIGHBOURS 4'
wrong 'LBP_DELTA d'
wrong 'LBP_DELTAS d'
wrong "$local"
wrong 'LBP_NAME toy'
wrong 'LBP_NAME toy' 'LBP_DELTA d'
wrong 'LBP_NAME toy' 'LBP_LOGP l'
wrong 'LBP_NAME toy' 'LBP_NEIGHBOURS n' 'LBP_MAX_NEIGHBOURS 4'
wrong 'LBP_NAME toy' 'LBP_DELTA d' 'LBP_NEIGHBOURS n'
wrong 'LBP_NAME toy' "$local" 'LBP_DELTAS e'
wrong 'LBP_NAME toy' "$local" 'LBP_DELTAS_MANY m' 'LBP_LOGP l'
wrong 'LBP_NAME toy' 'LBP_DELTAS d' 'LBP_DELTAS_MANY m'
wrong 'LBP_NAME toy' "$local" 'LBP_WEIGHT 99'
wrong 'LBP_NAME toy' "$local" 'LBP_WEIGHT sqrt'
wrong 'LBP_NAME toy' "$local" 'LBP_WEIGHT LBP_CUSTOM'
wrong 'LBP_NAME toy' "$local" 'LBP_LOG_WEIGHT(d) (0.5 * (d))'
wrong 'LBP_NAME toy' "$local" 'LBP_WEIGHT LBP_SQRT' 'LBP_LOG_WEIGHT(d) (0.5 * (d))'
wrong 'LBP_NAME toy' "$local" 'LBP_RNG_T my_rng'
wrong 'LBP_NAME toy' "$local" 'LBP_RNG_U64 my_u64'
wrong 'LBP_NAME toy' "$local" 'LBP_N 0'
wrong 'LBP_NAME toy' "$local" 'LBP_N (-3)'
cat='LBP_CAT_STATES 3
#define LBP_CAT_DELTAS_OF  d
#define LBP_NEIGHBOURS     n
#define LBP_MAX_NEIGHBOURS 4'
wrong "$cat"
wrong 'LBP_NAME toy' 'LBP_CAT_STATES 3'
wrong 'LBP_NAME toy' 'LBP_CAT_STATES 0' 'LBP_DELTAS d'
wrong 'LBP_NAME toy' 'LBP_CAT_STATES 257' 'LBP_DELTAS d'
wrong 'LBP_NAME toy' 'LBP_CAT_STATES K' 'LBP_DELTAS d'
wrong 'LBP_NAME toy' 'LBP_CAT_STATES 3' "$local"
wrong 'LBP_NAME toy' 'LBP_CAT_STATES 3' 'LBP_NEIGHBOURS n' 'LBP_MAX_NEIGHBOURS 4'
wrong 'LBP_NAME toy' "$cat" 'LBP_FLIP f'
wrong 'LBP_NAME toy' "$cat" 'LBP_BASE b' LBP_TEMPERED
wrong 'LBP_NAME toy' "$cat" 'LBP_CAT_BASE b'
wrong 'LBP_NAME toy' "$cat" 'LBP_CLOCK LBP_BARKER'
wrong 'LBP_NAME toy' "$cat" 'LBP_CAT_CHANGE f'
wrong 'LBP_NAME toy' "$cat" 'LBP_FIELDS_T double' 'LBP_FIELDS_INIT f'
wrong 'LBP_NAME toy' 'LBP_CAT_STATES 3' 'LBP_CAT_DELTA d' 'LBP_DELTAS d'
wrong 'LBP_NAME toy' 'LBP_CAT_STATES 3' 'LBP_CAT_POWERS_OF p' 'LBP_DELTAS d'
wrong 'LBP_NAME toy' "$cat" 'LBP_CAT_POWERS_OF p' 'LBP_FIELDS_T double' 'LBP_FIELDS_INIT f' 'LBP_CAT_CHANGE f'
wrong 'LBP_NAME toy' "$cat" 'LBP_WEIGHT LBP_METROPOLIS'
wrong 'LBP_NAME toy' "$cat" 'LBP_N 0x40000000'
wrong 'LBP_NAME toy' "$local" 'LBP_WEIGHT LBP_HEAT_BATH'
wrong 'LBP_NAME toy' "$local" 'LBP_N 0x80000000'
wrong 'LBP_NAME toy' "$local" 'LBP_SORT_ABOVE (-1)'
wrong 'LBP_NAME toy' "$local" 'LBP_SORT_ABOVE 62'
wrong 'LBP_NAME toy' "$local" 'LBP_FLIP f'
wrong 'LBP_NAME toy' "$local" 'LBP_FLIP_LIST f'
wrong 'LBP_NAME toy' 'LBP_DELTAS d' 'LBP_FIELDS_T fields' 'LBP_FIELDS_INIT f' 'LBP_FLIP g' 'LBP_FLIP_LIST h'
wrong 'LBP_NAME toy' 'LBP_DELTAS d' 'LBP_SAVE s' 'LBP_RESTORE r'
wrong 'LBP_NAME toy' 'LBP_DELTAS d' 'LBP_FIELDS_INIT f'
wrong 'LBP_NAME toy' 'LBP_DELTAS d' 'LBP_FIELDS_T fields'
wrong 'LBP_NAME toy' 'LBP_DELTAS d' 'LBP_FIELDS_T fields' 'LBP_FIELDS_INIT f'
wrong 'LBP_NAME toy' 'LBP_DELTAS d' 'LBP_FIELDS_T fields' 'LBP_FIELDS_INIT f' 'LBP_FLIP g' 'LBP_SAVE s'
wrong 'LBP_NAME toy' 'LBP_DELTAS d' 'LBP_FIELDS_T fields' 'LBP_FIELDS_INIT f' 'LBP_FLIP g' 'LBP_RESTORE r'
wrong 'LBP_NAME toy' "$local" 'LBP_BASE(m, i) 0'
wrong 'LBP_NAME toy' "$local" LBP_DELTAS_EXACT
wrong 'LBP_NAME toy' "$local" 'LBP_LEVEL l'
wrong 'LBP_NAME toy' "$local" 'LBP_LEVELS 4'
wrong 'LBP_NAME toy' "$local" 'LBP_ROUNDING r'
wrong 'LBP_NAME toy' "$local" 'LBP_CAT_BASE b' LBP_TEMPERED
wrong 'LBP_NAME toy' "$local" 'LBP_CAT_STATES_OF k'
wrong 'LBP_NAME toy' "$local" 'LBP_STATES 3'
wrong 'LBP_NAME toy' 'LBP_DELTAS d' 'LBP_FIELDS_T fields' 'LBP_FIELDS_INIT f' 'LBP_FIELDS_MAKE m' 'LBP_FIELDS_FREE g'
wrong 'LBP_NAME toy' 'LBP_DELTAS d' 'LBP_LEVEL l' 'LBP_LEVELS 4'
wrong 'LBP_NAME toy' "$local" 'LBP_LEVEL l' 'LBP_LEVELS 4' LBP_TEMPERED 'LBP_BASE b'
wrong 'LBP_NAME toy' "$local" 'LBP_CLOCK 99'
wrong 'LBP_NAME toy' "$local" 'LBP_CLOCK LBP_SQRT'
wrong 'LBP_NAME toy' "$local" 'LBP_CLOCK LBP_BIRTH_DEATH'
wrong 'LBP_NAME toy' "$local" 'LBP_WEIGHT LBP_METROPOLIS' 'LBP_CLOCK LBP_BARKER'
wrong 'LBP_NAME toy' 'LBP_DELTAS d' 'LBP_LOGP l' 'LBP_CLOCK LBP_BARKER'
wrong 'LBP_NAME toy' 'LBP_DELTAS d' LBP_PATH
wrong 'LBP_NAME toy' "$cat" LBP_PATH
terms='LBP_TERM t
#define LBP_TERM_SITES     s
#define LBP_TERM_COUNT     c
#define LBP_TERM_MAX       2
#define LBP_TERMS_OF_MAX   4'
wrong "$terms"
wrong 'LBP_NAME toy' "$terms" 'LBP_DELTA d'
wrong 'LBP_NAME toy' "$terms" 'LBP_NEIGHBOURS n'
wrong 'LBP_NAME toy' "$terms" 'LBP_MAX_NEIGHBOURS 4'
wrong 'LBP_NAME toy' "$terms" "$local"
wrong 'LBP_NAME toy' "$terms" 'LBP_DELTAS d'
wrong 'LBP_NAME toy' "$terms" "$cat"
wrong 'LBP_NAME toy' "$terms" 'LBP_FIELDS_T double' 'LBP_FIELDS_INIT f' 'LBP_FLIP g'
wrong 'LBP_NAME toy' "$terms" 'LBP_LEVEL l' 'LBP_LEVELS 4'
wrong 'LBP_NAME toy' "$terms" 'LBP_PAIRS p'
wrong 'LBP_NAME toy' "$terms" 'LBP_BASE b'
wrong 'LBP_NAME toy' "$terms" 'LBP_CAT_STATES 3' LBP_PATH
wrong 'LBP_NAME toy' 'LBP_TERM t' 'LBP_TERM_COUNT c' 'LBP_TERM_MAX 2' 'LBP_TERMS_OF_MAX 4'
wrong 'LBP_NAME toy' 'LBP_TERM t' 'LBP_TERM_SITES s' 'LBP_TERM_MAX 2' 'LBP_TERMS_OF_MAX 4'
wrong 'LBP_NAME toy' 'LBP_TERM t' 'LBP_TERM_SITES s' 'LBP_TERM_COUNT c' 'LBP_TERMS_OF_MAX 4'
wrong 'LBP_NAME toy' 'LBP_TERM t' 'LBP_TERM_SITES s' 'LBP_TERM_COUNT c' 'LBP_TERM_MAX 2' 'LBP_CAT_STATES 3'
wrong 'LBP_NAME toy' "$local" 'LBP_SITE_TERM s'
wrong 'LBP_NAME toy' 'LBP_TERM_SITES s'
wrong 'LBP_NAME toy' "$local" 'LBP_FIELD f'
wrong 'LBP_NAME toy' "$local" 'LBP_UNIT u'
wrong 'LBP_NAME toy' "$local" 'LBP_CAT_PAIRS p' 'LBP_CAT_PAIR q'
wrong 'LBP_NAME toy' "$cat" 'LBP_PAIRS p'
wrong 'LBP_NAME toy' "$cat" 'LBP_CAT_PAIRS p'
wrong 'LBP_NAME toy' 'LBP_DELTAS d' 'LBP_PAIRS p'
wrong 'LBP_NAME toy' "$local" LBP_CLUSTERS
wrong 'LBP_NAME toy' "$cat" LBP_CLUSTERS
wrong 'LBP_NAME toy' 'LBP_DELTAS d' LBP_CLUSTERS
wrong 'LBP_NAME toy' "$local" 'LBP_PAIRS p' LBP_CLUSTERS 'LBP_GROUP g'
wrong 'LBP_NAME toy' 'LBP_DELTAS d' LBP_PARTS
wrong 'LBP_NAME toy' "$local" LBP_PARTS 'LBP_GROUP g'
wrong 'LBP_NAME toy' "$local" LBP_SYMMETRIC
wrong 'LBP_NAME toy' "$cat" LBP_PARTS LBP_SYMMETRIC
pairs='LBP_PAIRS p
#define LBP_FIELD f
#define LBP_UNIT u'
wrong 'LBP_NAME toy' "$local" "$pairs" 'LBP_LANES 100'
wrong 'LBP_NAME toy' "$local" "$pairs" 'LBP_LANES 64' LBP_TEMPERED 'LBP_BASE b'
wrong 'LBP_NAME toy' "$local" "$pairs" 'LBP_LANES 64' 'LBP_GROUP g'
wrong 'LBP_NAME toy' "$local" "$pairs" 'LBP_LANES 64' 'LBP_RNG_T int' 'LBP_RNG_U64 r'
wrong 'LBP_NAME toy' "$cat" 'LBP_LANES 64' 'LBP_CAT_PAIRS p' 'LBP_CAT_PAIR q' 'LBP_UNIT u'
wrong 'LBP_NAME toy' "$local" 'LBP_LANES 64' 'LBP_PAIRS p' 'LBP_UNIT u'
wrong 'LBP_NAME toy' "$local" 'LBP_LANES 64' 'LBP_PAIRS p' 'LBP_FIELD f'
wrong 'LBP_NAME toy' "$terms" 'LBP_LANES 64'

# wrong types, too, name themselves
long_double() {
  printf '#define %s\n' 'LBP_NAME toy' 'LBP_REAL long double' "$local" > "$work/long_double.c"
  echo '#include "lbp.h"' >> "$work/long_double.c"
  $compile -w -x "$kind" -I. -fsyntax-only "$work/long_double.c" > "$work/log" 2>&1 && return 1
  grep -q 'LBP_REAL_is_float_or_double' "$work/log"
}
each c check 'LBP_REAL of long double' long_double

wrong_perm() { wrong_of lbp_perm.h "$@"; }
wrong_perm 'LBP_EXCHANGE x'
wrong_perm 'LBP_PERM_ROW r'
wrong_perm 'LBP_NAME toy'
wrong_perm 'LBP_NAME toy' 'LBP_PERM_ROW r'
wrong_perm 'LBP_NAME toy' 'LBP_EXCHANGE x' 'LBP_NEIGHBOURS n'
wrong_perm 'LBP_NAME toy' 'LBP_EXCHANGE x' 'LBP_PERM_PARTIAL_ROWS(m) 3'
wrong_perm 'LBP_NAME toy' 'LBP_EXCHANGE x' 'LBP_PERM_PARTIAL_COLUMNS(m) 3'
wrong_perm 'LBP_NAME toy' 'LBP_EXCHANGE x' 'LBP_WEIGHT LBP_CUSTOM'
wrong_perm 'LBP_NAME toy' 'LBP_EXCHANGE x' 'LBP_WEIGHT sqrt'

# what must not be there after one: every macro of the headers and of these sets that stays after none of both
printf '#include "lbp/base/%s.h"\n' moves checked > "$work/bare.c"
macros "$work/bare.c" | sort -u - "$work/lbp.h.macros" "$work/lbp_perm.h.macros" > "$work/stay.macros"
cat $headers "$work/wrong.c" | sed -n 's/^ *# *define \(LBP_[A-Za-z_0-9]*\).*/\1/p' | sort -u |
  comm -23 - "$work/stay.macros" | sed 's/.*/#ifdef &\n#error & is left\n#endif/' > "$work/left.h"
check 'macros of an instance are among those that must go' grep -q ' LBP_NEIGHBOURS is left' "$work/left.h"
wrong_sets() {
  limit=-ferror-limit=0 # clang's, which has one; gcc has none
  $compile -x "$kind" $limit -fsyntax-only "$work/empty.c" > /dev/null 2>&1 || limit=
  rm -f "$work"/set_*
  ! $compile -x "$kind" $limit -I. -I"$work" -Wno-undef -fsyntax-only "$work/wrong.c" > "$work/wrong.log" 2>&1
  check "wrong parameters are refused: $compile" test $? -eq 0
  # the errors of each set
  awk -v folder="$work/" 'match($0, /(^|from )set_[0-9]+:/) {
      set = substr($0, RSTART, RLENGTH - 1)
      sub(/from /, "", set)
    }
    /error:/ { print > (folder set) }' "$work/wrong.log"
  set_number=0
  while read -r parameters <&4; do
    set_number=$((set_number + 1))
    check "one error, nothing left: $parameters: $compile" one_error "$work/set_$set_number"
  done 4< "$work/wrong.sets"
}
one_error() {
  cat "$1"
  [ "$(wc -l < "$1")" -eq 1 ] && grep -q 'error: .*lbp[a-z_/]*\.h: ' "$1"
}
each any wrong_sets
good_perm='#define LBP_NAME toy
#define LBP_EXCHANGE x'
check 'an instance of lbp_perm.h leaks no macro' no_leak "$good_perm" lbp_perm.h

# a name given to two instances: no compiler can be made to stop there, so the first error must say it
twice() { # PARAMETERS...
  printf '%s\n' '#include "lbp_ab.h"' 'static double d(const void *m, const uint8_t *x, uint32_t i);' \
    'static uint32_t n(const void *m, uint32_t i, uint32_t *out);' \
    'static double g(const void *m, const uint8_t *x, double *out);' \
    'static double x(const void *m, const uint32_t *s, uint32_t a, uint32_t b);' "$@" > "$work/twice.c"
  if $compile -w -x "$kind" -I. -fsyntax-only "$work/twice.c" > "$work/twice.log" 2>&1; then return 1; fi
  grep 'error:' "$work/twice.log" | sed 1q
  grep 'error:' "$work/twice.log" | sed 1q | grep -q 'toy_is_the_LBP_NAME_of_another_instance'
}
toy="#define LBP_NAME toy
#define $local
#include \"lbp.h\""
toy_ab='#define LBP_NAME toy
#define LBP_GRADIENT g
#include "lbp_ab.h"'
each any check 'a name taken' twice "$toy" "$toy"
each any check 'a name taken, of lbp_ab.h' twice "$toy_ab" "$toy_ab"
each any check 'a name taken, of lbp_perm.h' twice "$good_perm
#include \"lbp_perm.h\"" "$good_perm
#include \"lbp_perm.h\""
each any check 'a name taken by the other header' twice "$toy" "$toy_ab"
after_error() { # what was refused has taken no name
  printf '%s\n' '#include "lbp.h"' 'static double d(const void *m, const uint8_t *x, uint32_t i);' \
    'static uint32_t n(const void *m, uint32_t i, uint32_t *out);' '#define LBP_NAME toy' '#define LBP_DELTA d' \
    '#include "lbp.h"' "$toy" > "$work/twice.c"
  $compile -w -x "$kind" -I. -fsyntax-only "$work/twice.c" 2>&1 | grep 'error:' > "$work/twice.log"
  cat "$work/twice.log"
  [ "$(wc -l < "$work/twice.log")" -eq 1 ] && grep -q 'lbp\.h: ' "$work/twice.log"
}
each any check 'one error, then the same name again' after_error

# the same of lbp_run.h, which includes lbp.h
run_error() {
  {
    echo '#define _POSIX_C_SOURCE 200809L'
    echo '#include "lbp_run.h"'
    echo 'static double the_delta(const void *m, const uint8_t *x, uint32_t i) { (void)m, (void)x, (void)i; return 0; }'
    echo 'static uint32_t the_list(const void *m, uint32_t i, uint32_t *out) { (void)m, (void)i, (void)out; return 0; }'
    echo 'static double the_logp(const void *m, const uint8_t *x) { (void)m, (void)x; return 0; }'
    printf '%s\n#include "lbp_run.h"\n' "$1"
    echo 'int main(void) { return the_delta(0, 0, 0) + the_logp(0, 0) + (double)the_list(0, 0, 0) > 0; }'
  } > "$work/wrong.c"
  if $compile -x "$kind" -I. -fsyntax-only "$work/wrong.c" > "$work/wrong.log" 2>&1; then return 1; fi
  cat "$work/wrong.log"
  [ "$(grep -c 'error:' "$work/wrong.log")" = 1 ] && grep -q "error: .*$2" "$work/wrong.log"
}
named='#define LBP_NAME toy
#define LBP_DELTA          the_delta
#define LBP_NEIGHBOURS     the_list
#define LBP_MAX_NEIGHBOURS 4'
each any check 'one error for lbp_run.h without LBP_LOGP' run_error "$named" 'lbp_run\.h: .*define LBP_LOGP'
each any check 'one error for lbp_run.h with another generator' run_error "$named
#define LBP_LOGP         the_logp
#define LBP_RNG_T        uint64_t
#define LBP_RNG_U64(rng) (*(rng) += 0x9e3779b97f4a7c15u)" 'lbp_run\.h: .*LBP_RNG_T'
each any check 'one error for lbp_run.h, from lbp.h' run_error '#define LBP_NAME toy' 'lbp\.h: '

# without POSIX, which strict C hides: one sentence, not an error for each thing that is missing
no_posix() {
  cp examples/bridge/field.c "$work/wrong.c"
  if $CC -std=c99 -I. -fsyntax-only "$work/wrong.c" > "$work/wrong.log" 2>&1; then return 1; fi
  grep -q 'error: .*lbp_run\.h: needs POSIX or Windows' "$work/wrong.log" && [ "$(grep -c 'error:' "$work/wrong.log")" = 1 ]
}
check 'lbp_run.h says that it needs POSIX or Windows' no_posix

# what a compiler for GPUs is shown
cat > "$work/gpu.h" <<'END'
static inline float __fadd_rn(float v, float w) { return v + w; }
static inline double __dadd_rn(double v, double w) { return v + w; }
END
gpu() { $compile -x "$kind" -w -include "$work/gpu.h" -D__CUDA_ARCH__=900 -fsyntax-only tests/test_api.c; }
each any check 'lbp.h as a GPU compiles it' gpu

# floats evaluated in more digits, as 32-bit x86 without SSE does
more_digits() { $CC -std=c99 -D_POSIX_C_SOURCE=200809L -mfpmath=387 -w -fsyntax-only tests/test_potts.c; }
if echo 'float f(float x) { return x * 1.5f; }' | $CC -mfpmath=387 -x c -fsyntax-only - 2> /dev/null; then
  check 'categorical sites by x87' more_digits
fi

# qualifiers in LBP_FN are those of all functions, of those too that small code keeps apart
qualified() {
  $CC $1 -std=c99 -D_POSIX_C_SOURCE=200809L -E -P -I. '-DLBP_FN=static inline QUALIFIED' tests/hygiene/names.c |
    grep -E '^static .*(lbp|names)_[a-z0-9_]*\(' > "$work/functions"
  [ "$(grep -c 'QUALIFIED' "$work/functions")" -gt 300 ] && ! grep -v QUALIFIED "$work/functions"
}
check "LBP_FN's qualifiers, -O2" qualified -O2
check "LBP_FN's qualifiers, -Os" qualified -Os

# all families as device code, by a plain compiler: the draws of the host's code
families() { # NAME FLAG...
  name=$1
  shift
  ${CXX:-$CC} $LEVEL -Wall -Wextra -Werror -Wno-unknown-pragmas -Wno-attributes "$@" -x c++ bench/gpu/gpu.cu \
    -o "$work/$name" && "$work/$name" --draws > "$work/$name.txt"
}
as_device_code() {
  families families_here && families families_there -D__CUDA_ARCH__=900 -include tests/hygiene/device.h &&
    [ "$(grep -c '^host: ' "$work/families_here.txt")" = 4 ] && grep -q '^bytes: ' "$work/families_here.txt" &&
    diff "$work/families_here.txt" "$work/families_there.txt"
}
compiler=${CXX:-$CC}
if have "${compiler%% *}"; then
  check 'device code of all families draws what the host draws, by a plain compiler' as_device_code
fi

# the README's ring, and all families, by CUDA's compiler
NVCC=${NVCC:-nvcc}
if have "$NVCC"; then
  cuda() {
    $NVCC -fmad=false -I. -o "$work/ring_cuda" tests/hygiene/ring.cu && "$work/ring_cuda" > "$work/ring_cuda.txt" &&
      ${CXX:-$CC} -I. -x c++ tests/hygiene/ring.cu -o "$work/ring_host" && "$work/ring_host" > "$work/ring_host.txt" &&
      grep -v '^device' "$work/ring_cuda.txt" | diff - "$work/ring_host.txt"
  }
  on_device() { sed -n 's/^device//p' "$work/ring_cuda.txt" | diff - "$work/host.txt"; }
  check 'CUDA: the host draws what it draws without CUDA' cuda
  sed -n 's/^host//p' "$work/ring_cuda.txt" > "$work/host.txt"
  if grep -q '^device' "$work/ring_cuda.txt"; then
    check 'CUDA: the device draws the same' on_device
  else
    skip 'CUDA on a device: there is none'
  fi
  # where a device is, the program compares its draws, too
  cuda_families() {
    $NVCC -Werror all-warnings -diag-suppress 550 -fmad=false -o "$work/families_cuda" bench/gpu/gpu.cu &&
      "$work/families_cuda" --draws > "$work/families_cuda.txt" &&
      grep '^host: \|^bytes: ' "$work/families_cuda.txt" | diff - "$work/families_here.txt"
  }
  # not by the clock: copies of functions in functions are what takes minutes (4 times as much)
  cuda_code() {
    $NVCC -fmad=false -ptx -o "$work/families.ptx" bench/gpu/gpu.cu && lines=$(wc -l < "$work/families.ptx") &&
      echo "$lines lines of PTX" && [ "$lines" -gt 10000 ] && [ "$lines" -lt 60000 ]
  }
  cuda_page() {
    awk '/^```cuda$/ { inside = 1; next } /^```$/ { inside = 0 } inside' docs/gpu.md > "$work/spins.cu" &&
      [ -s "$work/spins.cu" ] && $NVCC -O3 -fmad=false -I. -o "$work/spins" "$work/spins.cu" || return 1
    if grep -q '^device' "$work/ring_cuda.txt"; then "$work/spins" | grep 'as on the host: yes'; fi
  }
  check "CUDA: the page's program" cuda_page
  check 'CUDA: all families, on the host, and where a device is on that' cuda_families
  check 'CUDA: functions are called, not copied' cuda_code
  if have cuobjdump; then
    printf '%s\n' '#define LBP_FN static inline __host__ __device__' '#include "lbp.h"' \
      '__global__ void f(float *v) { v[0] = lbp_roundedf(v[1] * v[2]) + v[3]; }' \
      '__global__ void d(double *v) { v[0] = lbp_rounded(v[1] * v[2]) + v[3]; }' > "$work/rounded.cu"
    unfused() {
      $NVCC -I. -cubin -o "$work/rounded.cubin" "$work/rounded.cu" &&
        cuobjdump -sass "$work/rounded.cubin" > "$work/sass" && grep -q DMUL "$work/sass" &&
        grep -q FMUL "$work/sass" && ! grep -E 'DFMA|FFMA' "$work/sass"
    }
    check 'CUDA: a rounded product is fused into no sum' unfused
  else
    skip 'CUDA, what is fused: no cuobjdump'
  fi
else
  skip 'CUDA: no nvcc'
fi

# misspelt parameters, which C takes without a word
known() { # what the pages, the contexts of their blocks and the examples define
  set -- README.md $(ls docs/*.md | grep -vx docs/reference.md) tests/docs/*.c examples/*.[ch] examples/*.cc examples/*/*.[ch]
  [ "$(cat "$@" | grep -o '^# *define LBP_[A-Z_]*' | sort -u | wc -l)" -gt 25 ] && sh tests/tools/macros.sh "$@"
}
misspelt() { # ONE OTHER: the first is found, on its line, and the second named
  printf '#define LBP_NAME toy\n  # define %s(m, i) 0\n#define N 5\n' "$1" > "$work/model.c"
  if "$MAKE" -s lint-macros FILE="$work/model.c" > "$work/misspelt"; then return 1; fi
  cat "$work/misspelt"
  [ "$(wc -l < "$work/misspelt")" -eq 1 ] &&
    grep -q "model\.c:2: $1 is no parameter of lbp; the nearest is $2\$" "$work/misspelt"
}
check 'lint-macros knows the parameters in use' known
check 'lint-macros: letters swapped' misspelt LBP_WEIGTH LBP_WEIGHT
check 'lint-macros: a letter missing' misspelt LBP_TEMPERD LBP_TEMPERED
check 'lint-macros: the American way' misspelt LBP_NEIGHBORS LBP_NEIGHBOURS
check 'lint-macros: of lbp_ab.h' misspelt LBP_AB_GRADEINT LBP_GRADIENT
check 'lint-macros: of lbp_perm.h' misspelt LBP_PERM_EXCHANG LBP_EXCHANGE
check 'lint-macros: of lbp_run.h' misspelt LBP_FIELD_MAKE LBP_FIELDS_MAKE
check 'lint-macros: one that is seldom used' misspelt LBP_SORT_ABOV LBP_SORT_ABOVE
check 'lint-macros: of a header that is asked for' misspelt LBP_ON_EROR LBP_ON_ERROR
check 'lint-macros: of one that needs another' misspelt LBP_FLIP_LSIT LBP_FLIP_LIST
check 'lint-macros: the prefix' misspelt LPB_DELTAS LBP_DELTAS
unread() { sh tests/tools/macros.sh "$work/none.c"; [ $? -eq 2 ] && ! sh tests/tools/macros.sh; }
check 'lint-macros: no file' unread

# two versions of the header in one translation unit
sed 's/LBP_VERSION [0-9][0-9]*/LBP_VERSION 1/; s/LBP_VERSION != [0-9][0-9]*/LBP_VERSION != 1/' lbp.h > "$work/other.h"
two_versions() {
  printf '#include "lbp.h"\n#include "%s/other.h"\nint main(void) { return 0; }\n' "$work" > "$work/two.c"
  if $compile -x "$kind" -I. -fsyntax-only "$work/two.c" > "$work/two.log" 2>&1; then return 1; fi
  cat "$work/two.log"
  [ "$(grep -c 'error:' "$work/two.log")" = 1 ] && grep -q 'two versions' "$work/two.log"
}
each any check 'two versions' two_versions
end_group 'wrong parameters'

# ---- linking: several translation units, C and C++ -------------------------------------------------------------------

# unit NAME KIND: a translation unit with one instance and a function around it, callable from both languages
unit() {
  cat > "$work/$1.c" <<END
#ifdef __cplusplus
extern "C" int $1(void);
#else
int $1(void);
#endif
#include "lbp.h"
$(for header in $wholes; do echo "#include \"$header\""; done)
#define H_NAME same
#define H_REAL double
#define H_WEIGHT LBP_BARKER
#define H_KIND $2
#define H_FIXED 0
#include "instance.h"
int $1(void) { return same_use(); }
END
}
unit one 1
unit two 3
cat > "$work/main.c" <<'END'
int one(void);
int two(void);
int main(void) { return one() + two(); }
END

linked() {
  $CC $LEVEL -I. -Itests/hygiene -c "$work/one.c" -o "$work/one.o" && "$@" $LEVEL -I. -Itests/hygiene -c "$work/two.c" \
    -o "$work/two.o" && $CC -c "$work/main.c" -o "$work/main.o" &&
    $CC "$work/main.o" "$work/one.o" "$work/two.o" -o "$work/main" -lm && "$work/main"
}
check 'two translation units, C and C' linked $CC
if [ -n "$CXX" ] && have "${CXX%% *}"; then
  check 'two translation units, C and C++' linked $CXX -x c++
else
  skip 'C and C++ linked together: no C++ compiler'
fi

# the drivers compiled once: a model in C, one in C++, and a third file with the drivers draw what a file of its own draws
model() { # NAME COUPLING: a file with a model that runs
  cat > "$work/$1.c" <<END
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
typedef struct { double gain; } $1_model;
static double $1_delta(const $1_model *m, const unsigned char *x, unsigned i) {
  return (x[i] ? -2 : 2) * m->gain * ((double)x[(i + 1) % 8] + x[(i + 7) % 8] - 1);
}
static double $1_logp(const $1_model *m, const unsigned char *x) {
  double sum = 0;
  int i;
  for (i = 0; i < 8; i++) sum += x[i] == x[(i + 1) % 8] ? m->gain : 0;
  return sum;
}
static unsigned $1_neighbours(const $1_model *m, unsigned i, unsigned *out) {
  (void)m;
  out[0] = (i + 1) % 8;
  out[1] = (i + 7) % 8;
  return 2;
}
#define LBP_NAME $1
#define LBP_MODEL_T $1_model
#define LBP_REAL double
#define LBP_DELTA $1_delta
#define LBP_LOGP $1_logp
#define LBP_NEIGHBOURS $1_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_TEMPERED
#include "lbp_run.h"
#if defined __cplusplus
extern "C"
#endif
int $1(void);
int $1(void) {
  const $1_model m = {$2};
  lbp_run run;
  lbp_run_result result;
  lbp_ais_result log_z;
  int status;
  lbp_run_init(&run);
  run.draws = run.warmup = 100;
  status = $1_run(&run, &m, 8, &result);
  printf("%d %s %.17g\\n", status, result.message, result.row ? result.row[0].mean : 0);
  lbp_run_free(&result);
  status = $1_anneal(&run, &m, 8, &result);
  printf("%d %s %.17g\\n", status, result.message, result.best_logp ? result.best_logp[0] : 0);
  lbp_run_free(&result);
  run.tempering.rungs = 20;
  status = $1_ais(&run, &m, 8, &log_z);
  printf("%d %s %.17g\\n", status, log_z.message, log_z.log_z);
  lbp_ais_free(&log_z);
  return 0;
}
END
}
model one 0.5
model two 0.7
printf '%s\n' '#define _POSIX_C_SOURCE 200809L' '#define LBP_IMPLEMENTATION' '#include "lbp_run.h"' > "$work/driver.c"
# drivers COMPILER...: in $work/shared, linked by $linker with models of which COMPILER compiles the second
drivers() {
  $CC $LEVEL -I. -c "$work/driver.c" -o "$work/driver.o" && $CC $LEVEL -I. -DLBP_LINKED -c "$work/one.c" -o "$work/one.o" &&
    "$@" $LEVEL -I. -DLBP_LINKED -c "$work/two.c" -o "$work/two.o" && $CC -c "$work/main.c" -o "$work/main.o" &&
    $linker "$work/main.o" "$work/one.o" "$work/two.o" "$work/driver.o" -o "$work/shared" -lm &&
    "$work/shared" > "$work/shared.txt" && [ "$(grep -c '^0  ' "$work/shared.txt")" = 6 ] && cmp "$work/each_its_own.txt" "$work/shared.txt"
}
alone() {
  for name in one two main; do $CC $LEVEL -I. -c "$work/$name.c" -o "$work/$name.o" || return 1; done
  $CC "$work/main.o" "$work/one.o" "$work/two.o" -o "$work/each_its_own" -lm && "$work/each_its_own" > "$work/each_its_own.txt"
}
check 'two models that run, each with drivers of its own' alone
linker=$CC
check 'drivers compiled once, C' drivers $CC
if [ -n "$CXX" ] && have "${CXX%% *}"; then
  linker=$CXX
  check 'drivers compiled once, C and C++' drivers $CXX -x c++
fi
# other_version: drivers of another version are refused, by a name that says so
other_version() {
  number=$(sed -n 's/^#define LBP_VERSION \([0-9]*\).*/\1/p' lbp.h)
  rm -rf "$work/other" && mkdir "$work/other" && cp -R lbp*.h lbp "$work/other" &&
    sed "/LBP_VERSION/s/$number/10099/" lbp.h > "$work/other/lbp.h" &&
    $CC $LEVEL -I"$work/other" -c "$work/driver.c" -o "$work/driver.o" || return 1
  ! $CC "$work/main.o" "$work/one.o" "$work/two.o" "$work/driver.o" -o "$work/shared" -lm > "$work/other.log" 2>&1 &&
    cat "$work/other.log" && grep -q 'lbp_run_kernel_of_version_'"$number"_with_mpi_0 "$work/other.log"
}
check 'drivers of another version' other_version

# an object with all instances, and unused functions too where the compiler can be asked to keep them: no libm, no
# malloc, no data
keep='-fkeep-inline-functions -fkeep-static-functions'
$CC $keep -c "$work/main.c" -o "$work/main.o" > /dev/null 2>&1 || keep=
symbols() {
  $CC $LEVEL $keep -fno-stack-protector -I. -Itests/hygiene -c "$work/instances.c" -o "$work/instances.o" || return 1
  nm "$work/instances.o" > "$work/symbols" || return 1
  [ "$(grep -c ' T main$' "$work/symbols")" = 1 ] || return 1
  ! grep -E ' (U|B|b|D|d|C) ' "$work/symbols" | grep -vE ' U _?(memcpy|memset|_GLOBAL_OFFSET_TABLE_)$'
}
if have nm; then
  check 'no undefined symbols, no data' symbols
else
  skip 'symbols: no nm'
fi

# bare COMMAND ALLOWED: without a C library a float and a double instance leave only this open, a pattern
printf '#define %s %s\n' H_NAME local H_REAL float H_WEIGHT LBP_BARKER H_KIND 1 H_FIXED 1 > "$work/bare.c"
printf '#include "%s"\n' lbp.h instance.h >> "$work/bare.c"
printf '#define %s %s\n' H_NAME dense H_REAL double H_WEIGHT LBP_CUSTOM H_KIND 3 H_FIXED 0 >> "$work/bare.c"
printf '#include "instance.h"\nint main(void) { return local_use() + dense_use(); }\n' >> "$work/bare.c"
bare() {
  for level in -O2 -Os; do
    $1 $level -std=c99 -ffreestanding -nostdlib $keep -fno-stack-protector -I. -Itests/hygiene -c "$work/bare.c" \
      -o "$work/bare.o" || return 1
    ${ARM:-}nm -u "$work/bare.o" | sed 's/^ *U //; /^$/d' > "$work/open"
    grep -q '^memcpy$' "$work/open" && ! grep -vE "^($2)$" "$work/open" || return 1
  done
}
if have nm; then
  check 'freestanding: memcpy and memset, nothing else' bare "$CC" '_?memcpy|_?memset|_GLOBAL_OFFSET_TABLE_'
fi
ARM=arm-none-eabi-
if have ${ARM}gcc && echo '#include <string.h>' | ${ARM}gcc -x c -fsyntax-only - 2> /dev/null; then
  check 'the same for ARM, beside what its compiler brings' bare \
    "${ARM}gcc -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16" 'memcpy|memset|__aeabi_[a-z0-9]*'
else
  skip 'symbols for ARM: no arm-none-eabi-gcc with its C library'
fi
ARM=
end_group 'linking'

# ---- installation ----------------------------------------------------------------------------------------------------

prefix="$work/a prefix" stage=$work/stage
installed() {
  (umask 077 && "$MAKE" -s install PREFIX="$prefix") || return 1
  for header in $headers; do cmp "$header" "$prefix/include/$header" || return 1; done
  cmp LICENSE "$prefix/share/licenses/lbp/LICENSE"
}
readable() { ! find "$prefix" ! -type l \( -type d ! -perm -755 -o ! -perm -644 \) | grep .; }
check 'make install' installed
check 'it is for everyone to read, whatever the umask' readable
check 'make install DESTDIR' "$MAKE" -s install PREFIX=/usr DESTDIR="$stage"
check 'DESTDIR is no part of what is installed' test -z "$(grep -rl "$stage" "$stage" 2>/dev/null)"

cat > "$work/consumer.c" <<'END'
#include <lbp.h>
#include <lbp_stats.h>
#include <stdio.h>
int main(void) {
  printf("%d.%d.%d %g\n", LBP_VERSION / 10000, LBP_VERSION / 100 % 100, LBP_VERSION % 100, lbp_normal_quantile(0.5));
  return 0;
}
END
if have pkg-config; then
  by_pkg_config() {
    flags=$(PKG_CONFIG_PATH="$prefix/share/pkgconfig" pkg-config --cflags --libs lbp) || return 1
    version=$(PKG_CONFIG_PATH="$prefix/share/pkgconfig" pkg-config --modversion lbp) || return 1
    # what it says is for a shell to read: the prefix has a blank
    eval "$CC '$work/consumer.c' -o '$work/consumer' $flags" &&
      [ "$("$work/consumer" | cut -d' ' -f1)" = "$version" ]
  }
  check 'a program built by pkg-config' by_pkg_config
  # of a prefix without one nothing is to be read; where compilers look anyway it says nothing
  plain() { # PREFIX
    PKG_CONFIG_PATH="$stage/usr/share/pkgconfig" pkg-config --define-variable=prefix="$1" --cflags lbp | sed 's/ *$//'
  }
  quoted() { [ "$(plain /opt/lbp)" = -I/opt/lbp/include ] && [ -z "$(plain /usr)" ]; }
  check 'pkg-config, a prefix without a blank' quoted
else
  skip 'pkg-config: not there'
fi
if have cmake; then
  version=$(sed -n 's/^Version: //p' "$prefix/share/pkgconfig/lbp.pc")
  mkdir -p "$work/project" && cp "$work/consumer.c" "$work/project"
  project() { # project VERSION: a project that asks for this version
    printf '%s\n' 'cmake_minimum_required(VERSION 3.5)' 'project(consumer C)' "find_package(lbp $1 REQUIRED)" \
      'add_executable(consumer consumer.c)' 'target_link_libraries(consumer lbp::lbp)' > "$work/project/CMakeLists.txt"
    rm -rf "$work/project/build"
    CC=$CC cmake -S "$work/project" -B "$work/project/build" -DCMAKE_PREFIX_PATH="$prefix" &&
      cmake --build "$work/project/build" && "$work/project/build/consumer"
  }
  refused() { ! project "$1"; }
  check "a project built by CMake, lbp $version" project "$version"
  check 'a project built by CMake, any lbp' project ''
  check 'CMake refuses lbp 77.0' refused 77.0
else
  skip 'CMake: not there'
fi

touch "$prefix/include/not_ours.h" "$prefix/share/cmake/not_ours"
uninstalled() {
  "$MAKE" -s uninstall PREFIX="$prefix" && "$MAKE" -s uninstall PREFIX=/usr DESTDIR="$stage" || return 1
  find "$prefix" "$stage" ! -type d
  [ "$(find "$prefix" "$stage" ! -type d | wc -l)" -eq 2 ] && [ ! -d "$prefix/share/cmake/lbp" ] && [ ! -d "$prefix/include/lbp" ] &&
    [ ! -d "$prefix/share/licenses/lbp" ]
}
check 'make uninstall removes exactly what was installed' uninstalled
end_group 'installation'

# ---- tags for editors ------------------------------------------------------------------------------------------------

# tags_of FILE: each tag's line is a definition, and no function of its instances, as compiled, lacks one
tags_of() {
  sh tests/tools/tags.sh "$1" > "$work/tags" || return 1
  while read -r name file line kind; do
    text=$(sed -n "${line%;*}p" "$file")
    short=${name#*_}
    case $kind:$text in
      t:'} '* | t:typedef*) ;;
      f:*"($short)("* | f:*"(${short#priv_})("* | f:*" $name("* | f:*"*$name("*) ;;
      *) echo "$name: $file:$line: $text" && return 1 ;;
    esac
  done < "$work/tags"
  $CC -O0 -fkeep-inline-functions -w -I. -Iexamples -c "$1" -o "$work/tags.o" || return 1
  for name in $(nm "$work/tags.o" | awk '$2 == "t" || $2 == "T" { print $3 }' | sed 's/\..*//' | sort -u); do
    grep -q "^[a-zA-Z].*[ *]$name(" "$1" || grep -q "^$name	" "$work/tags" || echo "$name has no tag"
  done > "$work/without"
  ! grep -v '^main \|^__' "$work/without"
}
if have nm; then
  for file in examples/ring.c examples/ising.c examples/lattice.c; do check "tags of $file" tags_of $file; done
  no_tags() { ! sh tests/tools/tags.sh && ! sh tests/tools/tags.sh "$work/nothing.c"; }
  check 'tags of no file' no_tags
  types() {
    sh tests/tools/tags.sh examples/ring.c > "$work/tags" || return 1
    for type in chain info real rng tuner; do grep "^ring_\(priv_\)\{0,1\}$type	.*;\"	t\$" "$work/tags" || return 1; done
  }
  check 'tags of types' types
else
  skip 'tags: no nm'
fi
end_group 'tags'

# ---- the map of the tests --------------------------------------------------------------------------------------------

# what it names is there, and every test, script and folder is on it
mapped() {
  grep -o '`[a-z_/]*\(/\|\.sh\|\.[ch]\|\.awk\|\.txt\)`' tests/README.md | tr -d '`' | sort -u > "$work/named"
  while read -r named; do [ -e "tests/$named" ] || { echo "not there: $named" && return 1; }; done < "$work/named"
  for entry in tests/test_*.c tests/*.sh tests/*/; do
    entry=${entry#tests/}
    grep -q "\`${entry%.c}\`" "$1" || { echo "not on the map: $entry" && return 1; }
  done
}
unmapped() { grep -v "\`$1\`" tests/README.md > "$work/less.md" && ! mapped "$work/less.md"; }
check 'tests/README.md has every test, script and folder' mapped tests/README.md
check 'a test that is not there is missed' unmapped test_urn
check 'a script that is not there is missed' unmapped resume.sh
check 'a folder that is not there is missed' unmapped cases/
end_group 'map of the tests'

# ---- names -----------------------------------------------------------------------------------------------------------

# at_home FILE...: names that begin with lbp_p_ are private to a file: none is in two of these
at_home() {
  for file in "$@"; do grep -ow 'lbp_p_[a-z0-9_]*' "$file" | sort -u; done | sort | uniq -d > "$work/abroad"
  ! grep . "$work/abroad"
}
abroad() { printf '/* lbp_p_mean */\n' > "$work/abroad.c" && ! at_home lbp_stats.h "$work/abroad.c"; }
check 'no name lbp_p_... crosses files' at_home $headers $(find bench examples -name '*.[ch]')
check 'one that does is found' abroad
# a prefix that users define parameters with is no other name's
parameters_only() {
  grep -ohE '\b(LBP_AB|LBP_PERM|LBP_RUN)_[A-Z0-9_]+\b' $headers | sort -u | while read -r name; do
    grep -qE "(ifn?def|defined) $name\b" $headers || ! echo "$name"
  done | grep . && return 1 || return 0
}
check 'what begins with LBP_AB_, LBP_PERM_ or LBP_RUN_ is a parameter' parameters_only
end_group 'names'

# ---- which header includes which ------------------------------------------------------------------------------------

# arrows FOLDER: an include of one header by another, a line each, as rooms: lbp/base, top and the like
arrows() {
  (cd "$1" && grep -H '^#include "' lbp*.h lbp/*/*.h) | sed 's/:#include "/ /; s/".*//' | while read -r from to; do
    case $from in */*) to=${from%/*}/$to ;; esac
    echo "$from $(echo "$to" | sed 's,[a-z]*/[a-z]*/\.\./\.\./,,; s,[a-z]*/\.\./,,g')"
  done | sort -u
}
# room HEADER: where in the order of the house it stands
room() {
  case $1 in
    lbp/base/*) echo 1 ;; lbp.h) echo 2 ;; lbp/options/*) echo 3 ;; lbp/run/*) echo 6 ;; lbp_run.h) echo 7 ;; lbp_bridge.h) echo 8 ;;
    *) echo 4 ;;
  esac
}
# no arrow leads up, but support.h's to lbp.h, and those of templates to what belongs to an instance
in_order() {
  arrows "$1" | while read -r from to; do
    case "$from $to" in
      lbp/base/support.h\ lbp.h | lbp.h\ lbp/options/* | lbp.h\ lbp/run/flip_kernel.h | \
      lbp_ab.h\ lbp/run/ab_kernel.h | lbp_perm.h\ lbp/run/perm_kernel.h | \
      *\ lbp/run/instance.h | lbp/models/potts_train.h\ lbp/run/chains.h) continue ;;
    esac
    [ "$(room "$from")" -ge "$(room "$to")" ] || echo "$from includes $to"
  done > "$work/upwards"
  cat "$work/upwards" && [ -n "$(arrows "$1")" ] && ! grep . "$work/upwards"
}
# and none leads round: leaves are taken away until nothing is left
no_circle() {
  arrows "$1" | grep -v 'support.h lbp.h$\|^lbp\.h lbp/\(options\|run\)\|^lbp_\(ab\|perm\)\.h lbp/run' > "$work/arrows"
  while [ -s "$work/arrows" ]; do
    cut -d' ' -f1 "$work/arrows" | sort -u > "$work/froms"
    awk 'NR == FNR { from[$1]; next } $2 in from' "$work/froms" "$work/arrows" > "$work/fewer"
    [ "$(wc -l < "$work/fewer")" -lt "$(wc -l < "$work/arrows")" ] || { cat "$work/fewer" && return 1; }
    mv "$work/fewer" "$work/arrows"
  done
}
check 'no header includes one of a higher floor' in_order .
check 'no circle of headers' no_circle .
turned() { # planted ones are found
  rm -rf "$work/turned" && mkdir "$work/turned" && cp -R lbp*.h lbp "$work/turned" && echo "#include \"$2\"" >> "$work/turned/$1" &&
    ! "$3" "$work/turned"
}
check 'a way up is found' turned lbp/base/numbers.h ../run/chains.h in_order
check 'a circle is found' turned lbp/run/want.h go.h no_circle
# what a driver is, the kernel does not know
knows_no_driver() { ! grep -nE 'lbp_(run|ais|anneal)(_kernel|_result)?\>' lbp/run/kernel.h | grep -v '^[0-9]*: \*\|/\*'; }
check 'lbp/run/kernel.h names no driver' knows_no_driver
end_group 'which header includes which'

# ---- who may include whom ----------------------------------------------------------------------------------------------

# self_contained FOLDER: nothing in it includes a file of bench/ or tests/; they may include from it
self_contained() {
  [ -n "$(find "$1" -name '*.[ch]')" ] &&
    ! grep -rnE '#[[:blank:]]*include[[:blank:]]*["<]([^">]*/)?(bench|tests)/|-I *[^ ]*(bench|tests)' "$1"
}
planted() {
  mkdir -p "$work/planted" && printf '%s\n' '#include <stdio.h>' "$1" > "$work/planted/example.h" || return 1
  ! self_contained "$work/planted"
}
check 'examples include nothing of bench/ or tests/' self_contained examples
check 'an example that includes of bench/ is found' planted '#include "../../bench/common/harness.h"'
check 'one that includes from above, too' planted '# include <bench/common/harness.h>'
check 'and one that asks for the folder' planted ' * cc -O3 -I../bench example.c'
check 'an example that includes of tests/ is found' planted '  #  include "../tests/test.h"'
end_group 'who may include whom'

# ---- the benchmark as a program: options, output, threads --------------------------------------------------------------

bench=${BENCH:-build/bench/bench}
tiny="--model bernoulli --chains 6 --steps 400"
# refuses TEXT ARGUMENT...: the benchmark $bench must fail and say TEXT
refuses() {
  text=$1
  shift
  "$bench" "$@" > "$work/out" 2>&1 && return 1
  cat "$work/out"
  grep -q -e "$text" "$work/out"
}
rows() { $bench $tiny --out "$work/bench" && [ "$(grep -c '^bernoulli,C2,N=800,' "$work/bench/table1.csv")" = 7 ]; }
# all columns but the times
figures() { "$bench" $tiny --sampler RWM-1,ALBP,Gibbs --threads "$1" --out "$work/bench$1" > /dev/null &&
  cut -d, -f 1-16,20 "$work/bench$1/table1.csv"; }
# an ESS below 20 is noise: no ESS/s in the CSV, from which the picture comes, nor in the table; Gibbs has more
noise() {
  "$bench" --model bernoulli --chains 6 --steps 4000 --sampler RWM-1,Gibbs --out "$work/noise" > "$work/out" || return 1
  grep -q '^RWM-1 .* -  *1\.0$' "$work/out" && grep -q '^Gibbs .* [0-9.]* *800\.0$' "$work/out" || return 1
  awk -F, '/^#/ { next } !head++ { for (k = 1; k <= NF; k++) at[$k] = k; next }
           ($at["ess"] < 20) != ($at["ess_per_second"] == "") { bad = 1 } { rows++; none += $at["ess_per_second"] == "" }
           END { exit bad || rows != 2 || none != 1 }' "$work/noise/table1.csv"
}
threads() { [ "$(figures 1)" = "$(figures 3)" ]; }
if [ -x "$bench" ]; then
  check 'a table of seven rows' rows
  check 'effective sample sizes that are noise have no rate' noise
  check 'the same figures for one and for three threads' threads
  check 'an unknown option' refuses 'there is no option --colour' --colour
  check 'an unknown model, and which there are' refuses 'possible are bernoulli ising fhmm rbm' --model ising,potts
  check 'an unknown sampler' refuses 'possible are RWM-1' --sampler NUTS
  check 'no value' refuses 'needs a value' --seed
  check 'no number' refuses 'whole number from 1 to 100000' --chains many
  check 'too few steps' refuses 'whole number from 40' --steps 3
  check 'data that are not there' refuses 'bernoulli_N800_C2.txt: cannot open' $tiny --out "$work/bench" --data "$work/none"
  check 'a folder that cannot be made' refuses 'cannot make the folder' $tiny --out "$work/none/bench"
else
  skip "the benchmark: $bench is not built"
fi
benches=$(dirname "$bench")
floor_rows() {
  "$benches/floor" --quick --model bernoulli --max-n 100 --out "$work/floor" &&
    [ "$(sed -n 2p "$work/floor/floor.csv")" = "$floor_columns" ] &&
    [ "$(grep -c '^bernoulli,.*,100,.*,,,$' "$work/floor/floor.csv")" = 2 ]
}
floor_columns=model,weight,N,R,acceptance,ns_per_flip,floor_ns,ratio,pace_ratio,pace_low,pace_high
# a pace car of 1000 ns a flip, if asked for an odd R and without huge pages, in a folder that no shell may take for words;
# there is none for sqrt(t)
floor_pace() {
  folder="$work/it's \$(false) a pace"
  mkdir -p "$folder" || return 1
  cat > "$folder/bern-portable" << 'END'
#!/bin/sh
[ "$1" = 100 ] && [ $(($2 % 2)) = 1 ] && [ "$NOHUGE" = 1 ] && echo "pace N=$1 ns/step=37000.0 ns/flip=1000.000 (min 1)"
END
  chmod +x "$folder/bern-portable"
  "$benches/floor" --quick --model bernoulli --max-n 100 --pace "$folder" --out "$work/pace" > "$work/out" 2>&1 || return 1
  grep -q 'bern-sqrt-portable prints no ns/flip=: left out' "$work/out" || return 1
  awk -F, '$2 == "t/(1+t)" { good = $4 % 2 == 1 && $9 > 0 && $10 <= $9 && $9 <= $11 && $9 * 1000 > $6 / 2 && $9 * 1000 < 2 * $6 }
           $2 == "sqrt(t)" { none = $9 == "" } END { exit !(good && none) }' "$work/pace/floor.csv"
}
# makes_pace TEXT FOLDER: what make bench-floor says of a folder of pace cars
makes_pace() {
  "$MAKE" -s bench-floor BUILD="${benches%/bench}" PACE="$2" ARGS="--quick --model bernoulli --max-n 100 --out $work/made" \
    > "$work/out" 2>&1
  status=$?
  grep -q "$1" "$work/out" && return $status
  cat "$work/out"
  return 9
}
no_pace() { makes_pace 'has no Makefile that builds' "$work/none"; [ $? = 2 ]; }
unbuilt_pace() {
  mkdir -p "$work/unbuilt" && printf '%s-portable: ; false\n' bern bern-sqrt ising ising-sqrt > "$work/unbuilt/Makefile" &&
    : > "$work/unbuilt/pace.c" && makes_pace 'cannot build for this processor' "$work/unbuilt" &&
    [ "$(sed -n 2p "$work/made/floor.csv")" = "$floor_columns" ]
}
no_valgrind() { [ "$(PATH=$work/none /bin/sh bench/speed/count.sh)" = 'bench-floor-count: there is no valgrind' ]; }
phases_rows() { # all phases; their sum is about a step
  "$benches/phases" --quick --model bernoulli --max-n 100 --out "$work/phases" &&
    [ "$(sed -n 2p "$work/phases/phases.csv")" = \
      model,N,R,candidates,keep,flips,lists,weights,sums,accept,settle,sum,step,ticks ] &&
    awk -F, 'NR == 3 { for (k = 4; k < 12; k++) sum += $k; near = sum / $12; cost = $12 / $13 }
      END { exit !(NR == 3 && near > 0.8 && near < 1.25 && cost > 0.5 && cost < 3 && $4 > 0) }' "$work/phases/phases.csv"
}
compare_rows() { # clusters where there is no field; what is finished is not run again
  for models in bernoulli-easy,ising-0.2,network ising-0.2,network; do
    "$benches/compare" --model $models --chains 2 --seconds 0.02 --out "$work/compare" &&
      grep '^ising\|^network' "$work/compare/compare.csv" > "$work/compare/$models" || return 1
  done
  cmp "$work/compare/"*,ising-0.2,network "$work/compare/ising-0.2,network" &&
    [ "$(grep -c '^ising-0.2,' "$work/compare/$models")" = 11 ] &&
    [ "$(grep -c '^network,' "$work/compare/$models")" = 9 ]
}
sharp_rows() { # what is finished is not computed again
  "$benches/sharp" --quick --only 'selection-15*' --out "$work/sharp" > /dev/null &&
    "$benches/sharp" --quick --only "product-30*" --out "$work/sharp" > /dev/null &&
    [ "$(grep -c "^selection-15-.81,.*,inclusion$" "$work/sharp/sharp.csv")" = 16 ] &&
    [ "$(grep -c '^product-30,.*,energy$' "$work/sharp/sharp.csv")" = 8 ] &&
    [ "$(grep '^selection-15-.81,Gibbs,rb,' "$work/sharp/sharp.csv" | cut -d, -f 8)" = 1 ]
}
clusters_rows() { # means of a small grid are those of all samplers; parts and whole swaps have one energy; a cell is kept
  for cells in 'ising-32*' 'replicas/2d-16/[wp]*[es]' 'ising-32/1'; do
    "$benches/clusters" --quick --threads 1 --only "$cells" --out "$work/clusters" > "$work/out" || return 1
  done
  grep -q '^1 cells, 1 of them finished before' "$work/out" && awk -F, '
    function near(x, error, y) { return x > y - 5 * error - 0.01 && x < y + 5 * error + 0.01 }
    /^ising-32,1024,/ { rows++; good += near($8, $9, 0.559) && $14 > 0 }
    /^2d-16,256,/ { rows++; good += near($4, $5, -1.42) && $17 > 0 }
    END { exit !(rows == 8 && good == 8) }' "$work/clusters/clusters.csv" "$work/clusters/replicas.csv"
}
paper_whole() { # R = N flips all sites: with p = 0.4, N = 5 and 6 that is accepted at these rates, by enumeration
  for n in 5 6; do
    "$benches/paper" --quick --only "epsilon/p=0.4/N=$n/*" --out "$work/paper" > "$work/out" || return 1
  done
  awk -F, 'function near(x, error, y) { return error > 0 && error < 0.02 && x > y - 4 * error && x < y + 4 * error }
    $2 == 5 { good += near($5, $6, 0.63488) } $2 == 6 { good += near($5, $6, 0.61233) }
    END { exit good != 2 }' "$work/paper/epsilon.csv"
}
whole_numbers() { # seconds, and nanoseconds of a step twice; options by name are looked at when it runs
  awk 'BEGIN { for (i = 0; i < 40; i++) print i, (i + 1) % 40, 0.1 }' > "$work/terms.txt"
  "$benches/whole" "$work/terms.txt" 2 100 100 0 > "$work/out" && awk 'NF != 3 || !($2 > 0 && $3 > 0) { bad = 1 }
    END { exit bad || NR != 1 }' "$work/out"
}
if [ -x "$benches/floor" ] && [ -x "$benches/phases" ] && [ -x "$benches/compare" ] && [ -x "$benches/sharp" ] &&
  [ -x "$benches/clusters" ] && [ -x "$benches/paper" ] && [ -x "$benches/whole" ]; then
  check 'floor: its table' floor_rows
  check 'floor: beside a pace car' floor_pace
  check 'make bench-floor: no folder of pace cars' no_pace
  check 'make bench-floor: pace cars that cannot be built' unbuilt_pace
  check 'make bench-floor-count: no valgrind' no_valgrind
  check 'phases: their sum is the step' phases_rows
  check 'compare: all samplers, resumably' compare_rows
  check 'sharp: all samplers, resumably' sharp_rows
  check 'clusters: all samplers and replicas, resumably' clusters_rows
  check 'paper: at R = N, the acceptance rates of enumeration' paper_whole
  check 'bridge: the C program beside Python' whole_numbers
  bench=$benches/floor
  check 'floor: an unknown model' refuses 'possible are bernoulli bernoulli-skewed ising fhmm' --model rbm
  check 'floor: too few sites' refuses 'whole number from 100' --max-n 7
  check 'floor: a folder that cannot be made' refuses 'cannot make the folder' --quick --out "$work/none/floor"
  check 'floor: pace cars that are not there' refuses 'No such file' --pace "$work/none"
  bench=$benches/phases
  check 'phases: no pace cars' refuses 'there is no option --pace' --pace "$work"
  bench=$benches/compare
  check 'compare: an unknown sampler' refuses 'possible are RWM-1' --sampler HMC
  check 'compare: no time' refuses 'from 0.01 to 1000' --seconds 0
else
  skip "floor, phases, compare, sharp, clusters, paper and whole are not built in $benches"
fi
end_group 'benchmarks'

# ---- the sum of a test run can fail ----------------------------------------------------------------------------------

# sums EXPECTED LINE...: sum.sh on a log of these lines must (0) or must not (1) succeed
sums() {
  expected=$1
  shift
  printf '%s\n' "$@" > "$work/test.log"
  sh tests/tools/sum.sh "$work/test.log"
  [ $? = "$expected" ]
}
check 'a pass is a pass' sums 0 '5 passed, 0 failed' 'exit status 0'
check 'a failed check' sums 1 '4 passed, 1 failed' 'exit status 1'
check 'a failed check and a wrong status' sums 1 '4 passed, 1 failed' 'exit status 0'
check 'a crash after the count' sums 1 '5 passed, 0 failed' 'exit status 139'
check 'a crash before it' sums 1 'exit status 139'
check 'no count' sums 1 'hello' 'exit status 0'
check 'nothing checked' sums 1 '0 passed, 0 failed' 'exit status 0'
check 'a log cut short' sums 1 '5 passed, 0 failed'
no_log() { ! sh tests/tools/sum.sh "$work/no such.log"; }
check 'no log' no_log
unplanted() {
  printf '%s\n' '5 passed, 0 failed' 'exit status 0' > "$work/test.log"
  ! sh tests/tools/sum.sh "$work/test.log" -- "$work/test.log"
}
check 'a planted failure that passes' unplanted
# warned STATUS FLAGS MESSAGE [EXAMPLE_FLAGS]: warnings.sh on a compilation with this message, of an example if its flags
# are given, by the compiler that tests are developed with
warned() {
  said=$work/${4+tested/examples/}test.said
  mkdir -p "$work/tested/examples" && echo "$3" > "$said"
  CC="echo gcc 12;:" FLAGS=$2 EXAMPLE_FLAGS=${4-} sh tests/tools/warnings.sh "$said"
  [ $? = "$1" ]
}
check 'a compilation with a warning' warned 1 -O2 'x.c:1:5: warning: it is unused [-Wunused]'
check 'one without' warned 0 -O2 ''
check 'one with other flags' warned 0 -O1 'x.c:1:5: warning: it is unused [-Wunused]'
check 'an example with a warning' warned 1 -O1 'x.c:1:5: warning: it is unused [-Wunused]' -O3
check 'an example with other flags' warned 0 -O2 'x.c:1:5: warning: it is unused [-Wunused]' -O2
no_compilation() { ! sh tests/tools/warnings.sh "$work/no such.said"; }
check 'no compilation' no_compilation
# a fuzzer whose programs end at once, and one whose programs do not run
cat > "$work/idle" <<'END'
#!/bin/sh
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\nexit %s\n' "${STATUS:-0}" > "$2" && chmod +x "$2"
END
chmod +x "$work/idle"
idle() { CC="$work/idle" FUZZER="$work/idle" BUILD="$work/fuzz" MINUTES=1 sh tests/fuzz/run.sh stats; }
ran_nothing() { ! idle > "$work/idle.out" && cat "$work/idle.out" && grep '^ran nothing: stats' "$work/idle.out"; }
runs_nowhere() { (STATUS=1 && export STATUS && idle) > "$work/idle.out" && grep '^no fuzzing: .* do not run' "$work/idle.out"; }
check 'a fuzz target that runs nothing' ran_nothing
check 'a fuzzer whose programs do not run' runs_nowhere
end_group 'the sum'

# ---- what the Makefile makes of compilers ----------------------------------------------------------------------------

# one that, as clang, takes flags that it does not know, unless -Werror is there. dsyevd is in a library of its own; what
# the environment's LACKS matches is not there. It warns, in German if it may.
cat > "$work/fake_cc" <<'END'
#!/bin/sh
case " $* " in *' -Werror '*' -fexpensive-optimizations '*) exit 1 ;; esac
for word in "$@"; do
  case $word in *.c) ;; *) continue ;; esac
  ! grep -q "${LACKS:-no such text}" "$word" || exit 1
  case " $* " in *' -llapack '*) ;; *) ! grep -q dsyevd "$word" || exit 1 ;; esac
done
case ${LC_ALL-} in C) echo 'x.c:1:1: warning: it is' ;; *) echo 'x.c:1:1: Warnung: es ist' ;; esac >&2
END
chmod +x "$work/fake_cc"
# by_fake ARGUMENT...: make with that compiler; shown NAME: a variable of the Makefile then
by_fake() {
  (unset MAKEFLAGS MFLAGS MAKELEVEL
   "$MAKE" -s BUILD="$work/fake" CC="$work/fake_cc" CXX="$work/fake_cc" LBP_MPI=0 LBP_CBLAS='' NATIVE='' "$@")
}
shown() {
  printf 'include Makefile\nshow:\n\t@echo "$(%s)"\n' "$1" > "$work/show.mk"
  by_fake -f "$work/show.mk" show 2> "$work/show.err" | tail -n 1
}
fuses() { [ "$(shown fusing)" = -O2 ]; }
check 'a flag that a compiler only warns about is not taken' fuses
lapack() {
  [ "$(shown LAPACK)" = -DLBP_LAPACK=1 ] && shown BLAS | grep ' -llapack ' &&
    by_fake -n bench-dense 2> "$work/show.err" | grep '^lbp: .*, CBLAS yes.*, LAPACK yes, OpenMP'
}
check 'a LAPACK in a library of its own is found' lapack
# skipped_test LACKS TEST: without what LACKS matches this test is counted as skipped, and no plain one runs in its place
skipped_test() {
  (export LACKS="$1" && by_fake "$work/fake/logs/$2.log") && tail -n 2 "$work/fake/logs/$2.log" | tr '\n' ' ' | grep '^0 passed, 0 failed, 1 skipped exit status 0 '
}
check 'without CBLAS its tests are skipped' skipped_test 'cblas\.h' test_models_double_cblas
check 'without AVX2 its tests are skipped' skipped_test __AVX2__ test_urn_avx2
in_english() {
  (export LC_ALL=de_DE.UTF-8 && by_fake "$work/fake/tests/test_rng") && grep 'warning: ' "$work/fake/tests/test_rng.said"
}
check 'compilers say in English what they warn about' in_english
clean() { # BUILD of the environment is somebody else's folder, which may have anything
  mkdir -p "$work/theirs" && : > "$work/theirs/kept" || return 1
  ! (unset MAKEFLAGS MFLAGS MAKELEVEL && BUILD=$work/theirs "$MAKE" -s clean) && [ -f "$work/theirs/kept" ] &&
    "$MAKE" -s clean BUILD="$work/theirs" && [ ! -d "$work/theirs" ]
}
check 'make clean removes no folder that the environment names' clean
end_group 'the Makefile'

# ---- other systems' tools ------------------------------------------------------------------------------------------

# What macOS lacks: options of GNU's tools in scripts; in Makefiles what GNU make 3.81, the last before version 3 of the
# GPL, has not. packaging/debian is Debian's alone, and this file has the patterns. Where it is there, GNUMAKE_381 makes
# what $MAKE does.
scripts() {
  if has_history; then git ls-files; else find . -type f | sed 's,^\./,,'; fi |
    grep -E '\.(sh|mk)$|(^|/)Makefile$|^\.ci/run$' |
    grep -vx 'packaging/debian/.*\|tests/hygiene\.sh\|build/.*'
}
gnu_only='readlink +-f|realpath|sed +(-[a-zA-Z]+ +)*-[a-zA-Z]*i( |$)|grep +-[a-zA-Z]*P|stat +-c|sort +-[a-zA-Z]*V|xargs +-[a-zA-Z]*r'
gnu_only="$gnu_only|find [^|]*-printf|mktemp +(-p|--)|cp +--|echo +-e|(^|[;&| ])tac |wc +-L|head +-n +-"
# \| and the like in basic regular expressions of sed; numbers of wc, which are padded there, compared as strings
gnu_only="$gnu_only|sed +(-[a-z]+ +)*(\"[^\"]*\"|'[^']*')*[\"'][^\"']*\\\\[|<>+?]|wc +-[lcw][^|)]*\\)+\" *!?= "
unguarded='(^|[^a-zA-Z_-])timeout +(-[a-z]|[0-9]|"?\$)'
late_make='^[A-Za-z_.]+ *(!=|::=|:::=)|\$[({](file|let|intcmp|guile) |^\.(ONESHELL|SHELLFLAGS|RECIPEPREFIX|EXTRA_PREREQS)'
late_make="$late_make|^(undefine|private|load) |^define +[A-Za-z_]+ *[:+?]?=|^[^ 	#].*[^&]&:( |\$)"
# lacking FILE...: shows the lines that such systems don't take
lacking() {
  for file in "$@"; do
    case $file in
      *Makefile | *.mk) grep -nE -e "$gnu_only" -e "$late_make" "$file" /dev/null ;;
      *) grep -nE -e "$gnu_only" "$file" /dev/null ;;
    esac
    grep -qE '(have|command -v) timeout' "$file" || grep -nE -e "$unguarded" "$file" /dev/null
  done | grep -vE ':[0-9]+:[ 	]*#' | grep .
}
portable() {
  scripts > "$work/scripts" && [ "$(wc -l < "$work/scripts")" -gt 40 ] || return 1
  # names of files, without blanks
  # shellcheck disable=SC2046
  ! lacking $(cat "$work/scripts")
}
finds() { # NAME LINE...: planted lines, all found
  file=$work/$1
  shift
  printf '%s\n' "$@" > "$file"
  [ "$(lacking "$file" | wc -l)" -eq $# ]
}
check 'scripts and Makefiles: nothing that macOS lacks' portable
check 'planted in a script' finds planted.sh 'x=$(readlink -f "$0")' "sed -i 's/a/b/' f" "sed -n -i 's/a/b/' f" \
  'grep -oP x f' 'stat -c %s f' 'sort -V f' 'mktemp -p d' 'echo -e x' 'find . -printf x' 'head -n -1 f' \
  "sed 's/a\\|b/c/' f" "sed -n \"s/\\<a\\>/b/p\" f" '[ "$(wc -l < f)" = 3 ]' 'timeout 300 sleep 1' 'x="timeout -s $y"'
check 'planted in a Makefile' finds planted.mk 'x != ls' 'x ::= y' '.ONESHELL:' 'undefine x' 'y := $(file <f)' \
  'z := $(let a,b,c)' 'define x =' 'a b &: c'
check 'an honest Makefile' finds honest.mk
# compilers may have two words, as CC='ccache gcc': no script puts them into quotes where it runs them
quoted='"\$(CC|CXX)" +["$-]|"\$\{(CC|CXX)%% \*\}" +[$-]'
two_words() {
  # shellcheck disable=SC2046
  scripts > "$work/scripts" && ! grep -nE -e "$quoted" tests/hygiene.sh $(cat "$work/scripts")
}
one_word() { printf '"$%s" -c x.c\n' CC > "$work/quoted.sh" && grep -E -e "$quoted" "$work/quoted.sh"; }
check 'CC and CXX may have two words' two_words
check 'a script that runs the first one is found' one_word
if [ -n "${GNUMAKE_381-}" ]; then
  same_commands() { # dry runs: the same commands, whatever the indentation, and no complaint
    "$MAKE" -n -j1 "$1" BUILD="$work/make" | sed "s,$MAKE,make,g; s/^[ 	]*//" | sort > "$work/commands" &&
      "$GNUMAKE_381" -n -j1 "$1" BUILD="$work/make" 2> "$work/complaints" |
      sed "s,$GNUMAKE_381,make,g; s/^[ 	]*//" | sort | diff "$work/commands" - && ! grep . "$work/complaints"
  }
  unset MAKEFLAGS MFLAGS MAKELEVEL
  for target in all test test-long ebm docs; do check "GNU make 3.81: make $target" same_commands $target; done
fi
end_group "other systems' tools"

total
