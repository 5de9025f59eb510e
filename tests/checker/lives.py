# SPDX-License-Identifier: BSD-3-Clause
"""Threads that the program creates: each has a begin that its creator has announced, if its creation was recorded, and a waiter
that its end has freed."""
from otf2.enums import Paradigm

from checker.report import Check, name_of

UNDEFINED = 2**64 - 1


class Lives(Check):
    def __init__(self, archive, report, partial):
        super().__init__(archive, report, partial)
        self._created, self._waited, self._ended = {}, {}, {}   # (contingent, number) -> (location, time)
        self._begun = {}            # location -> the key of its thread
        self._own = {}              # location -> its properties
        for one in archive.definitions.location_properties:
            self._own.setdefault(one.location, {})[one.name] = one.value

    def handler(self, location, kind):
        return {"ThreadCreate": self._create, "ThreadBegin": self._begin, "ThreadWait": self._wait,
                "ThreadEnd": self._end}.get(kind.__name__)

    def _say(self, location, text):
        self.report.add("life", f"{name_of(location)} {text}")

    def _named(self, location, name, other):
        """Is the other one the thread that this one's property names?"""
        return str(self._own[location].get(name)) == self._own[other].get("OS thread id")

    def _key(self, event):
        return event.thread_contingent, event.sequence_count

    def _once(self, table, location, event):
        if event.thread_contingent.group.paradigm != Paradigm.PTHREAD:
            self._say(location, f"refers to {event.thread_contingent.name}, which is none of created threads")
        if self._key(event) in table:
            self._say(location, f"has {type(event).__name__} {event.sequence_count} a second time")
        table[self._key(event)] = location, event.time

    def _create(self, location, event):
        self._once(self._created, location, event)

    def _begin(self, location, event):
        creator, time = self._created.get(self._key(event), (location, event.time))
        unknown = event.sequence_count == UNDEFINED
        if location in self._begun or (unknown and location not in self.archive.others):
            self._say(location, "begins twice, or is OpenMP's and its creation is unknown")
        if not unknown and (time >= event.time or not self._named(location, "created by", creator)):
            self._say(location, f"begins at {event.time}, which its creator does not say before")
        self._begun[location] = self._key(event)

    def _wait(self, location, event):
        self._once(self._waited, location, event)

    def _end(self, location, event):
        begun = self._begun.get(location)
        if event.sequence_count != UNDEFINED:
            self._once(self._ended, location, event)
        if begun is None or (event.sequence_count not in (UNDEFINED, begun[1]) and begun[1] != UNDEFINED):
            self._say(location, f"ends as {event.sequence_count}, and did not begin so")

    def finish(self):
        for location, key in self._begun.items():
            if key in self._waited and key not in self._ended and not self.partial and location in self.archive.others:
                self._say(location, f"does not end, but {name_of(self._waited[key][0])} has waited for it")
        for key, (location, time) in self._ended.items():
            if key not in self._waited and location not in self.archive.others:
                continue    # who waited is known too late
            waiting, until = self._waited.get(key, (location, 0))
            if time >= until or not self._named(location, "joined by", waiting):
                self._say(location, f"ended at {time}, but {name_of(waiting)} has waited for it until {until}")
