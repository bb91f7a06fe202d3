#!/bin/sh
# Deep energy-based models: the cost of a step; models that are shown, and samplers on their way to them (figure 4 of
# the any-scale paper); how few Metropolis-Hastings steps an iteration of training needs (table 2 of the optimal-scaling
# paper); the gain of tuning a sampler while the model is trained. Ends in FOLDER/report.md, of report.in and what is in
# FOLDER. That is not computed again, and what was cut off goes on: take a file away to have it again.
#
# Environment: DATA, a folder with those of static_mnist/, mnist/ (for "dynamic"), omniglot_28/ and caltech_silhouettes/
# that SETS asks for, IDX files named like MNIST's (without DATA: shapes); SETS of table 2 (of "mnist dynamic omniglot
# caltech"), SHOWN, those of the models that are shown, and TUNED, those of tuning; PARTS (of "speed train mixing early
# steps tuned report"); FOLDER for all that is computed; CHANNELS, DEEP, LONG (iterations) and RATE of the models that
# are shown, and RUNGS to judge them by; SEEDS of samplers on the early model, and TRAINED, those of the trainings of
# table 2 (on Caltech the first only) and of tuning; STEPS, MOST (steps on Caltech), WITHIN (nat), ITERATIONS, CALTECH
# (their number there), SMALL (channels) and FEWER (rungs) of table 2, and of the early model; TUNED_STEPS; PROGRAM and
# BENCH; MADE, compiler and flags.
DATA=${DATA:-} PARTS=${PARTS:-speed train mixing early steps tuned report} FOLDER=${FOLDER:-bench/out/ebm}
CHANNELS=${CHANNELS:-16} DEEP=${DEEP:-6} LONG=${LONG:-5000} RATE=${RATE:-0.5} RUNGS=${RUNGS:-4000}
SEEDS=${SEEDS:-1 2 3} TRAINED=${TRAINED:-$SEEDS} STEPS=${STEPS:-1 2 4 8 16 32 64} MOST=${MOST-128} SMALL=${SMALL:-16}
ITERATIONS=${ITERATIONS:-500} CALTECH=${CALTECH:-750} WITHIN=${WITHIN:-1 10} FEWER=${FEWER:-2000}
TUNED_STEPS=${TUNED_STEPS:-8} PROGRAM=${PROGRAM:-build/examples/ebm} BENCH=${BENCH:-build/bench/ebm} MADE=${MADE:-}
samplers='LBP_b-1 ALBP_b LBP_s-1 ALBP_s'
fixed='R=1 R=3 R=9 R=27 AB_0.1_0.5 AB_0.1_0.6 AB_0.2_0.5 AB_0.2_0.6 AB_0.4_0.5 AB_0.4_0.6 AB_0.8_0.5 AB_0.8_0.6'
tuned='R_tuned AB_tuned AB_sigma_tuned AB_algorithm_3'
sets=shapes shown=shapes tunes=shapes
if [ -n "$DATA" ]; then
  sets=${SETS:-mnist dynamic omniglot caltech} shown=${SHOWN:-mnist omniglot caltech} tunes=${TUNED:-mnist omniglot}
fi
for set in $sets $shown $tunes; do
  case $set in
    mnist | dynamic | omniglot | caltech | shapes) ;;
    *) echo "bench/ebm/ebm.sh: $set is none of mnist, dynamic, omniglot, caltech" >&2; exit 2 ;;
  esac
done
mkdir -p "$FOLDER" || exit 2
rows=$FOLDER/rows.csv
made=$(sh bench/common/made.sh "$MADE")
columns=log_likelihood,log_z_se,weights,acceptance,sites,scale,seconds,commit
[ -f "$rows" ] || printf '# %s\ndata,sampler,seed,steps,settings,%s\n' "$made" "$columns" > "$rows"
commit=$(echo "$made" | sed 's/.*commit \([^;]*\);.*/\1/')

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

# ---- what is done, and what is left ----------------------------------------------------------------------------------

# All parts are gone through twice: where `planning` they only add up what they would take, in seconds of one core, by
# states that go through the network: a tenth of a millisecond each, and 1.9 for that of the models that are shown.
left=0 done=0
states() { echo $(($1 / 10000)); }
deep_states() { echo $(($1 * 19 / 100000)); }

# account SECONDS LEFT: so much of what was expected is done, and so much less is left
account() {
  done=$((done + $1)) left=$((left - $2))
  [ $left -le 0 ] || echo "[at most $((($(date +%s) - begin) * left / (done > 0 ? done : 1) / 60)) min left]"
}

# said COMMAND...: as a line of text, whatever the folder DATA is on this machine
said() {
  echo "$*" | FROM="$DATA/" awk '{
    while (length(ENVIRON["FROM"]) > 1 && (at = index($0, ENVIRON["FROM"])) > 0) {
      printf "%sDATA/", substr($0, 1, at - 1)
      $0 = substr($0, at + length(ENVIRON["FROM"]))
    }
    print
  }'
}

# once NAME SECONDS COMMAND...: what that prints, kept as FOLDER/NAME below the command, which has to be the same again,
# and what made it
once() {
  text=$FOLDER/$1 cost=$2
  shift 2
  if [ ! -f "$text" ]; then
    if [ "$planning" ]; then left=$((left + cost)); return; fi
    { said "$@"; echo "$made"; "$@"; } > "$text.part" || exit 1
    mv "$text.part" "$text" || exit 1
    cat "$text"
    account "$cost" "$cost"
  elif [ "$(head -n 1 "$text")" != "$(said "$@")" ]; then
    echo "bench/ebm/ebm.sh: $text is of another command: take it away, or give another FOLDER" >&2
    exit 1
  elif [ ! "$planning" ]; then
    cat "$text"
  fi
}

# row SET SAMPLER SEED STEPS SETTINGS SECONDS OPTION...: a row of rows.csv, from a training run of its own with these
# steps and settings, unless it is there
row() {
  key=$1,$2,$3,$4,$5 set=$1 sampler=$2 seed=$3 steps=$4 settings=$5 cost=$6
  shift 6
  ! grep -q "^$key," "$rows" || return 0
  if [ "$planning" ]; then left=$((left + cost)); return; fi
  case $sampler in *_b*) program=$PROGRAM/ebm_barker ;; *) program=$PROGRAM/ebm ;; esac
  name=$FOLDER/row_${set}_${sampler}_${seed}_$steps
  from=$(date +%s)
  # shellcheck disable=SC2046,SC2086
  "$program" $(pictures "$set") $settings --steps "$steps" "$@" --seed "$seed" --long 0 --out "$name" > "$name.txt"
  case $? in 0) ;; 3) echo 'log-likelihood diverged' >> "$name.txt" ;; *) exit 1 ;; esac
  awk -v row="$key" -v seconds=$(($(date +%s) - from)) -v commit="$commit" '
    /^ *[0-9]+ / && NF == 5 { acceptance = $3; sites = $4 }
    /^scale/ { scale = $2 " " $3 " " $4 " " $5; gsub(",", "", scale) }
    /^log Z/ { error = $5; for (k = 1; k < NF; k++) if ($(k + 1) == "count,") weights = $k }
    /^log-likelihood/ {
      sub(":", "", $2)
      print row "," $2 "," error "," weights "," acceptance "," sites "," scale "," seconds "," commit
    }' "$name.txt" >> "$rows"
  rm -f "$name".*
  tail -n 1 "$rows"
}

# ---- models that are shown, samplers on them -------------------------------------------------------------------------

speed() { once speed.txt 60 "$BENCH" --speed; }

train() {
  for set in $shown; do
    # shellcheck disable=SC2046
    once "$set.txt" "$(deep_states $((LONG * 2300 + RUNGS * 300)))" "$PROGRAM/ebm" $(pictures "$set") \
      --channels "$CHANNELS" --deep "$DEEP" --steps 20 --iterations "$LONG" --warmup 500 --rate "$RATE" --long 2000 \
      --rungs "$RUNGS" --out "$FOLDER/$set"
    [ "$planning" ] || samples "$set"
  done
}

# compare SET NAME SEED SECONDS: samplers on the model of FOLDER/NAME.run
compare() {
  name=$2
  [ "$3" = 1 ] || name=$2_$3
  # shellcheck disable=SC2046
  once "${name}_samplers.txt" "$4" "$BENCH" $(pictures "$1" | sed 's/ --test.*//') --run "$FOLDER/$2.run" \
    --out "$FOLDER" --name "$name" --seed "$3"
}

compared=$((20 * 8 * 20500 + 580000)) # states that are seen in that
mixing() { for set in $shown; do compare "$set" "$set" 1 "$(deep_states $compared)"; done; }

# early: a model that is not done yet, as the table's are, whose modes chains still leave
early() {
  set=${shown%% *}
  # shellcheck disable=SC2046
  once "${set}_early.txt" "$(states $((ITERATIONS * 1900)))" "$PROGRAM/ebm" $(pictures "$set") --channels "$SMALL" \
    --deep 0 --steps 16 --iterations "$ITERATIONS" --long 0 --rungs 0 --out "$FOLDER/${set}_early"
  for seed in $SEEDS; do compare "$set" "${set}_early" "$seed" "$(states $compared)"; done
}

# ---- table 2: the fewest steps ---------------------------------------------------------------------------------------

# of SET: what its rows are trained with
of() {
  iterations=$ITERATIONS tried=$STEPS seeds=$TRAINED
  [ "$1" != caltech ] || iterations=$CALTECH tried="$STEPS $MOST" seeds=${TRAINED%% *}
  settings="--channels $SMALL --deep 0 --iterations $iterations --rungs $FEWER"
  more=$((3 + 3 * FEWER / iterations)) # what a row costs beside its steps: annealing goes up thrice
}

# what WHAT SET: of each sampler and seed the fewest steps whose row is within some nat of the best row of the seed,
# found by halving: more steps are taken to be no worse. Training that diverges is not within, nor a model whose log Z
# annealing misses. WHAT "next": the row that has to be computed first to know them (ALBP_s with the most steps is a
# best to begin with), and what all that may be missing cost, in steps an iteration; nothing if all is known. WHAT
# "table": that, the paper's, and all log-likelihoods.
what() {
  of "$2"
  awk -F, -v what="$1" -v samplers="$samplers" -v seeds="$seeds" -v set="$2" -v steps="$tried" -v within="$WITHIN" \
    -v settings="$settings" -v more=$more '
    BEGIN {
      tried = split(steps, step, " ")
      for (m = 1; m <= tried; m++) asked[step[m]]
      paper["mnist"] = " 90 | 20 | 40 | 15 |"
      paper["dynamic"] = " 100 | 20 | 40 | 15 |"
      paper["omniglot"] = " 100 | 60 | 30 | 5 |"
      paper["caltech"] = " 100 | 60 | 80 | 30 |"
    }
    $1 == set && $4 in asked && $5 == settings && index(" " samplers " ", " " $2 " ") {
      value[$2, $3, $4] = $6
      commits[$13]
      if ($6 ~ /^-?[0-9]/ && (!($3 in best) || $6 > best[$3])) best[$3] = $6
    }
    function good(sampler, seed, steps, nat) {
      return value[sampler, seed, steps] ~ /^-?[0-9]/ && value[sampler, seed, steps] >= best[seed] - nat
    }
    # high: of the fewest steps, tried + 1 if there are none; missing: of the row to compute to know more, or 0
    function halve(sampler, seed, nat,   low, middle) {
      low = missing = 0
      high = tried + 1
      while (high > low + 1) {
        middle = int((low + high) / 2)
        if (!((sampler, seed, step[middle]) in value)) {
          missing = middle
          for (; middle > low; middle = int((low + high) / 2)) { left += step[middle] + more; low = middle }
          return
        }
        if (good(sampler, seed, step[middle], nat)) high = middle
        else low = middle
      }
    }
    function ask(sampler, seed, k) { if (first == "") first = sampler " " seed " " step[k] }
    function lookup(seed,   k, w) {
      if (!(("ALBP_s", seed, step[tried]) in value)) { ask("ALBP_s", seed, tried); left += step[tried] + more }
      for (w = 1; w <= distances; w++) {
        for (k = 1; k <= columns; k++) {
          halve(name[k], seed, nat[w])
          if (missing) ask(name[k], seed, missing)
        }
      }
    }
    END {
      columns = split(samplers, name, " ")
      count = split(seeds, seed, " ")
      distances = split(within, nat, " ")
      if (what == "next") {
        for (j = 1; j <= count; j++) lookup(seed[j])
        if (first != "") print first, left
        exit
      }
      printf "%s: `%s`, seeds %s", set, settings, seeds
      for (c in commits) printf ", %s", c
      printf ".\n\n| best log-likelihood | within, nat |"
      for (k = 1; k <= columns; k++) printf " %s |", name[k]
      printf "\n|---|---:|---:|---:|---:|---:|\n"
      for (w = 1; w <= distances; w++) {
        printf "|"
        for (j = 1; j <= count; j++) printf "%s %s", (j > 1 ? "," : ""), best[seed[j]]
        printf " | %s |", nat[w]
        for (k = 1; k <= columns; k++) {
          for (j = 1; j <= count; j++) {
            halve(name[k], seed[j], nat[w])
            printf "%s %s", (j > 1 ? "," : ""), (missing ? "?" : high > tried ? "> " step[tried] : step[high])
          }
          printf " |"
        }
        printf "\n"
      }
      if (set in paper) printf "| *the paper, to the end of training* | |%s\n", paper[set]
      printf "\n| log-likelihood by steps |"
      for (m = 1; m <= tried; m++) printf " %s |", step[m]
      printf "\n|---|"
      for (m = 1; m <= tried; m++) printf "---:|"
      for (k = 1; k <= columns; k++) {
        printf "\n| %s |", name[k]
        for (m = 1; m <= tried; m++) {
          for (j = 1; j <= count; j++) {
            known = (name[k], seed[j], step[m]) in value
            printf "%s %s", (j > 1 ? "," : ""), (known ? value[name[k], seed[j], step[m]] : "-")
          }
          printf " |"
        }
      }
      printf "\n\n"
    }' "$rows"
}

steps() {
  for set in $sets; do
    next=$(what next "$set")
    of "$set"
    rest=${next##* }
    if [ "$planning" ]; then left=$((left + ${rest:-0} * iterations / 100)); continue; fi
    while [ -n "$next" ]; do
      # shellcheck disable=SC2086
      set -- $next
      case $1 in *-1) sites=1 ;; *) sites=0 ;; esac
      row "$set" "$1" "$2" "$3" "$settings" 0 --sites $sites
      next=$(what next "$set")
      rest=${next##* }
      account $((($3 + more) * iterations / 100)) $((($4 - ${rest:-0}) * iterations / 100))
    done
    what table "$set"
  done
}

# ---- what tuning gains -----------------------------------------------------------------------------------------------

# pace SET STEPS ITERATIONS: seconds that an iteration takes with LBP and with AB, the least of three turns, and how
# many AB has in the time of those of LBP
pace() {
  for _ in 1 2 3; do
    for sampler in lbp ab; do
      # shellcheck disable=SC2046
      "$PROGRAM/ebm" $(pictures "$1") --channels "$SMALL" --deep 0 --steps "$2" --iterations 30 --rungs 0 --long 0 \
        --threads 1 --sampler $sampler --out "$FOLDER/pace" |
        awk -v sampler=$sampler '/^training/ { print sampler, $2, $5 }'
      rm -f "$FOLDER"/pace.*
    done
  done | awk -v iterations="$3" '
    { here = $3 / $2; if (!($1 in least) || here < least[$1]) least[$1] = here }
    END {
      printf "seconds %.4f %.4f iterations %d\n", least["lbp"], least["ab"], iterations * least["lbp"] / least["ab"]
    }'
}

# tuned_row SET SAMPLER SEED: training with that, as long as LBP takes for its iterations
tuned_row() {
  sampler=$2 iterations=$ITERATIONS
  case $sampler in AB*) iterations=$equal ;; esac
  case $sampler in
    R_tuned) options= ;;
    R=*) options="--sites ${sampler#R=}" ;;
    AB_tuned) options='--sampler ab' ;;
    AB_sigma_tuned) options='--sampler ab --alpha 0.5' ;;
    AB_algorithm_3) options='--sampler ab --tune jump' ;;
    *) options="--sampler ab --sigma $(echo "$sampler" | cut -d _ -f 2) --alpha $(echo "$sampler" | cut -d _ -f 3)" ;;
  esac
  cost=$(states $((ITERATIONS * 100 * (TUNED_STEPS + 3) + FEWER * 300))) before=$(wc -l < "$rows")
  # shellcheck disable=SC2086
  row "$1" "$sampler" "$3" "$TUNED_STEPS" "--channels $SMALL --deep 0 --iterations $iterations --rungs $FEWER" "$cost" \
    $options
  [ "$before" = "$(wc -l < "$rows")" ] || account "$cost" "$cost"
}

# paced SET: `equal`, iterations of AB
paced() {
  once "$1_pace.txt" 20 pace "$1" "$TUNED_STEPS" "$ITERATIONS" > /dev/null
  equal=$ITERATIONS
  [ ! -f "$FOLDER/$1_pace.txt" ] || equal=$(sed -n 's/^seconds.*iterations //p' "$FOLDER/$1_pace.txt")
}

tuned() {
  for set in $tunes; do
    paced "$set"
    for seed in $TRAINED; do
      for name in $tuned $fixed; do tuned_row "$set" "$name" "$seed"; done
    done
    [ "$planning" ] || tuned_table "$set"
  done
}

# tuned_table SET: seeds side by side
tuned_table() {
  paced "$1"
  awk -F, -v set="$1" -v names="$tuned $fixed" -v seeds="$TRAINED" -v steps="$TUNED_STEPS" -v iterations="$ITERATIONS" \
    -v equal="$equal" -v shared="--channels $SMALL --deep 0 --iterations " -v end=" --rungs $FEWER" '
    $1 == set && $4 == steps && $5 == shared ($2 ~ /^AB/ ? equal : iterations) end {
      likelihood[$2] = likelihood[$2] (likelihood[$2] == "" ? "" : ", ") $6
      acceptance[$2] = acceptance[$2] (acceptance[$2] == "" ? "" : ", ") $9
      sites[$2] = sites[$2] (sites[$2] == "" ? "" : ", ") $10
      if ($11 != "" && $2 ~ /AB_[a-z]/) scale[$2] = scale[$2] (scale[$2] == "" ? "" : "; ") $11
      commits[$13]
    }
    END {
      printf "%s: %d steps an iteration, %d iterations of LBP, %d of AB, ", set, steps, iterations, equal
      printf "`%s...%s`, seeds %s", shared, end, seeds
      for (c in commits) printf ", %s", c
      printf ".\n\n| sampler | log-likelihood, nat | acceptance rate at the end | sites a step | scale |\n"
      printf "|---|---:|---:|---:|---|\n"
      count = split(names, name, " ")
      for (k = 1; k <= count; k++) {
        title = name[k]
        if (title ~ /^AB_[0-9]/) { split(title, part, "_"); title = "AB, sigma " part[2] ", alpha " part[3] }
        gsub("_", " ", title)
        printf "| %s | %s | %s | %s |", title, likelihood[name[k]], acceptance[name[k]], sites[name[k]]
        printf " %s |\n", scale[name[k]]
      }
      printf "\n"
    }' "$rows"
}

# ---- the report: report.in, in which a line @(NAME) stands for what part_NAME prints ---------------------------------

part_machine() { echo "$made"; }

# what `once` kept, but for the command
printed() { [ ! -f "$FOLDER/$1" ] || { tail -n +2 "$FOLDER/$1" | sed '1s/$/\n/; /^Picture/d'; echo; }; }
part_speed() { printed speed.txt; }

part_models() {
  for set in $shown; do
    [ -f "$FOLDER/$set.txt" ] || continue
    awk -v set="$set" -v last="$LONG" '
      NR == 1 { sub(".*--channels", "--channels"); sub(" --out.*", ""); printf "**%s** (`%s`), ", set, $0 }
      NR == 2 { printf "%s\n\n```\n", $0 }
      /^iteration/ || /^log/ || /^training/ || $1 == last
      END { printf "```\n\n" }' "$FOLDER/$set.txt"
    [ ! -f "$FOLDER/${set}_samples.png" ] || printf '![samples](%s_samples.png)\n\n' "$set"
  done
}

# what part_mixing and part_early have of a model and a seed
comparison() {
  [ -f "$FOLDER/$1_samplers.txt" ] || return 0
  printf '**%s**, ' "$1"
  printed "$1_samplers.txt"
  [ ! -f "$FOLDER/$1_mixing.svg" ] || printf '![mean log pi on the way](%s_mixing.svg)\n\n' "$1"
}
part_mixing() { for set in $shown; do comparison "$set"; done; }
part_early() { for seed in $SEEDS; do comparison "${shown%% *}_early$([ "$seed" = 1 ] || echo "_$seed")"; done; }
part_steps() { for set in $sets; do what table "$set"; done; }
part_tuned() { for set in $tunes; do tuned_table "$set"; done; }

report() {
  [ ! "$planning" ] || return 0
  while IFS= read -r line; do
    case $line in
      '@('*')') name=${line#@(}; "part_${name%)}" ;;
      *) printf '%s\n' "$line" ;;
    esac
  done < bench/ebm/report.in > "$FOLDER/report.tmp" || exit 1
  mv "$FOLDER/report.tmp" "$FOLDER/report.md" && echo "Report: $FOLDER/report.md"
}

for part in $PARTS; do
  case $part in
    speed | train | mixing | early | steps | tuned | report) ;;
    *) echo "bench/ebm/ebm.sh: PARTS: $part is none of speed train mixing early steps tuned report" >&2; exit 2 ;;
  esac
done
planning=1
for part in $PARTS; do $part; done
planning=
echo "at most $((left / 60)) min of one core; in $FOLDER"
begin=$(date +%s)
for part in $PARTS; do
  echo "== $part"
  $part
done
