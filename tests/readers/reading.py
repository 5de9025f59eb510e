# SPDX-License-Identifier: BSD-3-Clause
"""Reads an archive once with Python's otf2 for all rules of assumptions.py, and counts what it holds."""
import collections

from checker.archive import Archive
from checker.report import Report
from readers import assumed_events, assumptions  # the former adds its rules to the latter's

RULES = assumptions.RULES
NAMES = [one.name for one in RULES]
assert len(set(NAMES)) == len(NAMES) and assumed_events


class Read:
    """What Python's reader found: events by type and by location, time by region, what the archive says of itself."""

    def __init__(self):
        self.types, self.locations, self.times = collections.Counter(), collections.Counter(), collections.Counter()
        self.moments = collections.Counter()
        self.stated, self.threads, self.properties, self.span, self.resolution = {}, [], {}, None, 0
        self.last_leave = 0
        self.problems = []
        self._open = collections.defaultdict(list)

    def event(self, location, event, kind):
        self.types[kind] += 1
        self.locations[location._ref] += 1
        self.moments[event.time] += 1
        self.span = (self.span[0] if self.span else event.time, event.time)
        if kind == "Enter":
            self._open[location].append(event.time)
        elif kind == "Leave" and self._open[location]:
            self.last_leave = event.time
            self.times[event.region.name] += event.time - self._open[location].pop()

    @property
    def number(self):
        return sum(self.types.values())


def read(path, excused=()):
    """A Read; its problems are those of all rules but the excused ones."""
    report, found = Report(limit=3), Read()
    with Archive(path) as archive:
        rules = [one(archive, report) for one in RULES if one.name not in excused]
        found.stated = {one._ref: one.number_of_events for one in archive.locations}
        found.threads = [one.name for one in archive.locations]
        found.properties, found.resolution = archive.properties, archive.definitions.clock_properties.timer_resolution
        for one in rules:
            one.definitions()
        for location, event in archive.events():
            kind = type(event).__name__
            found.event(location, event, kind)
            for one in rules:
                one.event(location, event, kind)
        for one in rules:
            one.end()
    found.problems = report.problems
    return found
