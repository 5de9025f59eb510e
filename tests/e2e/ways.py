# SPDX-License-Identifier: BSD-3-Clause
"""The ways to activate the tool must all give the same archive, complete when the program ends: the launcher,
LD_PRELOAD, OMP_TOOL_LIBRARIES, linked in. And OMP_TOOL=disabled must give none. One CTest test runs all of it.
"""
import os
import sys

from harness import Test, main

PROGRAMS = ("tasks_nested", "end_exit", "end_exit_worker", "locks")


class Ways(Test):
    def trace(self, name, command, **more):
        """(how it ended, the archive that was there then)"""
        ended = self.run(name, command, self.environment(**more))
        path = self.path(name, "out", "traces.otf2")
        return ended, path if path in ended.archives else None

    def facts_of(self, name, path):
        facts = self.verify_archive(name, path)
        return {"entries": facts.kinds, "threads": facts.threads, "tasks": facts.events["ThreadTaskComplete"],
                "forks": facts.events["ThreadFork"], "end": facts.end}

    def program(self, name):
        plain = self.compile("programs", name + ".c")
        linked = self.compile("programs", name + ".c", output=name + ".linked",
                              link_flags=[self.library, "-Wl,-rpath," + os.path.dirname(self.library)])
        own = {"OMPTAPE_OUTPUT": "out", "OMPTAPE_QUIET": "1"}
        bare, _ = self.trace(f"{name}.bare", [plain])
        ways = {
            "launcher": ([self.omptape, "-q", "-o", "out", plain], {}),
            "preload": ([plain], {"LD_PRELOAD": self.library, **own}),
            "tool libraries": ([plain], {"OMP_TOOL_LIBRARIES": self.library, **own}),
            "linked": ([linked], own),
        }
        seen = None
        for way, (command, variables) in ways.items():
            what = f"{name}.{way}"
            result, path = self.trace(what, command, **variables)
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
            what = f"{name}.disabled"
            result, path = self.trace(what, [plain], **variables, **own)
            if path is not None or (result.code, result.out, result.err) != (bare.code, bare.out, bare.err):
                self.fail(f"{what}: exit {result.code}, {result.err!r}, archive {path}")

    def unreadable_rules(self):
        """Rules that the writer cannot read: the program runs on, everything is recorded, and one line says so."""
        name = "rules"
        program = self.compile("programs", PROGRAMS[0] + ".c")
        own = {"LD_PRELOAD": self.library, "OMPTAPE_OUTPUT": "out"}
        bare, _ = self.trace(f"{name}.bare", [program])
        _, whole = self.trace(f"{name}.whole", [program], **own)
        result, path = self.trace(name, [program], OMPTAPE_FILTER="-task,@nowhere", **own)
        said = b"omptape: --filter: cannot read nowhere: No such file or directory; nothing was left out\n"
        if (result.code, result.out, result.err) != (bare.code, bare.out, bare.err + said):
            self.fail(f"{name}: exit {result.code}, {result.out!r}, {result.err!r}")
        if path is None or whole is None:
            self.fail(f"{name}: no archive")
        elif self.facts_of(name, path) != self.facts_of(name, whole):
            self.fail(f"{name}: {self.facts_of(name, path)}, without rules {self.facts_of(name, whole)}")


def test(ways):
    for name in PROGRAMS:
        ways.program(name)
    ways.unreadable_rules()


if __name__ == "__main__":
    sys.exit(main("Compares the ways to activate the tool.", test, "ways", Ways, stages=("14", "19")))
