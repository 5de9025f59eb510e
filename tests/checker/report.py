# SPDX-License-Identifier: BSD-3-Clause
"""Where the checks leave what they find, and the base of all checks."""


class Report:
    """The violations of one archive, at most `limit` of each rule."""

    def __init__(self, limit=5):
        self.problems = []
        self._limit = limit
        self._counts = {}

    def add(self, rule, text):
        number = self._counts.get(rule, 0) + 1
        self._counts[rule] = number
        if number <= self._limit:
            self.problems.append(f"{rule}: {text}")
        elif number == self._limit + 1:
            self.problems.append(f"{rule}: (more of the same)")


class Check:
    """One rule book. `partial`: part of the run is known to be missing from the archive."""

    def __init__(self, archive, report, partial):
        self.archive = archive
        self.report = report
        self.partial = partial

    def handler(self, location, kind):
        """What is to be called with (location, event) for each event of this type on this location, in time order; None:
        nothing. Asked once for each such pair."""

    def finish(self):
        """Called after the last event."""


def name_of(location):
    return f'"{location.name}" (#{location._ref})'
