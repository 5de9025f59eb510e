#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Signal handlers that cause OpenMP events in the middle of another event of their thread (interrupts.c): no record is torn,
and what the archive holds and what it says is lost is what the program made. Run by CTest:

    interrupts.py --build BUILD --runtimes DIR [--calls N]
"""
import argparse
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "checker"))

import check  # noqa: E402
import processes  # noqa: E402
from facts import Facts  # noqa: E402
from run import PASSED_ON, SKIPPED  # noqa: E402
from stages import STAGES, Missing, Toolchain  # noqa: E402

OWN_EXIT = 3
# (mode, policy) -> whether nothing may be lost.
CASES = {("flush", "wait"): True, ("lock", "wait"): True, ("control", "wait"): True, ("error", "wait"): True,
         ("stack", "wait"): True, ("jump", "wait"): True, ("burst", "wait"): False, ("lock", "drop"): False,
         ("burst", "drop"): False, ("error", "drop"): False}
THOROUGH = ("lock", "wait")
RECORDS_A_LOCK = 3
SIZES = {"wait": "512M", "drop": "1M"}


class Case:
    """One run of the program under omptape, and what its archive says."""

    def __init__(self, options, toolchain, mode, policy, calls):
        self.thorough = (mode, policy) == THOROUGH
        self.name = f"{mode} {policy}"
        self.problems = []
        folder = os.path.join(options.build, "tests", "work", "interrupts", f"{mode}-{policy}-{calls}")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        own = {key: os.environ[key] for key in PASSED_ON if key in os.environ}
        own.update(toolchain.environment(), KMP_LOCK_KIND="tas", OMPTAPE_EVENTS="all,error")
        binary = toolchain.compile(os.path.join(HERE, "interrupts.c"),
                                   os.path.join(toolchain.programs(options.build), "interrupts"),
                                   link_flags=["-lrt"])
        done = processes.run([os.path.join(options.build, "bin", "omptape"), "-o", "out", f"--when-full={policy}",
                              f"--buffer-size={SIZES[policy]}", binary, mode, str(calls)], folder, own, timeout=120)
        self.expect("exit code", OWN_EXIT, done.code)
        self.made, self.by_handlers, self.unsure = 0, 0, 0
        if done.code == OWN_EXIT:
            numbers = [int(word) for word in done.out.split()]
            self.made, self.by_handlers, self.unsure = numbers[0] + numbers[1], numbers[1], numbers[2]
        self.read(options, os.path.join(folder, "out", "trace.otf2"))
        if not self.problems:
            shutil.rmtree(folder, ignore_errors=True)

    def expect(self, what, wanted, found):
        if wanted != found:
            self.problems.append(f"{self.name}: {what}: {found} instead of {wanted}")

    def read(self, options, path):
        facts, omptape = Facts(), os.path.join(options.build, "bin", "omptape")
        if self.thorough:
            self.problems += [f"{self.name}: {line}" for line in check.check(omptape, path, [facts])]
        else:
            self.problems += [f"{self.name}: {line}" for line in check.quickly(omptape, path, facts)]
        self.records = int(facts.properties.get("OMPTAPE::RECORDS", "0"))
        self.dropped = int(facts.properties.get("OMPTAPE::DROPPED", "0"))
        self.acquired = facts.events["ThreadAcquireLock"]


def judge(case, nothing, lossless):
    told = case.records + case.dropped - (nothing.records + nothing.dropped)
    if not case.made <= told <= case.made + case.unsure:
        case.problems.append(f"{case.name}: {told} records and losses instead of {case.made} (+ {case.unsure})")
    if lossless:
        case.expect("dropped", 0, case.dropped)
    if case.thorough:
        case.expect("acquisitions", case.made // RECORDS_A_LOCK, case.acquired)
    return case.problems


def main():
    parser = argparse.ArgumentParser(description="Runs programs whose signal handlers cause events.")
    parser.add_argument("--build", type=os.path.abspath, required=True)
    parser.add_argument("--runtimes", type=os.path.abspath, required=True)
    parser.add_argument("--calls", type=int, default=600)
    options = parser.parse_args()
    processes.adopt_orphans()
    try:
        toolchain = Toolchain(STAGES["19"], options.runtimes)
    except Missing as reason:
        print(f"SKIPPED: {reason}")
        return SKIPPED
    nothing = Case(options, toolchain, "flush", "wait", 0)
    problems = nothing.problems
    for (mode, policy), lossless in CASES.items():
        case = Case(options, toolchain, mode, policy, options.calls)
        problems += judge(case, nothing, lossless)
        print(f"{case.name}: {case.made} records made, {case.by_handlers} of them by handlers; {case.records} recorded, "
              f"{case.dropped} counted as lost")
    for problem in problems:
        print(f"FAILED: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
