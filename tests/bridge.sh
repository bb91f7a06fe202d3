#!/bin/sh
# Models for other languages: lbp_bridge.h with each template (test_bridge.c) and as C++; what the libraries of
# examples/bridge export; packaging/python by tools/bridge.py, with numpy, arviz, dimod and matplotlib, which are
# installed into a virtual environment; its wheel and type hints with hatchling and mypy; its notebooks with nbclient;
# graphs of pgmpy and pyagrum. Mutated calls under AddressSanitizer, by tools/bridge_fuzz.c. Missing tools are skipped.
# Environment: CC, CXX, LEVEL (of optimisation, -O1), BUILD (a folder), PYTHON.
CC=${CC:-cc} CXX=${CXX:-g++} LEVEL=${LEVEL:--O1} BUILD=${BUILD:-build/bridge} PYTHON=${PYTHON:-python3}
cd "$(dirname "$0")/.." || exit 2
mkdir -p "$BUILD/figures" || exit 2
BUILD=$(cd "$BUILD" && pwd)
work=$BUILD
. tests/check.sh

# kind K COMPILER FLAG...: test_bridge.c with template K
kind() {
  k=$1
  shift
  if "$@" "$LEVEL" -w -D_POSIX_C_SOURCE=200809L -DKIND="$k" -pthread -o "$BUILD/kind$k" tests/test_bridge.c -lm > "$BUILD/log" 2>&1; then
    add "$BUILD/kind$k"
  else
    check "test_bridge.c, template $k, by $1" false
  fi
}
for k in 1 2 3 4 5; do kind $k $CC -std=c99; done
if have "${CXX%% *}"; then kind 0 $CXX -std=c++11 -x c++; else skip "no C++ compiler"; fi

library() { # MODEL: by the command that its head says
  command=$(sed -n 's|^ \*   cc \(.*\) \*/$|\1|p' "examples/bridge/$1.c")
  [ -n "$command" ] || { echo "no command in examples/bridge/$1.c"; return 1; }
  # a few words, on purpose
  # shellcheck disable=SC2086
  (cd examples/bridge && $CC $(printf '%s\n' "$command" |
    sed "s|-O3 -march=native|$LEVEL -Wall -Wextra -Werror|; s|-o [a-z_.]*|-o $BUILD/$1.so|"))
}
fast() { # as make bridge and lbp.compile do
  $CC -O3 -Wall -Wextra -Werror -shared -fPIC -I. examples/bridge/field.c -o "$BUILD/fast.so" -lm
}
check 'examples/bridge/field.c by -O3, without a warning' fast
only_interface() { # nothing else is to be seen of it
  names=$(nm -D --defined-only "$BUILD/$1.so" | awk '{ print $3 }' | grep -v '^_')
  [ -n "$names" ] && ! printf '%s\n' "$names" | grep -v '^lbp_bridge_'
}
for model in field qubo selection factors rbm dense_potts assignment; do
  check "examples/bridge/$model.c by its own command, without a warning" library $model
  if have nm; then check "what $model.so exports" only_interface $model; else skip "no nm"; fi
done

# every warning that lbp/run/want.h has, of runs (0) and of log Z (1)
sed -n -e 's/^  \(LBP_WARN_AIS_[A-Z_]*\) = [0-9].*/NAMED(1, \1)/p' -e t \
  -e 's/^  \(LBP_WARN_[A-Z_]*\) = [0-9].*/NAMED(0, \1)/p' lbp/run/want.h > "$BUILD/warnings.h"
some_warnings() { [ "$(wc -l < "$BUILD/warnings.h")" -ge 16 ]; }
check 'the warnings that headers have' some_warnings
if $CC "$LEVEL" -w -I. -I"$BUILD" -o "$BUILD/bridge_warnings" tests/tools/bridge_warnings.c -lm > "$BUILD/log" 2>&1; then
  add "$BUILD/bridge_warnings"
else
  check 'bridge_warnings.c' false
fi

sanitized="$LEVEL -g -w -std=c99 -D_POSIX_C_SOURCE=200809L -fsanitize=address,undefined -fno-sanitize-recover=undefined"
echo 'int main(void) { return 0; }' > "$BUILD/empty.c"
# a few words, on purpose
# shellcheck disable=SC2086
if ! $CC $sanitized -o "$BUILD/empty" "$BUILD/empty.c" > "$BUILD/log" 2>&1 || ! "$BUILD/empty"; then
  skip 'mutated calls: the compiler has no AddressSanitizer'
elif $CC $sanitized -O0 -pthread -o "$BUILD/bridge_fuzz" tests/tools/bridge_fuzz.c -lm > "$BUILD/log" 2>&1; then
  add "$BUILD/bridge_fuzz"
else
  check 'bridge_fuzz.c' false
fi

environment() { # numpy, arviz, dimod, matplotlib: once; the others if they can be had
  [ -x "$BUILD/venv/bin/python" ] || "$PYTHON" -m venv "$BUILD/venv" || return 1
  "$BUILD/venv/bin/python" -c 'import numpy, arviz, dimod, matplotlib' 2> /dev/null && return
  pip='-m pip install --no-compile --quiet --disable-pip-version-check'
  # a few words, on purpose
  # shellcheck disable=SC2086
  "$BUILD/venv/bin/python" $pip numpy arviz dimod matplotlib || return 1
  for other in hatchling mypy 'nbclient ipykernel' pyagrum; do
    # shellcheck disable=SC2086
    "$BUILD/venv/bin/python" $pip $other || true
  done
}
if ! have "$PYTHON"; then
  skip "no $PYTHON"
elif ! environment > "$BUILD/venv.log" 2>&1; then
  skip "no virtual environment with numpy, arviz, dimod, matplotlib: $BUILD/venv.log"
else
  $CC "$LEVEL" -w -I. -o "$BUILD/bridge_field" tests/tools/bridge_field.c -lm && "$BUILD/bridge_field" "$BUILD/field" || failed=1
  add env CC="$CC" CFLAGS="$LEVEL" LBP_CACHE="$BUILD/cache" "$BUILD/venv/bin/python" tests/tools/bridge.py "$BUILD/field" "$BUILD/figures"
fi
total
