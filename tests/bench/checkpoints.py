# SPDX-License-Identifier: BSD-3-Clause
"""What checkpoints cost a program: the same run of some seconds with none, and with one as often as is usual and twice
as often."""
from dataclasses import replace

from bench import tables
from bench.kernels import parse

OFF = "off"
PERIODS = (OFF, "2", "1")  # OMPTAPE_CHECKPOINT


class Checkpoints:
    """Gathers rounds and prints one table."""

    def __init__(self, launcher, commands, omptape):
        self._launcher = launcher
        self._commands = commands  # name -> command
        self._tools = {period: replace(omptape, name=f"checkpoint {period}",
                                       variables={**omptape.variables, "OMPTAPE_CHECKPOINT": period})
                       for period in PERIODS}
        self.data = {}  # name -> period -> seconds, a value a round
        self._threads = 0

    def round(self, threads, backwards):
        self._threads = threads
        for name, command in self._commands.items():
            for period in PERIODS[::-1] if backwards else PERIODS:
                run = self._launcher.run(self._tools[period], command, threads)
                parse(run, command)
                self.data.setdefault(name, {}).setdefault(period, []).append(run.wall)

    def markdown(self):
        rows = []
        for name, of in self.data.items():
            row = [name, tables.cell(of[OFF], 3)]
            rows.append(row + [tables.cell(tables.ratios(of[period], of[OFF]), 3) for period in PERIODS[1:]])
        header = ["kernel", "no checkpoints, s"] + [f"every {period} s/none" for period in PERIODS[1:]]
        return f"### Checkpoints, {self._threads} threads, wall-clock with the archive finished\n\n{tables.table(header, rows)}"

    def missing(self):
        return [f"checkpoints: {name} was not run" for name in self._commands if name not in self.data]

    def json(self):
        return self.data
