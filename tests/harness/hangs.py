# SPDX-License-Identifier: BSD-3-Clause
"""Programs that hang until they are ended, and what the report says of that. For tests of MPI and of OpenMP."""
import json
import os
import re
import subprocess

from harness import wait_for

WAITS = (0.5, 2, 6, 20)  # seconds from its sign to its end: on a busy machine it takes longer until all wait


def marks(path, way):
    """Numbers of the lines whose comment names this way to hang, or says HERE."""
    with open(path, encoding="utf-8") as file:
        return [number for number, line in enumerate(file, 1) for words in re.findall(r"/\* ([\w ]+) \*/$", line.strip())
                if way in words.split() or words == "HERE"]


def read_report(test, archive):
    done = test.command("report", "--json", test.path("report.json"), archive)
    if done.returncode != 0:
        test.fail(f"report {archive}: {done.stdout}")
        return None
    with open(test.path("report.json"), encoding="utf-8") as file:
        return json.load(file)


def is_hung(program):
    with open(os.path.join(program.folder, "stdout"), "rb") as file:
        return b"hung" in file.read()


def end(test, name, command, environment, wait):
    """Runs it, ends it `wait` seconds after its sign that it hangs, and returns the report."""
    program = test.start(name, command, environment)
    wait_for("the sign", lambda: is_hung(program) or program.process.poll() is not None, 60)
    try:
        program.process.wait(wait)
    except subprocess.TimeoutExpired:
        program.process.terminate()
    test.finish(program)
    test.verify_archive(name, test.path(name, "out", "traces.otf2"))
    return read_report(test, test.path(name, "out"))


def hung(report):
    """The findings that are hangs, which come first."""
    return [one for one in report["findings"] if one["kind"] == "hang"] if report is not None else []


def expect_hang(test, way, run, source, words, least=0):
    """run(wait) gives a report, of which the first finding must be the hang that has these words, and the places of
    whose steps are the source's lines for it."""
    for wait in (one for one in WAITS if one >= least):
        report = run(wait)
        found = hung(report)
        if found and all(re.search(word, found[0]["text"]) for word in words):
            break
    if not found or report["findings"][0] is not found[0]:
        test.fail(f"{way}: no hang first: {[(one['kind'], one['text']) for one in report['findings']] if report else None}")
        return
    for word in words:
        if not re.search(word, found[0]["text"]):
            test.fail(f"{way}: {word!r} is not in {found[0]['text']!r}")
    lines = marks(source, way)
    name = os.path.basename(source)
    for place in re.findall(rf"(?<!it left \w{{13}} )@{re.escape(name)}:(\d+)", found[0]["text"]):
        if int(place) not in lines:
            test.fail(f"{way}: line {place} is none of {lines}: {found[0]['text']!r}")
    steps = [one for one in report["hangs"] if one["finding"] == 0]
    if not steps or steps[0]["state"] not in ("waits", "asks") or report["verdict"].split(":")[0] != "The program hangs":
        test.fail(f"{way}: {steps}, {report['verdict']!r}")
