# SPDX-License-Identifier: BSD-3-Clause
"""Reads what count_tool.c counted in the same run, and holds the archive against it: nothing that the runtime reported
may be missing, nothing may be there twice. The families repeat the order of count_names.h.
"""
import glob
import os
import struct

FAMILIES = ("thread_begin thread_end parallel_begin parallel_end task_create task_schedule implicit_begin implicit_end "
            "sync_begin sync_wait reduction work masked dispatch mutex_acquire mutex_acquired mutex_released lock_init "
            "lock_destroy nest_lock dependences dependence_item task_dependence flush cancel error control_tool "
            "device_initialize target data_op submit finalize scope_end").split()
VALUES = 16
FORTRAN = {"for": ("do",)}  # what other languages call it
CANCELLED = ("parallel", "for", "sections", "taskgroup")


def read(folder):
    """pid -> {(family, kind): count}, of every process that left a file."""
    found = {}
    for path in glob.glob(os.path.join(folder, "count.*")):
        with open(path, "rb") as file:
            data = file.read()
        if not data:  # killed when the file was made, before anything was counted
            continue
        numbers = struct.unpack(f"={len(FAMILIES) * VALUES}Q", data)
        counts = {}
        for index, number in enumerate(numbers):
            if number:
                counts[FAMILIES[index // VALUES], index % VALUES] = number
        found[int(path.rpartition(".")[2])] = counts
    return found


def callbacks(counts):
    """How many callbacks there were, in a process that finalized the tool: before that."""
    if ("finalize", 1) in counts:
        return counts["finalize", 1]
    return sum(number for (family, _), number in counts.items() if family not in ("dependence_item", "finalize"))


class Relations:
    """What each group of counters must be in the archive. A killed program has committed one record a thread more than
    was counted, at most. Of one that exits inside a region, other threads may go on while the archive is closed."""

    def __init__(self, counts, facts):
        self._counts = counts
        self._facts = facts
        end = facts.properties.get("OMPTAPE::END", "")
        self.cut_short = end not in ("finalize", "omp_control_tool")
        self._more = facts.threads if self.cut_short else 0
        self._less = facts.threads if end == "exit inside a parallel region" else 0
        self.problems = []

    def number(self, family, *kinds):
        kinds = kinds or range(VALUES)
        return sum(self._counts.get((family, kind), 0) for kind in kinds)

    def entries(self, *kinds):
        return sum(self._facts.kinds[kind] for kind in kinds)

    def events(self, kind):
        return self._facts.events[kind]

    def marker(self, category):
        return self._facts.markers[category]

    def equal(self, what, counted, archived):
        if not counted - self._less <= archived <= counted + self._more:
            self.problems.append(f"{what}: the runtime reported {counted}, the archive has {archived}")


def _parallel(r):
    r.equal("parallel regions", r.number("parallel_begin"), r.events("ThreadFork"))
    r.equal("parallel regions' ends", r.events("ThreadFork"), r.events("ThreadJoin"))


def _tasks(r):
    r.equal("deferred tasks", r.number("task_create", 1, 5), r.events("ThreadTaskCreate"))
    if not r.cut_short:
        r.equal("completed tasks", r.events("ThreadTaskCreate"), r.events("ThreadTaskComplete"))


def _sync(r):
    for name, kinds in (("barrier", (1, 3)), ("implicit barrier", (2, 8, 9, 10)), ("implementation barrier", (4,)),
                        ("taskwait", (5,)), ("taskgroup", (6,))):
        # A taskwait with dependences is reported as a task of its own.
        pseudo = r.number("task_create", 4) if name == "taskwait" else 0
        r.equal(name, r.number("sync_begin", *kinds) + pseudo, r.entries(name))
    r.equal("waiting for teams", r.number("sync_wait", 1, 2, 3, 4, 8, 9, 10), r.entries("wait for team"))
    r.equal("waiting for tasks", r.number("sync_wait", 5, 6), r.entries("wait for tasks"))
    r.equal("reduction", r.number("reduction") + r.number("sync_begin", 7), r.entries("reduction"))


def _work(r):
    for name, kinds in (("for", (1, 10, 11, 12, 13)), ("sections", (2,)), ("single", (3, 4)), ("single sblock", (3,)),
                        ("workshare", (5,)), ("distribute", (6,)), ("taskloop", (7,)), ("scope", (8,))):
        r.equal(name, r.number("work", *kinds), r.entries(name, *FORTRAN.get(name, ())))
    r.equal("masked", r.number("masked"), r.entries("masked"))


def _dispatch(r):
    r.equal("loop chunks", r.number("dispatch", 3), r.entries("for chunk", "do chunk"))
    r.equal("taskloop chunks", r.number("dispatch", 4), r.entries("taskloop chunk"))
    r.equal("distribute chunks", r.number("dispatch", 5), r.entries("distribute chunk"))
    r.equal("sections", r.number("dispatch", 2), r.entries("section"))


def _mutex(r):
    for name, kind in (("critical", 5), ("ordered", 7)):
        r.equal(name, r.number("mutex_acquire", kind), r.entries(name))
        r.equal(f"{name} sblock", r.number("mutex_acquired", kind), r.entries(f"{name} sblock"))
    r.equal("atomic", r.number("mutex_acquire", 6), r.entries("atomic"))
    r.equal("omp_set_lock", r.number("mutex_acquire", 1), r.entries("omp_set_lock"))
    r.equal("omp_test_lock", r.number("mutex_acquire", 2), r.entries("omp_test_lock"))
    r.equal("omp_unset_lock", r.number("mutex_released", 1, 2), r.entries("omp_unset_lock"))
    r.equal("lock routines' init", r.number("lock_init"), r.entries("omp_init_lock", "omp_init_nest_lock"))
    r.equal("lock routines' destroy", r.number("lock_destroy"), r.entries("omp_destroy_lock", "omp_destroy_nest_lock"))
    r.equal("acquisitions", r.number("mutex_acquired"), r.events("ThreadAcquireLock"))
    if not r.cut_short:
        r.equal("releases", r.number("mutex_released"), r.events("ThreadReleaseLock"))


def _other(r):
    r.equal("flush", r.number("flush"), r.entries("flush"))
    r.equal("error", r.number("error"), sum(r.marker(name) for name in ("OpenMP error", "OpenMP warning")))
    r.equal("cancel", r.number("cancel"), r.entries(*(f"cancel {what}" for what in CANCELLED)))
    r.equal("omp_control_tool", r.number("control_tool"), r.entries("omp_control_tool"))


def _target(r):
    r.equal("target constructs", r.number("target"),
            r.entries("target", "target data", "target enter data", "target exit data", "target update"))
    r.equal("submit", r.number("submit"), r.entries("target submit"))


GROUPS = {"parallel": _parallel, "tasks": _tasks, "sync": _sync, "work": _work, "dispatch": _dispatch, "mutex": _mutex,
          "other": _other, "target": _target}


def compare(counts, facts, vary=()):
    """Lines of what differs between the runtime's callbacks and the archive."""
    unknown = set(vary) - set(GROUPS) - {"all"}
    if unknown:
        return [f"vary names no group of counts: {', '.join(sorted(unknown))}"]
    relations = Relations(counts, facts)
    for name, group in GROUPS.items():
        if "all" not in vary and name not in vary:
            group(relations)
    return relations.problems
