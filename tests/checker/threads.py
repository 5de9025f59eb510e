# SPDX-License-Identifier: BSD-3-Clause
"""What `omptape check` does not ask of teams, tasks and locks: it holds of omptape's mapping, not of every archive.

A location begins one team in each of its forks, and the whole team lies between that fork and its join; a member's
task events name the team that it is in; generations have no gaps; a task that has run completes where it runs; who
acquires a lock releases it; processor time grows, up to what the location's properties say.

The order between locations must survive a reader that merges them by time and, where times are equal, by location: no
acquisition before the release of the one before, no task before its creation, no member before its fork. And where the
archive says that its times are distinct, they are.
"""
from otf2.enums import MetricMode

from checker.report import Check, name_of


def place(location, event):
    """Where the event is in such a reader's order."""
    return event.time, location._ref


class Instance:
    """One run of a team: the n-th ThreadTeamBegin of its communicator on each member."""

    def __init__(self, comm, number):
        self.comm = comm
        self.number = number
        self.first = self.last = None   # place of the first begin, time of the last end
        self.generations = {}           # of each creating thread
        self.created = {}               # (creating thread, generation) -> place
        self.started = {}               # the same of the first switch to it

    def __str__(self):
        return f"team #{self.comm._ref}, instance {self.number}"


class Threads(Check):
    def __init__(self, archive, report, partial):
        super().__init__(archive, report, partial)
        self._open = {}       # location -> stack of [fork time, instance begun there] and Instances
        self._running = {}    # location -> (Instance, its task)
        self._begun = {}      # (location, comm) -> how many
        self._instances = {}  # (comm, number) -> Instance
        self._forks = []      # (instance, the fork's place, join time)
        self._holders = {}    # (process, lock, order) -> location
        self._accumulated = {}  # metric -> (place among its values, name) of those that only grow
        self._sums = {}       # location -> {name of a metric: its last value}
        self._acquired = {}   # (process, lock, order) -> place
        self._released = {}   # the same of its release
        self._distinct = {}   # location -> whether its times are said to be distinct
        self._times = {}      # such a location -> time of its last event
        self._kinds = {"ThreadFork": self._fork, "ThreadJoin": self._join, "ThreadTeamBegin": self._begin,
                       "ThreadTeamEnd": self._end, "ThreadTaskCreate": self._task, "ThreadTaskSwitch": self._task,
                       "ThreadTaskComplete": self._task, "ThreadAcquireLock": self._lock,
                       "ThreadReleaseLock": self._lock, "Metric": self._metric}

    def handler(self, location, kind):
        look = self._kinds.get(kind.__name__)
        if not self._is_distinct(location):
            return look

        def both(location, event):
            if self._times.get(location) == event.time:
                self.report.add("time", f"{name_of(location)}: two events at {event.time}")
            self._times[location] = event.time
            if look is not None:
                look(location, event)
        return both

    def _is_distinct(self, location):
        if location not in self._distinct:
            group = location.group
            self._distinct[location] = any(self.archive.value_of(one, "DISTINCT_TIMES") is not None
                                           for one in (group, getattr(group, "creating_location_group", None)))
        return self._distinct[location]

    def _fork(self, location, event):
        self._open.setdefault(location, []).append([place(location, event), None])

    def _begin(self, location, event):
        comm, stack = event.thread_team, self._open.setdefault(location, [])
        number = self._begun[location, comm] = self._begun.get((location, comm), 0) + 1
        instance = self._instances.setdefault((comm, number), Instance(comm, number))
        instance.first = min(instance.first or place(location, event), place(location, event))
        if stack and isinstance(stack[-1], list):
            if stack[-1][1] is not None:
                self.report.add("team", f"{name_of(location)} begins a second team in one fork, at {event.time}")
            stack[-1][1] = instance
        stack.append(instance)

    def _end(self, location, event):
        stack = self._open.get(location)
        if stack and isinstance(stack[-1], Instance):
            stack.pop().last = event.time

    def _join(self, location, event):
        stack = self._open.get(location)
        if not stack or isinstance(stack[-1], Instance):
            return
        forked, instance = stack.pop()
        if instance is not None:
            self._forks.append((instance, forked, event.time))
        elif not self.partial:
            self.report.add("team", f"{name_of(location)} forked at {forked[0]} but begins no team")

    def _task(self, location, event):
        comm = event.thread_team
        inside = next((one for one in reversed(self._open.get(location, [])) if isinstance(one, Instance)), None)
        if inside is None or inside.comm is not comm:
            # The runtime's helper threads run deferred target tasks of teams that they do not belong to.
            if location in comm.group.members:
                self.report.add("task", f"{name_of(location)}: {type(event).__name__} at {event.time} for team "
                                        f"#{comm._ref}, it is in {inside}")
            return
        kind, task = type(event).__name__, (event.creating_thread, event.generation_number)
        if kind == "ThreadTaskSwitch":
            self._running[location] = inside, task
        if event.generation_number == 0:
            return
        inside.generations.setdefault(event.creating_thread, set()).add(event.generation_number)
        if kind == "ThreadTaskCreate":
            inside.created[task] = place(location, event)
        elif kind == "ThreadTaskSwitch":
            inside.started[task] = min(inside.started.get(task, place(location, event)), place(location, event))
        elif task in inside.started and self._running.get(location) != (inside, task) and not self.partial:
            self.report.add("task", f"{name_of(location)}: {task} completes at {event.time}, it is not what runs there")

    def _lock(self, location, event):
        name = (location.group, event.lock_id, event.acquisition_order)
        holder = self._holders.setdefault(name, location)
        places = self._acquired if type(event).__name__ == "ThreadAcquireLock" else self._released
        places[name] = place(location, event)
        if holder is not location:
            self.report.add("lock", f"{name_of(location)}: releases lock {event.lock_id} as "
                                    f"{event.acquisition_order}, which {name_of(holder)} acquired")

    def _metric(self, location, event):
        metric = event.metric
        names = self._accumulated.get(metric)
        if names is None:
            members = () if hasattr(metric, "recorder") else metric.members
            names = self._accumulated[metric] = [(number, one.name) for number, one in enumerate(members)
                                                 if one.metric_mode == MetricMode.ACCUMULATED_START]
        if not names:
            return
        sums, values = self._sums.setdefault(location, {}), event.values
        for number, name in names:
            if values[number] < sums.get(name, 0):
                self.report.add("metric", f"{name_of(location)}: {name} goes from {sums[name]} to {values[number]} at {event.time}")
            sums[name] = values[number]

    def _last_values(self):
        said = {(one.location, one.name): one.value for one in self.archive.definitions.location_properties}
        for location, sums in self._sums.items():
            for name, value in sums.items():
                if said.get((location, name), -1) < value:
                    self.report.add("metric", f"{name_of(location)}: {name} is {value}, its property says "
                                              f"{said.get((location, name))}")

    def finish(self):
        self._last_values()
        if self.partial:
            return
        for instance, forked, joined in self._forks:
            if instance.first < forked or instance.last > joined:
                self.report.add("team", f"{instance} begins at {instance.first} and ends at {instance.last}, not "
                                        f"within its fork at {forked} and join at {joined}")
        for (process, lock, order), released in self._released.items():
            following = self._acquired.get((process, lock, order + 1), released)
            if following < released:
                self.report.add("lock", f"lock {lock} is acquired as {order + 1} at {following}, before its release "
                                        f"at {released}")
        for instance in self._instances.values():
            for task, started in instance.started.items():
                if started < instance.created.get(task, started):
                    self.report.add("task", f"{instance}: {task} starts at {started}, before its creation at "
                                            f"{instance.created[task]}")
            for thread, numbers in instance.generations.items():
                if max(numbers) != len(numbers):
                    self.report.add("task", f"{instance}, thread {thread}: generations {sorted(numbers)[:5]}...")
