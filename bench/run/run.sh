#!/bin/sh
# The run driver's report (bench/run/run.c), and how it scales (bench/run/scaling.sh):
# sh bench/run/run.sh RUN TOOL MPI_TOOL FOLDER, where RUN is bench/run/run.c, TOOL and MPI_TOOL are tests/tools/run_tool.c
# without and with MPI (MPI_TOOL may be empty). Writes FOLDER/report.md. Environment: MPIRUN.
run=$1 tool=$2 mpi_tool=$3 folder=$4
mkdir -p "$folder" || exit 2
report=$folder/report.md
{
  printf '# Real runs\n\n%s. Written by `make bench-run`.\n\n' "$(sh bench/common/made.sh)"
  "$run" "$folder" || exit 1

  sh "$(dirname "$0")/scaling.sh" "$tool" "$mpi_tool" "$folder" || exit 1
  cat "$(dirname "$0")/network.md"
} > "$report" || exit 1
cat "$report"
