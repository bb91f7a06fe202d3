# What scripts that count their checks share: set work, a folder, and source this.
passed=0 failed=0 skipped=0

# check WHAT COMMAND...: counts; shows the command's output when it fails
check() {
  what=$1
  shift
  if "$@" > "$work/log" 2>&1; then
    passed=$((passed + 1))
    echo "ok: $what"
  else
    failed=$((failed + 1))
    echo "FAILED: $what"
    head -n 20 "$work/log"
  fi
}
