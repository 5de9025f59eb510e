# SPDX-License-Identifier: BSD-3-Clause
"""Damage that took `omptape unify` minutes or gigabytes, or cost events: now it says what is wrong.

    tests/run fuzz.cases --build BUILD --runtimes DIR --command OMPTAPE
"""
import os
import struct
import sys

from faults.fault import Fault
from fuzz import fuzz, mutate, seeds
from harness import arguments, main

STRING, GROUP, MAPPING_TABLE, TABLE_KINDS, SPARSE = 10, 18, 5, 9, 1
FAR = (1 << 24) - 2
number = mutate.compressed


def many_properties(data):
    """Their count comes before the first one. As many would take 2 GiB, which libotf2 gets and walks through."""
    first = data.index(b"OMPTAPE::")
    return data[:first - 4] + struct.pack("<I", 1 << 27) + data[first:]


def far_tables(data):
    """A table that leaves out what stays the same, and a reference far away."""
    tables = (bytes([kind]) + number(2) + bytes([SPARSE]) + b"".join(map(number, (3, 1, FAR, 2)))
              for kind in range(TABLE_KINDS))
    return data[:mutate.HEAD_BYTES] + b"".join(mutate.sized(MAPPING_TABLE, table) for table in tables) + b"\2\1"


def far_string(data):
    """The first of the definitions."""
    string = mutate.sized(STRING, number(FAR) + b"far away\0")
    return data[:mutate.HEAD_BYTES] + string + data[mutate.HEAD_BYTES:]


def far_world(data):
    """MPI_COMM_WORLD, whose two members lie far behind the end of MPI's list: where later parts look for their own."""
    begin, payload, end = next(record for record in mutate.records(data)
                               if data[record[0]] == GROUP and data[:record[2]].endswith(WORLD))
    members = number(1 << 29) + number((1 << 29) + 1)
    return data[:begin] + mutate.sized(GROUP, data[payload:end - len(WORLD)] + members + WORLD[-3:]) + data[end:]


WORLD = b"\0\1\1\5\4\0"   # the members 0 and 1, a communicator's group, MPI's, no flags
# What is done to which file of each part, and what is said of it.
CASES = ((many_properties, "traces.otf2", "traces.otf2 is damaged at byte "),
         (far_tables, "traces/0.def", "a mapping table of location 0 is damaged"),
         (far_string, "traces.def", "its definitions have strange numbers"),
         (far_world, "traces.def", "its definitions refer to something that they do not define"))


def cut_plan(fault):
    """A plan without its end: nothing is moved."""
    folder = seeds.interrupted(fault)
    path = os.path.join(folder, ".omptape-unify", "plan")
    with open(path, "rb") as file:
        lines = file.read().split(b"\n")
    for kept in (lines[1:], lines[:-2], lines[:-3], lines[:3] + [b""]):
        with open(path, "wb") as file:
            file.write(b"\n".join(kept))
        outcome = fuzz.run([fault.options.command, "unify", folder], fault.folder)
        there = [os.path.exists(os.path.join(folder, f"rank-{rank}", "traces", f"{thread << 32}.evt"))
                 for rank in range(3) for thread in range(2)]
        if outcome.code != 2 or b"its plan .omptape-unify/plan is damaged" not in outcome.err or not all(there):
            fault.fail(f"cut plan: {outcome.code}, {outcome.err!r}, {there}")
            break


def test(fault):
    cut_plan(fault)
    for damage, name, said in CASES:
        folder = (seeds.ranks if damage is far_world else seeds.job)(fault, damage.__name__)
        for part in os.listdir(folder):
            path = os.path.join(folder, part, name)
            with open(path, "rb") as file:
                data = file.read()
            with open(path, "wb") as file:
                file.write(damage(data))
        parts = len(os.listdir(folder))
        outcome = fuzz.run([fault.options.command, "unify", damage.__name__], fault.folder)
        for problem in fuzz.find_problems(outcome, ["unify"])[0]:
            fault.fail(f"{damage.__name__}: {problem}")
        if outcome.err.decode(errors="replace").count(said) != parts:
            fault.fail(f"{damage.__name__}: {outcome.err!r} instead of {said!r} {parts} times")


if __name__ == "__main__":
    own = arguments("Damage that was found.")
    own.add_argument("--command", type=os.path.abspath, required=True)
    sys.exit(main("", test, "fuzz.cases", Fault, ("19", "14"), parser=own))
