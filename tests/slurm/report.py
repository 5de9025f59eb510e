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
srun {omptape} report --html step.html --svg step.svg made
echo over
"""


def make(slurm):
    """The archive, and what one process says of it."""
    subprocess.run([slurm.built("tests", "unify", "make_parts"), slurm.path("made"), str(PROCESSES), "2", "100", "4", "1000"],
                   check=True)
    for words in (["unify", "-q", "made"], ["report", "--jobs", "1", "--json", "one.json", "made"],
                  ["report", "--jobs", "1", "--html", "one.html", "--svg", "one.svg", "made"]):
        done = slurm.command(*words)
        slurm.expect(f"{words}: {done.stdout}", 0, done.returncode)


def expect_same(slurm, what, name, kinds):
    for kind in kinds:
        found = slurm.path(f"{name}.{kind}")
        if not os.path.exists(found):
            slurm.fail(f"{what}: there is no {found}")
            continue
        with open(slurm.path(f"one.{kind}"), "rb") as one, open(found, "rb") as other:
            if one.read() != other.read():
                slurm.fail(f"{what}: another {kind} than one process's")
    left = [name for name in os.listdir(slurm.path("made")) if name.startswith(".omptape-report")]
    slurm.expect(f"{what}: what is left", [], left)


def step(slurm):
    _, said = slurm.complete("step.sh", SCRIPT.format(omptape=slurm.omptape))
    if "over" not in said or [said.count(text) for text in ("more: omptape", "wrote step.")] != [1, 3]:
        slurm.fail(f"step.sh: {said}")
    expect_same(slurm, "a step of four tasks", "step", ("json", "html", "svg"))


def is_over(slurm, job):
    """All tasks of an array, as squeue says it."""
    done = subprocess.run(["squeue", "-h", "-j", job], env=slurm.environment(), stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=False)
    return not done.stdout.strip()


def array(slurm):
    said = slurm.ask(slurm.batch, "--tasks", "3", "report", "--json", "array.json", "--html", "array.html", "made")
    job = re.search(r"Submitted batch job (\d+)", said)[1]
    wait_for("the end of the array", lambda: is_over(slurm, job), 120, 0.1)
    expect_same(slurm, "an array of three jobs", "array", ("json", "html"))
    files = glob.glob(slurm.path("omptape-report-*.out"))
    slurm.expect("files of the array", [slurm.path(f"omptape-report-{job}.out")], files)
    with open(files[0], encoding="utf-8") as file:
        text = file.read()
    if [text.count(f"wrote array.{kind}") for kind in ("json", "html")] != [1, 1]:
        slurm.fail(f"the array: {text}")


def test(slurm):
    make(slurm)
    step(slurm)
    array(slurm)


if __name__ == "__main__":
    sys.exit(main("Reports by steps and arrays of Slurm.", test, "slurm.report", Slurm, "19"))
