# SPDX-License-Identifier: BSD-3-Clause
"""A second OMPT tool beside omptape (second_tool.c): it sees what it sees alone, with words of its own, and the archive is
as complete as without it.

    tests/run e2e.second --build BUILD --runtimes DIR NAME
"""
import os
import re
import sys

from harness import Test, main, source_of

# Words over nested regions, tasks that move, wait and are discarded, threads that come and go, devices.
PROGRAMS = {"parallel_nested": {"OMP_MAX_ACTIVE_LEVELS": "3"}, "tasks_untied": {}, "tasks_detach": {}, "tasks_depend": {},
            "cancel_taskgroup": {"OMP_CANCELLATION": "true"}, "teams": {}, "threads_churn": {}, "target_nowait": {}}
OFFLOAD = "-fopenmp-targets=x86_64-pc-linux-gnu"
# How often they come depends on time: which thread does what, and what it waits for.
CHANCE = ("task_schedule", "sync_region_wait", "dispatch", "task_dependence")
# LLVM's hidden helper threads may not have ended when the program does.
UNENDED = {"target_nowait": ("thread_end", "implicit_task")}


def read_counts(path):
    """{event: (answer of ompt_set_callback, number)}, and the first fault."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    counted = {name: (int(answer), int(number)) for name, answer, number in (line.split() for line in lines if line.count(" ") == 2)}
    return counted, lines[len(counted):]


class Second(Test):
    def __init__(self, options, name, stage=None):
        super().__init__(options, name, stage)
        self.teams = self.named = None
        self.flags = ["-I" + self.built("ompt")]
        self.tool = self.compile("e2e", "second_tool.c", output="second_tool.so", shared=True, flags=self.flags)

    def program(self, name):
        flags = [OFFLOAD] if name.startswith("target") and self.toolchain.stage.offload else []
        return self.compile("programs", name + ".c", output=name + (".offload" if flags else ""), flags=flags)

    def trace(self, name, command, options=(), code=0, **more):
        """The run with omptape, and what the other tool counted; None: it did not end. What the archive has of teams, and
        says of the tool, is in self.teams and self.named."""
        counts = self.path(name + ".counts")
        traced = self.run(name, [self.omptape, "-q", "-o", "out", *options, *command],
                          self.environment(SECOND_TOOL_FILE=counts, **more))
        self.expect(f"{name}: exit code", code, traced.code)
        archive = self.path(name, "out")
        checked = self.command("check", archive)
        if checked.returncode != 0:
            self.fail(f"{name}: {checked.stdout}")
        found = re.search(r"(\d+) team instances", checked.stdout)
        self.teams = int(found.group(1)) if found else None
        found = re.search(r"Second tool +(.*)", self.command("info", archive).stdout)
        self.named = found.group(1) if found else None
        return traced, read_counts(counts) if os.path.exists(counts) else None

    def alone(self, name, command, **more):
        """The program with the other tool alone."""
        counts = self.path(name + ".alone.counts")
        ended = self.run(name + ".alone", command, self.environment(SECOND_TOOL_FILE=counts, **more))
        return ended, read_counts(counts) if os.path.exists(counts) else None

    def same(self, what, alone, traced, faults=True):
        if alone is None or traced is None:
            self.fail(f"{what}: the tool did not end: alone {alone is not None}, with omptape {traced is not None}")
            return
        if faults and traced[0].get("faults") != alone[0].get("faults"):
            self.fail(f"{what}: {traced[0].get('faults')} faults {traced[1]}, alone {alone[0].get('faults')} {alone[1]}")
        for event, (answer, number) in alone[0].items():
            if event == "faults":
                continue
            if traced[0][event][0] != answer:
                self.fail(f"{what}: ompt_set_callback({event}) answers {traced[0][event][0]}, alone {answer}")
            if event not in CHANCE + UNENDED.get(what, ()) and traced[0][event][1] != number:
                self.fail(f"{what}: {traced[0][event][1]} of {event}, alone {number}")


def words(second):
    """By OMP_TOOL_LIBRARIES, as the user has it without omptape."""
    for name, variables in PROGRAMS.items():
        program = second.program(name)
        asked = {"OMP_TOOL_LIBRARIES": f"/nowhere.so:{second.tool}", **variables}
        ended, alone = second.alone(name, [program], **asked)
        traced, counted = second.trace(name, [program], code=ended.code, **asked)
        second.expect(f"{name}: output", (ended.out, ended.err), (traced.out, traced.err))
        second.same(name, alone, counted)
        second.expect(f"{name}: regions", counted[0]["parallel_begin"][1] if counted else None, second.teams)
        second.expect(f"{name}: the tool", second.tool, second.named)


def ways(second):
    """Named, a part of the program, a library of it; one that refuses; and none."""
    name = "control_tool"
    plain = second.program(name)
    ended, alone = second.alone("named", [plain], OMP_TOOL_LIBRARIES=second.tool)
    _, counted = second.trace("named", [plain], [f"--with-tool={os.path.relpath(second.tool, second.path('named'))}"])
    second.same("named", alone, counted)
    inside = second.compile("programs", name + ".c", output=name + ".inside", flags=[*second.flags, source_of("e2e", "second_tool.c")])
    library = second.compile("programs", name + ".c", output=name + ".library", link_flags=[
        second.tool, "-Wl,-rpath," + os.path.dirname(second.tool)])
    for way, program in (("inside", inside), ("library", library)):
        _, alone = second.alone(way, [program])
        _, counted = second.trace(way, [program])
        second.same(way, alone, counted)
        second.expect(f"{way}: ThreadFork", 2, second.teams)
        _, counted = second.trace(way + ".none", [program], ["--with-tool=none"])
        second.expect(f"{way}: with none", None, counted)
    for how in ("refuse", "decline"):
        traced, counted = second.trace(how, [plain], OMP_TOOL_LIBRARIES=second.tool, SECOND_TOOL=how)
        second.expect(how, (None, ended.out, ended.err, 2),
                      (counted, traced.out, traced.err, second.teams))
        second.expect(f"{how}: the tool", None, second.named)
    _, counted = second.trace("leave", [plain], OMP_TOOL_LIBRARIES=second.tool, SECOND_TOOL="leave")
    second.expect("leave: calls of omp_control_tool, ends of threads, faults, regions in the archive", (1, 1, 0, 2),
                  (*(counted[0][event][1] for event in ("control_tool", "thread_end", "faults")), second.teams))


def older(second):
    """A tool that has only the older callbacks of devices, where omptape has the newer ones."""
    program = second.program("target_data")
    asked = {"OMP_TOOL_LIBRARIES": second.tool, "SECOND_TOOL": "old"}
    _, alone = second.alone("old", [program], **asked)
    _, counted = second.trace("old", [program], **asked)
    second.same("old", alone, counted, faults=False)  # LLVM's own identities are those of no construct at times
    second.expect("old: faults", 0, counted[0]["faults"][1])
    if second.toolchain.stage.version >= 19:
        second.expect("target constructs are reported", True, counted[0]["target"][1] > 0 and counted[0]["target_data_op"][1] > 0)


def messages(second):
    """What is asked for and cannot be had is said in one line; the program runs, and is traced."""
    program = second.program("control_tool")
    told = second.run("nowhere", [second.omptape, "--with-tool=./nowhere.so", program])
    second.expect("nowhere", (2, b"omptape: --with-tool: ./nowhere.so: No such file or directory\n"), (told.code, told.err))
    for name, options, variables, reason in (
            ("no_tool", "--with-tool=libm.so.6", {}, "libm.so.6 is no tool for this program: it has no function ompt_start_tool"),
            ("refuse", f"--with-tool={second.tool}", {"SECOND_TOOL": "refuse"},
             f"{second.tool} is no tool for this program: it does not accept this runtime"),
            ("decline", f"--with-tool={second.tool}", {"SECOND_TOOL": "decline"}, f"{second.tool} did not start")):
        traced, _ = second.trace(name, [program], [options], **variables)
        second.expect(name, f"omptape: --with-tool: {reason}\n", traced.err.decode())
        second.expect(f"{name}: regions", 2, second.teams)


TESTS = {test.__name__: test for test in (words, ways, older, messages)}

if __name__ == "__main__":
    sys.exit(main("A second OMPT tool beside omptape.", TESTS, "e2e.second", Second, stages=("19", "14")))
