# SPDX-License-Identifier: BSD-3-Clause
"""What of the generated programs' constructs has no line of its own in the archive, or is not there, and why. The test
fails over an entry that it does not need any more."""
from dataclasses import dataclass

NO_LINE, FALSE, MISSING = "no line", "false", "missing"


@dataclass(frozen=True)
class Exempt:
    """Regions of a kind, in the programs of one family of compilers. `constructs`, `settings`, `levels`: of these units
    and levels of optimisation; empty: of all."""

    family: str
    what: str
    kind: str
    reason: str
    constructs: frozenset = frozenset()
    settings: frozenset = frozenset()
    levels: str = ""

    def is_for(self, levels):
        return not self.levels or set(self.levels) & set(levels)

    def holds(self, what, unit, kind, level):
        return (self.what == what and self.kind == kind and (not self.constructs or unit.construct in self.constructs)
                and (not self.settings or unit.setting in self.settings)
                and self.is_for(level))


def _of(family, what, kinds, reason, constructs="", settings="", levels=""):
    return [Exempt(family, what, kind, reason, frozenset(constructs.split()), frozenset(settings.split()), levels)
            for kind in kinds]


NONE_OF_ITS_OWN = "gcc gives the call no line"
NOT_REPORTED = "the runtime does not report it"
MERGED = "the compiler made one call of two, without a line"
STALE = "the runtime reports another call's address, and there are several that it may be"
LAMBDA = "gcc's debug information does not say where a lambda begins"
POINTER = "it ends a function that was called through a pointer, and nothing tells which one"
COMBINED = "gcc makes one call of both constructs, at the parallel one"

EXEMPT = (
    *_of("clang", NO_LINE, ["task"], MERGED, "task_branch"),
    *_of("clang", NO_LINE, ["parallel", "teams", "implicit barrier", "task", "taskwait", "barrier"], POINTER, "", "pointer",
         levels="123"),
    *_of("clang", NO_LINE, ["task", "taskloop"], STALE, "taskloop_nogroup"),
    *_of("gcc", NO_LINE, ["single", "ordered", "taskgroup", "for", "sections", "implicit barrier"], NONE_OF_ITS_OWN),
    *_of("gcc", NO_LINE, ["omp_init_lock"], "gfortran gives a procedure's first call no line", "lock"),
    *_of("gcc", FALSE, ["for", "single"], LAMBDA, "", "lambda", levels="123"),
    *_of("gcc", FALSE, ["taskgroup"], LAMBDA, "", "lambda", levels="1"),
    *_of("gcc", FALSE, ["implicit barrier"], "gcc gives the barrier the line of the loop's end", "cancel_for", levels="1"),
    *_of("gcc", FALSE, ["omp_init_lock"], "gfortran gives a region's first call the line of its end", "lock", "data bare"),
    *_of("gcc", FALSE, ["for"], COMBINED, "", "data bare method"),
    *_of("gcc", NO_LINE, ["taskwait"], POINTER, "", "pointer", levels="23"),
    *_of("gcc", NO_LINE, ["parallel"], "the call of the pointer is a jump, too", "parallel_bare region_last_task", "pointer",
         levels="23"),
    *_of("gcc", MISSING, ["barrier"], POINTER, "", "pointer", levels="23"),
    *_of("gcc", MISSING, ["masked", "flush"], NOT_REPORTED),
)


def of_family(family):
    return [one for one in EXEMPT if one.family == family]
