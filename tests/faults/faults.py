#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fault tests: what goes wrong around a traced program must neither cost the program anything nor leave anything
behind, and what was committed must be in the archive. Each CTest test is one of the functions below:

    faults.py --build BUILD --runtimes DIR [--runs N] NAME
"""
import argparse
import os
import pty
import random
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "checker"))

import check  # noqa: E402
import counts  # noqa: E402
import processes  # noqa: E402
from facts import Facts  # noqa: E402
from run import PASSED_ON, SKIPPED  # noqa: E402
from stages import STAGES, Missing, Toolchain  # noqa: E402

BUSY_CODE = 17
POLICIES = ("wait", "drop", "overwrite")


class Fault:
    """What the tests share: the busy program, runs of it, and the list of problems."""

    def __init__(self, options, name):
        self.options = options
        self.problems = []
        for stage in ("19", "14"):
            try:
                self.toolchain = Toolchain(STAGES[stage], options.runtimes)
                break
            except Missing as reason:
                missing = reason
        else:
            raise missing
        self.busy = self.toolchain.compile(os.path.join(HERE, "busy.c"),
                                           os.path.join(self.toolchain.programs(options.build), "busy"))
        self.folder = os.path.join(options.build, "tests", "work", f"fault.{name}")
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        self.before = processes.shared_memory()

    def fail(self, text):
        self.problems.append(text)

    def tool(self, *parts):
        return os.path.join(self.options.build, *parts)

    def environment(self, **more):
        own = {key: os.environ[key] for key in PASSED_ON if key in os.environ}
        own.update(self.toolchain.environment())
        own.update({"OMPTAPE_OUTPUT": "out"})
        own.update(more)
        return own

    def preloaded(self, **more):
        return self.environment(LD_PRELOAD=self.tool("lib", "libomptape.so"), **more)

    def start(self, name, command, environment, **more):
        folder = os.path.join(self.folder, name)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "stdout"), "wb") as out, open(os.path.join(folder, "stderr"), "wb") as err:
            return folder, subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=out,
                                            stderr=err, start_new_session=True, **more)

    def finish(self, name, folder, process, timeout=60):
        """Waits for the program; (exit code, stdout, stderr). Nothing may be left."""
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            code = process.wait()
            self.fail(f"{name}: the program did not end within {timeout} s")
        self.nothing_left(name)
        with open(os.path.join(folder, "stdout"), "rb") as out, open(os.path.join(folder, "stderr"), "rb") as err:
            return code, out.read(), err.read().decode(errors="replace")

    def accounted_for(self, name, facts, counted):
        """What is recorded, dropped, forgotten and unwritten is what was counted, and at most one more a thread."""
        found = sum(int(facts.properties.get(f"OMPTAPE::{key}", "0"))
                    for key in ("RECORDS", "DROPPED", "FORGOTTEN", "UNWRITTEN"))
        callbacks = counts.callbacks(counted)
        if not callbacks <= found <= callbacks + facts.threads:
            self.fail(f"{name}: {callbacks} callbacks, {found} records")

    def nothing_left(self, name):
        for line in processes.wait_for_all(30):
            self.fail(f"{name}: {line}")
        left = processes.shared_memory() - self.before
        if left:
            self.fail(f"{name}: left in /dev/shm: {left}")

    def expect_own_end(self, name, code, out, err, lines=1):
        """The program ended as it would have without the tool; at most some lines of omptape on stderr."""
        if code != BUSY_CODE or out != b"right\n":
            self.fail(f"{name}: exit code {code}, output {out!r}; {err!r}")
        own = err.splitlines()
        if len(own) > lines or any(not line.startswith("omptape") for line in own):
            self.fail(f"{name}: stderr has {own}")
        return own

    def valid(self, name, path, counted=None):
        """The archive is in order; with counts: it holds every event that was committed, and no other."""
        facts = Facts()
        for problem in check.check(self.tool("bin", "omptape"), path, [facts]):
            self.fail(f"{name}: {problem}")
        if counted is not None:
            for problem in counts.compare(counted, facts):
                self.fail(f"{name}: {problem}")
        return facts

    def writer(self, program=None, timeout=10):
        """The pid of the one writer that runs in this test's care, or of that program's."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            for entry in os.listdir("/proc"):
                if entry.isdigit() and self._is_own_writer(int(entry), program):
                    return int(entry)
            time.sleep(0.01)
        raise TimeoutError("no omptape-writer came up")

    @staticmethod
    def _is_own_writer(pid, program):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
                if b"omptape-writer" not in words[0] or program and words[1] != str(program).encode():
                    return False
            while pid > 1:
                with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                    pid = int(file.read().rpartition(")")[2].split()[1])
                if pid == os.getpid():
                    return True
        except OSError:
            pass
        return False


def stop_for(fault, program, seconds):
    """Stops the program's writer for so long, if it has one by now; the program fills its pool meanwhile."""
    try:
        writer = fault.writer(program, 0.05)
        os.kill(writer, signal.SIGSTOP)
    except (TimeoutError, ProcessLookupError):
        return None
    time.sleep(seconds)
    return writer


def kill(fault):
    """SIGKILL at random instants, with every policy: each archive valid, with every event that was committed."""
    seed = fault.options.seed if fault.options.seed is not None else random.randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    preload = f"{fault.tool('tests', 'e2e', 'libcount_tool.so')}:{fault.tool('lib', 'libomptape.so')}"
    archives = lossy = 0
    for number in range(fault.options.runs):
        policy = POLICIES[number % 3]
        name = f"kill {number} {policy}"
        launched = number // 3 % 3 == 2
        delay = chance.choice((chance.uniform(0, 0.03), chance.uniform(0.03, 0.4), chance.uniform(0.2, 0.4)))
        own = {"OMPTAPE_QUIET": "1", "OMPTAPE_WHEN_FULL": policy, "OMPTAPE_BUFFER_SIZE": "1M"}
        environment = fault.environment(LD_PRELOAD=preload, **own)
        command = [fault.busy, "30", "2000" if policy == "wait" else "0"]
        if launched:
            environment = fault.environment(**own)
            command = [fault.tool("bin", "omptape"), *command]
        environment["OMPTAPE_COUNT_DIR"] = os.path.join(fault.folder, name)
        folder, process = fault.start(name, command, environment)
        time.sleep(delay)
        victim = process.pid
        if launched:
            victim = program_of(process.pid, fault.busy)
            if victim is None:  # killed before it started its program: nothing to see
                process.kill()
                fault.finish(name, folder, process)
                continue
        stopped = stop_for(fault, victim, chance.uniform(0, 0.3)) if policy == "drop" else None
        os.kill(victim, signal.SIGKILL)
        if stopped is not None:
            os.kill(stopped, signal.SIGCONT)
        fault.finish(name, folder, process)
        path = os.path.join(folder, "out", "trace.otf2")
        counted = counts.read(folder).get(victim)
        if os.path.exists(path):
            archives += 1
            facts = fault.valid(name, path, counted if policy == "wait" else None)
            lossy += any(int(facts.properties.get(f"OMPTAPE::{key}", "0")) for key in ("DROPPED", "FORGOTTEN"))
            if facts.properties.get("OMPTAPE::END") != "signal 9":
                fault.fail(f"{name}: the kind of end is {facts.properties.get('OMPTAPE::END')}")
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


def program_of(launcher, binary):
    """The pid of the launcher's program, once it runs."""
    deadline = time.monotonic() + 2
    while time.monotonic() < deadline:
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                        parent = int(file.read().rpartition(")")[2].split()[1])
                    if parent == launcher and os.readlink(f"/proc/{entry}/exe") == os.path.realpath(binary):
                        return int(entry)
                except OSError:
                    continue
    return None


def launcher_killed(fault):
    """SIGKILL for the launcher: the program goes on, its archive is written."""
    folder, process = fault.start("launcher", [fault.tool("bin", "omptape"), "-q", fault.busy, "1"], fault.environment())
    program = program_of(process.pid, fault.busy)
    time.sleep(0.3)
    process.kill()
    fault.finish("launcher", folder, process)
    if program is None:
        fault.fail("the launcher started no program")
    with open(os.path.join(folder, "stdout"), "rb") as out:
        if out.read() != b"right\n":
            fault.fail("the program did not end as it should")
    path = os.path.join(folder, "out", "trace.otf2")
    if not os.path.exists(path):
        fault.fail("no archive")
    else:
        fault.valid("launcher", path)


def limited_files(fault):
    """RLIMIT_FSIZE, as a full disk for those without privileges: the program goes on, one line says so."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (50000, 50000))

    folder, process = fault.start("limit", [fault.busy, "1.5", "0"], fault.preloaded(), preexec_fn=limit)
    code, out, err = fault.finish("limit", folder, process)
    if not fault.expect_own_end("limit", code, out, err):
        fault.fail("limit: not a word that the trace could not be written")


def full_disk(fault):
    """A file system that fills up: the program goes on, one line says so."""
    folder = os.path.join(fault.folder, "disk")
    os.makedirs(os.path.join(folder, "small"))
    script = 'mount -t tmpfs -o size=128k none small && OMPTAPE_OUTPUT=small/out exec "$@"'
    command = ["unshare", "-m", "sh", "-c", script, "sh", fault.busy, "1.5", "0"]
    if subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", os.path.join(folder, "small")], check=False,
                      stderr=subprocess.DEVNULL).returncode != 0:
        raise Missing("no right to mount a small file system")
    # Preloaded only into the program itself, by the shell's last step.
    command[4] = script.replace("exec", f"LD_PRELOAD={fault.tool('lib', 'libomptape.so')} exec")
    folder, process = fault.start("disk", command, fault.environment())
    code, out, err = fault.finish("disk", folder, process)
    own = fault.expect_own_end("disk", code, out, err)
    if len(own) != 1 or "No space left on device" not in own[0]:
        fault.fail(f"disk: the line must say that there is no space left: {own}")


def wait_for(path, folder, process):
    """Until there is something in the file, seen from the program's own file systems."""
    inside = os.path.join(f"/proc/{process.pid}/root", folder.lstrip("/"), path)
    while process.poll() is None:
        try:
            if os.path.getsize(inside) > 0:
                return
        except OSError:
            pass
        time.sleep(0.005)


def disk_filled(fault):
    """Small disks, and such that somebody else fills from one moment to the other: what fits is a valid archive, and
    one line says what is missing."""
    script = ('mount -t tmpfs -o size=$1 none small && shift && { test -z "$FILL" || fallocate -l "$FILL" small/other; }'
              ' && OMPTAPE_OUTPUT=small/out LD_PRELOAD="$TOOLS" "$@"; code=$?; cp -R small/out out; exit $code')
    tools = f"{fault.tool('tests', 'e2e', 'libcount_tool.so')}:{fault.tool('lib', 'libomptape.so')}"
    for size, fill, event in (("64k", "", None), ("512k", "", None), ("1m", "", None), ("6m", "", None),
                              ("64m", "67000000", None), ("64m", "", "diary"),
                              ("64m", "", "small/out/.omptape-checkpoint")):
        name = f"{size} {fill or event or ''}".strip().replace("/", " ")
        folder = os.path.join(fault.folder, name)
        os.makedirs(os.path.join(folder, "small"))
        if subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", os.path.join(folder, "small")], check=False,
                          stderr=subprocess.DEVNULL).returncode != 0:
            raise Missing("no right to mount a small file system")
        folder, process = fault.start(name, ["unshare", "-m", "sh", "-c", script, "sh", size, fault.busy, "2", "0", "diary"],
                                      fault.environment(TOOLS=tools, FILL=fill, OMPTAPE_COUNT_DIR=folder,
                                                        OMP_WAIT_POLICY="passive"))
        if event is not None:
            wait_for(event, folder, process)
            subprocess.run(["nsenter", "-t", str(process.pid), "-m", "dd", "if=/dev/zero", "bs=64k",
                            "of=" + os.path.join(folder, "small", "other")], check=False, stderr=subprocess.DEVNULL)
        code, out, err = fault.finish(name, folder, process)
        own = fault.expect_own_end(name, code, out, err)
        facts = fault.valid(name, os.path.join(folder, "out", "trace.otf2"))
        missing = int(facts.properties.get("OMPTAPE::UNWRITTEN", "0"))
        expected = f"No space left on device: the trace ends early, {missing} events of the program are not in it"
        if missing > 0 and (len(own) != 1 or expected not in own[0]):
            fault.fail(f"{name}: not a line that {missing} events are missing: {own}")
        if missing == 0 and (own or event or size != "6m"):
            fault.fail(f"{name}: nothing is missing, and yet: {own}")
        counted = list(counts.read(folder).values())
        if len(counted) != 1:
            fault.fail(f"{name}: {len(counted)} programs counted")
        else:
            fault.accounted_for(name, facts, counted[0])


def unwritable(fault):
    """A folder that cannot be made: the program runs, one line says so."""
    folder = os.path.join(fault.folder, "unwritable")
    os.makedirs(folder)
    with open(os.path.join(folder, "file"), "w", encoding="utf-8"):
        pass
    for output in ("file/out", "/proc/none/out"):
        folder, process = fault.start("unwritable", [fault.busy, "0.2"], fault.preloaded(OMPTAPE_OUTPUT=output))
        code, out, err = fault.finish("unwritable", folder, process)
        if not fault.expect_own_end(output, code, out, err):
            fault.fail(f"{output}: not a word that the trace could not be written")


def existing(fault):
    """An archive is there already: it stays as it is, the new one lies beside it; with force it is replaced."""
    folder, process = fault.start("existing", [fault.busy, "0.2"], fault.preloaded(OMPTAPE_QUIET="1"))
    fault.expect_own_end("first", *fault.finish("first", folder, process))
    path = os.path.join(folder, "out", "trace.otf2")
    first = fault.valid("first", path)
    folder, process = fault.start("existing", [fault.busy, "0.2"], fault.preloaded(OMPTAPE_QUIET="1"))
    fault.expect_own_end("second", *fault.finish("second", folder, process))
    others = [entry for entry in os.listdir(folder) if entry.startswith("out") and entry != "out"]
    if len(others) != 1:
        fault.fail(f"second: one archive beside the first was expected, there are {others}")
    else:
        fault.valid("second", os.path.join(folder, others[0], "trace.otf2"))
    if fault.valid("first again", path).properties.get("OMPTAPE::PID") != first.properties.get("OMPTAPE::PID"):
        fault.fail("second: the first archive was replaced")
    folder, process = fault.start("existing", [fault.busy, "0.2"], fault.preloaded(OMPTAPE_FORCE="1", OMPTAPE_QUIET="1"))
    fault.expect_own_end("third", *fault.finish("third", folder, process))
    if fault.valid("third", path).properties.get("OMPTAPE::PID") == first.properties.get("OMPTAPE::PID"):
        fault.fail("third: the archive was not replaced")


def writer_killed(fault):
    """The writer dies: the program goes on without a trace, one line says so."""
    for policy in POLICIES:
        for pause in ("2000", "0"):
            name = f"{policy}, pause {pause}"
            folder, process = fault.start(name, [fault.busy, "1", pause],
                                          fault.preloaded(OMPTAPE_BUFFER_SIZE="1M", OMPTAPE_WHEN_FULL=policy))
            pid = fault.writer(process.pid)
            time.sleep(0.3)
            os.kill(pid, signal.SIGKILL)
            started = time.monotonic()
            code, out, err = fault.finish(name, folder, process)
            if time.monotonic() - started > 20:
                fault.fail(f"{name}: the program took {time.monotonic() - started:.1f} s to end")
            if not fault.expect_own_end(name, code, out, err):
                fault.fail(f"{name}: not a word that the writer has gone")


def writer_stopped(fault):
    """The writer stalls: the program waits for it no longer than some seconds, if at all, then goes on."""
    started = {}
    for policy in POLICIES:
        folder, process = fault.start(policy, [fault.busy, "1.5", "0"],
                                      fault.preloaded(OMPTAPE_BUFFER_SIZE="1M", OMPTAPE_WHEN_FULL=policy))
        started[policy] = folder, process, fault.writer(process.pid)
    time.sleep(0.3)
    for _, _, pid in started.values():
        os.kill(pid, signal.SIGSTOP)
    begun = time.monotonic()
    for policy, (_, process, pid) in started.items():
        try:
            process.wait(45)
        except subprocess.TimeoutExpired:
            fault.fail(f"{policy}: the program does not end while the writer is stopped")
        took = time.monotonic() - begun
        print(f"{policy}: the program ended {took:.1f} s after the writer was stopped, or before")
        if took > 30:
            fault.fail(f"{policy}: the program took {took:.1f} s")
        try:
            os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            pass
    for policy, (folder, process, _) in started.items():
        code, out, err = fault.finish(policy, folder, process)
        if not fault.expect_own_end(policy, code, out, err):
            fault.fail(f"{policy}: not a word that the writer has stopped")


def on_terminal(fault, name, command, environment, terminal=True):
    """Runs the program with its output on a terminal of its own (or stderr elsewhere), the writer stopped from half a
    second after the start to two and a half after the program's end. (exit code, all that it wrote there)"""
    folder = os.path.join(fault.folder, name)
    os.makedirs(folder)
    pid, screen = pty.fork()
    if pid == 0:
        os.chdir(folder)
        if not terminal:
            os.dup2(os.open("stderr", os.O_WRONLY | os.O_CREAT, 0o600), 2)
        os.execve(command[0], command, environment)
    writer, written, deadline = None, b"", time.monotonic() + 60
    stop, go_on = time.monotonic() + 0.5, time.monotonic() + 4
    while time.monotonic() < deadline:
        if select.select([screen], [], [], 0.02)[0]:
            try:
                written += os.read(screen, 4096)
            except OSError:  # the terminal's last user is gone
                break
        if writer is None and time.monotonic() > stop:
            writer = fault.writer()
            os.kill(writer, signal.SIGSTOP)
        if writer is not None and time.monotonic() > go_on:
            os.kill(writer, signal.SIGCONT)
            go_on = deadline
    else:
        fault.fail(f"{name}: the program did not end")
        os.kill(pid, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(screen)
    fault.nothing_left(name)
    fault.valid(name, os.path.join(folder, "out", "trace.otf2"))
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
    busy = [fault.busy, "1.5", "3000"]
    code, written, _ = on_terminal(fault, "terminal", busy, fault.preloaded())
    if code != BUSY_CODE or on_screen(written) != ["right"]:
        fault.fail(f"terminal: exit code {code}, on the screen is {on_screen(written)}")
    if not 4 <= len(drawn.findall(written)) <= 20:
        fault.fail(f"terminal: no progress line about four times a second: {written!r}")
    code, written, _ = on_terminal(fault, "quiet", busy, fault.preloaded(OMPTAPE_QUIET="1"))
    if code != BUSY_CODE or written != "right\r\n":
        fault.fail(f"quiet: exit code {code}, {written!r}")
    code, written, folder = on_terminal(fault, "elsewhere", busy, fault.preloaded(), terminal=False)
    with open(os.path.join(folder, "stderr"), encoding="utf-8") as err:
        if code != BUSY_CODE or written != "right\r\n" or err.read():
            fault.fail(f"stderr elsewhere: exit code {code}, {written!r}")
    script = f'"{fault.busy}" 30 3000 & sleep 1; kill -9 $!'
    command = [fault.tool("bin", "omptape"), "/bin/sh", "-c", script]
    code, written, _ = on_terminal(fault, "killed", command, fault.environment())
    waiting = "omptape: the program has ended; waiting for its trace"
    if f"\r{waiting}" not in written or any(waiting in line for line in on_screen(written)):
        fault.fail(f"killed: {written!r}")


def writer_missing(fault):
    """The writer's program is not there: the program runs, one line says so."""
    copy = os.path.join(fault.folder, "copy")
    os.makedirs(os.path.join(copy, "lib"))
    shutil.copy(fault.tool("lib", "libomptape.so"), os.path.join(copy, "lib"))
    environment = fault.environment(LD_PRELOAD=os.path.join(copy, "lib", "libomptape.so"))
    folder, process = fault.start("missing", [fault.busy, "0.2"], environment)
    code, out, err = fault.finish("missing", folder, process)
    if not fault.expect_own_end("missing", code, out, err):
        fault.fail("not a word that the writer is missing")


def no_descriptors(fault):
    """The program may open hardly any file: it runs as it would without the tool."""
    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (6, 6))

    folder, process = fault.start("descriptors", [fault.busy, "0.3"], fault.preloaded(), preexec_fn=limit)
    code, out, err = fault.finish("descriptors", folder, process)
    fault.expect_own_end("descriptors", code, out, err)


def little_memory(fault):
    """An address space that leaves no room for the buffers: the program runs, one line says so at most."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (120 << 20, 120 << 20))

    folder, process = fault.start("memory", [fault.busy, "0.3"], fault.preloaded(OMPTAPE_BUFFER_SIZE="1G"),
                                  preexec_fn=limit)
    code, out, err = fault.finish("memory", folder, process)
    fault.expect_own_end("memory", code, out, err)


TESTS = {test.__name__: test for test in (kill, launcher_killed, limited_files, full_disk, disk_filled, unwritable, existing,
                                          writer_killed, writer_stopped, writer_slow, writer_missing, no_descriptors,
                                          little_memory)}


def main():
    parser = argparse.ArgumentParser(description="Runs one fault test.")
    parser.add_argument("--build", type=os.path.abspath, required=True)
    parser.add_argument("--runtimes", type=os.path.abspath, required=True)
    parser.add_argument("--runs", type=int, default=30, help="of the kill test")
    parser.add_argument("--seed", type=int, help="of the kill test")
    parser.add_argument("name", choices=TESTS)
    options = parser.parse_args()
    return run_test(options, options.name, TESTS[options.name])


def run_named(description, prefix, tests):
    """The exit code of another script of such functions: `SCRIPT --build BUILD --runtimes DIR NAME`."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--build", type=os.path.abspath, required=True)
    parser.add_argument("--runtimes", type=os.path.abspath, required=True)
    parser.add_argument("name", choices=tests)
    options = parser.parse_args()
    return run_test(options, f"{prefix}.{options.name}", tests[options.name])


def run_test(options, name, test):
    """The exit code of a test that gets a Fault."""
    processes.adopt_orphans()
    try:
        fault = Fault(options, name)
        test(fault)
    except Missing as reason:
        print(f"SKIPPED: {reason}")
        return SKIPPED
    for problem in fault.problems:
        print(f"FAILED: {problem}")
    if not fault.problems:
        shutil.rmtree(fault.folder)
    return 1 if fault.problems else 0


if __name__ == "__main__":
    sys.exit(main())
