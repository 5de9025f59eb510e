# SPDX-License-Identifier: BSD-3-Clause
"""`omptape compare` of two runs and of several, and what --fail-if finds in it and in `report`.

    tests/run e2e.compare --build BUILD --runtimes DIR NAME
"""
import json
import os
import re
import shutil
import sys
from xml.etree import ElementTree

from e2e.messages import CommandResult, each, expect_result
from e2e.report import LINE, NUMBER, STAGE, TEXT, check_width, close, fits, trace
from harness import main


def both_timelines(test):
    """The page has the tables, and the timelines on one scale: the later end is the longer run's."""
    with open(test.path("changes.html"), encoding="utf-8") as file:
        page = file.read()
    body = ElementTree.fromstring(page[page.index("<main>"):page.index("</main>") + len("</main>")])  # it is XML, too
    svg = "{http://www.w3.org/2000/svg}"
    rulers = [[text.text for text in picture.iter(f"{svg}text") if re.fullmatch(r"[\d.]+ s", text.text)] for picture in body.iter(f"{svg}svg")]
    test.expect("two timelines", 2, len(rulers))
    test.expect("one scale", rulers[0], rulers[1])
    ends = [max(int(x) + int(width) for path in picture.iter(f"{svg}path") for x, width in re.findall(r"M(\d+) [\d.]+h(\d+)v", path.get("d")))
            for picture in body.iter(f"{svg}svg")]
    test.expect("the shorter run ends earlier", True, ends[1] < 0.8 * ends[0])
    test.expect("the titles", ["before: before", "after: after"], [title.text for title in body.iter("h2")][:2])
    test.expect("the loop", True, "for @work.c:11" in [cell.text for cell in body.iter("td")])


def compare(test):
    """What a change has brought, though its lines moved."""
    trace(test, "before", sleep=1000000)  # what a busy machine adds is less
    trace(test, "after", sleep=10000, before=b"\n\n\n")
    shown = CommandResult(test, [test.omptape, "compare", "before", "after"], {}).out
    expect_result(test, "a file", CommandResult(test, [test.omptape, "compare", "before", "after", "--json=changes.json"], {}), 0, [])
    test.expect("wall", True, re.search(r"^wall: [0-9.]+ m?s -> [0-9.]+ m?s \(-\d+ %\)$", shown, re.M) is not None)
    test.expect("the loop", True, re.search(r"^for @work.c:11 +[0-9.]+ m?s +[0-9.]+ m?s +-[0-9.]+ m?s +-\d+ %$", shown, re.M) is not None)
    with open(test.path("changes.json"), encoding="utf-8") as file:
        told = json.load(file)
    fits(test, "changes", told, {"version": int, "before": TEXT, "after": TEXT, "wall_before_s": NUMBER, "wall_after_s": NUMBER,
                                 "processes_before": int, "processes_after": int, "threads_before": int, "threads_after": int,
                                 "computing_before_s": NUMBER, "computing_after_s": NUMBER,
                                 "efficiency": list, "findings": list, "regions": list})
    change = {"line_before": LINE, "line_after": LINE, "before_s": (*NUMBER, type(None)), "after_s": (*NUMBER, type(None)),
              "change_s": NUMBER}
    for section, more in (("findings", {"kind": TEXT, "place": TEXT}), ("regions", {"region": TEXT})):
        for row in told[section]:
            fits(test, section, row, {**more, **change})
            if not close(row["change_s"], (row["after_s"] or 0) - (row["before_s"] or 0)):
                test.fail(f"{section}: the change of {row}")
        sizes = [abs(row["change_s"]) for row in told[section]]
        test.expect(f"{section} are sorted", sorted(sizes, reverse=True), sizes)
    loop = next(row for row in told["regions"] if row["region"] == "for @work.c:11")
    test.expect("the loop's lines", (8, 11), (loop["line_before"], loop["line_after"]))
    test.expect("the loop's change", True, loop["change_s"] < -0.1)
    for name in ("before", "after"):  # as report has them
        whole = json.loads(CommandResult(test, [test.omptape, "report", "--json=-", name], {}).out)
        test.expect(f"wall {name}", True, close(whole["wall_s"], told[f"wall_{name}_s"]))
        test.expect(f"threads {name}", (whole["processes"], whole["threads"]), (told[f"processes_{name}"], told[f"threads_{name}"]))
        computing = sum(thread["parts"][part] for thread in whole["threads_list"] for part in ("computing_s", "serial_s"))
        test.expect(f"computing {name}", True, abs(computing - told[f"computing_{name}_s"]) < 1e-8)  # each part is rounded
        test.expect(f"efficiency {name}", [True] * 8, [close(whole["efficiency"][row["name"].lower().replace(" ", "_")], row[name])
                                                       for row in told["efficiency"]])
        test.expect(f"findings {name}", len(whole["findings"]), sum(row[f"{name}_s"] is not None for row in told["findings"]))
    expect_result(test, "-", CommandResult(test, [test.omptape, "compare", "--json=-", "before", "after"], {}), 0, [])
    expect_result(test, "a page", CommandResult(test, [test.omptape, "compare", "--html=changes.html", "before", "after"], {}), 0, [])
    both_timelines(test)
    expect_result(test, "a pipe", CommandResult(test, [test.omptape, "compare", "--json=/dev/null", "before", "after"], {}), 2,
          ["compare: cannot make /dev/null: null is no regular file"])
    test.expect("computing", True, re.search(r"^computing: [0-9.]+ m?s -> [0-9.]+ m?s in all \([+-]\d+ %\)$", shown, re.M) is not None)
    test.expect("as many threads, and no MPI", False, "threads:" in shown or "communication" in shown)
    scaling(test)
    trace(test, "renamed", name="other.c")
    renamed = json.loads(CommandResult(test, [test.omptape, "compare", "--json=-", "before", "renamed"], {}).out)["regions"]
    test.expect("a program by another name", [(True, True)],
                [(row["before_s"] is not None, row["after_s"] is not None) for row in renamed if row["region"].endswith(".out")])
    same = CommandResult(test, [test.omptape, "compare", "before", "before"], {})
    test.expect("nothing changed", (0, False), (same.code, "region" in same.out))
    expect_result(test, "the second", CommandResult(test, [test.omptape, "compare", "before", "nowhere"], {}), 2,
          ["compare: nowhere: No such file or directory"])


def gates(test):
    """--fail-if: what is true, what is not, what cannot be asked; and its file."""
    trace(test, "slow", sleep=1000000)  # what a busy machine adds is less
    trace(test, "fast", sleep=10000)
    each(test, (
            (["report", "--fail-if=wall>100s", "--fail-if", "parallel<0.0%", "--fail-if=finding:hang", "--fail-if=wall_s>1000", "slow"], 0),
            (["report", "--fail-if=wall>1.0s", "--fail-if=wall>100s", "slow"], 3, "report: failed: wall>1.0s (wall: "),
            (["report", "--fail-if=parallel<=100%", "slow"], 3, "report: failed: parallel<=100% (parallel: "),
            (["report", "--fail-if=finding>5%", "slow"], 3, "report: failed: finding>5% ("),
            (["report", "--fail-if=region:for@work.c>100s", "slow"], 0),
            (["report", "--fail-if=region:f?r@work.c:*>100ms", "slow"], 3, "region:f?r@work.c:*>100ms (for @work.c:8: "),
            (["report", "--fail-if=region:main>10%", "--fail-if=threads<3", "slow"], 3, "threads<3 (threads: 2)"),
            (["report", "--fail-if=region:main>10%", "slow"], 3, "region:main>10% (for @work.c:8: "),
            (["report", "--fail-if=region:nowhere>1s", "slow"], 2, "report: --fail-if: region:nowhere>1s (nothing is called nowhere)"),
            (["report", "--fail-if=paralel<1", "slow"], 2, "'paralel<1': there is no such name: did you mean parallel?"),
            (["report", "--fail-if=finding:lok", "slow"], 2, "findings have no such kind: did you mean lock?"),
            (["report", "--fail-if=parallel<80", "slow"], 2, "a share is from 0 to 1 or has a '%'"),
            (["report", "--fail-if=wall", "slow"], 2, "a limit is missing, as in wall>10s or parallel<0.8"),
            (["report", "--fail-if=wall>much", "slow"], 2, "no number stands behind the '<' or '>'"),
            (["report", "--fail-if=wall>5%", "slow"], 2, "of what?"),
            (["report", "--fail-if=region>5s", "slow"], 2, "which one? A name or a pattern belongs behind ':'"),
            (["report", "--fail-if=wall>+5%", "slow"], 2, "a limit with a sign is one of a change: omptape compare BEFORE AFTER"),
            (["report", "--junit=x.xml", "slow"], 2, "--junit writes what became of --fail-if, and there is none"),
            (["compare", "--fail-if=wall>+5%", "--fail-if=region:for>+50%", "slow", "fast"], 0),
            (["compare", "--fail-if=wall>+5%", "fast", "slow"], 3, "compare: failed: wall>+5% (wall: "),
            (["compare", "--fail-if=region:for@>+100%", "fast", "slow"], 3, "region:for@>+100% (for @work.c:8: "),
            (["compare", "--fail-if=wall>1s", "--fail-if=parallel<-1", "fast", "slow"], 3, "compare: failed: wall>1s (wall: "),
            (["compare", "--fail-if=wall>+0.5s", "--fail-if=finding:lock>+90%", "fast", "fast"], 0)))
    told = CommandResult(test, [test.omptape, "report", "--fail-if=wall>1s", "--fail-if=region:for<1ns", "--junit=gates.xml", "slow"], {})
    test.expect("the text comes, too", (3, True), (told.code, "work.out, 1 process" in told.out))
    suite, = ElementTree.parse(test.path("gates.xml")).getroot()
    test.expect("the suite", {"name": "omptape report", "tests": "2", "failures": "1", "errors": "0"}, suite.attrib)
    test.expect("its cases", [("wall>1s", 1), ("region:for<1ns", 0)], [(case.get("name"), len(case)) for case in suite])
    test.expect("the reason", True, suite[0][0].get("message").startswith("wall: "))


def repeats(test):
    """Several runs of each side: medians, and what is noise."""
    trace(test, "slow-1", sleep=1000000)  # what a busy machine adds is less
    trace(test, "fast-1", sleep=10000)
    for name in ("slow", "fast"):
        for number in range(2, 5):
            shutil.copytree(test.path(f"{name}-1"), test.path(f"{name}-{number}"))
    os.mkdir(test.path("folder"))
    shutil.copytree(test.path("fast-1"), test.path("folder", "one"))
    series = {name: [f"{name}-{number}" for number in range(1, 5)] for name in ("slow", "fast")}
    first = CommandResult(test, [test.omptape, "compare", "fast-*", "slow-*"], {})
    for words in (["fast-*", "--", "slow-*"], series["fast"] + series["slow"], series["fast"] + ["--"] + series["slow"]):
        test.expect(f"{words}: the same", (0, first.out), (lambda told: (told.code, told.out))(CommandResult(test, [test.omptape, "compare", *words], {})))
    test.expect("the runs", True, re.search(r"^medians: 4 runs of .*, 4 runs of .* \(p = 0.029\)$", first.out, re.M) is not None)
    check_width(test, "repeats", first.out, 80)
    each(test, (
        (["compare", "--fail-if=wall>+5%", "fast-*", "slow-*"], 3, "compare: failed: wall>+5% (wall: "),
        (["compare", "--fail-if=wall>+5%", "fast-[12]", "slow-[12]"], 3, "compare: failed: wall>+5% (wall: "),
        (["compare", "--fail-if=wall>+5%", "--fail-if=region:*>+5%", "fast-*", "--", "folder", "slow-1", "fast-3"], 0),  # they overlap
        (["compare", "fast-1", "slow-1", "folder"], 2, "compare: which of the 3 archives are of before, and which of after? Put -- between them"),
        (["compare", "fast-1", "none-*"], 2, "compare: 'none-*': No such file or directory"),
        (["compare", "fast-1"], 2, "compare: which other archive?"),
        (["compare", *["fast-1"] * 17, "--", "slow-1"], 2, "compare: 17 archives on one side; there may be 16")))
    told = json.loads(CommandResult(test, [test.omptape, "compare", "--json=-", "fast-[1-3]", "slow-*"], {}).out)
    test.expect("the archives", (series["fast"][:3], series["slow"]), (told["archives_before"], told["archives_after"]))
    test.expect("each run's wall time", [3, 4], [len(told["runs_before_s"]), len(told["runs_after_s"])])
    test.expect("the wall time", (True, 0), (abs(told["p"] - 1 / 35) < 1e-6, told["is_noise"]))
    same = CommandResult(test, [test.omptape, "compare", "fast-[12]", "fast-[34]"], {}).out
    test.expect("no difference", (True, True), ("(none)" in same, "change\n" not in same.split("\n\n")[-1] or "region" not in same))


def scaling(test):
    """One program with two threads and with three."""
    work = test.compile("problems/programs", "fine_fib.c")
    for count in ("2", "3"):
        test.command("-q", "-o", f"with-{count}", work, "bad", "0.02", env=test.environment(OMP_NUM_THREADS=count))
    shown = CommandResult(test, [test.omptape, "compare", "with-2", "with-3"], {}).out.splitlines()
    two, three = (json.loads(CommandResult(test, [test.omptape, "report", "--json=-", f"with-{count}"], {}).out)["threads"] for count in (2, 3))
    test.expect("threads", [f"threads: {two} -> {three}"] if two != three else [],  # a thread may begin too late to be seen
                [line for line in shown if re.match("(threads|processes): ", line)])


if __name__ == "__main__":
    sys.exit(main(__doc__, {"compare": compare, "gates": gates, "repeats": repeats}, "e2e.report", stage=STAGE))
