# SPDX-License-Identifier: BSD-3-Clause
"""MPI's calls in the archive: exactly those that the programs count themselves, on each MPI, in C and Fortran, and the
same program as without the tool. The checker (checker/mpi.py) sees to what belongs together. Each CTest test is one of
the functions below, on one MPI:

    tests/run mpi.messages --build BUILD --runtimes DIR openmpi|mpich NAME
"""
import collections
import glob
import os
import re
import shutil
import subprocess
import sys

from otf2 import events as ev
from otf2.enums import CollectiveOp, IoOperationFlag, IoOperationMode, Paradigm

from e2e.profile import read_report
from harness import Missing, Test, arguments, main, source_of
from harness.archives import Archive
from mpi import table
from mpi.programs import compile_program

SENT = (ev.MpiSend, ev.MpiIsend)
RECEIVED = (ev.MpiRecv, ev.MpiIrecv)
COLLECTED = (ev.MpiCollectiveEnd, ev.NonBlockingCollectiveComplete)
# Of these each call is one operation.
MAKE_OR_FREE = re.compile(r"MPI_(Comm_(dup|dup_with_info|split|split_type|create|create_group|free|disconnect)|Cart_create|Cart_sub|Graph_create|"
                          r"Dist_graph_create(_adjacent)?|Intercomm_(create|merge))$")
ACCESSES = {ev.RmaPut: "puts", ev.RmaGet: "gets", ev.RmaAtomic: "atomics"}
STEPS = {ev.RmaWinCreate: "windows", ev.RmaAcquireLock: "locks", ev.RmaGroupSync: "groups"}
ONE_SIDED = (r"(?: windows (\d+) puts (\d+) (\d+) gets (\d+) (\d+) atomics (\d+) (\d+) (\d+) locks (\d+) "
             r"groups (\d+))?")
FILES = r"(?: files (\d+) seeks (\d+) deleted (\d+) reads (\d+) (\d+) writes (\d+) (\d+))?"
FILE_STEPS = {ev.IoCreateHandle: "files", ev.IoSeek: "seeks", ev.IoDeleteFile: "deleted"}
NUMBERS = ("sent", "sent bytes", "received", "received bytes", "windows", "puts", "puts bytes", "gets", "gets bytes",
           "atomics", "atomics bytes", "atomics bytes received", "locks", "groups", "files", "seeks", "deleted", "reads",
           "reads bytes", "writes", "writes bytes")
USUAL = {"mpi-p2p", "mpi-coll", "mpi-rma", "mpi-io"}


def comms_of_mpi(archive):
    """All but that of threads which MPI made for itself: it is there if they began after the first call."""
    return [comm for comm in archive.definitions.comms if comm.group.paradigm != Paradigm.PTHREAD]


class Counted:
    """An observer of the checker: what each rank did, as the programs count it."""

    def __init__(self):
        self.ranks = collections.defaultdict(collections.Counter)
        self.inside = collections.Counter()     # (thread, regions around): messages sent
        self.on_threads = collections.Counter() # (thread, function): calls
        self._stacks = collections.defaultdict(list)
        self.comms = []
        # (rank, function that it ended in) -> operations: what, root, bytes
        self.operations = collections.defaultdict(collections.Counter)
        self.lives = collections.Counter()      # (rank, function that it ended in): communicators made or freed
        self.strange = set()                    # (function, what of its operation is not as its name says)
        self.operating = {}                     # (rank, handle, matching id) -> "reads" or "writes"
        self.handles = []                       # (name, file, members of its communicator)
        self.places = collections.Counter()     # (function, name of the place, file, line); without one None

    def __call__(self, location, event):
        counts = self.ranks[int(location.group.name.removeprefix("rank "))]
        if isinstance(event, ev.Enter):
            self._stacks[location].append(event.region.name)
            if event.region.paradigm == Paradigm.MPI:
                counts[event.region.name] += 1
                self.on_threads[location.name, event.region.name] += 1
                place = next((value for key, value in (event.attributes or {}).items() if key.name == "call site"), None)
                self.places[event.region.name, *(place and (place.name, place.source_file, place.begin_line_number) or (None,) * 3)] += 1
        elif isinstance(event, ev.Leave):
            self._stacks[location].pop()
            # A row of calls that asked in vain
            more = next((value for key, value in (event.attributes or {}).items() if key.name == "calls"), 1) - 1
            if more:
                counts[event.region.name] += more
                self.on_threads[location.name, event.region.name] += more
        elif isinstance(event, SENT):
            counts["sent"] += 1
            counts["sent bytes"] += event.msg_length
            self.inside[location.name, any("parallel" in name for name in self._stacks[location])] += 1
        elif isinstance(event, RECEIVED):
            counts["received"] += 1
            counts["received bytes"] += event.msg_length
        elif isinstance(event, tuple(ACCESSES)):
            what = ACCESSES[type(event)]
            counts[what] += 1
            counts[what + " bytes"] += event.bytes_sent if what == "atomics" else event.bytes
            counts["atomics bytes received"] += event.bytes_received if what == "atomics" else 0
        elif type(event) in STEPS:
            counts[STEPS[type(event)]] += 1
        elif type(event) in FILE_STEPS:
            counts[FILE_STEPS[type(event)]] += 1
        elif isinstance(event, ev.IoOperationBegin):
            what = "reads" if event.mode == IoOperationMode.READ else "writes"
            counts[what] += 1
            self.operating[location.group, event.handle, event.matching_id] = what
            self.told_of_operation(self._stacks[location][-1], event)
        elif isinstance(event, ev.IoOperationComplete):
            counts[self.operating.pop((location.group, event.handle, event.matching_id)) + " bytes"] += event.bytes_result
        elif isinstance(event, COLLECTED) and event.collective_op in (CollectiveOp.CREATE_HANDLE, CollectiveOp.DESTROY_HANDLE):
            self.lives[int(location.group.name.removeprefix("rank ")), self._stacks[location][-1]] += 1
        elif isinstance(event, COLLECTED):
            self.operations[int(location.group.name.removeprefix("rank ")), self._stacks[location][-1]][
                str(event.collective_op), str(event.root), event.size_sent, event.size_received] += 1

    def told_of_operation(self, function, event):
        """What its begin says is what the function's name does."""
        name = function.removesuffix("_c")
        collective, later = (event.operation_flags & flag == flag for flag in (IoOperationFlag.COLLECTIVE, IoOperationFlag.NON_BLOCKING))
        offset = next((value for key, value in (event.attributes or {}).items() if key.name == "Offset"), None)
        self.strange |= {(function, what) for what, good in (
            ("collective", collective == any(word in name for word in ("_all", "_ordered"))),
            ("not blocking", later == ("_i" in name or "_begin" in name)),
            ("offset", (offset is not None) == ("_at" in name))) if not good}

    def archive(self, archive):
        self.comms = [(comm.name, comm.group.group_type, len(comm.group.members)) for comm in comms_of_mpi(archive)]
        self.windows = [(window.name, len(window.comm.group.members) or 1) for window in archive.definitions.rma_wins]
        self.handles = sorted((handle.name, handle.file.name, len(handle.comm.group.members) or 1)
                              for handle in archive.definitions.io_handles)


class Messages(Test):
    """What the tests share: the programs of one MPI, and runs of them."""

    def __init__(self, options, name, stage):
        self.family = options.mpi
        super().__init__(options, f"messages.{name}.{options.mpi}", stage)
        self.mpirun, self.mpicc, self.mpif90 = (self.tool(word) for word in ("mpirun", "mpicc", "mpif90"))
        self.names = self.built("lib", "libomptape-mpi.so")
        self.rows, self.called = table.rows(), set()

    def tool(self, word):
        found = shutil.which(f"{word}.{self.family}")
        if found is None:
            raise Missing(f"no {word}.{self.family}")
        return found

    def needs(self, function, what):
        """Passes the test over where this MPI lacks the function."""
        if function not in table.declared(self.mpicc, self.path()):
            raise Missing(f"no {what} in this MPI")

    def environment(self, **more):
        return super().environment(**{
            "OMP_NUM_THREADS": "2", "KMP_BLOCKTIME": "0", "OMPI_MCA_mpi_yield_when_idle": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **more})

    def launcher(self, ranks):
        return [self.mpirun, "-n", str(ranks)]

    def program(self, source, *options, compiler=None, **more):
        """Built by MPI's own compiler command."""
        return compile_program(self, compiler or self.mpicc, source, *options, **more)

    def traced(self, name, ranks, command, inside=False, **variables):
        """Runs it under the command; its output must be what it is without."""
        omptape = [self.omptape, "-q", "-o", "out"]
        words = [*self.launcher(ranks), *omptape, *command] if inside else [*omptape, *self.launcher(ranks), *command]
        return self.run(name, words, self.environment(**variables), 240)

    def exactly(self, name, result, ranks, facts=None, groups=USUAL):
        """The archive holds what the ranks say that they did, and nothing else. `groups`: of --events."""
        if result.code != 0:
            self.fail(f"{name}: exit {result.code}: {result.err.decode(errors='replace')[:2000]}")
            return None
        facts = facts or self.verify_archive(name, self.path(name, "out", "traces.otf2"), Counted())
        said = [result.out.decode()]
        for path in sorted(glob.glob(self.path(name, "told.*"))):
            with open(path, encoding="ascii") as file:
                said.append(file.read())
        lines = re.findall(r"rank (\d+): sent (\d+) (\d+) received (\d+) (\d+)" + ONE_SIDED + FILES + r"((?: MPI_\w+ \d+)*)",
                           "\n".join(said))
        self.expect(f"{name}: ranks that speak", set(range(ranks)), {int(line[0]) for line in lines})
        for rank, *numbers, calls in lines:
            expected = {key: int(number or 0) for key, number in zip(NUMBERS, numbers)}
            words = calls.split()
            of_messages, of_windows, of_files = NUMBERS[:4], NUMBERS[4:14], NUMBERS[14:]
            for group, keys in (("mpi-p2p", of_messages), ("mpi-rma", of_windows), ("mpi-io", of_files)):
                for key in keys if group not in groups else ():
                    del expected[key]
            expected.update(self.recorded(zip(words[::2], map(int, words[1::2])), groups))
            found = {key: count for key, count in facts.ranks[int(rank)].items() if count}
            if found != {key: count for key, count in expected.items() if count}:
                differing = {key: (expected.get(key, 0), found.get(key, 0)) for key in expected.keys() | found.keys()
                             if expected.get(key, 0) != found.get(key, 0)}
                self.fail(f"{name}: rank {rank} (did, recorded): {differing}")
            for function in filter(MAKE_OR_FREE.match, found):
                self.expect(f"{name}: rank {rank}: operations of {function}", found[function], facts.lives[int(rank), function])
        return facts

    def every_one_is_called(self, *groups):
        """Of the table's functions in these groups, without others or with them, that this MPI has."""
        known = table.declared(self.mpicc, self.path())
        self.expect("not called", set(), {name for name, row in self.rows.items() if name in known and row.group in groups}
                    - self.called)

    def recorded(self, calls, groups):
        """Those of the calls that these groups hold, and notes all."""
        for name, count in calls:
            self.called.add(name)
            if self.rows[name].group & (groups | {"always"}):
                yield name, count


def operations_agree(mpi, name, facts, ranks):
    """Operations that are alike have the same root and bytes, whichever way they are started and however they count."""
    for rank in range(ranks):
        by_function = {function: done for (who, function), done in facts.operations.items() if who == rank}
        later = by_function.pop("MPI_Wait")
        again = by_function.pop("MPI_Waitany", None)
        for function, done in by_function.items():
            if function.endswith("_c"):
                mpi.expect(f"{name}: rank {rank}: {function}", by_function[function[:-2]], done)
        # Each is there as often; of others, which come before, there are more that block.
        mpi.expect(f"{name}: rank {rank}: later", {}, dict(later - sum(by_function.values(), collections.Counter())))
        for one, times in (again or {}).items():
            mpi.expect(f"{name}: rank {rank}: again, {one}", later[one] * (1 if ranks > 2 else 2), times)


def placed(mpi, name, facts, source, around=0):
    """Each call is told where it stands in the source, but for so many lines."""
    base = os.path.basename(source)
    with open(source, encoding="utf-8") as file:
        lines = file.read().split("\n")
    for function, place, path, line in facts.places:
        if place != f"{function} @{base}:{line}" or os.path.basename(path or "") != base:
            mpi.fail(f"{name}: {function} is called at {place}, {path}:{line}")
        elif function.lower() not in "".join(lines[max(0, line - 1 - around):line + around]).lower():
            mpi.fail(f"{name}: {function} is called at {place}: {lines[line - 1]!r}")


def calls(mpi):
    """Every function, by 1 to 4 ranks, whichever way it is started."""
    program = mpi.program("calls.c")
    mpi.expect("the table", [], table.disagreements(mpi.mpicc, mpi.path()))
    of_openmpi = mpi.family == "openmpi"    # each MPI has a part of the cases
    for ranks, inside in ((2, True), (3, False), (4, False)) if of_openmpi else ((1, False), (2, True), (4, False)):
        name = f"calls.{ranks}"
        facts = mpi.exactly(name, mpi.traced(name, ranks, [program], inside), ranks)
        if facts is not None:
            operations_agree(mpi, name, facts, ranks)
        if facts is not None and ranks == 4:
            mpi.expect(f"{name}: MPI_COMM_WORLD", 1, sum(comm[0] == "MPI_COMM_WORLD" for comm in facts.comms))
            # Of all (two between halves), without rank 0, of halves, of each process alone: one for all of its members.
            expected = {4: 14 if "MPI_Comm_idup_with_info" in mpi.called else 13, 3: 1, 2: 7, 1: 4}
            sizes = collections.Counter(size for comm, _, size in facts.comms if comm.startswith("MPI Communicator"))
            mpi.expect(f"{name}: communicators by size", expected, dict(sizes))
    mpi.exactly("more", mpi.traced("more", 2, [program, "2"]), 2)
    for groups in ("mpi-coll", "+mpi-all") if of_openmpi else ("-mpi-coll",):
        words = {"mpi-coll": {"mpi-coll"}, "-mpi-coll": USUAL - {"mpi-coll"}, "+mpi-all": USUAL | {"mpi-all"}}[groups]
        mpi.exactly(groups, mpi.traced(groups, 2, [program], OMPTAPE_EVENTS=groups), 2, groups=words)
    mpi.every_one_is_called({"mpi-p2p"}, {"mpi-coll"}, USUAL)
    off = mpi.traced("off", 2, [program], OMPTAPE_MPI="off")
    mpi.expect("off: exit code", 0, off.code)
    if os.path.exists(mpi.path("off", "out", "traces.otf2")):
        mpi.fail("off: something was traced")


def between(mpi):
    """Collective operations between two groups: who is the root, and what each side gives and gets."""
    program = mpi.program("between.c")
    roots = {"none": "4294967295", "side": "4294967293"}
    for ranks in (2, 3):
        name = f"between.{ranks}"
        result = mpi.traced(name, ranks, [program])
        facts = mpi.verify_archive(name, mpi.path(name, "out", "traces.otf2"), Counted())
        mpi.expect(f"{name}: exit code", 0, result.code)
        for rank in range(ranks):
            expected = collections.defaultdict(collections.Counter)
            with open(mpi.path(name, f"told.{rank}"), encoding="ascii") as file:
                for function, operation, root, sent, received in map(str.split, file):
                    expected[function][f"CollectiveOp.{operation}", roots.get(root, root), int(sent), int(received)] += 1
            mpi.expect(f"{name}: rank {rank}", dict(expected),
                       {function: done for (who, function), done in facts.operations.items() if who == rank})
        placed(mpi, name, facts, source_of("mpi", "between.c"))


def meetings(mpi):
    """Processes that meet in other ways than by MPI_Init: of one world, and of two."""
    program = mpi.program("spawn.c")
    if mpi.run("bare", [*mpi.launcher(2), program, "spawn"], mpi.environment()).code != 0:
        raise Missing("no dynamic processes in this MPI")
    for way in ("connect", "join"):
        mpi.exactly(way, mpi.traced(way, 2, [program, way]), 2)
    mpi.expect("spawn: exit code", 0, mpi.traced("spawn", 2, [program, "spawn"]).code)
    facts = mpi.verify_archive("spawn", mpi.path("spawn", "out", "traces.otf2"), Counted())
    worlds = [comm[0] for comm in facts.comms if comm[0].startswith("MPI_COMM_WORLD")]
    mpi.expect("spawn: worlds", ["MPI_COMM_WORLD", "MPI_COMM_WORLD 2"], sorted(worlds))
    expected = collections.defaultdict(collections.Counter)     # by rank, of both worlds
    for rank in (0, 1, 10, 11):
        with open(mpi.path("spawn", f"told.{rank}"), encoding="ascii") as file:
            words = file.read().split()
        calls = words[words.index("received") + 3:]
        expected[rank % 10].update(dict(mpi.recorded(zip(calls[::2], map(int, calls[1::2])), USUAL)))
        numbers = (*words[words.index("sent") + 1:][:2], *words[words.index("received") + 1:][:2])
        expected[rank % 10].update(dict(zip(NUMBERS, map(int, numbers))))
    mpi.expect("spawn: calls", {rank: dict(counts) for rank, counts in expected.items()},
               {rank: dict(counts) for rank, counts in facts.ranks.items()})


def windows(mpi):
    """One-sided communication: exactly what was done, complete, also without it and after a kill."""
    program = mpi.program("windows.c")
    facts = mpi.exactly("windows", mpi.traced("windows", 3, [program]), 3)
    if facts is not None:
        mpi.expect("windows by communicator", 7 if "MPI_Put_c" in mpi.called else 4, len(facts.windows))
        mpi.expect("sizes", {3} | ({1} if "MPI_Put_c" in mpi.called else set()), {size for _, size in facts.windows})
    mpi.every_one_is_called({"mpi-rma"})
    mpi.exactly("without", mpi.traced("without", 2, [program], OMPTAPE_EVENTS="-mpi-rma"), 2, groups=USUAL - {"mpi-rma"})
    mpi.traced("killed", 2, [program, "kill"])
    facts = mpi.verify_archive("killed", mpi.path("killed", "out", "traces.otf2"), Counted())
    mpi.expect("killed: windows", 1, facts.ranks[1]["windows"])
    mpi.expect("killed: puts", 2 if "MPI_Put_c" in mpi.called else 1, facts.ranks[1]["puts"])


def python(mpi):
    """mpi4py, whose MPI is loaded while it runs; by the launcher, and by a script that starts that."""
    if mpi.family != "openmpi" or subprocess.run(["/usr/bin/python3", "-c", "import mpi4py"], check=False,
                                                 capture_output=True).returncode != 0:
        raise Missing("no mpi4py of this MPI")
    script = mpi.path("job")
    with open(script, "w", encoding="ascii") as file:
        file.write(f"#!/bin/sh\nexec {mpi.mpirun} -n 2 /usr/bin/python3 {source_of('mpi', 'python.py')}\n")
    os.chmod(script, 0o700)
    for name, command in (("script", [script]), ("shell", ["sh", script])):
        result = mpi.run(name, [mpi.omptape, "-q", "-o", "out", "--mpi=auto", *command], mpi.environment(), 60)
        facts = mpi.verify_archive(name, mpi.path(name, "out", "traces.otf2"), Counted())
        mpi.expect(f"{name}: exit code", 0, result.code)
        for rank in range(2):
            expected = {"sent": 5, "sent bytes": 500, "received": 5, "received bytes": 500, "MPI_Sendrecv": 5,
                        "MPI_Comm_split": 1, "MPI_Barrier": 1, "MPI_Comm_free": 1}
            mpi.expect(f"{name}: rank {rank}", expected, {key: facts.ranks[rank][key] for key in expected})


def behind(mpi):
    """A launcher that the command does not see, as something else starts it; and no command at all."""
    program, launcher = mpi.program("threads.c", "-fopenmp=libomp", "-L" + mpi.toolchain.library_folder), mpi.launcher(2)
    omptape = [mpi.omptape, "-q", "-o", "out"]
    make = mpi.path("Makefile")
    with open(make, "w", encoding="ascii") as file:
        file.write(f"run:\n\t@{' '.join(launcher)} {program} 3\n")
    library = mpi.built("lib", "libomptape.so")
    for name, command, variables in (
            ("timeout", [*omptape, "timeout", "60", *launcher, program, "3"], {}),
            ("env", [*omptape, "env", "A=1", "nice", "-n", "0", *launcher, program, "3"], {}),
            ("shell", [*omptape, "sh", "-c", " ".join([*launcher, program, "3"])], {}),
            ("make", [*omptape, "make", "-s", "-f", make, "run"], {}),
            ("preloaded", [*launcher, program, "3"], {"LD_PRELOAD": library, "OMPTAPE_OUTPUT": "out"})):
        mpi.exactly(name, mpi.run(name, command, mpi.environment(**variables), 120), 2)
    off = mpi.run("off", [*omptape, "--mpi=off", "timeout", "60", *launcher, program, "3"], mpi.environment(), 120)
    facts = mpi.verify_archive("off", mpi.path("off", "out", "traces.otf2"), Counted())
    mpi.expect("off", (0, set()), (off.code, {key for rank in facts.ranks.values() for key, count in rank.items() if count}))


def worlds_of(facts):
    return sorted(name for name, _, _ in facts.comms if "WORLD" in name or "SELF" in name)


def partitioned(mpi):
    """Partitioned messages: one for each start, on communicators of their own beside the program's, from the thread that has the
    last partition ready."""
    mpi.needs("MPI_Psend_init", "partitioned messages")
    program = mpi.program("partitioned.c", "-fopenmp=libomp", "-L" + mpi.toolchain.library_folder)
    for ranks in (1, 2, 3):
        name = f"rounds.{ranks}"
        facts = mpi.exactly(name, mpi.traced(name, ranks, [program, "rounds"], ranks == 2), ranks)
        if facts is None:
            continue
        ready = {thread: count for (thread, function), count in facts.on_threads.items() if function == "MPI_Pready"}
        mpi.expect(f"{name}: MPI_Pready on threads", {"Master thread": 40 * ranks, "OMP thread 1": 36 * ranks}, ready)
        mpi.expect(f"{name}: by threads", 12 * ranks, sum(count for (_, inside), count in facts.inside.items() if inside))
        # Of MPI_COMM_WORLD eight, since there are more requests of one tag after each other; of another one three.
        mpi.expect(f"{name}: communicators", {"MPI Partitioned Communicator": 8 + 3, "MPI Communicator": 1, "MPI_COMM_WORLD": 1, "MPI_COMM_SELF": 1},
                   dict(collections.Counter(re.sub(r" \d+$", "", comm) for comm, _, _ in facts.comms if "team" not in comm)))
        mpi.expect(f"{name}: sizes", {ranks}, {size for comm, _, size in facts.comms if "Partitioned" in comm})
        mpi.expect(f"{name}: check", 0, mpi.command("check", mpi.path(name, "out")).returncode)
    mpi.traced("kill", 2, [program, "kill"])
    facts = mpi.verify_archive("kill", mpi.path("kill", "out", "traces.otf2"), Counted())
    mpi.expect("kill: sent, received", [(1, 1)] * 2, [(facts.ranks[rank]["sent"], facts.ranks[rank]["received"]) for rank in range(2)])
    mpi.exactly("without", mpi.traced("without", 2, [program, "rounds"], OMPTAPE_EVENTS="-mpi-p2p"), 2, groups=USUAL - {"mpi-p2p"})


def files(mpi):
    """Input and output: the calls, none of what MPI calls for them, and each byte."""
    program = mpi.program("files.c")
    for ranks in (1, 2, 4):
        name = f"files.{ranks}"
        facts = mpi.exactly(name, mpi.traced(name, ranks, [program]), ranks)
        if facts is None:
            continue
        own = [("MPI File 0", f"own.{rank}", 1) for rank in range(ranks)]
        mpi.expect(f"{name}: handles", sorted([("MPI File 0", "file", ranks)] * 2 + own), facts.handles)
        mpi.expect(f"{name}: strange", set(), facts.strange)
        mpi.expect(f"{name}: under way", {}, facts.operating)
        rows = read_report(mpi, mpi.path(name, "out"))["mpi"]
        mpi.expect(f"{name}: report", tuple(sum(rank[what] for rank in facts.ranks.values()) for what in ("reads bytes", "writes bytes")),
                   tuple(sum(row[what] for row in rows) for what in ("read", "written")))
    mpi.every_one_is_called({"mpi-io"})
    mpi.traced("killed", 2, [program, "kill"])
    facts = mpi.verify_archive("killed", mpi.path("killed", "out", "traces.otf2"), Counted())
    mpi.expect("killed: writes, bytes written, files", (1, 0, 1), tuple(facts.ranks[1][key] for key in ("writes", "writes bytes", "files")))
    mpi.expect("killed: under way", ["writes"], [what for (process, *_), what in facts.operating.items() if process.name == "rank 1"])
    mpi.exactly("without", mpi.traced("without", 2, [program], OMPTAPE_EVENTS="-mpi-io"), 2, groups=USUAL - {"mpi-io"})


def fortran(mpi):
    """Each call once, by all three of Fortran's interfaces."""
    for interface in ("mpif", "use", "f08"):
        program = mpi.program("fortran.F90", "-ffree-line-length-none", f"-DBINDING_{interface}", compiler=mpi.mpif90)
        facts = mpi.exactly(interface, mpi.traced(interface, 2, [program]), 2)
        if facts is not None:
            # gfortran's own line of some calls is that of one near by, or of the program.
            lines = {place: count for place, count in facts.places.items() if place[3] != 4}
            mpi.expect(f"{interface}: calls with a line", True, 2 * sum(lines.values()) > sum(facts.places.values()))
            facts.places = lines
            placed(mpi, interface, facts, source_of("mpi", "fortran.F90"), 2)
        mpi.exactly(f"all.{interface}", mpi.traced(f"all.{interface}", 2, [program], OMPTAPE_EVENTS="+mpi-all"), 2, groups={*USUAL, "mpi-all"})
        if "MPI_Session_init" in table.declared(mpi.mpicc, mpi.path()):
            program = mpi.program("fortran.F90", "-ffree-line-length-none", f"-DBINDING_{interface}", "-DBY_SESSION", compiler=mpi.mpif90)
            facts = mpi.exactly(f"session.{interface}", mpi.traced(f"session.{interface}", 2, [program]), 2)
            mpi.expect(f"session.{interface}: worlds", ["mpi://WORLD"], facts and worlds_of(facts))


def threads(mpi):
    """OpenMP's threads at a time: each message is on the thread that sends it, inside its parallel region."""
    program = mpi.program("threads.c", "-fopenmp=libomp", "-L" + mpi.toolchain.library_folder)
    facts = mpi.exactly("threads", mpi.traced("threads", 2, [program, "50"]), 2)
    if facts is not None:
        sent = {("Master thread", True): 400, ("OMP thread 1", True): 400}
        mpi.expect("threads: who sends", sent, {who: count for who, count in facts.inside.items() if who[1]})


def ends(mpi):
    """What was recorded is there, however the job ends."""
    program, rounds = mpi.program("ends.c"), 20
    for end in ("abort", "kill", "leave"):
        bare = mpi.run(f"bare.{end}", [*mpi.launcher(2), program, end, str(rounds)], mpi.environment())
        result = mpi.traced(end, 2, [program, end, str(rounds)])
        if bare.code != result.code:
            mpi.fail(f"{end}: exit {result.code}, without the tool {bare.code}")
        facts = mpi.verify_archive(end, mpi.path(end, "out", "traces.otf2"), Counted())
        for rank in range(2):
            for what in ("MPI_Sendrecv", "sent", "received"):
                mpi.expect(f"{end}: rank {rank}: {what}", rounds, facts.ranks[rank][what])
        if end == "abort":
            mpi.expect("abort: MPI_Abort", 1, facts.ranks[1]["MPI_Abort"])


APART = 8           # OMPTAPE_MPI_REUSE_DISTANCE: as many of a kind have definitions of their own, if they are freed
FREED = {"comms": 200000, "windows": 200000, "files": 2000}     # rounds
GROWTH = 4096       # KiB that buffers which were used later may take


class Paired:
    """An observer of the checker: each message's ends, by communicator, processes and tag."""

    def __init__(self):
        self._sent, self._received = collections.defaultdict(list), collections.defaultdict(list)

    def __call__(self, location, event):
        rank = int(location.group.name.removeprefix("rank "))
        if isinstance(event, SENT):
            self._sent[event.communicator, rank, event.receiver, event.msg_tag].append(event.msg_length)
        elif isinstance(event, RECEIVED):
            self._received[event.communicator, event.sender, rank, event.msg_tag].append(event.msg_length)

    def archive(self, archive):
        self.made = collections.Counter(re.sub(r" \d+$", "", comm.name) for comm in comms_of_mpi(archive))

    def check(self, mpi, name, messages):
        mpi.expect(f"{name}: messages", messages, sum(map(len, self._sent.values())))
        mpi.expect(f"{name}: received", dict(self._sent), dict(self._received))


def freed(mpi):
    """What is made and freed again and again costs no memory, and its definitions are shared."""
    program = mpi.program("dups.c")
    for what, rounds in FREED.items():
        # Open MPI's usual windows need a second process. The pool, which a slow writer lets grow, is small.
        result = mpi.traced(what, 1, [program, str(rounds), what], OMPI_MCA_osc="pt2pt", OMPTAPE_BUFFER_SIZE="1M", OMPTAPE_WHEN_FULL="wait")
        mpi.expect(f"{what}: exit", 0, result.code)
        if int(result.out) > GROWTH:
            mpi.fail(f"{what}: {int(result.out)} KiB more in the second half")
        path = mpi.path(what, "out", "traces.otf2")
        mpi.expect(f"{what}: check", 0, mpi.command("check", path).returncode)
        with Archive(path) as archive:
            found = (len(comms_of_mpi(archive)), len(archive.definitions.rma_wins), len(archive.definitions.io_handles))
        # Of MPI_COMM_WORLD, MPI_COMM_SELF and this one.
        usual = 2 + APART
        mpi.expect(f"{what}: definitions", {"comms": (usual + APART, 0, 0), "files": (usual, 0, APART),
                                            "windows": (usual + APART, APART + APART // 2 * APART, 0)}[what], found)
    shown = subprocess.run(["otf2-print", mpi.path("comms", "out", "traces.otf2")], stdout=subprocess.DEVNULL, timeout=120, check=False)
    mpi.expect("otf2-print", 0, shown.returncode)


def communicators(mpi):
    """Messages on freed communicators, and on those that are there at a time, belong together in all ranks."""
    program, rounds = mpi.program("dups.c"), 100
    for ranks in (2, 3):
        mpi.traced(f"nested.{ranks}", ranks, [program, str(rounds), "nested"])
        paired = mpi.verify_archive("nested", mpi.path(f"nested.{ranks}", "out", "traces.otf2"), Paired())
        paired.check(mpi, f"nested.{ranks}", 2 * ranks * rounds)
        # Of what is made of each of the first: one with all members, and one with those of an even or an odd rank.
        mpi.expect(f"nested.{ranks}: communicators", APART + APART + APART * (1 + 2) * (1 + rounds // APART > APART) * APART,
                   paired.made["MPI Communicator"])
        mpi.traced(f"held.{ranks}", ranks, [program, str(rounds // 10), "held"])
        paired = mpi.verify_archive("held", mpi.path(f"held.{ranks}", "out", "traces.otf2"), Paired())
        # 13 of 20 are made again.
        paired.check(mpi, f"held.{ranks}", ranks * (rounds // 10) * (2 * 20 + 2 * 13))
    many = 5000
    mpi.traced("many", 2, [program, str(many), "comms"])
    mpi.expect("check", 0, mpi.command("check", mpi.path("many", "out")).returncode)
    report = read_report(mpi, mpi.path("many", "out"))
    mpi.expect("MPI_Comm_dup", 2 * many + 10,
               sum(one["calls"]["count"] for one in report["mpi"] if one["function"] == "MPI_Comm_dup"))


def others(mpi):
    """Programs without MPI find none; one for a single process that has no PMPI is left alone."""
    compiler = [shutil.which("clang-19"), "-w"]
    absent = mpi.path("absent")
    subprocess.run([*compiler, source_of("mpi", "absent.c"), "-o", absent], check=True)
    mpi.expect("absent", b"0 0\n", mpi.run("absent.traced", [mpi.omptape, "-q", "-o", "out", "--mpi=auto", absent]).out)
    stub, program = mpi.path("libmpistub.so"), mpi.path("with_stub")
    subprocess.run([*compiler, "-shared", "-fPIC", source_of("mpi", "stub.c"), "-o", stub], check=True)
    subprocess.run([*compiler, source_of("mpi", "with_stub.c"), stub, "-o", program], check=True)
    bare = mpi.run("stub.bare", [program])
    result = mpi.run("stub.traced", [mpi.omptape, "-q", "-o", "out", "--mpi=auto", program])
    mpi.expect("stub", (bare.code, bare.out), (result.code, result.out))
    if bare.code != 0 or not bare.out:
        mpi.fail(f"stub: {bare.code}, {bare.out}")


def handles(mpi):
    """MPI that is called through a handle cannot be recorded: a line says so, once, and the archive and its report if there
    is one."""
    library = next(line.split()[2] for line in subprocess.run(["ldd", mpi.program("ends.c")], stdout=subprocess.PIPE, text=True, check=True)
                   .stdout.splitlines() if line.split()[0].startswith("libmpi"))
    program = mpi.path("handle")
    subprocess.run([shutil.which("clang-19"), "-w", "-g", "-fopenmp=libomp", f"-L{mpi.toolchain.library_folder}",
                    source_of("mpi", "handle.c"), "-o", program], check=True)
    past = "not recorded: MPI's calls: MPI_Init was called past omptape"
    for how in ("local", "global", "deepbind"):
        for more in ([], ["openmp"]):
            name = "_".join((how, *more))
            result = mpi.run(name, [mpi.omptape, "-o", "out", "--mpi=on", program, library, how, *more], mpi.environment(), 60)
            mpi.expect(f"{name}: exit", (0, b"2\n" if more else b"0\n"), (result.code, result.out))
            mpi.expect(f"{name}: lines", 1, result.err.decode().count(past))
            mpi.expect(f"{name}: nothing else", 0, result.err.count(b"nothing was traced"))
            if more:
                mpi.expect(f"{name}: report", 1, sum(line.startswith(past) for line in read_report(mpi, mpi.path(name, "out"))["warnings"]))
    names = mpi.run("names", [mpi.omptape, "-o", "out", "--mpi=auto", program, library, "local", "openmp"], mpi.environment(), 60)
    mpi.expect("names", 1, names.err.decode().count("not recorded: MPI's calls: libomptape-mpi.so was not loaded"))
    off = mpi.run("off", [mpi.omptape, "-o", "out", "--mpi=off", program, library, "local"], mpi.environment(), 60)
    mpi.expect("off", 0, off.err.decode().count("not recorded"))
    by_name = mpi.run("by_name", [mpi.omptape, "-o", "out", "--mpi=on", mpi.program("ends.c"), "end", "1"], mpi.environment(), 60)
    mpi.expect("by name", 0, by_name.err.decode().count("not recorded"))


def culprits(mpi):
    """The rank that leaves MPI's world in its own way is named with how: the launcher ends the others."""
    program = mpi.program("ends.c")
    for end, why in (("exit", "exit status 5 without MPI_Finalize"), ("_exit", "exit status 5 without MPI_Finalize"),
                     ("return", "exit status 5 without MPI_Finalize"), ("self", "MPI_Abort with error code 5"),
                     ("abort", "MPI_Abort with error code 3")):
        result = mpi.run(end, [mpi.omptape, "-o", "out", *mpi.launcher(2), program, end, "2"], mpi.environment(), 60)
        mpi.expect(f"{end}: line", 1, len(re.findall(rf"rank 1: .*, end: {why}", result.err.decode())))
        with Archive(mpi.path(end, "out", "traces.otf2")) as archive:
            mpi.expect(f"{end}: archive", why, archive.value("END"))
        mpi.expect(f"{end}: check", 0, mpi.command("check", mpi.path(end, "out")).returncode)


def standard(mpi):
    """MPI 5's own interface, by a library that has its published constants, under this MPI's launcher."""
    compiler = [shutil.which("clang-19"), "-w", "-g"]
    for name in ("libmpi_abi", "libmpi_own"):   # as the standard calls it, and one that says what it is
        library, program = mpi.path(f"{name}.so.0"), mpi.path(f"with_{name}")
        subprocess.run([*compiler, "-shared", "-fPIC", f"-Wl,-soname,{name}.so.0", source_of("mpi", "abi.c"), "-o", library],
                       check=True)
        for source, built in (("with_abi.c", program), ("with_abi_sessions.c", f"{program}.sessions")):
            subprocess.run([*compiler, source_of("mpi", source), library, f"-Wl,-rpath,{mpi.path()}", "-o", built], check=True)
        facts = mpi.exactly(f"{name}.sessions", mpi.traced(f"{name}.sessions", 1, [f"{program}.sessions"]), 1)
        mpi.expect(f"{name}.sessions: communicators", ["MPI Communicator 1", "MPI Communicator 3", "MPI Communicator 5",
                                                       *(f"MPI Partitioned Communicator {number}" for number in (2, 4, 6)), "mpi://WORLD"],
                   facts and sorted(comm[0] for comm in facts.comms))
        facts = mpi.exactly(name, mpi.traced(name, 1, [program]), 1)
        if facts is None:
            continue
        placed(mpi, name, facts, source_of("mpi", "with_abi.c"))
        mpi.expect(f"{name}: handles", [("MPI File 0", "abi.data", 1)], facts.handles)
        mpi.expect(f"{name}: communicators", {"MPI_COMM_WORLD", "MPI_COMM_SELF", "MPI Communicator 2"},
                   {comm[0] for comm in facts.comms})


TESTS = {test.__name__: test for test in (calls, between, meetings, windows, files, partitioned, python, behind, fortran, threads, ends, culprits,
                                             handles, freed, communicators, standard, others)}

if __name__ == "__main__":
    own_arguments = arguments("Traces MPI's calls.")
    own_arguments.add_argument("mpi", choices=("mpich", "openmpi"))
    sys.exit(main("", TESTS, "mpi", Messages, "19", parser=own_arguments))
