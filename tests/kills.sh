#!/bin/sh
# Does a run of lbp_run.h that is killed (kill -9), again and again, end with the draws of one that was left alone? Each time
# it goes on with another number of threads, or, where MPI is there, of processes. And is all that a run says the same over
# any number of processes? Prints a line per check, then the sum.
#
#   TOOL=build/tests/run_tool MPI_TOOL=build/tests/run_tool_mpi KILLS=50 OUT=build/kills sh tests/kills.sh
#
# Environment: TOOL, MPI_TOOL (tools/run_tool.c; MPI_TOOL may be empty), MPIRUN, KILLS (how many, at least), OUT (a
# folder), SEED (of the moments of the kills).
TOOL=${TOOL:-build/tests/run_tool} MPI_TOOL=${MPI_TOOL-} MPIRUN=${MPIRUN:-mpirun} KILLS=${KILLS:-12}
OUT=${OUT:-build/kills} SEED=${SEED:-1}
cd "$(dirname "$0")/.." || exit 2
mkdir -p "$OUT" || exit 2
work=$(cd "$OUT" && mktemp -d "$PWD/run-XXXXXX") || exit 2
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1
kills=0 warming=0 again=0 loud=1 limit=
command -v timeout > /dev/null 2>&1 && limit='timeout 300'
. tests/check.sh

# what a run said that failed
said() { ! cat "$work/err"; }

# random N: $drawn becomes a number below N
random() {
  SEED=$(((SEED * 1103515245 + 12345) % 2147483648))
  drawn=$((SEED / 65536 % $1))
}

mpi=0
if [ -n "$MPI_TOOL" ] && [ -x "$MPI_TOOL" ] && "$MPIRUN" -np 2 "$MPI_TOOL" draws=10 warmup=10 > /dev/null 2>&1; then
  mpi=1
else
  skip 'processes over MPI, which is not here'
fi

# one of KINDS: rungs, tuners, states, fewer chains than processes; any-scale samplers, with warm-ups that take as long as
# the draws
KINDS=12
options() {
  case $1 in
    0) echo 'states=2 draws=6000 marginals=2 all=1' ;;
    1) echo 'model=lattice warmup=30000 draws=12000 thin=1 states=2' ;;
    2) echo 'rungs=4 thin=4 draws=2000' ;;
    3) echo 'model=lattice shared=1 warmup=30000 draws=12000 thin=1 states=1' ;;
    4) echo 'chains=2 rungs=4 thin=4 draws=2000 marginals=2 all=1' ;;
    5) echo 'model=lattice sampler=dlp side=5 rungs=3 warmup=12000 draws=6000 marginals=1 all=1' ;;
    6) echo 'model=springs rungs=2 warmup=6000 draws=9000 thin=1 states=2 all=1' ;;
    7) echo 'chains=2 rungs=3 replicas=2 parts=1 thin=4 draws=2000 states=2 all=1' ;;
    8) echo 'model=half shared=1 warmup=4000 draws=4000 states=1 side=6' ;;
    9) echo 'model=lanes chains=70 warmup=20000 draws=300 thin=60 states=2' ;;
    10) echo 'model=lanes chains=6 together=12 rungs=4 warmup=20000 thin=10 draws=3000 all=1' ;;
    *) echo 'shared=1 warmup=4000 draws=4000 states=1 side=6' ;;
  esac
}

# launch WAY OPTION...: the tool, on WAY threads or, from the fourth way on, processes; its session is $!
launch() {
  way=$1
  shift
  if [ "$way" -lt 3 ]; then exec env OMP_NUM_THREADS=$((way + 1)) setsid "$TOOL" "$@"; fi
  exec setsid "$MPIRUN" -np $((way - 2)) "$MPI_TOOL" "$@"
}

# the rows of all files of draws
rows() { cat "$1"_[0-9]*.csv | grep -v '^# *[0-9A-Z].*seconds' | cksum; }
states() { cat "$1"_*_states.npy 2> /dev/null | cksum; }

# Whether a run was refused because the one before it, which is on its way out, still holds its locks: a process gives
# them back after its memory, and with that its command line, by which it would be found.
is_locked() { grep -q 'is being written by another run' "$1"; }

# same PROCESSES OPTION...: a run over so many has the draws, states and statistics of $work/whole. It shows what differs.
# A search by seconds that never ends is a failure, too. Where mpirun itself failed, before a run had begun, it is asked
# once more.
same() {
  over=$1 tries=0
  shift
  while :; do
    rm -f "$work"/part*
    $limit "$MPIRUN" -np "$over" "$MPI_TOOL" prefix="$work/part" all=1 "$@" > "$work/part.table" 2> "$work/said" && break
    status=$? tries=$((tries + 1))
    echo "mpirun ended with $status" && cat "$work/said"
    begun=$(ls "$work"/part[._][!t]* 2> /dev/null)
    is_locked "$work/said" && [ $tries -lt 9 ] && sleep 0.2 && continue
    if [ $tries -gt 1 ] || [ -n "$begun" ] || grep -q 'run_tool: \|on signal' "$work/said"; then return 1; fi
  done
  [ "$(rows "$work/whole")" = "$(rows "$work/part")" ] || { echo 'other draws' && return 1; }
  [ "$(states "$work/whole")" = "$(states "$work/part")" ] || { echo 'other states' && return 1; }
  diff "$work/whole.table" "$work/part.table"
}

# Units are dealt out in order: here chains begin and end within processes, and there are processes without any.
for given in 'marginals=1 draws=700' 'rungs=4 thin=4 draws=500 states=2 marginals=2' 'shared=1 rungs=3 chains=5 draws=400' \
  'chains=2 rungs=2 states=1' 'chains=2 rungs=3 replicas=2 parts=1 draws=300' 'chains=1 replicas=3 parts=1 draws=300' \
  'adapt_ends=1 chains=2 rungs=4 draws=300' \
  'model=half shared=1 chains=5 draws=400 states=2' 'model=half rungs=3 chains=2 draws=300 resample=1' \
  'model=lattice warmup=2000 draws=300 marginals=2 states=2' \
  'chains=37 draws=50 resample=0.8 side=6' 'model=lattice sampler=dlp chains=40 draws=50 resample=1' \
  'model=lattice shared=1 chains=5 warmup=2000 draws=300' 'sampler=lbp chains=2 draws=300' \
  'model=lattice sampler=dlp rungs=3 draws=300 states=1 marginals=2' \
  'model=lanes chains=150 draws=60 states=2' 'model=lanes together=12 rungs=4 chains=7 draws=300 marginals=1' \
  'rhat=1.2 ess=200 draws=3000' 'rhat=1.1 ess=300 rungs=3 chains=2 draws=3000 states=2' \
  'model=springs draws=300 states=2' 'model=springs rungs=3 chains=5 draws=300 states=1'; do
  [ $mpi = 1 ] || break
  "$TOOL" prefix="$work/whole" all=1 $given > "$work/whole.table" 2> "$work/err" || check "$given: one process" said
  for processes in 1 2 3 5; do
    # words, on purpose
    # shellcheck disable=SC2086
    check "$given: the same over $processes processes" same $processes $given
  done
  rm -f "$work"/part* "$work"/whole*
done

# told WAY AFTER OPTION...: told to end (SIGTERM) long before a checkpoint is due, a run saves what it has, and goes on from
# there. A run that ends before it is told so is repeated, four times as long.
told() {
  way=$1 after=$2 draws=20000
  shift 2
  while :; do
    "$TOOL" prefix="$work/whole" draws=$draws "$@" > "$work/whole.table" 2> "$work/err" || return 1
    launch "$way" prefix="$work/part" checkpoint="$work/part.ckpt" signals=1 draws=$draws "$@" > "$work/part.table" 2> "$work/log" &
    pid=$! here=0
    while [ ! -s "$work/part_1.csv" ] && [ $here -lt 600 ]; do sleep 0.05; here=$((here + 1)); done
    sleep 0.2
    kill -TERM $pid
    wait $pid
    [ -s "$work/part.ckpt" ] || { cat "$work/log" && return 1; }
    [ "$(rows "$work/whole")" = "$(rows "$work/part")" ] || break
    rm -f "$work"/part* "$work"/whole*
    draws=$((4 * draws))
    [ $draws -lt 2000000 ] || { echo 'it had ended before, each time' && return 1; }
  done
  rm -f "$work/part.table"
  launch "$after" prefix="$work/part" checkpoint="$work/part.ckpt" draws=$draws "$@" > "$work/part.table" 2> "$work/log" &
  wait $! || { cat "$work/log" && return 1; }
  [ "$(rows "$work/whole")" = "$(rows "$work/part")" ] && cmp "$work/whole.table" "$work/part.table"
}
# on one thread, two threads, two processes; then on two processes, one thread, three processes
for ways in '0 4' '1 0' '4 5'; do
  case $ways in *[45]*) [ $mpi = 1 ] || ways='0 1' ;; esac
  # words, on purpose
  # shellcheck disable=SC2086
  check "told to end, ways $ways: it goes on from there" told $ways side=12 warmup=2000 thin=4
  rm -f "$work"/part* "$work"/whole*
done

round=0
while [ $kills -lt "$KILLS" ] || [ $round -lt $KINDS ]; do
  given="$(options $((round % KINDS))) seed=$((round + 1)) every=0"
  "$TOOL" prefix="$work/whole" $given > "$work/whole.table" 2> "$work/err" || check "round $round: a run left alone" said
  here=0 locked=0
  while :; do
    random $((3 + 4 * mpi))
    way=$drawn
    launch "$way" prefix="$work/part" checkpoint="$work/part.ckpt" $given > "$work/part.table" 2> "$work/log" &
    pid=$!
    random 300
    wait_ms=$((20 + drawn + 10 * here)) # longer and longer: a busy machine gets on, too
    case $way in
      [012]) ;;
      *) wait_ms=$((wait_ms + 400 + 600 * (drawn % 2))) ;; # starting takes a while
    esac
    sleep $((wait_ms / 1000)).$(printf '%03d' $((wait_ms % 1000)))
    kill -9 $pid 2> /dev/null
    wait $pid 2> /dev/null
    status=$?
    while left=$(pgrep -s $pid -f "prefix=$work/part"); do # those that mpirun had started, too
      # shellcheck disable=SC2086
      kill -9 $left 2> /dev/null
      sleep 0.02
    done
    if [ $status = 1 ] && is_locked "$work/log" && [ $locked -lt 50 ]; then
      locked=$((locked + 1))
      sleep 0.2
      continue
    fi
    [ $status -ge 128 ] || break
    kills=$((kills + 1)) here=$((here + 1))
    [ ! -f "$work/part.ckpt" ] || { grep -qs '^[-0-9]' "$work/part_1.csv" || warming=$((warming + 1)); }
    if [ $here -gt 300 ]; then break; fi
  done
  good=0
  if [ $status = 0 ] && [ "$(rows "$work/whole")" = "$(rows "$work/part")" ] &&
    [ "$(states "$work/whole")" = "$(states "$work/part")" ] && cmp -s "$work/whole.table" "$work/part.table"; then
    good=1
  else
    sed 5q "$work/log"
  fi
  [ $good = 0 ] || rm -f "$work"/part* "$work"/whole*
  again=$((again + 1))
  if [ $good = 1 ] && [ $here = 0 ] && [ $again -lt 20 ]; then continue; fi # it was done before it could be killed
  check "$given: the same draws and statistics after $here kills" [ $((good && here > 0)) = 1 ]
  round=$((round + 1)) again=0
  if [ $failed -gt 0 ]; then break; fi # what is left shows why
done
[ $failed -gt 0 ] || check 'a warm-up went on from a checkpoint' [ $warming -gt 0 ]
echo "$kills kills, after $warming of which the warm-up went on from a checkpoint"
if [ $failed -eq 0 ]; then rm -rf "$work"; rmdir "$OUT" 2> /dev/null; else echo "what was left is in $work"; fi
total
