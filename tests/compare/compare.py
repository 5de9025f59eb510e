#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the archives that two builds' writers make of the same records.

    compare.py --before BUILD --after BUILD --runtimes DIR [--stage STAGE] [PROGRAM...]

Each test program (those of tests/programs without names) runs once, preloaded with the library of AFTER. What it recorded
is given to both writers (both_writers.c), so times, threads and identities are the same. All files must be equal byte for
byte but the anchor and the global definitions, and these in what otf2-print and Python's otf2 show of them, less what
each writer reads from its clock. Exit: 0 all are equal, 1 some differ. For a change that is to leave archives as they
are; not part of the tests.
"""
import argparse
import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))

import processes  # noqa: E402
from program import Program  # noqa: E402
from run import Case  # noqa: E402
from stages import STAGES, Broken, Missing, has_language  # noqa: E402

# What a writer finds out by itself, anew each time: how fast the clock is (and so all that is told in nanoseconds), and
# when it worked.
OWN = re.compile(r"CLOCK_PROPERTIES|Trace identifier|OMPTAPE::(TIME|DURATION|CLOCK)")


class Comparison(Case):
    """One program's records, given to two writers."""

    def record(self, options, helper):
        writers = [os.path.join(build, "libexec", "omptape", "omptape-writer") for build in (options.before, options.after)]
        environment = self.environment(
            LD_PRELOAD=os.path.join(options.after, "lib", "libomptape.so"), OMPTAPE_WRITER=helper,
            OMPTAPE_OUTPUT=os.path.join(self.folder, "out"), OMPTAPE_BUFFER_SIZE="1G", OMPTAPE_CHECKPOINT="off",
            COMPARED_WRITERS=":".join(writers))
        processes.run([self.binary, *self.arguments], self.folder, environment)
        for line in processes.wait_for_all():
            self.fail(line)

    def compare(self):
        """The number of archives that were compared."""
        archives = [sorted(glob.glob(os.path.join(self.folder, f"out.{side}*", "**", "*.otf2"), recursive=True))
                    for side in ("before", "after")]
        if len(archives[0]) != len(archives[1]):
            self.fail(f"{len(archives[0])} archives before, {len(archives[1])} after")
        for before, after in zip(*archives):
            self._compare_archives(before, after)
        return len(archives[0])

    def _compare_archives(self, before, after):
        folders = [os.path.dirname(path) for path in (before, after)]
        files = [sorted(os.path.relpath(path, folder) for path in glob.glob(os.path.join(folder, "**"), recursive=True)
                        if os.path.isfile(path)) for folder in folders]
        if files[0] != files[1]:
            self.fail(f"files {files[0]} before, {files[1]} after")
            return
        for name in files[0]:
            if not name.endswith((".otf2", "trace.def")):
                self._compare_bytes(name, *(os.path.join(folder, name) for folder in folders))
        for old, new in zip(*(self._definitions(path) for path in (before, after))):
            if old != new:
                self.fail(f"{before}: definition\n    {old}\n  is now\n    {new}")
                return

    def _compare_bytes(self, name, before, after):
        with open(before, "rb") as old, open(after, "rb") as new:
            if old.read() != new.read():
                self.fail(f"{before}: {name} differs")

    @staticmethod
    def _definitions(path):
        """The lines of otf2-print on the global definitions, without what is a writer's own."""
        shown = subprocess.run(["otf2-print", "-G", "-I", path], capture_output=True, check=True).stdout
        text = re.sub(r"\nProperty value\s*", " = ", shown.decode(errors="replace"))
        return [re.sub(r"out\.(before|after)", "OUT", line) for line in text.splitlines() if not OWN.search(line)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", required=True)
    parser.add_argument("--after", required=True)
    parser.add_argument("--runtimes", required=True)
    parser.add_argument("--stage", default="19", choices=STAGES)
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    options.before, options.after = os.path.abspath(options.before), os.path.abspath(options.after)
    options.build = options.after
    helper = os.path.join(options.after, "tests", "compare", "both_writers")
    folder = os.path.join(os.path.dirname(HERE), "programs")
    stage = STAGES[options.stage]
    sources = [os.path.abspath(path) for path in options.programs] or sorted(glob.glob(os.path.join(folder, "*.c*")) + glob.glob(os.path.join(folder, "*.f90")))
    processes.adopt_orphans()
    compared, differing = 0, 0
    for source in sources:
        program = Program(source)
        if not has_language(stage, source) or not program.applies(stage):
            continue
        try:
            comparison = Comparison(options, program, stage)
            comparison.record(options, helper)
            count = comparison.compare()
        except (Missing, Broken, TimeoutError) as problem:
            print(f"{program.name}: skipped: {problem}")
            continue
        compared += count
        differing += bool(comparison.problems)
        for problem in comparison.problems:
            print(f"{program.name}: {problem}")
    print(f"compare: {compared} archives of each, {differing} programs differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
