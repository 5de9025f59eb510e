# SPDX-License-Identifier: BSD-3-Clause
"""What `omptape top` costs while it is open in a terminal: the processor time of the program, of its writer and of
`omptape top`, in percent of one processor, with it less without it. Windows with and without it alternate in one run of
the program. The goal is less than 0.3 % for all three together.

    tests/run bench.top --build BUILD --runtimes DIR sleep
"""
import os
import pty
import signal
import statistics
import subprocess
import sys
import threading
import time

from harness import main
from harness.processes import program_of
from harness.waiting import wait_for

ROUNDS, SECONDS = 5, 8
REST = 6  # seconds; the writer drops the sums five seconds after the last request


def drain(fd, seen):
    """What a terminal would show; `seen` is set by the first of it."""
    try:
        while os.read(fd, 65536):
            seen.set()
    except OSError:
        pass


class Looker:
    """`omptape top` in a terminal."""

    def __init__(self, test, pid):
        ours, theirs = pty.openpty()
        self.process = subprocess.Popen([test.omptape, "top", str(pid)], stdin=theirs, stdout=theirs, stderr=theirs,
                                        env=test.environment(TERM="xterm"))
        os.close(theirs)
        seen = threading.Event()
        self.fd, self.reader = ours, threading.Thread(target=drain, args=(ours, seen))
        self.reader.start()
        seen.wait(60)

    def end(self):
        os.write(self.fd, b"q")
        self.process.wait(30)
        self.reader.join()
        os.close(self.fd)


def spent(pid):
    """Processor time of a process, and of its children that have ended, s."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    children = (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")
    return time.clock_gettime(~pid << 3 | 2) + children  # as clock_getcpuclockid(3) has it


def watch(pids):
    """Percent of a processor that each of the processes takes in a window."""
    begin, before = time.monotonic(), [spent(pid) for pid in pids]
    time.sleep(SECONDS)
    wall = time.monotonic() - begin
    return [100 * (spent(pid) - was) / wall for pid, was in zip(pids, before)]


def measure(test, name, source, *arguments, **variables):
    program = test.compile("bench/programs", source)
    run = subprocess.Popen([test.omptape, "-q", "--force", "-o", test.path(name), program, *arguments],
                           env=test.environment(**variables), stdout=subprocess.DEVNULL)
    traced = wait_for("the program", lambda: program_of(run.pid, program))
    writer = test.writer(traced)
    time.sleep(1)
    rows = []
    for _ in range(ROUNDS):
        without = watch([traced, writer])
        looker = Looker(test, traced)
        time.sleep(1)
        of = watch([traced, writer, looker.process.pid])
        looker.end()
        rows.append((without, of))
        time.sleep(REST)
    os.kill(traced, signal.SIGKILL)
    run.wait()
    columns = [[one[i] - none[i] for none, one in rows] for i in (0, 1)] + [[one[2] for _, one in rows]]
    columns.append([sum(column[i] for column in columns) for i in range(ROUNDS)])
    before = " and ".join(f"{statistics.median(none[i] for none, _ in rows):.2f} %" for i in (0, 1))
    print(f"{name}: program and writer take {before} without it; more with it: " + ", ".join(
        f"{who} {statistics.median(column):.2f} % ({min(column):.2f} to {max(column):.2f})"
        for who, column in zip(("program", "writer", "top", "all"), columns)))


def sleep(test):
    """16 threads, each of which wakes 50 times a second."""
    measure(test, "sleep", "observed.c", "16", "3600", "sleep")


def steps(test):
    """A thread that begins and ends a parallel region a thousand times a second."""
    measure(test, "steps", "observed.c", "1", "3600", "regions")


def compute(test):
    """Two threads that compute in one region: samples wait for its end, and no answer may read all of them again."""
    measure(test, "compute", "observed.c", "2", "3600", "compute")


if __name__ == "__main__":
    sys.exit(main(__doc__, {"sleep": sleep, "steps": steps, "compute": compute}, "bench.top", stage=("19", "16", "22")))
