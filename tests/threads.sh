#!/bin/sh
# tests/threads.c under ThreadSanitizer: no race is found, and with one planted, that one; likewise where run.stop is set by
# a plain assignment. `make test-thread`.
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
  grep -q 'WARNING: ThreadSanitizer: data race' "$BUILD/race.log" && grep -qE 'in rbm_(tuner_|priv_learn|priv_draw_r)' "$BUILD/race.log"
}
plain_stop() { # is found, and lbp_run_stop, in the program before, is not
  build -DPLANTED_STOP -o "$BUILD/stop" tests/threads.c || return 1
  "$BUILD/stop" > "$BUILD/stop.log" 2>&1 && return 1
  grep -q 'WARNING: ThreadSanitizer: data race' "$BUILD/stop.log" && grep -q 'in stop_it' "$BUILD/stop.log"
}
check 'chains on eight threads share nothing that one writes' no_race
check 'a tuner shared among threads is found' found
check 'a run stopped by a plain assignment is found' plain_stop
total
