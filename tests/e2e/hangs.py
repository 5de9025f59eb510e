# SPDX-License-Identifier: BSD-3-Clause
"""Programs that hang in OpenMP: the report of what they left when they were ended says which thread waits for which, where
and for what; a snapshot of one that hangs says the same. One that is healthy is told no hang, whenever it is ended.

    tests/run e2e.hangs --build BUILD --runtimes DIR locks|threads|tasks|snapshot|live|healthy
"""
import json
import os
import re
import subprocess
import sys
import time

from harness import Test, hangs, main, source_of, wait_for
from harness.processes import children_of, command_of

THREAD = r"(Master thread|OMP thread \d)"
ITSELF = r"in omp_set_lock @.* for a lock that it has itself since"
# Way to hang, what must be in the sentence, and after how many seconds it may be told.
WAYS = {
    "locks": {
        "itself": (f"Master thread is {ITSELF}", 0),
        "locks": (r"2 threads wait for each other until the end.*omp_set_lock.* Master thread for a lock that OMP thread \d has since .* by "
                  "omp_set_lock", 0),
        "kept": (rf"2 threads are in omp_set_lock @.* for a lock that {THREAD} has since .*; {THREAD} is in implicit barrier", 0),
        "critical": (rf"2 threads are in critical @.* for a lock that {THREAD} has since .*; {THREAD} (sleeps|is) in critical", 2.2)},
    "threads": {
        "barrier": (rf"2 threads are in (implementation )?barrier @.* for {THREAD}, which is {ITSELF}", 0),
        "nested": (rf"{THREAD} is in implicit barrier @.* for {THREAD}, which is in implicit barrier @.* for {THREAD}; {THREAD} is "
                   + ITSELF, 0),
        "ordered": (rf"2 threads are in ordered @.* for {THREAD}, which is {ITSELF}", 0)},
    "tasks": {
        # Where the first thread took the task, it is named first.
        "task": (rf"for (a task of )?{THREAD}.*{ITSELF}|{THREAD} is {ITSELF}.*; 2 more wait for that", 0),
        "detached": ("for tasks that nobody executes", 1.2)},
}


class Hangs(Test):
    def __init__(self, options, name, stage):
        super().__init__(options, name, stage)
        self.binary = self.compile("e2e", "hangs.c")

    def run_until(self, way, wait):
        return hangs.end(self, way, [self.omptape, "-q", "-o", "out", self.binary, way], self.environment(), wait)


def snapshot(test):
    """Of one that hangs, while it goes on."""
    program = test.start("snapshot", [test.omptape, "-q", "--when-full=overwrite", "-o", "out", test.binary, "locks"])
    wait_for("the sign", lambda: hangs.is_hung(program), 60)
    for wait in hangs.WAITS:
        time.sleep(wait)
        pid = wait_for("the program", lambda: find(test, program.pid), 10)
        done = subprocess.run([test.omptape, "snapshot", str(pid)], stdout=subprocess.PIPE, check=False, text=True)
        path = os.path.join(test.path("snapshot"), done.stdout.strip())
        report = hangs.read_report(test, path) if done.returncode == 0 else None
        if hangs.hung(report):
            break
    if not hangs.hung(report) or "wait for each other" not in report["findings"][0]["text"]:
        test.fail(f"snapshot: {report and report['findings']}")
    program.process.terminate()
    test.finish(program)


# What `omptape top` says while the program goes on. It has seen neither when a lock was acquired nor when a wait began.
LIVE = {"itself": "^Master thread is in omp_set_lock @.* for a lock that it has itself by omp_set_lock @",
        "locks": r"^2 threads wait for each other, in omp_set_lock @.*: .* for a lock that .* has by omp_set_lock @",
        "criticals": r"^2 threads wait for each other: .* in critical @.* for a lock that .* has by critical @",
        "barrier": rf"^2 threads are in (implementation )?barrier @.* for {THREAD}, which is in omp_set_lock @.* that it has itself"}


def live(test):
    """`omptape top` of programs that hang already; the same in a profile. One that only waits is told no hang."""
    for way, name, more in ((*((way, way, {}) for way in LIVE), ("locks", "profile", {"OMPTAPE_PROFILE": "1"}))):
        program = test.start(name, [test.omptape, "-q", "-o", "out", test.binary, way], test.environment(**more))
        wait_for("the sign", lambda program=program: hangs.is_hung(program), 60)
        pid = wait_for("the program", lambda program=program: find(test, program.pid))
        wait_for(f"{name}: hang in top", lambda way=way, pid=pid: any(
            re.search(LIVE[way], one["text"]) and one["text"].endswith(" at least") for one in told_live(test, pid)))
        program.process.terminate()
        test.finish(program)
        if more:
            found = hangs.hung(hangs.read_report(test, test.path(name, "out")))
            test.expect("report of the profile", 1, sum("2 threads wait for each other until the end" in one["text"] for one in found))
    program = test.start("kept", [test.omptape, "-q", "-o", "out", test.binary, "critical"], test.environment())
    wait_for("the sign", lambda: hangs.is_hung(program), 60)
    pid = wait_for("the program", lambda: find(test, program.pid))
    told_live(test, pid)  # The sums begin here.
    test.expect("no evidence", [], told_live(test, pid))
    program.process.terminate()
    test.finish(program)


def told_live(test, pid):
    """The hangs that `omptape top` tells."""
    done = test.command("top", "--once", "--json", str(pid), stderr=subprocess.DEVNULL)
    return [one for process in json.loads(done.stdout)["processes"] for one in process.get("findings", []) if one["kind"] == "hang"]


def find(test, parent):
    """The program that the command runs."""
    return next((pid for pid in children_of(parent) if command_of(pid)[:1] == [test.binary]), None)


def test_of(name):
    def test(one):
        for way, (words, least) in WAYS[name].items():
            hangs.expect_hang(one, way, lambda wait, way=way, least=least: one.run_until(way, max(wait, least)),
                        source_of("e2e", "hangs.c"), (words,))
    return test


def healthy(test):
    """At any moment, and where it ends by itself."""
    report = test.run_until("crash", 20)
    test.expect("crash", [], [one["text"] for one in hangs.hung(report)])
    for wait in (0.1 + test.random.random() for _ in range(2)):
        report = test.run_until("healthy", wait)
        test.expect(f"healthy, ended after {wait} s", [], [one["text"] for one in hangs.hung(report)])


if __name__ == "__main__":
    sys.exit(main("Programs that hang in OpenMP.", {**{name: test_of(name) for name in WAYS}, "snapshot": snapshot, "live": live, "healthy": healthy},
                  "hangs", Hangs, stages=("19", "gomp")))
