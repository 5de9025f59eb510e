# SPDX-License-Identifier: BSD-3-Clause
"""Checks of the program itself: ProgramBegin, ProgramEnd, the region that lasts from one to the other and the one that is
only defined, in which Scalasca's reader looks ProgramBegin up."""
import collections
import os

from otf2.enums import Paradigm, RegionRole
from otf2.events import Enter, Leave, ProgramBegin, ProgramEnd

from checker.report import Check, name_of

SNAPSHOT = "snapshot"                       # the program went on: there is no ProgramEnd
UNKNOWN = (SNAPSHOT, "its writer was killed")   # the program's end is not known


def is_artificial(region):
    return region.region_role == RegionRole.ARTIFICIAL and region.paradigm == Paradigm.MEASUREMENT_SYSTEM


def is_whole(region):
    """The region that a program is in all the time."""
    return region.region_role == RegionRole.FUNCTION and region.paradigm == Paradigm.USER


def attributes_of(event):
    return {one.name: value for one, value in (event.attributes or {}).items()}


class Life:
    """What is known of one process."""

    def __init__(self):
        self.first = None       # the location and its first two events
        self.begins = []        # locations of ProgramBegin, ProgramEnd, and Enter of the program's region
        self.ends = []
        self.enters = []
        self.head = []
        self.tail = collections.deque(maxlen=2)     # the first location's last two events


class Program(Check):
    def __init__(self, archive, report, partial):
        super().__init__(archive, report, partial)
        self._lives = {}
        self._threads = {}
        self._has_numbers = any(one.name == "ProcessId" for one in archive.definitions.attributes)
        for one in archive.definitions.location_properties:
            if one.name == "OS thread id":
                self._threads[one.location] = int(one.value)
        self._special = {}      # region -> is_whole, is_artificial

    def handler(self, location, kind):
        if not self.archive.is_thread(location):
            return None
        if location.group not in self._lives:
            self._lives[location.group] = Life()
        return {ProgramBegin: self._begin, ProgramEnd: self._end, Enter: self._enter}.get(kind, self._note)

    def _begin(self, location, event):
        life = self._lives[location.group]
        life.begins.append(location)
        life.first = location if life.first is None else life.first
        self._note(location, event)

    def _end(self, location, event):
        self._lives[location.group].ends.append(location)
        self._note(location, event)

    def _enter(self, location, event):
        region = event.region
        special = self._special.get(region)
        if special is None:
            special = self._special[region] = is_whole(region), is_artificial(region)
        if special[0]:
            self._lives[location.group].enters.append(location)
        elif special[1]:
            self.report.add("program", f"{name_of(location)} enters the artificial region \"{region.name}\"")
        self._note(location, event)

    def _note(self, location, event):
        """The first and the last events of the first location."""
        life = self._lives[location.group]
        if location is life.first:
            if len(life.head) < 2:
                life.head.append(event)
            life.tail.append(event)
        elif life.first is None:
            life.head.append(event)     # before ProgramBegin, if this is its location

    def finish(self):
        for group, life in self._lives.items():
            problem = self._look_at(group, life)
            if problem:
                self.report.add("program", f'"{group.name}": {problem}')

    def _look_at(self, group, life):
        """What is wrong with a process, or None."""
        end = self.archive.value_of(group, "END")
        if len(life.begins) != 1 or life.ends != ([] if end == SNAPSHOT else life.begins):
            return f"{len(life.begins)} ProgramBegin, {len(life.ends)} ProgramEnd, not all on one location"
        if len(life.head) < 2 or not isinstance(life.head[0], ProgramBegin):
            return "ProgramBegin is not the first event of its location"
        begin, enter = life.head
        step = int(self.archive.value_of(group, "DISTINCT_TIMES", "0"))   # between records of one moment
        if not isinstance(enter, Enter) or not is_whole(enter.region) or enter.time != begin.time + step:
            return "its region is not entered with ProgramBegin"
        if len(life.enters) != 1:
            return f"its region is entered {len(life.enters)} times"
        return self._look_at_end(life, end, enter.region, step) or self._look_at_names(group, life, begin, enter.region)

    def _look_at_end(self, life, end, region, step):
        leave = life.tail[-1] if end == SNAPSHOT else life.tail[0]
        if not isinstance(leave, Leave) or leave.region is not region or life.tail[-1].time > leave.time + step:
            return "its region is not left with ProgramEnd, as the last one"
        if end != SNAPSHOT and not isinstance(life.tail[-1], ProgramEnd):
            return "ProgramEnd is not the last event of its location"
        if ("synthesised" in attributes_of(leave)) != (end in UNKNOWN):
            return f"the Leave of its region is synthesised or not, and the end is {end}"
        return None

    def _look_at_names(self, group, life, begin, region):
        name = os.path.basename(begin.program_name)
        command = " ".join((begin.program_name, *begin.program_arguments))
        found = [one for one in self.archive.definitions.regions
                 if is_artificial(one) and (one.name, one.canonical_name) == (name, command)]
        if len(found) != 1:
            return f'{len(found)} artificial regions are defined for "{command}"'
        if region.name != name:
            return f'its region is called "{region.name}"'
        attributes = attributes_of(begin)
        process = int(self.archive.value_of(group, "PID", 0))
        thread = self._threads.get(life.first)
        if self._has_numbers and attributes.get("ProcessId") != process:
            return f"ProcessId is {attributes.get('ProcessId')}, the process {process}"
        if self._has_numbers and attributes.get("ThreadId") != (thread if thread != process else None):
            return f"ThreadId is {attributes.get('ThreadId')}, the thread {thread}"
        return None
