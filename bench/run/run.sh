#!/bin/sh
# The run driver's report (bench/run/run.c), and how it scales over processes:
# sh bench/run/run.sh RUN TOOL MPI_TOOL FOLDER, where RUN is bench/run/run.c, TOOL and MPI_TOOL are tests/tools/run_tool.c
# without and with MPI (MPI_TOOL may be empty). Writes FOLDER/report.md. Environment: MPIRUN.
run=$1 tool=$2 mpi_tool=$3 folder=$4 MPIRUN=${MPIRUN:-mpirun}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1
mkdir -p "$folder" || exit 2
report=$folder/report.md
{
  printf '# Real runs\n\n%s. Written by `make bench-run`.\n\n' "$(sh bench/common/made.sh)"
  "$run" "$folder" || exit 1

  cat << 'END'
## Threads and processes

Sixteen chains of an Ising grid of 64 x 64 sites, 2000 draws of 20 ALBP steps each, log pi and four statistics; the
same draws each time. Wall time of warm-up and sampling, without starting processes.

| | seconds | million steps a second | against one thread |
|---|---:|---:|---:|
END
  options='chains=16 side=64 draws=2000 thin=20 warmup=2000'
  base=
  # row NAME COMMAND...
  row() {
    name=$1
    shift
    # options are words
    # shellcheck disable=SC2086
    seconds=$("$@" $options prefix="$folder/scale" time=1 | sed -n 's/^seconds //p')
    base=${base:-$seconds}
    awk -v name="$name" -v s="$seconds" -v base="$base" 'BEGIN {
      printf "| %s | %.2f | %.2f | %.2f |\n", name, s, 16 * (2000 + 2000 * 20) / s / 1e6, base / s }'
    sums="$sums $(cat "$folder"/scale_*.csv | grep -v '^#' | cksum)"
    rm -f "$folder"/scale_*.csv
  }
  for threads in 1 2 4; do row "$threads threads" env OMP_NUM_THREADS=$threads "$tool"; done
  if [ -n "$mpi_tool" ]; then
    for ranks in 1 2 4; do row "$ranks processes" "$MPIRUN" -np $ranks "$mpi_tool"; done
  fi
  # shellcheck disable=SC2086
  set -- $sums
  same=yes
  for k in $sums; do case " $1 $2 " in *" $k "*) ;; *) same=NO ;; esac; done
  cat << END

More threads or processes than cores gain nothing: they are there to show that nothing is lost. The same draws in all rows:
$same.

END
  cat "$(dirname "$0")/network.md"
} > "$report" || exit 1
cat "$report"
