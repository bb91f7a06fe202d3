#!/bin/sh
# Does a run of the paper's experiments that is killed, again and again, end with the files of one that was left alone?
# Prints a line per check, then the sum. What it computed is removed unless a check failed.
#
#   PAPER=build/bench/paper ONLY='*/bernoulli/N=100/C1/*' KILLS=10 ARGS=--quick OUT=build/resume sh tests/resume.sh
#
# Environment: PAPER (the program), ONLY (its cells; all of them take long), KILLS (how many), ARGS (more options;
# without --quick, the times measured are not compared), OUT (a folder for what it computes), SEED (of the moments of
# the kills).

PAPER=${PAPER:-build/bench/paper} ONLY=${ONLY:-*/bernoulli/N=100/C1/*} KILLS=${KILLS:-10} ARGS=${ARGS---quick}
OUT=${OUT:-build/resume} SEED=${SEED:-1}
cd "$(dirname "$0")/.." || exit 2
mkdir -p "$OUT" || exit 2
work=$(cd "$OUT" && mktemp -d "$PWD/run-XXXXXX") || exit 2
loud=1
. tests/check.sh

finish() {
  if [ $failed -eq 0 ]; then rm -rf "$work"; rmdir "$OUT" 2> /dev/null; else echo "what it computed is in $work"; fi
  total
  exit
}
trap 'rm -rf "$work"; exit 130' INT TERM HUP

# paper FOLDER OPTION...: what it prints goes to FOLDER.out and FOLDER.err
paper() {
  to=$1
  shift
  # ARGS are words
  # shellcheck disable=SC2086
  $prefix "$PAPER" $ARGS --out "$work/$to" "$@" > "$work/$to.out" 2> "$work/$to.err"
}
prefix=

# Fractions of a second where date has them: only the moments of the kills depend on it.
now() {
  case $(date +%N) in
    *[!0-9]* | '') date +%s ;;
    *) date +%s.%N ;;
  esac
}

lines() { if [ -f "$work/$1/journal.txt" ]; then wc -l < "$work/$1/journal.txt" | tr -d ' '; else echo 0; fi; }

# line_of FOLDER NAME: the cell's line, without the times that were measured and their checksum
line_of() {
  case $2 in
    tables/* | gradient/*) sed 's/ [^ |]* [^ |]*|[0-9a-f]*$//' "$work/$1/journal.txt" | awk -F '|' -v name="$2" '$1 == name' ;;
    *) awk -F '|' -v name="$2" '$1 == name' "$work/$1/journal.txt" ;;
  esac
}

# A CSV file without the times that were measured, which a quick run leaves out itself
figures() {
  case " $ARGS $1" in
    *' --quick '*) cat "$1" ;;
    *tables.csv | *gradient.csv) cut -d , -f 1-16,20- "$1" ;;
    *) cat "$1" ;;
  esac
}

# same FOLDER: its CSV files are those of the run that was left alone, byte for byte
same() {
  count=0 different=0 names=$(cd "$work/whole" && ls ./*.csv)
  for file in "$work"/whole/*.csv; do
    count=$((count + 1))
    figures "$file" > "$work/expected"
    figures "$work/$1/${file##*/}" > "$work/got"
    cmp "$work/expected" "$work/got" || { echo "${file##*/}"; diff "$work/expected" "$work/got"; different=1; }
  done
  [ "$count" -gt 0 ] && [ "$different" = 0 ] && [ "$(cd "$work/$1" && ls ./*.csv)" = "$names" ]
}

# ---- left alone ------------------------------------------------------------------------------------------------------

check 'there is the program' test -x "$PAPER"
[ $failed -eq 0 ] || finish

paper list --only "$ONLY" --list
sed '$d' "$work/list.out" | awk '{ print $1 }' > "$work/names"
cells=$(wc -l < "$work/names" | tr -d ' ')
check 'there are such cells' test "$cells" -gt 0
[ $failed -eq 0 ] || { cat "$work/list.err"; finish; }

begin=$(now)
check "a run of $cells cells that is left alone" paper whole --only "$ONLY"
end=$(now)
total=$(echo "$begin $end" | awk '{ print $2 - $1 }')
all_there() {
  cut -d '|' -f 1 "$work/whole/journal.txt" | sort > "$work/have"
  sort "$work/names" | comm -23 - "$work/have" > "$work/missing"
  cat "$work/missing"
  [ ! -s "$work/missing" ] && [ -z "$(uniq -d "$work/have")" ]
}
check 'its journal has every cell, each once' all_there
has_rows() { [ "$(cat "$work"/whole/*.csv | wc -l)" -gt $((2 * $(find "$work/whole" -name '*.csv' | wc -l))) ]; }
check 'its CSV files have rows' has_rows
[ $failed -eq 0 ] || finish

# nothing_to_do FOLDER: a rerun, which says so and changes nothing
nothing_to_do() {
  cp "$work/$1/journal.txt" "$work/journal.before" || return 1
  paper "$1" --only "$ONLY" || return 1
  sed 1q "$work/$1.out"
  sed 1q "$work/$1.out" | grep -q "^$cells cells, $cells of them finished before, 0 min" || return 1
  cmp "$work/journal.before" "$work/$1/journal.txt" && same "$1"
}
mkdir "$work/rerun" && cp "$work/whole/journal.txt" "$work/rerun"
begin=$(now)
check 'a rerun from its journal alone computes nothing and writes the same files' nothing_to_do rerun
end=$(now)
start=$(echo "$begin $end" | awk '{ print $2 - $1 }')

have timeout || { skip 'kills: no timeout' && finish; }

# ---- killed ----------------------------------------------------------------------------------------------------------

# Every run has the start to itself again, and a part of the rest: the kills of a round fall anywhere in the whole of
# the work. A round that comes to its end too early is compared like the last, and another begins.
awk -v seed="$SEED" -v kills="$KILLS" -v total="$total" -v start="$start" 'BEGIN {
  srand(seed)
  rest = total > start ? total - start : 0
  for (k = 0; k < 4 * kills; k++) printf "%.3f\n", 0.02 + 1.6 * rand() * (start + rest / kills)
}' > "$work/moments"

# reported: every cell that the killed run called finished is in the journal
reported() {
  sed 1d "$work/killed.out" | awk '{ print $1 }' > "$work/names.reported"
  while read -r name; do
    grep -qxF "$name" "$work/names" || continue # not a cell's line, or half of one
    [ -n "$(line_of killed "$name")" ] || return 1
  done < "$work/names.reported"
}

hits=0 stretch=1 rounds=1 lost=0 strange=0 wrong=0 have=0 most=0
signal=KILL
while [ $hits -lt "$KILLS" ] && read -r moment <&3; do
  prefix="timeout -k 10 -s $signal $(echo "$moment $stretch" | awk '{ print $1 * $2 }')"
  { paper killed --only "$ONLY"; status=$?; } 2> "$work/shell" # a shell says "Killed"
  prefix=
  case $status in
    0)
      same killed || wrong=$((wrong + 1))
      rm -rf "$work/killed"
      rounds=$((rounds + 1)) have=0
      continue
      ;;
    124 | 130 | 137) hits=$((hits + 1)) ;;
    *) strange=$((strange + 1)); cat "$work/killed.err" ;;
  esac
  # what was finished before is still there, byte for byte, at the begin of what is there now
  count=$(lines killed)
  if [ "$count" -lt "$have" ]; then
    lost=$((lost + 1))
  elif [ "$have" -gt 0 ]; then
    head -n "$have" "$work/killed/journal.txt" | cmp -s - "$work/kept" || lost=$((lost + 1))
  fi
  reported || lost=$((lost + 1))
  # on a machine that has become slower, longer: or no run comes to the end of a cell
  if [ "$count" -gt "$have" ]; then stretch=1; else stretch=$((stretch + 1)); fi
  have=$count
  [ "$have" -gt 0 ] && head -n "$have" "$work/killed/journal.txt" > "$work/kept"
  [ "$have" -gt "$most" ] && most=$have
  if [ $signal = KILL ]; then signal=INT; else signal=KILL; fi
done 3< "$work/moments"

check "killed $hits times in $rounds rounds, of $total s of work each" test "$hits" -ge $((KILLS / 2))
check 'it ends for no other reason' test "$strange" -eq 0
check 'no kill took a finished cell away' test "$lost" -eq 0
check 'rounds that came to their end have the same CSV files' test "$wrong" -eq 0
if [ "$most" -gt 0 ]; then
  check "$most cells were finished between kills" test "$most" -gt 0
else
  skip 'cells finished between kills: none was, so nothing could be lost'
fi
# An interrupt before the program listens, or while gnuplot draws, ends it without a word: so later and later.
says_so() {
  for moment in 0.05 0.1 0.2 0.4 0.8 1.6 3.2 6.4; do
    rm -rf "$work/interrupted"
    prefix="timeout -k 10 -s INT $moment"
    paper interrupted --only "$ONLY" && break
    ! grep 'What is finished is kept' "$work/interrupted.err" || return 0
  done
  return 1
}
check 'an interrupted run says that what is finished is kept' says_so
prefix=
check 'the last run comes to its end' paper killed --only "$ONLY"
check 'its CSV files are the same' same killed
once() {
  [ -z "$(cut -d '|' -f 1 "$work/killed/journal.txt" | sort | uniq -d)" ] && [ "$(lines killed)" = "$(lines whole)" ]
}
check 'no finished cell was computed again' once
same_lines() {
  while read -r name; do
    line_of whole "$name" > "$work/expected"
    line_of killed "$name" | cmp "$work/expected" - || { echo "$name"; return 1; }
  done < "$work/names"
}
check 'its journal has the same numbers in every cell' same_lines
check 'a last rerun computes nothing' nothing_to_do killed

# ---- cells alone, damaged, with other parameters ---------------------------------------------------------------------

# alone NAME: the cell in a folder of its own, on one thread, has the line that it has in the large run
alone() {
  rm -rf "$work/alone"
  paper alone --only "$1" --threads 1 || { cat "$work/alone.err"; return 1; }
  line_of alone "$1" > "$work/got"
  line_of whole "$1" | cmp - "$work/got" && [ -s "$work/got" ]
}
curve=$(grep -v '^tables/' "$work/names" | sed 1q)
table=$(grep '^tables/' "$work/names" | sed -n '$p') # the last, a grid search, needs a curve that it has not asked for
for name in $curve $table; do
  check "alone, the same numbers: $name" alone "$name"
done

# repaired WHAT: the run after the damage computes one cell and has the same files
repaired() {
  before=$(lines killed)
  paper killed --only "$ONLY" || { cat "$work/killed.err"; return 1; }
  sed 1q "$work/killed.out"
  cat "$work/killed.err"
  sed 1q "$work/killed.out" | grep -q "^$cells cells, $((cells - 1)) of them finished before" || return 1
  [ "$(lines killed)" = $((before + 1)) ] && same killed && same_lines_but_damaged
}
same_lines_but_damaged() {
  line_of whole "$victim" > "$work/expected"
  line_of killed "$victim" | sed -n '$p' | cmp "$work/expected" -
}
victim=$(sed -n "$(((cells + 1) / 2))p" "$work/names")
at=$(awk -F '|' -v name="$victim" '$1 == name { print NR }' "$work/killed/journal.txt")
sed "${at}s/\(|[^|]*|[^|]*\)[0-9]/\1x/" "$work/killed/journal.txt" > "$work/damaged"
check 'a line is damaged' test "$(diff "$work/killed/journal.txt" "$work/damaged" | grep -c '^>')" = 1
cat "$work/damaged" > "$work/killed/journal.txt"
check "computed again, with the same files: $victim" repaired
said_so() { grep -q 'damaged' "$work/killed.err"; }
check 'it says that a line was damaged' said_so

# its last line cut in half, as by a kill
victim=$(sed -n '$p' "$work/whole/journal.txt" | cut -d '|' -f 1)
if grep -qxF "$victim" "$work/names"; then
  sed '$d' "$work/whole/journal.txt" > "$work/cut"
  sed -n '$p' "$work/whole/journal.txt" | awk '{ printf "%s", substr($0, 1, length($0) / 2) }' >> "$work/cut"
  cat "$work/cut" > "$work/killed/journal.txt"
  check "cut in half, computed again, with the same files: $victim" repaired
else
  skip 'half a line: the last cell is not among those chosen'
fi

# A cell of a quick run is not one of a full run, whatever its name: --list tells without computing.
name=$(sed 1q "$work/names")
# finished COUNT: how many of the cells of that name --list calls finished
finished() {
  paper killed --only "$name" --list || { cat "$work/killed.err"; return 1; }
  tail -n 1 "$work/killed.out"
  tail -n 1 "$work/killed.out" | grep -q "^1 cells, $1 of them finished"
}
check "finished: $name" finished 1
case " $ARGS " in
  *' --quick '*) other=$(echo " $ARGS " | sed 's/ --quick / /') ;;
  *) other="$ARGS --quick" ;;
esac
ARGS=$other
check "not finished with other parameters: $name" finished 0
finish
