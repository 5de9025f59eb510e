# SPDX-License-Identifier: BSD-3-Clause
"""Holds the lines of an archive's regions against the source, over generated programs of some hundred constructs
(generate.py), and prints how many are right."""
import hashlib
import os
import sys
from dataclasses import dataclass, field

from checker.archive import Archive
from checker.mapping import RegionName
from harness import main
from harness.test import arguments
from lines.exceptions import FALSE, MISSING, NO_LINE, of_family
from lines.generate import BARRIER, generate

STAGES = ("19", "22", "gomp")
LANGUAGES = ("c", "c++", "fortran")
MARK = "omp_control_tool"
FIRST_COMMAND = 1000   # mark.c

# What the runtime reports under the name of something else.
SAME = {"do": "for", "section": "sections", "cancel do": "cancel for", "implementation barrier": BARRIER}
ENDINGS = (" chunk", " sblock")


def whole_kind(name):
    """The construct that a region is of, as the units call it."""
    for ending in ENDINGS:
        name = name.removesuffix(ending)
    return SAME.get(name, name.removeprefix("create "))


def is_waiting(name):
    """Within a region that has the same site."""
    return name.endswith(" wait") or name.startswith("wait for ")


@dataclass
class Seen:
    """What an archive shows, against its program."""

    right: set = field(default_factory=set)       # (unit, region)
    unplaced: set = field(default_factory=set)    # has no line
    false: set = field(default_factory=set)
    missing: set = field(default_factory=set)     # (unit, site)

    @property
    def count(self):
        return len(self.right) + len(self.unplaced) + len(self.false)

    @property
    def rate(self):
        return 100 * len(self.right) / max(1, self.count)


def places_of(unit, kind, family):
    """The sites of the unit at which a region of this kind may stand."""
    kinds = {kind} | {other for other, same in SAME.items() if same == kind}
    if family == "gcc" and kind == BARRIER:
        kinds.add("barrier")    # every barrier is one of the implementation
    return {site for site in unit.sites if site.kind in kinds}


def look_at(unit, region, family, seen, met):
    """One region that was entered while the unit ran."""
    kind = whole_kind(region.kind)
    places = places_of(unit, kind, family)
    here = {site for site in places if (site.file, site.line) == (region.file, region.line)}
    entry = (unit, f"{region.kind}@{region.file}:{region.line}")
    if here:
        met.update((unit, site.kind, site.file, site.own) for site in here)
        seen.right.add(entry)
    elif region.line:
        seen.false.add((*entry, tuple(sorted(site.line for site in places))))
    else:
        seen.unplaced.add((unit, region.kind))


def compare(path, program, family):
    """Seen."""
    seen, met, unit, names = Seen(), set(), None, {}
    units = {unit.number: unit for unit in program.units}
    with Archive(path) as archive:
        for _, event in archive.events():
            if type(event).__name__ != "Enter":
                continue
            region = names.setdefault(event.region, RegionName(event.region.name))
            if region.kind == MARK:
                commands = [value for key, value in event.attributes.items() if key.name == "command"]
                unit = units.get(commands[0] - FIRST_COMMAND)
            elif unit is not None and not is_waiting(region.kind):
                look_at(unit, region, family, seen, met)
    for unit in program.units:
        seen.missing.update((unit, f"{site.kind}@{site.file}:{site.own}") for site in unit.sites
                            if site.own is not None and (unit, site.kind, site.file, site.own) not in met)
    return seen


def build(test, program, language, level):
    """The program, compiled anew where its text has changed."""
    files = program.files()
    text = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:16]
    folder = os.path.join(test.toolchain.programs(test.build), f"lines-{language}")
    os.makedirs(folder, exist_ok=True)
    for name, content in files.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(content)
    sources = [os.path.join(folder, source.name) for source in program.sources]
    return test.toolchain.compile(
        sources[0], os.path.join(folder, f"lines-O{level}"), flags=[f"-O{level}", f"-DTEXT_{text}", "-w"],
        libraries=[*sources[1:], test.built("tests", "lines", "liblines_mark.a")])


def trace(test, program, command, name):
    """Seen in a run of it."""
    environment = test.environment(OMP_NUM_THREADS="2", OMP_CANCELLATION="true", OMP_MAX_ACTIVE_LEVELS="3")
    ended = test.run(f"run-{name}", [test.omptape, "--quiet", "--force", "-o", test.path(name), command], environment)
    test.expect(f"{name}: exit code", 0, ended.code)
    return compare(os.path.join(test.path(name), "traces.otf2"), program, test.toolchain.stage.family)


def check_level(test, language, level):
    name = f"{language} -O{level}"
    program = generate(language, test.toolchain.stage.family)
    command = build(test, program, language, level)
    seen = trace(test, program, command, f"{language}-O{level}")
    test.expect(f"{name}: units", True, len(program.units) > 100)
    unplaced = seen.unplaced
    if any(not exemptions(test, NO_LINE, unit, kind, level) for unit, kind in unplaced):
        # Once in a while the runtime leaves one instance of gcc's without the address that the others have: to have no
        # line is not false, and no fault unless it is always so.
        unplaced = unplaced & trace(test, program, command, f"{language}-O{level}").unplaced
    for what, entries in ((FALSE, seen.false), (NO_LINE, unplaced), (MISSING, seen.missing)):
        for entry in sorted(entries, key=str):
            accept_or_fail(test, name, level, what, entry)
    print(f"{test.toolchain.stage.name} {name}: {seen.rate:.2f} % of {seen.count} regions right, {len(seen.false)} false, "
          f"{len(seen.unplaced)} without a line, {len(seen.missing)} constructs missing", flush=True)


def exemptions(test, what, unit, shown, level):
    kind = whole_kind(shown.partition("@")[0])
    return [one for one in test.exempt if one.holds(what, unit, kind, level)]


def accept_or_fail(test, name, level, what, entry):
    """A region or site that is not as it should be; it may be exempt."""
    unit, shown = entry[:2]
    found = exemptions(test, what, unit, shown, level)
    test.needed.update(found)
    # What has no line, or a wrong one, is missing, too.
    if not found and not (what == MISSING and any(exemptions(test, other, unit, shown, level)
                                                  for other in (NO_LINE, FALSE))):
        test.fail(f"{name}: {what}: {unit} (unit {unit.number}): {' '.join(str(one) for one in entry[1:])}")


def lines(test):
    stage = test.toolchain.stage
    test.exempt, test.needed = of_family(stage.family), set()
    for language in LANGUAGES:
        if language in stage.compilers(""):
            for level in test.options.levels:
                check_level(test, language, level)
    for one in test.exempt:
        if one not in test.needed and one.is_for(test.options.levels):
            test.fail(f"needs no exemption any more: {one}")


def parser():
    one = arguments("Lines of generated programs.")
    one.add_argument("--levels", default="02", help="of optimisation")
    one.add_argument("stage", choices=STAGES)
    return one


if __name__ == "__main__":
    STAGE = parser().parse_args().stage
    sys.exit(main("", lines, "lines", stages=(STAGE,), parser=parser()))
