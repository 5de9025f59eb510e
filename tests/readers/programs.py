# SPDX-License-Identifier: BSD-3-Clause
"""Gives an archive to the programs that Debian has for OTF2: otf2-print with each of its options, otf2-marker,
otf2-snapshots and ViTE. otf2-estimator reads no archive; babeltrace2, lttng-tools, likwid, eztrace and perf do not
read OTF2.

Each function notes in the test what a program says or shows that is not so; `found` is what Python's otf2 read.
"""
import collections
import os
import re
import shutil

from checker.check import print_environment
from readers.listing import Events, run

_VITE_ERRORS = re.compile(r"^(\d+) errors and (\d+) warnings were found", re.MULTILINE)
_VITE_END = re.compile(r">max: ([0-9.e+-]+)<")
ABORTED = (-6, -11)  # SIGABRT, SIGSEGV


def silent(test, what, command, folder=None, **more):
    """The standard output of a program that has to end well and to say nothing on its standard error."""
    code, out, err = run(command, folder, **more)
    if code != 0 or err:
        test.fail(f"{what}: {' '.join(str(word) for word in command)}: exit {code}, {err.strip()[:300]}")
    return out


def otf2_print(test, name, path, found):
    """Every option, and the same numbers as Python's with all that choose among events."""
    def said(*options):
        return silent(test, name, ["otf2-print", *options, path], test.path("prints"), env=print_environment(test.omptape))

    os.makedirs(test.path("prints"), exist_ok=True)
    for options in (["-G"], ["-I"], ["-T"], ["-M"], ["-C"], ["--silent"], ["--silent", "-d"], ["-s", "1000000000"],
                    ["--timestamps=offset"], ["--unwind-calling-context", "--silent"], ["--system-tree"]):
        said(*options)
    events = Events(said("-A", "-Werror", "--timestamps=plain"))
    test.expect(f"{name}: otf2-print's events", found.types, events.types)
    test.expect(f"{name}: otf2-print's time by region", found.times, events.times)
    begin, end = found.span
    middle = (begin + end) // 2
    for span in ((begin, end), (begin, middle), (middle + 1, end)):
        events = Events(said("--time", *span))
        within = sum(number for time, number in found.moments.items() if span[0] <= time <= span[1])
        test.expect(f"{name}: otf2-print's events in {span}", within, events.number)
    for location in found.stated if len(found.stated) < 10 else ():
        test.expect(f"{name}: otf2-print's events of location {location}", found.locations[location],
                    Events(said("-L", location)).number)


def copied(test, name, path):
    """A copy that may be written to: the path of its anchor."""
    folder = test.path("copies", name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for part in os.listdir(os.path.dirname(path)):
        if part.partition(".")[0] == os.path.basename(path).partition(".")[0]:
            whole = os.path.join(os.path.dirname(path), part)
            (shutil.copytree if os.path.isdir(whole) else shutil.copy)(whole, os.path.join(folder, part))
    return os.path.join(folder, os.path.basename(path))


def otf2_marker(test, name, path, found):
    """Lists them, and changes them as its manual has it."""
    copy = copied(test, name, path)

    def markers(*options):
        # Without a marker file it says that there is none; a first one makes it.
        out = silent(test, name, ["otf2-marker", *options, copy])
        return collections.Counter(line.split()[0] for line in out.splitlines() if line.startswith("MARKER"))

    before = collections.Counter()
    if os.path.exists(path.removesuffix(".otf2") + ".marker"):
        before = markers()
        test.expect(f"{name}: kinds of markers", before["MARKER_DEF"], markers("--defs-only")["MARKER_DEF"])
    silent(test, name, ["otf2-marker", "--add-def", "readers", "mine", "LOW", copy])
    silent(test, name, ["otf2-marker", "--add", "readers", "mine", found.span[0], "GLOBAL", "text", copy])
    test.expect(f"{name}: markers with one more", before + collections.Counter(MARKER=1, MARKER_DEF=1), markers())
    test.expect(f"{name}: markers of a group", 1, markers("--def", "readers")["MARKER"])
    for option in ("--clear-def", "--remove-def"):  # without a category it crashes on every archive, in 3.0.2
        silent(test, name, ["otf2-marker", option, "readers", "mine", copy])
    test.expect(f"{name}: markers as before", +before, markers() if before else before)
    silent(test, name, ["otf2-marker", "--reset", copy])


def otf2_snapshots(test, name, path, found):
    """Adds snapshots, and the events stay as they are. Two defects of its own, in 3.0.2: it crashes on parameters, and
    may write some samples of the thumbnail too many: as many as the ticks that a 4096th of a short archive lacks by rounding
    make."""
    copy = copied(test, name, path)
    code, _, err = run(["otf2-snapshots", "-n", "3", copy])
    if code in ABORTED and any(kind.startswith("Parameter") for kind in found.types):
        test.crashes.append(name)
        return
    if code != 0 or (err and not re.search("thumbnail samples: (409[7-9]|4[1-9][0-9]{2}) != 4096", err)):
        test.fail(f"{name}: otf2-snapshots: exit {code}, {err.strip()[:300]}")
    events = Events(silent(test, name, ["otf2-print", copy]))
    test.expect(f"{name}: events with snapshots", found.types, events.types)


def vite(test, name, path, found):
    """A picture with every thread, which ends with the last region."""
    picture = test.path("vite", name + ".svg")
    os.makedirs(os.path.dirname(picture), exist_ok=True)
    code, out, err = run(["vite", "-e", picture, path], env=test.environment(QT_QPA_PLATFORM="offscreen"))
    errors = _VITE_ERRORS.search(out + err)
    # Its words on types that it does not draw are its own; what it calls an error is not.
    if code != 0 or not errors or errors.groups() != ("0", "0"):
        lines = [line for line in (out + err).splitlines() if "not implemented" not in line]
        test.fail(f"{name}: vite ends with {code}: {lines[-3:]}")
        return
    with open(picture, encoding="utf-8", errors="replace") as file:
        text = file.read()
    shown = set(re.findall(r">([^<>]*)_\d+</text>", text))
    if not set(found.threads) <= shown:
        test.fail(f"{name}: vite draws {sorted(shown)}, not {sorted(set(found.threads) - shown)}")
    end, seconds = _VITE_END.search(text), (found.last_leave - found.span[0]) / found.resolution
    if not end or abs(float(end[1]) - seconds) > 1e-3 * seconds:
        test.fail(f"{name}: vite's picture ends at {end and end[1]} s, its last region at {seconds} s")
