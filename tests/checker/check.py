#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""An independent checker of omptape's archives: check.py ARCHIVE... names every violation and exits with 1.

It knows OTF2 and the mapping, not the writer. The end-to-end driver calls check() on every archive that it sees.
"""
import os
import subprocess
import sys

from otf2.events import MeasurementOnOff

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from archive import Archive  # noqa: E402
from definitions import Bounds, Definitions  # noqa: E402
from devices import Devices  # noqa: E402
from locks import Locks  # noqa: E402
from report import Report  # noqa: E402
from stacks import Stacks  # noqa: E402
from tasks import Tasks  # noqa: E402
from teams import Teams  # noqa: E402
from transfers import Transfers  # noqa: E402

COMPLETE_ENDS = ("finalize",)


def otf2_print(path, report):
    """OTF2's own reader must be content, without a word."""
    for arguments in (["--silent", "-Werror"], ["-A"]):
        done = subprocess.run(["otf2-print", *arguments, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False)
        if done.returncode != 0 or done.stderr:
            text = done.stderr.decode(errors="replace").strip().splitlines()
            report.add("otf2-print", f"{' '.join(arguments)}: exit {done.returncode}, {text[:3]}")


def is_partial(archive):
    """The program was cut short, measurement paused, the disk full or records lost: not every end can be there."""
    lost = sum(int(archive.value(key, "0") or 0) for key in ("DROPPED", "UNWRITTEN"))
    return archive.value("END") not in COMPLETE_ENDS or lost > 0


def check(path, observers=(), partial=None):
    """Checks one archive. Each observer sees every (location, event). Returns the list of violations."""
    report = Report()
    otf2_print(path, report)
    try:
        with Archive(path) as archive:
            cut = is_partial(archive) if partial is None else partial
            teams = Teams(archive, report, cut)
            checks = [Bounds(archive, report, cut), Stacks(archive, report, cut), Tasks(archive, report, cut, teams),
                      teams, Locks(archive, report, cut), Transfers(archive, report, cut),
                      Devices(archive, report, cut), Definitions(archive, report, cut)]
            for location, event in archive.events():
                if isinstance(event, MeasurementOnOff):
                    for one in checks:
                        one.partial = True
                for one in checks:
                    one.event(location, event)
                for observer in observers:
                    observer(location, event)
            for one in checks:
                one.finish()
            for observer in observers:
                if hasattr(observer, "archive"):
                    observer.archive(archive)
    except Exception as error:  # the reader's own complaints are violations as well
        report.add("reader", f"{type(error).__name__}: {error}")
    return report.problems


def main():
    failed = False
    for path in sys.argv[1:]:
        problems = check(path)
        for problem in problems:
            print(f"{path}: {problem}")
        failed = failed or bool(problems)
    if not sys.argv[1:]:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
