#!/bin/sh
# Parts of studies run again: `make bench-again`, in a quarter of an hour of one core; of the generator with dieharder, if
# it is here. Their draws follow from seeds, so the rows of a part must come out as bench/results has them, to the last
# digit, but for columns of times. Where they do, bench/results/provenance.txt takes draws and program of these results as
# those of this commit. Needs a clean checkout.
#
# Environment: DATA (default ../shared/data), OUT (default bench/out/again), ONLY (names, default all), PROGRAMS (default
# build/bench), INTO (default bench/results).
set -u
cd "$(dirname "$0")/.." || exit 2
DATA=${DATA:-../shared/data} OUT=${OUT:-bench/out/again} PROGRAMS=${PROGRAMS:-build/bench} INTO=${INTO:-bench/results}
export INTO
mkdir -p "$OUT" || exit 2

# same FRESH KEPT TIMES: FRESH has rows, and all of them are in KEPT, whatever stands in the columns of TIMES
same() {
  for file in "$1" "$2"; do
    awk -v times=" $3 " '
      /^#/ { next }
      !n { n = split($0, name, ","); print "head"; next }
      {
        count = split($0, part, ",")
        line = ""
        for (k = 1; k <= count; k++) if (!index(times, " " name[k] " ")) line = line part[k] ","
        print line
      }' "$file"
  done > "$OUT/rows"
  awk -v fresh="$(grep -vc '^#' "$1")" '
    NR <= fresh { if ($0 != "head") asked[++n] = $0; next }
    { kept[$0] = 1 }
    END {
      for (k = 1; k <= n; k++) if (!(asked[k] in kept)) { print "not there: " asked[k]; wrong++ }
      if (!wrong && n) print n " rows are the same"
      exit wrong > 0 || n == 0
    }' "$OUT/rows"
}

# study NAME PROGRAM PATTERNS TABLES RESULTS: cells of these patterns; TABLES: "CSV=RESULT=TIMES;..."
failed=0
set -f # patterns are those of cells
study() {
  case " ${ONLY:-$1} " in *" $1 "*) ;; *) return ;; esac
  for cells in $3; do
    if ! "$PROGRAMS/$2" --only "$cells" --out "$OUT/$1" > "$OUT/$1.log" 2>&1; then
      echo "$1: $(tail -n 1 "$OUT/$1.log")"
      failed=1
      return
    fi
  done
  alike=1
  IFS=';'
  for table in $4; do
    IFS=' '
    fresh=${table%%=*} table=${table#*=}
    same "$OUT/$1/$fresh" "$INTO/${table%%=*}" "${table#*=}" > "$OUT/said" || alike=0
    sed "s:^:$1, $fresh\: :" "$OUT/said" | head -n 20
    IFS=';'
  done
  IFS=' '
  if [ $alike = 1 ]; then sh bench/provenance.sh again $5 || failed=1; else failed=1; fi
}
IFS=' '
spent='seconds seconds_se ess_per_second evaluations_per_step' # the last counts what a step takes, too
kept() { (cd "$INTO" && set +f && ls $1 | grep -v "$2" | tr '\n' ' '); }

study paper paper "tables/*/N=100/C3/* tables/*/p=20/C1/A* tables/*/p=20/C1/*-1* tables/*/L=200/C2/A* tables/rbm/h=100/C1/RWM-1 \
curves/bernoulli/N=100/C3/* gradient/ising/p=50/C1/ALBP-barker gradient/fhmm/L=1000/C1/AGWG-sqrt" \
  "tables.csv=paper/tables.csv=$spent;curves.csv=paper/curves.csv=;gradient.csv=paper/gradient.csv=$spent" \
  "$(kept 'paper/*.*' 'spread\|epsilon\|reach\|report')"
study epsilon paper 'epsilon/p=0.4/*' epsilon.csv=paper/epsilon.csv= 'paper/epsilon.csv paper/reach.csv paper/report.md'
study any-scale any_scale 'tables/logistic/* tables/grid-0.3/Gibbs figure1/independent/AB-1st/* readings/ba-0.3/Gibbs/*' \
  'tables.csv=any_scale/tables.csv=ess_per_second;settings.csv=any_scale/settings.csv=' \
  "$(kept 'any_scale/*.*' 'diagonal\|momentum')"
study momentum any_scale 'momentum/grid-0.3/momentum/eps=0.7* momentum/grid-0.3/DLP' \
  'momentum.csv=any_scale/momentum.csv=step_us distance_per_second logp_per_second worst_site_per_second' any_scale/momentum.csv
study clusters clusters 'glass2d-0.5/* ising-32/*' \
  'clusters.csv=clusters/clusters.csv=us_per_step error_us ess_per_s error_ess to_best_sweep error_to_best share' \
  "$(kept 'clusters/*.*' none)"
export DATA
study constraints constraints 'reference/product-100x8-k2/* reference/ising?0.4/* reference/ising-free?0.4/*' \
  'constraints.csv=constraints.csv=' "$(kept 'constraints*' none)"
DATA=$DATA/instances
study categorical categorical 'reference/glass_q4/*' 'categorical.csv=categorical.csv=' \
  'categorical.csv categorical.svg categorical_race.csv'

# p-values of two of dieharder's tests, which follow from bytes and seeds
report=rng/report.md
generator() {
  case " ${ONLY:-rng} " in *" rng "*) ;; *) return ;; esac
  command -v dieharder > /dev/null || { echo 'rng: dieharder is not here: left out'; return; }
  asked=0 alike=0
  for kind in words low chains starts; do
    for test in 0:diehard_birthdays 100:sts_monobit; do
      row=$(grep "^| $kind | ${test#*:} | " "$INTO/$report" | sed -n 1p)
      seed=$(echo "$row" | awk -F ' *[|] *' '{ print $8 }')
      value=$("$PROGRAMS/stream" $kind "${seed:-0}" | dieharder -g 200 -d "${test%:*}" -k 2 -c , -D test_name -D pvalues |
        tr -d ' ' | cut -d , -f 2 -s)
      asked=$((asked + 1))
      case $row in
        *" | $value | "*) alike=$((alike + 1)) ;;
        *) echo "rng: not there: $kind, ${test#*:}, seed $seed: $value" ;;
      esac
    done
  done
  if [ $alike = $asked ] && echo "rng: $asked p-values are the same"; then
    sh bench/provenance.sh again $report || failed=1
  else
    failed=1
  fi
}
generator
exit $failed
