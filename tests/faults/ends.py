# SPDX-License-Identifier: BSD-3-Clause
"""Ends of programs that leave the tool no time, and what is left of it in their cores.

    tests/run faults.ends --build BUILD --runtimes DIR NAME
"""
import os
import re
import resource
import shutil
import signal
import subprocess
import sys

from faults.fault import Fault, end_busy
from harness import BUSY_CODE, Missing, main, processes, source_of, wait_for


def beside(fault):
    """Another thread is in a region when main returns, and fails while the runtime's end is held up: nobody waits for the
    writer then, not for one that stands still."""
    program = fault.compile("faults", "roots.c")
    for name, loaded in (("preloaded", {"LD_PRELOAD": fault.library}), ("asked for", {"OMP_TOOL_LIBRARIES": fault.library})):
        running = fault.start(name, [program], fault.traced(**loaded), stdin=subprocess.PIPE)
        writer = fault.writer(running.pid)
        wait_for("the regions", lambda pid=running.pid: len(os.listdir(f"/proc/{pid}/task")) == 4)
        os.kill(writer, signal.SIGSTOP)
        running.process.stdin.close()
        running.process.stdin = None
        code = running.process.wait(60)
        os.kill(writer, signal.SIGCONT)
        ended = fault.finish(running)
        fault.expect(name, (3, b"", b""), (code, ended.out, ended.err))
        fault.expect(f"{name}: threads", 4, fault.valid(name, fault.path(name, "out", "traces.otf2")).threads)


FREEZERS = (("/sys/fs/cgroup/freezer", "freezer.state", "FROZEN", "THAWED"), ("/sys/fs/cgroup/unified", "cgroup.freeze", "1", "0"),
            ("/sys/fs/cgroup", "cgroup.freeze", "1", "0"))


class Standstill:
    """A process that stands still, by a signal or because its control group is frozen."""

    def __init__(self, pid, frozen):
        self._pid, self._freezer = pid, None
        for root, name, on, off in FREEZERS if frozen else ():
            folder = os.path.join(root, f"omptape-{pid}")
            if self._freezer is None and os.path.exists(os.path.join(root, "cgroup.procs")) and os.access(root, os.W_OK):
                os.mkdir(folder)
                self._freezer = folder, os.path.join(root, "cgroup.procs"), os.path.join(folder, name), off
                self._write(os.path.join(folder, "cgroup.procs"), pid)
                self._write(self._freezer[2], on)
        if frozen and self._freezer is None:
            raise Missing("no freezer of control groups")
        if not frozen:
            os.kill(pid, signal.SIGSTOP)

    @staticmethod
    def _write(path, text):
        with open(path, "w", encoding="ascii") as file:
            file.write(str(text))

    def end(self, number):
        """By a signal: SIGCONT, or one that ends it."""
        if self._freezer is not None:
            folder, outside, state, off = self._freezer
            self._write(state, off)
            self._write(outside, self._pid)
            wait_for("an empty control group", lambda: has_no_process(folder))
            os.rmdir(folder)
        os.kill(self._pid, number)


def has_no_process(folder):
    with open(os.path.join(folder, "cgroup.procs"), encoding="ascii") as file:
        return file.read() == ""


def stand_still(fault, ways, began):
    """Commands whose writers stand still when their programs end. `ways`: NAME -> (frozen, ranks, the signal that ends it);
    `began` gets what runs."""
    for name, (frozen, ranks, _) in ways.items():
        for rank in range(ranks):
            job = {"SLURM_JOB_ID": "9", "SLURM_STEP_ID": "0", "SLURM_NTASKS": str(ranks), "SLURM_PROCID": str(rank)} if ranks > 1 else {}
            running = fault.start(f"{name} {rank}", [fault.omptape, "-o", fault.path(name), fault.busy, "100"], fault.environment(**job))
            if rank + 1 < ranks:
                began[name, rank] = running, None
                continue
            where = fault.path(name, *([f"rank-{rank}"] if ranks > 1 else []))
            wait_for("a checkpoint", lambda where=where: os.path.exists(os.path.join(where, ".omptape-checkpoint")))
            writer = int(os.readlink(os.path.join(where, ".omptape-writing")).split(":")[1])
            began[name, rank] = running, Standstill(writer, frozen)
    for running, _ in began.values():
        end_busy(wait_for("the program", lambda pid=running.pid: processes.program_of(pid, fault.busy)))
    for (name, rank), (running, still) in began.items():
        code = running.process.wait(90)
        with open(os.path.join(fault.path(f"{name} {rank}"), "stderr"), encoding="utf-8") as file:
            said = [line for line in file if "is stopped, and the archive is not complete" in line]
        fault.expect(f"{name} {rank}: exit code", BUSY_CODE, code)
        fault.expect(f"{name} {rank}: lines", 0 if still is None else 1, len(said))
        if said and f"omptape unify {fault.path(name)}" not in said[0]:
            fault.fail(f"{name}: the way out is not said: {said}")
    for name, (_, ranks, number) in ways.items():
        busy = fault.command("unify", fault.path(name))
        fault.expect(f"{name}: unified too early", 3 if ranks == 1 else 1, busy.returncode)
        began[name, ranks - 1][1].end(number)
        began[name, ranks - 1] = began[name, ranks - 1][0], None
    for (name, rank), (running, _) in began.items():
        fault.finish(running)
        if rank == 0:
            done = fault.command("unify", fault.path(name))
            fault.expect(f"{name}: unified", 0, done.returncode)
            fault.valid(name, fault.path(name, "traces.otf2"))
            left = sorted(set(os.listdir(fault.path(name))) - {"traces", "traces.def", "traces.otf2", ".omptape-job"})
            fault.expect(f"{name}: left", [], left)
            fault.expect_no_links(name, fault.path(name))


def check_stand_still(fault, ways):
    began = {}
    try:
        stand_still(fault, ways, began)
    finally:
        for running, still in began.values():
            if still is not None:
                still.end(signal.SIGKILL)
            running.process.kill()
            running.process.wait()


def stopped(fault):
    """The writer stands still: its program is let go, its command says so in one line and ends, and what it has left is
    completed later, by itself or by `omptape unify`."""
    check_stand_still(fault, {"continued": (False, 1, signal.SIGCONT), "killed": (False, 1, signal.SIGKILL),
                              "rank-continued": (False, 2, signal.SIGCONT), "rank-killed": (False, 2, signal.SIGKILL)})


def frozen(fault):
    """The same where its control group is frozen, which no state of a process shows."""
    check_stand_still(fault, {"thawed": (True, 1, signal.SIGCONT), "killed": (True, 1, signal.SIGKILL)})


def core(fault):
    """The pool has no place in the program's core, which would be as large as that."""
    program = fault.start("core", [fault.busy, "60"], fault.preloaded())
    fault.writer(program.pid)
    with open(f"/proc/{program.pid}/smaps", encoding="utf-8") as file:
        pool, found = False, []
        for line in file:
            if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
                pool = "memfd:omptape " in line
            elif pool and line.startswith("VmFlags:"):
                found.append("dd" in line.split())
    fault.expect("left out of cores", {True}, set(found))
    program.process.send_signal(signal.SIGABRT)
    fault.expect("exit code", 128 + signal.SIGABRT, fault.finish(program).code)
    fault.valid("core", fault.path("core", "out", "traces.otf2"))


def writers_core(fault):
    """A writer that a signal ends leaves no core, as large as its limit is."""
    program = fault.start("writer", [fault.busy, "100"], fault.preloaded(), preexec_fn=lambda: resource.setrlimit(
        resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2))
    writer = fault.writer(program.pid)
    wait_for("the archive's folder", lambda: os.path.exists(fault.path("writer", "out", "traces")))
    fault.expect("its limit", 0, resource.prlimit(writer, resource.RLIMIT_CORE)[0])
    os.kill(writer, signal.SIGSEGV)
    wait_for("the writer's end", lambda: processes.state_of(writer) in ("", "Z"))
    end_busy(program.pid)
    fault.expect_own_end("writer", fault.finish(program))
    cores = [name for _, _, names in os.walk(fault.path("writer")) for name in names if name.startswith("core")]
    fault.expect("cores", [], cores)


def again(fault):
    """A program that execs itself before it uses OpenMP keeps no zombie of each time."""
    program = fault.compile("faults", "again.c")
    for name, output in (("early", fault.path("early.out")), ("late", "out")):
        fault.expect_own_end(name, fault.run(name, [program], fault.preloaded(OMPTAPE_OUTPUT=output)), 0)


def with_gcc(fault, name, *flags):
    """The program of that name, compiled by gcc: LLVM's runtime reads the variables itself when it ends."""
    if shutil.which("gcc") is None:
        raise Missing("there is no gcc")
    program = fault.path(f"{name}{''.join(flags)}.gcc")
    subprocess.run(["gcc", *(flags or ["-fopenmp"]), "-I", source_of("..", "include"), source_of("faults", f"{name}.c"), "-o", program, "-ldl"],
                   check=True)
    return program


def no_variables(fault):
    """The variables are read at the program's begin. When it ends, its array of them may be gone."""
    program = with_gcc(fault, "no_variables")
    for name, command, environment in (("preloaded", [program], fault.preloaded()),
                                       ("started", [fault.omptape, "-q", program], fault.traced())):
        fault.expect_own_end(name, fault.run(name, command, environment), 0)
        fault.valid(name, fault.path(name, "out", "traces.otf2"))
    # What is not recorded of MPI is said at the end.
    for name, flags in (("mpi", ["-fopenmp", "-DMPI", "-rdynamic"]), ("unused", ["-DMPI", "-rdynamic"])):
        program = with_gcc(fault, "no_variables", *flags)
        lines = fault.expect_own_end(name, fault.run(name, [program], fault.preloaded()))
        fault.expect(f"{name}: MPI's calls", True, len(lines) == 1 and "MPI's calls" in lines[0])


def jumps(fault):
    """A signal handler leaves by longjmp while a mark starts the session: there is one, and the program does what it would."""
    program = with_gcc(fault, "jumps")
    fault.expect_own_end("jumps", fault.run("jumps", [program], fault.preloaded(OMPTAPE_QUIET="1")), 0)
    fault.valid("jumps", fault.path("jumps", "out", "traces.otf2"))


if __name__ == "__main__":
    sys.exit(main("Ends that leave no time.", {test.__name__: test for test in (
        beside, stopped, frozen, core, writers_core, again, no_variables, jumps)}, "fault.ends", Fault, ("19", "14")))
