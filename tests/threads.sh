#!/bin/sh
# tests/threads.c under ThreadSanitizer: no race is found, and with one planted, that one. `make test-thread`.
# Environment: CC, BUILD (a folder for scratch files).
set -u
CC=${CC:-cc} BUILD=${BUILD:-build/thread}
cd "$(dirname "$0")/.." || exit 2
mkdir -p "$BUILD" || exit 2
work=$BUILD
. tests/check.sh

build() { $CC -O1 -g -fsanitize=thread -pthread -w "$@" -lm; }

# some kernels leave no room where ThreadSanitizer wants its memory
echo 'int main(void) { return 0; }' > "$BUILD/empty.c"
if ! build -o "$BUILD/empty" "$BUILD/empty.c" > "$BUILD/log" 2>&1 || ! "$BUILD/empty" >> "$BUILD/log" 2>&1; then
  skip "ThreadSanitizer is not here, or can't run ($CC -fsanitize=thread)"
  total
  exit
fi

no_race() { build -o "$BUILD/threads" tests/threads.c && "$BUILD/threads"; }
found() {
  build -DPLANTED_RACE -o "$BUILD/race" tests/threads.c || return 1
  "$BUILD/race" > "$BUILD/race.log" 2>&1 && return 1
  grep -q 'WARNING: ThreadSanitizer: data race' "$BUILD/race.log" && grep -q 'in rbm_tuner_' "$BUILD/race.log"
}
check 'chains on eight threads share nothing that one writes' no_race
check 'a tuner shared among threads is found' found
total
