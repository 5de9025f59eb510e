#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Proves that the checkers can fail: writes a good archive of one team, and copies of it each broken in one way; the
Python checker must be content with the first and name the rule that the others break. `omptape check`, when given as
argument, must judge each alike. Usage: selftest.py FOLDER [OMPTAPE]
"""
import os
import shutil
import subprocess
import sys

import _otf2
import otf2
from otf2 import events as ev
from otf2.enums import (CommFlag, GroupFlag, GroupType, LocationGroupType, LocationType, Paradigm, ParadigmClass,
                        RegionFlag, RegionRole)

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import check  # noqa: E402


class Script:
    """The events of the good archive, by location; a fault edits them."""

    def __init__(self, folder):
        self.archive = otf2.writer.Writer(folder, "trace", timer_resolution=1000000000)
        definitions = self.archive.definitions
        machine = definitions.system_tree_node("host", "machine")
        node = definitions.system_tree_node("node", "node", parent=machine)
        process = definitions.location_group("process", LocationGroupType.PROCESS, system_tree_parent=node)
        self.locations = [definitions.location(name, LocationType.CPU_THREAD, group=process)
                          for name in ("Master thread", "OMP thread 1")]
        definitions.paradigm(Paradigm.OPENMP, "OpenMP", ParadigmClass.THREAD_FORK_JOIN)
        definitions.group("threads", GroupType.COMM_LOCATIONS, Paradigm.OPENMP, GroupFlag.NONE,
                          tuple(self.locations))
        self.team = definitions.comm("Thread team 0", self.members("team", self.locations), None, CommFlag.NONE)
        self.single = definitions.comm("Thread team 1", self.members("lone", self.locations[:1]), None, CommFlag.NONE)
        self.parallel = self.region("parallel", RegionRole.PARALLEL, 3)
        self.barrier = self.region("implicit barrier", RegionRole.IMPLICIT_BARRIER, 3)
        self.task = self.region("task", RegionRole.TASK, 5)
        self.create = self.region("create task", RegionRole.TASK_CREATE, 5)
        self.critical = self.region("critical", RegionRole.CRITICAL, 7)
        self.events = [self._master(), self._worker()]
        self.end = "finalize"

    def members(self, name, locations):
        return self.archive.definitions.group(name, GroupType.COMM_GROUP, Paradigm.OPENMP, GroupFlag.NONE,
                                              tuple(locations))

    def region(self, kind, role, line):
        name = f"!$omp {kind} @a.c:{line}"
        return self.archive.definitions.region(name, name, "main", role, Paradigm.OPENMP, RegionFlag.NONE, "/src/a.c",
                                               line, line)

    def _critical(self, time, order):
        return [ev.Enter(time, self.critical), ev.ThreadAcquireLock(time + 1, Paradigm.OPENMP, 0, order),
                ev.ThreadReleaseLock(time + 2, Paradigm.OPENMP, 0, order), ev.Leave(time + 2, self.critical)]

    def _master(self):
        return [
            ev.ProgramBegin(100, "a", ()), ev.ThreadFork(110, Paradigm.OPENMP, 2), ev.ThreadTeamBegin(110, self.team),
            ev.Enter(110, self.parallel), ev.Enter(120, self.create),
            ev.ThreadTaskCreate(120, self.team, 0, 1), ev.Leave(120, self.create), *self._critical(130, 1),
            ev.Enter(140, self.barrier), ev.Leave(190, self.barrier), ev.Leave(190, self.parallel),
            ev.ThreadTeamEnd(190, self.team), ev.ThreadJoin(190, Paradigm.OPENMP), ev.ProgramEnd(200, 0)]

    def _worker(self):
        return [
            ev.ThreadTeamBegin(115, self.team), ev.Enter(115, self.parallel), *self._critical(135, 2),
            ev.Enter(150, self.barrier), ev.ThreadTaskSwitch(160, self.team, 0, 1), ev.Enter(160, self.task),
            ev.Leave(170, self.task), ev.ThreadTaskComplete(170, self.team, 0, 1),
            ev.ThreadTaskSwitch(170, self.team, 1, 0), ev.Leave(180, self.barrier), ev.Leave(180, self.parallel),
            ev.ThreadTeamEnd(180, self.team)]

    def write(self):
        for location, events in zip(self.locations, self.events):
            writer = self.archive.event_writer_from_location(location)
            for event in events:
                writer.write(event)
        _otf2.Archive_SetProperty(self.archive._handle, "OMPTAPE::END", self.end, True)
        self.archive.close()

    def where(self, location, kind):
        """The index of the first event of a type on a location."""
        return next(i for i, event in enumerate(self.events[location]) if isinstance(event, kind))

    def drop(self, location, kind):
        del self.events[location][self.where(location, kind)]

    def change(self, location, kind, **fields):
        for name, value in fields.items():
            setattr(self.events[location][self.where(location, kind)], name, value)

    def insert(self, location, before, event):
        self.events[location].insert(self.where(location, before), event)

    def run_on_master(self, begin, end):
        """The task that the worker runs from 160 on."""
        self.events[0][-5:-5] = [ev.ThreadTaskSwitch(begin, self.team, 0, 1), ev.ThreadTaskSwitch(end, self.team, 0, 0)]

    def make_snapshot(self):
        """Of a program that went on: its end is not there."""
        self.end = "snapshot"
        self.drop(0, ev.ProgramEnd)


# name -> a change that leaves the archive good
VARIANTS = {
    "good": lambda s: None,
    "snapshot": Script.make_snapshot,
    "task that moves": lambda s: s.run_on_master(145, 160),
}
# name -> (the rule that must be named, the fault, whether `omptape check` must find it too)
FAULTS = {
    "leave missing": ("stack", lambda s: s.drop(0, ev.Leave)),
    "leave of another region": ("stack", lambda s: s.change(1, ev.Leave, region=s.task)),
    "leave of nothing": ("stack", lambda s: s.insert(1, ev.ThreadTeamBegin, ev.Leave(112, s.parallel))),
    "join missing": ("team", lambda s: s.drop(0, ev.ThreadJoin)),
    "join without fork": ("team", lambda s: s.drop(0, ev.ThreadFork)),
    "team begin missing": ("team", lambda s: s.drop(1, ev.ThreadTeamBegin)),
    "team end missing": ("team", lambda s: s.drop(1, ev.ThreadTeamEnd)),
    "team of strangers": ("team", lambda s: (s.change(1, ev.ThreadTeamBegin, thread_team=s.single),
                                             s.change(1, ev.ThreadTeamEnd, thread_team=s.single))),
    "task without creation": ("task", lambda s: s.drop(0, ev.ThreadTaskCreate)),
    "task of another thread": ("task", lambda s: s.change(0, ev.ThreadTaskCreate, creating_thread=1)),
    "task never complete": ("task", lambda s: s.drop(1, ev.ThreadTaskComplete)),
    "task twice": ("task", lambda s: s.insert(0, ev.ThreadTaskCreate, ev.ThreadTaskCreate(120, s.team, 0, 1))),
    "task in two places": ("task", lambda s: s.run_on_master(145, 165)),
    "task used too early": ("task", lambda s: s.change(0, ev.ThreadTaskCreate, generation_number=2)),
    "lock never released": ("lock", lambda s: s.drop(0, ev.ThreadReleaseLock)),
    "lock released by another order": ("lock", lambda s: s.change(1, ev.ThreadReleaseLock, acquisition_order=9)),
    "lock released elsewhere": ("lock", lambda s: (
        s.drop(0, ev.ThreadReleaseLock),
        s.insert(1, ev.ThreadAcquireLock, ev.ThreadReleaseLock(136, Paradigm.OPENMP, 0, 1)))),
    "locks out of order": ("lock", lambda s: (s.change(0, ev.ThreadAcquireLock, acquisition_order=3),
                                              s.change(0, ev.ThreadReleaseLock, acquisition_order=3))),
    "program never ends": ("program", lambda s: s.drop(0, ev.ProgramEnd)),
    "snapshot without beginning": ("program", lambda s: (s.make_snapshot(), s.drop(0, ev.ProgramBegin))),
    "snapshot of a late beginning": ("program", lambda s: (
        s.make_snapshot(), s.insert(0, ev.ThreadFork, ev.ThreadFork(100, Paradigm.OPENMP, 2)),
        s.events[0].insert(0, s.events[0].pop(1)), s.insert(0, ev.ProgramBegin, ev.ThreadJoin(100, Paradigm.OPENMP)))),
    "role": ("region", lambda s: s.events[0].insert(1, ev.Enter(101, s.region("barrier", RegionRole.CRITICAL, 1)))
             or s.events[0].insert(2, ev.Leave(101, s.events[0][1].region))),
}
# What `omptape check` does not promise: names and roles of regions are the mapping's, not an invariant of OTF2; a lock
# may change hands with a task that migrates; and a program's end need not be recorded.
NOT_FOR_OMPTAPE = {"role", "lock released elsewhere", "program never ends", "snapshot without beginning",
                   "snapshot of a late beginning"}


def judge(omptape, path):
    """Whether `omptape check` is content, and what it says."""
    done = subprocess.run([omptape, "check", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode == 0, done.stdout.decode(errors="replace").strip()


def main():
    folder, omptape = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    shutil.rmtree(folder, ignore_errors=True)
    failures = []
    for name, (rule, fault) in {**{name: (None, edit) for name, edit in VARIANTS.items()}, **FAULTS}.items():
        script = Script(os.path.join(folder, name.replace(" ", "_")))
        fault(script)
        script.write()
        path = os.path.join(folder, name.replace(" ", "_"), "trace.otf2")
        problems = check.check(path)
        if rule is None and problems:
            failures.append(f"{name}: {problems}")
        if rule is not None and not any(problem.startswith(rule + ":") for problem in problems):
            failures.append(f"{name}: no '{rule}' among {problems}")
        if omptape and name not in NOT_FOR_OMPTAPE:
            content, said = judge(omptape, path)
            if content != (rule is None):
                failures.append(f"{name}: omptape check says {said!r}")
    for failure in failures:
        print(f"FAILED: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
