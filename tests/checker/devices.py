# SPDX-License-Identifier: BSD-3-Clause
"""Checks of devices: where their locations are, that their events follow from what the host did, that transfers have a
window and a region around them, and that memory in use stands on its own location and is never negative."""
import math
import re

from otf2.enums import LocationGroupType, LocationType, Paradigm

from checker.report import Check, name_of

_GROUP = re.compile(r"(?P<kind>OpenMP|CUDA) device (?P<number>\d+)")
FIRST_CUDA_DEVICE = 0x4000  # of the properties' numbers
MEMORY = "Device memory in use"


def attribute(event, name):
    """The value of the event's attribute of this name; None: it has none."""
    for one, value in (event.attributes or {}).items():
        if one.name == name:
            return value
    return None


def on_device(location):
    return location.group.location_group_type == LocationGroupType.ACCELERATOR


class Devices(Check):
    def __init__(self, archive, report, partial):
        super().__init__(archive, report, partial)
        self._hosts = {}    # (process, operation id) -> (location, begin)
        self._caused = []   # (location, time, operation id, host thread): asked when all host operations are known
        self._matches = set()
        self._memory = {}   # metric -> the places of memory in use among its values
        self._depths = {}
        self._hz = archive.definitions.clock_properties.timer_resolution
        self._bounds = {}

    def handler(self, location, kind):
        name = kind.__name__
        if name == "Metric":
            return self._metric
        if not on_device(location):
            return self._host if name == "Enter" else None
        known = {"Enter": self._enter, "Leave": self._leave}
        if name in known:
            return known[name]
        if name.startswith("Rma"):
            return self._transfer
        return self._no_devices if name.startswith(("Thread", "Program")) else None

    def _host(self, location, event):
        operation = attribute(event, "operation id") if event.attributes else None
        if operation is not None:
            self._hosts.setdefault((location.group, operation), (location, event.time))

    def _enter(self, location, event):
        self._depths[location] = self._depths.get(location, 0) + 1
        operation = attribute(event, "operation id")
        if operation is not None:
            self._caused.append((location, event.time, operation, attribute(event, "host thread")))

    def _leave(self, location, _):
        self._depths[location] = self._depths.get(location, 0) - 1

    def _no_devices(self, location, event):
        self.report.add("device", f"{name_of(location)}: {type(event).__name__} on a device")

    def _transfer(self, location, event):
        kind = type(event).__name__
        if self._depths.get(location, 0) <= 0:
            self.report.add("device", f"{name_of(location)}: {kind} outside of all regions")
        if kind not in ("RmaGet", "RmaPut"):
            return
        if (event.win, event.matching_id) in self._matches:
            self.report.add("device", f"{name_of(location)}: another transfer has the matching id {event.matching_id}")
        self._matches.add((event.win, event.matching_id))
        if event.win.comm.group.paradigm == Paradigm.OPENMP:
            self.report.add("device", f"{name_of(location)}: a transfer in a communicator of OpenMP's threads")
        members = event.win.comm.group.members
        if not 0 <= event.remote < len(members):
            self.report.add("device", f"{name_of(location)}: remote {event.remote} of {len(members)} in the window")
        elif members[event.remote] == location:
            self.report.add("device", f"{name_of(location)}: a transfer with itself")

    def _metric(self, location, event):
        if hasattr(event.metric, "metric_class"):
            self.report.add("device", f"{name_of(location)}: a metric by its instance")
            return
        numbers = self._memory.get(event.metric)
        if numbers is None:
            numbers = self._memory[event.metric] = [number for number, one in enumerate(event.metric.members) if one.name == MEMORY]
        for number in numbers:
            if location.type != LocationType.METRIC:
                self.report.add("device", f"{name_of(location)} is no place for memory in use")
            if not 0 <= event.values[number] < 2 ** 63:
                self.report.add("device", f"{name_of(location)}: {event.values[number]} bytes in use")

    @staticmethod
    def _number(match):
        return int(match["number"]) + (FIRST_CUDA_DEVICE if match["kind"] == "CUDA" else 0)

    def _bound(self, location):
        """How far the device's times may be off, in ticks; the property is rounded to ns."""
        group = location.group
        if group not in self._bounds:
            match = _GROUP.match(group.name)
            said = None
            if match:
                said = self.archive.value_of(group.creating_location_group,
                                             f"DEVICE::{self._number(match)}::CLOCK::BOUND")
            self._bounds[group] = math.ceil((float(said) + 1) * self._hz / 1e9) if said is not None else 0
        return self._bounds[group]

    def finish(self):
        self._places()
        if self.partial or not self._hosts:
            return
        for location, time, operation, thread in self._caused:
            host, begin = self._hosts.get((location.group.creating_location_group, operation), (None, 0))
            if host is None:
                self.report.add("device", f"{name_of(location)}: operation {operation} at {time} is nobody's")
                continue
            if thread is not None and thread != host:
                self.report.add("device", f"{name_of(location)}: operation {operation} is of {name_of(host)}, not of "
                                          f"{name_of(thread)}")
            if time < begin - self._bound(location):
                self.report.add("device", f"{name_of(location)}: operation {operation} begins at {time}, on the host "
                                          f"not before {begin}")

    def _places(self):
        for location in self.archive.locations:
            stream = location.type == LocationType.ACCELERATOR_STREAM
            if stream and not on_device(location):
                self.report.add("device", f"{name_of(location)} is a device's stream in a group of another type")
            if location.type == LocationType.CPU_THREAD and on_device(location):
                self.report.add("device", f"{name_of(location)} is a thread in a device's group")
        for group in self.archive.definitions.location_groups:
            if group.location_group_type != LocationGroupType.ACCELERATOR:
                continue
            creator = group.creating_location_group
            if creator is None or creator.location_group_type != LocationGroupType.PROCESS:
                self.report.add("device", f'"{group.name}" is not of a process')
