#!/bin/sh
# Plants bugs in copies of the headers, one at a time, and expects the tests to catch each: those of exact.txt in lbp.h
# and ab.txt in lbp_ab.h; with the argument `all`, which takes hours, those of all other lists, too, each with the test
# that its line below names. A list has a bug a line: its name, in 38 columns, and a sed program. One that changes
# nothing is an error, so no list can rot.
# Usage: tests/mutants/mutants.sh [all], from anywhere; CC as usual. Compiling is what takes the time, so nothing is
# optimised, and the tests stop at their first failure.
set -u
cd "$(dirname "$0")/../.." || exit 1
cc=${CC:-cc}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/tests"
cp -r examples "$dir"
cp lbp*.h "$dir"
cp -r tests/*.[ch] tests/cases tests/exact "$dir/tests"
passed=0 failed=0
say() { # result name
  printf '  %-38s %s\n' "$2" "$1"
  case $1 in caught|passes) passed=$((passed + 1)) ;; *) failed=$((failed + 1)) ;; esac
}

plant() { # 'headers' list test 'arguments of the test' flags; a bug is planted into whichever header it fits
  headers=$1 list=$2 test=$3 arguments=$4
  shift 4
  build() { $cc -std=c99 -O0 -DTEST_STOP "$@" -o "$dir/test" "$dir/tests/$test" -lm; }
  result=FAILS
  if build "$@" && "$dir/test" $arguments >"$dir/out"; then result=passes; fi
  say "$result" "(${headers%% *}, no bug)"
  grep -v '^#' "$list" >"$dir/list"
  while IFS= read -r line; do
    name=$(printf '%s\n' "$line" | cut -c1-38 | sed 's/ *$//')
    program=$(printf '%s\n' "$line" | cut -c39-)
    changed=0
    for header in $headers; do
      sed "$program" "$header" >"$dir/$header" || exit 1
      cmp -s "$header" "$dir/$header" || changed=1
    done
    if [ $changed = 0 ]; then say "CHANGES NOTHING" "$name"; continue; fi
    if ! build "$@" 2>"$dir/errors"; then say "DOES NOT COMPILE" "$name"; cat "$dir/errors"; continue; fi
    timeout 3600 "$dir/test" $arguments >"$dir/out" 2>&1
    case $? in 0) say SURVIVES "$name" ;; 124) say HANGS "$name" ;; *) say caught "$name" ;; esac
  done <"$dir/list"
  for header in $headers; do cp "$header" "$dir/$header"; done
}

runs='lbp_run.h lbp_run_files.h lbp_ais.h lbp_chains.h lbp_kernel.h'

plant lbp.h tests/mutants/exact.txt test_exact.c '' -DEXACT_QUICK -DEXACT_TRIALS=20000u
plant lbp_ab.h tests/mutants/ab.txt test_ab.c '' -DAB_TRIALS=5000
if [ "${1:-}" = all ]; then
  plant lbp_ab.h tests/mutants/ab_adaptive.txt test_ab_adaptive.c '' -DAPI_QUICK
  plant lbp_linear.h tests/mutants/linear.txt test_ab_adaptive.c '' -DAPI_QUICK
  plant 'lbp.h lbp_many.h lbp_tempered.h' tests/mutants/steps.txt test_steps.c '' -DAPI_QUICK
  plant 'lbp.h lbp_many.h' tests/mutants/laws.txt test_laws.c 'small rbm product fhmm strip torus' -O1 -DEXACT_LENGTH=4
  plant lbp.h tests/mutants/laws_long.txt test_laws.c 'rbm product' -O1 -DEXACT_LENGTH=16
  plant lbp_ab.h tests/mutants/laws_ab.txt test_laws.c 'spins lattice' -O1 -DEXACT_LENGTH=4
  plant lbp.h tests/mutants/tails.txt test_tails.c '' -DAPI_QUICK
  plant lbp_ab.h tests/mutants/tails_ab.txt test_tails.c '' -DAPI_QUICK
  plant 'lbp.h lbp_numbers.h' tests/mutants/api.txt test_api.c '' -DAPI_QUICK
  plant lbp.h tests/mutants/urn.txt test_urn.c '' -DAPI_QUICK
  plant 'lbp.h lbp_fields.h' tests/mutants/check.txt test_check.c '' -DAPI_QUICK
  plant 'lbp.h lbp_checked.h lbp_many.h' tests/mutants/checked.txt test_checked.c ''
  plant "$runs" tests/mutants/run.txt test_run.c '' -D_POSIX_C_SOURCE=200809L -DAPI_QUICK
  plant "$runs" tests/mutants/clock.txt test_run_clock.c '' -O1 -fopenmp
  plant "$runs" tests/mutants/promises.txt test_run_promises.c '' -O1
  plant "$runs" tests/mutants/run_laws.txt test_run_laws.c '' -D_POSIX_C_SOURCE=200809L -O1
  plant "$runs lbp_ab_kernel.h lbp_ab.h" tests/mutants/run_ab.txt test_run_ab.c '' -D_POSIX_C_SOURCE=200809L -O1
  plant "$runs" tests/mutants/kernel.txt test_kernel.c '' -D_POSIX_C_SOURCE=200809L -O1
  plant "$runs" tests/mutants/faults.txt test_run_faults.c '' -D_POSIX_C_SOURCE=200809L -O1
  plant "$runs" tests/mutants/chains.txt test_chains.c '' -D_POSIX_C_SOURCE=200809L -O1 -fopenmp
  for file in net.h model.h walk.h train.h store.h data.h; do
    grep "^$file " tests/mutants/ebm.txt | cut -c9- > "$dir/ebm"
    plant examples/ebm/$file "$dir/ebm" ebm.c '' -O2
  done
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
