#!/bin/sh
# Results are known by what made them: every file of bench/results has a line in provenance.txt, and a change of a known
# draw, of a program or of the library's code shows as bench/provenance.sh says; and a benchmark does not go on with what
# another one of these has made (bench/common/fresh.sh). Prints the sum; how many results are
# current stands above it, and is no failure. 3 s of CPU time.
# Environment: BUILD (a folder for scratch files).
set -u
BUILD=${BUILD:-build/stale}
cd "$(dirname "$0")/.." || exit 2
rm -rf "$BUILD" && mkdir -p "$BUILD/tree/tests" "$BUILD/into/any_scale" "$BUILD/into/table1" "$BUILD/into/paper" || exit 2
work=$(cd "$BUILD" && pwd)
. tests/check.sh

complete() { sh bench/provenance.sh stale > "$work/now"; }
check 'every result has its line' complete
grep '^provenance: ' "$work/now"
tail -n 1 "$work/now"

# three results of a tree: without times, with times, and with times and no known draws
export INTO="$work/into" TREE="$work/tree"
made='lbp 1.2.3, commit 0123abc; a machine, 2 cores; gcc 12 -O3; 2026-11-29'
for file in theory.md table1/table1.csv any_scale/diagonal.csv; do echo "# $made" > "$INTO/$file"; done
mkdir -p "$TREE/bench"
cp -R bench/[a-np-qs-z]* bench/r[nu]* "$TREE/bench" && cp -R tests/tools "$TREE/tests" || exit 2 # not out and results
cp -R examples lbp lbp*.h "$TREE" && cp tests/known.txt tests/all.sh "$TREE/tests" || exit 2
sh bench/provenance.sh sums theory.md table1/table1.csv any_scale/diagonal.csv | while read -r file draws program library; do
  kind=timed && [ "$file" != theory.md ] || kind=statistical
  echo "$file | $kind | 0123abc | - | $draws | $program | $library | gcc 12 -O3 | a machine"
done > "$INTO/provenance.txt"
cp "$INTO/provenance.txt" "$work/right"

# now_is LINE...: what is stale, but for the last line
now_is() {
  sh bench/provenance.sh stale > "$work/said" && sed '$d' "$work/said" > "$work/stale" || return 1
  printf '%s\n' "$@" | sed '/^$/d' | diff - "$work/stale"
}
# plant FILE SED: another text there
plant() {
  sed "$2" "$1" > "$TREE/$1" && ! cmp -s "$1" "$TREE/$1"
}
undo() { cp "$1" "$TREE/$1"; }

check 'all are current' now_is ''
comments() {
  plant bench/tuning/theory.c '1s:^:/* words */:' && plant lbp.h 's/^.define LBP_VERSION .*/#define LBP_VERSION 99999/' &&
    plant lbp/base/moves.h '$s:$:  /* words */ // more:' && now_is ''
}
check 'comments, blanks and the version do not count' comments
for file in bench/tuning/theory.c lbp.h lbp/base/moves.h; do undo "$file"; done
all() {
  plant bench/tuning/theory.c '$s:$: int one_more;:' && plant tests/known.txt 's/^\(float rbm ALBP 1000 \)./\1z/' && now_is \
    'table1/table1.csv, 0123abc: draws' 'theory.md, 0123abc: program'
}
check 'a program and a known draw count' all
undo bench/tuning/theory.c && undo tests/known.txt
shared() {
  plant bench/common/harness.h '$s:$: int one_more;:' && now_is 'any_scale/diagonal.csv, 0123abc: program' \
    'table1/table1.csv, 0123abc: program' 'theory.md, 0123abc: program'
}
check 'as does a file that programs include' shared
undo bench/common/harness.h
library() {
  plant lbp.h '$s:$: int one_more;:' && now_is 'any_scale/diagonal.csv, 0123abc: draws, times' 'table1/table1.csv, 0123abc: times'
}
check "the library's code counts for times, and where no draws are known" library
undo lbp.h

# refuses TEXT SED: lines so changed are an error, which says so
refuses() {
  sed "$2" "$work/right" > "$INTO/provenance.txt"
  ! sh bench/provenance.sh stale > "$work/said" && grep -q "^provenance: $1" "$work/said"
}
check 'a result without a line' refuses 'no line for theory.md' /theory/d
check 'a malformed line' refuses 'malformed: theory.md' '/theory/s/| 0123abc/|/'
check 'a line of no result' refuses 'no such result: other.md' '/theory/{p;s/theory/other/;}'
check 'two lines of one' refuses 'two lines: theory.md' /theory/p

# fresh COMPILER: of a folder with a row
fresh() { (cd "$TREE" && sh bench/common/fresh.sh "$work/kept/rows" "$1" theory.md); }
goes_on() {
  mkdir -p "$work/kept/rows" && echo row > "$work/kept/rows/csv" && fresh gcc > "$work/said" && # of nothing known
    [ ! -e "$work/kept/rows" ] && grep -q 'another library' "$work/said" && mkdir "$work/kept/rows" &&
    echo row > "$work/kept/rows/csv" && fresh gcc > "$work/said" && [ ! -s "$work/said" ] && [ -f "$work/kept/rows/csv" ]
}
check 'a benchmark goes on with its own' goes_on
starts_again() { # COMPILER
  fresh "$1" > "$work/said" && grep -q "now $work/kept/rows.old" "$work/said" && [ ! -e "$work/kept/rows" ] &&
    [ -f "$work/kept/rows.old/csv" ] && mv "$work/kept/rows.old" "$work/kept/rows"
}
check 'and not with another compiler' starts_again clang
other() { plant lbp/base/moves.h '$s:$: int one_more;:' && starts_again clang; }
check 'and not with what another library made' other
undo lbp/base/moves.h
total
