# SPDX-License-Identifier: BSD-3-Clause
"""Many threads at once, many threads in turn, and (--soak, not part of CTest) 200,000 threads and a hundred million events:
nothing is lost, and memory and archives grow by the pool and by living threads.

    tests/run e2e.scale --build BUILD --runtimes DIR [--soak]
"""
import json
import os
import re
import signal
import sys
import threading
import time

from e2e.flooding import POOL, Flood
from harness import arguments, counts, main

CHUNK = 32 << 10
OTHER = 4 << 20  # what the two processes share beside chunks
MIB = 1 << 20
AT_ONCE = (1, 64, 512, 4500)  # the last hold more chunks than the pool has
JUDGED = 512  # the checker in Python takes half a minute for the last
STEPS = 1
IN_TURN = 5000
OWN_LOCATIONS = 4096  # OMPTAPE_OWN_LOCATIONS: later threads share
# More than fits into definitions of a location each: a group of 38,000, a profile of 98,000.
SHARING = {"": 45000}
SHARING_SOAK = {"": 200000, "profile": 200000}
SHARING_WRITER = 200 << 20
SOAK_POOL = 16 << 20
SOAK_LEAVES = 10000000  # of a tree of tasks: ten events each
SOAK_WRITER = 256 << 20


def memory(pid, key):
    """One of the figures of /proc/PID/status, in bytes; 0: the process is gone."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            for line in file:
                if line.startswith(key + ":"):
                    return int(line.split()[1]) << 10
    except OSError:
        pass
    return 0


class Highest(threading.Thread):
    """Samples the shared memory of the program and the writer's resident memory while they run. Hinders the writer, if
    asked to: stops it half of the time."""

    def __init__(self, program, writer, hinder):
        super().__init__(daemon=True)
        self._program = program
        self._writer = writer
        self._hinder = hinder
        self.shared = 0
        self.writer = 0
        self.start()

    def run(self):
        while memory(self._writer, "VmHWM"):
            self.shared = max(self.shared, memory(self._program, "RssShmem"))
            self.writer = max(self.writer, memory(self._writer, "VmHWM"))
            if self._hinder and memory(self._program, "VmRSS"):
                os.kill(self._writer, signal.SIGSTOP)
                time.sleep(0.05)  # half of the time
                os.kill(self._writer, signal.SIGCONT)
            time.sleep(0.05)  # between two looks


def bounded(flood, name, what, found, most):
    if not 0 < found <= most:
        flood.fail(f"{name}: {what}: {found / MIB:.1f} MiB, {most / MIB:.1f} at most")


def nothing_lost(flood, name, run, facts):
    flood.expect(f"{name}: records", flood.callbacks(run)[1], facts.number("RECORDS"))
    flood.expect(f"{name}: dropped", 0, facts.number("DROPPED"))


def at_once(flood):
    """One team of so many threads, on however few cores."""
    for threads in AT_ONCE:
        name = f"{threads} threads"
        run = flood.start_flood(name, ["mix", threads, STEPS, 2], "wait", OMP_WAIT_POLICY="passive")
        run.await_part()
        run.go()
        run.await_part()
        bounded(flood, name, "shared memory", memory(run.process.pid, "RssShmem"),
                POOL + 1.25 * threads * CHUNK + OTHER)
        run.go()
        flood.finish_flood(name, run, timeout=300)
        facts = flood.check_flood(name, os.path.join(run.output, "traces.otf2"), threads <= JUDGED)
        nothing_lost(flood, name, run, facts)
        flood.expect(f"{name}: threads", threads, facts.threads)
        for problem in counts.compare(flood.callbacks(run)[0], facts) if threads <= JUDGED else ():
            flood.fail(f"{name}: {problem}")


def in_turn(flood):
    """Threads that come and go, one at a time: the dead ones cost no memory, whatever the policy."""
    for policy in ("wait", "overwrite"):
        name = f"in turn, {policy}"
        run = flood.start_flood(name, ["turns", 1, IN_TURN - 1, 2], policy)
        run.await_part()
        run.go()
        run.await_part()
        shared = memory(run.process.pid, "RssShmem")
        run.process.kill()
        # A page each would be 20 MiB, a chunk each 150.
        bounded(flood, name, "shared memory", shared, POOL + 10 * MIB)
        print(f"{name}: shared memory {shared / MIB:.1f} MiB")
        flood.finish_flood(name, run, said=b"", code=128 + signal.SIGKILL)
        facts = flood.check_flood(name, os.path.join(run.output, "traces.otf2"), policy == "wait")
        flood.expect(f"{name}: records", flood.callbacks(run)[1], facts.number("RECORDS") + facts.number("FORGOTTEN"))
        flood.expect(f"{name}: threads", IN_TURN, facts.number("THREADS"))
        flood.expect(f"{name}: their locations", OWN_LOCATIONS + 1, facts.threads)
        if policy == "wait":
            nothing_lost(flood, name, run, facts)


def sharing(flood, modes):
    """So many threads in turn that the definitions of as many locations would fit nowhere."""
    for mode, count in modes.items():
        name = f"sharing {mode}".strip()
        run = flood.start_flood(name, ["turns", 1, count - 1, 1], "wait", **({"OMPTAPE_PROFILE": "1"} if mode else {}))
        run.await_part()
        highest = Highest(run.process.pid, run.writer(), False)
        run.go()
        flood.finish_flood(name, run, timeout=300)
        highest.join()
        facts = flood.check_flood(name, os.path.join(run.output, "traces.otf2"), False)
        print(f"{name}: the writer's memory {highest.writer / MIB:.1f} MiB at most")
        bounded(flood, name, "the writer's memory", highest.writer, SHARING_WRITER)
        nothing_lost(flood, name, run, facts)
        flood.expect(f"{name}: threads", count, facts.number("THREADS"))
        flood.expect(f"{name}: their locations", OWN_LOCATIONS + 1, facts.threads)
        named_by_report(flood, name, run.output, count)


def named_by_report(flood, name, archive, count):
    """The report's rows of threads name all of them: the one of a shared location says how many more there were."""
    flood.command("report", "--json", flood.path("report.json"), archive)
    with open(flood.path("report.json"), encoding="utf-8") as file:
        rows = [re.fullmatch(r".* thread(?: \d+)?(?: and (\d+) more)?", row["name"]) for row in json.load(file)["threads_list"]]
    flood.expect(f"{name}: threads in the report", count, sum(1 + int(row[1] or 0) for row in rows))


def without_buffers(flood):
    """More threads in turn than there are chunks while the writer stands still: what those did for which there was none
    is counted, too."""
    name = "without buffers"
    run = flood.start_flood(name, ["turns", 1, IN_TURN, 2], "drop")
    run.await_part()
    os.kill(run.writer(), signal.SIGSTOP)
    run.go()
    run.await_part()
    os.kill(run.writer(), signal.SIGCONT)
    run.go()
    flood.finish_flood(name, run)
    facts = flood.check_flood(name, os.path.join(run.output, "traces.otf2"), False)
    flood.expect(f"{name}: recorded and dropped", flood.callbacks(run)[1], facts.number("RECORDS") + facts.number("DROPPED"))
    flood.expect(f"{name}: in marked gaps", facts.dropped, facts.marked)
    if facts.number("DROPPED") <= facts.dropped:
        flood.fail(f"{name}: every thread had a buffer")


def soak(flood, policies=("wait", "drop")):
    """A hundred million events through a pool of 16 MiB."""
    for policy in policies:
        name = f"soak, {policy}"
        run = flood.start_flood(name, ["tasks", 8, SOAK_LEAVES, 1], policy, "16M")
        run.await_part()
        highest = Highest(run.process.pid, run.writer(), policy == "drop")
        run.go()
        flood.finish_flood(name, run, timeout=1800)
        highest.join()
        facts = flood.check_flood(name, os.path.join(run.output, "traces.otf2"), False)
        print(f"{name}: shared memory {highest.shared / MIB:.1f} MiB, the writer's {highest.writer / MIB:.1f} MiB at most")
        flood.expect(f"{name}: records", flood.callbacks(run)[1], facts.number("RECORDS") + facts.number("DROPPED"))
        if policy == "wait":
            nothing_lost(flood, name, run, facts)
        elif facts.number("DROPPED") == 0:
            flood.fail(f"{name}: nothing was dropped")
        bounded(flood, name, "shared memory", highest.shared, SOAK_POOL + 8 * CHUNK + OTHER)
        bounded(flood, name, "the writer's memory", highest.writer, SOAK_WRITER)


def test(flood):
    if flood.options.soak:
        sharing(flood, SHARING_SOAK)
        soak(flood)
        return
    sharing(flood, SHARING)
    for one in (at_once, in_turn, without_buffers):
        one(flood)


if __name__ == "__main__":
    own = arguments("Large numbers of threads and events.")
    own.add_argument("--soak", action="store_true", help="200,000 threads, a hundred million events")
    sys.exit(main("", test, "scale", Flood, "19", parser=own))
