# SPDX-License-Identifier: BSD-3-Clause
"""Generates programs of some hundred constructs, and the table of the lines on which each of them stands.

A program is a list of units, each a function that holds one construct of constructs.py once or several times, put
into the program in one of many ways: in the region itself, in functions that the region calls, in a header, a template.
Before each unit the program says in its archive which one it is (mark.c), so that what the archive shows of a unit can
be held against that unit's lines alone.
"""
import platform
import re
from collections import namedtuple

from lines import constructs

CONSTANT = "4"

# Where a construct stands, and the kind of its regions. It is known by the line of its mark, `own`; None: it need not be
# seen.
Site = namedtuple("Site", "kind file line own")
BARRIER = "implicit barrier"


class Unit:
    """One construct in one setting."""

    def __init__(self, number, construct, setting):
        self.number, self.construct, self.setting = number, construct, setting
        self.sites = set()

    def __str__(self):
        return f"{self.construct}/{self.setting}"


class Source:
    """One file, line by line; marks become sites of the unit that is being written. `exact`: kinds of constructs that
    stand nowhere but where they are written."""

    def __init__(self, name, comment, head, exact=()):
        self._exact = exact
        self.name = name
        self._mark = re.compile(r"\s*" + re.escape(comment) + r"@ (.*)$")
        self._work = re.compile(r"\badd\((?!int)([\w +]+)\)")
        self._last = {}   # kind -> the line of its last mark
        self.lines = []
        self.unit = None

        for line in head:
            self.put(line)

    def put(self, text, indent=0):
        for line in text.splitlines():
            mark = self._mark.search(line)
            if mark:
                line = line[:mark.start()]
            # Compilers join functions that do the same: no two of ours do.
            line = self._work.sub(lambda call, own=len(self.lines): f"add({call[1]} + {own})", line)
            self.lines.append(" " * indent + line if line and not line.startswith("#") else line)
            if mark:
                self._note(mark[1].split(), len(self.lines))

    def _note(self, words, line):
        add = self.unit.sites.add
        for word in words:
            kind = word.rstrip("+?~").replace("cancel_", "cancel ")
            if kind == "end" or "+" in word:
                add(Site(BARRIER, self.name, line, None))
            if "~" in word and kind in self._exact:
                continue
            if "~" not in word:
                self._last[kind] = line
            if kind != "end":
                add(Site(kind, self.name, line, None if "?" in word else self._last[kind]))

    def text(self):
        return "\n".join(self.lines) + "\n"


class Program:
    """The sources of one program, and its units by number."""

    def __init__(self):
        self.sources, self.headers, self.units = [], [], []

    def unit(self, construct, setting, *sources):
        unit = Unit(len(self.units) + 1, construct, setting)
        self.units.append(unit)
        for source in sources:
            source.unit = unit
        return unit

    def files(self):
        return {source.name: source.text() for source in (*self.sources, *self.headers)}


# C and C++


def c_head(cxx):
    """What each file begins with."""
    return ["#include <omp.h>", 'extern "C" {' if cxx else "", "extern void add(int);",
            "extern void mark(int);", "}" if cxx else "", "static int shared_value, reduced;", ""]


class CProgram(Program):
    """`words` go before a function that the compiler must not inline."""

    NOINLINE = "static __attribute__((noinline)) void"

    def __init__(self, cxx=False, exact=()):
        super().__init__()
        self.cxx = cxx
        self.exact = exact
        self.ending = ".cpp" if cxx else ".c"
        self.calls = []
        self.main = self._source("units" + self.ending)
        self.other = self._source("other" + self.ending)
        self.header = Source("inlined.h", "//", [], exact)
        self.headers.append(self.header)
        self.main.put('#include "inlined.h"\n')
        for setting in self._settings():
            for name, text in constructs.C_INSIDE.items():
                setting(name, text)
        for setting in (self._serial_bare, self._serial_data, self._serial_turn, self._serial_pointer):
            for name, text in constructs.C_SERIAL.items():
                setting(name, text)
        self._finish()

    def _settings(self):
        if self.cxx:
            return (self.data, self.template, self.lambda_, self.method)
        return (self.data, self.bare, self.turn, self.tail, self.pointer, self.inline, self.elsewhere)

    def _source(self, name):
        source = Source(name, "//", c_head(self.cxx), self.exact)
        self.sources.append(source)
        return source

    @staticmethod
    def _fill(text, unit, n="n"):
        if n != "n":
            text = re.sub(r"\bn\b", n, text.replace("firstprivate(n)", "firstprivate(shared_value)"))
        return text.replace("(@)", f"(name_{unit.number})")

    def _function(self, source, head, text, unit, n="n", region=False):
        """A function with the construct in it; `region`: in a parallel region of its own."""
        source.put(head + "\n{")
        indent = 4
        if region:
            source.put("#pragma omp parallel num_threads(2) //@ parallel+")
            source.put("{", indent)
            indent += 4
        source.put(self._fill(text, unit, n), indent)
        if region:
            source.put("} //@ end", 4)
        source.put("}\n")

    def _caller(self, unit, calls):
        """The unit's function, whose region calls others."""
        self.main.put(f"{self.NOINLINE} unit_{unit.number}(int n)\n{{")
        self.main.put("#pragma omp parallel num_threads(2) //@ parallel+")
        self.main.put("{", 4)
        for call in calls:
            self.main.put(call, 8)
        self.main.put("} //@ end", 4)
        self.main.put("}\n")

    def data(self, name, text):
        unit = self.unit(name, "data", self.main)
        self._function(self.main, f"{self.NOINLINE} unit_{unit.number}(int n)", text, unit, region=True)

    def bare(self, name, text):
        unit = self.unit(name, "bare", self.main)
        self._function(self.main, f"{self.NOINLINE} unit_{unit.number}(int n)", text, unit, CONSTANT, region=True)

    def turn(self, name, text):
        """Three functions, called in turn."""
        unit = self.unit(name, "turn", self.main)
        for part in "abc":
            self._function(self.main, f"static void part_{unit.number}{part}(int n)", text, unit)
        self._caller(unit, [f"part_{unit.number}{part}(n);" for part in "abc"])

    def tail(self, name, text):
        """Functions that are not inlined, with the construct at their end."""
        unit = self.unit(name, "tail", self.main)
        for part in "ab":
            self._function(self.main, f"{self.NOINLINE} tail_{unit.number}{part}(int n)", "add(n);\n" + text, unit,
                           CONSTANT if part == "a" else "n")
        self._caller(unit, [f"tail_{unit.number}a(n);", f"tail_{unit.number}b(n);"])

    def _pointers(self, unit, text):
        """Functions with the construct at their end, and the calls of them through pointers."""
        for part in "ab":
            self._function(self.main, f"{self.NOINLINE} pointer_{unit.number}{part}(int n)", "add(n);\n" + text, unit,
                           CONSTANT if part == "a" else "n")
        table = f"table_{unit.number}"
        self.main.put(f"static void (*volatile {table}[])(int) = {{pointer_{unit.number}a, pointer_{unit.number}b}};\n")
        return [f"{table}[0](n);", f"{table}[1](n);"]

    def pointer(self, name, text):
        unit = self.unit(name, "pointer", self.main)
        self._caller(unit, self._pointers(unit, text))

    def inline(self, name, text):
        """From a header, twice."""
        unit = self.unit(name, "inline", self.main, self.header)
        self._function(self.header, f"static inline void inline_{unit.number}(int n)", text, unit)
        self._caller(unit, [f"inline_{unit.number}(n);", "add(1);", f"inline_{unit.number}(n + 1);"])

    def elsewhere(self, name, text):
        unit = self.unit(name, "elsewhere", self.main, self.other)
        self._function(self.other, f"void elsewhere_{unit.number}(int n)", text, unit)
        self.main.put(f"extern void elsewhere_{unit.number}(int n);")
        self._caller(unit, [f"elsewhere_{unit.number}(n);"])

    def template(self, name, text):
        unit = self.unit(name, "template", self.main)
        self._function(self.main, f"template <typename T> static void template_{unit.number}(T n)", text, unit)
        self._caller(unit, [f"template_{unit.number}<int>(n);", f"template_{unit.number}<short>(2);"])

    def lambda_(self, name, text):
        unit = self.unit(name, "lambda", self.main)
        self.main.put(f"{self.NOINLINE} unit_{unit.number}(int number)\n{{")
        self.main.put("auto work = [&](int n) {", 4)
        self.main.put(self._fill(text, unit), 8)
        self.main.put("};", 4)
        self.main.put("#pragma omp parallel num_threads(2) //@ parallel+")
        self.main.put("{\n    work(number);\n} //@ end", 4)
        self.main.put("}\n")

    def method(self, name, text):
        unit = self.unit(name, "method", self.main)
        self.main.put(f"struct Method{unit.number} {{\nint number;")
        self._function(self.main, "void run(int n)", text, unit, region=True)
        self.main.put("};\n")
        self.main.put(f"{self.NOINLINE} unit_{unit.number}(int n)\n{{\n    Method{unit.number} own = {{n}};\n"
                      "    own.run(n);\n}\n")

    def _serial_bare(self, name, text):
        unit = self.unit(name, "bare", self.main)
        self._function(self.main, f"{self.NOINLINE} unit_{unit.number}(int n)", text, unit, CONSTANT)

    def _serial_data(self, name, text):
        unit = self.unit(name, "data", self.main)
        self._function(self.main, f"{self.NOINLINE} unit_{unit.number}(int n)", "add(n);\n" + text, unit)

    def _serial_turn(self, name, text):
        unit = self.unit(name, "turn", self.main)
        for part in "abc":
            self._function(self.main, f"static void part_{unit.number}{part}(int n)", text, unit)
        self._function(self.main, f"{self.NOINLINE} unit_{unit.number}(int n)",
                       "".join(f"part_{unit.number}{part}(n);\n" for part in "abc"), unit)

    def _serial_pointer(self, name, text):
        unit = self.unit(name, "pointer", self.main)
        self._function(self.main, f"{self.NOINLINE} unit_{unit.number}(int n)", "\n".join(self._pointers(unit, text)), unit)

    def _finish(self):
        self.main.put("int main(void)\n{")
        self.main.put("#pragma omp parallel num_threads(2)\n    add(1);")
        for unit in self.units:
            self.main.put(f"mark({unit.number});\nunit_{unit.number}({CONSTANT});", 4)
        self.main.put("mark(0);\nreturn 0;\n}", 4)


# Fortran


class FortranProgram(Program):
    """A module of subroutines and a main program."""

    def __init__(self, gnu):
        super().__init__()
        self.main = Source("units.f90", "!", ["module units", "  use omp_lib", "  implicit none",
                                              "  integer :: shared_value = 0", "  integer :: field(64) = 0", "contains"])
        self.sources.append(self.main)
        inside = {**constructs.FORTRAN_INSIDE, **(constructs.FORTRAN_GNU_INSIDE if gnu else {})}
        for setting in (self.data, self.bare, self.turn, self.internal):
            for name, text in inside.items():
                setting(name, text)
        for setting in (self._serial_data, self._serial_bare):
            for name, text in constructs.FORTRAN_SERIAL.items():
                setting(name, text)
        self._finish()

    @staticmethod
    def _fill(text, n):
        return text if n == "n" else re.sub(r"\bn\b", n, text.replace("firstprivate(n)", "firstprivate(shared_value)"))

    def _begin(self, name, indent=2):
        self.main.put(f"subroutine {name}(n)\n  integer, value :: n\n  integer :: i\n"
                      "  integer(kind=omp_lock_kind) :: lock", indent)

    def _end(self, name, indent=2):
        self.main.put(f"end subroutine {name}\n", indent)

    def _region(self, text, indent=4):
        self.main.put("!$omp parallel num_threads(2) private(i, lock) !@ parallel+", indent)
        self.main.put(text, indent)
        self.main.put("!$omp end parallel !@ end", indent)

    def _whole(self, setting, name, text, n):
        unit = self.unit(name, setting, self.main)
        self._begin(f"unit_{unit.number}")
        self._region(self._fill(text, n))
        self._end(f"unit_{unit.number}")

    def data(self, name, text):
        self._whole("data", name, text, "n")

    def bare(self, name, text):
        self._whole("bare", name, text, CONSTANT)

    def _parts(self, unit, text, indent):
        for part in "ab":
            self._begin(f"part_{unit.number}{part}", indent)
            self.main.put(text, indent + 2)
            self._end(f"part_{unit.number}{part}", indent)

    def turn(self, name, text):
        """Procedures of the module, called in turn."""
        unit = self.unit(name, "turn", self.main)
        self._parts(unit, text, 2)
        self._begin(f"unit_{unit.number}")
        self._region(f"call part_{unit.number}a(n)\ncall part_{unit.number}b(n)")
        self._end(f"unit_{unit.number}")

    def internal(self, name, text):
        """Procedures within the unit's own."""
        unit = self.unit(name, "internal", self.main)
        self._begin(f"unit_{unit.number}")
        self._region(f"call part_{unit.number}a(n)\ncall part_{unit.number}b(n)")
        self.main.put("contains", 2)
        self._parts(unit, text, 4)
        self._end(f"unit_{unit.number}")

    def _serial(self, setting, name, text, n):
        unit = self.unit(name, setting, self.main)
        self._begin(f"unit_{unit.number}")
        self.main.put(self._fill(text, n), 4)
        self._end(f"unit_{unit.number}")

    def _serial_data(self, name, text):
        self._serial("data", name, "call add(n)\n" + text, "n")

    def _serial_bare(self, name, text):
        self._serial("bare", name, text, CONSTANT)

    def _finish(self):
        self.main.put("end module units\n\nprogram lines\n  use units\n  implicit none")
        self.main.put("!$omp parallel num_threads(2)\ncall add(1)\n!$omp end parallel", 2)
        for unit in self.units:
            self.main.put(f"call mark({unit.number})\ncall unit_{unit.number}({CONSTANT})", 2)
        self.main.put("call mark(0)\n", 2)
        self.main.put("end program lines")


def generate(language, family):
    """The Program for that language ("c", "c++", "fortran"), as compilers of this family take it."""
    if language == "fortran":
        return FortranProgram(family == "gcc")
    # What clang hands to the runtime is read off x86-64's code alone.
    exact = family == "clang" and platform.machine() == "x86_64"
    return CProgram(language == "c++", ("for",) if exact else ())
