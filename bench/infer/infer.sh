#!/bin/sh
# How honest the errors of examples/infer are: sampled answers, with elimination capped, against exact ones.
#
#   sh bench/infer/infer.sh INFER TO.csv SEEDS SECONDS FOLDER ...
#
# INFER is the compiled example. Of each network FOLDER/NAME.uai or .fg with NAME.uai.MAR next to it (and .PR, .evid):
# the exact answer first, then SEEDS samplings of SECONDS each with tables of at most 64 cells eliminated. Every run
# adds a line to TO.csv; those that are there already are not done again. The table comes last.
#
#   network, method, seed, error (largest of a marginal), se (largest), z2 (mean square of error / se over the cells
#   whose se is above 1e-6), cells (of these), pr_error and pr_se (log10), warned (1: a warning named a site; or there
#   was no answer, which leaves the numbers out)
set -u
infer=$1 csv=$2 seeds=$3 seconds=$4
shift 4
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
[ -s "$csv" ] || echo "# $(sh bench/common/made.sh)" > "$csv"
grep -q '^network,' "$csv" || echo 'network,method,seed,error,se,z2,cells,pr_error,pr_se,warned' >> "$csv"

# numbers FILE: those of an answer, one on a line, without its first line and the counts of values
numbers() {
  awk 'NR > 1 {
    for (k = 1; k <= NF; k++) {
      if (!sites) sites = $k
      else if (!left) left = $k
      else { print $k; left-- }
    }
  }' "$1"
}

# run METHOD SEED OPTION...: adds a line unless it is there
run() {
  method=$1 seed=$2
  shift 2
  if grep -qF "$name,$method,$seed," "$csv"; then return; fi
  set -- "$network" "$@" -seed "$seed"
  [ ! -f "$answers.evid" ] || set -- "$@" -evid "$answers.evid"
  if ! "$infer" "$@" -task MAR -o "$scratch/mar" -se "$scratch/se" 2> "$scratch/said"; then
    cat "$scratch/said" >&2
    echo "$name,$method,$seed,,,,,,,1" >> "$csv"
    return
  fi
  if [ "$method" = exact ]; then # says no log10 Z by itself
    "$infer" "$@" -task PR -o "$scratch/pr" 2> "$scratch/said" || return
    awk 'NR == 2 { print "infer: log10 Z " $1 " +- 0" }' "$scratch/pr" >> "$scratch/said"
  fi
  numbers "$answers.MAR" > "$scratch/want"
  numbers "$scratch/mar" > "$scratch/got"
  numbers "$scratch/se" > "$scratch/errors" # zeros, where the answer is exact
  paste "$scratch/want" "$scratch/got" "$scratch/errors" | awk -v name="$name" -v method="$method" -v seed="$seed" \
    -v pr="$(awk 'NR == 2 { print $1 }' "$answers.PR" 2> /dev/null)" -v said="$scratch/said" '
    { d = $2 - $1; if (d < 0) d = -d
      if (d > worst) worst = d
      if ($3 > se) se = $3
      if ($3 > 1e-6) { z2 += d * d / ($3 * $3); cells++ } }
    END {
      warned = 0
      while ((getline line < said) > 0) {
        if (line ~ /warning: .* site [0-9]/) warned = 1
        if (line ~ /log10 Z/) { split(line, word, " "); z = word[4]; pr_se = word[6] }
      }
      off = pr == "" || pr_se == "" ? "" : z - pr
      printf "%s,%s,%s,%.3g,%.3g,", name, method, seed, worst, se
      printf "%.4g,%d,%s,%s,%d\n", cells ? z2 / cells : 0, cells, off, pr_se, warned
    }' >> "$csv"
}

for folder in "$@"; do
  for network in "$folder"/*.uai "$folder"/*.fg; do
    answers=$network
    [ -f "$network" ] && [ -f "$answers.MAR" ] || continue
    name=$(basename "$network") # NAME.uai and NAME.fg may differ
    run exact 1
    seed=1
    while [ "$seed" -le "$seeds" ]; do
      printf '%s, seed %s of %s\r' "$name" "$seed" "$seeds" >&2
      run sampled "$seed" -exact 0 -cells 64 -time "$seconds"
      seed=$((seed + 1))
    done
  done
done
awk -f bench/infer/table.awk "$csv"
