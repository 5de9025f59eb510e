# SPDX-License-Identifier: BSD-3-Clause
"""Ends of programs that leave the tool no time, and what is left of it in their cores.

    tests/run faults.ends --build BUILD --runtimes DIR NAME
"""
import os
import re
import signal
import subprocess
import sys

from faults.fault import Fault
from harness import main, wait_for


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
    fault.expect("left out of cores", [True], found)
    program.process.send_signal(signal.SIGABRT)
    fault.expect("exit code", 128 + signal.SIGABRT, fault.finish(program).code)
    fault.valid("core", fault.path("core", "out", "traces.otf2"))


if __name__ == "__main__":
    sys.exit(main("Ends that leave no time.", {"beside": beside, "core": core}, "fault.ends", Fault, ("19", "14")))
