# SPDX-License-Identifier: BSD-3-Clause
"""Hosts that compare their clocks by messages: who does, what comes of it, and that nobody else notices. The hosts are
one machine under several names. Unless said otherwise they have one counter, and what they find must be 0 within the
error that they claim. Each CTest test is one of the functions below, on one MPI:

    tests/run mpi.clocks --build BUILD --runtimes DIR openmpi|mpich NAME
"""
import os
import re
import subprocess
import sys

from harness import Missing, arguments, main, source_of
from harness.archives import Archive
from harness.disks import RemoteDisks
from mpi.jobs import CLAIM
from mpi.messages import Messages
from mpi.mpi import FAST, ahead, put_clock_ahead

TRACED = {CLAIM, "traces", "traces.def", "traces.otf2"}


class Clocks(Messages):
    """What the tests share."""

    def __init__(self, options, name, stage):
        if subprocess.run(["unshare", "--uts", "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
            raise Missing("the rights for unshare --uts")
        super().__init__(options, f"clocks.{name}", stage)

    def nodes(self, *counts):
        """A launcher of so many ranks on node1, node2..."""
        agent = source_of("mpi", "agent.sh")
        hosts = ",".join(f"node{number}:{count}" for number, count in enumerate(counts, 1))
        if self.family == "openmpi":
            return [self.mpirun, "--mca", "plm_rsh_agent", agent, "-H", hosts, "-n", str(sum(counts))]
        return [self.mpirun, "-launcher", "ssh", "-launcher-exec", agent, "-hosts", hosts, "-n", str(sum(counts))]

    def trace(self, name, command, *options, code=0, **variables):
        result = self.run(name, [self.omptape, "-q", "-o", "out", *options, *command], self.environment(**variables), 120)
        if code is not None and result.code != code:
            self.fail(f"{name}: exit {result.code}: {result.err.decode(errors='replace')[:2000]}")
        return result

    def told(self, name, result, ranks):
        """What each rank of clocks.c says: (sends, groups), none of them astray."""
        lines = re.findall(r"rank (\d+): (\d+) strays, (\d+) sends, (\d+) groups", result.out.decode())
        self.expect(f"{name}: ranks that speak", list(range(ranks)), sorted(int(line[0]) for line in lines))
        self.expect(f"{name}: strays", {0}, {int(line[1]) for line in lines})
        return {int(rank): (int(sends), int(groups)) for rank, _, sends, groups in lines}

    def samples(self, name):
        """The comparisons of each rank, as (ticks, reference, error); each of them is right."""
        found = {}
        folder = self.path(name, "out")
        left = set(os.listdir(folder)) - TRACED
        if left:
            self.fail(f"{name}: {left} is left")
        with Archive(os.path.join(folder, "traces.otf2")) as archive:
            groups = {int(archive.value_of(group, "RANK")): group for group in archive.definitions.location_groups}
            for rank, group in groups.items():
                text = archive.value_of(group, "CLOCK_SYNC", "")
                found[rank] = [tuple(map(int, one.split(":"))) for one in text.split()]
                reference = [archive.value_of(groups[0], key) for key in ("PID", "HOST")] if 0 in groups else []
                self.expect(f"{name}: rank {rank}: the reference", " ".join(reference) if text else None,
                            archive.value_of(group, "CLOCK_SYNC_WITH"))
        for rank, list_ in found.items():
            for ticks, reference, error in list_:
                if abs(ticks - reference) > error:
                    self.fail(f"{name}: rank {rank} finds {reference - ticks}, and claims to be {error} off at most")
        return found


def compared(mpi):
    """One rank of each node with rank 0, at the beginning and at the end; and then nobody's wall clock counts."""
    program = mpi.program("clocks.c", "-rdynamic", "-ldl")
    result = mpi.trace("compared", [*mpi.nodes(2, 2, 1), program], "--unify=off")
    told = mpi.told("compared", result, 5)
    mpi.expect("compared: communicators", [1, 0, 1, 0, 1], [told[rank][1] for rank in range(5)])
    mpi.expect("compared: who sends", [True, False, True, False, True], [told[rank][0] > 0 for rank in range(5)])
    out = mpi.path("compared", "out")
    for rank in range(5):
        part = os.path.join(out, f"rank-{rank}")
        with Archive(os.path.join(part, "traces.otf2")) as archive:
            is_second = archive.locations[0].group.system_tree_parent.name == "node2"
        if is_second:
            put_clock_ahead(part, FAST)
    mpi.expect("compared: unify", 0, mpi.command("unify", out).returncode)
    for attempt in ("unify", "again"):
        found = mpi.samples("compared")
        mpi.expect(f"{attempt}: comparisons", [0, 0, 2, 0, 2], [len(found[rank]) for rank in range(5)])
        if abs(ahead(out)) > result.seconds:
            mpi.fail(f"{attempt}: node2 is {ahead(out)} s ahead: its wall clock was believed")
        # Nothing is lost when the archive is taken in once more.
        mpi.expect("again: unify", 0, mpi.command("unify", out).returncode)
    # What the user has measured goes before.
    with open(mpi.path("offsets"), "w", encoding="utf-8") as file:
        file.write("node2 1600000000 0\n")
    mpi.expect("offsets", 0, mpi.command("unify", "--clock-offsets", mpi.path("offsets"), out).returncode)
    if abs(ahead(out) - FAST) > result.seconds:
        mpi.fail(f"offsets: node2 is {ahead(out)} s ahead, not {FAST}, as the user says")


def reversed_messages(folder):
    """How many messages there are, and by how many ticks the worst one arrives before it is sent. Of each pair of ranks
    the messages with one tag stay in order."""
    sent, got = {}, {}
    with Archive(os.path.join(folder, "traces.otf2")) as archive:
        ranks = {group: int(archive.value_of(group, "RANK")) for group in archive.definitions.location_groups}
        for location, event in archive.events():
            here = ranks[location.group]
            if type(event).__name__ in ("MpiSend", "MpiIsend"):
                sent.setdefault((here, event.receiver, event.msg_tag), []).append(event.time)
            elif type(event).__name__ in ("MpiRecv", "MpiIrecv"):
                got.setdefault((event.sender, here, event.msg_tag), []).append(event.time)
    pairs = [pair for key, times in sent.items() for pair in zip(times, got[key], strict=True)]
    return len(pairs), max(begin - end for begin, end in pairs)


def counters(mpi):
    """Hosts with counters that are a day apart and tick in other units: by messages none arrives before it is sent, and
    without these the wall clocks bring them together."""
    enter = ["unshare", "--mount", "--time", "--monotonic", "1", "--fork", "true"]
    if subprocess.run(enter, stderr=subprocess.DEVNULL, check=False).returncode != 0:
        raise Missing("the rights for unshare --mount --time")
    program = mpi.program("clocks.c", "-rdynamic", "-ldl")
    untrusted = mpi.path("clocksource")
    with open(untrusted, "w", encoding="ascii") as file:
        file.write("hpet\n")
    for when in ("auto", "off"):
        result = mpi.trace(when, [*mpi.nodes(2, 2), program], f"--clock-sync={when}", NODES_COUNTERS=untrusted)
        told = mpi.told(when, result, 4)
        mpi.expect(f"{when}: who sends", [when == "auto", False] * 2, [told[rank][0] > 0 for rank in range(4)])
        out = mpi.path(when, "out")
        with Archive(os.path.join(out, "traces.otf2")) as archive:
            groups = archive.definitions.location_groups
            kinds = {int(archive.value_of(group, "RANK")): archive.value_of(group, "CLOCK") for group in groups}
            own = [int(archive.value_of(group, "CLOCK_RESOLUTION")) for group in groups]
            ticks = archive.definitions.clock_properties.timer_resolution
            compared_at = [archive.value_of(group, "CLOCK_SYNC", "") for group in groups]
        mpi.expect(f"{when}: the second host's clock", {"monotonic_raw"}, {kinds[2], kinds[3]})
        mpi.expect(f"{when}: the first host's clock", {kinds[0]}, {kinds[1]})
        # Half of a message's way there and back, in the ticks of the one who asked.
        errors = [int(one.split(":")[2]) / own[i] * ticks for i, text in enumerate(compared_at) for one in text.split()]
        mpi.expect(f"{when}: comparisons", 2 if when == "auto" else 0, len(errors))
        messages, worst = reversed_messages(out)
        mpi.expect(f"{when}: messages", 80, messages)
        if worst > (max(errors) if errors else ticks):
            mpi.fail(f"{when}: a message arrives {worst} ticks before it is sent")
        if abs(ahead(out)) > result.seconds:
            mpi.fail(f"{when}: node2 is {ahead(out)} s ahead")


def remembered(mpi):
    """Hosts that believe what they once saw of the trace's folder find each other there, all ranks are in one archive, and
    the command finds that."""
    share = mpi.path("share")
    nodes = [os.path.join(share, f"node{number}") for number in range(4)]
    os.makedirs(os.path.join(share, "seen"))
    disks = RemoteDisks(mpi, os.path.join(share, "kept"), *nodes, at_first="remember")
    program = mpi.program("clocks.c", "-rdynamic", "-ldl")
    command = [mpi.omptape, "-o", os.path.join(share, "seen", "out"), *mpi.nodes(2, 2, 1), program]
    bind = f"mount --bind '{nodes[0]}' '{share}/seen'; exec \"$@\""
    try:
        result = mpi.run("remembered", ["unshare", "--mount", "sh", "-c", bind, "sh", *command], mpi.environment(NODES_SHARE=share), 120)
    finally:
        disks.close()
    told = mpi.told("remembered", result, 5)
    mpi.expect("remembered: who sends", [True, False, True, False, True], [told[rank][0] > 0 for rank in range(5)])
    if b"omptape report" not in result.err:
        mpi.fail(f"remembered: the command found no archive: {result.err.decode(errors='replace')}")
    os.rename(os.path.join(share, "kept", "out"), mpi.path("remembered", "out"))
    found = mpi.samples("remembered")
    mpi.expect("remembered: comparisons", [0, 0, 2, 0, 2], [len(found[rank]) for rank in range(5)])


def alone(mpi):
    """Where there is one host, or nobody wants it, there is no message and no communicator, and nothing in the archive."""
    program = mpi.program("clocks.c", "-rdynamic", "-ldl")
    for name, command, options in (("auto", mpi.launcher(3), ()), ("on", mpi.launcher(3), ("--clock-sync=on",)),
                                   ("off", mpi.nodes(1, 1, 1), ("--clock-sync=off",)), ("one", mpi.launcher(1), ("--clock-sync=on",))):
        told = mpi.told(name, mpi.trace(name, [*command, program], *options), 1 if name == "one" else 3)
        mpi.expect(f"{name}: sends, communicators", {(0, 0)}, set(told.values()))
        mpi.expect(f"{name}: comparisons", {0}, {len(one) for one in mpi.samples(name).values()} if name != "one" else {0})


def subset(mpi):
    """Ranks that are not traced are not waited for, and get no message: one, rank 0, all but one."""
    program = mpi.program("clocks.c", "-rdynamic", "-ldl")
    script = mpi.path("some.sh")
    for name, traced, expected in (("without.one", "0 2 3", {0: 0, 2: 2, 3: 0}), ("without.first", "1 2 3", {1: 0, 2: 0, 3: 0}),
                                   ("without.second", "0 1 3", {0: 0, 1: 0, 3: 2}), ("one", "2", {2: 0})):
        with open(script, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\nrank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\n"
                       f"case ' {traced} ' in *\" $rank \"*) ;; *) unset LD_PRELOAD;; esac\nexec {program} 20\n")
        os.chmod(script, 0o755)
        told = mpi.told(name, mpi.trace(name, [*mpi.nodes(2, 2), script]), 4)
        for rank in range(4):
            if str(rank) not in traced.split() and told[rank] != (0, 0):
                mpi.fail(f"{name}: rank {rank}, which is not traced, sent {told[rank]}")
        mpi.expect(f"{name}: comparisons", expected, {rank: len(one) for rank, one in mpi.samples(name).items()})


def ended(mpi):
    """A job that ends as it should not keeps what was found at its beginning."""
    program = mpi.program("ends.c")
    for end in ("abort", "kill", "leave"):
        bare = mpi.run(f"bare.{end}", [*mpi.nodes(1, 1), program, end, "20"], mpi.environment())
        # Which code it is, Hydra's processes race for when a rank is killed.
        traced = mpi.trace(end, [*mpi.nodes(1, 1), program, end, "20"], code=None)
        mpi.expect(f"{end}: fails as without the tool", bare.code != 0, traced.code != 0)
        mpi.expect(f"{end}: comparisons", {0: 0, 1: 1}, {rank: len(one) for rank, one in mpi.samples(end).items()})


TESTS = {test.__name__: test for test in (compared, counters, remembered, alone, subset, ended)}

if __name__ == "__main__":
    own_arguments = arguments("Compares the clocks of hosts.")
    own_arguments.add_argument("mpi", choices=("mpich", "openmpi"))
    sys.exit(main("", TESTS, "mpi", Clocks, "19", parser=own_arguments))
