# SPDX-License-Identifier: BSD-3-Clause
"""The cost of an event in the program's thread, construct by construct: programs/constructs.c under each tool."""
import statistics
from dataclasses import dataclass, field

from bench import tables
from bench.tools import Failed

FLOOR = "floor"
NONE = "none"
# Below this many ns an event a difference between two runs says more about code layout than about a tool.
MIN_FLOOR_NS = 0.5
# Each round begins with another construct; no divisor of their number, so that all get their turn.
ROTATION = 7


@dataclass
class Series:
    """One construct under one tool at one number of threads: a value a round."""

    best: list = field(default_factory=list)      # ns of one construct in the run's best sample
    typical: list = field(default_factory=list)   # in its median sample
    events: list = field(default_factory=list)    # OMPT events of one construct, all threads (floor tool only)
    own_events: list = field(default_factory=list)  # of the thread that measures


class Constructs:
    """Gathers rounds and prints one table for each number of threads. `sources`: a launcher and a program each."""

    def __init__(self, title, sources, settings, only=()):
        self._title = title
        self._sources = sources
        self._settings = settings
        self._only = only
        self._single = set()  # tools and programs that need a process for each construct
        self.data = {}    # threads -> construct -> tool -> Series
        self.notes = {}   # threads -> list of figures of omptape's runs

    def round(self, number, threads, tools):
        for launcher, program in self._sources:
            for tool in tools:
                for run in self._runs(launcher, program, number, threads, tool):
                    self._take(run, threads, tool)

    def _runs(self, launcher, program, number, threads, tool):
        """One run with all constructs; of a tool that does not survive them, one for each that it does."""
        settings = self._settings
        command = [program, str(settings.samples), str(settings.percent), str(settings.pause_ms)]
        if (tool.name, program) not in self._single:
            run = launcher.run_if_it_can(tool, [*command, str(number * ROTATION), *self._only], threads)
            if run is not None:
                return [run]
            self._single.add((tool.name, program))
        runs = [launcher.run_if_it_can(tool, [*command, "0", name], threads)
                for name in self._only or _names(launcher, program)]
        return [run for run in runs if run is not None]

    def _take(self, run, threads, tool):
        if tool.is_omptape:
            self.notes.setdefault(threads, []).append(run.report)
        for line in run.output.splitlines():
            name, best, typical, events, own = line.split("\t")
            series = self.data.setdefault(threads, {}).setdefault(name, {}).setdefault(tool.name, Series())
            series.best.append(float(best))
            series.typical.append(float(typical))
            series.events.append(float(events))
            series.own_events.append(float(own))

    def costs(self, threads, construct, tool, which="typical"):
        """ns for each event of the measuring thread over no tool, a value a round. Empty without events."""
        of = self.data[threads][construct]
        events = self.events(threads, construct)[1]
        if events < 0.01 or tool not in of:
            return []
        extra = tables.differences(getattr(of[tool], which), getattr(of[NONE], which))
        return [value / events for value in extra]

    def events(self, threads, construct):
        """Events of one construct: of all threads, of the measuring one."""
        floor = self.data[threads][construct].get(FLOOR)
        if floor is None:
            return 0.0, 0.0
        return statistics.median(floor.events), statistics.median(floor.own_events)

    def ratio(self, threads, construct, tool, which="typical"):
        """A tool's cost over the floor's; None where the floor's cost is within the noise."""
        floor = self.costs(threads, construct, FLOOR, which)
        own = self.costs(threads, construct, tool, which)
        if not floor or not own:
            return None
        middle, first, _ = tables.spread(floor)
        if first <= 0 or middle < MIN_FLOOR_NS:
            return None
        return statistics.median(own) / middle

    def median_ratio(self, threads, tool, which="typical"):
        found = [self.ratio(threads, construct, tool, which) for construct in self.data[threads]]
        found = [value for value in found if value is not None]
        return statistics.median(found) if found else None

    def markdown(self, tools):
        return "\n\n".join(self._table(threads, tools) for threads in self.data)

    def _table(self, threads, tools):
        others = [tool for tool in tools if tool.name != NONE]
        compared = [tool for tool in others if not tool.is_floor and tool.name != "empty"]
        best = [tool for tool in compared if not tool.is_peer]
        header = ["construct", "events", "none, ns"] + [f"+{tool.name}" for tool in others]
        header += [f"{tool.name}/floor" for tool in compared] + [f"{tool.name}/floor, best" for tool in best]
        rows = [self._row(threads, construct, others, compared, best) for construct in self.data[threads]]
        rows.append(["**median of the ratios**"] + [""] * (len(others) + 2) +
                    [_ratio(self.median_ratio(threads, tool.name)) for tool in compared] +
                    [_ratio(self.median_ratio(threads, tool.name, "best")) for tool in best])
        title = f"### {self._title}, {threads} thread{'s' if threads > 1 else ''}"
        return f"{title}\n\n{tables.table(header, rows)}{self._remark(threads)}"

    def _row(self, threads, construct, others, compared, best):
        everybody, own = self.events(threads, construct)
        none = self.data[threads][construct][NONE].typical
        row = [construct, f"{own:.1f} of {everybody:.1f}" if round(own, 1) != round(everybody, 1) else f"{own:.1f}",
               tables.cell(none, 0 if min(none) >= 10 else 1)]
        row += [tables.cell(self.costs(threads, construct, tool.name)) for tool in others]
        row += [_ratio(self.ratio(threads, construct, tool.name)) for tool in compared]
        return row + [_ratio(self.ratio(threads, construct, tool.name, "best")) for tool in best]

    def _remark(self, threads):
        notes = self.notes.get(threads)
        if not notes:
            return ""
        stalled = statistics.median(int(note.get("stalled", 0)) for note in notes) / 1e6
        dropped = max(int(note.get("dropped", 0)) for note in notes)
        events = statistics.median(int(note["events"]) for note in notes)
        return (f"\n\nomptape, a run (medians): {events / 1e6:.1f} M events in the archive, threads waited "
                f"{stalled:.1f} ms for buffers, {dropped} events dropped at most.")

    def missing(self, tools, expected):
        """What a complete table would have, and this one has not."""
        problems = []
        for threads, constructs in self.data.items():
            problems += [f"{self._title}, {threads} threads: no {name}" for name in expected if name not in constructs]
            for construct, of in constructs.items():
                problems += [f"{self._title}, {threads} threads: {construct} was not run with {tool.name}"
                             for tool in tools if tool.name not in of]
                if (self.events(threads, construct)[0] > 0.9) == (construct == "atomic"):
                    problems.append(f"{self._title}, {threads} threads: {construct} has "
                                    f"{self.events(threads, construct)[0]} events")
        return problems or ([] if self.data else [f"{self._title}: nothing was run"])

    def names(self):
        """All constructs that the programs know, in their order."""
        return [name for launcher, program in self._sources for name in _names(launcher, program)]

    def json(self):
        return {str(threads): {construct: {tool: vars(series) for tool, series in of.items()}
                               for construct, of in constructs.items()}
                for threads, constructs in self.data.items()}


def _names(launcher, program):
    listed = launcher.run_plain([program, "list"])
    if not listed:
        raise Failed(f"{program} knows no constructs")
    return listed.splitlines()


def _ratio(value):
    return "-" if value is None else f"{value:.2f}"
