#!/bin/sh
# Whether every awk program here does the same in every awk: in files, and in shell scripts and the Makefile. Each is read
# for what some awks refuse (tools/awk_lint.awk), whichever awk this is, and then parsed by all awks that there are; those
# that work on files of the repository alone print the same in all of them.
# Environment: OUT (a folder for scratch).
OUT=${OUT:-build/awk}
cd "$(dirname "$0")/.." || exit 2
rm -rf "$OUT" && mkdir -p "$OUT/inline" || exit 2
work=$OUT
export LC_ALL=C
. tests/check.sh

# awks: one a line, the default first
echo awk > "$work/awks"
itself=$(real "$(command -v awk)")
for awk in mawk gawk 'gawk --posix' 'busybox awk' original-awk; do
  [ "$(real "$(command -v "$awk")")" != "$itself" ] || continue
  have "${awk%% *}" && echo | $awk 1 > /dev/null 2>&1 && echo "$awk" >> "$work/awks"
done
[ "$(wc -l < "$work/awks")" -gt 1 ] || skip 'other awks than this one to compare with: mawk, gawk, busybox, original-awk'

# programs: a line has the files of one
find . -name '*.sh' -o -name Makefile -o -path ./.ci/run | grep -vE '^\./(build|bench/out)/|/\.git/' | sort > "$work/scripts"
# shellcheck disable=SC2046
awk -v to="$work/inline" -f tests/tools/awk_programs.awk $(cat "$work/scripts") > "$work/programs"
inline=$(wc -l < "$work/programs")
sed -n "/^cat > .*awk\" <<'END'\$/,/^END\$/p" tests/blocks.sh | sed '1d;$d' > "$work/inline/blocks.awk"
echo "$work/inline/blocks.awk" >> "$work/programs"
find . -name '*.awk' | grep -vE '^\./(build|bench/out)/|/figures[./]|bench/(common/reruns|overview|paper/spread)' | sort >> "$work/programs"
for file in bench/common/reruns.awk bench/paper/spread.awk; do echo "bench/common/numbers.awk $file"; done >> "$work/programs"
echo "bench/common/numbers.awk tests/docs/figures.awk bench/overview.awk" >> "$work/programs"
for page in tests/docs/figures/*.awk; do echo "bench/common/numbers.awk tests/docs/figures.awk $page"; done >> "$work/programs"
enough() { [ "$inline" -ge 50 ] && [ "$(wc -l < "$work/programs")" -ge 80 ]; }
check 'programs are found' enough

lint() { awk -f tests/tools/awk_lint.awk "$@"; }
# nothing of the program itself runs: both of these end it at once
echo 'BEGIN { print "parsed"; exit } END { exit }' > "$work/first.awk"
# parses AWK FILE...
parses() {
  parser=$1
  shift
  options=
  for file in "$@"; do options="$options -f $file"; done
  # shellcheck disable=SC2086
  [ "$($parser -f "$work/first.awk" $options < /dev/null)" = parsed ]
}
while read -r files; do
  # shellcheck disable=SC2086
  check "$files: lint" lint $files
  while read -r awk; do
    # shellcheck disable=SC2086
    check "$files: $awk parses it" parses "$awk" $files
  done < "$work/awks"
done < "$work/programs"

figures='awk -f bench/common/numbers.awk -f tests/docs/figures.awk'
# same COMMAND...: prints the same with each awk in place of the first word
same() {
  shift
  while read -r awk; do
    name=$(echo "$awk" | tr -d ' ')
    $awk "$@" > "$work/same.$name" 2>&1 < /dev/null
    echo "exit status $?" >> "$work/same.$name"
    cmp "$work/same.awk" "$work/same.$name" || { diff "$work/same.awk" "$work/same.$name" | head; return 1; }
  done < "$work/awks"
  [ "$(wc -l < "$work/same.awk")" -gt 1 ] || grep -qx 'exit status 0' "$work/same.awk"
}
# shellcheck disable=SC2086
for page in tests/docs/figures/*.awk; do check "$page: the same phrases" same $figures -f "$page"; done
# numbers AWK: roots and logarithms are right
numbers() {
  $1 -f bench/common/numbers.awk -f "$work/numbers.awk" > "$work/numbers" && [ "$(cat "$work/numbers")" = right ]
}
cat > "$work/numbers.awk" <<'END'
function near(x, y) { return (x - y) / y < 1e-13 && (y - x) / y < 1e-13 }
BEGIN {
  good = near(root(2), 1.41421356237309505) && root(0) == 0 && near(root(1e-200), 1e-100) && near(root(9e200), 3e100)
  good = good && near(ln(10), 2.30258509299404568) && near(ln(1e-300), -690.775527898213705) && ln(1) == 0
  good = good && near(e_to(1), 2.71828182845904524) && near(e_to(-100), 3.72007597602083596e-44) && e_to(0) == 1
  good = good && square(-3) == 9
  print (good ? "right" : "wrong")
}
END
while read -r awk; do check "numbers.awk: $awk" numbers "$awk"; done < "$work/awks"
check 'lengths.awk: the same' same awk -f tests/tools/lengths.awk lbp*.h lbp/*/*.h bench/common/*.h
check 'style.awk: the same' same awk -f tests/tools/style.awk lbp*.h lbp/*/*.h
check 'names.awk: the same' same awk -f tests/hygiene/names.awk lbp.h
check 'reference.awk: the same links' same awk -v links=1 -f docs/reference.awk lbp*.h lbp/*/*.h
# shellcheck disable=SC2046
check 'awk_programs.awk: the same' same awk -v to="$work/inline" -f tests/tools/awk_programs.awk $(cat "$work/scripts")

# ---- would it notice? ------------------------------------------------------------------------------------------------

# finds LINE...: a program with these lines is not passed
finds() {
  printf '%s\n' "$@" > "$work/planted.awk"
  ! lint "$work/planted.awk"
}
check 'a parameter that is a function' finds 'function row(x) { return x }' 'function beside(x,    row) { row = x }'
check 'a parameter that is a function further down' finds 'function beside(x,' '    row) { row = x }' 'function row(x) { }'
check 'a repetition' finds '/^a{2}/ { print }'
check 'a line that ends in ?' finds '{ x = y ?' '  1 : 2 }'
check 'a power' finds '{ print $1 ^ 2 }'
check 'a logarithm' finds '{ print log($1) }'
check 'a function of gawk' finds '{ print gensub(/a/, "b", "g") }'
fine() { ! finds "$@"; }
check 'a good program' fine 'function row(x,    y) { y = "{2}"; return x y }' '/^[{]/ { print row($1) ? "a" : "b" }'
printf 'BEGIN { f( }\n' > "$work/planted.awk"
refused() { ! parses awk "$work/planted.awk"; }
check 'an error of syntax' refused
printf '%s\n' "x=\$(awk -v a=\"\$b\" -F '|' 'NR == 1 { print \"it\" }' file) # awk is here" > "$work/planted.sh"
mkdir -p "$work/taken"
taken() {
  [ "$(awk -v to="$work/taken" -f tests/tools/awk_programs.awk "$work/planted.sh" | wc -l)" -eq 1 ] &&
    [ "$(cat "$work/taken/planted.sh-1.awk")" = 'NR == 1 { print "it" }' ]
}
check 'a program in a script' taken
total
