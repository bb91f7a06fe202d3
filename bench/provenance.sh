#!/bin/sh
# What results depend on: bench/results/provenance.txt has a line for each, with checksums (cksum) of what made it.
#
#   sh bench/provenance.sh record FILE...  of bench/results: writes their lines, for the commits that the files name
#   sh bench/provenance.sh again FILE...   parts of them came out the same to the last digit now (bench/again.sh)
#   sh bench/provenance.sh stale           which results are no longer those of this tree, and why
#
#   sh bench/provenance.sh sums FILE...    of results: the sums of draws, program and library now
#
# bench/depends.txt lists draws and programs of each. A result without times is current while both are unchanged,
# whatever the commit; one with times while the library's code is, too. `stale` fails where a result has no line, or a
# line is malformed, or of no result; not because results are stale.
#
# Environment: INTO, where results are (default bench/results), TREE, what they are held against (default: here).
set -u
cd "$(dirname "$0")/.." || exit 2
export LC_ALL=C
INTO=${INTO:-bench/results} TREE=${TREE:-.}
records=$INTO/provenance.txt
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 2

# lines of bench/depends.txt, each with its number
sed '/^#/d' bench/depends.txt | awk '{ print NR " ; " $0 }' > "$scratch/groups"

# group_of FILE: the number of its line, and whether it has times
group_of() {
  while IFS=';' read -r group patterns kind rest; do
    set -f
    for pattern in $patterns; do
      # shellcheck disable=SC2254 # it is a pattern
      case $1 in $pattern) set +f && echo $group $kind && return ;; esac
    done
    set +f
  done < "$scratch/groups"
  return 1
}

# sums TREE: "GROUP DRAWS PROGRAM LIBRARY" for each group
sums() {
  rm -rf "$scratch/sums" && mkdir -p "$scratch/sums/files" "$scratch/sums/known" "$scratch/sums/parts" || return 1
  while IFS=';' read -r group patterns kind known sources; do
    known=${known# }
    [ "$known" = '- ' ] || echo "${group% } known ${known% }"
    (cd "$1" && for source in $sources; do echo "${group% } source $source"; done)
  done < "$scratch/groups" > "$scratch/list"
  awk -v tree="$1" -v out="$scratch/sums" -f bench/provenance.awk "$scratch/list" > "$scratch/parts" || return 1
  (cd "$scratch/sums/files" && cksum -- *) > "$scratch/crc"
  (cd "$1" && for file in bench/data/*.bin; do [ ! -f "$file" ] || cksum "$file"; done) >> "$scratch/crc"
  # a part is the checksum of its files' checksums, whatever their names and order
  awk 'NR == FNR { crc[$3] = $1; next } { print $1 "." $2, crc[$3] }' "$scratch/crc" "$scratch/parts" |
    sort -k 1,1 -k 2,2n | awk -v out="$scratch/sums/parts/" '
      $1 != part { if (part) close(out part); part = $1 } { print $2 > (out part) }'
  {
    (cd "$scratch/sums/parts" && cksum -- *)
    (cd "$scratch/sums/known" && for group in *; do [ ! -s "$group" ] || cksum "$group" | sed 's/$/.known/'; done)
  } | awk '
    function of(part) { return $1 "." part in sum ? sum[$1 "." part] : "-" }
    NR == FNR { sum[$3] = $1; next }
    { print $1, ($1 ".known" in sum ? of("known") : of("headers")), of("program"), of("headers") }' - "$scratch/groups"
}

# results: all that have a line; pictures of samples name no commit, and texts next to them do
results() { (cd "$INTO" && ls -- *.* */*.*) | grep -vE '^(README\.md|times\.md|provenance\.txt|.*\.png)$'; }

# made FILE: "COMMIT | COMPILER | PROCESSOR", as its first lines say
made() {
  awk '
    match($0, /commit [0-9a-f]+;/) {
      commit = substr($0, RSTART + 7, RLENGTH - 8)
      line = substr($0, RSTART + RLENGTH)
      sub(/<.*/, "", line)
      n = split(line, part, /; */)
      sub(/^ *(on )?/, "", part[1])
      sub(/,? [0-9?]+ cores/, "", part[1])
      compiler = n > 2 && part[2] !~ /^[0-9]+-/ ? part[2] : "?"
      print commit " | " compiler " | " part[1]
      exit
    }' "$INTO/$1"
}

head='# What results depend on, by `sh bench/provenance.sh` (bench/README.md#provenance).
# file | kind | commit | run again at | draws | program | library | compiler | processor'

# write LINES: into the file of records, before its other lines of the same results
write() {
  [ ! -f "$records" ] || grep -v '^#' "$records" >> "$1"
  { echo "$head"; awk -F ' [|] ' '!seen[$1]++' "$1" | sort; } > "$scratch/records" && cp "$scratch/records" "$records"
}

# at COMMIT: the sums of its tree
at() {
  rm -rf "$scratch/tree" && mkdir "$scratch/tree" || return 1
  git archive "$1" > "$scratch/tar" && (cd "$scratch/tree" && tar -xf "$scratch/tar") && sums "$scratch/tree" && return
  echo "provenance: $1: no such commit here" >&2
  return 1
}

record() {
  for file in "$@"; do
    file=${file#"$INTO"/}
    group=$(group_of "$file") || { echo "provenance: bench/depends.txt has no line for $file" >&2 && return 1; }
    it=$(made "$file")
    [ -n "$it" ] || { echo "provenance: $file names no commit" >&2 && return 1; }
    echo "${it%% *} ${group% *} $file | ${group#* } | $it"
  done > "$scratch/asked"
  : > "$scratch/lines"
  for commit in $(cut -d ' ' -f 1 "$scratch/asked" | sort -u); do
    at "$commit" > "$scratch/now" || return 1
    awk -v commit="$commit" '
      NR == FNR { sums[$1] = $2 " | " $3 " | " $4; next }
      $1 == commit {
        group = $2
        sub(/^[^ ]+ [^ ]+ /, "")
        split($0, part, " [|] ")
        print part[1] " | " part[2] " | " part[3] " | - | " sums[group] " | " part[4] " | " part[5]
      }' "$scratch/now" "$scratch/asked" >> "$scratch/lines"
  done
  write "$scratch/lines"
}

# Draws and program are those of this commit; the library, for times, stays as it was.
again() {
  commit=$(sh bench/common/made.sh | sed 's/.*, commit \([^;]*\);.*/\1/')
  case $commit in *-dirty) echo "provenance: $commit is no commit" >&2 && return 1 ;; esac
  at "$commit" > "$scratch/now" || return 1
  for file in "$@"; do
    file=${file#"$INTO"/}
    group=$(group_of "$file") && grep -qF "$file | " "$records" ||
      { echo "provenance: $file has no line" >&2 && return 1; }
    awk -F ' [|] ' -v file="$file" -v sums="$(grep "^${group% *} " "$scratch/now")" -v commit="$commit" '$1 == file {
      split(sums, part, " ")
      print $1 " | " $2 " | " $3 " | " commit " | " part[2] " | " part[3] " | " $7 " | " $8 " | " $9
    }' "$records"
  done > "$scratch/lines"
  write "$scratch/lines"
}

# shown FILE...: "FILE DRAWS PROGRAM LIBRARY"
shown() {
  sums "$TREE" > "$scratch/now" || return 1
  for file in "$@"; do
    group=$(group_of "$file") && echo "$file $(sed -n "s/^${group% *} //p" "$scratch/now")" || return 1
  done
}

stale() {
  results > "$scratch/results"
  while read -r file; do
    group=$(group_of "$file") && echo "$file ${group% *}" || echo "$file -"
  done < "$scratch/results" > "$scratch/of"
  sums "$TREE" > "$scratch/now" || return 2
  sh bench/common/made.sh | sed 's/.*; \(.*\), [0-9?]* cores; .*/\1/' > "$scratch/here"
  awk -F ' [|] ' '
    function bad(text) { print "provenance: " text; failed = 1 }
    FILENAME ~ /now$/ { split($0, part, " "); for (k = 2; k < 5; k++) now[part[1], k] = part[k]; next }
    FILENAME ~ /of$/ { split($0, part, " "); group[part[1]] = part[2]; order[++count] = part[1]; next }
    FILENAME ~ /here$/ { here = $0; next }
    /^#/ { next }
    NF != 9 || $2 !~ /^(timed|statistical)$/ || $3 !~ /^[0-9a-f]+$/ || $4 !~ /^([0-9a-f]+|-)$/ ||
    $6 !~ /^[0-9]+$/ || $5 !~ /^([0-9]+|-)$/ || $7 !~ /^([0-9]+|-)$/ {
      bad("malformed: " $0)
      next
    }
    $1 in line { bad("two lines: " $1); next }
    !($1 in group) { bad("no such result: " $1); next }
    {
      line[$1] = 1
      why = $5 == now[group[$1], 2] ? "" : ", draws"
      if ($6 != now[group[$1], 3]) why = why ", program"
      if (why == "") as_drawn++
      if ($2 == "timed" && $7 != now[group[$1], 4]) why = why ", times"
      if (why == "") current++
      else reasons[$1] = $3 ($4 == "-" ? "" : ", run again at " $4) ": " substr(why, 3)
      if ($2 == "timed" && $9 != here) elsewhere++
      timed += $2 == "timed"
    }
    END {
      for (k = 1; k <= count; k++) {
        if (group[order[k]] == "-") bad("bench/depends.txt has no line for " order[k])
        else if (!(order[k] in line)) bad("no line for " order[k] ": sh bench/provenance.sh record bench/results/" order[k])
        else if (order[k] in reasons) print order[k] ", " reasons[order[k]]
      }
      printf "%d of %d results are current, %d but for their times; of %d with times %d are of another processor than %s\n",
             current, count, as_drawn - current, timed, elsewhere, here
      exit failed
    }' "$scratch/now" "$scratch/of" "$scratch/here" "$records"
}

case ${1-} in
  record | again) command=$1 && shift && "$command" "$@" ;;
  stale) stale ;;
  sums) shift && shown "$@" ;;
  *) echo 'usage: sh bench/provenance.sh record FILE... | again FILE... | sums FILE... | stale' >&2 && exit 2 ;;
esac
