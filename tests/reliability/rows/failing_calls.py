"""From main() on, each of the first 20,000 calls for memory or of the system fails once, by itself, while a
model is opened, run and exported, and converted: no crash, the output is whole or is the old one, and one
sentence says what went wrong."""

import pathlib

from writers import digest, leftovers

MODEL = "tests/data/fixtures/gpt2.h5"
OLD = b"what was there before\n"
MOST = 20_000
# One thread, so that the same call comes at the same number.
ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "SLURM_CPUS_PER_TASK": "1", "OMP_NUM_THREADS": "1"}
SECONDS = 60.0
IN_SMOKE = False  # a few of 83,000 calls say nothing, and other ones each time


def calls_of(campaign):
    model = campaign.root / MODEL
    yield "export", "npz", ["export", model, "--ids", "1,2,3", "-o"]
    yield "run", "npz", ["run", model, "--ids", "1,2,3", "--hooks", "*hook_pattern", "-o"]
    yield "heads", "csv", ["heads", model, "--ids", "1,2,3", "-o"]
    yield "convert", "h5", ["convert", model, "-o"]
    yield "convert", "gguf", ["convert", model, "-o"]


def attempt(campaign, command, folder, output, failing):
    """How it ended when this call failed."""
    library = pathlib.Path(campaign.cli).with_name("reliability_failing.so")
    # By env, so that it is this program alone whose calls are counted.
    return campaign.run([f"LD_PRELOAD={library}", f"FAILING_CALL={failing}",
                         f"FAILING_COUNT={folder / 'count'}", campaign.cli, *command, output],
                        seconds=SECONDS, program="env", environment=ENVIRONMENT)


def try_call(campaign, what, ending, command, failing, whole):
    folder = campaign.scratch / f"{what}-{ending}-{failing}"
    folder.mkdir()
    output = folder / f"out.{ending}"
    output.write_bytes(OLD)
    old = digest(output)
    ended = attempt(campaign, command, folder, output, failing)
    found = digest(output)
    state = "new" if found == whole else "old" if found == old else "neither"
    complaint = ended.complaint()
    if not complaint and state == "neither":
        complaint = "the output is neither the old nor the new one"
    # What fails after the output is in its place, such as a file beside it, may be told, too.
    if not complaint and ended.code == 0 and state != "new":
        complaint = "it claims to have written, and the output is the old one"
    campaign.count(f"{what} {ending}: {'finding' if complaint else 'goes on' if ended.code == 0 else 'one sentence'}")
    if complaint:
        campaign.finding(f"{what} to {ending}, call {failing}: {complaint}", [output])
    for path in (*leftovers(folder), output, folder / "count"):
        pathlib.Path(folder / path).unlink(missing_ok=True)
    folder.rmdir()


def run(campaign):
    asked = []
    for what, ending, command in calls_of(campaign):
        folder = campaign.scratch / f"{what}-{ending}"
        folder.mkdir()
        output = folder / f"out.{ending}"
        ended = attempt(campaign, command, folder, output, 0)
        if ended.code != 0:
            campaign.finding(f"{what} to {ending}: {ended.error.strip()}")
            continue
        number = int((folder / "count").read_text().split()[-1])
        campaign.count(f"{what} {ending}: calls in all", number)
        asked.append((what, ending, command, number, digest(output)))

    tries = [(what, ending, command, failing, whole) for what, ending, command, number, whole in asked
             for failing in range(1, min(number, MOST) + 1)]
    # Each once; in little time some of all.
    campaign.random.shuffle(tries)
    campaign.count("calls to fail", len(tries))
    campaign.in_parallel(lambda of: try_call(campaign, *of), tries)
