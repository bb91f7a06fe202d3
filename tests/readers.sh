#!/bin/sh
# What other people's readers make of the files of a run, and whether their statistics are ours: R's posterior, coda and
# rstan (tools/readers.R), Python's cmdstanpy, arviz and numpy (tools/readers.py). What isn't there is skipped.
# Environment: TOOL (tools/run_tool.c), OUT (a folder), RSCRIPT, PYTHON.
TOOL=${TOOL:-build/tests/run_tool} OUT=${OUT:-build/readers} RSCRIPT=${RSCRIPT:-Rscript} PYTHON=${PYTHON:-python3}
cd "$(dirname "$0")/.." || exit 2
mkdir -p "$OUT" || exit 2
work=$OUT
. tests/check.sh

# add COMMAND...: shows what it says, and adds its last line
add() {
  "$@" > "$OUT/log" 2>&1
  status=$?
  grep -v ' passed, ' "$OUT/log"
  sum=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed\(, \([0-9]*\) skipped\)*$/\1 \2 \4/p' "$OUT/log" | tail -n 1)
  # three numbers, the last of which may be missing
  # shellcheck disable=SC2086
  set -- ${sum:-0 1}
  if [ $status != 0 ] && [ "$2" = 0 ]; then set -- "$1" 1 "${3:-0}"; fi
  passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + ${3:-0}))
}

prefix=$OUT/draws
"$TOOL" prefix="$prefix" draws=1000 states=2 > "$prefix.table" || failed=1
for program in "$RSCRIPT" "$PYTHON"; do
  if ! have "$program"; then
    skip "no $program"
  elif [ "$program" = "$RSCRIPT" ]; then
    add "$program" tests/tools/readers.R "$prefix.table" "$prefix"_[0-9].csv
  else
    add "$program" tests/tools/readers.py "$prefix" "$prefix.table" 64 "$prefix"_[0-9].csv
  fi
done
if [ $passed = 0 ] && [ $failed = 0 ]; then # the files are there all the same
  if [ "$(grep -c '^[^#]' "$prefix"_1.csv)" = 1001 ]; then passed=1; else failed=1; fi
fi
total
