#!/bin/sh
# The pages as a reader takes them: every block of C is compiled and run; links, targets, files and names exist. Prints
# what fails, then the sum.
#
# A block with a main is a program: the line after it, `cc FLAGS NAME.c && ./a.out`, is what is run, and if there is an
# examples/NAME.c, it is that; `<!-- prints -->` after it stands before lines that it prints. Any other block says
# `<!-- c: CONTEXT.c PLACE -->` on the line before: it is compiled where tests/docs/CONTEXT.c includes "PLACE.c". Blocks
# of a page with the same place stand there one after another. A block of shell with `<!-- runs -->` on the line before is
# run in the folder of the program above it, and may have lines that it prints, too.
#
# Environment: CC, LEVEL (of optimisation, -O1), MAKE, BUILD (a directory for scratch files).

CC=${CC:-cc} LEVEL=${LEVEL:--O1} MAKE=${MAKE:-make} BUILD=${BUILD:-build/docs}
cd "$(dirname "$0")/.." || exit 2
root=$(pwd)
rm -rf "$BUILD" && mkdir -p "$BUILD" || exit 2
work=$(cd "$BUILD" && pwd)
. tests/check.sh
# those that are written; docs/reference.md is made of the headers
pages="README.md CONTRIBUTING.md SECURITY.md MISRA.md $(ls docs/*.md | grep -vx docs/reference.md)"
all_pages="$pages docs/reference.md CHANGELOG.md $(ls bench/*.md bench/results/*.md bench/results/*/*.md tests/*.md tests/*/*.md)"

# ---- blocks of C -----------------------------------------------------------------------------------------------------

# the models of the first programs, which contexts begin with
sed '/^int main/,$d' examples/ring.c > "$work/ring.h"
sed '/^#define LBP_NAME/,$d' examples/ring.c > "$work/ring_model.h"
sed '/^#define LBP_NAME/,$d' examples/lattice.c > "$work/lattice_model.h"

# A page's blocks into the folder `to`: programs as K.c, K.command and K.prints; shell as K.sh and K.prints; others as
# CONTEXT.c/PLACE.c. Prints a line for each thing to do; fails if a block of C is neither.
cat > "$work/blocks.awk" <<'END'
function complain(text) {
  printf "%s:%d: %s\n", FILENAME, FNR, text
  bad = 1
}
function file_block() {
  if (block ~ /int main\(/) {
    if (waiting) complain("the program before has no command")
    waiting = folder = ++programs
    printf "%s", block > (to "/" programs ".c")
    print "program " programs
  } else if (context == "") {
    complain("a block of C without a context")
  } else {
    if (!((context, place) in seen)) system("mkdir -p '" to "/" context "'")
    seen[context, place] = 1
    printf "#line %d \"%s\"\n%s", first, FILENAME, block > (to "/" context "/" place ".c")
    if (!(context in named)) print "context " context
    named[context] = 1
  }
}
inside && /^```$/ {
  if (inside == "c") file_block()
  if (inside == "runs") {
    printf "%s", block > (to "/" ++programs ".sh")
    print "shell " programs " " folder + 0
  }
  if (inside == "prints") printf "%s", block > (to "/" programs ".prints")
  inside = context = ""
  next
}
inside { block = block $0 "\n"; next }
/^```/ {
  inside = /^```c$/ ? "c" : prints ? "prints" : runs ? "runs" : "other"
  if (/^```(C|h|cpp)/) complain("write c for C")
  block = ""
  first = FNR + 1
  prints = runs = 0
  next
}
waiting && /^`cc .*\.c.* && \.\/a\.out`/ {
  split($0, part, "`")
  print part[2] > (to "/" waiting ".command")
  waiting = 0
}
{ prints = /^<!-- prints -->$/ && programs > 0 }
{ runs = /^<!-- runs -->$/ }
{ context = "" }
/^<!-- c: [a-z-]*\.c [a-z]* -->$/ { context = $3; place = $4 }
END {
  if (inside) complain("a block that does not end")
  if (waiting) complain("a program without a command")
  exit bad
}
END

# program FOLDER K: does what the page says, with this compiler
program() {
  command=$(cat "$1/$2.command")
  name=$(echo "$command" | sed 's/.* \([a-z_]*\)\.c .*/\1/')
  mkdir -p "$1/$2" && cp "$1/$2.c" "$1/$2/$name.c" || return 1
  if [ -f "examples/$name.c" ] && ! sed 1d "examples/$name.c" | diff - "$1/$2.c"; then
    echo "this is not examples/$name.c"
    return 1
  fi
  (cd "$1/$2" && eval "$command" > printed) && printed "$1/$2/printed" "$1/$2.prints"
}
# a page's `cc`: it takes a fraction of the time to compile; draws are the same
cc() { command $CC -I "$root" "$@" -O1; }
# printed FILE PRINTS: it has these lines, if the page says any; blanks at their ends do not count
printed() {
  [ ! -f "$2" ] && return 0
  [ -s "$2" ] || return 1
  sed 's/ *$//' "$2" > "$2.lines"
  while IFS= read -r line; do
    sed 's/ *$//' "$1" | grep -qxF -e "$line" || { echo "it does not print: $line" && cat "$1" && return 1; }
  done < "$2.lines"
}
# shell FOLDER K PROGRAM: does what the page says, in the folder of that program; of none, in one above a copy of the library
shell() {
  mkdir -p "$1/$3" || return 1
  [ "$3" != 0 ] || [ -e "$1/0/lbp" ] || { mkdir "$1/0/lbp" && ln -s "$root"/* "$1/0/lbp"; } || return 1
  { echo 'cc() { command $CC -I "$root" "$@" -O1; }' && cat "$1/$2.sh"; } > "$1/$2.all" || return 1
  (cd "$1/$3" && CC=$CC root=$root sh -e "$1/$2.all" > "$1/$2.printed") && printed "$1/$2.printed" "$1/$2.prints"
}

# fragments FOLDER CONTEXT: the context with its blocks, compiled and run
fragments() {
  [ -f "tests/docs/$2" ] || { echo "no tests/docs/$2" && return 1; }
  for block in "$1/$2"/*.c; do
    grep -q "^#include \"${block##*/}\"\$" "tests/docs/$2" || { echo "tests/docs/$2 has no place $block" && return 1; }
  done
  mkdir -p "$1/$2/out" &&
    $CC $LEVEL -std=c99 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wno-unused -Werror -I "$1/$2" -I "$work" -I . \
      "tests/docs/$2" -o "$1/$2/program" -lm || return 1
  (cd "$1/$2" && ./program > printed) || { echo "tests/docs/$2: status $?" && return 1; }
}

# blocks PAGE: all of its blocks of C do
blocks() {
  to=$work/$(echo "$1" | tr / _)
  rm -rf "$to" && mkdir -p "$to" || return 1
  awk -v to="$to" -f "$work/blocks.awk" "$1" > "$to/plan" || { cat "$to/plan" && return 1; }
  while read -r kind which where <&4; do
    case $kind in
      program) program "$to" "$which" || return 1 ;;
      shell) shell "$to" "$which" "$where" || return 1 ;;
      context) fragments "$to" "$which" || return 1 ;;
    esac
  done 4< "$to/plan"
}

for page in $pages; do check "$page: blocks of C" blocks "$page"; done

contexts_used() {
  for context in tests/docs/*.c; do
    grep -qF -e "<!-- c: ${context##*/} " $pages || { echo "no page has blocks for $context" && return 1; }
  done
}
check 'every context has a page' contexts_used

# ---- what pages speak of ---------------------------------------------------------------------------------------------

# anchors PAGE: what its headings can be linked by
anchors() {
  awk '/^```/ { code = !code } /^#+ / && !code {
    sub(/^#+ /, ""); $0 = tolower($0); gsub(/[^a-z0-9 _-]/, ""); gsub(/ /, "-"); print }' "$1"
}
# text PAGE: without its blocks of code
text() { awk '/^```/ { code = !code; next } !code' "$1"; }
# links PAGE: every relative link leads somewhere
links() {
  for link in $(text "$1" | grep -oE '\]\([^) ]*\)' | sed 's/^](//; s/)$//' | grep -v '^https\{0,1\}:'); do
    case $link in
      '#'*) file=$1 ;;
      *) file=$(dirname "$1")/${link%%#*} ;;
    esac
    [ -e "$file" ] || { echo "$1: $link is not there" && return 1; }
    case $link in
      *'#'*) anchors "$file" | grep -qxF -e "${link#*#}" || { echo "$1: $link: no such heading" && return 1; } ;;
    esac
  done
}
for page in $all_pages; do check "$page: links" links "$page"; done

# targets PAGE...: what `make` is told to make can be made
"$MAKE" -pn help 2> /dev/null | sed -n 's/^\([a-z][a-z-]*\):.*/\1/p' | sort -u > "$work/targets"
targets() {
  cat "$@" | grep -oE '(^|`)make [^`#|]*' | sed 's/.*make //' |
    awk '{ for (k = 1; k <= NF && $k ~ /^[a-z][a-z-]*$/; k++) print $k }' | sort -u > "$work/asked"
  [ -s "$work/asked" ] && ! grep -vxF -f "$work/targets" "$work/asked"
}
check 'targets of make' targets $all_pages
short_help() { [ "$("$MAKE" -s help | wc -l)" -le 40 ] && [ "$("$MAKE" -s help | awk 'length > 120' | wc -l)" -eq 0 ]; }
check 'make help fits a screen' short_help
# whatever begins with bench- is explained
told_benches() {
  "$MAKE" -s bench-help > "$work/bench_help" && "$MAKE" -s help >> "$work/bench_help" || return 1
  grep '^bench-' "$work/targets" | while read -r target; do
    grep -q "make $target\>" "$work/bench_help" || { echo "make bench-help: no $target" && return 1; }
  done
}
check 'make bench-help has all benchmarks' told_benches

# files PAGE...: files that they name are there, but for what is built
files() {
  cat "$@" | grep -oE '`[^` ]*`' | tr -d '`' |
    grep -xE '(bench|docs|examples|packaging|tests)/[a-zA-Z0-9_./-]*|lbp[a-z_]*\.h|lbp/[a-z_/.]*' | grep -v '^bench/out' | sort -u > "$work/files"
  [ -s "$work/files" ] || return 1
  while read -r file; do [ -e "$file" ] || { echo "$file is not there" && return 1; }; done < "$work/files"
}
check 'files' files $pages

# names PAGE...: what they call lbp_..., LBP_... or NAME_... is in a header (or a variable of the Makefile, or a name of
# examples in other languages); LBP_E_* and the like begin some name there
{ cat lbp*.h lbp/*/*.h Makefile $(ls packaging/python/lbp/*.py examples/*/*.py examples/*/*.R 2> /dev/null); ls examples/*; } | grep -oE '[A-Za-z0-9_]+' | sort -u > "$work/words"
cat lbp*.h lbp/*/*.h | grep -oE '\([a-z0-9_]+\)' | tr -d '()' | sort -u > "$work/members"
names() {
  cat "$@" | grep -oE '(lbp|LBP|NAME)_([A-Za-z0-9_]*_\*|[A-Za-z0-9_]*[A-Za-z0-9])' | sort -u > "$work/names"
  [ -s "$work/names" ] || return 1
  sed -n 's/^NAME_\(priv_\)\{0,1\}//p' "$work/names" | grep -vxF -f "$work/members" && return 1
  grep -v '^NAME_\|\*$' "$work/names" | grep -vxF -f "$work/words" && return 1
  for stem in $(sed -n 's/\*$//p' "$work/names"); do
    grep -q "^$stem" "$work/words" || { echo "$stem*" && return 1; }
  done
  return 0
}
check 'names' names $pages

# leads PAGE: below its title a sentence says what the reader gets, before any code, table, heading or picture
leads() { sed -n 1p "$1" | grep -q '^# ' && sed -n 3p "$1" | grep -q '^[A-Za-z][^|]* '; }
for page in $pages; do check "$page: begins with a sentence" leads "$page"; done

# drawn NAME: docs/pictures/NAME.svg is what the script draws. (examples/lanes.c draws lanes.svg: 4000 sweeps of 32 lattices.)
drawn() { awk -v picture="$1" -f docs/pictures/draw.awk | cmp - "docs/pictures/$1.svg"; }
for picture in docs/pictures/*.svg; do
  [ "$picture" != docs/pictures/lanes.svg ] || continue
  check "$picture: as docs/pictures/draw.awk draws it" drawn "$(basename "$picture" .svg)"
done

# prose PAGE...: sentences of at most 25 words on average, without the expressions that tests/tools/prose.awk lists
prose() { awk -v limit=25 -f tests/tools/prose.awk "$@"; }
for page in $pages CHANGELOG.md; do check "$page: prose" prose "$page"; done

# ---- what pages say of results ---------------------------------------------------------------------------------------

# figures PAGE FILE.awk: the phrases and rows that it makes of bench/results stand there, whatever the breaks of lines
figures() {
  awk -f bench/common/numbers.awk -f tests/docs/figures.awk -f "$2" > "$work/phrases" && [ -s "$work/phrases" ] || return 1
  tr -s ' \n' '  ' < "$1" > "$work/flat"
  said=0
  while read -r phrase; do
    grep -qF -e "$phrase" "$work/flat" || { echo "$1 does not say: $phrase" && said=1; }
  done < "$work/phrases"
  return $said
}
for made in tests/docs/figures/*.awk; do
  page=docs/$(basename "$made" .awk).md
  [ "$page" = docs/readme.md ] && page=README.md
  check "$page: figures" figures "$page" "$made"
done
# figured PAGE: if it links to results, there are figures for it
figured() {
  ! text "$1" | grep -q ']([./]*bench/results/' || [ -f "tests/docs/figures/$(basename "$1" .md | tr '[:upper:]' '[:lower:]').awk" ]
}
for page in $pages; do check "$page: figures for its results" figured "$page"; done

# of_commit FILE: it says which commit made it, and that is one. Left out: those that are older than this line.
of_commit() { grep -q 'lbp [0-9.]*, commit [0-9a-f]\{7,\}; ' "$1"; }
for file in $(ls bench/results/*.* bench/results/*/*.*); do
  case ${file#bench/results/} in
    README.md | times.md | *.png) ;;
    *) check "$file: the commit that made it" of_commit "$file" ;;
  esac
done

# of_history FILE...: what is there to go back to; a checkout without its history can't tell
of_history() {
  for made in $(grep -rhoE 'commit [0-9a-f]{7,}' "$@" | sort -u | sed 's/commit //'); do
    git merge-base --is-ancestor "$made" HEAD 2> /dev/null || { echo "no commit before this one: $made" && return 1; }
  done
}
if [ "$(git rev-parse --is-shallow-repository 2> /dev/null)" = false ]; then
  check 'the commits that made results' of_history bench/results
fi

# of_no_machine: results name no folder of the machine that made them
of_no_machine() { ! grep -rnE '(^|[ =(`"])/(home|mnt|opt|root|srv|tmp|work)/' bench/results; }
check 'results name no folder of a machine' of_no_machine

short() { [ "$(wc -l < README.md)" -le 140 ]; }
check 'README.md has at most 140 lines' short

# ---- would it notice? ------------------------------------------------------------------------------------------------

# misses CHECK LINE...: a page with these lines does not pass it
misses() {
  misses_check=$1
  shift
  printf '%s\n' "$@" > "$work/planted.md"
  ! "$misses_check" "$work/planted.md"
}
check 'a block without a context' misses blocks '```c' 'int x;' '```'
check 'a context further up' misses blocks '<!-- c: exact.c top -->' '' '```c' '#define LBP_EXACT 1' '```'
check 'a context that is not there' misses blocks '<!-- c: nowhere.c top -->' '```c' 'int x;' '```'
check 'a place that is not there' misses blocks '<!-- c: exact.c bottom -->' '```c' '#define LBP_EXACT 1' '```'
check 'a block that does not compile' misses blocks '<!-- c: exact.c top -->' '```c' '#define LBP_EXACT 1' 'int x' '```'
check 'a block that warns' misses blocks '<!-- c: exact.c top -->' '```c' '#define LBP_EXACT 1' 'int f(void) {}' '```'
check 'a program without a command' misses blocks '```c' 'int main(void) { return 0; }' '```'
check 'a program that fails' misses blocks '```c' 'int main(void) { return 3; }' '```' '`cc x.c && ./a.out`'
check 'a program that is no longer the example' misses blocks '```c' 'int main(void) { return 0; }' '```' \
  '`cc ring.c && ./a.out`'
check 'a program that prints something else' misses blocks '```c' '#include <stdio.h>' \
  'int main(void) { return puts("1") < 0; }' '```' '`cc x.c && ./a.out`' '' '<!-- prints -->' '```' 2 '```'
good() { ! misses "$@"; }
check 'a program that does what it says' good blocks '```c' '#include <stdio.h>' \
  'int main(void) { return puts("1") < 0; }' '```' '`cc x.c && ./a.out`' '' '<!-- prints -->' '```' 1 '```'
check 'shell that fails' misses blocks '<!-- runs -->' '```sh' 'false' 'true' '```'
check 'shell that prints something else' misses blocks '<!-- runs -->' '```sh' 'echo 1' '```' '<!-- prints -->' '```' 2 '```'
check 'shell that does what it says' good blocks '<!-- runs -->' '```sh' 'ls lbp/lbp.h' '```' '<!-- prints -->' '```' \
  'lbp/lbp.h' '```'
check 'a block in its place' good blocks '<!-- c: exact.c top -->' '```c' '#define LBP_EXACT 1' '```'
check 'a link to no file' misses links 'see [this](nothing.md)'
check 'a link to no heading' misses links '# Here' '[there](#there)'
check 'a link to a heading' good links '# Here, and `x_y`' '[there](#here-and-x_y)'
printf 'BEGIN { read("constraints_best.csv"); say("nobody says " rows["constraints_best.csv"]) }\n' > "$work/figures.awk"
figures_of_it() { figures "$1" "$work/figures.awk"; }
check 'a figure that is no longer true' misses figures_of_it 'nobody says 3'
check 'results without figures' misses figured 'see [all](../bench/results/constraints_best.csv)'
check 'no results, no figures' good figured 'see [all](../bench/results.md)'
check 'results of no commit' misses of_commit '# lbp 0.8.0, commit d1cc431-dirty; a machine'
check 'results of a commit' good of_commit '# lbp 0.8.0, commit d1cc431; a machine'
check 'results of a commit that nobody has' misses of_history '# lbp 0.8.0, commit 0123456; a machine'
check 'a page that begins with code' misses leads '# Pages' '' '```c' 'int x;'
check 'a page that begins with a table' misses leads '# Pages' '' '| a | b |'
check 'a page that begins with a heading' misses leads '# Pages' '' '## More pages'
check 'a page that begins with a sentence' good leads '# Pages' '' 'A page is'
check 'long sentences' misses prose "$(yes word | head -n 26 | tr '\n' ' ')."
check 'sentences of 25 words' good prose "$(yes word | head -n 25 | tr '\n' ' ')." '' "- $(yes word | head -n 25 | tr '\n' ' ')"
check 'an old word' misses prose 'This is done anew.'
check 'a clause as the subject' misses prose 'What is touched is asked for again.'
check 'a question' good prose 'What next? `anew` is code.'
check 'no such target' misses targets 'say `make test` and `make nonsense FILE=x`'
check 'no such file' misses files '`lbp.h` and `lbp_none.h`'
check 'no such name' misses names '`LBP_NAME`, `LBP_NAMES`'
check 'no such names' misses names '`LBP_E_*`, `LBP_F_*`'
check 'no such function' misses names '`NAME_lbp_step`, `NAME_leap`'
total
