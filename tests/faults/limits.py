# SPDX-License-Identifier: BSD-3-Clause
"""Programs under narrow limits: of stack, files and processes, and filters for system calls. Traced or not, they must do
what they do without the tool.

    tests/run faults.limits --build BUILD --runtimes DIR NAME
"""
import contextlib
import os
import platform
import re
import resource
import shutil
import signal
import subprocess
import sys

from faults.fault import Fault, Public, outcome
from harness import BUSY_CODE, Missing, main, source_of, wait_for
from harness.users import as_user, need_root, nobody_else

UNUSED_CALL = 999999 # a number that no system call has


def limited(fault, name, command, environment, limits, lines=0):
    """Runs the program under such limits; its own lines and its archive, if there is one."""
    def limit():
        for number, value in limits.items():
            resource.setrlimit(number, (value, value))

    own = fault.expect_own_end(name, fault.run(name, command, environment, preexec_fn=limit), lines)
    path = fault.path(name, "out", "traces.otf2")
    return own, fault.valid(name, path) if os.path.exists(path) or lines == 0 else None


def stack(fault):
    """Little stack, also where the limit cannot be raised: traced by the command and without it. With 16 KiB it is luck
    whether a program itself runs."""
    program = fault.compile("faults", "watched.c")
    unprivileged = ["setpriv", "--bounding-set=-sys_resource"]
    can_drop = subprocess.run([*unprivileged, "true"], check=False, stderr=subprocess.DEVNULL).returncode == 0
    quiet = {"OMPTAPE_QUIET": "1"}
    for size in (32, 64, 128):
        limits = {resource.RLIMIT_STACK: size << 10}
        for kind, command in (("", [program]), ("unprivileged ", [*unprivileged, program])):
            if command[0] == unprivileged[0] and not can_drop:
                continue
            try:
                alone = [outcome(command, fault.folder, fault.environment(), preexec_fn=lambda: resource.setrlimit(
                    resource.RLIMIT_STACK, (size << 10, size << 10)))[0] for _ in range(5)]
            except subprocess.SubprocessError:
                alone = []
            if set(alone) != {BUSY_CODE}:
                print(f"{size} KiB {kind}: the program itself does not run: {alone}")
                continue
            limited(fault, f"{kind}{size} preloaded", command, fault.preloaded(**quiet), limits)
            limited(fault, f"{kind}{size} command", [*command[:-1], fault.omptape, program],
                    fault.traced(**quiet), limits)


def file_size(fault):
    """RLIMIT_FSIZE, which holds for the shared memory, too: as large a pool as fits, and a line if that is smaller."""
    for mebibytes, said in ((100, None), (20, "ulimit -f"), (2, "nothing is traced")):
        own, facts = limited(fault, f"{mebibytes} MiB", [fault.busy, "0.5"], fault.preloaded(),
                             {resource.RLIMIT_FSIZE: mebibytes << 20}, 0 if said is None else 1)
        if said is not None and (len(own) != 1 or said not in own[0]):
            fault.fail(f"{mebibytes} MiB: the line is {own}")
        if (facts is None) != (said == "nothing is traced"):
            fault.fail(f"{mebibytes} MiB: {'no' if facts is None else 'an'} archive")


def no_line(fault):
    """What the tool has to say cannot be written, as the report or stderr is at the limit of files, or nobody reads stderr:
    no signal ends the program."""
    most = 1024 # LLVM's runtime makes a file of that size itself

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    script = f"for i in 1 2 3 4 5 6 7 8 9; do {fault.busy} 0.01; [ $? = {BUSY_CODE} ] || exit 1; done"
    code, out, err = outcome([fault.omptape, "sh", "-c", script], fault.folder, fault.traced(), preexec_fn=limit)
    if (code, out) != (0, 9 * "right\n") or "ulimit -f" not in err:
        fault.fail(f"report: exit code {code}, {out!r}, {err!r}")
    silent = fault.preloaded(OMPTAPE_WRITER="/nowhere")
    with open(fault.path("full"), "wb") as full:
        full.write(most * b".")
        full.flush()
        code = subprocess.run([fault.busy, "0.01"], env=silent, cwd=fault.folder, stdout=subprocess.DEVNULL, stderr=full,
                              preexec_fn=limit, check=False).returncode
    fault.expect("full", (BUSY_CODE, most), (code, os.path.getsize(fault.path("full"))))
    reader, writer = os.pipe()
    os.close(reader)
    code = subprocess.run([fault.busy, "0.01"], env=silent, cwd=fault.folder, stdout=subprocess.DEVNULL, stderr=writer,
                          check=False).returncode
    os.close(writer)
    fault.expect("pipe", BUSY_CODE, code)


def address_space(fault):
    """RLIMIT_AS, of which omptape takes little more than its pool, and what a line proposes."""
    for mebibytes, variables, said in ((400, {}, None), (70, {}, "--buffer-size=8M"), (70, {"OMPTAPE_BUFFER_SIZE": "8M"}, None)):
        name = f"{mebibytes} MiB {' '.join(variables)}"
        own, facts = limited(fault, name, [fault.busy, "0.5"], fault.preloaded(OMP_STACKSIZE="1M", **variables),
                             {resource.RLIMIT_AS: mebibytes << 20}, 0 if said is None else 1)
        if said is not None and (len(own) != 1 or said not in own[0]):
            fault.fail(f"{name}: the line is {own}")
        if (facts is None) != (said is not None):
            fault.fail(f"{name}: {'no' if facts is None else 'an'} archive")


def lowered_addresses(fault):
    """A program limits its addresses itself (RLIMIT_AS), to what it needs and the tool's buffer."""
    program = fault.compile("faults", "lowered.c")
    fault.expect_own_end("alone", fault.run("alone", [program, "150"], fault.environment()), 0)
    fault.expect_own_end("limited", fault.run("limited", [program, "150"], fault.preloaded(OMPTAPE_QUIET="1")), 0)
    fault.valid("limited", fault.path("limited", "out", "traces.otf2"))


def refused_addresses(fault):
    """A program forbids itself to map memory again (mremap, EPERM), and has more threads than there are chunks. The events
    of some are lost; no thread waits for memory at each of them, and nobody advises a larger buffer."""
    program = fault.compile("faults", "no_mremap.c")
    if fault.run("alone", [program], fault.environment()).code == 77:
        raise Missing("no filters for system calls")
    ended = fault.run("refused", [fault.omptape, program], fault.traced(OMPTAPE_BUFFER_SIZE="1M"))
    fault.expect_own_end("refused", ended, 20)
    fault.expect("lines", (True, False), tuple(any(text in line for line in ended.lines) for text in (
        "not recorded: events without memory", "buffer-size")))
    fault.valid("refused", fault.path("refused", "out", "traces.otf2"))


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


@contextlib.contextmanager
def limited_group(limits, value):
    """A cgroup with a limit, the first of `limits` (folder, file) that can be set; its file for the numbers of processes."""
    group = None
    for place, limit in limits:
        group = os.path.join(place, f"omptape-test-{os.getpid()}")
        try:
            os.mkdir(group)
            write(os.path.join(group, limit), str(value))
            break
        except OSError:
            with contextlib.suppress(OSError):
                os.rmdir(group)
            group = None
    if group is None:
        raise Missing("no right to set a cgroup's limit")
    try:
        yield os.path.join(group, "cgroup.procs")
    finally:
        wait_for("the cgroup to be empty", lambda: not subprocess.run(["rmdir", group], check=False).returncode)


def memory(fault):
    """A cgroup's limit of memory: the pool takes a small part of it, unless its size was chosen."""
    need_root()
    with limited_group((("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")), 256 << 20) as processes:
        def enter():
            write(processes, "0")

        small = ["256 MiB: a pool of 256 chunks"]
        for name, variables, said in (("usual", {}, small), ("chosen", {"OMPTAPE_BUFFER_SIZE": "64M"}, []),
                                      ("early", {"OMPTAPE_OUTPUT": fault.path("early.out")}, small)):
            environment = fault.preloaded(OMPTAPE_LOG="info", OMPTAPE_LOG_FILE=fault.path(name + ".log"), **variables)
            fault.expect_own_end(name, fault.run(name, [fault.busy, "0.1"], environment, preexec_fn=enter), 0)
            with open(fault.path(name + ".log"), encoding="utf-8") as log:
                fault.expect(name, said, re.findall(r"memory is limited to (.*)", log.read()))


def locked_memory(fault):
    """A program that locks its memory locks the pool, too, and not the half gigabyte that thousands of threads might need."""
    program = fault.compile("faults", "locked.c")
    for when in ("before", "after"):
        alone = fault.run(f"{when} alone", [program, when], fault.environment())
        if alone.code == 77:
            raise Missing("no right to lock memory")
        fault.expect_own_end(f"{when} alone", alone, 0)
        fault.expect_own_end(when, fault.run(when, [program, when], fault.preloaded(OMPTAPE_QUIET="1")), 0)
        fault.valid(when, fault.path(when, "out", "traces.otf2"))


def no_waitid(fault):
    """A filter forbids waitid: the command still tells how the program ended, and waits for its writer."""
    numbers = {"x86_64": 247, "aarch64": 95}
    if platform.machine() not in numbers:
        raise Missing("the number of waitid is not known here")
    forbid = [fault.compile("faults", "forbid.c"), str(numbers[platform.machine()])]
    if outcome([*forbid, "true"], fault.folder, fault.environment())[0] != 0:
        raise Missing("no filters for system calls")
    command = [*forbid, fault.omptape, "-q"]
    fault.expect_own_end("ends", fault.run("ends", [*command, fault.busy, "0.3"], fault.traced()), 0)
    fault.valid("ends", fault.path("ends", "out", "traces.otf2"))
    ended = fault.run("killed", [*command, "sh", "-c", "kill -9 $$"], fault.traced())
    fault.expect("killed", (128 + signal.SIGKILL, b""), (ended.code, ended.err))


def few_processes(fault):
    """RLIMIT_NPROC: the program gets what it needs before its writer does."""
    need_root()
    with Public(fault) as public:
        for most, threads, is_traced in ((2, 2, False), (3, 3, False), (4, 4, False), (5, 4, False), (20, 20, False),
                                         (600, 300, True)):
            output = os.path.join(public.share, f"out{most}")
            environment = {"OMPTAPE_QUIET": "1", "OMPTAPE_OUTPUT": output, "OMP_NUM_THREADS": str(threads),
                           "PATH": os.environ["PATH"]}
            code, out, err = outcome(
                [public.program], public.share, environment, **as_user(nobody_else()),
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (most, most)))
            if (code, out) != (BUSY_CODE, f"{threads} secure 0\n"):
                fault.fail(f"{most} processes: exit code {code}, {out!r}, {err!r}")
            lines = err.splitlines()
            if is_traced and (lines or not os.path.exists(os.path.join(output, "traces.otf2"))):
                fault.fail(f"{most} processes: no archive; {err!r}")
            if not is_traced and (len(lines) != 1 or "ulimit -u" not in lines[0] or os.path.exists(output)):
                fault.fail(f"{most} processes: {err!r}, {os.listdir(public.share)}")


def process_group(fault):
    """A cgroup's limit of processes: the same."""
    need_root()
    for most, threads, is_traced in ((5, 4, False), (100, 96, False), (100, 4, True), (600, 300, True)):
        with limited_group((("/sys/fs/cgroup/pids", "pids.max"), ("/sys/fs/cgroup", "pids.max")), most) as processes:
            for kind, more in (("", {}), (" early", {"OMPTAPE_OUTPUT": fault.path(f"{most}.{threads}.early")})):
                environment = fault.preloaded(OMPTAPE_QUIET="1", OMP_NUM_THREADS=str(threads), **more)
                ended = fault.run(f"{most}.{threads}{kind}", [fault.busy, "0.1"], environment, preexec_fn=lambda: write(processes, "0"))
                own = fault.expect_own_end(f"{most}.{threads}{kind}", ended, 0 if is_traced else 1)
                if not is_traced and (len(own) != 1 or "pids.max" not in own[0]):
                    fault.fail(f"{most} processes, {threads} threads{kind}: {own}")
                output = more.get("OMPTAPE_OUTPUT", fault.path(f"{most}.{threads}{kind}", "out"))
                fault.expect(f"{most} processes, {threads} threads{kind}: archive", is_traced, os.path.exists(os.path.join(output, "traces.otf2")))


def sandboxed(fault):
    """A program forbids itself system calls that it needs no more: the tool makes none of them, not at the first region
    in another library either."""
    program = fault.compile("faults", "sandboxed.c")
    alone = fault.run("alone", [program], fault.environment())
    if alone.code == 77:
        raise Missing("no filters for system calls")
    fault.expect_own_end("alone", alone, 0)
    fault.expect_own_end("preloaded", fault.run("preloaded", [program], fault.preloaded(OMPTAPE_QUIET="1")), 0)
    fault.valid("preloaded", fault.path("preloaded", "out", "traces.otf2"))
    library = fault.compile("faults", "sandboxed.c", output="library", flags=("-shared", "-fPIC"))
    fault.expect_own_end("library alone", fault.run("library alone", [program, library], fault.environment()), 0)
    fault.expect_own_end("library", fault.run("library", [program, library], fault.preloaded(OMPTAPE_QUIET="1")), 0)
    fault.valid("library", fault.path("library", "out", "traces.otf2"))
    if shutil.which("gcc") is None:
        return
    program = fault.path("sandboxed.gcc")
    subprocess.run(["gcc", "-fopenmp", source_of("faults", "sandboxed.c"), "-o", program], check=True)
    fault.expect_own_end("gcc", fault.run("gcc", [program], fault.preloaded(OMPTAPE_QUIET="1")), 0)
    fault.valid("gcc", fault.path("gcc", "out", "traces.otf2"))


def sandboxed_first(fault):
    """The same before its first region, or in a child: the tool stays away, with one line; not where a filter stood from
    the beginning, as in a container, or where the writer began with the program, since its folder was named."""
    program = fault.compile("faults", "sandboxed.c")
    if fault.run("alone", [program, "before"], fault.environment()).code == 77:
        raise Missing("no filters for system calls")
    for when in ("before", "child"):
        fault.expect_own_end(f"{when} alone", fault.run(f"{when} alone", [program, when], fault.environment()), 0)
        for name, ended in ((f"{when} preloaded", fault.run(f"{when} preloaded", [program, when], fault.preloaded())),
                            (f"{when} started", fault.run(f"{when} started", [fault.omptape, program, when], fault.traced()))):
            lines = [line for line in ended.err.splitlines() if b"seccomp" in line]
            early = name == "before started"
            fault.expect(name, (17, b"right\n", 0 if early else 1), (ended.code, ended.out, len(lines)))
            fault.expect(f"{name}: archive", when == "child" or early, os.path.exists(fault.path(name, "out", "traces.otf2")))


def fatal_calls(fault):
    """A filter from before the program's start ends who makes a certain call: the program makes none of omptape's. A filter
    that lets it make all of them changes nothing."""
    numbers = {"x86_64": {"memfd_create": 319, "pidfd_open": 434, "setsid": 112, "close_range": 436, "clone": 56},
               "aarch64": {"memfd_create": 279, "pidfd_open": 434, "setsid": 157, "close_range": 436, "clone": 220}}
    forbid = [fault.compile("faults", "forbid.c"), "kill"]
    if outcome([*forbid, str(UNUSED_CALL), "true"], fault.folder, fault.environment())[0] != 0:
        raise Missing("no filters for system calls")
    preload = ["env", f"LD_PRELOAD={fault.library}"] # into the program alone
    child = [*preload, "sh", "-c", f"{fault.busy} 0.1; exit $?"]
    cases = {name: ([*forbid, str(number), *child], f"system call {number}") for name, number in numbers[platform.machine()].items()
             if name != "clone"}
    cases["clone"] = [*preload, *forbid, str(numbers[platform.machine()]["clone"]), fault.busy, "0.1"], "a new process"
    cases["all"] = [*forbid, str(UNUSED_CALL), *child], None
    for name, (command, said) in cases.items():
        for kind, more in (("", {}), (" early", {"OMPTAPE_OUTPUT": fault.path(name + ".early")})):
            own = fault.expect_own_end(name + kind, fault.run(name + kind, command, fault.traced(**more)), 0 if said is None else 1)
            if said is not None and (len(own) != 1 or said not in own[0] or "nothing is traced" not in own[0]):
                fault.fail(f"{name}{kind}: the line is {own}")
            path = more.get("OMPTAPE_OUTPUT", fault.path(name + kind, "out"))
            fault.expect(f"{name}{kind}: archive", said is None, os.path.exists(os.path.join(path, "traces.otf2")))
            fault.expect(f"{name}{kind}: files", [] if said else ["out"] if not more else [],
                         sorted(set(os.listdir(fault.path(name + kind))) - {"stdout", "stderr"}))


TESTS = {test.__name__: test for test in (
    stack, file_size, no_line, address_space, lowered_addresses, refused_addresses, memory, locked_memory, no_waitid, few_processes, process_group, sandboxed, sandboxed_first,
    fatal_calls)}

if __name__ == "__main__":
    sys.exit(main("Programs under limits.", TESTS, "fault.limits", Fault, ("19", "14")))
