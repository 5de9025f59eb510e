# SPDX-License-Identifier: BSD-3-Clause
"""What an archive shows on its devices: an observer of the checker that collects every interval on an accelerator
location, with the identity of the host operation that caused it.
"""
from dataclasses import dataclass

from otf2.enums import LocationGroupType, LocationType

_WHAT = {"RmaGet": "to", "RmaPut": "from"}


@dataclass(slots=True)
class Interval:
    """One thing on a device. Times in ticks of the archive, which are the host's."""

    group: str      # name of the location group, which is the device
    location: int
    what: str       # to, from (RMA), or region
    operation: int  # 0: none is named
    target: int
    begin: int
    end: int
    bytes: int
    name: str


class DeviceFacts:
    """See the module."""

    def __init__(self):
        self.intervals = []
        self.host_operations = {}   # operation id -> (begin, end) on the host's timeline
        self.properties = {}
        self.streams = {}           # group name -> number of locations
        self.problems = []
        self.first, self.last, self.hz = 0, 0, 1
        self._open = {}             # location -> [Interval]
        self._transfers = {}        # (location, matching id) -> Interval

    def __call__(self, location, event):
        kind = type(event).__name__
        if location.type == LocationType.ACCELERATOR_STREAM:
            self._on_device(location, event, kind)
        elif kind in ("Enter", "Leave"):
            self._on_host(location, event, kind)

    @staticmethod
    def _attribute(event, name):
        for attribute, value in (event.attributes or {}).items():
            if attribute.name == name:
                return value
        return 0

    def _on_host(self, location, event, kind):
        stack = self._open.setdefault(location, [])
        if kind == "Enter":
            stack.append((self._attribute(event, "operation id"), event.time))
        elif stack:
            operation, begin = stack.pop()
            if operation:
                self.host_operations[operation] = (begin, event.time)

    def _new(self, location, event, what, name, size=0):
        return Interval(location.group.name, id(location), what, self._attribute(event, "operation id"),
                        self._attribute(event, "target id"), event.time, 0, size, name)

    def _on_device(self, location, event, kind):
        stack = self._open.setdefault(location, [])
        if kind == "Enter":
            stack.append(self._new(location, event, "region", event.region.name))
        elif kind == "Leave":
            interval = stack.pop()
            interval.end = event.time
            self.intervals.append(interval)
        elif kind in _WHAT:
            interval = self._new(location, event, _WHAT[kind], kind, event.bytes)
            if not interval.operation and stack:
                interval.operation, interval.target = stack[-1].operation, stack[-1].target
            self._transfers[location, event.matching_id] = interval
        elif kind == "RmaOpCompleteBlocking":
            interval = self._transfers.pop((location, event.matching_id), None)
            if interval is None:
                self.problems.append(f"a transfer {event.matching_id} ends that never began")
            else:
                interval.end = event.time
                self.intervals.append(interval)

    def archive(self, archive):
        clock = archive.definitions.clock_properties
        self.hz, self.first = clock.timer_resolution, clock.global_offset
        self.last = self.first + clock.trace_length
        self.properties = archive.properties
        for location in archive.locations:
            if location.type == LocationType.ACCELERATOR_STREAM:
                self.streams[location.group.name] = self.streams.get(location.group.name, 0) + 1
                if location.group.location_group_type != LocationGroupType.ACCELERATOR:
                    self.problems.append(f"the group {location.group.name} of a device's stream is no accelerator's")
        if self._transfers:
            self.problems.append(f"{len(self._transfers)} transfers without an end")

    def by_operation(self):
        """operation id -> its intervals, in the order of time. A region around a transfer is not one of its own."""
        found = {}
        for interval in self.intervals:
            found.setdefault(interval.operation, []).append(interval)
        for operation, intervals in found.items():
            transfers = [one for one in intervals if one.what != "region"]
            found[operation] = sorted(transfers or intervals, key=lambda one: one.begin)
        return found
