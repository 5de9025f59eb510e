# SPDX-License-Identifier: BSD-3-Clause
"""`omptape export --sqlite`: the queries of docs/sqlite.md against `omptape report --json`, the file itself, windows, and
refusals.

    tests/run export.database --build BUILD --runtimes DIR queries|file
"""
import collections
import importlib.util
import json
import os
import re
import resource
import sqlite3
import sys

from export import job, sampled
from harness import Missing, Test, main, source_of

QUERY = re.compile(r"^### (\d+)\. .*?```sql\n(.*?)```", re.MULTILINE | re.DOTALL)
# ns are made of ticks once in the database, and twice in the report's differences.
NEAR = 1e-6


class Databases(Test):
    """Makes databases and asks them."""

    def __init__(self, options, name, stage):
        super().__init__(options, name, stage)
        if "without --sqlite" in self.command("export", "--sqlite", self.path("try.db"), job.write(self.path("try"))).stdout:
            raise Missing("omptape was built without libsqlite3")

    def database(self, archive, *words):
        path = self.path("made.db")
        done = self.command("export", "--sqlite", path, *words, archive)
        self.expect(f"export {words}", (0, True), (done.returncode, done.stdout.startswith("omptape: wrote ")))
        database = sqlite3.connect(path)
        database.row_factory = sqlite3.Row
        self.expect("the file is whole", "ok", database.execute("PRAGMA integrity_check").fetchone()[0])
        self.expect("what rows refer to is there", [], database.execute("PRAGMA foreign_key_check").fetchall())
        return database

    def numbers_of(self, archive):
        return json.loads(self.command("report", "--json", "-", archive).stdout)

    def near(self, what, expected, found, within=NEAR):
        if set(expected) != set(found):
            self.fail(f"{what}: expected {sorted(map(str, expected))}, found {sorted(map(str, found))}")
            return
        for key, values in expected.items():
            if any(abs(one - other) > within * max(1, abs(one)) for one, other in zip(values, found[key])):
                self.fail(f"{what}: {key}: expected {values}, found {found[key]}")


def queries_of_docs():
    with open(source_of("..", "docs", "sqlite.md"), encoding="utf-8") as file:
        return {int(number): sql for number, sql in QUERY.findall(file.read())}


def numbers(rows, key, *columns):
    """{key: the columns' sums}; rows of one key differ in their regions' kinds alone."""
    found = collections.defaultdict(lambda: [0] * len(columns))
    for row in rows:
        for i, column in enumerate(columns):
            found[row[key]][i] += row[column]
    return dict(found)


def of_constructs(test, queries):
    """1 to 6, 11 and 12: a program with loops, tasks, locks and barriers."""
    program = test.compile("e2e", "flood.c")
    ended = test.run("mix", [test.omptape, "-q", "-o", "out", program, "mix", "2", "40"])
    test.expect("exit code", 3, ended.code)
    archive = test.path("mix", "out")
    database, report = test.database(archive), test.numbers_of(archive)

    def rows(number):
        return [dict(row) for row in database.execute(queries[number])]

    regions = [{"region": one["region"], "visits": one["visits"]["count"], **{key: one[key] for key in ("inclusive_s", "exclusive_s")},
                "longest_s": one["visits"]["longest_s"]} for one in report["regions"]]
    test.near("1", numbers(regions, "region", "visits", "inclusive_s", "exclusive_s"),
              numbers(rows(1), "region", "visits", "inclusive_s", "self_s"))
    longest = {one["region"]: one["visits"] for one in report["regions"]}
    for row in rows(2):
        expected = longest[row["region"]]
        if abs(expected["longest_s"] - row["longest_s"]) > NEAR:
            test.fail(f"2: {row}, expected {expected}")
        elif abs(expected["longest_begin_s"] - row["begin_s"]) < NEAR:
            test.expect(f"2: {row['region']}: where", expected["longest_location"], row["location"])
    shares = {(one["region"], thread): [count] for one in report["loops"] for thread, count in
              zip(("Master thread", "OMP thread 1"), one["thread_iterations"]) if count}
    test.near("3", shares, {(row["region"], row["thread"]): [row["iterations"]] for row in rows(3)})
    test.expect("4", {one["region"]: one["instances"] for one in report["loops"]}, dict(collections.Counter(row["region"] for row in rows(4))))
    test.near("5", {one["region"]: [one["created"], one["grain"]["sum_s"], one["grain"]["longest_s"]] for one in report["tasks"]},
              {row["region"]: [row["tasks"], row["ran_s"], row["longest_s"]] for row in rows(5)})
    test.near("6", {one["region"]: [one["wait"]["count"], one["wait"]["sum_s"], one["hold"]["sum_s"]] for one in report["locks"]},
              {row["region"]: [row["times"], row["waited_s"], row["held_s"]] for row in rows(6)})
    running = {one["name"]: [one["running_s"]] for one in report["threads_list"] if one["running_s"]}
    test.near("11", running, {row["thread"]: [row["running_s"]] for row in rows(11)}, within=1e-3)
    slowest = max(row["duration"] for row in database.execute("SELECT duration FROM visits WHERE construct = 'for chunk'"))
    test.expect("12", slowest / 1e9, max(row["s"] for row in rows(12)))


def of_samples(test, queries):
    """7 and 8: an archive whose stacks are known."""
    archive = sampled.write(test.path("sampled"))
    database, report = test.database(archive), test.numbers_of(archive)
    expected = {(one["region"] or None, one["in_function"], one["in_file"] or None, one["in_line"] or None): one["count"] for one in report["samples"]}
    test.expect("7", expected, {tuple(row)[:4]: row["samples"] for row in database.execute(queries[7])})
    within = collections.Counter()
    for stacks in sampled.STACKS.values():
        for stack, count in stacks.items():
            within.update({function: count for function in set(stack.replace("operator,", "operator;").split(";"))
                           if function.partition(" @")[0] not in ("for", "implicit barrier", "task", "taskwait")}
                          if "operator," not in stack else {function: count for function in ("main", "solve", "operator;")})
    within["parallel @a.c:9"] = 1  # a worker's path that begins with it
    test.expect("8", dict(within), {row["function"]: row["samples"] for row in database.execute(queries[8])})
    test.expect("calls of a thread's states", 8 * 2, test.database(
        sampled.write(test.path("states"), (sampled.READINGS, sampled.WORKER))).execute("SELECT count(*) FROM metric_value").fetchone()[0])


def of_jobs(test, queries):
    """9 and 10: messages, and what a device does."""
    archive = job.write(test.path("job"))
    database, report = test.database(archive), test.numbers_of(archive)
    pairs = {("MPI rank 0", "MPI rank 1"): job.THERE, ("MPI rank 1", "MPI rank 0"): job.BACK}
    test.near("9", {pair: [len(messages), sum(size for _, _, size in messages), sum(end - begin for begin, end, _ in messages) / 1e9 / len(messages)]
                    for pair, messages in pairs.items()},
              {tuple(row)[:2]: tuple(row)[2:] for row in database.execute(queries[9])})
    test.expect("9: bytes", sum(one["sent"] for one in report["mpi"]), sum(row["bytes"] for row in database.execute(queries[9])))
    device = report["devices"][0]
    test.near("10", {"kernel": [device["kernels"], device["kernel_s"]], "transfer": [device["transfers"], device["transfer_s"]]},
              {row["work"]: [row["times"], row["s"]] for row in database.execute(queries[10])})


def queries(test):
    """Each query of the documentation, against the report."""
    known = queries_of_docs()
    test.expect("queries", list(range(1, 13)), sorted(known))
    of_constructs(test, known)
    of_samples(test, known)
    of_jobs(test, known)


def file(test):
    """A window, chosen threads, a file that is there, one that may not be made, and a disk that is full."""
    archive = sampled.write(test.path("archive"))
    database = test.database(archive, "--from=60ns", "--to=65ns", "--threads=0")
    test.expect("a window", [("app", 60, 65), ("parallel @a.c:9", 60, 65), ("for @a.c:11", 60, 65), ("for chunk @a.c:11", 60, 65)],
                [tuple(row) for row in database.execute("SELECT region, begin, end FROM visits ORDER BY id")])
    test.expect("its samples", [("dg", 60)], [tuple(row) for row in database.execute("SELECT function, time FROM samples")])
    for words, said in ((("-",), "a database needs a file"), ((test.path("none.db"), "--min-duration=1ms"), "--min-duration is for")):
        done = test.command("export", "--sqlite", *words, archive)
        test.expect(f"{words}: refused", (2, 1, True), (done.returncode, len(done.stdout.splitlines()), said in done.stdout))
    done = test.command("export", "--sqlite", test.path("none.db"), archive,
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536)))
    test.expect("a full disk", (2, 1, True), (done.returncode, len(done.stdout.splitlines()), "cannot write " in done.stdout))
    test.expect("a full disk: no file", False, os.path.exists(test.path("none.db")))
    left = {name for name in os.listdir(test.folder) if name.startswith(".")}
    test.expect("hidden files that are left", set(), left)


def module(test):
    """What include/omptape/omptape.py reads, with pandas or without."""
    spec = importlib.util.spec_from_file_location("omptape", source_of("..", "include", "omptape", "omptape.py"))
    omptape = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(omptape)
    archive = job.write(test.path("odd %?# name"))
    test.database(archive).close()
    made, report = test.path("made.db"), test.path("report.json")
    test.command("report", "--json", report, archive)

    def rows(table):
        return table if isinstance(table, list) else table.to_dict("records")

    said = test.numbers_of(archive)
    test.expect("a report", said["regions"], omptape.read_report(report)["regions"])
    test.expect("an archive", said["events"], omptape.read_report(archive, test.omptape)["events"])
    test.expect("regions", [one["region"] for one in said["regions"]], [row["region"] for row in rows(omptape.read_table(report, "regions"))])
    with sqlite3.connect(made) as database:
        count = database.execute("SELECT count(*) FROM visit").fetchone()[0]
    test.expect("visits", count, len(rows(omptape.read_table(made, "visits"))))
    test.expect("a query", [{"n": count}], rows(omptape.query(made, "SELECT count(*) AS n FROM visit WHERE id >= ?", (0,))))
    for refused in ("DELETE FROM visit", "SELECT * FROM nowhere"):
        try:
            omptape.query(made, refused)
            test.fail(f"{refused} was done")
        except sqlite3.OperationalError:
            pass


TESTS = {test.__name__: test for test in (queries, file, module)}

if __name__ == "__main__":
    sys.exit(main("What omptape export --sqlite makes of archives.", TESTS, "database", Databases, stage="19"))
