#!/bin/sh
# Selections of columns by millipede (Python: millipede-regression, numpy, torch) on the data of bench/sharp: are its
# inclusion probabilities those of bench/data/selection.csv, and how far is it off after as many seconds as ours? Usage:
# bench/sharp/millipede.sh SHARP OUT [TARGET...]. Environment: PYTHON; CHAINS, STEPS; RESULTS, a CSV file of SHARP's.
set -u
sharp=$1 out=$2
shift 2
[ $# -gt 0 ] || set -- selection-100-.64 selection-1000-.64 selection-1000-.64-b
${PYTHON:-python3} -c 'import millipede' 2> /dev/null ||
  { echo 'bench-sharp-others: millipede is not here (Python: millipede-regression, which needs torch)'; exit 0; }
mkdir -p "$out" || exit 1
for target; do
  "$sharp" --export "$target" "$out" || exit 1
  ${PYTHON:-python3} bench/sharp/millipede.py "$target" "$out/data.csv" bench/data/selection.csv \
    "${RESULTS:-bench/out/sharp/sharp.csv}" "${CHAINS:-8}" "${STEPS:-4000}" > "$out/$target.txt" 2> "$out/$target.err" ||
    { echo "bench-sharp-others: millipede can't be run on $target: $(tail -n 1 "$out/$target.err")" && continue; }
  cat "$out/$target.txt"
done
