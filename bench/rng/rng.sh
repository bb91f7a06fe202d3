#!/bin/sh
# The generator under dieharder: streams of bytes of bench/rng/stream.c through its tests, and a report of all p-values.
# Run by `make bench-rng`; an hour and a half of one core or less. Resumable: a finished test is not run again. Usage:
# bench/rng/rng.sh STREAM OUT [KIND...], where STREAM is the program, OUT a folder, and KIND which bytes (default: all).
#
# Each test of each kind of bytes reads from the beginning of a seed of its own. A p-value that dieharder calls weak
# (below 0.005 or above 0.995: one in a hundred of a perfect generator's) is followed by a second run with another seed
# and four times the samples. The verdict is "bad" if a test failed (p < 10^-6) or was weak twice. One more generator,
# which is bad on purpose, must fail.
set -u
stream=$1 out=$2
shift 2
kinds=${*:-words low chains starts}
command -v dieharder > /dev/null || { echo 'bench-rng: dieharder is not here (Debian: dieharder)'; exit 0; }
mkdir -p "$out" || exit 1

# dieharder's numbers of its tests, and after the colon their parameters n. Left out: 5, 6, 7 and 14, which dieharder
# itself says not to trust; 208 with n = 1, which ends it by a segmentation fault; of the 33 lags of test 203 all but
# seven.
tests='0 1 2 3 4 8 9 10 11 12 13 15 16 17 100 101 102 200:1 200:2 200:4 200:8 200:12 201:2 201:3 201:4 201:5 202:2 202:3
  202:4 202:5 203:0 203:1 203:3 203:7 203:15 203:31 204 205 206:256 207:32 208:0 203:2 209:12'

# one KIND TEST[:N] SEED SAMPLES: its rows "kind,test,n,samples,p-value,assessment,seed"; SAMPLES: a factor. A test that
# says nothing has failed.
one() {
  file=$out/$1-$(echo "$2" | tr : -)-$3.csv
  if [ ! -s "$file" ]; then
    case $2 in *:*) n="-n ${2#*:}" ;; *) n= ;; esac
    "$stream" "$1" "$3" | dieharder -g 200 -d "${2%:*}" $n -m "$4" -k 2 -c , -D test_name -D ntuple -D psamples \
      -D pvalues -D assessment | tr -d ' ' | grep , | sed "s/^/$1,/; s/,\$//; s/\$/,$3/" > "$file.tmp"
    [ -s "$file.tmp" ] || echo "$1,test $2,,,,FAILED,$3" > "$file.tmp"
    mv "$file.tmp" "$file"
  fi
  cat "$file"
}

all=$(for kind in $kinds; do for test in $tests; do echo "$kind $test"; done; done)
count=$(echo "$all" | wc -l)
one planted 205 1 1 > "$out/planted"
echo "$all" | {
  seed=0
  while read -r kind test; do
    seed=$((seed + 1))
    one "$kind" "$test" $seed 1 > "$out/now"
    cat "$out/now" >&3
    if grep -q ',WEAK,' "$out/now"; then one "$kind" "$test" $((seed + 1000)) 4 >&4; fi
    echo "$seed of $count: $kind $test"
  done
} 3> "$out/first" 4> "$out/second"

{
  printf '# The generator under dieharder\n\n'
  sh bench/common/made.sh
  echo "Written by \`make bench-rng\` with dieharder $(dieharder -l | grep -o 'version [0-9.]*' | sed 's/.* //'). The kinds of bytes are"
  printf 'described in `bench/rng/stream.c`, what is run and what counts as bad in `bench/rng/rng.sh`.\n\n'
  awk -F, '
    FILENAME == ARGV[1] { planted_failed += $6 == "FAILED" }
    FILENAME == ARGV[2] { values++; weak += $6 == "WEAK"; failed += $6 == "FAILED"; if ($5 < least || values == 1) least = $5
                          if ($5 > most || values == 1) most = $5; tenth[int($5 * 10) > 9 ? 9 : int($5 * 10)]++ }
    FILENAME == ARGV[3] { again++; bad += $6 != "PASSED" }
    END {
      print "**Verdict: " (failed + bad == 0 && planted_failed > 0 && values > 0 ? "good" : "bad") ".** " values " p-values: " \
        failed + 0 " failed, " weak + 0 " weak (expected of a perfect generator: " sprintf("%.1f", values / 100) "), from " \
        least " to " most "."
      printf "Tenths of [0, 1]:"
      for (k = 0; k < 10; k++) printf " %d%s", tenth[k], k < 9 ? "," : ".\n"
      print "Second runs after a weak one: " again + 0 " p-values, " bad + 0 " of them weak or failed."
      print "The bad generator " (planted_failed ? "fails" : "**passes**") "."
    }' "$out/planted" "$out/first" "$out/second"
  for round in first second; do
    printf '\n## The %s runs\n\n' "$round"
    echo '| bytes | test | n | samples | p-value | dieharder says | seed |'
    echo '|---|---|---:|---:|---:|---|---:|'
    sed 's/,/ | /g; s/^/| /; s/$/ |/' "$out/$round"
  done
} > "$out/report.md"
sed -n '/Verdict/,/bad generator/p' "$out/report.md"
grep -q '^\*\*Verdict: good' "$out/report.md"
