#!/bin/sh
# Every program of bench/ compiles, without warnings, with what this machine has: most run for far too long to be tests,
# and a name of the library that one of them alone uses may change. Prints the sum. 20 s of CPU time.
# Environment: CC, MAKE, BUILD (a folder for scratch files), and what make takes.
set -u
CC=${CC:-cc} MAKE=${MAKE:-make} BUILD=${BUILD:-build/benches}
cd "$(dirname "$0")/.." || exit 2
rm -rf "$BUILD" && mkdir -p "$BUILD/bench" || exit 2
work=$(cd "$BUILD" && pwd)
. tests/check.sh

level='-fsyntax-only -Werror -Wno-unused-command-line-argument'
printf '#if !defined __GNUC__ || defined __TINYC__\n#error "no"\n#endif\nint main(void) { return 0; }\n' > "$work/probe.c"
# shellcheck disable=SC2086 # words
if ! (cd "$work" && $CC $level probe.c) > /dev/null 2>&1; then
  skip "the programs of bench/: they need gcc or clang"
  total
  exit
fi
: > "$work/bench/builds_exact.o" # a rule names this object, and what only reads programs writes none

# compile PROGRAM...: what make says of them is in said
compile() {
  for program in "$@"; do echo "$BUILD/bench/$program"; done |
    xargs "$MAKE" --no-print-directory -k -s BUILD="$BUILD" CFLAGS="$level" CC="$CC" > "$work/said" 2>&1
}

# right PROGRAM: make had no error with it
right() {
  grep -F "/bench/$1] " "$work/said" || return 0
  grep -F ' error: ' "$work/said"
  return 1
}

programs=$(ls bench/*/*.c bench/*/*/*.c | sed 's:.*/::; s/\.c$//')
# shellcheck disable=SC2086 # words
compile $programs
status=$?
for program in $programs; do check "$program compiles" right "$program"; done
check 'and make finds nothing else wrong' [ $status = 0 ]

found() { ! compile theory && ! right theory; }
level="$level -include $work/none.h"
check 'a program that does not compile is found' found
total
