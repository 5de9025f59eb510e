# SPDX-License-Identifier: BSD-3-Clause
"""Hybrid programs under real MPI launchers: one archive of all ranks, complete, with each where it belongs. Each CTest
test is one of the functions below, on one MPI:

    tests/run mpi.mpi --build BUILD --runtimes DIR openmpi|mpich NAME
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import time

from e2e.others import NAME, Others
from e2e.profile import both, hold, read_report
from harness import Missing, arguments, main, source_of
from harness.archives import Archive, contents
from mpi.jobs import CLAIM, REGIONS, Job, Processes

LAUNCHERS = {"openmpi": "Open MPI", "mpich": "Hydra"}
# What each rank says, rightly, when many share two processors with other tests.
CROWDED = "of their time for a processor: "


def said(result):
    """omptape's lines, but for those on a busy machine."""
    return [line.removeprefix("omptape: ") for line in result.err.decode().splitlines()
            if line.startswith("omptape: ") and CROWDED not in line]


def without_report(lines):
    """Without what the last rank says of the report: what costs most, if something does, and how to ask for all."""
    ends = [number for number, line in enumerate(lines) if " ranks: omptape report " in line or line.startswith("a job: omptape report ")]
    named = [number - 1 for number in ends if number > 0 and lines[number - 1].split(":")[0] == lines[number].split(":")[0]]
    return [line for number, line in enumerate(lines) if number not in ends + named]


class MPI(Job):
    """What the tests share: the programs, runs of them, and the list of problems."""

    def __init__(self, options, name, stage):
        self.family = options.mpi
        self.mpirun = shutil.which(f"mpirun.{self.family}")
        self.mpicc = shutil.which(f"mpicc.{self.family}")
        if self.mpirun is None or self.mpicc is None:
            raise Missing(f"no mpirun.{self.family} and mpicc.{self.family}")
        if shutil.which("clang-19") is None:
            raise Missing("no clang-19")
        super().__init__(options, f"{name}.{options.mpi}", stage, LAUNCHERS[options.mpi])
        self.hybrid = self.compile_hybrid(self.mpicc)
        self.plain = self.toolchain.compile(source_of("mpi", "plain.c"), self.path("plain"))
        self.other = shutil.copy(self.plain, self.path("other"))

    def environment(self, **more):
        # Many ranks share two processors. MPI's calls are messages.py's: here only ranks with OpenMP count.
        return super().environment(**{
            "OMPTAPE_MPI": "off",
            "OMP_NUM_THREADS": "2", "KMP_BLOCKTIME": "0", "OMPI_MCA_mpi_yield_when_idle": "1",
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **more})

    def launcher(self, ranks, *options):
        command = [self.mpirun, *options, "-n", str(ranks)]
        return command[:1] + ["--oversubscribe"] + command[1:] if self.family == "openmpi" else command

    def launcher_of_nodes(self, ranks):
        """Half of the ranks on each of two nodes."""
        agent = source_of("mpi", "agent.sh")
        hosts = f"node1:{ranks // 2},node2:{ranks // 2}"
        if self.family == "openmpi":
            return self.launcher(ranks, "--mca", "plm_rsh_agent", agent, "-H", hosts)
        return self.launcher(ranks, "-launcher", "ssh", "-launcher-exec", agent, "-hosts", hosts)

    def launch(self, name, command, timeout=120, **more):
        return self.run(name, command, self.environment(**more), timeout)

    def bare(self, ranks, *arguments):
        """Once without the tool."""
        return self.launch(f"bare-{ranks}", self.launcher(ranks) + [self.hybrid, *arguments])

    def same(self, name, result, bare, lines=0):
        """Output and exit code are the program's, and `lines` lines are omptape's, beside those of the report."""
        found = without_report(said(result))
        if (result.code, result.out) != (bare.code, bare.out):
            self.fail(f"{name}: exit {result.code}, {result.out!r}; without the tool {bare.code}, {bare.out!r}; "
                      f"{result.err.decode(errors='replace')}")
        if lines is not None and len(found) != lines:
            self.fail(f"{name}: {len(found)} lines of omptape's, not {lines}: {found}")


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
        result = mpi.launch(name, command, **variables)
        early = name.endswith("early")
        if not early:
            mpi.same(name, result, bare, lines)
        mpi.ranks(mpi.path(name, "out"), size, REGIONS + early)


BETWEEN_PROCESSES = ("late_sender", "late_receiver", "collective_wait", "window_wait", "late_progress")
UNMET = "who waited for whom in MPI is not known: a profile"


def without_waits(report):
    """A profile does not know who waited for whom between processes, nor what follows from that."""
    report = {key: value for key, value in report.items() if key != "verdict"}
    report["warnings"] = [one for one in report["warnings"] if not one.startswith(UNMET)]
    report["findings"] = [one for one in report["findings"] if one["kind"] not in BETWEEN_PROCESSES]
    report["mpi"] = [{**one, "waited_s": 0} for one in report["mpi"]]
    # What they waited in MPI_Finalize counts, what that takes by itself does not.
    report["efficiency"] = {key: value for key, value in report["efficiency"].items()
                            if key not in ("parallel", "communication", "mpi_load_balance", "available_s", "lost_to_communication_s",
                                           "lost_to_mpi_load_balance_s")}
    report["regions"] = [{**one, "gain_s": 0, "gain_beyond": "", "charged_s": 0}
                         for one in sorted(report["regions"], key=lambda one: one["region"])]
    return report


def profile(mpi):
    """Each rank's sums become one report, which says what the traces of the same records say."""
    size = 3
    names = mpi.built("lib", "libomptape-mpi.so")
    for name, libraries, when in (("recorded", mpi.library, "off"), ("with_calls", f"{names}:{mpi.library}", "on")):
        out = mpi.path(name, "out")
        mpi.launch(name, [*mpi.launcher(size), mpi.hybrid], LD_PRELOAD=libraries, OMPTAPE_MPI=when, OMPTAPE_UNIFY="off",
                   **both(mpi, out))
        for side in ("before", "after"):
            mpi.expect(f"{name}: unify {side}", 0, mpi.command("unify", f"{out}.{side}").returncode)
        hold(mpi, name, f"{out}.before", f"{out}.after", without_waits)
        lines = [sum(one.startswith(UNMET) for one in read_report(mpi, f"{out}.{side}")["warnings"]) for side in ("before", "after")]
        mpi.expect(f"{name}: what the profile's report lacks it says", [0, int(when == "on")], lines)
    mpi.launch("whole", [mpi.omptape, "-q", "--profile", "-o", "out", *mpi.launcher(size), mpi.hybrid])
    report = read_report(mpi, mpi.path("whole", "out"))
    mpi.expect("processes", size, report["processes"])
    mpi.expect("ranks", [f"rank {rank}" for rank in range(size)], [one["name"] for one in report["process_list"]])
    some = read_report(mpi, mpi.path("whole", "out"), "--ranks", "1")
    mpi.expect("one rank", ["rank 1"], [one["name"] for one in some["process_list"]])


def series(mpi):
    """`omptape scale --ranks`: each number of ranks with each number of threads."""
    command = ["{ranks}" if word == "7" else word for word in mpi.launcher(7)]
    mpi.launch("series", [mpi.omptape, "scale", "--ranks=1,2", "--threads=1,2", "--repeat=1", "-o", "out", "--json=scale.json", "--",
                          *command, mpi.hybrid])
    with open(mpi.path("series", "scale.json"), encoding="utf-8") as file:
        found = json.load(file)
    mpi.expect("what differs", "ranks", found["varies"])
    mpi.expect("sizes", [(1, 1), (1, 2), (2, 2), (2, 4)], sorted((one["processes"], one["threads"]) for one in found["sizes"]))
    mpi.expect("runs", [f"ranks-{ranks}-threads-{threads}-1" for ranks in (1, 2) for threads in (1, 2)],
               sorted(os.listdir(mpi.path("series", "out"))))


def parts(mpi):
    """The ranks' own archives before they become one, and after: every event is still there. Once more does no harm,
    and a rank that was away comes in later."""
    size = 4
    for name, command, variables in (
            ("around", [mpi.omptape, "-o", "out", *mpi.launcher(size), mpi.hybrid], {}),
            ("inside", [*mpi.launcher(size), mpi.omptape, "-o", "out", mpi.hybrid], {}),
            ("libraries", [*mpi.launcher(size), mpi.hybrid],
             {"OMP_TOOL_LIBRARIES": mpi.library, "OMPTAPE_OUTPUT": "out"})):
        mpi.launch(name, command, OMPTAPE_UNIFY="off", **variables)
        out = mpi.path(name, "out")
        mpi.parts(out, size)
        before = {}
        for rank in range(size):
            before.update(contents(os.path.join(out, f"rank-{rank}", "traces.otf2")))
        if name == "inside":
            os.rename(os.path.join(out, "rank-2"), mpi.path("away"))
            if mpi.command("unify", out).returncode != 1:
                mpi.fail(f"{name}: nothing was missing")
            mpi.ranks(out, size, without=(2,))
            os.rename(mpi.path("away"), os.path.join(out, "rank-2"))
        last = None
        for attempt in range(2):
            done = mpi.command("unify", out)
            stamp = os.stat(os.path.join(out, "traces.otf2")).st_mtime_ns
            if done.returncode != 0 or (attempt > 0 and stamp != last):
                mpi.fail(f"{name}: unify {attempt} gives {done.returncode}: {done.stdout}")
            last = stamp
        order = (0, 1, 3, 2) if name == "inside" else range(size)  # who comes late comes last
        mpi.whole(out, [(rank, "hybrid", REGIONS) for rank in order], size)
        if contents(os.path.join(out, "traces.otf2")) != before:
            mpi.fail(f"{name}: the events are not those of the parts")


def unnamed(mpi):
    """Without a name for the folder the ranks agree on one."""
    size = 4
    launcher = mpi.launcher(size)
    for name, command, variables in (
            ("around", [mpi.omptape, *launcher, mpi.hybrid], {}),
            ("inside", [*launcher, mpi.omptape, mpi.hybrid], {}),
            ("libraries", [*launcher, mpi.hybrid], {"OMP_TOOL_LIBRARIES": mpi.library}),
            ("programs", [*launcher, mpi.plain, ":", "-n", "2", mpi.other], {"OMP_TOOL_LIBRARIES": mpi.library})):
        mpi.launch(name, command, **variables)
        found = [one for one in os.listdir(mpi.path(name)) if one.startswith("omptape-")]
        if len(found) != 1:
            mpi.fail(f"{name}: the folders are {found}")
        elif name == "programs":
            mpi.whole(mpi.path(name, found[0]),
                      [(rank, "plain" if rank < size else "other", 1) for rank in range(size + 2)], size + 2)
        else:
            mpi.ranks(mpi.path(name, found[0]), size)


def sizes(mpi):
    """One rank is a process like any other; sixteen share two processors."""
    bare = mpi.bare(1)
    result = mpi.launch("one", [*mpi.launcher(1), mpi.omptape, "-o", "out", mpi.hybrid])
    mpi.same("one", result, bare, None)
    mpi.part(mpi.path("one", "out"), 0, 1, REGIONS)
    bare = mpi.bare(16)
    for name, command, variables, lines in (
            ("inside", [mpi.omptape, "-o", "out", mpi.hybrid], {}, 1),
            ("libraries", [mpi.hybrid], {"OMP_TOOL_LIBRARIES": mpi.library, "OMPTAPE_OUTPUT": "out"}, 0)):
        result = mpi.launch(name, [*mpi.launcher(16), *command], **variables)
        mpi.same(name, result, bare, lines)
        mpi.ranks(mpi.path(name, "out"), 16)


def again(mpi):
    """A second job in the same folder touches nothing of the first, unless it is told to."""
    size = 3
    out = mpi.path("job", "out")
    inside = [*mpi.launcher(size), mpi.omptape, "-o", "out", mpi.hybrid]
    libraries = {"OMP_TOOL_LIBRARIES": mpi.library, "OMPTAPE_OUTPUT": "out"}
    mpi.launch("job", inside)
    first = mpi.ranks(out, size)
    mpi.launch("job", [*mpi.launcher(size), mpi.hybrid], **libraries)
    mpi.ranks(out + "-2", size)
    mpi.launch("job", [mpi.omptape, "-o", "out", *mpi.launcher(size), mpi.hybrid])
    mpi.ranks(out + "-3", size)
    if mpi.ranks(out, size) != first:
        mpi.fail("the first job's archive has changed")
    for number, command, variables in (
            (1, [*mpi.launcher(size), mpi.omptape, "--force", "-o", "out", mpi.hybrid], {}),
            (2, [*mpi.launcher(size), mpi.hybrid], {"OMPTAPE_FORCE": "1", **libraries}),
            (3, [mpi.omptape, "--force", "-o", "out", *mpi.launcher(size), mpi.hybrid], {})):
        mpi.launch("job", command, **variables)
        now = mpi.ranks(out, size)
        if now == first or sorted(os.listdir(os.path.dirname(out))) != ["out", "out-2", "out-3", "stderr", "stdout"]:
            mpi.fail(f"--force {number}: {os.listdir(os.path.dirname(out))}, {now}")
        first = now


def staggered(mpi):
    """Ranks that come and go at different times, one of which never uses OpenMP; and one that comes when the others'
    archive is complete."""
    size = 4
    bare = mpi.launch("bare", [*mpi.launcher(size), mpi.hybrid, "stagger", "serial", "2"])
    for name, command, variables, lines in (
            ("around", [mpi.omptape, "-o", "out"], {}, None),
            ("inside", [mpi.omptape, "-o", "out", mpi.hybrid], {}, 2),
            ("libraries", [mpi.hybrid], {"OMP_TOOL_LIBRARIES": mpi.library, "OMPTAPE_OUTPUT": "out"}, 1)):
        command = [*command, *mpi.launcher(size), mpi.hybrid] if name == "around" else [*mpi.launcher(size), *command]
        result = mpi.launch(name, [*command, "stagger", "serial", "2"], **variables)
        mpi.same(name, result, bare, lines)
        if result.err.count(b"rank 2 of 4 left no trace") != 1:
            mpi.fail(f"{name}: that rank 2 is missing is to be said once: {result.err!r}")
        mpi.ranks(mpi.path(name, "out"), size, without=(2,))
    variable = {"openmpi": "OMPI_COMM_WORLD_RANK", "mpich": "PMI_RANK"}[mpi.family]
    for name, command, variables in (
            ("late.inside", [mpi.omptape, "-o", "out"], {}),
            ("late", [], {"OMP_TOOL_LIBRARIES": mpi.library, "OMPTAPE_OUTPUT": "out"})):
        # Rank 2 comes when the others have ended.
        late = f"sleep $((${variable} / 2)); exec {' '.join([*command, mpi.plain])}"
        mpi.launch(name, [*mpi.launcher(3), "sh", "-c", late], **variables)
        mpi.ranks(mpi.path(name, "out"), 3, 1, "plain")
    result = mpi.launch("nothing", [*mpi.launcher(2), mpi.omptape, "-o", "out", "sleep", "0.1"])
    left = [name for name in os.listdir(mpi.path("nothing")) if not name.startswith("std")]
    if result.code != 0 or result.err.count(b"nothing was traced") != 1 or left:
        mpi.fail(f"nothing: {result.err!r}, {left}")


def helpers(mpi):
    """Threads that each rank makes itself: one of each uses time. Whoever has created it is the rank's own thread."""
    program = mpi.compile("e2e", "others.c")
    result = mpi.launch("helpers", [mpi.omptape, "-q", "-o", "out", *mpi.launcher(2), program])
    mpi.expect("helpers: exit", 0, result.code)
    facts = mpi.verify_archive("helpers", mpi.path("helpers", "out", "traces.otf2"), Others())
    masters = {place.group: str(own["OS thread id"]) for place, own in facts.places.items() if place.name == "Master thread"}
    found = {place.group: own for place, own in facts.others.items() if own["other thread"] == NAME}
    mpi.expect("helpers: ranks", ["rank 0", "rank 1"], sorted(group.name.split(":")[0] for group in masters))
    mpi.expect("helpers: of each rank", set(masters), set(found))
    for group, own in found.items():
        mpi.expect(f"{group.name}: created by", masters[group], str(own.get("created by", masters[group])))
        if own["processor time"] < 0.05e9:
            mpi.fail(f"{group.name}: {own}")
    mpi.expect("helpers: who creates", set(), facts.who["ThreadCreate"] - {"Master thread"})
    mpi.expect("helpers: threads", 4, read_report(mpi, mpi.path("helpers", "out"))["threads"])


def killed(mpi):
    """A rank that is killed: its events are there, and so are those of the others, which MPI then kills."""
    size = 3
    for name, command, variables in (
            ("around", [mpi.omptape, "-o", "out", *mpi.launcher(size), mpi.hybrid], {}),
            ("inside", [*mpi.launcher(size), mpi.omptape, "-o", "out", mpi.hybrid], {}),
            ("libraries", [*mpi.launcher(size), mpi.hybrid],
             {"OMP_TOOL_LIBRARIES": mpi.library, "OMPTAPE_OUTPUT": "out"})):
        result = mpi.launch(name, [*command, "kill", "1"], **variables)
        if result.code == 0:
            mpi.fail(f"{name}: mpirun found nothing wrong")
        out = mpi.path(name, "out")
        mpi.killed(out, size, 1)


def programs(mpi):
    """Ranks of different programs, ranks of two, and several launches in one script."""
    for name, command, variables in (
            ("mpmd", [*mpi.launcher(1), mpi.omptape, "-o", "out", mpi.plain, ":", "-n", "2", mpi.omptape, "-o", "out",
                      mpi.hybrid], {}),
            ("mpmd.around", [mpi.omptape, "-o", "out", *mpi.launcher(1), mpi.plain, ":", "-n", "2", mpi.hybrid], {})):
        # The plain one takes no part in what the others' MPI does.
        command = [mpi.other if word == mpi.hybrid else word for word in command]
        mpi.launch(name, command, **variables)
        mpi.whole(mpi.path(name, "out"), [(0, "plain", 1), (1, "other", 1), (2, "other", 1)], 3)
    script = f"{mpi.plain}; {mpi.hybrid}"
    two = [(0, "plain", 1), (0, "hybrid", REGIONS), (1, "plain", 1), (1, "hybrid", REGIONS)]
    for name, command, variables in (
            ("inside", [mpi.omptape, "-o", "out", "sh", "-c", script], {}),
            ("libraries", ["sh", "-c", script], {"OMP_TOOL_LIBRARIES": mpi.library, "OMPTAPE_OUTPUT": "out"})):
        mpi.launch(name, [*mpi.launcher(2), *command], **variables)
        mpi.whole(mpi.path(name, "out"), two, 2)


def script(mpi):
    """Several launches in one script that is traced as it is: one archive, launch after launch."""
    steps = ([*mpi.launcher(3), mpi.hybrid], [mpi.plain], [*mpi.launcher(3), mpi.hybrid, "stagger", "serial", "1"],
             [*mpi.launcher(3), mpi.other])
    path = mpi.write("script.sh", "#!/bin/sh\n" + "".join(" ".join(step) + "\n" for step in steps), 0o755)
    result = mpi.launch("script", [mpi.omptape, "-o", "out", path])
    out = mpi.path("script", "out")
    if b"omptape: vampir out/traces.otf2" not in result.err:
        mpi.fail(f"script: {result.err!r}")
    seen = mpi.verify_archive("script", os.path.join(out, "traces.otf2"), Processes())
    found = [(one.rank, one.program.split(" ")[0], one.events["ThreadFork"]) for one in seen.processes]
    expected = [*[(rank, "hybrid", REGIONS) for rank in (0, 1, 2)], *[(rank, "hybrid", REGIONS) for rank in (0, 2)],
                *[(rank, "other", 1) for rank in (0, 1, 2)], (None, "plain", 1)]
    if found != expected or set(os.listdir(out)) != {CLAIM, "traces", "traces.def", "traces.otf2"}:
        mpi.fail(f"script: {found}, not {expected}; {os.listdir(out)}")
    if len({(one.properties["JOB"], one.properties["STEP"]) for one in seen.processes}) != 4:
        mpi.fail("script: the launches cannot be told apart")
    missing = [text for text in seen.warnings if "left no trace" in text]
    if len(missing) != 1 or not re.match(r"rank 1 of 3 of ", missing[0]):
        mpi.fail(f"script: it says {seen.warnings}, not that rank 1 of the second launch is missing")


def nodes(mpi):
    """Two nodes that share a file system and nothing else, not even the environment."""
    if subprocess.run(["unshare", "--uts", "--pid", "--fork", "--mount-proc", "true"], stderr=subprocess.DEVNULL,
                      check=False).returncode != 0:
        raise Missing("the rights for unshare --uts --pid --mount-proc")
    size = 4
    launcher = mpi.launcher_of_nodes(size)
    if mpi.family == "openmpi":
        forward = ["-x", "OMP_TOOL_LIBRARIES", "-x", "OMPTAPE_OUTPUT"]
    else:
        forward = []
    for name, command, variables in (
            ("around", [mpi.omptape, "-o", "out", *launcher, mpi.hybrid], {}),
            # MPICH's own connections take processes with one number for one, even of two nodes.
            ("apart", [mpi.omptape, "-o", "out", *launcher, mpi.plain], {"NODES_APART": "1"}),
            ("inside", [*launcher, mpi.omptape, "--mpi=off", "-o", "out", mpi.hybrid], {}),
            ("libraries", [*launcher, *forward, mpi.hybrid],
             {"OMP_TOOL_LIBRARIES": mpi.library, "OMPTAPE_OUTPUT": mpi.path("libraries", "out")})):
        result = mpi.launch(name, command, **variables)
        if result.code != 0 or (name == "apart" and b"omptape: vampir out/traces.otf2\n" not in result.err):
            mpi.fail(f"{name}: exit {result.code}, {result.err.decode(errors='replace')}")
        what = (1, "plain") if name == "apart" else (REGIONS, "hybrid")
        found = mpi.ranks(mpi.path(name, "out"), size, *what, hosts=("node1", "node2"))
        if {one["HOST"] for one in found} != {"node1", "node2"}:
            mpi.fail(f"{name}: {found}")
        if abs(ahead(mpi.path(name, "out"))) > result.seconds:
            mpi.fail(f"{name}: the nodes are {ahead(mpi.path(name, 'out'))} s apart in a run of {result.seconds} s")
    wrong_clock(mpi, launcher, size)


FAST = 100  # seconds by which a wall clock is set wrong


def ahead(folder):
    """How many seconds after the first node's events the second's begin: in truth less than the run takes."""
    first = {}
    with Archive(os.path.join(folder, "traces.otf2")) as archive:
        ticks = archive.definitions.clock_properties.timer_resolution
        for location, event in archive.events():
            first.setdefault(location.group.system_tree_parent.name, event.time / ticks)
    return first["node2"] - first["node1"]


def put_clock_ahead(part, seconds):
    """Has the part of a rank say that its host's wall clock was ahead by so much."""
    anchor, definitions = os.path.join(part, "traces.otf2"), os.path.join(part, "traces.def")
    with Archive(anchor) as archive:
        start, end = archive.realtime(), int(archive.properties["OMPTAPE::CLOCK_END_REALTIME"])
    for path, before, after in (
            (definitions, struct.pack("<Q", start), struct.pack("<Q", start + seconds * 10**9)),
            (anchor, str(end).encode(), str(end + seconds * 10**9).encode())):
        with open(path, "rb") as file:
            content = file.read()
        if content.count(before) != 1:
            raise ValueError(f"{path} has its wall clock {content.count(before)} times")
        with open(path, "wb") as file:
            file.write(content.replace(before, after))


def wrong_clock(mpi, launcher, size):
    """A node with a wrong wall clock is believed, until somebody knows better."""
    result = mpi.launch("clock", [mpi.omptape, "--unify=off", "-o", "out", *launcher, mpi.hybrid])
    out = mpi.path("clock", "out")
    for rank in range(size):
        part = os.path.join(out, f"rank-{rank}")
        with Archive(os.path.join(part, "traces.otf2")) as archive:
            is_second = archive.locations[0].group.system_tree_parent.name == "node2"
        if is_second:
            put_clock_ahead(part, FAST)
    if mpi.command("unify", out).returncode != 0:
        mpi.fail("clock: the parts cannot be unified")
    mpi.ranks(out, size, hosts=("node1", "node2"))
    believed = ahead(out)
    with open(mpi.path("offsets"), "w", encoding="utf-8") as file:
        file.write(f"node2 {time.time() + FAST} -{FAST}000000000\n")
    done = mpi.command("unify", "--clock-offsets", mpi.path("offsets"), out)
    if done.returncode != 0:
        mpi.fail(f"clock: {done.stdout}")
    mpi.ranks(out, size, hosts=("node1", "node2"))
    if abs(believed - FAST) > result.seconds or abs(ahead(out)) > result.seconds:
        mpi.fail(f"clock: node2 was {believed} s ahead, not {FAST}, and is {ahead(out)} s, not 0")


def many_ranks(mpi):
    """256 ranks of two threads each, on however few processors: takes minutes. Not part of CTest."""
    size = 256
    for name, command, variables in (
            ("around", [mpi.omptape, "-o", "out", *mpi.launcher(size), mpi.hybrid], {}),
            ("inside", [*mpi.launcher(size), mpi.omptape, "-o", "out", mpi.hybrid], {}),
            ("libraries", [*mpi.launcher(size), mpi.hybrid],
             {"OMP_TOOL_LIBRARIES": mpi.library, "OMPTAPE_OUTPUT": "out"})):
        result = mpi.launch(name, command, 500, **variables)
        if result.code != 0 or not result.out.startswith(b"256 ranks: "):
            mpi.fail(f"{name}: exit {result.code}: {result.out[:500]!r}, {result.err[:2000].decode(errors='replace')}")
        mpi.ranks(mpi.path(name, "out"), size)
        print(f"{name}: {result.seconds:.1f} s")


TESTS = {test.__name__: test for test in (ways, parts, unnamed, sizes, again, staggered, helpers, killed, programs, series, script,
                                          nodes, profile, many_ranks)}

if __name__ == "__main__":
    own_arguments = arguments("Traces hybrid programs under an MPI launcher.")
    own_arguments.add_argument("mpi", choices=sorted(LAUNCHERS))
    sys.exit(main("", TESTS, "mpi", MPI, "19", parser=own_arguments))
