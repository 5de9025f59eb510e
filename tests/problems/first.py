# SPDX-License-Identifier: BSD-3-Clause
"""The first finding of a program with one problem is that problem, at its line; a healthy one has none that counts.
Whatever is found, each gain follows from the numbers beside it (sums.py).
CTest calls it for each program and stage. No time decides: a gain must only be of the size that the program's work
alone says, roughly.

    tests/run problems.first --build BUILD --runtimes DIR [--steps N] PROGRAM STAGE
"""
import json
import os
import re
import resource
import sys
import time

from harness import STAGES, Broken, Missing, Test, arguments, run_test
from problems import sums
from problems.program import Program

SCALE = "0.25"
HEALTHY_SCALE = "1"  # long enough that the start of the process is no finding
HEALTHY = 0.03  # of the wall
LOOSE = 3       # the factor by which a gain's share of the wall may be off
TRIES = 3       # of which one must be right
MAX_RUNS = 6   # those in which others had the processors are no tries
OTHERS = 0.05   # of the processors' time


class Neighbours:
    """What others take of the processors while this is open, the machine below us included: that is a problem, too, but
    not the program's."""

    def __enter__(self):
        self._begun, self._all, self._own = time.monotonic(), self._busy(), self._spent()
        self.share = 0.0
        return self

    def __exit__(self, *_):
        processors = (time.monotonic() - self._begun) * (os.cpu_count() or 1)
        self.share = (self._busy() - self._all - self._spent() + self._own) / processors

    @staticmethod
    def _busy():
        """Seconds of all processors: user, nice, system, irq, softirq, steal."""
        with open("/proc/stat", encoding="utf-8") as file:
            ticks = [int(word) for word in file.readline().split()[1:9]]
        return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")

    @staticmethod
    def _spent():
        return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def traced(test, program, binary, number):
    """The first finding of one run, and what others had of the processors meanwhile."""
    name = f"run{number}"
    scale = HEALTHY_SCALE if program.healthy else SCALE
    with Neighbours() as neighbours:
        ended = test.run(name, [test.omptape, "-q", "--sample", "-o", "out", "--", binary, "bad", scale])
    if ended.code != 0:
        raise Broken(f"{program.name} under omptape ends with {ended.code}: {ended.output}")
    report = test.command("report", "--json", test.path(name, "report.json"), test.path(name, "out"))
    if report.returncode != 0:
        raise Broken(f"omptape report ends with {report.returncode}: {report.stdout.strip()}")
    with open(test.path(name, "report.json"), encoding="utf-8") as file:
        for text in sums.faults(json.load(file)):
            test.fail(text)
    return program.finding(test.stage, test.path(name, "report.json")), neighbours.share


def wrong(program, stage, finding):
    """What is wrong with a run's first finding; "" if nothing is."""
    if program.healthy:
        return f"a healthy program has {finding}" if finding.biggest > HEALTHY * finding.wall else ""
    if not finding.right:
        return f"first is {finding}, expected one of {sorted(program.expected(stage))}"
    if not 0 < finding.gain <= finding.wall:
        return f"the gain is not within the wall: {finding}"
    if not re.search(program.proposal(stage), finding.proposal):
        return f"{finding}: proposed is {finding.proposal!r}, expected {program.proposal(stage)!r}"
    if program.share and not 1 / LOOSE < finding.gain / finding.wall / program.share < LOOSE:
        return f"the gain is far from {program.share} of the wall: {finding}"
    return ""


class Case(Test):
    """One (program, stage)."""

    def __init__(self, options):
        self.program, self.stage = Program(options.program), STAGES[options.stage]
        super().__init__(options, f"problem.{options.program}.{options.stage}", options.stage)

    def environment(self, **more):
        return super().environment(**{**self.program.variables(), **more})

    def try_all(self):
        """Once right is right: what somebody else does to a short run is no finding about the program."""
        binary = self.program.compile(self.toolchain, self.build, self.options.steps)
        found = []
        for number in range(MAX_RUNS):
            finding, others = traced(self, self.program, binary, number)
            text = wrong(self.program, self.stage, finding)
            if not text:
                return
            if self.program.needs_samples and not finding.sampled:
                print(f"run {number}: there are no samples", flush=True)
                continue
            print(f"run {number}, others had {others:.0%} of the processors: {text}", flush=True)
            if others < OTHERS:
                found.append(text)
            if len(found) == TRIES:
                break
        if not found:
            raise Missing("other programs had the processors all the time, or the kernel takes no samples")
        for text in found:
            self.fail(text)


def main():
    parser = arguments("The first finding of a program with one problem.")
    parser.add_argument("program")
    parser.add_argument("stage", choices=STAGES)
    parser.add_argument("--steps", type=int, help="of a unit of work, as on a processor of another speed (work.h)")
    options = parser.parse_args()
    return run_test(lambda: Case(options), Case.try_all)


if __name__ == "__main__":
    sys.exit(main())
