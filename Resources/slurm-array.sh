#!/usr/bin/env bash
# An archive on a Slurm cluster, one shard to each task of a job array:
#
#   sbatch --array=0-3 slurm-array.sh ARCHIVE RESULTS [options of earshot analyze]
#   earshot merge RESULTS                                  (once all tasks have ended)
#
# ARCHIVE and RESULTS lie on a file system that all nodes share. Whatever ends a task (its time is up, its node fails,
# scancel), the same sbatch line goes on where it was; shards that are done end at once. Keep the array 0 to N-1: N says
# how many shards there are.
#SBATCH --job-name=earshot
#SBATCH --cpus-per-task=4
#SBATCH --mem=4G
#SBATCH --time=24:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
# A minute before its time is up earshot is told to stop, which it does cleanly.
#SBATCH --signal=B:TERM@60
set -euo pipefail

archive=${1:?"usage: sbatch --array=0-3 slurm-array.sh ARCHIVE RESULTS [options]"}
results=${2:?"usage: sbatch --array=0-3 slurm-array.sh ARCHIVE RESULTS [options]"}
shift 2
if [ "${SLURM_ARRAY_TASK_MIN:?"submit it as an array: sbatch --array=0-3 ..."}" != 0 ] ||
    [ $((SLURM_ARRAY_TASK_MAX + 1)) != "$SLURM_ARRAY_TASK_COUNT" ]; then
    echo "the array must be 0 to N-1, as in --array=0-3" >&2
    exit 2
fi

# exec: the signal reaches earshot itself.
exec "${EARSHOT:-earshot}" analyze "$archive" --output-dir "$results" "$@" \
    --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --threads "${SLURM_CPUS_PER_TASK:-1}"
