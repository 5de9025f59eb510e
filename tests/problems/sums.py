# SPDX-License-Identifier: BSD-3-Clause
"""What a report in JSON says is to be won, computed again from the numbers beside it and in its sentences. No time
decides: whatever else ran on the machine, sentence and gain must agree.
"""
import collections
import re

_UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_TIME = r"(\d+(?:\.\d+)?) (s|ms|us|ns)"
_NEAR = 1e-6  # of a sum of numbers that are exact to the nanosecond
# Threads wait; what they wait is shared by all that wait for each other.
_WAITING = ("imbalance", "lock", "task_chain", "nested_wait", "needless_barrier", "late_start", "late_sender",
            "late_receiver", "collective_wait", "window_wait", "communication")


class _Printed:
    """Numbers with a unit as a sentence has them, and by how much they may be rounded."""

    def __init__(self, number, unit):
        self.value = float(number) * _UNITS[unit]
        self.rounded = _UNITS[unit] * (0.05 if "." in number else 0.5) * 1.01


def _printed(pattern, text):
    """The numbers of a sentence: one for each TIME of the pattern. None: it is another sentence."""
    found = re.search(pattern.replace("TIME", _TIME), text)
    if found is None:
        return None
    words = found.groups()
    return [_Printed(*words[i:i + 2]) for i in range(0, len(words), 2)]


def _count(pattern, text):
    found = re.search(pattern, text)
    return int(found[1].replace(",", "")) if found else None


def _differ(one, other, tolerance):
    return abs(one - other) > tolerance + _NEAR + 1e-4 * abs(other)


def _said(finding):
    """Pairs of what the sentence says and the number it stands for, with the tolerance."""
    kind, text, cost = finding["kind"], finding["text"], finding["cost_s"]
    waited = _printed(r"wait TIME in all", text)
    if waited and kind not in ("fine_tasks", "oversubscription"):
        yield "waiting", waited[0].value, finding["waited_s"], waited[0].rounded
    if kind == "few_threads" and (time := _printed(r"TIME on \d+ thread", text)):
        yield "time of the region", time[0].value, cost, time[0].rounded
    if kind == "serial" and (time := _printed(r"computes for TIME", text)):
        yield "time of one thread", time[0].value, cost, time[0].rounded
    if kind == "fine_tasks" and "others in this function" not in text:
        number = _count(r"([\d,]+) (?:tasks of|parts of)", text)
        each = _printed(r"switch to one takes TIME", text)
        more = _printed(r"; threads wait TIME in all", text)
        parts = [(number, one) for one in each or ()] + [(1, one) for one in more or ()]
        yield "creating, handling and waiting", sum(count * one.value for count, one in parts), cost, \
            sum(count * one.rounded for count, one in parts) + cost / 99
    if kind == "tiny_regions":
        number = _count(r"^([\d,]+) instances", text)
        each, work = _printed(r"take TIME each for TIME of work", text)
        yield "what lies beside the work", number * (each.value - work.value), cost, \
            number * (each.rounded + work.rounded)
    if kind == "fine_chunks":
        number, each = _count(r"^([\d,]+) chunks", text), _printed(r"about TIME to get it", text)[0]
        yield "taking chunks", number * each.value, cost, number * each.rounded
    if kind == "oversubscription":
        took, needed = _printed(r"what takes TIME could take TIME", text)
        yield "too many threads", took.value - needed.value, finding["gain_s"], took.rounded + needed.rounded


def _of_finding(finding, report):
    """What is wrong with one."""
    name = f"{finding['kind']} {finding['region']}"
    cost, threads, gain = finding["cost_s"], finding["cost_threads"], finding["gain_s"]
    worst = finding["worst"]
    if not -_NEAR <= worst["begin_s"] < worst["end_s"] <= report["wall_s"] + _NEAR:
        yield f"{name}: its worst instance is from {worst['begin_s']} to {worst['end_s']} s"
    if gain == 0 and finding.get("takes_s", 0) > 0:     # what is to win is not known
        return
    if threads <= 0:
        yield f"{name}: its cost {cost} is of no thread"
        return
    computed = cost / threads - finding["mended_s"] - finding["tracing_s"] - finding["elsewhere_s"]
    if _differ(computed, gain, 0):
        yield f"{name}: gain {gain}, of its numbers {computed}"
    if not 0 < gain <= report["wall_s"]:
        yield f"{name}: gain {gain} of {report['wall_s']}"
    if threads < 0.999:
        yield f"{name}: what is lost is shared by {threads} threads"
    if finding["kind"] in _WAITING and cost < finding["waited_s"] * 0.999 - _NEAR:
        yield f"{name}: {finding['waited_s']} waited, {cost} counted"
    if gain > cost + _NEAR:
        yield f"{name}: gain {gain}, lost is {cost}"
    for what, said, number, tolerance in _said(finding):
        if _differ(said, number, tolerance):
            yield f"{name}: {what}: the sentence has {said:.4g} s, the numbers {number:.4g} s: {finding['text']}"


def _place(one):
    return one["region"], one["function"], one["file"], one["line"]


def _of_locks(report):
    """While the holder of a lock sleeps, the sleep is what others wait for: no part of the lock's own gain."""
    asleep = {_place(lock): min(lock["slept_s"] / lock["hold"]["sum_s"], 1) if lock["hold"]["sum_s"] > 0 else 0
              for lock in report.get("locks", ())}
    if max(asleep.values(), default=0) < 0.5:
        return  # members that come late for a lock are waited for at barriers as well: that is the lock's, too
    awake = collections.Counter()
    for one in report.get("lock_holders", ()):
        awake[_place(one["holder"])] += one["waited_s"] * (1 - asleep.get(_place(one["holder"]), 0))
    handover = sum(lock["handover_s"] for lock in report.get("locks", ()))
    waited = sum(finding["waited_s"] for finding in report["findings"]
                 if finding["kind"] == "lock" and _place(finding) in awake)
    if waited > sum(awake.values()) + handover + 0.01 * sum(one["waited_s"] for one in report.get("lock_holders", ())) + _NEAR:
        yield f"{waited:.4g} s are waited for locks whose holders were awake for {sum(awake.values()):.4g} s of it"


def _of_verdict(report):
    """Its shares of computing are those of the threads' lives, as the summary has them."""
    lives = sum(sum(thread["parts"].values()) for thread in report.get("threads_list", ()))
    for word, share in re.findall(r"(computing|serial) (\d+\.\d) %", report.get("verdict", "")):
        known = 100 * sum(thread["parts"][f"{word}_s"] for thread in report["threads_list"]) / lives
        if abs(float(share) - known) > 0.06:
            yield f"verdict: {word} {share} %, of the threads' parts {known:.2f} %"


def faults(report):
    """What does not agree."""
    for finding in report["findings"]:
        yield from _of_finding(finding, report)
    yield from _of_locks(report)
    yield from _of_verdict(report)
    for one in report.get("outliers", ()):
        lasts = one["worst"]["end_s"] - one["worst"]["begin_s"]
        if one["takes_s"] > lasts + _NEAR:
            yield f"outlier {one['region']}: {one['takes_s']} s within {lasts} s"
    gains = sum(finding["gain_s"] for finding in report["findings"])
    if gains > report["wall_s"] + _NEAR:
        yield f"all gains together are {gains} of {report['wall_s']}"
    for region in report["regions"]:
        parts = region["parts"]
        work = sum(parts[f"{word}_s"] for word in ("computing", "serial", "task_management", "blocked", "runnable"))
        time = (work + max(region["exclusive_s"] - work, region["charged_s"])) / max(report["threads"], 1)
        if region["gain_s"] > time + _NEAR and not region["gain_beyond"]:
            yield f"{region['region']}: {region['gain_s']} to win of {time}, without a reason"
