# SPDX-License-Identifier: BSD-3-Clause
"""What the tests in Python share. A test imports from here alone, and is run by tests/run:

    from harness import Test, main, wait_for

    def lost_writer(test):
        program = test.start("killed", [test.busy, "1"], test.preloaded())
        ...

    if __name__ == "__main__":
        sys.exit(main("What it tests.", {"lost_writer": lost_writer}, "fault", stage="19"))

test        a test's folder, environment, programs, problems and end; its command line
processes   runs programs, and knows all that they start
waiting     waits for an event, with a deadline
stages      compilers and runtimes
archives    the independent checker
facts       counts what an archive says
counts      what the counting tool counted
users       two users and a folder that both can write to
disks       file systems as a network's may be
sums        a profile's sums: their parts and hashes
pages       the data of a report's page
shares      what holds in every report: shares, sums and parts
"""
from harness.processes import Ended, kill_all
from harness.stages import STAGES, Broken, Missing, Toolchain
from harness.test import BUSY_CODE, PASSED_ON, SKIPPED, TESTS, Test, arguments, main, run_test, source_of
from harness.waiting import has_content, wait_for

__all__ = ["BUSY_CODE", "Broken", "Ended", "Missing", "PASSED_ON", "SKIPPED", "STAGES", "TESTS", "Test", "Toolchain",
           "arguments", "has_content", "kill_all", "main", "run_test", "source_of", "wait_for"]
