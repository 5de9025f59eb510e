# SPDX-License-Identifier: BSD-3-Clause
"""What `omptape report` says of programs of which all is known beforehand: who has which iterations, who holds the lock
that others wait for. The threads sleep, so that no other program changes what comes out.

    tests/run e2e.analysis --build BUILD --runtimes DIR NAME
"""
import json
import re
import sys

import otf2
from otf2.enums import GroupType, LocationGroupType, LocationType, MetricMode, ParameterType, Paradigm, RegionRole, Type

from e2e.messages import CommandResult, expect_result
from harness import main, shares, source_of

STAGE = "19"
BEGIN = """#include <omp.h>
#include <unistd.h>
int main(void)
{
"""
END = "    return 0;\n}\n"


def report(test, body):
    """Of a program with this body of main; the body's first line is line 1. And whether the run was disturbed (rests.h)."""
    source = test.write("known.c", BEGIN + "#line 1\n" + body + END)
    work = test.toolchain.compile(source, test.path("known.out"), flags=["-include", source_of("e2e", "rests.h")])
    told = CommandResult(test, [test.omptape, "-q", "--force", "-o", "out", work], {})
    expect_result(test, "the run", told, 0, [])
    return json.loads(CommandResult(test, [test.omptape, "report", "--json=-", "out"], {}).out), "disturbed" in told.out


LOOPS = """#pragma omp parallel num_threads(4)
    {
#pragma omp for schedule(static)
        for (int i = 0; i < 10; i++)
            usleep(1000);
#pragma omp for schedule(static, 3)
        for (int i = 0; i < 20; i++)
            usleep(1000);
#pragma omp for schedule(static, 5)
        for (int i = 0; i < 10; i++)
            usleep(10000);
#pragma omp for schedule(static)
        for (int i = 0; i < 5; i++)
            usleep(40000);
#pragma omp for schedule(static)
        for (int i = 0; i < 400; i++)
            usleep(i < 100 ? 1000 : 10);
#pragma omp for schedule(dynamic, 8)
        for (int i = 100; i < 141; i++)
            usleep(100);
#pragma omp sections
        {
            usleep(1000);
#pragma omp section
            usleep(80000);
#pragma omp section
            usleep(1000);
        }
        for (int step = 0; step < 3; step++) {
#pragma omp for schedule(static, 2) nowait
            for (int i = 0; i < 6; i++)
                usleep(1000);
        }
    }
"""


def check_loops(test):
    """Iterations of each thread, and why its time differs."""
    everything, disturbed = report(test, LOOPS)
    found = {one["line"]: one for one in everything["loops"]}
    for line, iterations, chunks, shares in ((3, 10, 4, [3, 3, 2, 2]), (6, 20, 7, [6, 6, 5, 3]), (9, 10, 2, [5, 5, 0, 0]),
                                             (12, 5, 4, [2, 1, 1, 1]), (15, 400, 4, [100] * 4), (18, 41, 6, None),
                                             (21, 3, 0, [0] * 4), (30, 18, 9, [6, 6, 6, 0])):
        loop = found.get(line) or found[line + 1]  # clang: dynamic ones at the loop itself
        test.expect(f"line {line}", (iterations, chunks, 4), (loop["iterations"], loop["chunks"], loop["threads"]))
        test.expect(f"line {line}: its threads' iterations", shares or iterations,
                    loop["thread_iterations"] if shares else sum(loop["thread_iterations"]))
        if line == 21:  # who had which section is not known
            continue
        lost = sum(loop[f"lost_to_{reason}_s"] for reason in ("few", "iterations", "cost"))
        test.expect(f"line {line}: all is lost to something", True, abs(lost - loop["wall_s"] + loop["mean_s"]) < 1e-8)
        test.expect(f"line {line}: its threads' time", True,
                    abs(sum(loop["thread_s"]) / 4 - loop["mean_s"]) < 1e-8 and
                    loop["mean_s"] <= max(loop["thread_s"]) <= loop["wall_s"] + 1e-8)
    for line, reason in ((9, "iterations"), (12, "few"), (15, "cost"), (21, "")):
        loop = found[line]
        # Of a busy machine it may be true that a thread had no processor.
        unserved = reason and loop["lost_to_processor_s"] > loop[f"lost_to_{reason}_s"]
        test.expect(f"line {line}: most is lost to", "processor" if unserved else reason, loop["reason"])
    return disturbed


def loops(test):
    test.try_undisturbed(lambda: check_loops(test))


class Made:
    """An archive of a process with two threads that are a team, whose regions are named as omptape names them."""

    def __init__(self, folder):
        self._opened = otf2.writer.open(folder, timer_resolution=10**9)
        archive = self._opened.__enter__()
        self._definitions = archive.definitions
        node = self._definitions.system_tree_node("machine", class_name="machine")
        process = self._definitions.location_group("app", system_tree_parent=node,
                                                   location_group_type=LocationGroupType.PROCESS)
        threads = [self._definitions.location(name, group=process) for name in ("Master thread", "OMP thread 1")]
        device = self._definitions.location_group("device 0", system_tree_parent=node, creating_location_group=process,
                                                  location_group_type=LocationGroupType.ACCELERATOR)
        self._stream = (archive, [self._definitions.location(name, group=device, type=LocationType.ACCELERATOR_STREAM)
                                  for name in ("stream 0", "stream 1")])
        groups = [self._definitions.group(name, group_type=kind, paradigm=Paradigm.OPENMP, members=threads)
                  for name, kind in (("all", GroupType.COMM_LOCATIONS), ("team", GroupType.COMM_GROUP))]
        self.team = self._definitions.comm("team", group=groups[1])
        self.events = [archive.event_writer_from_location(thread) for thread in threads]
        self.iterations = self._definitions.attribute("iterations", type=Type.UINT64)
        self.start = self._definitions.attribute("chunk start", type=Type.INT64)
        self.sched = self._definitions.metric_class([
            self._definitions.metric_member(name, metric_mode=MetricMode.ACCUMULATED_START, value_type=Type.UINT64)
            for name in ("processor time", "run queue wait")])
        self.schedule = self._definitions.parameter("schedule", parameter_type=ParameterType.STRING)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._opened.__exit__(None, None, None)

    def streams(self):
        """Event writers of a device's two streams."""
        archive, streams = self._stream
        return [archive.event_writer_from_location(stream) for stream in streams]

    def region(self, construct, line, function="main"):
        """At /app.c:line."""
        role = {"parallel": RegionRole.PARALLEL, "implicit barrier": RegionRole.IMPLICIT_BARRIER,
                "kernel": RegionRole.FUNCTION, "alloc": RegionRole.ALLOCATE, "delete": RegionRole.DEALLOCATE,
                "transfer": RegionRole.DATA_TRANSFER}.get(construct, RegionRole.LOOP)
        return self._definitions.region(f"!$omp {construct} @app.c:{line}", source_file="/app.c", begin_line_number=line,
                                        description=function, paradigm=Paradigm.OPENMP, region_role=role)

    def named(self, name):
        """A parallel region without a line."""
        return self._definitions.region(name, paradigm=Paradigm.OPENMP, region_role=RegionRole.PARALLEL)

    def parallel(self, begin, late, regions, work):
        """From `begin` on: each thread is `late` and does work(events, time, thread), which returns the time that it is then;
        they meet at the barrier. Returns when all is over. Regions: parallel, implicit barrier."""
        self.events[0].thread_fork(begin, Paradigm.OPENMP, 2)
        ends = []
        for number, events in enumerate(self.events):
            events.thread_team_begin(begin + late[number], self.team)
            events.enter(begin + late[number], regions[0])
            ends.append(work(events, begin + late[number], number))
        for events, end in zip(self.events, ends):
            events.enter(end, regions[1])
            events.leave(max(ends) + 1000, regions[1])
            events.leave(max(ends) + 2000, regions[0])
            events.thread_team_end(max(ends) + 2000, self.team)
        self.events[0].thread_join(max(ends) + 3000, Paradigm.OPENMP)
        return max(ends) + 3000


def read(test, name):
    return json.loads(CommandResult(test, [test.omptape, "report", "--json=-", name], {}).out)


def tiny(test):
    """Many tiny regions: one finding for those of the function that has most, and one for the others; nothing twice."""
    for name, places, expected in (
            ("one", [("one", 1)], {("one", 1): [1]}),
            ("halves", [("one", 1), ("one", 2), ("other", 3), ("more", 4), ("less", 5)],
             {("one", 1): [1, 2, 3, 4, 5]}),
            ("many", [("less", 9), ("other", 3), ("one", 1), ("one", 2), ("one", 7), ("one", 8)],
             {("one", 1): [1, 2, 7, 8], ("less", 9): [9, 3]})):
        with Made(test.path(name)) as made:
            regions = [[made.region(kind, line, function) for kind in ("parallel", "implicit barrier")]
                       for function, line in places]
            begin = 20000
            for one in regions * 100:
                begin = made.parallel(begin, (1000, 5000), one, lambda events, time, thread: time + 2000) + 10000
        found = read(test, name)
        gains = {one["line"]: one["gain_s"] for one in found["regions"] if one["region"].startswith("parallel")}
        test.expect(f"{name}: each region wins 4 of its 10 us: one thread needs 6 for the work of both", {line: 4e-4 for _, line in places}, gains)
        findings = {(one["function"], one["line"]): one for one in found["findings"] if one["kind"] == "tiny_regions"}
        test.expect(f"{name}: findings", {place: (100 * len(lines), round(4e-4 * len(lines), 9))
                                          for place, lines in expected.items()},
                    {place: (one["count"], one["gain_s"]) for place, one in findings.items()})


def chunks(test):
    """Chunks of a microsecond: 0.45 us of it go for getting them. Those of ten microseconds are large enough. Where the
    runtime does not tell the schedule (LLVM 16), a thread that has several chunks took them."""
    for name, schedule, length, expected in (("small", "dynamic", 1000, [(3, 0.0009, 4000)]), ("large", "dynamic", 10000, []),
                                             ("static", "static", 1000, []), ("untold", None, 1000, [(3, 0.0009, 4000)])):
        with Made(test.path(name)) as made:
            loop, chunk, *around = (made.region(kind, line) for kind, line in
                                    (("for", 3), ("for chunk", 3), ("parallel", 2), ("implicit barrier", 2)))

            def work(events, time, _, parts=(loop, chunk, schedule, length)):
                loop, chunk, schedule, length = parts
                events.enter(time, loop, {made.iterations: 4000})
                if schedule:
                    events.parameter_string(time, made.schedule, schedule)
                for number in range(2000):
                    events.enter(time + number * length, chunk, {made.iterations: 1})
                    events.leave(time + (number + 1) * length, chunk)
                events.leave(time + 2000 * length, loop)
                return time + 2000 * length

            made.parallel(1000, (1000, 1000), around, work)
        found = read(test, name)
        test.expect(name, expected, [(one["line"], one["gain_s"], one["count"]) for one in found["findings"]
                                     if one["kind"] == "fine_chunks"])
        test.expect(f"{name}: iterations", (4000, [2000, 2000]),
                    (found["loops"][0]["iterations"], found["loops"][0]["thread_iterations"]))


OUTLIER = 17


def outliers(test):
    """One iteration of a loop takes 300 times as long as the others in each of ten instances: its number, how often, what it
    costs. If its thread had no processor meanwhile it is none, nor if one in four takes as long."""
    for name, long, queued, expected in (("same", (OUTLIER,), 0, [(OUTLIER, 1, 10, 1)]), ("preempted", (OUTLIER,), 3000000, []),
                                         ("many", range(0, 40, 2), 0, [])):
        with Made(test.path(name)) as made:
            loop, chunk, *around = (made.region(kind, line) for kind, line in
                                    (("for", 3), ("for chunk", 3), ("parallel", 2), ("implicit barrier", 2)))
            spent = [[0, 0], [0, 0]]

            def work(events, time, thread, parts=(loop, chunk, long, queued, spent, made)):
                loop, chunk, long, queued, spent, made = parts
                events.enter(time, loop, {made.iterations: 80})
                events.parameter_string(time, made.schedule, "dynamic")
                for number in range(thread * 40, thread * 40 + 40):
                    events.enter(time, chunk, {made.iterations: 1, made.start: number})
                    length = 3000000 if number in long else 10000
                    time += length
                    events.leave(time, chunk)
                    spent[thread][1] += queued if number in long else 0
                    spent[thread][0] += length - (queued if number in long else 0)
                events.leave(time, loop)
                events.metric(time, made.sched, spent[thread])
                return time

            begin = 1000
            for _ in range(10):
                begin = made.parallel(begin, (1000, 1000), around, work) + 1000
        found = read(test, name)
        test.expect(f"{name}: outliers", expected, [(one["number"], one["iterations"], one["count"], one["one_number"])
                                                    for one in found["outliers"] if one["kind"] == "chunk"])
        text = CommandResult(test, [test.omptape, "report", name], {}).out
        said = re.findall(r"iteration 17 takes\s+(\d+)\s+times\s+the\s+median", text)
        test.expect(f"{name}: the text", len(expected), len(said))
        for problem in shares.problems(found, text):
            test.fail(f"{name}: {problem}")
        if expected:
            row = found["outliers"][0]
            test.expect("its ratio", True, 200 < int(said[0]) < 400)
            test.expect("its place", (3, 29.9e-3), (row["line"], round(row["cost_s"], 4)))
            test.expect("the finding", [("outlier", 3)], [(one["kind"], one["line"]) for one in found["findings"][:1]])
            test.expect("how often", True, "in each of 10 instances" in " ".join(text.split()))
            command = next(line for line in text.splitlines() if line.strip().startswith("omptape report --from"))
            test.expect("the command has it", True,
                        "for @app.c:3" in CommandResult(test, [test.omptape, *command.split()[1:], "--all"], {}).out)


def steps(test):
    """A region that is called in two places: from one call to the next there is a long region now and then, which is no
    exception. A pause between the same regions is."""
    for name, long, expected in (("places", range(12, 120, 12), []), ("slow", (60,), [("serial part", 1)])):
        with Made(test.path(name)) as made:
            often = [made.region("parallel", 2), made.region("implicit barrier", 2)]
            other = [made.region("parallel", 5), made.region("implicit barrier", 5)]
            begin = 1000
            for number in range(120):
                begin = made.parallel(begin, (1000, 1000), often, lambda events, time, thread: time + 10000) + 1000
                if name == "places" and number in long:
                    begin = made.parallel(begin, (1000, 1000), other, lambda events, time, thread: time + 12000000) + 1000
                elif number in long:
                    begin += 12000000
            for number, events in enumerate(made.events):
                events.metric(begin, made.sched, (begin, 0))
        kinds = [(one["kind"], one["count"]) for one in read(test, name)["outliers"]]
        test.expect(f"{name}: slow steps or serial parts", expected, [one for one in kinds if one[0] != "instance"])


def templates(test):
    """Names of templates without lines: their arguments are not shown, and those that differ stay different."""
    names = [f"!$omp parallel @Solver<{argument}>::run+0x28" for argument in ("vector<map<int, double> >", "list<int>")]
    names += ["!$omp parallel @Deep<vector<map<int, basic_string<char, allocator...+0x5c"]
    with Made(test.path("templates")) as made:
        around = [made.named(name) for name in names]
        begin = 1000
        for one in around * 10:
            begin = made.parallel(begin, (1000, 1000), (one, made.region("implicit barrier", 2)),
                                  lambda events, time, thread: time + 100000 * (1 + thread)) + 1000
    found = read(test, "templates")
    test.expect("JSON", {name.removeprefix("!$omp ") for name in names},
                {one["region"] for one in found["regions"] if one["region"].startswith("parallel")})
    text = CommandResult(test, [test.omptape, "report", "--all", "templates"], {}).out
    shown = ["parallel @Deep<..>+0x5c", "parallel @Solver<..>::run+0x28", "parallel @Solver<..>::run+0x28 (2)"]
    test.expect("the text", shown, sorted(set(re.findall(r"(parallel @\S+(?: \(\d\))?) loses", " ".join(text.split())))))
    test.expect("numbers", [str(number + 1) for number in range(len(found["findings"]))], re.findall(r"^ +(\d+)\. ", text, re.M))


def devices(test):
    """What the host did while a device was busy or idle: us of wall time. Kernels and transfers are what they are in every
    output; what makes room on the device is neither."""
    with Made(test.path("device")) as made:
        program, target = made.region("program", 1), made.region("target", 2)
        kernel, transfer, alloc, delete = (made.region(what, 2) for what in ("kernel", "transfer", "alloc", "delete"))
        host, (one, other) = made.events[0], made.streams()
        host.enter(1000, program)
        for begin, end in ((20000, 50000), (60000, 100000)):  # waits in target constructs
            host.enter(begin, target)
            host.leave(end, target)
        host.leave(120000, program)
        for stream, region, begin, end in ((one, alloc, 2000, 9000), (one, kernel, 10000, 30000), (other, kernel, 25000, 40000),
                                           (other, transfer, 41000, 41500), (other, delete, 50000, 52000), (one, kernel, 70000, 110000)):
            stream.enter(begin, region)
            stream.leave(end, region)
    device = read(test, "device")["devices"][0]
    expected = {"kernels": 3, "kernel_s": 75e-6, "transfers": 1, "transfer_s": 5e-7, "busy_s": 70.5e-6, "overlap_s": 20e-6,
                "waited_s": 50.5e-6, "idle_waited_s": 19.5e-6}
    test.expect("device", expected, {name: device[name] for name in expected})
    told = CommandResult(test, [test.omptape, "info", "device"], {}).out
    test.expect("info", ["3 in 75.0 us"], re.findall(r"Kernels +(.*)", told))
    test.expect("info: busy", [f"{device['busy_s'] * 1e6:.1f} us"], re.findall(r"Busy +(.* us) with", told))


def answers(test):
    """info sums up by itself what report takes from the analysis: the same question has one answer."""
    with Made(test.path("answers")) as made:
        loop, outer = made.region("for", 3), made.region("masked", 9)

        def work(events, time, thread):
            for inner in range(3 + thread):  # visits within visits of the same region
                events.enter(time, loop)
                events.enter(time + 5000, outer)
                events.enter(time + 9000, loop)
                events.leave(time + 15000 + 1000 * inner, loop)
                events.leave(time + 20000, outer)
                time += 30000 + 7000 * thread
                events.leave(time, loop)
            return time + 1000

        made.parallel(1000, (1000, 4000), (made.region("parallel", 2), made.region("implicit barrier", 2)), work)
    rows = re.findall(r"^ +([\d.]+) us +([\d.]+) us +(\d+)  !\$omp (.*)$", CommandResult(test, [test.omptape, "info", "answers"], {}).out, re.M)
    shown = [(float(exclusive), float(inclusive), int(visits), name) for exclusive, inclusive, visits, name in rows]
    expected = [(*(float(f"{one[what] * 1e6:.3g}") for what in ("exclusive_s", "inclusive_s")), one["visits"]["count"], one["region"])
                for one in read(test, "answers")["regions"]]
    test.expect("regions", 4, len(rows))
    test.expect("exclusive and inclusive time, visits", sorted(expected), sorted(shown))


def stalls(test):
    """Who comes late because the recording had no room for its events is not to be blamed."""
    for name, stalled, expected in (("late", 0, [50e-6]), ("half", 60000, [20e-6]), ("stalled", 100000, [])):
        with Made(test.path(name)) as made:
            def work(events, time, thread, stalled=stalled):
                if thread == 0:
                    return time + 20000
                if stalled > 0:
                    events.buffer_flush(time + 5000, time + 5000 + stalled)
                return time + 120000

            made.parallel(1000, (1000, 1000), (made.region("parallel", 2), made.region("implicit barrier", 2)), work)
        found = read(test, name)
        test.expect(name, expected, [one["gain_s"] for one in found["findings"] if one["kind"] == "imbalance"])
        test.expect(f"{name}: stood still", [0, stalled / 1e9], [one["stalled_s"] for one in found["threads_list"]])
        test.expect(f"{name}: warned", stalled > 0, any("stood still" in one for one in found["warnings"]))


LOCKS = """    omp_lock_t lock;
    int held = 0, asked = 0;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(3) shared(lock, held, asked)
    if (omp_get_thread_num() == 0) {
        omp_set_lock(&lock);
        __atomic_store_n(&held, 1, __ATOMIC_SEQ_CST);
        while (__atomic_load_n(&asked, __ATOMIC_SEQ_CST) < 2)
            usleep(1000);
        usleep(200000);
        omp_unset_lock(&lock);
    } else {
        while (__atomic_load_n(&held, __ATOMIC_SEQ_CST) == 0)
            usleep(1000);
        __atomic_fetch_add(&asked, 1, __ATOMIC_SEQ_CST);
        omp_set_lock(&lock);
        usleep(20000);
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
"""


def locks(test):
    """Who held the lock that others waited for, and where: that is the place of the finding."""
    found, _ = report(test, LOCKS)
    # That the holder sleeps is a finding, too: where threads share a processor it has all that is to win.
    texts = [one["text"] for one in found["findings"] if one["line"] == 6 and one["kind"] in ("lock", "blocked")]
    if not any(text.endswith(" most at omp_set_lock @known.c:16") or "while it has the lock" in text for text in texts):
        test.fail(f"the lock is in no finding: {found['findings']}")
    lock = {one["line"]: one for one in found["locks"]}[16]
    test.expect("at the other place", (2, 2, 2, 1.5),
                tuple(lock[name] for name in ("contended", "threads", "longest_queue", "queue")))
    holders = {one["holder"]["line"]: one for one in found["lock_holders"] if one["line"] == 16}
    test.expect("holders", {6: 2, 16: 1}, {line: one["count"] for line, one in holders.items()})
    test.expect("all waiting is for one of them", True,
                abs(sum(one["waited_s"] for one in holders.values()) - lock["contended_wait_s"]) < 1e-8)
    test.expect("for the first", True, holders[6]["waited_s"] > 0.2)
    test.expect("for the second", True, holders[16]["waited_s"] > 0.019)
    names = {one["location"]: one["name"] for one in found["threads_list"]}
    test.expect("the thread that held it longest", "Master thread", names[holders[6]["longest_location"]])


if __name__ == "__main__":
    sys.exit(main("What the analysis says of programs that are known.", {"loops": loops, "tiny": tiny, "chunks": chunks, "outliers": outliers, "steps": steps, "templates": templates, "devices": devices, "answers": answers, "locks": locks, "stalls": stalls}, "analysis", stage=STAGE))
