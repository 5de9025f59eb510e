# SPDX-License-Identifier: BSD-3-Clause
"""`omptape report` of an archive of many processes, by a step of a real Slurm over two nodes, and by an array of jobs
(omptape-batch): the same as by one process, to the byte.

    tests/run slurm.report --build BUILD --runtimes DIR

Exit 77: no Slurm.
"""
import glob
import os
import re
import subprocess
import sys

from harness import main, wait_for
from slurm.slurm import Slurm

PROCESSES = 256
SCRIPT = """#!/bin/bash
#SBATCH --nodes=2 --ntasks=4
srun {omptape} report --json step.json made
srun {omptape} report made
echo over
"""


def make(slurm):
    """The archive. Returns what one process says of it."""
    subprocess.run([slurm.built("tests", "unify", "make_parts"), slurm.path("made"), str(PROCESSES), "2", "100", "4", "1000"],
                   check=True)
    for words in (["unify", "-q", "made"], ["report", "--jobs", "1", "--json", "one.json", "made"]):
        done = slurm.command(*words)
        slurm.expect(f"{words}: {done.stdout}", 0, done.returncode)
    return slurm.path("one.json")


def expect_same(slurm, what, expected, found):
    if not os.path.exists(found):
        slurm.fail(f"{what}: there is no {found}")
        return
    with open(expected, "rb") as one, open(found, "rb") as other:
        if one.read() != other.read():
            slurm.fail(f"{what}: another answer than one process's")
    left = [name for name in os.listdir(slurm.path("made")) if name.startswith(".omptape-report")]
    slurm.expect(f"{what}: what is left", [], left)


def step(slurm, expected):
    _, said = slurm.complete("step.sh", SCRIPT.format(omptape=slurm.omptape))
    if "over" not in said or said.count("more: omptape report") != 2:
        slurm.fail(f"step.sh: {said}")
    expect_same(slurm, "a step of four tasks", expected, slurm.path("step.json"))


def is_over(slurm, job):
    """All tasks of an array, as squeue says it."""
    done = subprocess.run(["squeue", "-h", "-j", job], env=slurm.environment(), stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=False)
    return not done.stdout.strip()


def array(slurm, expected):
    said = slurm.ask(slurm.batch, "--tasks", "3", "report", "--json", "array.json", "made")
    job = re.search(r"Submitted batch job (\d+)", said)[1]
    wait_for("the end of the array", lambda: is_over(slurm, job), 120, 0.1)
    expect_same(slurm, "an array of three jobs", expected, slurm.path("array.json"))
    files = glob.glob(slurm.path("omptape-report-*.out"))
    slurm.expect("files of the array", [slurm.path(f"omptape-report-{job}.out")], files)
    with open(files[0], encoding="utf-8") as file:
        text = file.read()
    if text.count("more: omptape report") != 1 or "256 processes" not in text:
        slurm.fail(f"the array: {text}")


def test(slurm):
    expected = make(slurm)
    step(slurm, expected)
    array(slurm, expected)


if __name__ == "__main__":
    sys.exit(main("Reports by steps and arrays of Slurm.", test, "slurm.report", Slurm, "19"))
