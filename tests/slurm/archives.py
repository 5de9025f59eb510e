#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks all archives below a folder: archives.py FOLDER PROCESSES [END]. Each must be valid, together they must hold
so many processes, as parts or unified, and with END each part's kind of end is that text's. Used by the tests of jobs.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "checker"))

import otf2  # noqa: E402

import check  # noqa: E402
from facts import Facts  # noqa: E402


def processes(path):
    with otf2.reader.open(path) as trace:
        groups = trace.definitions.location_groups
        return sum(group.location_group_type == otf2.LocationGroupType.PROCESS for group in groups)


def main(folder, expected, end=None):
    problems, count = [], 0
    paths = sorted(os.path.join(place, "trace.otf2") for place, _, files in os.walk(folder) if "trace.otf2" in files)
    for path in paths:
        facts = Facts()
        found = [f"{path}: {problem}" for problem in check.check(path, [facts])]
        problems += found
        if found:
            continue
        count += processes(path)
        ends = [text for name, text in facts.properties.items() if name.split("::")[-1] == "END"]
        if end is not None and any(end not in text for text in ends):
            problems.append(f"{path}: ended by {ends}, not {end}")
    if count != int(expected):
        problems.append(f"{folder}: {count} processes in {len(paths)} archives, not {expected}")
    print(*problems, sep="\n", end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
