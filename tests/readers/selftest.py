# SPDX-License-Identifier: BSD-3-Clause
"""Proves that each rule of assumptions.py can fail: writes an archive that keeps them all, of two processes and a
device, and copies of it each broken in one way, which that rule alone has to name.
Usage: tests/run readers.selftest FOLDER
"""
import os
import shutil
import sys

import otf2
from otf2 import events as ev
from otf2.enums import (CommFlag, GroupFlag, GroupType, LocationGroupType, LocationType, MeasurementMode,
                        MetricOccurrence, Paradigm, ParadigmClass, ParameterType, RecorderKind, RegionFlag, Type)
from otf2.enums import RegionRole as R

from readers.reading import NAMES, read

PATH = "/bin/solver"
LATE = 1000  # far behind everything


class Script:
    """The definitions and, by location, the events of the good archive; a fault edits them."""

    def __init__(self, folder):
        self.name = "traces"  # in the end
        self.archive = otf2.writer.Writer(folder, self.name, timer_resolution=1000000000)
        self.known = self.archive.definitions
        self.paradigms = [self.known.paradigm(Paradigm.OPENMP, "OpenMP", ParadigmClass.THREAD_FORK_JOIN),
                          self.known.paradigm(Paradigm.MPI, "MPI", ParadigmClass.PROCESS)]
        self.machine = self.known.system_tree_node("host", "machine")
        self.node = self.known.system_tree_node("node", "node", parent=self.machine)
        self.groups = [self.known.location_group(name, LocationGroupType.PROCESS, system_tree_parent=self.node)
                       for name in ("rank 0", "rank 1")]
        device = self.known.location_group("device", LocationGroupType.ACCELERATOR, system_tree_parent=self.node,
                                           creating_location_group=self.groups[0])
        self.locations = [self.location(name, LocationType.CPU_THREAD, thread, process)
                          for process in (0, 1) for thread, name in enumerate(("Master thread", "OMP thread 1"))]
        self.locations.append(self.location("Device memory", LocationType.METRIC, 2, 0, device))
        self.events = [[] for _ in self.locations]
        self._regions()
        self._groups()
        self._metrics()
        self.parameter = self.known.parameter("schedule", ParameterType.STRING)
        for process in (0, 1):
            self._run(process)
        self.events[4].append(ev.Metric(130, self.memory, [8]))

    def location(self, name, kind, thread, process, group=None):
        self.known.locations._ref = (thread << 32 | process) - 1
        return self.known.location(name, kind, group=group or self.groups[process])

    def region(self, name, role, paradigm=Paradigm.OPENMP, canonical=None):
        return self.known.region(name, canonical or name, "", role, paradigm, RegionFlag.NONE, "a.c", 1, 1)

    def _regions(self):
        self.artificial = self.region("solver", R.ARTIFICIAL, Paradigm.MEASUREMENT_SYSTEM, f"{PATH} -n 3")
        self.program = self.region("solver", R.FUNCTION, Paradigm.USER)
        self.parallel, self.barrier, self.wait, self.critical, self.create, self.task = (
            self.region(f"!$omp {kind} @a.c:1", role) for kind, role in (
                ("parallel", R.PARALLEL), ("implicit barrier", R.IMPLICIT_BARRIER), ("wait for team", R.CODE),
                ("critical", R.CRITICAL), ("create task", R.TASK_CREATE), ("task", R.TASK)))
        self.send = self.region("MPI_Send", R.POINT2POINT, Paradigm.MPI)

    def group(self, name, kind, paradigm, members):
        return self.known.group(name, kind, paradigm, GroupFlag.NONE, tuple(members))

    def comm(self, name, members, paradigm=Paradigm.OPENMP, parent=None):
        return self.known.comm(name, self.group(name, GroupType.COMM_GROUP, paradigm, members), parent, CommFlag.NONE)

    def _groups(self):
        self.threads = self.group("threads", GroupType.COMM_LOCATIONS, Paradigm.OPENMP, self.locations[:4])
        self.ranks = self.group("ranks", GroupType.COMM_LOCATIONS, Paradigm.MPI, self.locations[0:4:2])
        self.teams = [self.comm(f"Thread team {process}", self.locations[2 * process:2 * process + 2])
                      for process in (0, 1)]
        self.inner = self.comm("Thread team 2", self.locations[:1], parent=self.teams[0])
        self.world = self.comm("MPI_COMM_WORLD", self.locations[0:4:2], Paradigm.MPI)

    def metric(self, name, occurrence):
        member = self.known.metric_member(name, value_type=Type.UINT64)
        return self.known.metric_class([member], occurrence, RecorderKind.CPU)

    def _metrics(self):
        self.waited = self.metric("run queue wait", MetricOccurrence.ASYNCHRONOUS)
        self.memory = self.metric("Device memory in use", MetricOccurrence.ASYNCHRONOUS)

    def around(self, region, *inner, first):
        """Times count on from `first`."""
        inner = list(inner)
        return [ev.Enter(first, region), *inner, ev.Leave(inner[-1].time + 1 if inner else first + 1, region)]

    def lock(self, first, order):
        return self.around(self.critical, ev.ThreadAcquireLock(first + 1, Paradigm.OPENMP, 0, order),
                           ev.ThreadReleaseLock(first + 2, Paradigm.OPENMP, 0, order), first=first)

    def _run(self, process):
        team, begin = self.teams[process], 100 + process
        self.events[2 * process] = [
            ev.ProgramBegin(begin, PATH, ("-n", "3")), ev.Enter(begin, self.program),
            ev.Metric(110, self.waited, [5]), ev.ThreadFork(110, Paradigm.OPENMP, 2), ev.ThreadTeamBegin(111, team),
            ev.Enter(112, self.parallel), *self.lock(113, 1),
            *self.around(self.create, ev.ParameterString(121, self.parameter, "static"),
                         ev.ThreadTaskCreate(122, team, 0, 1), first=120),
            *self.around(self.barrier, *self.around(self.wait, first=131), first=130),
            ev.Leave(140, self.parallel), ev.ThreadTeamEnd(141, team), ev.ThreadJoin(142, Paradigm.OPENMP),
            *self.around(self.send, ev.MpiSend(146, 0, self.world, 1, 8), first=145),
            ev.MeasurementOnOff(150, MeasurementMode.OFF), ev.MeasurementOnOff(151, MeasurementMode.ON),
            ev.Leave(160, self.program), ev.ProgramEnd(160, 0)]
        self.events[2 * process + 1] = [
            ev.ThreadTeamBegin(113, team), ev.Enter(114, self.parallel), *self.lock(117, 2),
            ev.ThreadTaskSwitch(124, team, 0, 1), *self.around(self.task, first=125),
            ev.ThreadTaskComplete(127, team, 0, 1), ev.ThreadTaskSwitch(128, team, 1, 0),
            *self.around(self.barrier, *self.around(self.wait, first=131), first=130),
            ev.Leave(140, self.parallel), ev.ThreadTeamEnd(141, team)]

    def write(self):
        for location, events in zip(self.locations, self.events):
            writer = self.archive.event_writer_from_location(location)
            for event in events:
                writer.write(event)
        self.archive.close()

    # For faults, all on one location

    def where(self, kind, location=0):
        return next(i for i, event in enumerate(self.events[location]) if isinstance(event, kind))

    def before(self, kind, *events, location=0):
        """Puts events there, whose times are that event's or what they have."""
        place = self.where(kind, location)
        self.events[location][place:place] = events

    def after(self, kind, *events, location=0):
        place = self.where(kind, location) + 1
        self.events[location][place:place] = events

    def change(self, kind, location=0, **fields):
        for key, value in fields.items():
            setattr(self.events[location][self.where(kind, location)], key, value)

    def drop(self, kind, location=0):
        del self.events[location][self.where(kind, location)]

    def last(self, *events, location=4):
        """At the end of a location."""
        self.events[location] += events

    def out_of_order(self):
        """A region's number is lower than the one before."""
        self.known.regions._ref = 90
        self.region("later", R.CODE)
        self.known.regions._ref = 80
        self.region("earlier", R.CODE)

    def exchange_comms(self):
        self.teams[0]._ref, self.inner._ref = self.inner._ref, self.teams[0]._ref

    def leave_early(self):
        """The program's region ends before the last events."""
        self.events[0][-2:-1] = [ev.Leave(160, self.program), ev.Enter(161, self.wait), ev.Leave(162, self.wait)]
        self.change(ev.ProgramEnd, time=162)

    def begin_before(self):
        """A global offset behind the first event."""
        self.archive._update_timestamps = lambda time: None
        self.archive._first_timestamp, self.archive._last_timestamp, self.archive._realtime_timestamp = 105, 200, 1.0


def edit(definition, **fields):
    """Of a definition that was made already; the module's own properties cannot."""
    for name, value in fields.items():
        setattr(definition, "_" + name, value)


def strict(script):
    edit(script.waited, occurrence=MetricOccurrence.SYNCHRONOUS_STRICT)


# (rule, fault)
FAULTS = [
    ("name of the anchor", lambda s: setattr(s, "name", "trace")),
    ("paradigms first", lambda s: s.known._paradigms._elements.clear()),
    ("ascending references", Script.out_of_order),
    ("parents first", Script.exchange_comms),
    ("parents first", lambda s: (edit(s.machine, ref=1), edit(s.node, ref=0))),
    ("machine and node", lambda s: edit(s.node, class_name="host")),
    ("one paradigm in a communicator", lambda s: s.known.comm("all", s.threads, None, CommFlag.NONE)),
    ("one paradigm in a communicator", lambda s: s.comm("other", [0], Paradigm.MPI, s.teams[0])),
    ("locations of paradigms of threads", lambda s: edit(s.threads, members=tuple(s.locations))),
    ("locations of paradigms of threads", lambda s: edit(s.ranks, members=tuple(s.locations[2::-2]))),
    ("the ranks' numbers", lambda s: (edit(s.groups[1], ref=3), edit(s.locations[2], ref=3),
                                      edit(s.locations[3], ref=1 << 32 | 3))),
    ("numbers of locations", lambda s: edit(s.locations[3], ref=9 << 32 | 5)),
    ("numbers of locations", lambda s: (edit(s.locations[2], ref=7 << 32 | 1))),
    ("numbers of threads", lambda s: edit(s.locations[1], name="OMP thread 0")),
    ("names of threads", lambda s: edit(s.locations[1], name="OMP target 1")),
    ("no quotation marks in names", lambda s: edit(s.critical, name='!$omp critical @"a".c:1')),
    ("the program's definition", lambda s: edit(s.artificial, canonical_name=PATH)),
    ("the program's definition", lambda s: edit(s.artificial, region_role=R.FUNCTION)),
    ("types of metrics", lambda s: s.known.metric_member("float", value_type=Type.FLOAT)),
    ("metrics by class", lambda s: s.change(ev.Metric, 4, metric=s.known.metric_instance(
        s.memory, s.locations[4], scope=s.locations[4]))),
    ("strict metrics at each Enter and Leave", strict),
    ("a thread's metric has its next event's time", lambda s: s.change(ev.Metric, time=109)),
    ("a thread's metric has its next event's time", lambda s: s.change(ev.Metric, metric=s.memory)),
    ("a thread's metric has its next event's time", lambda s: s.last(ev.Metric(160, s.waited, [6]), location=0)),
    ("distinct times", lambda s: s.last(ev.Enter(LATE, s.wait), ev.Leave(LATE, s.wait))),
    ("times from the offset on", Script.begin_before),
    ("order between locations", lambda s: (s.change(ev.ThreadReleaseLock, time=119), s.change(ev.Leave, time=119))),
    ("order between locations", lambda s: s.change(ev.ThreadTaskSwitch, 1, time=121)),
    ("Enter and Leave balanced", lambda s: s.last(ev.Enter(LATE, s.wait))),
    ("Enter and Leave balanced", lambda s: s.last(ev.Leave(LATE, s.wait))),
    ("Enter and Leave balanced", lambda s: s.last(ev.Enter(LATE, s.wait), ev.Leave(LATE + 1, s.task))),
    ("a region around the program", lambda s: edit(s.program, region_role=R.CODE)),
    ("a region around the program", lambda s: edit(s.program, name="other")),
    ("a region around the program", Script.leave_early),
    ("a region has one barrier", lambda s: edit(s.wait, name="!$omp barrier wait @a.c:1")),
    ("a region has one barrier", lambda s: edit(s.wait, region_role=R.IMPLICIT_BARRIER)),
    ("messages in a region", lambda s: s.last(ev.MpiSend(LATE, 0, s.world, 1, 8))),
    ("parameters in a region", lambda s: s.last(ev.ParameterString(LATE, s.parameter, "static"))),
    ("ProgramBegin first", lambda s: s.before(ev.ProgramBegin, ev.BufferFlush(100, 100))),
    ("recording goes off before it goes on", lambda s: s.last(ev.MeasurementOnOff(LATE, MeasurementMode.ON))),
    ("a fork right before its team", lambda s: s.after(ev.ThreadFork, ev.Enter(110, s.wait), ev.Leave(111, s.wait))),
    ("a new task enters its region", lambda s: edit(s.task, region_role=R.FUNCTION)),
    ("a new task enters its region", lambda s: s.after(ev.ThreadTaskSwitch, ev.ThreadTaskSwitch(124, s.teams[0], 1, 0),
                                                       location=1)),
    ("acquisitions from 1 on", lambda s: s.last(ev.ThreadAcquireLock(LATE, Paradigm.OPENMP, 9, 0))),
    ("acquisitions from 1 on", lambda s: s.last(ev.ThreadAcquireLock(LATE, Paradigm.OPENMP, 9, 2))),
]


def check(folder, number, rule, fault):
    """What is wrong with the rules that one archive breaks."""
    folder = os.path.join(folder, str(number))
    script = Script(folder)
    fault(script)
    script.write()
    if script.name != "traces":
        for part in ("", ".def", ".otf2"):
            os.rename(os.path.join(folder, "traces" + part), os.path.join(folder, script.name + part))
    problems = read(os.path.join(folder, script.name + ".otf2")).problems
    named = {problem.partition(":")[0] for problem in problems}
    return [] if named == ({rule} if rule else set()) else [f"{number}, {rule}: {problems}"]


def main():
    folder = sys.argv[1]
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    failures = []
    for number, (rule, fault) in enumerate([("", lambda s: None), *FAULTS]):
        failures += check(folder, number, rule, fault)
    untried = set(NAMES) - {rule for rule, _ in FAULTS}
    failures += [f"nothing breaks {rule}" for rule in sorted(untried)]
    for failure in failures:
        print(f"FAILED: {failure}")
    if not failures:
        shutil.rmtree(folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
