#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs of several processes that are no MPI job: one archive with a location group for each, named by program and
number, that begins and ends when it did, with all that it did.

    runs.py --build BUILD --runtimes DIR make|script|python|many
"""
import argparse
import collections
import os
import re
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "checker"))

import check  # noqa: E402
import processes  # noqa: E402
from run import PASSED_ON, SKIPPED  # noqa: E402
from stages import STAGES, Missing, Toolchain  # noqa: E402

MANY = 256
TOLERANCE = 0.05  # seconds, between the archive's wall clock and the program's
PATIENCE = 30  # seconds, from the program's last words to its last event


class Seen:
    """An observer of the checker: each process's parallel regions, and when it was there."""

    def __init__(self):
        self.forks = collections.Counter()
        self.times = {}
        self.names = {}
        self.threads = collections.Counter()

    def __call__(self, location, event):
        group = location.group.name
        first, _ = self.times.get(group, (event.time, event.time))
        self.times[group] = first, event.time
        self.forks[group] += type(event).__name__ == "ThreadFork"

    def archive(self, archive):
        clock = archive.definitions.clock_properties
        start = archive.realtime() * 1e-9
        for group in archive.definitions.location_groups:
            self.names[archive.value_of(group, "PID")] = group.name
            self.threads[group.name] = sum(one.group == group for one in archive.locations)
        self.times = {name: [start + (time - clock.global_offset) / clock.timer_resolution for time in both]
                      for name, both in self.times.items()}


class Runs:
    """What the tests share."""

    def __init__(self, options):
        self.toolchain = Toolchain(STAGES["19"], options.runtimes)
        self.omptape = os.path.join(options.build, "bin", "omptape")
        self.folder = os.path.join(options.build, "tests", "work", f"runs.{options.name}")
        self.problems = []
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        source = os.path.join(HERE, "stint.c")
        self.program = self.toolchain.compile(source, os.path.join(self.folder, "stint"))
        self.library = self.toolchain.compile(source, os.path.join(self.folder, "libstint.so"), shared=True)

    def fail(self, text):
        self.problems.append(text)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)
        return path

    def trace(self, name, command, count, program="stint"):
        """Runs it and looks at the archive of `count` processes."""
        folder = os.path.join(self.folder, name)
        log = os.path.join(folder, "log")
        os.makedirs(folder)
        environment = {key: os.environ[key] for key in PASSED_ON if key in os.environ}
        environment.update(self.toolchain.environment(), OMP_NUM_THREADS="2", KMP_BLOCKTIME="0", STINT_LOG=log)
        result = processes.run([self.omptape, "-o", "out", *command], folder, environment, timeout=200)
        for line in processes.wait_for_all():
            self.fail(f"{name}: {line}")
        if result.code != 0:
            self.fail(f"{name}: exit {result.code}: {result.err.decode(errors='replace')}")
        with open(log, encoding="ascii") as file:
            self.judge(name, os.path.join(folder, "out"), [line.split() for line in file], count, program)
        if f"{count} processes in one archive".encode() not in result.err:
            self.fail(f"{name}: omptape says {result.err.decode(errors='replace')}")

    def judge(self, name, out, stints, count, program):
        left = sorted(set(os.listdir(out)) - {"trace", "trace.def", "trace.otf2"})
        if left:
            self.fail(f"{name}: {left} is left")
        seen = Seen()
        for problem in check.check(self.omptape, os.path.join(out, "trace.otf2"), [seen]):
            self.fail(f"{name}: {problem}")
        expected = {}
        for pid, begin, end, regions in stints:
            before = expected.get(pid, (float(begin), 0, 0))
            expected[pid] = before[0], float(end), before[2] + int(regions)
        if sorted(expected) != sorted(seen.names) or len(expected) != count:
            self.fail(f"{name}: the processes are {seen.names}, not {sorted(expected)}")
            return
        for pid, (begin, end, regions) in expected.items():
            group = seen.names[pid]
            first, last = seen.times[group]
            if not re.fullmatch(rf"{program} \(pid {pid}\)", group) or seen.threads[group] != 2:
                self.fail(f"{name}: process {pid} is called {group} and has {seen.threads[group]} threads")
            if seen.forks[group] != regions:
                self.fail(f"{name}: {group} did {regions} regions, there are {seen.forks[group]}")
            # On a busy machine anything may take long.
            if not (begin - TOLERANCE < first < end + TOLERANCE and end - TOLERANCE < last < end + PATIENCE):
                self.fail(f"{name}: {group} was there from {begin} to {end}, its events are from {first} to {last}")


def make(runs):
    """Four at once, of seven."""
    if shutil.which("make") is None:
        raise Missing("no make")
    runs.write("Makefile", "N = 1 2 3 4 5 6 7\nall: $(N)\n$(N):\n\t@" + runs.program + " $@\n")
    runs.trace("make", ["make", "-s", "-j4", "-f", os.path.join(runs.folder, "Makefile")], 7)


def script(runs):
    """One after the other and at once; a program that runs in a subshell, and one that takes the shell's place."""
    text = f"#!/bin/sh\n{runs.program} 3\n({runs.program} 5 &\n{runs.program} 4; wait)\ntrue\nexec {runs.program} 2\n"
    runs.trace("script", [runs.write("script.sh", text)], 4)


def python(runs):
    """Workers of a Python program, however it starts them, and the program itself."""
    driver = ["/usr/bin/python3", os.path.join(HERE, "driver.py")]
    words = [runs.library, runs.program]
    runs.trace("subprocess", [*driver, "subprocess", *words], 3)
    for way in ("fork", "spawn", "pool"):
        runs.trace(way, [*driver, way, *words], 3, r"python3\S*")
    runs.trace("self.fork", [*driver, "self", "fork", *words], 4, r"python3\S*")


def many(runs):
    """More than the machine has processors for, at once."""
    text = f"#!/bin/sh\nfor i in $(seq {MANY}); do {runs.program} 10 & done\nwait\n"
    runs.trace("many", [runs.write("many.sh", text)], MANY)


TESTS = {test.__name__: test for test in (make, script, python, many)}


def main():
    parser = argparse.ArgumentParser(description="Traces runs of several processes.")
    parser.add_argument("--build", type=os.path.abspath, required=True)
    parser.add_argument("--runtimes", type=os.path.abspath, required=True)
    parser.add_argument("name", choices=TESTS)
    options = parser.parse_args()
    processes.adopt_orphans()
    try:
        runs = Runs(options)
        TESTS[options.name](runs)
    except Missing as reason:
        print(f"SKIPPED: {reason}")
        return SKIPPED
    for problem in runs.problems[:20]:
        print(f"FAILED: {problem}")
    return 1 if runs.problems else 0


if __name__ == "__main__":
    sys.exit(main())
