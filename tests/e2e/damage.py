# SPDX-License-Identifier: BSD-3-Clause
"""What `omptape info`, `report`, `check` and `unify` say of an archive of which a file is damaged: which one, and what is there.

    tests/run e2e.damage --build BUILD --runtimes DIR
"""
import os
import shutil
import sys

from e2e.messages import STAGE, CommandResult, hello, expect_result
from harness import main


def cut(test, name, at, whole, said):
    """One copy of the archive whose file `name` ends early."""
    folder = test.path("damaged")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(whole, folder)
    with open(os.path.join(folder, name), "r+b") as file:
        file.truncate(at)
    for command in ("info", "report", "check"):
        if command == "report" and name == "traces.marker":  # it reads none
            continue
        told = CommandResult(test, [test.omptape, command, "damaged"], {})
        expect_result(test, f"{command}, {name} of {at} bytes", told, 2, [f"{command}: damaged: {name} {said}"])
    part = test.path("parts", "rank-1")
    shutil.rmtree(test.path("parts"), ignore_errors=True)
    shutil.copytree(whole, test.path("parts", "rank-0"))
    shutil.copytree(folder, part)
    told = CommandResult(test, [test.omptape, "unify", "-q", "parts"], {})
    expect_result(test, f"unify, {name} of {at} bytes", told, 1, [f"rank-1 is left as it is: {name} {said}"])
    told = CommandResult(test, [test.omptape, "check", "-q", "parts"], {})
    expect_result(test, f"unify, {name} of {at} bytes: the others", told, 0, [])


def files(test):
    """Each file of an archive, cut at several places: it is named, with what is there."""
    program = hello(test, 1)
    told = CommandResult(test, [test.omptape, "-q", "--limit-per-site=1", "-o", "whole", program], {})
    expect_result(test, "whole", told, 0, [])
    whole = test.path("whole")
    names = sorted(os.path.relpath(os.path.join(place, name), whole) for place, _, found in os.walk(whole) for name in found)
    test.expect("files", 3 + 2 * 2, len(names))
    for name in names:
        size = os.path.getsize(os.path.join(whole, name))
        rest = f"; the other {len(names) - 1} files are whole"
        needed = ", but cannot be read without it" if name in ("traces.otf2", "traces.def") else ""
        for at in sorted({0, 1, 17, size // 2, size - (20 if name == "traces.otf2" else 2)}):
            if at >= size:
                continue
            there = "is empty" if at == 0 else f"is cut short: {at} byte{' is' if at == 1 else 's are'} there"
            events = "" if at == 0 or not name.endswith(".evt") else ", with "
            cut(test, name, at, whole, there + events if events else there + rest + needed)
    # In a later chunk, libotf2 would go on for ever.
    program = hello(test, 15000)
    expect_result(test, "long", CommandResult(test, [test.omptape, "-q", "-o", "long", program], {}), 0, [])
    with open(test.path("long", "traces", "0.evt"), "r+b") as file:
        file.truncate(400000)
    for command in ("info", "check"):
        told = CommandResult(test, [test.omptape, command, "long"], {})
        expect_result(test, f"{command}, long", told, 2, [f"{command}: long: traces/0.evt is cut short: 400000 bytes are there, with "])
    # Not cut, but written over.
    shutil.rmtree(test.path("damaged"), ignore_errors=True)
    shutil.copytree(whole, test.path("damaged"))
    with open(test.path("damaged", "traces.def"), "r+b") as file:
        file.seek(18)
        file.write(b"\xff" * 40)
    told = CommandResult(test, [test.omptape, "info", "damaged"], {})
    expect_result(test, "written over", told, 2, ["info: damaged: traces.def is damaged at byte 18 of "])
    os.remove(test.path("damaged", "traces.def"))
    told = CommandResult(test, [test.omptape, "info", "damaged"], {})
    expect_result(test, "missing", told, 2, ["info: damaged: traces.def is not there; the other "])


if __name__ == "__main__":
    sys.exit(main("What is said of damaged archives.", files, "e2e.damage", stage=STAGE))
