# SPDX-License-Identifier: BSD-3-Clause
"""The harness proves that it can fail: tests that do one thing wrong each, of which it has to say so. Usage:

    tests/run harness.selftest --build BUILD --runtimes DIR
"""
import contextlib
import io
import os
import shutil
import subprocess
import sys

from harness import SKIPPED, Missing, Test, main, processes, run_test, wait_for
from harness.test import FAILED, PASSED

# Other tests, which run at the same time, must not see what is left on purpose.
MARK = f"selftest-{os.getpid()}"
LEFT_IN_MEMORY = f"/dev/shm/{MARK}"


def good(test):
    test.expect("one", 1, 1)
    ended = test.run("good", ["sh", "-c", "echo out; echo err >&2; exit 3"])
    test.expect("its end", (3, b"out\n", b"err\n"), (ended.code, ended.out, ended.err))
    test.expect("killed", 137, test.run("killed", ["sh", "-c", "kill -9 $$"]).code)


def other_value(test):
    test.expect("one", 1, 2)


def too_late(test):
    test.run("late", ["sleep", "60"], timeout=0.2)


def group_left(test):
    """The whole group is killed, or the sleep would hold up the end."""
    test.run("late", ["sh", "-c", "sleep 60 & wait"], timeout=0.2)


def process_left(test):
    test.end_timeout = 0.3
    test.run("left", ["sh", "-c", "setsid sleep 60 &"])


def memory_left(test):
    test.run("left", ["touch", LEFT_IN_MEMORY])


def no_event(_):
    wait_for("what never comes", lambda: False, 0.1)


def no_archive(test):
    test.verify_archive("none", test.path("out", "traces.otf2"))


def archive(test):
    """A good one."""
    subprocess.run([test.built("tests", "unify", "make_parts"), test.path("parts"), "1", "2", "20", "1", "0"], check=True)
    return test.path("parts", "rank-0", "traces.otf2")


def good_archive(test):
    test.verify_archive("good", archive(test))


def damaged_archive(test):
    """Both checkers see that a location's events are gone."""
    path = archive(test)
    os.unlink(test.path("parts", "rank-0", "traces", "4294967296.evt"))
    test.verify_archive("damaged", path)


def not_built(test):
    test.built("bin", "nothing")


def same_folder(test):
    """Another one of the same name, while this one runs."""
    Test(test.options, test.name)


def disturbed_once(test):
    """What the first attempt finds is no problem, for it was disturbed."""
    attempts = iter(((2, True), (1, False)))

    def attempt():
        value, disturbed = next(attempts)
        test.expect("one", 1, value)
        return disturbed
    test.try_undisturbed(attempt)
    test.expect("attempts that are left", [], list(attempts))


def undisturbed(test):
    """It fails at once."""
    test.try_undisturbed(lambda: test.fail("found at once"))


def short_then_long(test):
    """The second length is enough, and the third is not tried."""
    lengths = []

    def attempt(length):
        lengths.append(length)
        return [f"{length} is too short"] if length < 2 else []
    test.try_longer((1, 2, 3), attempt)
    test.expect("lengths", [1, 2], lengths)


def always_short(test):
    """The longest run counts, and the wait that came nearest to its limit is told."""
    wait_for("a moment", lambda: True, 5)
    test.try_longer((1, 2), lambda length: [f"{length} is too short"])


def error(test):
    test.fail("found before")
    raise KeyError("a mistake in the test")


def missing(_):
    raise Missing("something")


def missing_later(test):
    test.fail("found before")
    raise Missing("something")


# What each gives, and all that it has to say.
EXPECTED = {
    good: (PASSED, ()), other_value: (FAILED, ("one: expected 1, found 2",)),
    too_late: (FAILED, ("did not end within 0.2 s",)), group_left: (FAILED, ("did not end within 0.2 s",)),
    process_left: (FAILED, ("sleep 60", "is left after")), memory_left: (FAILED, (f"left in /dev/shm: {MARK}",)),
    no_event: (FAILED, ("what never comes: not within 0.1 s",)), no_archive: (FAILED, ("there is no ",)),
    good_archive: (PASSED, ()), damaged_archive: (FAILED, ("damaged: omptape check: ", "damaged: otf2-print: ")),
    not_built: (FAILED, ("is not built",)), error: (FAILED, ("found before", "KeyError")),
    same_folder: (FAILED, ("another test is at work in",)),
    disturbed_once: (PASSED, ("disturbed:", "one: expected 1, found 2")), undisturbed: (FAILED, ("found at once",)),
    short_then_long: (PASSED, ("a run of length 1:", "1 is too short")),
    always_short: (FAILED, ("FAILED: 2 is too short", "margin: ", " s at most")),
    missing: (SKIPPED, ("SKIPPED: something",)), missing_later: (FAILED, ("found before",)),
}


def selftest(test):
    processes.OURS = MARK
    for one, (code, texts) in EXPECTED.items():
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            found = run_test(lambda one=one: Test(test.options, f"harness.selftest.{one.__name__}"), one)
        test.expect(one.__name__, code, found)
        for text in texts:
            if text not in said.getvalue():
                test.fail(f"{one.__name__}: {text!r} is not said: {said.getvalue()}")
        folder = f"{test.folder}.{one.__name__}"
        test.expect(f"{one.__name__}: its folder is left", code == FAILED, os.path.exists(folder))
        shutil.rmtree(folder, ignore_errors=True)
    os.unlink(LEFT_IN_MEMORY)
    test.options.seed = None
    first, again = (Test(test.options, f"{test.name}.seed").random.random() for _ in range(2))
    shutil.rmtree(f"{test.folder}.seed")
    test.expect("another seed each time", False, first == again)


if __name__ == "__main__":
    sys.exit(main("The harness proves that it can fail.", selftest, "harness.selftest"))
