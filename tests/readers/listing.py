# SPDX-License-Identifier: BSD-3-Clause
"""What otf2-print says of an archive: definitions in the order of their file, and events."""
import collections
import functools
import re
import subprocess

_DEFINITION = re.compile(r"([A-Z_]+) +(\d+|-)?")
_EVENT = re.compile(r"([A-Z0-9_]+) +(\d+) +(\d+)(?: |$)(.*)")
_REGION = re.compile(r'Region: "(?P<name>.*)" <\d+>')
RULER = "-" * 80
OTHER_NAMES = {"ParameterUint64": "ParameterUnsignedInt", "ParameterInt64": "ParameterInt"}  # than Python's


def run(command, folder=None, **more):
    """(exit code, standard output, standard error)."""
    done = subprocess.run([str(word) for word in command], check=False, cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", timeout=120,
                          **more)
    return done.returncode, done.stdout, done.stderr


@functools.lru_cache(maxsize=1)
def definitions_in_order(path):
    """[(kind, reference)] of all global definitions; -1: it has none."""
    _, out, _ = run(["otf2-print", "-G", path])
    found = []
    for line in out.partition(RULER)[2].splitlines():
        match = _DEFINITION.match(line)
        if match:
            found.append((match[1], int(match[2]) if match[2] and match[2] != "-" else -1))
    return found


class Events:
    """A text of events, counted: by type ("ThreadFork"), by location, and the time from Enter to Leave by region."""

    def __init__(self, text):
        self.types, self.locations, self.times = collections.Counter(), collections.Counter(), collections.Counter()
        open_regions = collections.defaultdict(list)
        for line in text.partition("=== Events ===")[2].partition("=== Snapshots ===")[0].splitlines():
            match = _EVENT.match(line)
            if match:
                kind, location, time = match[1], int(match[2]), int(match[3])
                name = kind.title().replace("_", "")
                self.types[OTHER_NAMES.get(name, name)] += 1
                self.locations[location] += 1
                if kind in ("ENTER", "LEAVE"):
                    self._region(open_regions[location], kind, time, _REGION.search(match[4])["name"])

    def _region(self, regions, kind, time, name):
        if kind == "ENTER":
            regions.append(time)
        elif regions:  # a part of the events may begin within a region
            self.times[name] += time - regions.pop()

    @property
    def number(self):
        return sum(self.types.values())
