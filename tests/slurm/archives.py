# SPDX-License-Identifier: BSD-3-Clause
"""Checks all archives below a folder: tests/run slurm.archives OMPTAPE FOLDER PROCESSES [END]. Each must be valid, together they must hold
so many processes, as parts or unified, and with END each part's kind of end is that text's. Used by the tests of jobs.
"""
import os
import sys

from otf2.enums import LocationGroupType

from harness.archives import Archive, check


def ends(path):
    """How each process ended."""
    with Archive(path) as archive:
        return [archive.value_of(group, "END", "") for group in archive.definitions.location_groups
                if group.location_group_type == LocationGroupType.PROCESS]


def main(omptape, folder, expected, end=None):
    problems, count = [], 0
    paths = sorted(os.path.join(place, "traces.otf2") for place, _, files in os.walk(folder) if "traces.otf2" in files)
    for path in paths:
        found = [f"{path}: {problem}" for problem in check(omptape, path)]
        problems += found
        if found:
            continue
        texts = ends(path)
        count += len(texts)
        if end is not None and any(end not in text for text in texts):
            problems.append(f"{path}: ended by {texts}, not {end}")
    if count != int(expected):
        problems.append(f"{folder}: {count} processes in {len(paths)} archives, not {expected}")
    print(*problems, sep="\n", end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
