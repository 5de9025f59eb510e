# SPDX-License-Identifier: BSD-3-Clause
"""Doacross loops with many small iterations (doacross_rows.c): a long row of their dependences is one visit of `ordered`
that says how many they were; short rows, and iterations that work, are recorded one by one; none is lost.

    tests/run e2e.doacross_rows --build BUILD --runtimes DIR
"""
import sys

from otf2 import events as ev
from otf2.enums import RegionRole

from harness import Test, main

DIMENSIONS = 2
ALONE = 2 * 5000  # of two threads, that are recorded one by one in any case


class Dependences:
    """An observer of the checker: how many dependences stand by themselves, and how many do the rows say they are."""

    def __init__(self):
        self.parameters = self.rows = self.calls = 0

    def archive(self, archive):
        """All is in the events."""

    def __call__(self, location, event):
        if isinstance(event, ev.ParameterInt) and event.parameter.name in ("depend sink", "depend source"):
            self.parameters += 1
        elif isinstance(event, ev.Leave) and event.region.region_role == RegionRole.ORDERED:
            self.rows += 1
            self.calls += {key.name: value for key, value in (event.attributes or {}).items()}["calls"]


def traced(test, program, way):
    ended = test.run(way, [test.omptape, "-q", "-o", "out", "--", program, way])
    test.expect(f"{way}: exit code", 0, ended.code)
    seen = test.verify_archive(way, test.path(way, "out", "traces.otf2"), Dependences())
    # Where an iteration depends on one that is none, clang's programs call the runtime, too, which does not tell the tool.
    test.expect(f"{way}: dependences", int(ended.out), seen.parameters // DIMENSIONS + seen.calls)
    test.command("check", test.path(way, "out"))
    return seen


def test_rows(test):
    program = test.compile("e2e", "doacross_rows.c")
    for way in ("few", "work"):
        seen = traced(test, program, way)
        if way == "work":
            test.expect("work: rows", 0, seen.rows)
    seen = traced(test, program, "dense")
    alone = seen.parameters // DIMENSIONS
    # Threads that wait for a processor begin rows anew.
    if not (seen.rows > 0 and ALONE <= alone < (alone + seen.calls) * 3 // 4):
        test.fail(f"dense: {alone} by themselves, {seen.rows} rows of {seen.calls}")


if __name__ == "__main__":
    sys.exit(main("Dependences of doacross loops in a row.", test_rows, "doacross_rows", stages=("19", "gomp")))
