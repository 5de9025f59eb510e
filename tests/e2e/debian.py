#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Real Debian programs, compiled by gcc for libgomp, traced by `omptape` on LLVM's runtime. Their output must be that
of a run without the tool, their archives in order, their region counts those that are known of these inputs.
"""
import argparse
import os
import random
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "checker"))

import check  # noqa: E402
import processes  # noqa: E402
from facts import Facts  # noqa: E402
from run import PASSED_ON, SKIPPED  # noqa: E402


def sequences(path, number, length, alphabet):
    """A file of related sequences, the same each time."""
    chance = random.Random(7)
    ancestor = [chance.choice(alphabet) for _ in range(length)]
    with open(path, "w", encoding="ascii") as file:
        for index in range(number):
            letters = [chance.choice(alphabet) if chance.random() < 0.2 else letter for letter in ancestor]
            file.write(f">s{index}\n{''.join(letters)}\n")


# name -> (arguments, which files it writes, what its archive must hold at least: regions, threads)
PROGRAMS = {
    "cd-hit": (["-i", "in.fa", "-o", "clusters", "-T", "2", "-M", "200"], ["clusters"], 1, 2),
    "clustalo": (["-i", "in.fa", "-o", "aligned", "--threads=2", "--force"], ["aligned"], 10, 2),
}


class Debian:
    def __init__(self, options):
        self.launcher = os.path.join(options.build, "bin", "omptape")
        self.runtime = os.path.join(options.runtimes, "19", "lib", "libomp.so.5")
        self.folder = os.path.join(options.build, "tests", "work", "debian")
        self.problems = []

    def fail(self, text):
        self.problems.append(text)

    def run(self, name, command, outputs):
        folder = os.path.join(self.folder, name)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        sequences(os.path.join(folder, "in.fa"), 40, 120, "ACDEFGHIKLMNPQRSTVWY")
        environment = {key: os.environ[key] for key in PASSED_ON if key in os.environ}
        result = processes.run(command, folder, environment, 120)
        for line in processes.wait_for_all():
            self.fail(f"{name}: {line}")
        texts = []
        for output in outputs:
            with open(os.path.join(folder, output), "rb") as file:
                texts.append(file.read())
        return result, texts

    def program(self, name, arguments, outputs, regions, threads):
        bare, expected = self.run(f"{name}.bare", [name, *arguments], outputs)
        command = [self.launcher, "-q", "-o", "out", f"--libomp={self.runtime}", "--", name, *arguments]
        traced, found = self.run(f"{name}.traced", command, outputs)
        if traced.code != bare.code or found != expected:
            self.fail(f"{name}: exit code {traced.code}, without the tool {bare.code}, or other results; {traced.err!r}")
        path = os.path.join(self.folder, f"{name}.traced", "out", "trace.otf2")
        if not os.path.exists(path):
            self.fail(f"{name}: no archive; {traced.err!r}")
            return
        facts = Facts()
        for problem in check.check(self.launcher, path, [facts]):
            self.fail(f"{name}: {problem}")
        if facts.events["ThreadFork"] < regions or facts.threads < threads:
            self.fail(f"{name}: {facts.events['ThreadFork']} parallel regions, {facts.threads} threads")


def main():
    parser = argparse.ArgumentParser(description="Traces real Debian programs.")
    parser.add_argument("--build", type=os.path.abspath, required=True)
    parser.add_argument("--runtimes", type=os.path.abspath, required=True)
    options = parser.parse_args()
    processes.adopt_orphans()
    debian = Debian(options)
    present = [name for name in PROGRAMS if shutil.which(name)]
    if not present or not os.path.exists(debian.runtime):
        print(f"SKIPPED: none of {', '.join(PROGRAMS)} is installed, or there is no {debian.runtime}")
        return SKIPPED
    for name in present:
        debian.program(name, *PROGRAMS[name])
    for problem in debian.problems:
        print(f"FAILED: {problem}")
    return 1 if debian.problems else 0


if __name__ == "__main__":
    sys.exit(main())
