# SPDX-License-Identifier: BSD-3-Clause
"""How the time and the memory of `omptape unify`, `info`, `check` and `report` grow: with processes, threads and events."""
import os
import shutil
import subprocess

from bench import tables
from bench.tools import Failed

MIB = 1 << 20
THREADS_OF_A_RANK = 16
OFFSETS_OF_A_RANK = 4
OF_THE_COMMAND = ("LD_PRELOAD", "OMPTAPE_OUTPUT", "OMPTAPE_REPORT_FILE")


class Scale:
    """Makes archives of n, 2n and 4n of something, reads each, and deletes it."""

    def __init__(self, folder, environment, files, sizes):
        self._folder = folder
        # The command loads the library itself.
        self._environment = {name: value for name, value in environment.items() if name not in OF_THE_COMMAND}
        self._files = files  # "command", "make_parts", "threads", "flood" -> path
        self._sizes = sizes  # "processes", "threads", "events" -> n
        self.data = {}       # (command, what) -> [(n, seconds, bytes of memory)]

    def run(self):
        for what, make, commands in (("processes", self._processes, ("unify", "info", "check", "report")),
                                     ("threads in turn", self._threads, ("info", "check", "report")),
                                     ("events", self._events, ("info", "check", "report"))):
            least = self._sizes[what.split()[0]]
            for count in (least, 2 * least, 4 * least):
                folder = os.path.join(self._folder, "scale")
                shutil.rmtree(folder, ignore_errors=True)
                more = make(folder, count)
                for command in commands:
                    seconds, memory = self._measure([command, *(more if command == "unify" else ()), folder])
                    self.data.setdefault((command, what), []).append((count, seconds, memory))
                shutil.rmtree(folder)

    def _processes(self, folder, count):
        os.makedirs(folder)
        subprocess.run([self._files["make_parts"], folder, str(count), str(THREADS_OF_A_RANK), "20", str(min(8, count)), "1000"],
                       check=True)
        return ["--clock-offsets", write_offsets(os.path.join(folder, "offsets"), count)]

    def _threads(self, folder, count):
        self._trace(folder, [self._files["threads"], str(count), "50"])

    def _events(self, folder, count):
        self._trace(folder, [self._files["flood"], "critical", str(count // 4)])  # acquire and release: four events

    def _trace(self, folder, command):
        done = subprocess.run([self._files["command"], f"--output={folder}", *command], env=self._environment,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        if done.returncode != 0 or not os.path.exists(os.path.join(folder, "traces.otf2")):
            raise Failed(f"{command[0]}: {done.stderr.decode(errors='replace')}")

    def _measure(self, words):
        """CPU time, and the most memory that one process of the command had."""
        process = subprocess.Popen([self._files["command"], *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        said = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise Failed(f"omptape {' '.join(words)}: {said.decode(errors='replace')}")
        return used.ru_utime + used.ru_stime, used.ru_maxrss << 10

    def markdown(self):
        rows = []
        for (command, what), points in self.data.items():
            for number, (count, seconds, memory) in enumerate(points):
                before = points[number - 1] if number else None
                rows.append([f"`{command}`, {what}", f"{count:,}", f"{seconds:.2f} s", f"{memory / MIB:.1f} MiB",
                             f"{seconds / before[1]:.2f}" if before and before[1] > 0 else "-",
                             f"{memory / before[2]:.2f}" if before else "-"])
        header = ["command", "n", "processor time", "memory", "time over n/2", "memory over n/2"]
        return f"### Growth\n\n{tables.table(header, rows)}"

    def missing(self):
        return [f"scale: {command} of {what}: {len(points)} of three sizes" for (command, what), points in self.data.items()
                if len(points) != 3] + ([] if len(self.data) == 10 else ["scale: not every command was run"])

    def json(self):
        return {f"{command}, {what}": points for (command, what), points in self.data.items()}


def write_offsets(path, count):
    """Measured clock offsets of every rank. Returns the path."""
    with open(path, "w", encoding="ascii") as file:
        for rank in range(count):
            for number in range(OFFSETS_OF_A_RANK):
                file.write(f"{rank} {1700000000 + 25 * number} {rank + number}\n")
    return path
