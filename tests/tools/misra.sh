#!/bin/sh
# MISRA C:2012: how often cppcheck's addon finds each rule broken in lbp.h, as examples/ring.c makes an instance of it,
# and how many function-like macros there are, which the addon does not look for. MISRA.md quotes what this prints.
# misra.sh [FOLDER]: that of lbp.h.
set -u
cd "$(dirname "$0")/../.." || exit 2
folder=${1:-.}
# the addon leaves files beside what it looks at
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT && cp examples/ring.c "$scratch" || exit 2
# with the compiler's macro given, it looks at one configuration instead of guessing at many
rules=$(cppcheck -q -I"$folder" -D__GNUC__=12 --std=c99 --addon=misra --template='{file} {id}' "$scratch/ring.c" 2>&1 |
  sed -n 's:^\(.*/\)*lbp\.h misra-c2012-::p' | sort -t . -k 1,1n -k 2,2n)
[ -n "$rules" ] || exit 1
echo "$(cppcheck --version): $(echo "$rules" | wc -l | tr -d ' ') findings in lbp.h, rule and number:"
echo "$rules" | uniq -c | awk '
  { item = $2 ": " $1 }
  length(line) + length(item) > 116 { print line ","; line = "" }
  { line = line (line == "" ? "" : ", ") item }
  END { print line }'
macros=$(grep -oE '^ *# *define [A-Za-z_0-9]+\(' "$folder/lbp.h" | sort -u | wc -l | tr -d ' ')
echo "and $macros function-like macros (directive 4.9)"
