#!/bin/bash
# An array of tasks, and a merge once all of them are done:
#   ./slurm.sh sweep plan.json parts result.h5 7 [option of sbatch …]
set -euo pipefail
command=$1 plan=$2 parts=$3 result=$4 tasks=$5
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

array=$(sbatch --parsable --array="0-$((tasks - 1))" "${@:6}" "$here/task.sbatch" "$command" "$plan" "$parts")
sbatch --parsable --dependency="afterok:$array" --job-name=headscope-merge --mem=4G "${@:6}" \
    --wrap="headscope-cli $(printf '%q ' "$command" merge "$plan" "$parts" -o "$result")"
