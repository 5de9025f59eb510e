# SPDX-License-Identifier: BSD-3-Clause
"""What the fault tests share: a busy program, what it must say, and what its archive must hold; and a program that other
users run."""
import os
import re
import signal
import subprocess

from harness import BUSY_CODE, Test, counts, wait_for
from harness.users import PublicFolder


class Fault(Test):
    """With busy.c, compiled."""

    def __init__(self, options, name, stage=("19", "14")):
        super().__init__(options, name, stage)
        self.busy = self.compile("faults", "busy.c")

    @property
    def counting(self):
        """What to preload so that a program's events are counted, too."""
        return f"{self.built('tests', 'e2e', 'libcount_tool.so')}:{self.library}"

    def traced(self, **more):
        """For what omptape starts or loads by other means than LD_PRELOAD."""
        return self.environment(**{"OMPTAPE_OUTPUT": "out", **more})

    def expect_own_end(self, name, ended, lines=1):
        """The program ended as it would have without the tool; at most some lines of omptape on stderr, which are
        returned."""
        if ended.code != BUSY_CODE or ended.out != b"right\n":
            self.fail(f"{name}: exit code {ended.code}, output {ended.out!r}; {ended.err!r}")
        if len(ended.lines) > lines or any(not line.startswith("omptape") for line in ended.lines):
            self.fail(f"{name}: stderr has {ended.lines}")
        return ended.lines

    def valid(self, name, path, counted=None):
        """The archive is in order; with counts: it holds every event that was committed, and no other."""
        facts = self.verify_archive(name, path)
        if counted is not None:
            for problem in counts.compare(counted, facts):
                self.fail(f"{name}: {problem}")
        return facts

    def accounted_for(self, name, facts, counted):
        """What is recorded, dropped, forgotten and unwritten is what was counted, and at most one more a thread."""
        found = sum(facts.number(key) for key in ("RECORDS", "DROPPED", "FORGOTTEN", "UNWRITTEN"))
        callbacks = counts.callbacks(counted)
        if not callbacks <= found <= callbacks + facts.threads:
            self.fail(f"{name}: {callbacks} callbacks, {found} records")


def end_busy(pid):
    """Has busy.c, which may have long to go, end as it does by itself."""
    def listens():
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            return int(re.search(r"SigCgt:\s*(\w+)", file.read())[1], 16) >> (signal.SIGUSR1 - 1) & 1

    wait_for("the program's begin", listens)
    os.kill(pid, signal.SIGUSR1)


def outcome(command, folder, environment, **more):
    done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", timeout=100, check=False, **more)
    return done.returncode, done.stdout, done.stderr


class Public(PublicFolder):
    """With a program linked with omptape, its libraries, and a folder `share` for all to write to."""

    def __init__(self, fault):
        super().__init__("secure", (fault.built("lib", "libomptape.so.0"), fault.built("libexec", "omptape", "omptape-writer"),
                                    os.path.join(fault.toolchain.library_folder, "libomp.so.5")))
        self.share = self.make("share")
        built = fault.compile("faults", "secure.c", link_flags=(
            "-Wl,--no-as-needed", "-L" + fault.built("lib"), "-lomptape", "-Wl,-rpath," + self.path))
        self.program = self.copy(built)

    def evil_writer(self):
        """A command of the attacker's, which says that it was run."""
        path = self.at("evil")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nid >{self.share}/evil\n")
        os.chmod(path, 0o755)
        return path
