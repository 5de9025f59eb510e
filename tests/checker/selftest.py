# SPDX-License-Identifier: BSD-3-Clause
"""Proves that the checkers can fail: writes a good archive of one team and a device, and copies of it each broken in
one way; both must be content with the first, and those that have a rule for it must name what breaks the others.
Usage: tests/run checker.selftest FOLDER OMPTAPE
"""
import os
import re
import shutil
import sys

import _otf2
import otf2
from otf2 import events as ev
from otf2.enums import (Base, CollectiveOp, CommFlag, GroupFlag, GroupType, InterruptGeneratorMode, IoAccessMode,
                        IoCreationFlag, IoHandleFlag, IoOperationFlag, IoOperationMode, IoParadigmClass, IoParadigmFlag,
                        IoSeekOption, IoStatusFlag, LocationGroupType, LocationType, LockType, MeasurementMode, MetricMode,
                        Paradigm, ParadigmClass, RegionFlag, RegionRole, RmaSyncLevel, RmaWinFlag, Type)

from checker import check


SUMS = ("processor time", "run queue wait")


class Script:
    """The events of the good archive, by location; a fault edits them."""

    def __init__(self, folder, resolution=1000000000):
        self.archive = otf2.writer.Writer(folder, "traces", timer_resolution=resolution)
        definitions = self.archive.definitions
        machine = definitions.system_tree_node("host", "machine")
        node = definitions.system_tree_node("node", "node", parent=machine)
        process = definitions.location_group("process", LocationGroupType.PROCESS, system_tree_parent=node)
        self.locations = [definitions.location(name, LocationType.CPU_THREAD, group=process)
                          for name in ("Master thread", "OMP thread 1")]
        self.device = definitions.location_group("OpenMP device 0 (host)", LocationGroupType.ACCELERATOR,
                                                 system_tree_parent=node, creating_location_group=process)
        self.locations += [definitions.location(name, kind, group=self.device)
                           for name, kind in (("Device 0 stream 1", LocationType.ACCELERATOR_STREAM),
                                              ("Device 0 memory", LocationType.METRIC))]
        definitions.paradigm(Paradigm.OPENMP, "OpenMP", ParadigmClass.THREAD_FORK_JOIN)
        definitions.group("threads", GroupType.COMM_LOCATIONS, Paradigm.OPENMP, GroupFlag.NONE,
                          tuple(self.locations[:2]))
        definitions.group("Device transfers", GroupType.COMM_LOCATIONS, Paradigm.HARDWARE, GroupFlag.NONE,
                          (self.locations[2], self.locations[0]))
        self.team = definitions.comm("Thread team 0", self.members("team", self.locations[:2]), None, CommFlag.NONE)
        self.single = definitions.comm("Thread team 1", self.members("lone", self.locations[:1]), None, CommFlag.NONE)
        self.parallel = self.region("parallel", RegionRole.PARALLEL, 3)
        self.barrier = self.region("implicit barrier", RegionRole.IMPLICIT_BARRIER, 3)
        self.task = self.region("task", RegionRole.TASK, 5)
        self.create = self.region("create task", RegionRole.TASK_CREATE, 5)
        self.critical = self.region("critical", RegionRole.CRITICAL, 7)
        self.submit = self.region("target submit", RegionRole.WRAPPER, 9)
        self.kernel = self.region("target kernel", RegionRole.FUNCTION, 9)
        self.without_line()
        self.program = self.program_region("a", "a", RegionRole.FUNCTION, Paradigm.USER)
        self.artificial = self.program_region("a", "/bin/a 1 2", RegionRole.ARTIFICIAL, Paradigm.MEASUREMENT_SYSTEM)
        self.process_id = definitions.attribute("ProcessId", "", Type.UINT64)
        self.thread_id = definitions.attribute("ThreadId", "", Type.UINT64)
        self.synthesised = definitions.attribute("synthesised", "", Type.UINT8)
        self.operation = definitions.attribute("operation id", "", Type.UINT64)
        self.thread = definitions.attribute("host thread", "", Type.LOCATION)
        self.window = self.make_window((self.locations[2], self.locations[0]), Paradigm.HARDWARE)
        self.sched = definitions.metric_class([definitions.metric_member(
            name, metric_mode=MetricMode.ACCUMULATED_START, value_type=Type.UINT64) for name in SUMS])
        for name in SUMS:
            definitions.location_property(self.locations[1], name, Type.UINT64, 50)
        self.memory = definitions.metric_class([definitions.metric_member("Device memory in use", value_type=Type.UINT64)])
        self.locations.append(definitions.location("node a", LocationType.METRIC, group=process))
        self.power = definitions.metric_class([definitions.metric_member(
            "power of package-0", metric_mode=MetricMode.ABSOLUTE_NEXT, value_type=Type.DOUBLE)])
        self.events = [self._master(), self._worker(), self._stream(), [ev.Metric(150, self.memory, [8])],
                       [ev.Metric(100, self.power, [3e7]), ev.Metric(150, self.power, [1e7]), ev.Metric(200, self.power, [1e7])]]
        self.properties = {"END": "finalize", "ENERGY": "package-0:2000000", "VERSION": "1", "PID": "4711", "DEVICE::0::CLOCK::BOUND": "2"}
        self.times = {"LIVED": 200, "COMPUTING": 68, "SERIAL": 20, "BLOCKED": 0, "RUNNABLE": 0, "BARRIER": 70, "TASK_WAIT": 0, "LOCK": 4,
                      "TASK_MANAGEMENT": 0, "TRANSFER": 0, "TARGET": 3, "MPI": 0, "IDLE": 35}

    def members(self, name, locations, paradigm=Paradigm.OPENMP):
        return self.archive.definitions.group(name, GroupType.COMM_GROUP, paradigm, GroupFlag.NONE, tuple(locations))

    def make_window(self, locations, paradigm):
        members = self.members("Device transfers", locations, paradigm)
        comm = self.archive.definitions.comm("Device transfers", members, None, CommFlag.NONE)
        return self.archive.definitions.rma_win("Device transfers", comm, RmaWinFlag.NONE)

    def memory_instance(self):
        return self.archive.definitions.metric_instance(self.memory, self.locations[3], scope=self.device)

    def transfer_of_threads(self):
        """A get in a window of OpenMP's threads."""
        window = self.make_window(self.locations[:2], Paradigm.OPENMP)
        get = self.where(2, ev.RmaGet)
        self.events[2][get:get + 2] = [ev.RmaGet(136, window, 1, 8, 1), ev.RmaOpCompleteBlocking(137, window, 1)]

    def region(self, kind, role, line):
        name = f"!$omp {kind} @a.c:{line}"
        return self.archive.definitions.region(name, name, "main", role, Paradigm.OPENMP, RegionFlag.NONE, "/src/a.c",
                                               line, line)

    def program_region(self, name, canonical, role, paradigm):
        return self.archive.definitions.region(name, canonical, "", role, paradigm, RegionFlag.NONE, "", 0, 0)

    def without_line(self):
        """A region of C++ code without debug information."""
        name = "!$omp flush @ns::Buffer<float [4]>::flush(int, bool)+0x76"
        return self.archive.definitions.region(name, name, "", RegionRole.FLUSH, Paradigm.OPENMP, RegionFlag.NONE, "",
                                               0, 0)

    def own_name(self):
        """A region that a device names itself."""
        return self.archive.definitions.region("saxpy", "saxpy", "", RegionRole.FUNCTION, Paradigm.OPENMP,
                                               RegionFlag.NONE, "", 0, 0)

    def _critical(self, time, order):
        return [ev.Enter(time, self.critical), ev.ThreadAcquireLock(time + 1, Paradigm.OPENMP, 0, order),
                ev.ThreadReleaseLock(time + 2, Paradigm.OPENMP, 0, order), ev.Leave(time + 2, self.critical)]

    def _master(self):
        return [
            ev.ProgramBegin(100, "/bin/a", ("1", "2"), attributes={self.process_id: 4711}),
            ev.Enter(100, self.program), ev.ThreadFork(110, Paradigm.OPENMP, 2), ev.ThreadTeamBegin(110, self.team),
            ev.Enter(110, self.parallel), ev.Enter(120, self.create),
            ev.ThreadTaskCreate(120, self.team, 0, 1), ev.Leave(120, self.create), *self._critical(130, 1),
            ev.Enter(135, self.submit, attributes={self.operation: 7}), ev.Leave(138, self.submit),
            ev.Enter(140, self.barrier), ev.Leave(190, self.barrier), ev.Leave(190, self.parallel),
            ev.ThreadTeamEnd(190, self.team), ev.ThreadJoin(190, Paradigm.OPENMP), ev.Leave(200, self.program),
            ev.ProgramEnd(200, 0)]

    def _worker(self):
        return [
            ev.ThreadTeamBegin(115, self.team), ev.Enter(115, self.parallel), *self._critical(135, 2),
            ev.Enter(150, self.barrier), ev.ThreadTaskSwitch(160, self.team, 0, 1), ev.Enter(160, self.task),
            ev.Metric(165, self.sched, [40, 4]), ev.Leave(170, self.task), ev.ThreadTaskComplete(170, self.team, 0, 1),
            ev.ThreadTaskSwitch(170, self.team, 1, 0), ev.Leave(180, self.barrier), ev.Leave(180, self.parallel),
            ev.ThreadTeamEnd(180, self.team)]

    def _stream(self):
        """A kernel with a transfer in it. The device's clock may be ahead by 2 ns."""
        return [
            ev.Enter(134, self.kernel, attributes={self.operation: 7, self.thread: self.locations[0]}),
            ev.RmaGet(136, self.window, 1, 8, 1), ev.RmaOpCompleteBlocking(137, self.window, 1),
            ev.RmaPut(138, self.window, 1, 8, 2), ev.RmaOpCompleteBlocking(139, self.window, 2),
            ev.Leave(140, self.kernel)]

    def write(self):
        for location, events in zip(self.locations, self.events):
            writer = self.archive.event_writer_from_location(location)
            for event in events:
                writer.write(event)
        times = ((f"TIME_{key}", str(value)) for key, value in self.times.items())
        for key, value in (*self.properties.items(), *times):
            _otf2.Archive_SetProperty(self.archive._handle, f"OMPTAPE::{key}", value, True)
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

    def talk(self, change=lambda events: None):
        """The process sends itself a message and waits for itself; `change` edits the list of these events."""
        definitions = self.archive.definitions
        definitions.paradigm(Paradigm.MPI, "MPI", ParadigmClass.PROCESS)
        definitions.group("MPI", GroupType.COMM_LOCATIONS, Paradigm.MPI, GroupFlag.NONE, (self.locations[0],))
        self.times.update(SERIAL=16, MPI=4)
        comm = definitions.comm("MPI_COMM_WORLD", self.members("world", self.locations[:1], Paradigm.MPI), None, CommFlag.NONE)
        wait, barrier = (definitions.region(name, name, "", role, Paradigm.MPI, RegionFlag.NONE, "MPI", 0, 0)
                         for name, role in (("MPI_Waitall", RegionRole.POINT2POINT), ("MPI_Barrier", RegionRole.BARRIER)))
        events = [
            ev.Enter(191, wait), ev.MpiIsend(191, 0, comm, 1, 4, 1), ev.MpiIrecvRequest(192, 2),
            ev.MpiIrecv(193, 0, comm, 1, 4, 2), ev.MpiIsendComplete(193, 1), ev.Leave(194, wait), ev.Enter(195, barrier),
            ev.MpiCollectiveBegin(195), ev.MpiCollectiveEnd(196, CollectiveOp.BARRIER, comm, 2 ** 32 - 1, 0, 0),
            ev.Leave(196, barrier)]
        change(events)
        self.events[0][-2:-2] = events

    def live(self, change=lambda events: None, flags=CommFlag.CREATE_DESTROY_EVENTS):
        """The process makes a communicator, waits for itself there and frees it; `change` edits the list of these events."""
        definitions = self.archive.definitions
        definitions.paradigm(Paradigm.MPI, "MPI", ParadigmClass.PROCESS)
        definitions.group("MPI", GroupType.COMM_LOCATIONS, Paradigm.MPI, GroupFlag.NONE, (self.locations[0],))
        self.times.update(SERIAL=17, MPI=3)
        group = self.members("world", self.locations[:1], Paradigm.MPI)
        world = definitions.comm("MPI_COMM_WORLD", group, None, CommFlag.NONE)
        comm = definitions.comm("MPI Communicator 2", group, world, flags)
        dup, barrier, free = (definitions.region(name, name, "", role, Paradigm.MPI, RegionFlag.NONE, "MPI", 0, 0)
                              for name, role in (("MPI_Comm_dup", RegionRole.COLL_OTHER), ("MPI_Barrier", RegionRole.BARRIER),
                                                 ("MPI_Comm_free", RegionRole.COLL_OTHER)))
        none = 2 ** 32 - 1
        events = [
            ev.Enter(191, dup), ev.MpiCollectiveBegin(191), ev.CommCreate(192, comm),
            ev.MpiCollectiveEnd(192, CollectiveOp.CREATE_HANDLE, world, none, 0, 0), ev.Leave(192, dup),
            ev.Enter(193, barrier), ev.MpiCollectiveBegin(193), ev.MpiCollectiveEnd(194, CollectiveOp.BARRIER, comm, none, 0, 0),
            ev.Leave(194, barrier), ev.Enter(195, free), ev.MpiCollectiveBegin(195), ev.CommDestroy(196, comm),
            ev.MpiCollectiveEnd(196, CollectiveOp.DESTROY_HANDLE, comm, none, 0, 0), ev.Leave(196, free)]
        change(events)
        self.events[0][-2:-2] = events

    def access(self, change=lambda events: None):
        """The process puts something into its own window; `change` edits the list of these events."""
        definitions = self.archive.definitions
        definitions.paradigm(Paradigm.MPI, "MPI", ParadigmClass.PROCESS)
        definitions.group("MPI", GroupType.COMM_LOCATIONS, Paradigm.MPI, GroupFlag.NONE, (self.locations[0],))
        self.times.update(SERIAL=17, MPI=3)
        group = self.members("world", self.locations[:1], Paradigm.MPI)
        comm = definitions.comm("MPI_COMM_WORLD", group, None, CommFlag.NONE)
        window = definitions.rma_win("MPI Window 0", comm, RmaWinFlag.CREATE_DESTROY_EVENTS)
        create, put, free = (definitions.region(name, name, "", RegionRole.RMA, Paradigm.MPI, RegionFlag.NONE, "MPI", 0, 0)
                             for name in ("MPI_Win_create", "MPI_Put", "MPI_Win_free"))
        none = 2 ** 32 - 1
        events = [
            ev.Enter(191, create), ev.RmaCollectiveBegin(191), ev.RmaWinCreate(192, window),
            ev.RmaCollectiveEnd(192, CollectiveOp.CREATE_HANDLE, RmaSyncLevel.PROCESS, window, none, 0, 0),
            ev.Leave(192, create), ev.Enter(193, put), ev.RmaAcquireLock(193, window, 0, 0, LockType.SHARED),
            ev.RmaPut(193, window, 0, 8, 1), ev.RmaOpCompleteNonBlocking(194, window, 1),
            ev.RmaOpCompleteRemote(194, window, 1), ev.RmaReleaseLock(194, window, 0, 0),
            ev.RmaGroupSync(194, RmaSyncLevel.PROCESS, window, group), ev.Leave(194, put), ev.Enter(195, free),
            ev.RmaCollectiveBegin(195), ev.RmaWinDestroy(195, window),
            ev.RmaCollectiveEnd(196, CollectiveOp.DESTROY_HANDLE, RmaSyncLevel.PROCESS, window, none, 0, 0),
            ev.Leave(196, free)]
        change(events)
        self.events[0][-2:-2] = events

    def store(self, change=lambda events: None):
        """The process writes into a file; `change` edits the list of these events."""
        definitions = self.archive.definitions
        definitions.paradigm(Paradigm.MPI, "MPI", ParadigmClass.PROCESS)
        definitions.group("MPI", GroupType.COMM_LOCATIONS, Paradigm.MPI, GroupFlag.NONE, (self.locations[0],))
        self.times.update(SERIAL=17, MPI=3)
        group = self.members("world", self.locations[:1], Paradigm.MPI)
        comm = definitions.comm("MPI_COMM_WORLD", group, None, CommFlag.NONE)
        paradigm = definitions.io_paradigm("MPI-IO", "MPI I/O", IoParadigmClass.PARALLEL, IoParadigmFlag.NONE)
        file = definitions.io_regular_file("file", definitions.system_tree_nodes[0])
        handle = definitions.io_handle("MPI File 0", file, paradigm, IoHandleFlag.NONE, comm, None)
        first, write, last = (definitions.region(name, name, "", RegionRole.FILE_IO, Paradigm.MPI, RegionFlag.NONE, "MPI", 0, 0)
                              for name in ("MPI_File_open", "MPI_File_iwrite", "MPI_File_close"))
        events = [
            ev.Enter(191, first), ev.IoCreateHandle(192, handle, IoAccessMode.READ_WRITE, IoCreationFlag.CREATE, IoStatusFlag.NONE),
            ev.Leave(192, first), ev.Enter(193, write),
            ev.IoOperationBegin(193, handle, IoOperationMode.WRITE, IoOperationFlag.NON_BLOCKING, 8, 1),
            ev.IoOperationIssued(193, handle, 1), ev.IoOperationTest(194, handle, 1), ev.IoOperationComplete(194, handle, 8, 1),
            ev.IoSeek(194, handle, 0, IoSeekOption.FROM_START, 0), ev.Leave(194, write), ev.Enter(195, last),
            ev.IoDestroyHandle(196, handle), ev.Leave(196, last)]
        change(events)
        self.events[0][-2:-2] = events

    def run_on_master(self, begin, end):
        """The task that the worker runs from 160 on."""
        self.events[0][-6:-6] = [ev.ThreadTaskSwitch(begin, self.team, 0, 1), ev.ThreadTaskSwitch(end, self.team, 0, 0)]

    def caused_by(self, **attributes):
        """What the kernel says of its cause."""
        self.events[2][0] = ev.Enter(134, self.kernel, attributes={getattr(self, name): value
                                                                   for name, value in attributes.items()})

    def move_kernel(self, time):
        self.change(2, ev.Enter, time=time)

    def sleep(self):
        """The thread sleeps at the end of the program. It queued before it began, as its first reading says."""
        length, sums = 100000000, [50, 60000000]
        for event in self.events[0][-2:]:
            event.time += length
        self.events[0][-2:-2] = [ev.Metric(time, self.sched, sums) for time in (191, length + 199)]
        for name, value in zip(SUMS, sums):
            self.archive.definitions.location_property(self.locations[0], name, Type.UINT64, value)
        self.times.update(LIVED=self.times["LIVED"] + length, BLOCKED=length)

    def outside(self, event):
        """The event is on the device after everything else."""
        self.events[2].append(event)

    def stray(self, group):
        """A further stream, without events."""
        self.archive.definitions.location("stray", LocationType.ACCELERATOR_STREAM, group=group)

    def pause(self):
        """Threads are not recorded for a while, and the submission falls into that."""
        self.events[0][:] = [event for event in self.events[0] if getattr(event, "region", None) != self.submit]
        self.at_end(ev.MeasurementOnOff(195, MeasurementMode.OFF), ev.MeasurementOnOff(195, MeasurementMode.ON))

    def turn_round(self):
        """The other thread forks and creates the task: where times are equal, it comes second."""
        team = self.archive.definitions.comm("Thread team 2", self.members("turned", self.locations[1::-1]), None,
                                             CommFlag.NONE)
        self.events[0], self.events[1] = [one for one in self.events[1] if not isinstance(one, ev.Metric)], self.events[0]
        for event in self.events[0] + self.events[1]:
            if getattr(event, "thread_team", None) is self.team:
                event.thread_team = team
        self.caused_by(operation=7, thread=self.locations[1])

    def create_at_start(self):
        """The task's creation, on the second location, and its start, on the first, are in one tick."""
        self.turn_round()
        creation = self.events[1][5:8]
        self.events[1][5:8] = []
        for event in creation:
            event.time = 160
        self.events[1][12:12] = creation

    def hand_over(self, time):
        """The second location has the lock first, and releases it when the first location acquires it: at 131."""
        self.change(1, ev.ThreadAcquireLock, time=129, acquisition_order=1)
        self.change(1, ev.ThreadReleaseLock, time=time, acquisition_order=1)
        self.events[1][2].time, self.events[1][5].time = 128, time
        self.change(0, ev.ThreadAcquireLock, acquisition_order=2)
        self.change(0, ev.ThreadReleaseLock, acquisition_order=2)

    def make_distinct(self):
        self.properties["DISTINCT_TIMES"] = "1"
        for events in self.events:
            for before, event in zip(events, events[1:]):
                event.time = max(event.time, before.time + 1)

    def make_snapshot(self):
        """Of a program that went on: its end is not there."""
        self.properties["END"] = "snapshot"
        self.drop(0, ev.ProgramEnd)
        self.leave_program(attributes={self.synthesised: 1})

    def leave_program(self, **fields):
        """How the program's region ends."""
        at = next(i for i, event in enumerate(self.events[0]) if getattr(event, "region", None) is self.program
                  and isinstance(event, ev.Leave))
        self.events[0][at] = ev.Leave(**{"time": 200, "region": self.program, **fields})

    def at_end(self, *events):
        """The last that the first location does."""
        at = next(i for i, event in enumerate(self.events[0]) if isinstance(event, ev.ThreadJoin)) + 1
        self.events[0][at:at] = events

    def other(self, *events):
        """A thread that OpenMP does not know, with a sample and these."""
        definitions = self.archive.definitions
        place = definitions.location("pool (7)", LocationType.CPU_THREAD, group=self.locations[0].group)
        definitions.location_property(place, "other thread", Type.STRING, "pool")
        self.locations.append(place)
        self.sample()
        self.events.append([self.events[1].pop(1), *events])

    def create_thread(self, *changes):
        """A thread that the first one creates and awaits: the times of creation, begin, end and await, and their numbers."""
        definitions = self.archive.definitions
        definitions.paradigm(Paradigm.PTHREAD, "POSIX threads", ParadigmClass.THREAD_CREATE_WAIT)
        definitions.group("POSIX threads", GroupType.COMM_LOCATIONS, Paradigm.PTHREAD, GroupFlag.NONE, ())
        created, begun, ended, waited = (*changes, *((193, 1), (194, 1), (195, 1), (196, 1))[len(changes):])
        contingent = definitions.comm("POSIX threads", self.members("POSIX threads", (), Paradigm.PTHREAD), None, CommFlag.NONE)
        self.other(ev.ThreadBegin(begun[0], contingent, begun[1]), ev.ThreadEnd(ended[0], contingent, ended[1]))
        for place, name, value in ((0, "OS thread id", "4711"), (-1, "created by", 4711), (-1, "joined by", 4711)):
            definitions.location_property(self.locations[place], name, Type.STRING if place == 0 else Type.UINT64, value)
        self.at_end(ev.ThreadCreate(created[0], contingent, created[1]), ev.ThreadWait(waited[0], contingent, waited[1]))

    def sample(self, said="1", paradigm=Paradigm.SAMPLING, place=1):
        """A sample of the worker, before its event number `place`."""
        definitions = self.archive.definitions
        function = definitions.region("f", "f", "", RegionRole.FUNCTION, paradigm, RegionFlag.NONE, "/src/a.c", 0, 0)
        context = definitions.calling_context(function, definitions.source_code_location("/src/a.c", 4), None)
        generator = definitions.interrupt_generator("processor time", InterruptGeneratorMode.TIME, Base.DECIMAL, -9, 10000000)
        time = self.events[1][place].time
        self.events[1].insert(place, ev.CallingContextSample(time, context, 2**32 - 1, generator))
        self.properties["SAMPLES"] = said

    def visit_at_end(self, region):
        self.at_end(ev.Enter(195, region), ev.Leave(195, region))

    def without_program(self):
        self.events[0] = [event for event in self.events[0] if getattr(event, "region", None) is not self.program]

    def rename_program(self):
        other = self.program_region("b", "b", RegionRole.FUNCTION, Paradigm.USER)
        self.change(0, ev.Enter, region=other)
        self.leave_program(region=other)

    def restore(self):
        """From a checkpoint: nobody knows when the program ended."""
        self.properties["END"] = "its writer was killed"
        self.leave_program(attributes={self.synthesised: 1})


# name -> a change that leaves the archive good
VARIANTS = {
    "sample": lambda s: s.sample(),
    "sample of another thread": lambda s: s.other(),
    "created thread": lambda s: s.create_thread(),
    "thread whose creation is unknown": lambda s: (s.create_thread((193, 1), (194, 2**64 - 1)), s.drop(0, ev.ThreadCreate)),
    "awaited thread without a location": lambda s: (s.create_thread(), s.drop(-1, ev.ThreadBegin), s.drop(-1, ev.ThreadEnd)),
    "messages": lambda s: s.talk(),
    "window": lambda s: s.access(),
    "communicator": lambda s: s.live(),
    "file": lambda s: s.store(),
    "good": lambda s: None,
    "snapshot": Script.make_snapshot,
    "restored": Script.restore,
    "task that moves": lambda s: s.run_on_master(145, 160),
    "device without causes": lambda s: s.caused_by(),
    "device's own name": lambda s: (s.change(2, ev.Enter, region=s.own_name()),
                                    s.change(2, ev.Leave, region=s.own_name())),
    "device ahead by its bound": lambda s: s.move_kernel(133),
    "submission in a pause": Script.pause,
    "other thread forks": Script.turn_round,
    "lock handed over": lambda s: s.hand_over(130),
    "distinct times": lambda s: s.make_distinct(),
    "sleep": Script.sleep,
}
# name -> (the rules that must be named, with the topic of `omptape check` in brackets, and the fault)
FAULTS = {
    "sample that is not counted": ("[sample] sample", lambda s: s.sample(said="2")),
    "sample in no function": ("[sample] sample", lambda s: s.sample(paradigm=Paradigm.USER)),
    "region of another thread": ("metric [metric]", lambda s: s.other(ev.Enter(170, s.task), ev.Leave(170, s.task))),
    "sample before the thread": ("[sample] sample", lambda s: s.sample(place=0)),
    "thread that nobody created": ("life [lifetime]", lambda s: s.create_thread((193, 2))),
    "thread before its creation": ("life [lifetime]", lambda s: s.create_thread((195, 1))),
    "thread that ends as another": ("life [lifetime]", lambda s: s.create_thread((193, 1), (194, 1), (195, 2))),
    "thread awaited before its end": ("life [lifetime]", lambda s: s.create_thread((193, 1), (194, 1), (196, 1), (195, 1))),
    "thread that nobody awaits": ("life [lifetime]", lambda s: s.create_thread((193, 1), (194, 1), (195, 1), (196, 2))),
    "awaited thread that does not end": ("life [lifetime]", lambda s: (s.create_thread(), s.drop(-1, ev.ThreadEnd))),
    "leave missing": ("[nesting]", lambda s: s.drop(0, ev.Leave)),
    "artificial region missing": ("program", lambda s: s.change(0, ev.ProgramBegin, program_arguments=("1", "3"))),
    "artificial region entered": ("program", lambda s: s.visit_at_end(s.artificial)),
    "program not entered": ("program", Script.without_program),
    "program entered late": ("program", lambda s: s.change(0, ev.Enter, time=105)),
    "program entered twice": ("program", lambda s: s.visit_at_end(s.program)),
    "program left early": ("program", lambda s: s.leave_program(time=195)),
    "program left for unknown reasons": ("program", lambda s: s.leave_program(attributes={s.synthesised: 1})),
    "program of another name": ("program", Script.rename_program),
    "process of another number": ("program", lambda s: s.change(0, ev.ProgramBegin, attributes={s.process_id: 4712})),
    "thread beside its process": ("program", lambda s: s.change(
        0, ev.ProgramBegin, attributes={s.process_id: 4711, s.thread_id: 4711})),
    "end of a snapshot that is known": ("program", lambda s: (s.make_snapshot(), s.leave_program())),
    "leave of another region": ("[nesting]", lambda s: s.change(1, ev.Leave, region=s.task)),
    "leave of nothing": ("[nesting]", lambda s: s.insert(1, ev.ThreadTeamBegin, ev.Leave(112, s.parallel))),
    "join missing": ("[nesting]", lambda s: s.drop(0, ev.ThreadJoin)),
    "join without fork": ("[nesting]", lambda s: s.drop(0, ev.ThreadFork)),
    "team begin missing": ("[nesting]", lambda s: s.drop(1, ev.ThreadTeamBegin)),
    "team end missing": ("[nesting]", lambda s: s.drop(1, ev.ThreadTeamEnd)),
    "team of strangers": ("[team]", lambda s: (s.change(1, ev.ThreadTeamBegin, thread_team=s.single),
                                               s.change(1, ev.ThreadTeamEnd, thread_team=s.single))),
    "fork without a team": ("team", lambda s: s.at_end(ev.ThreadFork(195, Paradigm.OPENMP, 2),
                                                        ev.ThreadJoin(195, Paradigm.OPENMP))),
    "two teams in a fork": ("team", lambda s: (s.insert(0, ev.ThreadJoin, ev.ThreadTeamBegin(190, s.single)),
                                               s.insert(0, ev.ThreadJoin, ev.ThreadTeamEnd(190, s.single)))),
    "team before its fork": ("team [team]", lambda s: s.change(1, ev.ThreadTeamBegin, time=105)),
    "team after its join": ("team", lambda s: s.change(1, ev.ThreadTeamEnd, time=195)),
    "team begins in its fork's tick": ("team [team]", lambda s: (
        s.turn_round(), s.change(0, ev.ThreadTeamBegin, time=110))),
    "task starts in its creation's tick": ("task [task]", Script.create_at_start),
    "lock acquired in its release's tick": ("lock [lock]", lambda s: s.hand_over(131)),
    "times not distinct": ("time [time]", lambda s: (
        s.make_distinct(), s.change(0, ev.ThreadJoin, time=s.events[0][s.where(0, ev.ThreadJoin) - 1].time))),
    "task without creation": ("[task]", lambda s: s.drop(0, ev.ThreadTaskCreate)),
    "task of another thread": ("[task]", lambda s: s.change(0, ev.ThreadTaskCreate, creating_thread=1)),
    "task never complete": ("[task]", lambda s: s.drop(1, ev.ThreadTaskComplete)),
    "task twice": ("[task]", lambda s: s.insert(0, ev.ThreadTaskCreate, ev.ThreadTaskCreate(120, s.team, 0, 1))),
    "task in two places": ("[task]", lambda s: s.run_on_master(145, 165)),
    "task used too early": ("[task]", lambda s: s.change(0, ev.ThreadTaskCreate, generation_number=2)),
    "task of another team": ("task", lambda s: (s.insert(0, ev.ThreadTaskCreate, ev.ThreadTaskCreate(120, s.single, 0, 1)),
                                                s.insert(0, ev.Leave, ev.ThreadTaskComplete(120, s.single, 0, 1)))),
    "task completes where another one runs": ("task", lambda s: (
        s.insert(1, ev.ThreadTaskComplete, ev.ThreadTaskSwitch(170, s.team, 1, 0)))),
    "generation left out": ("task", lambda s: (
        s.change(0, ev.ThreadTaskCreate, generation_number=2), s.change(1, ev.ThreadTaskSwitch, generation_number=2),
        s.change(1, ev.ThreadTaskComplete, generation_number=2))),
    "lock never released": ("[lock]", lambda s: s.drop(0, ev.ThreadReleaseLock)),
    "lock released by another order": ("[lock]", lambda s: s.change(1, ev.ThreadReleaseLock, acquisition_order=9)),
    "lock released elsewhere": ("lock", lambda s: (
        s.drop(0, ev.ThreadReleaseLock),
        s.insert(1, ev.ThreadAcquireLock, ev.ThreadReleaseLock(136, Paradigm.OPENMP, 0, 1)))),
    "locks out of order": ("[lock]", lambda s: (s.change(0, ev.ThreadAcquireLock, acquisition_order=3),
                                                s.change(0, ev.ThreadReleaseLock, acquisition_order=3))),
    "program never ends": ("program", lambda s: s.drop(0, ev.ProgramEnd)),
    "snapshot without beginning": ("program", lambda s: (s.make_snapshot(), s.drop(0, ev.ProgramBegin))),
    "snapshot of a late beginning": ("program", lambda s: (
        s.make_snapshot(), s.insert(0, ev.ProgramBegin, ev.ThreadFork(100, Paradigm.OPENMP, 2)),
        s.insert(0, ev.ProgramBegin, ev.ThreadJoin(100, Paradigm.OPENMP)))),
    "operation that nobody asked for": ("device [device]", lambda s: s.caused_by(operation=8)),
    "operation of another thread": ("device [device]", lambda s: s.caused_by(operation=7, thread=s.locations[1])),
    "device far ahead": ("device [device]", lambda s: s.move_kernel(131)),
    "transfer outside of regions": ("device [device]", lambda s: (
        s.outside(ev.RmaGet(150, s.window, 1, 8, 3)), s.outside(ev.RmaOpCompleteBlocking(150, s.window, 3)))),
    "transfer without end": ("[rma]", lambda s: s.drop(2, ev.RmaOpCompleteBlocking)),
    "transfer that ends elsewhere": ("[rma]", lambda s: (
        s.drop(2, ev.RmaOpCompleteBlocking), s.insert(1, ev.Leave, ev.RmaOpCompleteBlocking(137, s.window, 1)))),
    "matching id again": ("device [device]", lambda s: (
        s.change(2, ev.RmaPut, matching_id=1), s.events[2].pop(4),
        s.events[2].insert(4, ev.RmaOpCompleteBlocking(139, s.window, 1)))),
    "remote beyond the window": ("device [rma]", lambda s: s.change(2, ev.RmaGet, remote=2)),
    "transfer with itself": ("device", lambda s: s.change(2, ev.RmaGet, remote=0)),
    "memory below zero": ("device [device]", lambda s: s.change(3, ev.Metric, values=[2 ** 64 - 8])),
    "power below zero": ("power [metric]", lambda s: s.change(4, ev.Metric, values=[-1.0])),
    "power of more energy": ("power", lambda s: s.change(4, ev.Metric, values=[3.1e7])),
    "power of a thread": ("power", lambda s: s.events[1].append(ev.Metric(185, s.power, [1.0]))),
    "metric by an instance": ("device", lambda s: s.change(3, ev.Metric, metric=s.memory_instance())),
    "transfer of threads": ("device", lambda s: s.transfer_of_threads()),
    "metric elsewhere": ("device", lambda s: s.events[2].append(s.events[3].pop())),
    "event of a thread among metrics": ("metric [metric]", lambda s: s.events[3].append(ev.MeasurementOnOff(160, MeasurementMode.ON))),
    "processor time that shrinks": ("metric [metric]", lambda s: s.events[1].append(ev.Metric(185, s.sched, [40, 3]))),
    "processor time beyond the last": ("metric", lambda s: s.events[1].append(ev.Metric(185, s.sched, [51, 4]))),
    "thread events on a device": ("device", lambda s: (
        s.outside(ev.ThreadFork(150, Paradigm.OPENMP, 2)), s.outside(ev.ThreadJoin(150, Paradigm.OPENMP)))),
    "stream in a process": ("device [definition]", lambda s: s.stray(s.locations[0].group)),
    "device of nobody": ("device [definition]", lambda s: s.stray(s.archive.definitions.location_group(
        "OpenMP device 1 (host)", LocationGroupType.ACCELERATOR, system_tree_parent=s.device.system_tree_parent))),
    "kernel's name on a thread": ("region", lambda s: s.visit_at_end(s.own_name())),
    "time that is missing": ("time", lambda s: s.times.update(IDLE=34)),
    "time of another kind": ("time", lambda s: s.times.update(BARRIER=67, TASK_WAIT=3)),
    "serial time of nobody": ("time", lambda s: s.times.update(IDLE=30, SERIAL=25)),
    "longer than the trace": ("time", lambda s: s.times.update(IDLE=40, LIVED=205)),
    "message that nobody gets": ("mpi", lambda s: s.talk(lambda events: events.__delitem__(slice(2, 4)))),
    "message of nobody": ("mpi", lambda s: s.talk(lambda events: (events.pop(4), events.pop(1)))),
    "message that shrinks": ("mpi", lambda s: s.talk(lambda events: setattr(events[3], "msg_length", 3))),
    "message before it is sent": ("mpi", lambda s: s.talk(lambda events: (
        setattr(events[1], "time", 193), setattr(events[3], "time", 192), events.insert(3, events.pop(1))))),
    "request that ends twice": ("mpi", lambda s: s.talk(lambda events: events.insert(5, events[4]))),
    "request that begins twice": ("mpi", lambda s: s.talk(lambda events: events.insert(3, events[2]))),
    "receiver beyond the communicator": ("mpi", lambda s: s.talk(lambda events: setattr(events[1], "receiver", 1))),
    "collective operation without begin": ("mpi", lambda s: s.talk(lambda events: events.pop(7))),
    "communicator that is not made": ("mpi [communicator]", lambda s: s.live(lambda events: events.pop(2))),
    "communicator that is made twice": ("mpi [communicator]", lambda s: s.live(lambda events: events.insert(2, events[2]))),
    "communicator after its end": ("mpi [communicator]", lambda s: s.live(lambda events: events.insert(3, ev.CommDestroy(192, events[2].communicator)))),
    "communicator that is always there": ("mpi [communicator]", lambda s: s.live(flags=CommFlag.NONE)),
    "communicator that is made as it is freed": ("mpi", lambda s: s.live(
        lambda events: setattr(events[3], "collective_op", CollectiveOp.DESTROY_HANDLE))),
    "window that is not made": ("mpi", lambda s: s.access(lambda events: events.pop(2))),
    "window that is made twice": ("mpi", lambda s: s.access(lambda events: events.insert(2, events[2]))),
    "window after its end": ("mpi", lambda s: s.access(lambda events: events.insert(3, ev.RmaWinDestroy(192, events[2].win)))),
    "step without begin": ("mpi", lambda s: s.access(lambda events: events.pop(1))),
    "operation that is never complete": ("mpi", lambda s: s.access(lambda events: events.pop(9))),
    "operation that is complete twice": ("mpi", lambda s: s.access(lambda events: events.insert(9, events[9]))),
    "rank beyond the window": ("mpi [rma]", lambda s: s.access(lambda events: setattr(events[7], "remote", 1))),
    "lock that is kept": ("mpi", lambda s: s.access(lambda events: events.pop(10))),
    "lock that nobody has": ("mpi", lambda s: s.access(lambda events: events.pop(6))),
    "file that is not opened": ("mpi", lambda s: s.store(lambda events: events.pop(1))),
    "file that is opened twice": ("mpi", lambda s: s.store(lambda events: events.insert(1, events[1]))),
    "file after its end": ("mpi", lambda s: s.store(lambda events: events.insert(8, ev.IoDestroyHandle(194, events[8].handle)))),
    "write that has no end": ("mpi [io]", lambda s: s.store(lambda events: events.pop(7))),
    "write that has no begin": ("mpi [io]", lambda s: s.store(lambda events: events.pop(4))),
    "write that begins twice": ("mpi [io]", lambda s: s.store(lambda events: events.insert(4, events[4]))),
    "write that ends twice": ("mpi [io]", lambda s: s.store(lambda events: events.insert(7, events[7]))),
    "write that is not issued": ("mpi", lambda s: s.store(lambda events: events.pop(5))),
    "write of more than was asked": ("mpi", lambda s: s.store(lambda events: setattr(events[7], "bytes_result", 9))),
    "barrier with a root": ("mpi", lambda s: s.talk(lambda events: setattr(events[8], "root", 0))),
    "role": ("region", lambda s: s.visit_at_end(s.region("barrier", RegionRole.CRITICAL, 1))),
}
# What `omptape check` does not promise: names and roles of regions, one team a fork and generations without gaps are the
# mapping's, not an invariant of OTF2; a lock may change hands with a task that migrates; a program's end need not be
# recorded; a location may transfer to itself.
OWN = re.compile(r"^omptape check: .*?\[(\w+)\]")


def expect_rules(name, rules, problems):
    """What is wrong with the verdicts on one archive."""
    named = {one.partition(":")[0] for one in problems} | {f"[{topic}]" for one in problems for topic in OWN.findall(one)}
    if not rules and problems or "omptape check" in named and not any(rule.startswith("[") for rule in rules):
        return [f"{name}: {problems}"]
    return [f"{name}: no '{rule}' among {problems}" for rule in rules if rule not in named]


def main():
    folder, omptape = sys.argv[1:]
    shutil.rmtree(folder, ignore_errors=True)
    failures = []
    for name, (rules, fault) in {**{name: ("", edit) for name, edit in VARIANTS.items()}, **FAULTS}.items():
        script = Script(os.path.join(folder, name.replace(" ", "_")))
        fault(script)
        script.write()
        path = os.path.join(folder, name.replace(" ", "_"), "traces.otf2")
        failures += expect_rules(name, rules.split(), check.check(omptape, path))
    for failure in failures:
        print(f"FAILED: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
