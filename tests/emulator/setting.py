# SPDX-License-Identifier: BSD-3-Clause
"""Builds the programs of this folder for the host plugin and runs them with the emulator in front of a tool."""
import ast
import os

from emulator.truth import Truth
from harness import Test

OFFLOAD = "-fopenmp-targets=x86_64-pc-linux-gnu"


class Setting(Test):
    """The programs on the stage with a host plugin, and the emulator in front of a tool."""

    def __init__(self, options, name, stage="22"):
        super().__init__(options, name, stage)

    def program(self, name):
        return self.compile("emulator", "programs", name + ".c", output="device_" + name, flags=["-O1", OFFLOAD])

    def environment(self, **more):
        # The warning is of a machine with two processors, when a kernel wants more threads.
        return super().environment(**{"KMP_WARNINGS": "0", **more})

    def emulated(self, name, program, words, tool, arguments=(), timeout=120, loaded=False, **more):
        """A run with the emulator in front of `tool`, which it finds or (`loaded`) loads. Returns it and the truth."""
        preload = self.built("tests", "emulator", "libemulator.so")
        if loaded:
            more["OMPTAPE_EMULATOR_TOOL"] = tool
        else:
            preload += ":" + tool
        folder = self.path(name)
        result = self.run(name, [self.program(program), *arguments], self.environment(
            LD_PRELOAD=preload, OMPTAPE_EMULATOR=words, OMPTAPE_EMULATOR_DIR=folder, **more), timeout)
        truth = Truth(folder)
        if not truth.watched or not truth.complete:
            self.fail(f"{name}: the emulator left no complete truth")
        return result, truth

    def alone(self, name, program, arguments=()):
        """(code, out, err) of the program without emulator and tool. That is the same in all tests of a build, so the first
        one keeps it beside the program."""
        binary = self.program(program)
        kept = ".".join([binary, "alone", *arguments])
        if not os.path.exists(kept) or os.path.getmtime(kept) < os.path.getmtime(binary):
            ended = self.run(name + ".bare", [binary, *arguments])
            with open(f"{kept}.{os.getpid()}", "w", encoding="ascii") as file:
                file.write(repr((ended.code, ended.out, ended.err)))
            os.replace(file.name, kept)
        with open(kept, encoding="ascii") as file:
            return ast.literal_eval(file.read())

    def same(self, name, bare, traced):
        """Output and exit code must be those of the program alone."""
        self.expect(f"{name}: code, output and errors", bare, (traced.code, traced.out, traced.err))
