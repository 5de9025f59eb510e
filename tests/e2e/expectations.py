# SPDX-License-Identifier: BSD-3-Clause
"""Holds what an archive says against a program's own description (program.py)."""
import shlex

from e2e.program import Number
from harness.archives import RegionName
from harness.facts import Facts

CRITICAL = ("critical", "critical sblock")


class ProgramFacts(Facts):
    """In the words of the description."""

    def entries(self, program, stage, what):
        """How often a region KIND[@MARK] was entered."""
        kind, _, mark = what.partition("@")
        kind = region_kind(kind)
        if not mark or stage.family != "clang":  # the line tables of gcc and flang are off by some lines
            return self.kinds[kind]
        file, lines = program.lines_of(mark)
        return sum(self.sites[kind, file, line] for line in lines)

    def limited(self, program, what):
        """(shown, all) of the limited sites KIND@MARK, together."""
        kind, _, mark = what.partition("@")
        file, lines = program.lines_of(mark)
        shown = total = 0
        for name, text in self.properties.items():
            if name.startswith("OMPTAPE::LIMITED::"):
                one, of, region = text.split(" ", 2)
                region = RegionName(region)
                if (region.kind, region.file) == (region_kind(kind), file) and region.line in lines:
                    shown, total = shown + int(one), total + int(of)
        return shown, total

    def astray(self, stage, what):
        """How many of KIND@MARK may be shown elsewhere. About one time in a million, LLVM 22 tells that a critical
        construct was called from itself; it then has the place of what is around it, where no other one is."""
        kind = region_kind(what.partition("@")[0])
        if stage.name != "22" or kind not in CRITICAL:
            return 0
        around = {(file, line) for one, file, line in self.sites if one not in CRITICAL}
        return sum(self.sites[kind, file, line] for file, line in around)

    def functions(self, program, stage, what):
        kind, _, mark = what.partition("@")
        if stage.family != "clang":
            return {function for (found, _, _), function in self.regions.items() if found == region_kind(kind)}
        file, lines = program.lines_of(mark)
        return {self.regions.get((region_kind(kind), file, line)) for line in lines}

    def instances_of(self, program, what):
        """Names of the instances of templates with regions KIND@MARK."""
        kind, _, mark = what.partition("@")
        file, lines = program.lines_of(mark)
        return set().union(*(self.instances[region_kind(kind), file, line] for line in lines))


def region_kind(word):
    return word if word.startswith("omp_") else word.replace("_", " ")


def compare(program, stage, facts, role):
    """Lines of what differs from the program's expectations."""
    found = []

    def expect(what, number, value, more=0):
        if not any(Number(number).holds(value + one) for one in range(more + 1)):
            found.append(f"{what}: expected {number}, the archive has {value}")

    for text in program.all("threads", stage, role):
        expect("threads", text, facts.threads)
    for text in program.all("locks", stage, role):
        expect("locks", text, len(facts.locks))
    for text in program.all("events", stage, role):
        kind, number = text.split()
        expect(kind, number, facts.events[kind])
    for text in program.all("marker", stage, role):
        category, number = shlex.split(text)
        expect(f"marker {category}", number, facts.markers[category])
    for text in program.all("enter", stage, role):
        what, number = text.split()
        if "@" in what and stage.family != "clang":
            number = ">=" + number.lstrip("<>=") if not number.startswith("<=") else ">=0"
        expect(f"enter {what}", number, facts.entries(program, stage, what), facts.astray(stage, what))
    for text in program.all("limited", stage, role):
        what, shown, total = text.split()
        numbers = facts.limited(program, what)
        expect(f"limited {what}, shown", shown, numbers[0])
        expect(f"limited {what}, all", total, numbers[1], facts.astray(stage, what))
    for text in program.all("property", stage, role):
        name, _, value = text.partition(" ")
        if facts.properties.get(f"OMPTAPE::{name}", "") != value:
            found.append(f"property {name}: expected '{value}', the archive has {facts.properties.get(f'OMPTAPE::{name}')}")
    for text in program.all("function", stage, role):
        what, name = shlex.split(text)
        functions = facts.functions(program, stage, what)
        if not any(name in (function or "") for function in functions):
            found.append(f"function of {what}: expected {name}, the archive has {functions}")
    for text in program.all("instances", stage, role):
        what, _, names = text.partition(" ")
        instances = facts.instances_of(program, what)
        if {name or "" for name in instances} != set(names.split(" | ")):
            found.append(f"instances of {what}: expected {names}, the archive has {instances}")
    return found
