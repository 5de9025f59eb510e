# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of a real Slurm that are cancelled at random instants: each must leave valid archives of all its processes with
all that these did, by itself or after one `omptape unify`.

    tests/run slurm.cancel --build BUILD --runtimes DIR [--jobs N] [--seed S]

Exit 77: no Slurm.
"""
import collections
import os
import shutil
import struct
import subprocess
import sys
import time

from harness import arguments, main
from harness.archives import Archive
from mpi.jobs import CLAIM, RUN
from slurm.slurm import Slurm

AT_ONCE = 6
LONGEST = 2.0  # seconds until it is cancelled, at most
WAYS = {
    # One process in the script itself, two in a step.
    "batch": "./ticker 60 {counts} &\nsrun ./ticker 60 {counts}\nwait\n",
    "inside": "srun {omptape} -o {out} ./ticker 60 {counts}\n",
    "library": "OMP_TOOL_LIBRARIES={library} OMPTAPE_OUTPUT={out} srun ./ticker 60 {counts}\n",
    "around": "{omptape} -o {out} mpirun.mpich -launcher fork -n 2 ./ticker 60 {counts}\n",
}
ENDS = ("cancelled", "killed", "warned")


class Cancelled:
    """One job."""

    def __init__(self, test, number, way, end, delay):
        self.name = f"c{number}"
        self.what = f"{self.name} ({way}, {end} after {delay:.2f} s)"
        self.way, self.end, self.delay = way, end, delay
        self.test = test
        self.out = test.path(f"{self.name}.out")
        self.counts = test.path(f"{self.name}.counts")
        os.makedirs(self.counts)
        text = WAYS[way].format(counts=self.counts, out=self.out, omptape=test.omptape, library=test.library)
        wrapper = [test.batch, "-o", f"{self.out}.%s"] if way == "batch" else []
        script = f"#!/bin/bash\n#SBATCH --nodes=2 --ntasks=2 --no-requeue --job-name={self.name}\n{text}"
        self.job = test.submit(f"{self.name}.sh", script, *wrapper)
        self.steps = self.cancel()

    def cancel(self):
        """Yields how long to wait until it is to be called again."""
        while self.test.state(self.job) == "PENDING":
            yield 0.05
        yield self.delay
        if self.end == "cancelled":
            self.test.scancel(self.job)
        else:
            if self.end == "warned":
                self.test.scancel("--signal=TERM", "--full", self.job)
                yield self.delay / 2
            self.test.scancel("--signal=KILL", "--full", self.job)
            yield 0.1
            self.test.scancel(self.job)
        while self.test.state(self.job):
            yield 0.1
        deadline = time.monotonic() + 100
        while any(is_at_work(folder) for folder in self.folders()):
            if time.monotonic() > deadline:
                self.test.fail(f"{self.what}: somebody is still at work")
                return
            yield 0.1

    def folders(self):
        return [self.test.path(name) for name in sorted(os.listdir(self.test.folder))
                if name == f"{self.name}.out" or name.startswith(f"{self.name}.out.")]

    def expected(self):
        """{process number: regions} of those that did something."""
        found = {}
        for name in os.listdir(self.counts):
            with open(os.path.join(self.counts, name), "rb") as file:
                data = file.read()
            count = struct.unpack("l", data)[0] if data else 0
            if count > 0:
                found[name] = count
        return found


def is_alive(link):
    """Does the process that made a claim live? All nodes are this machine."""
    try:
        pid = int(os.readlink(link).split(":")[1])
        os.kill(pid, 0)
    except (OSError, ValueError, IndexError):
        return False
    return True


def is_at_work(folder):
    for place, names, files in os.walk(folder):
        for name in names + files:
            if name in (".omptape-run", ".omptape-writing", ".omptape-unifying") or place.endswith(".omptape-marks"):
                if is_alive(os.path.join(place, name)):
                    return True
    return False


class Test(Slurm):
    """And what is left of each job."""

    def __init__(self, options, name, stage):
        super().__init__(options, name, stage)
        self.tally = collections.Counter()

    def scancel(self, *words):
        subprocess.run(["scancel", *words], env=self.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       check=False)

    def check_job(self, job):
        """True: there was something to judge."""
        expected = job.expected()
        before = len(self.problems)
        seen = {}
        by_hand = False
        for folder in job.folders():
            by_hand |= self.complete_by_hand(job, folder)
            self.look(job, folder, seen)
        for pid, count in expected.items():
            if seen.get(pid) not in (count, count + 1):
                self.fail(f"{job.what}: process {pid} did {count} regions, there are {seen.get(pid)}")
        if expected:
            self.tally["by hand" if by_hand else "by itself"] += 1
        if len(self.problems) == before:
            for folder in (*job.folders(), job.counts):
                shutil.rmtree(folder)
        return bool(expected)

    def complete_by_hand(self, job, folder):
        """One unification, if anything is left to be unified."""
        left = [name for name in os.listdir(folder) if name.startswith("rank-") or name.startswith(".omptape-unify")]
        if os.path.exists(os.path.join(folder, "traces.otf2")) and not left:
            return False
        if not left and not os.path.exists(os.path.join(folder, "traces")):
            return False  # nobody recorded anything
        done = self.command("unify", folder)
        self.tally["left out"] += done.stdout.count("is left as it is")
        if done.returncode not in (0, 1):
            self.fail(f"{job.what}: omptape unify: {done.stdout}")
        return True

    def look(self, job, folder, seen):
        path = os.path.join(folder, "traces.otf2")
        names = set(os.listdir(folder)) - {CLAIM, RUN, ".omptape-marks", "traces", "traces.def", "traces.otf2"}
        if names:
            self.fail(f"{job.what}: left in {os.path.basename(folder)}: {sorted(names)}")
        if not os.path.exists(path):
            return
        forks = collections.Counter()

        def count(location, event):
            forks[location.group._ref] += type(event).__name__ == "ThreadFork"

        self.verify_archive(f"{job.what}: {path}", path, count)
        with Archive(path) as archive:
            for group in archive.definitions.location_groups:
                seen[archive.value_of(group, "PID")] = forks[group._ref]
        self.tally["archives"] += 1


def cancel(test):
    """Until so many jobs had something to judge."""
    chance, jobs = test.random, test.options.jobs
    running, judged, number = {}, 0, 0
    ways = [way for way in WAYS if way != "around" or shutil.which("mpirun.mpich")]
    while (judged + len(running) < jobs or running) and len(test.problems) < 10:
        while judged + len(running) < jobs and len(running) < AT_ONCE:
            job = Cancelled(test, number, ways[number % len(ways)], ENDS[number // len(ways) % len(ENDS)],
                            chance.random() * LONGEST)
            running[job] = 0
            number += 1
        for job, due in list(running.items()):
            if time.monotonic() < due:
                continue
            try:
                running[job] = time.monotonic() + next(job.steps)
            except StopIteration:
                del running[job]
                judged += test.check_job(job)
        time.sleep(0.01)  # between two looks
    for job in running:
        test.scancel(job.job)
    print(f"{number} jobs, {judged} of them had begun to record; {dict(test.tally)}")


if __name__ == "__main__":
    own = arguments("Cancels traced jobs of Slurm.")
    own.add_argument("--jobs", type=int, default=12)
    sys.exit(main("", cancel, "slurm.cancel", Test, "19", parser=own))
