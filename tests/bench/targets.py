# SPDX-License-Identifier: BSD-3-Clause
"""The cost of target regions in the program's thread: their callbacks called without a runtime behind them, a real
region on the host plugin, and what a device that is traced adds to that."""
from bench import tables
from bench.constructs import Constructs
from bench.tools import Tool

THREADS = 1
# Rows of the second table, and the emulator's modes (tests/emulator/README.md).
EMULATED = {
    "not traced": "no_lookup",
    "traced": "",
    "traced, records written on the program's thread": "request_app",
}


class Targets:
    """Gathers rounds and prints two tables. The last of `sources` may be the host plugin's; the emulator needs it."""

    def __init__(self, sources, settings, omptape, emulator):
        self._regions = Constructs("Target regions with 3 transfers and a kernel", sources, settings)
        self._settings = settings
        self._offload = sources[1] if len(sources) > 1 else None
        self._tools = {name: Tool(name, f"{emulator}:{omptape.preload}",
                                  dict(omptape.variables, OMPTAPE_EMULATOR=words, OMPTAPE_EMULATOR_DIR="{dir}"),
                                  is_omptape=True)
                       for name, words in EMULATED.items()}
        self._emulated = {}  # row -> "best" and "typical" -> ns of one region, a value a round

    def round(self, number, tools):
        self._regions.round(number, THREADS, tools)
        if self._offload is None:
            return
        launcher, program = self._offload
        settings = self._settings
        command = [program, str(settings.samples), str(settings.percent), str(settings.pause_ms), "0"]
        for name, tool in self._tools.items():
            _, best, typical, _, _ = launcher.run(tool, command, THREADS).output.split("\t")
            of = self._emulated.setdefault(name, {"best": [], "typical": []})
            of["best"].append(float(best))
            of["typical"].append(float(typical))

    def markdown(self, tools):
        text = self._regions.markdown(tools)
        if not self._emulated:
            return text
        rows = [[name, tables.cell(of["typical"], 0), self._more(of, "typical"), self._more(of, "best")]
                for name, of in self._emulated.items()]
        header = ["omptape behind the emulator", "a region, ns", "more, ns", "more, best, ns"]
        return f"{text}\n\n{tables.table(header, rows)}"

    def _more(self, of, which):
        base = self._emulated[next(iter(EMULATED))]
        return tables.cell(tables.differences(of[which], base[which]), 0)

    def missing(self, tools):
        problems = self._regions.missing(tools, self._regions.names())
        if self._offload is not None:
            problems += [f"target regions: nothing behind the emulator, {name}" for name in EMULATED
                         if name not in self._emulated]
        return problems

    def json(self):
        return {"regions": self._regions.json(), "emulated": self._emulated}
