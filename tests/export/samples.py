# SPDX-License-Identifier: BSD-3-Clause
"""`omptape export` of samples: folded stacks, pprof's profile, Perfetto's callstacks and tables, of an archive whose stacks are
known (sampled.py). And of threads' states, and of visits.

    tests/run export.samples --build BUILD --runtimes DIR folded|pprof|perfetto|tables|foreign
"""
import collections
import csv
import gzip
import json
import os
import resource
import shutil
import subprocess
import sys

import otf2  # noqa: F401, as checker/reader.py asks for: export/sampled.py writes an archive

from export import decoding, sampled
from export.making import Making
from harness import Test, main, source_of


class Samples(Test):
    """Exports what was sampled."""

    def __init__(self, options, name, stage):
        super().__init__(options, name, stage)
        self.archive = sampled.write(self.path("archive"))

    def export(self, form, name, *words):
        path = self.path(name)
        done = self.command("export", f"--{form}", path, *words, self.archive)
        self.expect(f"export {form} {words}", (0, True), (done.returncode, done.stdout.startswith("omptape: wrote ")))
        return path

    def refuse(self, form, archive, said, *words):
        done = self.command("export", f"--{form}", self.path("none"), *words, archive)
        self.expect(f"{form} {words}: refused", (2, 1, True), (done.returncode, len(done.stdout.splitlines()), said in done.stdout))
        self.expect(f"{form} {words}: no file", False, os.path.exists(self.path("none")))


def merged(*threads):
    total = collections.Counter()
    for name in threads or sampled.STACKS:
        total.update(sampled.STACKS[name])
    return total


def refusals(test, form):
    """Archives without samples, windows without any, a disk that is full."""
    Making(test.path("without"), ([(0, "enter", "for"), (9, "leave", "for")], [(1, "enter", "for"), (2, "leave", "for")]))
    test.refuse(form, test.path("without"), "recorded without samples (omptape --sample")
    test.refuse(form, test.archive, "no sample", "--from=11ns", "--to=12ns")
    test.refuse(form, test.archive, "--min-duration is for --perfetto", "--min-duration=1ns")
    # A limit of the file's size stands in for a full disk.
    done = test.command("export", f"--{form}", test.path("none"), test.archive,
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
    test.expect(f"{form}: a full disk", (2, 1, True), (done.returncode, len(done.stdout.splitlines()), "cannot write " in done.stdout))


def folded(test):
    """A line a stack, of all threads, of one, of a window."""
    def read(*words):
        with open(test.export("folded", "stacks.folded", *words), encoding="utf-8") as file:
            lines = file.read().splitlines()
        test.expect(f"{words}: sorted", sorted(line.rpartition(" ")[0] for line in lines), [line.rpartition(" ")[0] for line in lines])
        return {stack: int(count) for stack, _, count in (line.rpartition(" ") for line in lines)}

    test.expect("all threads", merged(), read())
    for name in sampled.STACKS:
        test.expect(name, merged(name), read(f"--threads={name}"))
    test.expect("the first two steps", {"main;lines": 1, "[OpenMP worker]": 1}, read("--to=10ns"))
    test.expect("within the loop", {"main;solve;parallel @a.c:9;for @a.c:11;dg": 1, "main;solve;parallel @a.c:9;for @a.c:11;lines": 1},
                read("--from=45ns", "--to=55ns"))
    refusals(test, "folded")
    test.archive = sampled.write(test.path("asleep"), (sampled.ASLEEP, sampled.ASLEEP))
    test.expect("who sleeps takes no processor time", {"main;dg": 2}, read())
    test.archive = sampled.write(test.path("named"), (sampled.NAMED,))
    test.expect("what the program names", sampled.NAMED_STACKS, read())


def pprof_knows(path):
    """Whether protoc decodes all by pprof's public numbers of fields, and meets no field that these lack."""
    with gzip.open(path) as file:
        done = subprocess.run(["protoc", "--decode=perftools.profiles.Profile", f"--proto_path={source_of('export')}",
                               os.path.join(source_of("export"), "profile.proto")], input=file.read(),
                              stdout=subprocess.PIPE, check=True)
    return decoding.UNKNOWN_FIELD.search(done.stdout) is None


def pprof(test):
    """The same stacks with threads and regions, samples and ns; lines; pprof's own rules; pprof itself if it is here."""
    protos = decoding.messages(test.folder, "profile")
    path = test.export("pprof", "profile.pb")
    test.expect("known fields", True, pprof_knows(path))
    profile = protos.Profile()
    with gzip.open(path) as file:
        profile.ParseFromString(file.read())
    text = profile.string_table
    test.expect("the first text", "", text[0])
    test.expect("texts", len(set(text)), len(text))
    test.expect("types", [("samples", "count"), ("cpu", "nanoseconds")], [(text[one.type], text[one.unit]) for one in profile.sample_type])
    test.expect("period", ("cpu", sampled.PERIOD_US * 1000), (text[profile.period_type.type], profile.period))
    test.expect("program", ["app"], [text[one.filename] for one in profile.mapping])
    functions = {one.id: text[one.name] for one in profile.function}
    places = {one.id: (functions[one.line[0].function_id], one.line[0].line) for one in profile.location}
    test.expect("numbers", (len(profile.function), len(profile.location), False), (len(functions), len(places), 0 in functions or 0 in places))
    found = collections.defaultdict(collections.Counter)
    regions = set()
    for one in profile.sample:
        labels = {text[label.key]: text[label.str] for label in one.label}
        stack = ";".join(places[number][0].replace(";", ",") for number in reversed(one.location_id))
        test.expect("ns of samples", one.value[0] * sampled.PERIOD_US * 1000, one.value[1])
        found[labels["thread"]][stack] += one.value[0]
        regions.add((stack.rpartition(";")[2], labels.get("region")))
    test.expect("stacks", sampled.STACKS, dict(found))
    test.expect("regions", True, {("dg", "for @a.c:11"), ("operator,", "task @a.c:15"), ("[OpenMP worker]", None)} <= regions)
    test.expect("lines", True, {("dg", 5), ("dg", 4), ("solve", 12), ("for @a.c:11", 11)} <= set(places.values()))
    refusals(test, "pprof")
    test.archive = sampled.write(test.path("asleep"), (sampled.ASLEEP, sampled.ASLEEP))
    with gzip.open(test.export("pprof", "asleep.pb.gz")) as file:
        profile.ParseFromString(file.read())
    test.expect("who sleeps takes no processor time", [[1, 0], [1, 0], [1, 250000], [1, 250000]], sorted(list(one.value) for one in profile.sample))
    if shutil.which("go") is not None:
        top = subprocess.run(["go", "tool", "pprof", "-top", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        test.expect("pprof itself", (0, True), (top.returncode, b" dg" in top.stdout))


def perfetto(test):
    """The same stacks as samples of their threads, at their times; states of threads as slices of a track."""
    def read(*words, archive=None):
        test.archive = archive or test.archive
        data = decoding.load(test.export("perfetto", "trace.pftrace", *words))
        test.expect(f"{words}: known fields", True, decoding.protoc_knows(data)[0])
        return decoding.Trace(decoding.messages(test.folder, "perfetto"), data)

    trace = read()
    names = {(one.thread.pid, one.thread.tid): one.name for one in trace.tracks.values() if one.HasField("thread")}
    found = collections.defaultdict(collections.Counter)
    for one in trace.samples:
        found[names[one.pid, one.tid]][";".join(name.replace(";", ",") for name, _, _ in one.stack)] += 1
    test.expect("stacks", sampled.STACKS, dict(found))
    test.expect("times", [10, 50, 60, 70, 120, 140, 190], [one.time for one in trace.samples if names[one.pid, one.tid] == "Master thread"])
    test.expect("lines", [("main", "a.c", 20), ("lines", "a.c", 6)], next(one.stack for one in trace.samples if one.time == 10))
    test.expect("in a window", [50, 60], [one.time for one in read("--from=45ns", "--to=65ns", "--threads=0").samples])
    test.expect("with a least duration", 7, len(read("--min-duration=30ns", "--threads=0").samples))
    trace = read(archive=sampled.write(test.path("states"), (sampled.READINGS, sampled.WORKER)))
    track = next(uuid for uuid in trace.tracks if trace.named(uuid)[-1] == "state")
    test.expect("whose states", ("app", "Master thread", "state"), trace.named(track))
    slices = trace.slices(track)
    test.expect("states", list(sampled.STATES), [(begin[2], begin[1], end[1], dict(begin[3])) for begin, end in zip(slices[::2], slices[1::2])])


VISITS = """
begin_ns end_ns self_ns thread name instance visit parent chunk_start iterations step
0 200 40 0 app 1 1 - - - -
20 180 30 0 parallel 1 3 1 - - -
30 90 20 0 for 1 5 3 - - -
40 80 40 0 chunk 1 7 5 - - -
100 170 20 0 barrier 1 9 3 - - -
110 160 30 0 wait 1 10 9 - - -
130 150 20 0 task 1 11 10 - - -
10 130 30 1 parallel 1 2 - - - -
20 80 20 1 for 1 4 2 - - -
30 70 40 1 chunk 1 6 4 - - -
90 120 30 1 taskwait 1 8 2 - - -
"""


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def tables(test):
    """A row for each sample, with its function, line and stack; a row for each visit, also within a window."""
    rows = [row for row in rows_of(test.export("csv", "events.csv")) if row["event"] == "CallingContextSample"]
    found = collections.defaultdict(collections.Counter)
    for row in rows:
        found[row["thread"]][row["attributes"].removeprefix("stack=").replace(";", ",").replace(" | ", ";")] += 1
    test.expect("stacks", sampled.STACKS, dict(found))
    test.expect("the first sample", ("10", "lines", "a.c", "6", str(sampled.PERIOD_US * 1000)),
                next(tuple(row[key] for key in ("time_ns", "name", "file", "line", "value")) for row in rows if row["time_ns"] == "10"))
    short = {"for chunk": "chunk", "implicit barrier": "barrier", "wait for team": "wait"}
    columns, *expected = (line.split() for line in VISITS.strip().split("\n"))

    def visits(*words):
        found = []
        for row in rows_of(test.export("csv", "visits.csv", "--instances", *words)):
            name = row["name"].removeprefix("!$omp ").partition(" @")[0]
            row.update(name=short.get(name, name), thread="0" if row["thread"] == "Master thread" else "1")
            found.append([row[column] or "-" for column in columns])
        return sorted(found)

    test.expect("visits", sorted(expected), visits())
    test.expect("long ones", sorted(row for row in expected if int(row[1]) - int(row[0]) >= 60), visits("--min-duration=60ns"))
    cut = [["60", "65", "0", *row[3:]] for row in expected if int(row[0]) < 60 and int(row[1]) > 65 and row[4] != "chunk"]
    inside = [["60", "65", "5", *row[3:]] for row in expected if row[4] == "chunk"]
    test.expect("a window", sorted(cut + inside), visits("--from=60ns", "--to=65ns"))
    test.refuse("folded", test.archive, "--instances is for --csv", "--instances")


def foreign(test):
    """Archives of other tools: regions that are calling contexts (Score-P), samples alone (lo2s), in all commands."""
    for way, stacks in ((sampled.ScoreP, sampled.FOREIGN_STACKS),
                        (sampled.Lo2s, {"main;lines": 2, "main;solve;dg": 2, "main;solve;lines": 1})):
        test.archive = sampled.write_foreign(test.path(way.__name__), way)
        test.expect(f"{way.__name__}: check", (0, ""), (test.command("check", test.archive).returncode, test.command("check", "-q", test.archive).stdout))
        with open(test.export("folded", "stacks.folded"), encoding="utf-8") as file:
            test.expect(f"{way.__name__}: stacks", stacks, {line.rpartition(" ")[0]: int(line.rpartition(" ")[2]) for line in file.read().splitlines()})
        report = json.loads(test.command("report", "--json", "-", test.archive).stdout)
        samples = {(one["region"] or None, one["in_function"], one["in_line"]): one["count"] for one in report["samples"]}
        regions = {one["region"]: one["visits"]["count"] for one in report["regions"]}
        profile = decoding.messages(test.folder, "profile").Profile()
        with gzip.open(test.export("pprof", "profile.pb.gz")) as file:
            profile.ParseFromString(file.read())
        types = [profile.string_table[one.type] for one in profile.sample_type]
        rows = rows_of(test.export("csv", "visits.csv", "--instances"))
        if way is sampled.ScoreP:
            test.expect("regions", sampled.FOREIGN_REGIONS, regions)
            test.expect("samples", sampled.FOREIGN_SAMPLES, samples)
            test.expect("visits", [("for", 20), ("for", 30), ("parallel", 40), ("parallel", 50)],
                        sorted((row["name"].split()[1], int(row["end_ns"]) - int(row["begin_ns"])) for row in rows))
            test.expect("what a sample stands for", ["samples", "cpu"], types)
        else:
            test.expect("no regions", {}, regions)
            test.expect("samples", {(None, "lines", 6): 2, (None, "dg", 5): 2, (None, "lines", 7): 1}, samples)
            test.expect("what a sample stands for", ["samples"], types)
        info = test.command("info", test.archive).stdout
        test.expect(f"{way.__name__}: info", True, "5 CallingContextSample" in info)
        hot = sampled.write_foreign(test.path(way.__name__ + ".hot"), way, sampled.HOT)
        finding = json.loads(test.command("report", "--json", "-", hot).stdout)["findings"][0]
        test.expect(f"{way.__name__}: the first finding", ("hot_function", True, True),
                    (finding["kind"], finding["takes_s"] > 0, finding["text"].startswith("strlen from ")))


def kinds(test):
    """The report names the largest function of the kind with most samples, and says that there are others."""
    archive = sampled.write(test.path("kinds"), sampled.KINDS)
    finding = json.loads(test.command("report", "--json", "-", archive).stdout)["findings"][0]
    test.expect("the first finding", ("hot_function", "strlen from count @a.c:7 and others like it take about 61 %"),
                (finding["kind"], finding["text"].partition(" of its time")[0]))


def interpreted(test):
    """The functions of a library with a construct are told where the program, an interpreter, has no lines."""
    report = " ".join(test.command("report", sampled.write(test.path("interpreted"), sampled.INTERPRETED)).stdout.split())
    test.expect("inside", True, "dgemm_ (libblas) from code of kernels 60 % of 40 samples, code of kernels 40 %" in report)
    test.expect("serial", True, "strlen from code of kernels" in report)


TESTS = {test.__name__: test for test in (folded, pprof, perfetto, tables, foreign, kinds, interpreted)}

if __name__ == "__main__":
    sys.exit(main("What omptape export makes of samples.", TESTS, "samples", Samples))
