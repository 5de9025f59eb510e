# SPDX-License-Identifier: BSD-3-Clause
"""Builds the programs of this folder for the host plugin and runs them with the emulator in front of a tool."""
import glob
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "checker"))

import processes  # noqa: E402
from stages import STAGES, Broken, Toolchain  # noqa: E402
from truth import Truth  # noqa: E402

SKIPPED = 77
STAGE = "22"
OFFLOAD = "-fopenmp-targets=x86_64-pc-linux-gnu"
PASSED_ON = ("PATH", "HOME", "LANG", "TMPDIR", "USER")


class Setting:
    """A build folder, the runtimes, and a folder for the runs of one test."""

    def __init__(self, options, name):
        self.build = options.build
        self.toolchain = Toolchain(STAGES[STAGE], options.runtimes)
        self.folder = os.path.join(options.build, "tests", "work", name)
        self.problems = []
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)

    def fail(self, text):
        self.problems.append(text)

    def path(self, *parts):
        path = os.path.join(self.build, *parts)
        if not os.path.exists(path):
            raise Broken(f"{path} is not built")
        return path

    def program(self, name):
        source = os.path.join(HERE, "programs", name + ".c")
        return self.toolchain.compile(source, os.path.join(self.toolchain.programs(self.build), "device_" + name),
                                      ["-O1", OFFLOAD])

    def environment(self, **more):
        own = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        own.update(self.toolchain.environment())
        own["KMP_WARNINGS"] = "0"  # of a machine with two processors, when a kernel wants more threads
        own.update(more)
        return own

    def run(self, name, command, timeout=120, **more):
        """One run in its own folder; nothing that it started may be left."""
        folder = os.path.join(self.folder, name)
        os.makedirs(folder, exist_ok=True)
        before = processes.shared_memory()
        result = processes.run(command, folder, self.environment(**more), timeout)
        result.folder = folder
        result.at_end = set(glob.glob(os.path.join(folder, "**", "*.otf2"), recursive=True))
        for line in processes.wait_for_all():
            self.fail(f"{name}: {line}")
        left = processes.shared_memory() - before
        if left:
            self.fail(f"{name}: left in /dev/shm: {', '.join(sorted(left))}")
        return result

    def emulated(self, name, program, words, tool, arguments=(), timeout=120, loaded=False, **more):
        """A run with the emulator in front of `tool`, which it finds or (`loaded`) loads. Returns it and the truth."""
        preload = self.path("tests", "emulator", "libemulator.so")
        if loaded:
            more["OMPTAPE_EMULATOR_TOOL"] = tool
        else:
            preload += ":" + tool
        folder = os.path.join(self.folder, name)
        result = self.run(name, [self.program(program), *arguments], timeout, LD_PRELOAD=preload,
                          OMPTAPE_EMULATOR=words, OMPTAPE_EMULATOR_DIR=folder, **more)
        truth = Truth(folder)
        if not truth.watched or not truth.complete:
            self.fail(f"{name}: the emulator left no complete truth")
        return result, truth

    def same(self, name, bare, traced):
        """Output and exit code must be those of the program alone."""
        for what in ("code", "out", "err"):
            if getattr(bare, what) != getattr(traced, what):
                self.fail(f"{name}: {what} is {getattr(traced, what)!r}, without a tool {getattr(bare, what)!r}")

    def report(self):
        """Prints what failed; the exit code."""
        for problem in self.problems:
            print(f"FAILED: {problem}")
        if not self.problems:
            shutil.rmtree(self.folder)
        return 1 if self.problems else 0
