# SPDX-License-Identifier: BSD-3-Clause
"""Checks omptape's archives: tests/run checker.check OMPTAPE ARCHIVE... names every violation and exits with 1.

Three judges have to agree: otf2-print; `omptape check`, the command, which knows what holds of any archive; and the rules
here, which know the mapping and share no code with omptape. All tests call check() on every archive that they see.
"""
import json
import os
import subprocess
import sys

from otf2.events import MeasurementOnOff

from checker.archive import Archive
from checker.definitions import Bounds, Definitions
from checker.devices import Devices
from checker.files import Files
from checker.lives import Lives
from checker.mapping import changes_thread
from checker.mpi import Mpi
from checker.power import Power
from checker.program import Program
from checker.report import Report
from checker.samples import Samples
from checker.threads import Threads
from checker.times import Times
from checker.windows import Windows

COMPLETE_ENDS = ("finalize",)


def print_environment(omptape):
    """For otf2-print, much of whose time is that of its memory: its tables come from print_tables.c where that is built
    beside omptape, all else from large pages."""
    tables = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(omptape))), "tests", "checker", "libprint_tables.so")
    environment = {**os.environ, "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=33554432"}
    return {**environment, "LD_PRELOAD": tables} if os.path.exists(tables) else environment


def otf2_print(omptape, path, report):
    """OTF2's own reader must be content, without a word."""
    done = subprocess.run(["otf2-print", "-A", "-Werror", path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          env=print_environment(omptape), check=False)
    if done.returncode != 0 or done.stderr:
        text = done.stderr.decode(errors="replace").strip().splitlines()
        report.add("otf2-print", f"exit {done.returncode}, {text[:3]}")


def omptape_check(omptape, path, report):
    done = subprocess.run([omptape, "check", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        text = done.stdout.decode(errors="replace").strip()
        report.add("omptape check", f"exit {done.returncode}, {text[:1000]}")


def omptape_report(omptape, path, times, report):
    """What `omptape report` says of the threads' time must be what the events say, however the program ended."""
    done = subprocess.run([omptape, "report", "--json", "-", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    text = done.stdout.decode(errors="replace").strip()
    if done.returncode != 0:
        report.add("omptape report", f"exit {done.returncode}, {text[:1000]}")
        return
    times.agree_with(json.loads(text)["threads_list"])


def is_partial(archive):
    """The program was cut short, measurement paused, the disk full or records lost: not every end can be there."""
    lost = sum(int(archive.value(key, "0") or 0) for key in ("DROPPED", "UNWRITTEN"))
    return archive.value("END") not in COMPLETE_ENDS or lost > 0


def kinds_of(archive, wanted):
    """The kinds of records in it: of events, and of definitions."""
    found = {f"{'thread' if archive.is_thread(location) else 'other'} {kind.__name__}" for location, kind in wanted}
    for name, records in vars(archive.definitions).items():
        if hasattr(records, "__iter__") and any(True for _ in records):
            found.add(name)
    return found | {category for category, _, _ in archive.markers}


def check(omptape, path, observers=(), printed=None):
    """Checks one archive. Each observer sees every (location, event). `printed`: the kinds of records that otf2-print need not
    look at once more, since it takes as long as all else for a small archive; it gets those of this one. Returns the list of
    violations."""
    report = Report()
    kinds = None    # not known
    omptape_check(omptape, path, report)
    try:
        with Archive(path) as archive:
            partial = is_partial(archive)
            checks = [one(archive, report, partial) for one in (Bounds, Program, Threads, Devices, Mpi, Windows, Files, Times,
                                                                   Samples, Lives, Power, Definitions)]
            wanted = {}     # (location, type of event) -> who is to be called
            for location, event in archive.events():
                kind = type(event)
                called = wanted.get((location, kind))
                if called is None:
                    asked = [one.handler(location, kind) for one in checks]
                    called = wanted[location, kind] = [one for one in (*asked, *observers) if one is not None]
                if kind is MeasurementOnOff and not changes_thread(event):
                    for one in checks:
                        one.partial = True
                for call in called:
                    call(location, event)
            for one in checks:
                one.finish()
            kinds = kinds_of(archive, wanted)
            omptape_report(omptape, path, next(one for one in checks if isinstance(one, Times)), report)
            for observer in observers:
                if hasattr(observer, "archive"):
                    observer.archive(archive)
    except Exception as error:  # the reader's own complaints are violations as well
        report.add("reader", f"{type(error).__name__}: {error}")
    if printed is None or kinds is None or not kinds <= printed:
        otf2_print(omptape, path, report)
    if printed is not None and kinds is not None:
        printed |= kinds
    return report.problems


def quickly(omptape, path, observer):
    """Only what `omptape check` says, which is much faster; the observer sees the archive, but no events."""
    report = Report()
    omptape_check(omptape, path, report)
    with Archive(path) as archive:
        observer.archive(archive)
    return report.problems


def main():
    failed = False
    omptape, *paths = sys.argv[1:] or [None]
    for path in paths:
        problems = check(omptape, path)
        for problem in problems:
            print(f"{path}: {problem}")
        failed = failed or bool(problems)
    if not paths:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
