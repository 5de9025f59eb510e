# SPDX-License-Identifier: BSD-3-Clause
"""Each program says what must be found in it, on each stage; and of findings, the right one alone is taken.

    tests/run problems.selftest --build BUILD --runtimes DIR
"""
import sys

from harness import STAGES, main
from problems.first import wrong
from problems.program import OFFLOAD_STAGE, Finding, Program, names


def _report(kind, file, line, gain):
    finding = {"kind": kind, "file": f"/somewhere/{file}", "line": line, "gain_s": gain, "text": ""}
    return Finding({"wall_s": 1.0, "findings": [finding, {**finding, "gain_s": gain / 2}]})


def _judged(test, program, stage):
    """The right finding, and how it may be wrong."""
    expected = program.expected(stage)
    test.expect(f"{program.name}, {stage.name}: there are marks", not program.healthy, bool(expected))
    file, size = program.name + ".c", program.share or 0.2
    kind, line = min(expected)
    other = next(one for one in ("lock", "serial") if (one, line) not in expected)
    cases = {
        "the right one": (True, (kind, file, line, size)),
        "another kind": (False, (other, file, line, size)),
        "another line": (False, (kind, file, max(place for _, place in expected) + 1, size)),
        "another file": (False, (kind, "work.h", line, size)),
        "a gain above the wall": (False, (kind, file, line, 1.01)),
        "no gain": (False, (kind, file, line, 0.0)),
    }
    if program.share:
        cases["a quarter of the gain"] = (False, (kind, file, line, size / 4))
    for what, (right, finding) in cases.items():
        test.expect(f"{program.name}, {stage.name}: {what}", right, not wrong(program, stage, _report(*finding)))
    nothing = Finding({"wall_s": 1.0, "findings": []})
    test.expect(f"{program.name}, {stage.name}: nothing found", False, not wrong(program, stage, nothing))


def _healthy(test, program, stage):
    test.expect(program.name, "healthy", program.kind)
    for gain, right in ((0.02, True), (0.04, False)):
        found = wrong(program, stage, _report("serial", program.name + ".c", 1, gain))
        test.expect(f"{program.name}: {gain} of the wall", right, not found)


def marks(test):
    """All of it."""
    for name in names():
        program = Program(name)
        for stage in program.stages(("19", "gomp19", OFFLOAD_STAGE)):
            (_healthy if program.healthy else _judged)(test, program, STAGES[stage])


if __name__ == "__main__":
    sys.exit(main("What programs with a known problem say of it.", marks, "problem.selftest"))
