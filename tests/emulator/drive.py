#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Puts the emulator, in one mood, in front of omptape and checks: the program does what it does without, nothing
was done against the specification, the archive is sound and shows what the devices really did. CTest calls it once
a mood:

    drive.py --build BUILD --runtimes DIR [--host-only] MOOD    exit: 0 passed, 1 failed, 77 skipped
    drive.py --list                                             prints the moods

--host-only leaves out what the archive says of the devices. --verbose prints the alignment error measured.
"""
import argparse
import os
import sys

import alignment
from device_facts import DeviceFacts
from moods import ALL, HOST, MOODS, SOAK
from setting import SKIPPED, Setting, processes

import check  # of tests/checker, which setting.py put on the path
from stages import Broken, Missing

LIMIT_OF_LINES = 5


class Drive:
    def __init__(self, setting, name, options):
        self.setting = setting
        self.name = name
        self.mood = MOODS[name]
        self.host_only = options.host_only
        self.verbose = options.verbose

    def fail(self, text):
        self.setting.fail(text)

    def fail_some(self, what, lines):
        """The first few of many."""
        for line in lines[:LIMIT_OF_LINES]:
            self.fail(f"{what}: {line}")
        if len(lines) > LIMIT_OF_LINES:
            self.fail(f"{what}: and {len(lines) - LIMIT_OF_LINES} more")

    def run(self, program):
        name = f"{self.name}.{program}"
        arguments = self.mood.arguments.get(program, ())
        bare = self.setting.run(name + ".bare", [self.setting.program(program), *arguments])
        traced, truth = self.setting.emulated(name, program, self.mood.words,
                                              self.setting.path("lib", "libomptape.so"), arguments, timeout=200,
                                              OMPTAPE_OUTPUT="out", OMPTAPE_QUIET="1", **self.mood.environment)
        self.setting.same(name, bare, traced)
        self.fail_some(f"{name}: violation", truth.violations)
        path = os.path.join(traced.folder, "out", "trace.otf2")
        if path not in traced.at_end:
            self.fail(f"{name}: no archive when the program has ended")
            return
        facts = DeviceFacts()
        self.fail_some(name, check.check(self.setting.path("bin", "omptape"), path, [facts]))
        if self.mood.shown != HOST:
            self.judge_reading(name, truth)
        if not self.host_only:
            self.judge(name, program, truth, facts)

    def judge(self, name, program, truth, facts):
        """What the devices did must be on their timelines."""
        self.fail_some(name, facts.problems)
        self.judge_tracing(name, truth)
        result = alignment.compare(truth, facts)
        if self.verbose:
            print(f"{name}: {result.describe()}")
        self.fail_some(f"{name}: wrong", result.wrong)
        self.fail_some(f"{name}: not in the archive",
                       [f"{record} ({found} of {number})" for record, number, found in result.missing])
        if self.mood.shown == ALL:
            self.fail_some(f"{name}: more often than it happened",
                           [f"{record} ({found} of {number})" for record, number, found in result.surplus])
        if self.mood.shown == HOST:
            self.fail_some(f"{name}: as the host saw it", alignment.compare_host_observed(truth, facts))
        self.judge_errors(name, result, facts)
        if program == "control":
            self.judge_pause(name, truth)

    def judge_reading(self, name, truth):
        """What was handed over must have been looked at, all of it."""
        unread = [record for record in truth.records
                  if record.delivered and not record.read and record.kind != "nothing"]
        self.fail_some(f"{name}: handed over and not read", unread)

    def judge_tracing(self, name, truth):
        """Where the device offers all that is needed, the tool must have used it."""
        traced = [record for record in truth.records if record.fate not in ("untraced", "paused")]
        if self.mood.shown != HOST and not traced:
            self.fail(f"{name}: the device was never asked to trace")
        dropped = [record for record in truth.records if record.fate == "dropped"]
        if dropped:
            self.fail(f"{name}: {len(dropped)} records found no buffer")

    def judge_errors(self, name, result, facts):
        if self.mood.limit is not None and self.mood.shown != HOST:
            if not result.errors:
                self.fail(f"{name}: no record to measure the alignment by")
            elif result.quantile(.99) > self.mood.limit:
                self.fail(f"{name}: misplaced by more than {self.mood.limit} ns: {result.describe()}")
        if not self.mood.bounded or self.mood.limit is None:
            return
        for device, errors in result.by_device.items():
            bound = alignment.bound_of(facts, device)
            if bound is None:
                self.fail(f"{name}: the archive does not say how far the times of device {device} can be off")
            elif max(errors) > bound:
                self.fail(f"{name}: device {device} is off by {max(errors):.0f} ns, the archive says {bound:.0f} at most")

    def judge_pause(self, name, truth):
        """Five constructs while measurement was paused, with at least three operations each."""
        paused = [record for record in truth.of("kernel", "to", "from") if record.fate in ("paused", "untraced")]
        if "pause_fails" not in self.mood.words and len(paused) < 15:
            self.fail(f"{name}: the device recorded while measurement was paused: {len(paused)} operations not recorded")


def main():
    parser = argparse.ArgumentParser(description="Puts the emulator in front of omptape.")
    parser.add_argument("--build", type=os.path.abspath)
    parser.add_argument("--runtimes", type=os.path.abspath)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--host-only", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("mood", nargs="?", choices=MOODS)
    options = parser.parse_args()
    if options.list:
        print("\n".join(name for name in MOODS if name not in SOAK))
        return 0
    if not options.mood or not options.build or not options.runtimes:
        parser.error("a build folder, a folder of runtimes and a mood are needed")
    processes.adopt_orphans()
    try:
        setting = Setting(options, f"device.{options.mood}")
        drive = Drive(setting, options.mood, options)
        for program in drive.mood.programs:
            drive.run(program)
    except Missing as reason:
        print(f"SKIPPED: {reason}")
        return SKIPPED
    except (Broken, TimeoutError) as reason:
        print(f"FAILED: {reason}")
        return 1
    return setting.report()


if __name__ == "__main__":
    sys.exit(main())
