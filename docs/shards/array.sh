#!/bin/sh
#SBATCH --array=1-7 --requeue --cpus-per-task=2
exec tacet apply --input visits --plan plan.json --run-key /keys/run.key --run-id 2026-11-23 \
    --drop destination,distance --output published --shard "$SLURM_ARRAY_TASK_ID/7" --threads "$SLURM_CPUS_PER_TASK"
