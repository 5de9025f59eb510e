# SPDX-License-Identifier: BSD-3-Clause
"""Checks of MPI's windows: what is done is between a window's making and its end, with ranks that it has; operations are
complete once, and all of them; locks are released; all members do the same collective steps, and what one synchronises
with a group of others they do with it."""
import collections

from otf2 import events as ev
from otf2.enums import GroupType, Paradigm

from checker.report import Check, name_of

ALL = 2 ** 32 - 1
OPERATIONS = (ev.RmaPut, ev.RmaGet, ev.RmaAtomic)
COMPLETIONS = (ev.RmaOpCompleteNonBlocking, ev.RmaOpCompleteRemote)


class Windows(Check):
    def __init__(self, archive, report, partial):
        super().__init__(archive, report, partial)
        self._there = set()     # (process, window)
        self._operations = {}   # (process, window, matching id) -> completions so far
        self._locks = set()     # (process, window, rank)
        self._collective = set()
        self._steps = collections.defaultdict(list)     # (window, process) -> operations
        self._synchronised = collections.Counter()      # (window, process, with)

    def handler(self, location, kind):
        return self._event if kind.__name__.startswith("Rma") else None

    def _event(self, location, event):
        kind = type(event)
        if kind is ev.RmaCollectiveBegin:
            self._require(location, event, location not in self._collective, "a collective step in another one")
            self._collective.add(location)
        if not hasattr(event, "win") or event.win.comm.group.paradigm != Paradigm.MPI:
            return
        key = (location.group, event.win)
        if kind is ev.RmaWinCreate:
            self._require(location, event, key not in self._there, "a window that is there already")
            self._there.add(key)
        elif kind is ev.RmaCollectiveEnd:
            self._require(location, event, location in self._collective, "a collective step that has no begin")
            self._collective.discard(location)
            self._steps[event.win, location.group].append(str(event.collective_op))
        elif not self.partial:
            self._require(location, event, key in self._there, "a window that is not there")
        if kind is ev.RmaWinDestroy:
            self._there.discard(key)
        elif kind in OPERATIONS:
            self._require(location, event, event.remote < self._size(event.win), f"rank {event.remote}")
            self._require(location, event, (*key, event.matching_id) not in self._operations, "an id that was there before")
            self._operations[*key, event.matching_id] = set()
        elif kind in COMPLETIONS:
            self._complete(location, event, (*key, event.matching_id))
        elif kind is ev.RmaAcquireLock:
            self._require(location, event, event.remote == ALL or event.remote < self._size(event.win), f"rank {event.remote}")
            self._require(location, event, (*key, event.remote) not in self._locks, "a lock that is held")
            self._locks.add((*key, event.remote))
        elif kind is ev.RmaReleaseLock:
            self._require(location, event, (*key, event.remote) in self._locks, "a lock that is not held")
            self._locks.discard((*key, event.remote))
        elif kind is ev.RmaGroupSync:
            for other in event.group.members:
                self._synchronised[event.win, location.group, other and other.group] += 1

    def _require(self, location, event, good, what):
        if not good and not self.partial:
            self.report.add("mpi", f"{name_of(location)}: {type(event).__name__}: {what}")

    @staticmethod
    def _size(window):
        group = window.comm.group
        return 1 if group.group_type == GroupType.COMM_SELF else len(group.members)

    def _complete(self, location, event, key):
        done = self._operations.get(key)
        self._require(location, event, done is not None and type(event) not in done, "of nothing that is under way")
        if done is not None:
            done.add(type(event))

    def finish(self):
        if self.partial:
            return
        for (process, window, _), done in self._operations.items():
            if done != set(COMPLETIONS):
                self.report.add("mpi", f"{process.name}: {window.name}: an operation has {len(done)} completions")
        for process, window, rank in self._locks:
            self.report.add("mpi", f"{process.name}: {window.name}: the lock of rank {rank} is not released")
        for (window, process), steps in self._steps.items():
            for other in window.comm.group.members:
                if other is not None and self._steps[window, other.group] != steps:
                    self.report.add("mpi", f"{window.name}: {process.name} and {other.group.name} do not take the same steps")
        for (window, process, other), times in self._synchronised.items():
            if other is not None and self._synchronised[window, other, process] != times:
                self.report.add("mpi", f"{window.name}: {process.name} is synchronised with {other.name} {times} times, "
                                       f"and that with it {self._synchronised[window, other, process]}")
