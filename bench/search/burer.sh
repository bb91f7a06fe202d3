#!/bin/sh
# Cuts of the G-set by BURER2002 of MQLib (https://github.com/MQLib/MQLib, `make` there): burer.sh MQLIB DATA TO.csv
#
# MQLIB is its program, DATA the folder of G1.txt.gz ... A run has 10 s of one core, as the longer runs of
# bench/search/search.c. A line of TO.csv: graph, seed, seconds, cut. What is there is not run again.
set -u
mqlib=$1 data=$2 csv=$3
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
[ -s "$csv" ] || printf '# %s; BURER2002 of MQLib%s\ngraph,seed,seconds,best\n' "$(sh bench/common/made.sh)" "${VERSION:+ $VERSION}" > "$csv"
for graph in G1 G11 G14 G22 G32 G55 G70 G81; do
  [ -f "$data/$graph.txt.gz" ] || { echo "bench-burer: $data/$graph.txt.gz is not there: left out" && continue; }
  gunzip -c "$data/$graph.txt.gz" > "$scratch/graph.txt" || exit 1
  for seed in 1 2 3; do
    ! grep -q "^$graph,$seed,10," "$csv" || continue
    "$mqlib" -h BURER2002 -fM "$scratch/graph.txt" -r 10 -s "$seed" > "$scratch/said" || exit 1
    # time limit, heuristic, value, ...
    echo "$graph,$seed,10,$(awk -F, 'NF > 3 { print $4 + 0; exit }' "$scratch/said")" >> "$csv"
    tail -n 1 "$csv"
  done
done
