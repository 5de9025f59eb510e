# SPDX-License-Identifier: BSD-3-Clause
"""`omptape report`: what it prints, how wide and in which colours, and the numbers of JSON and CSV.

    tests/run e2e.report --build BUILD --runtimes DIR NAME
"""
import csv
import fcntl
import io
import json
import os
import pty
import re
import stat
import struct
import sys
import termios
import unicodedata

from e2e.messages import CommandResult, expect_result
from harness import main, source_of

STAGE = "19"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# Every member, and what it is: docs/report.md.
NUMBER, TEXT, LINE = (int, float), str, (int, type(None))
DURATIONS = {"count": int, "sum_s": NUMBER, "histogram": list}
PARTS = {f"{word}_s": NUMBER for word in ("computing", "serial", "blocked", "runnable", "barrier", "task_wait", "lock", "task_management",
                                          "transfer", "target", "mpi", "idle")}
PLACE = {"region": TEXT, "function": TEXT, "file": TEXT, "line": LINE}
EFFICIENCY = {name: NUMBER for name in ("parallel", "communication", "mpi_load_balance", "load_balance", "serialisation", "management", "blocked", "processor",
                                        "available_s", "lost_to_communication_s", "lost_to_mpi_load_balance_s", "lost_to_load_balance_s", "lost_to_serialisation_s",
                                        "lost_to_management_s", "lost_to_blocked_s", "lost_to_processor_s")}
TRACING = {name: NUMBER for name in ("record_ns", "recording_s", "writing_s", "switching_s", "of_queue")}
ALL = {"version": int, "program": TEXT, "archive": TEXT, "recorded": TEXT, "wall_s": NUMBER, "begin_s": NUMBER, "events": int,
       "processes": int, "threads": int, "efficiency": EFFICIENCY, "tracing": TRACING, "serial_s": NUMBER, "verdict": TEXT, "findings": list,
       "regions": list, "serial_parts": list, "loops": list, "tasks": list, "locks": list, "lock_holders": list, "outliers": list, "transfers": list,
       "mpi": list,
       "devices": list, "process_list": list, "nodes": list, "threads_list": list, "warnings": list}
ROWS = {
    "findings": {"kind": TEXT, **PLACE, "gain_s": NUMBER, "text": TEXT, "proposal": TEXT, "waited_s": NUMBER, "count": int,
                 "worst": {"begin_s": NUMBER, "end_s": NUMBER, "location": int}},
    "regions": {**PLACE, "gain_s": NUMBER, "inclusive_s": NUMBER, "exclusive_s": NUMBER, "charged_s": NUMBER, "parts": PARTS,
                "system_s": NUMBER, "faults": int, "visits": DURATIONS},
    "serial_parts": {"after": TEXT, "before": TEXT, "count": int, "sum_s": NUMBER, "longest_s": NUMBER,
                     "longest_begin_s": NUMBER, "longest_location": int},
    "loops": {**PLACE, "schedule": TEXT, "instances": int, "iterations": int, "chunks": int, "threads": int,
              "wall_s": NUMBER, "mean_s": NUMBER, "reason": TEXT, "lost_to_few_s": NUMBER, "lost_to_iterations_s": NUMBER,
              "lost_to_cost_s": NUMBER, "lost_to_processor_s": NUMBER, "slowest": int, "thread_s": list,
              "thread_late_s": list, "thread_iterations": list},
    "tasks": {**PLACE, "created": int, "grain": DURATIONS, "creation_s": NUMBER, "handling_s": NUMBER, "starved_s": NUMBER,
              "most_at_once": int, "chain_s": NUMBER},
    "locks": {**PLACE, "wait": DURATIONS, "hold": DURATIONS, "contended": int, "contended_wait_s": NUMBER, "handover_s": NUMBER,
              "threads": int, "queue": NUMBER, "longest_queue": int},
    "process_list": {"name": TEXT, "node": TEXT, "number": LINE, "begin_s": NUMBER, "end_s": NUMBER, "threads": int,
                     "most_threads": int, "processors": int, "bound": int, "serial_s": NUMBER, "communication_s": NUMBER, "parts": PARTS},
    "nodes": {"name": TEXT, "processes": int, "threads": int, "begin_s": NUMBER, "end_s": NUMBER, "serial_s": NUMBER,
              "parts": PARTS},
    "mpi": {"function": TEXT, "place": TEXT, "calls": DURATIONS, "sent": int, "received": int, "read": int, "written": int,
            "waited_s": NUMBER, "not_known_s": NUMBER},
    "threads_list": {"location": int, "process": int, "name": TEXT, "begin_s": NUMBER, "end_s": NUMBER, "events": int,
                     "stalled_s": NUMBER, "parts": PARTS, "running_s": (int, float, type(None)), "queued_s": (int, float, type(None))},
}
# What the documentation has of tables that are empty here (tests/mpi, tests/cupti), and values.
EMPTY_HERE = ("holder times bytes repeated repeated_bytes repeated_s function place calls sent received read written waited_s not_known_s busy_s kernels "
              "takes_s steps time_s worked_s longest_number one_number cost_s without_processor kernel_s transfers transfer_s overlap_s idle_waited_s in_function in_file in_line finding who alike state waits_for counter share comparable not_finite smallest largest last").split()
VALUES = {"few", "cost", "processor", "hang", "waits", "asks", "computes", "sleeps", "ended", "chunk", "visit", "task", "instance", "step", "ranks", "Amdahl", "USL",
          "whole", "phase", "region", "measured", "estimated", "omptape_value"}
# A loop of which one thread has nearly all, a critical section, tasks of which one takes long, and something between
# the regions.
SOURCE = """#include <stdio.h>
#include <unistd.h>
int main(void)
{
    int met = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static)
        for (int i = 0; i < 2; i++)
            usleep(1000 + SLEEP * i);
#pragma omp critical (name_of_some_length_that_no_table_has_room_for)
        met++;
#pragma omp single
        for (int i = 0; i < 20; i++) {
#pragma omp task
            usleep(i == 7 ? 20000 : 100);
        }
    }
    usleep(10000);
#pragma omp parallel num_threads(2)
    usleep(1000);
    return met != 2;
}
"""


def program(test, name="work.c", sleep=60000, before=b""):
    """Compiled in the test's folder, for debug information has the source's name as it was given."""
    source = test.path(name)
    with open(source, "wb") as file:
        file.write(before + SOURCE.replace("SLEEP", str(sleep)).encode())
    return test.toolchain.compile(source, test.path("work.out" if name == "work.c" else "other.out"))


def trace(test, folder="out", **more):
    told = CommandResult(test, [test.omptape, "-q", "-o", folder, program(test, **more)], {})
    expect_result(test, folder, told, 0, [])
    return folder


def fits(test, what, found, wanted):
    """Has the JSON all members, of the types that the documentation names?"""
    for name, kind in wanted.items():
        if name not in found:
            test.fail(f"{what}: there is no {name}")
        elif isinstance(kind, dict):
            fits(test, f"{what}.{name}", found[name], kind)
        elif not isinstance(found[name], kind) or isinstance(found[name], bool):
            test.fail(f"{what}: {name} is {found[name]!r}")


def close(a, b):
    return abs(a - b) <= 2e-9 + 1e-9 * abs(b)


def ns(seconds):
    """The whole nanoseconds that are told."""
    return round(seconds * 1e9)


def numbers(test):
    """JSON and CSV have everything, and the same; their sums are right."""
    folder = trace(test, sleep=300000)  # more than a busy machine makes of the rest
    told = CommandResult(test, [test.omptape, "report", "--json=-", folder], {})
    found = json.loads(told.out)
    fits(test, "json", found, ALL)
    for section, wanted in ROWS.items():
        if not found[section] and section != "mpi":     # tests/mpi/waits.py has some
            test.fail(f"json: {section} is empty")
        for row in found[section]:
            fits(test, section, row, wanted)
    test.expect("threads", 2, found["threads"])
    test.expect("wall", True, 0.312 < found["wall_s"])  # what it sleeps
    for thread in found["threads_list"]:
        lived = ns(thread["end_s"]) - ns(thread["begin_s"])
        if sum(map(ns, thread["parts"].values())) != lived:
            test.fail(f"{thread['name']} lived {lived} ns, its parts are {thread['parts']}")
    for region in found["regions"]:
        test.expect(f"parts of {region['region']}", ns(region["exclusive_s"]), sum(map(ns, region["parts"].values())))
    efficiency = found["efficiency"]
    product = 1.0
    for name in ("communication", "mpi_load_balance", "load_balance", "serialisation", "management", "blocked", "processor"):
        product *= efficiency[name]
    test.expect("efficiency", True, abs(product - efficiency["parallel"]) < 1e-6)
    gains = [finding["gain_s"] for finding in found["findings"]]
    test.expect("findings are sorted", sorted(gains, reverse=True), gains)
    test.expect("gains are below the wall time", True, all(0 < gain <= found["wall_s"] for gain in gains))
    blocked = [one for one in found["findings"] if one["kind"] == "blocked" and one["line"] == 8]  # the thread sleeps
    test.expect("the loop", ["work.c"], [os.path.basename(one["file"]) for one in blocked])
    lost = sum(thread["parts"][part] for thread in found["threads_list"] for part in ("barrier_s", "blocked_s"))
    test.expect("its gain", True, all(0 < one["gain_s"] <= lost / found["threads"] for one in blocked))
    test.expect("asleep is not computing", True, all(thread["parts"]["computing_s"] < 0.2 for thread in found["threads_list"]))
    lock = next(one for one in found["locks"] if "name_of_some_length" in one["region"] or one["line"] == 11)
    test.expect("times held", 2, lock["hold"]["count"])
    test.expect("histogram", 2, sum(lock["hold"]["histogram"]))
    check_medians(test, found)
    check_csv(test, folder, found)


def check_medians(test, found):
    """Of one duration it is that one, of two it lies between them; of more it is estimated."""
    everywhere = list(within(found))
    test.expect("there are single durations", True, any(one["count"] == 1 for one in everywhere))
    for one in everywhere:
        if one["count"] in (1, 2) and not close(one["median_s"], one["mean_s"]):
            test.fail(f"the median of {one}")
        elif one["count"] > 0 and not 0 <= one["median_s"] <= one["longest_s"]:
            test.fail(f"the median of {one}")


def within(value):
    """All durations in the JSON."""
    if isinstance(value, dict) and "histogram" in value:
        yield value
    elif isinstance(value, (dict, list)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from within(one)


def rows_of_members(lines):
    """Member -> what the documentation says of it: a row of the table, and the rows of a section "### `member` ..."."""
    rows, section = {}, []
    for line in lines:
        section = re.findall(r"^### `(\w+)`", line) or section
        cells = line.split("|")
        for name in (section or re.findall(r"`(\w+)`", cells[1])) if line.startswith("| `") else ():
            rows[name] = rows.get(name, "") + "|".join(cells[1 if section else 2:])
    return rows


def members(value):
    """All names in a value of JSON, at any depth."""
    if isinstance(value, dict):
        yield from value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from members(one)


def documented(test):
    """docs/report.md names each member of the JSON, and none that is not there."""
    for work, sleep in (("out", 300000), ("again", 3000000)):  # the writer of a busy machine may begin late
        trace(test, work, sleep=sleep)
        if json.loads(CommandResult(test, [test.omptape, "report", "--json=-", work], {}).out)["functions"]:
            break
    one = test.path("one")
    CommandResult(test, [test.omptape, "-q", "-o", one, test.path("work.out")], {"OMP_THREAD_LIMIT": "1"})
    with open(source_of("..", "docs", "report.md"), encoding="utf-8") as file:
        chapters = dict(chapter.split("\n", 1) for chapter in file.read().split("\n## ")[1:])
    for chapter, words in (("JSON", ["report", "--json=-", work]), ("Compare", ["compare", "--json=-", work, work]),
                           ("Scale", ["scale", "--json=-", work, one])):
        found = json.loads(CommandResult(test, [test.omptape, *words], {}).out)
        rows = rows_of_members(chapters[chapter].splitlines())
        test.expect(f"{chapter}: members", sorted(found), sorted(rows))
        behind = chapters[chapter].split("\n\n", 1)[1]  # the words that rows share are behind the table
        shared = set(re.findall(r"`(\w+)[`\[]", "\n".join(line for line in behind.splitlines() if not line.startswith("|"))))
        for name, text in rows.items():
            said = set(re.findall(r"`(\w+)`", text))
            missing = set(members(found.get(name))) - said - shared
            test.expect(f"{chapter}: {name}: not documented", set(), missing)
        everywhere = set(members(found)) | set(EMPTY_HERE) | VALUES
        test.expect(f"{chapter}: documented, but not there", set(),
                    {one for text in rows.values() for one in re.findall(r"`(\w+)`", text)} - everywhere)


def flat(row, before=""):
    for name, value in row.items():
        if isinstance(value, dict):
            yield from flat(value, f"{before}{name}.")
        else:
            yield before + name, value


def check_csv(test, folder, found):
    told = CommandResult(test, [test.omptape, "report", "--csv=table.csv", "--json=numbers.json", folder], {})
    test.expect("files: no text", "", told.out)
    with open(test.path("numbers.json"), encoding="utf-8") as file:
        test.expect("two runs", found, json.load(file))
    with open(test.path("table.csv"), encoding="utf-8", newline="") as file:
        text = file.read()
    test.expect("every line ends in CR LF", text.count("\n"), text.count("\r\n"))
    lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    test.expect("as many columns everywhere", {len(lines[0])}, {len(line) for line in lines})
    table = [dict(zip(lines[0], line)) for line in lines[1:]]
    wanted = [("summary", {name: value for name, value in found.items() if not isinstance(value, list)})]
    for section, rows in found.items():
        if isinstance(rows, list):
            wanted += [(section, row if isinstance(row, dict) else {"text": row}) for row in rows]
    test.expect("rows", [section for section, _ in wanted], [row["section"] for row in table])
    for (section, want), row in zip(wanted, table):
        for name, value in flat(want):
            if isinstance(value, list):
                same = row[name] == " ".join(str(one) for one in value)
            elif isinstance(value, (int, float)):
                same = close(float(row[name]), value)
            else:
                same = row[name] == (value or "")
            if not same:
                test.fail(f"csv: {section}: {name} is {row[name]!r}, JSON has {value!r}")


def columns(line):
    return sum(0 if unicodedata.combining(one) else 2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in line)


def on_terminal(test, width, words, **environment):
    """What a command prints on a terminal of so many columns."""
    pid, screen = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        os.chdir(test.path())
        os.execve(test.omptape, [test.omptape, *words], test.environment(**{"TERM": "xterm", **environment}))
    written = b""
    while True:
        try:
            part = os.read(screen, 4096)
        except OSError:  # the terminal's last user is gone
            break
        if not part:
            break
        written += part
    os.close(screen)
    test.expect(f"{words} on {width} columns: exit code", 0, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    return written.decode("utf-8", "replace").replace("\r\n", "\n")


def check_width(test, what, text, width):
    for line in text.splitlines():
        if columns(COLOUR.sub("", line)) > width:
            test.fail(f"{what}: wider than {width} columns: {line!r}")


def text(test):
    """On screens of any width, with and without colours, in any locale."""
    folder = trace(test, name="größe.c")
    plain = CommandResult(test, [test.omptape, "report", folder], {"LC_ALL": "C"}).out
    check_width(test, "no terminal", plain, 80)
    test.expect("no colours off a terminal", False, "\x1b" in plain)
    test.expect("not UTF-8", True, "for @gr??e.c:8" in plain)
    for word in ("  1. ", "loses", "efficiency  parallel ", "region ", "to win", "serial after", "loop ", "tasks ", "lock "):
        test.expect(f"{word!r} is in the text", True, word in plain)
    utf8 = CommandResult(test, [test.omptape, "report", folder], {"LC_ALL": "C.UTF-8"}).out
    test.expect("UTF-8", True, "for @größe.c:8" in utf8)
    for width in (20, 32, 40, 80, 132):
        for words in (["report", folder], ["report", "--all", folder], ["compare", "--all", folder, folder]):
            shown = on_terminal(test, width, words, LC_ALL="C.UTF-8")
            check_width(test, f"{words}", shown, width)
            if words[0] == "report" and width >= 32 and not re.search(r"^\S.*:8 .*\d (s|ms|us|ns)", COLOUR.sub("", shown), re.M):
                test.fail(f"{words}, {width} columns: the loop's line or its time is cut: {shown}")
    bright = on_terminal(test, 80, ["report", folder], LC_ALL="C")
    test.expect("colours on a terminal", True, "\x1b[1m" in bright)
    test.expect("nothing by colours alone", plain, COLOUR.sub("", bright))
    for more in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        test.expect(f"{more}: no colours", plain, on_terminal(test, 80, ["report", folder], LC_ALL="C", **more))
    test.expect("an empty NO_COLOR is none", bright, on_terminal(test, 80, ["report", folder], LC_ALL="C", NO_COLOR=""))
    check_rows(test, folder)


def rows_of(shown, title):
    lines = shown.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(title))
    end = next(i for i in range(start, len(lines)) if not lines[i])
    return lines[start + 1:end]


def check_rows(test, folder):
    """--top, --all, --threads, --sort."""
    def said(*words):
        return CommandResult(test, [test.omptape, "report", *words, folder], {}).out
    rows = [row for row in rows_of(said("--top=1"), "region ") if not row.startswith("* ")]  # a reason, where others ran as well
    test.expect("--top=1", (2, True), (len(rows), rows[1].startswith("... ")))
    test.expect("--all", False, "... " in said("--all"))
    for words, count in (("all", 2), ("1", 1), ("0:0-7", 2), ("Master thread", 1), ("OMP thread 1,0", 2)):
        test.expect(f"--threads={words}", count, len(rows_of(said("--threads", words), "thread ")))
    test.expect("the rest is of all threads", said().split("\nmore:")[0], said("--threads=1").split("\nthread ")[0])
    test.expect("no threads", False, "\nthread " in said())
    wide = CommandResult(test, [test.omptape, "report", "--sort=name", "--all", folder], {"COLUMNS": "160"}).out  # no name is cut
    names = [line.split("  ")[0] for line in rows_of(wide, "region ") if not line.startswith("* ")]
    test.expect("--sort=name", sorted(names), names)


def windows(test):
    """--from and --to: seconds, units, instances of regions."""
    folder = trace(test)
    def told(*words):
        return json.loads(CommandResult(test, [test.omptape, "report", "--json=-", *words, folder], {}).out)
    whole = told()
    visits = next(one["visits"] for one in whole["regions"] if one["line"] == 8 and one["region"].startswith("for @"))
    test.expect("visits of the loop", 2, visits["count"])
    for words in (["--from=for@work.c:8:1", "--to=for @work.c:8:1"], ["--from=for@work.c:8", "--to=for@work.c:8"]):
        found = told(*words)
        # Two threads visit it once: from the first one's begin to the last one's end.
        test.expect(f"{words}: begin", True, found["begin_s"] <= visits["longest_begin_s"] + 2e-9)
        test.expect(f"{words}: end", True, found["begin_s"] + found["wall_s"] >= visits["longest_begin_s"] + visits["longest_s"] - 2e-9)
        test.expect(f"{words}: length", True, visits["longest_s"] - 2e-9 <= found["wall_s"] < whole["wall_s"])
        test.expect(f"{words}: threads", 2, found["threads"])
        test.expect(f"{words}: loops of which nothing is known", [], [one for one in found["loops"] if one["instances"] == 0])
        test.expect(f"{words}: visits of another region", True, all(one["line"] != 18 for one in found["regions"]))
    first, last = (told(f"--from=task@work.c:15:{n}", f"--to=task@work.c:15:{n}")["begin_s"] for n in (1, 20))
    test.expect("the first and the last task", True, first < last)
    middle = whole["begin_s"] + whole["wall_s"] / 2
    for unit, factor in (("", 1), ("s", 1), ("ms", 1e3), ("us", 1e6), ("ns", 1e9)):
        words = f"--from={middle * factor:.9f}{unit}"
        test.expect(words, True, abs(told(words)["begin_s"] - middle) < 2e-9)
    for words, said in ((["--from=1000"], "nothing is behind --from"), (["--ranks=0"], "it holds none of the processes 0"),
                        (["--threads=9"], "it holds none of the threads 9"), (["--threads=OMP thread"], "it holds none of the threads OMP thread"),
                        (["--from=nothing@work.c:8"], "no region is called nothing@work.c:8"),
                        (["--to=for@work.c:8:2"], "for@work.c:8:2: each thread has at most 1 visit"),
                        (["--to=task@work.c:15:21"], "task@work.c:15:21: there are 20 visits"),
                        (["--from=task@work.c:15", "--to=for@work.c:8"], "--to must be later than --from")):
        expect_result(test, f"{words}", CommandResult(test, [test.omptape, "report", *words, folder], {}), 2, [said])
    contended(test)


def contended(test):
    """What was outside of a window is not in it, nor taken off what is: parts make the whole."""
    work = test.compile("problems/programs", "lock_several.c"), test.compile("problems/programs", "fine_fib.c")
    for folder, run in (("queue", [work[0], "bad", "0.02"]), ("tasks", [work[1], "bad", "0.02"])):
        test.command("-q", "-o", folder, *run, env=test.environment(OMP_NUM_THREADS="4"))
        def told(*words, folder=folder):
            return json.loads(CommandResult(test, [test.omptape, "report", "--json=-", *words, folder], {}).out)
        whole = told()
        parts = [told(f"--from={whole['begin_s'] + whole['wall_s'] * part / 4}",
                      f"--to={whole['begin_s'] + whole['wall_s'] * (part + 1) / 4}") for part in range(4)]
        table, counted = ("locks", "contended") if folder == "queue" else ("tasks", "created")
        counts = [sum(one[counted] for one in found[table]) for found in (whole, *parts)]
        test.expect(f"{table} of the whole: {counts}", True, counts[0] > 0)
        if abs(sum(counts[1:]) - counts[0]) > len(parts) * whole["threads"]:  # of each thread one may lie on two parts' border
            test.fail(f"the parts do not make the whole: {table}: {counts}")
        most = whole["wall_s"] * whole["threads"]
        for found in parts:
            for one in (*found["regions"], *found[table]):
                for name, value in one.items():
                    if name.endswith("_s") and value is not None and value > most:
                        test.fail(f"{found['begin_s']}: {one.get('region')}: {name} is {value}")


def files(test):
    """Files of JSON and CSV: whole, replaced, and nobody's link is followed."""
    folder = trace(test)
    test.write("old.json", "old")
    test.write("kept", "kept")
    os.symlink("kept", test.path("link.json"))
    os.mkfifo(test.path("pipe.json"))
    os.mkdir(test.path("folder"))
    for name, code, *said in (("old.json", 0), ("new.json", 0), ("x" * 255, 0), ("x" * 256, 2, "File name too long"),
                              ("link.json", 2, "report: cannot make link.json: link.json is a link of"),
                              ("pipe.json", 2, "cannot make pipe.json: pipe.json is no regular file"),
                              ("folder", 2, "cannot make folder: folder is no regular file"),
                              ("out", 2, "report: out is an archive; --json needs the file that it makes first")):
        told = CommandResult(test, [test.omptape, "report", f"--json={name}", folder], {})
        expect_result(test, name, told, code, said)
        if code == 0:
            with open(test.path(name), encoding="utf-8") as file:
                test.expect(name, 1, json.load(file)["version"])
    with open(test.path("kept"), encoding="utf-8") as file:
        test.expect("the link's file", "kept", file.read())
    test.expect("the pipe", True, stat.S_ISFIFO(os.stat(test.path("pipe.json")).st_mode))
    for form in ("--html", "--svg", "--csv"):
        with open(test.path("kept.csv"), "w", encoding="utf-8") as file:
            file.write("kept")
        told = CommandResult(test, ["sh", "-c", f"ulimit -f 1; {test.omptape} report {form}=kept.csv {folder}"], {})
        expect_result(test, f"limited {form}", told, 2, ["cannot write kept.csv: the limit on the size of files is reached (ulimit -f raises it)"])
        with open(test.path("kept.csv"), encoding="utf-8") as file:
            test.expect(f"limited {form}", "kept", file.read())
    for form in ("", "--all", "--json=-", "--csv=-", "--html=-", "--svg=-"):  # of several lengths: what is left in a buffer differs
        told = CommandResult(test, ["sh", "-c", f"{test.omptape} report {form} {folder} >/dev/full"], {})
        expect_result(test, f"full {form}", told, 2, ["report: cannot write the output: the disk is full"])


def names(test):
    """Names of any bytes."""
    folder = trace(test, name="odd.c", before=b'#line 1 "we\\"ird\\\\ \\33[2J\xe2\x80\xae\xff,\xc3\xa4.c"\n')
    told = CommandResult(test, [test.omptape, "report", "--json=-", folder], {})
    found = json.loads(told.out)
    files_found = {os.path.basename(one["file"]) for one in found["regions"]}
    test.expect("the source", True, any("ird" in one and one.endswith(",ä.c") for one in files_found))
    test.expect("no control characters", False, re.search("[\x00-\x09\x0b-\x1f\x7f]", told.out) is not None)
    told = CommandResult(test, [test.omptape, "report", "--csv=-", folder], {})
    table = list(csv.DictReader(io.StringIO(told.out, newline=""), strict=True))
    test.expect("csv", files_found, {os.path.basename(row["file"]) for row in table if row["section"] == "regions"})
    stripped = test.toolchain.compile(test.path("odd.c"), test.path("stripped.out"), link_flags=["-s"])
    told = CommandResult(test, [test.omptape, "-o", "stripped", stripped], {})
    test.expect("the summary without debugging information", 1, told.lines.count("omptape: compile with -g to see lines"))
    warned = json.loads(CommandResult(test, [test.omptape, "report", "--json=-", "stripped"], {}).out)["warnings"]
    test.expect("no debugging information", 1, len([one for one in warned if one.startswith("compile with -g to see lines: ")]))
    for environment in ({}, {"LC_ALL": "C.UTF-8"}):
        shown = CommandResult(test, [test.omptape, "report", "--all", folder], environment).out
        test.expect("text", False, re.search("[\x00-\x09\x0b-\x1f\x7f\udc80-\udcff]", shown) is not None)
        check_width(test, "odd names", shown, 80)
        shown += CommandResult(test, [test.omptape, "info", folder], environment).out
        test.expect("nothing turns the text", False, re.search("[\x1b\u2028-\u202e\u2066-\u2069]", shown) is not None)


def runs(test):
    """The summary's first finding, and --report."""
    work = program(test)
    told = CommandResult(test, [test.omptape, "-o", "out", work], {})
    test.expect("stdout", "", told.out)
    first = [line for line in told.lines if " loses " in line]
    test.expect("the first finding", 1, len(first))
    test.expect("what to ask", True, f"omptape: {test.omptape} report out" in told.lines)
    report = CommandResult(test, [test.omptape, "report", "--json=-", "out"], {})
    test.expect("the same one", True, json.loads(report.out)["findings"][0]["text"] in first[0])
    told = CommandResult(test, [test.omptape, "--report", "-o", "shown", work], {})
    test.expect("--report: stdout is the program's", "", told.out)
    shown = told.err[told.err.index("work.out, 1 process"):]
    test.expect("--report", CommandResult(test, [test.omptape, "report", test.path("shown", "traces.otf2")], {}).out, shown)
    told = CommandResult(test, [test.omptape, "-q", "--report", "-o", "quiet", work], {})
    test.expect("-q --report", True, told.err.startswith("work.out, 1 process"))
    told = CommandResult(test, [test.omptape, "-q", "-o", "silent", work], {})
    test.expect("-q", "", told.err)
    little(test)
    several(test, work)


def several(test, work):
    """Processes of a run, and some of them."""
    CommandResult(test, [test.omptape, "-q", "-o", "several", "sh", "-c", f"{work} & {work}; wait"], {})
    told = CommandResult(test, [test.omptape, "report", "--all", "several"], {})
    test.expect("processes", 2, len(rows_of(told.out, "process ")))
    test.expect("threads", ["0: ", "0: ", "1: ", "1: "], sorted(line[:3] for line in rows_of(told.out, "thread ")))
    loops = [json.loads(CommandResult(test, [test.omptape, "report", "--json=-", *words, "several"], {}).out)["loops"][0]["iterations"]
             for words in ([], ["--ranks=1"], ["--ranks=0-1"], ["--ranks=0,1"])]
    test.expect("iterations of all, one and both", [loops[1] * 2, loops[1], loops[1] * 2, loops[1] * 2], loops)
    found = json.loads(CommandResult(test, [test.omptape, "report", "--json=-", "several"], {}).out)
    node, = found["nodes"]
    test.expect("its one node", (2, 4), (node["processes"], node["threads"]))
    test.expect("its serial time", True, close(node["serial_s"], sum(one["serial_s"] for one in found["process_list"])))
    in_turn(test, work)
    expect_result(test, "ranks", CommandResult(test, [test.omptape, "report", "--ranks=2-9", "several"], {}), 2,
          ["it holds none of the processes 2-9"])


def in_turn(test, work):
    """Of processes that run one after the other, no two share the processors: times are sums, and threads are those of one."""
    CommandResult(test, [test.omptape, "-q", "-o", "in-turn", "sh", "-c", f"{work}; {work}; {work}"], {})
    found = json.loads(CommandResult(test, [test.omptape, "report", "--json=-", "in-turn"], {}).out)
    test.expect("in turn: processes and threads", (3, 2), (found["processes"], found["threads"]))
    test.expect("in turn: serial time", True, close(found["serial_s"], sum(one["serial_s"] for one in found["process_list"])))
    second = sorted(found["process_list"], key=lambda one: one["begin_s"])[1]
    quarter = (second["end_s"] - second["begin_s"]) / 4
    window = [f"--from={second['begin_s'] + quarter:.9f}", f"--to={second['end_s'] - quarter:.9f}"]
    found = json.loads(CommandResult(test, [test.omptape, "report", "--json=-", *window, "in-turn"], {}).out)
    test.expect("one of them: threads", 2, found["threads"])
    test.expect("one of them: serial time", True, close(found["serial_s"], sum(one["serial_s"] for one in found["process_list"])))


def unchanged(test):
    """A program's errno is zero at its start, as C promises, whatever the library's constructors called."""
    source = test.path("start.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write("""#include <errno.h>
#include <omp.h>
int main(void)
{
    return errno != 0 ? errno : omp_get_max_threads() < 1;
}
""")
    start = test.toolchain.compile(source, test.path("start.out"))
    for words in ([], ["--mpi=on"], ["--sample=off", "--sched=off"]):
        test.expect(f"{words}: errno at main", 0, CommandResult(test, [test.omptape, "-q", *words, "-o", "start", start], {}).code)


def judged(test):
    """Whose threads mostly had no processor, and what was too short, is told so first."""
    source = test.path("spin.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write("""#include <stdlib.h>
int main(int count, char **list)
{
    volatile double x = 1;
    long n = count > 1 ? atol(list[1]) : 0;
#pragma omp parallel for firstprivate(x)
    for (int i = 0; i < 100; i++)
        for (long k = 0; k < n; k++)
            x = x * 1.0001;
    return 0;
}
""")
    spin = test.toolchain.compile(source, test.path("spin.out"))
    processor = str(min(os.sched_getaffinity(0)))
    crowded = f"for i in 1 2 3 4 5 6; do timeout 50 sh -c 'while :; do :; done' & done; {test.omptape} -q -o crowded {spin} 1000000; kill %1 %2 %3 %4 %5 %6"
    CommandResult(test, ["taskset", "-c", processor, "bash", "-c", crowded], {"OMP_NUM_THREADS": "1"})
    report = CommandResult(test, [test.omptape, "report", "crowded"], {}).out
    test.expect("crowded: the first line below the title", True,
                report.splitlines()[2].startswith("all times below are inflated: threads wanted a processor and had none for "))
    test.expect("crowded: in JSON", True, any(one.startswith("all times below are inflated: ") for one in
                                              json.loads(CommandResult(test, [test.omptape, "report", "--json=-", "crowded"], {}).out)["warnings"]))
    # On a busy machine it may take longer.
    for number in range(5):
        CommandResult(test, [test.omptape, "-q", "-o", f"short-{number}", spin, "1"], {"OMP_NUM_THREADS": "2"})
        found = json.loads(CommandResult(test, [test.omptape, "report", "--json=-", f"short-{number}"], {}).out)
        said = "is too short to judge" in found["verdict"]
        if not found["findings"]:
            test.expect(f"a run of {found['wall_s']} s is too short", found["wall_s"] < 0.02, said)
        if said:
            break


def little(test):
    """Archives of nothing much."""
    work = program(test)
    for name, words, environment, expected in (
            ("paused", ["--start=paused"], {}, "Nothing ran in parallel."),
            ("alone", [], {"OMP_THREAD_LIMIT": "1"}, "1 process, 1 thread"),
            ("bare", ["--events=none"], {}, "1 process, 2 threads")):
        CommandResult(test, [test.omptape, "-q", *words, "-o", name, work], environment)
        told = CommandResult(test, [test.omptape, "report", name], {})
        test.expect(f"{name}: exit code", 0, told.code)
        test.expect(f"{name}: {expected}", True, expected in told.out)
        json.loads(CommandResult(test, [test.omptape, "report", "--json=-", name], {}).out)


if __name__ == "__main__":
    sys.exit(main(__doc__, {"numbers": numbers, "text": text, "windows": windows, "files": files, "names": names, "documented": documented,
                            "runs": runs, "unchanged": unchanged, "judged": judged},
                  "e2e.report", stage=STAGE))
