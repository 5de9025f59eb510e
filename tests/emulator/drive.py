# SPDX-License-Identifier: BSD-3-Clause
"""Puts the emulator, as a device that behaves in one of many ways, in front of omptape and checks: the program does
what it does without, nothing was done against the specification, the archive is sound and shows what the devices really
did. CTest calls it once for each way (behaviours.py):

    tests/run emulator.drive --build BUILD --runtimes DIR [--host-only] BEHAVIOUR    exit: 0 passed, 1 failed, 77 skipped
    tests/run emulator.drive --list                                                  prints their names

--host-only leaves out what the archive says of the devices. --verbose prints the alignment error measured.
"""
import collections
import sys

from emulator import alignment
from emulator.behaviours import ALL, BEHAVIOURS, HOST, SOAK
from emulator.device_facts import DeviceFacts
from emulator.setting import Setting
from emulator.try_emulator import read_output
from harness import arguments, main

LIMIT_OF_LINES = 5
ATTEMPTS = 4


class Drive(Setting):
    def __init__(self, options, name, stage):
        super().__init__(options, name, stage)
        self.behaviour = BEHAVIOURS[options.name]
        self.host_only = options.host_only
        self.verbose = options.verbose

    def fail_some(self, what, lines):
        """The first few of many."""
        for line in lines[:LIMIT_OF_LINES]:
            self.fail(f"{what}: {line}")
        if len(lines) > LIMIT_OF_LINES:
            self.fail(f"{what}: and {len(lines) - LIMIT_OF_LINES} more")

    def drive(self, program):
        """A disturbed machine disturbs the readings of the clocks: all must hold in each run, the limit of the alignment's
        error in one of a few."""
        for attempt in range(ATTEMPTS):
            misplaced = self.drive_once(f"{self.options.name}.{program}" + (f".{attempt}" if attempt else ""), program)
            if misplaced is None:
                return
        self.fail(misplaced)

    def drive_once(self, name, program):
        """Returns what there is to say where the limit of the alignment's error does not hold."""
        words = self.behaviour.arguments.get(program, ())
        bare = self.alone(name, program, words)
        tool, out = self.built("tests", "emulator", "libsimple_tool.so"), self.path(f"{name}.out")
        second = {"OMPTAPE_WITH_TOOL": tool, "SIMPLE_TOOL_OUT": out} if self.behaviour.second else {}
        traced, truth = self.emulated(name, program, self.behaviour.words, self.library, words, timeout=200,
                                      OMPTAPE_OUTPUT="out", OMPTAPE_QUIET="1", **self.behaviour.environment, **second)
        self.same(name, bare, traced)
        self.fail_some(f"{name}: violation", truth.violations)
        if second:
            self.check_second(name, truth, out)
        path = self.path(name, "out", "traces.otf2")
        if path not in traced.archives:
            self.fail(f"{name}: no archive when the program has ended")
            return None
        facts = self.verify_archive(name, path, DeviceFacts())
        self.fail_some(f"{name}: callbacks that the runtime refused",
                       [key for key, value in facts.properties.items() if "::CALLBACK::" in key and value == "error"])
        if self.behaviour.shown != HOST:
            self.check_reading(name, truth)
        return None if self.host_only else self.check_devices(name, program, truth, facts)

    def check_second(self, name, truth, out):
        """The other tool must have got the same OMPT records, with identities that it made itself, each operation's once."""
        records, _, other = read_output(out)
        made = [int(words[1]) for words in other if words[0] == "identities"]
        if made == [] or made[0] == 0:
            self.fail(f"{name}: the second tool did not end, or made no identity: {other}")
            return
        kinds = ("kernel", "alloc", "to", "from", "delete", "associate", "disassociate", "target_begin", "target_end")
        shown = collections.Counter((record.device_begin, 0 if record.kind.startswith("target") else record.device_end)
                                    for record in truth.of(*kinds) if record.fate == "buffered")
        got = collections.Counter(record[2:] for record in records.elements())
        self.fail_some(f"{name}: not the record of the second tool", sorted(((shown - got) + (got - shown)).items()))
        operations = [record[0] for record in records.elements() if record[0] != 0]
        self.expect(f"{name}: operations of the second tool", len(operations), len(set(operations)))
        # Routines have no target construct.
        if not all(0 <= identity <= made[0] for record in records for identity in record[:2]):
            self.fail(f"{name}: an identity that the second tool has not made")

    def check_devices(self, name, program, truth, facts):
        """What the devices did must be on their timelines."""
        self.fail_some(name, facts.problems)
        self.check_tracing(name, truth)
        result = alignment.compare(truth, facts)
        if self.verbose:
            print(f"{name}: {result.describe()}")
        self.fail_some(f"{name}: wrong", result.wrong)
        self.fail_some(f"{name}: not in the archive",
                       [f"{record} ({found} of {number})" for record, number, found in result.missing])
        if self.behaviour.shown == ALL:
            self.fail_some(f"{name}: more often than it happened",
                           [f"{record} ({found} of {number})" for record, number, found in result.surplus])
        if self.behaviour.shown == HOST:
            self.fail_some(f"{name}: as the host saw it", alignment.compare_host_observed(truth, facts))
        self.check_bounds(name, result, facts)
        if program == "control":
            self.check_pause(name, truth)
        return self.misplaced(name, result)

    def check_reading(self, name, truth):
        """What was handed over must have been looked at, all of it."""
        unread = [record for record in truth.records
                  if record.delivered and not record.read and record.kind != "nothing"]
        self.fail_some(f"{name}: handed over and not read", unread)

    def check_tracing(self, name, truth):
        """Where the device offers all that is needed, the tool must have used it."""
        traced = [record for record in truth.records if record.fate not in ("untraced", "paused")]
        if self.behaviour.shown != HOST and not traced:
            self.fail(f"{name}: the device was never asked to trace")
        dropped = [record for record in truth.records if record.fate == "dropped"]
        if dropped:
            self.fail(f"{name}: {len(dropped)} records found no buffer")

    def misplaced(self, name, result):
        if self.behaviour.limit is None or self.behaviour.shown == HOST:
            return None
        if not result.errors:
            return f"{name}: no record to measure the alignment by"
        if result.quantile(.99) <= self.behaviour.limit:
            return None
        return f"{name}: misplaced by more than {self.behaviour.limit} ns: {result.describe()}"

    def check_bounds(self, name, result, facts):
        if not self.behaviour.bounded or self.behaviour.limit is None:
            return
        for device, errors in result.by_device.items():
            bound = alignment.bound_of(facts, device)
            if bound is None:
                self.fail(f"{name}: the archive does not say how far the times of device {device} can be off")
            elif max(errors) > bound:
                self.fail(f"{name}: device {device} is off by {max(errors):.0f} ns, the archive says {bound:.0f} at most")

    def check_pause(self, name, truth):
        """Five constructs while measurement was paused, with at least three operations each."""
        paused = [record for record in truth.of("kernel", "to", "from") if record.fate in ("paused", "untraced")]
        if "pause_fails" not in self.behaviour.words and len(paused) < 15:
            self.fail(f"{name}: the device recorded while measurement was paused: {len(paused)} operations not recorded")


def drive(test):
    for program in test.behaviour.programs:
        test.drive(program)


if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        print("\n".join(name for name in BEHAVIOURS if name not in SOAK))
        sys.exit(0)
    own = arguments("Puts the emulator in front of omptape.")
    own.add_argument("--host-only", action="store_true")
    own.add_argument("--verbose", action="store_true")
    sys.exit(main("", {name: drive for name in BEHAVIOURS}, "device", Drive, "22", parser=own))
