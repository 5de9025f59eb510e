#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The flight recorder: snapshots while the program runs, what a killed program leaves, pauses, ended threads and forks
in what it has forgotten. CTest's e2e.snapshots runs all of it on two runtimes:

    snapshots.py --build BUILD --runtimes DIR
"""
import argparse
import glob
import os
import pwd
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import counts
import processes
from flooding import LAST, OWN_EXIT, POOL, RECORD, Flood, Run
from run import SKIPPED
from stages import Missing

FLOOD = 4000  # steps of "mix": far more than the pool holds, half a second
AT_ONCE = 24


def ask(flood, *words):
    return subprocess.Popen([flood.tool("bin", "omptape"), "snapshot", *(str(word) for word in words)],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def answer(flood, name, process, code=0):
    """The path that `omptape snapshot` printed, or its one line of complaint."""
    try:
        out, err = (text.decode(errors="replace") for text in process.communicate(timeout=30))
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        flood.fail(name, "omptape snapshot does not end")
        return ""
    said, silent = (out, err) if code == 0 else (err, out)
    if process.returncode != code or silent or said.count("\n") != 1:
        flood.fail(name, f"omptape snapshot: exit {process.returncode}, {out!r}, {err!r}")
    return said.strip()


def judge_window(flood, name, path, end, least=POOL // RECORD // 2):
    """A valid archive of the newest events."""
    facts = flood.judge(name, path)
    flood.expect(name, "kind of end", end, facts.properties.get("OMPTAPE::END"))
    flood.expect(name, "dropped", 0, facts.number("DROPPED"))
    if facts.number("RECORDS") < least:
        flood.fail(name, f"only {facts.number('RECORDS')} records were kept")
    return facts


def judge_end(flood, name, run, end="finalize"):
    """The program's own archive; what was kept and what was forgotten is what happened."""
    facts = judge_window(flood, name, os.path.join(run.output, "trace.otf2"), end)
    flood.expect(name, "records", flood.callbacks(run)[1], facts.number("RECORDS") + facts.number("FORGOTTEN"))
    flood.expect(name, "newest events", LAST, facts.kinds["masked"])
    return facts


def several(flood):
    """Snapshots one after another and many at once, of a program that goes on, and the archive at its end."""
    name = "several"
    run = flood.start(name, ["mix", 2, FLOOD, 3], "overwrite")
    run.await_part()
    run.writer()
    run.go()
    paths = [answer(flood, name, ask(flood, run.process.pid)) for _ in range(3)]
    run.await_part()
    # Of a program that does nothing at the moment.
    paths.append(answer(flood, name, ask(flood, run.process.pid)))
    run.go()
    asking = [ask(flood, run.process.pid) for _ in range(AT_ONCE)]
    many = [answer(flood, name, process) for process in asking]
    # Only now, or on a busy machine it would end before all have asked.
    run.await_part()
    run.go()
    flood.finish(name, run)
    if len({*paths, *many}) != 4 + AT_ONCE:
        flood.fail(name, f"not every snapshot has a place of its own: {paths} {many}")
    forgotten = 0
    for number, path in enumerate([*paths, many[-1]]):
        facts = judge_window(flood, f"{name}, number {number}", path, "snapshot", 0 if number == 0 else POOL // RECORD // 2)
        if facts.number("FORGOTTEN") < forgotten:
            flood.fail(name, "a later snapshot begins earlier")
        forgotten = facts.number("FORGOTTEN")
    judge_end(flood, name, run)


def snapshots_of(run):
    return sorted(glob.glob(os.path.join(run.output, "snapshot-*", "trace.otf2")))


def child_of(writer):
    """The process that writes the writer's snapshot, or None."""
    with open(f"/proc/{writer}/task/{writer}/children", encoding="utf-8") as file:
        children = file.read().split()
    return int(children[0]) if children else None


def stop(child):
    """Stops the process; False if it has ended."""
    try:
        os.kill(child, signal.SIGSTOP)
        while True:
            with open(f"/proc/{child}/stat", encoding="utf-8", errors="replace") as file:
                state = file.read().rpartition(")")[2].split()[0]
            if state in "TZX":
                return state == "T"
    except OSError:
        return False


def hold_up(flood, name, run, writer):
    """Asks for a snapshot and stops the process that writes it: (who asks, that process)."""
    for _ in range(50):  # it may be too fast
        asking = ask(flood, run.process.pid)
        while asking.poll() is None:
            child = child_of(writer)
            if child is None or not stop(child):
                continue
            try:
                asking.wait(0.2)
            except subprocess.TimeoutExpired:
                return asking, child
            os.kill(child, signal.SIGCONT)  # it had answered already
        answer(flood, name, asking)
    raise TimeoutError(f"{name}: no snapshot could be held up")


def queued(flood):
    """A second snapshot is asked for while the first one is not done: it comes later, and the program goes on."""
    name = "queued"
    run = flood.start(name, ["mix", 2, FLOOD, 3], "overwrite")
    run.await_part()
    first, child = hold_up(flood, name, run, run.writer())
    second = ask(flood, run.process.pid)
    run.go()
    # Far more than the pool holds: if the writer waited, the threads would.
    if not select.select([run.process.stdout], [], [], 40)[0]:
        flood.fail(name, "the program waits for a snapshot")
    elif first.poll() is not None or second.poll() is not None:
        flood.fail(name, "a snapshot was not held up")
    os.kill(child, signal.SIGCONT)
    paths = {answer(flood, name, first), answer(flood, name, second)}
    for _ in range(2):
        run.await_part()
        run.go()
    flood.finish(name, run)
    if len(paths) != 2:
        flood.fail(name, f"not two snapshots: {paths}")
    for path in paths:
        judge_window(flood, name, path, "snapshot", 0)
    judge_end(flood, name, run)


def others(flood):
    """Root may have a snapshot of another user's program; another user may not."""
    name = "others"
    if os.getuid() != 0:
        print("others: left out, since it needs root rights")
        return
    nobody = pwd.getpwnam("nobody")
    with tempfile.TemporaryDirectory(prefix="omptape-snapshots-") as place:
        os.chown(place, nobody.pw_uid, nobody.pw_gid)
        for file in (flood.binary, flood.tool("lib", "libomptape.so"),
                     os.path.join(flood.toolchain.library_folder, "libomp.so.5"),
                     flood.tool("libexec", "omptape", "omptape-writer")):
            shutil.copy(file, place)
        environment = flood.environment(
            LD_PRELOAD=os.path.join(place, "libomptape.so"), LD_LIBRARY_PATH=place, OMPTAPE_OUTPUT="out",
            OMPTAPE_WRITER=os.path.join(place, "omptape-writer"), OMPTAPE_QUIET="1", OMPTAPE_WHEN_FULL="overwrite")
        with subprocess.Popen([os.path.join(place, os.path.basename(flood.binary)), "mix", "2", "50", "2"], cwd=place,
                              env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, user=nobody.pw_uid,
                              group=nobody.pw_gid, extra_groups=[]) as process:
            run = Run(place, process)
            run.await_part()
            run.writer()
            run.go()
            run.await_part()
            path = answer(flood, name, ask(flood, process.pid))
            judge_window(flood, name, path, "snapshot", 0)
            run.go()
            if process.wait(60) != OWN_EXIT:
                flood.fail(name, f"exit code {process.returncode}")
        for line in processes.wait_for_all():
            flood.fail(name, line)


def flushed(flood):
    """A snapshot by omp_control_tool."""
    run = flood.start("flushed", ["flushed", 2, FLOOD // 4, 2], "overwrite")
    run.await_part()
    run.go()
    run.await_part()
    # Else one snapshot would serve both calls.
    deadline = time.monotonic() + 10
    while not snapshots_of(run) and time.monotonic() < deadline:
        time.sleep(0.01)
    run.go()
    flood.finish("flushed", run)
    found = snapshots_of(run)
    flood.expect("flushed", "snapshots", 2, len(found))
    for path in found:
        facts = judge_window(flood, "flushed", path, "snapshot")
        if facts.kinds["omp_control_tool"] not in (0, 1):
            flood.fail("flushed", f"{facts.kinds['omp_control_tool']} calls of omp_control_tool")
    judge_end(flood, "flushed", run)


def flushed_last(flood):
    """A snapshot that is asked for just before the end, when the writer does not get a processor."""
    run = flood.start("flushed last", ["flushed", 2, 0, 1], "overwrite")
    run.await_part()
    writer = run.writer()
    os.kill(writer, signal.SIGSTOP)
    run.go()
    if run.process.stdout.readline() != b"done\n":
        flood.fail("flushed last", "the program waits for its writer")
    time.sleep(0.2)
    os.kill(writer, signal.SIGCONT)
    flood.finish("flushed last", run, said=b"")
    found = snapshots_of(run)
    flood.expect("flushed last", "snapshots", 1, len(found))
    for path in found:
        judge_window(flood, "flushed last", path, "snapshot", 0)
    judge_window(flood, "flushed last", os.path.join(run.output, "trace.otf2"), "finalize", 0)


def refused(flood):
    """One line where there is nothing to have a snapshot of."""
    for words in ((), ("me",), ("-1",), ("0",), ("1x",), (os.getpid(), 1)):
        answer(flood, f"snapshot {words}", ask(flood, *words), 2)
    answer(flood, "not traced", ask(flood, os.getpid()), 1)
    for policy in ("wait", "drop"):
        run = flood.start(f"refused {policy}", ["mix", 2, 10, 1], policy)
        run.await_part()
        run.writer()
        complaint = answer(flood, policy, ask(flood, run.process.pid), 1)
        if "--when-full=overwrite" not in complaint:
            flood.fail(policy, f"says {complaint!r}")
        run.go()
        flood.finish(policy, run)


def killed(flood):
    """SIGKILL: the archive holds the newest events up to there."""
    for delay in (0.02, 0.1, 0.25):
        name = f"killed {delay}"
        run = flood.start(name, ["mix", 4, 1000000, 1], "overwrite")
        run.await_part()
        run.go()
        time.sleep(delay)
        os.kill(run.process.pid, signal.SIGKILL)
        flood.finish(name, run, said=b"", code=-signal.SIGKILL)
        facts = judge_window(flood, name, os.path.join(run.output, "trace.otf2"), "signal 9", 0)
        counted = flood.callbacks(run)[1]
        found = facts.number("RECORDS") + facts.number("FORGOTTEN")
        # Each thread may have recorded one that was not counted yet.
        if not counted <= found <= counted + facts.threads:
            flood.fail(name, f"{counted} callbacks, {found} records")
        if facts.number("RECORDS") < min(counted, POOL // RECORD // 2):
            flood.fail(name, f"only {facts.number('RECORDS')} records were kept")


def remembered(flood):
    """What was done before the window: pauses, threads that have ended."""
    run = flood.start("paused", ["paused", 2, FLOOD // 4], "overwrite")
    flood.finish("paused", run)
    facts = judge_end(flood, "paused", run)
    flood.expect("paused", "calls of omp_control_tool", 0, facts.kinds["omp_control_tool"])
    run = flood.start("paused late", ["paused_late", 2, FLOOD // 4], "overwrite")
    flood.finish("paused late", run)
    facts = judge_end(flood, "paused late", run)
    flood.expect("paused late", "calls of omp_control_tool", 1, facts.kinds["omp_control_tool"])
    flood.expect("paused late", "regions", 10 + 1, facts.events["ThreadFork"])
    run = flood.start("ended", ["ended", 4, FLOOD // 4], "overwrite")
    flood.finish("ended", run)
    facts = judge_end(flood, "ended", run)
    # Four at a time, ten times over, each with a team of two: their locations are there, without events.
    if facts.threads <= 4:
        flood.fail("ended", f"only {facts.threads} threads")


def forked(flood):
    """A forked child has a flight recorder of its own."""
    run = flood.start("forked", ["forked", 2, FLOOD // 4], "overwrite")
    flood.finish("forked", run)
    judge_end(flood, "forked", run)
    children = glob.glob(os.path.join(run.output, "flood-*", "trace.otf2"))
    flood.expect("forked", "children", 1, len(children))
    counted = counts.read(run.folder)
    for path in children:
        facts = judge_window(flood, "child", path, "finalize")
        callbacks = counts.callbacks(counted.get(facts.number("PID"), {}))
        # omptape announces the thread and its initial task itself, whether the runtime did (19) or not (14).
        if facts.number("RECORDS") + facts.number("FORGOTTEN") - callbacks not in (0, 2):
            flood.fail("child", f"{callbacks} callbacks, {facts.number('RECORDS')} and {facts.number('FORGOTTEN')} records")


def main():
    parser = argparse.ArgumentParser(description="Tests the flight recorder.")
    parser.add_argument("--build", type=os.path.abspath, required=True)
    parser.add_argument("--runtimes", type=os.path.abspath, required=True)
    options = parser.parse_args()
    processes.adopt_orphans()
    ran = failed = 0
    for stage in ("19", "14"):
        try:
            flood = Flood(options, "snapshots", stage)
        except Missing as reason:
            print(f"SKIPPED: {reason}")
            continue
        for test in (several, queued, others, flushed, flushed_last, refused, killed, remembered, forked):
            test(flood)
        ran += 1
        for problem in flood.problems:
            print(f"FAILED: {problem}")
        failed += len(flood.problems)
        flood.remove()
    return 1 if failed else 0 if ran else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
