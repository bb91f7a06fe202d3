#!/bin/sh
# Headers as wholes (make single): each compiles where there is nothing else, examples draw the same with them as with the
# folder. Environment: CC, CXX (empty: none), LEVEL, MAKE, BUILD.
CC=${CC:-cc} CXX=${CXX-c++} LEVEL=${LEVEL:--O1} MAKE=${MAKE:-make} BUILD=${BUILD:-build/single_test}
cd "$(dirname "$0")/.." || exit 2
rm -rf "$BUILD" && mkdir -p "$BUILD" || exit 2
work=$(cd "$BUILD" && pwd)
unset BUILD MAKEFLAGS MFLAGS MAKELEVEL
. tests/check.sh

check 'make single' "$MAKE" -s single BUILD="$work"
single=$work/single
check 'the licence is next to them' cmp LICENSE "$single/LICENSE"
# copyright HEADER: its first page says whose it is, as LICENSE does, and ends a line with the licence's name
copyright() { sed '/\*\/$/q' "$1" | grep -x " \* $(sed -n '/^Copyright/p' LICENSE)\. SPDX-License-Identifier: MIT"; }
no_copyright() { sed 's/ 2026 / 2025 /' lbp.h > "$work/another.h" && ! copyright "$work/another.h"; }
for header in lbp*.h; do check "$header says whose it is" copyright "$single/$header"; done
check 'one that says something else is found' no_copyright

# alone HEADER: in a folder of its own, in C and C++, behind an instance's parameters or not
alone() {
  mkdir -p "$work/alone/$1" && cp "$single/$1" "$work/alone/$1" || return 1
  case $1 in lbp_run.h|lbp_bridge.h) cp "$single/lbp_ab.h" "$single/lbp_perm.h" "$work/alone/$1" ;; esac
  printf '#include "%s"\n#include "%s"\nint main(void) { return 0; }\n' "$1" "$1" > "$work/alone.c"
  $CC -Wall -Wextra -Werror -D_POSIX_C_SOURCE=200809L -std=c99 -I"$work/alone/$1" -fsyntax-only "$work/alone.c" &&
    { [ -z "$CXX" ] || $CXX -std=c++11 -x c++ -I"$work/alone/$1" -fsyntax-only "$work/alone.c"; }
}
for header in lbp*.h; do check "$header alone" alone "$header"; done
together() { # in one file, as one brings what another does
  { printf '#include "%s"\n' "$@" && echo 'int main(void) { return 0; }'; } > "$work/together.c" &&
    $CC -D_POSIX_C_SOURCE=200809L -std=c99 -I"$single" -fsyntax-only "$work/together.c"
}
check 'all together' together lbp*.h
check 'all together, the other way' together $(ls lbp*.h | sort -r)

# the sizes that they may have
short() { [ "$(wc -l < "$single/$1")" -le "$2" ] || { wc -l "$single/$1" && return 1; }; }
check 'lbp.h is no longer than 11,700 lines' short lbp.h 11700
check 'lbp_run.h is no longer than 22,950 lines' short lbp_run.h 22950
# draws are the same without AVX-512, so that no other test would tell
vectors() {
  echo '#include "lbp.h"' > "$work/vectors.c"
  $CC -march=skylake-avx512 -E -dM -I"$1" "$work/vectors.c" | grep -x '#define LBP_AVX512 1'
}
if echo 'int i;' | $CC -march=skylake-avx512 -x c -S -o "$work/probe" - > /dev/null 2>&1; then
  check 'AVX-512 is used where it is there' vectors "$single"
else
  skip 'AVX-512: this compiler has none'
fi

# same EXAMPLE: built with either, it prints the same
same() {
  mkdir -p "$work/wholes" && sed '/^#include/s,"\(\.\./\)*\(lbp[a-z_]*\.h\),"\2,' "examples/$1.c" > "$work/wholes/$1.c" &&
    $CC $LEVEL -w -I. -o "$work/folder_$1" "examples/$1.c" -lm &&
    $CC $LEVEL -w -I"$single" -Iexamples -o "$work/wholes_$1" "$work/wholes/$1.c" -lm || return 1
  # what takes its time says it
  for kind in folder wholes; do
    "$work/${kind}_$1" | sed 's/[0-9.]* *seconds//g; s/[0-9.]* *s\([^a-z]\)/\1/g; s/[0-9.]* *s$//' > "$work/$kind.out" ||
      return 1
  done
  [ -s "$work/folder.out" ] && diff "$work/folder.out" "$work/wholes.out"
}
for example in ring terms check ising maxcut linkage; do check "the same draws: $example" same "$example"; done

total
