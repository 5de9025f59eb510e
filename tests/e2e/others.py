# SPDX-License-Identifier: BSD-3-Clause
"""What is seen from outside: threads that OpenMP does not know, in all kinds of recordings; threads that the program binds
late; the limit of a cgroup; the energy of the node.

    tests/run e2e.others --build BUILD --runtimes DIR shown
"""
import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys

from harness import main, pages, wait_for
from harness.facts import Facts
from harness.stages import Missing
from harness.users import need_root
from otf2.enums import LocationType
from otf2.events import Metric

NAME = "statistics"


class Others(Facts):
    """Their locations, with their properties and first readings; all locations', also by their names."""

    def __init__(self):
        super().__init__()
        self.first = {}
        self.who = {"ThreadCreate": set(), "ThreadBegin": set(), "ThreadWait": set()}   # the names of the threads with such events

    def __call__(self, location, event):
        super().__call__(location, event)
        if type(event).__name__ in self.who:
            self.who[type(event).__name__].add(location.name)
        if isinstance(event, Metric):
            self.first.setdefault(location, (event.time, tuple(event.values)))

    def archive(self, archive):
        super().archive(archive)
        of = {}
        for one in archive.definitions.location_properties:
            of.setdefault(one.location, {})[one.name] = one.value
        self.places = of
        self.of = {place.name: own for place, own in of.items()}
        self.others = {place: own for place, own in of.items() if "other thread" in own}


def hold(test, name, archive, thorough=True):
    """The thread is shown, and counts nowhere else. A profile has no events for the checkers."""
    facts = test.verify_archive(name, archive, Others(), thorough)
    found = [(place, own) for place, own in facts.others.items() if own["other thread"] == NAME]
    if len(found) != 1:
        test.fail(f"{name}: the archive has {facts.others}")
        return facts
    place, own = found[0]
    test.expect(f"{name}: type", LocationType.CPU_THREAD, place.type)
    test.expect(f"{name}: name", f"{NAME} ({own['OS thread id']})", place.name)
    if own["processor time"] < 0.05e9:
        test.fail(f"{name}: {own}")
    test.expect(f"{name}: threads", "2", facts.properties["OMPTAPE::THREADS"])
    told = json.loads(test.command("report", "--json", "-", os.path.dirname(archive), stderr=subprocess.DEVNULL).stdout)
    test.expect(f"{name}: threads of the report", 2, told["threads"])
    said = test.command("info", os.path.dirname(archive)).stdout
    test.expect(f"{name}: info", True, "neither of OpenMP nor of MPI" in said and NAME in said)
    return facts


def trace_others(test, name, run):
    """run() makes the archive: once more where the writer got no processor while the threads lived, and saw none of them."""
    for _ in range(5):
        run()
        if test.verify_archive(name, test.path(name, "traces.otf2"), Others(), False).others:
            return


def shown(test):
    """In a trace, a profile and two processes' archive; not with --sched=off."""
    program = test.compile("e2e", "others.c")
    trace_others(test, "trace", lambda: test.command("-q", "--force", "-o", "trace", program))
    facts = hold(test, "trace", test.path("trace", "traces.otf2"))
    if facts.events["Metric"] < 2:
        test.fail(f"trace: {facts.events}")
    # The main thread sleeps for at least 300 ms.
    rows = [line.split() for line in test.command("report", "--all", "--threads", "all", "trace").stdout.splitlines()
            if line.startswith("Master thread ")]
    if not any(row[-1] == "%" and float(row[-2]) < 50 for row in rows):
        test.fail(f"report: on processor: {rows}")
    for kind in ("perfetto", "csv"):
        done = test.command("export", f"--{kind}", f"out.{kind}", "trace")
        test.expect(f"export: {kind}", 0, done.returncode)
    trace_others(test, "profile", lambda: test.command("-q", "--force", "--profile", "-o", "profile", program))
    hold(test, "profile", test.path("profile", "traces.otf2"), thorough=False)
    test.command("-q", "-o", "off", "--sched=off", program)
    facts = test.verify_archive("off", test.path("off", "traces.otf2"), Others())
    test.expect("off", {}, facts.others)
    test.expect("off: properties", [], [key for key in facts.properties if "QUOTA" in key or "ALLOWED" in key])


def trace_asked(test, *words, **environment):
    """The writer looks at the main thread before the program goes on."""
    with subprocess.Popen([test.omptape, "-q", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=test.folder,
                          env=test.environment(**environment), text=True) as run:
        test.command("top", "--once", run.stdout.readline().strip())
        run.communicate("\n", 60)


def joined(test):
    """Who created a thread and who waits for its end; its first reading is of the creation. A writer that gets no processor
    meanwhile does not see the wait."""
    program = test.compile("e2e", "others.c")
    for attempt in ("joined", "again", "once-more"):
        trace_asked(test, "-o", attempt, program, "asked")
        archive = test.path(attempt, "traces.otf2")
        facts = test.verify_archive(attempt, archive, Others())
        if "OMPTAPE::SWITCHES" not in facts.properties or facts.events["CallingContextSample"] == 0:
            raise Missing("the kernel's events of threads")
        place, own = next((item for item in facts.others.items() if item[1]["other thread"] == NAME), (None, {}))
        if own.get("seen joining", 0) > 2 and "created by" in own:
            break
    hold(test, attempt, archive)
    if place is None:
        return
    master = facts.of["Master thread"]["OS thread id"]
    test.expect("created by, joined by", (master, master), (str(own.get("created by")), str(own.get("joined by"))))
    test.expect("first reading", {0}, set(facts.first[place][1]))
    # A creation for each thread that the program made itself; none for the runtime's worker.
    test.expect("created, begun, ended, awaited", (4, 1, 1, 1),
                tuple(facts.events[name] for name in ("ThreadCreate", "ThreadBegin", "ThreadEnd", "ThreadWait")))
    test.expect("life", ({"Master thread"}, {"Master thread"}), (facts.who["ThreadCreate"], facts.who["ThreadWait"]))
    text = test.command("report", attempt).stdout
    words = f"looks it waited for the end of the thread {place.name}, which ran for "
    test.expect(f"report: {words}: {text}", True, words in " ".join(text.split()))
    text = test.command("info", attempt).stdout
    test.expect(f"info: {text}", True, "created by" in text and "seen joining" not in text)
    test.command("report", "--html", "page.html", attempt)
    with open(test.path("page.html"), encoding="utf-8") as file:
        row = next(row for row in pages.data(file.read())["rows"] if row["other"])
    test.expect("page", (0, 0, 1), (row.get("creator"), row.get("joiner"), row.get("ended")))


def asked(test, run):
    """The program's number. Its writer looks at the main thread before the program goes on."""
    pid = int(run.stdout.readline())
    wait_for(f"an answer about {pid}", lambda: test.command("top", "--once", pid).returncode == 0)
    run.stdin.write("\n")
    run.stdin.flush()
    return pid


def live(test, name, words, between, processes=1):
    """Two threads that it creates live when `between` is called, one of which is OpenMP's."""
    with subprocess.Popen([test.omptape, "-q", "-o", name, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=test.folder,
                          env=test.environment(), text=True) as run:
        for _ in range(processes):
            pid = asked(test, run)
            run.stdout.readline()
            if between(pid):
                run.stdin.write("\n")
                run.stdin.flush()
        run.wait(60)


def hold_lives(test, name, archive, processes=1):
    """Who was created has begun: a thread of OpenMP, and another one."""
    facts = test.verify_archive(name, archive, Others())
    if "OMPTAPE::SWITCHES" not in facts.properties and processes == 1:
        raise Missing("the kernel's events of threads")
    test.expect(f"{name}: created, begun", (2 * processes, 2 * processes), tuple(facts.events[kind] for kind in ("ThreadCreate", "ThreadBegin")))
    test.expect(f"{name}: creators", {"Master thread"}, facts.who["ThreadCreate"])
    test.expect(f"{name}: created", {"Initial", NAME}, {begun.split()[0] for begun in facts.who["ThreadBegin"]})
    return facts


def lives(test):
    """In a trace, a snapshot, an archive of two processes, and what a killed program leaves."""
    program = test.compile("e2e", "others.c")
    live(test, "trace", [program, "lives"], lambda pid: True)
    facts = hold_lives(test, "trace", test.path("trace", "traces.otf2"))
    test.expect("trace: ended", 2, facts.events["ThreadEnd"])
    paths = []

    def snapshot(pid):
        paths.append(test.command("snapshot", pid).stdout.strip())
        return True

    live(test, "recorder", ["--when-full=overwrite", program, "lives"], snapshot)
    facts = hold_lives(test, "snapshot", test.path(paths[0]))
    test.expect("snapshot: ended, awaited", (0, 0), tuple(facts.events[name] for name in ("ThreadEnd", "ThreadWait")))
    test.verify_archive("recorder", test.path("recorder", "traces.otf2"))
    live(test, "killed", [program, "lives"], lambda pid: os.kill(pid, signal.SIGKILL))
    facts = hold_lives(test, "killed", test.path("killed", "traces.otf2"))
    test.expect("killed: awaited", 0, facts.events["ThreadWait"])
    live(test, "two", ["sh", "-c", f"{program} lives; {program} lives"], lambda pid: True, processes=2)
    facts = hold_lives(test, "two", test.path("two", "traces.otf2"), processes=2)
    test.expect("two: ended", 4, facts.events["ThreadEnd"])
    if test.command("export", "--sqlite", "two.db", "two").returncode == 0:
        with contextlib.closing(sqlite3.connect(test.path("two.db"))) as database:
            arrows = database.execute("SELECT creator.name, thread.name FROM arrow JOIN location AS creator ON creator.id = from_location"
                                      " JOIN location AS thread ON thread.id = to_location"
                                      " WHERE arrow.kind = 'create' AND creator.process = thread.process").fetchall()
        test.expect("two: arrows", (4, {"Master thread"}, {"Initial", NAME}),
                    (len(arrows), {one for one, _ in arrows}, {one.split()[0] for _, one in arrows}))


def killed(test):
    """By SIGKILL: what was read last is there."""
    program = test.compile("e2e", "others.c")

    def kill():
        with subprocess.Popen([test.omptape, "-q", "--force", "-o", "killed", program, "sleep"], stdout=subprocess.PIPE, cwd=test.folder,
                              env=test.environment(), text=True) as run:
            os.kill(int(run.stdout.readline()), signal.SIGKILL)
            run.wait(60)
    trace_others(test, "killed", kill)
    hold(test, "killed", test.path("killed", "traces.otf2"))


def recorder(test):
    """A flight recorder knows OpenMP's threads only at its end, and these are no others."""
    program = test.compile("e2e", "others.c")
    trace_others(test, "recorder", lambda: test.command("-q", "--force", "--when-full=overwrite", "-o", "recorder", program))
    facts = hold(test, "recorder", test.path("recorder", "traces.otf2"))
    test.expect("recorder: others", [NAME], [own["other thread"] for own in facts.others.values()])


def outlived(test):
    """A thread that ends after the program's end, while the writer is busy, has no end: no event is outside of the trace."""
    program = test.compile("e2e", "others.c")
    trace_asked(test, "--when-full=overwrite", "--buffer-size=256M", "-o", "outlived", program, "outlive", OMP_WAIT_POLICY="passive")
    facts = hold(test, "outlived", test.path("outlived", "traces.otf2"))
    if facts.events["ThreadBegin"] == 0:
        raise Missing("the kernel's events of threads")


def many(test):
    """Threads that come and go between two looks are in the sum, at least in part."""
    program = test.compile("e2e", "others.c")
    trace_others(test, "many", lambda: test.command("-q", "--force", "-o", "many", program, "many"))
    facts = hold(test, "many", test.path("many", "traces.otf2"))
    time = int(facts.properties.get("OMPTAPE::OTHER_TIME", "0"))
    if time < 0.05e9:
        test.fail(f"many: OTHER_TIME is {time}")
    length = json.loads(test.command("report", "--json", "-", "many", stderr=subprocess.DEVNULL).stdout)["wall_s"] * 1e9
    said = "without a location of" in " ".join(test.command("report", "many").stdout.split())
    if (time > 0.1 * length and not said) or (time < 0.04 * length and said):
        test.fail(f"many: the report says {said} of threads that ran for {time} of {length} ns")


def moved(test):
    """The processors of a thread are those where the program has put it since its first region."""
    if len(os.sched_getaffinity(0)) < 2:
        raise Missing("two processors")
    program = test.compile("e2e", "moved.c")
    test.command("-q", "-o", "moved", program)
    facts = test.verify_archive("moved", test.path("moved", "traces.otf2"), Others())
    first = str(min(os.sched_getaffinity(0)))
    for name in ("Master thread", "OMP thread 1"):
        own = facts.of.get(name, {})
        test.expect(f"moved: {name}", (first, 1), (own.get("allowed processors"), own.get("allowed processors changes")))
        test.expect(f"moved: {name} before", False, own.get("binding") == first)
    test.expect("moved", ("1", "2"), tuple(facts.properties.get(f"OMPTAPE::{key}") for key in ("PROCESSORS", "ALLOWED_CHANGES")))


class Group:
    """A cgroup with a limit of half a processor, of version 2 or 1."""

    def __init__(self):
        for top, limit, text in (("/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "50000"), ("/sys/fs/cgroup", "cpu.max", "50000 100000")):
            self.folder = os.path.join(top, f"omptape-test-{os.getpid()}")
            try:
                os.mkdir(self.folder)
                with open(os.path.join(self.folder, limit), "w", encoding="ascii") as file:
                    file.write(text)
                self.inner = os.path.join(self.folder, "inner")
                os.mkdir(self.inner)
                return
            except OSError:
                self.remove()
        raise Missing("cgroups cannot be made here")

    def remove(self):
        for folder in (os.path.join(self.folder, "inner"), self.folder):
            if os.path.isdir(folder):
                os.rmdir(folder)

    def counted(self):
        """cpu.stat."""
        with open(os.path.join(self.folder, "cpu.stat"), encoding="ascii") as file:
            return {name: int(number) for name, number in (line.split() for line in file)}

    def join(self):
        """In the child."""
        with open(os.path.join(self.inner, "cgroup.procs"), "w", encoding="ascii") as file:
            file.write("0")


def quota(test):
    """The limit is one of the cgroup above the program's, and stops its threads."""
    turns = test.compile("e2e", "turns.c")
    group = Group()
    try:
        test.command("-q", "-o", "quota", turns, "2", "400", preexec_fn=group.join)
        counted = group.counted()
    finally:
        group.remove()
    facts = test.verify_archive("quota", test.path("quota", "traces.otf2"))
    known = {key.removeprefix("OMPTAPE::"): value for key, value in facts.properties.items() if "::QUOTA" in key}
    test.expect("quota", ("500", group.folder, "100000000"),
                tuple(known.get(key) for key in ("QUOTA", "QUOTA_GROUP", "QUOTA_PERIOD")))
    # On a busy machine the program gets less than the limit.
    test.expect("quota: throttling", True, "QUOTA_THROTTLED" in known and "QUOTA_THROTTLED_TIME" in known)
    said = test.command("info", "quota").stdout
    test.expect("quota: info", True, "0.5 processors for all in" in said)
    report_of_quota(test, {key: int(value) for key, value in known.items() if value.isdigit()}, counted)


def stopped(test):
    """A program that a signal stops: the report says so."""
    program = test.compile("e2e", "others.c")
    test.command("-q", "-o", "stopped", program, "stopped")
    told = json.loads(test.command("report", "--json", "-", "stopped", stderr=subprocess.DEVNULL).stdout)
    blocked = [one for one in told["findings"] if one["kind"] == "blocked"]
    if not any("stopped by a signal or a debugger in " in one["text"] for one in blocked):
        test.fail(f"stopped: {told['findings']}")


def awaited(test):
    """In which call a thread sleeps for which OpenMP's threads wait. A late writer sees too little of it."""
    program = test.compile("e2e", "awaited.c")

    def find(times):
        test.command("-q", "--force", "-o", "out", program, times)
        told = json.loads(test.command("report", "--json", "-", "out", stderr=subprocess.DEVNULL).stdout)
        if "OMPTAPE::SWITCHES" not in test.verify_archive("out", test.path("out", "traces.otf2"), Others()).properties:
            raise Missing("the kernel's events of threads")
        blocked = [(one["text"], one["proposal"]) for one in told["findings"] if one["kind"] == "blocked"]
        found = any("found it in write from store_pieces @awaited.c:" in text and proposal.startswith("write more at a time")
                    for text, proposal in blocked)
        return [] if found else [f"no sleep is in write: {blocked}"]

    test.try_longer(("1", "4", "16"), find)


class Node(Facts):
    """The energy of each zone, in J, as its power says."""

    def __init__(self):
        super().__init__()
        self.used, self._last = {}, {}

    def archive(self, archive):
        super().archive(archive)
        second = archive.definitions.clock_properties.timer_resolution
        self.used = {name: used / second for name, used in self.used.items()}

    def __call__(self, location, event):
        super().__call__(location, event)
        if location.type != LocationType.METRIC:
            return
        name = event.metric.members[0].name
        time, power = self._last.get(name, (event.time, 0))
        self.used[name] = self.used.get(name, 0) + power * (event.time - time)
        self._last[name] = event.time, event.values[0]


def energy(test):
    """By a double of /sys/class/powercap: of each package and its memory, in all readers; once for a node; no sum for a package that
    vanishes, or that is for root only."""
    need_root()
    program = test.compile("e2e", "energy.c")
    inside = 'mount --bind "$0" /sys/class && exec "$@"'
    if test.run("possible", ["unshare", "-m", "true"]).code != 0:
        raise Missing("the rights for unshare -m")

    def trace(name, *arguments, mode=0o644, user=(), **environment):
        for zone, text in (("0", "package-0"), ("0:0", "dram"), ("1", "package-1")):
            folder = test.path("class", "powercap", f"intel-rapl:{zone}")
            os.makedirs(folder, exist_ok=True)
            for file, value in (("name", text), ("max_energy_range_uj", "262143328850"), ("energy_uj", "262142328850")):
                with open(os.path.join(folder, file), "w", encoding="ascii") as out:
                    out.write(f"{value}\n")
            os.chmod(os.path.join(folder, "energy_uj"), mode)
        done = test.run(name, ["unshare", "-m", "sh", "-c", inside, test.path("class"), *user, test.omptape, "-q", "-o", "out",
                               "--force", "--unify=off", program, "/sys/class/powercap", *arguments], environment=environment)
        test.expect(f"{name}: code", 0, done.code)
        return test.path(name, "out", "rank-1" if environment else "")

    def attempt(seconds):
        """Says what a run lacks whose writer began too late."""
        facts = test.verify_archive("trace", os.path.join(trace("trace", seconds), "traces.otf2"), Node())
        sums = facts.properties.get("OMPTAPE::ENERGY")
        if sums != "package-0:3000000 package-0/dram:0 package-1:0" or not 2 < facts.used.get("power of package-0", 0) <= 3.001 or \
                facts.used.get("power of package-1") != 0 or len(facts.used) != 3:
            return [f"trace: {sums}, {facts.used}"]
        return []

    folder = test.path("trace", "out")
    test.try_longer(("1.3", "5", "20"), attempt)
    told = json.loads(test.command("report", "--json", "-", folder, stderr=subprocess.DEVNULL).stdout)
    test.expect("report", (2, 3.0), (told["threads"], told["energy_j"]))
    test.expect("info", True, "node " in test.command("info", folder).stdout)
    test.command("report", "--html", "page.html", folder)
    test.command("export", "--csv", "tables", folder)
    test.command("export", "--perfetto", "out.perfetto", folder)
    with open(test.path("out.perfetto"), "rb") as file:
        test.expect("Perfetto", True, b"power of package-0/dram" in file.read())

    def attempt_vanish(seconds):
        facts = test.verify_archive("vanish", os.path.join(trace("vanish", seconds, "vanish"), "traces.otf2"), Node())
        found = len(facts.used), facts.properties.get("OMPTAPE::ENERGY")
        return [] if found == (3, None) else [f"vanish: {found}"]

    test.try_longer(("1.3", "5", "20"), attempt_vanish)
    ranks = {f"OMPI_COMM_WORLD_{key}": value for key, value in (("RANK", "1"), ("SIZE", "2"), ("LOCAL_RANK", "1"), ("LOCAL_SIZE", "2"))}
    facts = test.verify_archive("second", os.path.join(trace("second", **ranks), "traces.otf2"), Node())
    test.expect("second", ({}, True), (facts.used, "OMPTAPE::ENERGY" in facts.properties))


def report_of_quota(test, known, counted):
    """The finding has cpu.stat's numbers, and proposes as many threads as the limit lets run."""
    stopped, periods = known["QUOTA_THROTTLED"], known["QUOTA_PERIODS"]
    test.expect("quota: as cpu.stat has it", True, 0 <= counted["nr_throttled"] - stopped <= 1 + counted["nr_throttled"] / 5)
    test.command("report", "--json", "quota.json", "quota")
    with open(test.path("quota.json"), encoding="utf-8") as file:
        findings = json.load(file)["findings"]
    found = [one for one in findings if one["kind"] == "quota"]
    if 2 * stopped < periods:  # a busy machine
        return
    test.expect("quota: findings", 1, len(found))
    test.expect("quota: sentence", True, f"0.5 processors: threads were stopped in {stopped} of {periods} periods" in found[0]["text"])
    test.expect("quota: proposal", True, "OMP_NUM_THREADS=1," in found[0]["proposal"])
    if "(cpu.stat)" in found[0]["text"]:  # it had all of its limit
        test.expect("quota: nobody else", [], [one["text"] for one in findings if one["kind"] == "preemption"])


if __name__ == "__main__":
    sys.exit(main(__doc__, {"shown": shown, "killed": killed, "joined": joined, "lives": lives, "recorder": recorder, "outlived": outlived, "many": many, "moved": moved, "stopped": stopped, "awaited": awaited, "quota": quota,
                            "energy": energy}, "e2e.others", stage=("19", "16", "22")))
