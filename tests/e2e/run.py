# SPDX-License-Identifier: BSD-3-Clause
"""Runs one test program on one stage: without the tool, under `omptape`, and preloaded with the counting tool in
front; then checks output, exit code, what is left behind, and every archive. CTest calls it once a (program, stage):

    tests/run e2e.run --build BUILD --runtimes DIR PROGRAM STAGE    exit: 0 passed, 1 failed, 77 skipped
    tests/run e2e.run --list FOLDER                                 prints "PROGRAM STAGE always|soak" for each that makes sense
    tests/run e2e.run ... --counts PROGRAM STAGE                    prints the runtime's own counts, without omptape
"""
import os
import shutil
import sys

from e2e import expectations, sizes
from e2e.program import Program
from harness import STAGES, Test, arguments, counts, processes, run_test

UNIFIED_STAGE = "19"  # where all programs' archives are unified, not only those of several processes; in `soak` everywhere


class Case(Test):
    """One (program, stage)."""

    def __init__(self, options):
        self.program = Program(options.program)
        self.stage = STAGES[options.stage]
        super().__init__(options, f"{self.program.name}.{options.stage}", options.stage)
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
        own = dict(text.partition("=")[::2] for text in self.program.words("env", self.stage))
        return super().environment(**{**own, **more})

    def bare(self):
        """The program without the tool: what it must do."""
        result = self.run("bare", [self.binary, *self.arguments])
        signalled = self.program.one("signal", self.stage)
        code = 128 + int(signalled) if signalled else int(self.program.one("exit", self.stage, "0"))
        if result.code != code:
            self.fail(f"bare: ends with {result.code}, expected {code}: {result.output}")
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
        folder = traced.folder
        found = sorted(processes.anchors(folder))
        number = int(self.program.one("archives", self.stage, "1"))
        if len(found) != number:
            names = [os.path.relpath(path, folder) for path in found]
            self.fail(f"{name}: {number} archives expected, found {names}")
        main = os.path.join(folder, "out", "traces.otf2")
        late = name != "launcher" and any(end.startswith("signal") or "without finalize" in end
                                          for end in self.program.ends(self.stage))
        if number and main not in traced.archives and not late:
            self.fail(f"{name}: the archive is not complete when the program has ended")
        return [(path, "main" if path == main else "child") for path in found]

    def check_archive(self, name, path, role):
        """The independent checker, omptape's own, and the program's expectations. Returns the facts."""
        where = f"{name}: {os.path.relpath(path, self.folder)}"
        facts = self.verify_archive(where, path, expectations.ProgramFacts())
        measured = self.command("info", "--sizes", path)
        if measured.returncode != 0:
            self.fail(f"{where}: omptape info: {measured.stdout.strip()}")
        for problem in sizes.compare(path, measured.stdout, facts.number("EVENTS")):
            self.fail(f"{where}: {problem}")
        for problem in expectations.compare(self.program, self.stage, facts, role):
            self.fail(f"{where}: {problem}")
        ends = self.program.ends(self.stage)
        # An emulator knows no ioctl that tells of a process that nobody kept.
        if name == "counted" and "OMPTAPE_TEST_EMULATED" in os.environ:
            ends = [*ends, "unknown"]
        if role == "main" and facts.end not in ends:
            self.fail(f"{where}: the kind of end is {facts.end!r}, expected {ends}")
        return facts

    def launched(self, bare):
        command = [self.omptape, "-q", "--unify=off", "-o", "out", "--", self.binary, *self.arguments]
        traced = self.run("launcher", command)
        self.compare_runs("launcher", bare, traced)
        archives = self.archives("launcher", traced)
        for path, role in archives:
            self.check_archive("launcher", path, role)
        soak = self.stage.name not in self.program.chosen_stages()
        if archives and (len(archives) > 1 or self.stage.name == UNIFIED_STAGE or soak):
            self.unified([path for path, _ in archives])

    def unified(self, paths):
        """Several archives as one must be as good; a single one is taken twice."""
        folder = os.path.join(self.folder, "unified")
        for number, path in enumerate(paths * 2 if len(paths) == 1 else paths):
            part = os.path.join(folder, f"part-{number}")
            os.makedirs(part)
            for name in ("traces.otf2", "traces.def", "traces.marker"):
                source = os.path.join(os.path.dirname(path), name)
                if os.path.exists(source):
                    shutil.copy(source, part)
            shutil.copytree(os.path.join(os.path.dirname(path), "traces"), os.path.join(part, "traces"))
        done = self.command("unify", "-q", folder)
        if done.returncode != 0:
            self.fail(f"unified: omptape unify: {done.stdout.strip()}")
        path = os.path.join(folder, "traces.otf2")
        facts = self.verify_archive("unified", path)
        own = self.command("info", path)
        if own.returncode != 0:
            self.fail(f"unified: omptape info: {own.stdout.strip()}")
        self.expect("unified: events", sum(facts.events.values()), facts.number("EVENTS"))

    def counted(self, bare):
        """Preloaded without the launcher, with the counting tool between the runtime, if that has OMPT, and omptape."""
        has_ompt = self.stage.family != "gcc"
        preload = f"{self.built('tests', 'e2e', 'libcount_tool.so')}:{self.library}" if has_ompt else self.library
        folder = self.path("counted", "counts")
        os.makedirs(folder)
        traced = self.run("counted", [self.binary, *self.arguments], self.environment(
            LD_PRELOAD=preload, OMPTAPE_OUTPUT="out", OMPTAPE_QUIET="1", OMPTAPE_COUNT_DIR=folder))
        self.compare_runs("counted", bare, traced)
        reported = counts.read(folder)
        vary = self.program.words("vary", self.stage)
        for path, role in self.archives("counted", traced):
            facts = self.check_archive("counted", path, role)
            if not has_ompt:
                continue
            pid = facts.number("PID")
            if pid not in reported:
                self.fail(f"counted: the archive's PID is {pid}, counted were {sorted(reported)}")
                continue
            for problem in counts.compare(reported[pid], facts, vary):
                self.fail(f"counted: {os.path.relpath(path, self.folder)}: {problem}")

    def print_counts(self):
        folder = self.path("alone")
        done = self.run("alone", [self.binary, *self.arguments], self.environment(
            LD_PRELOAD=self.built("tests", "e2e", "libcount_tool.so"), OMPTAPE_COUNT_DIR=folder))
        print(f"# {self.name}: exit {done.code}, {done.seconds:.2f} s, {done.out[:60]!r}")
        for counted in counts.read(folder).values():
            print("  " + " ".join(f"{family}.{kind}={number}" for (family, kind), number in counted.items()))

    def test(self):
        """All of it."""
        if self.options.counts:
            self.print_counts()
            return
        bare = self.bare()
        if not self.problems:
            self.launched(bare)
            self.counted(bare)


def list_tests(folder):
    for name in sorted(os.listdir(folder)):
        if os.path.splitext(name)[1] in (".c", ".cpp", ".f90"):
            program = Program(os.path.join(folder, name))
            chosen = program.chosen_stages()
            for stage in program.stages():
                print(name, stage.name, "always" if stage.name in chosen else "soak")


def main():
    if sys.argv[1:2] == ["--list"]:
        list_tests(sys.argv[2])
        return 0
    parser = arguments("Runs one end-to-end test.")
    parser.add_argument("--counts", action="store_true", help="print the runtime's counts only")
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("stage", choices=STAGES)
    options = parser.parse_args()
    return run_test(lambda: Case(options), Case.test)


if __name__ == "__main__":
    sys.exit(main())
