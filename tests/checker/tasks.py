# SPDX-License-Identifier: BSD-3-Clause
"""Checks of explicit tasks: made once, run on one location at a time, completed once, named without gaps.

A task's name is (team instance, number of the creating thread, generation); generation 0 is an implicit task.
"""
from report import Check, name_of


class Task:
    def __init__(self, created):
        self.created = created
        self.completed = None
        self.running_on = None


class Tasks(Check):
    def __init__(self, archive, report, partial, teams):
        super().__init__(archive, report, partial)
        self._teams = teams
        self._tasks = {}       # (instance, creating thread, generation) -> Task
        self._current = {}     # (location, instance) -> Task, None: the implicit task
        self._early = []       # switches that came before their creation in the stream
        self._overlaps = {}    # (Task, location that it must leave) -> (time, what is wrong if it does not then)

    def event(self, location, event):
        kind = type(event).__name__
        if kind == "ThreadTaskCreate":
            self._create(location, event)
        elif kind == "ThreadTaskSwitch":
            self._switch(location, event)
        elif kind == "ThreadTaskComplete":
            self._complete(location, event)
        elif kind == "ThreadTeamEnd":
            self._leave(location, self._teams.instance_at(location), event.time)

    def _name(self, location, event):
        instance = self._teams.instance_at(location)
        if instance is None or instance.comm is not event.thread_team:
            # The runtime's helper threads run deferred target tasks of teams that they do not belong to.
            if location not in event.thread_team.group.members:
                instance = self._teams.latest(event.thread_team)
        if instance is None or instance.comm is not event.thread_team:
            self.report.add("task", f"{name_of(location)}: {type(event).__name__} at {event.time} for team "
                                    f"#{event.thread_team._ref}, it is in {instance}")
            return None
        return (instance, event.creating_thread, event.generation_number)

    def _create(self, location, event):
        name = self._name(location, event)
        if name is None:
            return
        rank = list(name[0].comm.group.members).index(location)
        if event.creating_thread != rank:
            self.report.add("task", f"{name_of(location)} is thread {rank} of its team, creates a task as thread "
                                    f"{event.creating_thread}")
        if event.generation_number == 0:
            self.report.add("task", f"{name_of(location)} creates a task of generation 0 at {event.time}")
        task = self._tasks.get(name)
        if task is not None and task.created is not None:
            self.report.add("task", f"{name_of(location)} creates {self._text(name)} again at {event.time}")
            return
        self._tasks.setdefault(name, Task(None)).created = event.time

    def _switch(self, location, event):
        name = self._name(location, event)
        if name is None:
            return
        self._leave(location, name[0], event.time)
        if event.generation_number == 0:
            if event.creating_thread != list(name[0].comm.group.members).index(location):
                self.report.add("task", f"{name_of(location)} switches to another thread's implicit task")
            self._current[location, name[0]] = None
            return
        task = self._tasks.setdefault(name, Task(None))
        if task.created is None:
            self._early.append((name, event.time))
        if task.running_on is not None and task.running_on is not location:
            # Of two events at one time, on two locations, either can come first.
            self._overlaps[task, task.running_on] = (
                event.time, f"{self._text(name)} runs on {name_of(task.running_on)} and {name_of(location)} at {event.time}")
        if task.completed is not None:
            self.report.add("task", f"{name_of(location)} switches to {self._text(name)}, complete since {task.completed}")
        task.running_on = location
        self._current[location, name[0]] = task

    def _complete(self, location, event):
        name = self._name(location, event)
        if name is None:
            return
        task = self._tasks.setdefault(name, Task(None))
        if event.generation_number == 0:
            self.report.add("task", f"{name_of(location)} completes an implicit task at {event.time}")
        if task.created is None:
            self._early.append((name, event.time))
        if task.completed is not None:
            self.report.add("task", f"{self._text(name)} completes twice, at {task.completed} and {event.time}")
        task.completed = event.time

    def _leave(self, location, instance, time):
        task = self._current.get((location, instance))
        if task is None:
            return
        since, problem = self._overlaps.pop((task, location), (time, None))
        if since != time:
            self.report.add("task", problem)
        if task.running_on is location:
            task.running_on = None

    @staticmethod
    def _text(name):
        return f"task ({name[1]}, {name[2]}) of {name[0]}"

    def finish(self):
        for _, problem in self._overlaps.values():
            self.report.add("task", problem)
        for name, time in self._early:
            created = self._tasks[name].created
            if created is None or created > time:
                self.report.add("task", f"{self._text(name)} is used at {time}, created {created}")
        generations = {}
        for (instance, thread, generation), task in self._tasks.items():
            generations.setdefault((instance, thread), []).append(generation)
            if task.completed is None and not self.partial:
                self.report.add("task", f"{self._text((instance, thread, generation))} never completes")
        for (instance, thread), numbers in generations.items():
            if sorted(numbers) != list(range(1, len(numbers) + 1)) and not self.partial:
                self.report.add("task", f"{instance}, thread {thread}: generations {sorted(numbers)[:5]}...")
