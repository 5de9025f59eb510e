#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The ways to activate the tool must all give the same archive, complete when the program ends: the launcher,
LD_PRELOAD, OMP_TOOL_LIBRARIES, linked in. And OMP_TOOL=disabled must give none. One CTest test runs all of it.
"""
import argparse
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "checker"))

import check  # noqa: E402
import processes  # noqa: E402
from facts import Facts  # noqa: E402
from run import PASSED_ON, SKIPPED  # noqa: E402
from stages import STAGES, Missing, Toolchain  # noqa: E402

PROGRAMS = ("tasks_nested", "end_exit", "end_exit_worker", "locks")


class Ways:
    def __init__(self, options):
        self.build = options.build
        self.library = os.path.join(options.build, "lib", "libomptape.so")
        self.launcher = os.path.join(options.build, "bin", "omptape")
        self.folder = os.path.join(options.build, "tests", "work", "ways")
        self.problems = []

    def fail(self, text):
        self.problems.append(text)

    def run(self, toolchain, name, command, **more):
        folder = os.path.join(self.folder, name)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        environment = {key: os.environ[key] for key in PASSED_ON if key in os.environ}
        environment.update(toolchain.environment())
        environment.update(more)
        result = processes.run(command, folder, environment)
        path = os.path.join(folder, "out", "trace.otf2")
        there = os.path.exists(path)
        for line in processes.wait_for_all():
            self.fail(f"{name}: {line}")
        return result, path if there else None

    def facts_of(self, name, path):
        facts = Facts()
        for problem in check.check(self.launcher, path, [facts]):
            self.fail(f"{name}: {problem}")
        return {"entries": facts.kinds, "threads": facts.threads, "tasks": facts.events["ThreadTaskComplete"],
                "forks": facts.events["ThreadFork"], "end": facts.properties.get("OMPTAPE::END")}

    def program(self, toolchain, name):
        stage = toolchain.stage
        source = os.path.join(HERE, "..", "programs", name + ".c")
        programs = toolchain.programs(self.build)
        plain = toolchain.compile(source, os.path.join(programs, name))
        linked = toolchain.compile(source, os.path.join(programs, name + ".linked"),
                                   link_flags=[self.library, "-Wl,-rpath," + os.path.dirname(self.library)])
        own = {"OMPTAPE_OUTPUT": "out", "OMPTAPE_QUIET": "1"}
        bare, _ = self.run(toolchain, f"{name}.bare", [plain])
        ways = {
            "launcher": ([self.launcher, "-q", "-o", "out", plain], {}),
            "preload": ([plain], {"LD_PRELOAD": self.library, **own}),
            "tool libraries": ([plain], {"OMP_TOOL_LIBRARIES": self.library, **own}),
            "linked": ([linked], own),
        }
        seen = None
        for way, (command, variables) in ways.items():
            what = f"{name}.{stage.name}.{way}"
            result, path = self.run(toolchain, what, command, **variables)
            if (result.code, result.out, result.err) != (bare.code, bare.out, bare.err):
                self.fail(f"{what}: exit {result.code}, {result.out!r}, {result.err!r}; without the tool {bare.code}, "
                          f"{bare.out!r}, {bare.err!r}")
            if path is None:
                self.fail(f"{what}: no archive when the program has ended")
                continue
            facts = self.facts_of(what, path)
            if seen is not None and facts != seen:
                self.fail(f"{what}: {facts}, before {seen}")
            seen = facts
        for variables in ({"OMP_TOOL": "disabled"}, {"OMP_TOOL": "disabled", "LD_PRELOAD": self.library}):
            what = f"{name}.{stage.name}.disabled"
            result, path = self.run(toolchain, what, [plain], **variables, **own)
            if path is not None or (result.code, result.out, result.err) != (bare.code, bare.out, bare.err):
                self.fail(f"{what}: exit {result.code}, {result.err!r}, archive {path}")

    def unreadable_rules(self, toolchain):
        """Rules that the writer cannot read: the program runs on, everything is recorded, and one line says so."""
        name = f"rules.{toolchain.stage.name}"
        program = os.path.join(toolchain.programs(self.build), PROGRAMS[0])
        own = {"LD_PRELOAD": self.library, "OMPTAPE_OUTPUT": "out"}
        bare, _ = self.run(toolchain, f"{name}.bare", [program])
        _, whole = self.run(toolchain, f"{name}.whole", [program], **own)
        result, path = self.run(toolchain, name, [program], OMPTAPE_FILTER="-task,@nowhere", **own)
        said = b"omptape: --filter: cannot read nowhere: No such file or directory; nothing was left out\n"
        if (result.code, result.out, result.err) != (bare.code, bare.out, bare.err + said):
            self.fail(f"{name}: exit {result.code}, {result.out!r}, {result.err!r}")
        if path is None or whole is None:
            self.fail(f"{name}: no archive")
        elif self.facts_of(name, path) != self.facts_of(name, whole):
            self.fail(f"{name}: {self.facts_of(name, path)}, without rules {self.facts_of(name, whole)}")


def main():
    parser = argparse.ArgumentParser(description="Compares the ways to activate the tool.")
    parser.add_argument("--build", type=os.path.abspath, required=True)
    parser.add_argument("--runtimes", type=os.path.abspath, required=True)
    options = parser.parse_args()
    processes.adopt_orphans()
    ways = Ways(options)
    ran = 0
    for stage in ("14", "19"):
        try:
            toolchain = Toolchain(STAGES[stage], options.runtimes)
            for name in PROGRAMS:
                ways.program(toolchain, name)
            ways.unreadable_rules(toolchain)
            ran += 1
        except Missing as reason:
            print(f"SKIPPED: {reason}")
    for problem in ways.problems:
        print(f"FAILED: {problem}")
    if ways.problems:
        return 1
    return 0 if ran else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
