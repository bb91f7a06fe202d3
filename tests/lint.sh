#!/bin/sh
# Static analysis of all headers (tests/hygiene/lint.c): clang-tidy as .clang-tidy says, and cppcheck but for what
# tests/hygiene/cppcheck.txt says, in float and double, as C and as C++. Both must be clean, and both must find a
# planted bug. Functions and lines of headers may not grow too long: tools/lengths.awk. Headers are
# in one style: tools/style.awk. Options of runs have names: lbp/run/options.h. MISRA.md quotes what tools/misra.sh
# prints, and has a reason for each rule. No product of 32-bit numbers is an index or a size: tools/products.awk.
# Subjects of commits: at most 72 characters.
# `make test-lint`.
# Environment: BUILD (a folder for scratch files).
set -u
BUILD=${BUILD:-build/lint}
cd "$(dirname "$0")/.." || exit 2
mkdir -p "$BUILD" || exit 2
work=$BUILD
. tests/check.sh

finds() { # text, command: it fails, and says so
  text=$1
  shift
  ! "$@" > "$BUILD/log" 2>&1 && grep -q "$text" "$BUILD/log"
}
here() {
  have "$1" && return
  skip "$1 is not here"
  return 1
}

# lengths.awk needs nothing but awk; each of its limits is tried
lengths() { awk -f tests/tools/lengths.awk "$@"; }
function_of() { # SO MANY LINES, 3 or more, behind a declaration and functions of one line
  printf '%s\n' 'LBP_FN int f(int a,' '             int b);' 'LBP_INLINE int g(void); /* below */' \
    'LBP_INLINE int g(void) { return f(1, 2); }' 'LBP_FN int h(int a,' '             int b) {'
  yes '  f(a, b); /* { */' | head -n $(($1 - 3))
  echo '}'
}
functions() { # one of 60 lines will do, one of 61 is found
  function_of 60 > "$BUILD/long/function.h" && lengths "$BUILD/long/function.h" || return 1
  function_of 61 > "$BUILD/long/function.h"
  finds 'function.h:5: lines of a function: 61, at most 60' lengths "$BUILD/long/function.h"
}
columns() { # the same of lines
  function_of 3 > "$BUILD/long/line.h" && printf '/* %117s\n' ' */' >> "$BUILD/long/line.h"
  lengths "$BUILD/long/line.h" || return 1
  printf '/* %118s\n' ' */' >> "$BUILD/long/line.h"
  finds 'line.h:9: columns of a line: 121, at most 120' lengths "$BUILD/long/line.h"
}
no_function() { ! lengths tests/hygiene/lint.c; }

mkdir -p "$BUILD/long"
check 'no function or line of a header is too long' lengths lbp*.h lbp/*/*.h
check 'lengths.awk: one line too many in a function' functions
check 'lengths.awk: one column too many' columns
check 'lengths.awk: nothing to look at' no_function

# options of runs that are numbers or strings are in the table of names, those of a group where its struct stands in
# lbp_run; `columns` goes with an array
members() { # HEADER FIRST LAST: of the struct between these lines
  sed -n "/$2/,/$3/p" "$1" |
    sed -n -E 's/^  (int|double|uint32_t|uint64_t|const char|lbp_run_[a-z]*) \**([A-Za-z_, ]*);.*/\1 \2/p'
}
fields() {
  members "$1" '^struct lbp_run {' '^};' | while read -r type name; do
    case $type in
      lbp_run_*) group_of "$1" "$type" | sed "s/^/$name./" ;;
      *) echo "$name" | sed 's/^char //' | tr ',' '\n' | tr -d ' ' ;;
    esac
  done | grep -vx columns
}
group_of() { # HEADER TYPE
  sed -n "/^typedef struct {/{h;d;};H;/^} $2;/{g;p;}" "$1" > "$BUILD/group.h"
  members "$BUILD/group.h" '^typedef' '^}' | sed 's/^[a-z0-9_]* //' | tr ',' '\n' | tr -d ' '
}
named() {
  sed -n '/#define/d; s/.*LBP_P_OPTION(\([A-Za-z_]*\),.*/\1/p
    s/.*LBP_P_CHOICE(\([A-Za-z_]*\),.*/\1/p
    s/.*LBP_P_MEMBER(\([a-z]*\), \([a-z_]*\),.*/\1.\2/p' lbp/run/options.h
}
all_named() { [ "$(fields "$1")" = "$(named)" ]; }
one_more() {
  sed 's/^  uint32_t chains;.*/&\n  double more;/' lbp/run/want.h > "$BUILD/more.h"
  ! cmp -s lbp/run/want.h "$BUILD/more.h" && ! all_named "$BUILD/more.h"
}
check 'lbp/run/options.h has all options of runs, in their order' all_named lbp/run/want.h
one_member() {
  sed 's/^  uint32_t rungs;.*/&\n  double more;/' lbp/run/want.h > "$BUILD/more.h"
  ! cmp -s lbp/run/want.h "$BUILD/more.h" && ! all_named "$BUILD/more.h"
}
check 'an option that it has not' one_more
check 'a member of a group that it has not' one_member

# so does style.awk, and each of its rules is tried
version=$(lbp_version)
style() { awk -v version="$version" -f tests/tools/style.awk "$@"; }
rule() { # CHARACTER NAME: a banner of 120 columns
  printf '/* %s ' "$2"
  printf "%$((113 - ${#2}))s" '' | tr ' ' "$1"
  echo ' */'
}
in_style() { # LINE...: a header with these lines in a function
  printf '%s\n' "/* Version $version. MIT licence, see LICENSE. */" '' '#include <math.h>' '' '#include "lbp.h"' ''
  rule = '==== support: once'
  rule - '---- a section'
  printf '%s\n' '' 'LBP_FN int f(const int *p, int n) {' '  int i, k[2] = {0, 1};'
  printf '%s\n' "$@" '  return n;' '}'
} > "$BUILD/style.h"
good_style() {
  in_style '  for (i = 0; i < n; i++) k[i] = p && !k[i];' '  if (n > 1 &&' '      n < 5) {' \
    '    g(p != NULL); /* p == NULL */' '  }' '#define BODY(n) \' '  if (n > 0)'
  style "$BUILD/style.h"
}
departs() { # TEXT LINE...: one of these lines is found
  text=$1
  shift
  in_style "$@"
  finds "$text" style "$BUILD/style.h"
}
departs_in() { # TEXT SED: the header is found when so changed
  in_style ''
  sed "$2" "$BUILD/style.h" > "$BUILD/departs.h"
  finds "$1" style "$BUILD/departs.h"
}
braces='a body on a line of its own has braces'
check 'all headers are in one style' style lbp*.h lbp/*/*.h
check 'style.awk: what is in style' good_style
check 'style.awk: a counter in its loop' departs 'a counter is' '  for (int j = 0; j < n; j++) g(j);'
check 'style.awk: ++i' departs 'i++ rather' '  for (i = 0; i < n; ++i) g(i);'
check 'style.awk: p == NULL' departs '!p rather' '  if (p == NULL) return 1;'
check 'style.awk: if (p != NULL)' departs 'p rather' '  if (p != NULL) return 1;'
check 'style.awk: n && p != NULL' departs 'p rather' '  i = n && p != NULL;'
check 'style.awk: { 0 }' departs '{1, 2} rather' '  int j[1] = { 0 };'
check 'style.awk: defined(X)' departs 'defined X' '#if defined(X)' '#endif'
check 'style.awk: sizeof (int)' departs 'sizeof' '  i = sizeof (int);'
check 'style.awk: a loop without braces' departs "$braces" '  for (i = 0; i < n; i++) /* all */' '    g(i);'
check 'style.awk: a condition of two lines' departs "$braces" '  if (n > 1 &&' '      n < 5)' '    g(i);'
check 'style.awk: else without braces' departs "$braces" '  if (n) i++;' '  else' '    i--;'
check 'style.awk: a space at the end' departs 'a space' '  i = 1; '
check 'style.awk: a short banner' departs_in '120 columns wide, not 119' 's/^\(.. ---- .*\)- /\1 /'
check 'style.awk: a banner for a part' departs_in 'of the parts' 's/==== support: /==== section: /'
check 'style.awk: a banner of three lines' departs_in 'one line' 's/^  return n;/ * ---------/'
check 'style.awk: "lbp.h" before <math.h>' departs_in 'comes before' 's/<math.h>/"lbp_run.h"/; s/"lbp.h"/<math.h>/'
check 'style.awk: another version' departs_in 'does not say: Version' 's/MIT/no/'
check 'style.awk: #endif of what' departs_in 'of what' '$s/.*/#endif/'
check 'style.awk: nothing to look at' departs_in 'no function' 's/LBP_FN//'

# short FILE: every line has at most 72 characters; prints those that are longer
short() { awk 'length > 72 { print length ": " $0; long = 1 } END { exit long }' "$1"; }
# subjects: those of commits since this rule began, but for two that nobody saw in time: history stays as it is
subjects() {
  git log --no-merges --format='%H %s' "$rule_began..HEAD" | sed '/^f892bfe/d; /^c3e1741/d; s/^[^ ]* //' > "$BUILD/subjects" &&
    short "$BUILD/subjects"
}
subject_of() { # so many characters
  printf "%$1s\n" '' | tr ' ' x > "$BUILD/subjects" && short "$BUILD/subjects"
}
long_subject() { ! subject_of 73; }
rule_began=8a372d7
if git merge-base --is-ancestor "$rule_began" HEAD 2> /dev/null; then
  check "subjects of commits since $rule_began" subjects
else
  skip 'subjects of commits: no history here'
fi
check 'a subject of 72 characters' subject_of 72
check 'a subject of 73 characters' long_subject

cat > "$BUILD/planted.c" <<'END'
#include <stdlib.h>
int main(void) {
  int *p = (int *)calloc(4, sizeof *p), *q = NULL;
  if (p == NULL) return *q;
  free(p);
  return p[1];
}
END

tidy() { clang-tidy --quiet "$1" -- -I. $2; }
if here clang-tidy; then
  for real in float double; do
    check "clang-tidy, $real" tidy tests/hygiene/lint.c "-std=c99 -DLBP_MODELS_REAL=$real"
    check "clang-tidy, $real, C++" tidy tests/hygiene/lint.c "-x c++ -std=c++11 -DLBP_MODELS_REAL=$real"
  done
  cp .clang-tidy "$BUILD"
  check 'clang-tidy finds a planted bug' finds 'clang-analyzer-core.NullDereference' tidy "$BUILD/planted.c" -std=c99
fi

# products of 32-bit numbers that are an index or a size: in headers, also those of examples/, and in examples
widened() { # FILE...: what products.awk leaves of what clang-tidy finds; clang-tidy's own status says nothing here
  for file in "$@"; do
    clang-tidy --quiet --header-filter='(/|^)(lbp|examples/)[a-z_/]*\.h$' --warnings-as-errors=-* \
      --checks='-*,bugprone-implicit-widening-of-multiplication-result' "$file" -- -I. -std=c99 \
      -D_POSIX_C_SOURCE=200809L 2> /dev/null
  done | awk -f tests/tools/products.awk
}
overflows() { # the product that once left result.best wrong is found, its like with size_t is not
  printf '%s\n' '#include <stdint.h>' '#include "lbp_planted.h"' 'int main(void) { return 0; }' > "$BUILD/product.c"
  planted() { printf 'static inline char *at(char *p, uint32_t k, uint32_t n) { return p + %s; }\n' "$1" > "$BUILD/lbp_planted.h"; }
  planted '(uint64_t)k * n' && widened "$BUILD/product.c" && planted '2 * k' && widened "$BUILD/product.c" || return 1
  planted 'k * n' && finds 'k \* n' widened "$BUILD/product.c" && planted '4 * k' && finds '4 \* k' widened "$BUILD/product.c"
}
if here clang-tidy; then
  check 'no product of 32-bit numbers is an index' widened tests/hygiene/lint.c tests/hygiene/products.c examples/bridge/*.c \
    examples/*.c
  check 'a planted one is found' overflows
fi

# with the compiler's macros given, it looks at one configuration instead of guessing at many
analyse() { # file, further options
  file=$1
  shift
  cppcheck -q -I. -D__GNUC__=12 --enable=warning,style,performance,portability --error-exitcode=1 \
    --suppressions-list=tests/hygiene/cppcheck.txt "$@" "$file"
}
if here cppcheck; then
  for real in float double; do
    check "cppcheck, $real" analyse tests/hygiene/lint.c --std=c99 -DLBP_MODELS_REAL=$real
  done
  check 'cppcheck finds a planted bug' finds 'nullPointer' analyse "$BUILD/planted.c" --std=c99
  quoted() { # FOLDER of lbp.h: what is found there is what the page quotes
    sh tests/tools/misra.sh "$1" > "$BUILD/misra" || return 1
    awk '/^```/ { inside = !inside; next } inside' MISRA.md | diff - "$BUILD/misra"
  }
  reasons() { # each rule that is quoted has a row, and each row of a rule that cppcheck looks for is quoted
    grep -v '^Cppcheck' MISRA.md | grep -oE '[0-9]+\.[0-9]+: ' | tr -d ': ' > "$BUILD/misra"
    [ -s "$BUILD/misra" ] &&
      sed -n -e 's/^| \([2-9][0-9]*\.[0-9]*\), .*/\1/p' -e 's/^| \(1[0-9]\.[0-9]*\), .*/\1/p' MISRA.md |
      diff "$BUILD/misra" -
  }
  jumps() { # a planted goto is counted
    mkdir -p "$BUILD/jumps" && cp -R lbp*.h lbp "$BUILD/jumps" &&
      sed 's/^LBP_CALLED void lbp_rng_init(/LBP_FN int lbp_jump(int i) { again: if (i++ < 9) goto again; return i; } &/' \
        lbp.h > "$BUILD/jumps/lbp.h" || return 1
    ! quoted "$BUILD/jumps" && grep '15\.1: 1,' "$BUILD/misra"
  }
  if grep -q "^$(cppcheck --version): " MISRA.md; then
    check 'MISRA.md quotes what misra.sh prints' quoted .
    check 'misra.sh finds a planted goto' jumps
  else
    skip "MISRA.md was made with another version than $(cppcheck --version)"
  fi
  check 'MISRA.md has a reason for each rule' reasons
fi

total
