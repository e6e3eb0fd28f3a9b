"""submitit (pip install submitit): python3 submitit_tasks.py sweep plan.json parts result.h5 7 [local]"""

import subprocess
import sys

import submitit


def headscope(*arguments):
    subprocess.run(["headscope-cli", *arguments], check=True)


if __name__ == "__main__":
    command, plan, parts, result, tasks, *cluster = sys.argv[1:]
    executor = submitit.AutoExecutor(folder="logs", cluster=cluster[0] if cluster else None)
    executor.update_parameters(timeout_min=240, cpus_per_task=2, mem_gb=4, slurm_array_parallelism=64)
    with executor.batch():
        jobs = [executor.submit(headscope, command, "run", plan, "--shard", f"{task}/{tasks}", "-o", parts)
                for task in range(1, int(tasks) + 1)]
    for job in jobs:
        job.result()
    headscope(command, "merge", plan, parts, "-o", result)
