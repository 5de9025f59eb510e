# SPDX-License-Identifier: BSD-3-Clause
"""Flushes again and again (flushes.c): a long row of them is one visit that says how many they were; short ones, and those
between which somebody works, are recorded one by one; none is lost. And who only asks a flag so waits.

    tests/run e2e.flushes --build BUILD --runtimes DIR
"""
import json
import signal
import sys

from otf2 import events as ev
from otf2.enums import RegionRole

from harness import Test, main, source_of

ALONE = 50000  # of a thread, that are recorded one by one in any case


class Flushes:
    """An observer of the checker: how many visits there were, and how many flushes these say they are."""

    def __init__(self):
        self.visits = self.flushes = 0

    def archive(self, archive):
        """All is in the events."""

    def __call__(self, location, event):
        if isinstance(event, ev.Leave) and event.region.region_role == RegionRole.FLUSH:
            self.visits += 1
            self.flushes += {key.name: value for key, value in (event.attributes or {}).items()}.get("calls", 1)


def traced(test, program, way):
    ended = test.run(way, [test.omptape, "-q", "--force", "-o", "out", "--", program, way])
    test.expect(f"{way}: exit code", 128 + signal.SIGKILL if way == "killed" else 0, ended.code)
    seen = test.verify_archive(way, test.path(way, "out", "traces.otf2"), Flushes())
    test.expect(f"{way}: flushes", int(ended.out), seen.flushes)
    return seen


def line_of(mark):
    with open(source_of("e2e", "flushes.c"), encoding="ascii") as file:
        return next(number for number, text in enumerate(file, 1) if mark in text)


def test_flushes(test):
    program = test.compile("e2e", "flushes.c")
    for way in ("few", "work", "turns"):
        seen = traced(test, program, way)
        test.expect(f"{way}: visits", seen.flushes, seen.visits)
    for way in ("dense", "killed", "wait"):
        seen = traced(test, program, way)
        # Rows that others interrupt begin anew.
        if not ALONE < seen.visits < (ALONE + seen.flushes) // 2:
            test.fail(f"{way}: {seen.visits} visits for {seen.flushes} flushes")
    test.try_undisturbed(lambda: check_wait(test, program))


def check_wait(test, program):
    """Returns whether others had the processors: then there is another run for the next attempt."""
    test.command("report", "--json", test.path("report.json"), test.path("wait", "out"))
    with open(test.path("report.json"), encoding="utf-8") as file:
        report = json.load(file)
    found = [(one["kind"], one["line"]) for one in report["findings"] if one["kind"] != "preemption"]
    test.expect("wait: what costs most", ("lock", line_of("/* @asked */")), found[0] if found else None)
    disturbed = any(text.startswith("all times below are inflated") for text in report["warnings"])
    if disturbed:
        traced(test, program, "wait")
    return disturbed


if __name__ == "__main__":
    sys.exit(main("Flushes in a row.", test_flushes, "flushes", stage="19"))
