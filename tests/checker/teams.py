# SPDX-License-Identifier: BSD-3-Clause
"""Checks of teams: fork and join, begin and end, membership, and that every member of an instance takes part.

An instance of a team is told by counting: the n-th ThreadTeamBegin of a communicator on each of its members.
"""
from report import Check, name_of


class Instance:
    """One run of a team: who began and ended it, and when."""

    def __init__(self, comm, number):
        self.comm = comm
        self.number = number
        self.begins = {}
        self.ends = {}

    def __str__(self):
        return f"team #{self.comm._ref}, instance {self.number}"


class Teams(Check):
    def __init__(self, archive, report, partial):
        super().__init__(archive, report, partial)
        self._open = {}      # location -> stack of ("fork", time, [instances begun there]) or an Instance
        self._begun = {}     # (location, comm) -> how many
        self._instances = {}  # (comm, number) -> Instance
        self._forks = []     # (instance begun by the forking location or None, fork time, join time)

    def instance_at(self, location):
        """The innermost team that a location is in, or None."""
        for entry in reversed(self._open.get(location, [])):
            if isinstance(entry, Instance):
                return entry
        return None

    def latest(self, comm):
        """The instance of a team that began last, or None."""
        numbers = [number for one, number in self._instances if one is comm]
        return self._instances[comm, max(numbers)] if numbers else None

    def event(self, location, event):
        kind = type(event).__name__
        if kind == "ThreadFork":
            self._open.setdefault(location, []).append(["fork", event.time, None])
        elif kind == "ThreadJoin":
            self._join(location, event)
        elif kind == "ThreadTeamBegin":
            self._begin(location, event)
        elif kind == "ThreadTeamEnd":
            self._end(location, event)

    def _begin(self, location, event):
        comm = event.thread_team
        if location not in comm.group.members:
            self.report.add("team", f"{name_of(location)} begins team #{comm._ref} but is no member")
            return
        number = self._begun.get((location, comm), 0)
        self._begun[location, comm] = number + 1
        instance = self._instances.setdefault((comm, number), Instance(comm, number))
        instance.begins[location] = event.time
        stack = self._open.setdefault(location, [])
        if stack and isinstance(stack[-1], list):
            if stack[-1][2] is not None:
                self.report.add("team", f"{name_of(location)} begins a second team in one fork, at {event.time}")
            stack[-1][2] = instance
        stack.append(instance)

    def _end(self, location, event):
        stack = self._open.get(location)
        if not stack or not isinstance(stack[-1], Instance) or stack[-1].comm is not event.thread_team:
            self.report.add("team", f"{name_of(location)} ends team #{event.thread_team._ref} at {event.time}, "
                                    f"it is not in it")
            return
        stack.pop().ends[location] = event.time

    def _join(self, location, event):
        stack = self._open.get(location)
        if not stack or not isinstance(stack[-1], list):
            self.report.add("team", f"{name_of(location)} joins at {event.time}, it has not forked")
            return
        _, forked, instance = stack.pop()
        if instance is None and not self.partial:
            self.report.add("team", f"{name_of(location)} forked at {forked} but begins no team")
        if instance is not None:
            self._forks.append((instance, forked, event.time))

    def finish(self):
        for location, stack in self._open.items():
            for entry in stack:
                what = str(entry) if isinstance(entry, Instance) else f"the fork at {entry[1]}"
                self.report.add("team", f"{name_of(location)}: {what} never ends")
        if self.partial:
            return
        for instance in self._instances.values():
            missing = [m.name for m in instance.comm.group.members if m not in instance.ends]
            if missing:
                self.report.add("team", f"{instance}: without {', '.join(missing)}")
        for instance, forked, joined in self._forks:
            if min(instance.begins.values()) < forked or max(instance.ends.values()) > joined:
                self.report.add("team", f"{instance} is not within its fork at {forked} and join at {joined}")
