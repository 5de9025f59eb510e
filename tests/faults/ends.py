# SPDX-License-Identifier: BSD-3-Clause
"""Ends of programs that leave the tool no time.

    tests/run faults.ends --build BUILD --runtimes DIR NAME
"""
import os
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


if __name__ == "__main__":
    sys.exit(main("Ends that leave no time.", {"beside": beside}, "fault.ends", Fault, ("19", "14")))
