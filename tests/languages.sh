#!/bin/sh
# Other languages: examples/rust (by rustc, and by Cargo with its build script) and examples/fortran print the same as
# C's own functions give (tools/languages.c), in the same words; and their bindings have the functions, types and
# figures that lbp_bridge.h has. The programs of docs/languages.md print what the page says. Missing tools are skipped.
# Environment: CC, LEVEL (of optimisation, -O1), RUSTC, CARGO, FC, BUILD (a folder).
CC=${CC:-cc} LEVEL=${LEVEL:--O1} RUSTC=${RUSTC:-rustc} CARGO=${CARGO:-cargo} FC=${FC:-gfortran}
BUILD=${BUILD:-build/languages}
cd "$(dirname "$0")/.." || exit 2
rm -rf "$BUILD" && mkdir -p "$BUILD" || exit 2
work=$(cd "$BUILD" && pwd)
. tests/check.sh

# ---- bindings and the header ----------------------------------------------------------------------------------------

# names of functions, with how many parameters
header() {
  awk '/^LBP_BRIDGE_FN / { line = $0
      while (line !~ /;$/) { getline more; sub(/^ */, "", more); line = line " " more }
      if (match(line, /lbp_bridge_[a-z_]*\(/)) {
        name = substr(line, RSTART, RLENGTH - 1); rest = substr(line, RSTART + RLENGTH)
        gsub(/\(\*tell\)\([^)]*\)/, "tell", rest); sub(/\);$/, "", rest)
        count = rest == "void" ? 0 : gsub(/,/, ",", rest) + 1
        if (name !~ /^lbp_bridge_c_/) print name, count
      } }' lbp_bridge.h | LC_ALL=C sort
}
of_rust() {
  awk '/^ *pub fn lbp_bridge_/ { line = $0
      while (line !~ /;$/) { getline more; sub(/^ */, "", more); line = line more }
      match(line, /lbp_bridge_[a-z_]*/); name = substr(line, RSTART, RLENGTH)
      sub(/^[^(]*\(/, "", line); sub(/\)( -> .*)?;$/, "", line); sub(/,$/, "", line)
      print name, line == "" ? 0 : gsub(/,/, ",", line) + 1 }' examples/rust/lbp.rs | LC_ALL=C sort
}
of_fortran() {
  awk '/^ *(function|subroutine) lbp_bridge_.* bind\(c\)/ {
      match($0, /lbp_bridge_[a-z_]*/); name = substr($0, RSTART, RLENGTH); line = $0
      sub(/^[^(]*\(/, "", line); sub(/\) bind.*/, "", line)
      print name, line == "" ? 0 : gsub(/,/, ",", line) + 1 }' examples/fortran/lbp.f90 | LC_ALL=C sort
}
enums_header() {
  awk '/^enum \{/, /^};/' lbp_bridge.h | sed -n 's/^  LBP_BRIDGE_\([A-Z0-9_]*\),*$/\1/p' | grep -vx TYPES
  sed -n 's/^#define LBP_BRIDGE_ABI \([0-9]*\)$/ABI \1/p' lbp_bridge.h
}
enums_rust() {
  sed -n -E 's/^ *pub const ([A-Z0-9_]*): (i32|usize) = [0-9]*;$/\1/p' examples/rust/lbp.rs
  sed -n 's/^ *pub const ABI: u32 = \([0-9]*\);$/ABI \1/p' examples/rust/lbp.rs
}
enums_fortran() {
  sed -n 's|^ *enumerator :: ||p' examples/fortran/lbp.f90 | tr ',' '\n' | sed 's/^ *lbp_//' |
    tr '[:lower:]' '[:upper:]'
  sed -n 's/.*parameter :: lbp_abi = \([0-9]*\)$/ABI \1/p' examples/fortran/lbp.f90
}
# same NAME: what the header and the binding have
same() {
  header > "$work/header" && "of_$1" > "$work/$1" && [ "$(wc -l < "$work/header")" -ge 20 ] &&
    diff "$work/header" "$work/$1" && enums_header > "$work/header" && "enums_$1" > "$work/$1" &&
    [ "$(wc -l < "$work/header")" -ge 16 ] && diff "$work/header" "$work/$1"
}
in_order() { # Rust's numbers are written out: 0, 1, 2, ... of types, and again of figures
  sed -n -E 's/^ *pub const [A-Z0-9_]*: (i32|usize) = ([0-9]*);$/\1 \2/p' examples/rust/lbp.rs |
    awk '$2 != next_of[$1] + 0 { print "not in order:", $0; bad = 1 }
      { next_of[$1] = $2 + 1 }
      END { exit bad || NR < 15 }'
}
check 'examples/rust/lbp.rs: functions, types, figures of lbp_bridge.h' same rust
check 'examples/rust/lbp.rs: numbers in order' in_order
check 'examples/fortran/lbp.f90: the same' same fortran

# ---- draws ----------------------------------------------------------------------------------------------------------

# $CC, $LEVEL, $FC are words
# shellcheck disable=SC2086
reference() { $CC $LEVEL -w -pthread -I. tests/tools/languages.c -o "$work/c" -lm && "$work/c" > "$work/c.txt"; }
# shellcheck disable=SC2086
model() { $CC $LEVEL -Wall -Wextra -Werror -fPIC -c -I. examples/bridge/qubo.c -o "$work/qubo.o"; }
# as_in_c PROGRAM: it prints all of C's lines that it has, and the sentence about a wrong option
as_in_c() {
  "$work/$1" > "$work/$1.txt" || return 1
  grep '^refused: chain: there is no such option' "$work/$1.txt" || return 1
  grep -v '^refused: ' "$work/$1.txt" > "$work/$1.draws"
  if grep -q '^two threads' "$work/$1.draws"; then cat "$work/c.txt"; else grep -v '^two threads' "$work/c.txt"; fi |
    diff - "$work/$1.draws"
}
# as the programs' heads say
rust() {
  (cd examples/rust && $RUSTC --edition 2021 -O -D warnings ring.rs -C "link-arg=$work/qubo.o" -C link-arg=-lm \
    -o "$work/ring_rust")
}
by_cargo() {
  mkdir -p "$work/tree/examples/bridge" && cp -R lbp*.h lbp "$work/tree" && cp -R examples/rust "$work/tree/examples" &&
    cp examples/bridge/qubo.c "$work/tree/examples/bridge" &&
    (cd "$work/tree/examples/rust" && $CARGO build --quiet --offline) &&
    cp "$work/tree/examples/rust/target/debug/ring" "$work/ring_cargo"
}
again() { (cd "$work/tree/examples/rust" && $CARGO build --verbose --offline) 2>&1 | grep '^ *Fresh ring '; }
# a compiler that refuses -march=native
plain_cargo() {
  printf '%s\n' '#!/bin/sh' 'case " $* " in *" -march=native "*) exit 1 ;; esac' "exec $CC \"\$@\"" > "$work/plain_cc" &&
    chmod +x "$work/plain_cc" && (cd "$work/tree/examples/rust" && CC=$work/plain_cc $CARGO build --quiet --offline)
}
# what the library reads and writes as numbers is for unsafe code to tell
items() {
  printf '%s\n' '#![allow(dead_code)]' "#[path = \"$PWD/examples/rust/lbp.rs\"]" 'mod lbp;' \
    'impl lbp::Item for [f64; 9] { const KIND: i32 = lbp::raw::DOUBLE; }' 'fn main() {}' > "$work/items.rs"
  ! $RUSTC --edition 2021 --emit=metadata --out-dir "$work" "$work/items.rs" 2> "$work/items" &&
    grep E0200 "$work/items"
}
# optimised: there products of sizes wrap without a word
shapes() {
  $RUSTC --edition 2021 -O tests/tools/languages.rs -C "link-arg=$work/qubo.o" -C link-arg=-lm -o "$work/shapes" &&
    "$work/shapes"
}
fortran() {
  (cd examples/fortran &&
    $FC -std=f2018 -O2 -Wall -Wextra -Werror -J "$work" lbp.f90 ring.f90 "$work/qubo.o" -o "$work/ring_fortran" -lm -pthread)
}
# a fourth extent would be written beyond the shape
extents() {
  printf '%s\n' 'program four' '  use lbp' '  character(2), target :: name = "a" // c_null_char' \
    '  real(c_double), target :: v(16) = 0' '  type(lbp_array) :: a' \
    '  a = lbp_array_of(name, lbp_double, [1, 2, 2, 4], c_loc(v))' '  print *, a%dims' 'end program' > "$work/four.f90"
  $FC -J "$work" examples/fortran/lbp.f90 "$work/four.f90" "$work/qubo.o" -o "$work/four" -lm -pthread &&
    ! "$work/four" 2> "$work/four.said" && grep 'up to 3 extents' "$work/four.said"
}
# the sentence is on standard error, nothing on standard output
judged() {
  sed "s/'thin'/'thim'/" examples/fortran/ring.f90 > "$work/wrong.f90"
  $FC -J "$work" examples/fortran/lbp.f90 "$work/wrong.f90" "$work/qubo.o" -o "$work/wrong" -lm -pthread || return 1
  "$work/wrong" > "$work/wrong.out" 2> "$work/wrong.err"
  [ $? = 1 ] && ! grep thim "$work/wrong.out" && grep 'lbp: thim: there is no such option' "$work/wrong.err"
}

# ---- the page -------------------------------------------------------------------------------------------------------

# block LANGUAGE: the page's block of it that is a program; prints: what each prints
block() { awk -v start="^\`\`\`$1\$" '$0 ~ start { inside = 1; next } /^```/ { inside = 0 } inside' docs/languages.md; }
prints() { awk '/^<!-- prints -->$/ { getline; while (getline > 0 && $0 != "```") print; exit }' docs/languages.md; }
page_rust() {
  mkdir -p "$work/page" && cp examples/rust/lbp.rs "$work/page" && block rust > "$work/page/main.rs" &&
    $RUSTC --edition 2021 -A dead_code -D warnings "$work/page/main.rs" -C "link-arg=$work/qubo.o" -C link-arg=-lm \
      -o "$work/page/rust" && "$work/page/rust" > "$work/page/said" && prints | diff - "$work/page/said"
}
page_fortran() {
  mkdir -p "$work/page" && block fortran > "$work/page/main.f90" &&
    $FC -std=f2018 -Wall -Wextra -Werror -J "$work/page" examples/fortran/lbp.f90 "$work/page/main.f90" "$work/qubo.o" \
      -o "$work/page/fortran" -lm -pthread && "$work/page/fortran" > "$work/page/said" && prints | diff - "$work/page/said"
}

if ! have "$RUSTC" && ! have "$FC"; then
  skip "no $RUSTC, no $FC"
elif ! reference || ! model; then
  check 'the program in C' reference
  check 'the model' model
else
  if ! have "$RUSTC"; then
    skip "no $RUSTC"
  else
    check 'Rust, by rustc' rust
    check 'Rust prints what C prints' as_in_c ring_rust
    check "the page's Rust" page_rust
    check "Rust refuses shapes that aren't the data's" shapes
    check 'Rust refuses other items' items
  fi
  if ! have "$RUSTC" || ! have "$CARGO"; then
    skip "no $CARGO"
  else
    check 'Rust, by Cargo and its build script, offline' by_cargo
    check 'that prints it, too' as_in_c ring_cargo
    check 'Cargo compiles nothing again' again
    check 'a compiler without -march=native' plain_cargo
  fi
  if ! have "$FC"; then
    skip "no $FC"
  else
    check 'Fortran, standard 2018, without a warning' fortran
    check 'Fortran prints what C prints' as_in_c ring_fortran
    check "the page's Fortran" page_fortran
    check 'Fortran refuses four extents' extents
    check 'lbp_judge prints on standard error' judged
  fi
fi
total
