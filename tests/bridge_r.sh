#!/bin/sh
# The R package, packaging/r, built and installed: a model draws the same from R and from C (tools/bridge_r.c), byte
# for byte; arrays, steps, wrong input (tools/bridge.R); Ctrl-C; memory; posterior, coda; the figure of
# examples/r/ising.R; the R of docs/r.md, which prints what the page says; R CMD check, with the package's own tests;
# its help pages are those of its comments. Missing tools are skipped.
# Environment: CC, R, RSCRIPT, OUT (a folder).
CC=${CC:-cc} R=${R:-R} RSCRIPT=${RSCRIPT:-Rscript} OUT=${OUT:-build/bridge_r}
cd "$(dirname "$0")/.." || exit 2
rm -rf "$OUT" && mkdir -p "$OUT/page" || exit 2
work=$(cd "$OUT" && pwd)
. tests/check.sh

# program NAME FLAG: a model of examples/bridge in a program, which runs. $CC and $2 are words
# shellcheck disable=SC2086
program() {
  mkdir -p "$work/$1" && sed 's/lbp_bridge\.h/lbp_run.h/' "examples/bridge/$1.c" > "$work/$1/model.c" &&
    $CC -std=c99 -D_POSIX_C_SOURCE=200809L -O0 $2 -I. -I "$work/$1" tests/tools/bridge_r.c -o "$work/$1/program" -lm &&
    "$work/$1/program" "$work/$1"
}
# models are compiled once, and here
export CC CFLAGS="-O0 -w" LBP_CACHE="$work/cache" R_LIBS="$work/build/lbp.Rcheck"
limit=
have timeout && limit='timeout 300'
# shellcheck disable=SC2086
script() { $limit "$RSCRIPT" --vanilla "$@"; }
in_R() { script tests/tools/bridge.R "$work" "$1"; }
# has PACKAGE: whether R has it
has() { script -e "quit(status = !requireNamespace(\"$1\", quietly = TRUE))" > "$work/has" 2>&1; }
built() { tarball=$(R="$R" sh packaging/r/build.sh "$work/build") && [ -s "$tarball" ]; }

if ! have "$RSCRIPT" || ! have "$R"; then
  skip "no $R"
else
  check 'the package is built' built
  # it installs the package into the library that the other checks use. Offline: the collections of packages that it
  # asks are empty ones. The vignette was run when it was built
  checked() {
    mkdir -p "$work/none/src/contrib" && : > "$work/none/src/contrib/PACKAGES" || return 1
    echo "options(repos = c(CRAN = '', BioCsoft = '', BioCann = '', BioCexp = ''))" |
      sed "s,'',\"file://$work/none\",g" > "$work/profile"
    (cd "$work/build" && R_LIBS='' R_PROFILE_USER="$work/profile" _R_CHECK_FORCE_SUGGESTS_=false \
      "$R" CMD check --no-manual --ignore-vignettes --run-donttest lbp_*.tar.gz > check 2>&1)
    status=$?
    grep -v ' OK$' "$work/build/check"
    [ $status -eq 0 ] && ! grep 'cannot open URL' "$work/build/check" &&
      tail -n 3 "$work/build/check" | grep '^Status: \(OK\|[0-9]* NOTEs*\)$'
  }
  check 'R CMD check' checked
  check 'the programs in C' program field
  check 'the programs in C, qubo' program qubo -DQUBO
  check 'the same seed, the same draws as in C' in_R same
  check 'arrays' in_R arrays
  check 'what is wrong with input' in_R wrong
  check 'single steps' in_R steps
  check 'compiling, and the cache' in_R compile
  if [ -r /proc/self/status ]; then check 'memory' in_R leaks; else skip 'memory: no /proc/self/status'; fi
  for package in posterior coda; do
    if has $package; then check $package in_R $package; else skip "R has no package $package"; fi
  done

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
    "$RSCRIPT" --vanilla tests/tools/bridge.R "$work" interrupt > "$work/interrupt" 2>&1 &
    pid=$!
    for k in 1 2 3 4; do signal $k $pid || { kill -KILL $pid && break; }; done
    wait $pid || { cat "$work/interrupt" && return 1; }
    tr '\r' '\n' < "$work/interrupt" | grep '^field: draw ' || { echo 'no progress was shown' && return 1; }
  }
  check 'Ctrl-C' interrupts

  figure() {
    script examples/r/ising.R "$work/ising.pdf" > "$work/ising" && [ "$(head -c 4 "$work/ising.pdf")" = %PDF ] &&
      awk '{ print } { d = $6 - $8 } END { exit !(NR == 1 && $8 > 0.9 && d < 0.02 && d > -0.02) }' "$work/ising"
  }
  check 'examples/r/ising.R' figure

  # the page: its block of C is ring.c, its blocks of R are done one after another, lines of ```text are printed
  page() {
    awk -v to="$work/page" '
      /^```$/ && inside { inside = ""; next }
      /^```/ { inside = $0; next }
      inside == "```c" { print > (to "/ring.c") }
      inside == "```r" { print > (to "/page.R") }
      inside == "```text" { print > (to "/prints") }' docs/r.md &&
      (cd "$work/page" && script page.R > printed) || return 1
    [ -s "$work/page/prints" ] || return 1
    while read -r line; do
      grep -qF -e "$line" "$work/page/printed" ||
        { echo "it does not print: $line" && cat "$work/page/printed" && return 1; }
    done < "$work/page/prints"
    [ -s "$work/page/Rplots.pdf" ]
  }
  check 'docs/r.md' page

  pages() { # what roxygen2 makes of the comments
    rm -rf "$work/pages" && cp -R packaging/r/lbp "$work/pages" &&
      script -e 'roxygen2::roxygenise(commandArgs(TRUE), load_code = "installed")' "$work/pages" &&
      diff -r packaging/r/lbp "$work/pages"
  }
  if has roxygen2; then check 'help pages are those of the comments' pages; else skip 'R has no package roxygen2'; fi
fi
total
