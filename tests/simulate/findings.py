# SPDX-License-Identifier: BSD-3-Clause
"""What `omptape report` finds on machines that are not there: programs with one known problem on a simulated runtime
(simulate.c). What a repair wins is known exactly, since the repaired program runs on the same machine. A problem of 1 % of
the wall time or more must be the first finding, at its line, with its gain, and the only one. Where the gain is not known,
the time that the finding takes is compared. The repaired program has no finding.
Prints a table; no time decides.

    tests/run simulate.findings --build BUILD --runtimes DIR [--threads 16,64,128,256] [--only NAME]
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys

from bench import tables
from harness import Broken, Test, arguments, run_test

CLOSE = 0.15
MIN_GAIN = 0.01     # of the wall: less is not told
SOCKET = 64      # threads
OF_A_RANK = 4    # threads
AT_ONCE = 4      # programs: a writer waits for this and that
PARTS = {"preemption": ("preemption", "late_start")}    # findings of one cause
HEADER = ["program", "threads", "wall, ms", "won, ms", "first finding", "its gain, ms", "gain/won", "right"]


class Run:
    """One run of a program, and what the report says of it."""

    def __init__(self, test, program, threads, has_ranks, repaired):
        self.folder = test.path(f"{program}.{threads}.{'repaired' if repaired else 'bad'}")
        facts = test.simulate(program, self.folder, repaired=int(repaired), **sizes(threads, has_ranks))
        if has_ranks:
            test.command("unify", self.folder)
        self.wall = int(facts["wall_ns"]) * 1e-9
        self.problem_line, self.awaited_rank = facts["problem_line"], facts["awaited_rank"]
        report = test.command("report", "--json", self.folder + ".json", self.folder)
        if report.returncode != 0:
            raise Broken(f"omptape report ends with {report.returncode}: {report.stdout.strip()}")
        with open(self.folder + ".json", encoding="utf-8") as file:
            self.findings = json.load(file)["findings"]


def sizes(threads, has_ranks):
    """A team, on two sockets if it is large, or as many threads in ranks of a few."""
    if has_ranks:
        return {"ranks": threads // OF_A_RANK, "threads": OF_A_RANK}
    return {"threads": threads, "sockets": 1 if threads < SOCKET else 2}


def name_of(finding):
    return f"{finding['kind']}@{os.path.basename(finding['file'])}:{finding['line']}"


class Case:
    """A program on so many threads, bad and repaired."""

    def __init__(self, test, program, kind, has_ranks, threads):
        self.program, self.kind, self.threads = program, kind, threads
        self.bad = Run(test, program, threads, has_ranks, False)
        self.repaired = Run(test, program, threads, has_ranks, True) if kind else self.bad
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
        expected = f"{self.kind}@{self.bad.problem_line}"
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


class Findings(Test):
    """All programs, or some, at several numbers of threads."""

    def __init__(self, options):
        super().__init__(options, "simulate.passive" if options.passive else "simulate.findings")
        self.simulator = self.built("tests", "simulate", "simulate")

    def simulate(self, program, folder, **parameters):
        """Makes an archive in `folder`: what is true of it, by name."""
        words = [f"{name}={value}" for name, value in parameters.items()] + [f"noise={self.options.noise}", f"passive={int(self.options.passive)}"]
        words += [f"seed={self.options.seed}"] if self.options.seed is not None else []
        ended = subprocess.run([self.simulator, program, folder, self.built("tests", "simulate", "simulate-writer"), *words],
                               capture_output=True, text=True, check=False, timeout=250)
        if ended.returncode != 0:
            raise Broken(f"simulate {program} {' '.join(words)} ends with {ended.returncode}: {ended.stderr}")
        return dict(line.split("=", 1) for line in ended.stdout.splitlines())

    def programs(self):
        for line in subprocess.run([self.simulator], capture_output=True, text=True, check=True).stdout.splitlines():
            name, kind, what = line.split()
            if name.startswith(tuple(self.options.only.split(","))):
                yield name, "" if kind == "-" else kind, what == "ranks"

    def try_all(self):
        wanted = [(program, int(threads)) for program in self.programs() for threads in self.options.threads.split(",")]
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            cases = list(pool.map(lambda one: Case(self, *one[0], one[1]), wanted))
        wrong = [case for case in cases if case.wrong()]
        print(tables.table(HEADER, [case.row() for case in cases]))
        print(f"{len(cases) - len(wrong)} of {len(cases)} are right: kind, place, gain within {CLOSE:.0%}, no other "
              "finding, and none of the repaired program.", flush=True)
        for case in wrong:
            self.fail(f"{case.program} with {case.threads} threads: {case.wrong()}")


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--threads", default="128", help="numbers, with commas")
    parser.add_argument("--noise", default="1", help="a factor")
    parser.add_argument("--passive", action="store_true", help="threads that wait sleep, as by OMP_WAIT_POLICY")
    parser.add_argument("--only", default="", help="how programs' names begin, with commas")
    options = parser.parse_args()
    return run_test(lambda: Findings(options), Findings.try_all)


if __name__ == "__main__":
    sys.exit(main())
