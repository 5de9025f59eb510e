# SPDX-License-Identifier: BSD-3-Clause
"""Programs that overwrite the memory which they share with their writer, each at other places: program and writer end, none
waits for the other for ever, and nothing is left.

    tests/run faults.scribbling --build BUILD --runtimes DIR [--runs N] [--seed N]
"""
import shutil
import signal
import sys

from harness import arguments, main

CODE = 7  # of scribble.c
PATIENCE = 120  # a thread gives up its writer after 10 s, and one thread may do so after the other
HEADER, SLOTS = 1 << 10, 1 << 18  # bytes from the beginning
# What the program does to lists that its own threads follow may be its end; what waits is not.
CODES = (CODE, 128 + signal.SIGSEGV, 128 + signal.SIGBUS)


def random(test):
    """Programs with random seeds, one after the other."""
    program = test.compile("faults", "scribble.c")
    environment = test.preloaded(OMPTAPE_BUFFER_SIZE="1M")
    for number in range(test.options.runs):
        words = [program, str(test.random.randrange(1 << 32)), str((HEADER, SLOTS)[number % 2])]
        name = f"seed {words[1]} {words[2]}"
        ended = test.run(name, words, environment, PATIENCE)
        if ended.code not in CODES:
            test.fail(f"{name}: it ended with {ended.code}: {ended.output}")
        if ended.seconds > 15:
            print(f"{name}: {ended.seconds:.0f} s")
        shutil.rmtree(test.path(name))


if __name__ == "__main__":
    own = arguments("Programs that overwrite the memory that they share with their writer.")
    own.add_argument("--runs", type=int, default=18, help="programs")
    sys.exit(main("", random, "fault.scribbling", stage="19", parser=own))
