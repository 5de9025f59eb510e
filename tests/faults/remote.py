# SPDX-License-Identifier: BSD-3-Clause
"""The output lies on a file system of a network (remote_disk.py): the program never waits for it while it runs.

    tests/run faults.remote --build BUILD --runtimes DIR hangs
"""
import errno
import os
import signal
import sys

from harness import Test, main, wait_for
from harness.disks import RemoteDisks

DONE = b"begun\ndone 4002\n"


class Remote(Test):
    """With a mounted file system, and remote.c."""

    def __init__(self, options, name, stage=None):
        super().__init__(options, name, stage)
        self.program = self.compile("faults", "remote.c")
        self.disk = self.path("disk")
        self.disks = RemoteDisks(self, self.path("behind"), self.disk)
        self.now = self.disks.now

    def close(self):
        self.disks.close()

    def begin(self, command, environment=None):
        """The program, once it has begun."""
        program = super().start("program", [*command, self.program, self.path("go")], environment)
        wait_for("the program's begin", lambda: self.read_output() == b"begun\n")
        return program

    def read_output(self):
        with open(self.path("program", "stdout"), "rb") as file:
            return file.read()

    def go(self):
        self.write("go", "")

    def wait_until_done(self):
        wait_for("the program's end while its output takes no call", lambda: self.read_output() == DONE, 60)

    def end(self, program):
        ended = self.finish(program, 120)
        self.expect("the exit code", 17, ended.code)
        self.expect("what it says", DONE, ended.out)
        return ended

    def check_archive(self):
        facts = self.verify_archive("the archive", os.path.join(self.disk, "out", "traces.otf2"))
        self.expect("its regions", 2001, facts.events["ThreadFork"])


def hangs(test):
    """No call comes to an end while the program works, and then all do."""
    program = test.begin([test.omptape, "-o", os.path.join(test.disk, "out"), "--"])
    test.now("hang")
    test.go()
    test.wait_until_done()
    test.now("ok")
    test.end(program)
    test.check_archive()


def hangs_from_the_start(test):
    """The same before the program begins: what is in it looks at nothing there."""
    test.now("hang")
    program = test.begin([], test.preloaded(OMPTAPE_OUTPUT=os.path.join(test.disk, "out")))
    test.go()
    test.wait_until_done()
    test.now("ok")
    test.end(program)
    test.check_archive()


def slow(test):
    """Each call takes 20 ms."""
    test.now("slow 0.02")
    program = test.begin([test.omptape, "-o", os.path.join(test.disk, "out"), "--"])
    test.go()
    test.end(program)
    test.now("ok")
    test.check_archive()


def fails(test):
    """From the middle on nothing can be written: the program goes on, a line says so, and then it works again."""
    reasons = {errno.EIO: os.strerror(errno.EIO), errno.ENOSPC: "the disk is full", errno.ESTALE: os.strerror(errno.ESTALE)}
    for number, (code, reason) in enumerate(reasons.items()):
        folder = os.path.join(test.disk, str(number))
        program = test.begin([test.omptape, "-o", folder, "--"])
        test.now(f"fail {code}")
        test.go()
        ended = test.end(program)
        test.now("ok")
        if not any(line.startswith("omptape: ") and reason in line for line in ended.lines):
            test.fail(f"{reason}: nothing says so: {ended.lines}")
        os.unlink(test.path("go"))


def linkless(test):
    """A file system without links: one run, a writer that is killed, and ranks that share a folder."""
    test.now("linkless")
    program = test.begin([test.omptape, "-o", os.path.join(test.disk, "out"), "--"])
    test.go()
    test.expect("one run: lines", [], [line for line in test.end(program).lines if "cannot" in line])
    test.check_archive()

    os.unlink(test.path("go"))
    killed = os.path.join(test.disk, "killed")
    program = test.begin([test.omptape, "-o", killed, "--"])
    wait_for("a checkpoint", lambda: os.path.exists(os.path.join(killed, ".omptape-checkpoint")))
    test.expect("the killed one's claim", False, os.path.islink(os.path.join(killed, ".omptape-writing")))
    os.kill(test.writer(), signal.SIGKILL)
    test.go()
    test.end(program)
    test.verify_archive("killed", os.path.join(killed, "traces.otf2"))

    job = {"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0", "SLURM_NTASKS": "2", "OMPTAPE_OUTPUT": os.path.join(test.disk, "job")}
    ranks = [test.start(f"rank {rank}", [test.omptape, "-q", test.program, test.path("go")],
                        test.environment(**job, SLURM_PROCID=str(rank))) for rank in range(2)]
    for rank in ranks:
        rank.process.wait(120)  # both, before what is left of one is looked for
    for rank in ranks:
        test.expect(f"{rank.name}: exit code", 17, test.finish(rank).code)
    facts = test.verify_archive("the job", os.path.join(test.disk, "job", "traces.otf2"))
    test.expect("its regions", 4002, facts.events["ThreadFork"])
    test.expect("folders", ["job", "killed", "out"], sorted(os.listdir(test.disk)))


TESTS = {"linkless": linkless, "hangs": hangs, "hangs_from_the_start": hangs_from_the_start, "slow": slow, "fails": fails}

if __name__ == "__main__":
    sys.exit(main(__doc__, TESTS, "fault.remote", make=Remote, stage="19"))
