#!/bin/sh
# Examples as programs: what they refuse, in how many words, and what they say of data that are not their own. A minute.
# Environment: CC, EXAMPLES (the folder that they are in), OUT (a folder).
CC=${CC:-cc} EXAMPLES=${EXAMPLES:-build/tested/examples} OUT=${OUT:-build/examples_test}
cd "$(dirname "$0")/.." || exit 2
mkdir -p "$OUT" || exit 2
work=$OUT
. tests/check.sh

says() { # STATUS TEXT EXAMPLE ARGUMENT...
  want=$1 text=$2 program=$EXAMPLES/$3
  shift 3
  "$program" "$@" > "$work/out" 2>&1
  status=$?
  cat "$work/out"
  [ $status -eq "$want" ] && grep -q -e "$text" "$work/out"
}
usage() { # EXAMPLE ARGUMENT...: more than one line would be more than that of usage
  says 2 '^usage: ' "$@" && [ "$(wc -l < "$work/out")" -eq 1 ]
}

# ---- command lines ---------------------------------------------------------------------------------------------------

for name in bisection denoise digits maxcut potts protein rbm_log_z select; do
  check "$name: an option, where a file belongs" usage $name --help
  [ $name = bisection ] && second='min -o' || second=-o
  # words, on purpose
  # shellcheck disable=SC2086
  check "$name: the same, where it would write" usage $name "$work/none" $second
done
check 'protein: the same of weights' usage protein - - --help
check 'denoise: a picture to read, none to write' usage denoise "$work/none"
check 'denoise: words that are no numbers' usage denoise - "$work/picture.pgm" abc
check 'denoise: too many arguments' usage denoise - "$work/picture.pgm" 1 1
check 'digits: steps, and more' usage digits "$work/none" "$work/picture.pgm" 20x
check 'digits: no step' usage digits "$work/none" "$work/picture.pgm" 0
check 'lanes: an option, where it would write' usage lanes --help
check 'fields: a word' usage fields abc
check 'fields: no flip' usage fields 0
check 'potts: levels, and more' usage potts - "$work/picture.pgm" 4x
check 'potts: a number, and more' usage potts - "$work/picture.pgm" 4 1x
check 'protein: steps, and more' usage protein "$work/none" - - 5x
check 'rbm_log_z: chains, and more' usage rbm_log_z "$work/none" "$work/none" 5x
check 'rbm_log_z: one rung' usage rbm_log_z "$work/none" "$work/none" 5 1
check 'select: columns, and more' usage select - - - 5x
check 'spin_glass: a word' usage spin_glass 3 abc
check 'spin_glass: no draw' usage spin_glass 3 0
check 'spin_glass: a side, and more' usage spin_glass 3x 10

# ---- tables of numbers -----------------------------------------------------------------------------------------------

printf 'a,b\n1,2\n3,\000\n5,6\n' > "$work/zero.csv"
check 'select: a table with a byte of 0' says 1 'zero\.csv: a byte of 0' select "$work/zero.csv"
dd if=/dev/zero of="$work/long.csv" bs=1 count=0 seek=67108865 2> /dev/null
check 'select: a file that is too long' says 1 'long\.csv: longer than 67108864 bytes' select "$work/long.csv"
rm -f "$work/long.csv"
# 200 rows of 30 columns that resemble their neighbours: chains that swap without weights disagree here
awk 'function u() { s = (16807 * s) % 2147483647; return s / 2147483647 }
  function z() { return u() + u() + u() + u() + u() + u() - 3 }
  BEGIN {
    s = 15
    for (j = 1; j <= 30; j++) printf "c%d,", j
    print "y"
    for (i = 0; i < 200; i++) {
      e = z()
      for (j = 1; j <= 30; j++) { e = 0.6 * e + 0.8 * z(); x[j] = e; printf "%.5f,", e }
      printf "%.5f\n", x[3] - 0.6 * x[4] + 0.35 * x[10] + 0.3 * x[17] + 0.25 * x[18] + 0.2 * x[26] + 1.2 * z()
    }
  }' > "$work/ordinary.csv"
agreed() { says 0 'exactly 5 of 30 columns' select "$work/ordinary.csv" - - 5 && ! grep -q R-hat "$work/out"; }
check 'select: chains of five columns agree' agreed
another() { says 0 'factors go with Prob' select - - Prob && [ "$(grep -c '^Crime' "$work/out")" = 2 ]; }
check 'select: another column of its own data' another
nowhere() { says 1 'there is no column Rate' select - - Rate && [ "$(grep -c '^select: ' "$work/out")" = 1 ]; }
check 'select: a column that its own data lack' nowhere
printf 'A,B\n1,2\n2,1\n' > "$work/two.csv"
check 'select: too few rows' says 1 '2 rows, and 1 columns without B: a model takes 3 rows or more' select "$work/two.csv"
awk 'BEGIN { for (i = 0; i < 4; i++) for (j = 1; j <= 46342; j++) printf "%s%d%s", i ? "" : "c", i ? (i + j) % 9 : j, j < 46342 ? "," : "\n" }' \
  > "$work/wide.csv"
check 'select: too many columns' says 1 '46341 columns without c46342: .*1 to 46340' select "$work/wide.csv"
rm -f "$work/wide.csv"
awk 'BEGIN { for (i = 0; i < 784; i++) print i == 67 ? 1.5 : 0.5 }' > "$work/means.txt"
check 'rbm_log_z: means that are none' says 1 'means.txt: number 68 is 1.5: means are from 0 to 1' \
  rbm_log_z bench/data/rbm_400.bin "$work/means.txt"

# ---- graphs and networks ---------------------------------------------------------------------------------------------

: > "$work/empty"
check 'cipher: a text without a letter' says 1 'empty: no letters' cipher "$work/empty" README.md
check 'lanes: a picture that cannot be written' says 1 'lanes: .*none/a.svg: cannot be written' lanes "$work/none/a.svg"
check 'ergm: chains that are stuck have no errors' says 0 'two-stars .* +- unknown$' ergm 12 20 6 0 40
constant() { says 0 'two-stars  *10.0000 +- 0.0000$' ergm 6 7 3 0.2 40 && ! grep unknown "$work/out"; }
check 'ergm: chains that agree on one network have error 0' constant
awk 'BEGIN {
  printf "MARKOV\n5001\n"
  for (i = 0; i <= 5000; i++) printf "2 "
  print "\n5000"
  for (i = 1; i <= 5000; i++) print 2, 0, i
  for (i = 1; i <= 5000; i++) print "4 1 2 3 4"
}' > "$work/star.uai"
for task in MAR MPE; do
  check "infer: a site with too many others, $task" says 2 '4096 others: give more -cells' \
    infer "$work/star.uai" -exact 0 -cells 0 -task $task
done
printf '3 2\n1 2 1\n2 3 1\n' > "$work/path.graph"
for way in '' ' 0 temper' ' 0 parts'; do
  # words, on purpose
  # shellcheck disable=SC2086
  check "maxcut: no time at all$way" says 1 'SECONDS: no sweep has ended' maxcut "$work/path.graph" - 1e-12$way
done
# 20,000 sites, of whose 64 reads none has a state in time
awk 'BEGIN { print 20000, 20000; for (i = 1; i <= 20000; i++) print i, i % 20000 + 1, 1 + i % 7 }' > "$work/ring.graph"
stateless() { says 1 'SECONDS: no sweep has ended' maxcut "$work/ring.graph" - 0.001 64 temper && ! grep inf "$work/out"; }
check 'maxcut: reads without a state' stateless
awk 'BEGIN {
  print 41, 40
  for (i = 0; i < 40; i++) printf "1 %d %s%d.%d\n", i + 2, i % 2 ? "-" : "", 400000000000 + 7 * i, 1 + i % 9
}' > "$work/star.graph"
for name in 'maxcut' 'bisection'; do
  [ $name = bisection ] && best=min || best=
  # words, on purpose
  # shellcheck disable=SC2086
  check "$name: values that double cannot hold" says 1 'make the large ones smaller' $name "$work/star.graph" $best
done
if [ -f /proc/self/mem ] && ! cat /proc/self/mem > /dev/null 2>&1; then
  check 'maxcut: a file that cannot be read' says 1 'self/mem, line 1: a file could not be read' maxcut /proc/self/mem
else
  skip 'a file that cannot be read: there is no /proc/self/mem'
fi

# ---- what no command line brings about -------------------------------------------------------------------------------

within() { # TEXT EXAMPLE: with functions that fail, by tools/examples.c
  name=$(echo "$2" | tr '[:lower:]' '[:upper:]')
  $CC -O0 -w -I. "-DOF_$name" -o "$work/$2" tests/tools/examples.c -lm &&
    (EXAMPLES=$work && says 0 "$1" "$2" "$work/$2.file")
}
check 'select: stuck chains, impossible models' within 'R-hat of log pi: each chain is stuck' select
check 'select: equal chains' grep 'R-hat of log pi: two chains have the same draws' "$work/out"
check 'maxcut: more improvements than there are places' within '^ *2000.00 s  *2000$' maxcut
check 'denoise: a pixel that cannot be written' within 'denoise.file: ' denoise
check 'lanes: no memory' within 'lanes: out of memory' lanes
check 'potts: no memory' within 'potts: out of memory' potts
check 'rbm_log_z: memory that is kept' within 'rbm_log_z.file: cannot open' rbm_log_z
check 'infer: no memory for its first answer' within 'infer: out of memory' infer
check 'infer: tables that are too large' grep 'give fewer -cells' "$work/out"

total
