# SPDX-License-Identifier: BSD-3-Clause
"""`omptape unify` on the messages of MPI jobs, one part of the tests a call:

    tests/run unify.order --build BUILD --runtimes DIR PART

order     messages of hosts with wrong clocks: dated by comparisons, counted, mended
worlds    launches of one size in one folder, each with a rank that is missing
"""
import os
import re
import shutil
import sys

from harness import main
from harness.archives import Archive
from unify.unify import Test


def early(path):
    """What comes too early in the archive of make_ranks, by the events alone: messages, and ends of operations."""
    sent, received, operations = {}, {}, {}
    begins = {}
    with Archive(path) as archive:
        for location, event in archive.events():
            rank, kind = int(location.group.name.removeprefix("rank ")), type(event).__name__
            if kind == "MpiSend":
                sent.setdefault((rank, event.receiver), []).append(event.time)
            elif kind == "MpiRecv":
                received.setdefault((event.sender, rank), []).append(event.time)
            elif kind == "MpiCollectiveBegin":
                begins.setdefault(rank, []).append(event.time)
            elif kind == "MpiCollectiveEnd":
                number = len(begins[rank]) - 1
                operations.setdefault(number, {})[rank] = (begins[rank][-1], event.time, event.root, event.size_received)
    messages = sum(got < gave for pair, list_ in received.items() for gave, got in zip(sent[pair], list_, strict=True))
    ends = 0
    for members in operations.values():
        last = max(begin for begin, _, _, _ in members.values())
        for rank, (_, end, root, size) in members.items():
            needed = last if size == 0 else members[root][0] if rank != root else 0
            ends += end < needed
    return messages, ends


def in_order(path):
    """The events of each location without their times; and these."""
    found, times = {}, {}
    with Archive(path) as archive:
        for location, event in archive.events():
            found.setdefault(location.group.name, []).append(type(event).__name__)
            times.setdefault(location.group.name, []).append(event.time)
    return found, times


LINE = re.compile(r"the hosts' clocks disagree: (\d+) of (\d+) messages arrive before they are sent(?:, and (\d+) of (\d+) ends of "
                  r"collective operations come before their begin elsewhere)?, by ")


def test_order(test):
    # Three seconds, and 50 millionths for an hour: comparisons are enough.
    job = test.make_ranks("compared", ranks=6, hosts=3, rounds=1000, ppm=50, wobble=0, sync=True)
    if LINE.search(test.unify("compared", job)):
        test.fail("compared: something comes too early")
    test.expect("compared: early", (0, 0), early(test.check_folder("compared", job)))
    # Without them what the second host sends, and the ends of barriers on the first, are too early.
    job = test.make_ranks("believed", ranks=4, hosts=2, rounds=200, ppm=50, wobble=0, sync=False)
    found = LINE.search(test.unify("believed", job, says=["--mend-clocks"]))
    test.expect("believed: the line", ("400", "800", "400", "950"), found.groups() if found else None)
    test.expect("believed: early", (400, 400), early(os.path.join(job, "traces.otf2")))
    mend(test, "believed", job)
    # Clocks that run now faster, now slower: lines between two comparisons are not enough.
    for ranks, hosts, wobble in ((4, 2, 30000), (9, 3, 1000000), (16, 4, 5000)):
        name = f"swing-{ranks}"
        job = test.make_ranks(name, ranks=ranks, hosts=hosts, rounds=500, ppm=50, wobble=wobble, sync=True)
        test.unify(name, job, says=["arrive before they are sent"])
        mend(test, name, job)
    # At once, and of parts that came later.
    job = test.make_ranks("late", ranks=4, hosts=2, rounds=100, ppm=50, wobble=30000, sync=True)
    os.rename(os.path.join(job, "rank-3"), test.path("rank-3"))
    test.unify("late", job, "--mend-clocks", code=1)
    os.rename(test.path("rank-3"), os.path.join(job, "rank-3"))
    if LINE.search(test.unify("late", job, "--mend-clocks")):
        test.fail("late: something comes too early")
    test.expect("late: early", (0, 0), early(test.check_folder("late", job)))
    # One clock: nobody looks.
    job = test.make_ranks("one", ranks=4, hosts=1, rounds=100, ppm=50, wobble=30000, sync=True)
    before = test.parts(job)
    test.unify("one", job, "--mend-clocks")
    test.same("one", before, os.path.join(job, "traces.otf2"))


def test_worlds(test):
    """Launches of one size in one folder, each without another rank: whose rank is whose, at once and later."""
    job = test.path("worlds")
    shutil.rmtree(job, ignore_errors=True)
    os.mkdir(job)
    for number, missing in ((1, 0), (2, 1), (3, 2)):
        made = test.make_ranks("made", ranks=3, hosts=1, rounds=10, ppm=0, wobble=0, sync=False, number=number)
        for rank in range(3):
            place = test.path(f"late-{number}") if rank == missing else os.path.join(job, f"rank-{rank}-{number}")
            shutil.rmtree(place, ignore_errors=True)
            os.rename(os.path.join(made, f"rank-{rank}"), place)
    expected = {f"MPI_COMM_WORLD{number}": [f"{job}.{rank}" if rank != missing else None for rank in range(3)]
                for number, job, missing in (("", 1, 0), (" 2", 2, 1), (" 3", 3, 2))}
    test.unify("worlds", job, code=1, says=["left no trace"])
    test.expect("worlds", expected, worlds(os.path.join(job, "traces.otf2")))
    for number, rank in ((1, 0), (2, 1), (3, 2)):
        os.rename(test.path(f"late-{number}"), os.path.join(job, f"rank-{rank}-{number}"))
    test.unify("late", job)
    whole = {name: [f"{number}.{rank}" for rank in range(3)] for number, name in enumerate(expected, 1)}
    test.expect("late", whole, worlds(test.check_folder("late", job)))


def worlds(path):
    """What is called MPI_COMM_WORLD -> its ranks as "job.rank"; None: there is no archive of it."""
    with Archive(path) as archive:
        of_group = {}
        for one in archive.definitions.location_group_properties:
            of_group.setdefault(one.location_group, {})[one.name.removeprefix("OMPTAPE::")] = one.value
        return {comm.name: [f"{of_group[one.group]['JOB']}.{of_group[one.group]['RANK']}" if one is not None else None
                            for one in comm.group.members]
                for comm in archive.definitions.comms if comm.name.startswith("MPI_COMM_WORLD")}


def mend(test, name, job):
    """Nothing comes too early any more, each location's events are in their order, and hardly anything else has changed."""
    path = os.path.join(job, "traces.otf2")
    events, times = in_order(path)
    if LINE.search(test.unify(name, job, "--mend-clocks")):
        test.fail(f"{name}: something still comes too early")
    test.expect(f"{name}: early", (0, 0), early(test.check_folder(name, job)))
    mended, after = in_order(path)
    if mended != events:
        test.fail(f"{name}: events have changed, or their order")
    earlier = sum(now < then for rank in times for then, now in zip(times[rank], after[rank], strict=True))
    test.expect(f"{name}: events that come earlier than before", 0, earlier)
    # Times are shifted as far as clocks were wrong, and no further.
    most = max(now - then for rank in times for then, now in zip(times[rank], after[rank], strict=True))
    wrong = {"believed": 3_100_000_000, "swing-4": 120_000, "swing-9": 4_100_000, "swing-16": 20_000 + 20_000}[name]
    if most > wrong:
        test.fail(f"{name}: a time is shifted by {most} ns, though clocks are wrong by {wrong} at most")
    test.unify(name, job, "--mend-clocks")
    if in_order(path)[1] != after:
        test.fail(f"{name}: to mend it again changes something")


if __name__ == "__main__":
    sys.exit(main("", {"order": test_order, "worlds": test_worlds}, "unify", Test))
