# SPDX-License-Identifier: BSD-3-Clause
"""Waiting for an event. No test sleeps for as long as something usually takes."""
import os
import time

_longest = (0, "")  # the share of its limit, and words for it


def note_wait(what, took, limit):
    """For longest_wait(): it took so many seconds, and was given up after so many."""
    global _longest  # pylint: disable=global-statement
    _longest = max(_longest, (took / max(limit, 0.001), f"{what} took {took:.1f} s, of {limit} s at most"))


def longest_wait():
    """Of all waits that ended, the one that came nearest to its limit, in words."""
    return _longest[1]


def wait_for(what, condition, seconds=60, pause=0.01):
    """Until condition() gives something true, which is returned. TimeoutError, which fails the test, names `what`."""
    begun = time.monotonic()
    while True:
        found = condition()
        if found:
            note_wait(what, time.monotonic() - begun, seconds)
            return found
        if time.monotonic() > begun + seconds:
            raise TimeoutError(f"{what}: not within {seconds} s")
        time.sleep(pause)  # between two looks


def has_content(path):
    """For wait_for: something is in the file."""
    try:
        return os.path.getsize(path) > 0
    except OSError:
        return False
