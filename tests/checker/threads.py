# SPDX-License-Identifier: BSD-3-Clause
"""What `omptape check` does not ask of teams, tasks and locks: it holds of omptape's mapping, not of every archive.

A location begins one team in each of its forks, and the whole team lies between that fork and its join; a member's
task events name the team that it is in; generations have no gaps; who acquires a lock releases it.
"""
from checker.report import Check, name_of


class Instance:
    """One run of a team: the n-th ThreadTeamBegin of its communicator on each member."""

    def __init__(self, comm, number):
        self.comm = comm
        self.number = number
        self.first = self.last = None   # times
        self.generations = {}           # of each creating thread

    def __str__(self):
        return f"team #{self.comm._ref}, instance {self.number}"


class Threads(Check):
    def __init__(self, archive, report, partial):
        super().__init__(archive, report, partial)
        self._open = {}       # location -> stack of [fork time, instance begun there] and Instances
        self._begun = {}      # (location, comm) -> how many
        self._instances = {}  # (comm, number) -> Instance
        self._forks = []      # (instance, fork time, join time)
        self._holders = {}    # (process, lock, order) -> location
        self._kinds = {"ThreadFork": self._fork, "ThreadJoin": self._join, "ThreadTeamBegin": self._begin,
                       "ThreadTeamEnd": self._end, "ThreadTaskCreate": self._task, "ThreadTaskSwitch": self._task,
                       "ThreadTaskComplete": self._task, "ThreadAcquireLock": self._lock,
                       "ThreadReleaseLock": self._lock}

    def event(self, location, event):
        look = self._kinds.get(type(event).__name__)
        if look is not None:
            look(location, event)

    def _fork(self, location, event):
        self._open.setdefault(location, []).append([event.time, None])

    def _begin(self, location, event):
        comm, stack = event.thread_team, self._open.setdefault(location, [])
        number = self._begun[location, comm] = self._begun.get((location, comm), 0) + 1
        instance = self._instances.setdefault((comm, number), Instance(comm, number))
        instance.first = event.time if instance.first is None else instance.first
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
            self.report.add("team", f"{name_of(location)} forked at {forked} but begins no team")

    def _task(self, location, event):
        comm = event.thread_team
        inside = next((one for one in reversed(self._open.get(location, [])) if isinstance(one, Instance)), None)
        if inside is None or inside.comm is not comm:
            # The runtime's helper threads run deferred target tasks of teams that they do not belong to.
            if location in comm.group.members:
                self.report.add("task", f"{name_of(location)}: {type(event).__name__} at {event.time} for team "
                                        f"#{comm._ref}, it is in {inside}")
        elif event.generation_number != 0:
            inside.generations.setdefault(event.creating_thread, set()).add(event.generation_number)

    def _lock(self, location, event):
        name = (location.group, event.lock_id, event.acquisition_order)
        holder = self._holders.setdefault(name, location)
        if holder is not location:
            self.report.add("lock", f"{name_of(location)}: releases lock {event.lock_id} as "
                                    f"{event.acquisition_order}, which {name_of(holder)} acquired")

    def finish(self):
        if self.partial:
            return
        for instance, forked, joined in self._forks:
            if instance.first < forked or instance.last > joined:
                self.report.add("team", f"{instance} is not within its fork at {forked} and join at {joined}")
        for instance in self._instances.values():
            for thread, numbers in instance.generations.items():
                if max(numbers) != len(numbers):
                    self.report.add("task", f"{instance}, thread {thread}: generations {sorted(numbers)[:5]}...")
