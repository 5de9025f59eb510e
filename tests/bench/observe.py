# SPDX-License-Identifier: BSD-3-Clause
"""What it costs to look at all threads of a program from outside: the writer's processor time with and without
--sched=off, in percent of one processor. The goal is less than 0.5 % for 64 threads.

    tests/run bench.observe --build BUILD --runtimes DIR compute

`price` prints what samples and switches cost the program instead.
"""
import random
import statistics
import sys

from harness import main
from harness.facts import Facts

THREADS, SECONDS, TIMES = 64, 4, 3
ROUNDS = 18


def spent(test, name, program, kind, *options):
    """Of the writer while the program ran, s; and how long that was."""
    test.command("-q", "--force", *options, "-o", name, program, THREADS, SECONDS, kind)
    facts = test.verify_archive(name, test.path(name, "traces.otf2"), Facts(), thorough=False)
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


def price(test):
    """Two threads of a stencil, which meet at barriers: bare, without samples and switches, and as by default, interleaved.
    The program's own time."""
    program = test.compile("problems", "programs", "healthy_stencil.c", flags=("-O1",))
    timed = ["bash", "-c", 'TIMEFORMAT=%3R; time "$0" "$@" >/dev/null', program, "bad", "2"]
    traced = [test.omptape, "-q", "--force", "-o", test.path("out")]
    ways = {"bare": timed, "off": [*traced, "--sample=off", "--sched=off", *timed], "default": [*traced, *timed]}
    seconds = {way: [] for way in ways}
    for number in range(ROUNDS + 1):  # the first one warms up
        for way in random.sample(sorted(ways), len(ways)):
            ended = test.run(way, ways[way], test.environment(OMP_NUM_THREADS="2"))
            test.expect(f"{way}: exit code", 0, ended.code)
            if number > 0:
                seconds[way].append(float(ended.err.split()[-1]))
    for way, other in (("off", "bare"), ("default", "off"), ("default", "bare")):
        first, median, third = statistics.quantiles([one / two for one, two in zip(seconds[way], seconds[other])], n=4)
        print(f"{way} / {other}: medians {statistics.median(seconds[way]) / statistics.median(seconds[other]):.4f}, "
              f"of pairs {median:.4f} ({first:.4f} to {third:.4f})")


if __name__ == "__main__":
    sys.exit(main(__doc__, {"compute": compute, "sleep": sleep, "price": price}, "bench.observe", stage=("19", "16", "22")))
