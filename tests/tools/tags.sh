#!/bin/sh
# A tags file, by which editors jump from ising_albp_step to where lbp.h defines it, although no such name stands there. The
# instances are those of FILES: `make tags FILE='model.c other.c'`, or sh tags.sh [-h FOLDER] FILE ... > tags, where
# FOLDER (.) has the headers.
folder=.
if [ "${1-}" = -h ]; then folder=$2 && shift 2; fi
if [ $# = 0 ]; then
  echo 'tags.sh: name the files that describe models: make tags FILE=model.c' >&2
  exit 2
fi
for file; do
  if [ ! -r "$file" ]; then
    echo "tags.sh: $file can't be read" >&2
    exit 1
  fi
done
LC_ALL=C awk '
  BEGIN { instances = 0 }

  # which template a header belongs to, and an instance, by what it defines
  function template(name) {
    if (name ~ /run\/instance\.h$/) return "any"
    return name ~ /(lbp_ab|ab_kernel)\.h$/ ? "ab" : name ~ /(lbp_perm|perm_kernel)\.h$/ ? "perm" : "flip"
  }
  function tag(name, kind) { printf "%s\t%s\t%d;\"\t%s\n", name, FILENAME, FNR, kind }
  function generated(name, kind,   k, t) {
    t = template(FILENAME)
    for (k = 0; k < instances; k++) if (t == "any" || of[k] == t) tag(instance[k] "_" name, kind)
  }
  function is_header() { return FILENAME ~ /(^|\/)lbp([a-z_]*|\/[a-z]+\/[a-z_]+)\.h$/ }
  # what is between the brackets of LBP_NAME_(...), and in front of it NAME_priv_ if it is private
  function within(text) {
    return (text ~ /^LBP_\(/ ? "priv_" : "") substr(text, index(text, "(") + 1, index(text, ")") - index(text, "(") - 1)
  }

  !is_header() {
    sub(/^[ \t]*#[ \t]*/, "")
    if (/^define[ \t]+LBP_NAME[ \t]+[A-Za-z_]/) pending = $3
    else if (/^define[ \t]+LBP_(GRADIENT|EXCHANGE)[ \t(]/) family = /GRADIENT/ ? "ab" : "perm"
    else if (/^include/ && pending != "") {
      of[instances] = family == "" ? "flip" : family
      instance[instances++] = pending
      pending = family = ""
    }
    next
  }

  /^#define LBP_[A-Z_]+_T +LBP_(NAME_)?\([a-z_0-9]+\)$/ { alias[$2] = within($3) }
  /^} LBP_(NAME_)?\([a-z_0-9]+\);/ { generated(within($2), "t") }
  /^} LBP_[A-Z_]+_T;/ { generated(alias[substr($2, 1, length($2) - 1)], "t") }
  /^typedef [A-Z_ ]+ LBP_(NAME_)?\([a-z_0-9]+\);/ { generated(within($3), "t") }
  /^} lbp_[a-z_0-9]+;/ { tag(substr($2, 1, length($2) - 1), "t") }
  /^LBP_(FN|CALLED|COLD|INLINE|APART|LEAF|P_[A-Z_]+) / && !/;( \/\*.*)?$/ {
    if (match($0, /LBP_(NAME_)?\([a-z_0-9]+\)\(/)) generated(within(substr($0, RSTART, RLENGTH)), "f")
    else if (match($0, /lbp_[A-Za-z_0-9]+\(/)) tag(substr($0, RSTART, RLENGTH - 1), "f")
  }
' "$@" "$folder"/lbp*.h "$folder"/lbp/*/*.h | LC_ALL=C sort -u
