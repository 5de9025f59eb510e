# SPDX-License-Identifier: BSD-3-Clause
"""Real Debian programs, compiled by gcc, traced by `omptape` on their own libgomp. Their output must be that
of a run without the tool, their archives in order, their region counts those that are known of these inputs.
"""
import os
import random
import shutil
import sys

from harness import Missing, Test, main


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


class Debian(Test):
    def run_on_sequences(self, name, command, outputs):
        os.makedirs(self.path(name))
        sequences(self.path(name, "in.fa"), 40, 120, "ACDEFGHIKLMNPQRSTVWY")
        ended, texts = self.run(name, command, timeout=120), []
        for output in outputs:
            with open(self.path(name, output), "rb") as file:
                texts.append(file.read())
        return ended, texts

    def program(self, name, arguments, outputs, regions, threads):
        bare, expected = self.run_on_sequences(f"{name}.bare", [name, *arguments], outputs)
        command = [self.omptape, "-q", "-o", "out", "--", name, *arguments]
        traced, found = self.run_on_sequences(f"{name}.traced", command, outputs)
        if traced.code != bare.code or found != expected:
            self.fail(f"{name}: exit code {traced.code}, without the tool {bare.code}, or other results; {traced.err!r}")
        facts = self.verify_archive(name, self.path(f"{name}.traced", "out", "traces.otf2"))
        if facts.events["ThreadFork"] < regions or facts.threads < threads:
            self.fail(f"{name}: {facts.events['ThreadFork']} parallel regions, {facts.threads} threads; {traced.err!r}")


def test(debian):
    present = [name for name in PROGRAMS if shutil.which(name)]
    if not present:
        raise Missing(f"none of {', '.join(PROGRAMS)} is installed")
    for name in present:
        debian.program(name, *PROGRAMS[name])


if __name__ == "__main__":
    sys.exit(main("Traces real Debian programs.", test, "debian", Debian))
