#!/bin/sh
# Can other people's readers read the files of a run, and are their statistics ours? R's posterior, coda and
# rstan (tools/readers.R), Python's cmdstanpy, arviz and numpy (tools/readers.py). Missing tools are skipped.
# Environment: TOOL (tools/run_tool.c), OUT (a folder), RSCRIPT, PYTHON.
TOOL=${TOOL:-build/tests/run_tool} OUT=${OUT:-build/readers} RSCRIPT=${RSCRIPT:-Rscript} PYTHON=${PYTHON:-python3}
cd "$(dirname "$0")/.." || exit 2
mkdir -p "$OUT" || exit 2
work=$OUT
. tests/check.sh

prefix=$OUT/draws
"$TOOL" prefix="$prefix" draws=1000 states=2 > "$prefix.table" || failed=1
odd=$OUT/odd # halves of an odd number of draws leave the middle one out, where ArviZ departs from posterior
"$TOOL" prefix="$odd" draws=99 > "$odd.table" || failed=1
for program in "$RSCRIPT" "$PYTHON"; do
  if ! have "$program"; then
    skip "no $program"
  elif [ "$program" = "$RSCRIPT" ]; then
    add "$program" tests/tools/readers.R "$prefix.table" "$prefix"_[0-9].csv
    add "$program" tests/tools/readers.R "$odd.table" "$odd"_[0-9].csv
  else
    add "$program" tests/tools/readers.py "$prefix" "$prefix.table" 64 "$prefix"_[0-9].csv
  fi
done
if [ $passed = 0 ] && [ $failed = 0 ]; then # the files are there all the same
  if [ "$(grep -c '^[^#]' "$prefix"_1.csv)" = 1001 ]; then passed=1; else failed=1; fi
fi
total
