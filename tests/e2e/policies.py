# SPDX-License-Identifier: BSD-3-Clause
"""What becomes of records for which the smallest pool has no room, by --when-full: nothing is lost (wait), all that is
lost is counted (drop), the newest are kept (overwrite). Each CTest test is one of the functions below:

    tests/run e2e.policies --build BUILD --runtimes DIR NAME
"""
import glob
import os
import signal
import sys
import time

from e2e.flooding import LAST, POOL, RECORD, Flood
from harness import counts, main

# Shape -> for each number of threads how much of it makes about 60,000 records; the pool holds up to 40,000.
SHAPES = {
    "tasks": {1: 6000, 2: 6000, 4: 6000, 8: 6000},
    "mix": {1: 1000, 2: 650, 4: 420, 8: 250},
    "criticals": {1: 20000},
    "untied": {1: 3300, 2: 3300, 4: 3300, 8: 3300},
    "nested": {2: 4000, 4: 1500, 8: 800},
    "churn": {4: 100},
}
STAGES = ("19", "14")
STALLED = 0.3   # seconds without a callback: a program that has filled the pool waits
RAN = 10000000  # ns: a thread that had a processor for so long would have caused one


def cases(stage):
    """(shape, threads, amount, whether it is looked at thoroughly). That is one number of threads for each shape, on one
    of the stages, since it takes seconds; on the second stage there is one number of threads for each shape."""
    second = STAGES.index(stage)
    for number, (shape, amounts) in enumerate(SHAPES.items()):
        for place, (threads, amount) in enumerate(amounts.items()):
            chosen = (place + second) % len(amounts) == number % len(amounts)
            if chosen or not second:
                yield shape, threads, amount, chosen and number % 2 == second


def threads_that_ran(pid):
    """Thread -> (whether it could run, for how many ns it did)."""
    found = {}
    for folder in glob.glob(f"/proc/{pid}/task/*"):
        try:
            with open(f"{folder}/stat", encoding="utf-8", errors="replace") as file:
                runnable = file.read().rpartition(")")[2].split()[0] == "R"
            with open(f"{folder}/schedstat", encoding="utf-8") as file:
                found[folder] = (runnable, int(file.read().split()[0]))
        except (OSError, IndexError):
            continue
    return found


def await_stall(flood, run, timeout=30):
    """Until the program waits for its writer, which stands still: no callback comes, though each thread sleeps or has had a
    processor. On a busy machine it may take long to come there."""
    deadline = time.monotonic() + timeout
    before, since, ran = 0, time.monotonic(), {}
    while time.monotonic() < deadline and run.process.poll() is None:
        now, threads = flood.callbacks(run)[1], threads_that_ran(run.process.pid)
        if now != before or now < POOL // RECORD // 2:
            before, since, ran = now, time.monotonic(), threads
        elif time.monotonic() - since > STALLED and all(
                not runnable or time_ran - ran.get(thread, (True, 0))[1] > RAN
                for thread, (runnable, time_ran) in threads.items()):
            return
        time.sleep(0.02)  # between two looks


def wait(flood):
    """Nothing is lost, though the writer stands still for a while and the pool is full."""
    for shape, threads, amount, thorough in cases(flood.stage):
        name = f"{shape} {threads}"
        run = flood.start_flood(name, [shape, threads, amount, 1], "wait")
        run.await_part()
        writer = run.writer()
        os.kill(writer, signal.SIGSTOP)
        run.go()
        await_stall(flood, run)
        if run.process.poll() is not None:
            flood.fail(f"{name}: the program did not wait for its writer")
        os.kill(writer, signal.SIGCONT)
        flood.finish_flood(name, run, said=b"done\n")
        facts = flood.check_flood(name, os.path.join(run.output, "traces.otf2"), thorough)
        counted, callbacks = flood.callbacks(run)
        flood.expect(f"{name}: records", callbacks, facts.number("RECORDS"))
        flood.expect(f"{name}: dropped", 0, facts.number("DROPPED"))
        if facts.number("STALLED") == 0:
            flood.fail(f"{name}: no time was spent waiting")
        if thorough:
            for problem in counts.compare(counted, facts):
                flood.fail(f"{name}: {problem}")


def drop_case(flood, case, stopped):
    """The program goes on without waiting; what is recorded and what is dropped is what happened. It floods in parts,
    in each of which the writer stands still or runs; at last it stands still until the program has ended."""
    shape, threads, amount, thorough = case
    name = f"{shape} {threads}"
    run = flood.start_flood(name, [shape, threads, amount, len(stopped)], "drop")
    for stop in stopped:
        run.await_part()
        os.kill(run.writer(), signal.SIGSTOP if stop else signal.SIGCONT)
        run.go()
    if run.process.stdout.readline() != b"done\n":
        flood.fail(f"{name}: the program waits for its writer")
    os.kill(run.writer(), signal.SIGCONT)
    flood.finish_flood(name, run, said=b"")
    facts = flood.check_flood(name, os.path.join(run.output, "traces.otf2"), thorough)
    flood.expect(f"{name}: recorded and dropped", flood.callbacks(run)[1],
                 facts.number("RECORDS") + facts.number("DROPPED"))
    flood.expect(f"{name}: dropped by threads", facts.number("DROPPED") - facts.number("DROPPED_OUTSIDE"),
                 facts.dropped)
    flood.expect(f"{name}: in marked gaps", facts.dropped, facts.marked)
    if facts.number("DROPPED") == 0:
        flood.fail(f"{name}: nothing was dropped")


def drop(flood):
    """The writer stands still, runs, and stands still again."""
    for case in cases(flood.stage):
        drop_case(flood, case, (True, False, True))


def drop_ends(flood):
    """The writer stands still all the time: nearly every thread loses its end, while others still tell of its team."""
    for *case, thorough in cases(flood.stage):
        if thorough:
            drop_case(flood, (*case, True), (True,))


def overwrite(flood):
    """The archive holds the newest events, as many as the pool takes."""
    for shape, threads, amount, thorough in cases(flood.stage):
        name = f"{shape} {threads}"
        run = flood.start_flood(name, [shape, threads, amount * 2], "overwrite")
        flood.finish_flood(name, run)
        facts = flood.check_flood(name, os.path.join(run.output, "traces.otf2"), thorough)
        flood.expect(f"{name}: records", flood.callbacks(run)[1], facts.number("RECORDS") + facts.number("FORGOTTEN"))
        flood.expect(f"{name}: dropped", 0, facts.number("DROPPED"))
        if facts.number("RECORDS") < POOL // RECORD // 2:
            flood.fail(f"{name}: only {facts.number('RECORDS')} records were kept")
        if facts.number("FORGOTTEN") == 0:
            flood.fail(f"{name}: nothing was overwritten")
        if thorough:
            flood.expect(f"{name}: newest", LAST, facts.kinds["masked"])


if __name__ == "__main__":
    sys.exit(main("What becomes of records for which there is no room.",
                  {test.__name__: test for test in (wait, drop, drop_ends, overwrite)}, "policy", Flood, stages=STAGES))
