# SPDX-License-Identifier: BSD-3-Clause
"""Checks of device transfers: every RMA operation is completed once, on its location and window."""
from report import Check, name_of


class Transfers(Check):
    def __init__(self, archive, report, partial):
        super().__init__(archive, report, partial)
        self._open = {}

    def event(self, location, event):
        kind = type(event).__name__
        if kind in ("RmaGet", "RmaPut"):
            key = (location, event.win, event.matching_id)
            if key in self._open:
                self.report.add("transfer", f"{name_of(location)}: operation {event.matching_id} is open already")
            self._open[key] = event.time
        elif kind == "RmaOpCompleteBlocking":
            if self._open.pop((location, event.win, event.matching_id), None) is None:
                self.report.add("transfer", f"{name_of(location)}: completes {event.matching_id}, not open")

    def finish(self):
        for location, _, number in self._open:
            self.report.add("transfer", f"{name_of(location)}: operation {number} is never completed")
