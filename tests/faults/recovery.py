# SPDX-License-Identifier: BSD-3-Clause
"""A program, its writer, or both are killed. Without the program the writer completes the archive with every event
that was committed; without the writer `omptape unify` makes a valid archive of what had reached the disk, with all events
older than five seconds.

    tests/run faults.recovery --build BUILD --runtimes DIR [--runs N] [--seed N] PART

parts: random      programs, their writers, both, or process groups killed at random instants
       job         all ranks of a job, all writers, and the launcher
       elsewhere   writers on other hosts, and one that had made no checkpoint yet
       full_disk   the disk is full after the first checkpoint
"""
import contextlib
import os
import shutil
import signal
import sys
import time

import otf2

from faults.fault import Fault
from harness import Missing, arguments, kill_all, main, processes, wait_for
from harness.processes import family

LOST_SECONDS = 5
AT_ONCE = 8
WAYS = ("program", "writer", "both", "group")  # a writer is in no group of its program's
WHOLE = ("program", "group")
FORKS_A_STEP = 3  # one team, and one more of each of its threads
# Programs must not keep the writers, which are nicer, from the processors.
PASSIVE = {"OMP_WAIT_POLICY": "passive", "OMPTAPE_QUIET": "1"}


def read_diary(path):
    """[(steps, seconds since 1970)]; the last line may be cut."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")[:-1]
    return [(int(line.split()[0]), int(line.split()[1]) / 1e9) for line in lines]


class Process:
    """Of a process in an archive: how many teams it forked, and when its trace ends (seconds since 1970)."""

    def __init__(self):
        self.forks = 0
        self.end = 0


def read_processes(path):
    """By the location group."""
    found = {}
    with otf2.reader.open(path) as trace:
        clock = trace.definitions.clock_properties
        for location, event in trace.events:
            process = found.setdefault(location.group, Process())
            process.forks += isinstance(event, otf2.events.ThreadFork)
            process.end = max(process.end, event.time)
    for process in found.values():
        process.end = (process.end - clock.global_offset) / clock.timer_resolution + clock.realtime_timestamp / 1e9
    return found


def waited(pids):
    """Seconds for which the first threads of these processes could have run, but others had the processors."""
    seconds = 0
    for pid in pids:
        with contextlib.suppress(OSError):  # the child that made a checkpoint has ended
            with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
                seconds += int(file.read().split()[1]) / 1e9
    return seconds


def check_process(fault, name, process, diary, killed, late=0):
    """Nothing older than five seconds is missing, but for `late` more on a busy machine, and up to its end the trace is
    whole."""
    if killed - process.end > LOST_SECONDS + late:
        fault.fail(f"{name}: the trace ends {killed - process.end:.2f} s before the kill")
    # A step's line is written after it, by a clock that is read anew.
    over = max((steps for steps, when in read_diary(diary) if when < process.end - 0.01), default=0)
    if process.forks < FORKS_A_STEP * over:
        fault.fail(f"{name}: {over} steps were over when the trace ends, it has {process.forks} teams")
    return killed - process.end


def unify(fault, name, folder, code=0):
    done = fault.command("unify", os.path.join(folder, "out"))
    if done.returncode != code:
        fault.fail(f"{name}: unify ended with {done.returncode}: {done.stdout}")
    return done.stdout


def start_passive(fault, name, *words, **more):
    """The busy program, preloaded."""
    return fault.start(name, [fault.busy, *words], fault.preloaded(**PASSIVE, **more))


def kill_at_once(*programs, others=()):
    """The programs and others, all gone when this returns."""
    kill_all([*others, *(program.pid for program in programs)])
    for program in programs:
        program.process.wait()
    processes.wait_for_all(60)


class Run:
    """One program that is to be killed in one of the ways, at an instant of its own."""

    def __init__(self, fault, chance, number):
        self.fault, self.way, self.name = fault, WAYS[number % len(WAYS)], f"run {number}"
        self.folder = fault.path(self.name)
        self.diary = fault.path(self.name, "diary")
        words = ["60", chance.choice(("20000", "10000", "2000")), self.diary]
        if self.way == "group":
            started = fault.start(self.name, [fault.omptape, fault.busy, *words], fault.traced(**PASSIVE))
            self.program = wait_for(f"{self.name}: the program",
                                    lambda: processes.program_of(started.pid, fault.busy))
        else:
            started = start_passive(fault, self.name, *words)
            self.program = started.pid
        self.process = started.process
        self.writer = fault.writer(self.program)
        self.started = time.time()
        self.when = self.started + chance.choice((chance.uniform(0, 0.5), chance.uniform(0.5, 2), chance.uniform(2, 8)))
        self.killed = self.steps = self.late = 0

    def kill(self, chance):
        victims = {"program": [self.program], "writer": [], "both": [self.program], "group": []}[self.way]
        if self.way in ("writer", "both"):
            victims += family(self.writer)
        chance.shuffle(victims)
        self.late = waited([self.program, *family(self.writer)])
        self.killed = time.time()
        if self.way == "group":
            os.killpg(self.process.pid, signal.SIGKILL)
        kill_all(victims)
        self.steps = len(read_diary(self.diary))

    def end(self):
        """A program whose writer was killed goes on."""
        if self.way == "writer":
            wait_for(f"{self.name}: a step of the program without its writer",
                     lambda: len(read_diary(self.diary)) > self.steps or self.process.poll() is not None)
            self.fault.expect(f"{self.name}: the program without its writer", None, self.process.poll())
        self.process.kill()
        self.process.wait()

    def check(self):
        """How many seconds are lost; None: all, since it was killed before the first checkpoint."""
        fault, name, out = self.fault, f"{self.name} ({self.way})", os.path.join(self.folder, "out")
        path, whole = os.path.join(out, "traces.otf2"), self.way in WHOLE
        there = os.path.exists(path)
        if not there and (whole or not os.path.exists(os.path.join(out, ".omptape-checkpoint"))):
            if self.steps if whole else self.killed - self.started > LOST_SECONDS + self.late:
                fault.fail(f"{name}: no archive of {self.steps} steps in {self.killed - self.started:.2f} s")
            return None
        end = "signal 9" if there else "its writer was killed"  # it had just been completed
        said = unify(fault, name, self.folder)
        if not there and "its writer did not finish it; now it holds what was recorded until" not in said:
            fault.fail(f"{name}: unify said {said!r}")
        facts = fault.valid(name, path)
        if facts.end != end:
            fault.fail(f"{name}: the kind of end is {facts.end}")
        if "did not finish" in unify(fault, name, self.folder):
            fault.fail(f"{name}: the second unify completed it once more")
        left = sorted(os.listdir(out))
        if left not in (["traces", "traces.def", "traces.otf2"], ["traces", "traces.def", "traces.marker", "traces.otf2"]):
            fault.fail(f"{name}: in the folder is {left}")
        (process,) = read_processes(path).values()
        if whole and process.forks < FORKS_A_STEP * self.steps:
            fault.fail(f"{name}: {self.steps} steps were over, the trace has {process.forks} teams")
        return check_process(fault, name, process, self.diary, self.killed, self.late)


def kill_some(fault, chance, numbers):
    """Starts some programs and kills each; [(way, what was lost)]."""
    runs = [Run(fault, chance, number) for number in numbers]
    for run in sorted(runs, key=lambda run: run.when):
        time.sleep(max(0, run.when - time.time()))  # its instant
        run.kill(chance)
    for run in runs:
        run.end()
    for line in processes.wait_for_all(60):
        fault.fail(line)
    lost = []
    for run in runs:
        before = len(fault.problems)
        lost.append((run.way, run.check()))
        left = processes.checkpoint_folders(run.writer)
        if left and lost[-1][1] is not None:
            fault.fail(f"{run.name} ({run.way}): left in /dev/shm: {left}")
        for name in left:
            shutil.rmtree(os.path.join("/dev/shm", name))
        if len(fault.problems) == before:
            shutil.rmtree(run.folder)
    return lost


def undisturbed(fault):
    """A program that ends by itself leaves neither a checkpoint nor what it was made in."""
    for seconds in ("2.8", "10", "40"):  # the first checkpoint of a busy machine may be late, or gone between two looks
        shutil.rmtree(fault.path("undisturbed"), ignore_errors=True)
        program = start_passive(fault, "undisturbed", seconds)
        writer, seen = fault.writer(program.pid), set()
        while program.process.poll() is None:
            seen |= processes.checkpoint_folders(writer)
            time.sleep(0.01)  # between two looks
        fault.expect_own_end("undisturbed", fault.finish(program))
        if seen:
            break
    left = sorted(os.listdir(fault.path("undisturbed", "out")))
    if not seen or seen & processes.checkpoint_folders() or left != ["traces", "traces.def", "traces.otf2"]:
        fault.fail(f"undisturbed: its folders of checkpoints were {seen}; left is {left}")
    fault.valid("undisturbed", fault.path("undisturbed", "out", "traces.otf2"))


def random_instants(fault):
    """At random instants."""
    undisturbed(fault)
    chance, lost = fault.random, []
    for first in range(0, fault.options.runs, AT_ONCE):
        lost += kill_some(fault, chance, range(first, min(first + AT_ONCE, fault.options.runs)))
    for way in WAYS:
        known = sorted(seconds for one, seconds in lost if one == way and seconds is not None)
        runs = sum(one == way for one, _ in lost)
        print(f"{way}: {runs} runs killed, {len(known)} archives, {runs - len(known)} before there was anything to complete; "
              + (f"the trace ends {known[0]:.2f} to {known[-1]:.2f} s before the kill, mostly {known[len(known) // 2]:.2f}"
                 if known else "no archive"))
    print(f"{len(lost)} runs, {len(fault.problems)} problems")


def too_early(fault):
    """Killed before the first checkpoint: one line says so, and what is there stays."""
    program = start_passive(fault, "early", "60", OMPTAPE_CHECKPOINT="off")
    writer = fault.writer(program.pid)
    trace = fault.path("early", "out", "traces")
    wait_for("early: an event file", lambda: os.path.isdir(trace) and os.listdir(trace))
    kill_at_once(program, others=[writer])
    said = unify(fault, "early", program.folder, 2)
    if "it left no checkpoint" not in said or "Traceback" in said:
        fault.fail(f"early: unify said {said!r}")


def elsewhere(fault):
    """Of a writer on another host it is known that it died when it made no checkpoint for two minutes."""
    too_early(fault)
    program = start_passive(fault, "elsewhere", "60", "2000", "diary")
    writer = fault.writer(program.pid)
    out = fault.path("elsewhere", "out")
    checkpoint, claim = os.path.join(out, ".omptape-checkpoint"), os.path.join(out, ".omptape-writing")
    wait_for("elsewhere: a checkpoint", lambda: os.path.exists(checkpoint))
    kill_at_once(program, others=family(writer))
    os.unlink(claim)
    for text, words in ((f"{os.uname().nodename}:{os.getpid()}", f"process {os.getpid()} on {os.uname().nodename} is writing it"),
                        (f"{os.uname().nodename}:{2 ** 22 + 1}", "its writer was killed; omptape unify completes it"),
                        ("elsewhere:1:2:3", "it is being written, or its writer was killed")):
        os.symlink(text, claim)
        read = fault.command("report", out).stdout
        if f"the archive is not complete: {words}" not in read:
            fault.fail(f"elsewhere, {text}: {read!r}")
        os.unlink(claim)
    os.symlink("elsewhere:1:2:3", claim)
    said = unify(fault, "elsewhere", program.folder, 3)
    if "it is still being written (by process 1 on elsewhere)" not in said:
        fault.fail(f"elsewhere, at once: {said!r}")
    os.utime(checkpoint, (time.time() - 300, time.time() - 300))
    said = unify(fault, "elsewhere", program.folder)
    if "its writer did not finish it; now it holds" not in said:
        fault.fail(f"elsewhere, later: {said!r}")
    fault.valid("elsewhere", os.path.join(out, "traces.otf2"))


def job(fault):
    """All ranks of a job with all their writers, and the launcher: one archive of what there was."""
    size, mpirun = 3, shutil.which("mpirun.openmpi")
    if mpirun is None:
        raise Missing("no Open MPI")
    launcher = fault.start(
        "job", [mpirun, "--oversubscribe", "-n", str(size), "sh", "-c",
                f"exec {fault.busy} 60 10000 diary.$OMPI_COMM_WORLD_RANK"],
        fault.traced(OMP_TOOL_LIBRARIES=fault.library, OMPI_ALLOW_RUN_AS_ROOT="1",
                     OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **PASSIVE))
    folder = launcher.folder
    checkpoints = [os.path.join(folder, "out", f"rank-{rank}", ".omptape-checkpoint") for rank in range(size)]
    wait_for("job: checkpoints", lambda: all(os.path.exists(path) for path in checkpoints), 60)
    ranks = family(launcher.pid)[1:]
    writers = [pid for rank in ranks for pid in family(fault.writer(rank))]
    late = waited([*ranks, *writers])
    killed = time.time()
    kill_at_once(launcher, others=[*writers, *ranks])
    said = unify(fault, "job", folder)
    if said.count("its writer did not finish it; now it holds") != size or f"holds all {size} processes" not in said:
        fault.fail(f"job: unify said {said!r}")
    path = os.path.join(folder, "out", "traces.otf2")
    fault.valid("job", path)
    found = {group.name: process for group, process in read_processes(path).items()}
    if len(found) != size or any(name != f"rank {rank}" for rank, name in enumerate(sorted(found))):
        fault.fail(f"job: there are {sorted(found)}")
    for rank, name in enumerate(sorted(found)):
        if found[name].forks == 0:
            fault.fail(f"{name}: its trace is empty")
        check_process(fault, name, found[name], os.path.join(folder, f"diary.{rank}"), killed, late)


if __name__ == "__main__":
    own = arguments("Kills programs with their writers.")
    own.add_argument("--runs", type=int, default=AT_ONCE)
    sys.exit(main("", {"random": random_instants, "job": job, "elsewhere": elsewhere}, "fault.recovery", Fault, ("19", "14"),
                  parser=own))
