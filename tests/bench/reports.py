# SPDX-License-Identifier: BSD-3-Clause
"""`omptape report` of large archives: time and memory, of one process and of several, by one process and by two."""
import os
import shutil
import statistics
import subprocess
import time

from bench import tables
from bench.scale import MIB, OF_THE_COMMAND
from bench.tools import Failed

MAX_ROUNDS = 3
PROCESSES, THREADS = 8, 4
EVENTS_OF = {"critical": 6, "task": 4, "for": 3}  # of one repetition of flood


class Reports:
    """Archives that are made for it, read, and deleted."""

    def __init__(self, folder, environment, files, rounds, events, many):
        self._folder = os.path.join(folder, "reports")
        # The command loads the library itself.
        self._environment = {name: value for name, value in environment.items() if name not in OF_THE_COMMAND}
        self._files = files  # "command", "make_parts", "flood" -> path
        self._rounds, self._events, self._many = min(rounds, MAX_ROUNDS), events, many
        self.data = {}       # what -> {"events", "seconds", "cpu", "memory"}: medians

    def run(self):
        for kind, each in EVENTS_OF.items():
            self._begin()
            self._call(f"--output={self._folder}", self._files["flood"], kind, self._events // each)
            self._measure(f"{kind}, one process", 1)
        for what, events in ((f"{PROCESSES} processes", self._events), (f"{PROCESSES} processes, many events", self._many)):
            self._begin()
            # Of processes that never ran: those of one host share their files.
            subprocess.run([self._files["make_parts"], self._folder, str(PROCESSES), str(THREADS),
                            str(events // PROCESSES // THREADS), "1", "0"], check=True)
            self._call("unify", "-q", self._folder)
            self._measure(what, 1, 2)
        shutil.rmtree(self._folder)

    def _begin(self):
        shutil.rmtree(self._folder, ignore_errors=True)
        os.makedirs(self._folder)

    def _call(self, *words):
        done = subprocess.run([self._files["command"], *(str(word) for word in words)], env=self._environment,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        if done.returncode != 0:
            raise Failed(f"omptape {words[0]}: {done.stderr.decode(errors='replace')}")

    def _measure(self, what, *numbers):
        """In turn, with each number of jobs."""
        path = os.path.join(self._folder, "report.csv")
        found = {number: [] for number in numbers}
        for _ in range(self._rounds):
            for number in numbers:
                found[number].append(self._once("--jobs", str(number), "--csv", path))
        with open(path, encoding="utf-8") as file:
            header, summary = file.readline().strip().split(","), file.readline().strip().split(",")
        events = int(summary[header.index("events")])
        for number, values in found.items():
            self.data[f"{what}, {number} job{'' if number == 1 else 's'}"] = {
                "events": events, "seconds": statistics.median(value[0] for value in values),
                "cpu": statistics.median(value[1] for value in values), "memory": max(value[2] for value in values)}

    def _once(self, *words):
        began = time.monotonic()
        process = subprocess.Popen([self._files["command"], "report", *words, self._folder], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        said = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise Failed(f"omptape report: {said.decode(errors='replace')}")
        return time.monotonic() - began, used.ru_utime + used.ru_stime, used.ru_maxrss << 10

    def markdown(self):
        rows = [[what, f"{one['events']:,}", f"{one['cpu']:.2f} s", f"{one['seconds']:.2f} s", f"{one['memory'] / MIB:.1f} MiB"]
                for what, one in self.data.items()]
        header = ["archive", "events", "processor time", "wall", "memory of one process"]
        return f"### Reports\n\n{tables.table(header, rows)}"

    def missing(self):
        return [] if len(self.data) == len(EVENTS_OF) + 4 else ["reports: not every archive was read"]

    def json(self):
        return self.data
