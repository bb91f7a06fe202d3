#!/bin/sh
# All planted bugs, list by list: a line for each, what was not caught, and the sum. Resumable: a list whose sources are
# as they were is not run again; what it said is in BUILD/LIST.log. From anywhere: tests/mutants/all.sh [LIST...].
#
# Environment: JOBS (lists at once; default: one a core), BUILD (a folder, default build/mutants), CC.
set -u
cd "$(dirname "$0")/../.." || exit 2
BUILD=${BUILD:-build/mutants} JOBS=${JOBS:-$(getconf _NPROCESSORS_ONLN 2> /dev/null || echo 1)} CC=${CC:-cc}
export BUILD CC
mkdir -p "$BUILD" || exit 2
command -v timeout > /dev/null || exec sh tests/mutants/mutants.sh # says that it is needed

# key LIST: what it is made of, in short: the list, its test with all that this includes, and how they are built
key() {
  rows=$(grep -E "^ *plant .* $1 [a-z_]+\.c " tests/mutants/mutants.sh) || return 1
  test=$(echo "$rows" | sed -n "1s/.* $1 \([a-z_]*\.c\) .*/\1/p")
  sources=$($CC -MM -I. -D_GNU_SOURCE "tests/$test" | sed 's/^[^:]*://; s/\\$//') || return 1
  # shellcheck disable=SC2086 # they are words
  { $CC --version; echo "$rows"; cat "tests/mutants/$1.txt" $sources; } | cksum | tr ' ' -
}

# one LIST: runs it, unless that was done
one() {
  name=$(key "$1") || { echo "$1: nothing plants it: see tests/mutants/mutants.sh"; return; }
  if [ ! -f "$BUILD/$1-$name.done" ]; then
    rm -f "$BUILD/$1"-*.done
    OTHERS=0 sh tests/mutants/mutants.sh "$1" > "$BUILD/$1.log" 2>&1
    # one that was stopped has no sum, and is run again
    ! tail -n 1 "$BUILD/$1.log" | grep -q '^[0-9]* passed, [0-9]* failed$' || : > "$BUILD/$1-$name.done"
  fi
  echo "$1: $(tail -n 1 "$BUILD/$1.log")"
  sed '$d' "$BUILD/$1.log" | grep -vE ' (caught|hangs|passes)$'
}

if [ "${1-}" = --one ]; then
  one "$2"
  exit 0
fi
# shellcheck disable=SC2046 # names of lists are words
[ $# -gt 0 ] || set -- $(ls tests/mutants/*.txt | sed 's:.*/::; s/\.txt$//')
printf '%s\n' "$@" | xargs -P "$JOBS" -n 1 sh tests/mutants/all.sh --one |
  awk -v of=$# '
    { print; fflush() }
    /^[a-z_]+: [0-9]+ passed, [0-9]+ failed$/ { done++; passed += $2; failed += $4; printf "[%d of %d lists]\n", done, of; fflush() }
    END {
      failed += of - done
      print passed + 0 " passed, " failed + 0 " failed"
      exit failed > 0
    }'
