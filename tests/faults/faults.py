# SPDX-License-Identifier: BSD-3-Clause
"""Fault tests: what goes wrong around a traced program must neither cost the program anything nor leave anything
behind, and what was committed must be in the archive. Each CTest test is one of the functions below:

    tests/run faults.faults --build BUILD --runtimes DIR [--runs N] NAME
"""
import os
import pty
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import time

from faults.fault import Fault, end_busy
from harness import BUSY_CODE, Missing, arguments, counts, has_content, main, processes, wait_for

POLICIES = ("wait", "drop", "overwrite")
OVERFLOW = 80000    # records: more than a MiB holds of the smallest
ONE_THREAD = {"OMP_THREAD_LIMIT": "1", "KMP_WARNINGS": "0"}  # that waits for no other one
WAITING = "omptape: the program has ended; waiting for its trace"


def stop_for(program, seconds):
    """Stops the program's writer for so long, if it has one by now; the program fills its pool meanwhile."""
    writer = processes.writer_of(program)
    if writer is None:
        return None
    os.kill(writer, signal.SIGSTOP)
    time.sleep(seconds)  # any time
    return writer


def stop_until_full(fault, name, program):
    """Stops the program's writer until there was no room, however busy the machine is."""
    writer = fault.writer(program)
    os.kill(writer, signal.SIGSTOP)
    wait_for(f"{name}: a full pool", lambda: counts.callbacks(counts.read(fault.path(name)).get(program, {})) > OVERFLOW, 60)
    return writer


def end_after(fault, name, callbacks):
    """Ends the busy program in that folder once it has made so many, however long it takes."""
    def has_made_them():
        return next((pid for pid, one in counts.read(fault.path(name)).items() if counts.callbacks(one) > callbacks), None)

    end_busy(wait_for(f"{name}: {callbacks} callbacks", has_made_them, 100))


def begun_at_work(fault, name, program, counted):
    """Has it recorded something, or where nothing counts, has it a writer?"""
    if counted:
        return any(family == "parallel_begin" for family, _ in counts.read(fault.path(name)).get(program, ()))
    return os.path.lexists(fault.path(name, "out", ".omptape-writing"))


def kill(fault):
    """SIGKILL at random instants, with every policy: each archive valid, with every event that was committed. One in five
    comes when the program may not have begun to record."""
    chance = fault.random
    archives = lossy = 0
    for number in range(fault.options.runs):
        policy = POLICIES[number % 3]
        name = f"kill {number} {policy}"
        launched = number // 3 % 3 == 2
        delay = chance.choice((chance.uniform(0, 0.03), chance.uniform(0.03, 0.4), chance.uniform(0.2, 0.4)))
        is_early = number % 5 == 4
        own = {"OMPTAPE_QUIET": "1", "OMPTAPE_WHEN_FULL": policy, "OMPTAPE_BUFFER_SIZE": "1M"}
        own["OMPTAPE_COUNT_DIR"] = fault.path(name)
        is_filled = policy == "drop" and not launched and number % 2 == 1
        if is_filled:
            own.update(ONE_THREAD)
        command = [fault.busy, "100", "2000" if policy == "wait" else "0"]
        if launched:
            program = fault.start(name, [fault.omptape, *command], fault.traced(**own))
        else:
            program = fault.start(name, command, fault.preloaded(LD_PRELOAD=fault.counting, **own))
        victim = program.pid
        if is_early:
            time.sleep(delay)  # any instant
        if launched:
            victim = wait_for(f"{name}: the program", lambda: processes.program_of(program.pid, fault.busy))
        if not is_early:
            wait_for(f"{name}: an event", lambda: begun_at_work(fault, name, victim, not launched))
            time.sleep(delay)  # any instant
        stopped = None
        if is_filled:
            stopped = stop_until_full(fault, name, victim)
        elif policy == "drop":
            stopped = stop_for(victim, chance.uniform(0, 0.3))
        os.kill(victim, signal.SIGKILL)
        if stopped is not None:
            os.kill(stopped, signal.SIGCONT)
        folder = fault.finish(program).folder
        path = os.path.join(folder, "out", "traces.otf2")
        counted = counts.read(folder).get(victim)
        if os.path.exists(path):
            archives += 1
            facts = fault.valid(name, path, counted if policy == "wait" else None)
            lossy += any(facts.number(key) for key in ("DROPPED", "FORGOTTEN"))
            fault.expect(f"{name}: the kind of end", "signal 9", facts.end)
            if counted:
                fault.accounted_for(name, facts, counted)
        elif counted and any(family == "parallel_begin" for family, _ in counted):
            fault.fail(f"{name}: no archive after {delay:.3f} s, though events were committed")
        if not fault.problems:
            shutil.rmtree(folder)
    print(f"{archives} archives of {fault.options.runs} runs, {lossy} with events dropped or forgotten")
    if archives < fault.options.runs // 2:
        fault.fail(f"only {archives} archives of {fault.options.runs} runs")
    if lossy < fault.options.runs // 10:
        fault.fail(f"the pool was full in only {lossy} of {fault.options.runs} runs")


def launcher_killed(fault):
    """SIGKILL for the launcher: the program goes on, its archive is written."""
    launcher = fault.start("launcher", [fault.omptape, "-q", fault.busy, "100"], fault.traced())
    program = wait_for("the launcher's program", lambda: processes.program_of(launcher.pid, fault.busy))
    fault.writer(program)
    launcher.process.kill()
    end_busy(program)
    fault.expect("the program's words", b"right\n", fault.finish(launcher).out)
    fault.valid("launcher", fault.path("launcher", "out", "traces.otf2"))


def limited_files(fault):
    """RLIMIT_FSIZE, as a full disk for those without privileges: the program goes on, one line says so."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (50000, 50000))

    ended = fault.run("limit", [fault.busy, "1.5", "0"], fault.preloaded(), preexec_fn=limit)
    if not fault.expect_own_end("limit", ended):
        fault.fail("limit: not a word that the trace could not be written")


def small_disk(fault, name, size, script, environment, *words):
    """Starts a script with a file system of so many bytes in `small`, if this machine lets us."""
    os.makedirs(fault.path(name, "small"))
    if subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", fault.path(name, "small")], check=False,
                      stderr=subprocess.DEVNULL).returncode != 0:
        raise Missing("no right to mount a small file system")
    mount = f"mount -t tmpfs -o size={size} none small && {{ {script}; }}"
    return fault.start(name, ["unshare", "-m", "sh", "-c", mount, "sh", *words], environment)


def full_disk(fault):
    """A file system that fills up: the program goes on, one line says so."""
    # Preloaded only into the program itself, by the shell's last step.
    script = 'OMPTAPE_OUTPUT=small/out LD_PRELOAD="$TOOLS" exec "$@"'
    program = small_disk(fault, "disk", "128k", script, fault.environment(
        TOOLS=fault.counting, OMPTAPE_COUNT_DIR=fault.path("disk"), **ONE_THREAD), fault.busy, "100", "0")
    end_after(fault, "disk", 60000)
    own = fault.expect_own_end("disk", fault.finish(program))
    if len(own) != 1 or "the disk is full" not in own[0]:
        fault.fail(f"disk: the line must say that the disk is full: {own}")


def disk_filled(fault):
    """Small disks, and such that somebody else fills from one moment to the other: what fits is a valid archive, and
    one line says what is missing."""
    script = ('{ test -z "$FILL" || fallocate -l "$FILL" small/other; } && '
              'OMPTAPE_OUTPUT=small/out LD_PRELOAD="$TOOLS" "$@"; code=$?; cp -R small/out out; exit $code')
    # A callback takes eight bytes of the disk and more, so that all are too small but perhaps the first of 6 MiB.
    for size, fill, event, callbacks, more in (
            ("64k", "", None, 15000, {}), ("512k", "", None, 100000, ONE_THREAD), ("1m", "", None, 200000, ONE_THREAD), ("6m", "", None, 0, {}),
            ("6m", "", None, 1200000, ONE_THREAD), ("64m", "67000000", None, 20000, {}), ("64m", "", "diary", 60000, ONE_THREAD),
            ("64m", "", "small/out/.omptape-checkpoint", 20000, {})):
        name = f"{size} {fill or event or ('one' if more else '')}".replace("/", " ").strip()
        program = small_disk(fault, name, size, script, fault.environment(
            TOOLS=fault.counting, FILL=fill, OMPTAPE_COUNT_DIR=fault.path(name), OMP_WAIT_POLICY="passive", **more),
            fault.busy, "100" if callbacks else "2", "0", "diary")
        if event is not None:
            # Seen from the program's own file systems.
            inside = os.path.join(f"/proc/{program.pid}/root", fault.path(name, event).lstrip("/"))
            wait_for(event, lambda: has_content(inside) or program.process.poll() is not None, pause=0.005)
            # The program goes on when the disk is full, not while somebody fills it, however busy the machine is.
            busy = processes.program_of(program.pid, fault.busy)
            if busy is not None:
                os.kill(busy, signal.SIGSTOP)
            subprocess.run(["nsenter", "-t", str(program.pid), "-m", "dd", "if=/dev/zero", "bs=64k",
                            "of=" + fault.path(name, "small", "other")], check=False, stderr=subprocess.DEVNULL)
            callbacks += sum(map(counts.callbacks, counts.read(fault.path(name)).values()))
            if busy is not None:
                os.kill(busy, signal.SIGCONT)
        if callbacks:
            end_after(fault, name, callbacks)
        own = fault.expect_own_end(name, fault.finish(program))
        folder = fault.path(name)
        facts = fault.valid(name, os.path.join(folder, "out", "traces.otf2"))
        missing = facts.number("UNWRITTEN")
        expected = f"the disk is full: the trace ends early, {missing} events of the program are not in it"
        if missing > 0 and (len(own) != 1 or expected not in own[0]):
            fault.fail(f"{name}: not a line that {missing} events are missing: {own}")
        if missing == 0 and (own or event or size != "6m"):
            fault.fail(f"{name}: nothing is missing, and yet: {own}")
        counted = list(counts.read(folder).values())
        if len(counted) != 1:
            fault.fail(f"{name}: {len(counted)} programs counted")
        else:
            fault.accounted_for(name, facts, counted[0])


def disk_kept(fault):
    """Chunks for which the disk has no room get some of what was kept for them: more is written than was left."""
    # Of three MiB some 640 KiB are kept; the events are 3.0 MiB, and nobody ends the trace here.
    encoder = fault.built("tests", "bench", "bench_encoder")
    ended = fault.finish(small_disk(fault, "kept", "3m", 'exec "$@"', fault.environment(), encoder, "small/archive",
                                    "260000", "barrier", "omptape"))
    fault.expect("kept: exit code", 0, ended.code)
    fault.expect("kept: events", "260000", ended.out.decode().split("\t")[0])
    # Then it is full.
    ended = fault.finish(small_disk(fault, "full", "3m", 'exec "$@"', fault.environment(), encoder, "small/archive",
                                    "300000", "barrier", "omptape"))
    fault.expect("full: exit code", 1, ended.code)
    if b"the disk is full" not in ended.err:
        fault.fail(f"full: {ended.err}")


def unwritable(fault):
    """A folder that cannot be made: the program runs, one line says so."""
    for number, output in enumerate((fault.write("file", "") + "/out", "/proc/none/out")):
        ended = fault.run(f"unwritable.{number}", [fault.busy, "0.2"], fault.preloaded(OMPTAPE_OUTPUT=output))
        if not fault.expect_own_end(output, ended):
            fault.fail(f"{output}: not a word that the trace could not be written")


def existing(fault):
    """An archive is there already: it stays as it is, the new one lies beside it; with force it is replaced."""
    def again(what, **more):
        environment = fault.preloaded(OMPTAPE_QUIET="1", **more)
        fault.expect_own_end(what, fault.run("existing", [fault.busy, "0.2"], environment))
        return fault.valid(what, fault.path("existing", "out", "traces.otf2")).number("PID")

    first = again("first")
    fault.expect("the first archive, after the second run", first, again("second"))
    others = [entry for entry in os.listdir(fault.path("existing")) if entry.startswith("out") and entry != "out"]
    if len(others) != 1:
        fault.fail(f"second: one archive beside the first was expected, there are {others}")
    else:
        fault.valid("second", fault.path("existing", others[0], "traces.otf2"))
    if again("third", OMPTAPE_FORCE="1") == first:
        fault.fail("third: the archive was not replaced")


def diary_of(fault, name):
    """Steps of the busy program in that folder that are over."""
    with open(fault.path(name, "diary"), "rb") as file:
        return file.read().count(b"\n")


def writer_killed(fault):
    """The writer dies: the program goes on without a trace, one line says so."""
    for policy in POLICIES:
        for pause in ("2000", "0"):
            name = f"{policy}, pause {pause}"
            program = fault.start(name, [fault.busy, "100", pause, "diary"],
                                  fault.preloaded(OMPTAPE_BUFFER_SIZE="1M", OMPTAPE_WHEN_FULL=policy))
            pid = fault.writer(program.pid)
            time.sleep(0.3)  # some instant while it records
            os.kill(pid, signal.SIGKILL)
            started = time.monotonic()
            steps = diary_of(fault, name)
            wait_for(f"{name}: steps without the writer", lambda steps=steps, name=name: diary_of(fault, name) > steps + 10)
            end_busy(program.pid)
            ended = fault.finish(program)
            if time.monotonic() - started > 60:
                fault.fail(f"{name}: the program took {time.monotonic() - started:.1f} s to end")
            if not fault.expect_own_end(name, ended):
                fault.fail(f"{name}: not a word that the writer has gone")


def writer_stopped(fault):
    """The writer stalls: the program waits for it no longer than some seconds, if at all, then goes on."""
    started = {}
    for policy in POLICIES:
        program = fault.start(policy, [fault.busy, "100", "0"],
                              fault.preloaded(OMPTAPE_BUFFER_SIZE="1M", OMPTAPE_WHEN_FULL=policy))
        started[policy] = program, fault.writer(program.pid)
    time.sleep(0.3)  # some instant while they record
    for _, pid in started.values():
        os.kill(pid, signal.SIGSTOP)
    begun = time.monotonic()
    time.sleep(1)  # some instant when what can is full
    for program, _ in started.values():
        end_busy(program.pid)
    for policy, (program, pid) in started.items():
        try:
            program.process.wait(100)
        except subprocess.TimeoutExpired:
            fault.fail(f"{policy}: the program does not end while the writer is stopped")
        took = time.monotonic() - begun
        print(f"{policy}: the program ended {took:.1f} s after the writer was stopped, or before")
        if took > 60:
            fault.fail(f"{policy}: the program took {took:.1f} s")
        try:
            os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            pass
    for policy, (program, _) in started.items():
        if not fault.expect_own_end(policy, fault.finish(program)):
            fault.fail(f"{policy}: not a word that the writer has stopped")


def on_terminal(fault, name, command, environment, terminal=True, end=end_busy):
    """Runs the program with its output on a terminal of its own (or stderr elsewhere), the writer stopped from when it
    has claimed its folder to two and a half seconds after the program's last word, or until the command waits for it.
    end(process number) ends the program when the writer is stopped. (exit code, all that it wrote there)"""
    folder = os.path.join(fault.folder, name)
    os.makedirs(folder)
    pid, screen = pty.fork()
    if pid == 0:
        os.chdir(folder)
        if not terminal:
            os.dup2(os.open("stderr", os.O_WRONLY | os.O_CREAT, 0o600), 2)
        os.execve(command[0], command, environment)
    writer, written, deadline = None, b"", time.monotonic() + 60
    go_on = None
    while time.monotonic() < deadline:
        if select.select([screen], [], [], 0.02)[0]:
            try:
                written += os.read(screen, 4096)
            except OSError:  # the terminal's last user is gone
                break
            if go_on is None and (b"right" in written or WAITING.encode() in written):
                go_on = time.monotonic() + 2.5
        if writer is None and os.path.lexists(os.path.join(folder, "out", ".omptape-writing")):
            writer = fault.writer()
            os.kill(writer, signal.SIGSTOP)
            end(pid)
        if writer is not None and go_on is not None and time.monotonic() > go_on:
            os.kill(writer, signal.SIGCONT)
            go_on = deadline + 1
    else:
        fault.fail(f"{name}: the program did not end")
        os.kill(pid, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(screen)
    fault.expect_nothing_left(name)
    fault.valid(name, os.path.join(folder, "out", "traces.otf2"))
    return code, written.decode(errors="replace"), folder


def on_screen(written):
    """The lines that stand on a screen at last."""
    lines = []
    for line in written.split("\n"):
        cells = []
        for part in line.split("\r"):
            cells[:len(part)] = part
        lines.append("".join(cells).rstrip())
    return [line for line in lines if line]


def writer_slow(fault):
    """A writer that takes long at the end: a terminal shows how far it is, and is clean afterwards; nothing else does."""
    drawn = re.compile(r"\romptape: writing the trace: \d+ % \([\d.]+ of [\d.]+ MiB of records\)")
    busy, begun = [fault.busy, "100", "3000"], time.monotonic()
    code, written, _ = on_terminal(fault, "terminal", busy, fault.preloaded())
    where = f"omptape: the trace is in {fault.path('terminal', 'out')}"
    if code != BUSY_CODE or on_screen(written) != ["right", where]:
        fault.fail(f"terminal: exit code {code}, on the screen is {on_screen(written)}")
    if not 4 <= len(drawn.findall(written)) <= 4 * (time.monotonic() - begun) + 4:
        fault.fail(f"terminal: no progress line about four times a second: {written!r}")
    code, written, _ = on_terminal(fault, "quiet", busy, fault.preloaded(OMPTAPE_QUIET="1"))
    if code != BUSY_CODE or written != "right\r\n":
        fault.fail(f"quiet: exit code {code}, {written!r}")
    code, written, folder = on_terminal(fault, "elsewhere", busy, fault.preloaded(), terminal=False)
    with open(os.path.join(folder, "stderr"), encoding="utf-8") as err:
        if code != BUSY_CODE or written != "right\r\n" or err.read():
            fault.fail(f"stderr elsewhere: exit code {code}, {written!r}")
    script = f'"{fault.busy}" 100 3000 & until [ -e stopped ]; do sleep 0.05; done; kill -9 $!'
    command = [fault.omptape, "/bin/sh", "-c", script]
    code, written, _ = on_terminal(fault, "killed", command, fault.traced(), end=lambda _: fault.write(os.path.join("killed", "stopped"), ""))
    if f"\r{WAITING}" not in written or any(WAITING in line for line in on_screen(written)):
        fault.fail(f"killed: {written!r}")


def writer_missing(fault):
    """The writer's program is not there: the program runs, one line says so."""
    os.makedirs(fault.path("copy", "lib"))
    copy = shutil.copy(fault.library, fault.path("copy", "lib"))
    ended = fault.run("missing", [fault.busy, "0.2"], fault.preloaded(LD_PRELOAD=copy))
    if not fault.expect_own_end("missing", ended):
        fault.fail("not a word that the writer is missing")
    own = fault.expect_own_end("another", fault.run("another", [fault.omptape, fault.busy, "0.2"],
                                                    fault.traced(OMPTAPE_WRITER="/bin/true")), 1)
    if len(own) != 1 or not re.search(r"the writer has not started: process [1-9]\d* was ended", own[0]):
        fault.fail(f"another program in the writer's place: {own}")


def no_descriptors(fault):
    """The program may open hardly any file: it runs as it would without the tool."""
    for files in range(4, 9):
        def limit(files=files):
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

        name = f"{files} loaded"
        fault.expect_own_end(name, fault.run(name, [fault.busy, "0.3"], fault.preloaded(), preexec_fn=limit))
        name = f"{files} by the command"
        lines = fault.expect_own_end(name, fault.run(name, [fault.omptape, "-o", "out", fault.busy, "0.3"], preexec_fn=limit))
        if len(lines) != 1 or "ulimit -n" not in lines[0]:
            fault.fail(f"{name}: why nothing is traced is not said: {lines}")
        fault.expect(f"{name}: left", False, os.path.exists(fault.path(name, "out")))


def little_memory(fault):
    """An address space that leaves no room for the buffers: the program runs, one line says so at most."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (120 << 20, 120 << 20))

    fault.expect_own_end("memory", fault.run("memory", [fault.busy, "0.3"], fault.preloaded(OMPTAPE_BUFFER_SIZE="1G"),
                                             preexec_fn=limit))


TESTS = {test.__name__: test for test in (kill, launcher_killed, limited_files, full_disk, disk_filled, disk_kept,
                                          unwritable, existing, writer_killed, writer_stopped, writer_slow,
                                          writer_missing, no_descriptors, little_memory)}

if __name__ == "__main__":
    own = arguments("Runs one fault test.")
    own.add_argument("--runs", type=int, default=21, help="of the kill test")
    sys.exit(main("", TESTS, "fault", Fault, ("19", "14"), parser=own))
