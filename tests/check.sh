# Shared by scripts that count their checks: they set work, a folder for scratch, and source this. loud=1: what is well
# is shown, too. Messages of compilers are searched for English words (not by LC_ALL: R checks packages in UTF-8).
export LANGUAGE=C
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

# add COMMAND...: runs what counts by itself; shows what it says, and adds its last line
add() {
  "$@" > "$work/log" 2>&1
  status=$?
  grep -v ' passed, ' "$work/log"
  sum=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed\(, \([0-9]*\) skipped\)*$/\1 \2 \4/p' "$work/log" | tail -n 1)
  # three numbers, the last of which may be missing
  # shellcheck disable=SC2086
  set -- ${sum:-0 1}
  if [ $status != 0 ] && [ "$2" = 0 ]; then set -- "$1" 1 "${3:-0}"; fi
  passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + ${3:-0}))
}

# Whether there is such a program.
have() { command -v "$1" > /dev/null 2>&1; }

# Whether this folder is a checkout of lbp with all its commits: no copy in a checkout of something else, not shallow.
has_history() {
  history_below=$(git rev-parse --show-prefix 2> /dev/null) && [ -z "$history_below" ] &&
    git merge-base --is-ancestor 239ffe537bf557cfba4e1eb1a4ec620e0da8d915 HEAD 2> /dev/null
}

# Where a path leads through links. (Not every system has readlink -f, such as macOS before 12.3.)
real() {
  real_at=$1
  while [ -h "$real_at" ]; do
    real_to=$(readlink "$real_at") || break
    case $real_to in
      /*) real_at=$real_to ;;
      *) real_at=$(dirname "$real_at")/$real_to ;;
    esac
  done
  echo "$(cd "$(dirname "$real_at")" 2> /dev/null && pwd -P)/${real_at##*/}"
}

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
