#!/bin/sh
# Plants the bugs of mutants.txt in lbp.h, one at a time, and expects the exactness tests to catch each.
# Usage: tests/mutants.sh, from anywhere; CC as usual.
set -u
cd "$(dirname "$0")/.." || exit 1
cc=${CC:-cc}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/tests"
cp tests/*.h tests/test_exact.c "$dir/tests"
build() { $cc -std=c99 -O1 -DEXACT_QUICK -DEXACT_TRIALS=20000u -o "$dir/test" "$dir/tests/test_exact.c" -lm; }
passed=0 failed=0
say() { # result name
  printf '  %-38s %s\n' "$2" "$1"
  case $1 in caught|passes) passed=$((passed + 1)) ;; *) failed=$((failed + 1)) ;; esac
}

cp lbp.h "$dir/lbp.h"
if build && "$dir/test" >"$dir/out"; then say passes "(no bug)"; else say "FAILS" "(no bug)"; fi

grep -v '^#' tests/mutants.txt >"$dir/list"
while IFS= read -r line; do
  name=$(printf '%s\n' "$line" | cut -c1-38 | sed 's/ *$//')
  program=$(printf '%s\n' "$line" | cut -c39-)
  sed "$program" lbp.h >"$dir/lbp.h" || exit 1
  if cmp -s lbp.h "$dir/lbp.h"; then say "CHANGES NOTHING" "$name"; continue; fi
  if ! build 2>"$dir/errors"; then say "DOES NOT COMPILE" "$name"; cat "$dir/errors"; continue; fi
  if timeout 120 "$dir/test" >"$dir/out" 2>&1; then say "SURVIVES" "$name"; else say caught "$name"; fi
done <"$dir/list"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
