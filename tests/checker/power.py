# SPDX-License-Identifier: BSD-3-Clause
"""Checks of the power of a node: it stands on a location of a process for metrics alone, is never negative, and all of it
is no more energy than the property says."""
import math

from otf2.enums import LocationType
from otf2.events import Metric

from checker.devices import on_device
from checker.report import Check, name_of

START = "power of "


class Power(Check):
    def __init__(self, archive, report, partial):
        super().__init__(archive, report, partial)
        self._zones = {}    # metric -> the zone, None: it is no power
        self._used = {}     # (location, zone) -> [time of the last value, the value, energy until then in J]
        self._hz = archive.definitions.clock_properties.timer_resolution

    def handler(self, location, kind):
        return self._metric if kind is Metric else None

    def _metric(self, location, event):
        if event.metric not in self._zones:
            name = "" if hasattr(event.metric, "recorder") else event.metric.members[0].name
            self._zones[event.metric] = name[len(START):] if name.startswith(START) else None
        zone = self._zones[event.metric]
        if zone is None:
            return
        power = event.values[0]
        if location.type != LocationType.METRIC or on_device(location):
            self.report.add("power", f"{name_of(location)}: the power of {zone}")
        if not (math.isfinite(power) and power >= 0):
            self.report.add("power", f"{name_of(location)}: {zone}: {power} W at {event.time}")
            return
        used = self._used.setdefault((location, zone), [event.time, power, 0])
        used[2] += used[1] * (event.time - used[0]) / self._hz
        used[:2] = event.time, power

    def finish(self):
        for (location, zone), (_, _, used) in self._used.items():
            text = self.archive.value_of(location.group, "ENERGY", "")
            said = dict(one.rsplit(":", 1) for one in text.split())
            # The clock's rate is measured again at the end, when the values have been computed.
            if text and not used <= int(said.get(zone, 0)) / 1e6 * (1 + 1e-5) + 1e-6:
                self.report.add("power", f"{name_of(location)}: {zone}: {used} J, the property says {text}")
