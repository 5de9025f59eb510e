# SPDX-License-Identifier: BSD-3-Clause
"""Whole programs under each tool: the time from start to end with the archive finished."""
import statistics
from dataclasses import dataclass, field

from bench import tables
from bench.constructs import FLOOR, NONE
from bench.tools import Failed


@dataclass
class Series:
    """One kernel under one tool: a value a round, in seconds."""

    wall: list = field(default_factory=list)     # the process
    kernel: list = field(default_factory=list)   # its work alone
    after: list = field(default_factory=list)    # from the end of the work to the end of the process
    reports: list = field(default_factory=list)
    bytes: list = field(default_factory=list)


def parse(run, command):
    """The lines that bench_finish prints."""
    values = dict(line.split(" ", 1) for line in run.output.splitlines())
    if values.get("result") != "right":
        raise Failed(f"{' '.join(command)} computed a wrong result")
    return int(values["kernel_ns"]) / 1e9, run.end - int(values["end_ns"]) / 1e9


class Kernels:
    """Gathers rounds and prints one table."""

    def __init__(self, launcher, commands):
        self._launcher = launcher
        self._commands = commands   # name -> command
        self.data = {}              # name -> tool -> Series
        self._threads = 0

    def round(self, threads, tools):
        self._threads = threads
        for name, command in self._commands.items():
            for tool in tools:
                run = self._launcher.run_if_it_can(tool, command, threads)
                if run is None:
                    continue
                kernel, after = parse(run, command)
                series = self.data.setdefault(name, {}).setdefault(tool.name, Series())
                series.wall.append(run.wall)
                series.kernel.append(kernel)
                series.after.append(after)
                series.reports.append(run.report)
                series.bytes.append(run.bytes)

    def ratio(self, name, tool, base):
        """Wall-clock ratios, paired by round. Empty for a tool that could not run it."""
        if tool not in self.data[name] or base not in self.data[name]:
            return []
        return tables.ratios(self.data[name][tool].wall, self.data[name][base].wall)

    def markdown(self, tools):
        others = [tool for tool in tools if tool.name != NONE]
        compared = [tool for tool in others if not tool.is_floor and tool.name != "empty"]
        header = ["kernel", "events, M", "none, s"] + [f"{tool.name}/none" for tool in others]
        header += [f"{tool.name}/floor" for tool in compared]
        rows = []
        for name, of in self.data.items():
            row = [name, self._events(of), tables.cell(of[NONE].wall, 3)]
            row += [tables.cell(self.ratio(name, tool.name, NONE), 3) for tool in others]
            row += [tables.cell(self.ratio(name, tool.name, FLOOR), 3) for tool in compared]
            rows.append(row)
        title = f"### Kernels, {self._threads} threads, wall-clock with the archive finished"
        return f"{title}\n\n{tables.table(header, rows)}{self._after(tools)}"

    def _events(self, of):
        """OMPT events, as the floor tool saw them."""
        return f"{statistics.median(_counts(of)) / 1e6:.2f}" if _counts(of) else "-"

    def _after(self, tools):
        lines = []
        for tool in (tool for tool in tools if tool.is_omptape):
            for name, of in self.data.items():
                series = of[tool.name]
                events = statistics.median(int(report["events"]) for report in series.reports)
                stalled = statistics.median(int(report.get("stalled", 0)) for report in series.reports) / 1e6
                lines.append(f"- {tool.name}, {name}: {events / 1e6:.2f} M events in the archive, "
                             f"{statistics.median(series.bytes) / events:.1f} bytes each; from the kernel's end to the "
                             f"process's {statistics.median(series.after) * 1e3:.0f} ms; threads waited "
                             f"{stalled:.0f} ms for buffers")
        return "\n\n" + "\n".join(lines) if lines else ""

    def missing(self, tools):
        problems = [f"kernels: {name} was not run with {tool.name}" for name in self._commands for tool in tools
                    if tool.name not in self.data.get(name, {})]
        return problems + [f"kernels: the floor tool saw no events in {name}" for name, of in self.data.items()
                           if not any(_counts(of))]

    def json(self):
        return {name: {tool: vars(series) for tool, series in of.items()} for name, of in self.data.items()}


def _counts(of):
    return [int(report["events"]) for report in of[FLOOR].reports] if FLOOR in of else []
