# SPDX-License-Identifier: BSD-3-Clause
"""What a preloaded library costs a program that does nothing: startup.c, interleaved from run to run."""
from bench import tables
from bench.constructs import NONE


class Startups:
    """Times every tool's library on programs without and with the OpenMP runtime, which neither uses."""

    def __init__(self, launcher, starter, programs, times):
        self._launcher = launcher
        self._starter = starter
        self._programs = programs   # description -> path
        self._times = times
        self.data = {}              # description -> tool -> [median, first quartile, third quartile, least], us

    def run(self, tools):
        # Only libraries: a tool that needs variables to be loaded does nothing here.
        tools = [tool for tool in tools if tool.preload or tool.name == NONE]
        for description, program in self._programs.items():
            output = self._launcher.run_plain([self._starter, str(self._times), program,
                                               *(tool.preload for tool in tools)])
            of = self.data[description] = {}
            for tool, line in zip(tools, output.splitlines()):
                library, *values = line.split("\t")
                assert library == tool.preload
                of[tool.name] = [float(value) for value in values]

    def markdown(self, tools):
        names = [tool.name for tool in tools if tool.preload]
        header = ["program", "none, µs"] + [f"+{name}" for name in names]
        rows = []
        for description, of in self.data.items():
            row = [description, _cell(of[NONE], 0)]
            row += [_cell(of[name], of[NONE][0]) if name in of else "-" for name in names]
            rows.append(row)
        return (f"### Start-up of a program that never uses OpenMP, {self._times} starts each\n\n"
                f"{tables.table(header, rows)}")

    def missing(self, tools):
        problems = [f"start-up: {description} was not run with {tool.name}" for description in self._programs
                    for tool in tools if tool.preload and tool.name not in self.data.get(description, {})]
        return problems + [f"start-up: {description} took no time" for description, of in self.data.items()
                           if any(values[3] <= 0 for values in of.values())]

    def json(self):
        return self.data


def _cell(values, base):
    median, first, third, _ = (value - base for value in values)
    return f"{median:.0f} ({first:.0f}..{third:.0f})"
