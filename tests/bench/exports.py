# SPDX-License-Identifier: BSD-3-Clause
"""What `omptape export` takes of the processor for archives of ten million events, and what it makes of one event."""
import os
import re
import shutil
import statistics
import subprocess

from bench import tables
from bench.scale import OF_THE_COMMAND
from bench.tools import Failed

MIB = 1 << 20
FILES = {"--perfetto": "made.pftrace", "--perfetto, .gz": "made.pftrace.gz", "--csv": "made.csv", "--csv, .gz": "made.csv.gz",
         "--sqlite": "made.db"}
EVENTS = re.compile(r"^\s*Events\s+([0-9,]+) ", re.MULTILINE)
# OTF2 events of one repetition of flood.
OF_ONE = {"critical": 6, "task": 4, "for": 3}
TIMES = 3


class Exports:
    """Makes archives, exports each in every form, and deletes it."""

    def __init__(self, folder, environment, command, flood, events):
        self._folder = os.path.join(folder, "exports")
        self._environment = {name: value for name, value in environment.items() if name not in OF_THE_COMMAND}
        self._command, self._flood, self._events = command, flood, events
        self.data = {}  # (kind, form) -> (events, seconds, bytes of the file, bytes of memory)

    def run(self):
        for kind, of_one in OF_ONE.items():
            shutil.rmtree(self._folder, ignore_errors=True)
            archive = os.path.join(self._folder, "archive")
            os.makedirs(self._folder)
            self._spend([f"--output={archive}", self._flood, kind, str(self._events // of_one)])
            events = int(EVENTS.search(self._spend(["info", archive])[2])[1].replace(",", ""))
            found = {form: [] for form in FILES}
            for _ in range(TIMES):
                for form, values in found.items():
                    path = os.path.join(self._folder, FILES[form])
                    seconds, memory, _ = self._spend(["export", form.split(",")[0], path, archive])
                    values.append((seconds, os.path.getsize(path), memory))
                    os.remove(path)
            for form, values in found.items():
                self.data[kind, form] = (events, statistics.median(value[0] for value in values), values[0][1],
                                         max(value[2] for value in values))
            shutil.rmtree(self._folder)

    def _spend(self, words):
        """CPU time, the most memory that one process of the command had, and what it said."""
        process = subprocess.Popen([self._command, *words], env=self._environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT)
        said = process.stdout.read().decode(errors="replace")
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise Failed(f"omptape {' '.join(words)}: {said}")
        return used.ru_utime + used.ru_stime, used.ru_maxrss << 10, said

    def markdown(self):
        rows = [[f"{kind}, `{form}`", f"{events:,}", f"{seconds:.2f} s", f"{seconds / events * 1e7:.2f} s",
                 f"{size / events:.1f}", f"{memory / MIB:.1f} MiB"]
                for (kind, form), (events, seconds, size, memory) in self.data.items()]
        header = ["export", "events", "processor time", "of ten million", "bytes an event", "memory"]
        return f"### Export\n\n{tables.table(header, rows)}"

    def missing(self):
        return [f"exports: {kind}, {form}" for kind in OF_ONE for form in FILES if (kind, form) not in self.data]

    def json(self):
        return {f"{kind}, {form}": values for (kind, form), values in self.data.items()}
