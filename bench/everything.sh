#!/bin/sh
# All benchmarks, one after another, on one commit: `make bench-everything [DATA=folder] [PACE=folder] [NETWORKS=folder]
# [LIBDAI=folder] [MQLIB=program]`. Left out are bench-gpu, and bench-infer where NETWORKS names no folder of networks that
# bench/infer/networks.py wrote: its results have these, too. Resumable: what has
# finished on this commit is not run again, and what can go on by itself does. What each printed is kept in OUT/NAME.log,
# and in OUT/NAME.done a row of times.md: minutes, day, processor, commit. With KEEP=1 the results of each replace
# those in INTO as soon as they are complete, and rows of INTO/times.md of this commit count as finished: a checkout of
# this commit goes on, on any machine, from results that are kept in another one (within bench-ebm, too, once INTO/ebm is
# copied to bench/out/ebm).
#
# Environment: OUT (default bench/out/everything), DATA (default ../shared/data), PACE (default ../shared/pace), ONLY (names,
# default all), MAKE, KEEP, INTO (default bench/results); NETWORKS, LIBDAI of bench-infer-others, MQLIB (default MQLib) of
# bench-burer; LBP_SCALE, DISCS and PYTHON of bench-peers.
set -u
cd "$(dirname "$0")/.." || exit 2
OUT=${OUT:-bench/out/everything} DATA=${DATA:-../shared/data} PACE=${PACE:-../shared/pace} MAKE=${MAKE:-make}
KEEP=${KEEP:-0} INTO=${INTO:-bench/results} NETWORKS=${NETWORKS:-} LIBDAI=${LIBDAI:-} MQLIB=${MQLIB:-MQLib}
[ -d "$PACE" ] || PACE=
commit=$(sh bench/common/made.sh | sed 's/.*, commit \([^;]*\);.*/\1/') # results that were kept are no change of it
processor=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2> /dev/null | head -n 1)
compiler=$("$MAKE" -n bench-dense 2> /dev/null | sed -n 's/^lbp: \([^,]*\),.*/\1/p')
compiler="$compiler ($(${compiler%% *} --version 2> /dev/null | sed -n 1p))"
mkdir -p "$OUT" "$INTO" || exit 2
case $commit in
  *-dirty) echo "bench-everything: $commit is no commit: what comes of it cannot be kept" && KEEP=0 ;;
esac

# name | minutes on two cores, about | what `make` is asked for | results: of bench/out, "log" for what it printed, as which
# file of bench/results
ebm="bench-ebm DATA='$DATA' SEEDS=1\ 2 TRAINED=1"
# the build for AVX2 comes before the one for this processor, whose files stay in bench/out
floor_avx2=
[ "$(uname -m)" != x86_64 ] || floor_avx2="floor-avx2 | 10 | bench-floor NATIVE=0 CFLAGS='-O3 -march=x86-64-v3' \
BUILD=build/v3 ${PACE:+PACE='$PACE'} | floor.csv:speed/floor_avx2.csv floor_samplers.csv:speed/floor_avx2_samplers.csv \
floor_dense.csv:speed/floor_avx2_dense.csv floor_o2.csv:speed/floor_avx2_o2.csv"
infer=
[ -z "$NETWORKS" ] || infer="infer | 25 | bench-infer TRIALS=20 SECONDS=4 DATA='$DATA/uai $NETWORKS' | infer.csv:
infer-30 | 10 | bench-infer TRIALS=1 SECONDS=30 TO=bench/out/infer_30.csv DATA='$DATA/uai $NETWORKS' | infer_30.csv:"
steps="
table1 | 6 | bench | table1.md:table1/report.md table1.csv:table1 table1.svg:table1
theory | 5 | bench-theory | log:theory.md
tuning | 30 | bench-tuning | log:tuning.md
tuning-seconds | 10 | bench-tuning ARGS=--per-second | log:tuning_seconds.md
$floor_avx2
floor | 10 | bench-floor ${PACE:+PACE='$PACE'} | floor.csv:speed floor_samplers.csv:speed floor_scaling.csv:speed floor_small.csv:speed floor_dense.csv:speed floor_o2.csv:speed floor.svg:speed
phases | 2 | bench-phases | phases.csv:speed phases.svg:speed
dense | 1 | bench-dense | dense.csv:speed
builds | 2 | bench-builds | builds.csv:speed
sweeps | 1 | bench-sweeps | sweeps.csv:speed
terms | 1 | bench-terms | terms.csv:speed
floor-count | 3 | bench-floor-count SIZES='100 6400 100000 1000000' ${PACE:+PACE='$PACE'} | counts.md:speed
compare | 45 | bench-compare | compare.csv:compare compare.svg:compare
clusters | 20 | bench-clusters | clusters/clusters.csv:clusters clusters/replicas.csv:clusters clusters/clusters.svg:clusters clusters/report.md:clusters clusters/speed.md:clusters
lanes | 8 | bench-lanes | lanes/*.csv:lanes lanes/lanes_runs.svg:lanes lanes/report.md:lanes
lanes-others | 1 | bench-lanes-others | lanes/by_hand.csv:lanes
sharp | 30 | bench-sharp | sharp.csv: sharp/sharp.svg:
sharp-by-hand | 1 | bench-sharp ARGS=--by-hand | log:sharp_by_hand.md
constraints | 22 | bench-constraints DATA='$DATA' | constraints/constraints.csv: constraints/best.csv:constraints_best.csv constraints/race.csv:constraints_race.csv constraints/constraints.svg: constraints/report.md:constraints.md constraints/speed.md:constraints_speed.md
bisection | 3 | bench-bisection DATA='$DATA/gset' | log:bisection.md
networks | 5 | bench-constraints-others | log:networks.md
sharp-others | 20 | bench-sharp-others | log:sharp_others.md
categorical | 40 | bench-categorical DATA='$DATA/instances' | categorical/categorical.csv: categorical/race.csv:categorical_race.csv categorical/categorical.svg:
categorical-others | 50 | bench-categorical-others MINUTES=15 DATA='$DATA/instances' ALIGNMENTS='$DATA/alignments' | log:categorical_others.md
run | 20 | bench-run | run/report.md:run
scaling | 1 | bench-scaling |
$infer
infer-others | 10 | bench-infer-others LIBDAI='$LIBDAI' DATA='$DATA/uai' | infer_others.csv:
peers | 45 | bench-peers | peers/peers.csv:compare peers/peers.md:compare
bridge | 8 | bench-bridge DATA='$DATA/gset' | log:bridge.md bridge/dimod.csv:bridge_dimod.csv
diagonal | 3 | bench-diagonal | diagonal.csv:any_scale
search | 100 | bench-search DATA='$DATA/gset' | search/search.csv: search/glasses.csv: search/variants.csv:search_variants.csv search/ranges.csv:search_ranges.csv
search-others | 70 | bench-search-others DATA='$DATA/gset' | search/search.csv: search/search.svg:
burer | 3 | bench-burer MQLIB='$MQLIB' DATA='$DATA/gset' | search/burer.csv:search_burer.csv
parts | 2 | bench-parts DATA='$DATA/gset' | search/parts.csv:search_parts.csv
any-scale | 60 | bench-any-scale | any-scale/*.csv:any_scale any-scale/*.svg:any_scale any-scale/report.md:any_scale
paper | 97 | bench-paper | paper/*.csv:paper paper/*.svg:paper paper/report.md:paper
spread | 40 | bench-spread DATA='$DATA/mnist/train-images-idx3-ubyte.gz' | spread/spread.md:paper spread/networks.csv:../data
rng | 90 | bench-rng | rng/report.md:rng
ebm-mnist | 45 | $ebm PARTS=train\ mixing\ early SHOWN=mnist | ebm/mnist*.txt:ebm ebm/mnist*.csv:ebm ebm/mnist*.svg:ebm ebm/mnist_samples.png:ebm
ebm-omniglot | 30 | $ebm PARTS=train\ mixing SHOWN=omniglot | ebm/omniglot*.txt:ebm ebm/omniglot*.csv:ebm ebm/omniglot*.svg:ebm ebm/omniglot_samples.png:ebm
ebm-caltech | 30 | $ebm PARTS=train\ mixing SHOWN=caltech | ebm/caltech*.txt:ebm ebm/caltech*.csv:ebm ebm/caltech*.svg:ebm ebm/caltech_samples.png:ebm
ebm-table-mnist | 90 | $ebm PARTS=steps SETS=mnist | ebm/rows.csv:ebm
ebm-table-dynamic | 90 | $ebm PARTS=steps SETS=dynamic | ebm/rows.csv:ebm
ebm-table-omniglot | 90 | $ebm PARTS=steps SETS=omniglot | ebm/rows.csv:ebm
ebm-table-caltech | 270 | $ebm PARTS=steps SETS=caltech | ebm/rows.csv:ebm
ebm-tuned-mnist | 35 | $ebm PARTS=tuned TUNED=mnist | ebm/rows.csv:ebm ebm/mnist_pace.txt:ebm
ebm-tuned-omniglot | 35 | $ebm PARTS=tuned TUNED=omniglot | ebm/rows.csv:ebm ebm/omniglot_pace.txt:ebm
ebm | 2 | $ebm PARTS=speed\ report | ebm/speed.txt:ebm ebm/report.md:ebm
overview | 0 | bench-overview | overview.csv: overview.svg:
"

# each COMMAND: for every step that is asked for: COMMAND NAME MINUTES TARGET RESULTS
each() {
  echo "$steps" | while IFS='|' read -r name minutes target results; do
    name=${name% } minutes=${minutes# }
    [ -n "$name" ] || continue
    case " ${ONLY:-$name} " in *" $name "*) "$1" "$name" "${minutes% }" "$target" "$results" < /dev/null ;; esac
  done
}

finished() { grep -q "| $commit |\$" "$OUT/$1.done" 2> /dev/null; }
to_do() { finished "$1" || echo "$2"; }
minutes_left() { each to_do | awk '{ sum += $1 } END { printf "%d h %02d min", sum / 60, sum % 60 }'; }

# The seconds of a step that was stopped count, too: they stand in OUT/NAME.spent.
run() {
  finished "$1" && return
  echo "$(date +%H:%M) $1, about $2 min; about $(minutes_left) left of all"
  [ "$(sed -n 1p "$OUT/$1.spent" 2> /dev/null)" = "$commit" ] || printf '%s\n0\n' "$commit" > "$OUT/$1.spent"
  begin=$(date +%s) before=$(sed -n 2p "$OUT/$1.spent")
  {
    sh bench/common/made.sh "$compiler"
    echo
  } > "$OUT/$1.log"
  # targets are words
  eval "'$MAKE' --no-print-directory -s $3" >> "$OUT/$1.log" 2> "$OUT/$1.err"
  status=$?
  spent=$((before + $(date +%s) - begin))
  printf '%s\n%s\n' "$commit" "$spent" > "$OUT/$1.spent"
  # it goes on without; what a peer cannot do is a result
  missing=$(sed -n "/pgmpy can't be run on/d; s/^bench-[a-z-]*: //p" "$OUT/$1.log" | sed -n 1p)
  if [ $status != 0 ]; then
    echo "$1: status $status: $(tail -n 1 "$OUT/$1.err")"
  elif [ -n "$missing" ]; then
    echo "$1: $missing"
  elif [ "$KEEP" != 0 ] && ! keep "$@"; then
    echo "$1: not all of its results are there: see $OUT/$1.log"
  else
    awk -v name="$1" -v spent=$spent -v day="$(date -u +%Y-%m-%d)" -v processor="$processor" -v commit="$commit" 'BEGIN {
      printf "| %s | %.1f | %s | %s | %s |\n", name, spent / 60, day, processor, commit
    }' > "$OUT/$1.done"
    [ "$KEEP" = 0 ] || { (ONLY= && each kept); table > "$INTO/times.md"; } # with another run's rows
  fi
}

# kept NAME...: what INTO/times.md says of it, as OUT/NAME.done
kept() { finished "$1" || { row=$(grep "^| $1 | [0-9.]* |" "$INTO/times.md" 2> /dev/null) && echo "$row" > "$OUT/$1.done"; }; }

keep() {
  for result in $4; do
    from=${result%%:*} to=${result#*:}
    # a name, or a folder for files whose names may be patterns
    case $to in *.*) file=$INTO/$to ;; *) file=$INTO/${to:+$to/} ;; esac
    mkdir -p "${file%/*}"
    case $from in
      log) grep -v '^lbp: \|^make' "$OUT/$1.log" > "$file" ;;
      *) cp bench/out/$from "$file" || return 1 ;; # from: names or a pattern
    esac
    [ "$INTO" != bench/results ] || case $from,$file in
      # what a pattern stands for
      *\**,*/) (cd "bench/out/${from%/*}" && for it in ${from##*/}; do echo "$file$it"; done) ;;
      *,*/) echo "$file${from##*/}" ;;
      *) echo "$file" ;;
    esac
  done > "$OUT/$1.kept"
  while read -r file; do
    case $file in *.png | */data/*) ;; *) sh bench/provenance.sh record "$file" || return 1 ;; esac
  done < "$OUT/$1.kept"
}

row() { [ -s "$OUT/$1.done" ] && cat "$OUT/$1.done" || echo "| $1 | | about $2 min | | |"; }
table() {
  echo '# All benchmarks'
  echo
  echo '`make bench-everything` writes this: minutes that each took, when, on what, and of which commit its results are.'
  echo
  echo '| benchmark | minutes | finished | processor | commit |'
  echo '|---|---:|---|---|---|'
  (ONLY= && each row)
  cat "$OUT"/*.done | awk -F'|' '{ sum += $3 } END { printf "\n%.1f hours for all that has finished.\n", sum / 60 }'
}

trap 'echo "Stopped. The same command goes on from here."; exit 130' INT TERM
[ "$KEEP" = 0 ] || (ONLY= && each kept)
each run
table
