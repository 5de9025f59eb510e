# SPDX-License-Identifier: BSD-3-Clause
"""What readers by others assume of events: more rules for assumptions.py, which says what a rule is."""
import collections

from otf2.enums import MeasurementMode, RegionRole

from readers.assumptions import Rule, directive, is_thread, rule

BARRIERS = (RegionRole.BARRIER, RegionRole.IMPLICIT_BARRIER)
TASKS = (RegionRole.TASK, RegionRole.TASK_UNTIED)
MESSAGES = ("MpiSend", "MpiRecv", "MpiIsend", "MpiIrecv", "MpiCollectiveEnd")


class Stacks(Rule):
    """The open regions of each location, for the rules that ask for them."""

    def __init__(self, archive, report):
        super().__init__(archive, report)
        self.open = collections.defaultdict(list)

    def event(self, location, event, kind):
        regions = self.open[location]
        if kind == "Enter":
            self.entered(location, event, regions)
            regions.append(event.region)
        elif kind == "Leave":
            if regions:
                regions.pop()
            self.left(location, event, regions)
        else:
            self.other(location, event, kind, regions)

    def entered(self, location, event, regions):
        """`regions` as they were before."""

    def left(self, location, event, regions):
        """`regions` as they are then."""

    def other(self, location, event, kind, regions):
        """All other events."""


# Times


@rule("distinct times", "pipit, whose sorting is not stable; Traveler, which stops where it has to compare two events")
class DistinctTimes(Rule):
    def __init__(self, archive, report):
        super().__init__(archive, report)
        self._last = {}

    def event(self, location, event, kind):
        if kind in ("Enter", "Leave"):
            if self._last.get(location) == event.time:
                self.broken(f"{location.name}: two at {event.time}")
            self._last[location] = event.time


@rule("times from the offset on", "PEARL, which subtracts it without a sign")
class Offset(Rule):
    def event(self, location, event, kind):
        if event.time < self.known.clock_properties.global_offset:
            self.broken(f"{location.name}: {kind} at {event.time}")


@rule("order between locations", "all that merge by time, and by location where times are equal")
class Order(Rule):
    """A release is earlier than the lock's next acquisition, a creation than its task, a fork than its members. What an
    archive that was cut short does not hold is not asked for."""

    def __init__(self, archive, report):
        super().__init__(archive, report)
        self._released, self._acquired, self._created = {}, set(), {}
        self._forks = collections.defaultdict(list)    # location -> [time, communicator] of open ones
        self._whole = int(archive.value("DROPPED", "0") or 0) == 0

    def _earlier(self, what, before, location, event):
        """`before`: (location, time) of what must have been."""
        if before is not None and before[0] != location and (before[1], before[0]._ref) > (event.time, location._ref):
            self.broken(f"{what} at {event.time} on {location.name}, {before[1]} on {before[0].name}")

    def event(self, location, event, kind):
        handler = getattr(self, "_" + kind, None)
        if handler:
            handler(location, event)

    def _ThreadReleaseLock(self, location, event):
        key = location.group, event.lock_id, event.acquisition_order
        self._released[key] = location, event.time
        if key in self._acquired:
            self.broken(f"lock {event.lock_id} is acquired before its release at {event.time} on {location.name}")

    def _ThreadAcquireLock(self, location, event):
        key = location.group, event.lock_id, event.acquisition_order - 1
        self._acquired.add(key)  # a release of it that comes now comes too late
        self._earlier(f"acquisition and release of lock {event.lock_id}", self._released.get(key), location, event)

    def _ThreadTaskCreate(self, location, event):
        key = event.thread_team, event.creating_thread, event.generation_number
        if self._created.get(key) is False:
            self.broken(f"task {key[1:]} runs before it is created at {event.time} on {location.name}")
        self._created[key] = location, event.time

    def _ThreadTaskSwitch(self, location, event):
        key = event.thread_team, event.creating_thread, event.generation_number
        if event.generation_number:
            created = self._created.setdefault(key, False) or None
            self._earlier(f"run and creation of task {key[1:]}", created, location, event)

    def _ThreadTaskComplete(self, location, event):
        self._created.pop((event.thread_team, event.creating_thread, event.generation_number), None)

    def _ThreadFork(self, location, event):
        self._forks[location].append([event.time, None])

    def _ThreadJoin(self, location, event):
        if self._forks[location]:
            self._forks[location].pop()

    def _ThreadTeamBegin(self, location, event):
        team = event.thread_team
        first = team.group.members[0]
        forks = self._forks[first]
        if location == first and forks and forks[-1][1] is None:
            forks[-1][1] = team
        mine = [time for time, known in forks if known in (None, team)]
        if location != first and mine:
            self._earlier(f"member and fork of {team.name}", (first, min(mine)), location, event)
        elif location != first and self._whole:
            self.broken(f"{location.name} begins {team.name} at {event.time}, before {first.name} forks")


# What is open


@rule("Enter and Leave balanced", "PEARL, TAU, otf-profiler, otf22csv, ViTE")
class Balanced(Rule):
    def __init__(self, archive, report):
        super().__init__(archive, report)
        self._open = collections.defaultdict(list)

    def event(self, location, event, kind):
        if kind == "Enter":
            self._open[location].append(event.region)
        elif kind == "Leave" and (not self._open[location] or self._open[location].pop() != event.region):
            self.broken(f"{location.name}: Leave of {event.region.name} at {event.time}")

    def end(self):
        for location, regions in self._open.items():
            if regions:
                self.broken(f"{location.name}: {regions[-1].name} is open at the end")


@rule("a region around the program", "otf-profiler, pipit, ViTE and Vampir's statistics, which add up Enter and Leave")
class ProgramRegion(Stacks):
    def __init__(self, archive, report):
        super().__init__(archive, report)
        self._names, self._over = {}, {}

    def entered(self, location, event, regions):
        name = self._names.get(location)
        is_it = event.region.name == name and event.region.region_role == RegionRole.FUNCTION
        if name and not regions and location not in self._over and not is_it:
            self.broken(f"{location.name}: {event.region.name} at {event.time} is not within {name}")
        if self._over.pop(location, None) is not None:
            self.broken(f"{location.name}: {event.region.name} comes after {name}")

    def left(self, location, event, regions):
        if not regions and location in self._names:
            self._over[location] = event.time

    def other(self, location, event, kind, regions):
        if kind == "ProgramBegin":
            self._names[location] = event.program_name.rpartition("/")[2]
        elif location in self._over and kind not in ("Metric", "MeasurementOnOff", "ProgramEnd"):
            self.broken(f"{location.name}: {kind} at {event.time} comes after the program's region")

    def end(self):
        for location, name in self._names.items():
            if location not in self._over:
                self.broken(f"{location.name}: there is no region {name}")
        if not self._names:
            self.broken("there is no ProgramBegin")


@rule("a region has one barrier", "CASITA, which counts each region with that word in its name")
class OneBarrier(Stacks):
    def entered(self, location, event, regions):
        def is_barrier(region):
            return "barrier" in directive(region) or region.region_role in BARRIERS and region.name.startswith("!$omp ")
        if regions and is_barrier(event.region) and is_barrier(regions[-1]):
            self.broken(f"{location.name}: {event.region.name} in {regions[-1].name}")


@rule("messages in a region", "otf-profiler")
class Messages(Stacks):
    def other(self, location, event, kind, regions):
        if kind in MESSAGES and not regions:
            self.broken(f"{location.name}: {kind} at {event.time} outside of any region")


@rule("parameters in a region", "otf22csv")
class Parameters(Stacks):
    def other(self, location, event, kind, regions):
        if kind == "ParameterString" and not regions:
            self.broken(f"{location.name}: a parameter at {event.time} outside of any region")


# What follows what


@rule("ProgramBegin first", "PEARL")
class ProgramFirst(Rule):
    def __init__(self, archive, report):
        super().__init__(archive, report)
        self._seen = set()

    def event(self, location, event, kind):
        if kind == "ProgramBegin" and location in self._seen:
            self.broken(f"{location.name}: other events come before ProgramBegin")
        if kind != "Metric":  # which it does not look at
            self._seen.add(location)


@rule("recording goes off before it goes on", "PEARL, which makes a region of the time between")
class OnOff(Rule):
    def __init__(self, archive, report):
        super().__init__(archive, report)
        self._off = set()

    def event(self, location, event, kind):
        if kind != "MeasurementOnOff":
            return
        if event.measurement_mode == MeasurementMode.OFF:
            self._off.add(location)
        elif location in self._off:
            self._off.discard(location)
        else:
            self.broken(f"{location.name}: on at {event.time}, and was not off")


@rule("a fork right before its team", "PEARL")
class ForkThenTeam(Rule):
    def __init__(self, archive, report):
        super().__init__(archive, report)
        self._forked = set()

    def event(self, location, event, kind):
        if location in self._forked and kind not in ("Metric", "ParameterString", "BufferFlush"):
            self._forked.discard(location)
            if kind not in ("ThreadTeamBegin", "MeasurementOnOff"):
                self.broken(f"{location.name}: {kind} at {event.time} comes after ThreadFork")
        if kind == "ThreadFork":
            self._forked.add(location)


@rule("a new task enters its region", "PEARL")
class TaskThenRegion(Rule):
    """What comes on a location for the first time must be entered before anything else is done."""

    def __init__(self, archive, report):
        super().__init__(archive, report)
        self._seen, self._expected = set(), {}

    def event(self, location, event, kind):
        if kind == "Enter" and location in self._expected:
            del self._expected[location]
            if event.region.region_role not in TASKS:
                self.broken(f"{location.name}: a task begins with {event.region.name} at {event.time}")
        elif kind.startswith("ThreadTask") and kind != "ThreadTaskCreate":
            key = location, event.thread_team, event.creating_thread, event.generation_number
            if self._expected.pop(location, None):
                self.broken(f"{location.name}: a task without a region before {event.time}")
            if kind == "ThreadTaskComplete":
                self._seen = {one for one in self._seen if one[1:] != key[1:]} if key in self._seen else self._seen
            elif event.generation_number and key not in self._seen:
                self._seen.add(key)
                self._expected[location] = True


@rule("acquisitions from 1 on", "PEARL, which leaves out what has number 0, and waits for each number of a lock")
class Acquisitions(Rule):
    def __init__(self, archive, report):
        super().__init__(archive, report)
        self._numbers = {}

    def event(self, location, event, kind):
        if kind == "ThreadAcquireLock":
            self._numbers.setdefault((location.group, event.lock_id), set()).add(event.acquisition_order)

    def end(self):
        for (group, lock), numbers in self._numbers.items():
            missing = set(range(1, len(numbers) + 1)) - numbers
            if missing:
                self.broken(f"{group.name}: lock {lock} has {len(numbers)} acquisitions, none is {min(missing)}")


@rule("a thread's metric has its next event's time", "pipit, whose table has a row for both")
class MetricThenEvent(Rule):
    def __init__(self, archive, report):
        super().__init__(archive, report)
        self._last = {}
        classes = list(self.known.metric_classes)
        self._first = classes[0] if classes else None

    def event(self, location, event, kind):
        if not is_thread(location):
            return
        if kind == "Metric" and event.metric != self._first:
            self.broken(f"{location.name}: a metric of another than the first class")
        last = self._last.pop(location, None)
        if last is not None and (kind == "Metric" or last != event.time):
            self.broken(f"{location.name}: the metric at {last} stands alone")
        if kind == "Metric":
            self._last[location] = event.time

    def end(self):
        for location, time in self._last.items():
            self.broken(f"{location.name}: the metric at {time} comes last")
