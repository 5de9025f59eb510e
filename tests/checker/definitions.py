# SPDX-License-Identifier: BSD-3-Clause
"""Checks of what the archive defines: names, roles, source positions, the system tree, groups and communicators."""
import collections
import os

from otf2.enums import GroupType, LocationType, Paradigm
from otf2.events import CallingContextSample, Enter, Metric, ThreadBegin, ThreadCreate, ThreadEnd, ThreadWait

from checker.mapping import RegionName
from checker.report import Check, name_of

OPENMP_PARADIGMS = tuple(getattr(Paradigm, name) for name in ("OPENMP", "OPENMP_TARGET") if hasattr(Paradigm, name))


OF_OTHERS = (Metric, CallingContextSample, ThreadCreate, ThreadBegin, ThreadWait, ThreadEnd)


class Definitions(Check):
    def __init__(self, archive, report, partial):
        super().__init__(archive, report, partial)
        self._on_threads = set()    # regions that were entered there

    def handler(self, location, kind):
        if location in self.archive.others and kind not in OF_OTHERS:
            return self._misplaced
        if location.type == LocationType.METRIC and kind is not Metric:
            return self._misplaced
        return self._enter if kind is Enter and self.archive.is_thread(location) else None

    def _misplaced(self, location, event):
        self.report.add("metric", f"{name_of(location)}: a {type(event).__name__} where only metrics belong")

    def _enter(self, _, event):
        self._on_threads.add(event.region)

    def finish(self):
        self._regions()
        self._locations()
        self._tree()
        self._groups()

    def _regions(self):
        seen = set()
        for region in self.archive.definitions.regions:
            key = (region.name, region.canonical_name, region.description, region.source_file, region.begin_line_number,
                   region.region_role, region.paradigm)
            if key in seen:
                self.report.add("region", f'"{region.name}" is defined twice, with nothing to tell the two apart')
            seen.add(key)
            if region.paradigm in OPENMP_PARADIGMS:
                self._openmp_region(region)

    def _openmp_region(self, region):
        name = RegionName(region.name)
        try:
            roles = name.roles()
        except KeyError:
            # Kernels and other things of a device's own bring their names along.
            if name.is_omp or region in self._on_threads:
                self.report.add("region", f'"{region.name}" is a name that the mapping does not have')
            return
        if roles is not None and region.region_role not in roles:
            self.report.add("region", f'"{region.name}" has the role {region.region_role}')
        if name.file is not None:
            if not region.source_file or os.path.basename(region.source_file) != name.file:
                self.report.add("region", f'"{region.name}" has the source file "{region.source_file}"')
            if region.begin_line_number != name.line:
                self.report.add("region", f'"{region.name}" begins at line {region.begin_line_number}')
        elif region.begin_line_number:
            self.report.add("region", f'"{region.name}" has a line but does not name it')

    def _locations(self):
        names = set()
        for location in self.archive.locations:
            if not location.name:
                self.report.add("location", f"#{location._ref} has no name")
            if (location.group, location.name) in names:
                self.report.add("location", f"{name_of(location)} has the name of another one")
            names.add((location.group, location.name))

    def _tree(self):
        for node in self.archive.definitions.system_tree_nodes:
            if not node.name or not node.class_name:
                self.report.add("tree", f"node #{node._ref} has no name or no class")
        for group in self.archive.definitions.location_groups:
            if group.system_tree_parent is None:
                self.report.add("tree", f'location group "{group.name}" is not in the system tree')

    def _groups(self):
        in_paradigm = {}
        for group in self.archive.definitions.groups:
            if group.group_type == GroupType.COMM_LOCATIONS:
                if group.paradigm in in_paradigm:
                    self.report.add("group", f"two COMM_LOCATIONS groups of {group.paradigm}")
                in_paradigm[group.paradigm] = set(group.members)
                if group.paradigm == Paradigm.OPENMP and not all(map(self.archive.is_thread, group.members)):
                    self.report.add("group", "a device is among OpenMP's threads")
        seen = {}
        for comm in self.archive.definitions.comms:
            # Of processes that left no archive, or have another one, only their ranks are known.
            members = tuple(one for one in comm.group.members if one is not None or comm.group.paradigm != Paradigm.MPI)
            if len(set(members)) != len(members):
                self.report.add("comm", f'"{comm.name}" #{comm._ref} has a member twice')
            if comm.group.group_type != GroupType.COMM_GROUP:
                continue
            if not set(members) <= in_paradigm.get(comm.group.paradigm, set()):
                self.report.add("comm", f"#{comm._ref} has members outside of its paradigm's COMM_LOCATIONS")
            key = (members, comm.group.paradigm, comm.parent)
            if key in seen and comm.group.paradigm == Paradigm.OPENMP:
                self.report.add("comm", f"#{comm._ref} is the same team as #{seen[key]}")
            seen[key] = comm._ref


class Bounds(Check):
    """Numbers of events, ascending time within the clock's properties."""

    def __init__(self, archive, report, partial):
        super().__init__(archive, report, partial)
        clock = archive.definitions.clock_properties
        self._first = clock.global_offset
        self._last = clock.global_offset + clock.trace_length
        self._counts = collections.Counter()
        self._times = {}

    def handler(self, location, kind):
        return self._event

    def _event(self, location, event):
        time = event.time
        self._counts[location] += 1
        before = self._times.get(location)
        if before is not None and time < before:
            self.report.add("time", f"{name_of(location)}: {time} after {before}")
        self._times[location] = time
        if not self._first <= time <= self._last:
            self.report.add("time", f"{name_of(location)}: {time} is outside of the clock's properties")

    def finish(self):
        for location in self.archive.locations:
            number = self._counts[location]
            if number != location.number_of_events:
                self.report.add("count", f"{name_of(location)} defines {location.number_of_events} events, has {number}")
