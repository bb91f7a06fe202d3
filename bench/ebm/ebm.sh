#!/bin/sh
# Deep energy-based models: trains them, compares samplers on them, and finds how few Metropolis-Hastings steps an
# iteration of training needs (table 2 of the optimal-scaling paper). What is in FOLDER is not computed again, and what
# was cut off goes on: take a file away to have it anew.
#
# Environment: DATA, a folder with those of static_mnist/, mnist/ (for "dynamic"), omniglot_28/ and caltech_silhouettes/
# that SETS asks for, IDX files named like MNIST's (without DATA: shapes); SETS (of "mnist dynamic omniglot caltech");
# PARTS (of "speed train mixing early steps table"; the last is the table of what is there); FOLDER for all that is
# computed; CHANNELS, DEEP, LONG (iterations) and RATE of the models that are shown, and RUNGS to judge them by; SEEDS,
# STEPS, WITHIN (nat), ITERATIONS, SMALL (channels) and FEWER (rungs) of the table, and of the early model; PROGRAM and
# BENCH.
DATA=${DATA:-} PARTS=${PARTS:-speed train mixing early steps} FOLDER=${FOLDER:-bench/out/ebm}
CHANNELS=${CHANNELS:-16} DEEP=${DEEP:-6} LONG=${LONG:-5000} RATE=${RATE:-0.5} RUNGS=${RUNGS:-4000}
SEEDS=${SEEDS:-1 2 3} STEPS=${STEPS:-1 2 4 8 16 32 64} ITERATIONS=${ITERATIONS:-500} SMALL=${SMALL:-16}
WITHIN=${WITHIN:-1 10} FEWER=${FEWER:-2000}
PROGRAM=${PROGRAM:-build/examples/ebm} BENCH=${BENCH:-build/bench/ebm}
samplers='LBP_b-1 ALBP_b LBP_s-1 ALBP_s'
more=$((3 + 3 * FEWER / ITERATIONS)) # more: what a row costs beside its steps: annealing goes up thrice
sets=shapes
[ -z "$DATA" ] || sets=${SETS:-mnist caltech}
for set in $sets; do
  case $set in
    mnist | dynamic | omniglot | caltech | shapes) ;;
    *) echo "bench/ebm/ebm.sh: SETS: $set is none of mnist, dynamic, omniglot, caltech" >&2; exit 2 ;;
  esac
done
mkdir -p "$FOLDER" || exit 2
rows=$FOLDER/steps.csv
[ -f "$rows" ] || echo 'data,sampler,seed,steps,log_likelihood,log_z_se,weights,seconds' > "$rows"

# pictures SET: options that say what to train on and to judge by
pictures() {
  test=test dynamic=
  case $1 in
    mnist) folder=static_mnist ;;
    caltech) folder=caltech_silhouettes ;;
    dynamic) folder=mnist test=t10k dynamic=' --dynamic' ;;
    omniglot) folder=omniglot_28 dynamic=' --dynamic' ;;
    *) return ;;
  esac
  echo "--data $DATA/$folder/train-images-idx3-ubyte.gz --test $DATA/$folder/$test-images-idx3-ubyte.gz$dynamic"
}

# samples SET: those of the picture of data beside samples, as FOLDER/SET_samples.png
samples() {
  command -v gnuplot > /dev/null || return 0
  { read -r magic; read -r width height; read -r most; } < "$FOLDER/$1.pgm"
  head=$(printf '%s\n' "$magic" "$width $height" "$most" | wc -c)
  gnuplot -e "from='$FOLDER/$1.pgm'; to='$FOLDER/$1_samples.png'; width=$width; height=$height; head=$head" \
    -e "left=$((width - height))" examples/ebm/picture.gp
}

# once NAME COMMAND...: what that prints, kept as FOLDER/NAME below the command, which has to be the same again
once() {
  text=$FOLDER/$1
  shift
  if [ ! -f "$text" ]; then
    { echo "$*"; "$@"; } > "$text.part" || exit 1
    mv "$text.part" "$text" || exit 1
  elif [ "$(head -n 1 "$text")" != "$*" ]; then
    echo "bench/ebm/ebm.sh: $text is of another command: take it away, or give another FOLDER" >&2
    exit 1
  fi
  cat "$text"
}

train() {
  for set in $sets; do
    echo "== $set: $LONG iterations"
    # shellcheck disable=SC2046
    once "$set.txt" "$PROGRAM/ebm" $(pictures "$set") --channels "$CHANNELS" --deep "$DEEP" --steps 20 \
      --iterations "$LONG" --warmup 500 --rate "$RATE" --long 2000 --rungs "$RUNGS" --out "$FOLDER/$set"
    samples "$set"
  done
}

# compare SET NAME SEED: samplers on the model of FOLDER/NAME.run
compare() {
  name=$2
  [ "$3" = 1 ] || name=$2_$3
  echo "== samplers on $2, seed $3"
  # shellcheck disable=SC2046
  once "${name}_samplers.txt" "$BENCH" $(pictures "$1" | sed 's/ --test.*//') --run "$FOLDER/$2.run" --out "$FOLDER" \
    --name "$name" --seed "$3"
}

mixing() { for set in $sets; do compare "$set" "$set" 1; done; }

# early: a model that is not done yet, as the table's are, whose modes chains still leave
early() {
  set=${sets%% *}
  echo "== $set: $ITERATIONS iterations"
  # shellcheck disable=SC2046
  once "${set}_early.txt" "$PROGRAM/ebm" $(pictures "$set") --channels "$SMALL" --deep 0 --steps 16 \
    --iterations "$ITERATIONS" --long 0 --rungs 0 --out "$FOLDER/${set}_early"
  for seed in $SEEDS; do compare "$set" "${set}_early" "$seed"; done
}

# one SET SAMPLER SEED STEPS: a row of the table, from a training run of its own
one() {
  case $2 in *_b*) program=$PROGRAM/ebm_barker ;; *) program=$PROGRAM/ebm ;; esac
  case $2 in *-1) sites=1 ;; *) sites=0 ;; esac
  name=$FOLDER/row_$1_$2_$3_$4
  from=$(date +%s)
  # shellcheck disable=SC2046
  "$program" $(pictures "$1") --channels "$SMALL" --deep 0 --steps "$4" --sites $sites --iterations "$ITERATIONS" \
    --seed "$3" --long 0 --rungs "$FEWER" --out "$name" > "$name.txt"
  case $? in 0) ;; 3) echo 'log-likelihood diverged' >> "$name.txt" ;; *) exit 1 ;; esac
  awk -v row="$1,$2,$3,$4" -v seconds=$(($(date +%s) - from)) \
    '/^log Z/ { error = $5; for (k = 1; k < NF; k++) if ($(k + 1) == "count,") weights = $k }
     /^log-likelihood/ { sub(":", "", $2); print row "," $2 "," error "," weights "," seconds }' "$name.txt" >> "$rows"
  rm -f "$name".*
}

# what WHAT: of each data set, sampler and seed the fewest steps whose row is within some nat of the best row of the seed,
# found by halving: more steps are taken to be no worse. Training that diverges is not within, nor a model whose log Z
# annealing misses. WHAT "next": the row that has to be computed first to know them (ALBP_s with the most steps is a best
# to begin with), and what all that may be missing cost, in steps an iteration; nothing if all is known. WHAT "table":
# that, and all log-likelihoods.
what() {
  awk -F, -v what="$1" -v samplers="$samplers" -v seeds="$SEEDS" -v sets="$sets" -v steps="$STEPS" -v within="$WITHIN" \
    -v more=$more '
    BEGIN { tried = split(steps, step, " "); for (m = 1; m <= tried; m++) asked[step[m]] }
    NR > 1 && $4 in asked {
      value[$1, $2, $3, $4] = $5
      if ($5 ~ /^-?[0-9]/ && (!(($1, $3) in best) || $5 > best[$1, $3])) best[$1, $3] = $5
    }
    function good(set, sampler, seed, steps, nat) {
      return value[set, sampler, seed, steps] ~ /^-?[0-9]/ && value[set, sampler, seed, steps] >= best[set, seed] - nat
    }
    # high: of the fewest steps, tried + 1 if there are none; missing: of the row to compute to know more, or 0
    function halve(set, sampler, seed, nat,   low, middle) {
      low = missing = 0
      high = tried + 1
      while (high > low + 1) {
        middle = int((low + high) / 2)
        if (!((set, sampler, seed, step[middle]) in value)) {
          missing = middle
          for (; middle > low; middle = int((low + high) / 2)) { left += step[middle] + more; low = middle }
          return
        }
        if (good(set, sampler, seed, step[middle], nat)) high = middle
        else low = middle
      }
    }
    function ask(set, sampler, seed, k) { if (first == "") first = set " " sampler " " seed " " step[k] }
    function lookup(set, seed,   k, w) {
      if (!((set, "ALBP_s", seed, step[tried]) in value)) { ask(set, "ALBP_s", seed, tried); left += step[tried] + more }
      for (w = 1; w <= distances; w++) {
        for (k = 1; k <= columns; k++) {
          halve(set, name[k], seed, nat[w])
          if (missing) ask(set, name[k], seed, missing)
        }
      }
    }
    END {
      columns = split(samplers, name, " ")
      rows = split(sets, set, " ")
      count = split(seeds, seed, " ")
      distances = split(within, nat, " ")
      if (what == "next") {
        for (j = 1; j <= count; j++) for (r = 1; r <= rows; r++) lookup(set[r], seed[j])
        if (first != "") print first, left
        exit
      }
      printf "| data | best log-likelihood | within, nat |"
      for (k = 1; k <= columns; k++) printf " %s |", name[k]
      printf "\n|---|---:|---:|---:|---:|---:|---:|\n"
      for (r = 1; r <= rows; r++) {
        for (w = 1; w <= distances; w++) {
          printf "| %s |", set[r]
          for (j = 1; j <= count; j++) printf "%s %s", (j > 1 ? "," : ""), best[set[r], seed[j]]
          printf " | %s |", nat[w]
          for (k = 1; k <= columns; k++) {
            for (j = 1; j <= count; j++) {
              halve(set[r], name[k], seed[j], nat[w])
              printf "%s %s", (j > 1 ? "," : ""), (missing ? "?" : high > tried ? "> " step[tried] : step[high])
            }
            printf " |"
          }
          printf "\n"
        }
      }
      printf "\n| data | sampler |"
      for (m = 1; m <= tried; m++) printf " %s |", step[m]
      printf "\n|---|---|"
      for (m = 1; m <= tried; m++) printf "---:|"
      for (r = 1; r <= rows; r++) {
        for (k = 1; k <= columns; k++) {
          printf "\n| %s | %s |", set[r], name[k]
          for (m = 1; m <= tried; m++) {
            for (j = 1; j <= count; j++) {
              known = (set[r], name[k], seed[j], step[m]) in value
              printf "%s %s", (j > 1 ? "," : ""), (known ? value[set[r], name[k], seed[j], step[m]] : "-")
            }
            printf " |"
          }
        }
      }
      printf "\n"
    }' "$rows"
}

steps() {
  done=0 begin=$(date +%s)
  while next=$(what next) && [ -n "$next" ]; do
    # shellcheck disable=SC2086
    set -- $next
    one "$1" "$2" "$3" "$4"
    done=$((done + $4 + more))
    tail -n 1 "$rows" | awk -v s=$(($(date +%s) - begin)) -v done=$done -v left=$(($5 - $4 - more)) \
      '{ printf "[at most %.0f min left] %s\n", s / done * left / 60, $0 }'
  done
  table
}

table() { what table | tee "$FOLDER/steps.md"; }

for part in $PARTS; do
  case $part in
    speed) "$BENCH" --speed | tee "$FOLDER/speed.txt" ;;
    train | mixing | early | steps | table) $part ;;
    *) echo "bench/ebm/ebm.sh: PARTS: $part is none of speed, train, mixing, early, steps, table" >&2; exit 2 ;;
  esac
done
