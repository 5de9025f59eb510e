#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs one test program on one stage: without the tool, under `omptape`, and preloaded with the counting tool in
front; then checks output, exit code, what is left behind, and every archive. CTest calls it once a (program, stage):

    run.py --build BUILD --runtimes DIR PROGRAM STAGE    exit: 0 passed, 1 failed, 77 skipped
    run.py --list FOLDER                                 prints "PROGRAM STAGE always|soak" for each that makes sense
    run.py ... --counts PROGRAM STAGE                    prints the runtime's own counts, without omptape
"""
import argparse
import glob
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "checker"))

import check  # noqa: E402
import counts  # noqa: E402
import facts as facts_module  # noqa: E402
import processes  # noqa: E402
import sizes  # noqa: E402
from program import Program  # noqa: E402
from stages import STAGES, Broken, Missing, Toolchain  # noqa: E402

SKIPPED = 77
UNIFIED_STAGE = "19"  # where all programs' archives are unified, not only those of several processes
PASSED_ON = ("PATH", "HOME", "LANG", "TMPDIR", "USER")


class Case:
    """One (program, stage)."""

    def __init__(self, options, program, stage):
        self.build = options.build
        self.program = program
        self.stage = stage
        self.toolchain = Toolchain(stage, options.runtimes)
        self.folder = os.path.join(options.build, "tests", "work", f"{program.name}.{stage.name}")
        self.problems = []
        self.archives_of = {}
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        self._compile()

    def _compile(self):
        programs = self.toolchain.programs(self.build)
        flags = self.program.words("cflags", self.stage)
        if self.program.all("only", self.stage) and "offload" in self.program.one("only", self.stage):
            flags = [*flags, "-fopenmp-targets=x86_64-pc-linux-gnu"]
        self.arguments = []
        for name in self.program.words("lib", self.stage):
            library = os.path.join(programs, f"lib{name}.so")
            source = os.path.join(os.path.dirname(self.program.source), "lib", f"{name}.c")
            self.arguments.append(self.toolchain.compile(source, library, shared=True))
        self.arguments += self.program.words("args", self.stage)
        module_flags = ["-J", programs] if self.program.source.endswith(".f90") else []
        if module_flags and self.stage.family == "flang":
            module_flags = ["-module-dir", programs]
        self.binary = self.toolchain.compile(self.program.source, os.path.join(programs, self.program.name),
                                             [*flags, *module_flags], self.program.words("ldflags", self.stage))

    def environment(self, **more):
        own = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        own.update(self.toolchain.environment())
        for text in self.program.words("env", self.stage):
            name, _, value = text.partition("=")
            own[name] = value
        own.update(more)
        return own

    def tool(self, *parts):
        path = os.path.join(self.build, *parts)
        if not os.path.exists(path):
            raise Broken(f"{path} is not built")
        return path

    def run(self, name, command, **more):
        """One run in a folder of its own, with everything it started gone at the end."""
        folder = os.path.join(self.folder, name)
        os.makedirs(folder, exist_ok=True)
        before = processes.shared_memory()
        result = processes.run(command, folder, self.environment(**more))
        result.at_end = set(glob.glob(os.path.join(folder, "**", "*.otf2"), recursive=True))
        for line in processes.wait_for_all():
            self.fail(f"{name}: {line}")
        left = processes.shared_memory() - before
        if left:
            self.fail(f"{name}: left in /dev/shm: {', '.join(sorted(left))}")
        return result

    def fail(self, text):
        self.problems.append(text)

    def bare(self):
        """The program without the tool: what it must do."""
        result = self.run("bare", [self.binary, *self.arguments])
        signalled = self.program.one("signal", self.stage)
        code = 128 + int(signalled) if signalled else int(self.program.one("exit", self.stage, "0"))
        if result.code != code:
            self.fail(f"bare: ends with {result.code}, expected {code}: {result.err.decode(errors='replace')}")
        return result

    def without_own_lines(self, name, text):
        """What a traced program wrote to its standard error, less the lines of omptape's that it must bring."""
        lines = text.splitlines(True)
        for end in self.program.all("says", self.stage):
            own = [line for line in lines if line.startswith(b"omptape: ") and line.endswith(end.encode() + b"\n")]
            if own:
                lines.remove(own[0])
            else:
                self.fail(f"{name}: no line says '{end}'")
        return b"".join(lines)

    def compare_runs(self, name, bare, traced):
        if traced.code != bare.code:
            self.fail(f"{name}: exit code {traced.code}, without the tool {bare.code}")
        for what in ("out", "err"):
            expected, found = getattr(bare, what), getattr(traced, what)
            if what == "err":
                found = self.without_own_lines(name, found)
            # The runtime's own remark on flang's code, which it makes when there is a tool.
            found = b"".join(line for line in found.splitlines(True) if not line.startswith(b"OMP: Warning #189: OMPT"))
            if expected != found:
                self.fail(f"{name}: std{what} is {found[:1500]!r}, without the tool {expected[:1500]!r}")

    def archives(self, name, traced):
        """The archives of a run: those that must be there the moment it ends, are."""
        folder = os.path.join(self.folder, name)
        found = sorted(glob.glob(os.path.join(folder, "**", "*.otf2"), recursive=True))
        number = int(self.program.one("archives", self.stage, "1"))
        if len(found) != number:
            names = [os.path.relpath(path, folder) for path in found]
            self.fail(f"{name}: {number} archives expected, found {names}")
        main = os.path.join(folder, "out", "trace.otf2")
        late = name != "launcher" and any(end.startswith("signal") or "without finalize" in end
                                          for end in self.program.ends(self.stage))
        if number and main not in traced.at_end and not late:
            self.fail(f"{name}: the archive is not complete when the program has ended")
        return [(path, "main" if path == main else "child") for path in found]

    def check_archive(self, name, path, role):
        """The independent checker, omptape's own, and the program's expectations. Returns the facts."""
        facts = facts_module.Facts()
        where = f"{name}: {os.path.relpath(path, self.folder)}"
        for problem in check.check(self.tool("bin", "omptape"), path, [facts]):
            self.fail(f"{where}: {problem}")
        measured = processes.run([self.tool("bin", "omptape"), "info", "--sizes", path], self.folder, self.environment())
        if measured.code != 0:
            self.fail(f"{where}: omptape info: {measured.err.decode(errors='replace').strip()}")
        for problem in sizes.compare(path, measured.out.decode(), int(facts.properties.get("OMPTAPE::EVENTS", "0"))):
            self.fail(f"{where}: {problem}")
        for problem in facts_module.compare(self.program, self.stage, facts, role):
            self.fail(f"{where}: {problem}")
        ends = self.program.ends(self.stage)
        if role == "main" and facts.properties.get("OMPTAPE::END") not in ends:
            self.fail(f"{where}: the kind of end is {facts.properties.get('OMPTAPE::END')!r}, expected {ends}")
        return facts

    def launched(self, bare):
        command = [self.tool("bin", "omptape"), "-q", "--unify=off", "-o", "out", "--", self.binary, *self.arguments]
        traced = self.run("launcher", command)
        self.compare_runs("launcher", bare, traced)
        archives = self.archives("launcher", traced)
        for path, role in archives:
            self.check_archive("launcher", path, role)
        if archives and (len(archives) > 1 or self.stage.name == UNIFIED_STAGE):
            self.unified([path for path, _ in archives])

    def unified(self, paths):
        """Several archives as one must be as good; a single one is taken twice."""
        folder = os.path.join(self.folder, "unified")
        for number, path in enumerate(paths * 2 if len(paths) == 1 else paths):
            part = os.path.join(folder, f"part-{number}")
            os.makedirs(part)
            for name in ("trace.otf2", "trace.def", "trace.marker"):
                source = os.path.join(os.path.dirname(path), name)
                if os.path.exists(source):
                    shutil.copy(source, part)
            shutil.copytree(os.path.join(os.path.dirname(path), "trace"), os.path.join(part, "trace"))
        done = processes.run([self.tool("bin", "omptape"), "unify", "-q", folder], self.folder, self.environment())
        if done.code != 0:
            self.fail(f"unified: omptape unify: {done.err.decode(errors='replace').strip()}")
        facts = facts_module.Facts()
        path = os.path.join(folder, "trace.otf2")
        for problem in check.check(self.tool("bin", "omptape"), path, [facts]):
            self.fail(f"unified: {problem}")
        own = processes.run([self.tool("bin", "omptape"), "info", path], self.folder, self.environment())
        if own.code != 0:
            self.fail(f"unified: omptape info: {(own.out + own.err).decode(errors='replace').strip()}")
        if int(facts.properties.get("OMPTAPE::EVENTS", "0")) != sum(facts.events.values()):
            self.fail(f"unified: {sum(facts.events.values())} events, the property says otherwise")

    def counted(self, bare):
        """Preloaded without the launcher, with the counting tool between the runtime and omptape."""
        folder = os.path.join(self.folder, "counted")
        os.makedirs(os.path.join(folder, "counts"))
        preload = f"{self.tool('tests', 'e2e', 'libcount_tool.so')}:{self.tool('lib', 'libomptape.so')}"
        traced = self.run("counted", [self.binary, *self.arguments], LD_PRELOAD=preload, OMPTAPE_OUTPUT="out",
                          OMPTAPE_QUIET="1", OMPTAPE_COUNT_DIR=os.path.join(folder, "counts"))
        self.compare_runs("counted", bare, traced)
        reported = counts.read(os.path.join(folder, "counts"))
        vary = self.program.words("vary", self.stage)
        for path, role in self.archives("counted", traced):
            facts = self.check_archive("counted", path, role)
            pid = int(facts.properties.get("OMPTAPE::PID", "0"))
            if pid not in reported:
                self.fail(f"counted: the archive's PID is {pid}, counted were {sorted(reported)}")
                continue
            for problem in counts.compare(reported[pid], facts, vary):
                self.fail(f"counted: {os.path.relpath(path, self.folder)}: {problem}")

    def print_counts(self):
        folder = os.path.join(self.folder, "alone")
        os.makedirs(folder)
        done = self.run("alone", [self.binary, *self.arguments], LD_PRELOAD=self.tool("tests", "e2e", "libcount_tool.so"),
                        OMPTAPE_COUNT_DIR=folder)
        print(f"# {self.program.name} {self.stage.name}: exit {done.code}, {done.seconds:.2f} s, {done.out[:60]!r}")
        for counted in counts.read(folder).values():
            print("  " + " ".join(f"{family}.{kind}={number}" for (family, kind), number in counted.items()))


def list_tests(folder):
    for source in sorted(glob.glob(os.path.join(folder, "*.*"))):
        if os.path.splitext(source)[1] in (".c", ".cpp", ".f90"):
            program = Program(source)
            chosen = program.chosen_stages()
            for stage in program.stages():
                print(os.path.basename(source), stage.name, "always" if stage.name in chosen else "soak")


def main():
    parser = argparse.ArgumentParser(description="Runs one end-to-end test.")
    parser.add_argument("--build", type=os.path.abspath, help="the build folder")
    parser.add_argument("--runtimes", type=os.path.abspath, help="the unpacked runtimes")
    parser.add_argument("--list", metavar="FOLDER", help="print the tests that make sense")
    parser.add_argument("--counts", action="store_true", help="print the runtime's counts only")
    parser.add_argument("program", nargs="?", type=os.path.abspath)
    parser.add_argument("stage", nargs="?", choices=STAGES)
    options = parser.parse_args()
    if options.list:
        list_tests(options.list)
        return 0
    if not options.stage or not options.build or not options.runtimes:
        parser.error("a build folder, a folder of runtimes, a program and a stage are needed")
    processes.adopt_orphans()
    try:
        case = Case(options, Program(options.program), STAGES[options.stage])
        if options.counts:
            case.print_counts()
            return 0
        bare = case.bare()
        if not case.problems:
            case.launched(bare)
            case.counted(bare)
    except Missing as reason:
        print(f"SKIPPED: {reason}")
        return SKIPPED
    except (Broken, TimeoutError) as reason:
        print(f"FAILED: {reason}")
        return 1
    for problem in case.problems:
        print(f"FAILED: {problem}")
    if not case.problems:
        shutil.rmtree(case.folder)
    return 1 if case.problems else 0


if __name__ == "__main__":
    sys.exit(main())
