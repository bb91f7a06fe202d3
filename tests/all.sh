#!/bin/sh
# The tests on every compiler, language, optimisation level and kind of machine that is here, in their quick form: a
# table, and "N passed, N failed, N skipped". Not the full product of all these, but each value of each meets each
# compiler. Other machines are QEMU's user mode, Windows is Wine. Run by `make test-all`; from anywhere:
# tests/all.sh [TEST...] (default: all).
#
# Environment: JOBS (at once; default: one a core), ROWS (a pattern: only rows that match, as `^gcc|c99|-O0` or, below
# the table, `make test-lint`; the others stay as they are), BUILD (a folder, default build), OUT (where the table goes,
# default bench/results/portability.md, of some tests $BUILD/all/part.md, with no other rows), MAKE. Resumable: what has
# finished with the same sources and compilers is not run again.
set -u
cd "$(dirname "$0")/.." || exit 2
JOBS=${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)} BUILD=${BUILD:-build} MAKE=${MAKE:-make}
all=$BUILD/all
mkdir -p "$all" || exit 2
part=1 some=$#
[ $some = 0 ] && [ -z "${ROWS:-}" ] && part=0
if [ $some = 0 ]; then OUT=${OUT:-bench/results/portability.md}; else OUT=${OUT:-$all/part.md}; fi

# ---- what is run -----------------------------------------------------------------------------------------------------

# compiler | standard | flags | how slow its tests are; a "c++" standard takes the tests as C++. What -idirafter adds is
# for Debian's 32-bit headers, which lack asm/ where a cross compiler is installed. 32-bit PowerPC is not here: its C
# library has an instruction (mffscrni) that QEMU 7.2 lacks.
rows="
gcc | c99 | -O0 | 2
gcc | c11 | -O2 | 1
gcc | gnu17 | -O3 -march=native | 1
gcc | gnu17 | -O3 -march=native -DLBP_VECTOR=0 | 1
gcc | c99 | -Ofast | 1
gcc | c99 | -O2 -m32 -idirafter /usr/include/x86_64-linux-gnu | 2
gcc | gnu17 | -O3 -m32 -idirafter /usr/include/x86_64-linux-gnu | 2
gcc | c11 | -O3 -m32 -msse2 -mfpmath=sse -idirafter /usr/include/x86_64-linux-gnu | 1
gcc | c99 | -O0 -m32 -msse2 -mfpmath=sse -idirafter /usr/include/x86_64-linux-gnu | 2
g++ | c++11 | -O2 | 1
g++ | c++17 | -O0 | 2
g++ | gnu++17 | -O3 -march=native | 1
clang | c99 | -O3 | 1
clang | c11 | -O0 | 2
clang | gnu17 | -O2 -march=native | 1
clang | c99 | -Ofast | 1
clang | c11 | -O2 -m32 -idirafter /usr/include/x86_64-linux-gnu | 1
clang++ | c++11 | -O0 | 2
clang++ | c++17 | -O3 | 1
tcc | c99 | | 3
musl-gcc | c11 | -O2 -static | 1
musl-gcc | c99 | -O0 -static | 2
aarch64-linux-gnu-gcc | gnu17 | -O3 -static | 8
aarch64-linux-gnu-gcc | c99 | -O2 -static | 8
arm-linux-gnueabihf-gcc | c11 | -O2 -static | 8
riscv64-linux-gnu-gcc | gnu17 | -O2 -static | 8
s390x-linux-gnu-gcc | gnu17 | -O2 -static | 8
powerpc64-linux-gnu-gcc | c99 | -O2 -static | 8
x86_64-w64-mingw32-gcc | c11 | -O1 -static | 3
x86_64-w64-mingw32-g++ | c++17 | -O0 -static | 3
"
quick='-DAPI_QUICK -DEXACT_TRIALS=2000u'
slow=' -DEXACT_QUICK' # too, where tests are slower than 2: fewer instances in test_exact.c
portable='test_known test_urn test_exact test_flip_list test_switches' # all that a row with LBP_VECTOR=0 is asked for
posix='test_bench test_sdp' # with more than POSIX; all others are C99, some with POSIX
c_only='test_bench test_clusters' # all others are C++11, too
posix_only='test_bench test_sdp test_run_faults test_run_locks test_run_wide'
wine_not='test_run_promises test_run_stops' # thousands of runs, each with files; a clock of its own
double='test_models test_models_ab' # once more with -DLBP_MODELS_REAL=double
# of the Makefile, one after another behind all rows; those that it has, and not for a part
targets='test-lint test-thread embedded'

tests=${*:-$(cd tests && ls test_*.c | sed 's/\.c$//')}
for test in $double; do
  case " $(echo $tests) " in *" $test "*) tests="$tests ${test}_double" ;; esac
done
tests="$tests planted"

# The tests that a row is asked for, those of $tests.
asked() { # flags
  for test in $tests; do
    case "$1 $portable " in
      *LBP_VECTOR=0*" $test "*) echo "$test" ;;
      *LBP_VECTOR=0*) ;;
      *) echo "$test" ;;
    esac
  done
}

# Why this row leaves out a test, if so. tcc 0.9.27 leaves long doubles on the stack of the x87, and
# loses the arguments of a function that takes any number of them and returns a struct. With -Ofast there are
# no NaN and no infinities, and there as in registers of the x87, which gnu17 rounds when it likes, no two runs of one
# formula need be alike: what test_ab and test_ab_adaptive ask in many places.
exempt() { # compiler standard flags test
  case $1-$4 in tcc-test_models_ab* | tcc-test_sdp) echo 'miscompiled'; return ;; esac
  case "$1 $2 $3 $4" in
    *" -Ofast "* | "gcc gnu17 -O3 -m32 -idir"* | "clang c11 -O2 -m32 -idir"*)
      case $4 in test_ab | test_ab_adaptive) echo 'about the same bits'; return ;; esac ;;
  esac
  case $1 in
    *-w64-mingw32-*)
      case " $posix_only " in *" $4 "*) echo 'POSIX only'; return ;; esac
      case " $wine_not " in *" $4 "*) echo 'too slow under Wine'; return ;; esac ;;
  esac
  case $2 in *++*) case " $c_only " in *" $4 "*) echo 'C only' ;; esac ;; esac
}

# ---- what is here ----------------------------------------------------------------------------------------------------

have() { command -v "$1" > /dev/null 2>&1; }

# What runs the compiler's programs: nothing for this machine's own.
emulator() {
  case $1 in
    *-linux-gnu*-gcc) echo "qemu-$(echo "${1%%-*}" | sed 's/^powerpc/ppc/')" ;;
    *-w64-mingw32-*) echo 'sh tests/tools/wine.sh' ;;
  esac
}
# The program that this needs.
needed() {
  case $1 in
    *wine.sh) echo "${WINE:-wine}" ;;
    *) echo "$1" ;;
  esac
}
# How its compiler calls a program.
program_of() { # compiler path
  case $1 in
    *-w64-mingw32-*) echo "$2.exe" ;;
    *) echo "$2" ;;
  esac
}

version() { "$1" -dumpfullversion -dumpversion 2> /dev/null | sed 1q; }

# Prints what kind of machine a program sees, and whether arithmetic is IEEE 754's, operation by operation: only then
# the same draws are promised.
cat > "$all/probe.c" <<'END'
#include <float.h>
#include <stdio.h>
int main(void) {
  const short one = 1;
  const char *arithmetic = "exact";
#ifdef FLT_EVAL_METHOD
  if (FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16) arithmetic = "wide"; /* 16: of half precision only */
#endif
#ifdef __FAST_MATH__
  arithmetic = "fast";
#endif
  printf("%d-bit %s-endian\n%s\n", (int)(8 * sizeof(void *)), *(const char *)&one ? "little" : "big", arithmetic);
  return 0;
}
END

# with_row FUNCTION: calls it for each row, with its fields in $compiler, $standard, $flags, $cost, the whole command in
# $compile, what runs programs in $run, the row's folder in $row
with_row() {
  echo "$rows" | sed '/^$/d; s/ *| */|/g' > "$all/rows"
  while IFS='|' read -r compiler standard flags cost <&8; do
    row=$work/$(echo "$compiler-$(version "$compiler")-$standard-$flags" | sed 's/-idirafter [^ ]*//' |
      tr -cs 'A-Za-z0-9+.\n' -)
    run=$(emulator "$compiler")
    compile="$compiler -std=$standard $flags -I."
    case $standard in *++*) compile="$compile -x c++" ;; esac
    "$1"
  done 8< "$all/rows"
}

# whether the row is one of those to run
wanted() { echo "$compiler|$standard|$flags|$cost" | grep -qe "${ROWS:-.}"; }

# done_file ROW TEST: what is there once the test has run with these sources
done_file() { echo "$1/$2-$(sed -n "s/^$2 //p" "$all/keys").done"; }

# A row that can be run has a file "machine"; the list of jobs gets a line for each of its tests.
prepare() {
  wanted || return
  mkdir -p "$row"
  find "$row" -name '*.claim' -exec rmdir {} +
  if ! have "$compiler" || { [ -n "$run" ] && ! have "$(needed "$run")"; }; then return; fi
  probe=$(program_of "$compiler" "$row/probe")
  $compile -o "$probe" "$all/probe.c" > "$row/probe.log" 2>&1 || return
  $run "$probe" > "$row/machine" || rm -f "$row/machine"
  [ -f "$row/machine" ] || return
  for test in $(asked "$flags"); do
    [ -z "$(exempt "$compiler" "$standard" "$flags" "$test")" ] || continue
    extra=$quick
    if [ "$cost" -gt 2 ]; then extra="$extra$slow"; fi
    case " $posix " in *" $test "*) extra="$extra -D_GNU_SOURCE" ;; esac
    case $test in *_double) extra="$extra -DLBP_MODELS_REAL=double" ;; esac
    echo "$row|$test|$compile -w $extra|$run|$cost" >> "$all/jobs"
  done
}

# ---- running ---------------------------------------------------------------------------------------------------------

limit=
have timeout && limit='timeout 1800'

# Where a test is.
source_of() { ls "tests/${1%_double}.c" "tests/mutants/$1.c" 2> /dev/null; }

# Builds and runs one test; its log ends like those of `make test`, and tools/sum.sh counts it. A planted failure is
# passed when it is found.
one() { # row test compile run
  log=$1/$2.log program=$(program_of "$3" "$1/$2")
  if ! $3 -o "$program" "$(source_of "$2")" -lm > "$log" 2>&1; then
    echo 'exit status 1' >> "$log"
  else
    $limit $4 "$program" >> "$log" 2>&1
    echo "exit status $?" >> "$log"
  fi
  rm -f "$program"
  case $2 in planted) before=-- ;; *) before= ;; esac
  sh tests/tools/sum.sh $before "$log" > "$1/$2.sum"
  sed -n '$s/[^0-9]\{1,\}/ /gp' "$1/$2.sum" > "$1/$2.tmp"
  mv "$1/$2.tmp" "$(done_file "$1" "$2")"
}

# Time left, from the cost of what this run has done and of what is left to do.
left() {
  awk -F '|' -v seconds=$(($(date +%s) - begin)) '
    FILENAME == ARGV[1] { cost[$1 "/" $2] = $5; left += $5; next }
    { left -= cost[$0]; done += cost[$0] }
    END { printf "%d min left", done ? seconds / done * left / 60 + 1 : 0 }' "$all/todo" "$all/finished"
}

worker() {
  while IFS='|' read -r row test compile run cost <&9; do
    mkdir "$row/$test.claim" 2> /dev/null || continue
    one "$row" "$test" "$compile" "$run"
    echo "$row/$test" >> "$all/finished"
    sum=$(tail -n 1 "$row/$test.sum")
    echo "[$(wc -l < "$all/finished") of $(wc -l < "$all/todo"), $(left)] ${row##*/} $test: $sum"
    case $sum in *', 0 failed'*) ;; *) grep -e FAILED -e error "$row/$test.log" | sed 5q ;; esac
  done 9< "$all/todo"
}

# ---- the table -------------------------------------------------------------------------------------------------------

passed=0 failed=0 skipped=0
add() { # passed failed skipped
  passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + ${3:-0}))
}

# A line of the table that was there before, by what it begins with: compiler, standard and flags, or a target.
before() { # compiler [standard flags]
  [ $some = 0 ] && [ -f "$OUT" ] && awk -F ' [|] ' -v name="| $1" -v standard="${2:-}" -v flags="${3:-}" '
    $1 == name && (standard == "" || $3 == standard && $4 == flags) { print; there = 1 }
    END { exit !there }' "$OUT"
}

# The sums of a row's tests, and what became of test_known: the same draws as everywhere?
summarise() {
  shown=$(echo "$flags" | sed 's/ *-idirafter [^ ]*//; s/^$/(none)/')
  if ! wanted; then
    before "$compiler" "$standard" "$shown"
    return
  fi
  if [ ! -f "$row/machine" ]; then
    before "$compiler" "$standard" "$shown" || echo "| $compiler | - | $standard | $shown | not here | | | 1 | | |"
    add 0 0 1
    return
  fi
  p=0 f=0 s=0 bad= known=-
  for test in $(asked "$flags"); do
    why=$(exempt "$compiler" "$standard" "$flags" "$test")
    if [ -n "$why" ]; then
      s=$((s + 1)) bad="$bad, $test is $why"
      continue
    fi
    set -- $(cat "$(done_file "$row" "$test")" 2> /dev/null || echo 0 1 0)
    if [ "$test" = test_known ]; then
      if [ "$2" = 0 ]; then known=yes; else known=no; fi
      arithmetic=$(sed -n 2p "$row/machine")
      if [ "$arithmetic" != exact ]; then
        known="excepted, $arithmetic"
      fi
    fi
    if [ "$2" != 0 ]; then bad="$bad, $test fails"; fi
    p=$((p + $1)) f=$((f + $2)) s=$((s + ${3:-0}))
  done
  add $p $f $s
  machine="$("$compiler" -dumpmachine 2> /dev/null | cut -d- -f1) $(sed 1q "$row/machine")${run:+, emulated}"
  s="$s${bad:+ (${bad#, })}"
  echo "| $compiler | $(version "$compiler") | $standard | $shown | $machine | $p | $f | $s | $known | $made |"
}

# A target of the Makefile, where it has it; counted by its last line.
target() {
  grep -q "^$1[ :]" Makefile || return
  "$MAKE" --no-print-directory "$1" > "$all/$1.log" 2>&1
  status=$?
  set -- "$1" $(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed\(, \([0-9]*\) skipped\)*$/\1 \2 \4/p' "$all/$1.log" |
    tail -n 1)
  if [ $# -lt 3 ]; then set -- "$1" 0 1; fi
  if [ $status != 0 ] && [ "$3" = 0 ]; then set -- "$1" "$2" 1 "${4:-0}"; fi
  echo "| \`make $1\` | $2 | $3 | ${4:-0} | $made |"
  add "$2" "$3" "${4:-0}"
}

work=$all/done
mkdir -p "$work"
if have "${WINE:-wine}"; then
  mkdir -p "$all/wine"
  WINEPREFIX=$(cd "$all/wine" && pwd)
  export WINEPREFIX
  trap 'wineserver -k 2> /dev/null' EXIT
fi
for test in $tests; do # what a test is made of, in short
  sources=$(${CC:-cc} -MM -I. -D_GNU_SOURCE "$(source_of "$test")" | sed 's/^[^:]*://; s/\\$//')
  if grep -q 'tests/known\.txt' "$(source_of "$test")"; then sources="$sources tests/known.txt"; fi
  # shellcheck disable=SC2086
  echo "$test $( (cat $sources; echo "$quick$slow") | cksum | tr ' ' -)"
done > "$all/keys"
: > "$all/jobs"
: > "$all/finished"
with_row prepare
while IFS='|' read -r row test rest; do
  [ -f "$(done_file "$row" "$test")" ] || echo "$row|$test|$rest"
done < "$all/jobs" > "$all/todo"
begin=$(date +%s)
worker_number=0
while [ $worker_number -lt "$JOBS" ]; do
  worker &
  worker_number=$((worker_number + 1))
done
wait

made=$(sh bench/common/made.sh | sed 's/^lbp \([^;]*\);.*/\1/')
{
  echo '# The tests on many compilers and machines'
  echo
  echo "Written by \`make test-all\`, at last of $(sh bench/common/made.sh | sed 's/; /; on /')."
  echo
  echo "Tests in their quick form; \"emulated\" is QEMU's user mode, or Wine. \"Same draws\" is test_known.c: whether trajectories"
  echo 'are bit for bit those of `tests/known.txt`; excepted where intermediate results have more digits than their type'
  echo '("wide") or the compiler may reorder arithmetic ("fast"): there it is about sums alone. "Of": version and commit.'
  echo
  echo '| compiler | version | standard | flags | machine | passed | failed | skipped | same draws | of |'
  echo '|---|---|---|---|---|---:|---:|---:|---|---|'
  with_row summarise
  if [ $some = 0 ]; then
    echo
    echo '| target | passed | failed | skipped | of |'
    echo '|---|---:|---:|---:|---|'
    for name in $targets; do
      if echo "make $name" | grep -qe "${ROWS:-.}"; then target "$name"; else before "\`make $name\`"; fi
    done
  fi
} > "$all/table.md"
mv "$all/table.md" "$OUT"
cat "$OUT"
echo
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ] && [ $((passed + part * skipped)) -gt 0 ] # of a part nothing need be here
