# SPDX-License-Identifier: BSD-3-Clause
"""--distinct-times: no two records of a location share a time, and a reader that loses the order of those that do gets
the same times of regions as one that keeps it. One CTest test runs all of it, on two stages.

    tests/run e2e.distinct --build BUILD --runtimes DIR
"""
import collections
import os
import shutil
import sys

from harness import main
from harness.facts import Facts

# Ties of all kinds; of one callback's records above all.
PROGRAMS = ("ties", "tasks_untied", "parallel_nested", "doacross", "start_paused", "end_kill")
STAGES = ("19", "16")


class Profile(Facts):
    """The exclusive time of each region on each location, as a reader has it that sorts all events by time, and those of
    one time as chance has it."""

    def __init__(self, chance):
        super().__init__()
        self._chance = chance
        self._records = []
        self.shared = 0   # records that have the time of the one before on their location
        self._last = {}

    def __call__(self, location, event):
        super().__call__(location, event)
        self.shared += self._last.get(location) == event.time
        self._last[location] = event.time
        kind = type(event).__name__
        if kind in ("Enter", "Leave"):
            self._records.append((event.time, location._ref, kind == "Enter", event.region._ref))

    def _sum(self, records):
        """{(location, region): exclusive time}; what is left without having been entered counts as such."""
        times, stacks = collections.Counter(), collections.defaultdict(list)
        for time, location, enters, region in records:
            stack = stacks[location]
            if stack:
                times[location, stack[-1][0]] += time - stack[-1][1]
                stack[-1][1] = time
            if enters:
                stack.append([region, time])
            elif not stack or stack.pop()[0] != region:
                times[location, "lost"] += 1
            if stack:
                stack[-1][1] = time
        return times

    def kept(self):
        return self._sum(self._records)

    def lost(self):
        records = list(self._records)
        self._chance.shuffle(records)
        return self._sum(sorted(records, key=lambda record: record[0]))


def trace(test, program, distinct):
    name = f"{os.path.basename(program)}.{'distinct' if distinct else 'shared'}"
    test.run(name, [test.omptape, "-q", *(["--distinct-times"] if distinct else []), "-o", "out", program],
             test.environment(OMP_MAX_ACTIVE_LEVELS="3"))
    facts = test.verify_archive(name, test.path(name, "out", "traces.otf2"), Profile(test.random))
    return name, facts


def distinct_times(test):
    shared = lost = 0
    for source in PROGRAMS:
        program = test.compile("programs", source + ".c")
        _, facts = trace(test, program, False)
        shared += facts.shared
        lost += facts.kept() != facts.lost()
        name, facts = trace(test, program, True)
        test.expect(f"{name}: DISTINCT_TIMES", 1, facts.number("DISTINCT_TIMES"))
        test.expect(f"{name}: records that share a time", 0, facts.shared)
        if facts.kept() != facts.lost():
            test.fail(f"{name}: the profile depends on the order of equal times")
    # Else nothing was tried here.
    if not shared or not lost:
        test.fail(f"without the option {shared} records share a time, and {lost} profiles depend on their order")
    unified(test)


def unified(test):
    """Of archives with distinct times, as one: it has them, too."""
    for number, source in enumerate(PROGRAMS[:2]):
        shutil.copytree(test.path(f"{source}.distinct", "out"), test.path("parts", f"part-{number}"))
    done = test.command("unify", "-q", test.path("parts"))
    test.expect("omptape unify", (0, ""), (done.returncode, done.stdout))
    facts = test.verify_archive("unified", test.path("parts", "traces.otf2"), Profile(test.random))
    test.expect("unified: DISTINCT_TIMES", 1, facts.number("DISTINCT_TIMES"))
    test.expect("unified: records that share a time", 0, facts.shared)


if __name__ == "__main__":
    sys.exit(main(__doc__, distinct_times, "e2e.distinct", stages=STAGES))
