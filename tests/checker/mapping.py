# SPDX-License-Identifier: BSD-3-Clause
"""The names and roles that the archive's regions must have: the one place to adjust when the mapping changes.

Also used by the end-to-end driver (tests/e2e/), which counts regions by these names.
"""
import re

from otf2.enums import RegionRole as R

# `!$omp NAME` -> the roles allowed for it.
OMP_ROLES = {
    "parallel": {R.PARALLEL},
    "teams": {R.PARALLEL},
    "task": {R.TASK, R.TASK_UNTIED},
    "create task": {R.TASK_CREATE},
    "for": {R.LOOP},
    "for chunk": {R.LOOP},
    "do": {R.LOOP},
    "do chunk": {R.LOOP},
    "distribute": {R.LOOP},
    "distribute chunk": {R.LOOP},
    "taskloop": {R.LOOP},
    "taskloop chunk": {R.LOOP},
    "sections": {R.SECTIONS},
    "section": {R.SECTION},
    "single": {R.SINGLE},
    "single sblock": {R.SINGLE_SBLOCK},
    "workshare": {R.WORKSHARE},
    "scope": {R.CODE, R.WORKSHARE, R.FUNCTION},
    "masked": {R.MASTER},
    "barrier": {R.BARRIER},
    "implicit barrier": {R.IMPLICIT_BARRIER},
    "implementation barrier": {R.IMPLICIT_BARRIER},
    "taskwait": {R.TASK_WAIT},
    "taskgroup": {R.CODE},
    "reduction": {R.CODE},
    "critical": {R.CRITICAL},
    "critical sblock": {R.CRITICAL_SBLOCK},
    "ordered": {R.ORDERED},
    "ordered sblock": {R.ORDERED_SBLOCK},
    "atomic": {R.ATOMIC},
    "atomic sblock": {R.ATOMIC},
    "flush": {R.FLUSH},
    "cancel": None,     # on a device: of what is not known
    "cancel parallel": None,
    "cancel for": None,
    "cancel sections": None,
    "cancel taskgroup": None,
    "error": None,
    "wait for team": {R.THREAD_WAIT},
    "wait for tasks": {R.THREAD_WAIT},
    "wait for reduction": {R.THREAD_WAIT},
    "target": {R.CODE},
    "target task": {R.TASK, R.TASK_UNTIED},
    "target data": {R.CODE},
    "target enter data": {R.CODE},
    "target exit data": {R.CODE},
    "target update": {R.CODE},
    "target submit": {R.WRAPPER},
    "target alloc": {R.ALLOCATE},
    "target delete": {R.DEALLOCATE},
    "target transfer to device": {R.DATA_TRANSFER},
    "target transfer from device": {R.DATA_TRANSFER},
    "target associate": None,
    "target disassociate": None,
    "target map": None,
    "target kernel": {getattr(R, "KERNEL", R.FUNCTION)},  # the role came with OTF2 3.1
    "implicit task": {R.CODE},
    "task event": {R.CODE},
    "mutex event": {R.CODE},
}

# Routines: no `!$omp`.
ROUTINE_ROLES = {"omp_control_tool": None, "omp_fulfill_event": None, "device thread": None}
for _routine in ("init", "destroy", "set", "unset", "test"):
    for _kind in ("lock", "nest_lock"):
        ROUTINE_ROLES[f"omp_{_routine}_{_kind}"] = {R.WRAPPER}

# Of an instance of a template with its short name; of what the runtime does of a reduction.
_SITE = re.compile(r" @(?P<file>[^@]*?):(?P<line>\d+)(?: (?P<instance>[^@]*<[^@]*|\(reduction\)))?$")
# Function names of C++ may hold spaces and all but "@".
_ADDRESS = re.compile(r" @(?P<address>[^@]*0x[0-9a-f]+)$")
# Behind either: the name of the kernel around it.
_LABEL = re.compile(r"^(?P<region>[^@]* @[^@]*?(?::\d+|0x[0-9a-f]+)(?: \(reduction\))?) (?P<label>.*\[parallel_(?:for|reduce|scan)\])$")


class RegionName:
    """The parts of a region's name: kind ("parallel", "omp_set_lock"), file, line and instance, or an address; label."""

    def __init__(self, name):
        self.file = self.line = self.address = self.instance = self.label = None
        label = _LABEL.match(name)
        if label:
            self.label, name = label["label"], label["region"]
        rest = name
        site = _SITE.search(name)
        address = _ADDRESS.search(name)
        if site:
            self.file, self.line, self.instance = site["file"], int(site["line"]), site["instance"]
            rest = name[: site.start()]
        elif address:
            self.address = address["address"]
            rest = name[: address.start()]
        self.is_omp = rest.startswith("!$omp ")
        self.kind = rest[len("!$omp "):] if self.is_omp else rest

    def roles(self):
        """The allowed roles; None: any; raises KeyError for a name that the mapping does not have."""
        return (OMP_ROLES if self.is_omp else ROUTINE_ROLES)[self.kind]


def changes_thread(event):
    """Of a MeasurementOnOff: do the location's next events belong to another thread than those before?"""
    return any(one.name == "ThreadId" for one in event.attributes or ())
