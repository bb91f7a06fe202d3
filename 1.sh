#SBATCH --array=1-20
srun ./program "out/run_$SLURM_ARRAY_TASK_ID" "$SLURM_ARRAY_TASK_ID"
