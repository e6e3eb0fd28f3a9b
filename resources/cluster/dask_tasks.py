"""Dask (pip install distributed): python3 dask_tasks.py sweep plan.json parts result.h5 7 [scheduler]"""

import subprocess
import sys

from dask.distributed import Client


def headscope(*arguments):
    subprocess.run(["headscope-cli", *arguments], check=True)


if __name__ == "__main__":
    command, plan, parts, result, tasks = sys.argv[1:6]
    # Without a scheduler's address: this machine.
    with Client(sys.argv[6]) if len(sys.argv) > 6 else Client(n_workers=2, threads_per_worker=1) as client:
        client.gather([client.submit(headscope, command, "run", plan, "--shard", f"{task}/{tasks}", "-o", parts,
                                     retries=3) for task in range(1, int(tasks) + 1)])
    headscope(command, "merge", plan, parts, "-o", result)
