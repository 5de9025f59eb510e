# SPDX-License-Identifier: BSD-3-Clause
"""A reader that assumes what readers of OTF2 by others assume: one rule for each assumption, which names it and them.
What they do was read in their sources (pipit, PEARL of Scalasca 2.6, CASITA, otf-profiler, Traveler, otf22csv, TAU's
otf2profile); docs/mapping.md has the table of them.

A rule is a class with some of definitions(), event() and end(), which report what breaks it. Used by reading.py.
"""
import os

from otf2.enums import GroupType, LocationGroupType, LocationType, MetricOccurrence, Paradigm, RegionRole, Type

from readers.listing import definitions_in_order

RULES = []


def rule(name, readers):
    """A class becomes the rule of that name."""
    def add(one):
        one.name, one.readers = name, readers
        RULES.append(one)
        return one
    return add


class Rule:
    def __init__(self, archive, report):
        self.archive, self.known = archive, archive.definitions
        self._report = report

    def broken(self, text):
        self._report.add(self.name, f"{text} (assumed by {self.readers})")

    def definitions(self):
        """Before the first event."""

    def event(self, location, event, kind):
        """Each event, `kind` the name of its type, in the order of a global reader."""

    def end(self):
        """After the last one."""


def is_thread(location):
    return location.type == LocationType.CPU_THREAD


def processes(known):
    return [one for one in known.location_groups if one.location_group_type == LocationGroupType.PROCESS]


def directive(region):
    """What CASITA looks for words in: of OpenMP's regions what comes before the "@"."""
    return region.name[6:region.name.find("@")] if region.name.startswith("!$omp ") and "@" in region.name else ""


# Files and definitions


@rule("name of the anchor", "pipit, Score-P's and CASITA's scripts")
class Anchor(Rule):
    def definitions(self):
        folder, name = os.path.split(self.archive.path)
        there = set(os.listdir(folder))
        if name != "traces.otf2" or not {"traces", "traces.def"} <= there:
            self.broken(f"{name} beside {sorted(there)}")


@rule("paradigms first", "readers that resolve a region's or a group's paradigm when they read it, as Score-P has it")
class Paradigms(Rule):
    def definitions(self):
        before = [kind for kind, _ in definitions_in_order(self.archive.path)]
        while before and not before[-1].startswith("PARADIGM"):
            before.pop()
        other = set(before) - {"CLOCK_PROPERTIES", "STRING", "PARADIGM", "PARADIGM_PROPERTY"}
        if other or not before:
            self.broken(f"there are {sorted(other)} before the last PARADIGM" if before else "there is no PARADIGM")


@rule("ascending references", "otf22csv, which keeps strings and regions up to the last one alone")
class Ascending(Rule):
    def definitions(self):
        last = {}
        for kind, ref in definitions_in_order(self.archive.path):
            if kind in ("STRING", "REGION", "PARAMETER"):
                if ref <= last.get(kind, -1):
                    self.broken(f"{kind} {ref} comes after {last[kind]}")
                last[kind] = ref


@rule("parents first", "PEARL")
class ParentsFirst(Rule):
    def definitions(self):
        for what in ("system_tree_nodes", "comms"):
            for one in getattr(self.known, what):
                if one.parent is not None and one.parent._ref >= one._ref:
                    self.broken(f"{what}: {one._ref} has the parent {one.parent._ref}")


@rule("machine and node", "PEARL")
class Tree(Rule):
    def definitions(self):
        for group in processes(self.known):
            classes, node = set(), group.system_tree_parent
            while node is not None:
                classes.add(node.class_name)
                node = node.parent
            if not {"machine", "node"} <= classes:
                self.broken(f"above {group.name} there are {sorted(classes)}")


@rule("one paradigm in a communicator", "PEARL")
class CommParadigm(Rule):
    def definitions(self):
        for one in self.known.comms:
            group = one.group
            if group.group_type not in (GroupType.COMM_GROUP, GroupType.COMM_SELF):
                self.broken(f"{one.name} is of a {group.group_type}")
            if one.parent is not None and one.parent.group.paradigm != group.paradigm:
                self.broken(f"{one.name}: its parent is of {one.parent.group.paradigm}")


@rule("locations of paradigms of threads", "CASITA, PEARL")
class CommLocations(Rule):
    """Those of OpenMP and of MPI are threads; MPI's are one for each rank, in that order."""

    def definitions(self):
        for group in self.known.groups:
            if group.group_type != GroupType.COMM_LOCATIONS or group.paradigm not in (Paradigm.OPENMP, Paradigm.MPI):
                continue
            other = [one.name for one in group.members if not is_thread(one)]
            if other:
                self.broken(f"{group.name} holds {other}")
            if group.paradigm == Paradigm.MPI:
                numbers = [one.group._ref for one in group.members]
                if numbers != sorted(set(numbers)):
                    self.broken(f"{group.name} holds locations of the processes {numbers}")


@rule("the ranks' numbers", "CASITA, which takes a location group's number for the rank")
class Ranks(Rule):
    def definitions(self):
        numbers = [one._ref for one in processes(self.known)]
        if sorted(numbers) != list(range(len(numbers))):
            self.broken(f"processes have the numbers {numbers}")


@rule("numbers of locations", "TAU (the lower half is the process), CASITA (a process's first thread has its number), "
                              "PEARL (the upper half is the thread)")
class LocationNumbers(Rule):
    def definitions(self):
        for group in processes(self.known):
            own = [one for one in self.known.locations if one.group == group and is_thread(one)]
            wrong = [one.name for one in own if one._ref & 0xffffffff != group._ref]
            if wrong:
                self.broken(f"{wrong} of process {group._ref} have the numbers {[one._ref for one in own]}")
            if own and own[0]._ref != group._ref:
                self.broken(f"the first thread of process {group._ref} has the number {own[0]._ref}")


@rule("numbers of threads", "TAU, for which the third word of a name is the number")
class ThreadNumbers(Rule):
    def definitions(self):
        seen = {}
        for one in filter(is_thread, self.known.locations):
            third = one.name.replace(".", " ").split()[2:3]
            number = int(third[0]) if third and third[0].isdigit() else 0
            other = seen.setdefault((one._ref & 0xffffffff, number), one)
            if other is not one:
                self.broken(f'"{one.name}" and "{other.name}" of one process have one number')


@rule("names of threads", "CASITA, which takes what holds \"target\" or \"MIC\" for a device")
class ThreadNames(Rule):
    def definitions(self):
        for one in filter(is_thread, self.known.locations):
            if "target" in one.name or "MIC" in one.name:
                self.broken(f'a thread is called "{one.name}"')


@rule("no quotation marks in names", "Traveler, which reads otf2-print")
class Quotes(Rule):
    def definitions(self):
        for one in self.known.regions:
            if '"' in one.name:
                self.broken(f"a region is called {one.name}")


@rule("the program's definition", "PEARL")
class ProgramDefinition(Rule):
    def definitions(self):
        self._known = {(one.name, one.canonical_name) for one in self.known.regions
                       if one.region_role == RegionRole.ARTIFICIAL and one.paradigm == Paradigm.MEASUREMENT_SYSTEM}

    def event(self, location, event, kind):
        if kind == "ProgramBegin":
            path, words = event.program_name, [str(word) for word in event.program_arguments]
            expected = (path.rpartition("/")[2], " ".join([path, *words]))
            if expected not in self._known:
                self.broken(f"no region of the role ARTIFICIAL is called {expected}, but {sorted(self._known)}")


# Metrics


@rule("types of metrics", "otf-profiler")
class MetricTypes(Rule):
    def definitions(self):
        for one in self.known.metric_members:
            if one.value_type not in (Type.UINT64, Type.INT64, Type.DOUBLE):
                self.broken(f"{one.name} is a {one.value_type}")


@rule("metrics by class", "ViTE, pipit, otf-profiler")
class MetricsByClass(Rule):
    def event(self, location, event, kind):
        if kind == "Metric" and type(event.metric).__name__ != "MetricClass":
            self.broken(f"{location.name}: a metric event names a {type(event.metric).__name__}")


@rule("strict metrics at each Enter and Leave", "otf-profiler")
class StrictMetrics(Rule):
    def __init__(self, archive, report):
        super().__init__(archive, report)
        self._measured = {}

    def event(self, location, event, kind):
        if kind == "Metric":
            one = getattr(event.metric, "metric_class", event.metric)
            if one.occurrence == MetricOccurrence.SYNCHRONOUS_STRICT:
                self._measured[location] = event.time
        elif kind in ("Enter", "Leave") and location in self._measured and self._measured[location] != event.time:
            self.broken(f"{location.name}: {kind} at {event.time} without its metric")
