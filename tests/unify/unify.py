# SPDX-License-Identifier: BSD-3-Clause
"""`omptape unify`, one part of the tests a call:

    tests/run unify.unify --build BUILD --runtimes DIR [--runs N] [--rounds N] PART

clocks    times of processes on several hosts, with and without measured offsets
folders   twice, late parts, what is damaged, unfinished or still being written, locks
kills     unify killed at random instants and begun again
programs  a run of several real programs, by itself and by hand
cost      prints time and memory for many processes, with few and with many events each
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
import threading
import time

from harness import STAGES, Toolchain, archives, arguments, main, processes, source_of, wait_for
from harness import Test as Base
from harness.archives import Archive, contents
from harness.users import NOBODY, PublicFolder, as_user

PATIENCE = 120  # seconds for a process elsewhere


class Test(Base):
    """Makes parts and unifies them."""

    def make(self, name, processes=4, threads=2, events=20, hosts=1, skew=0):
        """Parts of a job that never ran: NAME/rank-R."""
        folder = self.path(name)
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([self.built("tests", "unify", "make_parts"), folder,
                        *(str(one) for one in (processes, threads, events, hosts, skew))], check=True)
        return folder

    def make_ranks(self, name, ranks, hosts, rounds, ppm, wobble, sync, number=None):
        """Parts of an MPI job whose hosts' clocks are wrong."""
        folder = self.path(name)
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([self.built("tests", "unify", "make_ranks"), folder,
                        *(str(one) for one in (ranks, hosts, rounds, ppm, wobble, int(sync))),
                        *([str(number)] if number is not None else [])], check=True)
        return folder

    def raise_part(self, job, rank):
        """The part becomes what lies in the folder itself."""
        part = os.path.join(job, f"rank-{rank}")
        for name in os.listdir(part):
            os.rename(os.path.join(part, name), os.path.join(job, name))
        os.rmdir(part)

    def unify(self, what, folder, *words, code=0, says=()):
        done = self.command("unify", *words, folder)
        text = done.stdout
        if done.returncode != code:
            self.fail(f"{what}: omptape unify ends with {done.returncode}, expected {code}: {text}")
        for one in says:
            if one not in text:
                self.fail(f"{what}: omptape unify does not say {one!r}: {text}")
        return text

    def check_folder(self, what, folder):
        """Every checker on the archive; its path."""
        path = os.path.join(folder, "traces.otf2")
        self.verify_archive(what, path)
        done = self.command("info", path)
        if done.returncode != 0:
            self.fail(f"{what}: omptape info: {done.stdout.strip()}")
        return path

    def parts(self, folder, with_time=True):
        """What is in the parts of a folder, together."""
        found = {}
        for root, _, files in os.walk(folder):
            if "traces.otf2" in files:
                for place, events in contents(os.path.join(root, "traces.otf2"), with_time).items():
                    if place in found:
                        self.fail(f"{root}: a second {place}")
                    found[place] = events
        return found

    def same(self, what, before, path, with_time=True):
        """The archive holds exactly these events."""
        after = contents(path, with_time)
        self.expect(f"{what}: locations", sorted(before), sorted(after))
        for place, events in before.items():
            found = after.get(place, [])
            for one, other in zip(sorted(events), sorted(found)):
                if one != other:
                    self.fail(f"{what}: {place}: {one} became {other}")
                    break
            self.expect(f"{what}: events of {place}", len(events), len(found))
        return after

    def leftovers(self, what, folder, allowed=("traces", "traces.def", "traces.otf2", "traces.marker")):
        left = sorted(set(os.listdir(folder)) - set(allowed))
        if left:
            self.fail(f"{what}: {left} is left")


def times(path):
    """{(rank, thread): [times in seconds since 1970]}."""
    found = {}
    with Archive(path) as archive:
        clock = archive.definitions.clock_properties
        start = archive.realtime()
        for location, event in archive.events():
            rank = int(re.match(r"rank (\d+)", location.group.name)[1])
            at = (event.time - clock.global_offset) / clock.timer_resolution
            found.setdefault((rank, location.name), []).append(at)
    return found, start


def numbered(path):
    """[process, number within it] of each location, as its number says it, in the order of these numbers."""
    with Archive(path) as archive:
        number = {group: own.get("process number") for group, own in archive.own_properties.items()}
        names = {value: group.name for group, value in number.items()}
        return [[names.get(one._ref & 0xffffffff), one._ref >> 32] for one in sorted(archive.locations, key=lambda one: one._ref)
                if number.get(one.group) == one._ref & 0xffffffff]


def apart(found):
    """How far corresponding events of different ranks are apart, in seconds, at most; for each rank."""
    worst = {}
    for (rank, thread), list_of_one in found.items():
        for one, other in zip(found[0, thread], list_of_one):
            if abs(other - one) > abs(worst.get(rank, 0)):
                worst[rank] = other - one
    return worst


def test_clocks(test):
    exact = test.make("exact", processes=6, hosts=3)
    test.unify("exact", exact)
    path = test.check_folder("exact", exact)
    found, _ = times(path)
    for rank, distance in apart(found).items():
        if abs(distance) > 1e-6:
            test.fail(f"exact: rank {rank} is {distance} s off after 100 s")

    # A wall clock that is 5 ms ahead is believed, until somebody knows better; and that may be later.
    skew = 5_000_000
    skewed = test.make("skewed", processes=4, hosts=2, skew=skew)
    test.unify("skewed", skewed)
    found, _ = times(test.check_folder("skewed", skewed))
    test.expect("skewed", [5.0, 5.0], [round(apart(found)[rank] * 1e3, 3) for rank in (1, 3)])
    test.write("offsets", f"# measured\nhost1 1700000000.5 {-skew}  # by hand\n\nhost1 1700000090.25 {-skew}\n")
    for attempt in ("once", "again"):
        test.unify(f"measured {attempt}", skewed, "--clock-offsets", test.path("offsets"))
        found, _ = times(test.check_folder(f"measured {attempt}", skewed))
        for rank, distance in apart(found).items():
            if abs(distance) > 1e-6:
                test.fail(f"measured {attempt}: rank {rank} is {distance} s off")
    test.write("mistyped", f"hots1 1700000000.5 {-skew}\n")
    test.unify("mistyped", skewed, "--clock-offsets", test.path("mistyped"),
               says=["no clock offset is given for host1: "])
    # A drifting clock: right at the first measurement, 2 ms wrong at the last; and of one rank only.
    test.write("drift", "1 1700000000 -5000000\n1 1700000101 -7000000\n")
    test.unify("drift", skewed, "--clock-offsets=" + test.path("drift"))
    found, _ = times(test.check_folder("drift", skewed))
    distances = apart(found)
    if not -2.01e-3 < distances[1] < -1.9e-3 or round(distances[3] * 1e3, 3) != 5.0:
        test.fail(f"drift: the ranks are {distances} off")
    test.write("wrong", "host1 1700000000\n")
    test.unify("wrong", skewed, "--clock-offsets", test.path("wrong"), code=2, says=["wrong, line 1"])
    test.check_folder("wrong", skewed)


def test_folders(test):
    job = test.make("job")
    whole = test.parts(job)
    test.unify("first", job, says=["all 4 processes"])
    path = test.check_folder("first", job)
    test.same("first", whole, path)
    test.leftovers("first", job)
    test.expect("locations", [[f"rank {rank}", thread] for thread in range(2) for rank in range(4)], numbered(path))
    test.expect("names", [f"app (pid {1000 + rank})" for rank in range(4)], archives.processes(path))
    stamp = os.stat(path).st_mtime_ns
    test.unify("twice", job, says=["all 4 processes"])
    test.expect("twice: touched", stamp, os.stat(path).st_mtime_ns)

    # Two ranks come later.
    late = test.make("late")
    for rank in (1, 3):
        os.rename(os.path.join(late, f"rank-{rank}"), test.path(f"away-{rank}"))
    test.unify("early ranks", late, code=1, says=["ranks 1, 3 of 4"])
    test.check_folder("early ranks", late)
    for rank in (3, 1):
        os.rename(test.path(f"away-{rank}"), os.path.join(late, f"rank-{rank}"))
        test.unify(f"late rank {rank}", late, code=1 if rank == 3 else 0)
        test.check_folder(f"late rank {rank}", late)
    test.same("late ranks", whole, os.path.join(late, "traces.otf2"))

    # One part in the folder itself, and one alone in a folder of its own.
    first = test.make("first-above")
    test.raise_part(first, 0)
    test.unify("first above", first)
    test.same("first above", whole, test.check_folder("first above", first))
    test.leftovers("first above", first)
    alone = test.make("alone", processes=1)
    test.unify("alone", alone)
    test.check_folder("alone", alone)
    test.leftovers("alone", alone)

    far(test, whole)
    damaged(test)
    strange(test)
    refused(test)
    decided(test)
    busy(test)
    for folder in (test.path("nowhere"), test.path("work")):
        os.makedirs(test.path("work"), exist_ok=True)
        test.unify("nothing", folder, code=2)


def far(test, whole):
    """A part on another file system is copied, and that is said. It is there by a mount: links are not followed."""
    mounted = 'mount -t tmpfs none far/mounted && cp -a "$1" far/mounted && mount --bind far/mounted/rank-2 "$1" && shift'
    if subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", test.folder], check=False,
                      stderr=subprocess.DEVNULL).returncode != 0:
        print("no right to mount a file system: nothing was copied")
        return
    job = test.make("far")
    part = os.path.join(job, "rank-2")
    os.makedirs(test.path("far", "mounted"))
    done = subprocess.run(["unshare", "-m", "sh", "-c", mounted + ' && "$@" && find far/mounted/rank-2 -type f', "sh", part,
                           test.omptape, "unify", job],
                          cwd=test.folder, capture_output=True, text=True, check=False)
    if done.returncode != 0 or "copied" not in done.stderr or done.stdout:
        test.fail(f"far: code {done.returncode}, left {done.stdout!r}, said {done.stderr}")
    shutil.rmtree(part)  # what was below the mount
    os.rmdir(test.path("far", "mounted"))
    test.same("far", whole, test.check_folder("far", job))
    test.leftovers("far", job)

    job = test.make("linked")
    os.makedirs(test.path("elsewhere"))
    shutil.move(os.path.join(job, "rank-2"), test.path("elsewhere"))
    os.symlink(test.path("elsewhere", "rank-2"), os.path.join(job, "rank-2"))
    before = test.parts(test.path("elsewhere"))
    test.unify("linked", job, code=1, says=["rank-2 is a link of"])
    test.expect("linked: left", before, test.parts(test.path("elsewhere")))


def damaged(test):
    """What cannot be taken is named and left as it is; the others are unified."""
    faults = {
        "rank-1": (lambda folder: os.unlink(os.path.join(folder, "traces.otf2")), "the anchor file traces.otf2"),
        "rank-2": (lambda folder: os.truncate(os.path.join(folder, "traces.def"), 300), "rank-2"),
        "rank-3": (lambda folder: os.unlink(os.path.join(folder, "traces", "4294967296.evt")),
                   "traces/4294967296.evt is missing"),
        "rank-4": (lambda folder: [os.unlink(os.path.join(folder, name)) for name in ("traces.otf2", "traces.def")],
                   "the definitions"),
        "rank-5": (lambda folder: os.truncate(os.path.join(folder, "traces", "0.def"), 30), "rank-5"),
    }
    job = test.make("damaged", processes=7)
    before = {}
    for name, (spoil, _) in faults.items():
        spoil(os.path.join(job, name))
        before[name] = sorted(os.listdir(os.path.join(job, name, "traces")))
    os.makedirs(os.path.join(job, "notes"))  # somebody's own
    whole = {place: events for rank in (0, 6)
             for place, events in contents(os.path.join(job, f"rank-{rank}", "traces.otf2")).items()}
    test.unify("damaged", job, code=1, says=[*(says for _, says in faults.values()), "ranks 1-5 of 7"])
    test.same("damaged", whole, test.check_folder("damaged", job))
    for name, files in before.items():
        test.expect(f"damaged: {name}", files, sorted(os.listdir(os.path.join(job, name, "traces"))))
    test.leftovers("damaged", job, ("traces", "traces.def", "traces.otf2", "traces.marker", "notes", *faults))
    with Archive(os.path.join(job, "traces.otf2")) as archive:
        warnings = [text for name, text in archive.properties.items()
                    if name.startswith("OMPTAPE::WARNING") and "% of their time for" not in text]
    test.expect("damaged: warnings", len(faults) + 1, len(warnings))

    # A writer that was killed in the folder itself makes room.
    job = test.make("unfinished")
    os.makedirs(os.path.join(job, "traces"))
    with open(os.path.join(job, "traces", "0.evt"), "wb") as file:
        file.write(b"events")
    test.unify("unfinished", job, code=1, says=["unfinished-1"])
    test.check_folder("unfinished", job)
    with open(os.path.join(job, "unfinished-1", "traces", "0.evt"), "rb") as file:
        test.expect("unfinished: kept", b"events", file.read())


def strange(test):
    """Two names of one part, names with anything in them, pipes and folders where files belong."""
    job = test.make("links")
    whole = test.parts(job)
    os.symlink("rank-1", os.path.join(job, "latest"))
    os.symlink(".", os.path.join(job, "self"))
    test.unify("links", job)
    test.same("links", whole, test.check_folder("links", job))
    job = test.make("names")
    os.rename(os.path.join(job, "rank-2"), os.path.join(job, "rank-2\n\x1b[31m%41 -"))
    os.rename(os.path.join(job, "rank-1"), os.path.join(job, "rank-1\n\x1b[31m"))
    os.unlink(os.path.join(job, "rank-1\n\x1b[31m", "traces.otf2"))
    text = test.unify("names", job, code=1, says=["rank-1  [31m is left as it is"])
    test.expect("names: lines", 3, text.count("\n"))
    test.expect("names: left", ["rank-1\n\x1b[31m"], [name for name in os.listdir(job) if name.startswith("rank")])
    job = test.make("pipes", processes=4)
    for rank, name in (1, "traces.otf2"), (2, "traces/0.def"):
        path = os.path.join(job, f"rank-{rank}", name)
        os.unlink(path)
        os.mkfifo(path)
    os.unlink(os.path.join(job, "rank-3", "traces", "0.evt"))
    os.mkdir(os.path.join(job, "rank-3", "traces", "0.evt"))
    test.unify("pipes", job, code=1, says=["traces.otf2 is no regular file", "traces/0.def is no regular file",
                                           "traces/0.evt is no regular file"])
    job = test.make("offsets-folder")
    test.unify("offsets of a folder", job, "--clock-offsets", test.folder, code=2, says=["Is a directory"])


def refused(test):
    """What cannot be written is said before anything is moved; the next call does it."""
    job = test.make("limit", processes=24)
    whole = test.parts(job)
    command = [test.omptape, "unify", job]

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))

    done = subprocess.run(command, stderr=subprocess.PIPE, preexec_fn=limit, check=False)
    test.expect("limit: code", 2, done.returncode)
    if b"too large" not in done.stderr:
        test.fail(f"limit: omptape unify says {done.stderr!r}")
    test.expect("limit: parts", whole, test.parts(job))
    test.unify("no limit", job)
    test.same("no limit", whole, test.check_folder("no limit", job))
    if os.getuid() != 0:
        print("not root: nobody's rights were tested")
        return
    with PublicFolder("unify", command[:1]) as public:
        rights(test, public.at("omptape"), shutil.move(test.make("rights"), public.path))


def rights(test, omptape, job):
    """Somebody who owns all but one part of a job."""
    for root, _, files in os.walk(job):
        for name in ["."] + files:
            if os.path.relpath(root, job).split("/")[0] != "rank-2":
                os.chown(os.path.join(root, name), NOBODY, NOBODY)
    done = subprocess.run([omptape, "unify", job], stderr=subprocess.PIPE, **as_user(NOBODY), check=False)
    reason = b"rank-2 is left as it is: its files cannot be moved: Permission denied"
    if done.returncode != 1 or reason not in done.stderr or b"holds all" in done.stderr:
        test.fail(f"rights: code {done.returncode}, {done.stderr!r}")
    test.check_folder("rights", job)
    test.unify("rights of root", job, code=2, says=[f"traces.otf2 belongs to nobody (user {NOBODY})"])
    for root, _, files in os.walk(os.path.join(job, "rank-2")):
        for name in ["."] + files:
            os.chown(os.path.join(root, name), NOBODY, NOBODY)
    done = subprocess.run([omptape, "unify", job], stderr=subprocess.PIPE, **as_user(NOBODY), check=False)
    test.expect("rights of all: code", 0, done.returncode)
    test.check_folder("rights of all", job)


def decided(test):
    """A plan whose last step a kill has interrupted, when other archives have come in between."""
    job = test.make("decided")
    whole = test.parts(job)
    shutil.move(os.path.join(job, "rank-2"), test.path("later"))
    test.unify("without", job, code=1)
    shutil.move(test.path("later"), os.path.join(job, "rank-2"))
    os.mkdir(os.path.join(job, ".omptape-unify"))
    with open(os.path.join(job, ".omptape-unify", "plan"), "w", encoding="utf-8") as file:
        file.write("omptape-unify 3\nlocations 6\npart 4711 1700000000 5 rank-2\nend\n")
    test.unify("another of the name", job)
    test.same("another of the name", whole, test.check_folder("another of the name", job))
    test.leftovers("another of the name", job)
    os.makedirs(test.path("outside", "traces"))
    with open(test.path("outside", "traces", "0.evt"), "wb"):
        pass
    os.mkdir(os.path.join(job, ".omptape-unify"))
    shutil.copy(os.path.join(job, "traces.otf2"), os.path.join(job, ".omptape-unify", "traces.otf2"))
    with open(os.path.join(job, ".omptape-unify", "plan"), "w", encoding="utf-8") as file:
        file.write("omptape-unify 3\nlocations 0\nmove 9 0 ../outside/traces\nend\n")
    test.unify("outside", job, code=2, says=["plan"])
    test.expect("outside: moved", True, os.path.exists(test.path("outside", "traces", "0.evt")))
    job = test.make("no-plan")
    os.mkdir(os.path.join(job, ".omptape-unify"))
    with open(os.path.join(job, ".omptape-unify", "notes"), "w", encoding="utf-8") as file:
        file.write("somebody's own\n")
    test.unify("no plan", job, code=2, says=[f"{job}/.omptape-unify is in the way, and holds no plan; remove it"])
    shutil.rmtree(os.path.join(job, ".omptape-unify"))
    test.unify("no plan any more", job)
    test.same("no plan any more", whole, test.check_folder("no plan any more", job))


def busy(test):
    """Writers and other unifications that are at work."""
    host = os.uname().nodename
    job = test.make("busy")
    whole = test.parts(job)
    claim = os.path.join(job, "rank-2", ".omptape-writing")
    os.symlink(f"{host}:{os.getpid()}", claim)
    test.unify("busy part", job, code=1, says=["rank-2", "still being written", "rank 2 of 4"])
    test.check_folder("busy part", job)
    os.unlink(claim)
    gone = subprocess.Popen(["true"])
    gone.wait()
    os.symlink(f"{host}:{gone.pid}", claim)  # its owner died after it was done
    test.unify("dead owner", job)
    test.same("dead owner", whole, test.check_folder("dead owner", job))

    job = test.make("locked")
    lock = os.path.join(job, ".omptape-unifying")
    os.symlink(f"{host}:{os.getpid()}", lock)
    test.unify("locked", job, code=3, says=[f"is being unified by process {os.getpid()} on {host}"])
    os.unlink(lock)
    os.symlink("elsewhere:1", lock)
    is_over = threading.Event()

    def touch():
        while not is_over.wait(1):
            os.utime(lock, follow_symlinks=False)
    alive = threading.Thread(target=touch)
    alive.start()
    test.unify("locked elsewhere", job, code=3, says=["is being unified by process 1 on elsewhere"])
    is_over.set()
    alive.join()
    begun = time.monotonic()
    os.utime(lock, (time.time() - PATIENCE + 1,) * 2, follow_symlinks=False)
    test.unify("stale lock", job)
    if not 0.5 < time.monotonic() - begun < PATIENCE / 2:
        test.fail(f"stale lock: taken over after {time.monotonic() - begun:.1f} s")
    test.same("stale lock", whole, test.check_folder("stale lock", job))

    # Many at once: each does it or says that another does; the end is right.
    job = test.make("at-once", processes=24)
    whole = test.parts(job)
    command = [test.omptape, "unify", job]
    calls = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(8)]
    codes = [one.wait() for one in calls]
    if not set(codes) <= {0, 3} or 0 not in codes:
        test.fail(f"at once: exit codes {codes}")
    test.same("at once", whole, test.check_folder("at once", job))
    test.leftovers("at once", job)


def stop_child(pid):
    """Stops the child process that reads and writes definitions. None: it was too fast."""
    while processes.state_of(pid) not in ("", "Z"):
        for child in processes.children_of(pid):
            try:
                os.kill(child, signal.SIGSTOP)
                return child
            except ProcessLookupError:
                continue
    return None


def held_up(command, on_terminal, drawn):
    """What it writes, on a terminal or into a pipe, and how it ends, if its child is stopped: until three lines are drawn, or
    for as long as that takes. And whether it was stopped in time."""
    if on_terminal:
        pid, terminal = pty.fork()
        if pid == 0:
            os.execv(command[0], command)
    else:
        terminal, own_end = os.pipe()
        pid = os.posix_spawn(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, own_end, 2)])
        os.close(own_end)
    begun, written, child = time.monotonic(), b"", stop_child(pid)
    is_held = child is not None
    while True:
        if child is not None and (len(drawn.findall(written)) >= 3 or time.monotonic() - begun > (2.2 if drawn is NOTHING else 60)):
            os.kill(child, signal.SIGCONT)
            child = None
        if child is not None and not select.select([terminal], [], [], 0.1)[0]:
            continue
        try:
            some = os.read(terminal, 4096)
        except OSError:  # the terminal's last user is gone
            break
        if not some:
            break
        written += some
    os.close(terminal)
    return written, os.waitpid(pid, 0)[1], is_held


NOTHING = re.compile(rb"(?!)")


def progress(test):
    """What takes longer than a second shows on a terminal how far it is; nowhere else, and not if asked not to."""
    lines = re.compile(rb"\romptape: unifying: \d+ of \d+ [a-z ]+")
    for name, words in ("terminal", []), ("quiet", ["-q"]), ("pipe", []):
        wanted = lines if name == "terminal" else NOTHING
        for _ in range(5):
            job, begun = test.make("slow", processes=300), time.monotonic()
            written, status, is_held = held_up([test.omptape, "unify", *words, job], name != "pipe", wanted)
            if is_held:
                break
        else:
            test.fail(f"progress, {name}: it was too fast to be held up")
        test.expect(f"progress, {name}: status", 0, status)
        count = len(lines.findall(written))
        if not (3 <= count <= 4 * (time.monotonic() - begun) + 4 if name == "terminal" else count == 0):
            test.fail(f"progress, {name}: {count} lines in {written!r}")
        last = written.replace(b"\r\n", b"\n").split(b"\r")[-1].strip()
        test.expect(f"progress, {name}: last line", b"" if "-q" in words else b"omptape: %b/traces.otf2 holds all 300 "
                    b"processes" % job.encode(), last)


def test_kills(test):
    """A kill at any instant; the next call completes it."""
    chance = test.random
    job = test.make("job", processes=16, threads=4)
    whole = test.parts(job)
    begun = time.monotonic()
    test.unify("measured", job)
    usual = time.monotonic() - begun
    killed = pending = 0
    for number in range(test.options.runs):
        job = test.make("job", processes=16, threads=4)
        if number % 3 == 1:  # what lies in the folder itself stays where it is
            test.raise_part(job, 0)
        if number % 3 == 0:  # the second half comes later
            os.makedirs(test.path("away"))
            for rank in range(8, 16):
                os.rename(os.path.join(job, f"rank-{rank}"), test.path("away", f"rank-{rank}"))
            test.unify("first half", job, code=1)
            for rank in range(8, 16):
                os.rename(test.path("away", f"rank-{rank}"), os.path.join(job, f"rank-{rank}"))
            os.rmdir(test.path("away"))
        plan = os.path.join(job, ".omptape-unify", "plan")
        for attempt in range(2):
            process = subprocess.Popen([test.omptape, "unify", job],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            # Any instant: of the whole, or of the moves, which take little of the time.
            if (number + attempt) % 2:
                wait_for("a plan", lambda: os.path.exists(plan) or process.poll() is not None, pause=0)
                time.sleep(chance.random() * 0.004)
            else:
                time.sleep(chance.random() * usual * 1.2)
            process.send_signal(signal.SIGKILL)
            killed += process.wait() == -signal.SIGKILL
            pending += os.path.exists(plan)
        what = f"kill {number}"
        test.unify(what, job)
        if number % 6 == 0:
            test.same(what, whole, test.check_folder(what, job))
        else:
            own = test.command("check", job)
            if own.returncode != 0 or "at 64 locations" not in own.stdout:
                test.fail(f"{what}: omptape check: {own.stdout}")
        test.leftovers(what, job)
        if test.problems:
            break
    print(f"{killed} killed, {pending} of them after the decision")
    if killed < test.options.runs // 6 or pending == 0:
        test.fail(f"only {killed} of the calls were killed in time, {pending} after the decision")


def test_programs(test):
    """A script with several programs: one archive, by itself; the same by hand."""
    toolchain, programs = Toolchain(STAGES["19"], test.runtimes), []
    for name in ("tasks_untied", "locks", "fork_openmp", "error_warning"):
        programs.append(toolchain.compile(source_of("programs", f"{name}.c"), test.path(name)))
    script = test.write("script.sh", "#!/bin/sh\n" + "".join(
        f"{one} >/dev/null 2>&1 {'&' if i % 2 else ''}\n" for i, one in enumerate(programs)) + "wait\nexit 5\n", 0o755)
    environment = {"PATH": os.environ["PATH"], **toolchain.environment()}
    for how, words in (("auto", []), ("off", ["--unify=off"])):
        done = test.command(*words, "-o", how, script, env=environment)
        test.expect(f"{how}: exit code", 5, done.returncode)
        folder = test.path(how)
        if how == "off":
            whole = test.parts(folder)
            test.expect("off: locations", True, len(whole) > 6)
            test.unify("by hand", folder)
            test.same("by hand", whole, os.path.join(folder, "traces.otf2"))
        elif "5 processes in one archive" not in done.stdout:
            test.fail(f"auto: the summary is {done.stdout!r}")
        path = test.check_folder(how, folder)
        test.leftovers(how, folder)
        names = sorted(re.sub(r" \(pid \d+\)", "", one) for one in archives.processes(path))
        test.expect(f"{how}: processes", ["error_warning", "fork_openmp", "fork_openmp", "locks", "tasks_untied"], names)
    # No program hides its archive.
    hidden = test.path(".hidden")
    shutil.copy(programs[1], hidden)
    pair = test.write("pair.sh", f"#!/bin/sh\n{programs[1]} >/dev/null\n{hidden} >/dev/null\n", 0o755)
    test.command("-o", "hiding", pair, env=environment)
    test.leftovers("hiding", test.path("hiding"))
    test.expect("hiding: processes", 2, len(archives.processes(test.check_folder("hiding", test.path("hiding")))))
    # A name by default, one folder for all.
    test.command(script, env=environment)
    folders = [name for name in os.listdir(test.folder) if name.startswith("omptape-")]
    if len(folders) != 1 or not folders[0].startswith("omptape-script.sh-"):
        test.fail(f"default name: {folders}")
    else:
        test.check_folder("default name", test.path(folders[0]))
    # --force replaces the archive with what a killed unification has left to do.
    decision = os.path.join(test.path("auto"), ".omptape-unify")
    os.mkdir(decision)
    os.mkdir(os.path.join(decision, "traces"))
    for name in ("traces.otf2", "traces.def"):
        shutil.copy(os.path.join(test.path("off"), name), decision)
    with open(os.path.join(decision, "plan"), "w", encoding="utf-8") as file:
        file.write("omptape-unify 3\nlocations 0\nend\n")
    test.command("--force", "-o", test.path("auto"), script, env=environment)
    test.leftovers("forced", test.path("auto"))
    processes = archives.processes(test.check_folder("forced", test.path("auto")))
    test.expect("forced: processes", 5, len(processes))
    if set(processes) & set(archives.processes(os.path.join(test.path("off"), "traces.otf2"))):
        test.fail("forced: the old processes came back")
    # In a folder with other archives only what is new is taken.
    shared = test.path("shared")
    shutil.copytree(test.path("auto"), os.path.join(shared, "old"))
    test.command("-o", shared, script, env=environment)
    test.leftovers("shared", shared, ("traces", "traces.def", "traces.otf2", "traces.marker", "old"))
    test.expect("shared", 5, len(archives.processes(test.check_folder("shared", shared))))


def test_cost(test):
    """Printed, not judged."""
    seconds, most = {}, 0
    for events in (1000, 1000000):
        for _ in range(test.options.rounds):
            folder = test.make(f"cost-{events}", processes=64, threads=8, events=events, hosts=4)
            begun = time.monotonic()
            process = subprocess.Popen([test.omptape, "unify", "-q", folder])
            _, status, usage = os.wait4(process.pid, 0)
            spent = time.monotonic() - begun
            test.expect(f"{events} events: status", 0, status)
            seconds[events] = min(spent, seconds.get(events, spent))
            most = max(most, usage.ru_maxrss / 1024)
            if events == 1000:
                own = test.command("check", folder)
                test.expect(f"{events} events: omptape check", 0, own.returncode)
            shutil.rmtree(folder)
    print(f"64 processes of 8 threads: {seconds[1000]:.2f} s with 1,000 events each, {seconds[1000000]:.2f} s with a "
          f"million each; {most:.0f} MiB at most")


PARTS = {"clocks": test_clocks, "folders": test_folders, "kills": test_kills,
         "programs": test_programs, "cost": test_cost}

if __name__ == "__main__":
    own_arguments = arguments("Tests omptape unify.")
    own_arguments.add_argument("--runs", type=int, default=30, help="of kills")
    own_arguments.add_argument("--rounds", type=int, default=1, help="of cost")
    sys.exit(main("", PARTS, "unify", Test, parser=own_arguments))
