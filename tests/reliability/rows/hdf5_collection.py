"""HDF Group's collection of files that broke some version of HDF5: info, run and convert refuse each
in one sentence, and the window keeps its model. HEADSCOPE_HDF5_COLLECTION names a clone of
github.com/HDFGroup/cve_hdf5; without it nothing is asked."""

import os
import pathlib

# The sealed reader may compute for 10 seconds and take 20 in all.
HANG_SECONDS = 25.0
IN_WINDOW = ("test_strangers_in_window", "theWindowKeepsItsModel")


def run(campaign):
    folder = os.environ.get("HEADSCOPE_HDF5_COLLECTION")
    files = sorted(path for path in pathlib.Path(folder).rglob("*")
                   if path.is_file() and ".git" not in path.parts) if folder else []
    questions = [(command, file) for file in files for command in ("info", "run", "convert")]

    def ask(question):
        command, file = question
        options = {"info": [], "run": ["--ids", "1,2"],
                   "convert": ["-o", campaign.scratch / "converted.h5"]}[command]
        ended = campaign.run([command, file, *options], seconds=HANG_SECONDS)
        complaint = ended.complaint()
        if complaint is None and ended.code == 0:
            complaint = "is taken for a model"
        if complaint:
            campaign.finding(f"{command} {file.name}: {complaint}", [file])
        campaign.count(f"{command}: {'used' if ended.code == 0 else 'refused'}")

    campaign.in_parallel(ask, questions)
    if files:
        ask_window(campaign, len(files))


def ask_window(campaign, number):
    program = campaign.test_program("tests_ui_views")
    if program is None:
        campaign.count("window: not built", number)
        return
    ended = campaign.run(IN_WINDOW, seconds=HANG_SECONDS * number, program=program,
                         environment={"QTEST_FUNCTION_TIMEOUT":
                                      str(int(1000 * HANG_SECONDS * number))})
    if ended.code != 0 or ended.hung:
        campaign.finding(f"the window does not keep its model: exit code {ended.code}")
    campaign.count("window: refused", number)
