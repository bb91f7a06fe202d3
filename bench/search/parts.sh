#!/bin/sh
# Cuts of the G-set by replicas that exchange parts of their states: parts.sh MAXCUT DATA TO.csv
#
# MAXCUT is the compiled example, DATA the folder of G1.txt.gz ... Runs end after so many seconds, or at the largest cut
# known. A line of TO.csv: graph, seed, seconds that it may take, cut, CPU seconds. What is there is not run again.
set -u
maxcut=$1 data=$2 csv=$3
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
[ -s "$csv" ] || printf '# %s\ngraph,seed,seconds,best,cpu\n' "$(sh bench/common/made.sh "$MADE")" > "$csv"

# run GRAPH SEED SECONDS LARGEST
run() {
  ! grep -q "^$1,$2,$3," "$csv" || return 0
  [ -f "$data/$1.txt.gz" ] || { echo "bench-parts: $data/$1.txt.gz is not there: left out" && return; }
  OMP_NUM_THREADS=1 sh -c '"$1" "$2" - "$3" 0 "parts=$4" "$5" > "$6" && times' sh "$maxcut" "$data/$1.txt.gz" "$3" "$4" "$2" \
    "$scratch/said" > "$scratch/times" || return 1
  cpu=$(sed -n 2p "$scratch/times" | awk '{ n = split($0, part, /[ms ]+/); print part[1] * 60 + part[2] + part[3] * 60 + part[4] }')
  echo "$1,$2,$3,$(sed -n 's/^best cut \([0-9]*\).*/\1/p' "$scratch/said"),$cpu" >> "$csv"
  tail -n 1 "$csv"
}

for seed in 1 2 3 4 5 6 7 8 9 10; do run G32 $seed 60 1410 || exit 1; done
run G55 1 20 10299 && run G70 1 20 9595 && run G81 1 120 14060
