# SPDX-License-Identifier: BSD-3-Clause
"""Tests of a lock again and again (lock_polls.c): a long row that fails is one visit that says how many they were, until
the lock is acquired; short rows, and those in which a thread works or tests several locks, are recorded one by one.

    tests/run e2e.lock_polls --build BUILD --runtimes DIR
"""
import sys

from otf2 import events as ev

from harness import main

ALONE = 5000  # of a thread, that are recorded one by one in any case


class Polls:
    """An observer of the checker: how many visits there were, how many tests these say they are, and acquisitions."""

    def __init__(self):
        self.visits = self.tests = self.acquired = 0

    def archive(self, archive):
        """All is in the events."""

    def __call__(self, location, event):
        if isinstance(event, ev.Leave) and event.region.name.startswith("omp_test_lock"):
            self.visits += 1
            self.tests += {key.name: value for key, value in (event.attributes or {}).items()}.get("calls", 1)
        self.acquired += isinstance(event, ev.ThreadAcquireLock)


def traced(test, program, way):
    ended = test.run(way, [test.omptape, "-q", "-o", "out", "--", program, way])
    test.expect(f"{way}: exit code", 0, ended.code)
    seen = test.verify_archive(way, test.path(way, "out", "traces.otf2"), Polls())
    test.expect(f"{way}: tests", int(ended.out), seen.tests)
    test.expect(f"{way}: acquisitions", 3 if way == "turns" else 2, seen.acquired)
    return seen


def test_polls(test):
    program = test.compile("e2e", "lock_polls.c")
    for way in ("few", "work", "turns"):
        seen = traced(test, program, way)
        test.expect(f"{way}: visits", seen.tests, seen.visits)
    seen = traced(test, program, "dense")
    # Rows that others interrupt begin anew.
    if not ALONE < seen.visits < (ALONE + seen.tests) // 2:
        test.fail(f"dense: {seen.visits} visits for {seen.tests} tests")


if __name__ == "__main__":
    sys.exit(main("Tests of a lock in a row.", test_polls, "lock_polls", stages=("19", "gomp")))
