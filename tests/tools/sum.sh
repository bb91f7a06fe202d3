#!/bin/sh
# Sums up logs: sum.sh LOG... [-- PLANTED...]. A log holds a program's output and, as its last line, "exit status N".
# A test's line before that is its count, "N passed, N failed[, N skipped]"; examples count by their exit status.
# Logs after -- are of programs with one failure planted, which must have been caught. Returns non-zero if anything failed.

# Prints "passed failed skipped" of a log; a failed check for whatever doesn't fit.
counts() {
  case ${1##*/} in
    example_*) example=1 ;;
    *) example=0 ;;
  esac
  awk -v example=$example '
    /^exit status [0-9]+$/ { status = $3; count = line; ended = NR }
    { line = $0 }
    END {
      good = ended == NR && NR > 0 && status == 0
      if (count ~ /^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$/) {
        split(count, part, /[^0-9]+/)
        passed = part[1] + 0; failed = part[2] + 0; skipped = part[3] + 0
        if (!good && failed == 0 || passed + skipped == 0 && failed == 0) failed = 1
      } else {
        passed = example && good; failed = !passed; skipped = 0
      }
      print passed, failed, skipped
    }' "$1" 2>/dev/null || echo 0 1 0
}

passed=0 failed=0 skipped=0 planted=0
for log in "$@"; do
  if [ "$log" = -- ]; then
    planted=1
    continue
  fi
  set -- $(counts "$log")
  name=$(basename "$log" .log)
  if [ $planted = 1 ]; then
    if [ "$2" = 1 ] && grep -q '^[1-9][0-9]* passed, 1 failed$' "$log" && grep -q '^exit status [1-9]' "$log"; then
      set -- 1 0 0
    else
      set -- 0 1 0
    fi
    name="$name failure is caught"
  elif [ "$2" -gt 0 ]; then
    sed "s/^/$name: /" "$log"
  fi
  printf '%-28s %s passed, %s failed%s\n' "$name" "$1" "$2" "$([ "$3" -gt 0 ] && echo ", $3 skipped")"
  passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
done
echo "$passed passed, $failed failed$([ $skipped -gt 0 ] && echo ", $skipped skipped")"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
