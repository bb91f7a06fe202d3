#!/bin/sh
# Cuts of the G-set by BURER2002 of MQLib (https://github.com/MQLib/MQLib, `make` there): burer.sh MQLIB DATA TO.csv
#
# MQLIB is its program, DATA the folder of G1.txt.gz ... A run has 10 s of CPU time, as the longer runs of
# bench/search/search.c: a library takes the place of gettimeofday, by which MQLib ends. A line of TO.csv: graph, seed,
# seconds, cut, CPU seconds. What is there is not run again. Environment: CC, VERSION of MQLib.
set -u
mqlib=$1 data=$2 csv=$3
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
[ -s "$csv" ] || printf '# %s; BURER2002 of MQLib%s\ngraph,seed,seconds,best,cpu\n' "$(sh bench/common/made.sh)" "${VERSION:+ $VERSION}" > "$csv"
cat > "$scratch/clock.c" <<'END'
#define _POSIX_C_SOURCE 200809L
#include <time.h>
#include <sys/time.h>
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec cpu;
  (void)zone;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  now->tv_sec = cpu.tv_sec, now->tv_usec = cpu.tv_nsec / 1000;
  return 0;
}
END
"${CC:-cc}" -shared -fPIC -O2 -o "$scratch/clock.so" "$scratch/clock.c" || exit 1
for graph in G1 G11 G14 G22 G32 G55 G70 G81; do
  [ -f "$data/$graph.txt.gz" ] || { echo "bench-burer: $data/$graph.txt.gz is not there: left out" && continue; }
  gunzip -c "$data/$graph.txt.gz" > "$scratch/graph.txt" || exit 1
  for seed in 1 2; do
    ! grep -q "^$graph,$seed,10," "$csv" || continue
    LD_PRELOAD=$scratch/clock.so "$mqlib" -h BURER2002 -fM "$scratch/graph.txt" -r 10 -s "$seed" > "$scratch/said" || exit 1
    # time limit, heuristic, file, value, seconds, ...
    awk -F, -v run="$graph,$seed,10" 'NF > 4 { print run "," $4 + 0 "," $5 + 0; exit }' "$scratch/said" > "$scratch/row"
    [ -s "$scratch/row" ] || { echo "bench-burer: $mqlib says no cut of $graph: left out" && continue; }
    tee -a "$csv" < "$scratch/row"
  done
done
