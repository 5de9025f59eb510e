# SPDX-License-Identifier: BSD-3-Clause
"""Messages and operations between processes of several MPI_COMM_WORLDs: each leads to the process that it was for, and
where others are not traced, to nobody. The checker (checker/mpi.py) sees to what belongs together. Each CTest test is
one of the functions below, on one MPI:

    tests/run mpi.worlds --build BUILD --runtimes DIR openmpi|mpich NAME
"""
import collections
import glob
import os
import sys

from otf2 import events as ev
from otf2.enums import GroupType

from harness import Missing, arguments, main
from mpi.messages import COLLECTED, RECEIVED, SENT, Messages

ELSEWHERE = "elsewhere"     # a process that left no archive


class Met:
    """An observer of the checker: who sends to whom, by the processes' numbers."""

    def __init__(self):
        self.sent, self.received = collections.Counter(), collections.Counter()
        self.operations = collections.Counter()
        self.put = collections.Counter()    # (who, into whose memory)
        self.synchronised = collections.defaultdict(list)   # who -> with whom, in the order of the events
        self.comms, self.worlds, self.pids = {}, [], set()
        self._events, self._groups = [], []

    def __call__(self, location, event):
        if isinstance(event, SENT):
            self._events.append((self.sent, location, event.communicator, event.receiver))
        elif isinstance(event, RECEIVED):
            self._events.append((self.received, location, event.communicator, event.sender))
        elif isinstance(event, COLLECTED):
            self.operations[event.communicator.name] += 1
        elif isinstance(event, ev.RmaPut):
            self._events.append((self.put, location, event.win.comm, event.remote))
        elif isinstance(event, ev.RmaGroupSync):
            self._groups.append((location, event.group))

    def archive(self, archive):
        def pid_of(member):
            return ELSEWHERE if member is None else int(archive.value_of(member.group, "PID"))
        for counts, location, comm, rank in self._events:
            own = pid_of(location)
            other = own if comm.group.group_type == GroupType.COMM_SELF else pid_of(comm.group.members[rank])
            counts[(other, own) if counts is self.received else (own, other)] += 1
        for location, group in self._groups:
            self.synchronised[pid_of(location)].append(sorted(pid_of(member) for member in group.members))
        for comm in archive.definitions.comms:
            if " across " in comm.group.name:
                self.comms[comm.name] = [pid_of(member) for member in comm.group.members]
        self.worlds = sorted(comm.name for comm in archive.definitions.comms if comm.name.startswith("MPI_COMM_WORLD"))
        self.pids = {int(archive.value_of(group, "PID")) for group in archive.definitions.location_groups}


class Worlds(Messages):
    def __init__(self, options, name, stage):
        super().__init__(options, f"worlds.{name}", stage)
        self.worlds_program = self.program("worlds.c")
        if self.run("can", [*self.launcher(2), self.worlds_program, "multiple"], self.environment()).code != 0:
            raise Missing("no dynamic processes in this MPI")

    def told(self, name):
        """What the processes say: (sender, receiver) -> messages."""
        said = collections.Counter()
        for path in glob.glob(self.path(name, "told.*")):
            with open(path, encoding="ascii") as file:
                said.update((int(line), int(path.rpartition(".")[2])) for line in file)
        return said

    def met(self, name, way, *command, ranks=2, code=0, words=None):
        """Runs it and reads the archive."""
        result = (self.run(name, words, self.environment(), 120) if words else
                  self.traced(name, ranks, [self.worlds_program, way, *command]))
        if code is not None:
            self.expect(f"{name}: exit code", code, result.code)
        self.unified(name)
        facts = self.verify_archive(name, self.path(name, "out", "traces.otf2"), Met())
        self.expect(f"{name}: check", 0, self.command("check", self.path(name, "out")).returncode)
        return facts

    def unified(self, name):
        """Ranks that were killed with their launcher may have left that to others."""
        if not os.path.exists(self.path(name, "out", "traces.otf2")):
            self.command("unify", "--quiet", self.path(name, "out"))

    def all_there(self, name, way, worlds, comms):
        """All messages are in the archive, from whom to whom. `comms`: sizes of what holds several worlds."""
        facts, said = self.met(name, way), self.told(name)
        extra = PORT_MESSAGES.get(way, 0)
        self.expect(f"{name}: worlds", worlds, len(facts.worlds))
        self.expect(f"{name}: communicators", sorted(comms), sorted(len(members) for members in facts.comms.values()))
        self.expect(f"{name}: received", extra, sum((facts.received - said).values()))
        self.expect(f"{name}: not received", {}, dict(said - facts.received))
        self.expect(f"{name}: sent", dict(facts.received), dict(facts.sent))
        return facts


PORT_MESSAGES = {"port": 1, "join": 2}      # that carry the port


def spawned(mpi):
    """By several at a time, by several programs' worlds together, and of what was made of that."""
    mpi.all_there("twins", "twins", 3, [3, 3])
    mpi.all_there("multiple", "multiple", 2, [5])
    mpi.all_there("grow", "grow", 4, [3, 3, 4, 4, 5, 5])
    mpi.all_there("pieces", "pieces", 2, [4, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 3])


def connected(mpi):
    """By a port, which is used again and again, and by a socket."""
    mpi.all_there("port", "port", 4, [3, 4, 4, 2, 2, 3, 2, 2, 3])
    mpi.all_there("join", "join", 3, [2, 2, 2, 2])


def windows(mpi):
    """Windows of two worlds' processes: what is put, and whom epochs are with."""
    facts, said = mpi.met("window", "window"), mpi.told("window")
    mpi.expect("window: put", dict(said), dict(facts.put))
    partner = {here: there for (there, here), count in said.items() if count == 2}
    expected = {here: [sorted(facts.pids - {here})] * 4 + [[partner[here]]] * 4 for here in facts.pids}
    mpi.expect("window: synchronised", expected, dict(facts.synchronised))


def untraced(mpi):
    """Where one side is not traced the other one's archive is whole, and its messages lead nowhere."""
    commands = {"child": ("/usr/bin/env", "-u", "LD_PRELOAD", mpi.worlds_program, "bare"),
                "parent": (mpi.omptape, "-q", "-o", mpi.path("parent", "out"), mpi.worlds_program, "bare")}
    for name, command in commands.items():
        words = [*mpi.launcher(2), mpi.worlds_program, "bare", *command] if name == "parent" else None
        facts = mpi.met(name, "bare", *command, words=words)
        # Each of two to each of two others, and among all four to these and the one beside it.
        sent = collections.Counter({pair: 1 for pair in mpi.told(name) if set(pair) <= facts.pids})
        sent.update({(pid, ELSEWHERE): 4 for pid in facts.pids})
        mpi.expect(f"{name}: processes", 2, len(facts.pids))
        mpi.expect(f"{name}: sent", dict(sent), dict(facts.sent))
        mpi.expect(f"{name}: received", {(there, here): count for (here, there), count in sent.items()}, dict(facts.received))
        mpi.expect(f"{name}: members", [[4, 2], [4, 2]], [[len(members), members.count(ELSEWHERE)] for members in facts.comms.values()])


def killed(mpi):
    """What was there before is."""
    facts = mpi.met("killed", "kill", code=None)
    said = mpi.told("killed")
    mpi.expect("killed: told", 4, sum(said.values()))
    mpi.expect("killed: received", dict(said), dict(facts.received))
    mpi.expect("killed: sent", dict(said), dict(facts.sent))


def later(mpi):
    """Archives that come one after the other become the same as those that come together: also where worlds are alike."""
    for way, comms in (("multiple", [5]), ("twins", [3, 3])):
        words = [mpi.omptape, "-q", "--unify=off", "-o", "out", *mpi.launcher(2), mpi.worlds_program, way]
        mpi.expect(f"{way}: exit code", 0, mpi.run(way, words, mpi.environment(), 120).code)
        parts = sorted(one for one in os.listdir(mpi.path(way, "out")) if not one.startswith("."))
        for part in parts:
            os.rename(mpi.path(way, "out", part), mpi.path(way, part))
        for i, part in enumerate(parts):
            os.rename(mpi.path(way, part), mpi.path(way, "out", part))
            # It says that ranks are missing until the last one is there.
            done = mpi.command("unify", "--quiet", mpi.path(way, "out")).returncode if i > 0 else 1
            if i + 1 == len(parts):
                mpi.expect(f"{way}: unify", 0, done)
        facts, said = mpi.verify_archive(way, mpi.path(way, "out", "traces.otf2"), Met()), mpi.told(way)
        mpi.expect(f"{way}: processes", sum(comms), len(facts.pids))
        mpi.expect(f"{way}: received", dict(said), dict(facts.received))
        mpi.expect(f"{way}: sent", dict(said), dict(facts.sent))
        mpi.expect(f"{way}: communicators", comms, [len(one) for one in facts.comms.values()])


TESTS = {test.__name__: test for test in (spawned, connected, windows, untraced, killed, later)}

if __name__ == "__main__":
    own_arguments = arguments("Traces processes of several worlds.")
    own_arguments.add_argument("mpi", choices=("mpich", "openmpi"))
    sys.exit(main("", TESTS, "mpi", Worlds, "19", parser=own_arguments))
