# SPDX-License-Identifier: BSD-3-Clause
"""What a program says by the annotations of other interfaces (libomptape-marks.so) is in the archive as often as it was said, and
the program itself is the same with it. The clients in tests/e2e/marks/ have the documented layout of each interface; a real header
takes their place where a variable names its folder.

    tests/run e2e.marks --build BUILD --runtimes DIR NAME
"""
import collections
import json
import os
import re
import subprocess
import sys
import textwrap

from otf2.enums import GroupType, Paradigm, RegionRole
from otf2.events import Enter, Leave, ParameterInt, ParameterString, ParameterUnsignedInt

from checker.mapping import RegionName
from harness import main, source_of
from harness.stages import has_language

CLIENTS = source_of("e2e", "marks")
HEADER = source_of("..", "include", "omptape")


class Named:
    """An observer of the checker: how often each name was entered, what stood within it, and the numbers beside it."""

    def __init__(self):
        self.entered = collections.Counter()
        self.labels = collections.defaultdict(set)
        self.numbers = {}
        self.groups = {}
        self.within = collections.defaultdict(set)
        self.threads = collections.defaultdict(set)
        self._open = collections.defaultdict(list)

    def __call__(self, location, event):
        if isinstance(event, Enter):
            if event.region.paradigm == Paradigm.USER and event.region.region_role == RegionRole.CODE:
                self.entered[event.region.name] += 1
                self.threads[event.region.name].add(location)
                self.within[event.region.name].update(self._open[location])
            elif event.region.paradigm == Paradigm.OPENMP:
                name = RegionName(event.region.name)
                self.labels[name.kind].add(name.label)
            self._open[location].append(event.region.name)
        elif isinstance(event, Leave):
            self._open[location].pop()
        elif isinstance(event, (ParameterInt, ParameterString, ParameterUnsignedInt)) and event.parameter.name != "step":
            self.numbers[self._open[location][-1], event.parameter.name] = event.string if isinstance(event, ParameterString) else event.value

    def archive(self, archive):
        self.groups = {one.name: sorted(region.name for region in one.members) for one in archive.definitions.groups
                       if one.group_type == GroupType.REGIONS}


def compile_client(test, source, variable, *flags):
    real = [f"-I{os.environ[variable]}"] if variable in os.environ else []
    return test.compile("e2e", "marks", source, output=source.replace(".", "_") + ("_real" if real else ""),
                        flags=[*real, f"-I{CLIENTS}", "-pthread", *flags], link_flags=["-ldl"])


def trace(test, name, program, *words):
    """Its run with the tool, which says no more than one without it."""
    alone = test.run(f"{name} alone", [program, *words])
    traced = test.run(name, [test.omptape, "-q", "-o", "out", "--", program, *words])
    test.expect(f"{name}: exit code", alone.code, traced.code)
    seen = test.verify_archive(name, test.path(name, "out", "traces.otf2"), Named())
    return alone, traced, seen


def nvtx(test):
    program = compile_client(test, "nvtx.c", "OMPTAPE_NVTX_INCLUDE")
    alone, traced, seen = trace(test, "nvtx", program)
    test.expect("nvtx: levels alone", b"-2 -2 -2 -2 -2 -2 -2\n", alone.out)
    test.expect("nvtx: levels", b"0 0 1 0 1 0 -2\n", traced.out)
    test.expect("nvtx: names", {"before": 1, "library:join": 1, "na\u00efve \u20ac": 1, "within": 1, "residual": 1, "across (begin)": 1,
                                "across (end)": 1, "other": 1, "in a handler": 200, "team": 2, "point": 2, "child": 1,
                                "in the child": 1, "never ends": 1, **{f"interrupted {i}": 25 for i in range(8)}}, dict(seen.entered))
    test.expect("nvtx: groups", {"library": ["library:join"]}, seen.groups)
    test.expect("nvtx: numbers", -7, seen.numbers.get(("library:join", "payload (signed)")))
    test.expect("nvtx: real number", "0.5", seen.numbers.get(("residual", "payload (real)")))
    test.expect("nvtx: range", seen.numbers.get(("across (begin)", "range")), seen.numbers.get(("across (end)", "range")))
    test.expect("nvtx: thread", True, any(place.name.endswith(": input \ufffd") for place in seen.threads["across (end)"]))
    test.expect("nvtx: range's threads", set(), seen.threads["across (begin)"] & seen.threads["across (end)"])
    test.expect("nvtx: within", True, {"library:join", "na\u00efve \u20ac"} <= seen.within["within"])
    test.expect("nvtx: handler", True, "interrupted 0" in seen.within["in a handler"])


def itt(test):
    real = "OMPTAPE_ITT_INCLUDE" in os.environ
    program = compile_client(test, "itt.c", "OMPTAPE_ITT_INCLUDE", *([os.environ["OMPTAPE_ITT_LIBRARY"]] if real else []))
    _, _, seen = trace(test, "itt", program, "domains")
    test.expect("itt: names", {"solver:frame": 10, "solver:iterate": 30, "solver:across (begin)": 1, "solver:across (end)": 1,
                               "solver:other": 1, "solver:last": 1, **{f"domain {i}:frame": 1 for i in range(40)}}, dict(seen.entered))
    test.expect("itt: groups", (41, {f"domain {i}:frame" for i in range(40)}), (len(seen.groups), set(seen.entered) - set(seen.groups["solver"])))
    test.expect("itt: no labels", {None}, seen.labels["parallel"])
    test.expect("itt: within", True, "solver:frame" in seen.within["solver:iterate"])
    test.expect("itt: range's threads", set(), seen.threads["solver:across (begin)"] & seen.threads["solver:across (end)"])


def kokkos(test):
    """Alone, and with a tool of the user's, which gets its calls as without omptape."""
    program = compile_client(test, "kokkos.c", "")
    tool = test.compile("e2e", "marks", "kokkos.c", output="kokkos_tool.so", flags=["-DTOOL"], shared=True)
    names = {"step": 1, "halo (begin)": 1, "halo (end)": 1, "ComputeForce [parallel_for]": 4, "Energy [parallel_reduce]": 1,
             "x [allocate]": 1, "to = from [deep_copy]": 1, **{f"{i} [parallel_for]": 1 for i in range(110)}}
    # Constructs that many kernels reach: the first 100 kernels are labels.
    labels = {None, "ComputeForce [parallel_for]", *(f"{i} [parallel_for]" for i in range(99))}
    _, traced, seen = trace(test, "kokkos", program)
    test.expect("kokkos: output", b"fences: 0\n", traced.out)
    test.expect("kokkos: names", names, dict(seen.entered))
    test.expect("kokkos: within", True, "step" in seen.within["ComputeForce [parallel_for]"])
    for construct in ("parallel", "single", "implicit barrier"):
        test.expect(f"kokkos: labels of {construct}", sorted(map(str, labels)), sorted(map(str, seen.labels[construct])))
    test.expect("kokkos: bytes", 800, seen.numbers.get(("to = from [deep_copy]", "payload")))
    own = test.environment(KOKKOS_TOOLS_LIBS=tool)
    chained = test.run("chained", [test.omptape, "-q", "-o", "out", "--", program], own)
    test.expect("chained: output", b"tool: 0 1 0 alone\ntool: 229 calls\nfences: 0\n", chained.out)
    test.expect("chained: names", names, dict(test.verify_archive("chained", test.path("chained", "out", "traces.otf2"), Named()).entered))


def preloaded(test):
    """What has no variable: results are those of the libraries that the program calls."""
    program = test.compile("e2e", "marks", "preloaded.c", flags=["-finstrument-functions", f"-I{CLIENTS}"],
                           link_flags=library(test, "caliper"))
    alone, traced, seen = trace(test, "preloaded", program)
    is_clang = test.toolchain.stage.family == "clang"
    by_control = {"before": 1, "after": 1, "mark by control": 2} if is_clang else {}
    test.expect("preloaded: alone", b"-2" if is_clang else b"before", alone.out.split()[0])
    test.expect("preloaded: traced", [b"0", b"0"] if is_clang else [b"before", b"after"], traced.out.split()[0:6:5])
    test.expect("preloaded: results", [b"100", b"201", b"77", b"5000000", b"1206"], traced.out.split()[1:5] + traced.out.split()[6:])
    test.expect("preloaded: results alone", alone.out.split()[1:5] + alone.out.split()[6:], traced.out.split()[1:5] + traced.out.split()[6:])
    brief = seen.entered.pop("brief", 0)
    test.expect("preloaded: with what the compiler made of it", True, seen.entered.pop("compute", 0) > 0)
    test.expect("preloaded: brief functions", True, 10000 <= brief < 5000000)
    test.expect("preloaded: names", {**by_control, "pushed": 1, "marked": 1, "ranged (begin)": 1,
                                     "ranged (end)": 1, "caliper's": 1, "main": 1}, dict(seen.entered))
    info = test.command("info", test.path("preloaded", "out")).stdout
    test.expect("preloaded: line", True, "1 function of -finstrument-functions is left out" in " ".join(info.split()))


def library(test, name):
    """One with the names of ROCTX and Caliper. The options that link it."""
    path = test.compile("e2e", "marks", "preloaded.c", output=f"marks/lib{name}.so", flags=["-DLIBRARY", f"-I{CLIENTS}"], shared=True)
    return [f"-L{os.path.dirname(path)}", f"-l{name}", f"-Wl,-rpath,{os.path.dirname(path)}"]


def documented(test):
    """The examples of docs/marks.md."""
    own = {"solver": 1, "time step": 3, "checkpoint": 1}
    said = {"own.c": own, "own.f90": own, "own.py": own, "scope.cpp": {"solver": 1, "checkpoint": 1},
            "nvtx.c": {"assembly": 1, "checkpoint": 1, "input (begin)": 1, "input (end)": 1}, "itt.c": {"app:assembly": 1},
            "kernels.cpp": {"time loop": 1, "ComputeForce [parallel_for]": 1},
            "roctx.c": {"assembly": 1, "checkpoint": 1}, "caliper.c": {"assembly": 1}, "functions.c": {"assemble": 1, "main": 1},
            "control.c": {"assembly": 1, "checkpoint": 1, "time step": 3}}
    links = library(test, "roctx64") + library(test, "caliper")
    with open(source_of("..", "docs", "marks.md"), encoding="utf-8") as file:
        blocks = re.findall(r"^    (?:/\*|!|#) (\w+\.(?:cpp|c|f90|py)) ?([^*\n]*)(?: \*/)?\n((?:    .*\n|\n)+)", file.read(), re.M)
    test.expect("documented: examples", sorted(said), sorted(name for name, _, _ in blocks))
    for name, flags, text in blocks:
        if name == "control.c" and test.toolchain.stage.family == "gcc" or name.endswith(".f90") and not has_language(test.toolchain.stage, name):
            continue  # its runtime has no such function
        source = test.path(name)
        with open(source, "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(text))
        words = [sys.executable, source]
        if not name.endswith(".py"):
            flags = [os.path.join(HEADER, one) if one.endswith(".f90") else one for one in flags.split()]
            words = [test.toolchain.compile(source, test.path(name.replace(".", "_")), flags=[f"-I{CLIENTS}", f"-I{HEADER}", *flags],
                                            link_flags=["-ldl", *links])]
        traced = test.run(f"documented {name}", [test.omptape, "-q", "-o", "out", "--", *words], test.environment(PYTHONPATH=HEADER))
        test.expect(f"documented {name}: exit code", 0, traced.code)
        seen = test.verify_archive(name, test.path(f"documented {name}", "out", "traces.otf2"), Named())
        test.expect(f"documented: {name}", said[name], dict(seen.entered))


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


def chained(test):
    """A tool of the user's gets its calls, with its own handles, as without omptape; and the archive is as without it."""
    tools = test.compile("e2e", "marks", "tools.c", output="tools.so", flags=[f"-I{CLIENTS}"], shared=True)
    link = test.path("link.so")
    os.symlink(test.built("lib", "libomptape-marks.so"), link)
    for source, variable, calls in (("nvtx.c", "NVTX_INJECTION64_PATH", 824), ("itt.c", "INTEL_LIBITTNOTIFY64", 77)):
        program = compile_client(test, source, "")
        own = test.environment(**{variable: tools})
        alone = test.run(f"{source} alone", [program], own)
        test.expect(f"chained: {source} alone: exit code and errors", (0, b""), (alone.code, alone.err))
        test.expect(f"chained: {source}: calls", f"tool: {calls} calls, 0 wrong", alone.out.decode().strip().splitlines()[-1].split(" ", 1)[-1])
        traced = test.run(source, [test.omptape, "-q", "-o", "out", "--", program], own)
        test.expect(f"chained: {source}", (alone.out, alone.code), (traced.out, traced.code))
        test.run(f"{source} without", [test.omptape, "-q", "-o", "out", "--", program])
        # The variable names this library by another path, as another installation of omptape may do.
        itself = test.run(f"{source} itself", [test.omptape, "-q", "-o", "out", "--", program], test.environment(**{variable: link}))
        test.expect(f"chained: {source}: itself", 0, itself.code)
        without, *seen = (test.verify_archive(f"{source}: {folder}", test.path(folder, "out", "traces.otf2"), Named()).entered
                          for folder in (f"{source} without", source, f"{source} itself"))
        test.expect(f"chained: {source}: names", [without] * 2, seen)


def kept(test):
    """What cannot be chained: a library that is not there costs a line, and Kokkos' older variable stays."""
    program = compile_client(test, "nvtx.c", "OMPTAPE_NVTX_INCLUDE")
    own = test.path("own.so")
    run = test.command("-o", "kept", "--", program, "1", env=test.environment(NVTX_INJECTION64_PATH=own), stderr=subprocess.STDOUT)
    test.expect("kept: line", 1, run.stdout.count(f"cannot load {own} of NVTX_INJECTION64_PATH"))
    # Kokkos ends a program that has both.
    run = test.command("-o", "older", "--", "sh", "-c", "echo tools: $KOKKOS_TOOLS_LIBS", env=test.environment(KOKKOS_PROFILE_LIBRARY=own))
    test.expect("kept: older", (True, 1), ("tools:\n" in run.stdout, run.stdout.count("KOKKOS_PROFILE_LIBRARY is set")))


if __name__ == "__main__":
    sys.exit(main(__doc__, {"nvtx": nvtx, "itt": itt, "kokkos": kokkos, "preloaded": preloaded, "documented": documented, "million": million, "names": names, "chained": chained, "kept": kept}, "e2e.marks", stages=("19", "gomp")))
