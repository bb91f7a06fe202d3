#!/bin/sh
# Fuzzes: run.sh TARGET... Each target gets MINUTES of wall time (default 30), one after the other, starting from the
# corpus in tests/fuzz/corpus and from what earlier runs left in BUILD. Ends with a table of what was run; returns
# non-zero after a finding, whose input is then in BUILD/TARGET-found, or if a target ran nothing. PACK=1 makes the
# corpus, which "make test" replays, again: the fewest inputs that reach what all have reached.
#
# Environment: FUZZER, a clang (libFuzzer) or afl-clang-fast; CC, for the replay program; BUILD (build/fuzz); FLAGS,
# more flags for both, say -DIDX_ZLIB=1 -lz.
FUZZER=${FUZZER:-clang} CC=${CC:-cc} BUILD=${BUILD:-build/fuzz} MINUTES=${MINUTES:-30}
here=$(dirname "$0")
sanitize='-fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all'

mkdir -p "$BUILD" || exit 2
echo 'int LLVMFuzzerTestOneInput(const unsigned char *b, unsigned long n) { return b && n > 9; }' > "$BUILD/probe.c"
if ! $FUZZER -fsanitize=fuzzer $sanitize "$BUILD/probe.c" -o "$BUILD/probe" > "$BUILD/probe.log" 2>&1; then
  echo "no fuzzing: $FUZZER has no -fsanitize=fuzzer (FUZZER=clang, or afl-clang-fast)"
  exit 0
fi
case $FUZZER in
  *afl*) ;; # what it makes runs under afl-fuzz
  *)
    if ! "$BUILD/probe" -runs=1 > "$BUILD/probe.log" 2>&1; then
      echo "no fuzzing: programs by $FUZZER do not run: $BUILD/probe.log"
      exit 0
    fi
    ;;
esac

# The inputs that "make test" replays, one a file, and those of earlier runs.
prepare() {
  mkdir -p "$BUILD/$1" "$BUILD/$1-found"
  $CC -O1 -w -o "$BUILD/replay_$1" "$here/$1.c" "$here/replay.c" $FLAGS -lm || return 1
  if [ -f "$here/corpus/$1.pack" ]; then "$BUILD/replay_$1" --unpack "$here/corpus/$1.pack" "$BUILD/$1" || return 1; fi
  for input in "$here/corpus/$1"-*; do [ ! -f "$input" ] || cp "$input" "$BUILD/$1"; done
  $FUZZER -g -O1 -w -fsanitize=fuzzer $sanitize -o "$BUILD/fuzz_$1" "$here/$1.c" $FLAGS -lm
}

# measured TARGET COMMAND...: its output goes to the log; CPU seconds to $cpu.
measured() {
  log=$BUILD/$1.log
  shift
  ("$@" > "$log" 2>&1; times > "$log.times") # the second line is of the subshell's children
  cpu=$(awk -F '[ms ]+' 'NR == 2 { print int(60 * $1 + $2 + 60 * $3 + $4) }' "$log.times")
}

fuzz() {
  case $FUZZER in
    *afl*)
      AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_HANG_TMOUT=30000 \
        measured "$1" afl-fuzz -V $((MINUTES * 60)) -G 4096 -m none -i "$BUILD/$1" -o "$BUILD/$1-afl" -- "$BUILD/fuzz_$1"
      cp "$BUILD/$1-afl"/default/crashes/id* "$BUILD/$1-afl"/default/hangs/id* "$BUILD/$1-found" 2> /dev/null
      awk -v target="$1" -v cpu="$cpu" '{ v[$1] = $3 } END {
          printf "| `%s` | %s | %s |", target, v["execs_done"], cpu
          printf " %s | | %s |\n", v["edges_found"], v["corpus_count"]
        }' "$BUILD/$1-afl/default/fuzzer_stats" >> "$BUILD/table"
      ;;
    *)
      measured "$1" "$BUILD/fuzz_$1" "$BUILD/$1" -max_total_time=$((MINUTES * 60)) -max_len=4096 -timeout=30 \
        -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$BUILD/$1-found/"
      awk -v target="$1" -v cpu="$cpu" '
        /cov: / { for (k = 1; k < NF; k++) if ($k ~ /^(cov|ft|corp):$/) v[$k] = $(k + 1) }
        /^stat::/ { v[$1] = $2 }
        END {
          sub(/\/.*/, "", v["corp:"])
          printf "| `%s` | %s | %s |", target, v["stat::number_of_executed_units:"], cpu
          printf " %s | %s | %s |\n", v["cov:"], v["ft:"], v["corp:"]
        }' "$BUILD/$1.log" >> "$BUILD/table"
      ;;
  esac
}

# The fewest inputs that reach what all of them do.
pack() {
  rm -rf "$BUILD/$1-least"
  mkdir "$BUILD/$1-least" &&
    "$BUILD/fuzz_$1" -merge=1 -use_counters=0 "$BUILD/$1-least" "$BUILD/$1" > "$BUILD/$1-merge.log" 2>&1 &&
    "$BUILD/replay_$1" --pack "$here/corpus/$1.pack" "$BUILD/$1-least"/*
}

echo '| target | executions | CPU seconds | edges | features | inputs |' > "$BUILD/table"
echo '|---|---:|---:|---:|---:|---:|' >> "$BUILD/table"
found=0 idle=0
for target in "$@"; do
  prepare "$target" || exit 2
  fuzz "$target"
  if ! tail -n 1 "$BUILD/table" | awk -F '|' '{ exit !($3 + 0 > 0) }'; then
    idle=$((idle + 1))
    echo "ran nothing: $target: $BUILD/$target.log"
  fi
  [ "${PACK:-0}" = 0 ] || pack "$target" || exit 2
  for input in "$BUILD/$target-found"/*; do
    [ -f "$input" ] || continue
    found=$((found + 1))
    echo "finding: $input"
  done
done
cat "$BUILD/table"
echo "$found findings"
[ $found = 0 ] && [ $idle = 0 ]
