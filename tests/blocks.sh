#!/bin/sh
# The pages' code as a reader takes it: every block of C is compiled and run, and marked blocks of shell. Prints what
# fails, then the sum. (docs.sh looks at the rest of the pages.)
#
# A block with a main is a program: the line after it, `cc FLAGS NAME.c && ./a.out`, is what is run, and if there is an
# examples/NAME.c, it is that; `<!-- prints -->` after it stands before lines that it prints. Any other block says
# `<!-- c: CONTEXT.c PLACE -->` on the line before: it is compiled where tests/docs/CONTEXT.c includes "PLACE.c". Blocks
# of a page with the same place stand there one after another. A block of shell with `<!-- runs -->` on the line before is
# run in the folder of the program above it, and may have lines that it prints, too.
#
# Environment: CC, LEVEL (of optimisation, -O1), BUILD (a directory for scratch files); PAGES: only these.

CC=${CC:-cc} LEVEL=${LEVEL:--O1} BUILD=${BUILD:-build/blocks}
cd "$(dirname "$0")/.." || exit 2
root=$(pwd)
rm -rf "$BUILD" && mkdir -p "$BUILD" || exit 2
work=$(cd "$BUILD" && pwd)
. tests/check.sh
# those that are written; docs/reference.md is made of the headers
all_pages="README.md CONTRIBUTING.md SECURITY.md MISRA.md $(ls docs/*.md | grep -vx docs/reference.md)"
pages=${PAGES:-$all_pages}

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
    grep -qF -e "<!-- c: ${context##*/} " $all_pages || { echo "no page has blocks for $context" && return 1; }
  done
}
check 'every context has a page' contexts_used

# ---- would it notice? ------------------------------------------------------------------------------------------------

# misses CHECK LINE...: a page with these lines does not pass it
misses() {
  misses_check=$1
  shift
  printf '%s\n' "$@" > "$work/planted.md"
  ! "$misses_check" "$work/planted.md"
}
good() { ! misses "$@"; }
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
check 'a program that does what it says' good blocks '```c' '#include <stdio.h>' \
  'int main(void) { return puts("1") < 0; }' '```' '`cc x.c && ./a.out`' '' '<!-- prints -->' '```' 1 '```'
check 'shell that fails' misses blocks '<!-- runs -->' '```sh' 'false' 'true' '```'
check 'shell that prints something else' misses blocks '<!-- runs -->' '```sh' 'echo 1' '```' '<!-- prints -->' '```' 2 '```'
check 'shell that does what it says' good blocks '<!-- runs -->' '```sh' 'ls lbp/lbp.h' '```' '<!-- prints -->' '```' \
  'lbp/lbp.h' '```'
check 'a block in its place' good blocks '<!-- c: exact.c top -->' '```c' '#define LBP_EXACT 1' '```'
total
