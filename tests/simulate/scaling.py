# SPDX-License-Identifier: BSD-3-Clause
"""What `omptape scale` says of programs whose scaling is known, on machines that are not there (simulate.c). The loss that
grows must be the program's, and the best number of threads the one after which none is faster. Where there are more threads
than processors it must say so. Prints a table; no time decides.

    tests/run simulate.scaling --build BUILD --runtimes DIR [--threads 1,2,4,8,16,32] [--only NAME]
"""
import concurrent.futures
import re
import sys

from bench import tables
from harness import run_test
from simulate.simulator import AT_ONCE, Simulator, options

FASTER = 0.97    # what counts as faster takes at most this part
HEADER = ["program", "loss", "walls, ms", "best", "found: loss", "best", "worst region", "right"]


class Case:
    """A program at all numbers of threads."""

    def __init__(self, test, program):
        self.program = program
        folder = test.path(program.name)
        self.walls = {}
        for threads in map(int, test.options.threads.split(",")):
            self.walls[threads] = int(test.simulate(program, threads, f"{folder}/threads-{threads}-1")["wall_ns"]) * 1e-6
        self.answer = test.ask("scale", folder)
        self.whole = self.answer["regions"][0]
        self.worst = next((one for one in self.answer["regions"] if one["kind"] == "region" and one["grows"]), None)

    @property
    def best(self):
        """The first number of threads after which none is faster."""
        for threads, wall in self.walls.items():
            if all(other >= FASTER * wall for more, other in self.walls.items() if more > threads):
                return threads
        return None

    def wrong(self):
        """"" if all is as it must be."""
        if self.found != self.program.loss:
            return f"not {self.program.loss}"
        return "" if self.whole["best_threads"] == self.best else f"not {self.best} threads"

    @property
    def found(self):
        """The loss that grows most."""
        if re.search(r"threads on \d+ processors", self.whole["text"]):
            return "processor"
        return self.whole["grows"].split(" ")[0] if self.whole["grows"] else "none"

    def row(self):
        return [self.program.name, self.program.loss, " ".join(f"{wall:.1f}" for wall in self.walls.values()), str(self.best),
                self.found, str(self.whole["best_threads"]), self.worst["region"] if self.worst else "", self.wrong() or "yes"]


class Scaling(Simulator):
    """All programs of known scaling."""

    def try_all(self):
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            cases = list(pool.map(lambda one: Case(self, one), self.programs("scaling")))
        print(tables.table(HEADER, [case.row() for case in cases]))
        for case in cases:
            print(f"{case.program.name}: {case.whole['text']}")
            if case.worst:
                print(f"    {case.worst['region']}: {case.worst['text']}")
        wrong = [case for case in cases if case.wrong()]
        print(f"{len(cases) - len(wrong)} of {len(cases)} are right: loss and number of threads.", flush=True)
        for case in wrong:
            self.fail(f"{case.program.name}: {case.wrong()}")


def main():
    chosen = options(__doc__)
    chosen.set_defaults(threads="1,2,4,8,16,32,64")
    return run_test(lambda: Scaling(chosen.parse_args(), "simulate.scaling"), Scaling.try_all)


if __name__ == "__main__":
    sys.exit(main())
