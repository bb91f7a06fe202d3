#!/bin/sh
# Counts the compilations that gave warnings: warnings.sh FILE..., each with the messages of the compiler for a program.
# One with a warning is a failed check where the compiler is GCC 12 or Clang 14, with which the tests are developed, and
# where flags are the Makefile's. Other compilers know other warnings, and sanitizers give false ones: there it is skipped.
# Environment: CC, FLAGS (that the tests were compiled with), EXAMPLE_FLAGS (the examples).
CC=${CC:-cc} FLAGS=${FLAGS:-} EXAMPLE_FLAGS=${EXAMPLE_FLAGS:-}
version=$(printf '#ifdef __clang_major__\nclang __clang_major__\n#else\ngcc __GNUC__\n#endif\n' | eval "$CC -E -P -" 2> /dev/null | tail -n 1)
passed=0 failed=0 skipped=0
for file in "$@"; do
  case $file in
    */tested/examples/*) flags=$EXAMPLE_FLAGS usual=-O3 ;;
    *) flags=$FLAGS usual=-O2 ;;
  esac
  case "$version $flags" in
    "gcc 12 $usual" | "clang 14 $usual") strict=1 ;;
    *) strict=0 ;;
  esac
  if ! grep -q 'warning:' "$file" 2> /dev/null; then
    if [ -f "$file" ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "there is no $file"; fi
  elif [ $strict = 1 ]; then
    failed=$((failed + 1))
    echo "FAILED: warnings in ${file%.said}:"
    grep 'warning:' "$file"
  else
    skipped=$((skipped + 1))
    echo "skipped: warnings in ${file%.said} by '$version' with '$flags'"
  fi
done
echo "$passed passed, $failed failed$([ $skipped -eq 0 ] || echo ", $skipped skipped")"
[ $failed -eq 0 ]
