#!/bin/sh
#SBATCH --time=04:00:00 --signal=TERM@120 --requeue --open-mode=append
#SBATCH --ntasks=1 --cpus-per-task=8
export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK
srun ./spin_glass 12 1000000 "glass" || exit
[ -s glass.done ] || scontrol requeue "$SLURM_JOB_ID"   # your program writes glass.done when result.ended is LBP_END_COMPLETE
