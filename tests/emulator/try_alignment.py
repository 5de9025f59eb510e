# SPDX-License-Identifier: BSD-3-Clause
"""Proves that the comparison with the truth can fail: writes an archive with a device that shows what a truth says,
and others that differ from it in one way, which must be found. Usage: tests/run emulator.try_alignment FOLDER
"""
import os
import shutil
import sys

import otf2
from otf2 import events as ev
from otf2.enums import (CommFlag, GroupFlag, GroupType, LocationGroupType, LocationType, Paradigm, ParadigmClass,
                        RegionFlag, RegionRole, RmaWinFlag, Type)

from emulator import alignment
from emulator.device_facts import DeviceFacts
from emulator.truth import Record
from harness.archives import Archive

BEGIN = 1000000


def record(kind, operation, begin, end, **more):
    values = {"target": 7, "fate": "buffered", "delivered": 1, "damage": frozenset(), "bytes": 64, **more}
    return Record(device=0, kind=kind, operation=operation, begin=begin, end=end, device_begin=0, device_end=0, read=1,
                  **values)


class Truth:
    """Three operations of one construct; what was not delivered is none."""

    def __init__(self):
        self.records = [record("to", 1, BEGIN + 100, BEGIN + 200), record("kernel", 2, BEGIN + 300, BEGIN + 900),
                        record("from", 3, BEGIN + 1000, BEGIN + 1100),
                        record("kernel", 4, BEGIN + 1200, BEGIN + 1300, fate="dropped", delivered=0)]

    def of(self, *kinds):
        return [one for one in self.records if one.kind in kinds]


def write(folder, shift, without, twice, target, size):
    """An archive of 1 GHz that shows the truth, the kernel `shift` ns later."""
    with otf2.writer.open(folder, timer_resolution=1000000000) as archive:
        definitions = archive.definitions
        node = definitions.system_tree_node("node", "node")
        group = definitions.location_group("device", LocationGroupType.ACCELERATOR, system_tree_parent=node)
        stream = definitions.location("stream", LocationType.ACCELERATOR_STREAM, group=group)
        definitions.paradigm(Paradigm.OPENMP, "OpenMP target", ParadigmClass.ACCELERATOR)
        definitions.group("devices", GroupType.COMM_LOCATIONS, Paradigm.OPENMP, GroupFlag.NONE, (stream,))
        members = definitions.group("", GroupType.COMM_GROUP, Paradigm.OPENMP, GroupFlag.NONE, (stream,))
        window = definitions.rma_win("memory", definitions.comm("devices", members, None, CommFlag.NONE),
                                     RmaWinFlag.NONE)
        operation = definitions.attribute("operation id", "", Type.UINT64)
        construct = definitions.attribute("target id", "", Type.UINT64)
        region = definitions.region("kernel", "kernel", "", RegionRole.FUNCTION, Paradigm.OPENMP,
                                    RegionFlag.NONE, "", 0, 0)
        writer = archive.event_writer_from_location(stream)

        def kernel(begin, end):
            writer.write(ev.Enter(begin, region, attributes={operation: 2, construct: target}))
            writer.write(ev.Leave(end, region))

        writer.write(ev.Enter(BEGIN, region))
        writer.write(ev.RmaGet(BEGIN + 100, window, 0, size, 11, attributes={operation: 1, construct: 7}))
        writer.write(ev.RmaOpCompleteBlocking(BEGIN + 200, window, 11))
        if not without:
            kernel(BEGIN + 300 + shift, BEGIN + 900 + shift)
        if twice:
            kernel(BEGIN + 950, BEGIN + 960)
        writer.write(ev.RmaPut(BEGIN + 1000, window, 0, 64, 12, attributes={operation: 3, construct: 7}))
        writer.write(ev.RmaOpCompleteBlocking(BEGIN + 1100, window, 12))
        writer.write(ev.Leave(BEGIN + 2000, region))


def compare(folder, shift=0, without=False, twice=False, target=7, size=64):
    shutil.rmtree(folder, ignore_errors=True)
    write(folder, shift, without, twice, target, size)
    facts = DeviceFacts()
    with Archive(os.path.join(folder, "traces.otf2")) as archive:
        for location, event in archive.events():
            facts(location, event)
        facts.archive(archive)
    facts.first, facts.last = BEGIN, BEGIN + 2000  # python3-otf2 writes no length of the trace
    return alignment.compare(Truth(), facts), facts


def main():
    folder = os.path.join(sys.argv[1], "archive")
    failed = []

    def expect(what, holds, result):
        if not holds:
            failed.append(f"{what}: {result}")

    good, facts = compare(folder)
    expect("good", not (good.missing or good.surplus or good.wrong or facts.problems), good)
    expect("good errors", len(good.errors) == 6 and good.quantile(1) == 0, good)
    moved, _ = compare(folder, shift=40)
    expect("moved", moved.quantile(1) == 40 and moved.quantile(.5) == 0, moved)
    without, _ = compare(folder, without=True)
    expect("without", [one[0].operation for one in without.missing] == [2], without)
    twice, _ = compare(folder, twice=True)
    expect("twice", [one[0].operation for one in twice.surplus] == [2], twice)
    expect("target", compare(folder, target=8)[0].wrong, "a wrong target id was not found")
    expect("bytes", compare(folder, size=65)[0].wrong, "a wrong size was not found")
    expect("host", len(alignment.compare_host_observed(Truth(), facts)) == 1, "a missing operation was not found")
    for line in failed:
        print(f"FAILED: {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
