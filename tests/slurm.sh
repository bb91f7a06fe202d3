#!/bin/sh
# Does the script of docs/hpc.md work? Slurm is not needed: stand-ins for srun, scontrol and the queue do what its
# manual says of --signal (the programs that srun has started get SIGTERM, the script does not) and of requeue. The job
# is told to end again and again, and must come to the draws of a run that was left alone. Prints what fails, then
# the sum.
#
# Environment: CC, BUILD (a directory for scratch files).
CC=${CC:-cc} BUILD=${BUILD:-build/slurm}
cd "$(dirname "$0")/.." || exit 2
rm -rf "$BUILD" && mkdir -p "$BUILD/bin" || exit 2
work=$(cd "$BUILD" && pwd)
export OMP_WAIT_POLICY=passive
. tests/check.sh

# The page's blocks with lines for sbatch, one after another, as job1.sh, job2.sh ...; with fewer draws.
awk -v to="$work/job" '
  /^```sh$/ { inside = 1; text = ""; next }
  /^```$/ {
    if (inside && text ~ /#SBATCH/) {
      count++
      printf "%s", text > (to count ".sh")
    }
    inside = 0
    next
  }
  inside { text = text $0 "\n" }' docs/hpc.md
sed 's/spin_glass 12 1000000/spin_glass 4 400/' "$work/job1.sh" > "$work/glass.sh"
parses() { [ -s "$work/job1.sh" ] && [ -s "$work/job2.sh" ] && sh -n "$work/job1.sh" && sh -n "$work/job2.sh"; }
check 'scripts for sbatch: they parse' parses
check 'the script runs ./spin_glass' grep -q '^srun \./spin_glass 4 400 ' "$work/glass.sh"

cat > "$work/bin/srun" <<'STOP'
#!/bin/sh
sh -c 'echo $$ > "$STATE/step"; exec "$@"' srun "$@"
STOP
cat > "$work/bin/scontrol" <<'STOP'
#!/bin/sh
[ "$1 $2" = 'requeue 17' ] && echo requeue >> "$STATE/requeued"
STOP
chmod +x "$work/bin/srun" "$work/bin/scontrol"
$CC -O2 -fopenmp -I. examples/spin_glass.c -o "$work/spin_glass" -lm > "$work/cc.log" 2>&1 ||
  $CC -O2 -I. examples/spin_glass.c -o "$work/spin_glass" -lm || exit 1
rows() { cat "$1"_[0-9]*.csv | grep -v '^#' | cksum; }

# queue FOLDER SECONDS: runs the script there until it is not put back; with one core and two in turn, and with
# SIGTERM for its program SECONDS after it began, in the first four tries.
queue() {
  told=0 tries=0
  while [ $tries -lt 12 ]; do
    tries=$((tries + 1))
    rm -f "$1/step" "$1/requeued"
    (cd "$1" && STATE=$1 SLURM_JOB_ID=17 SLURM_CPUS_PER_TASK=$((1 + told % 2)) PATH=$work/bin:$PATH \
      sh "$work/glass.sh" > job.out 2>&1) & job=$!
    # a run takes its lock once it listens
    while kill -0 $job 2> /dev/null; do
      [ -s "$1/step" ] && [ -n "$(find "$1" -name glass.lock -newer "$1/step")" ] && break
      sleep 0.05
    done
    if [ $told -lt 4 ]; then
      sleep "$2"
      if [ -s "$1/step" ] && kill -TERM "$(cat "$1/step")" 2> /dev/null; then told=$((told + 1)); fi
    fi
    wait $job || return 1
    [ -f "$1/requeued" ] || return 0
  done
  return 1
}

mkdir "$work/alone" "$work/told" "$work/wrong"
for folder in alone told; do cp "$work/spin_glass" "$work/$folder"; done
(cd "$work/alone" && OMP_NUM_THREADS=1 ./spin_glass 4 400 glass > out 2> err)
check 'a run left alone ends, and glass.done is there' [ -s "$work/alone/glass.done" ]
check "the job ends" queue "$work/told" 0.3
queue_was() { echo "told $told times"; [ "$told" -ge 2 ]; }
check 'it was told to end twice and more, and put back each time' queue_was
check 'it ended with glass.done' [ -s "$work/told/glass.done" ]
same() { [ "$(rows "$work/alone/glass")" = "$(rows "$work/told/glass")" ]; }
check 'the draws of a run left alone' same

# a program that is told to end when its run has just ended, before it writes glass.done, is put back
mkdir "$work/late"
printf '%s\n' '#!/bin/sh' '[ -f late ] || { : > late; kill -TERM $$; }' 'echo all > glass.done' > "$work/late/spin_glass"
chmod +x "$work/late/spin_glass"
late() { queue "$work/late" 0 && [ "$tries" = 2 ] && [ -s "$work/late/glass.done" ]; }
check 'told to end after its run: put back' late

# a program that fails is not put back for ever
printf '#!/bin/sh\nexit 1\n' > "$work/wrong/spin_glass" && chmod +x "$work/wrong/spin_glass"
fails() { ! queue "$work/wrong" 0 && [ ! -f "$work/wrong/requeued" ]; }
check 'a program that fails ends the job' fails
total
