#!/bin/sh
# How a run scales over threads and processes: sh bench/run/scaling.sh TOOL MPI_TOOL FOLDER, where TOOL and MPI_TOOL are
# tests/tools/run_tool.c without and with MPI (MPI_TOOL may be empty). Prints a section in Markdown. Rows take turns, so
# that all meet the same load of the machine; of each the fastest of ROUNDS counts. Environment: MPIRUN, ROUNDS [3].
tool=$1 mpi_tool=$2 folder=$3 MPIRUN=${MPIRUN:-mpirun} ROUNDS=${ROUNDS:-3}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1
export OMP_WAIT_POLICY=passive
mkdir -p "$folder" || exit 2
cores=$(getconf _NPROCESSORS_ONLN 2> /dev/null || echo '?')

chains='chains=16 side=64 draws=1000 thin=20 warmup=1000' # 16 chains without anything in common
replicas='chains=1 rungs=16 side=64 draws=150 thin=20 warmup=150' # 16 replicas, which swap after each draw
# row CASE WAY COUNT COMMAND...: seconds of a run
row() {
  case=$1 way=$2 count=$3
  shift 3
  # words, on purpose
  # shellcheck disable=SC2046
  seconds=$("$@" $(eval "echo \$$case") prefix="$folder/scale" time=1 | sed -n 's/^seconds //p')
  sum=$(cat "$folder"/scale_*.csv | grep -v '^#' | cksum | tr ' ' -)
  rm -f "$folder"/scale_*.csv
  echo "$case $way $count ${seconds:-failed} $sum"
}
round=0
while [ $round -lt "$ROUNDS" ]; do
  for case in chains replicas; do
    for count in 1 2 4; do
      row $case thread $count env OMP_NUM_THREADS=$count "$tool"
      [ -z "$mpi_tool" ] || row $case process $count env OMP_NUM_THREADS=1 "$MPIRUN" -np $count "$mpi_tool"
    done
  done
  round=$((round + 1))
done > "$folder/scaling.txt"

cat << END
## Threads and processes

An Ising grid of 64 x 64 sites, draws of 20 ALBP steps each: 16 chains without anything in common, or one chain of 16
replicas, which swap. Wall time of warm-up and sampling, without starting processes; rounds: $ROUNDS, the fastest counts; this
machine has $cores cores.

| | chains: seconds | against one thread | replicas: seconds | against one thread |
|---|---:|---:|---:|---:|
END
awk '{ key = $2 " " $3
    if (!(key in seen)) order[++rows] = key
    seen[key] = 1
    if ($4 == "failed") bad = 1
    if (!(($1, key) in best) || $4 + 0 < best[$1, key]) best[$1, key] = $4 + 0
    if (!($1 in sum)) sum[$1] = $5
    if ($5 != sum[$1]) unlike = 1 }
  function show(way, plural,    r, word) {
    for (r = 1; r <= rows; r++) {
      split(order[r], word, " ")
      if (word[1] != way) continue
      printf "| %d %s", word[2], word[2] == 1 ? way : plural
      column("chains", order[r])
      column("replicas", order[r])
      print " |"
    }
  }
  function column(of, key) {
    printf(" | %.2f | %.2f", best[of, key], (best[of, key] > 0 ? best[of, "thread 1"] / best[of, key] : 0))
  }
  END {
    show("thread", "threads")
    show("process", "processes")
    print "\nMore threads or processes than cores gain nothing: they are there to show what is lost. The same draws in all rows:"
    print (unlike ? "NO" : "yes") ".\n"
    exit bad
  }' "$folder/scaling.txt"
