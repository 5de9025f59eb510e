# SPDX-License-Identifier: BSD-3-Clause
"""Programs that hang in MPI: the report of what they left when they were ended says who waits for whom, where and for
what. One that is healthy is told no hang, whenever it is ended.

    tests/run mpi.hangs --build BUILD --runtimes DIR openmpi|mpich messages|requests|collectives|windows|ended|endless|healthy|short
"""
import re
import sys

from harness import arguments, hangs, main, source_of
from mpi.messages import Messages

RANKS = 4
# Way to hang, and what must be in the sentence.
WAYS = {
    "messages": {
        "message": ("3 processes are in MPI_Barrier @.* for rank 2, which is in MPI_Recv @",
                    "for a message from rank 0, tag 99, that was never sent"),
        "tags": ("rank 1, which is in MPI_Recv @.* from rank 0, tag 8, that was never sent", r"1 with another tag, 7"),
        "any": ("rank 1, which is in MPI_Recv @.* for a message from any, that nobody sent",),
        "circle": ("4 processes wait for each other in a circle .*MPI_Recv @", "rank 0 for a message from rank 3, tag 4"),
        "large": ("2 processes wait for each other .*MPI_Send @", "rank 0 until rank 1 receives a message, tag 4"),
        "both": ("rank 0, which is in MPI_Sendrecv @.* for a message from rank 1, tag 2",),
        "probe": ("rank 1, which is in MPI_Probe @.* for a message from rank 2, tag 17",)},
    "requests": {
        "requests": ("rank 3, which is in MPI_Waitall @.* for a message from rank 2, tag 4, that was never sent",),
        "probing": ("rank 1, which asks again and again in MPI_Iprobe @.* for a message from rank 2, tag 4, that was never sent",),
        "testany": ("rank 1, which asks again and again in MPI_Testany @.* for a message from rank 3, tag 0",),
        "testall": ("rank 1, which asks again and again in MPI_Testall @.* for a message from rank 0, tag 1, that was never sent",),
        "testsome": ("rank 1, which asks again and again in MPI_Testsome @.* for a message from rank 0, tag 1, that was never sent",),
        "asking": ("rank 1, which asks again and again in MPI_Test @.* for a message from rank 0, tag 4",)},
    "collectives": {
        "order": ("3 processes are in MPI_Barrier @.* for rank 0, which is in MPI_Bcast @.* for rank 1",),
        "root": ("3 processes are in MPI_Bcast @.* for rank 1, which is in MPI_Recv @",),
        "later": ("3 processes are in MPI_Wait @.* for rank 1, which is in MPI_Recv @",),
        "part": ("2 processes wait for each other .*rank 2 in MPI_Recv @.* from rank 3, tag 4", "rank 3 in MPI_Barrier @.* for rank 2")},
    "windows": {
        "fence": ("3 processes are in MPI_Win_fence @.* for rank 1, which is in MPI_Barrier @",),
        "lock": ("rank 2, which is in MPI_Win_(lock|unlock) @.* for the lock of a window that is with rank 0",),
        "epoch": ("rank 0, which is in MPI_Win_wait @.* for rank 1",)},
    "ended": {
        "crash": ("3 processes are in MPI_Barrier @.* for rank 1, which was ended by signal 11",),
        "exit": (r"3 processes are in MPI_Barrier @.* for rank 1, which has ended \(exit status 3 without MPI_Finalize\)",)},
}


class Hangs(Messages):
    """Programs of one MPI that are ended from outside."""

    def __init__(self, options, name, stage):
        super().__init__(options, f"hangs.{name}", stage)
        self.binary = self.program("hangs.c")

    def run_until(self, way, wait):
        command = [self.omptape, "-q", "-o", "out", *self.launcher(RANKS), self.binary, way, str(wait)]
        report = hangs.end(self, way, command, self.environment(), wait)
        taken = [one["text"] for one in report["findings"] if "beside waits for others" in one["text"]]
        self.expect(f"{way}: calls that take their time themselves", [], taken)
        return report

    def hang(self, way, words, least=0):
        hangs.expect_hang(self, way, lambda wait: self.run_until(way, wait), source_of("mpi", "hangs.c"), words, least)


def test_of(name):
    def test(mpi):
        for way, words in WAYS[name].items():
            mpi.hang(way, words)
    return test


def endless(mpi):
    """Of one that does not wait it is said what it does."""
    mpi.hang("asleep", ("3 processes are in MPI_Barrier @.* for rank 1, which (sleeps|is) outside of .*MPI_Allreduce",), 2)


def healthy(mpi):
    """At any moment."""
    for wait in (0.1 + mpi.random.random() for _ in range(3)):
        report = mpi.run_until("healthy", wait)
        mpi.expect(f"healthy, ended after {wait} s", [], [one["text"] for one in hangs.hung(report)])


def short(mpi):
    """What MPI takes to begin is said where it is most of the run."""
    done = mpi.traced("short", RANKS, [mpi.binary, "none"])
    report = hangs.read_report(mpi, mpi.path("short", "out"))
    mpi.expect("exit code", 0, done.code)
    mpi.expect("hangs", [], hangs.hung(report))
    begun = sum(one["calls"]["sum_s"] for one in report["mpi"] if one["function"] == "MPI_Init") / RANKS
    said = any(re.match(r"MPI_\w+ takes \d+ % of the run", one) for one in report["warnings"])
    if begun > 0.51 * report["wall_s"] and not said:
        mpi.fail(f"MPI_Init takes {begun} of {report['wall_s']} s: {report['warnings']}")


if __name__ == "__main__":
    own_arguments = arguments("Programs that hang in MPI.")
    own_arguments.add_argument("mpi", choices=("mpich", "openmpi"))
    sys.exit(main("", {**{name: test_of(name) for name in WAYS}, "endless": endless, "healthy": healthy, "short": short}, "mpi", Hangs, "19",
                  parser=own_arguments))
