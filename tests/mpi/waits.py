# SPDX-License-Identifier: BSD-3-Clause
"""Who waits for whom in MPI, and why, as the report tells it, beside what the programs measure, on one MPI.

    tests/run mpi.waits --build BUILD --runtimes DIR openmpi|mpich report|table|sessions|untraced|partitioned|crowded|function|small|answers|orders
"""
import collections
import json
import os
import re
import shutil
import sys

from e2e.profile import read_report
from e2e.report import ROWS, fits
from export import expecting
from export.export import Comparison, Exports
from harness import arguments, main
from mpi.messages import Messages
from mpi.mpi import BETWEEN_PROCESSES

SIZE, ROUNDS, WORK = 3, 10, 0.02
# Way, kind, function, who is late, what that one does meanwhile (one of several).
WAYS = (
    ("sender", "late_sender", "MPI_Recv", "rank 0", "parallel @waits.c:"),
    ("request", "late_sender", "MPI_Wait", "rank 0", "parallel @waits.c:"),
    ("polling", "late_sender", "MPI_Test", "rank 0", "parallel @waits.c:"),
    ("receiver", "late_receiver", "MPI_Send", "rank 1", "parallel @waits.c:"),
    ("all", "collective_wait", "MPI_Allreduce", "rank 2", "parallel @waits.c:"),
    ("root", "collective_wait", "MPI_Bcast", "rank 0", "parallel @waits.c:"),
    ("chain", "late_sender", "MPI_Recv", "rank ", ""),
    ("held", "communication", "MPI_Recv", "", ""),
    ("later", "collective_wait", "MPI_Wait", "rank 2", "parallel @waits.c:"),
    ("scan", "collective_wait", "MPI_Scan", "rank 1", "parallel @waits.c:"),
    ("across", "collective_wait", "MPI_Bcast", "rank 2", "parallel @waits.c:"),
    ("fence", "collective_wait", "MPI_Win_fence", "rank 2", "parallel @waits.c:"),
    # MPI says where it lets a process wait for the epoch.
    # Rank 0 may still be in the epoch before, on a busy machine for longer than it works.
    ("post", "window_wait", "MPI_Win_start MPI_Win_complete", "rank 0", "parallel @waits.c:|MPI_Win_wait"),
    ("exposed", "window_wait", "MPI_Win_wait", "rank 1", "parallel @waits.c:|MPI_Win_start"),
    ("locked", "window_wait", "MPI_Win_lock MPI_Win_unlock", "rank 0", "parallel @waits.c:"),
    ("end", "collective_wait", "MPI_Finalize", "rank 0", "parallel @waits.c:"),
    ("flushed", "window_wait", "MPI_Win_lock MPI_Win_flush MPI_Win_unlock", "rank 0", "parallel @waits.c:"),
)
MAKERS = {"dup": "MPI_Comm_dup", "split": "MPI_Comm_split", "create": "MPI_Comm_create", "group": "MPI_Comm_create_group",
          "cart": "MPI_Cart_create", "graph": "MPI_Dist_graph_create_adjacent", "inter": "MPI_Intercomm_create",
          "merge": "MPI_Intercomm_merge", "idup": "MPI_Wait", "window": "MPI_Win_allocate", "file": "MPI_File_open"}
ASKERS = {"some": "MPI_Testsome", "any": "MPI_Testany", "every": "MPI_Testall", "status": "MPI_Request_get_status",
          "probe": "MPI_Iprobe", "matched": "MPI_Improbe"}
WAYS += (*((way, "collective_wait", function, "rank 2", "parallel @waits.c:") for way, function in MAKERS.items()),
         *((way, "late_sender", function, "rank 0", "parallel @waits.c:") for way, function in ASKERS.items()),
         ("idle", "late_progress", "MPI_Send", "rank 1", "parallel @waits.c:"))
# Enough of one MPI.
OF_OPEN_MPI = ("request", "polling", "receiver", "root", "chain", "held", "create", "cart", "any", "every", "probe")
OF_MPICH = ("split", "group", "graph", "merge", "window", "matched")
# The program reads its clock just before it calls: on a busy machine the processor may be gone in between.
RELATIVE, ABSOLUTE = 0.2, 0.050
ROUGH = 0.5     # relative, where other programs had the processors
EXACT = 0.1     # on an idle one
SURE = 0.03     # of the wall time: what is less may be no finding


class Waits(Messages, Exports):
    """Programs of one MPI, and exports of their archives."""

    def __init__(self, options, name, stage):
        super().__init__(options, f"waits.{name}", stage)


def calls_of(text):
    """By rank, what and peer: begins and ends in s, in their order."""
    calls = {}
    for line in text.splitlines():
        rank, what, peer, begin, end = line.split()
        calls.setdefault((int(rank), what, int(peer)), []).append((int(begin) / 1e9, int(end) / 1e9))
    return calls


def late(begin, other):
    return max(0, other[0] - begin[0])


def waited_together(way, calls):
    """In collective operations; of each round the calls of all."""
    begun = [calls[rank, "b" if way in ("later", "idup") else "c", 0] for rank in range(SIZE)]
    waited = 0
    for came, waiting in zip(zip(*begun), zip(*(calls[rank, "c", 0] for rank in range(SIZE)))):
        if way in ("scan", "across"):
            needed = {1: came[0], 2: max(came[:2])} if way == "scan" else {0: came[2]}
        else:
            last = came[0] if way == "root" else max(came)
            needed = {rank: last for rank in range(SIZE) if came[rank] is not last}
        waited += sum(late(waiting[rank], other) for rank, other in needed.items())
    return waited


def waited_for_windows(way, calls):
    if way in ("locked", "flushed"):
        # The lock is another one's when the call that gives it back is over.
        return sum(late(lock, (unlock[1],)) for lock, unlock in zip(calls[1, "k", 2], calls[0, "u", 2]) if unlock[0] > lock[0])
    if way == "exposed":
        return sum(map(late, calls[0, "w", 1], calls[1, "l", 0]))
    # Either of the two may wait, or what is done between them.
    return sum(late(start, post) if start[1] > post[0] else late(complete, post)
               for start, complete, post in zip(calls[1, "a", 0], calls[1, "l", 0], calls[0, "o", 1]))


def waited_by(way, calls):
    """What processes waited for each other, by their own clocks."""
    if way in ("all", "root", "later", "scan", "across", "fence", "end", *MAKERS):
        return waited_together(way, calls)
    if way in ("post", "exposed", "locked", "flushed"):
        return waited_for_windows(way, calls)
    waited = 0
    for (rank, what, peer), sends in calls.items():
        for send, receive in zip(sends, calls[peer, "r", rank]) if what == "s" else ():
            if way in ("receiver", "idle"):
                waited += late(send, receive) if send[1] > receive[0] else 0
            else:
                waited += max(0, min(send[0], receive[1]) - receive[0])
    return waited


def is_disturbed(report):
    """Other programs had the processors: then anybody may be late, for that."""
    return any("other programs ran there" in one for one in report["warnings"])


def waited_for_processors(report):
    """Did threads wait for a processor for so long that the program's own clock may be as wrong?"""
    return is_disturbed(report) or any((one["queued_s"] or 0) > ABSOLUTE / 2 for one in report["threads_list"])


def run_way(mpi, program, wanted, *words):
    """The report of a run in which all is right, and what processes waited for each other by their own clocks, in s."""
    way, told = wanted[0], []

    def attempt():
        shutil.rmtree(mpi.path(way), ignore_errors=True)
        done = mpi.traced(way, SIZE, [program, way, *words])
        mpi.expect(f"{way}: exit", 0, done.code)
        found = read_report(mpi, mpi.path(way, "out"))
        told[:] = found, check_way(mpi, way, found, wanted, done.out.decode())
        return waited_for_processors(found)
    mpi.try_undisturbed(attempt, 3)
    return told


def check_way(mpi, way, report, wanted, output):
    """Returns what processes waited for each other by their own clocks, in s."""
    _, kind, functions, who, doing = wanted
    functions = functions.split()
    # On a busy machine it is the processor that a thread lacks, perhaps another one.
    found = [one for one in report["findings"] if one["kind"] in (kind, "preemption") and one["region"].split(" ")[0] in functions]
    finding = next((one for one in found if one["kind"] == kind), None)
    rows = [one for one in report["mpi"] if one["function"] in functions]
    # The table has what was waited in calls, and nothing of what lay between them.
    told_of = sum(one["waited_s"] for one in (found if way in ASKERS else rows))
    waited = waited_by(way, calls_of(output))
    if way == "polling":    # who has no processor between two calls does not ask
        if not waited / 50 < told_of < (1 + RELATIVE) * waited + ABSOLUTE:
            mpi.fail(f"{way}: {told_of} s, by the program's clock {waited} s")
        waited = told_of
    elif kind in BETWEEN_PROCESSES and (found or way not in ASKERS) and \
            abs(told_of - waited) > (ROUGH if is_disturbed(report) else RELATIVE) * waited + ABSOLUTE:
        mpi.fail(f"{way}: {told_of} s, by the program's clock {waited} s")
    for row in rows:
        if not row["place"].startswith("waits.c:"):
            mpi.fail(f"{way}: {row['function']} is called at {row['place']!r}")
        if row["waited_s"] > row["calls"]["sum_s"] + 1e-6:
            mpi.fail(f"{way}: {row}: more than its calls take")
    if finding is not None and not is_disturbed(report):
        for words in (who, doing):
            if not any(word in finding["text"] for word in words.split("|")):
                mpi.fail(f"{way}: {words!r} is not in {finding['text']!r}")
    elif not found and waited / SIZE > SURE * report["wall_s"]:
        mpi.fail(f"{way}: no {kind} in {[(one['kind'], one['region'], one['gain_s']) for one in report['findings']]}")
    return waited


def report(mpi):
    """Each way to wait is found, with its function, for whom, and what that one does; the times add up."""
    program = mpi.program("waits.c", "-fopenmp", f"-L{mpi.toolchain.library_folder}")
    for wanted in WAYS:
        way = wanted[0]
        if way in (OF_MPICH if mpi.family == "openmpi" else OF_OPEN_MPI):
            continue
        found, waited = run_way(mpi, program, wanted)
        archive = mpi.path(way, "out")
        for row in found["mpi"]:
            fits(mpi, way, row, ROWS["mpi"])
        if way in ("sender", "request", "receiver", "all", "root"):
            without_work(mpi, way, archive, waited)
        if way == "idle":   # what the finding proposes
            mended = mpi.traced("tested", SIZE, [program, "tested"])
            mpi.expect("tested: exit", 0, mended.code)
            before, after = (sum(row["waited_s"] for row in one["mpi"] if row["function"] == "MPI_Send")
                             for one in (found, read_report(mpi, mpi.path("tested", "out"))))
            # Where the processors were busy nobody may have waited: check_way() has compared that with the program's clock.
            if before > 0 and not after < before / 2:
                mpi.fail(f"tested: {after} s, without MPI_Test {before} s")
        if way == "chain":  # each message is an arrow
            expected = expecting.Expected(os.path.join(archive, "traces.otf2"))
            mpi.expect("messages", {expecting.MESSAGE: 2 * ROUNDS, expecting.FORK: expected.arrows.total() - 2 * ROUNDS},
                       {kind: sum(count for key, count in expected.arrows.items() if key[0] == kind)
                        for kind in (expecting.MESSAGE, expecting.FORK)})
            Comparison(mpi, way, mpi.trace("chain.pftrace", archive=archive), expected).flows()
        if way == "all":    # whoever reads it, and in how many parts
            for options in (("--jobs", "1"), ("--jobs", "3")):
                mpi.expect(f"{way}: {options}", found, read_report(mpi, archive, *options))
            moved = next(one for one in found["mpi"] if one["function"] == "MPI_Allreduce")
            mpi.expect(f"{way}: bytes", (SIZE * ROUNDS * 4,) * 2, (moved["sent"], moved["received"]))
            mpi.expect(f"{way}: calls", SIZE * ROUNDS, moved["calls"]["count"])
            one = read_report(mpi, archive, "--ranks", "0")
            alone = next(row for row in one["mpi"] if row["function"] == "MPI_Allreduce")
            if not 0 < alone["waited_s"] < moved["waited_s"]:
                mpi.fail(f"{way}: rank 0 alone waits {alone}")


def without_work(mpi, way, archive, waited):
    """If the one that is late has nothing to do, nobody waits for it: one or two did so."""
    def predicted(*scenario):
        done = mpi.command("whatif", "--json=predicted.json", archive, *scenario)
        mpi.expect(f"{way}: whatif: {done.stdout}", 0, done.returncode)
        with open(mpi.path("predicted.json"), encoding="utf-8") as file:
            return json.load(file)
    path = predicted()
    works = next(row["region"] for row in path["regions"] if row["region"].startswith("parallel @waits.c:"))
    mpi.expect(f"{way}: waits without an end", 0, path["waits_without_end"])
    gain = predicted(f"{works} x0")["scenarios"][0]["gain_s"]
    # On a busy machine others are late as well, and do not wait; that it was not followed at all would be nothing.
    if not 0.5 * min(ROUNDS * WORK, waited / 2) <= gain < path["model_wall_s"]:
        mpi.fail(f"{way}: without {works} it would win {gain} s")


def table(mpi):
    """Seconds told beside the program's own, of all ways: for an idle machine, so not part of CTest."""
    program = mpi.program("waits.c", "-fopenmp", f"-L{mpi.toolchain.library_folder}")
    print(f"{'way':10} {'kind':16} {'told':>8} {'measured':>8}")
    for way, kind, functions, who, _ in WAYS:
        done = mpi.traced(way, SIZE, [program, way])
        found = read_report(mpi, mpi.path(way, "out"))
        # On a busy machine it is the processor that a thread lacks.
        findings = [one for one in found["findings"] if one["kind"] in (kind, "preemption") and one["region"].split(" ")[0] in functions.split()]
        rows = [one for one in found["mpi"] if one["function"] in functions.split()]
        told_of = sum(one["waited_s"] for one in (findings if way in (*ASKERS, "polling") or not rows else rows))
        measured = waited_by(way, calls_of(done.out.decode()))
        print(f"{way:10} {kind:16} {told_of:8.3f} {measured:8.3f}")
        if kind in BETWEEN_PROCESSES and abs(told_of - measured) > EXACT * measured:
            mpi.fail(f"{way}: {told_of} s, by the program's clock {measured} s")
        if not any(who in one["text"] for one in findings):
            mpi.fail(f"{way}: {who} is not told of: {[one['text'] for one in findings]}")


def sessions(mpi):
    """The same of programs that use MPI by a session alone."""
    mpi.needs("MPI_Session_init", "sessions")
    program = mpi.program("waits.c", "-fopenmp", f"-L{mpi.toolchain.library_folder}")
    for wanted in WAYS:
        way = wanted[0]
        if way in ("sender", "all", "across", "fence", "locked"):
            # What the late one does meanwhile is the other test's.
            run_way(mpi, program, (*wanted[:4], ""), "session")


UNTRACED = (
    ("sender", {"MPI_Recv"}),
    ("request", {"MPI_Wait"}),
    ("polling", {"MPI_Test"}),
    ("receiver", {"MPI_Recv"}),
    ("all", {"MPI_Allreduce"}),
    ("root", {"MPI_Bcast"}),
    ("later", {"MPI_Wait"}),
    ("across", set()),      # rank 1 waits for nobody there
    ("post", {"MPI_Win_start", "MPI_Win_complete"}),
    ("end", set()),
)


def untraced(mpi):
    """Rank 1 alone is run by omptape: the others are named with the reason, and waiting for them is not known."""
    program = mpi.program("waits.c", "-fopenmp", f"-L{mpi.toolchain.library_folder}")
    for way, functions in UNTRACED:
        command = [mpi.mpirun, "-n", "1", program, way, ":", "-n", "1", mpi.omptape, "-o", "out", program, way, ":", "-n", "1", program, way]
        done = mpi.run(way, command, mpi.environment(), 120)
        mpi.expect(f"{way}: exit", 0, done.code)
        why = "ranks 0, 2 of 3 left no trace: they were not run by omptape (their MPI_Init was not seen)"
        mpi.expect(f"{way}: said", 1, done.err.decode().count(why))
        found = read_report(mpi, mpi.path(way, "out"))
        unknown = "how long others waited in MPI for ranks 0, 2 of 3, without a trace, is not known"
        mpi.expect(f"{way}: warnings", [1, 1], [found["warnings"].count(line) for line in (why, unknown)])
        rows = {row["function"]: row for row in found["mpi"] if row["not_known_s"] > 0}
        mpi.expect(f"{way}: not known", True, rows.keys() >= functions | {"MPI_Finalize"})
        if way == "across":
            mpi.expect(f"{way}: on the root's side", False, "MPI_Bcast" in rows)
        for row in found["mpi"]:
            if row["waited_s"] > 0 or row["not_known_s"] > row["calls"]["sum_s"] + 1e-6:
                mpi.fail(f"{way}: {row}")
        text = mpi.command("report", "--all", mpi.path(way, "out")).stdout
        mpi.expect(f"{way}: table", True, any("not known" in line for line in text.splitlines() if line.startswith("MPI_Finalize")))


def partitioned(mpi):
    """Messages in parts: who waits for the last part, and which requests meet which."""
    mpi.needs("MPI_Psend_init", "partitioned messages")
    options = ["-fopenmp", f"-L{mpi.toolchain.library_folder}"]
    run_way(mpi, mpi.program("waits.c", *options), ("ready", "late_sender", "MPI_Wait", "rank 0", ""))
    meet(mpi, "order", [mpi.program("partitioned.c", *options), "order"])


def crowded(mpi):
    """Three ranks that work equally share a processor: that is the finding, not the messages that it delays."""
    program = mpi.program("rounds.c", "-fopenmp", f"-L{mpi.toolchain.library_folder}")
    one = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
    done = mpi.traced("crowded", SIZE, [*one, program], OMPI_MCA_mpi_yield_when_idle="0")
    mpi.expect("exit", 0, done.code)
    report = read_report(mpi, mpi.path("crowded", "out"))
    found = report["findings"]
    told = [one for one in found if one["kind"] == "oversubscription"]
    mpi.expect("found", ["MPI_Allreduce"], [one["region"].split(" ")[0] for one in told])
    for one in told:
        mpi.expect("its text", True, "3 processes with 3 threads share 1 processor" in one["text"])
        mpi.expect("its proposal", True, "no more ranks than processors" in one["proposal"])
        # Where other programs run as well, a part of the consequences is theirs.
        larger = [other["text"] for other in found if other["gain_s"] > one["gain_s"] and not is_disturbed(report)]
        mpi.expect("consequences", [], [text for text in larger if "no processor" in text or "communicating itself" in text])


def function(mpi):
    """The function in which the late rank is while others wait for it, by samples."""
    program = mpi.program("rounds.c", "-g", "-fopenmp", f"-L{mpi.toolchain.library_folder}")

    def attempt(rounds):
        shutil.rmtree(mpi.path("uneven"), ignore_errors=True)
        mpi.expect("exit", 0, mpi.traced("uneven", SIZE, [program, "uneven", rounds]).code)
        report = read_report(mpi, mpi.path("uneven", "out"))
        texts = [one["text"] for one in report["findings"] if one["kind"] == "collective_wait"]
        told = [re.search(r"rank 0, .* meanwhile, in work @rounds\.c:\d+ \((\d+) of (\d+) samples\)", text) for text in texts]
        # Two ranks wait for rank 0, whose samples count once.
        for one in filter(None, told):
            mpi.expect("samples", True, int(one[1]) <= int(one[2]) <= sum(row["count"] for row in report["samples"]))
        return [] if any(told) or is_disturbed(report) else [f"no function in {texts}"]
    mpi.try_longer(("30", "120", "500"), attempt)


def answers(mpi):
    """Two ranks wait for the answers of one: that is told, and no more even work is proposed. Others wait without a word of it."""
    program = mpi.program("rounds.c", "-fopenmp", f"-L{mpi.toolchain.library_folder}")
    for way, function in (("answers", "MPI_Recv"), ("uneven", "MPI_Allreduce"), ("exchange", "MPI_Sendrecv_replace")):
        mpi.expect(f"{way}: exit", 0, mpi.traced(way, SIZE, [program, way]).code)
        report = read_report(mpi, mpi.path(way, "out"))
        found = [one for one in report["findings"]
                 if one["kind"] in ("late_sender", "late_receiver", "collective_wait") and one["region"].split(" ")[0] == function]
        lacking = any(one["kind"] in ("oversubscription", "preemption") for one in report["findings"])
        mpi.expect(f"{way}: found", True, len(found) > 0 or lacking or is_disturbed(report))
        for one in found:
            mpi.expect(f"{way}: {one['text']}", way == "answers", "for rank 0, which answers one after the other" in one["text"])
            mpi.expect(f"{way}: {one['proposal']}", way == "answers", "more work in each answer" in one["proposal"])


def small(mpi):
    """Many small messages in a row are a finding; one of the same data is none."""
    program = mpi.program("rounds.c", "-fopenmp", f"-L{mpi.toolchain.library_folder}")
    for way, expected in (("small", 300000), ("large", 0)):
        mpi.expect(f"{way}: exit", 0, mpi.traced(way, 2, [program, way]).code)
        found = [one for one in read_report(mpi, mpi.path(way, "out"))["findings"] if one["kind"] == "small_messages"]
        for one in found:
            # Where a thread had no processor between two, these are no row.
            count = int(one["text"].split(" calls of 8 bytes on average follow the one before without work between")[0].replace(",", ""))
            mpi.expect(f"{way}: {count} in a row", True, 0.8 * expected < count < expected)
            mpi.expect(f"{way}: certainty", "at most", one["gain_is"])
        mpi.expect(f"{way}: found", expected > 0, any(one["region"].startswith("MPI_Send") for one in found))


def orders(mpi):
    """What was sent meets what was posted for it, in whatever order receives are complete."""
    meet(mpi, "orders", [mpi.program("orders.c")])


def meet(mpi, name, command):
    """Rank 0 sends numbers in their order; rank 1 tells in which order they come."""
    done = mpi.traced(name, 2, command)
    mpi.expect("exit", 0, done.code)
    with open(mpi.path(name, "told.1"), encoding="ascii") as file:
        told_of = [int(line) for line in file]
    flows = [flow for flow in mpi.trace(f"{name}.pftrace", archive=mpi.path(name, "out")).flows.values()
             if flow.end and expecting.kind_of(flow) == expecting.MESSAGE]
    flows.sort(key=lambda flow: flow.begin[1].time)
    mpi.expect("messages", len(told_of), len(flows))
    ended = collections.defaultdict(set)    # one call may complete several
    for number, flow in enumerate(flows):
        ended[flow.end[1].time].add(number)
    place = 0
    for _, numbers in sorted(ended.items()):
        mpi.expect(f"received from the {place}th on", set(told_of[place:place + len(numbers)]), numbers)
        place += len(numbers)


if __name__ == "__main__":
    own_arguments = arguments("Who waits for whom in MPI.")
    own_arguments.add_argument("mpi", choices=("mpich", "openmpi"))
    sys.exit(main("", {"report": report, "table": table, "sessions": sessions, "untraced": untraced, "partitioned": partitioned, "crowded": crowded, "function": function, "small": small, "answers": answers, "orders": orders}, "mpi", Waits, "19", parser=own_arguments))
