# SPDX-License-Identifier: BSD-3-Clause
"""`omptape report` of an archive of many processes, by a step of a real Slurm over two nodes, and by an array of jobs
(omptape-batch): the same as by one process, to the byte. And a series of runs by an array.

    tests/run slurm.report --build BUILD --runtimes DIR

Exit 77: no Slurm.
"""
import glob
import json
import os
import re
import subprocess
import sys

from harness import main, wait_for
from slurm.slurm import Slurm

PROCESSES = 256
NUMBER = r"\d+"
SOURCE = """#include <stdlib.h>
#include <unistd.h>
int main(int count, char **list)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < 8; i++)
        usleep(30000);
    return count > 1 ? atoi(list[1]) : 0;
}
"""
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
    return done.returncode == 0 and not done.stdout.strip()


def array(slurm):
    said = slurm.ask(slurm.batch, "--tasks", "3", "report", "--json", "array.json", "--html", "array.html", "made")
    job = re.search(r"Submitted batch job (\d+)", said)[1]
    wait_for("the end of the array", lambda: is_over(slurm, job), 300, 0.1)
    expect_same(slurm, "an array of three jobs", "array", ("json", "html"))
    files = glob.glob(slurm.path("omptape-report-*.out"))
    slurm.expect("files of the array", [slurm.path(f"omptape-report-{job}.out")], files)
    with open(files[0], encoding="utf-8") as file:
        text = file.read()
    if [text.count(f"wrote array.{kind}") for kind in ("json", "html")] != [1, 1]:
        slurm.fail(f"the array: {text}")


def series(slurm):
    """`omptape-batch scale`: an array of runs, and a job that reads them."""
    slurm.toolchain.compile(slurm.write("work.c", SOURCE), slurm.path("work"))
    said = slurm.ask(slurm.batch, "scale", "--threads", "1,2", "--repeat", "2", "--html=scale.html", "--fail-if", "wall@1<0.2", "--",
                     slurm.path("work"), "3")
    answer = slurm.path(f"omptape-scale-{re.search(r'Submitted batch job (%s)' % NUMBER, said)[1]}.out")
    wait_for("the answer", lambda: os.path.exists(answer) and "wrote scale.html" in open(answer, encoding="utf-8").read(), 300, 0.1)
    slurm.expect("runs", ["threads-1-1", "threads-1-2", "threads-2-1", "threads-2-2"], sorted(os.listdir(slurm.path("omptape-scale-work"))))
    done = slurm.command("scale", "--json", "scale.json", "omptape-scale-work")
    slurm.expect(f"omptape scale: {done.stdout}", 0, done.returncode)
    with open(slurm.path("scale.json"), encoding="utf-8") as file:
        slurm.expect("sizes", [(1, 2), (2, 2)], [(size["threads"], size["runs"]) for size in json.load(file)["sizes"]])
    with open(answer, encoding="utf-8") as file:
        text = file.read()
    slurm.expect(f"exit codes in {text}", 4, text.count("ended with exit code 3"))
    with open(slurm.path("scale.html"), encoding="utf-8") as file:
        slurm.expect("the page", True, "by threads: 1 to 2, medians of 2 runs" in file.read())


def test(slurm):
    make(slurm)
    step(slurm)
    array(slurm)
    series(slurm)


if __name__ == "__main__":
    sys.exit(main("Reports by steps and arrays of Slurm.", test, "slurm.report", Slurm, "19"))
