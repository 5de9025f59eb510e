# SPDX-License-Identifier: BSD-3-Clause
"""Holds the intervals that an archive shows on its devices against the truth, and measures by how much each is
misplaced.
"""
from dataclasses import dataclass, field

WORK = ("kernel", "flood", "to", "from")
# Modes whose damage to a record changes its times or its link, so that it cannot be judged by them.
TIMES_LOST = {"end_before_begin", "time_zero", "begin_zero", "end_zero", "d2d_times"}
LINK_LOST = {"id_submit", "id_zero", "id_unknown", "type_unknown"}
BOUND = "OMPTAPE::DEVICE::{}::CLOCK::BOUND"  # what the archive says of its own error, in ns


@dataclass
class Comparison:
    """What was found. Errors in ns, of begin and end each."""

    errors: list = field(default_factory=list)
    by_device: dict = field(default_factory=dict)
    missing: list = field(default_factory=list)
    surplus: list = field(default_factory=list)
    wrong: list = field(default_factory=list)
    damaged: int = 0

    def quantile(self, part):
        errors = sorted(abs(error) for error in self.errors)
        return errors[min(len(errors) - 1, int(part * len(errors)))] if errors else 0.0

    def describe(self):
        if not self.errors:
            return "no error measured"
        return (f"{len(self.errors)} times: median {self.quantile(.5):.0f} ns, 99 % {self.quantile(.99):.0f} ns, "
                f"most {self.quantile(1):.0f} ns")


def is_shown(record):
    """Whether the device gave the tool this record."""
    return record.kind in WORK and record.fate == "buffered" and record.delivered > 0


def compare(truth, facts):
    """Matches each delivered record with the interval of its operation; of several, in the order of time."""
    result = Comparison()
    intervals = facts.by_operation()
    expected = {}
    for record in truth.records:
        if is_shown(record) and not record.damage & LINK_LOST:
            expected.setdefault(record.operation, []).append(record)
    groups = {}
    for operation, records in expected.items():
        found = intervals.get(operation, [])
        records.sort(key=lambda record: record.begin)
        if len(found) < len(records):
            result.missing.append((records[0], len(records), len(found)))
        elif len(found) > len(records):
            result.surplus.append((records[0], len(records), len(found)))
        for record, interval in zip(records, found):
            _compare_one(record, interval, facts, groups, result)
    return result


def _compare_one(record, interval, facts, groups, result):
    owner = groups.setdefault(interval.group, record.device)
    if owner != record.device:
        result.wrong.append(f"{interval.group} has operations of the devices {owner} and {record.device}")
    if interval.target != record.target:
        result.wrong.append(f"operation {record.operation}: target id {interval.target}, not {record.target}")
    if record.kind in ("to", "from") and interval.what not in (record.kind, "region"):
        result.wrong.append(f"operation {record.operation}: {interval.what}, the truth says {record.kind}")
    if record.kind in ("to", "from") and interval.what != "region" and interval.bytes != record.bytes:
        result.wrong.append(f"operation {record.operation}: {interval.bytes} bytes, not {record.bytes}")
    if not facts.first <= interval.begin <= interval.end <= facts.last:
        result.wrong.append(f"operation {record.operation}: from {interval.begin} to {interval.end} in an archive "
                            f"from {facts.first} to {facts.last}")
    if record.damage & TIMES_LOST:
        result.damaged += 1
        return
    for shown, true in ((interval.begin, record.begin), (interval.end, record.end)):
        error = (shown - true) * 1e9 / facts.hz
        result.errors.append(error)
        result.by_device.setdefault(record.device, []).append(abs(error))


def compare_host_observed(truth, facts):
    """Where no record came, each operation is on its device for as long as the host saw it."""
    problems = []
    intervals = facts.by_operation()
    for record in truth.of("kernel", "to", "from"):
        if record.device < 0 or record.fate == "paused":
            continue
        found = intervals.get(record.operation, [])
        host = facts.host_operations.get(record.operation)
        if not found:
            problems.append(f"nothing on the device of {record.kind} {record.operation}")
        elif host and not host[0] <= found[0].begin <= found[0].end <= host[1]:
            problems.append(f"{record.kind} {record.operation} is from {found[0].begin} to {found[0].end}, the host saw "
                            f"{host}")
    return problems


def bound_of(facts, device):
    """The greatest error that the archive admits for a device's times, in ns; None: it says nothing."""
    text = facts.properties.get(BOUND.format(device))
    return float(text.split()[0]) if text else None
