#!/bin/sh
# examples/embedded on a PC and on a bare-metal Cortex-M4F (ARM's MPS2 board with AN386, in QEMU): whether both compute
# the same, and how much code, memory and stack it takes. Usage: sh tests/embedded.sh, from anywhere; `make embedded`.
# Prints tables, then the sum; what needs a tool that isn't there is skipped.
#
# Environment: CC; ARM (arm-none-eabi-), the prefix of the cross compiler and its tools; QEMU (qemu-system-arm); BUILD
# (a directory for what is built).

CC=${CC:-cc} ARM=${ARM:-arm-none-eabi-} QEMU=${QEMU:-qemu-system-arm} BUILD=${BUILD:-build/embedded}
cd "$(dirname "$0")/.." || exit 2
rm -rf "$BUILD" && mkdir -p "$BUILD" || exit 2
here=examples/embedded
programs="$here/ising.c $here/rbm.c $here/program.c"

flags='-std=c99 -Wall -Wextra -I.'
target='-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16'
budget=4096 # bytes of code of an instance

work=$BUILD
. tests/check.sh

# ---- the same on a PC ------------------------------------------------------------------------------------------------

on_pc() { $CC $flags "$1" $programs $here/pc.c -o "$BUILD/pc$1" && "$BUILD/pc$1" > "$BUILD/pc$1.txt"; }
for level in -O0 -O2 -O3; do check "the program on this machine, $level" on_pc $level; done
for level in -O0 -O3; do check "-O2 and $level compute the same" cmp "$BUILD/pc-O2.txt" "$BUILD/pc$level.txt"; done
cat "$BUILD/pc-O2.txt"

# ---- on the board ----------------------------------------------------------------------------------------------------

# An empty program, to see whether compiler, C library and linker are there.
echo '#include <string.h>
int main(void) { return 0; }' > "$BUILD/probe.c"
if ! have "${ARM}gcc" || ! ${ARM}gcc $target --specs=nosys.specs "$BUILD/probe.c" -o "$BUILD/probe" > /dev/null 2>&1; then
  skip "all of the board: no ${ARM}gcc with its C library"
  total
  exit
fi

# object OPTION... FILE: compiled for the board, with what is known of its stack
object() {
  for source; do :; done
  ${ARM}gcc $target -Os -ffunction-sections -fstack-usage -fcallgraph-info=su $flags "$@" -c \
    -o "$BUILD/$(basename "$source" .c).o"
}
linked() {
  for source in $programs $here/board.c; do object "$source" || return 1; done
  ${ARM}gcc $target -nostartfiles -Wl,--gc-sections -T $here/board.ld "$BUILD/ising.o" "$BUILD/rbm.o" \
    "$BUILD/program.o" "$BUILD/board.o" -o "$BUILD/board.elf"
}
on_board() {
  timeout 120 "$QEMU" -M mps2-an386 -nographic -semihosting-config enable=on,target=native -kernel "$BUILD/board.elf" \
    < /dev/null > "$BUILD/board.txt" 2>&1
}
same() { grep -v '^stack used' "$BUILD/board.txt" | diff "$BUILD/pc-O2.txt" -; }
check 'the program is built for the board' linked
if have "$QEMU" && have timeout; then
  check 'the program on the board' on_board
  check 'board and PC compute the same' same
  used=$(sed -n 's/^stack used: \([0-9]*\) bytes$/\1/p' "$BUILD/board.txt")
else
  skip "running it on the board: no $QEMU, or no timeout"
  used=
fi

# ---- code ------------------------------------------------------------------------------------------------------------

# code OBJECT: "bytes name" of each function, and of constants
code() {
  ${ARM}nm -S -t d --size-sort "$1" | awk '$3 ~ /^[TtRr]$/ { sub(/\..*/, "", $4); print $2 + 0, $4 }'
}
code "$BUILD/ising.o" > "$BUILD/code"
model=$(awk '/ mat_(neighbours|delta)$/ { sum += $1 } END { print sum + 0 }' "$BUILD/code")
instance_of() { echo $(($(${ARM}size "$1" | awk 'NR == 2 { print $1 }') - model)); } # OBJECT: its code but for the model's
instance=$(instance_of "$BUILD/ising.o")
echo
echo "Code of one instance, LBP-R with its tuner, local, float, fixed N, -Os (ising.c), in bytes:"
awk '!/ mat_(neighbours|delta)$/ { printf "%8d  %s\n", $1, $2 }' "$BUILD/code"
echo "$instance in all; the model's own functions take another $model"
check "at most $budget bytes of code" [ "$instance" -le $budget ]

# never SIDE: ising.c whose sites are never sorted
never() {
  awk '{ print } /^#define LBP_N / { print "#define LBP_SORT_ABOVE LBP_NEVER" }' $here/ising.c > "$BUILD/never.c" &&
    object -I$here -DSIDE="$1" "$BUILD/never.c"
}
check 'ising.c whose sites are never sorted' never 16
unsorted=$(instance_of "$BUILD/never.o")
echo "$unsorted where sites are never sorted (LBP_SORT_ABOVE LBP_NEVER)"
check 'less code where sites are never sorted' [ "$unsorted" -lt "$instance" ]

# What processors with single precision do in software: anything on doubles, and conversions to 64-bit integers, for
# which the compiler's library uses doubles. And nothing of the C library but three functions.
single() {
  ${ARM}nm -u "$1" > "$BUILD/undefined" || return 1
  ! grep -E '__aeabi_(c?d|[a-z0-9]+2d$|f2u?lz)' "$BUILD/undefined" || return 1
  ! grep -vE ' (mem(cpy|set|cmp)|__aeabi_[a-z0-9]+)$' "$BUILD/undefined" || return 1
  ! ${ARM}objdump -d "$1" | grep '\.f64'
}
check 'ising.o: no doubles, no malloc, no stdio' single "$BUILD/ising.o"
check 'rbm.o: no doubles, no malloc, no stdio' single "$BUILD/rbm.o"
check 'never.o: no doubles, no malloc, no stdio' single "$BUILD/never.o"

# the weight functions that lbp.h has
weights=$(sed -n '/^\/\* Values of LBP_WEIGHT/,/^$/s/^#define \(LBP_[A-Z]*\) .*/\1/p' lbp.h)
# the same of all functions, of local and dense models with and without fields, of flips that list, with all weights, and
# of these every other with n fixed
{
  echo '#include "lbp.h"'
  uses=0
  for kind in 1 2 3 4 5; do
    fixed=$((kind % 2))
    for weight in $weights; do
      name=h${kind}_${weight#LBP_} uses="$uses + ${name}_use()"
      printf '#define %s %s\n' H_NAME "$name" H_REAL float H_WEIGHT "$weight" H_KIND "$kind" H_FIXED "$fixed"
      echo '#include "instance.h"'
      fixed=$((1 - fixed))
    done
  done
  echo "int main(void) { return $uses; }"
} > "$BUILD/every.c"
every() { object -Itests/hygiene "$1" "$BUILD/every.c" && single "$BUILD/every.o"; }
for level in -Os -O2; do check "20 float instances, all functions, $level: no doubles, no malloc, no stdio" every $level; done

# ---- memory ----------------------------------------------------------------------------------------------------------

# bytes NAME [OBJECT]: of an object in ising.o
bytes() { ${ARM}nm -S -t d "$BUILD/${2:-ising}.o" | awk -v name="$1" '$4 == name { print $2 + 0 }'; }
echo
echo 'Memory of the local float model, in bytes. With n known when running: 29 n + 16, state and workspace, and the chain.'
echo 'Unsorted: where sites are never sorted.'
echo '       n     chain  29 n + 184  unsorted  21 n + 184   tuner  lbp_rng   .data + .bss'
for side in 8 16 32 64; do
  n=$((side * side))
  check "ising.c with $n sites" object -DSIDE=$side $here/ising.c
  static=$(${ARM}size "$BUILD/ising.o" | awk 'NR == 2 { print $2 + $3 }')
  check "the same, never sorted" never $side
  printf '%8d%10d%12d%10d%12d%8d%9d%15d\n' $n "$(bytes chain)" $((29 * n + 184)) "$(bytes chain never)" \
    $((21 * n + 184)) "$(bytes tuner)" "$(bytes rng)" "$static"
  check "a chain of $n sites takes 29 n + 184 bytes" [ "$(bytes chain)" -eq $((29 * n + 184)) ]
  check "one that is never sorted takes 21 n + 184 bytes" [ "$(bytes chain never)" -eq $((21 * n + 184)) ]
done

# an index of terms: of a grid, whose sites are in 4 terms of 2 sites
cat > "$BUILD/terms.c" <<'END'
#include "lbp.h"
LBP_FN uint32_t pair_sites(const float *m, uint32_t t, uint32_t *out) {
  (void)m;
  out[0] = t / 2;
  out[1] = t % 2 ? (t / 2 + SIDE) % (SIDE * SIDE) : t / 2 / SIDE * SIDE + (t / 2 + 1) % SIDE;
  return 2;
}
#define LBP_NAME          pair
#define LBP_MODEL_T       float
#define LBP_REAL          float
#define LBP_N             (SIDE * SIDE)
#define LBP_TERM_COUNT(m) (2 * SIDE * SIDE)
#define LBP_TERM_SITES    pair_sites
#define LBP_TERM(m, t, v) ((v)[0] == (v)[1] ? *(m) : 0)
#define LBP_TERM_MAX      2
#define LBP_TERMS_OF_MAX  4
#include "lbp.h"
static pair_terms terms;
static pair_chain chain;
int pair_begin(const float *m);
float pair_go(const float *m, lbp_rng *rng);
int pair_begin(const float *m) { return pair_terms_init(&terms, m) | pair_init(&chain, NULL, &terms); }
float pair_go(const float *m, lbp_rng *rng) { return pair_lbp_step(&chain, m, 3, rng).accept; }
END
echo
echo 'Memory of an index of terms, of a grid: 36 n + 28 bytes, which all chains share.'
for side in 8 32; do
  n=$((side * side))
  check "terms of $n sites" object -DSIDE=$side "$BUILD/terms.c"
  check "an index of $n sites takes 36 n + 28 bytes" [ "$(bytes terms terms)" -eq $((36 * n + 28)) ]
done
check 'terms.o: no doubles, no malloc, no stdio' single "$BUILD/terms.o"

# ---- stack -----------------------------------------------------------------------------------------------------------

# deepest FUNCTION: bytes, then the path. Functions of the compiler's and the C library count 64 bytes each.
deepest() {
  awk -F '"' -v start="$1" '
    /^node/ { if (match($4, /[0-9]+ bytes/)) own[$2] = substr($4, RSTART, RLENGTH) + 0 }
    /^edge/ { calls[$2] = calls[$2] "\n" $4 }
    function depth(f,   callee, list, k, most, d) {
      if (f in known) return known[f]
      if (f in entered) { print "recursion: " f; exit 1 }
      entered[f] = 1
      most = 0; path[f] = f
      k = split(calls[f], list, "\n")
      for (; k > 1; k--) {
        callee[k] = list[k]
        d = depth(list[k])
        if (d > most) { most = d; path[f] = f " > " path[list[k]] }
      }
      return known[f] = most + (f in own ? own[f] : 64)
    }
    END { d = depth(start); gsub(/[^ ]*\.c:/, "", path[start]); print d, path[start] }' \
    "$BUILD/ising.ci" "$BUILD/rbm.ci" "$BUILD/program.ci" "$BUILD/board.ci"
}
if [ -f "$BUILD/ising.ci" ]; then
  check 'ising.c with 256 sites' object $here/ising.c
  no_dynamic() { ! grep -h dynamic "$BUILD"/*.su; }
  check 'no function takes an unknown amount of stack' no_dynamic
  echo
  echo 'Stack, in bytes, by the call graph:'
  for start in ising_start ising_step ising_adaptive_step rbm_adaptive_step reset; do deepest $start; done
  bound=$(deepest reset | cut -d ' ' -f 1)
  if [ -n "$used" ]; then
    echo "used by the program on the board, by painting: $used"
    check "$used bytes of stack used, at most $bound by the call graph" [ "$used" -le "$bound" ]
  fi
  # other compilers make other code
  if ${ARM}gcc -dumpfullversion | grep -q '^12\.2'; then
    says() { grep -qF "$1" docs/embedded.md || { echo "docs/embedded.md does not say: $1" && false; }; }
    check 'docs/embedded.md: code' says "| $instance (the model: $model); where sites are never sorted $unsorted |"
    check 'docs/embedded.md: code, never sorted' says "and $((instance - unsorted)) bytes less of code"
    check 'docs/embedded.md: stack' says "(by the call graph) | $(deepest ising_adaptive_step | cut -d ' ' -f 1) |"
  fi
else
  skip 'stack by the call graph: the compiler has no -fcallgraph-info'
fi
echo
total
