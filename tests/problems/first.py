# SPDX-License-Identifier: BSD-3-Clause
"""The first finding of a program with one problem is that problem, at its line; a healthy one has none that counts.
CTest calls it for each program and stage. No time decides: a gain must only be of the size that the program's work
alone says, roughly.

    tests/run problems.first --build BUILD --runtimes DIR PROGRAM STAGE
"""
import json
import sys

from harness import STAGES, Broken, Test, arguments, run_test
from problems.program import Finding, Program

SCALE = "0.25"
HEALTHY_SCALE = "1"  # long enough that the start of the process is no finding
HEALTHY = 0.03  # of the wall
LOOSE = 3       # the factor by which a gain's share of the wall may be off
TRIES = 3       # what somebody else does to a short run is no finding about the program


def traced(test, program, binary, number):
    """The first finding of one run."""
    name = f"run{number}"
    scale = HEALTHY_SCALE if program.healthy else SCALE
    ended = test.run(name, [test.omptape, "-q", "-o", "out", "--", binary, "bad", scale])
    if ended.code != 0:
        raise Broken(f"{program.name} under omptape ends with {ended.code}: {ended.said}")
    report = test.command("report", "--json", test.path(name, "report.json"), test.path(name, "out"))
    if report.returncode != 0:
        raise Broken(f"omptape report ends with {report.returncode}: {report.stdout.strip()}")
    with open(test.path(name, "report.json"), encoding="utf-8") as file:
        return Finding(json.load(file))


def wrong(program, stage, finding):
    """What is wrong with a run's first finding; "" if nothing is."""
    if program.healthy:
        return f"a healthy program has {finding}" if finding.biggest > HEALTHY * finding.wall else ""
    expected = program.expected(stage)
    if not finding.is_one_of(expected, program.name + ".c"):
        return f"first is {finding}, expected one of {sorted(expected)}"
    if not 0 < finding.gain <= finding.wall:
        return f"the gain is not within the wall: {finding}"
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
        binary = self.program.compile(self.toolchain, self.build)
        found = []
        for number in range(TRIES):
            found.append(wrong(self.program, self.stage, traced(self, self.program, binary, number)))
            if not found[-1]:
                return
        for text in found:
            self.fail(text)


def main():
    parser = arguments("The first finding of a program with one problem.")
    parser.add_argument("program")
    parser.add_argument("stage", choices=STAGES)
    options = parser.parse_args()
    return run_test(lambda: Case(options), Case.try_all)


if __name__ == "__main__":
    sys.exit(main())
