#!/bin/sh
# Processes over MPI, in a minute: small runs of tools/processes.c say the same over any number of processes, some of which
# have no chains; and go on where a step was given up in one of them. More of it: kills.sh.
# Environment: TOOL, MPI_TOOL (tools/processes.c; MPI_TOOL may be empty), MPIRUN, OUT (a folder).
TOOL=${TOOL:-build/tests/processes} MPI_TOOL=${MPI_TOOL-} MPIRUN=${MPIRUN:-mpirun} OUT=${OUT:-build/processes}
cd "$(dirname "$0")/.." || exit 2
mkdir -p "$OUT" || exit 2
work=$OUT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1
limit=
command -v timeout > /dev/null 2>&1 && limit='timeout 120'
. tests/check.sh

# over PROCESSES KIND OPTION...: the result's line, of a run over so many
# shellcheck disable=SC2086
over() { processes=$1 && shift && $limit "$MPIRUN" -np "$processes" "$MPI_TOOL" "$@" 2> "$work/said"; }
same() { # PROCESSES KIND: as over one
  "$TOOL" "$2" 200 2> "$work/said" > "$work/one" && over "$1" "$2" 200 > "$work/several" || { cat "$work/said" && return 1; }
  diff "$work/one" "$work/several"
}
# goes_on PROCESSES KIND: from a checkpoint of half of it
goes_on() {
  rm -f "$work/half.ckpt"
  over "$1" "$2" 100 "$work/half.ckpt" > "$work/half" || { cat "$work/said" && return 1; }
  over "$1" "$2" 200 "$work/half.ckpt" > "$work/several" || { cat "$work/said" && return 1; }
  "$TOOL" "$2" 200 2> "$work/said" | diff - "$work/several"
}
# given_up PROCESSES SECONDS: a step is longer than the run; nothing of it is counted twice
given_up() {
  rm -f "$work/long.ckpt"
  over "$1" step 200 "$work/long.ckpt" "$2" 700 > "$work/half" || { cat "$work/said" && return 1; }
  grep 'ended 2' "$work/said" || { echo 'its time was not over' && return 1; }
  over "$1" step 200 "$work/long.ckpt" > "$work/several" || { cat "$work/said" && return 1; }
  "$TOOL" step 200 2> "$work/said" | diff - "$work/several"
}

if [ -z "$MPI_TOOL" ] || ! "$MPIRUN" -np 2 "$MPI_TOOL" step 10 > "$work/said" 2>&1; then
  skip 'processes over MPI, which is not here'
else
  for processes in 2 3 5 10; do
    for kind in step apart lanes; do
      check "$kind over $processes processes" same $processes $kind
      check "$kind over $processes processes, from a checkpoint" goes_on $processes $kind
    done
  done
  for processes in 2 3 4; do
    for seconds in 0.6 3; do check "a step is given up, $processes processes, $seconds s" given_up $processes $seconds; done
  done
fi
total
