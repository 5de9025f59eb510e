# SPDX-License-Identifier: BSD-3-Clause
"""What holds in every report, of the whole and of a window: no share is above 100 %, what is a part of something is no more
than that, and parts add up.

    problems = shares.problems(found, text)         of the JSON and, if there is one, the text
    problems = shares.problems_of_halves(whole, (one, other))   two windows beside each other
"""
import collections
import math
import re

NS = 1e-9
WORK = ("computing_s", "serial_s", "blocked_s", "runnable_s")
BEYOND_CONSTRUCTS = ("serial_s", "idle_s", "blocked_s", "runnable_s")   # time that may be in no region
SCHEDULER = 0.02    # seconds by which the kernel's counts may be off, and a share of them
WORDS = re.compile(r"\b(?:nan|inf)\b|-\d+(?:\.\d+)? (?:%|s|ms|us|ns)\b")


class Checks:
    """Collects what does not hold."""

    def __init__(self):
        self.problems = []

    def at_most(self, what, part, whole, roundings=2):
        """`roundings`: so many numbers were rounded to whole nanoseconds."""
        if part is not None and not part <= whole + roundings * NS + 1e-9 * abs(whole):
            self.problems.append(f"{what}: {part!r} is more than {whole!r}")

    def same(self, what, one, other, roundings=2):
        if abs(one - other) > roundings * NS + 1e-9 * abs(other):
            self.problems.append(f"{what}: {one!r} is not {other!r}")

    def true(self, what, good):
        if not good:
            self.problems.append(what)


def parts_of(rows):
    sums = collections.Counter()
    for row in rows:
        sums.update(row["parts"])
    return sums


def durations(value, name=""):
    """All durations in the JSON, with their names."""
    if isinstance(value, dict) and "histogram" in value:
        yield name, value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from durations(one, f"{name} {key}" if not isinstance(one, str) else name)
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from durations(one, f"{name}[{number}]")


def check_times(checks, found, life):
    """Moments lie in what was looked at, and nothing lasts longer."""
    begin, end = found["begin_s"], found["begin_s"] + found["wall_s"]
    for section in ("process_list", "nodes", "threads_list"):
        for row in found[section]:
            name = f"{section}: {row['name']}"
            checks.true(f"{name}: from {row['begin_s']} to {row['end_s']}",
                        begin - 2 * NS <= row["begin_s"] <= row["end_s"] + 2 * NS <= end + 4 * NS)
    for name, one in durations(found):
        checks.true(f"{name}: the histogram", sum(one["histogram"]) == one["count"])
        if one["count"] > 0:
            checks.at_most(f"{name}: longest", one["longest_s"], found["wall_s"])
            checks.at_most(f"{name}: median", one["median_s"], one["longest_s"])
            checks.at_most(f"{name}: longest", one["longest_s"], one["sum_s"])
            checks.at_most(f"{name}: sum", one["sum_s"], one["count"] * one["longest_s"], one["count"] + 2)
    for row in found["serial_parts"]:
        name = f"serial after {row['after']} before {row['before']}"
        checks.at_most(f"{name}: longest", row["longest_s"], found["wall_s"])
        checks.at_most(f"{name}: sum", row["sum_s"], life)


def check_threads(checks, found):
    """Threads' parts are their lives, and add up to those of processes and nodes."""
    threads = collections.defaultdict(list)
    for row in found["threads_list"]:
        threads[row["process"]].append(row)
        lived = row["end_s"] - row["begin_s"]
        checks.at_most(f"{row['name']}: parts", sum(row["parts"].values()), lived)
        if not row["name"].endswith(" more"):   # between several threads of one location nothing is
            checks.same(f"{row['name']}: parts", sum(row["parts"].values()), lived)
        if row["running_s"] is not None:
            checks.at_most(f"{row['name']}: running and queued", row["running_s"] + row["queued_s"],
                           lived * (1 + SCHEDULER) + SCHEDULER)
    for number, process in enumerate(found["process_list"]):
        parts = parts_of(threads[number])
        for word, value in process["parts"].items():
            checks.same(f"{process['name']}: {word}", value, parts[word], 2 + len(threads[number]))
        checks.at_most(f"{process['name']}: serial and communication", process["serial_s"] + process["communication_s"],
                       process["end_s"] - process["begin_s"])
    for word, value in parts_of(found["nodes"]).items():
        checks.same(f"nodes: {word}", value, parts_of(found["process_list"])[word], 2 + len(found["process_list"]))


def check_efficiency(checks, found):
    efficiency = found["efficiency"]
    product = 1.0
    for name, value in efficiency.items():
        checks.true(f"efficiency: {name} is {value}", math.isfinite(value) and value >= 0)
        if not name.endswith("_s"):
            checks.true(f"efficiency: {name} is {value}", value <= 1 + 1e-9)
            product *= value if name != "parallel" else 1
    checks.true(f"efficiencies multiply to {product}, not {efficiency['parallel']}", abs(product - efficiency["parallel"]) < 1e-6)
    lost = sum(value for name, value in efficiency.items() if name.startswith("lost_"))
    checks.at_most("efficiency: all that is lost", lost, efficiency["available_s"], 7)


def check_regions(checks, found, life):
    """What is in no region is serial or idle; no region has more than there is."""
    regions, threads = parts_of(found["regions"]), parts_of(found["threads_list"])
    roundings = 2 + len(found["regions"]) + len(found["threads_list"])
    for word, value in threads.items():
        checks.at_most(f"regions: {word}", regions[word], value, roundings)
        if word not in BEYOND_CONSTRUCTS and found["regions"]:
            checks.same(f"regions: {word}", regions[word], value, roundings)
    for row in found["regions"]:
        name = row["region"]
        checks.same(f"{name}: parts", sum(row["parts"].values()), row["exclusive_s"], 12)
        checks.at_most(f"{name}: exclusive", row["exclusive_s"], row["inclusive_s"])
        checks.at_most(f"{name}: inclusive", row["inclusive_s"], row["visits"]["sum_s"])
        checks.at_most(f"{name}: inclusive", row["inclusive_s"], life)
        checks.at_most(f"{name}: charged", row["charged_s"], life)
        checks.at_most(f"{name}: to win", row["gain_s"], found["wall_s"])
        checks.true(f"{name}: time without a visit", row["visits"]["count"] > 0 or row["inclusive_s"] == 0)


def check_findings(checks, found, life):
    for row in found["findings"]:
        name = f"{row['kind']} at {row['region']}"
        checks.at_most(f"{name}: gain", row["gain_s"], found["wall_s"])
        checks.at_most(f"{name}: waited", row["waited_s"], max(life, found["efficiency"]["available_s"]))
        for word in ("begin_s", "end_s"):
            inside = found["begin_s"] - 2 * NS <= row["worst"][word] <= found["begin_s"] + found["wall_s"] + 2 * NS
            checks.true(f"{name}: worst {word} is {row['worst'][word]}", inside or row["count"] == 0)
        checks.at_most(f"{name}: worst", row["worst"]["begin_s"], row["worst"]["end_s"])


def check_constructs(checks, found, life):
    """Loops, tasks, locks, transfers, devices, MPI."""
    for row in found["loops"]:
        name = row["region"]
        lost = [value for key, value in row.items() if key in ("lost_to_few_s", "lost_to_iterations_s", "lost_to_cost_s")]
        checks.at_most(f"{name}: mean", row["mean_s"], row["wall_s"])
        checks.at_most(f"{name}: lost", sum(lost), row["wall_s"] - row["mean_s"], 5)
        checks.at_most(f"{name}: threads", sum(row["thread_s"]), life, 2 + len(row["thread_s"]))
        checks.true(f"{name}: no instance", row["instances"] > 0)
    for row in found["tasks"]:
        name = row["region"]
        checks.true(f"{name}: none", row["created"] + row["grain"]["count"] > 0)
        checks.true(f"{name}: at once", row["most_at_once"] > 0 or row["grain"]["count"] == 0)
        checks.at_most(f"{name}: chain", row["chain_s"], found["wall_s"])
        for word in ("creation_s", "handling_s", "starved_s"):
            checks.at_most(f"{name}: {word}", row[word], life)
        checks.at_most(f"{name}: grain", row["grain"]["sum_s"], life)
    for row in found["outliers"]:
        name = f"{row['kind']} {row['number']} of {row['region']}"
        checks.true(f"{name}: {row['count']}", 0 < row["count"] <= row["times"]["count"] / 8)
        checks.at_most(f"{name}: 30 times the median", 30 * row["median_s"], row["takes_s"], 40)
        checks.at_most(f"{name}: takes", row["takes_s"], row["worst"]["end_s"] - row["worst"]["begin_s"])
        checks.at_most(f"{name}: ends", row["worst"]["end_s"], found["begin_s"] + found["wall_s"])
        checks.at_most(f"{name}: cost", row["cost_s"], row["times"]["sum_s"])
    holders = collections.Counter()
    for row in found["lock_holders"]:
        holders[row["region"], row["file"], row["line"]] += row["waited_s"]
    for row in found["locks"]:
        name = row["region"]
        checks.true(f"{name}: never asked for", row["wait"]["count"] + row["hold"]["count"] > 0)
        checks.true(f"{name}: contended", row["contended"] <= row["wait"]["count"])
        checks.at_most(f"{name}: contended wait", row["contended_wait_s"], row["wait"]["sum_s"])
        checks.at_most(f"{name}: handover", row["handover_s"], row["contended_wait_s"])
        checks.at_most(f"{name}: wait", row["wait"]["sum_s"], life)
    for row in found["transfers"]:
        checks.at_most(f"{row['region']}: times", row["times"]["sum_s"], life)
        checks.at_most(f"{row['region']}: repeated", row["repeated_s"], row["times"]["sum_s"])
        checks.true(f"{row['region']}: repeated", row["repeated_bytes"] <= row["bytes"] and row["repeated"] <= row["times"]["count"])
    for row in found["devices"]:
        checks.at_most(f"{row['name']}: busy", row["busy_s"], found["wall_s"])
        checks.at_most(f"{row['name']}: overlap and waited", row["overlap_s"] + row["waited_s"], row["busy_s"])
        checks.at_most(f"{row['name']}: idle", row["busy_s"] + row["idle_waited_s"], found["wall_s"])
        checks.at_most(f"{row['name']}: busy", row["busy_s"], row["kernel_s"] + row["transfer_s"])
    for row in found["mpi"]:
        checks.at_most(f"{row['function']}: calls", row["calls"]["sum_s"], life)
        checks.at_most(f"{row['function']}: waited", row["waited_s"] + row["not_known_s"], row["calls"]["sum_s"])


def check_text(checks, text):
    for line in text.splitlines():
        for number in re.findall(r"(\d+(?:,\d+)*(?:\.\d+)?) %", line):
            checks.true(f"{number} %: {line.strip()}", float(number.replace(",", "")) <= 100)
        checks.true(f"text: {line.strip()}", not WORDS.search(line))


def problems(found, text=""):
    """Lines that say what does not hold."""
    checks = Checks()
    life = sum(sum(row["parts"].values()) + 20 * NS for row in found["threads_list"])     # each part is rounded
    check_times(checks, found, life)
    check_threads(checks, found)
    check_efficiency(checks, found)
    check_regions(checks, found, life)
    check_findings(checks, found, life)
    check_constructs(checks, found, life)
    check_text(checks, text)
    return checks.problems


def problems_of_halves(whole, halves):
    """Two windows that begin and end where the other one does and lie side by side have together what the whole has."""
    checks = Checks()

    def compare(section, key, number):
        sums = collections.Counter()
        for half in halves:
            for row in half[section]:
                sums[key(row)] += number(row)
        wholes = collections.Counter()
        for row in whole[section]:
            wholes[key(row)] += number(row)
        for one in set(sums) | set(wholes):
            checks.same(f"{section}: {one}: of both halves", sums[one], wholes[one], 6)

    def parts(row):
        """What of the work had no processor is estimated from the readings within a window: with the rest it is work."""
        sums = collections.Counter()
        for word, value in row["parts"].items():
            sums["work" if word in WORK else word] += value
        return sums

    for word in parts(whole["threads_list"][0]) if whole["threads_list"] else ():
        compare("threads_list", lambda row, word=word: (row["location"], word), lambda row, word=word: parts(row)[word])
        compare("regions", lambda row, word=word: (row["region"], row["file"], row["function"], word),
                lambda row, word=word: parts(row)[word])
    compare("regions", lambda row: (row["region"], row["file"], row["function"]), lambda row: row["inclusive_s"])
    compare("process_list", lambda row: (row["name"], "serial"), lambda row: row["serial_s"])
    compare("process_list", lambda row: (row["name"], "communication"), lambda row: row["communication_s"])
    return checks.problems
