# SPDX-License-Identifier: BSD-3-Clause
"""Gives one archive of every kind (kinds.py) to every reader of OTF2 that can be had: Debian's programs (programs.py),
Python's otf2, and a reader that assumes what others assume (assumptions.py). CTest runs a group of kinds each:

    tests/run readers.readers --build BUILD --runtimes DIR host|devices|processes|cut
"""
import os
import shutil
import sys

from e2e.flooding import Flood
from emulator.setting import Setting
from harness import Test, main
from readers import kinds, programs
from readers.reading import read

# What is not kept, and why: docs/mapping.md. Without --distinct-times records of one location may share a time, and there
# are metrics at times of their own.
UNLESS_ASKED_FOR = {kinds.DISTINCT: {"distinct times", "a thread's metric has its next event's time"}}


class Readers(Test):
    """What all groups share."""

    def __init__(self, options, name, stage):
        super().__init__(options, name, stage)
        self.crashes = []

    def read_all(self, name, path, special):
        excused = set()
        for trait, names in UNLESS_ASKED_FOR.items():
            excused |= set() if trait in special else names
        found = read(path, excused)
        for problem in found.problems:
            self.fail(f"{name}: {problem}")
        self.expect(f"{name}: events by location, as stated and as read", found.stated,
                    {one: found.locations[one] for one in found.stated})
        self.expect(f"{name}: events as the archive says", int(found.properties["OMPTAPE::EVENTS"]), found.number)
        programs.otf2_print(self, name, path, found)
        programs.otf2_marker(self, name, path, found)
        programs.otf2_snapshots(self, name, path, found)
        if shutil.which("vite"):
            programs.vite(self, name, path, found)
        print(f"{name}: {found.number} events on {len(found.threads)} locations")


def group(kind):
    def test(readers):
        for name, path, special in kind(readers):
            if os.path.exists(path):
                readers.read_all(name.replace(" ", "."), path, special)
        if readers.crashes:
            print(f"otf2-snapshots crashes on: {', '.join(readers.crashes)}")
    test.__doc__ = kind.__doc__
    return test


class Devices(Readers, Setting):
    """Can emulate a device."""


class Cut(Readers, Flood):
    """Can flood the buffers."""


MADE_BY = {kinds.host: (Readers, "19"), kinds.devices: (Devices, "22"), kinds.processes: (Readers, "19"),
           kinds.cut: (Cut, "19")}


def make(options, name, _):
    kind, stage = next(made for of, made in MADE_BY.items() if of.__name__ == options.name)
    return kind(options, name, stage)


if __name__ == "__main__":
    sys.exit(main("Gives archives to every reader of OTF2.", {kind.__name__: group(kind) for kind in MADE_BY},
                  "readers", make))
