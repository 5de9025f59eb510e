# SPDX-License-Identifier: BSD-3-Clause
"""Samples: each of the one interrupt generator, in a calling context that leads to a root, on a thread, between that
thread's first event and its last; as many as the archive says."""
from otf2.enums import InterruptGeneratorMode, LocationType, Paradigm

from checker.report import Check, name_of

MAX_FRAMES = 4096


class Samples(Check):
    def __init__(self, archive, report, partial):
        super().__init__(archive, report, partial)
        self._count = 0
        self._begun = set()     # locations that have had another event
        self._good = set()      # contexts that were looked at

    def handler(self, location, kind):
        if kind.__name__ == "CallingContextSample":
            return self._sample
        self._begun.add(location)   # by its first event of that kind
        return None

    def _sample(self, location, event):
        self._count += 1
        begun = location in self._begun or location in self.archive.others
        if not begun or location.type != LocationType.CPU_THREAD:
            self.report.add("sample", f"{name_of(location)}: a sample at {event.time} before the thread's first event")
        if event.calling_context not in self._good:
            self._good.add(event.calling_context)
            self._context(event.calling_context)

    def _context(self, context):
        for _ in range(MAX_FRAMES):
            if context is None:
                return
            if context.region.paradigm not in (Paradigm.SAMPLING, Paradigm.OPENMP):
                self.report.add("sample", f"a calling context of {context.region.name}, which is no function")
            if context.source_code_location is None:
                self.report.add("sample", f"a calling context of {context.region.name} without a place")
            context = context.parent
        self.report.add("sample", "a calling context without a root")

    def finish(self):
        generators = list(self.archive.definitions.interrupt_generators)
        said = sum(int(self.archive.value_of(one, "SAMPLES", "0")) for one in self.archive.definitions.location_groups
                   if self.archive.own_properties.get(one, {}).get("OMPTAPE::SAMPLES")) or \
            int(self.archive.value("SAMPLES", "0"))
        if self._count != said:
            self.report.add("sample", f"{self._count} samples, the archive says {said}")
        for one in generators:
            if one.interrupt_generator_mode != InterruptGeneratorMode.TIME or one.period == 0:
                self.report.add("sample", f'the interrupt generator "{one.name}" is none of time')
        if self._count > 0 and len(generators) != 1:
            self.report.add("sample", f"{len(generators)} interrupt generators")
