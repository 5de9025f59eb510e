# SPDX-License-Identifier: BSD-3-Clause
"""The flight recorder: snapshots while the program runs, what a killed program leaves, pauses, ended threads and forks
in what it has forgotten. CTest's e2e.snapshots runs all of it on two runtimes:

    tests/run e2e.snapshots --build BUILD --runtimes DIR
"""
import glob
import os
import select
import signal
import subprocess
import sys
import time

from e2e.flooding import LAST, POOL, RECORD, Flood, Run
from harness import counts, main, processes, wait_for
from harness.processes import children_of, state_of
from harness.users import NOBODY, PublicFolder, as_user

FLOOD = 2000  # steps of "mix": several times what the pool holds, a quarter of a second
AT_ONCE = 24
STAGES = ("19", "14")


def ask(flood, *words):
    return subprocess.Popen([flood.omptape, "snapshot", *(str(word) for word in words)],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def answer(flood, name, process, code=0):
    """The path that `omptape snapshot` printed, or its one line of complaint."""
    try:
        out, err = (text.decode(errors="replace") for text in process.communicate(timeout=100))
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        flood.fail(f"{name}: omptape snapshot does not end")
        return ""
    said, silent = (out, err) if code == 0 else (err, out)
    if process.returncode != code or silent or said.count("\n") != 1:
        flood.fail(f"{name}: omptape snapshot: exit {process.returncode}, {out!r}, {err!r}")
    return said.strip()


def check_window(flood, name, path, end, least=POOL // RECORD // 2, thorough=True):
    """A valid archive of the newest events."""
    facts = flood.check_flood(name, path, thorough)
    flood.expect(f"{name}: kind of end", end, facts.end)
    flood.expect(f"{name}: dropped", 0, facts.number("DROPPED"))
    if facts.number("RECORDS") < least:
        flood.fail(f"{name}: only {facts.number('RECORDS')} records were kept")
    return facts


def check_end(flood, name, run, end="finalize"):
    """The program's own archive; what was kept and what was forgotten is what happened."""
    facts = check_window(flood, name, os.path.join(run.output, "traces.otf2"), end)
    flood.expect(f"{name}: records", flood.callbacks(run)[1], facts.number("RECORDS") + facts.number("FORGOTTEN"))
    flood.expect(f"{name}: newest events", LAST, facts.kinds["masked"])
    return facts


def several(flood):
    """Snapshots one after another and many at once, of a program that goes on, and the archive at its end."""
    name = "several"
    run = flood.start_flood(name, ["mix", 2, FLOOD, 3], "overwrite")
    run.await_part()
    run.writer()
    run.go()
    paths = []
    for _ in range(3):
        paths.append(answer(flood, name, ask(flood, run.process.pid)))
        # A busy machine may give it no processor for as long as a snapshot takes: the next one is of a full pool.
        wait_for(f"{name}: a pool's worth of events", lambda: flood.callbacks(run)[1] > POOL // RECORD)
    run.await_part()
    # Of a program that does nothing at the moment.
    paths.append(answer(flood, name, ask(flood, run.process.pid)))
    run.go()
    asking = [ask(flood, run.process.pid) for _ in range(AT_ONCE)]
    many = [answer(flood, name, process) for process in asking]
    # Only now, or on a busy machine it would end before all have asked.
    run.await_part()
    run.go()
    flood.finish_flood(name, run)
    if len({*paths, *many}) != 4 + AT_ONCE:
        flood.fail(f"{name}: not every snapshot has a place of its own: {paths} {many}")
    forgotten = 0
    for number, path in enumerate([*paths, many[-1]]):
        facts = check_window(flood, f"{name}, number {number}", path, "snapshot", 0 if number == 0 else POOL // RECORD // 2,
                             number % 2 == 0 and flood.stage == STAGES[0])
        if facts.number("FORGOTTEN") < forgotten:
            flood.fail(f"{name}: a later snapshot begins earlier")
        forgotten = facts.number("FORGOTTEN")
    check_end(flood, name, run)


def snapshots_of(run):
    return sorted(glob.glob(os.path.join(run.output, "snapshot-*", "traces.otf2")))


def stop(child):
    """Stops the process; False if it has ended."""
    try:
        os.kill(child, signal.SIGSTOP)
    except OSError:
        return False
    return wait_for("the stop", lambda: (state_of(child) or "X") in "TZX" and (state_of(child) or "X")) == "T"


def hold_up(flood, name, run, writer):
    """Asks for a snapshot and stops the process that writes it: (who asks, that process)."""
    for _ in range(50):  # it may be too fast
        asking = ask(flood, run.process.pid)
        while asking.poll() is None:
            child = next(iter(children_of(writer)), None)
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
    run = flood.start_flood(name, ["mix", 2, FLOOD, 3], "overwrite")
    run.await_part()
    first, child = hold_up(flood, name, run, run.writer())
    second = ask(flood, run.process.pid)
    run.go()
    # Far more than the pool holds: if the writer waited, the threads would.
    if not select.select([run.process.stdout], [], [], 100)[0]:
        flood.fail(f"{name}: the program waits for a snapshot")
    elif first.poll() is not None or second.poll() is not None:
        flood.fail(f"{name}: a snapshot was not held up")
    os.kill(child, signal.SIGCONT)
    paths = {answer(flood, name, first), answer(flood, name, second)}
    for _ in range(2):
        run.await_part()
        run.go()
    flood.finish_flood(name, run)
    if len(paths) != 2:
        flood.fail(f"{name}: not two snapshots: {paths}")
    for path in paths:
        check_window(flood, name, path, "snapshot", 0)
    check_end(flood, name, run)


def others(flood):
    """Root may have a snapshot of another user's program; another user may not."""
    name = "others"
    if os.getuid() != 0:
        print("others: left out, since it needs root rights")
        return
    files = (flood.binary, flood.library, os.path.join(flood.toolchain.library_folder, "libomp.so.5"),
             flood.built("libexec", "omptape", "omptape-writer"))
    with PublicFolder("snapshots", files) as public:
        environment = flood.preloaded(
            LD_PRELOAD=public.at("libomptape.so"), LD_LIBRARY_PATH=public.path,
            OMPTAPE_WRITER=public.at("omptape-writer"), OMPTAPE_QUIET="1", OMPTAPE_WHEN_FULL="overwrite")
        run = Run(processes.Program(name, public.make("run", NOBODY), [public.at("flood"), "mix", "2", "50", "2"],
                                  environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **as_user(NOBODY)))
        run.await_part()
        run.writer()
        run.go()
        run.await_part()
        path = answer(flood, name, ask(flood, run.process.pid))
        check_window(flood, name, path, "snapshot", 0)
        run.go()
        flood.finish_flood(name, run)


def flushed(flood):
    """A snapshot by omp_control_tool."""
    run = flood.start_flood("flushed", ["flushed", 2, FLOOD // 4, 2], "overwrite")
    run.await_part()
    run.go()
    run.await_part()
    # Else one snapshot would serve both calls.
    wait_for("flushed: a snapshot", lambda: snapshots_of(run))
    run.go()
    flood.finish_flood("flushed", run)
    found = snapshots_of(run)
    flood.expect("flushed: snapshots", 2, len(found))
    for path in found:
        facts = check_window(flood, "flushed", path, "snapshot")
        if facts.kinds["omp_control_tool"] not in (0, 1):
            flood.fail(f"flushed: {facts.kinds['omp_control_tool']} calls of omp_control_tool")
    check_end(flood, "flushed", run)


def flushed_last(flood):
    """A snapshot that is asked for just before the end, when the writer does not get a processor."""
    run = flood.start_flood("flushed last", ["flushed", 2, 0, 1], "overwrite")
    run.await_part()
    writer = run.writer()
    os.kill(writer, signal.SIGSTOP)
    run.go()
    if run.process.stdout.readline() != b"done\n":
        flood.fail("flushed last: the program waits for its writer")
    time.sleep(0.2)  # it comes to wait for its writer, which cannot be seen
    os.kill(writer, signal.SIGCONT)
    flood.finish_flood("flushed last", run, said=b"")
    found = snapshots_of(run)
    flood.expect("flushed last: snapshots", 1, len(found))
    for path in found:
        check_window(flood, "flushed last", path, "snapshot", 0)
    check_window(flood, "flushed last", os.path.join(run.output, "traces.otf2"), "finalize", 0)


def refused(flood):
    """One line where there is nothing to have a snapshot of."""
    for words in ((), ("me",), ("-1",), ("0",), ("1x",), (os.getpid(), 1)):
        answer(flood, f"snapshot {words}", ask(flood, *words), 2)
    answer(flood, "not traced", ask(flood, os.getpid()), 1)
    for policy in ("wait", "drop"):
        run = flood.start_flood(f"refused {policy}", ["mix", 2, 10, 1], policy)
        run.await_part()
        run.writer()
        complaint = answer(flood, policy, ask(flood, run.process.pid), 1)
        if "--when-full=overwrite" not in complaint:
            flood.fail(f"{policy}: says {complaint!r}")
        run.go()
        flood.finish_flood(policy, run)


def killed(flood):
    """SIGKILL: the archive holds the newest events up to there."""
    for delay in (0.02, 0.1, 0.25):
        name = f"killed {delay}"
        run = flood.start_flood(name, ["mix", 4, 1000000, 1], "overwrite")
        run.await_part()
        run.go()
        time.sleep(delay)  # any instant
        os.kill(run.process.pid, signal.SIGKILL)
        flood.finish_flood(name, run, said=b"", code=128 + signal.SIGKILL)
        facts = check_window(flood, name, os.path.join(run.output, "traces.otf2"), "signal 9", 0,
                             flood.stage == STAGES[0] or delay == 0.1)
        counted = flood.callbacks(run)[1]
        found = facts.number("RECORDS") + facts.number("FORGOTTEN")
        # Each thread may have recorded one that was not counted yet.
        if not counted <= found <= counted + facts.threads:
            flood.fail(f"{name}: {counted} callbacks, {found} records")
        if facts.number("RECORDS") < min(counted, POOL // RECORD // 2):
            flood.fail(f"{name}: only {facts.number('RECORDS')} records were kept")


def remembered(flood):
    """What was done before the window: pauses, threads that have ended."""
    run = flood.start_flood("paused", ["paused", 2, FLOOD // 4], "overwrite")
    flood.finish_flood("paused", run)
    facts = check_end(flood, "paused", run)
    flood.expect("paused: calls of omp_control_tool", 0, facts.kinds["omp_control_tool"])
    run = flood.start_flood("paused late", ["paused_late", 2, FLOOD // 4], "overwrite")
    flood.finish_flood("paused late", run)
    facts = check_end(flood, "paused late", run)
    flood.expect("paused late: calls of omp_control_tool", 1, facts.kinds["omp_control_tool"])
    flood.expect("paused late: regions", 10 + 1, facts.events["ThreadFork"])
    run = flood.start_flood("ended", ["ended", 4, FLOOD // 4], "overwrite")
    flood.finish_flood("ended", run)
    facts = check_end(flood, "ended", run)
    # Four at a time, ten times over, each with a team of two: their locations are there, without events.
    if facts.threads <= 4:
        flood.fail(f"ended: only {facts.threads} threads")


def forked(flood):
    """A forked child has a flight recorder of its own."""
    run = flood.start_flood("forked", ["forked", 2, FLOOD // 4], "overwrite")
    flood.finish_flood("forked", run)
    check_end(flood, "forked", run)
    children = glob.glob(os.path.join(run.output, "flood-*", "traces.otf2"))
    flood.expect("forked: children", 1, len(children))
    counted = counts.read(run.folder)
    for path in children:
        facts = check_window(flood, "child", path, "finalize")
        callbacks = counts.callbacks(counted.get(facts.number("PID"), {}))
        # omptape announces the thread and its initial task itself, whether the runtime did (19) or not (14).
        if facts.number("RECORDS") + facts.number("FORGOTTEN") - callbacks not in (0, 2):
            flood.fail(f"child: {callbacks} callbacks, {facts.number('RECORDS')} and {facts.number('FORGOTTEN')} records")


def test(flood):
    for one in (several, flushed, killed, remembered, forked):
        one(flood)
    if flood.stage == STAGES[0]:  # what has nothing to do with the runtime
        for one in (queued, others, flushed_last, refused):
            one(flood)


if __name__ == "__main__":
    sys.exit(main("The flight recorder.", test, "snapshots", Flood, stages=STAGES))
