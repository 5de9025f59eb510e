# SPDX-License-Identifier: BSD-3-Clause
"""What `omptape unify`, `info`, `report`, `check` and `export` do grows no faster than the archive: their own instructions are counted, not
time, and not what libotf2 does, which goes through lists.

    tests/run e2e.growth --build BUILD --runtimes DIR
"""
import glob
import os
import re
import shutil
import sys

from bench.scale import write_offsets
from harness import Missing, main

PROCESSES = (5, 25, 50)
THREADS = (20, 100, 200)
MOST = 1.15  # times what one more costs among few; n * n would be 2.5
_OBJECT = re.compile(r"(c?)ob=\((\d+)\)(?: (.*))?")


def own_instructions(path, binary):
    """Of one of callgrind's files: those in the functions of `binary` itself. A line of costs follows each line of a
    call, and is the callee's."""
    total, own, call = 0, False, False
    known = {}
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            named = _OBJECT.match(line)
            if named:
                if named[3]:
                    known[named[2]] = os.path.realpath(named[3])
                own = own if named[1] else known.get(named[2]) == binary
            elif line.startswith("calls="):
                call = True
            elif line[:1].isdigit() or line[:1] in "+-*":
                total += int(line.split()[1]) if own and not call else 0
                call = False
    return total


class Growth:
    """Counts the instructions of a command and of the processes that it forks."""

    def __init__(self, test):
        self.test = test
        self.valgrind = shutil.which("valgrind")
        if self.valgrind is None:
            raise Missing("no valgrind")

    def count(self, name, words):
        folder = self.test.path(f"{name}.counts")
        os.makedirs(folder)
        binary = self.test.built("bin", "omptape")
        done = self.test.run(name, [self.valgrind, "--tool=callgrind", f"--callgrind-out-file={folder}/%p", binary, *words],
                             timeout=120)
        self.test.expect(f"{name}: exit code", 0, done.code)
        total = sum(own_instructions(path, os.path.realpath(binary)) for path in glob.glob(os.path.join(folder, "*")))
        shutil.rmtree(folder)
        return total

    def more(self, command):
        """The words of a command that are no archive."""
        return ["--perfetto", self.test.path("exported")] if command == "export" else []

    def judge(self, name, sizes, counts):
        """What is spent on each one more, from each size to the next: what does not depend on the size is left out."""
        few, many = ((counts[i + 1] - counts[i]) / (sizes[i + 1] - sizes[i]) for i in (0, 1))
        print(f"{name}: {', '.join(f'{count:,}' for count in counts)} instructions for {', '.join(map(str, sizes))}: "
              f"times {many / few:.2f}")
        if not 0 < many <= MOST * few:
            self.test.fail(f"{name}: {many:,.0f} instructions for each from {sizes[1]} to {sizes[2]}, {few:,.0f} for each "
                           f"from {sizes[0]} to {sizes[1]}")


def processes(test):
    """Ranks with measured clocks."""
    growth = Growth(test)
    counts = {"unify": [], "info": [], "report": [], "check": [], "export": []}
    for number in PROCESSES:
        folder = test.path(f"ranks.{number}")
        test.run(f"parts.{number}", [test.built("tests", "unify", "make_parts"), folder, str(number), "1", "20", "4", "1000"])
        offsets = write_offsets(test.path(f"offsets.{number}"), number)
        for command, found in counts.items():
            more = ["--clock-offsets", offsets] if command == "unify" else growth.more(command)
            found.append(growth.count(f"{command}.{number}", [command, *more, folder]))
        shutil.rmtree(folder)
    for command, found in counts.items():
        growth.judge(f"{command} of processes", PROCESSES, found)


def threads(test):
    """Threads in turn, each with a team of its own."""
    growth = Growth(test)
    program = test.compile("bench", "programs", "threads.c", link_flags=["-lpthread"])
    counts = {"info": [], "report": [], "check": [], "export": []}
    for number in THREADS:
        name = f"threads.{number}"
        os.makedirs(test.path(name))
        folder = test.path(name, "out")
        done = test.run(name, [program, str(number), "4"],
                        # How often the kernel is asked for the threads' times depends on how long they take.
                        test.preloaded(OMPTAPE_OUTPUT=folder, OMPTAPE_QUIET="1", OMPTAPE_SCHED="off"))
        test.expect(f"{name}: exit code", 0, done.code)
        for command, found in counts.items():
            found.append(growth.count(f"{command}.{number}", [command, *growth.more(command), folder]))
        shutil.rmtree(folder)
    for command, found in counts.items():
        growth.judge(f"{command} of threads", THREADS, found)


if __name__ == "__main__":
    sys.exit(main(__doc__, {"processes": processes, "threads": threads}, "e2e.growth", stage="19"))
