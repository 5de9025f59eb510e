# SPDX-License-Identifier: BSD-3-Clause
"""Samples of a program whose shares are known (sample.c): as many in each function as it takes of the processor time,
each with its path to main, of a worker as of the thread that began its team; and what is said where they are refused.
And what a report says of inside.c.

    tests/run e2e.sample --build BUILD --runtimes DIR clang|gcc|begin|gcc_begin|paths|gcc_paths|variants|threads|late|signal|gcc_signal|stacks|gcc_stacks|stripped|levels|gcc_levels|many|paranoid|sandbox|refused|crowded|inside|blocks|profile|counters
"""
import json
import os
import platform
import re
import resource
import subprocess
import sys
from collections import Counter

from harness import STAGES, Missing, Test, Toolchain, main, source_of
from harness.processes import Program
from harness.users import PublicFolder, as_user, need_root

SHARES = {"f": 0.7, "g": 0.2, "h": 0.1}
# Samples are of processor time, so a busy machine does not change the shares. That of f among 600 has an error of 0.02.
ERROR = 0.12
MIN_SAMPLES = 150
OWN_FAULTS = 1.05  # page faults of a loop for each that the program counts
FEW = 10  # samples of the loop around the calls
CROWD = 12           # threads whose usual rings are more than a process may lock (fill_perf.c), but not the smallest
CROWDED_USER = 65533  # nobody else's: others of the user would have no memory, either
NO_EVENTS, NO_LIMIT = 77, 78  # fill_perf.c
STACK_FUNCTIONS = {"main", "all", "sort_in_c", "compare_numbers", "sort_in_cpp", "is_less", "descend", "handle", "on_other_stack",
                   "start_child", "compared", "work", "[stack cut]"}
FLAGS = ("-O2", "-fomit-frame-pointer", "-fno-optimize-sibling-calls")


class Paths:
    """An observer of the checker: the functions of each sample's path, the outermost first."""

    def __init__(self):
        self.paths = []
        self.archive_value = None

    def __call__(self, location, event):
        if type(event).__name__ != "CallingContextSample":
            return
        path, context = [], event.calling_context
        while context is not None:
            path.append((context.region.name, context.source_code_location.line_number))
            context = context.parent
        self.paths.append((location.name, path[::-1]))

    def archive(self, archive):
        self.archive_value = archive.value


def sampled(test, name, command, environment=None):
    """How it ended, and the paths of its samples. There may be none where the writer began late."""
    ended = test.run(name, command, environment)
    seen = Paths()
    test.verify_archive(name, test.path(name, "out", "traces.otf2"), seen)
    if seen.archive_value("SAMPLES_REFUSED") is not None:
        raise Missing("the kernel takes no samples for this user")
    test.expect(f"{name}: exit code", 0, ended.code)
    return ended, seen


def wrong_shares(counts, least=MIN_SAMPLES):
    """A line if the functions have other shares of the samples than of the processor time, or too few."""
    inside = sum(counts[function] for function in SHARES)
    if inside >= least and all(abs(counts[function] / inside - share) <= ERROR for function, share in SHARES.items()):
        return []
    return [f"the samples are {dict(counts)}, expected are shares of {SHARES} of at least {least}"]


def look(test, stage, by=("--sample=1000", "20000", "50000", "200000"), prefix=()):
    """`by`: the option that asks for samples, and how much the program computes."""
    program = test.compile("e2e", "sample.c", output=f"sample-{stage}", flags=FLAGS)

    def attempt(turns):
        # A thread that looks for work for 200 ms gets a fifth of the samples.
        _, seen = sampled(test, "sampled", [*prefix, test.omptape, "-o", "out", "--force", by[0], program, turns],
                          test.environment(OMP_WAIT_POLICY="passive"))
        inside = [(name, path) for name, path in seen.paths if path[-1][0] in SHARES]
        for name, path in inside:
            if [one for one, _ in path] != ["main", "all", path[-1][0]]:
                test.fail(f"{name}: the path of a sample is {path}")
                break
        lacking = wrong_shares(Counter(path[-1][0] for _, path in inside))
        if len(inside) < 0.8 * len(seen.paths):
            lacking.append(f"{len(inside)} of {len(seen.paths)} samples are in f, g and h")
        if not any(name.startswith("OMP thread") for name, _ in inside):
            lacking.append("no sample is of a worker")
        return lacking
    test.try_longer(by[1:], attempt)
    reported = test.run("reported", [test.omptape, "report", test.path("sampled", "out")])
    if "f @sample.c:" not in reported.out.decode(errors='replace'):
        test.fail(f"the report names no function:\n{reported.out.decode(errors='replace')[:2000]}")


def variants(test):
    """The same shares of code from several compilers, of C and of Fortran, at all levels of optimisation: all in one program."""
    ways = [(Toolchain(STAGES[stage], test.options.runtimes), source, family, level)
            for stage, source, family in (("19", "sample.c", "clang"), ("gomp", "sample.c", "gcc"), ("gomp", "sample_variant.f90", "fortran"))
            for level in range(4)]
    objects = {}
    for toolchain, source, family, level in ways:
        name = f"{family}_o{level}"
        flags = ("-c", f"-O{level}", "-fno-optimize-sibling-calls", f"-Dmain={name}")
        if family == "fortran":
            flags = ("-c", f"-O{level}", "-fno-optimize-sibling-calls", "-fno-inline", "-cpp", f"-DNAME={name}", f"-Dtree=tree_{name}")
        objects[name] = toolchain.compile(source_of("e2e", source), os.path.join(test.toolchain.programs(test.build), f"{name}.o"), flags)
    names = " ".join(f"V({name})" for name in objects)
    program = test.compile("e2e", "sample_variants.c", output="variants", flags=(f"-DVARIANTS={names}",), libraries=list(objects.values()))

    def attempt(turns):
        _, seen = sampled(test, "variants", [test.omptape, "-q", "-o", "out", "--force", "--sample=1000", program, turns])
        counts = {one: Counter() for one in (*objects, "?")}
        for _, path in seen.paths:
            functions = [function.rsplit("::", 1)[-1] for function, _ in path]    # Fortran's have their module's name
            inside = [function for function in functions if function in SHARES]
            if inside:
                counts[functions[1] if functions[0] == "main" else "?"][inside[-1]] += 1
        if counts.pop("?"):
            test.fail(f"paths do not begin with main: {[path for _, path in seen.paths if path[0][0] != 'main'][:3]}")
        return [f"{one}: {line}" for one, found in counts.items() for line in wrong_shares(found, MIN_SAMPLES / 2)]
    test.try_longer(("12000", "25000", "100000"), attempt)


def paths(test, stage):
    """A worker's path goes on where its team was forked, whoever called that; a task's where it was created."""
    program = test.compile("e2e", "sample_paths.c", output=f"paths-{stage}", flags=FLAGS)

    def attempt(turns):
        _, seen = sampled(test, "paths", [test.omptape, "-q", "-o", "out", "--force", "--sample=1000", program, turns])
        names = Counter(tuple(one for one, _ in path) for _, path in seen.paths if path[-1][0] == "work")
        callers = {caller: names[("main", caller, "kernel", "work")] for caller in SHARES}
        kernels = sum(count for path, count in names.items() if "kernel" in path)
        lacking = wrong_shares(callers)
        if sum(callers.values()) < 0.95 * kernels:
            lacking.append(f"of {kernels} samples in the teams {sum(callers.values())} have a whole path: {names}")
        tasks = [path for path in names if "kernel" not in path]
        if not any("compare" in path for path in tasks) or not any("fib" in path for path in tasks):
            lacking.append(f"the tasks have no samples: {names}")
        for path in tasks:
            # No sample may have seen the call of the function that creates the task, which is short.
            known = tuple(one for one in path if one != "[calls not seen]")
            begin = ("main", "spawn") if "compare" in path else ("main", "fib")
            if known[:2] != begin:
                test.fail(f"a task's path is {path}, expected {begin}")
        return lacking
    test.try_longer(("150000", "400000", "1600000"), attempt)


def begin(test, stage):
    """Samples come from the program's begin on, also of a short one. One that uses no OpenMP leaves nothing."""
    program = test.compile("e2e", "sample_begin.c", output=f"begin-{stage}", flags=FLAGS)
    unused = test.run("unused", [test.omptape, "-o", "out", program, "20", "unused"])
    test.expect("unused: exit code", 3, unused.code)
    test.expect("unused: lines", ["nothing was traced"], [line.split(": ")[1] for line in unused.err.decode().splitlines()])
    test.expect("unused: archive", False, os.path.exists(test.path("unused", "out")))
    for name, then in (("begin", ()), ("again", ("again",))):
        def attempt(ms, name=name, then=then):
            _, seen = sampled(test, name, [test.omptape, "-q", "-o", "out", "--force", "--sample=1000", program, ms, *then])
            paths = Counter(tuple(function for function, _ in path) for _, path in seen.paths)
            return [] if paths["main", "read_input", "parse"] >= FEW else [f"{name}: the input before the first region has no samples: {paths}"]
        test.try_longer(("150", "1500", "15000"), attempt)
    report = test.run("reported", [test.omptape, "report", test.path("begin", "out")]).out.decode(errors="replace")
    if not any(line.startswith("serial before") and "parse @sample_begin.c" in line for line in report.splitlines()):
        test.fail(f"the report does not name what the serial part does:\n{report}")


def threads(test):
    """Of threads that OpenMP does not know, in a trace, a profile and a flight recorder: reports and exports name what they do."""
    program = test.compile("e2e", "sample_threads.cpp", output="threads", flags=FLAGS)
    for name, option in (("trace", "--when-full=wait"), ("profile", "--profile"), ("recorder", "--when-full=overwrite")):
        out = test.path(name, "out")

        def attempt(ms, name=name, option=option, out=out):
            ended = test.run(name, [test.omptape, "-q", "-o", "out", "--force", option, "--sample=1000", program, ms])
            test.expect(f"{name}: exit code", 0, ended.code)
            seen = Paths()
            if option != "--profile":
                test.verify_archive(name, os.path.join(out, "traces.otf2"), seen)
            told = json.loads(test.run(f"json-{name}", [test.omptape, "report", "--json", "-", out]).out)
            if told["sampled_by"] == "":
                raise Missing("the kernel takes no samples for this user")
            sums = {one["in_function"]: one["inclusive"] for one in told["functions"] if one["thread"] == "pool"}
            if option != "--profile":
                of_pool = sum(place.startswith("pool (") for place, _ in seen.paths)
                test.expect(f"{name}: samples", of_pool, sum(one["count"] for one in told["samples"] if one["thread"] == "pool"))
            inside = sums.get("heavy()", 0) + sums.get("light()", 0)
            if inside < MIN_SAMPLES or abs(sums["heavy()"] / inside - 0.75) > ERROR or sums["alternate(double)"] < inside:
                return [f"{name}: the threads' samples are {sums}"]
            return []
        test.try_longer(("400", "1000", "4000"), attempt)
    out = test.path("trace", "out")
    text = test.command("report", out).stdout
    test.expect("report", True, '2 threads "pool", which OpenMP does not know, ran for' in " ".join(text.split()))
    tree = test.command("report", "--inside", "pool", out).stdout
    test.expect("tree", True, "alternate" in tree and "heavy" in tree and "light" in tree)
    folded = test.command("export", "--folded", "-", out).stdout
    test.expect("folded", True, any("alternate" in line and "heavy" in line for line in folded.splitlines()))


def late(test):
    """The writer looks at a new thread at once: of 60 samples two thirds are there."""
    program = test.compile("e2e", "sample_late.c", output="late", flags=FLAGS)

    def attempt(_):
        _, seen = sampled(test, "late", [test.omptape, "-q", "-o", "out", "--force", "--sample=100", program])
        taken = sum(any(function == "brief" for function, _ in path) for _, path in seen.paths)
        return [] if taken > 40 else [f"of 60 samples {taken} are there"]
    test.try_longer(range(6), attempt)  # of one length: the writer of a busy machine may get no processor in time


def refused(test):
    """A filter of system calls refuses perf_event_open, or ends who calls it: one line says so, and the program runs."""
    program = test.compile("e2e", "sample.c", output="sample-refused", flags=FLAGS)
    refuse = test.compile("e2e", "refuse_perf.c")
    for name, by in (("refused", refuse), ("fatal", test.compile("e2e", "refuse_perf.c", output="fatal_perf", flags=["-DFATAL"]))):
        ended = test.run(name, [by, test.omptape, "-o", "out", "--sample", program])
        test.expect(f"{name}: exit code", 0, ended.code)
        if sum("perf_event_open" in line for line in ended.err.decode(errors='replace').splitlines()) != 1:
            test.fail(f"{name}: expected one line on perf_event_open, found {ended.err!r}")
        seen = Paths()
        test.verify_archive(name, test.path(name, "out", "traces.otf2"), seen)
        test.expect(f"{name}: samples", [], seen.paths)
    unasked = test.run("unasked", [refuse, test.omptape, "-o", "out", program])
    if "perf_event_open" in unasked.err.decode(errors='replace'):
        test.fail(f"unasked: nobody asked for samples, and a line says that there are none: {unasked.err!r}")
    info = test.run("info", [test.omptape, "info", test.path("unasked", "out")]).out.decode(errors='replace')
    if not any("Samples" in line and "seccomp" in line for line in info.splitlines()):
        test.fail(f"info does not say why there are no samples:\n{info[:2000]}")
    folded = test.command("export", "--folded", "-", test.path("unasked", "out"))
    test.expect("export says why, too", (2, True), (folded.returncode, "it has no samples: seccomp" in folded.stdout))


def stacks(test, stage):
    """Stacks that are hard to unwind (sample_stacks.cpp), and what backtrace() says in the program. The program's own samples
    are there however late the writer begins."""
    flags = ("-O2", "-fomit-frame-pointer", "-fno-optimize-sibling-calls", "-rdynamic")
    program = test.compile("e2e", "sample_stacks.cpp", output=f"stacks-{stage}", flags=flags)
    ended = test.run("stacks", [test.omptape, "-q", "-o", "out", "--sample=signal,1000", program])
    test.expect("exit code", 0, ended.code)
    seen = Paths()
    test.verify_archive("stacks", test.path("stacks", "out", "traces.otf2"), seen)
    found = Counter()
    for _, names in seen.paths:
        own = tuple(name for name, _ in names if name in STACK_FUNCTIONS)
        if own and own[-1] == "work":
            found[own] += 1
    compared = tuple(name for name in reversed(ended.out.decode().split()) if name in STACK_FUNCTIONS) + ("work",)
    deep = ("[stack cut]",)
    for begin, end in (((), ("sort_in_c", "compare_numbers")), ((), ("sort_in_cpp", "is_less")), ((), ("descend",) * 61),
                       ((), ("start_child",)), (deep, ("descend",))):
        callers = () if begin else ("main", "all")
        if not any(path[-len(end) - 1:-1] == end and path[:len(callers)] == callers and (path[:-1] == callers + end or begin)
                   and all(one in path for one in begin) for path in found):
            test.fail(f"no sample has the path {(*begin, *callers, *end, 'work')}: {found}")
    if not any("handle" in path for path in found):
        test.fail(f"no sample is in the signal handler: {found}")
    # A worker's path goes on where its team was forked.
    if not any(path[-len(compared):] == compared for path in found) or compared[-2] != "compared":
        test.fail(f"backtrace() says {compared}, the samples {found}")


def stripped(test):
    """Without symbols the paths are whole all the same: .eh_frame is there, and says where functions begin."""
    named = test.compile("e2e", "sample.c", output="sample-named", flags=(*FLAGS, "-g0"))
    program = test.compile("e2e", "sample.c", output="sample-stripped", flags=(*FLAGS, "-s", "-g0"))
    symbols = subprocess.run(["nm", named], check=True, capture_output=True, text=True).stdout
    names = {f"sample-stripped+{int(words[0], 16):#x}": words[2] for words in map(str.split, symbols.splitlines()) if len(words) == 3}

    def attempt(turns):
        _, seen = sampled(test, "stripped", [test.omptape, "-q", "-o", "out", "--force", "--sample=1000", program, turns])
        test.expect("stacks that are cut", "0", seen.archive_value("SAMPLES_CUT"))
        return wrong_shares(Counter(names.get(path[-1][0], path[-1][0]) for _, path in seen.paths))
    test.try_longer(("20000", "50000", "200000"), attempt)


def level_is_told(test, level, expected):
    """A warning of the report, or none."""
    program = test.compile("e2e", "sample.c", output=f"sample{level}", flags=(level, "-g"))

    def attempt(turns):
        _, seen = sampled(test, level, [test.omptape, "-q", "-o", "out", "--force", "--sample=1000", program, turns])
        report = test.run(f"report{level}", [test.omptape, "report", "--json=-", test.path(level, "out")]).out
        warnings = json.loads(report)["warnings"]
        told = [text for text in warnings if text.startswith("sample.c was compiled without optimisation (-O0), ")]
        enough = len(seen.paths) >= MIN_SAMPLES
        return [] if enough and len(told) == expected else [f"{level}: of {len(seen.paths)} samples the warnings are {warnings}"]
    test.try_longer(("20000", "200000"), attempt)


def levels(test):
    """The report says if code in which samples are was compiled without optimisation."""
    level_is_told(test, "-O0", 1)
    level_is_told(test, "-O2", 0)


def many(test):
    """The paths of the 200th thread are whole, too: LLVM's runtime lays its threads' stacks apart by more than a copy has."""
    program = test.compile("bench/programs", "observed.c", output="many")

    def attempt(seconds):
        _, seen = sampled(test, "many", [test.omptape, "-q", "-o", "out", "--force", "--sample=1000", program, "300", seconds, "compute"])
        samples, cut = (int(seen.archive_value(key)) for key in ("SAMPLES", "SAMPLES_CUT"))
        return [] if samples >= MIN_SAMPLES and 4 * cut <= samples else [f"{cut} of {samples} stacks are cut"]
    test.try_longer(("1", "4", "16"), attempt)  # the first samples are cut, until the writer has seen a whole stack


def paranoid(test):
    """As on Debian and Ubuntu, by a double of the setting: one line says so, and --sample=signal is the way out."""
    need_root()
    program = test.compile("e2e", "sample.c", output="sample-paranoid", flags=FLAGS)
    refuse = test.compile("e2e", "refuse_perf.c")
    setting = "/proc/sys/kernel/perf_event_paranoid"
    for level in ("3", "4"):
        with open(test.path(level), "w", encoding="ascii") as file:
            file.write(level + "\n")
        by = ["unshare", "-m", "sh", "-c", f'mount --bind "$0" {setting} && exec "$@"', test.path(level), refuse, test.omptape]
        asked = test.run(f"asked-{level}", [*by, "-o", "out", "--sample", program, "2000"])
        line = f"kernel.perf_event_paranoid is {level} (--sample=signal".encode()
        test.expect(f"{level}: one line", 1, asked.err.count(line))
        info = test.run("info", [test.omptape, "info", test.path(f"asked-{level}", "out")]).out
        test.expect(f"{level}: info", True, f"perf_event_paranoid is {level}".encode() in info)
    signal = test.run("signal", [*by, "-o", "out", "--sample=signal", program, "8000"])
    test.expect("signal: exit code and line", (0, 0), (signal.code, signal.err.count(b"--sample")))
    seen = Paths()
    test.verify_archive("signal", test.path("signal", "out", "traces.otf2"), seen)
    test.expect("signal: samples in f", True, any(path[-1][0] == "f" for _, path in seen.paths))


def sandbox(test):
    """In namespaces of its own, as bubblewrap makes them: users, processes, files that nobody may write; and a clock that is a
    day ahead of the kernel's."""
    clock = ("--time", "--monotonic", "86400") if os.path.exists("/proc/self/timens_offsets") else ()
    inside = ('mount --bind "$PWD" "$PWD" && cd "$PWD" && mount -t tmpfs none /dev/shm && mount -o remount,bind,ro / && '
              'exec "$0" "$@"')
    command = ("unshare", "--user", "--map-root-user", "--mount", "--pid", *clock, "--fork", "--mount-proc", "sh", "-c",
               inside)
    if test.run("possible", [*command, "true"]).code != 0:
        raise Missing("namespaces of users, or mounts there")
    look(test, "sandbox", prefix=command)


def by_signal(test, stage):
    """Where the kernel takes no samples, a signal to each thread does; programs that signals hurt easily go on."""
    refuse = test.compile("e2e", "refuse_perf.c")
    look(test, stage, ("--sample=signal,1000", "40000", "160000"), (refuse,))
    info = test.run("info", [test.omptape, "info", test.path("sampled", "out")]).out.decode(errors="replace")
    test.expect("info says how", True, "by a signal to each thread" in info)
    program = test.compile("e2e", "sample_signals.c", output=f"signals-{stage}")
    ended = test.run("signals", [refuse, test.omptape, "-o", "out", "--sample=signal", program])
    test.expect("signals", (0, b"ok, 4 timers\n"), (ended.code, ended.out))
    seen = Paths()
    test.verify_archive("signals", test.path("signals", "out", "traces.otf2"), seen)
    test.expect("threads with samples", "4", seen.archive_value("SAMPLED_THREADS"))
    test.expect("it is told when the program takes the signal", 1, ended.err.count(b"since the program takes SIGURG itself"))
    busy = test.compile("faults", "busy.c", output=f"busy-{stage}")
    limited = test.run("limited", [test.omptape, "-o", "out", "--sample=signal", busy, "0.1"],
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_SIGPENDING, (0, 0)))
    test.expect("it is told where timers are refused", 1, limited.err.count(b"no samples: the limit on pending signals"))
    if stage == "gcc":  # whose runtime starts the session after main() has begun
        taken = test.run("taken", [test.omptape, "-o", "out", "--sample=signal", program, "taken"])
        test.expect("a program with a handler keeps it", (0, b"ok, 0 timers\n"), (taken.code, taken.out))
        test.expect("and is told", 1, taken.err.count(b"no samples: the program handles SIGURG itself"))


def without_nap(rows):
    asleep = [row["stack"] for row in rows if row["blocked"]]
    return [] if any("nap @" in stack and "nanosleep" in stack for stack in asleep) else [f"no look found nap() asleep in nanosleep: {asleep}"]


def look_inside(test, command, out, line):
    """Says what the samples lack; `line`: of the loop."""
    ended, seen = sampled(test, "inside", command, {"OMPTAPE_LOG": "debug,symbols"})
    read = [line for line in ended.err.decode(errors="replace").splitlines() if "debug information" in line]
    test.expect("lines that end in a blank", [], [line for line in read if line.endswith(" ")])
    if any("/lib/" in line for line in read):
        test.fail(f"debug information is read of the system's libraries: {read}")
    report = json.loads(test.run("json", [test.omptape, "report", "--json", "-", out]).out)
    rows = report["call_paths"]
    test.expect("samples in all", len(seen.paths), sum(row["count"] + row["blocked"] for row in rows))
    lacking = without_nap(rows)
    if not any(command[-2] in line for line in read):
        lacking.append(f"debug information is read of the program: {read}")
    waiting = [row["stack"] for row in rows if row["stack"].endswith("[waiting loop]")]
    if not waiting or not all("spin @" in stack for stack in waiting):
        lacking.append(f"the loop of spin() alone waits: {waiting}")
    sums = {one["in_function"]: one for one in report["functions"]
            if one["region"].startswith("for @") and one["line"] == line}
    counts = {name: sums[name]["inclusive"] if name in sums else 0 for name in ("heavy", "apply", "coarse", "fine")}
    few = max(FEW, counts["heavy"] / 20)
    if abs(counts["heavy"] - counts["apply"]) > few or counts["apply"] == 0 or sums["apply"]["exclusive"] > few:
        lacking.append(f"apply does nothing but to call heavy: {sums}")
    callers = counts["coarse"] + counts["fine"]
    if counts["fine"] == 0 or abs(counts["coarse"] / callers - 0.8) > ERROR:
        lacking.append(f"coarse and fine have {counts} samples, expected 80 and 20 %")
    return lacking


def inside(test):
    """What a report tells of samples: callers, the call that blocks, a loop that waits. No share is of time."""
    program = test.compile("e2e", "inside.c", output="inside", flags=FLAGS)
    with open(source_of("e2e", "inside.c"), encoding="utf-8") as file:
        line = next(number for number, text in enumerate(file, 1) if "HERE" in text)
    out = test.path("inside", "out")
    test.try_longer(("1", "4", "16"), lambda times: look_inside(test, [test.omptape, "-q", "-o", "out", "--force", "--sample=500",
                                                                       "--checkpoint=1", program, times], out, line))
    tree = test.run("tree", [test.omptape, "report", "--inside", f"for@inside.c:{line}", out])
    for name in ("coarse @inside.c", "fine @inside.c", "heavy @inside.c"):
        if name not in tree.out.decode(errors="replace"):
            test.fail(f"--inside does not show {name}:\n{tree.out.decode(errors='replace')}")
    # Without optimisation the frame pointer is needed to go on from nap(). A look does not have it: the frame is searched for.
    plain = test.compile("e2e", "inside.c", output="inside-plain", flags=("-O0",))

    def attempt(times):
        test.run("plain", [test.omptape, "-q", "-o", "out", "--force", plain, times])
        rows = json.loads(test.run("json", [test.omptape, "report", "--json", "-", test.path("plain", "out")]).out)["call_paths"]
        asleep = [row["stack"] for row in rows if row["blocked"] and "nap @" in row["stack"]]
        if platform.machine() == "x86_64" and asleep and not any(re.search("main @[^;]*;nap @", stack) for stack in asleep):
            test.fail(f"the caller of nap() is unknown: {asleep}")
        return without_nap(rows)
    test.try_longer(("1", "4", "16"), attempt)
    same = json.loads(test.run("same", [test.omptape, "compare", "--json", "-", out, out]).out)["functions"]
    test.expect("compared with itself", {0.0}, {one["change_s"] for one in same if one["in_function"] == "heavy"})


def blocks(test):
    """Accesses are far apart in memory by what one thread accesses, not by what all do together."""
    program = test.compile("e2e", "blocks.c", output="blocks", flags=FLAGS)
    test.run("blocks", [test.omptape, "-q", "-o", "out", "--sample=1000", program])
    seen = Paths()
    test.verify_archive("blocks", test.path("blocks", "out", "traces.otf2"), seen)
    if seen.archive_value("SAMPLED_THREADS") == "0":
        raise Missing("the kernel takes no samples for this user")
    far = {path[-2][0] for _, path in seen.paths if path[-1][0] == "[far apart in memory]"}
    if platform.machine() == "x86_64":
        test.expect("functions whose accesses are far apart", {"all"}, far)


def profile(test):
    """A profile has the samples in its sums: all of them, by construct and function, with their paths to main."""
    program = test.compile("e2e", "sample.c", output="sample-profile", flags=FLAGS)
    out = test.path("profile", "out")
    test.try_longer(("20000", "50000", "200000"), lambda turns: profiled(test, program, turns, out))


def profiled(test, program, turns, out):
    ended = test.run("profile", [test.omptape, "-q", "--profile", "-o", "out", "--force", "--sample=1000", program, turns])
    test.expect("exit code", 0, ended.code)
    test.expect("check", 0, test.command("check", "-q", out).returncode)
    taken = next((line.split()[1] for line in test.command("info", out).stdout.splitlines() if "  Samples" in line), "none")
    if not taken.rstrip(",").isdigit():
        raise Missing("the kernel takes no samples for this user")
    report = json.loads(test.run("json", [test.omptape, "report", "--json", "-", out]).out)
    rows = report["call_paths"]
    test.expect("samples in all", int(taken.rstrip(",")), sum(row["count"] + row["blocked"] for row in rows))
    counts = Counter()
    for row in rows:
        counts[row["stack"].split(";")[-1].split(" @")[0]] += row["count"]
    for row in rows:
        names = [frame.split(" @")[0] for frame in row["stack"].split(";")]
        if names[-1] in SHARES and names[:2] != ["main", "all"]:
            test.fail(f"the path of a sample is {row['stack']}")
    return wrong_shares(counts)


def crowded(test):
    """Other processes of the user have locked all that it may lock for events: rings shrink, and all threads have one."""
    need_root()
    files = (test.compile("bench/programs", "observed.c"), test.compile("e2e", "fill_perf.c"),
             test.library, test.built("libexec", "omptape", "omptape-writer"),
             os.path.join(test.toolchain.library_folder, "libomp.so.5"))
    with PublicFolder("crowded", files) as public:
        environment = test.preloaded(LD_PRELOAD=public.at("libomptape.so"), LD_LIBRARY_PATH=public.path,
                                     OMPTAPE_WRITER=public.at("omptape-writer"), OMPTAPE_QUIET="1")

        def attempt(seconds):
            folder = public.make(f"run-{seconds}", CROWDED_USER)
            ended = test.finish(Program("crowded", folder, [public.at("fill_perf"), public.at("observed"), str(CROWD), seconds, "compute"],
                                        environment, **as_user(CROWDED_USER)))
            if ended.code in (NO_EVENTS, NO_LIMIT):
                raise Missing("the kernel takes no samples for this user, or limits nothing")
            test.expect("exit code", 0, ended.code)
            seen = Paths()
            test.verify_archive("crowded", os.path.join(folder, "out", "traces.otf2"), seen)
            found = seen.archive_value("SAMPLED_THREADS")
            return [] if found == str(CROWD) else [f"{found} of {CROWD} threads have samples"]
        test.try_longer(("1", "4", "16"), attempt)


def counters(test):
    """Page faults are counted where they happen, by region and by function. A machine that cannot count says so."""
    program = test.compile("e2e", "counters.c", output="counters", flags=FLAGS)
    with open(source_of("e2e", "counters.c"), encoding="utf-8") as file:
        line = next(number for number, text in enumerate(file, 1) if "HERE" in text)
    out = test.path("counted", "out")

    def attempt(rounds):
        ended, seen = sampled(test, "counted", [test.omptape, "-o", "out", "--force", "--counters=page-faults,context-switches,cycles,nonsense",
                                                program, rounds])
        lines = [text for text in ended.err.decode(errors="replace").splitlines() if "--counters" in text]
        report = json.loads(test.run("json", [test.omptape, "report", "--json", "-", out]).out)
        faults = {row["line"]: row for row in report["counters"]
                  if row["counter"] == "page-faults" and row["region"].startswith("for @")}
        if int(seen.archive_value("COUNTERS_READINGS") or 0) < 40 or line not in faults:
            return [f"{seen.archive_value('COUNTERS_READINGS')} readings, {faults}"]
        if len(lines) != 1 or not ("cycles" in lines[0] or "nonsense" in lines[0]):
            test.fail(f"expected one line on what is not counted: {lines}")
        # What was counted until the first sample of the other loop is shared out between the two.
        # The program's start and the library have some thousand of their own, of which the loop's begin may get a part.
        lacking = []
        if faults[line]["share"] < 0.8 or faults[line]["count"] > OWN_FAULTS * int(ended.out.split()[0]):
            lacking.append(f"nearly all page faults are those of the loop at line {line}: {faults}")
        inside = Counter()  # a function has a row for each of libc's that it calls, too
        for row in report["counted_functions"]:
            if row["counter"] == "page-faults" and row["line"] == line and row["region"].startswith("for @"):
                inside[row["in_function"]] += row["share"]
        return lacking if inside["touch"] >= 0.7 else [*lacking, f"nearly all page faults are in touch(): {inside}"]
    test.try_longer(("150", "1500", "6000"), attempt)
    shown = test.run("shown", [test.omptape, "report", "--all", out]).out.decode(errors="replace")
    if "page-faults: touch @counters.c" not in shown:
        test.fail(f"the report does not name touch():\n{shown}")

    def attempt_default(rounds):
        default = test.run("default", [test.omptape, "-o", "out", "--force", program, rounds])
        info = test.run("info", [test.omptape, "info", test.path("default", "out")]).out.decode(errors="replace")
        test.expect("nobody asked", False, "--counters" in default.err.decode(errors="replace"))
        return [] if "Counters" in info else [f"info does not say what is counted:\n{info[:2000]}"]
    test.try_longer(("1", "150", "1500"), attempt_default)
    off = test.run("off", [test.omptape, "-o", "out", "--sample=off", "--counters=page-faults", program, "1"])
    if off.err.decode(errors="replace").count("counters come with the kernel's samples") != 1:
        test.fail(f"counters without samples: expected one line, found {off.err!r}")


def make(options, name, stage):
    return Test(options, name, "gomp" if options.name.startswith("gcc") else stage)


if __name__ == "__main__":
    sys.exit(main(__doc__, {"clang": lambda test: look(test, "clang"), "gcc": lambda test: look(test, "gcc"),
                            "begin": lambda test: begin(test, "clang"), "gcc_begin": lambda test: begin(test, "gcc"),
                            "paths": lambda test: paths(test, "clang"), "gcc_paths": lambda test: paths(test, "gcc"),
                            "signal": lambda test: by_signal(test, "clang"), "gcc_signal": lambda test: by_signal(test, "gcc"),
                            "stacks": lambda test: stacks(test, "clang"), "gcc_stacks": lambda test: stacks(test, "gcc"),
                            "variants": variants, "threads": threads, "late": late, "stripped": stripped, "levels": levels, "gcc_levels": levels, "many": many, "paranoid": paranoid, "sandbox": sandbox, "refused": refused, "crowded": crowded, "inside": inside, "blocks": blocks, "profile": profile, "counters": counters},
                  "e2e.sample", make=make, stage=("19", "16", "22")))
