# SPDX-License-Identifier: BSD-3-Clause
"""Each program says what must be found in it, on each stage; and of findings, the right one alone is taken.

    tests/run problems.selftest --build BUILD --runtimes DIR
"""
import os
import sys

from harness import main
from problems.first import wrong
from problems.program import OFFLOAD_STAGE, STAGES, Finding, Program, names
from problems.sums import faults


def _finding(program, stage, *found):
    """Of a report with these: (kind, file, line, gain)."""
    report = [{"kind": kind, "file": f"/somewhere/{file}" if file else None, "line": line, "gain_s": gain}
              for kind, file, line, gain in found]
    for one in report:
        # A pattern without special characters is what it looks for.
        pattern = program.proposal(stage)
        one["proposal"] = f"schedule(dynamic, 10000), what these instances do, {pattern}" if pattern else ""
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


def _sums(test):
    """A report whose numbers agree, and one for each way in which they may not."""
    finding = {"kind": "imbalance", "region": "for @a.c:1", "text": "the others wait 400 ms in all", "gain_s": 0.2,
               "waited_s": 0.4, "cost_s": 0.4, "cost_threads": 2.0, "mended_s": 0, "tracing_s": 0, "elsewhere_s": 0,
               "worst": {"begin_s": 0.1, "end_s": 0.2}}
    region = {"region": "for @a.c:1", "gain_s": 0.2, "gain_beyond": "", "exclusive_s": 1.0, "charged_s": 0.4,
              "parts": {"computing_s": 1.0, "serial_s": 0, "task_management_s": 0, "blocked_s": 0, "runnable_s": 0}}
    tiny = {"kind": "tiny_regions", "text": "200 instances take 2.0 ms each for 1.0 ms of work in each thread",
            "waited_s": 0.4, "cost_s": 0.2, "cost_threads": 1.0}
    few = {"kind": "fine_tasks", "text": "1,000 tasks of 1.0 us each; to create, find and switch to one takes 400 us"}
    slow = {"kind": "fine_tasks", "text": "1,000 tasks of 1.0 us each; threads wait 400 ms in all while some are queued"}
    cases = [(0, {}, {}), (0, tiny, {}), (0, few, {}), (0, slow, {}), (1, {**slow, "text": slow["text"].replace("400", "300")}, {}),
             (1, {"gain_s": 0.3}, {}), (1, {"text": "wait 4.1 s in all"}, {}),
             (1, {"elsewhere_s": 0.1}, {}), (1, {"worst": {"begin_s": -3.0, "end_s": -3.0}}, {}), (2, {"waited_s": 0.9}, {}), (4, {"gain_s": 1.2}, {}),
             (1, {**tiny, "text": tiny["text"].replace("2.0", "2.5")}, {}), (1, {**few, "waited_s": 9.03, "cost_s": 9.03,
             "cost_threads": 45.15}, {}), (1, {}, {"charged_s": 0, "exclusive_s": 0.1, "parts":
             {**region["parts"], "computing_s": 0.1}}), (0, {}, {"gain_s": 0.9, "gain_beyond": "with what lies in it"})]
    for number, (expected, of_finding, of_region) in enumerate(cases):
        found = list(faults({"wall_s": 1.0, "threads": 2, "findings": [{**finding, **of_finding}],
                             "locks": [], "lock_holders": [],
                             "regions": [{**region, **of_region}]}))
        test.expect(f"sums {number}: {found}", expected, len(found))
    for end, expected in ((0.6, 0), (0.500001, 1)):
        outlier = {"region": "for @a.c:1", "takes_s": 0.1, "worst": {"begin_s": 0.5, "end_s": end}}
        found = list(faults({"wall_s": 1.0, "threads": 2, "findings": [], "regions": [], "outliers": [outlier]}))
        test.expect(f"outlier until {end}: {found}", expected, len(found))


def marks(test):
    """All of it."""
    _sums(test)
    for name in names():
        program = Program(name)
        for stage in program.stages(("19", "gomp", OFFLOAD_STAGE, "flang19", "openmpi")):
            (_healthy if program.healthy else _judged)(test, program, STAGES[stage])


if __name__ == "__main__":
    sys.exit(main("What programs with a known problem say of it.", marks, "problem.selftest"))
