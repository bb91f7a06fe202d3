#!/bin/sh
# Windows: compiled with MinGW-w64 and run under Wine. Headers without a warning in C and C++; the same draws; files,
# locks and names; runs that are killed and resumed, also one that began on this system; the bridge as a DLL. The same
# draws, files and locks by clang in MSVC's dialect, with MinGW's headers and C library: MSVC itself is not tried.
# Environment: WIN_CC, WIN_CXX, CLANG, WINE (commands), CC, LEVEL, BUILD (a folder).
WIN_CC=${WIN_CC:-x86_64-w64-mingw32-gcc} WIN_CXX=${WIN_CXX:-x86_64-w64-mingw32-g++} CLANG=${CLANG:-clang}
WINE=${WINE:-wine} CC=${CC:-cc}
LEVEL=${LEVEL--O0} BUILD=${BUILD:-build/windows}
cd "$(dirname "$0")/.." || exit 2
mkdir -p "$BUILD" || exit 2
# in memory where that can be: checkpoints are synced to the disk that they are on
if [ -w /dev/shm ]; then work=$(mktemp -d /dev/shm/lbp-windows-XXXXXX); else work=$(cd "$BUILD" && mktemp -d "$PWD/run-XXXXXX"); fi
[ -d "$work" ] || exit 2
root=$PWD
trap 'rm -rf "$work"' EXIT
. tests/check.sh

if ! have "$WIN_CC" || ! have "$WIN_CXX"; then
  skip "Windows: there is no $WIN_CC (Debian: gcc-mingw-w64-x86-64, g++-mingw-w64-x86-64)"
  total
  exit
fi

# ---- headers ---------------------------------------------------------------------------------------------------------

strict='-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Wundef -Wdouble-promotion -Werror'
printf '#include "%s"\n' lbp_run.h lbp_stats.h lbp_models.h lbp/models/factors.h lbp/models/qubo.h > "$work/all.c"
# windows.h first, as whoever has windows has it
{ echo '#include <windows.h>'; cat "$work/all.c"; } > "$work/windows_first.c"
cp examples/bridge/field.c "$work/bridge.c"
for file in all windows_first bridge; do
  # its global names, as `byte`, may be names of ours in functions
  case $file in windows_first) shadow=-Wno-shadow ;; *) shadow= ;; esac
  # words, on purpose
  # shellcheck disable=SC2086
  check "$file.c in C99" "$WIN_CC" -std=c99 $strict $shadow -I. -fsyntax-only "$work/$file.c"
  # shellcheck disable=SC2086
  check "$file.c in C++11" "$WIN_CXX" -x c++ -std=c++11 $strict $shadow -I. -fsyntax-only "$work/$file.c"
done

# what users begin with: examples with runs or files
for file in $(grep -lE '"(lbp_run|inputs|pgm|cut|csv)[.]h"' examples/*.c); do
  check "$file compiles" "$WIN_CC" -Wall -Wextra -Wno-unknown-pragmas -Werror -I. -fsyntax-only "$file"
done

# MSVC's dialect: no __GNUC__, here no 128-bit numbers either
mingw=$(echo '#include <windows.h>' | "$WIN_CC" -E - | sed -n 's/^# 1 "\(.*\)\/windows[.]h".*/\1/p' | sed 1q)
msvc() {
  "$CLANG" --target=x86_64-pc-windows-msvc -U__SIZEOF_INT128__ -include tests/tools/msvc.h -isystem "$mingw" -I. "$@"
}
dialect() {
  printf '%s\n' '#if defined __GNUC__ || !defined _MSC_VER || defined __SIZEOF_INT128__' '#error' '#endif' \
    > "$work/dialect.c"
  msvc -fsyntax-only "$work/dialect.c"
}
has_msvc=0
if have "$CLANG" && echo 'int i;' | "$CLANG" --target=x86_64-pc-windows-msvc -x c -fsyntax-only - 2> /dev/null; then
  has_msvc=1
  check "clang in MSVC's dialect" dialect
  for language in '-std=c99' '-std=c11 -mavx2' '-std=c17 -march=skylake-avx512' '-x c++ -std=c++14'; do
    for file in all windows_first bridge; do
      case $file in windows_first) shadow=-Wno-shadow ;; *) shadow= ;; esac
      # words, on purpose
      # shellcheck disable=SC2086
      check "$file.c in MSVC's dialect, $language" msvc $language $strict $shadow -fsyntax-only "$work/$file.c"
    done
  done
else
  skip "Windows: there is no $CLANG with MSVC's dialect"
fi

if ! have "$WINE"; then
  skip "Windows: there is no $WINE to run programs"
  total
  exit
fi

# ---- programs --------------------------------------------------------------------------------------------------------

mkdir -p "$BUILD/wine"
WINEPREFIX=$(cd "$BUILD/wine" && pwd)
export WINEPREFIX WINEDEBUG=-all LC_ALL=C.UTF-8
unset DISPLAY
trap 'wineserver -k 2> /dev/null; rm -rf "$work"' EXIT
"$WINE" cmd /c ver > /dev/null 2>&1 # makes the folders that it needs

# The program under Wine, with the ends of lines as they are here.
wine_run() { WINE=$WINE sh "$root/tests/tools/wine.sh" "$@" 2> "$work/err"; }

# built NAME SOURCE [FLAG...]: NAME.exe, which needs no library but Windows's own
built() {
  program=$work/$1.exe source=$2
  shift 2
  # shellcheck disable=SC2086
  "$WIN_CC" $LEVEL -Wall -Wextra -Werror -I. "$@" -static -o "$program" "$source" -lm
}

# counts NAME FOLDER [ARGUMENT...]: runs NAME.exe in a folder; the checks that it counts
counts() {
  program=$work/$1.exe
  cd "$2" || return
  shift 2
  add wine_run "$program" "$@"
  cd "$root" || exit 2
}

mkdir "$work/here"
for test in test_known test_known_runs test_platform test_bridge; do
  check "$test is compiled" built $test tests/$test.c -DAPI_QUICK
done
counts test_known "$work/here" "$root/tests/known.txt"
counts test_known_runs "$work/here" "$root/tests/known.txt"
counts test_bridge "$work/here"
# also beyond the old limit of 260 characters
long=$work/$(printf '%0120d' 1)/$(printf '%0200d' 2)
mkdir -p "$long"
counts test_platform "$work/here" "$long"
# in C++, and in MSVC's dialect
as_cxx() { "$WIN_CXX" -x c++ -std=c++11 "$LEVEL" -w -I. -DAPI_QUICK -static -o "$work/$1_cxx.exe" "tests/$1.c"; }
# MinGW has the same function for large stacks by another name
as_msvc() {
  msvc "$LEVEL" -Wall -Wextra -Werror -DAPI_QUICK -c -o "$work/$1.obj" "tests/$1.c" &&
    "$WIN_CC" -static -Wl,--defsym,__chkstk=___chkstk_ms -o "$work/$1_msvc.exe" "$work/$1.obj"
}
for test in test_known test_platform; do
  case $test in test_platform) argument=$long ;; *) argument=$root/tests/known.txt ;; esac
  check "$test is compiled as C++" as_cxx $test
  counts ${test}_cxx "$work/here" "$argument"
  [ $has_msvc = 1 ] || continue
  check "$test is compiled in MSVC's dialect" as_msvc $test
  counts ${test}_msvc "$work/here" "$argument"
done
if [ $has_msvc = 1 ]; then
  check "test_known_runs is compiled in MSVC's dialect" as_msvc test_known_runs
  counts test_known_runs_msvc "$work/here" "$root/tests/known.txt"
fi
(cd "$work/here" && "$WINE" "$work/test_platform.exe" leave 2> /dev/null)
check 'a name in UTF-8 is that name' [ -f "$work/here/ü 日本 x" ]

# ---- runs that are killed --------------------------------------------------------------------------------------------

check 'run_tool is compiled' built run_tool tests/tools/run_tool.c
check 'run_tool is compiled for this system' $CC "$LEVEL" -o "$work/run_tool" tests/tools/run_tool.c -lm
mkdir "$work/two words"
cd "$work/two words" || exit 2
options='states=2 draws=16000 marginals=2 side=10 rungs=2 every=0.1'

# same A B: the same files of draws, but for how long it took
same() {
  for chain in 1 2 3 4; do
    sed '/^# .* seconds /d' "$1_$chain.csv" > "$work/left"
    sed '/^# .* seconds /d' "$2_$chain.csv" > "$work/right"
    [ -s "$work/left" ] && cmp "$work/left" "$work/right" && cmp "$1_${chain}_states.npy" "$2_${chain}_states.npy" || return 1
  done
}

# shellcheck disable=SC2086
"$work/run_tool" prefix=whole $options > whole.txt 2> /dev/null

# await FILE: until it is there
await() {
  waited=0
  while [ ! -f "$1" ] && [ $waited -lt 300 ]; do sleep 0.1; waited=$((waited + 1)); done
}

# killed PROGRAM...: begins a run, or goes on with it, and kills it while it runs and has a checkpoint
killed() {
  # shellcheck disable=SC2086
  "$@" 'prefix=a run' 'checkpoint=a run.ckpt' $options > part.txt 2> err.txt &
  process=$!
  await 'a run.lock'
  await 'a run.ckpt'
  # meanwhile another one may not write the same files
  # shellcheck disable=SC2086
  [ -z "${second-}" ] || "$WINE" "$work/run_tool.exe" 'prefix=a run' $options > second.txt 2> second.err
  sleep 0.3
  kill -9 "$process" 2> /dev/null
  wait "$process" 2> /dev/null
  killed=$?
  rm -f 'a run.lock' # so that the next one is awaited
  [ $killed = 137 ] # it had not ended
}

check 'a run of this system is killed' killed "$work/run_tool"
second=1
check 'goes on on Windows, is killed' killed "$WINE" "$work/run_tool.exe"
second=
check 'meanwhile a second one is refused' grep -q 'a run is being written by another run (process [1-9]' second.err
check 'and killed again' killed "$WINE" "$work/run_tool.exe"
# shellcheck disable=SC2086
wine_run "$work/run_tool.exe" 'prefix=a run' 'checkpoint=a run.ckpt' $options > part.txt
check 'and ends' [ $? = 0 ]
check 'with the draws of one that was left alone on this system' same whole 'a run'
check 'and the same results' cmp whole.txt part.txt
check 'no lock is left' [ ! -e 'a run.lock' ]
cd "$root" || exit 2

# ---- two files of a program, which have one list of locks ------------------------------------------------------------

printf '#include "lbp_run.h"\nconst void *other(void);\nconst void *other(void) { return &lbp_p_run_claims_2; }\n' > "$work/one.c"
printf '#include "lbp_run.h"\nconst void *other(void);\nint main(void) { return other() != &lbp_p_run_claims_2; }\n' > "$work/two.c"
check 'two files are linked' built two "$work/two.c" "$work/one.c"
check 'and have one list' wine_run "$work/two.exe"

# ---- the bridge as a DLL ---------------------------------------------------------------------------------------------

cat > "$work/call.c" <<'END'
#include <stdint.h>
#include <stdio.h>
#include <windows.h>
int main(int argc, char **argv) {
  HMODULE library = LoadLibraryA(argv[argc - 1]);
  uint32_t (*abi)(void) = library ? (uint32_t (*)(void))(void (*)(void))GetProcAddress(library, "lbp_bridge_abi") : NULL;
  if (abi) printf("abi %lu\n", (unsigned long)abi());
  return !abi;
}
END
check 'the bridge is a DLL' "$WIN_CC" -O1 -Wall -Wextra -Werror -I. -shared examples/bridge/field.c -o "$work/field.dll" -lm
check 'a program that loads it' built call "$work/call.c"
check 'it is loaded' wine_run "$work/call.exe" "$work/field.dll"

total
