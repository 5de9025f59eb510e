# SPDX-License-Identifier: BSD-3-Clause
"""What `omptape report` finds on machines that are not there: programs with one known problem on a simulated runtime
(simulate.c). What a repair wins is known exactly, since the repaired program runs on the same machine. A problem of 1 % of
the wall time or more must be the first finding, at its line, with its gain, and the only one. Where the gain is not known,
the time that the finding takes is compared. The repaired program has no finding.
Prints a table; no time decides.

    tests/run simulate.findings --build BUILD --runtimes DIR [--threads 16,64,128,256] [--only NAME]
"""
import concurrent.futures
import os
import re
import sys

from bench import tables
from harness import run_test
from simulate.simulator import AT_ONCE, Simulator, options

CLOSE = 0.15
MIN_GAIN = 0.01     # of the wall: less is not told
PARTS = {"preemption": ("preemption", "late_start")}    # findings of one cause
HEADER = ["program", "threads", "wall, ms", "won, ms", "first finding", "its gain, ms", "gain/won", "right"]


class Run:
    """One run of a program, and what the report says of it."""

    def __init__(self, test, program, threads, repaired):
        folder = test.path(f"{program.name}.{threads}.{'repaired' if repaired else 'bad'}")
        facts = test.simulate(program, threads, folder, repaired)
        self.wall = int(facts["wall_ns"]) * 1e-9
        self.place, self.awaited_rank = facts["place"], facts["awaited_rank"]
        self.findings = test.ask("report", folder)["findings"]


def name_of(finding):
    return f"{finding['kind']}@{os.path.basename(finding['file'])}:{finding['line']}"


class Case:
    """A program on so many threads, bad and repaired."""

    def __init__(self, test, program, threads):
        self.program, self.kind, self.threads = program.name, program.kind, threads
        self.bad = Run(test, program, threads, False)
        self.repaired = Run(test, program, threads, True) if self.kind else self.bad
        self.won = self.bad.wall - self.repaired.wall
        self.first = self.bad.findings[0] if self.bad.findings else None

    @property
    def is_ill(self):
        return self.kind != "" and self.won >= MIN_GAIN * self.bad.wall

    def wrong(self):
        """"" if all is as it must be."""
        if self.repaired.findings:
            return f"repaired: {name_of(self.repaired.findings[0])}"
        if not self.is_ill:
            return f"has {name_of(self.first)}" if self.first and self.first["gain_s"] > 2 * MIN_GAIN * self.bad.wall else ""
        expected = f"{self.kind}@{self.bad.place}"
        if self.first is None or self.first["kind"] != self.kind or expected not in map(name_of, self.parts()):
            return f"not {expected}"
        if not re.search(rf"\b{self.bad.awaited_rank}\b", self.first["text"]):
            return f"not for {self.bad.awaited_rank}"
        if self.is_told and abs(self.gain / self.won - 1) > CLOSE:
            return "gain"
        others = [one for one in self.bad.findings if one not in self.parts()]
        return f"also {name_of(others[0])}" if others else ""

    def parts(self):
        """The first finding, and others for the same rank or of the same cause."""
        return [one for one in self.bad.findings if one is self.first or one["kind"] in PARTS.get(self.kind, ())
                or self.bad.awaited_rank and self.bad.awaited_rank in one["text"]]

    @property
    def gain(self):
        return sum(one["takes_s"] or one["gain_s"] for one in self.parts())

    @property
    def is_told(self):
        """False: what a repair wins is less than what the finding says that its cause takes."""
        return self.first["takes_s"] == 0 or self.kind == "hot_function"

    def row(self):
        row = [self.program, str(self.threads), f"{self.bad.wall * 1e3:.1f}", f"{self.won * 1e3:.2f}"]
        if self.first is None:
            row += ["none", "", ""]
        else:
            ratio = f"{self.gain / self.won:.2f}" if self.won > 0 else ""
            row += [name_of(self.first), f"{self.gain * 1e3:.2f}" if self.is_told else "not known", ratio if self.is_told else ""]
        return row + [self.wrong() or "yes"]


class Findings(Simulator):
    """All programs, or some, at several numbers of threads."""

    def try_all(self):
        wanted = [(program, int(threads)) for program in self.programs("problem") for threads in self.options.threads.split(",")]
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            cases = list(pool.map(lambda one: Case(self, *one), wanted))
        wrong = [case for case in cases if case.wrong()]
        print(tables.table(HEADER, [case.row() for case in cases]))
        print(f"{len(cases) - len(wrong)} of {len(cases)} are right: kind, place, gain within {CLOSE:.0%}, no other "
              "finding, and none of the repaired program.", flush=True)
        for case in wrong:
            self.fail(f"{case.program} with {case.threads} threads: {case.wrong()}")


def main():
    chosen = options(__doc__).parse_args()
    return run_test(lambda: Findings(chosen, "simulate.passive" if chosen.passive else "simulate.findings"), Findings.try_all)


if __name__ == "__main__":
    sys.exit(main())
