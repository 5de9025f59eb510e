# SPDX-License-Identifier: BSD-3-Clause
"""What the archive of a job must be: the ranks' parts, and the one of all of them. For the tests of launchers."""
import collections
import os
import re
import shutil

from otf2.events import CallingContextSample, Metric, ThreadCreate

from harness import Test
from mpi.programs import compile_program

CLAIM = ".omptape-job"
RUN = ".omptape-run"  # of a command that was killed before its program began; the next run or unify removes it
REGIONS = 5  # parallel regions of each rank of hybrid.c


class Job(Test):
    """Judges archives. `launcher`: as the archive calls it."""

    def __init__(self, options, name, stage, launcher):
        super().__init__(options, name, stage)
        self.launcher_name = launcher
        self.counts = {}  # (program, regions) -> {(thread, type): events}

    def compile_hybrid(self, mpicc):
        program = compile_program(self, mpicc, "hybrid.c", "-fopenmp", "-L" + self.toolchain.library_folder, suffix="")
        return shutil.copy(program, self.path("hybrid"))

    def archive(self, path, regions):
        facts = self.verify_archive(path, path)
        self.expect(f"{path}: parallel regions", regions, facts.events["ThreadFork"])
        return facts

    def part(self, path, rank, size, regions):
        facts = self.archive(os.path.join(path, "traces.otf2"), regions)
        there = {key.removeprefix("OMPTAPE::"): value for key, value in facts.properties.items()}
        expected = {"RANK": str(rank), "SIZE": str(size), "LAUNCHER": self.launcher_name}
        if any(there.get(key) != value for key, value in expected.items()):
            self.fail(f"{path}: {there}, not {expected}")
        return there

    def parts(self, folder, size, regions=REGIONS, others=()):
        """Looks at all of a job's parts; `others`: what else is in the folder, as regular expressions."""
        names = set(os.listdir(folder)) if os.path.isdir(folder) else set()
        expected = {CLAIM} | {f"rank-{rank}" for rank in range(size)}
        unknown = {name for name in names - expected if not any(re.fullmatch(other, name) for other in others)}
        if unknown or expected - names:
            self.fail(f"{folder}: there are {sorted(names)}, not {sorted(expected)}")
            return {}
        found = {rank: self.part(os.path.join(folder, f"rank-{rank}"), rank, size, regions) for rank in range(size)}
        for key in ("JOB", "STEP"):
            if len({part.get(key) for part in found.values()}) != 1:
                self.fail(f"{folder}: the ranks differ in {key}: {found}")
        return found

    def whole(self, folder, expected, size, hosts=(os.uname().nodename,), without=()):
        """Looks at the one archive of a job. `expected`: (rank, program) and the parallel regions of each of its
        processes. Their order is that of the ranks, but for those that come when the others have ended. Returns each process's properties, likewise."""
        allowed = {CLAIM, "traces", "traces.def", "traces.otf2"}
        names = set(os.listdir(folder)) if os.path.isdir(folder) else set()
        if names != allowed:
            self.fail(f"{folder}: there are {sorted(names)}, not {sorted(allowed)}")
        path = os.path.join(folder, "traces.otf2")
        seen = self.verify_archive(folder, path, Processes())
        found = [(one.rank, one.program, one.events["ThreadFork"]) for one in seen.processes]
        if sorted(found) != sorted(expected):
            self.fail(f"{folder}: it holds {found}, not {list(expected)}")
        for one in seen.processes:
            self.process(f"{folder}: {one.name}", one, size, hosts)
        if len({(one.properties.get("JOB"), one.properties.get("STEP")) for one in seen.processes}) != 1:
            self.fail(f"{folder}: the ranks differ in job or step")
        warnings = [text for text in seen.warnings if "left no trace" in text]
        if [re.match(r"ranks? ([\d, -]+) of \d+ left", text)[1] for text in warnings] != list(without):
            self.fail(f"{folder}: it says {warnings}, not that {without} are missing")
        return [one.properties for one in seen.processes]

    def ranks(self, folder, size, regions=REGIONS, program="hybrid", without=(), **more):
        """The same for ranks that run one program."""
        there = [rank for rank in range(size) if rank not in without]
        missing = [", ".join(str(rank) for rank in without)] if without else []
        return self.whole(folder, [(rank, program, regions) for rank in there], size, without=missing, **more)

    def killed(self, folder, size, rank):
        """Looks at the archive of a job one of whose ranks killed itself after its last region."""
        path = os.path.join(folder, "traces.otf2")
        # The launcher may kill a rank's command before, while or after that unifies; the user's completes it.
        marks = os.path.join(folder, ".omptape-marks")
        marked = [mark for mark in (os.listdir(marks) if os.path.isdir(marks) else ()) if not mark.startswith("wait.")]
        if os.path.islink(os.path.join(folder, ".omptape-unifying")) or any(mark.startswith("leave.") for mark in marked):
            print(f"{folder}: a command was killed: {marked}")
            self.command("unify", "--quiet", folder)
        if not os.path.exists(path):
            self.fail(f"{folder}: there is no archive, but {os.listdir(folder) if os.path.isdir(folder) else None}")
            return
        seen = self.verify_archive(folder, path, Processes())
        for one in seen.processes:
            # Under another process the writer is not told how the program ended.
            if one.rank == rank and (one.events["ThreadFork"] != REGIONS or
                                     one.properties["END"] not in ("signal 9", "unknown")):
                self.fail(f"{folder}: of the killed rank there are {one.events}, {one.properties}")
        # The others may have been killed before they used OpenMP.
        there = {one.rank for one in seen.processes}
        if rank not in there or (len(there) < size) != any("left no trace" in text for text in seen.warnings):
            self.fail(f"{folder}: there are {there}; {seen.warnings}")
        # A command that the launcher killed leaves its own mark, which counts for nothing.
        if any(not mark.startswith("wait.") for mark in (os.listdir(marks) if os.path.isdir(marks) else ())):
            self.fail(f"{folder}: marks are left: {os.listdir(marks)}")
        left = set(os.listdir(folder)) - {CLAIM, ".omptape-marks", "traces", "traces.def", "traces.otf2"}
        if left:
            self.fail(f"{folder}: {left} is left")

    def process(self, what, one, size, hosts):
        """One process of a unified archive: what is the same for every program here."""
        expected = {"RANK": str(one.rank), "SIZE": str(size), "LAUNCHER": self.launcher_name}
        if any(one.properties.get(key) != value for key, value in expected.items()):
            self.fail(f"{what}: {one.properties}, not {expected}")
        if one.threads != ["Master thread", "OMP thread 1"]:
            self.fail(f"{what}: its locations are {one.threads}")
        if one.place != ["machine", "node"] or one.node != one.properties.get("HOST") or one.node not in hosts:
            self.fail(f"{what}: it is on {one.place} {one.node}, HOST {one.properties.get('HOST')}, not {hosts}")
        # What a program does is the same on every rank and every way.
        counts = self.counts.setdefault((one.program, one.events["ThreadFork"]), one.counts)
        if one.properties.get("END") == "finalize" and one.counts != counts:
            self.fail(f"{what}: its events are {one.counts}, another's {counts}")


class Processes:
    """An observer of the checker: the processes of a unified archive, what they are called, where they are and how many
    events of each type each of their threads has."""

    def __init__(self):
        self.processes = []
        self.warnings = []
        self._counts = collections.Counter()

    def __call__(self, location, event):
        # Of these there are as many as the kernel was asked, as there was processor time, or as MPI's own threads began late.
        if not isinstance(event, (Metric, CallingContextSample, ThreadCreate)):
            self._counts[location, type(event).__name__] += 1

    def archive(self, archive):
        self.warnings = [text for key, text in archive.properties.items() if key.startswith("OMPTAPE::WARNING")]
        for group in archive.definitions.location_groups:
            one = Process(group, archive)
            for (location, kind), count in self._counts.items():
                if location.group == group:
                    one.counts[location.name, kind] = count
                    one.events[kind] += count
            self.processes.append(one)


class Process:
    """One of them."""

    def __init__(self, group, archive):
        self.name = group.name
        match = re.fullmatch(r"rank (\d+)", group.name)
        self.rank = int(match[1]) if match else None
        self.program, self.pid = os.path.basename(archive.value_of(group, "PROGRAM")), archive.value_of(group, "PID")
        self.threads = sorted(one.name for one in archive.locations if one.group == group)
        self.counts, self.events = {}, collections.Counter()
        keys = ("RANK", "SIZE", "LAUNCHER", "JOB", "STEP", "HOST", "PID", "END")
        self.properties = {key: archive.value_of(group, key) for key in keys}
        node = group.system_tree_parent
        self.node, self.place = node.name, []
        while node is not None:
            self.place.insert(0, node.class_name)
            node = node.parent
