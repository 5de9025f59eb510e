# SPDX-License-Identifier: BSD-3-Clause
"""What `omptape unify`, `info`, `report`, `check`, `export` and the summary of a run do grows no faster than the archive:
instructions are counted, not time. Of processes they are the command's own; of many threads also those of libotf2 and
libc, which go through lists.

    tests/run e2e.growth --build BUILD --runtimes DIR
"""
import glob
import os
import re
import shutil
import sys

from bench.scale import write_offsets
from harness import Missing, main

PROCESSES = (5, 15, 25)
THREADS = (20, 60, 100)
MANY_THREADS = (300, 550, 800)  # more than one of libotf2's readers gets (src/archive/otf2_library.h)
MAX_THREADS = (1000, 10000, 30000)
MAX_GROWTH_OF_MANY = 1.06  # libotf2's lists made 1.13 of report's
MAX_GROWTH = 1.15  # times what one more costs among few; n * n would be 2.0
_NAMED = re.compile(r"(c?)(ob|fn)=\((\d+)\)(?: (.*))?")


def instructions(path, wanted):
    """Of one of callgrind's files: those in the functions that are wanted by their object and name. A line of costs
    follows each line of a call, and is the callee's."""
    total, call = 0, False
    known, now = {}, {"ob": "", "fn": ""}
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            named = _NAMED.match(line)
            if named:
                if named[4]:
                    known[named[2], named[3]] = os.path.realpath(named[4]) if named[2] == "ob" else named[4]
                if not named[1]:
                    now[named[2]] = known.get((named[2], named[3]), "")
            elif line.startswith("calls="):
                call = True
            elif line[:1].isdigit() or line[:1] in "+-*":
                total += int(line.split()[1]) if not call and wanted(now["ob"], now["fn"]) else 0
                call = False
    return total


def is_no_clearing(_, function):
    """All but what clears memory: libotf2 clears a whole chunk for each file, which is nearly all that it does."""
    return "memset" not in function


class Growth:
    """Counts the instructions of a command and of the processes that it forks."""

    def __init__(self, test):
        self.test = test
        self.valgrind = shutil.which("valgrind")
        if self.valgrind is None:
            raise Missing("no valgrind")

    def count(self, name, words, wanted=None, environment=None):
        folder = self.test.path(f"{name}.counts")
        os.makedirs(folder)
        binary = self.test.built("bin", "omptape")
        done = self.test.run(name, [self.valgrind, "--tool=callgrind", f"--callgrind-out-file={folder}/%p", binary, *words],
                             environment, timeout=1200)
        self.test.expect(f"{name}: exit code", 0, done.code)
        own = os.path.realpath(binary)
        total = sum(instructions(path, wanted or (lambda binary, _: binary == own))
                    for path in glob.glob(os.path.join(folder, "*")))
        shutil.rmtree(folder)
        return total

    def more(self, command):
        """The words of a command that are no archive."""
        return ["--perfetto", self.test.path("exported")] if command == "export" else []

    def expect_growth(self, name, sizes, counts, most=MAX_GROWTH):
        """What is spent on each one more, from each size to the next: what does not depend on the size is left out."""
        few, many = ((counts[i + 1] - counts[i]) / (sizes[i + 1] - sizes[i]) for i in (0, 1))
        print(f"{name}: {', '.join(f'{count:,}' for count in counts)} instructions for {', '.join(map(str, sizes))}: "
              f"times {many / few:.2f}")
        if not 0 < many <= most * few:
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
        growth.expect_growth(f"{command} of processes", PROCESSES, found)


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
        growth.expect_growth(f"{command} of threads", THREADS, found)


def record(test, program, number, folder):
    """An archive of so many threads in turn."""
    name = os.path.basename(folder)
    done = test.run(f"run.{name}", [program, str(number), "4"],
                    test.preloaded(OMPTAPE_OUTPUT=folder, OMPTAPE_QUIET="1", OMPTAPE_SCHED="off"), timeout=600)
    test.expect(f"{name}: exit code", 0, done.code)


def count_many(test, sizes, most, readers, others=()):
    """All that the commands execute for an archive of so many threads in turn; `others`: "unify", for two processes of
    them, and "summary", after a run."""
    growth = Growth(test)
    program = test.compile("bench", "programs", "threads.c", link_flags=["-lpthread"])
    counts = {command: [] for command in (*readers, *others)}
    for number in sizes:
        folder, ranks, summary = (test.path(f"{name}.{number}") for name in ("archive", "ranks", "summary"))
        record(test, program, number, folder)
        for command in readers:
            counts[command].append(growth.count(f"{command}.{number}", [command, *growth.more(command), folder], is_no_clearing))
        if "unify" in others:
            for rank in range(2):
                shutil.copytree(folder, os.path.join(ranks, f"rank-{rank}"))
            counts["unify"].append(growth.count(f"unify.{number}", ["unify", ranks], is_no_clearing))
        if "summary" in others:
            counts["summary"].append(growth.count(f"summary.{number}", ["-o", summary, program, str(number), "4"],
                                                  is_no_clearing, test.environment(OMPTAPE_SCHED="off")))
        for made in (folder, ranks, summary):
            shutil.rmtree(made, ignore_errors=True)
    for command, found in counts.items():
        growth.expect_growth(f"{command} of many threads", sizes, found, most)


def many(test):
    """More threads than one of libotf2's readers gets. All commands read them by the same code, so one does here."""
    count_many(test, MANY_THREADS, MAX_GROWTH_OF_MANY, ("info",))


def most(test):
    """As many threads as an archive may have in life."""
    count_many(test, MAX_THREADS, MAX_GROWTH, ("info", "report", "check", "export"), ("unify", "summary"))


if __name__ == "__main__":
    sys.exit(main(__doc__, {"processes": processes, "threads": threads, "many": many, "most": most}, "e2e.growth",
                  stage="19"))
