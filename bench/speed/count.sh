#!/bin/sh
# What a flip costs whatever else the machine does: its instructions, branches and last-level misses, next to a pace
# car's, as cachegrind counts them. `make bench-floor-count [PACE=folder of pace cars]`; a table of Markdown.
#
# A program takes some steps, and then more: set-up is in both counts. Of the caches the second is the last that is
# simulated, 1 MB; cachegrind ignores prefetches, which only bring a miss forward. Valgrind runs no AVX-512: on x86-64
# both are compiled for AVX2, unless CFLAGS name a processor.
#
# Environment: CC, CFLAGS (default -O3), BUILD (default build), PACE, SIZES (default "100 6400 100000"; 1000000 takes two
# minutes more).
set -u
command -v valgrind > /dev/null || { echo 'bench-floor-count: there is no valgrind' && exit 0; }
CC=${CC:-cc} CFLAGS=${CFLAGS:--O3} BUILD=${BUILD:-build} PACE=${PACE:-} SIZES=${SIZES:-100 6400 100000}
case "$(uname -m) $CFLAGS" in
  *-march=*) ;;
  x86_64*) CFLAGS="$CFLAGS -march=x86-64-v3" ;;
esac
into=$BUILD/count
mkdir -p "$into" || exit 1

# compiled TO FLAG...
compiled() {
  program=$into/$1 && shift
  # shellcheck disable=SC2086 # several flags
  $CC $CFLAGS -fno-math-errno -w "$@" -o "$program" bench/speed/count.c -lm
}

# car MODEL FILE FLAG...: a pace car
car() {
  model=$1 file=$2 && shift 2
  rm -f "$into/$model-car"
  [ -n "$PACE" ] || return 0
  if ! [ -f "$PACE/$file" ]; then echo "bench-floor-count: PACE=$PACE has no $file"
  elif ! compiled "$model-car" "-DPACE_CAR=\"$(cd "$PACE" && pwd)/$file\"" "$@" 2> "$into/log"; then
    echo "bench-floor-count: no $file, which this compiler cannot build for this processor: $into/log"
  fi
}

# simulated PROGRAM MODEL EXTENT R STEPS: instructions, branches, last-level misses
simulated() {
  program=$1 && shift
  NOHUGE=1 OMP_NUM_THREADS=1 valgrind --tool=cachegrind --cachegrind-out-file=/dev/null --cache-sim=yes --branch-sim=yes \
    --I1=32768,8,64 --D1=32768,8,64 --LL=1048576,16,64 "$into/$program" "$@" 2>&1 | awk '
      { gsub(",", "") }
      / I +refs:/ { instructions = $4 }
      / Branches:/ { branches = $3 }
      / LL misses:/ { misses = $4 }
      END { print instructions + 0, branches + 0, misses + 0; exit !instructions }'
}

# a_flip PROGRAM MODEL EXTENT R: the same of a flip, from so many steps that what they accept hardly matters
a_flip() {
  [ -x "$into/$1" ] || { echo '- - -' && return; }
  more=$((64 + 60000 / $4))
  one=$(simulated "$@" 64) && two=$(simulated "$@" $((64 + more))) || return 1
  echo "$one $two" | awk -v flips=$(($4 * more)) '{ print ($4 - $1) / flips, ($5 - $2) / flips, ($6 - $3) / flips }'
}

# row MODEL N EXTENT R
row() {
  ours=$(a_flip count "$1" "$3" "$4") && cars=$(a_flip "$1-car" "$1" "$3" "$4") || return 1
  echo "$1 $2 $4 $ours $cars" | awk '
    function by_car(k) { return $(k + 3) == "-" ? "" : $(k + 3) > 0 ? sprintf("%.2f", $k / $(k + 3)) : "" }
    function of(k, digits) { return $k == "-" ? "" : sprintf("%." digits "f", $k > 0 ? $k : 0) }
    { print "| " $1 " | " $2 " | " $3 " | " of(4, 1) " | " of(7, 1) " | " by_car(4) " | " of(5, 1) " | " of(8, 1) " | " \
            of(6, 2) " | " of(9, 2) " | " ($9 >= 0.05 ? by_car(6) : "") " |" }'
}

[ -n "$PACE" ] || echo 'bench-floor-count: no PACE=folder of pace cars: their columns stay empty'
compiled count || exit 1
car bernoulli bern_avx2.c -DGEN=0 -DGF=0
car ising ising_avx2.c -DGEN=0 -DGF=0 -DREC=1
sh bench/common/made.sh "$(basename "$CC") $($CC -dumpfullversion -dumpversion) $CFLAGS, $(valgrind --version)"
echo
echo 'Counts of cachegrind a flip, t/(1+t): of a step and of a pace car; caches of 32 kB and 1 MB.'
echo
echo "| model | N | R | instructions | car's | ratio | branches | car's branches | misses | car's misses | misses' ratio |"
echo '|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|'
for n in $SIZES; do # with the odd R that is best in bench/results/speed/floor_avx2.csv
  case $n in
    100) row bernoulli 100 100 35 && row ising 100 10 23 ;;
    800) row bernoulli 800 800 147 && row ising 784 28 83 ;;
    6400) row bernoulli 6400 6400 619 && row ising 6400 80 299 ;;
    100000) row bernoulli 100000 100000 3965 && row ising 99856 316 1457 ;;
    1000000) row bernoulli 1000000 1000000 18765 && row ising 1000000 1000 4991 ;;
    *) echo "bench-floor-count: SIZES are of 100 800 6400 100000 1000000, not $n" && exit 2 ;;
  esac || exit 1
done
