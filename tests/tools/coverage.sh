#!/bin/sh
# How much of the headers the tests run: builds every test program with counters, runs it, and merges what gcov counted
# over all programs and all instances of the templates. A line counts if any instance runs it. A branch's outcome counts
# if any instance takes it; of instances that are not run there are none, and instances on whose line there are other
# branches, since constants decide some, are told apart. Prints what is never reached, then a table. Which headers may
# have less than others, and why, and which program exercises which switch, is in coverage.txt. (Without threads: gcov
# has no counts of loops that OpenMP takes out of their function.)
#
# Environment: CC, GCOV, MAKE, BUILD (a directory of its own), FLAGS (for the compiler), MPI (if it is there), JOBS (at
# once; default: one a core); PROGRAMS and ONLY: these programs, and the headers that must be reached by them (an ERE),
# in minutes. The last line is the sum of the checks: that the tests pass, how much of each header is reached, every
# switch.

CC=${CC:-cc} GCOV=${GCOV:-gcov} MAKE=${MAKE:-make} BUILD=${BUILD:-build/coverage} FLAGS=${FLAGS:---coverage}
JOBS=${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)} PROGRAMS=${PROGRAMS-} ONLY=${ONLY-}
cd "$(dirname "$0")/../.." || exit 2
rm -rf "$BUILD/counts" && mkdir -p "$BUILD/counts" || exit 2

read_counters() { $GCOV --json-format --branch-probabilities --stdout "$1"; }

# whether this compiler counts and this gcov can read it
counts() {
  cd "$BUILD/counts" || return 1
  echo 'int main(void) { return 0; }' > counts.c
  $CC --coverage -o counts counts.c && ./counts && read_counters ./*.gcda | grep -q '"line_number": *1\>'
}
if ! (counts) > "$BUILD/counts.log" 2>&1; then
  echo "coverage: $CC and $GCOV do not count lines together (both must be of the same GCC, 9 or later)"
  echo '0 passed, 0 failed, 1 skipped'
  exit 0
fi

rm -f "$BUILD"/tests/*.gcda
passed=0 failed=0
if "$MAKE" -j"$JOBS" test-programs BUILD="$BUILD" TEST_CFLAGS="$FLAGS" LBP_OPENMP=0 less= ${PROGRAMS:+TESTS="$PROGRAMS" LONG_TESTS=}
then
  passed=1
else
  failed=1
fi

# the bridge's other templates
for kind in $([ -n "$ONLY" ] || echo 1 2 3 4 5); do
  program=$BUILD/tests/test_bridge_$kind
  # shellcheck disable=SC2086
  if $CC $FLAGS -w -D_POSIX_C_SOURCE=200809L -DKIND=$kind -pthread -o "$program" tests/test_bridge.c -lm && "$program" > /dev/null; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
done

# what processes do for each other
if [ -n "${MPI:-}" ] && [ -z "$ONLY" ] && "$MAKE" "$BUILD/tests/run_tool_mpi" BUILD="$BUILD" TEST_CFLAGS="$FLAGS"; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
  out=$BUILD/counts/run
  for options in 'states=2 marginals=1' 'rungs=3 chains=3' 'shared=1 warmup=100' 'chains=20 resample=1 all=1' \
    'rungs=4 chains=1 all=1' 'sampler=lbp chains=1 all=1' 'model=half chains=7 resample=1 all=1' 'model=lattice sampler=dlp'; do
    for draws in 300 600; do # the second one goes on from the checkpoint of the first
      # shellcheck disable=SC2086
      ${MPIRUN:-mpirun} -np 2 "$BUILD/tests/run_tool_mpi" $options draws=$draws prefix="$out" checkpoint="$out.ckpt" \
        > "$out.log" 2>&1 || { failed=$((failed + 1)); cat "$out.log"; }
    done
    rm -f "$out.ckpt"
  done
elif [ -z "$ONLY" ]; then
  echo 'without MPI: what processes do for each other is not counted'
fi

for counters in "$BUILD"/tests/*.gcda; do
  name=$(basename "$counters" .gcda)
  echo "{\"program\": \"${name%%-*}\"}"
  case $name in test_known_native* | test_known_default*) continue ;; esac # optimised, so that lines are not told apart
  read_counters "$counters"
done 2> "$BUILD/gcov.log" | awk -v passed=$passed -v failed=$failed -v only="$ONLY" -f tests/tools/coverage.awk
