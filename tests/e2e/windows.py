# SPDX-License-Identifier: BSD-3-Clause
"""Windows (--from, --to) of archives of many kinds, chosen at random by time, by event and by instance: what a report says
of one is true of the part as it would be of a whole (tests/harness/shares.py), and two beside each other have together what
the whole has.

    tests/run e2e.windows --build BUILD --runtimes DIR [--seed N] host|others
"""
import itertools
import json
import sys

from emulator.setting import OFFLOAD
from harness import main, shares
from readers import kinds

STAGE = "19"
WINDOWS = 12        # of each archive
HALVES = 3
HOST = ("parallel_nested", "tasks_depend", "tasks_untied", "locks", "for_ordered", "teams")


def report(test, folder, *words):
    """The JSON and the text; of what is no window None and the error."""
    done = test.command("report", "--all", "--json", test.path("numbers.json"), *words, folder)
    if done.returncode != 0:
        return None, done.stdout
    with open(test.path("numbers.json"), encoding="utf-8") as file:
        return json.load(file), done.stdout


def moment(seconds):
    return f"{max(0, round(seconds * 1e9))}ns"


def window(test, whole):
    """Words for --from and --to: any two times, a short time from where something happens, or an instance."""
    way = test.random.randrange(3)
    if way == 0:
        times = sorted(test.random.uniform(0, whole["wall_s"]) for _ in range(2))
        return moment(times[0]), moment(times[1] + 1e-9)
    rows = [row for row in whole["regions"] if row["visits"]["count"] > 0]
    row = test.random.choice(rows)
    if way == 1 or not row["line"]:
        begin = row["visits"]["longest_begin_s"]
        return moment(begin), moment(begin + test.random.random() * 10 ** test.random.uniform(-8, -1) + 2e-9)
    name = f"{row['region'].replace(' ', '')}:{test.random.randint(1, row['visits']['count'])}"
    return name, name


def check(test, name, folder):
    whole, text = report(test, folder)
    for problem in shares.problems(whole, text):
        test.fail(f"{name}: {problem}")
    for _ in range(WINDOWS):
        words = window(test, whole)
        found, text = report(test, folder, f"--from={words[0]}", f"--to={words[1]}")
        if found is None:   # of that number there is no instance, it takes no time, or two regions are called so
            test.expect(f"{name}: {words}: why not", True, " visit" in text or "--from" in text or "no region is called" in text)
            continue
        for problem in shares.problems(found, text):
            test.fail(f"{name}: {words}: {problem}")
    for _ in range(HALVES):
        middle = moment(test.random.uniform(0.01, 0.99) * whole["wall_s"])
        halves = [report(test, folder, word + middle)[0] for word in ("--to=", "--from=")]
        for problem in shares.problems_of_halves(whole, halves):
            test.fail(f"{name}: {middle}: {problem}")


def host(test):
    """Loops, nested teams, tasks with dependences and untied ones, locks, a league."""
    for name in HOST:
        kinds.traced(test, name, [test.compile("programs", name + ".c")], OMP_MAX_ACTIVE_LEVELS="3")
        check(test, name, test.path(name, "out"))


def others(test):
    """A device, several processes, an MPI job."""
    kinds.traced(test, "target_data", [test.compile("programs", "target_data.c", flags=[OFFLOAD])], KMP_WARNINGS="0")
    check(test, "target_data", test.path("target_data", "out"))
    for name, _, _ in itertools.islice(kinds.processes(test), 2):
        check(test, name, test.path(name, "out"))


if __name__ == "__main__":
    sys.exit(main(__doc__, {"host": host, "others": others}, "windows", stage=STAGE))
