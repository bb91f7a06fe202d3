#!/bin/sh
# The generator under dieharder: streams of bytes of bench/rng/stream.c through its tests, and a report of all p-values.
# Run by `make bench-rng`; an hour and a half of one core or less. Resumable: a finished test is not run again. Usage:
# bench/rng/rng.sh STREAM OUT [KIND...], where STREAM is the program, OUT a folder, and KIND which bytes (default: all).
#
# Each test of each kind of bytes reads from the beginning of a seed of its own. A test with a p-value that dieharder
# calls weak (below 0.005 or above 0.995: one in a hundred of a perfect generator's) is followed by a second run with
# another seed and four times the samples. The verdict is "bad" if a p-value failed (below 10^-6), or if the same one was
# weak twice; of a second run, which may have thirty, others are weak by chance. The same tests on AES, which dieharder
# has, say what they make of a good generator: p-values of one test hang together, and not all are uniform. One more
# generator, which is bad on purpose, must fail.
set -u
stream=$1 out=$2
shift 2
kinds=${*:-words low chains starts aes}
command -v dieharder > /dev/null || { echo 'bench-rng: dieharder is not here (Debian: dieharder)'; exit 0; }
mkdir -p "$out" || exit 1

# dieharder's numbers of its tests, and after the colon their parameters n. Left out: 5, 6, 7 and 14, which dieharder
# itself says not to trust; 208 with n = 1, which ends it by a segmentation fault; of the 33 lags of test 203 all but
# seven.
tests='0 1 2 3 4 8 9 10 11 12 13 15 16 17 100 101 102 200:1 200:2 200:4 200:8 200:12 201:2 201:3 201:4 201:5 202:2 202:3
  202:4 202:5 203:0 203:1 203:3 203:7 203:15 203:31 204 205 206:256 207:32 208:0 203:2 209:12'

columns='-k 2 -c , -D test_name -D ntuple -D psamples -D pvalues -D assessment'

# one KIND TEST[:N] SEED SAMPLES: its rows "kind,test,n,samples,p-value,assessment,seed"; SAMPLES: a factor. A test that
# says nothing has failed.
one() {
  file=$out/$1-$(echo "$2" | tr : -)-$3.csv
  if [ ! -s "$file" ]; then
    case $2 in *:*) n="-n ${2#*:}" ;; *) n= ;; esac
    case $1 in
      aes) dieharder -g 205 -S "$3" -d "${2%:*}" $n -m "$4" $columns ;;
      *) "$stream" "$1" "$3" | dieharder -g 200 -d "${2%:*}" $n -m "$4" $columns ;;
    esac | tr -d ' ' | grep , | sed "s/^/$1,/; s/,\$//; s/\$/,$3/" > "$file.tmp"
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
    if [ "$kind" != aes ] && grep -q ',WEAK,' "$out/now"; then one "$kind" "$test" $((seed + 1000)) 4 >&4; fi
    echo "$seed of $count: $kind $test"
  done
} 3> "$out/first" 4> "$out/second"

{
  printf '# The generator under dieharder\n\n'
  sh bench/common/made.sh
  echo "Written by \`make bench-rng\` with dieharder $(dieharder -l | grep -o 'version [0-9.]*' | sed 's/.* //'). The kinds of bytes are"
  printf 'described in `bench/rng/stream.c`, what is run and what counts as bad in `bench/rng/rng.sh`.\n\n'
  awk -F, '
    function among(whose,   k, text) {
      text = values[whose] " p-values: " failed[whose] + 0 " failed, " weak[whose] + 0 " weak (expected of a perfect " \
        "generator: " sprintf("%.1f", values[whose] / 100) "), from " least[whose] " to " most[whose] ", in tenths of [0, 1]"
      for (k = 0; k < 10; k++) text = text " " tenth[whose, k] + 0 (k < 9 ? "," : ".")
      return text
    }
    FILENAME == ARGV[1] { planted_failed += $6 == "FAILED"; next }
    FILENAME == ARGV[3] {
      again++
      turn[$7]++
      weak_again += $6 == "WEAK"
      bad += $6 == "FAILED" || ($6 == "WEAK" && ($7 - 1000, turn[$7]) in was_weak)
      next
    }
    {
      whose = $1 == "aes" ? "AES" : "ours"
      if ($6 == "WEAK") was_weak[$7, turn[$7] + 1]
      turn[$7]++
      weak[whose] += $6 == "WEAK"
      failed[whose] += $6 == "FAILED"
      if (!values[whose]++ || $5 < least[whose]) least[whose] = $5
      if (values[whose] == 1 || $5 > most[whose]) most[whose] = $5
      tenth[whose, int($5 * 10) > 9 ? 9 : int($5 * 10)]++
    }
    END {
      good = failed["ours"] + bad == 0 && planted_failed > 0 && values["ours"] > 0
      print "**Verdict: " (good ? "good" : "bad") ".** " among("ours")
      print "Second runs after a weak one: " again + 0 " p-values, " weak_again + 0 " of them weak (expected: " \
        sprintf("%.1f", again / 100) "), " bad + 0 " failed or weak for the second time."
      if (values["AES"]) print "AES: " among("AES")
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
