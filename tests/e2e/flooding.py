# SPDX-License-Identifier: BSD-3-Clause
"""Runs flood.c, which makes more events than a small pool holds, and holds its archives against the counting tool."""
import os
import re
import subprocess
import time

from harness import Test, counts, processes, wait_for
from harness.facts import Facts

LAST = 7  # masked constructs at the end, as in flood.c
OWN_EXIT = 3
POOL = 1 << 20
RECORD = 32  # bytes of the usual records, at most
_GAP = re.compile(r"(\d+) events dropped: the buffer was full$")


class Gaps(Facts):
    """Also what the archive says of dropped events: by location's property, and by marker."""

    def __init__(self):
        super().__init__()
        self.dropped = 0  # of all threads that got a buffer
        self.marked = 0

    def archive(self, archive):
        super().archive(archive)
        self.dropped = sum(int(one.value) for one in archive.definitions.location_properties
                           if one.name == "events dropped")
        self.marked = sum(int(_GAP.match(text)[1]) for category, _, text in archive.markers
                          if category == "Events dropped")


class Run:
    """One program that runs with the library and the counting tool."""

    def __init__(self, program):
        self.program = program
        self.folder = program.folder
        self.process = program.process
        self.output = os.path.join(self.folder, "out")

    def await_part(self):
        """The program is about to flood; nothing but this happens until go()."""
        line = self.process.stdout.readline()
        if line != b"part\n":
            raise ChildProcessError(f"{self.folder}: {line!r} instead of a part")

    def go(self):
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def writer(self):
        """The process number of its writer, once it has claimed its folder."""
        claim = os.path.join(self.output, ".omptape-writing")
        return wait_for(f"{self.folder}: a writer", lambda: os.path.lexists(claim) and
                        processes.writer_of(self.process.pid), pause=0.005)


class Flood(Test):
    """One stage of one test: compiles flood.c, runs it, gathers problems."""

    def __init__(self, options, name, stage):
        super().__init__(options, name, stage)
        self.stage = stage
        self.binary = self.compile("e2e", "flood.c", link_flags=["-lpthread"])

    def start_flood(self, name, words, policy, size="1M", **more):
        """Starts `flood` with these words. Its standard input and output are pipes."""
        name = name.replace(" ", "_")
        preload = f"{self.built('tests', 'e2e', 'libcount_tool.so')}:{self.library}"
        environment = self.preloaded(LD_PRELOAD=preload, OMPTAPE_COUNT_DIR=self.path(name), OMPTAPE_QUIET="1",
                                     OMPTAPE_WHEN_FULL=policy, OMPTAPE_BUFFER_SIZE=size, **more)
        return Run(self.start(name, [self.binary, *words], environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE))

    def finish_flood(self, name, run, said=b"done\n", code=OWN_EXIT, timeout=120):
        """Waits for the program, which must end as it would without the tool, after these last words, and leave
        nothing."""
        ended = self.finish(run.program, timeout)
        self.expect(f"{name}: end", (code, said, b""), (ended.code, ended.out, ended.err))

    def check_flood(self, name, path, thorough=True):
        """The archive's facts; both checkers must be content. Not thorough: only omptape's, which is faster."""
        begun = time.monotonic()
        facts = self.verify_archive(name, path, Gaps(), thorough)
        print(f"{name}: {facts.number('RECORDS')} recorded, {facts.number('DROPPED')} dropped, "
              f"{facts.number('FORGOTTEN')} forgotten, judged in {time.monotonic() - begun:.1f} s")
        return facts

    def callbacks(self, run):
        """What the counting tool saw of the program: all its counters, and how many callbacks there were."""
        counted = counts.read(run.folder).get(run.process.pid, {})
        return counted, counts.callbacks(counted)
