# SPDX-License-Identifier: BSD-3-Clause
"""What `omptape whatif` predicts for programs after a change, on machines that are not there (simulate.c). The changed
program runs on the same machine with the same noise, so what it takes is known exactly. Prints a table; no time decides.

    tests/run simulate.predictions --build BUILD --runtimes DIR [--threads 16,128] [--only NAME]
"""
import concurrent.futures
import sys

from bench import tables
from harness import Broken, run_test
from simulate.simulator import AT_ONCE, Simulator, options

CLOSE, NEAR = 0.10, 0.20
CLOSE_SHARE, NEAR_SHARE = 0.8, 0.95    # of the predictions
HEADER = ["program", "threads", "scenario", "wall, ms", "model's error", "predicted, ms", "changed, ms", "error"]


class Case:
    """A program on so many threads, before and after the change."""

    def __init__(self, test, program, threads):
        self.program, self.threads = program, threads
        folder = test.path(f"{program.name}.{threads}")
        facts = test.simulate(program, threads, folder)
        self.changed = int(test.simulate(program, threads, folder + ".changed", True)["wall_ns"]) * 1e-9
        words = {"HERE": facts["place"], "TWICE": 2 * threads, "HALF": threads // 2, "THREADS": threads, "SHARE": f"{1 / threads:.6f}",
                 "PROCESSORS": facts["processors"]}
        self.scenario = program.scenario
        for word, value in words.items():
            self.scenario = self.scenario.replace(word, str(value))
        self.answer = test.ask("whatif", folder, *self.scenario.split("; "))

    @property
    def predicted(self):
        return self.answer["scenarios"][-1]["wall_s"]

    @property
    def error(self):
        return self.predicted / self.changed - 1

    def row(self):
        return [self.program.name, str(self.threads), self.scenario, f"{self.answer['wall_s'] * 1e3:.2f}", f"{self.answer['model_error']:+.1%}",
                f"{self.predicted * 1e3:.2f}", f"{self.changed * 1e3:.2f}", f"{self.error:+.1%}"]


class Predictions(Simulator):
    """All programs with a scenario, or some, at several numbers of threads."""

    def case(self, program, threads):
        try:
            return Case(self, program, threads)
        except Broken as reason:
            self.fail(f"{program.name} with {threads} threads: {reason}")
            return None

    def try_all(self):
        programs = [one for of_list in ("problem", "edit") for one in self.programs(of_list) if one.scenario]
        wanted = [(program, int(threads)) for program in programs for threads in self.options.threads.split(",")]
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            cases = [one for one in pool.map(lambda one: self.case(*one), wanted) if one]
        close, near = (sum(abs(case.error) <= most for case in cases) for most in (CLOSE, NEAR))
        print(tables.table(HEADER, [case.row() for case in cases]))
        print(f"{close} of {len(cases)} predictions are within {CLOSE:.0%}, {near} within {NEAR:.0%}.", flush=True)
        if close < CLOSE_SHARE * len(cases) or near < NEAR_SHARE * len(cases):
            self.fail("too few predictions are close")


def main():
    chosen = options(__doc__).parse_args()
    return run_test(lambda: Predictions(chosen, "simulate.predictions"), Predictions.try_all)


if __name__ == "__main__":
    sys.exit(main())
