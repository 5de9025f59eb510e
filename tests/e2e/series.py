# SPDX-License-Identifier: BSD-3-Clause
"""`omptape scale`: the runs that it makes, what it says of them, and how it ends.

    tests/run e2e.series --build BUILD --runtimes DIR NAME
"""
import csv
import io
import json
import os
import signal
import sys
from xml.etree import ElementTree

from e2e.messages import CommandResult, each
from harness import main, wait_for

STAGE = "19"
# What it takes does not depend on a busy machine: one thread sleeps for 60 ms, then all for 160 ms together, then one thread for 50 ms.
SOURCE = """#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **list)
{
    printf("%d threads\\n", omp_get_max_threads());
    usleep(60000);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < 16; i++)
        usleep(10000);
#pragma omp parallel num_threads(1)
    usleep(50000);
    return count > 1 ? atoi(list[1]) : 0;
}
"""


def program(test):
    source = test.write("work.c", SOURCE)
    return test.toolchain.compile(source, test.path("work.out"))


def scale(test, *words):
    return CommandResult(test, [test.omptape, "scale", *words], {})


def runs(test):
    """A series, its text and numbers, and the same from the archives."""
    work = program(test)
    told = scale(test, "--threads=1,2", "--repeat=2", "-o", "out", "--", work)
    test.expect("exit code", 0, told.code)
    test.expect("the program's output", ["1 threads", "2 threads"] * 2, [line for line in told.err.splitlines() if line.endswith(" threads")])
    lines = told.out.splitlines()
    test.expect("the title", "work.out, by threads: 1 to 2, medians of 2 runs", lines[0])
    test.expect("the table", True, any(line.split()[:3] == ["threads", "1", "2"] for line in lines))
    test.expect("the loop", True, any(line.startswith("for @work.c:9 ") for line in lines))
    test.expect("no curve", True, "No curve: that takes three numbers of threads" in told.out)
    test.expect("width", [], [line for line in lines if len(line) > 80])
    test.expect("the archives", ["threads-1-1", "threads-1-2", "threads-2-1", "threads-2-2"], sorted(os.listdir(test.path("out"))))
    test.expect("read again", told.out, scale(test, "out").out)
    test.expect("by a pattern", told.out, scale(test, "out/threads-*").out)
    numbers(test)
    gates(test)


def numbers(test):
    told = scale(test, "--json=scale.json", "--csv=scale.csv", "--svg=scale.svg", "--html=scale.html", "out")
    test.expect("files", (0, ""), (told.code, told.out))
    with open(test.path("scale.json"), encoding="utf-8") as file:
        found = json.load(file)
    one, two = found["sizes"]
    test.expect("sizes", [(1, 2), (2, 2)], [(size["threads"], size["runs"]) for size in found["sizes"]])
    test.expect("what differs", "threads", found["varies"])
    test.expect("the speed-up", True, abs(two["speedup"] - one["time_s"] / two["time_s"]) < 1e-6)
    test.expect("the efficiency", True, abs(two["efficiency"] - two["speedup"] / 2) < 1e-6)
    for size in found["sizes"]:  # thread time is computing and losses
        walls = [json.loads(CommandResult(test, [test.omptape, "report", "--json=-", f"out/threads-{size['threads']}-{run}"], {}).out)["wall_s"] for run in (1, 2)]
        test.expect("the median of the walls", True, abs(size["time_s"] - sum(walls) / 2) < 1e-6)
        test.expect("thread time", True, abs(sum(size["parts"].values()) - size["time_s"] * size["threads"]) < 0.01 * size["time_s"] * size["threads"])
    whole, *regions = found["regions"]
    test.expect("the whole", ("", int(whole["best_threads"] == 1)), (whole["region"], whole["is_stopped"]))
    loop = {row["threads"]: row for row in found["times"] if row["region"] == "for @work.c:9"}
    test.expect("the loop", True, loop[1]["time_s"] > 0.16 and loop[2]["time_s"] > 0.08)
    alone = {row["threads"]: row for row in found["times"] if row["region"] == "parallel @work.c:12"}
    test.expect("a region with one thread stays as long", True, alone[1]["time_s"] > 0.05 and alone[2]["time_s"] > 0.05)
    test.expect("its sentence", True, any("With 2 threads, it has only 1" in row["text"] for row in regions if row["region"] == "parallel @work.c:12"))
    serial = {row["threads"]: row for row in found["times"] if row["region"] == "work.out"}
    test.expect("the serial part stays as long", True, serial[1]["time_s"] > 0.06 and serial[2]["time_s"] > 0.06)
    test.expect("regions", {row["region"] for row in found["times"]}, {row["region"] for row in regions})
    with open(test.path("scale.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(io.StringIO(file.read())))
    test.expect("rows", [1, 2, len(found["regions"]), len(found["times"])],
                [sum(row["section"] == name for row in rows) for name in ("summary", "sizes", "regions", "times")])
    with open(test.path("scale.html"), encoding="utf-8") as file:
        page = file.read()
    body = ElementTree.fromstring(page[page.index("<main>"):page.index("</main>") + len("</main>")])  # it is XML, too
    test.expect("the page's title", "work.out, by threads: 1 to 2, medians of 2 runs", body.find(".//h1").text)
    test.expect("its rows", True, "for @work.c:9" in [cell.text for cell in body.iter("td")])
    points = [title.text for title in body.iter("{http://www.w3.org/2000/svg}title")]
    test.expect("its points", True, any(text.startswith("for @work.c:9, 2 threads: ") and " (2 runs: " in text for text in points))
    picture = ElementTree.parse(test.path("scale.svg")).getroot()
    test.expect("the picture", True, "the whole" in [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")])


def gates(test):
    each(test, (
        (["scale", "--fail-if=efficiency@2<0%", "--fail-if=speedup<0.01", "--fail-if=wall@1<0.2", "out"], 0),
        (["scale", "--fail-if=speedup@2<100", "out"], 3, "scale: failed: speedup@2<100 (speedup: "),
        (["scale", "--fail-if=region:for@work.c@1>0.16", "out"], 3, "scale: failed: region:for@work.c@1>0.16 (for @work.c:9: "),
        (["scale", "--fail-if=computation@8<0.5", "out"], 2, "scale: --fail-if: computation@8<0.5 (no run has 8 threads)"),
        (["scale", "--fail-if=efficency<1", "out"], 2, "there is no such name: did you mean efficiency?"),
        (["scale", "--fail-if=wall>+5%", "out"], 2, "a limit with a sign is one of a change"),
        (["report", "--fail-if=efficiency<1", "out/threads-1-1"], 2, "there is no such name")))


def refused(test):
    """What it cannot do, and programs that fail."""
    work = program(test)
    each(test, (
        (["scale"], 2, "scale: which archive?"),
        (["scale", "a", "--", work], 2, "scale: either archives, or -- and a program, but not both"),
        (["scale", "nowhere"], 2, "scale: nowhere: No such file or directory"),
        (["scale", "--threads=1,x", "--", work], 2, "scale: --threads: 1,x is no list of numbers such as 1,2,4, nor auto"),
        (["scale", "--ranks=1,0", "--", "sh", "-c", "{ranks}"], 2, "scale: --ranks: 1,0 is no list of numbers such as 1,2,4, nor auto"),
        (["scale", "--ranks=1,2", "--", work], 2, "scale: --ranks: the command has no {ranks}, as in: mpirun -n {ranks} ./app"),
        (["scale", "--repeat=0", "--", work], 2, "scale: --repeat: 0 is no number from 1 to 16"),
        (["scale", "--threads=1", "--repeat=1", "--", "./none"], 2, "scale: 1 thread, run 1 of 1", "./none: No such file or directory")))
    test.expect("no folder is left", [], [name for name in os.listdir(test.path()) if name.startswith("omptape-scale")])
    told = scale(test, "--threads=1,2", "--repeat=1", "-o", "failing", "--", work, "3")
    test.expect("an exit code", (0, 2), (told.code, told.err.count("ended with exit code 3")))
    each(test, ((["scale", "failing/threads-1-1"], 2, "scale: all runs have the same number of threads: there is nothing to compare"),))
    told = scale(test, "--threads=1,2", "--repeat=1", "-o", "failing", "--", "sh", "-c", f"{work}; kill -SEGV $$")
    test.expect("a signal", (2, True), (told.code, "scale: no run is complete" in told.err))


def interrupted(test):
    """The runs that are complete are shown, and the other one is not read again."""
    work = program(test)
    started = test.start("scale", [test.omptape, "scale", "--threads=1,2", "--repeat=1", "-o", test.path("out"), "--", "sh", "-c",
                                   f"{work}; test $OMP_NUM_THREADS = 1 || {{ touch ../here; exec sleep 50; }}"])
    wait_for("the second run", lambda: os.path.exists(test.path("here")))
    started.process.send_signal(signal.SIGINT)
    ended = test.finish(started)
    test.expect("exit code", 128 + signal.SIGINT, ended.code)
    test.expect("what is complete", True, b", by threads: 1 to 1" in ended.out)
    test.expect("what is kept", ["threads-1-1"], [name for name in os.listdir(test.path("out")) if not name.startswith(".")])


if __name__ == "__main__":
    sys.exit(main(__doc__, {"runs": runs, "refused": refused, "interrupted": interrupted}, "series", stage=STAGE))
