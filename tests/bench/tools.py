# SPDX-License-Identifier: BSD-3-Clause
"""The tools that are compared, and one run of a benchmark program under one of them.

Every run gets a folder of its own for what the tool writes; it is deleted at once, so that nothing is written back to
disk while the next run is measured.
"""
import contextlib
import os
import shutil
import stat
import subprocess
import sys
import time
from dataclasses import dataclass, field

from harness import PASSED_ON

# A program that frees one large block makes glibc keep the next ones: any tool that does so would look fast.
COMMON = {
    "OMP_PROC_BIND": "true",
    "OMP_PLACES": "cores",
    "MALLOC_MMAP_THRESHOLD_": "4294967296",
    "MALLOC_TRIM_THRESHOLD_": "4294967296",
}


class Failed(Exception):
    """A run that did not do what it should."""


@dataclass
class Tool:
    """One column: a library to preload and variables to set; `{dir}` in a value is the run's folder."""

    name: str
    preload: str = ""
    variables: dict = field(default_factory=dict)
    is_omptape: bool = False
    is_floor: bool = False
    is_peer: bool = False  # somebody else's: its failures are shown, and do not end the benchmark

    def environment(self, base, folder):
        own = dict(base)
        if self.preload:
            own["LD_PRELOAD"] = self.preload
        if self.is_omptape:
            own.update(OMPTAPE_OUTPUT=os.path.join(folder, "trace"), OMPTAPE_QUIET="1",
                       OMPTAPE_REPORT_FILE=os.path.join(folder, "report"))
        if self.is_floor:
            own["OMPTAPE_FLOOR_REPORT"] = os.path.join(folder, "floor")
        own.update((name, value.replace("{dir}", folder)) for name, value in self.variables.items())
        return own


@dataclass
class Run:
    """What one run took and said. Times in seconds."""

    wall: float
    user: float
    system: float
    end: float      # time.monotonic() when the program was gone
    output: str
    report: dict    # omptape's or the floor tool's figures
    bytes: int      # of all files that the tool left


def parse_tool(text):
    """NAME=PATH[,VARIABLE=VALUE...]; PATH may be empty."""
    name, _, rest = text.partition("=")
    path, *settings = rest.split(",")
    if not name or any("=" not in setting for setting in settings) or (path and not os.path.exists(path)):
        raise ValueError(f"'{text}' is not NAME=/path/of/library.so[,VARIABLE=VALUE...] with an existing library")
    return Tool(name, os.path.abspath(path) if path else "", dict(setting.split("=", 1) for setting in settings),
                is_peer=True)


def read_lines(path):
    """A file of lines key=value."""
    try:
        with open(path, encoding="utf-8") as file:
            return dict(line.rstrip("\n").split("=", 1) for line in file if "=" in line)
    except OSError:
        return {}


class Launcher:
    """Runs programs with a fixed base environment."""

    def __init__(self, folder, toolchain, settle=0.05):
        self._folder = folder
        self._settle = settle
        self._failed = set()
        self._base = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        self._base.update(toolchain.environment())
        self._base.update(COMMON)

    def base(self, threads):
        return dict(self._base, OMP_NUM_THREADS=str(threads))

    def run_if_it_can(self, tool, command, threads):
        """A run whose failure says something of another tool, not of the benchmark; None then, once and for all."""
        key = (tool.name, *command)
        if key in self._failed:
            return None
        try:
            return self.run(tool, command, threads)
        except Failed as failed:
            if not tool.is_peer:
                raise
            self._failed.add(key)
            print(f"bench: {failed}", file=sys.stderr)
            return None

    def run_plain(self, command):
        """The output of a run that is not measured."""
        done = subprocess.run(command, env=self.base(1), stdout=subprocess.PIPE, check=False, text=True)
        if done.returncode != 0:
            raise Failed(f"{' '.join(command)} ends with {done.returncode}")
        return done.stdout

    def run(self, tool, command, threads, keep=None, without=()):
        """Runs `command` to its end. `keep`: called with the run's folder before it is deleted; `without`: prefixes of
        variables that are not set."""
        folder = os.path.join(self._folder, f"run.{os.getpid()}")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        try:
            run = self._run(tool, command, threads, folder, without)
            if keep is not None:
                keep(folder)
            return run
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            # What a tool started may outlive the program by its last clean-up.
            time.sleep(self._settle)

    def _run(self, tool, command, threads, folder, without):
        environment = {name: value for name, value in tool.environment(self.base(threads), folder).items()
                       if not name.startswith(tuple(without))}
        report = os.path.join(folder, "report")
        with open(os.path.join(folder, "stdout"), "w+", encoding="utf-8") as out, \
                open(os.path.join(folder, "stderr"), "w+", encoding="utf-8") as err, \
                open(report, "w", encoding="utf-8"):
            begin = time.monotonic()
            process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=err)
            _, status, usage = os.wait4(process.pid, 0)
            end = time.monotonic()
            process.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            if process.returncode != 0:
                raise Failed(f"{tool.name}: {' '.join(command)} ends with {process.returncode}: {err.read()[-2000:]}")
            found = read_lines(report if tool.is_omptape else os.path.join(folder, "floor"))
            if (tool.is_omptape and "events" not in found) or (tool.is_floor and not found):
                raise Failed(f"{tool.name} did not record {' '.join(command)}: {found.get('error', '')} "
                             f"{err.read()[-2000:]}")
            return Run(end - begin, usage.ru_utime, usage.ru_stime, end, out.read(), found, _bytes_in(folder))


def _bytes_in(folder):
    """Of plain files; the meter may just give its file another name."""
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                found = os.lstat(os.path.join(path, name))
                total += found.st_size if stat.S_ISREG(found.st_mode) else 0
    return total
