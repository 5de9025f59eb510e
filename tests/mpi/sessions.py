# SPDX-License-Identifier: BSD-3-Clause
"""MPI 4's sessions in the archive, on each MPI that has them:

    tests/run mpi.sessions --build BUILD --runtimes DIR openmpi|mpich NAME
"""
import collections
import os
import sys

from harness import arguments, main
from mpi.messages import Counted, Messages, worlds_of


def sessions(mpi):
    """MPI 4's sessions, without MPI_Init and beside it: what is done on their communicators is told as in all programs, and
    the program ends as it does without the tool."""
    mpi.needs("MPI_Session_init", "sessions")
    program, both = mpi.program("sessions.c"), ["MPI_COMM_SELF", "MPI_COMM_WORLD"]
    for way, ranks, worlds in (("alone", 2, ["mpi://WORLD"]), ("alone", 4, ["mpi://WORLD"]), ("before", 3, both),
                               ("after", 3, both), ("live", 2, ["mpi://WORLD"])):
        name = f"{way}.{ranks}"
        bare = mpi.run(f"bare.{name}", [*mpi.launcher(ranks), program, way], mpi.environment())
        result = mpi.traced(name, ranks, [program, way], ranks == 2)
        mpi.expect(f"{name}: exit", bare.code, result.code)
        facts = mpi.exactly(name, result, ranks)
        if facts is None:
            continue
        mpi.expect(f"{name}: worlds", worlds, worlds_of(facts))
        if name == "alone.4":
            sizes = collections.Counter(size for comm, _, size in facts.comms if comm.startswith("MPI Communicator"))
            mpi.expect(f"{name}: communicators by size", {4: 9, 2: 4, 1: 4}, dict(sizes))
        mpi.expect(f"{name}: check", 0, mpi.command("check", mpi.path(name, "out")).returncode)
    # One kills itself; or all end without MPI_Session_finalize, and MPICH kills those that do not come to that first.
    for way in ("kill", "leave"):
        mpi.traced(way, 3, [program, way])
        facts = mpi.verify_archive(way, mpi.path(way, "out", "traces.otf2"), Counted())
        mpi.expect(f"{way}: messages sent by each", {rank: 4 for rank in range(3)}, {rank: facts.ranks[rank]["sent"] for rank in range(3)})
        mpi.expect(f"{way}: worlds", ["mpi://WORLD"], worlds_of(facts))


def later_sessions(mpi):
    """The archives of ranks that use MPI by sessions alone become one whenever they come, and those of two launches two worlds."""
    mpi.needs("MPI_Session_init", "sessions")
    program = mpi.program("sessions.c")
    mpi.expect("whole: exit", 0, mpi.traced("whole", 3, [program, "alone"], OMPTAPE_UNIFY="off").code)
    out, away = mpi.path("whole", "out"), mpi.path("whole", "away")
    os.rename(os.path.join(out, "rank-1"), away)
    mpi.expect("unify without rank 1", 1, mpi.command("unify", out).returncode)
    os.rename(away, os.path.join(out, "rank-1"))
    mpi.expect("unify", 0, mpi.command("unify", out).returncode)
    facts = mpi.verify_archive("whole", os.path.join(out, "traces.otf2"), Counted())
    mpi.expect("worlds", [("mpi://WORLD", 3)], [(name, size) for name, _, size in facts.comms if "WORLD" in name])
    expected = {}
    for rank in range(3):
        with open(mpi.path("whole", f"told.{rank}"), encoding="ascii") as file:
            expected[rank] = int(file.read().split()[3])
    mpi.expect("messages", expected, {rank: facts.ranks[rank]["sent"] for rank in range(3)})
    script = mpi.path("twice.sh")
    with open(script, "w", encoding="ascii") as file:
        file.write(f"#!/bin/sh\n{mpi.mpirun} -n 2 {program} live\n{mpi.mpirun} -n 2 {program} live\n")
    os.chmod(script, 0o700)
    result = mpi.run("twice", [mpi.omptape, "-q", "-o", "out", script], mpi.environment(), 120)
    mpi.expect("twice: exit", 0, result.code)
    facts = mpi.verify_archive("twice", mpi.path("twice", "out", "traces.otf2"), Counted())
    mpi.expect("twice: worlds", ["mpi://WORLD", "mpi://WORLD 2"], worlds_of(facts))


def session_threads(mpi):
    """Sessions of OpenMP's threads: each message is on the thread that sends it."""
    mpi.needs("MPI_Session_init", "sessions")
    program = mpi.program("sessions_threads.c", "-fopenmp=libomp", "-L" + mpi.toolchain.library_folder)
    facts = mpi.exactly("threads", mpi.traced("threads", 2, [program]), 2)
    if facts is not None:
        mpi.expect("threads: who sends", {("Master thread", True): 40, ("OMP thread 1", True): 40}, dict(facts.inside))


TESTS = {test.__name__: test for test in (sessions, later_sessions, session_threads)}

if __name__ == "__main__":
    own_arguments = arguments("Traces MPI's sessions.")
    own_arguments.add_argument("mpi", choices=("mpich", "openmpi"))
    sys.exit(main("", TESTS, "mpi", Messages, "19", parser=own_arguments))
