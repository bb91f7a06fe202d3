#!/bin/sh
# Deep energy-based models: trains them, compares samplers on them, and finds how few Metropolis-Hastings steps an
# iteration of training needs (table 2 of the optimal-scaling paper). What is there is not computed again.
#
# Environment: DATA, a folder with static_mnist/ and caltech_silhouettes/, IDX files (without it: shapes); PARTS (of
# "speed train mixing steps"); FOLDER for all that is computed; CHANNELS, DEEP, LONG (iterations) and RATE of the models
# that are shown; SEEDS, STEPS, ITERATIONS, SMALL (channels) of the table; PROGRAM and BENCH.
DATA=${DATA:-} PARTS=${PARTS:-speed train mixing steps} FOLDER=${FOLDER:-bench/out/ebm}
CHANNELS=${CHANNELS:-16} DEEP=${DEEP:-6} LONG=${LONG:-10000} RATE=${RATE:-0.3}
SEEDS=${SEEDS:-1 2 3} STEPS=${STEPS:-1 2 4 8 16 32} ITERATIONS=${ITERATIONS:-1000} SMALL=${SMALL:-16}
PROGRAM=${PROGRAM:-build/examples/ebm} BENCH=${BENCH:-build/bench/ebm}
samplers='LBP_b-1 ALBP_b LBP_s-1 ALBP_s'
sets=shapes
[ -z "$DATA" ] || sets='mnist caltech'
mkdir -p "$FOLDER" || exit 2
rows=$FOLDER/steps.csv
[ -f "$rows" ] || echo 'data,sampler,seed,steps,log_likelihood,se,seconds' > "$rows"

# pictures SET: options that say what to train on and to judge by; words
pictures() {
  case $1 in
    mnist) at=$DATA/static_mnist ;;
    caltech) at=$DATA/caltech_silhouettes ;;
    *) return ;;
  esac
  echo "--data $at/train-images-idx3-ubyte.gz --test $at/test-images-idx3-ubyte.gz"
}

train() {
  for set in $sets; do
    echo "== $set: $LONG iterations"
    # shellcheck disable=SC2046
    "$PROGRAM/ebm" $(pictures "$set") --channels "$CHANNELS" --deep "$DEEP" --steps 20 --iterations "$LONG" \
      --warmup 1000 --rate "$RATE" --long 2000 --rungs 10000 --out "$FOLDER/$set" > "$FOLDER/$set.txt" || exit 1
    cat "$FOLDER/$set.txt"
  done
}

mixing() {
  for set in $sets; do
    echo "== samplers on $set"
    # shellcheck disable=SC2046
    "$BENCH" $(pictures "$set" | sed 's/ --test.*//') --run "$FOLDER/$set.run" --out "$FOLDER" --name "$set" \
      > "$FOLDER/${set}_samplers.txt" || exit 1
    cat "$FOLDER/${set}_samplers.txt"
  done
}

# one SET SAMPLER SEED STEPS: a row of the table, from a training run of its own
one() {
  case $2 in *_b*) program=$PROGRAM/ebm_barker ;; *) program=$PROGRAM/ebm ;; esac
  case $2 in *-1) sites=1 ;; *) sites=0 ;; esac
  name=$FOLDER/row_$1_$2_$3_$4
  from=$(date +%s)
  # shellcheck disable=SC2046
  "$program" $(pictures "$1") --channels "$SMALL" --deep 0 --steps "$4" --sites $sites --iterations "$ITERATIONS" \
    --seed "$3" --long 0 --rungs 1000 --out "$name" > "$name.txt" || exit 1
  awk -v row="$1,$2,$3,$4" -v seconds=$(($(date +%s) - from)) \
    '/^log-likelihood/ { print row "," $2 "," $4 "," seconds }' "$name.txt" >> "$rows"
  rm -f "$name".*
}

steps() {
  for seed in $SEEDS; do
    for set in $sets; do
      for steps in $STEPS; do
        for sampler in $samplers; do echo "$set $sampler $seed $steps"; done
      done
    done
  done > "$FOLDER/plan"
  awk -F '[ ,]' 'NR == FNR { there[$1, $2, $3, $4]; next } !(($1, $2, $3, $4) in there)' "$rows" "$FOLDER/plan" \
    > "$FOLDER/todo"
  total=$(awk '{ n += $4 + 3 } END { print n + 0 }' "$FOLDER/todo") done=0 begin=$(date +%s)
  while read -r set sampler seed steps <&3; do
    one "$set" "$sampler" "$seed" "$steps"
    done=$((done + steps + 3))
    tail -n 1 "$rows" | awk -v s=$(($(date +%s) - begin)) -v done=$done -v total="$total" \
      '{ printf "[%.0f min left] %s\n", s / done * (total - done) / 60, $0 }'
  done 3< "$FOLDER/todo"
  table
}

# The fewest steps within 1 nat of the best of all, for each seed; "> N" where none of those tried is.
table() {
  awk -F, -v names="$samplers" -v seeds="$SEEDS" '
    NR > 1 {
      value[$1, $2, $3, $4] = $5
      if (!($1 in best) || $5 > best[$1]) best[$1] = $5
      tried[$4]
      if ($4 > most) most = $4
    }
    function fewest(set, sampler, seed,   s, least) {
      for (s in tried) {
        if (!((set, sampler, seed, s) in value) || value[set, sampler, seed, s] < best[set] - 1) continue
        if (!least || s + 0 < least) least = s + 0
      }
      return least ? least : "> " most
    }
    END {
      columns = split(names, name, " ")
      count = split(seeds, seed, " ")
      printf "| data | best log-likelihood |"
      for (k = 1; k <= columns; k++) printf " %s |", name[k]
      printf "\n|---|---:|---:|---:|---:|---:|\n"
      for (set in best) {
        printf "| %s | %.2f |", set, best[set]
        for (k = 1; k <= columns; k++) {
          for (j = 1; j <= count; j++) printf "%s %s", j > 1 ? "," : "", fewest(set, name[k], seed[j])
          printf " |"
        }
        printf "\n"
      }
    }' "$rows" | tee "$FOLDER/steps.md"
}

for part in $PARTS; do
  case $part in
    speed) "$BENCH" --speed | tee "$FOLDER/speed.txt" ;;
    train | mixing | steps) $part ;;
    *) echo "bench/ebm.sh: PARTS: $part is none of speed, train, mixing, steps" >&2; exit 2 ;;
  esac
done
