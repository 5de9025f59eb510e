# SPDX-License-Identifier: BSD-3-Clause
"""Programs in odd surroundings: with more rights than their user, as the first process of a container, without /proc,
under narrow limits. Traced or not, they must do what they do without the tool.

    tests/run faults.surroundings --build BUILD --runtimes DIR NAME
"""
import os
import platform
import pwd
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

from faults.fault import Fault
from harness import BUSY_CODE, Missing, main
from harness.users import NOBODY, PublicFolder, as_user, need_root


UNUSED_CALL = 999999 # a number that no system call has


def outcome(command, folder, environment, **more):
    done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", timeout=100, check=False, **more)
    return done.returncode, done.stdout, done.stderr


class Public(PublicFolder):
    """With a program linked with omptape, its libraries, and a folder `share` for all to write to."""

    def __init__(self, fault):
        super().__init__("secure", (fault.built("lib", "libomptape.so.0"), fault.built("libexec", "omptape", "omptape-writer"),
                                    os.path.join(fault.toolchain.library_folder, "libomp.so.5")))
        self.share = self.make("share")
        built = fault.compile("faults", "secure.c", link_flags=(
            "-Wl,--no-as-needed", "-L" + fault.built("lib"), "-lomptape", "-Wl,-rpath," + self.path))
        self.program = self.copy(built)

    def evil_writer(self):
        """A command of the attacker's, which says that it was run."""
        path = self.at("evil")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nid >{self.share}/evil\n")
        os.chmod(path, 0o755)
        return path


def secure(fault):
    """A setuid, setgid or setcap program that is linked with omptape: its user's variables choose nothing."""
    need_root()
    with Public(fault) as public:
        environment = {"OMPTAPE_WRITER": public.evil_writer(), "OMPTAPE_OUTPUT": os.path.join(public.share, "out"),
                       "OMPTAPE_REPORT_FILE": os.path.join(public.share, "report"), "PATH": os.environ["PATH"],
                       "OMP_NUM_THREADS": "2"}

        def run(name, is_secure):
            code, out, err = outcome([public.at(name)], public.share, environment, **as_user(NOBODY))
            if (code, out) != (BUSY_CODE, f"2 secure {is_secure}\n"):
                if is_secure and out == "2 secure 0\n":
                    raise Missing(f"{name} does not count here")
                fault.fail(f"{name}: exit code {code}, {out!r}, {err!r}")
            return err, os.listdir(public.share)

        # Without special rights the user chooses, or the rest of the test shows nothing.
        public.copy(public.program, "plain")
        if "evil" not in run("plain", 0)[1]:
            fault.fail("plain: the writer that was named was not started")
        for entry in os.listdir(public.share):
            os.remove(os.path.join(public.share, entry))

        daemon = pwd.getpwnam("daemon")
        os.chown(public.copy(public.program, "setuid"), daemon.pw_uid, -1)
        os.chmod(public.at("setuid"), 0o4755)
        os.chown(public.copy(public.program, "setgid"), -1, daemon.pw_gid)
        os.chmod(public.at("setgid"), 0o2755)
        names = ["setuid", "setgid"]
        setcap = shutil.which("setcap") or "/usr/sbin/setcap"
        if os.path.exists(setcap) and subprocess.run([setcap, "cap_net_raw+ep", public.copy(public.program, "setcap")],
                                                     check=False, stderr=subprocess.DEVNULL).returncode == 0:
            names.append("setcap")
        for name in names:
            err, left = run(name, 1)
            if err or left:
                fault.fail(f"{name}: it said {err!r} and left {left}")
        print(f"tried: {names}")


def variables(fault):
    """The writer gets the user's variables, however many there are, and none that would steer its loader."""
    many = {f"VARIABLE_{number}": str(number) for number in range(3000)}
    program = fault.start("variables", [fault.busy, "1"], fault.preloaded(**many))
    writer = fault.writer(program.pid)
    with open(f"/proc/{writer}/environ", encoding="utf-8") as file:
        has = dict(variable.split("=", 1) for variable in file.read().split("\0") if variable)
    fault.expect_own_end("variables", fault.finish(program), 0)
    missing = [name for name in many if has.get(name) != many[name]]
    if missing or "LD_PRELOAD" in has:
        fault.fail(f"{len(missing)} variables are missing; {[name for name in has if name.startswith('LD_')]}")


def parent(fault):
    """A program that is given orphans waits for all its children: the writer is none of them."""
    program = fault.compile("faults", "parent.c")
    first = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
    for name, command in (("plain", []), ("subreaper", []), ("first process", first)):
        if command and subprocess.run([*command, "true"], check=False, stderr=subprocess.DEVNULL).returncode != 0:
            raise Missing("no right to make a space of process numbers")
        # The tool goes into the program alone.
        preload = ["env", "LD_PRELOAD=" + fault.library]
        ask = [program, "subreaper"] if name == "subreaper" else [program]
        ended = fault.run(name, [*command, *preload, *ask], fault.traced(), 30)
        expected = f"200, first {int(bool(command))}, children 1, signals 1, status 5\n"
        fault.expect(name, (BUSY_CODE, expected.encode(), b""), (ended.code, ended.out, ended.err))
        fault.valid(name, fault.path(name, "out", "traces.otf2"))


def is_asleep(pid):
    """All threads of the process wait for something; one that waits for a processor does not."""
    states = set()
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/stat", encoding="utf-8", errors="replace") as file:
                states.add(file.read().rpartition(")")[2].split()[0])
        except (FileNotFoundError, ProcessLookupError):
            pass # it ended meanwhile
    return states <= {"S", "Z"}


def wait_until_full(program):
    """It naps between its events, but does not sleep for a second on end before the pool is full. False: it never did."""
    enough, asleep, deadline = 40, 0, time.monotonic() + 100
    while asleep < enough and time.monotonic() < deadline:
        time.sleep(0.025)
        asleep = asleep + 1 if is_asleep(program.pid) else max(0, asleep - 10)
    return asleep >= enough


def whole_flood(fault, name, command, **more):
    """Runs rootless.c with the smallest pool, its writer stopped for a moment: all of its records come."""
    program = fault.start(name, command, fault.traced(OMPTAPE_BUFFER_SIZE="1M", OMPTAPE_WHEN_FULL="wait",
                                                      OMPTAPE_QUIET="1", OMP_WAIT_POLICY="passive", **more))
    try:
        writer = fault.writer(seconds=60)
        os.kill(writer, signal.SIGSTOP)
        is_full = wait_until_full(program)
        os.kill(writer, signal.SIGCONT)
        if not is_full:
            fault.fail(f"{name}: the program never stood still before a full pool")
    except (TimeoutError, ProcessLookupError, FileNotFoundError) as reason:
        fault.fail(f"{name}: {reason}")
    fault.expect_own_end(name, fault.finish(program), 0)
    facts = fault.valid(name, fault.path(name, "out", "traces.otf2"))
    fault.expect(f"{name}: dropped", 0, facts.number("DROPPED"))
    if facts.number("STALLED") == 0:
        fault.fail(f"{name}: the pool was never full")


def no_proc(fault):
    """Without /proc, from the start or after a chroot, the writer still counts as alive."""
    need_root()
    program = fault.compile("faults", "rootless.c")
    empty, library = fault.path("empty"), fault.library
    os.mkdir(empty)
    whole_flood(fault, "chroot", [program, empty], LD_PRELOAD=library)
    unmount = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /proc && LD_PRELOAD="$0" exec "$@"', library, program]
    if subprocess.run([*unmount[:4], "mount -t tmpfs none /proc"], check=False, stderr=subprocess.DEVNULL).returncode != 0:
        raise Missing("no right to mount")
    whole_flood(fault, "unmounted", unmount)


def no_devices(fault):
    """Without /dev/null, as in a folder that became a container's root."""
    need_root()
    command = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /dev && mkdir -m 1777 /dev/shm && exec "$0" "$@"']
    if subprocess.run([*command, "true"], check=False, stderr=subprocess.DEVNULL).returncode != 0:
        raise Missing("no right to mount")
    ended = fault.run("bare", [*command, fault.omptape, "-q", fault.busy, "0.1"], fault.traced())
    fault.expect_own_end("bare", ended, 0)
    fault.valid("bare", fault.path("bare", "out", "traces.otf2"))


def overlay(fault):
    """A container's file system: an archive of a layer below is replaced, and its parts are brought together."""
    need_root()
    upon = ('mount -t tmpfs none . && cd "$PWD" && mkdir below above work image && cp -r "$0"/* below && '
            'mount -t overlay -o lowerdir=below,upperdir=above,workdir=work none image && cd image && ')
    command = ["unshare", "--mount", "sh", "-ec"]
    below, place = fault.path("below"), fault.path("place")
    os.mkdir(place)
    quick = [fault.omptape, "-q", "-o", "below/out", fault.busy, "0.1"]
    fault.expect_own_end("below", fault.run("made", quick, fault.environment()), 0)
    os.rename(fault.path("made", "below"), below)
    if subprocess.run([*command, upon + "true", below], cwd=place, check=False, stderr=subprocess.DEVNULL).returncode != 0:
        raise Missing("no right to mount an overlay")
    script = upon + f'code=0; {fault.omptape} --force -q -o out "$@" || code=$?; cp -r out {place}.kept; exit $code'
    ended = fault.run("place", [*command, script, below, fault.busy, "0.1"], fault.environment())
    fault.expect_own_end("replaced", ended, 0)
    fault.valid("replaced", os.path.join(place + ".kept", "traces.otf2"))
    with open(os.path.join(below, "out", "traces.otf2"), "rb") as old, open(os.path.join(place + ".kept", "traces.otf2"), "rb") as new:
        if old.read() == new.read():
            fault.fail("it is still the old one")
    fault.expect("what is left", ["traces", "traces.def", "traces.otf2"], sorted(os.listdir(place + ".kept")))


def dropped(fault):
    """Root's program becomes another user before it uses OpenMP, as daemons do. The archive is that user's, where that one
    may write; else the line says who may not."""
    need_root()
    program = fault.compile("faults", "dropped.c")
    with PublicFolder("dropped") as public:
        for part in (("bin", "omptape"), ("lib", "libomptape.so"), ("libexec", "omptape", "omptape-writer")):
            os.makedirs(public.at(*part[:-1]))
            public.copy(fault.built(*part), public.at(*part))
        for name, owner, said in (
                ("theirs", NOBODY, "became nobody (user 65534), and its archive is that user's: "),
                ("ours", 0, "nothing was traced: .* became nobody (user 65534) and never used OpenMP after that, or could not write to ")):
            folder = public.make(name, owner, 0o755)
            ended = fault.run(name, [public.at("bin", "omptape"), "-o", folder, program, str(NOBODY)], fault.environment())
            fault.expect(name, (17, b"right\n"), (ended.code, ended.out))
            last = ended.lines[-1]
            if re.search(said.replace("(", r"\(").replace(")", r"\)") + re.escape(folder), last) is None:
                fault.fail(f"{name}: the last line is {last!r}")
            fault.expect(f"{name}: lines", 1 if name == "theirs" else 2, len(ended.lines))
        fault.valid("theirs", public.at("theirs", "traces.otf2"))
        fault.expect("the owner", NOBODY, os.stat(public.at("theirs", "traces.otf2")).st_uid)


def folders(fault):
    """No archive lands in / when the folder that the program is in is gone, or when it has become a daemon."""
    need_root()
    program = fault.compile("faults", "moved.c")
    name = f"omptape-test-{os.getpid()}"
    preload = {"LD_PRELOAD": fault.library}
    command = [fault.omptape]
    gone = fault.path("gone")
    within = ["sh", "-c", 'mkdir "$0" && cd "$0" && rmdir "$0" && exec "$@"', gone]
    full = fault.path("full")
    refused = ((within, [], {**preload, "OMPTAPE_OUTPUT": name}, "the current folder is gone; nothing is traced"),
               (within, [], {**preload, "OMPTAPE_OUTPUT": ""}, "the current folder is gone; nothing is traced"),
               (within, [*command, "-o", name], {}, "the program runs untraced"),
               (within, command, {"OMPTAPE_OUTPUT": ""}, "the program runs untraced"),
               ([], [], {**preload, "OMPTAPE_OUTPUT": name}, "the program has moved to the folder /; nothing is traced"),
               ([], [], {**preload, "OMPTAPE_OUTPUT": ""}, "the program has moved to the folder /; nothing is traced"))
    taken = ((within, [], {**preload, "OMPTAPE_OUTPUT": full}), (within, [*command, "-q", "-o", full], {}),
             ([], [], {**preload, "OMPTAPE_OUTPUT": full}), ([], [*command, "-q", "-o", full], {}))
    for number, (inside, before, variables, expected) in enumerate([*refused, *((*words, None) for words in taken)]):
        case = f"folders {number}"
        how = [] if inside else ["daemon"]
        root = set(os.listdir("/"))
        ended = fault.run(case, [*inside, *before, program, *how], fault.traced(**variables))
        new = {entry for entry in set(os.listdir("/")) - root if entry.startswith("omptape-")}
        for entry in new:
            shutil.rmtree(os.path.join("/", entry))
        own = ended.lines
        if (ended.code, ended.out) != (0, b"2\n") or new or len(own) != int(expected is not None):
            fault.fail(f"{case}: exit code {ended.code}, {ended.said}, in /: {new}")
        elif expected is not None and expected not in own[0]:
            fault.fail(f"{case}: {own[0]!r} does not say {expected!r}")
        elif expected is None:
            fault.valid(case, os.path.join(full, "traces.otf2"))
            shutil.rmtree(full)


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
    nobody_else = 64321  # a user without a name, and without any process
    with Public(fault) as public:
        for most, threads, is_traced in ((2, 2, False), (3, 3, False), (4, 4, False), (5, 4, False), (20, 20, False),
                                         (600, 300, True)):
            output = os.path.join(public.share, f"out{most}")
            environment = {"OMPTAPE_QUIET": "1", "OMPTAPE_OUTPUT": output, "OMP_NUM_THREADS": str(threads),
                           "PATH": os.environ["PATH"]}
            code, out, err = outcome(
                [public.program], public.share, environment, **as_user(nobody_else),
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (most, most)))
            if (code, out) != (BUSY_CODE, f"{threads} secure 0\n"):
                fault.fail(f"{most} processes: exit code {code}, {out!r}, {err!r}")
            lines = err.splitlines()
            if is_traced and (lines or not os.path.exists(os.path.join(output, "traces.otf2"))):
                fault.fail(f"{most} processes: no archive; {err!r}")
            if not is_traced and (len(lines) != 1 or "ulimit -u" not in lines[0] or os.path.exists(output)):
                fault.fail(f"{most} processes: {err!r}, {os.listdir(public.share)}")


def cancelled(fault):
    """pthread_cancel: no thread ends in the middle of the tool's start, or while it waits for a chunk."""
    program = fault.compile("faults", "cancelled.c")
    whole_flood(fault, "flood", [program], LD_PRELOAD=fault.library)
    ended = fault.run("fork", [fault.omptape, "-q", program, "fork"], fault.traced(), 60)
    fault.expect_own_end("fork", ended, 0)
    if fault.valid("fork", fault.path("fork", "out", "traces.otf2")).threads < 3:
        fault.fail("fork: the child is not traced")


def sandboxed(fault):
    """A program forbids itself system calls that it needs no more: the tool makes none of them."""
    program = fault.compile("faults", "sandboxed.c")
    alone = fault.run("alone", [program], fault.environment())
    if alone.code == 77:
        raise Missing("no filters for system calls")
    fault.expect_own_end("alone", alone, 0)
    fault.expect_own_end("preloaded", fault.run("preloaded", [program], fault.preloaded(OMPTAPE_QUIET="1")), 0)
    fault.valid("preloaded", fault.path("preloaded", "out", "traces.otf2"))


def sandboxed_first(fault):
    """The same before its first region, or in a child: the tool stays away, with one line; not where a filter stood from
    the beginning, as in a container."""
    program = fault.compile("faults", "sandboxed.c")
    if fault.run("alone", [program, "before"], fault.environment()).code == 77:
        raise Missing("no filters for system calls")
    for when in ("before", "child"):
        fault.expect_own_end(f"{when} alone", fault.run(f"{when} alone", [program, when], fault.environment()), 0)
        for name, ended in ((f"{when} preloaded", fault.run(f"{when} preloaded", [program, when], fault.preloaded())),
                            (f"{when} started", fault.run(f"{when} started", [fault.omptape, program, when], fault.traced()))):
            lines = [line for line in ended.err.splitlines() if b"seccomp" in line]
            fault.expect(name, (17, b"right\n", 1), (ended.code, ended.out, len(lines)))
            fault.expect(f"{name}: archive", when == "child", os.path.exists(fault.path(name, "out", "traces.otf2")))
    forbid = [fault.compile("faults", "forbid.c"), str(UNUSED_CALL)]
    fault.expect_own_end("contained", fault.run("contained", [*forbid, fault.busy, "0.1"], fault.preloaded(OMPTAPE_QUIET="1")), 0)
    fault.valid("contained", fault.path("contained", "out", "traces.otf2"))


def other_libc(fault):
    """A program that a traced one starts may have another libc (musl), whose loader ends it if it misses something."""
    if platform.machine() != "x86_64":
        raise Missing("the guard of stacks is glibc's loader's there")

    def lines(*command):
        return subprocess.run([*command, fault.library], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()

    fault.expect("libraries", ["[libc.so.6]"], [line.split()[-1] for line in lines("readelf", "-dW") if "(NEEDED)" in line])
    strong = {line.split()[-1].split("@")[0] for line in lines("nm", "-D", "--undefined-only") if line.split()[-2] == "U"}
    fault.expect("symbols", set(), strong - {"environ", "_environ", "__environ"})
    if shutil.which("musl-gcc") is None:
        return
    program = fault.path("musl")
    with open(program + ".c", "w", encoding="utf-8") as file:
        file.write('#include <stdio.h>\n#include <sys/wait.h>\n#include <unistd.h>\n'
                   'int main(void) { if (fork() == 0) _exit(0); wait(NULL); puts("right"); return 17; }\n')
    subprocess.run(["musl-gcc", "-o", program, program + ".c"], check=True)
    for name, command, environment in (("preloaded", [program], fault.preloaded()),
                                       ("started", [fault.omptape, "-q", "sh", "-c", program + "; exit $?"], fault.traced())):
        fault.expect_own_end(name, fault.run(name, command, environment), 0)


TESTS = {test.__name__: test for test in (secure, variables, parent, no_proc, no_devices, overlay, dropped, folders, stack, file_size,
                                          no_waitid, few_processes, cancelled, sandboxed, sandboxed_first,
                                          other_libc)}

if __name__ == "__main__":
    sys.exit(main("Programs in odd surroundings.", TESTS, "fault.surroundings", Fault, ("19", "14")))
