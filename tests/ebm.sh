#!/bin/sh
# Does a training run that is killed, again and again, end with the file of one that was left alone? How does the
# program answer bad input? Does bench/ebm/ebm.sh find the fewest steps? Prints a line per check, then the sum.
#
# Environment: EBM (the program), KILLS (how many), OUT (a folder for what it computes), SEED (of the moments of kills).
EBM=${EBM:-build/examples/ebm/ebm} KILLS=${KILLS:-6} OUT=${OUT:-build/ebm} SEED=${SEED:-1}
cd "$(dirname "$0")/.." || exit 2
mkdir -p "$OUT" || exit 2
work=$(cd "$OUT" && mktemp -d "$PWD/run-XXXXXX") || exit 2
loud=1
. tests/check.sh
trap 'rm -rf "$work"; exit 130' INT TERM HUP

# train NAME OPTION...: a small run, saved after every iteration
train() {
  to=$1
  shift
  $prefix "$EBM" --channels 2 --deep 0 --steps 2 --iterations 30 --rungs 0 --long 3 --every 0 --out "$work/$to" "$@" \
    > "$work/$to.out" 2> "$work/$to.err"
}
prefix=

check 'a run that is left alone' train whole
check 'it says where its picture is' grep -q "$work/whole.pgm" "$work/whole.out"
check 'the picture is one' test "$(head -c 2 "$work/whole.pgm")" = P5

have timeout || { skip 'kills: no timeout' && KILLS=0; }
hits=0 strange=0
awk -v seed="$SEED" 'BEGIN { srand(seed); for (k = 0; k < 400; k++) printf "%.3f\n", 0.05 + 0.6 * rand() }' \
  > "$work/moments"
while [ $hits -lt "$KILLS" ] && read -r moment <&3; do
  prefix="timeout -s KILL $moment"
  { train killed; status=$?; } 2> "$work/shell" # a shell says "Killed"
  case $status in
    0) rm -f "$work/killed.run" ;; # it was too quick; once more
    124 | 137) hits=$((hits + 1)) ;;
    *) strange=$((strange + 1)); cat "$work/killed.err" ;;
  esac
done 3< "$work/moments"
prefix=
check "killed $hits times, for no other reason" test "$strange" -eq 0
check 'it goes on' train killed
check 'its file is the same' cmp "$work/whole.run" "$work/killed.run"
check 'its picture, too' cmp "$work/whole.pgm" "$work/killed.pgm"

# halves OPTION...: what AB's tuner has learned comes back, too
halves() {
  train ab "$@" && train ab_halves --iterations 12 "$@" && train ab_halves "$@" &&
    grep -q 'goes on after iteration 12' "$work/ab_halves.out" && cmp "$work/ab.run" "$work/ab_halves.run" &&
    rm "$work/ab.run" "$work/ab_halves.run"
}
check 'AB in two halves' halves --sampler ab
check 'AB by the jump distance, in two halves' halves --sampler ab --tune jump
check 'AB by a given alpha, in two halves' halves --sampler ab --alpha 0.6
check 'AB by a given scale' halves --sampler ab --sigma 0.3 --alpha 0.6

# stopped: ends with 130, says how to go on, has drawn what is in the buffer, and goes on
stopped() {
  for seconds in 0.7 3 12 48; do # as a busy machine may need
    prefix="timeout -s TERM $seconds"
    train stopped --iterations 100000
    prefix=
    [ ! -s "$work/stopped.pgm" ] || break
  done
  cat "$work/stopped.out"
  grep -q 'the same command goes on' "$work/stopped.out" && test -s "$work/stopped.pgm" && train stopped &&
    grep -q 'goes on after iteration' "$work/stopped.out"
}
if have timeout; then check 'it says how to go on after a signal' stopped; else skip 'a signal: no timeout'; fi

# a learning rate that nothing can follow: status 3, and what to do
diverges() {
  train lost --rate 1000 --warmup 0
  [ $? = 3 ] && grep -q 'training diverges.*smaller --rate' "$work/lost.err"
}
check 'training that diverges' diverges

# annealing that misses the model's mass: no number
missed() {
  train missed --rate 40 --warmup 0 --iterations 25 --rungs 2 --anneal 7
  grep -q 'by annealing: 7 chains' "$work/missed.out" && grep -q 'log-likelihood   unknown: .* above log Z' "$work/missed.out"
}
check 'a log Z that cannot be' missed

# refused STATUS WORDS OPTION...: that status, those words, and the file of the run is left alone
refused() {
  want=$1 words=$2
  shift 2
  before=$(cksum "$work/whole.run")
  train whole "$@"
  status=$?
  cat "$work/whole.err"
  [ $status = "$want" ] && grep -q -e "$words" "$work/whole.err" && [ "$before" = "$(cksum "$work/whole.run")" ]
}
printf 'no pictures' > "$work/text"
printf '\000\000\010\003\000\000\000\001\000\000\000\034\000\000\000\034abc' > "$work/cut"
check 'other steps' refused 1 'another value of --steps' --steps 3
check 'another network' refused 1 'another value of --channels' --channels 3
check 'a network that cannot be' refused 2 'from 1 to 256' --channels 0
check 'another sampler' refused 1 'another value of --sampler' --sampler ab
check 'a sampler that is none' refused 2 'possible are lbp and ab' --sampler ba
check 'an option that is not there' refused 2 'there is no option' --frobnicate
check 'no data' refused 1 "$work/nothing" --data "$work/nothing"
check 'data of another kind' refused 1 "$work/text" --data "$work/text"
check 'truncated data' refused 1 "$work/cut" --data "$work/cut"
cp "$work/whole.run" "$work/kept"
head -c 1000 "$work/kept" > "$work/whole.run"
check 'a truncated run' refused 1 'truncated' --steps 2
{ head -c 1000 "$work/kept"; printf x; tail -c +1002 "$work/kept"; } > "$work/whole.run"
check 'a damaged run' refused 1 'damaged' --steps 2
cp "$work/text" "$work/whole.run"
check 'another file' refused 1 'no training run' --steps 2

# bench/ebm/ebm.sh finds the fewest steps: here of programs whose log-likelihood is -100 - seed - width / steps, where
# LBP-1's width is six times that of ALBP, and t/(1+t)'s twice that of sqrt(t), which diverge where that costs ten nat, and
# whose log Z is not known after single steps; and again from half of its rows. AB takes half as long again as LBP
cat > "$work/ebm" <<'END'
#!/bin/sh
echo "options $*"
sites=0 sampler=lbp
while [ $# -gt 0 ]; do
  case $1 in --steps) steps=$2 ;; --sites) sites=$2 ;; --seed) seed=$2 ;; --sampler) sampler=$2 ;; esac
  shift
done
width=$((3 + 15 * sites))
case $0 in *_barker) width=$((2 * width)) ;; esac
if [ $steps -eq 1 ]; then echo 'log-likelihood   unknown: a reason'; exit; fi
[ $((10 * steps)) -gt $width ] || exit 3
echo '       20      0.123      0.571       12.3         9'
case $sampler in ab) spent=3 ;; *) spent=2 ;; esac
echo "training         30 iterations in $spent.00 s of CPU time"
[ $sampler = lbp ] || echo 'scale            sigma 0.240, alpha 0.530'
echo 'log Z            1.00 +- 0.10 by annealing: 100 chains, of which 33 count, 4000 rungs'
awk -v d=$seed -v w=$width -v s=$steps 'BEGIN { printf "log-likelihood   %.2f +- 1.00 nat\n", -100 - d - w / s }'
END
chmod +x "$work/ebm"
cp "$work/ebm" "$work/ebm_barker"
# bench FOLDER PARTS: into FOLDER/report.md
bench() {
  DATA='' FOLDER="$work/$1" PARTS="$2" PROGRAM="$work" SEEDS='1 2' sh bench/ebm/ebm.sh
}
again_from_half() {
  head -n $(($(wc -l < "$work/$1/rows.csv") / 2)) "$work/$1/rows.csv" > "$work/half"
  mv "$work/half" "$work/$1/rows.csv"
}
fewest() {
  for again in 1 2; do
    STEPS='1 2 4 8 16 32' WITHIN='1 10' bench table 'steps report' || return
    sed -n '/^| best/,/^$/p' "$work/table/report.md" | cmp - "$work/expected" || return
    grep -q '^| LBP_b-1 | .* | diverged, diverged | -110.00, -111.00 |' "$work/table/report.md" || return
    grep -q '^| LBP_s-1 | unknown, unknown | .* | -101.56, -102.56 |$' "$work/table/report.md" || return
    rows=$(wc -l < "$work/table/rows.csv")
    [ $again = 2 ] || again_from_half table
  done
  [ "$rows" -le 40 ] # of 48 and a head
}
cat > "$work/expected" <<'END'
| best log-likelihood | within, nat | LBP_b-1 | ALBP_b | LBP_s-1 | ALBP_s |
|---|---:|---:|---:|---:|---:|
| -101.09, -102.09 | 1 | > 32, > 32 | 8, 8 | 32, 32 | 4, 4 |
| -101.09, -102.09 | 10 | 4, 4 | 2, 2 | 2, 2 | 2, 2 |

END
check 'the fewest steps of a table' fewest
# fewer: of other STEPS, what was computed with more does not count, nor what was with other settings
fewer() {
  STEPS='2 4' WITHIN=1 bench table report && grep -q '^| -101.75, -102.75 | 1 | > 4, > 4 | 4, 4 | > 4, > 4 | 2, 2 |$' \
    "$work/table/report.md" && STEPS='2 4' WITHIN=1 SMALL=5 bench table report &&
    grep -q '^| ,  | 1 | ?, ? | ?, ? | ?, ? | ?, ? |$' "$work/table/report.md"
}
check 'the fewest of fewer steps' fewer
# tuned: with R = 1 a log-likelihood of -100 - seed - 18 / 8, tuned 3 / 8; AB for two thirds of the iterations
tuned() {
  for again in 1 2; do
    bench tuned 'tuned report' || return
    for row in 'R=1 | -103.25, -104.25 | 0.571, 0.571 | 12.3, 12.3 |  |$' \
      'AB tuned | -101.38, -102.38 | .* | sigma 0.240 alpha 0.530; sigma 0.240 alpha 0.530 |$' \
      'AB, sigma 0.2, alpha 0.6 | -101.38, -102.38 |'; do
      grep -q "^| $row" "$work/tuned/report.md" || return
    done
    grep -q '^shapes,AB_tuned,2,8,--channels 16 --deep 0 --iterations 333 ' "$work/tuned/rows.csv" || return
    grep -q '^shapes,R=9,2,8,--channels 16 --deep 0 --iterations 500 ' "$work/tuned/rows.csv" || return
    [ "$(wc -l < "$work/tuned/rows.csv")" -eq 34 ] || return
    [ $again = 2 ] || again_from_half tuned
  done
}
check 'what tuning gains' tuned
# early RUN SCRIPT: on data that nobody reads, so that the name of its folder is all that there is of it; the program that
# compares samplers is SCRIPT
early() {
  printf '#!/bin/sh\n%s\n' "$2" > "$work/bench"
  chmod +x "$work/bench"
  DATA=here SHOWN=dynamic PARTS=early FOLDER="$work/early" PROGRAM="$work" BENCH="$work/bench" sh bench/ebm/ebm.sh \
    > "$work/early.out" 2> "$work/early.err" || return
  grep -e '^options' -e '^compared' "$work/early.out" > "$work/early.$1"
}
# kept: a part that failed is computed again, one that did not is not
kept() {
  ! early 1 'exit 1' && early 2 'echo "compared $*"' && early 3 'exit 1' && cmp "$work/early.2" "$work/early.3"
}
# other: nothing is shown as the result of a command that it is not of
other() { ! (export SMALL=5 && early 4 'exit 1') && grep -q 'dynamic_early.txt is of another command' "$work/early.err"; }
check 'what is there is not computed again' kept
check 'nor shown for other settings' other
train='here/mnist/train-images-idx3-ubyte.gz' test='here/mnist/t10k-images-idx3-ubyte.gz'
check 'data to train on, and to judge by' grep -q "^options --data $train --test $test --dynamic --channels" "$work/early.3"
check 'data of the model to compare on' grep -q "^compared --data $train --run $work/early/dynamic_early.run" "$work/early.3"
stranger() {
  ! SETS='mnist fashion' DATA="$work" FOLDER="$work/table" sh bench/ebm/ebm.sh 2> "$work/err" &&
    grep -q fashion "$work/err"
}
check 'a data set that it does not know' stranger

if [ $failed -eq 0 ]; then rm -rf "$work"; rmdir "$OUT" 2> /dev/null; else echo "what it computed is in $work"; fi
total
