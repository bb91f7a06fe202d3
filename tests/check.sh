# What scripts that count their checks share: they set work, a folder for scratch, and source this. loud=1: what is well is
# shown, too.
passed=0 failed=0 skipped=0

# check WHAT COMMAND...: counts; shows the command's output when it fails
check() {
  what=$1
  shift
  if "$@" > "$work/log" 2>&1; then
    passed=$((passed + 1))
    [ -z "${loud-}" ] || echo "ok: $what"
  else
    failed=$((failed + 1))
    echo "FAILED: $what"
    head -n 30 "$work/log"
  fi
}

# skip WHAT: can't be checked here, and why
skip() {
  skipped=$((skipped + 1))
  echo "skipped: $1"
}

# Whether there is such a program.
have() { command -v "$1" > /dev/null 2>&1; }

# The version that lbp.h has, as in 1.2.3.
lbp_version() {
  number=$(sed -n 's/^.define LBP_VERSION \([0-9]*\).*/\1/p' lbp.h)
  echo $((number / 10000)).$((number / 100 % 100)).$((number % 100))
}

# The last line: the sum. Fails if a check did, or if there was nothing to check.
total() {
  echo "$passed passed, $failed failed$([ $skipped -eq 0 ] || echo ", $skipped skipped")"
  [ $failed -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
}
