# SPDX-License-Identifier: BSD-3-Clause
"""Waiting for an event. No test sleeps for as long as something usually takes."""
import os
import time


def wait_for(what, condition, seconds=60, pause=0.01):
    """Until condition() gives something true, which is returned. TimeoutError, which fails the test, names `what`."""
    deadline = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: not within {seconds} s")
        time.sleep(pause)  # between two looks


def has_content(path):
    """For wait_for: something is in the file."""
    try:
        return os.path.getsize(path) > 0
    except OSError:
        return False
