# SPDX-License-Identifier: BSD-3-Clause
"""Archives in good order whose numbers are as large or as small as they can be: clocks of any resolution, times up to the
last tick, counters that jump. Mutations seldom get there, for a changed time is mostly no later than the one before. Each
must be read to its end, or refused, as fuzz.py demands.

    tests/run fuzz.extremes --build BUILD --runtimes DIR --command OMPTAPE
"""
import glob
import itertools
import os
import sys

import _otf2
import otf2.events as ev
from otf2.enums import Base, InterruptGeneratorMode, Paradigm, RegionRole

from checker.selftest import Script
from faults.fault import Fault
from fuzz import fuzz
from harness import arguments, main

MAX_UINT64 = (1 << 64) - 1
SECOND = 10**9
DEEP = 60000
BEGIN, END = 100, 200  # of the archive that is stretched
# Ticks in a second, the first time, and ticks for each of its own.
CLOCKS = {"day": (SECOND, 0, 1 << 40), "whole": (SECOND, 1, MAX_UINT64 // 256), "last": (SECOND, MAX_UINT64 - 256, 1),
          "slow": (1, 0, MAX_UINT64 // 256), "slow last": (1, MAX_UINT64 - 256, 1), "fast": (MAX_UINT64, 0, 1), "fast whole": (MAX_UINT64, 0, MAX_UINT64 // 256),
          "odd": ((1 << 63) + 1, 1 << 63, (1 << 55) + 1), "none": (0, 0, 1000), "still": (SECOND, 5, 0)}
# Of processor time and of waiting for a processor, in turn.
READINGS = {"large": ((0, 0), (MAX_UINT64, MAX_UINT64)), "back": ((MAX_UINT64, MAX_UINT64), (0, 0)), "few": ((0, MAX_UINT64 - 1), (1, MAX_UINT64))}
COMMANDS = (["info"], ["info", "--sizes"], ["report", "--all"], ["report", "--csv=-"], ["report", "--json=-"], ["report", "--svg=-"],
            ["report", "--html=-"], ["report", "--html=-", "--from=1ns", "--to=99999999999"], ["report", "--part=0/2"],
            ["compare", "victim"], ["whatif"], ["check", "--all"], ["export", "--csv", "made"], ["export", "--perfetto", "made"],
            ["export", "--sqlite", "made.db"], ["export", "--csv", "made", "--instances"],
            ["export", "--perfetto", "made", "--from=1ns", "--min-duration=1ns"])


def write(folder, clock, readings):
    resolution, first, ticks = clock
    script = Script(folder, resolution)
    number = script.where(1, ev.Metric)
    script.events[1][number:number + 1] = [ev.Metric(155 + i, script.sched, list(two)) for i, two in enumerate(readings)]
    for events in script.events:
        events.sort(key=lambda event: event.time)
        for event in events:
            event.time = min(MAX_UINT64 - 1, first + (event.time - BEGIN) * ticks)
    script.write()


def write_cycle(folder):
    """A function that is its own caller, with the name of a mark (src/analysis/phases.c), in steps that have samples."""
    script = Script(folder)
    definitions = script.archive.definitions
    mark = script.program_region("[blocked]", "[blocked]", RegionRole.FUNCTION, Paradigm.SAMPLING)
    step = script.program_region("step", "step", RegionRole.CODE, Paradigm.USER)
    place = definitions.source_code_location("/src/a.c", 3)
    clock = definitions.interrupt_generator("clock", InterruptGeneratorMode.TIME, Base.DECIMAL, -9, 5)
    context = definitions.calling_context(mark, place, None)
    itself = context._ref + 1
    _otf2.GlobalDefWriter_WriteCallingContext(_otf2.Archive_GetGlobalDefWriter(script.archive._handle), itself, mark._ref,
                                              place._ref, itself)
    context._ref = itself
    begin, end = script.where(0, ev.ThreadFork), script.where(0, ev.ThreadJoin) + 1
    script.events[0][end:end] = [ev.Leave(190, step)]
    script.events[0][begin:begin] = [ev.Enter(110, step)]
    for location, time in ((0, 132), (1, 137)):
        released = script.where(location, ev.ThreadReleaseLock) + 2
        script.events[location][released:released] = [ev.CallingContextSample(time, context, 2, clock)] * 3
    script.write()


def write_deep(folder):
    """Critical sections in each other, as many ends of one that was not entered, and a lock taken again and again inside."""
    script = Script(folder)
    other = script.region("critical", RegionRole.CRITICAL, 8)
    end = script.where(0, ev.ThreadJoin) + 1
    script.events[0][end:end] = ([ev.Enter(190, script.critical) for _ in range(DEEP)] + [ev.Leave(190, other) for _ in range(DEEP)]
                                 + [one(190, other) for _ in range(DEEP) for one in (ev.Enter, ev.Leave)])
    script.write()


def check_place(fault, place, what):
    for words in COMMANDS:
        outcome = fuzz.run([fault.options.command, *words, "victim"], place)
        for problem in fuzz.find_problems(outcome, words)[0]:
            fault.fail(f"{what}: {' '.join(words)}: {problem}")
        for report in glob.glob(os.path.join(place, fuzz.REPORT + ".*")):
            os.remove(report)


def one(fault, clock, said):
    place = fault.path(f"{clock}.{said}")
    os.mkdir(place)
    write(os.path.join(place, "victim"), CLOCKS[clock], READINGS[said])
    check_place(fault, place, f"clock {clock}, counters {said}")


def test(fault):
    """Each clock, and each of the counters with one of them. Definitions that are a circle."""
    cases = {*zip(CLOCKS, itertools.cycle(READINGS)), *zip(itertools.repeat("day"), READINGS)}
    for clock, said in sorted(cases):
        one(fault, clock, said)
    place = fault.path("cycle")
    os.mkdir(place)
    write_cycle(os.path.join(place, "victim"))
    check_place(fault, place, "a function that calls itself")
    place = fault.path("deep")
    os.mkdir(place)
    write_deep(os.path.join(place, "victim"))
    check_place(fault, place, "regions in each other")


if __name__ == "__main__":
    own = arguments("Numbers at their limits.")
    own.add_argument("--command", type=os.path.abspath, required=True)
    sys.exit(main("", test, "fuzz.extremes", Fault, ("19", "14"), parser=own))
