# SPDX-License-Identifier: BSD-3-Clause
"""Signal handlers that cause OpenMP events in the middle of another event of their thread (interrupts.c): no record is torn,
and what the archive holds and what it says is lost is what the program made. Run by CTest:

    tests/run e2e.interrupts --build BUILD --runtimes DIR [--calls N]
"""
import sys

from harness import arguments, main

OWN_EXIT = 3
# (mode, policy) -> whether nothing may be lost. A burst, and on a busy machine the long records of errors, may not find room.
CASES = {("flush", "wait"): True, ("lock", "wait"): True, ("control", "wait"): True, ("error", "wait"): False,
         ("stack", "wait"): True, ("jump", "wait"): True, ("burst", "wait"): False, ("lock", "drop"): False,
         ("burst", "drop"): False, ("error", "drop"): False}
THOROUGH = ("lock", "wait")
RECORDS_A_LOCK = 3
SIZES = {"wait": "512M", "drop": "1M"}


class Case:
    """One run of the program under omptape, and what its archive says."""

    def __init__(self, test, mode, policy, calls):
        self.test = test
        self.thorough = (mode, policy) == THOROUGH
        self.name = f"{mode} {policy}"
        name = f"{mode}-{policy}-{calls}"
        binary = test.compile("e2e", "interrupts.c", link_flags=["-lrt"])
        done = test.run(name, [test.omptape, "-o", "out", f"--when-full={policy}", f"--buffer-size={SIZES[policy]}",
                               binary, mode, str(calls)],
                        test.environment(KMP_LOCK_KIND="tas", OMPTAPE_EVENTS="all,error"), timeout=120)
        self.made, self.by_handlers, self.unsure = 0, 0, 0
        if done.code == OWN_EXIT:
            numbers = [int(word) for word in done.out.split()]
            self.made, self.by_handlers, self.unsure = numbers[0] + numbers[1], numbers[1], numbers[2]
        else:
            test.fail(f"{self.name}: exit code {done.code}: {done.output}")
        facts = test.verify_archive(self.name, test.path(name, "out", "traces.otf2"), thorough=self.thorough)
        self.records, self.dropped = facts.number("RECORDS"), facts.number("DROPPED")
        self.acquired = facts.events["ThreadAcquireLock"]


def check_case(case, nothing, lossless):
    told = case.records + case.dropped - (nothing.records + nothing.dropped)
    if not case.made <= told <= case.made + case.unsure:
        case.test.fail(f"{case.name}: {told} records and losses instead of {case.made} (+ {case.unsure})")
    if lossless:
        case.test.expect(f"{case.name}: dropped", 0, case.dropped)
    if case.thorough:
        case.test.expect(f"{case.name}: acquisitions", case.made // RECORDS_A_LOCK, case.acquired)


def interrupts(test):
    nothing = Case(test, "flush", "wait", 0)
    for (mode, policy), lossless in CASES.items():
        case = Case(test, mode, policy, test.options.calls)
        check_case(case, nothing, lossless)
        print(f"{case.name}: {case.made} records made, {case.by_handlers} of them by handlers; {case.records} recorded, "
              f"{case.dropped} counted as lost")


if __name__ == "__main__":
    own = arguments("Runs programs whose signal handlers cause events.")
    own.add_argument("--calls", type=int, default=600)
    sys.exit(main("", interrupts, "interrupts", stage="19", parser=own))
