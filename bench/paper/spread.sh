#!/bin/sh
# How much do the tables depend on what the optimal-scaling paper leaves to chance? RBMs of the same size, trained on the
# same pictures from other seeds; and for Ising models and FHMMs the state x0 that effective sample sizes are of the
# distance to. The tuned samplers on each, of x0 those with R = 1, too, beside the paper's figures, those of the reference
# and those of bench/data: `make bench-spread DATA=FILE`, without which no RBMs are trained. Ends in FOLDER/spread.md. What
# is in FOLDER is not computed again.
#
# Environment: DATA, MNIST's training pictures, an IDX file; TRAIN and PAPER, the programs; SEEDS of networks and of x0;
# HIDDEN units; FOLDER; MADE, compiler and flags.
set -u
cd "$(dirname "$0")/../.." || exit 2
DATA=${DATA:-} TRAIN=${TRAIN:-build/bench/train_rbm} PAPER=${PAPER:-build/bench/paper} MADE=${MADE:-}
SEEDS=${SEEDS:-2 3 4} HIDDEN=${HIDDEN:-100 400 1000} FOLDER=${FOLDER:-bench/out/spread}
distances='ising/p=20 fhmm/L=200' # of which the reference has another x0 than bench/data

# data SEED: a folder like bench/data, with networks and states of that seed
data() {
  mkdir -p "$FOLDER/$1/data" || exit 2
  for file in bench/data/*; do
    case $file in *rbm_*) ;; *) ln -sf "$(pwd)/$file" "$FOLDER/$1/data/" ;; esac
  done
  for size in $distances; do
    extent=${size#*=} name=$(echo "$size" | tr / _ | tr -d =)
    case $size in ising*) n=$((extent * extent)) ;; *) n=$((5 * extent)) ;; esac
    # Lehmer's generator, the half that a number is in
    awk -v n=$n -v seed="$1" 'BEGIN {
      for (i = -20; i < n; i++) {
        seed = seed * 48271 % 2147483647
        if (i >= 0) printf "%d%s", (seed > 1073741823), (i % 50 == 49 ? "\n" : "")
      }
    }' > "$FOLDER/$1/data/${name}_x0.txt" || exit 1
  done
  for h in ${DATA:+$HIDDEN}; do
    [ -f "$FOLDER/$1/data/rbm_$h.bin" ] ||
      "$TRAIN" --data "$DATA" --hidden "$h" --seed "$1" --out "$FOLDER/$1/data/rbm_$h.bin" || exit 1
  done
}

# cells SEED FOLDER_OF_DATA
cells() {
  for size in $distances; do
    for which in 'A*' '*-1*'; do "$PAPER" --data "$2" --out "$FOLDER/$1" --only "tables/$size/*/$which" || exit 1; done
  done
  for h in ${DATA:+$HIDDEN}; do "$PAPER" --data "$2" --out "$FOLDER/$1" --only "tables/rbm/h=$h/*/A*" || exit 1; done
}

cells 1 bench/data
files=$FOLDER/1/tables.csv
for seed in $SEEDS; do
  data "$seed"
  cells "$seed" "$FOLDER/$seed/data"
  files="$files $FOLDER/$seed/tables.csv"
done

# shellcheck disable=SC2086
awk -F, -v made="$(sh bench/common/made.sh "$MADE")" '
  FNR == 1 { files++; head = 1 }
  /^#/ { next }
  head { head = 0; for (k = 1; k <= NF; k++) at[$k] = k; next }
  { take("ejd"); take("ess") }
  function take(what,   c, v, se) {
    if (what == "ejd" && $1 != "rbm") return # nothing is left to chance in it
    c = $1 " " $3 " | " $2 " | " $4 ($5 ? " " $5 : "") " | " (what == "ejd" ? "jump distance" : "effective sample size")
    v = $at[what]
    se = $at[what "_se"]
    if (files == 1) {
      order[++count] = c
      model[c] = $1
      own[c] = v
      paper[c] = $at["paper_" what]
      reference[c] = $at["reference_" what]
      reference_se[c] = $at["reference_" what "_se"]
    }
    sum[c] += v
    squares[c] += v * v
    noise[c] += se * se
    number[c]++
    if (!(c in low) || v < low[c]) low[c] = v
    if (!(c in high) || v > high[c]) high[c] = v
  }
  function figure(v) { return v == "" || v <= 0 ? "" : sprintf(v < 1000 ? "%.3g" : "%.0f", v) }
  # whether v, known to se, is among what was seen: within 3 standard errors of its range
  function among(v, se, c,   e) {
    e = 3 * sqrt(se * se + noise[c] / number[c])
    return v >= low[c] - e && v <= high[c] + e
  }
  function judge(c, v, se, whose) {
    if (v == "" || v <= 0) return
    judged[model[c], whose]++
    within[model[c], whose] += among(v, se, c)
  }
  # the spread over seeds beside what the errors of chains would give, in parts of the figure
  function spread(c,   mean, variance) {
    mean = sum[c] / number[c]
    variance = (squares[c] - number[c] * mean * mean) / (number[c] > 1 ? number[c] - 1 : 1)
    over[model[c]] += variance / (mean * mean)
    chance[model[c]] += noise[c] / number[c] / (mean * mean)
    rows[model[c]]++
    return 100 * sqrt(variance > 0 ? variance : 0) / mean
  }
  END {
    print "# What the paper leaves to chance"
    print "\nWritten by `make bench-spread`. " made ". Networks of " files " seeds, " files " states x0, the first those of `bench/data`.\n"
    print "| | | | | paper | reference | bench/data | all seeds | spread, % |\n|---|---|---|---|---:|---:|---:|---:|---:|"
    for (k = 1; k <= count; k++) {
      c = order[k]
      if (number[c] < files) continue
      judge(c, paper[c], 0, "paper")
      judge(c, reference[c], reference_se[c], "reference")
      printf "| %s | %s | %s | %s | %s to %s | %.1f |\n", c, figure(paper[c]), figure(reference[c]), figure(own[c]),
        figure(low[c]), figure(high[c]), spread(c)
    }
    print ""
    models = split("ising fhmm rbm", name, " ")
    for (k = 1; k <= models; k++) {
      m = name[k]
      if (!rows[m]) continue
      printf "- %s: seeds differ by %.1f %% (root mean square), chains of one by %.1f %%;", m, 100 * sqrt(over[m] / rows[m]),
        100 * sqrt(chance[m] / rows[m])
      printf " the paper is within 3 standard errors of what was seen in %d of %d cells, the reference in %d of %d\n",
        within[m, "paper"], judged[m, "paper"], within[m, "reference"], judged[m, "reference"]
    }
  }' $files > "$FOLDER/spread.md.part" && mv "$FOLDER/spread.md.part" "$FOLDER/spread.md" && cat "$FOLDER/spread.md"
