# SPDX-License-Identifier: BSD-3-Clause
"""Measures what omptape costs: without a tool, with the floor tool, with omptape and with other tools, interleaved.
Prints Markdown tables and leaves them, with all single values as JSON, in BUILD/tests/bench/. See docs/benchmarks.md.

    tests/run bench.run --build BUILD --runtimes DIR [OPTIONS]      exit: 0 done, 1 a run failed or a table is not complete,
                                                       77 no compiler or runtime
"""
import json
import os
import shutil
import sys

from bench import callbacks
from bench import machine as machine_module
from bench.checkpoints import Checkpoints
from bench.constructs import FLOOR, NONE, Constructs
from bench.exports import Exports
from bench.kernels import Kernels
from harness import SKIPPED, STAGES, Broken, Missing, Toolchain, arguments, source_of
from bench.pages import Pages
from bench.reports import Reports
from bench.scale import Scale
from bench.startups import Startups
from bench.targets import Targets
from bench.tools import Failed, Launcher, Tool, parse_tool
from bench.writers import Writers

STAGE = "19"  # the newest host runtime that there is
NVTX = "NVTX_INJECTION64_PATH"  # what programs/marks.c loads
OFFLOAD_STAGE = "22"  # of these that have a host plugin
PARTS = ("constructs", "marks", "targets", "kernels", "checkpoints", "writers", "startups", "scale", "reports", "exports", "pages")
# clang warns of the sign conversions in its own code for taskloop.
OFFLOAD = "-fopenmp-targets=x86_64-pc-linux-gnu"
FLAGS = ("-O2", "-std=gnu11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wno-sign-conversion", "-Werror")


class Settings:
    """How much is done: enough for stable medians in some minutes, or just enough to see that it works."""

    def __init__(self, quick):
        self.rounds = 1 if quick else 10
        self.samples = 2 if quick else 20
        self.percent = 5 if quick else 100
        self.pause_ms = 1 if quick else 50
        self.kernels = {
            "stencil": ["128", "20"] if quick else ["2048", "300"],
            "forkjoin": ["200", "5000"] if quick else ["100000", "5000"],
            "tasktree": ["10", "50"] if quick else ["21", "50"],
        }
        self.long_kernels = {
            "stencil": ["128", "20"] if quick else ["2048", "4000"],
            "forkjoin": ["200", "5000"] if quick else ["1200000", "5000"],
        }
        self.floods = {name: ["2000" if quick else "4000000"] for name in ("barrier", "critical", "for", "task")}
        self.encoder_events = 10000 if quick else 20000000
        # So large that the writer never holds up the flood: what is measured is its speed, not the waiting.
        self.flood_buffer = "1G"
        self.starts = 5 if quick else 1000
        self.scale = {"processes": 2 if quick else 50, "threads": 20 if quick else 2500,
                      "events": 2000 if quick else 10000000}
        self.export_events = 2000 if quick else 10000000
        self.report_events = (2000, 8000) if quick else (10000000, 100000000)
        self.pages = (8, ["2", "10"]) if quick else (256, ["10", "2000"])  # threads; 10 million events


class Bench:
    """The parts and their programs."""

    def __init__(self, options):
        self.options = options
        self.settings = Settings(options.quick)
        if options.rounds:
            self.settings.rounds = options.rounds
        self.toolchain = Toolchain(STAGES[STAGE], options.runtimes)
        self.folder = os.path.join(options.build, "tests", "bench")
        self.launcher = Launcher(os.path.join(self.folder, "work"), self.toolchain)
        self.machine = machine_module.describe(options.build, self.toolchain)
        self.all_cores = self.machine["cores"]
        self.tools = self._tools()
        self.constructs = Constructs("Constructs", [(self.launcher, self.program("constructs"))], self.settings,
                                     options.only)
        includes = ("-isystem", source_of("e2e", "marks"), "-I" + source_of("..", "include", "omptape"))
        self.marks = Constructs("Marks", [(self.launcher, self.program("marks", *includes))], self.settings)
        self.targets = self._targets()
        self.kernels = Kernels(self.launcher, {name: [self.program(name), *arguments]
                                               for name, arguments in self.settings.kernels.items()})
        omptape = next(tool for tool in self.tools if tool.is_omptape)
        self.checkpoints = Checkpoints(self.launcher, {name: [self.program(name), *arguments]
                                                       for name, arguments in self.settings.long_kernels.items()}, omptape)
        self.writers = self._writers()
        self.startups = Startups(self.launcher, self.built("tests", "bench", "bench_startup"), {
            "without OpenMP": self.program("trivial", "-fno-openmp", output="trivial_plain"),
            "linked to libomp": self.program("trivial", output="trivial_openmp"),
        }, self.settings.starts)
        self.scale = self._scale(omptape)
        work = os.path.join(self.folder, "work")
        self.exports = Exports(work, omptape.environment(self.launcher.base(1), work), self.built("bin", "omptape"),
                               self.program("flood"), self.settings.export_events)
        self.reports = Reports(work, omptape.environment(self.launcher.base(1), work),
                               {"command": self.built("bin", "omptape"), "make_parts": self.built("tests", "unify", "make_parts"),
                                "flood": self.program("flood")}, self.settings.rounds, *self.settings.report_events)
        self.pages = Pages(os.path.join(self.folder, "work"), omptape.environment(self.launcher.base(1), self.folder),
                           {"command": self.built("bin", "omptape"), "chunks": self.program("chunks")}, *self.settings.pages)

    def _scale(self, omptape):
        files = {"command": self.built("bin", "omptape"), "make_parts": self.built("tests", "unify", "make_parts"),
                 "threads": self.program("threads", "-pthread"), "flood": self.program("flood")}
        folder = os.path.join(self.folder, "work")
        return Scale(folder, omptape.environment(self.launcher.base(1), folder), files, self.settings.scale)

    def _targets(self):
        """Without the compiler that has a host plugin, only what needs none."""
        sources = [(self.launcher, self.built("tests", "bench", "bench_target_calls"))]
        emulator = self.built("tests", "emulator", "libemulator.so")
        try:
            toolchain = Toolchain(STAGES[OFFLOAD_STAGE], self.options.runtimes)
            launcher = Launcher(os.path.join(self.folder, "work"), toolchain)
            program = toolchain.compile(source_of("bench", "programs", "targets.c"),
                                        os.path.join(self.folder, "programs", "targets"), [*FLAGS, OFFLOAD])
            sources.append((launcher, program))
        except Missing as missing:
            print(f"bench: no target regions on the host plugin: {missing}", file=sys.stderr)
        omptape = next(tool for tool in self.tools if tool.is_omptape)
        return Targets(sources, self.settings, omptape, emulator)

    def _writers(self):
        files = {"meter": self.built("tests", "bench", "bench_writer_meter"),
                 "encoder": self.built("tests", "bench", "bench_encoder"),
                 "writer": self.built("libexec", "omptape", "omptape-writer")}
        flood = self.program("flood")
        commands = {name: ([flood, name, *arguments], 1) for name, arguments in self.settings.floods.items()}
        commands["tasktree"] = ([self.program("tasktree"), *self.settings.kernels["tasktree"]], self.all_cores)
        omptape = next(tool for tool in self.tools if tool.is_omptape)
        return Writers(self.launcher, omptape, files, commands, self.settings.encoder_events,
                       self.settings.flood_buffer)

    def program(self, name, *flags, output=None):
        source = source_of("bench", "programs", name + ".c")
        return self.toolchain.compile(source, os.path.join(self.folder, "programs", output or name), [*FLAGS, *flags])

    def built(self, *parts):
        path = os.path.join(self.options.build, *parts)
        if not os.path.exists(path):
            raise Broken(f"{path} is not built")
        return path

    def _tools(self):
        """The columns. The floor's clock is the one that omptape would choose here."""
        counter = self.machine["clocksource"] in ("tsc", "arch_sys_counter")
        ring = self.built("tests", "bench", "floor_ring.so" if counter else "floor_clock.so")
        variables = dict(text.split("=", 1) for text in self.options.omptape_env)
        empty = self.built("tests", "bench", "floor_empty.so")
        variables.setdefault(NVTX, self.built("lib", "libomptape-marks.so"))
        return [
            Tool(NONE),
            Tool("empty", empty, {NVTX: empty}),
            Tool(FLOOR, ring, {NVTX: ring}, is_floor=True),
            Tool("omptape", self.built("lib", "libomptape.so"), variables, is_omptape=True),
            *(parse_tool(text) for text in self.options.tool),
        ]

    def order(self, number):
        """Another tool first in each round, and every other round backwards."""
        first = number % len(self.tools)
        tools = self.tools[first:] + self.tools[:first]
        return tools if number % 2 == 0 else tools[::-1]

    def threads(self):
        return self.options.threads or sorted({1, self.all_cores})

    def run(self):
        for number in range(self.settings.rounds):
            print(f"bench: round {number + 1} of {self.settings.rounds}", file=sys.stderr, flush=True)
            if "constructs" in self.options.parts:
                for threads in self.threads():
                    self.constructs.round(number, threads, self.order(number))
            if "marks" in self.options.parts:
                self.marks.round(number, 1, self.order(number))
            if "targets" in self.options.parts:
                self.targets.round(number, self.order(number))
            if "kernels" in self.options.parts:
                self.kernels.round(max(self.threads()), self.order(number))
            if "checkpoints" in self.options.parts:
                self.checkpoints.round(max(self.threads()), number % 2 == 1)
            # A process's CPU time varies less than what passes on the clock: fewer rounds do.
            if "writers" in self.options.parts and number % 3 == 0:
                self.writers.round()
        if "startups" in self.options.parts:
            self.startups.run(self.tools)
        if "scale" in self.options.parts:
            self.scale.run()
        if "reports" in self.options.parts:
            self.reports.run()
        if "exports" in self.options.parts:
            self.exports.run()
        if "pages" in self.options.parts:
            if shutil.which("chromium") is None:
                print("bench: no pages: chromium is not installed", file=sys.stderr)
                self.options.parts.remove("pages")
            else:
                self.pages.run()
        self.machine["load_after"] = os.getloadavg()[0]

    def markdown(self):
        parts = [machine_module.sentence(self.machine),
                 f"Medians of {self.settings.rounds} interleaved rounds, in brackets the quartiles."]
        parts += [self._table(part) for part in PARTS if part in self.options.parts]
        return "\n\n".join(parts) + "\n"

    def _table(self, part):
        of_omptape_alone = part in ("checkpoints", "writers", "scale", "reports", "exports", "pages")
        return getattr(self, part).markdown(*([] if of_omptape_alone else [self.tools]))

    def json(self):
        return {"machine": self.machine, "settings": vars(self.settings), "tools": [vars(tool) for tool in self.tools],
                **{part: getattr(self, part).json() for part in self.options.parts}}

    def missing(self):
        """What should be in the tables and is not. Other people's tools may fail."""
        problems = []
        own = [tool for tool in self.tools if not tool.is_peer]
        if not self.options.omptape_env:
            problems += callbacks.differences(self.launcher, self.tools, [self.program("forkjoin"), "2", "10"])
        if "constructs" in self.options.parts:
            problems += self.constructs.missing(own, self.options.only or self.constructs.names())
        if "marks" in self.options.parts:
            problems += self.marks.missing(own, self.marks.names())
        if "targets" in self.options.parts:
            problems += self.targets.missing(own)
        if "kernels" in self.options.parts:
            problems += self.kernels.missing(own)
        if "checkpoints" in self.options.parts:
            problems += self.checkpoints.missing()
        if "writers" in self.options.parts:
            problems += self.writers.missing()
        if "startups" in self.options.parts:
            problems += self.startups.missing(own)
        if "scale" in self.options.parts:
            problems += self.scale.missing()
        if "exports" in self.options.parts:
            problems += self.exports.missing()
        if "pages" in self.options.parts:
            problems += self.pages.missing()
        return problems

    def save(self):
        name = "results.quick" if self.options.quick else "results"
        with open(os.path.join(self.folder, name + ".md"), "w", encoding="utf-8") as file:
            file.write(self.markdown())
        with open(os.path.join(self.folder, name + ".json"), "w", encoding="utf-8") as file:
            json.dump(self.json(), file, indent=1)


def parse():
    parser = arguments("Measures what omptape costs. See docs/benchmarks.md.")
    parser.add_argument("--rounds", type=int, help="interleaved rounds (10)")
    parser.add_argument("--parts", default=",".join(PARTS), help=f"some of {','.join(PARTS)}")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="only this construct (repeatable)")
    parser.add_argument("--threads", type=lambda text: [int(part) for part in text.split(",")], metavar="N[,N...]",
                        help="threads for the constructs (1 and all cores)")
    parser.add_argument("--tool", action="append", default=[], metavar="NAME=/path/lib.so[,VARIABLE=VALUE...]",
                        help="one more column; {dir} in a value is the run's folder (repeatable)")
    parser.add_argument("--omptape-env", action="append", default=[], metavar="NAME=VALUE",
                        help="a variable for omptape's runs (repeatable)")
    parser.add_argument("--quick", action="store_true", help="one round of next to nothing: only to see that it works")
    options = parser.parse_args()
    options.parts = options.parts.split(",")
    if any(part not in PARTS for part in options.parts):
        parser.error(f"--parts takes some of {','.join(PARTS)}")
    return options


def main():
    try:
        bench = Bench(parse())
        bench.run()
    except Missing as missing:
        print(f"bench: {missing}", file=sys.stderr)
        return SKIPPED
    except (Broken, Failed, ValueError) as problem:
        print(f"bench: {problem}", file=sys.stderr)
        return 1
    bench.save()
    print(bench.markdown())
    problems = bench.missing()
    for problem in problems:
        print(f"bench: not complete: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
