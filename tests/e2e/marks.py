# SPDX-License-Identifier: BSD-3-Clause
"""What a program says by the annotations of other interfaces (libomptape-marks.so) is in the archive as often as it was said, and
the program itself is the same with it. The clients in tests/e2e/marks/ have the documented layout of each interface; a real header
takes their place where a variable names its folder.

    tests/run e2e.marks --build BUILD --runtimes DIR NAME
"""
import collections
import json
import os
import subprocess
import sys

from otf2.enums import Paradigm, RegionRole
from otf2.events import Enter, Leave, ParameterInt, ParameterString, ParameterUnsignedInt

from harness import main, source_of

CLIENTS = source_of("e2e", "marks")


class Named:
    """An observer of the checker: how often each name was entered, what stood within it, and the numbers beside it."""

    def __init__(self):
        self.entered = collections.Counter()
        self.numbers = {}
        self.within = collections.defaultdict(set)
        self.threads = collections.defaultdict(set)
        self._open = collections.defaultdict(list)

    def __call__(self, location, event):
        if isinstance(event, Enter):
            if event.region.paradigm == Paradigm.USER and event.region.region_role == RegionRole.CODE:
                self.entered[event.region.name] += 1
                self.threads[event.region.name].add(location)
                self.within[event.region.name].update(self._open[location])
            self._open[location].append(event.region.name)
        elif isinstance(event, Leave):
            self._open[location].pop()
        elif isinstance(event, (ParameterInt, ParameterString, ParameterUnsignedInt)) and event.parameter.name != "step":
            self.numbers[self._open[location][-1], event.parameter.name] = event.string if isinstance(event, ParameterString) else event.value

    def archive(self, archive):
        pass


def compile_client(test, source, variable, *flags):
    real = [f"-I{os.environ[variable]}"] if variable in os.environ else []
    return test.compile("e2e", "marks", source, output=source.replace(".", "_") + ("_real" if real else ""),
                        flags=[*real, f"-I{CLIENTS}", "-pthread", *flags], link_flags=["-ldl"])


def trace(test, name, program, *words):
    """Its run with the tool, which says no more than one without it."""
    alone = test.run(f"{name} alone", [program, *words])
    traced = test.run(name, [test.omptape, "-q", "-o", "out", "--", program, *words])
    test.expect(f"{name}: exit code", alone.code, traced.code)
    seen = test.judge(name, test.path(name, "out", "traces.otf2"), Named())
    return alone, traced, seen


def nvtx(test):
    program = compile_client(test, "nvtx.c", "OMPTAPE_NVTX_INCLUDE")
    alone, traced, seen = trace(test, "nvtx", program)
    test.expect("nvtx: levels alone", b"-2 -2 -2 -2 -2 -2 -2\n", alone.out)
    test.expect("nvtx: levels", b"0 0 1 0 1 0 -2\n", traced.out)
    test.expect("nvtx: names", {"before": 1, "library:join": 1, "na\u00efve \u20ac": 1, "within": 1, "residual": 1, "across (begin)": 1,
                                "across (end)": 1, "other": 1, "in a handler": 200, "team": 2, "point": 2, "child": 1,
                                "in the child": 1, "never ends": 1, **{f"interrupted {i}": 25 for i in range(8)}}, dict(seen.entered))
    test.expect("nvtx: numbers", -7, seen.numbers.get(("library:join", "payload (signed)")))
    test.expect("nvtx: real number", "0.5", seen.numbers.get(("residual", "payload (real)")))
    test.expect("nvtx: range", seen.numbers.get(("across (begin)", "range")), seen.numbers.get(("across (end)", "range")))
    test.expect("nvtx: range's threads", set(), seen.threads["across (begin)"] & seen.threads["across (end)"])
    test.expect("nvtx: within", True, {"library:join", "na\u00efve \u20ac"} <= seen.within["within"])
    test.expect("nvtx: handler", True, "interrupted 0" in seen.within["in a handler"])


def million(test):
    """Exactly as many regions as calls."""
    program = compile_client(test, "nvtx.c", "OMPTAPE_NVTX_INCLUDE")
    test.command("-q", "-o", "million", "--", program, "1000000")
    told = json.loads(test.command("report", "--json", "-", "million", stderr=subprocess.DEVNULL).stdout)
    test.expect("million: regions", {"before": 1, "region 0": 1000000}, {one["name"]: one["count"] for one in told["phases"]})


def names(test):
    """More names than are told apart are one, and a line says so."""
    program = compile_client(test, "nvtx.c", "OMPTAPE_NVTX_INCLUDE")
    run = test.command("-o", "names", "--", program, "20100", "20100")
    test.expect("names: line", True, "names too many different things" in " ".join(run.stdout.split()))
    told = json.loads(test.command("report", "--json", "-", "names", stderr=subprocess.DEVNULL).stdout)
    test.expect("names: others", 101, {one["name"]: one["count"] for one in told["phases"]}.get("(other names)"))


def kept(test):
    """A user's own value of a variable stays, and a line says so."""
    program = compile_client(test, "nvtx.c", "OMPTAPE_NVTX_INCLUDE")
    own = test.path("own.so")
    run = test.command("-o", "kept", "--", "sh", "-c", f"echo $NVTX_INJECTION64_PATH; {program} 1",
                       env=test.environment(NVTX_INJECTION64_PATH=own), stderr=subprocess.STDOUT)
    test.expect("kept: value", own, run.stdout.splitlines()[1] if len(run.stdout.splitlines()) > 1 else run.stdout)
    test.expect("kept: line", 1, run.stdout.count("NVTX_INJECTION64_PATH is set"))


if __name__ == "__main__":
    sys.exit(main(__doc__, {"nvtx": nvtx, "million": million, "names": names, "kept": kept}, "e2e.marks", stages=("19", "gomp")))
