# SPDX-License-Identifier: BSD-3-Clause
"""The writer's throughput: CPU time for floods of events and for a task tree, beside that of encoders alone."""
import os
import statistics
import time
from dataclasses import dataclass, field

from bench import tables
from bench.kernels import parse
from bench.tools import Failed, Tool, read_lines

METER_PATIENCE = 30.0


@dataclass
class Series:
    """One sequence of events: a value a run."""

    cpu: list = field(default_factory=list)       # the writer's seconds, user and system
    system: list = field(default_factory=list)
    profile: list = field(default_factory=list)   # the same seconds, of a writer that makes a profile
    events: list = field(default_factory=list)    # OTF2 events
    records: list = field(default_factory=list)   # that the program handed over
    bytes: list = field(default_factory=list)     # of the archive
    maxrss: list = field(default_factory=list)    # of the writer in MiB, the shared buffers it touched included
    after: list = field(default_factory=list)     # seconds from the program's end to the finished archive
    encoder: list = field(default_factory=list)   # CPU ns an event of omptape's encoder alone,
    otf2: list = field(default_factory=list)      # and of libotf2's
    encoder_system: list = field(default_factory=list)
    otf2_system: list = field(default_factory=list)


class Writers:
    """Runs floods under omptape with the writer behind writer_meter, and encoders for comparison."""

    def __init__(self, launcher, omptape, files, commands, events, buffer):
        self._launcher = launcher
        self._files = files         # "meter", "writer", "encoder" -> path
        self._commands = commands   # name -> (command, threads)
        self._events = events
        variables = dict(omptape.variables, OMPTAPE_WRITER=files["meter"], BENCH_WRITER=files["writer"],
                         BENCH_WRITER_REPORT="{dir}/meter")
        variables.setdefault("OMPTAPE_BUFFER_SIZE", buffer)
        self._tool = Tool(omptape.name, omptape.preload, variables, is_omptape=True)
        self._profiler = Tool(omptape.name, omptape.preload, dict(variables, OMPTAPE_PROFILE="1"), is_omptape=True)
        self.data = {}              # name -> Series

    def round(self):
        for name, (command, threads) in self._commands.items():
            series = self.data.setdefault(name, Series())
            self._encode(name, "omptape", series.encoder, series.encoder_system)
            self._encode(name, "otf2", series.otf2, series.otf2_system)
            self._flood(name, command, threads)
            self._flood_profile(name, command, threads)

    def _encode(self, name, encoder, cpu_each, system_each):
        # The writer gets none of the program's MALLOC_ variables either.
        command = [self._files["encoder"], "archive", str(self._events), name, encoder]
        run = self._launcher.run(Tool("encoder"), command, 1, without=("MALLOC_",))
        events, cpu, system = run.output.split("\t")
        cpu_each.append(float(cpu) / int(events) * 1e9)
        system_each.append(float(system) / int(events) * 1e9)

    def _flood(self, name, command, threads):
        meter = {}
        run = self._launcher.run(self._tool, command, threads, keep=lambda folder: meter.update(_meter(folder)))
        _, after = parse(run, command)
        series = self.data.setdefault(name, Series())
        series.cpu.append(float(meter["user"]) + float(meter["system"]))
        series.system.append(float(meter["system"]))
        series.maxrss.append(int(meter["maxrss_kib"]) / 1024)
        series.events.append(int(run.report["events"]))
        series.records.append(int(run.report["records"]))
        series.bytes.append(run.bytes)
        series.after.append(after)

    def _flood_profile(self, name, command, threads):
        meter = {}
        self._launcher.run(self._profiler, command, threads, keep=lambda folder: meter.update(_meter(folder)))
        self.data[name].profile.append(float(meter["user"]) + float(meter["system"]))

    def markdown(self):
        header = ["events", "records, M", "OTF2 events, M", "bytes each", "writer, CPU s", "M events/CPU s",
                  "writer, ns each", "of it kernel", "encoder alone, ns each", "of it kernel",
                  "libotf2 alone, ns each", "of it kernel", "writer/encoder", "profile/trace", "end to archive, ms",
                  "writer's memory, MiB"]
        rows = []
        for name, series in self.data.items():
            each = [cpu / events * 1e9 for cpu, events in zip(series.cpu, series.events)]
            kernel = [system / events * 1e9 for system, events in zip(series.system, series.events)]
            rate = [events / cpu / 1e6 for cpu, events in zip(series.cpu, series.events)]
            rows.append([name, _millions(series.records), _millions(series.events),
                         f"{statistics.median(series.bytes) / statistics.median(series.events):.1f}",
                         tables.cell(series.cpu, 2), tables.cell(rate, 1), tables.cell(each),
                         f"{statistics.median(kernel):.1f}", tables.cell(series.encoder),
                         f"{statistics.median(series.encoder_system):.1f}", tables.cell(series.otf2),
                         f"{statistics.median(series.otf2_system):.1f}",
                         f"{statistics.median(each) / statistics.median(series.encoder):.2f}",
                         f"{statistics.median(series.profile) / statistics.median(series.cpu):.2f}",
                         f"{statistics.median(series.after) * 1e3:.0f}", f"{max(series.maxrss):.0f}"])
        return f"### The writer, one process\n\n{tables.table(header, rows)}"

    def missing(self):
        problems = []
        for name in self._commands:
            series = self.data.get(name, Series())
            series_of = (series.cpu, series.profile, series.encoder, series.otf2)
            if not all(series_of) or min(value for values in series_of for value in values) <= 0:
                problems.append(f"writer: {name} lacks a figure")
        return problems

    def json(self):
        return {name: vars(series) for name, series in self.data.items()}


def _meter(folder):
    """The meter's figures: the library does not wait until the writer is gone, only until its archive is finished."""
    path = os.path.join(folder, "meter")
    patience = time.monotonic() + METER_PATIENCE
    while not os.path.exists(path):
        if time.monotonic() > patience:
            raise Failed("the writer did not end, or writer_meter left no figures")
        time.sleep(0.005)
    meter = read_lines(path)
    if meter.get("status") != "0":
        raise Failed(f"the writer ended with wait status {meter.get('status')}")
    return meter


def _millions(values):
    return f"{statistics.median(values) / 1e6:.1f}"
