#!/bin/sh
# The pages as a reader takes them: links, targets, files and names exist, pictures and figures are those of their
# sources, sentences are short. Prints what fails, then the sum. (blocks.sh compiles and runs the pages' code.)
#
# Environment: MAKE, BUILD (a directory for scratch files).

MAKE=${MAKE:-make} BUILD=${BUILD:-build/docs}
cd "$(dirname "$0")/.." || exit 2
rm -rf "$BUILD" && mkdir -p "$BUILD" || exit 2
work=$(cd "$BUILD" && pwd)
. tests/check.sh
# those that are written; docs/reference.md is made of the headers
pages="README.md CONTRIBUTING.md SECURITY.md MISRA.md $(ls docs/*.md | grep -vx docs/reference.md)"
all_pages="$pages docs/reference.md CHANGELOG.md $(ls bench/*.md bench/results/*.md bench/results/*/*.md tests/*.md tests/*/*.md)"

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
{ cat lbp*.h lbp/*/*.h Makefile CMakeLists.txt $(ls packaging/python/lbp/*.py examples/*/*.py examples/*/*.R examples/*/*.f90 packaging/r/lbp/R/*.R 2> /dev/null); ls examples/*; } | grep -oE '[A-Za-z0-9_]+' | sort -u > "$work/words"
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

# drawn NAME: docs/pictures/NAME.svg is what the script draws. (examples/lanes.c draws lanes.svg, 4000 sweeps of 32
# lattices.)
drawn() { awk -v picture="$1" -f docs/pictures/draw.awk | cmp - "docs/pictures/$1.svg"; }
for picture in docs/pictures/*.svg; do
  case $picture in docs/pictures/lanes.svg) continue ;; esac
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
    README.md | times.md | provenance.txt | *.png) ;;
    *) check "$file: the commit that made it" of_commit "$file" ;;
  esac
done

# of_history FILE...: what is there to go back to
of_history() {
  for made in $(grep -rhoE 'commit [0-9a-f]{7,}' "$@" | sort -u | sed 's/commit //'); do
    git merge-base --is-ancestor "$made" HEAD 2> /dev/null || { echo "no commit before this one: $made" && return 1; }
  done
}
if has_history; then
  check 'the commits that made results' of_history bench/results
else
  skip 'the commits that made results: no history here'
fi

# of_no_machine: results name no folder of the machine that made them
of_no_machine() { ! grep -rnE '(^|[ =(`"])/(home|mnt|opt|root|srv|tmp|work)/' bench/results; }
check 'results name no folder of a machine' of_no_machine

# drawn from all other results
overview() {
  awk -f bench/common/numbers.awk -f tests/docs/figures.awk -f bench/overview.awk > "$work/overview" &&
    grep -v '^#' bench/results/overview.csv | cmp - "$work/overview"
}
check 'bench/results/overview.csv follows from the other results: make bench-overview' overview

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
good() { ! misses "$@"; }
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
below() { (cd "$work" && ! has_history); }
in_another() { mkdir "$work/another" && (cd "$work/another" && { ! have git || git init -q .; } && ! has_history); }
check 'no history in a folder of a checkout' below
check 'nor in another repository' in_another
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
