# SPDX-License-Identifier: BSD-3-Clause
"""Archives for the tests of the page's timeline: devices, states of threads, many alike threads, many visits."""
import otf2
from otf2.enums import CommFlag, GroupFlag, GroupType, LocationGroupType, LocationType, MetricMode, Paradigm, RegionRole, Type

from export.making import Making


def write_device(folder):
    """A thread, a device's stream that has a kernel in the first half and a transfer in the second, and its memory."""
    with otf2.writer.open(folder, timer_resolution=1000000000) as archive:
        definitions = archive.definitions
        root = definitions.system_tree_node("node")
        process = definitions.location_group("process", LocationGroupType.PROCESS, system_tree_parent=root)
        device = definitions.location_group("OpenMP device 0", LocationGroupType.ACCELERATOR, system_tree_parent=root,
                                            creating_location_group=process)
        thread = definitions.location("Master thread", group=process)
        stream = definitions.location("Device 0 stream 1", LocationType.ACCELERATOR_STREAM, group=device)
        memory = definitions.location("Device 0 memory", LocationType.METRIC, group=device)
        program = definitions.region("program", paradigm=Paradigm.USER)
        kernel = definitions.region("kernel @a.c:5", region_role=RegionRole.FUNCTION, paradigm=Paradigm.CUDA)
        copy = definitions.region("copy to device", region_role=RegionRole.DATA_TRANSFER, paradigm=Paradigm.CUDA)
        level = definitions.metric_class([definitions.metric_member("in use", unit="bytes", value_type=Type.UINT64,
                                                                    metric_mode=MetricMode.ABSOLUTE_POINT)])
        for location, visits in ((thread, [(0, 2000000, program)]), (stream, [(0, 1000000, kernel), (1000000, 2000000, copy)])):
            writer = archive.event_writer_from_location(location)
            for begin, end, region in visits:
                writer.enter(1000 + begin, region)
                writer.leave(1000 + end, region)
        writer = archive.event_writer_from_location(memory)
        writer.metric(1001000, level, [4096])
# Of t0: asleep for half of the first 10 ms, without a processor for half of the second, on one in the third.
READINGS = ((0, 0), (5, 0), (10, 5), (20, 5))
MS = 1000000


def write_states(folder, threads):
    """Threads that are in one region for 30 ms, of which the first has readings of the kernel's sums in every 10 ms; and a thread
    of the program that OpenMP does not know, which has readings, and which t0 creates and awaits."""
    with otf2.writer.open(folder, timer_resolution=10**9) as archive:
        definitions = archive.definitions
        process = definitions.location_group("process", LocationGroupType.PROCESS,
                                             system_tree_parent=definitions.system_tree_node("node"))
        region = definitions.region("!$omp parallel @a.c:1", region_role=RegionRole.PARALLEL, paradigm=Paradigm.OPENMP)
        inner = definitions.region("!$omp critical @a.c:2", region_role=RegionRole.CRITICAL, paradigm=Paradigm.OPENMP)
        members = [definitions.metric_member(name, unit="ns", value_type=Type.UINT64, metric_mode=MetricMode.ACCUMULATED_START)
                   for name in ("processor time", "run queue wait", "system time")]
        sums = definitions.metric_class(members)
        # Two numbers that are something else.
        others = definitions.metric_class([definitions.metric_member(name, unit="#", value_type=Type.UINT64,
                                                                     metric_mode=MetricMode.ACCUMULATED_START) for name in ("one", "two")])
        definitions.group("threads", GroupType.COMM_LOCATIONS, Paradigm.PTHREAD, GroupFlag.NONE, ())
        contingent = definitions.comm("threads", definitions.group("threads", GroupType.COMM_GROUP, Paradigm.PTHREAD, GroupFlag.NONE, ()),
                                      None, CommFlag.NONE)
        for number in range(threads):
            place = definitions.location(f"t{number}", group=process)
            definitions.location_property(place, "OS thread id", Type.STRING, f"{5 + number}")
            writer = archive.event_writer_from_location(place)
            writer.enter(1000, region)
            if number == 0:
                writer.thread_create(1000, contingent, 1)
            for i, (running, queued) in enumerate(READINGS):
                if number == 0:
                    writer.metric(1000 + 10 * i * MS, sums, [running * MS, queued * MS, 0])
                else:
                    writer.metric(1000 + 10 * i * MS, others, [running * MS, queued * MS])
                if number == 1 and i == 0: # and is in the region itself from then on
                    writer.enter(1000 + 11 * MS // 10, inner)
                    writer.leave(1000 + 12 * MS // 10, inner)
            if number == 0:
                writer.thread_wait(1000 + 30 * MS, contingent, 1)
            writer.leave(1000 + 30 * MS, region)
        other = definitions.location("logger (7)", LocationType.METRIC, group=process)
        definitions.location_property(other, "other thread", Type.STRING, "logger")
        definitions.location_property(other, "created by", Type.UINT64, 5)
        definitions.location_property(other, "joined by", Type.UINT64, 5)
        writer = archive.event_writer_from_location(other)
        writer.thread_begin(1000, contingent, 1)
        for i, (running, queued) in enumerate(READINGS):
            writer.metric(1000 + 10 * i * MS, sums, [running * MS, queued * MS, 0])
        writer.thread_end(1000 + 30 * MS, contingent, 1)
    return folder


def write_alike(folder, processes, threads):
    """Threads that wait at a barrier for a third of the time, and one in the middle that computes for all of it."""
    with otf2.writer.open(folder, timer_resolution=10**9) as archive:
        definitions = archive.definitions
        region = definitions.region("!$omp parallel @a.c:1", region_role=RegionRole.PARALLEL, paradigm=Paradigm.OPENMP)
        wait = definitions.region("!$omp implicit barrier @a.c:1", region_role=RegionRole.IMPLICIT_BARRIER, paradigm=Paradigm.OPENMP)
        node = definitions.system_tree_node("node")
        for number in range(processes * threads):
            if number % threads == 0:
                process = definitions.location_group(f"rank {number // threads}", LocationGroupType.PROCESS, system_tree_parent=node)
            writer = archive.event_writer_from_location(definitions.location(f"t{number}", group=process))
            writer.enter(1000, region)
            if number != processes * threads // 2:
                writer.enter(1000 + 20 * MS, wait)
                writer.leave(1000 + 30 * MS, wait)
            writer.leave(1000 + 30 * MS, region)
    return folder


def write_long(folder):
    """12,000 loops, of which three are longer than the others, on two threads, with an arrow between neighbours."""
    def stretch(number, thread):
        length = {(3000, 0): 900, (1000, 1): 800, (5000, 0): 700}.get((number, thread), 400)
        return [(number * 1000, "enter", "for"), (number * 1000 + length, "leave", "for")]
    Making(folder, [[event for number in range(6000) for event in stretch(number, thread)] for thread in range(2)])
    return folder
