# SPDX-License-Identifier: BSD-3-Clause
"""Checks of MPI's files: what is done with a handle is between its opening and its closing; each operation is complete or
cancelled once in its process, with no more bytes than were asked for; what does not block is issued before."""
from otf2 import events as ev
from otf2.enums import IoOperationFlag

from checker.report import Check, name_of

ENDS = (ev.IoOperationComplete, ev.IoOperationCancelled)


class Files(Check):
    def __init__(self, archive, report, partial):
        super().__init__(archive, report, partial)
        self._open = set()      # (process, handle)
        self._begun = {}        # (process, handle, matching id) -> [begin, issued]

    def handler(self, location, kind):
        return self._event if kind.__name__.startswith("Io") and kind is not ev.IoDeleteFile else None

    def _event(self, location, event):
        kind, handle = type(event), (location.group, event.handle)
        if kind is ev.IoCreateHandle:
            self._require(location, event, handle not in self._open, "a file that is open already")
            self._open.add(handle)
            return
        self._require(location, event, handle in self._open, "a file that is not open")
        if kind is ev.IoDestroyHandle:
            self._open.discard(handle)
        elif kind not in (ev.IoSeek,):
            self._operation(location, event, (*handle, event.matching_id))

    def _operation(self, location, event, key):
        if isinstance(event, ev.IoOperationBegin):
            self._require(location, event, key not in self._begun, "an id that is under way")
            self._begun[key] = [event, False]
            return
        begun = self._begun.get(key)
        self._require(location, event, begun is not None, "of nothing that is under way")
        if begun is None:
            return
        begin, issued = begun
        later = begin.operation_flags & IoOperationFlag.NON_BLOCKING == IoOperationFlag.NON_BLOCKING
        if isinstance(event, ev.IoOperationIssued):
            self._require(location, event, later and not issued, "of one that blocks, or was issued")
            begun[1] = True
        elif isinstance(event, ev.IoOperationTest):
            self._require(location, event, issued, "of one that was not issued")
        elif isinstance(event, ENDS):
            del self._begun[key]
        if isinstance(event, ev.IoOperationComplete):
            self._require(location, event, issued == later, "of one that was not issued")
            self._require(location, event, event.bytes_result <= begin.bytes_request,
                          f"{event.bytes_result} bytes of {begin.bytes_request}")

    def _require(self, location, event, good, what):
        if not good and not self.partial:
            self.report.add("mpi", f"{name_of(location)}: {type(event).__name__}: {what}")

    def finish(self):
        if self.partial:
            return
        for process, handle, _ in self._begun:
            self.report.add("mpi", f"{process.name}: {handle.name}: an operation has no end")
