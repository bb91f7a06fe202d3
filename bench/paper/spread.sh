#!/bin/sh
# How much do the tables depend on what the optimal-scaling paper leaves to chance? RBMs of the same size, trained on
# the same pictures from other seeds; and for Ising models and FHMMs the state x0 that effective sample sizes are of the
# distance to, of the same chains. The tuned samplers on each, of x0 those with R = 1, too, next to the paper's figures,
# those of the reference and those of bench/data: `make bench-spread DATA=FILE`, without which no RBMs are trained. Ends
# in FOLDER/spread.md; FOLDER/networks.csv has the ranges that bench/data/networks.csv keeps. What is in FOLDER is not
# computed again.
#
# Environment: DATA, MNIST's training pictures, an IDX file; TRAIN and PAPER, the programs; SEEDS of networks of HIDDEN
# units; STATES, seeds of x0; FOLDER; MADE, compiler and flags.
set -u
cd "$(dirname "$0")/../.." || exit 2
DATA=${DATA:-} TRAIN=${TRAIN:-build/bench/train_rbm} PAPER=${PAPER:-build/bench/paper} MADE=${MADE:-}
SEEDS=${SEEDS:-2 3 4} HIDDEN=${HIDDEN:-100 400 1000} STATES=${STATES:-2 3 4 5 6 7 8} FOLDER=${FOLDER:-bench/out/spread}
distances='ising/p=20 fhmm/L=200' # of which the reference has another x0 than bench/data
[ -n "$DATA" ] || { echo 'bench-spread: no DATA, so no RBMs: states x0 alone'; SEEDS='' HIDDEN=''; }
case " $STATES $SEEDS " in *" 1 "*) echo 'bench/paper/spread.sh: seed 1 stands for bench/data: give others' >&2; exit 2 ;; esac
all=$(echo "$STATES $SEEDS" | tr -s ' ' '\n' | sort -nu)

# Lehmer's generator: the half that a number is in
state() { # SITES SEED
  awk -v n="$1" -v seed="$2" 'BEGIN {
    for (i = -20; i < n; i++) {
      seed = seed * 48271 % 2147483647
      if (i >= 0) printf "%d%s", (seed > 1073741823), (i % 50 == 49 ? "\n" : "")
    }
  }'
}

# data SEED: a folder like bench/data, with networks and states of that seed; what is not is linked
data() {
  mkdir -p "$FOLDER/$1/data" || exit 2
  case " $SEEDS " in *" $1 "*) trained=$HIDDEN ;; *) trained= ;; esac
  for h in $trained; do
    network=$FOLDER/$1/data/rbm_$h.bin
    own "$network" || "$TRAIN" --data "$DATA" --hidden "$h" --seed "$1" --out "$network" || exit 1
  done
  for size in $distances; do
    extent=${size#*=}
    case $size in ising*) n=$((extent * extent)) ;; *) n=$((5 * extent)) ;; esac
    state $n "$1" > "$FOLDER/$1/data/$(echo "$size" | tr / _ | tr -d =)_x0.txt" || exit 1
  done
  for file in bench/data/*; do
    own "$FOLDER/$1/data/${file##*/}" || ln -sf "$(pwd)/$file" "$FOLDER/$1/data/"
  done
}
own() { [ -f "$1" ] && [ ! -L "$1" ]; }

# cells SEED FOLDER_OF_DATA
cells() {
  for size in $distances; do
    for which in 'A*' '*-1*'; do "$PAPER" --data "$2" --out "$FOLDER/$1" --only "tables/$size/*/$which" || exit 1; done
  done
  for h in $HIDDEN; do
    ! own "$2/rbm_$h.bin" || "$PAPER" --data "$2" --out "$FOLDER/$1" --only "tables/rbm/h=$h/*/A*" || exit 1
  done
}

cells 1 bench/data
files=$FOLDER/1/tables.csv
for seed in $all; do
  data "$seed"
  cells "$seed" "$FOLDER/$seed/data"
  files="$files $FOLDER/$seed/tables.csv"
done

# shellcheck disable=SC2086
awk -v made="$(sh bench/common/made.sh "$MADE")" -v networks="$FOLDER/networks.csv" -f bench/common/numbers.awk -f bench/paper/spread.awk $files > "$FOLDER/spread.md.part" &&
  mv "$FOLDER/spread.md.part" "$FOLDER/spread.md" && cat "$FOLDER/spread.md"
