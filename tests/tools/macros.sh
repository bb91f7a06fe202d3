#!/bin/sh
# Misspelt parameters, which a compiler takes for macros of your own: prints what FILE... defines like a parameter of
# lbp and is none, with the nearest that is one. `make lint-macros FILE=model.c`; from anywhere: macros.sh FILE...
# Status 0: nothing; 1: something; 2: a file can't be read. What the parameters are is read in the headers: what these
# test or undefine, but for their guards and what they keep to themselves.
[ $# -gt 0 ] || { echo "usage: $0 FILE..." >&2; exit 2; }
for file; do
  if [ ! -f "$file" ] || [ ! -r "$file" ]; then echo "$file: cannot be read" >&2; exit 2; fi
done
for header in "$(dirname "$0")"/../../lbp*.h "$(dirname "$0")"/../../lbp/*/*.h; do set -- "$@" "$header"; done
awk '
# How many letters to insert, leave out, change, or swap with the next one make b of a.
function distance(a, b,   i, j, d, least) {
  for (i = 0; i <= length(a); i++) d[i, 0] = i
  for (j = 0; j <= length(b); j++) d[0, j] = j
  for (i = 1; i <= length(a); i++) {
    for (j = 1; j <= length(b); j++) {
      least = d[i - 1, j - 1] + (substr(a, i, 1) != substr(b, j, 1))
      if (d[i - 1, j] + 1 < least) least = d[i - 1, j] + 1
      if (d[i, j - 1] + 1 < least) least = d[i, j - 1] + 1
      if (i > 1 && j > 1 && substr(a, i - 1, 2) == substr(b, j, 1) substr(b, j - 1, 1)) {
        if (d[i - 2, j - 2] + 1 < least) least = d[i - 2, j - 2] + 1
      }
      d[i, j] = least
    }
  }
  return d[length(a), length(b)]
}

# the headers, which come last
FILENAME ~ /\/\.\.\/lbp([a-z_]*|\/[a-z]+\/[a-z_]+)\.h$/ {
  if ($1 == "#endif" && $2 == "/*" && $3 ~ /_H$|^LBP_VERSION$/) delete known[$3]
  if ($0 !~ /^# *(if|elif|undef)/) next
  gsub(/[()!&|]/, " ")
  sub(/^# *(ifdef|ifndef|undef)/, "defined")
  for (k = 1; k < NF; k++) if ($k == "defined" && $(k + 1) ~ /^LBP_/ && $(k + 1) !~ /^LBP_P_/) known[$(k + 1)]
  next
}

/^[ \t]*#[ \t]*define[ \t]/ {
  sub(/^[ \t]*#[ \t]*define[ \t]+/, "")
  sub(/[^A-Za-z0-9_].*/, "")
  name[++names] = $0
  place[names] = FILENAME ":" FNR
}

END {
  for (n = 1; n <= names; n++) {
    # LBP_ and its slips; what begins with anything else is yours
    if (name[n] in known || name[n] !~ /^(LBP|LPB|BLP|BPL|PBL|PLB|LLBP|LBBP|LB_|LP_|BP_)/) continue
    best = 1000
    for (k in known) {
      off = distance(name[n], k)
      if (off < best || (off == best && k < nearest)) { best = off; nearest = k }
    }
    if (name[n] ~ /^LBP_/ || best <= 2) {
      print place[n] ": " name[n] " is no parameter of lbp; the nearest is " nearest
      found = 1
    }
  }
  exit found
}
' "$@"
