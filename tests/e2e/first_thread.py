# SPDX-License-Identifier: BSD-3-Clause
"""The thread that used OpenMP first ends (first_thread.c). With a tool that wants to know of locks LLVM's runtime crashes at
the end of the next critical section. So nothing is recorded of them from there on, and that is said.

    tests/run e2e.first_thread --build BUILD --runtimes DIR
"""
import sys

from harness import main


def test_first_thread(test):
    program = test.compile("e2e", "first_thread.c")
    for name, words, said in (("all", (), True), ("without", ("--events=-mutex",), False)):
        ended = test.run(name, [test.omptape, *words, "-o", "out", program])
        test.expect(f"{name}: how it ends", (0, b"8\n"), (ended.code, ended.out))
        test.expect(f"{name}: said", said, b"not recorded: locks and critical sections" in ended.err)
        test.verify_archive(name, test.path(name, "out", "traces.otf2"))


if __name__ == "__main__":
    sys.exit(main("The runtime's first thread ends.", test_first_thread, "first_thread", stage="19"))
