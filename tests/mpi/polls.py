# SPDX-License-Identifier: BSD-3-Clause
"""Calls that ask in vain, again and again, on one MPI: a long row of them is one visit that says how many they were,
what finds something and what is no such row is recorded call by call, and no call is lost.

    tests/run mpi.polls --build BUILD --runtimes DIR openmpi|mpich
"""
import collections
import sys

from otf2 import events as ev

from harness import arguments, main
from mpi.messages import Messages

ROW = 256       # calls of a row that are recorded one by one
MANY = 20000    # as polls.c has it
SPARSE = 1e-6   # seconds from one call to the next in the mean, below which rows of them are dense for certain
SLEPT = 0.2     # seconds, the same


class Polls:
    """An observer of the checker: the visits of each function of MPI's, the calls that they say they are, and when."""

    def __init__(self):
        self.visits, self.calls = collections.Counter(), collections.Counter()
        self.times = collections.defaultdict(list)
        self.last, self.end, self.clock = None, 0, None

    def __call__(self, location, event):
        if isinstance(event, ev.Leave) and event.region.name.startswith("MPI_"):
            attributes = {key.name: value for key, value in (event.attributes or {}).items()}
            self.visits[event.region.name] += 1
            self.calls[event.region.name] += attributes.get("calls", 1)
            self.times[event.region.name].append(event.time)
            self.last = (event.time, "synthesised" in attributes)
        self.end = event.time

    def archive(self, archive):
        self.clock = archive.definitions.clock_properties

    def is_sparse(self, function):
        """Did other programs have the processor so often that its calls are no dense rows?"""
        times = self.times[function]
        return (times[-1] - times[0]) / self.clock.timer_resolution > SPARSE * self.calls[function]


def counted(test, name):
    with open(test.path(name, "told.0"), encoding="ascii") as file:
        words = file.read().split()[2:]
    return dict(zip(words[::2], map(int, words[1::2])))


def traced(test, program, name, *words, **variables):
    # Who yields to others when nothing is there asks seldom on a busy machine.
    result = test.traced(name, 1, [program, *words], OMPI_MCA_mpi_yield_when_idle="0", **variables)
    facts = test.verify_archive(name, test.path(name, "out", "traces.otf2"), Polls())
    if name != "killed":
        test.expect(f"{name}: exit code", 0, result.code)
    test.expect(f"{name}: calls", counted(test, name), dict(facts.calls))
    return facts


def test_polls(test):
    program = test.program("polls.c", sleeps=False)
    facts = traced(test, program, "all")
    for function in ("Test", "Testany", "Testall", "Testsome", "Improbe"):
        # Rows that were interrupted begin anew.
        visits = facts.visits[f"MPI_{function}"]
        if visits <= ROW or (visits >= MANY / 2 and not facts.is_sparse(f"MPI_{function}")):
            test.fail(f"{visits} visits of MPI_{function}")
    for way in ("first", "often", "mixed"):
        facts = traced(test, program, way, way)
        test.expect(f"{way}: visits of MPI_Test", facts.calls["MPI_Test"], facts.visits["MPI_Test"])
        if way == "first":
            test.expect("first: visits", dict(facts.calls), dict(facts.visits))
    facts = traced(test, program, "rest", "rest")
    if facts.visits["MPI_Testany"] > MANY / 2 and not facts.is_sparse("MPI_Testany"):
        test.fail(f"rest: {facts.visits['MPI_Testany']} visits")
    facts = traced(test, program, "each", OMPTAPE_EVENTS="+mpi-all")
    test.expect("each: visits", dict(facts.calls), dict(facts.visits))
    # The last one ended before the program slept, though nothing was recorded after it.
    facts = traced(test, program, "killed", "killed")
    time, synthesised = facts.last
    if synthesised or (facts.end - time) / facts.clock.timer_resolution < SLEPT / 2:
        test.fail(f"killed: the last call ends {(facts.end - time) / facts.clock.timer_resolution} s before the end, "
                  f"{'not ' if synthesised else ''}by itself")


if __name__ == "__main__":
    own_arguments = arguments("Calls of MPI that ask in vain.")
    own_arguments.add_argument("mpi", choices=("mpich", "openmpi"))
    sys.exit(main("", test_polls, "polls", Messages, "19", parser=own_arguments))
