# SPDX-License-Identifier: BSD-3-Clause
"""Reads an OTF2 archive for the checks: definitions, properties, markers, and the events as one stream.

Built on python3-otf2 alone, so that it shares no code with what wrote the archive.
"""
import gc
import os
import re
import subprocess

from checker.reader import _otf2, otf2
from otf2.attribute_list import AttributeList
from otf2.enums import LocationType, Type
from otf2.event_reader import BufferedEventReader
from otf2.events import Metric

BATCH = 4096    # events that are read at a time
# Events hold no cycles: to look for some among so many takes a fifth of the time.
gc.set_threshold(1000000)
PREFIX = "OMPTAPE::"
_FIELDS = {Type.UINT64: "unsigned_int", Type.INT64: "signed_int", Type.DOUBLE: "floating_point"}
_CATEGORY = re.compile(r'MARKER_DEF\s+Group: "(?P<group>[^"]*)", Category: "(?P<category>[^"]*)"')
_MARKER = re.compile(r'MARKER\s+Time: (?P<time>\d+), .*Text: "(?P<text>.*)"$')


def read_markers(path):
    """(category, time, text) of each marker, as otf2-marker prints them: the Python module cannot read them."""
    if not os.path.exists(path.removesuffix(".otf2") + ".marker"):
        return []
    done = subprocess.run(["otf2-marker", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0 or done.stderr:
        raise ValueError(f"otf2-marker: exit {done.returncode}, {done.stderr.decode(errors='replace').strip()}")
    category, markers = None, []
    for line in done.stdout.decode(errors="replace").splitlines():
        definition, marker = _CATEGORY.match(line), _MARKER.match(line)
        if definition:
            category = definition["category"]
        elif marker:
            markers.append((category, int(marker["time"]), marker["text"]))
    return markers


class _Events(BufferedEventReader):
    """The module's own reader of events, which asks libotf2 for attributes event by event: here those that have some."""

    def __init__(self, reader, batch):
        super().__init__(reader, batch)
        self._registry = reader.definitions
        self._metrics = {}  # reference -> (metric, the fields of its members' values)
        self._number = _otf2.Config.conf.lib.OTF2_AttributeList_GetNumberOfElements

    def _make_metric(self, time, reference, _, values):
        """The module asks each definition anew for its type."""
        known = self._metrics.get(reference)
        if known is None:
            metric = self._registry.metrics[reference]
            members = getattr(metric, "metric_class", metric).members
            known = self._metrics[reference] = metric, [_FIELDS[one.value_type] for one in members]
        metric, fields = known
        return Metric(time, metric, [getattr(value, field) for value, field in zip(values, fields)])

    def _append(self, event_type, location_ref, time, _, attributes, *args):
        event = self._make_metric(time, *args) if event_type is Metric else event_type._construct(self._registry, time, *args)
        if attributes is not None and self._number(attributes) > 0:
            event.attributes = AttributeList._construct(self._registry, attributes)
        self.buffer.append((self._registry.locations[location_ref], event))


class Archive:
    """One archive, open for reading. Use in a with statement."""

    def __init__(self, path):
        self.path = path
        self._reader = otf2.reader.Reader(path, BATCH)
        self.definitions = self._reader.definitions
        handle = self._reader.handle
        self.properties = {
            name: _otf2.Reader_GetProperty(handle, name) for name in _otf2.Reader_GetPropertyNames(handle)
        }
        self.markers = read_markers(path)
        self.own_properties = {}   # location group -> its properties, in a unified archive
        for one in self.definitions.location_group_properties:
            self.own_properties.setdefault(one.location_group, {})[one.name] = one.value

        # Threads that neither OpenMP nor MPI knows.
        self.others = {one.location for one in self.definitions.location_properties if one.name == "other thread"}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._reader.close()

    def is_thread(self, location):
        """Does OpenMP or MPI know it?"""
        return location.type == LocationType.CPU_THREAD and location not in self.others

    def value(self, key, default=None):
        """The value of an omptape property, by its key without the prefix."""
        return self.properties.get(PREFIX + key, default)

    def value_of(self, process, key, default=None):
        """The same, of one of several processes: a location group, whose own value goes before that of all."""
        own = self.own_properties.get(process, {}).get(PREFIX + key)
        return self.value(key, default) if own is None else own

    def title(self, group):
        """What tells a process from all others, whatever archive it is in: "app (pid 4711)"; a device's with its own
        name behind that."""
        if group.creating_location_group is not None:
            return f"{self.title(group.creating_location_group)}/{group.name}"
        program = os.path.basename(self.value_of(group, "PROGRAM", ""))
        return f"{program} (pid {self.value_of(group, 'PID')})"

    def realtime(self):
        """Nanoseconds since 1970 at the clock's global offset."""
        clock = self.definitions.clock_properties
        return getattr(clock, "_realtime_timestamp", None) or getattr(clock, "realtime_timestamp", 0)

    @property
    def locations(self):
        return list(self.definitions.locations)

    def events(self):
        """All events as (location, event), in the order of their times."""
        return iter(_Events(self._reader, BATCH))
