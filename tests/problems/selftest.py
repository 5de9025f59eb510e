# SPDX-License-Identifier: BSD-3-Clause
"""Each program says what must be found in it, on each stage; and of findings, the right one alone is taken.

    tests/run problems.selftest --build BUILD --runtimes DIR
"""
import os
import sys

from harness import STAGES, main
from problems.first import wrong
from problems.program import OFFLOAD_STAGE, Finding, Program, names


def _finding(program, stage, *found):
    """Of a report with these: (kind, file, line, gain)."""
    report = [{"kind": kind, "file": f"/somewhere/{file}" if file else None, "line": line, "gain_s": gain}
              for kind, file, line, gain in found]
    return Finding({"wall_s": 1.0, "findings": report}, program.expected(stage), os.path.basename(program.source))


def _judged(test, program, stage):
    """The right finding, and how it may be wrong."""
    expected = program.expected(stage)
    test.expect(f"{program.name}, {stage.name}: there are marks", not program.healthy, bool(expected))
    file, size = os.path.basename(program.source), program.share or 0.2
    kind, line = min(expected)
    other = next(one for one in ("lock", "serial") if (one, line) not in expected)
    cases = {
        "the right one": (True, (kind, file, line, size)),
        "another kind": (False, (other, file, line, size)),
        "another line": (False, (kind, file, max(place for _, place in expected) + 1, size)),
        "another file": (False, (kind, "work.h", line, size)),
        "a gain above the wall": (False, (kind, file, line, 1.01)),
        "no gain": (False, (kind, file, line, 0.0)),
        "no line": (False, (kind, file, None, size)),
        "no file": (False, (kind, None, None, size)),
    }
    if program.share:
        cases["a quarter of the gain"] = (False, (kind, file, line, size / 4))
    smaller = (other, file, line, size / 9)
    for what, (right, found) in cases.items():
        finding = _finding(program, stage, found, smaller)
        test.expect(f"{program.name}, {stage.name}: {what}", right, not wrong(program, stage, finding))
    second = _finding(program, stage, smaller, (kind, file, line, size))
    test.expect(f"{program.name}, {stage.name}: only the second one", False, not wrong(program, stage, second))
    test.expect(f"{program.name}, {stage.name}: nothing", False, not wrong(program, stage, _finding(program, stage)))
    both = _finding(program, stage, (kind, file, line, size / 2), smaller, (kind, file, line, size / 4))
    test.expect(f"{program.name}, {stage.name}: two sites", size * 3 / 4, both.gain)


def _healthy(test, program, stage):
    test.expect(program.name, "healthy", program.kind)
    for gain, right in ((0.02, True), (0.04, False)):
        found = wrong(program, stage, _finding(program, stage, ("serial", os.path.basename(program.source), 1, gain)))
        test.expect(f"{program.name}: {gain} of the wall", right, not found)


def marks(test):
    """All of it."""
    for name in names():
        program = Program(name)
        for stage in program.stages(("19", "gomp", OFFLOAD_STAGE, "flang19")):
            (_healthy if program.healthy else _judged)(test, program, STAGES[stage])


if __name__ == "__main__":
    sys.exit(main("What programs with a known problem say of it.", marks, "problem.selftest"))
