# SPDX-License-Identifier: BSD-3-Clause
"""What it costs to look at all threads of a program from outside: the writer's processor time with and without
--sched=off, in percent of one processor. The goal is less than 0.5 % for 64 threads.

    tests/run bench.observe --build BUILD --runtimes DIR compute
"""
import statistics
import sys

from harness import main
from harness.facts import Facts

THREADS, SECONDS, TIMES = 64, 4, 3


def spent(test, name, program, kind, *options):
    """Of the writer while the program ran, s; and how long that was."""
    test.command("-q", "--force", *options, "-o", name, program, THREADS, SECONDS, kind)
    facts = test.judge(name, test.path(name, "traces.otf2"), Facts(), thorough=False)
    of = facts.properties
    return int(of["OMPTAPE::WRITER_TIME"]) / 1e9, int(of["OMPTAPE::DURATION"]) / 1e9


def measure(test, kind):
    program = test.compile("bench/programs", "observed.c")
    costs = []
    for number in range(TIMES):
        without, _ = spent(test, f"{kind}-off-{number}", program, kind, "--sched=off")
        whole, seconds = spent(test, f"{kind}-on-{number}", program, kind)
        costs.append(100 * (whole - without) / seconds)
    print(f"{THREADS} threads that {kind}: {statistics.median(costs):.2f} % of a processor "
          f"({min(costs):.2f} to {max(costs):.2f})")


def compute(test):
    """All want a processor all the time."""
    measure(test, "compute")


def sleep(test):
    """Each wakes 50 times a second."""
    measure(test, "sleep")


if __name__ == "__main__":
    sys.exit(main(__doc__, {"compute": compute, "sleep": sleep}, "bench.observe", stage=("19", "16", "22")))
