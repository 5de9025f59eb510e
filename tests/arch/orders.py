# SPDX-License-Identifier: BSD-3-Clause
"""What the buffers' release stores are for: the buffers are built with each of them weakened in turn, and the stress test
must then fail under the thread sanitizer, which knows what C promises of any processor, not what this one does.

    tests/run arch.orders --build BUILD --runtimes DIR
"""
import glob
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from harness import Missing, main, source_of

CHECKOUT = os.path.dirname(source_of())
STRONG, WEAK = "memory_order_release", "memory_order_relaxed"
SECONDS = "5"
SEED = "3"

# What this test cannot see, and why: part of a statement, as it stands in the source.
UNSEEN = {
    "OMPTAPE_SLOT_FREE": "a slot that is free is only taken from the list, onto which it is put with a release of its own",
    "omptape_producer_shm": "the test's threads are made after the session, which orders as much",
    "dropped_since": "the record that is to be seen with it was committed with a release before, and is read by no other way",
    "first_chunk": "what it orders are atomic words: the sanitizer sees races, but not that an old value would be read",
    "OMPTAPE_SLOT_ENDED": "the same",
    "OMPTAPE_SLOT_LIVE": "the first chunk comes after it, with a release of its own",
}


def releases():
    """(file, place of the word, its statement) of each."""
    for path in sorted(glob.glob(os.path.join(CHECKOUT, "buffers", "*.[ch]"))):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for match in re.finditer(STRONG, text):
            begin = max(text.rfind(end, 0, match.start()) for end in ";{}")
            yield path, match.start(), " ".join(text[begin + 1:match.end()].split())


def build(test, name, weakened=None):
    """The stress test, with the release at `weakened` (file, place) relaxed."""
    folder = test.path(name)
    shutil.copytree(os.path.join(CHECKOUT, "buffers"), os.path.join(folder, "buffers"))
    if weakened is not None:
        path, place = weakened
        copy = os.path.join(folder, "buffers", os.path.basename(path))
        with open(copy, encoding="utf-8") as file:
            text = file.read()
        with open(copy, "w", encoding="utf-8") as file:
            file.write(text[:place] + WEAK + text[place + len(STRONG):])
    sources = [source_of("unit", "buffers", "stress_buffer.c"), source_of("unit", "session_fixture.c"), *glob.glob(os.path.join(folder, "buffers", "*.c")),
               *(os.path.join(CHECKOUT, "src", "core", f"{part}.c") for part in ("clock", "message", "process_stat", "progress"))]
    binary = os.path.join(folder, "stress")
    done = subprocess.run(["gcc", "-std=c11", "-D_GNU_SOURCE", '-DOMPTAPE_VERSION="0"', "-O2", "-g", "-fsanitize=thread", "-Wno-tsan",
                           "-include", source_of("unit", "buffers", "stumble.h"), f"-I{folder}", f"-I{CHECKOUT}/include", f"-I{CHECKOUT}",
                           f"-I{test.built('ompt')}", *sources, "-pthread", "-o", binary],
                          check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stdout)
    return binary


def holds(binary):
    """Whether nothing is found."""
    done = subprocess.run([binary, "threads", SECONDS, SEED], check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, "TSAN_OPTIONS": "halt_on_error=1"}, timeout=240)
    return done.returncode == 0


def orders(test):
    """Each release store is needed, or it is said why the test cannot see it."""
    if shutil.which("gcc") is None:
        raise Missing("there is no gcc")
    found = list(releases())
    if not holds(build(test, "whole")):
        test.fail("the buffers as they are do not hold")

    def weakened(number):
        path, place, _ = found[number]
        return holds(build(test, str(number), (path, place)))

    with ThreadPoolExecutor(2) as pool:
        held = list(pool.map(weakened, range(len(found))))
    used = set()
    for (path, _, statement), unnoticed in zip(found, held):
        reason = next((word for word in UNSEEN if word in statement), None)
        print(f"{os.path.basename(path)}: {statement}: {'unnoticed' if unnoticed else 'noticed'}")
        if unnoticed and reason is None:
            test.fail(f"{os.path.basename(path)}: {statement}: nobody notices that it is weak")
        if not unnoticed and reason is not None:
            test.fail(f"{os.path.basename(path)}: {statement}: is noticed, against what is said of {reason}")
        used.add(reason)
    test.expect("reasons for what is not there", set(), set(UNSEEN) - used)


if __name__ == "__main__":
    sys.exit(main(__doc__, orders, "arch.orders"))
