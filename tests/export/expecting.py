# SPDX-License-Identifier: BSD-3-Clause
"""What a Perfetto trace and a table of an archive have to hold, as Python's otf2 reads the archive."""
import collections

import otf2
from otf2 import events as e

from harness import archives

OPERATION = "operation id"
FORK, TASK, LOCK, DEVICE, MESSAGE, CREATE, JOIN = "fork", "task", "lock", "device", "message", "create", "join"


class Expected:
    """`slices` {location: as Trace.slices}; `arrows`: a counter of (kind, from, to); `counters` {(location or process,
    name): [(time, value)]}; `events`: all, as (time, location, name of the kind, region or None)."""

    def __init__(self, path):
        self.slices = collections.defaultdict(list)
        self.arrows = collections.Counter()
        self.counters = collections.defaultdict(list)
        self.events = []
        self.open = collections.defaultdict(list)      # location -> [notes for the end of each open region]
        self._created, self._released, self._operations = {}, {}, {}
        self._sent = collections.defaultdict(collections.deque)     # (communicator, sender, receiver, tag) -> locations
        self._lives = {}    # (kind of arrow, contingent, number) -> location
        self._tasks = collections.Counter()
        self._flush = {}    # location -> place in its slices of the end of the wait for room that its last event is
        with archives.Archive(path) as archive:
            self.markers = archive.markers
            definitions = archive.definitions
            clock = definitions.clock_properties
            self.offset, self.resolution = clock.global_offset, clock.timer_resolution
            self.realtime = archive.realtime()
            self.locations = archive.locations
            self.groups = list(definitions.location_groups)
            self.numbers = {one.location: one.value for one in definitions.location_properties if one.name == "OS thread id"}
            self.pids = {group: archive.value_of(group, "PID") for group in self.groups}
            for location, event in archive.events():
                self._take(location, event)

    def ns(self, ticks):
        return (ticks - self.offset) * 1000000000 // self.resolution

    def process(self, location):
        return location.group.creating_location_group or location.group

    @staticmethod
    def _notes(event):
        return sorted((key.name, getattr(value, "name", value)) for key, value in (event.attributes or {}).items())

    def _take(self, location, event):
        time, slices = self.ns(event.time), self.slices[location]
        if location in self._flush:  # the event that waited for room may have begun before
            place = self._flush.pop(location)
            slices[place] = ("E", min(time, slices[place][1]), [])
        region = getattr(event, "region", None)
        self.events.append((time, location, type(event).__name__, region))
        if isinstance(event, e.Enter):
            notes = self._notes(event)
            shown = next((value for key, value in (event.attributes or {}).items() if key.name == "call site"), region)
            if shown.source_file:
                notes.append(("file", shown.source_file))
                if shown.begin_line_number:
                    notes.append(("line", shown.begin_line_number))
            slices.append(("B", time, shown.name, sorted(notes)))
            self.open[location].append([])
            self._take_operation(location, event)
        elif isinstance(event, e.Leave):
            slices.append(("E", time, sorted(self.open[location].pop())))
        elif isinstance(event, (e.ParameterString, e.ParameterInt, e.ParameterUnsignedInt)):
            value = event.string if isinstance(event, e.ParameterString) else event.value
            self.open[location][-1].append((event.parameter.name, value))
        elif isinstance(event, e.BufferFlush):
            slices += [("B", time, "buffer flush", []), ("E", self.ns(event.stop_time), [])]
            self._flush[location] = len(slices) - 1
        elif isinstance(event, e.Metric):
            for member, value in zip(event.metric.members, event.values):
                self.counters[location, member.name].append((time, value))
        else:
            self._take_team(location, event, time)

    def _take_operation(self, location, event):
        for key, value in (event.attributes or {}).items():
            if key.name != OPERATION:
                continue
            known = self.process(location), value
            if location.group == self.process(location):
                self._operations[known] = location
            elif known in self._operations:
                self.arrows[DEVICE, self._operations.pop(known), location] += 1

    def _take_message(self, location, event, sends):
        peer = event.communicator.group.members[event.receiver if sends else event.sender].group
        ends = (location.group, peer) if sends else (peer, location.group)
        sent = self._sent[(event.communicator, *ends, event.msg_tag)]
        if sends:
            sent.append(location)
        elif sent:
            self.arrows[MESSAGE, sent.popleft(), location] += 1

    def _take_team(self, location, event, time):
        process = self.process(location)
        if isinstance(event, (e.MpiSend, e.MpiIsend, e.MpiRecv, e.MpiIrecv)):
            self._take_message(location, event, isinstance(event, (e.MpiSend, e.MpiIsend)))
        elif isinstance(event, e.ThreadTeamBegin):
            first = event.thread_team.group.members[0]
            if first != location:
                self.arrows[FORK, first, location] += 1
        elif isinstance(event, (e.ThreadCreate, e.ThreadEnd, e.ThreadBegin, e.ThreadWait)):
            key = JOIN if isinstance(event, (e.ThreadEnd, e.ThreadWait)) else CREATE, event.thread_contingent, event.sequence_count
            if isinstance(event, (e.ThreadCreate, e.ThreadEnd)):
                self._lives[key] = location
            elif key in self._lives:
                self.arrows[key[0], self._lives.pop(key), location] += 1
        elif isinstance(event, e.ThreadReleaseLock):
            self._released[process, event.lock_id] = location
        elif isinstance(event, e.ThreadAcquireLock):
            if (process, event.lock_id) in self._released:
                self.arrows[LOCK, self._released.pop((process, event.lock_id)), location] += 1
        elif isinstance(event, (e.ThreadTaskCreate, e.ThreadTaskSwitch, e.ThreadTaskComplete)):
            task = event.thread_team, event.creating_thread, event.generation_number
            if isinstance(event, e.ThreadTaskCreate):
                self._created[task] = location
            elif task in self._created:
                self.arrows[TASK, self._created.pop(task), location] += 1
            if not isinstance(event, e.ThreadTaskSwitch):
                self._tasks[process] += 1 if isinstance(event, e.ThreadTaskCreate) else -1
                self._tasks[process] = max(0, self._tasks[process])
                self.counters[process, "tasks in flight"].append((time, self._tasks[process]))


def kind_of(flow):
    """Which of our arrows a flow of a trace is, by where it begins."""
    begin = flow.begin[1]
    if begin.name == "fork":
        return FORK
    if "MPI" in begin.category:
        return MESSAGE
    if "thread" in begin.category:
        return JOIN if begin.name == "thread ends" else CREATE
    if any(name == OPERATION for name, _ in begin.notes):
        return DEVICE
    return None


__all__ = ["CREATE", "DEVICE", "FORK", "JOIN", "LOCK", "MESSAGE", "TASK", "Expected", "kind_of", "otf2"]
