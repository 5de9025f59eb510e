# SPDX-License-Identifier: BSD-3-Clause
"""Context switches (switches.c): each sleep of a thread is a time without a processor in the archive, from when it begins
to when it ends. A thread that also waits for a processor about then is away for longer: that interval is not compared.

    tests/run e2e.switches --build BUILD --runtimes DIR
"""
import sys

from otf2 import events as ev

from harness import Missing, main

SLEEP = 0.01
# Of the wall clock, which is adjusted while the program runs.
ERROR = 100e-6
# A thread that waits for a processor for longer about a sleep is no proof of when the sleep begins and ends: ns.
DISTURBED = 50000
# What the writer believes of one recorded switch, ns, and how many the threads that take turns may have.
LONGEST = 12000
MOST = 200000


class Blocked:
    """An observer of the checker: when threads neither ran nor waited for a processor, begin and end, and the first
    reading of each: s of the wall clock."""

    def __init__(self):
        self.known = None
        self.first = {}
        self.intervals = []
        self._readings = {}

    def __call__(self, location, event):
        if isinstance(event, ev.Metric) and event.metric.members[0].name == "processor time":
            self._readings.setdefault(location.name, []).append((event.time, sum(list(event.values)[:2])))

    def archive(self, archive):
        self.known = archive.value("SWITCHES")
        clock = archive.definitions.clock_properties
        zero = archive.realtime() / 1e9

        def seconds(ticks):
            return (ticks - clock.global_offset) / clock.timer_resolution

        for location, readings in self._readings.items():
            self.first[location] = zero + seconds(readings[0][0])
            open_since = None
            for before, after in zip(readings, readings[1:] + [None]):
                begin, end = seconds(before[0]), seconds(after[0]) if after else 0
                if after and end - begin - (after[1] - before[1]) / 1e9 > (end - begin) / 2:
                    open_since = begin if open_since is None else open_since
                    continue
                if open_since is not None and begin - open_since > SLEEP / 2:
                    self.intervals.append((zero + open_since, zero + begin))
                open_since = None


class Cost:
    """An observer of the checker: what the kernel took to record context switches."""

    def __init__(self):
        self.ns = None

    def __call__(self, location, event):
        pass

    def archive(self, archive):
        self.ns = archive.value("SWITCH_TIME")


def hold_cost(test, program):
    """It is unknown where others had the processor, and else not more than the writer believes."""
    for attempt in ("turns", "again", "once-more"):
        turns = test.run(attempt, [test.omptape, "-q", "-o", "out", program, "turns"])
        test.expect(f"{attempt}: exit code", 0, turns.code)
        cost = test.verify_archive(attempt, test.path(attempt, "out", "traces.otf2"), Cost())
        if cost.ns is None:
            continue
        if not 0 < int(cost.ns) <= MOST * LONGEST:
            test.fail(f"recording 160,000 context switches took {cost.ns} ns")
        return
    print("the machine is too busy to measure what recording context switches costs")


def check_sleeps(test, program, seconds):
    """What is not as the program says, which begins to sleep after so many seconds."""
    # A thread that waits for the other one at the end does not sleep.
    ended = test.run("traced", [test.omptape, "-q", "-o", "out", "--force", program, seconds], test.environment(KMP_BLOCKTIME="infinite"))
    seen = test.verify_archive("traced", test.path("traced", "out", "traces.otf2"), Blocked())
    if seen.known is None:
        raise Missing("the kernel records no context switches for this user")
    slept = [tuple(map(float, line.split())) for line in ended.out.splitlines()]
    # Before that the writer had not begun to look.
    known = [sleep for sleep in slept if sleep[0] > max(seen.first.values(), default=float("inf"))]
    if len(known) < len(slept) / 2:
        return [f"{len(known)} of {len(slept)} sleeps are after the first reading"]
    lacking = []
    for begin, end, waited in known:
        if waited <= DISTURBED and not any(begin - ERROR <= first and last <= end + ERROR for first, last in seen.intervals):
            lacking.append(f"a sleep of {end - begin:.6f} s at {begin:.6f} is not in the archive")
    # Before the first sleep the program waits for its writer to begin, and behind the last one for its output.
    begun, over = min(begin for begin, _, _ in slept), max(end for _, end, _ in slept)
    for first, last in seen.intervals:
        if begun < last and first < over and not any(begin - ERROR <= first and last <= end + ERROR or waited > DISTURBED and first < end and begin < last
                   for begin, end, waited in slept):
            lacking.append(f"the archive has {last - first:.6f} s without a processor at {first:.6f} in which nobody slept")
    return lacking


def test_switches(test):
    program = test.compile("e2e", "switches.c")
    # The host of a virtual machine may take a processor away, which looks like a sleep: not in each run.
    test.try_longer(("0.6", "2", "10"), lambda seconds: check_sleeps(test, program, seconds))
    hold_cost(test, program)


if __name__ == "__main__":
    sys.exit(main("Context switches.", test_switches, "switches", stage="19"))
