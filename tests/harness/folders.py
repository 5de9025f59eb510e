# SPDX-License-Identifier: BSD-3-Clause
"""Tests that run at the same time have folders of their own: asks each of CTest's tests for its folder, without running it.

    tests/run harness.folders --ctest CTEST --build BUILD
"""
import argparse
import collections
import contextlib
import io
import json
import os
import runpy
import shutil
import subprocess
import sys
import warnings

import harness
from harness import Missing, Test
from harness import test as harness_test


class Taken(BaseException):
    """What a test gets that is about to begin."""


def begin(self, *_, **__):
    raise Taken(getattr(self, "folder", None))


def ask(module, words, name, taken):
    """Has the test begin, and notes the folders that it takes. Most have one, some one for each stage."""
    def note(make, _):
        try:
            make()
        except Taken as reason:
            taken[reason.args[0]].add(name)
        except Missing:
            pass
        return harness.SKIPPED

    harness.run_test = harness_test.run_test = note
    sys.argv = [module, *words]
    with contextlib.suppress(SystemExit, Taken), contextlib.redirect_stdout(io.StringIO()):
        runpy.run_module(module, run_name="__main__")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ctest", required=True)
    parser.add_argument("--build", required=True)
    options = parser.parse_args()
    listed = subprocess.run([options.ctest, "--test-dir", options.build, "--show-only=json-v1"], check=True, stdout=subprocess.PIPE)
    tests = [(test["name"], test["command"]) for test in json.loads(listed.stdout)["tests"] if "command" in test]
    own = [(name, command[1], command[2:]) for name, command in tests
           if command[0] == os.path.join(harness.TESTS, "run") and "--runtimes" in command]
    warnings.simplefilter("ignore", RuntimeWarning)  # some import each other
    Test._take_folder = begin
    subprocess.Popen.__init__ = shutil.rmtree = begin  # of those with another way to begin
    taken = collections.defaultdict(set)
    for name, module, words in own:
        ask(module, words, name, taken)
    print(f"{len(own)} tests, {len(taken)} folders")
    shared = {folder: names for folder, names in taken.items() if folder is not None and len(names) > 1}
    for folder, names in sorted(shared.items()):
        print(f"FAILED: {os.path.basename(folder)} is the folder of {', '.join(sorted(names))}")
    if len(taken) < len(own) / 2:
        print("FAILED: most tests did not say which folder is theirs")
    return int(bool(shared) or len(taken) < len(own) / 2)


if __name__ == "__main__":
    sys.exit(main())
