#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs in odd surroundings: with more rights than their user, as the first process of a container, without /proc,
under narrow limits. Traced or not, they must do what they do without the tool.

    surroundings.py --build BUILD --runtimes DIR NAME
"""
import os
import platform
import pwd
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from faults import BUSY_CODE, HERE, run_named
from stages import Missing


def need_root():
    if os.getuid() != 0:
        raise Missing("needs root rights")


def outcome(command, folder, environment, **more):
    done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", timeout=100, check=False, **more)
    return done.returncode, done.stdout, done.stderr


def compiled(fault, source, name=None, **more):
    name = name or os.path.splitext(source)[0]
    return fault.toolchain.compile(os.path.join(HERE, source),
                                   os.path.join(fault.toolchain.programs(fault.options.build), name), **more)


class PublicFolder:
    """A folder that every user may look into, with a program linked with omptape, its libraries, and a folder `share` for
    all to write to."""

    def __init__(self, fault):
        self.path = tempfile.mkdtemp(prefix="omptape-secure-")
        os.chmod(self.path, 0o755)
        self.share = os.path.join(self.path, "share")
        os.mkdir(self.share)
        os.chmod(self.share, 0o777)
        for file in (fault.tool("lib", "libomptape.so.0"), fault.tool("libexec", "omptape", "omptape-writer"),
                     os.path.join(fault.toolchain.library_folder, "libomp.so.5")):
            shutil.copy(file, self.path)
        built = compiled(fault, "secure.c", link_flags=(
            "-Wl,--no-as-needed", "-L" + fault.tool("lib"), "-lomptape", "-Wl,-rpath," + self.path))
        self.program = shutil.copy(built, self.path)

    def copy(self, name):
        return shutil.copy(self.program, os.path.join(self.path, name))

    def evil_writer(self):
        """A command of the attacker's, which says that it was run."""
        path = os.path.join(self.path, "evil")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nid >{self.share}/evil\n")
        os.chmod(path, 0o755)
        return path


def secure(fault):
    """A setuid, setgid or setcap program that is linked with omptape: its user's variables choose nothing."""
    need_root()
    public = PublicFolder(fault)
    try:
        nobody = pwd.getpwnam("nobody")
        environment = {"OMPTAPE_WRITER": public.evil_writer(), "OMPTAPE_OUTPUT": os.path.join(public.share, "out"),
                       "OMPTAPE_REPORT": os.path.join(public.share, "report"), "PATH": os.environ["PATH"], "OMP_NUM_THREADS": "2"}

        def run(name, is_secure):
            program = os.path.join(public.path, name)
            code, out, err = outcome([program], public.share, environment, user=nobody.pw_uid, group=nobody.pw_gid,
                                     extra_groups=[])
            if (code, out) != (BUSY_CODE, f"2 secure {is_secure}\n"):
                if is_secure and out == "2 secure 0\n":
                    raise Missing(f"{name} does not count here")
                fault.fail(f"{name}: exit code {code}, {out!r}, {err!r}")
            return err, os.listdir(public.share)

        # Without special rights the user chooses, or the rest of the test shows nothing.
        public.copy("plain")
        if "evil" not in run("plain", 0)[1]:
            fault.fail("plain: the writer that was named was not started")
        for entry in os.listdir(public.share):
            os.remove(os.path.join(public.share, entry))

        daemon = pwd.getpwnam("daemon")
        os.chown(public.copy("setuid"), daemon.pw_uid, -1)
        os.chmod(os.path.join(public.path, "setuid"), 0o4755)
        os.chown(public.copy("setgid"), -1, daemon.pw_gid)
        os.chmod(os.path.join(public.path, "setgid"), 0o2755)
        names = ["setuid", "setgid"]
        setcap = shutil.which("setcap") or "/usr/sbin/setcap"
        if os.path.exists(setcap) and subprocess.run([setcap, "cap_net_raw+ep", public.copy("setcap")], check=False,
                                                     stderr=subprocess.DEVNULL).returncode == 0:
            names.append("setcap")
        for name in names:
            err, left = run(name, 1)
            if err or left:
                fault.fail(f"{name}: it said {err!r} and left {left}")
        print(f"tried: {names}")
    finally:
        shutil.rmtree(public.path)


def variables(fault):
    """The writer gets the user's variables, however many there are, and none that would steer its loader."""
    many = {f"VARIABLE_{number}": str(number) for number in range(3000)}
    folder, process = fault.start("variables", [fault.busy, "2"], fault.preloaded(**many))
    writer = fault.writer(process.pid)
    with open(f"/proc/{writer}/environ", encoding="utf-8") as file:
        has = dict(variable.split("=", 1) for variable in file.read().split("\0") if variable)
    code, out, err = fault.finish("variables", folder, process)
    fault.expect_own_end("variables", code, out, err, 0)
    missing = [name for name in many if has.get(name) != many[name]]
    if missing or "LD_PRELOAD" in has:
        fault.fail(f"{len(missing)} variables are missing; {[name for name in has if name.startswith('LD_')]}")


def parent(fault):
    """A program that is given orphans waits for all its children: the writer is none of them."""
    program = compiled(fault, "parent.c")
    first = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
    for name, command in (("plain", []), ("subreaper", []), ("first process", first)):
        if command and subprocess.run([*command, "true"], check=False, stderr=subprocess.DEVNULL).returncode != 0:
            raise Missing("no right to make a space of process numbers")
        # The tool goes into the program alone.
        preload = ["env", "LD_PRELOAD=" + fault.tool("lib", "libomptape.so")]
        ask = [program, "subreaper"] if name == "subreaper" else [program]
        folder, process = fault.start(name, [*command, *preload, *ask], fault.environment())
        code, out, err = fault.finish(name, folder, process, 30)
        expected = f"200, first {int(bool(command))}, children 1, signals 1, status 5\n"
        if (code, out.decode(), err) != (BUSY_CODE, expected, ""):
            fault.fail(f"{name}: exit code {code}, {out!r}, {err!r}; expected {expected!r}")
        fault.valid(name, os.path.join(folder, "out", "trace.otf2"))


def whole_flood(fault, name, command, **more):
    """Runs rootless.c with the smallest pool, its writer stopped for a moment: all of its records come."""
    folder, process = fault.start(name, command, fault.environment(OMPTAPE_BUFFER_SIZE="1M", OMPTAPE_WHEN_FULL="wait",
                                                                   OMPTAPE_QUIET="1", OMP_WAIT_POLICY="passive", **more))
    try:
        writer = fault.writer()
        os.kill(writer, signal.SIGSTOP)
        time.sleep(1)  # in which the pool becomes full
        os.kill(writer, signal.SIGCONT)
    except (TimeoutError, ProcessLookupError) as reason:
        fault.fail(f"{name}: {reason}")
    code, out, err = fault.finish(name, folder, process)
    fault.expect_own_end(name, code, out, err, 0)
    facts = fault.valid(name, os.path.join(folder, "out", "trace.otf2"))
    if facts.properties.get("OMPTAPE::DROPPED", "0") != "0":
        fault.fail(f"{name}: {facts.properties['OMPTAPE::DROPPED']} records were dropped")
    if int(facts.properties.get("OMPTAPE::STALLED", "0")) == 0:
        fault.fail(f"{name}: the pool was never full")


def no_proc(fault):
    """Without /proc, from the start or after a chroot, the writer still counts as alive."""
    need_root()
    program = compiled(fault, "rootless.c")
    empty = os.path.join(fault.folder, "empty")
    os.mkdir(empty)
    library = fault.tool("lib", "libomptape.so")
    whole_flood(fault, "chroot", [program, empty], LD_PRELOAD=library)
    unmount = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /proc && LD_PRELOAD="$0" exec "$@"', library, program]
    if subprocess.run([*unmount[:4], "mount -t tmpfs none /proc"], check=False, stderr=subprocess.DEVNULL).returncode != 0:
        raise Missing("no right to mount")
    whole_flood(fault, "unmounted", unmount)


def folders(fault):
    """No archive lands in / when the folder that the program is in is gone, or when it has become a daemon."""
    need_root()
    program = compiled(fault, "wanderer.c")
    name = f"omptape-test-{os.getpid()}"
    preload = {"LD_PRELOAD": fault.tool("lib", "libomptape.so")}
    command = [fault.tool("bin", "omptape")]
    gone = os.path.join(fault.folder, "gone")
    within = ["sh", "-c", 'mkdir "$0" && cd "$0" && rmdir "$0" && exec "$@"', gone]
    full = os.path.join(fault.folder, "full")
    refused = ((within, [], {**preload, "OMPTAPE_OUTPUT": name}, "the current folder is gone; nothing is traced"),
               (within, [], {**preload, "OMPTAPE_OUTPUT": ""}, "the current folder is gone; nothing is traced"),
               (within, [*command, "-o", name], {}, "the current folder is gone; the program runs untraced"),
               (within, command, {"OMPTAPE_OUTPUT": ""}, "the current folder is gone; the program runs untraced"),
               ([], [], {**preload, "OMPTAPE_OUTPUT": name}, "the program has moved to the folder /; nothing is traced"),
               ([], [], {**preload, "OMPTAPE_OUTPUT": ""}, "the program has moved to the folder /; nothing is traced"))
    taken = ((within, [], {**preload, "OMPTAPE_OUTPUT": full}), (within, [*command, "-q", "-o", full], {}),
             ([], [], {**preload, "OMPTAPE_OUTPUT": full}), ([], [*command, "-q", "-o", full], {}))
    for number, (inside, before, variables, expected) in enumerate([*refused, *((*words, None) for words in taken)]):
        case = f"folders {number}"
        how = [] if inside else ["daemon"]
        root = set(os.listdir("/"))
        folder, process = fault.start(case, [*inside, *before, program, *how], fault.environment(**variables))
        code, out, err = fault.finish(case, folder, process)
        new = {entry for entry in set(os.listdir("/")) - root if entry.startswith("omptape-")}
        for entry in new:
            shutil.rmtree(os.path.join("/", entry))
        own = err.splitlines()
        if (code, out) != (0, b"2\n") or new or len(own) != int(expected is not None):
            fault.fail(f"{case}: exit code {code}, {out!r}, {err!r}, in /: {new}")
        elif expected is not None and expected not in own[0]:
            fault.fail(f"{case}: {own[0]!r} does not say {expected!r}")
        elif expected is None:
            fault.valid(case, os.path.join(full, "trace.otf2"))
            shutil.rmtree(full)


def limited(fault, name, command, environment, limits, lines=0):
    """Runs the program under such limits; its own lines and its archive, if there is one."""
    def limit():
        for number, value in limits.items():
            resource.setrlimit(number, (value, value))

    folder, process = fault.start(name, command, environment, preexec_fn=limit)
    own = fault.expect_own_end(name, *fault.finish(name, folder, process), lines)
    path = os.path.join(folder, "out", "trace.otf2")
    return own, fault.valid(name, path) if os.path.exists(path) or lines == 0 else None


def stack(fault):
    """Little stack, also where the limit cannot be raised: traced by the command and without it."""
    program = compiled(fault, "watched.c")
    unprivileged = ["setpriv", "--bounding-set=-sys_resource"]
    can_drop = subprocess.run([*unprivileged, "true"], check=False, stderr=subprocess.DEVNULL).returncode == 0
    quiet = {"OMPTAPE_QUIET": "1"}
    for size in (16, 32, 64, 128):
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
            limited(fault, f"{kind}{size} command", [*command[:-1], fault.tool("bin", "omptape"), program],
                    fault.environment(**quiet), limits)


def file_size(fault):
    """RLIMIT_FSIZE, which holds for the shared memory, too: as large a pool as fits, and a line if that is smaller."""
    for mebibytes, said in ((100, None), (20, "ulimit -f"), (2, "nothing is traced")):
        own, facts = limited(fault, f"{mebibytes} MiB", [fault.busy, "0.5"], fault.preloaded(),
                             {resource.RLIMIT_FSIZE: mebibytes << 20}, 0 if said is None else 1)
        if said is not None and (len(own) != 1 or said not in own[0]):
            fault.fail(f"{mebibytes} MiB: the line is {own}")
        if (facts is None) != (said == "nothing is traced"):
            fault.fail(f"{mebibytes} MiB: {'no' if facts is None else 'an'} archive")


def no_waitid(fault):
    """A filter forbids waitid: the command still tells how the program ended, and waits for its writer."""
    numbers = {"x86_64": 247, "aarch64": 95}
    if platform.machine() not in numbers:
        raise Missing("the number of waitid is not known here")
    forbid = [compiled(fault, "forbid.c"), str(numbers[platform.machine()])]
    if outcome([*forbid, "true"], fault.folder, fault.environment())[0] != 0:
        raise Missing("no filters for system calls")
    command = [*forbid, fault.tool("bin", "omptape"), "-q"]
    folder, process = fault.start("ends", [*command, fault.busy, "0.3"], fault.environment())
    fault.expect_own_end("ends", *fault.finish("ends", folder, process), 0)
    fault.valid("ends", os.path.join(folder, "out", "trace.otf2"))
    folder, process = fault.start("killed", [*command, "sh", "-c", "kill -9 $$"], fault.environment())
    code, _, err = fault.finish("killed", folder, process)
    if code != 128 + signal.SIGKILL or err:
        fault.fail(f"killed: exit code {code}, {err!r}")


def few_processes(fault):
    """RLIMIT_NPROC: the program gets what it needs before its writer does."""
    need_root()
    nobody_else = 64321  # a user without a name, and without any process
    public = PublicFolder(fault)
    try:
        for most, threads, is_traced in ((2, 2, False), (3, 3, False), (4, 4, False), (5, 4, False), (20, 20, False),
                                         (600, 300, True)):
            output = os.path.join(public.share, f"out{most}")
            environment = {"OMPTAPE_QUIET": "1", "OMPTAPE_OUTPUT": output, "OMP_NUM_THREADS": str(threads),
                           "PATH": os.environ["PATH"]}
            code, out, err = outcome(
                [public.program], public.share, environment, user=nobody_else, group=nobody_else, extra_groups=[],
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (most, most)))
            if (code, out) != (BUSY_CODE, f"{threads} secure 0\n"):
                fault.fail(f"{most} processes: exit code {code}, {out!r}, {err!r}")
            lines = err.splitlines()
            if is_traced and (lines or not os.path.exists(os.path.join(output, "trace.otf2"))):
                fault.fail(f"{most} processes: no archive; {err!r}")
            if not is_traced and (len(lines) != 1 or "ulimit -u" not in lines[0] or os.path.exists(output)):
                fault.fail(f"{most} processes: {err!r}, {os.listdir(public.share)}")
    finally:
        shutil.rmtree(public.path)


TESTS = {test.__name__: test for test in (secure, variables, parent, no_proc, folders, stack, file_size,
                                          no_waitid, few_processes)}

if __name__ == "__main__":
    sys.exit(run_named("Programs in odd surroundings.", "surroundings", TESTS))
