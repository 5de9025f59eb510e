# SPDX-License-Identifier: BSD-3-Clause
"""What a program names itself (include/omptape/omptape.h) is in the archive as often as it was said, from its first word on; and a
program without the tool does the same.

    tests/run e2e.user --build BUILD --runtimes DIR
"""
import collections
import json
import math
import os
import sqlite3
import subprocess
import sys

from otf2.enums import Paradigm, RegionRole
from otf2.enums import MetricMode, MetricOccurrence, MetricType
from otf2.events import Enter, Leave, Metric, ParameterString, ParameterUnsignedInt

from harness import main, source_of
from harness.stages import has_language

NAMED = {"before": 1, "all": 1, "time step": 8, "sweep": 24, "left open": 24, "in a team": 16, "point": 32, "x" * 511: 1,
         "used again": 1, "in a task": 16, "own thread": 1, "never ends": 1}
STEPS = {"time step": list(range(8)), "sweep": [0, 1, 2] * 8}


class Named:
    """An observer of the checker."""

    def __init__(self):
        self.entered = collections.Counter()
        self.steps = collections.defaultdict(list)
        self.left = []
        self.values = []
        self.measured = collections.defaultdict(list)
        self._last = {}

    def __call__(self, location, event):
        if isinstance(event, Enter):
            self._last[location] = event.region.name
            if event.region.paradigm == Paradigm.USER and event.region.region_role == RegionRole.CODE:
                self.entered[event.region.name] += 1
        elif isinstance(event, Leave) and event.region.name in ("all", "in a team", "in a task", "time step"):
            self.left.append(event.region.name)
        elif isinstance(event, ParameterUnsignedInt) and event.parameter.name == "step":
            self.steps[self._last[location]].append(event.value)
        elif isinstance(event, Metric) and event.metric.members[0].metric_type == MetricType.USER:
            member = event.metric.members[0]
            self.measured[member.name].append(event.values[0])
            assert (event.metric.occurrence, member.metric_mode) == (MetricOccurrence.ASYNCHRONOUS, MetricMode.ABSOLUTE_POINT)
        elif isinstance(event, ParameterString) and event.parameter.name not in ("step", "schedule"):
            self.values.append((self._last[location], event.string))

    def archive(self, archive):
        pass


def named(test):
    program = test.compile("e2e", "user.c", flags=["-I" + source_of("..", "include", "omptape"), "-pthread"])
    alone = test.run("alone", [program])
    test.expect("alone", (b"0 \n", 0), (alone.out, alone.code))
    traced = test.run("traced", [test.omptape, "-q", "-o", "out", "--", program])
    test.expect("traced: exit code", 0, traced.code)
    test.expect("traced: is recording", b"1", traced.out.split()[0])
    seen = test.verify_archive("traced", test.path("traced", "out", "traces.otf2"), Named())
    test.expect("traced: named", NAMED, dict(seen.entered))
    test.expect("traced: steps", STEPS, dict(seen.steps))
    # Each step ends before the next one, the whole behind the last step, and the tasks are in no step.
    test.expect("traced: ends", ["in a team"] * 2 + ["time step", "in a team", "in a team"] * 7 + ["time step"] +
                ["in a task"] * 16 + ["all"], seen.left)



def race(test):
    """Threads that name something at once, and a parallel region with them, begin one session."""
    program = test.compile("e2e", "user.c", flags=["-I" + source_of("..", "include", "omptape"), "-pthread"])
    test.command("-q", "-o", "race", "--", program, "race")
    everything = json.loads(test.command("report", "--json", "-", "race", stderr=subprocess.DEVNULL).stdout)
    test.expect("race: named", {"at once": 8}, {one["name"]: one["count"] for one in everything["phases"]})


def languages(test):
    """The module of Fortran and the file of Python say the same as the header, and nothing without the tool."""
    include = source_of("..", "include", "omptape")
    python = [sys.executable, "-c", "import sys; sys.path.insert(0, sys.argv[1]); import omptape as o\nwith o.region('solver'):\n"
              "  for i in o.steps('time step', range(3)): o.mark('point'); o.value('residual', 0.5)\nprint(o.is_recording())", include]
    programs = {"python": (python, b"True", b"False", 3)}  # it has no OpenMP: its first word begins the session
    if has_language(test.toolchain.stage, "user.f90"):
        fortran = test.compile("e2e", "user.f90", output="user_fortran", flags=[os.path.join(include, "omptape.f90")])
        programs["fortran"] = ([fortran], b"T", b"F", 6)
    for name, (words, recording, alone, points) in programs.items():
        test.expect(f"{name}: alone", alone, test.run(f"{name} alone", words).out.strip())
        test.expect(f"{name}: traced", recording, test.run(name, [test.omptape, "-q", "-o", "out", "--", *words]).out.strip())
        seen = test.verify_archive(name, test.path(name, "out", "traces.otf2"), Named())
        test.expect(f"{name}: named", {"solver": 1, "time step": 3, "point": points}, dict(seen.entered))
        test.expect(f"{name}: values", {"residual": 3}, {one: len(values) for one, values in seen.measured.items()})


def values(test):
    """Values are metrics of the user's, on the thread that has them; reports of a trace and of a profile say the same of them."""
    program = test.compile("e2e", "user.c", flags=["-I" + source_of("..", "include", "omptape"), "-pthread"])
    residuals = [1 / 2 ** (i % 31) for i in range(32)] + [math.inf]
    told = {}
    for name, options in {"trace": [], "profile": ["--profile"], "without": ["--filter=*barrier"]}.items():
        test.command("-q", "--force", *options, "-o", name, "--", program, "values")
        told[name] = json.loads(test.command("report", "--json", "-", name, stderr=subprocess.DEVNULL).stdout)["values"]
    seen = test.verify_archive("trace", test.path("trace", "traces.otf2"), Named())
    test.expect("values: measured", {"residual": residuals, "offset": [-2.5, 4e-12]},
                {name: sorted(values) if name == "offset" else values for name, values in seen.measured.items() if name != "left out"})
    test.expect("values: no regions of these", {"time step": 32}, dict(seen.entered))
    for one in (*told["trace"], *told["profile"]):
        if one["name"] == "offset":
            del one["last"]  # two threads have one each, at about the same time
    test.expect("values: report", [("residual", 33, 1, 9.31322575e-10, 1, None), ("offset", 2, 0, -2.5, 4e-12), ("left out", 1, 1, None, None, None)],
                [tuple(one.values()) for one in told["trace"]])
    test.expect("values: profile", told["trace"], told["profile"])
    test.expect("values: filter", [], told["without"])
    rows = test.command("export", "--csv", "-", "trace").stdout
    test.expect("values: CSV", 33, sum(",Metric," in row and "residual=" in row for row in rows.splitlines()))
    test.command("export", "--sqlite", test.path("values.sqlite"), "trace")
    with sqlite3.connect(test.path("values.sqlite")) as database:
        stored = [value for value, in database.execute("SELECT value FROM metric_value JOIN metric ON metric.id = metric WHERE name = 'residual' ORDER BY time")]
    test.expect("values: in a database", residuals, stored)
    test.command("-q", "--force", "--distinct-times", "-o", "distinct", "--", program, "values")
    seen = test.verify_archive("distinct", test.path("distinct", "traces.otf2"), Named())
    test.expect("values: as marks where times are distinct", (36, {}), (len(seen.values), dict(seen.measured)))


def many(test):
    """Each different real number is a definition: after 20,000 they are rounded, and a line says so."""
    words = [sys.executable, "-c", "import sys; sys.path.insert(0, sys.argv[1]); import omptape as o\nfor i in range(20500): o.value('x', i / 7)",
             source_of("..", "include", "omptape")]
    run = test.command("--distinct-times", "-o", "many", "--", *words)
    test.expect("many: line", True, "20000 different real numbers" in " ".join(run.stdout.split()))
    seen = test.verify_archive("many", test.path("many", "traces.otf2"), Named())
    different = len({value for _, value in seen.values})
    test.expect("many: numbers", (20500, True), (len(seen.values), 20000 <= different < 20020))


def check_slow(test):
    """The report names the slow steps, what their threads did, and who; and in which phase the rest is. Returns whether the
    run was disturbed (rests.h)."""
    program = test.compile("e2e", "user.c", output="user_slow", flags=["-I" + source_of("..", "include", "omptape"), "-pthread",
                                                                      "-include", source_of("e2e", "rests.h")])
    disturbed = "disturbed" in test.command("-q", "--force", "-o", "slow", "--", program, "slow").stdout
    everything = json.loads(test.command("report", "--json", "-", "slow", stderr=subprocess.DEVNULL).stdout)
    told = {one["name"]: one for one in everything["phases"]}
    step = told["time step"]
    test.expect("slow: phases", {"solver": (1, 0), "time step": (32, 32)}, {name: (one["count"], one["steps"]) for name, one in told.items()})
    test.expect("slow: step", 5, step["longest_number"])
    if not step["longest_s"] <= step["time_s"] <= told["solver"]["time_s"] or step["parts"]["blocked_s"] < 0.3:
        test.fail(f"slow: {told}")
    texts = [(finding.get("phase"), finding["text"]) for finding in everything["findings"]]
    for number, who in ((5, " sleep"), (11, "OMP thread 1 sleep")):
        if not any(phase == "time step" and f"time step {number} of 32 takes " in text and who in text for phase, text in texts):
            test.fail(f"slow: step {number} is not in {texts}")
    window = json.loads(test.command("report", "--from=step:5", "--to=time step:5", "--json", "-", "slow", stderr=subprocess.DEVNULL).stdout)
    test.expect("slow: window of a step", True, 0.4 <= window["wall_s"] < everything["wall_s"] - 0.2)
    by_phase = " ".join(test.command("report", "--by", "phase", "slow").stdout.split())
    test.expect("slow: --by phase", [True] * 3, [text in by_phase for text in ("time step 32 ", " 100 %", "time step 11 of 32 takes ")])
    changes = json.loads(test.command("compare", "--json", "-", "slow", "slow", stderr=subprocess.DEVNULL).stdout)
    test.expect("slow: compare", {"time step", "solver"}, {one["phase"] for one in changes["phases"]})
    test.expect("slow: steps", [("time step", number) for number in range(32)],
                [(one["phase"], one["number"]) for one in everything["steps"]])
    test.command("export", "--sqlite", test.path("slow.sqlite"), "slow")
    with sqlite3.connect(test.path("slow.sqlite")) as database:
        steps = database.execute("SELECT step FROM visits WHERE region = 'time step' ORDER BY begin").fetchall()
    test.expect("slow: steps in a database", [(number,) for number in range(32)], steps)
    said = " ".join(test.command("report", "slow").stdout.split())
    test.expect("slow: sentence", True, "time step 5 takes " in said and "; blocked is " in said)
    return disturbed


def slow(test):
    test.try_undisturbed(lambda: check_slow(test))


def check_found(test):
    """Loops that the program does not name are found where they are plain, and only there. Returns whether a run was disturbed
    (rests.h)."""
    program = test.compile("e2e", "loops.c", flags=["-pthread", "-include", source_of("e2e", "rests.h")])
    disturbed = False
    expected = {"steps": [40], "nested": [13, 83], "two": [30, 50], "irregular": [], "few": [], "threads": []}
    told = {}
    for name, counts in expected.items():
        disturbed |= "disturbed" in test.command("-q", "--force", "-o", name, "--", program, name).stdout
        told[name] = json.loads(test.command("report", "--json", "-", name, stderr=subprocess.DEVNULL).stdout)
        seen = sorted(one["count"] for one in told[name]["found_phases"])
        test.expect(f"found: {name}", (counts, 0), (seen, len(told[name]["phases"])))
    everything = told["steps"]
    steps = everything["found_steps"]
    test.expect("found: iterations", list(range(1, 41)), [one["number"] for one in steps])
    test.expect("found: not comparable", [10, 20, 30, 40], [one["number"] for one in steps if not one["comparable"]])
    test.expect("found: longest", 17, everything["found_phases"][0]["longest_number"])
    texts = [finding["text"] for finding in everything["findings"]]
    if not any("iteration 17 of 40 @loops.c:" in text and "OMP thread 1" in text and "sleep" in text for text in texts):
        test.fail(f"found: iteration 17 is not in {texts}")
    window = json.loads(test.command("report", "--from=iteration:17", "--to=iteration:17", "--json", "-", "steps", stderr=subprocess.DEVNULL).stdout)
    test.expect("found: window", True, abs(window["wall_s"] - steps[16]["time_s"]) < 0.01)
    said = " ".join(test.command("report", "steps").stdout.split())
    test.expect("found: line", True, "found: iterations 1 to 40 of a loop" in said)
    by_phase = " ".join(test.command("report", "--by", "phase", "steps").stdout.split())
    test.expect("found: --by phase", True, "iteration @loops.c:" in by_phase and "iteration 17 of 40 @loops.c" in by_phase)
    return disturbed


def found(test):
    test.try_undisturbed(lambda: check_found(test))


if __name__ == "__main__":
    sys.exit(main(__doc__, {"named": named, "slow": slow, "race": race, "languages": languages, "found": found, "values": values, "many": many}, "e2e.user", stages=("19", "14", "gomp")))
