#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Hybrid programs under real MPI launchers: each rank's part of the archive must be complete, in the right place, and
know its rank. Each CTest test is one of the functions below, on one MPI:

    mpi.py --build BUILD --runtimes DIR openmpi|mpich NAME

The parts are looked at before they are unified (OMPTAPE_UNIFY=off).
"""
import argparse
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "checker"))

import check  # noqa: E402
import processes  # noqa: E402
from facts import Facts  # noqa: E402
from run import PASSED_ON, SKIPPED  # noqa: E402
from stages import STAGES, Missing, Toolchain  # noqa: E402

CLAIM = ".omptape-job"
LAUNCHERS = {"openmpi": "Open MPI", "mpich": "Hydra"}
REGIONS = 5  # parallel regions of each rank of hybrid.c


class MPI:
    """What the tests share: the programs, runs of them, and the list of problems."""

    def __init__(self, options):
        self.family = options.mpi
        self.build = options.build
        self.mpirun = shutil.which(f"mpirun.{self.family}")
        self.mpicc = shutil.which(f"mpicc.{self.family}")
        if self.mpirun is None or self.mpicc is None:
            raise Missing(f"no mpirun.{self.family} and mpicc.{self.family}")
        self.toolchain = Toolchain(STAGES["19"], options.runtimes)
        if shutil.which("clang-19") is None:
            raise Missing("no clang-19")
        self.omptape = os.path.join(options.build, "bin", "omptape")
        self.library = os.path.join(options.build, "lib", "libomptape.so")
        self.folder = os.path.join(options.build, "tests", "work", f"mpi.{options.mpi}.{options.name}")
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        self.hybrid = self.compile("hybrid")
        self.plain = self.toolchain.compile(os.path.join(HERE, "plain.c"), os.path.join(self.folder, "plain"))
        self.other = shutil.copy(self.plain, os.path.join(self.folder, "other"))
        self.problems = []

    def compile(self, name):
        program = os.path.join(self.folder, name)
        environment = dict(os.environ, OMPI_CC="clang-19", MPICH_CC="clang-19")
        subprocess.run([self.mpicc, "-g", "-fopenmp", "-L" + self.toolchain.library_folder,
                        os.path.join(HERE, "hybrid.c"), "-o", program], env=environment, check=True)
        return program

    def fail(self, text):
        self.problems.append(text)

    def environment(self, **more):
        environment = {key: os.environ[key] for key in PASSED_ON if key in os.environ}
        environment.update(self.toolchain.environment())
        # Many ranks share two processors.
        environment.update(OMP_NUM_THREADS="2", KMP_BLOCKTIME="0", OMPI_MCA_mpi_yield_when_idle="1",
                           OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPTAPE_UNIFY="off")
        environment.update(more)
        return environment

    def launcher(self, ranks, *options):
        command = [self.mpirun, *options, "-n", str(ranks)]
        return command[:1] + ["--oversubscribe"] + command[1:] if self.family == "openmpi" else command

    def run(self, name, command, **more):
        folder = os.path.join(self.folder, name)
        os.makedirs(folder, exist_ok=True)
        result = processes.run(command, folder, self.environment(**more), timeout=120)
        for line in processes.wait_for_all():
            self.fail(f"{name}: {line}")
        return result

    def bare(self, ranks, *arguments):
        """Once without the tool."""
        return self.run(f"bare-{ranks}", self.launcher(ranks) + [self.hybrid, *arguments])

    def same(self, name, result, bare, lines=0):
        """Output and exit code are the program's, and `lines` lines are omptape's."""
        said = [line for line in result.err.decode().splitlines() if line.startswith("omptape: ")]
        if (result.code, result.out) != (bare.code, bare.out):
            self.fail(f"{name}: exit {result.code}, {result.out!r}; without the tool {bare.code}, {bare.out!r}; "
                      f"{result.err.decode(errors='replace')}")
        if lines is not None and len(said) != lines:
            self.fail(f"{name}: {len(said)} lines of omptape's, not {lines}: {said}")

    def archive(self, path, regions):
        facts = Facts()
        for problem in check.check(path, [facts]):
            self.fail(f"{path}: {problem}")
        if facts.events["ThreadFork"] != regions:
            self.fail(f"{path}: {facts.kinds['parallel']} parallel regions, not {regions}")
        return facts

    def part(self, path, rank, size, regions):
        facts = self.archive(os.path.join(path, "trace.otf2"), regions)
        there = {key.removeprefix("OMPTAPE::"): value for key, value in facts.properties.items()}
        expected = {"RANK": str(rank), "SIZE": str(size), "LAUNCHER": LAUNCHERS[self.family]}
        if any(there.get(key) != value for key, value in expected.items()):
            self.fail(f"{path}: {there}, not {expected}")
        return there

    def parts(self, folder, size, regions=REGIONS, without=(), others=()):
        """Looks at all of a job's parts; `others`: what else is in the folder, as regular expressions."""
        names = set(os.listdir(folder)) if os.path.isdir(folder) else set()
        expected = {CLAIM} | {f"rank-{rank}" for rank in range(size) if rank not in without}
        unknown = {name for name in names - expected if not any(re.fullmatch(other, name) for other in others)}
        if unknown or expected - names:
            self.fail(f"{folder}: there are {sorted(names)}, not {sorted(expected)}")
            return {}
        found = {rank: self.part(os.path.join(folder, f"rank-{rank}"), rank, size, regions)
                 for rank in range(size) if rank not in without}
        for key in ("JOB", "STEP"):
            if len({part.get(key) for part in found.values()}) != 1:
                self.fail(f"{folder}: the ranks differ in {key}: {found}")
        return found


def ways(mpi):
    """Each way to start it leaves the same."""
    size = 4
    bare = mpi.bare(size)
    preload = {"LD_PRELOAD": mpi.library}
    libraries = {"OMP_TOOL_LIBRARIES": mpi.library}
    launcher = mpi.launcher(size)
    for name, command, variables, lines in (
            ("around", [mpi.omptape, "-o", "out", *launcher, mpi.hybrid], {}, None),
            ("around.quiet", [mpi.omptape, "-q", "-o", "out", *launcher, mpi.hybrid], {}, 0),
            ("inside", [*launcher, mpi.omptape, "-o", "out", mpi.hybrid], {}, 1),
            ("inside.early", [*launcher, mpi.omptape, "-o", "out", mpi.hybrid, "early"], {}, 1),
            ("preload", [*launcher, mpi.hybrid], {"OMPTAPE_OUTPUT": "out", **preload}, 0),
            ("libraries", [*launcher, mpi.hybrid], {"OMPTAPE_OUTPUT": "out", **libraries}, 0),
            ("both", [mpi.omptape, "-o", "out", *launcher, mpi.omptape, "-q", mpi.hybrid], {}, None)):
        result = mpi.run(name, command, **variables)
        early = name.endswith("early")
        if not early:
            mpi.same(name, result, bare, lines)
        mpi.parts(os.path.join(mpi.folder, name, "out"), size, REGIONS + early)


def unnamed(mpi):
    """Without a name for the folder the ranks agree on one."""
    size = 4
    launcher = mpi.launcher(size)
    for name, command, variables in (
            ("around", [mpi.omptape, *launcher, mpi.hybrid], {}),
            ("inside", [*launcher, mpi.omptape, mpi.hybrid], {}),
            ("libraries", [*launcher, mpi.hybrid], {"OMP_TOOL_LIBRARIES": mpi.library}),
            ("programs", [*launcher, mpi.plain, ":", "-n", "2", mpi.other], {"OMP_TOOL_LIBRARIES": mpi.library})):
        mpi.run(name, command, **variables)
        found = [one for one in os.listdir(os.path.join(mpi.folder, name)) if one.startswith("omptape-")]
        if len(found) != 1:
            mpi.fail(f"{name}: the folders are {found}")
        elif name == "programs":
            mpi.parts(os.path.join(mpi.folder, name, found[0]), size + 2, 1)
        else:
            mpi.parts(os.path.join(mpi.folder, name, found[0]), size)


def sizes(mpi):
    """One rank is a process like any other; sixteen share two processors."""
    bare = mpi.bare(1)
    result = mpi.run("one", [*mpi.launcher(1), mpi.omptape, "-o", "out", mpi.hybrid])
    mpi.same("one", result, bare, None)
    mpi.part(os.path.join(mpi.folder, "one", "out"), 0, 1, REGIONS)
    bare = mpi.bare(16)
    for name, command, variables, lines in (
            ("inside", [mpi.omptape, "-o", "out", mpi.hybrid], {}, 1),
            ("libraries", [mpi.hybrid], {"OMP_TOOL_LIBRARIES": mpi.library, "OMPTAPE_OUTPUT": "out"}, 0)):
        result = mpi.run(name, [*mpi.launcher(16), *command], **variables)
        mpi.same(name, result, bare, lines)
        mpi.parts(os.path.join(mpi.folder, name, "out"), 16)


def again(mpi):
    """A second job in the same folder touches nothing of the first, unless it is told to."""
    size = 3
    out = os.path.join(mpi.folder, "job", "out")
    inside = [*mpi.launcher(size), mpi.omptape, "-o", "out", mpi.hybrid]
    libraries = {"OMP_TOOL_LIBRARIES": mpi.library, "OMPTAPE_OUTPUT": "out"}
    mpi.run("job", inside)
    first = mpi.parts(out, size)
    mpi.run("job", [*mpi.launcher(size), mpi.hybrid], **libraries)
    mpi.parts(out + "-2", size)
    mpi.run("job", [mpi.omptape, "-o", "out", *mpi.launcher(size), mpi.hybrid])
    mpi.parts(out + "-3", size)
    if mpi.parts(out, size) != first:
        mpi.fail("the first job's archive has changed")
    for number, command, variables in (
            (1, [*mpi.launcher(size), mpi.omptape, "--force", "-o", "out", mpi.hybrid], {}),
            (2, [*mpi.launcher(size), mpi.hybrid], {"OMPTAPE_FORCE": "1", **libraries}),
            (3, [mpi.omptape, "--force", "-o", "out", *mpi.launcher(size), mpi.hybrid], {})):
        mpi.run("job", command, **variables)
        now = mpi.parts(out, size)
        if now == first or sorted(os.listdir(os.path.dirname(out))) != ["out", "out-2", "out-3", "stderr", "stdout"]:
            mpi.fail(f"--force {number}: {os.listdir(os.path.dirname(out))}, {now}")
        first = now


def staggered(mpi):
    """Ranks that come and go at different times, one of which never uses OpenMP."""
    size = 4
    for name, command, variables, lines in (
            ("inside", [mpi.omptape, "-o", "out", mpi.hybrid], {}, 1),
            ("libraries", [mpi.hybrid], {"OMP_TOOL_LIBRARIES": mpi.library, "OMPTAPE_OUTPUT": "out"}, 0)):
        result = mpi.run(name, [*mpi.launcher(size), *command, "stagger", "serial", "2"], **variables)
        bare = mpi.run("bare", [*mpi.launcher(size), mpi.hybrid, "stagger", "serial", "2"])
        mpi.same(name, result, bare, lines)
        mpi.parts(os.path.join(mpi.folder, name, "out"), size, without=(2,))
    result = mpi.run("nothing", [*mpi.launcher(2), mpi.omptape, "-o", "out", "sleep", "1"])
    left = [name for name in os.listdir(os.path.join(mpi.folder, "nothing")) if not name.startswith("std")]
    if result.code != 0 or result.err.count(b"nothing was traced") != 1 or left:
        mpi.fail(f"nothing: {result.err!r}, {left}")


def killed(mpi):
    """A rank that is killed: its part tells, and so do those of the others, which MPI then kills."""
    size = 3
    for name, command, variables in (
            ("around", [mpi.omptape, "-o", "out", *mpi.launcher(size), mpi.hybrid], {}),
            ("inside", [*mpi.launcher(size), mpi.omptape, "-o", "out", mpi.hybrid], {}),
            ("libraries", [*mpi.launcher(size), mpi.hybrid],
             {"OMP_TOOL_LIBRARIES": mpi.library, "OMPTAPE_OUTPUT": "out"})):
        result = mpi.run(name, [*command, "kill", "1"], **variables)
        if result.code == 0:
            mpi.fail(f"{name}: mpirun found nothing wrong")
        out = os.path.join(mpi.folder, name, "out")
        part = mpi.part(os.path.join(out, "rank-1"), 1, size, REGIONS)
        # Under another process the writer is not told how the program ended.
        if part.get("END") not in ("signal 9", "unknown"):
            mpi.fail(f"{name}: the killed rank's end is {part.get('END')}")
        for rank in (0, 2):
            path = os.path.join(out, f"rank-{rank}", "trace.otf2")
            for problem in check.check(path, []) if os.path.exists(path) else ():
                mpi.fail(f"{path}: {problem}")
        # A command that mpirun killed leaves its own mark, which counts for nothing.
        marks = os.path.join(out, ".omptape-marks")
        if any(not mark.startswith("wait.") for mark in (os.listdir(marks) if os.path.isdir(marks) else ())):
            mpi.fail(f"{name}: marks are left: {os.listdir(marks)}")


def programs(mpi):
    """Ranks of different programs, and ranks of two."""
    mpi.run("mpmd", [*mpi.launcher(2), mpi.omptape, "-o", "out", mpi.plain, ":", "-n", "2", mpi.omptape, "-o", "out",
                     mpi.other])
    mpi.parts(os.path.join(mpi.folder, "mpmd", "out"), 4, 1)
    script = f"{mpi.plain}; {mpi.hybrid}"
    for name, command, variables in (
            ("inside", [mpi.omptape, "-o", "out", "sh", "-c", script], {}),
            ("libraries", ["sh", "-c", script], {"OMP_TOOL_LIBRARIES": mpi.library, "OMPTAPE_OUTPUT": "out"})):
        mpi.run(name, [*mpi.launcher(2), *command], **variables)
        out = os.path.join(mpi.folder, name, "out")
        mpi.parts(out, 2, 1, others=[r"rank-[01]-hybrid-\d+"])
        others = [one for one in os.listdir(out) if "hybrid" in one]
        if sorted(one[:6] for one in others) != ["rank-0", "rank-1"]:
            mpi.fail(f"{name}: {others}")
        for one in others:
            mpi.part(os.path.join(out, one), int(one[5]), 2, REGIONS)


def nodes(mpi):
    """Two nodes that share a file system and nothing else, not even the environment."""
    if subprocess.run(["unshare", "--uts", "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        raise Missing("the rights for unshare --uts")
    agent = os.path.join(HERE, "agent.sh")
    size = 4
    if mpi.family == "openmpi":
        launcher = mpi.launcher(size, "--mca", "plm_rsh_agent", agent, "-H", "node1:2,node2:2")
        forward = ["-x", "OMP_TOOL_LIBRARIES", "-x", "OMPTAPE_OUTPUT", "-x", "OMPTAPE_UNIFY"]
        wrapped = ["-x", "OMPTAPE_UNIFY"]
    else:
        launcher = mpi.launcher(size, "-launcher", "ssh", "-launcher-exec", agent, "-hosts", "node1:2,node2:2")
        forward = wrapped = []
    for name, command, variables in (
            ("around", [mpi.omptape, "-o", "out", *launcher, mpi.hybrid], {}),
            ("inside", [*launcher, *wrapped, mpi.omptape, "-o", "out", mpi.hybrid], {}),
            ("libraries", [*launcher, *forward, mpi.hybrid],
             {"OMP_TOOL_LIBRARIES": mpi.library, "OMPTAPE_OUTPUT": os.path.join(mpi.folder, "libraries", "out")})):
        result = mpi.run(name, command, **variables)
        if result.code != 0:
            mpi.fail(f"{name}: exit {result.code}, {result.err.decode(errors='replace')}")
        found = mpi.parts(os.path.join(mpi.folder, name, "out"), size)
        if {part.get("HOST") for part in found.values()} != {"node1", "node2"}:
            mpi.fail(f"{name}: {found}")


TESTS = {test.__name__: test for test in (ways, unnamed, sizes, again, staggered, killed, programs, nodes)}


def main():
    parser = argparse.ArgumentParser(description="Traces hybrid programs under an MPI launcher.")
    parser.add_argument("--build", type=os.path.abspath, required=True)
    parser.add_argument("--runtimes", type=os.path.abspath, required=True)
    parser.add_argument("mpi", choices=sorted(LAUNCHERS))
    parser.add_argument("name", choices=sorted(TESTS))
    options = parser.parse_args()
    processes.adopt_orphans()
    try:
        mpi = MPI(options)
        TESTS[options.name](mpi)
    except Missing as reason:
        print(f"SKIPPED: {reason}")
        return SKIPPED
    for problem in mpi.problems:
        print(f"FAILED: {problem}")
    return 1 if mpi.problems else 0


if __name__ == "__main__":
    sys.exit(main())
