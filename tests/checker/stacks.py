# SPDX-License-Identifier: BSD-3-Clause
"""Checks that Enter and Leave nest on each location."""
from report import Check, name_of


class Stacks(Check):
    def __init__(self, archive, report, partial):
        super().__init__(archive, report, partial)
        self._stacks = {}

    def event(self, location, event):
        kind = type(event).__name__
        if kind == "Enter":
            self._stacks.setdefault(location, []).append(event.region)
        elif kind == "Leave":
            stack = self._stacks.get(location)
            if not stack:
                self.report.add("stack", f'{name_of(location)}: leaves "{event.region.name}", nothing is open')
            elif stack.pop() is not event.region:
                self.report.add("stack", f'{name_of(location)}: leaves "{event.region.name}" at {event.time}, '
                                         f"another region is on top")

    def finish(self):
        for location, stack in self._stacks.items():
            if stack:
                self.report.add("stack", f'{name_of(location)}: {len(stack)} regions never left, "{stack[-1].name}" on top')
