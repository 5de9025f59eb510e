# SPDX-License-Identifier: BSD-3-Clause
"""Runs of several processes that are no MPI job: one archive with a location group for each, named by program and
number, that begins and ends when it did, with all that it did.

    tests/run e2e.runs --build BUILD --runtimes DIR make|script|python|many
"""
import collections
import os
import re
import shutil
import subprocess
import sys

from harness import Missing, Test, kill_all, main, processes, source_of, wait_for

MANY = 256
CROWD = 12
TOLERANCE = 0.05  # seconds, between the archive's wall clock and the program's
PATIENCE = 30  # seconds, from the process's start to its first words, and from its last words to its last event


class Seen:
    """An observer of the checker: each process's parallel regions, and when it was there."""

    def __init__(self):
        self.forks = collections.Counter()
        self.times = {}
        self.names = {}
        self.threads = collections.Counter()

    def __call__(self, location, event):
        group = location.group
        first, _ = self.times.get(group, (event.time, event.time))
        self.times[group] = first, event.time
        self.forks[group] += type(event).__name__ == "ThreadFork"

    def archive(self, archive):
        clock = archive.definitions.clock_properties
        start = archive.realtime() * 1e-9
        for group in archive.definitions.location_groups:
            self.names[archive.value_of(group, "PID")] = group
            self.threads[group] = sum(one.group == group for one in archive.locations)
        self.times = {name: [start + (time - clock.global_offset) / clock.timer_resolution for time in both]
                      for name, both in self.times.items()}


class Runs(Test):
    """What the tests share."""

    def __init__(self, options, name, stage):
        super().__init__(options, name, stage)
        source = source_of("e2e", "workload.c")
        self.program = self.toolchain.compile(source, self.path("workload"))
        self.shared = self.toolchain.compile(source, self.path("libworkload.so"), shared=True)

    def trace(self, name, command, count, program="workload"):
        """Runs it and looks at the archive of `count` processes."""
        log = self.path(name, "log")
        ended = self.run(name, [self.omptape, "-o", "out", *command], self.environment(
            OMP_NUM_THREADS="2", KMP_BLOCKTIME="0", WORKLOAD_LOG=log), timeout=200)
        if ended.code != 0:
            self.fail(f"{name}: exit {ended.code}: {ended.output}")
        with open(log, encoding="ascii") as file:
            self.check_run(name, self.path(name, "out"), [line.split() for line in file], count, program)
        if f"{count} processes in one archive" not in ended.output:
            self.fail(f"{name}: omptape says {ended.output}")

    def check_run(self, name, out, log, count, program):
        left = sorted(set(os.listdir(out)) - {"traces", "traces.def", "traces.otf2"})
        if left:
            self.fail(f"{name}: {left} is left")
        seen = self.verify_archive(name, os.path.join(out, "traces.otf2"), Seen())
        expected = {}
        for pid, begin, end, regions in log:
            before = expected.get(pid, (float(begin), 0, 0))
            expected[pid] = before[0], float(end), before[2] + int(regions)
        if sorted(expected) != sorted(seen.names) or len(expected) != count:
            self.fail(f"{name}: the processes are {seen.names}, not {sorted(expected)}")
            return
        for pid, (begin, end, regions) in expected.items():
            group = seen.names[pid]
            first, last = seen.times[group]
            if not re.fullmatch(program, group.name) or seen.threads[group] != 2:
                self.fail(f"{name}: process {pid} is called {group.name} and has {seen.threads[group]} threads")
            if seen.forks[group] != regions:
                self.fail(f"{name}: process {pid} did {regions} regions, there are {seen.forks[group]}")
            # On a busy machine anything may take long.
            if not (begin - PATIENCE < first < begin + TOLERANCE and end - TOLERANCE < last < end + PATIENCE):
                self.fail(f"{name}: process {pid} was there from {begin} to {end}, its events are from {first} to {last}")


def make(runs):
    """Four at once, of seven."""
    if shutil.which("make") is None:
        raise Missing("no make")
    runs.write("Makefile", "N = 1 2 3 4 5 6 7\nall: $(N)\n$(N):\n\t@" + runs.program + " $@\n")
    runs.trace("make", ["make", "-s", "-j4", "-f", runs.path("Makefile")], 7)


def script(runs):
    """One after the other and at once; a program that runs in a subshell, and one that takes the shell's place."""
    text = f"#!/bin/sh\n{runs.program} 3\n({runs.program} 5 &\n{runs.program} 4; wait)\ntrue\nexec {runs.program} 2\n"
    runs.trace("script", [runs.write("script.sh", text, 0o755)], 4)


def python(runs):
    """Workers of a Python program, however it starts them, and the program itself."""
    driver = ["/usr/bin/python3", source_of("e2e", "driver.py")]
    words = [runs.shared, runs.program]
    runs.trace("subprocess", [*driver, "subprocess", *words], 3)
    for way in ("fork", "spawn", "pool"):
        runs.trace(way, [*driver, way, *words], 3, r"python3\S*")
    runs.trace("self.fork", [*driver, "self", "fork", *words], 4, r"python3\S*")


def many(runs):
    """More than the machine has processors for, at once."""
    text = f"#!/bin/sh\nfor i in $(seq {MANY}); do {runs.program} 10 & done\nwait\n"
    runs.trace("many", [runs.write("many.sh", text, 0o755)], MANY)


WAITER = """#include <unistd.h>
int main(int count, char **words)
{
    while (access(words[1], F_OK) != 0)
        usleep(10000);
#pragma omp parallel
    count++;
    while (access(words[2], F_OK) != 0)
        usleep(10000);
    return 0;
}
"""


def together(runs):
    """Two commands at once that are given one folder and find it empty: the second one takes the next, and says so."""
    program = runs.toolchain.compile(runs.write("waiter.c", WAITER), runs.path("waiter"))
    words = {name: [runs.path(f"{what}-{name}") for what in ("begin", "end")] for name in ("first", "second")}
    outs = {"first": runs.path("out"), "second": runs.path("out-2")}
    started = {}
    for name in words:
        started[name] = runs.start(name, [runs.omptape, "-o", runs.path("out"), program, *words[name]])
        wait_for(f"{name}: its program", lambda name=name: len(processes.family(started[name].pid)) > 1)
    for name, (begin, _) in words.items():
        runs.write(os.path.basename(begin), "")
        wait_for(f"{name}: its writer", lambda name=name: os.path.isdir(os.path.join(outs[name], "traces")))
    for name in words:
        runs.write(f"end-{name}", "")
        wait_for(f"{name}: its end", lambda name=name: started[name].process.poll() is not None)
    for name in words:
        ended = runs.finish(started[name])
        runs.expect(f"{name}: exit code", 0, ended.code)
        if "0 bytes on disk" in ended.output or not ended.output.endswith("vampir " + os.path.join(outs[name], "traces.otf2")):
            runs.fail(f"{name} says {ended.output}")
        if (name == "second") != ("is in use; writing to" in ended.output):
            runs.fail(f"{name} says {ended.output}")
        seen = runs.verify_archive(name, os.path.join(outs[name], "traces.otf2"), Seen())
        runs.expect(f"{name}: processes", 1, len(seen.names))
        runs.expect(f"{name}: what is there", ["traces", "traces.def", "traces.otf2"], sorted(os.listdir(outs[name])))
    # What a killed command left is in nobody's way.
    os.mkdir(runs.path("claimed"))
    os.symlink(f"{os.uname().nodename}:{2 ** 22 + 1}:1:0", runs.path("claimed", ".omptape-run"))
    ended = runs.run("claimed by the dead", [runs.omptape, "-o", runs.path("claimed"), program, *words["first"]])
    runs.expect("claimed by the dead", ["traces", "traces.def", "traces.otf2"], sorted(os.listdir(runs.path("claimed"))))


def crowd(runs, rounds=3):
    """Twelve commands at once that are given one folder, as by xargs -P: an archive for each, with what its own run did."""
    for number in range(rounds):
        folder = runs.path(f"round-{number}")
        os.mkdir(folder)
        log, out = os.path.join(folder, "log"), os.path.join(folder, "out")
        environment = runs.environment(OMP_NUM_THREADS="2", KMP_BLOCKTIME="0", WORKLOAD_LOG=log)
        # Every third one is a script with two programs, which are one run.
        script = runs.write("pair.sh", f"#!/bin/sh\n{runs.program} 3 &\n{runs.program} 2\nwait\n", 0o755)
        started = [runs.start(f"{number} {one}", [runs.omptape, "-o", out, *([script] if one % 3 == 0 else [runs.program, "2"])],
                              environment) for one in range(CROWD)]
        for one in started:
            runs.expect(f"{one.name}: exit code", 0, runs.finish(one, 200).code)
        names = sorted(name for name in os.listdir(folder) if name != "log")
        runs.expect(f"round {number}: folders", sorted(["out"] + [f"out-{one}" for one in range(2, CROWD + 1)]), names)
        with open(log, encoding="ascii") as file:
            expected = sorted(line.split()[0] for line in file)
        found, sizes = [], []
        for name in names:
            runs.expect(f"{number} {name}: what is there", ["traces", "traces.def", "traces.otf2"], sorted(os.listdir(os.path.join(folder, name))))
            seen = runs.verify_archive(f"{number} {name}", os.path.join(folder, name, "traces.otf2"), Seen())
            found += seen.names
            sizes.append(len(seen.names))
        runs.expect(f"round {number}: processes", expected, sorted(found))
        runs.expect(f"round {number}: processes of each", [1] * (CROWD - CROWD // 3) + [2] * (CROWD // 3), sorted(sizes))


def copied(runs):
    """What follows links copies finished archives: a job's, unified or not, and one whose processes were killed."""
    writers = []

    def ranks(name, *words, killed=False):
        started = []
        for rank in range(2):
            job = {"SLURM_JOB_ID": "9", "SLURM_STEP_ID": "0", "SLURM_NTASKS": "2", "SLURM_PROCID": str(rank)}
            environment = runs.environment(OMP_NUM_THREADS="2", KMP_BLOCKTIME="0", WORKLOAD_LOG=runs.path("log"), **job)
            started.append(runs.start(f"{name} {rank}", [runs.omptape, *words, "-o", runs.path(name), runs.program, "3000" if killed else "2"], environment))
        for rank in range(2) if killed else ():
            wait_for("a checkpoint", lambda rank=rank: os.path.exists(runs.path(name, f"rank-{rank}", ".omptape-checkpoint")))
        if killed:
            writers.extend(pid for one in started for pid in processes.family(one.pid))
            kill_all(writers)
        for one in started:
            one.process.wait()
        processes.wait_for_all(30)
    ranks("unified")
    ranks("separate", "--unify=off")
    ranks("killed", killed=True)
    runs.expect("unify", 0, runs.command("unify", runs.path("killed")).returncode)
    runs.expect("killed: what is there", [".omptape-job", "traces", "traces.def", "traces.otf2"], sorted(os.listdir(runs.path("killed"))))
    runs.expect("left in memory", [], [name for pid in writers for name in processes.checkpoint_folders(pid)])
    for name in ("unified", "separate", "killed"):
        runs.expect_no_links(name, runs.path(name))
        subprocess.run(["cp", "-rL", runs.path(name), runs.path(f"{name}-copy")], check=True)
        subprocess.run(["tar", "chf", runs.path(f"{name}.tar"), "-C", runs.folder, name], check=True)
        shutil.copytree(runs.path(name), runs.path(f"{name}-tree"))
    # A rank that comes late still finds its job.
    job = {"SLURM_JOB_ID": "9", "SLURM_STEP_ID": "0", "SLURM_NTASKS": "3", "SLURM_PROCID": "2"}
    late = runs.run("late", [runs.omptape, "-o", runs.path("unified"), runs.program, "2"], runs.environment(OMP_NUM_THREADS="2", WORKLOAD_LOG=runs.path("log"), **job))
    runs.expect("late", 0, late.code)
    runs.expect("late: in its job's folder", False, os.path.exists(runs.path("unified-2")))
    runs.expect_no_links("late", runs.path("unified"))


if __name__ == "__main__":
    sys.exit(main("Traces runs of several processes.",
                  {test.__name__: test for test in (make, script, python, many, together, crowd, copied)}, "runs", Runs, "19"))
