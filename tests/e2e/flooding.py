# SPDX-License-Identifier: BSD-3-Clause
"""Runs flood.c, which makes more events than a small pool holds, and holds its archives against the counting tool."""
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "checker"))

import check  # noqa: E402
import counts  # noqa: E402
import processes  # noqa: E402
from facts import Facts  # noqa: E402
from run import PASSED_ON  # noqa: E402
from stages import STAGES, Toolchain  # noqa: E402

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

    def number(self, key):
        return int(self.properties.get(f"OMPTAPE::{key}", "0"))


class Run:
    """One program that runs with the library and the counting tool."""

    def __init__(self, folder, process):
        self.folder = folder
        self.process = process
        self.output = os.path.join(folder, "out")

    def await_part(self):
        """The program is about to flood; nothing but this happens until go()."""
        line = self.process.stdout.readline()
        if line != b"part\n":
            raise ChildProcessError(f"{self.folder}: {line!r} instead of a part")

    def go(self):
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def writer(self, timeout=10):
        """The process number of its writer, which names the program in its argument and has claimed its folder."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            for path in glob.glob("/proc/[0-9]*/cmdline"):
                try:
                    with open(path, "rb") as file:
                        words = file.read().split(b"\0")
                except OSError:
                    continue
                if words[0].endswith(b"omptape-writer") and words[1:2] == [str(self.process.pid).encode()] and \
                        os.path.lexists(os.path.join(self.output, ".omptape-writing")):
                    return int(path.split("/")[2])
            time.sleep(0.005)
        raise TimeoutError(f"{self.folder}: no writer came up")


class Flood:
    """One stage of one test: compiles flood.c, runs it, gathers problems."""

    def __init__(self, options, test, stage):
        self.build = options.build
        self.toolchain = Toolchain(STAGES[stage], options.runtimes)
        self.binary = self.toolchain.compile(os.path.join(HERE, "flood.c"),
                                             os.path.join(self.toolchain.programs(options.build), "flood"),
                                             link_flags=["-lpthread"])
        self.folder = os.path.join(options.build, "tests", "work", f"{test}.{stage}")
        self.problems = []
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)

    def fail(self, name, text):
        self.problems.append(f"{os.path.basename(self.folder)}: {name}: {text}")

    def tool(self, *parts):
        return os.path.join(self.build, *parts)

    def environment(self, **more):
        own = {key: os.environ[key] for key in PASSED_ON if key in os.environ}
        own.update(self.toolchain.environment())
        own.update(more)
        return own

    def start(self, name, words, policy, size="1M", **more):
        """Starts `flood` with these words. Its standard input and output are pipes if it is to flood in parts."""
        folder = os.path.join(self.folder, name.replace(" ", "_"))
        os.makedirs(folder)
        preload = f"{self.tool('tests', 'e2e', 'libcount_tool.so')}:{self.tool('lib', 'libomptape.so')}"
        environment = self.environment(LD_PRELOAD=preload, OMPTAPE_COUNT_DIR=folder, OMPTAPE_OUTPUT="out",
                                       OMPTAPE_QUIET="1", OMPTAPE_WHEN_FULL=policy, OMPTAPE_BUFFER_SIZE=size, **more)
        with open(os.path.join(folder, "stderr"), "wb") as err:
            process = subprocess.Popen([self.binary, *(str(word) for word in words)], cwd=folder, env=environment,
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=err,
                                       start_new_session=True)
        return Run(folder, process)

    def finish(self, name, run, said=b"done\n", code=OWN_EXIT, timeout=60):
        """Waits for the program, which must end as it would without the tool, after these last words, and leave
        nothing."""
        try:
            out, _ = run.process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(run.process.pid, signal.SIGKILL)
            out, _ = run.process.communicate()
            self.fail(name, f"the program did not end within {timeout} s")
        with open(os.path.join(run.folder, "stderr"), "rb") as file:
            errors = file.read()
        if run.process.returncode != code or out != said or errors:
            self.fail(name, f"exit code {run.process.returncode}, {out!r}, {errors!r}")
        for line in processes.wait_for_all():
            self.fail(name, line)

    def judge(self, name, path, thorough=True):
        """The archive's facts; both checkers must be content. Not thorough: only omptape's, which is faster."""
        begun = time.monotonic()
        facts = Gaps()
        if not os.path.exists(path):
            self.fail(name, f"no archive {path}")
            return facts
        omptape = self.tool("bin", "omptape")
        for problem in check.check(omptape, path, [facts]) if thorough else check.quickly(omptape, path, facts):
            self.fail(name, problem)
        print(f"{name}: {facts.number('RECORDS')} recorded, {facts.number('DROPPED')} dropped, "
              f"{facts.number('FORGOTTEN')} forgotten, judged in {time.monotonic() - begun:.1f} s")
        return facts

    def callbacks(self, run):
        """What the counting tool saw of the program: all its counters, and how many callbacks there were."""
        counted = counts.read(run.folder).get(run.process.pid, {})
        return counted, counts.callbacks(counted)

    def expect(self, name, what, expected, found):
        if expected != found:
            self.fail(name, f"{what}: expected {expected}, found {found}")

    def remove(self):
        """What a test that passed leaves."""
        if not self.problems:
            shutil.rmtree(self.folder)
