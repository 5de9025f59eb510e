# SPDX-License-Identifier: BSD-3-Clause
"""Programs in odd surroundings: with more rights than their user, as the first process of a container, without /proc.
Traced or not, they must do what they do without the tool.

    tests/run faults.surroundings --build BUILD --runtimes DIR NAME
"""
import os
import platform
import pwd
import re
import shutil
import signal
import subprocess
import sys
import time

from faults.fault import Fault, Public, end_busy, outcome
from faults.limits import UNUSED_CALL
from harness import BUSY_CODE, Missing, main
from harness.users import NOBODY, PublicFolder, as_user, need_root


def secure(fault):
    """A setuid, setgid or setcap program that is linked with omptape: its user's variables choose nothing."""
    need_root()
    with Public(fault) as public:
        environment = {"OMPTAPE_WRITER": public.evil_writer(), "OMPTAPE_OUTPUT": os.path.join(public.share, "out"),
                       "OMPTAPE_REPORT_FILE": os.path.join(public.share, "report"), "OMPTAPE_LOG": "debug",
                       "OMPTAPE_LOG_FILE": os.path.join(public.share, "log"), "PATH": os.environ["PATH"],
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
    program = fault.start("variables", [fault.busy, "100"], fault.preloaded(**many))
    writer = fault.writer(program.pid)
    with open(f"/proc/{writer}/environ", encoding="utf-8") as file:
        has = dict(variable.split("=", 1) for variable in file.read().split("\0") if variable)
    end_busy(program.pid)
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
        ended = fault.run(name, [*command, *preload, *ask], fault.traced(), 120)
        expected = f"200, first {int(bool(command))}, children 1, signals 1, status 5\n"
        fault.expect(name, (BUSY_CODE, expected.encode(), b""), (ended.code, ended.out, ended.err))
        fault.valid(name, fault.path(name, "out", "traces.otf2"))
    # Where the writer starts before main, the program asks for orphans while the writer is still starting.
    for attempt in range(5):
        name, output = f"early {attempt}", fault.path(f"early.{attempt}")
        ended = fault.run(name, ["env", "LD_PRELOAD=" + fault.library, program, "subreaper"], fault.traced(OMPTAPE_OUTPUT=output), 120)
        fault.expect(name, (BUSY_CODE, b"200, first 0, children 1, signals 1, status 5\n", b""), (ended.code, ended.out, ended.err))
        fault.valid(name, os.path.join(output, "traces.otf2"))


PATIENCE = 7  # seconds that a program waits for a stopped writer, and more


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
    """It does not sleep for a second on end before the pool is full."""
    enough, asleep, deadline = 40, 0, time.monotonic() + PATIENCE
    while asleep < enough and time.monotonic() < deadline:
        time.sleep(0.025)
        asleep = asleep + 1 if is_asleep(program.pid) else max(0, asleep - 10)


def whole_flood(fault, name, command, **more):
    """Runs rootless.c with the smallest pool, its writer stopped for a moment: all of its records come. Once more where this
    test itself had no processor, and the moment was too long or too short."""
    for attempt in range(5):
        stopped, stalled = flood(fault, f"{name} {attempt}", command, **more)
        if stopped < PATIENCE + 1 and stalled > 0:
            return
    fault.fail(f"{name}: the pool was never full, or the writer was stopped for {stopped} s")


def flood(fault, name, command, **more):
    """How long the writer was stopped, in s, and for how long the program waited for it, in ns."""
    program = fault.start(name, command, fault.traced(OMPTAPE_BUFFER_SIZE="1M", OMPTAPE_WHEN_FULL="wait",
                                                      OMPTAPE_QUIET="1", OMP_WAIT_POLICY="passive", **more), stdin=subprocess.PIPE)
    writer = fault.writer(seconds=60)
    begun = time.monotonic()
    os.kill(writer, signal.SIGSTOP)
    program.process.stdin.close()
    program.process.stdin = None
    wait_until_full(program)
    os.kill(writer, signal.SIGCONT)
    stopped = time.monotonic() - begun
    ended = fault.finish(program)
    facts = fault.valid(name, fault.path(name, "out", "traces.otf2"))
    if stopped < PATIENCE + 1:
        fault.expect_own_end(name, ended, 0)
        fault.expect(f"{name}: dropped", 0, facts.number("DROPPED"))
    return stopped, facts.number("STALLED")


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


def container(fault):
    """With numbers for processes of its own, where the command's file cannot be reached: the summary is what the archive says."""
    need_root()
    command = ["unshare", "--pid", "--fork", "--mount-proc"]
    if subprocess.run([*command, "true"], check=False, stderr=subprocess.DEVNULL).returncode != 0:
        raise Missing("no right to make a space of process numbers")
    ended = fault.run("container", [fault.omptape, *command, fault.busy, "0.1"], fault.traced())
    fault.expect("its end", (BUSY_CODE, b"right\n"), (ended.code, ended.out))
    facts = fault.valid("container", fault.path("container", "out", "traces.otf2"))
    first = re.fullmatch(r"omptape: ([0-9,]+) events of (\d+) threads in .* on disk", ended.lines[0])
    fault.expect("its first line", (facts.number("EVENTS"), facts.threads),
                 first and (int(first[1].replace(",", "")), int(first[2])))


def foreign_proc(fault):
    """With numbers for processes of its own, but the /proc of all others, where another user's process has its number."""
    need_root()
    with subprocess.Popen(["sleep", "100"], **as_user(NOBODY)) as other:
        command = ["unshare", "--pid", "--fork", "sh", "-c",
                   f'echo {other.pid - 1} >/proc/sys/kernel/ns_last_pid && LD_PRELOAD="$0" "$@"; exit $?']
        if outcome([*command, "", "sh", "-c", "echo $$"], fault.folder, fault.environment())[1] != f"{other.pid}\n":
            other.kill()
            raise Missing("no right to choose a process number")
        ended = outcome([*command, fault.library, fault.busy, "0.5"], fault.folder,
                        fault.environment(OMPTAPE_OUTPUT=fault.path("out"), OMPTAPE_QUIET="1"))
        other.kill()
    fault.expect("outcome", (BUSY_CODE, "right\n", ""), ended)
    fault.valid("archive", fault.path("out", "traces.otf2"))
    fault.expect("the owner", 0, os.stat(fault.path("out", "traces.otf2")).st_uid)


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


def undumpable(fault):
    """The kernel keeps the state of such a program from its user, and shows 0 in place of how it ended."""
    need_root()
    program = fault.compile("faults", "undumpable.c")
    with PublicFolder("undumpable", (program, os.path.join(fault.toolchain.library_folder, "libomp.so.5"))) as public:
        for part in (("bin", "omptape"), ("lib", "libomptape.so"), ("libexec", "omptape", "omptape-writer")):
            os.makedirs(public.at(*part[:-1]))
            public.copy(fault.built(*part), public.at(*part))
        folder = public.make("run", NOBODY)
        environment = fault.environment(LD_LIBRARY_PATH=public.path)
        code, out, err = outcome([public.at("bin", "omptape"), "-o", "out", public.at("undumpable")], folder, environment,
                                 **as_user(NOBODY))
        fault.expect("outcome", (128 + signal.SIGSEGV, "right\n"), (code, out))
        if "exit status 0" in err:
            fault.fail(f"an exit status that is not known: {err!r}")
        fault.valid("archive", os.path.join(folder, "out", "traces.otf2"))


def rebuilt(fault):
    """The program's file, or that of a library that it has loaded, is another one when its writer looks for lines: it has
    none then, and no wrong ones."""
    program = fault.compile("faults", "rebuilt.c")
    for name, flags in (("rebuilt", ()), ("library", ("-shared", "-fPIC"))):
        file, again = fault.path(name), fault.path(f"{name}-again")
        shutil.copy(fault.compile("faults", "rebuilt.c", output=f"{name}.old", flags=flags), file)
        shutil.copy(fault.compile("faults", "rebuilt.c", output=f"{name}.new", flags=("-DAGAIN", *flags)), again)
        command = [program, again, file] if flags else [file, again]
        fault.expect_own_end(f"{name} run", fault.run(f"{name} run", [fault.omptape, "-q", *command], fault.traced()), 0)
        told = fault.run(f"{name} report", [fault.omptape, "report", "--all", fault.path(f"{name} run", "out")], fault.environment())
        # The program's lines may have been looked up before.
        known = f"@{name}".encode() in told.out or not flags and b"rebuilt.c:18" in told.out
        if not known or b"rebuilt.c:10" in told.out:
            fault.fail(f"{name}: lines of the new file: {told.out.decode()}")
        if not flags and (b"was deleted or replaced" not in told.out or b"compile with -g" in told.out + told.err):
            fault.fail(f"{name}: why there are no lines is not said: {told.out.decode()}")


def shortened(fault):
    """The file of a loaded library becomes shorter: the writer looks for lines in pages that are no longer there."""
    library = fault.path("shortened.so")
    shutil.copy(fault.compile("faults", "shortened.c", output="shortened.so", flags=("-shared", "-fPIC")), library)
    program = fault.compile("faults", "shortened.c")
    ended = fault.run("run", [fault.omptape, "-q", program, library], fault.traced())
    fault.expect_own_end("run", ended, 0)
    folder = fault.path("run", "out")
    fault.valid("run", os.path.join(folder, "traces.otf2"))
    told = fault.run("info", [fault.omptape, "info", folder], fault.environment())
    if b"its writer was killed" in told.out:
        fault.fail(f"the writer has crashed: {told.out.decode()}")


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
            fault.fail(f"{case}: exit code {ended.code}, {ended.output}, in /: {new}")
        elif expected is not None and expected not in own[0]:
            fault.fail(f"{case}: {own[0]!r} does not say {expected!r}")
        elif expected is None:
            fault.valid(case, os.path.join(full, "traces.otf2"))
            shutil.rmtree(full)


def cancelled(fault):
    """pthread_cancel: no thread ends in the middle of the tool's start, or while it waits for a chunk."""
    program = fault.compile("faults", "cancelled.c")
    whole_flood(fault, "flood", [program], LD_PRELOAD=fault.library)
    ended = fault.run("fork", [fault.omptape, "-q", program, "fork"], fault.traced(), 60)
    fault.expect_own_end("fork", ended, 0)
    if fault.valid("fork", fault.path("fork", "out", "traces.otf2")).threads < 3:
        fault.fail("fork: the child is not traced")


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


def foreign_children(fault):
    """The program's first child is the first process of a pid namespace: the writer, and what starts it, is not that child,
    without which the program could make no other one."""
    need_root()
    program = fault.compile("faults", "forks.c")
    command = ["unshare", "--pid"]
    alone = outcome([*command, program], fault.folder, fault.environment())
    if alone[0] != BUSY_CODE:
        raise Missing("no right to make a space of process numbers")
    preload = ["env", "LD_PRELOAD=" + fault.library]
    # Under a filter from before, omptape tries system calls in a child.
    filtered = [fault.compile("faults", "forbid.c"), "kill", str(UNUSED_CALL), "sh", "-c", 'unshare --pid "$@"; exit $?', "sh"]
    for name, before, words, more in (("given", command, [], {}), ("filtered", filtered, [], {}), ("early", command, [], {"OMPTAPE_OUTPUT": fault.path("early.out")}),
                                      ("made", [], ["unshare"], {})):
        ended = fault.run(name, [*before, *preload, program, *words], fault.traced(**more))
        fault.expect(name, (alone[0], alone[1].encode()), (ended.code, ended.out))
        if len(ended.lines) != 1 or "a pid namespace of their own; nothing is traced" not in ended.lines[0]:
            fault.fail(f"{name}: {ended.lines}")


TESTS = {test.__name__: test for test in (secure, variables, parent, container, foreign_proc, no_proc, no_devices, overlay, dropped, undumpable, rebuilt, shortened,
                                          folders, cancelled, other_libc, foreign_children)}

if __name__ == "__main__":
    sys.exit(main("Programs in odd surroundings.", TESTS, "fault.surroundings", Fault, ("19", "14")))
