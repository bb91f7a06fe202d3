#!/bin/sh
# All benchmarks, one after another, on one commit: `make bench-everything [DATA=folder] [PACE=folder]`. Resumable: what has
# finished on this commit is not run again, and what can go on by itself does. What each printed is kept in OUT/NAME.log,
# when it was done and how long it took in OUT/NAME.done. At the end a table of times; with KEEP=1 results that are complete
# replace those of bench/results.
#
# Environment: OUT (default bench/out/everything), DATA (default ../shared/data), PACE (default ../shared/pace), ONLY (names,
# default all), MAKE, KEEP; LBP_SCALE, DISCS and PYTHON of bench-peers.
set -u
cd "$(dirname "$0")/.." || exit 2
OUT=${OUT:-bench/out/everything} DATA=${DATA:-../shared/data} PACE=${PACE:-../shared/pace} MAKE=${MAKE:-make}
KEEP=${KEEP:-0}
[ -d "$PACE" ] || PACE=
commit=$(git describe --always --dirty 2> /dev/null || echo unknown)
mkdir -p "$OUT" || exit 2
case $commit in
  *-dirty) echo "bench-everything: $commit is no commit: what comes of it cannot be kept" && KEEP=0 ;;
esac

# name | minutes on two cores, about | what `make` is asked for | results: of bench/out, "log" for what it printed, as which
# file of bench/results
steps="
table1 | 6 | bench | table1.md:table1/report.md
theory | 10 | bench-theory | log:theory.md
tuning | 30 | bench-tuning | log:tuning.md
tuning-seconds | 10 | bench-tuning ARGS=--per-second | log:tuning_seconds.md
floor | 10 | bench-floor ${PACE:+PACE='$PACE'} | floor.csv:speed floor_samplers.csv:speed floor_scaling.csv:speed floor_small.csv:speed floor.svg:speed
phases | 2 | bench-phases | log:phases.md
dense | 1 | bench-dense | dense.csv:speed
builds | 2 | bench-builds | builds.csv:speed
compare | 45 | bench-compare | compare.csv:compare compare.svg:compare
sharp | 30 | bench-sharp | sharp.csv: sharp/sharp.svg:
constraints | 22 | bench-constraints DATA='$DATA' | constraints/constraints.csv: constraints/best.csv:constraints_best.csv constraints/race.csv:constraints_race.csv constraints/constraints.svg: constraints/report.md:constraints.md constraints/speed.md:constraints_speed.md
bisection | 3 | bench-bisection DATA='$DATA/gset' | log:bisection.md
networks | 5 | bench-constraints-others | log:networks.md
categorical | 40 | bench-categorical DATA='$DATA' | categorical/categorical.csv: categorical/race.csv:categorical_race.csv categorical/categorical.svg:
run | 20 | bench-run | run/report.md:run
peers | 45 | bench-peers | peers/peers.csv:compare peers/peers.md:compare
bridge | 8 | bench-bridge DATA='$DATA/gset' | log:bridge.md bridge/dimod.csv:bridge_dimod.csv
diagonal | 3 | bench-diagonal | log:diagonal.md
search | 100 | bench-search DATA='$DATA/gset' | search/glasses.csv:
search-others | 70 | bench-search-others DATA='$DATA/gset' | search/search.csv: search/search.svg:
any-scale | 120 | bench-any-scale | any_scale/*.csv:any_scale any_scale/*.svg:any_scale any_scale/report.md:any_scale
paper | 90 | bench-paper | paper/*.csv:paper paper/*.svg:paper paper/report.md:paper
rng | 90 | bench-rng | rng/report.md:rng
ebm | 300 | bench-ebm DATA='$DATA' | ebm/*.csv:ebm ebm/*.svg:ebm ebm/*.png:ebm ebm/report.md:ebm
"

# each COMMAND: for every step that is asked for: COMMAND NAME MINUTES TARGET RESULTS
each() {
  echo "$steps" | while IFS='|' read -r name minutes target results; do
    name=${name% } minutes=${minutes# }
    [ -n "$name" ] || continue
    case " ${ONLY:-$name} " in *" $name "*) "$1" "$name" "${minutes% }" "$target" "$results" < /dev/null ;; esac
  done
}

finished() { [ "$(sed -n 1p "$OUT/$1.done" 2> /dev/null)" = "$commit" ]; }
to_do() { finished "$1" || echo "$2"; }
minutes_left() { each to_do | awk '{ sum += $1 } END { printf "%d h %02d min", sum / 60, sum % 60 }'; }

# The seconds of a step that was stopped count, too: they stand in OUT/NAME.spent.
run() {
  finished "$1" && return
  echo "$(date +%H:%M) $1, about $2 min; about $(minutes_left) left of all"
  [ "$(sed -n 1p "$OUT/$1.spent" 2> /dev/null)" = "$commit" ] || printf '%s\n0\n' "$commit" > "$OUT/$1.spent"
  begin=$(date +%s) before=$(sed -n 2p "$OUT/$1.spent")
  {
    sh bench/common/made.sh
    echo
  } > "$OUT/$1.log"
  # targets are words
  eval "'$MAKE' --no-print-directory -s $3" >> "$OUT/$1.log" 2> "$OUT/$1.err"
  status=$?
  spent=$((before + $(date +%s) - begin))
  printf '%s\n%s\n' "$commit" "$spent" > "$OUT/$1.spent"
  if [ $status = 0 ]; then
    printf '%s\n%s\n%s\n' "$commit" "$spent" "$(date -u +%Y-%m-%d)" > "$OUT/$1.done"
  else
    echo "$1: status $status: $(tail -n 1 "$OUT/$1.err")"
  fi
}

keep() {
  finished "$1" || return
  for result in $4; do
    from=${result%%:*} to=${result#*:}
    case $from in
      log) grep -v '^lbp: \|^make' "$OUT/$1.log" > "bench/results/$to" ;;
      # names may be patterns
      *) for file in bench/out/$from; do
           case $to in
             '') cp "$file" bench/results/ ;;
             *.*) cp "$file" "bench/results/$to" ;;
             *) mkdir -p "bench/results/$to" && cp "$file" "bench/results/$to/" ;;
           esac
         done ;;
    esac
  done
}

row() {
  if finished "$1"; then
    awk -v name="$1" 'NR == 2 { seconds = $1 } NR == 3 { printf "| %s | %.1f | %s |\n", name, seconds / 60, $1 }' "$OUT/$1.done"
  else
    echo "| $1 | not finished, about $2 | |"
  fi
}
table() {
  echo '# All benchmarks'
  echo
  echo "$(sh bench/common/made.sh). Written by \`make bench-everything\`: minutes of each."
  echo
  echo '| benchmark | minutes | finished |'
  echo '|---|---:|---|'
  each row
  awk 'FNR == 2 { sum += $1 } END { printf "| all that finished, hours | %.1f | |\n", sum / 3600 }' "$OUT"/*.done
}

trap 'echo "Stopped. The same command goes on from here."; exit 130' INT TERM
each run
table > "$OUT/times.md"
[ "$KEEP" = 1 ] && { each keep; cp "$OUT/times.md" bench/results/times.md; }
cat "$OUT/times.md"
