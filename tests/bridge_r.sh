#!/bin/sh
# examples/r/lbp.R: a model from R draws what it draws from C (tools/bridge_r.c), byte for byte; arrays, steps, what is wrong
# with input (tools/bridge.R); Ctrl-C; memory; posterior; the figure of examples/r/ising.R; the R of docs/r.md, which
# prints what the page says. What isn't there is skipped.
# Environment: CC, LEVEL (of optimisation, -O1), RSCRIPT, OUT (a folder).
CC=${CC:-cc} LEVEL=${LEVEL:--O1} RSCRIPT=${RSCRIPT:-Rscript} OUT=${OUT:-build/bridge_r}
cd "$(dirname "$0")/.." || exit 2
root=$(pwd)
rm -rf "$OUT" && mkdir -p "$OUT/page" || exit 2
work=$(cd "$OUT" && pwd)
. tests/check.sh

flags="$LEVEL -std=c99 -D_POSIX_C_SOURCE=200809L -I."
# $flags and $CC are words
# shellcheck disable=SC2086
shared() { $CC $flags -shared -fPIC -pthread "examples/bridge/$1.c" -o "$work/$1.so" -lm; }
# program NAME FLAG: the same model in a program, which runs
# shellcheck disable=SC2086
program() {
  mkdir -p "$work/$1" && sed 's/lbp_bridge\.h/lbp_run.h/' "examples/bridge/$1.c" > "$work/$1/model.c" &&
    $CC $flags -O0 $2 -I "$work/$1" tests/tools/bridge_r.c -o "$work/$1/program" -lm && "$work/$1/program" "$work/$1"
}
R() { timeout 300 "$RSCRIPT" --vanilla "$@"; }
in_R() { R tests/tools/bridge.R examples/r/lbp.R "$work" "$1"; }

if ! have "$RSCRIPT"; then
  skip "no $RSCRIPT"
elif ! shared field || ! shared qubo; then
  skip 'no shared library can be compiled'
else
  check 'the programs in C' program field
  check 'the programs in C, qubo' program qubo -DQUBO
  check 'the same seed, the same draws as in C' in_R same
  check 'arrays' in_R arrays
  check 'the headers, by source with chdir' R -e \
    'source("examples/r/lbp.R", chdir = TRUE); setwd("/"); stopifnot(file.exists(file.path(lbp_p_headers[1], "lbp.h")))'
  check 'what is wrong with input' in_R wrong
  check 'single steps' in_R steps
  if [ -r /proc/self/status ]; then check 'memory' in_R leaks; else skip 'memory: no /proc/self/status'; fi
  if R -e 'quit(status = !requireNamespace("posterior", quietly = TRUE))' > "$work/log" 2>&1; then
    check 'posterior' in_R posterior
  else
    skip 'R has no package posterior'
  fi

  # signal K PID: sends SIGINT a second after ready.K is there
  signal() {
    tries=0
    while [ ! -f "$work/ready.$1" ]; do
      sleep 0.1
      tries=$((tries + 1))
      [ $tries -lt 300 ] || return 1
    done
    sleep 1
    kill -INT "$2"
  }
  interrupts() {
    "$RSCRIPT" --vanilla tests/tools/bridge.R examples/r/lbp.R "$work" interrupt > "$work/interrupt" 2>&1 &
    pid=$!
    if ! signal 1 $pid || ! signal 2 $pid; then kill -KILL $pid; fi
    wait $pid || { cat "$work/interrupt" && return 1; }
    tr '\r' '\n' < "$work/interrupt" | grep '^field: draw ' || { echo 'no progress was shown' && return 1; }
  }
  check 'Ctrl-C' interrupts

  figure() {
    R examples/r/ising.R "$work/ising.pdf" > "$work/ising" && [ "$(head -c 4 "$work/ising.pdf")" = %PDF ] &&
      awk '{ print } { d = $6 - $8 } END { exit !(NR == 1 && $8 > 0.9 && d < 0.02 && d > -0.02) }' "$work/ising"
  }
  check 'examples/r/ising.R' figure

  # the page: its block of C is ring.c, its blocks of R are done one after another, lines of ```text are printed
  page() {
    ln -s "$root" "$work/page/lbp" &&
      awk -v to="$work/page" '
        /^```$/ && inside { inside = ""; next }
        /^```/ { inside = $0; next }
        inside == "```c" { print > (to "/ring.c") }
        inside == "```r" { print > (to "/page.R") }
        inside == "```text" { print > (to "/prints") }' docs/r.md &&
      (cd "$work/page" && R page.R > printed) || return 1
    [ -s "$work/page/prints" ] || return 1
    while read -r line; do
      grep -qF -e "$line" "$work/page/printed" ||
        { echo "it does not print: $line" && cat "$work/page/printed" && return 1; }
    done < "$work/page/prints"
    [ -s "$work/page/ring.pdf" ]
  }
  check 'docs/r.md' page
fi
total
