# SPDX-License-Identifier: BSD-3-Clause
"""`omptape export`: what it makes of an archive of every kind (tests/readers/kinds.py) against what Python's otf2 says of
the archive. Every packet is decoded by protoc with Perfetto's public field numbers.

    tests/run export.export --build BUILD --runtimes DIR host|devices|processes|cut|...
"""
import collections
import csv
import gzip
import io
import json
import os
import re
import resource
import shutil
import subprocess
import sys
from xml.etree import ElementTree

import otf2
from otf2.enums import GroupType, LocationGroupType, Paradigm, RegionRole, Type

from e2e.flooding import Flood
from emulator.setting import Setting
from export import decoding, expecting
from export.making import Making
from harness import Test, main, pages
from page import hostile
from readers import kinds

COLUMNS = ("time_ns,location,process,thread,event,name,file,line,team,member,generation,lock,order,remote,matching,bytes,"
           "value,attributes").split(",")


class Exports(Test):
    """Exports archives and reads what comes out."""

    def __init__(self, options, name, stage):
        super().__init__(options, name, stage)
        self.protos = decoding.messages(self.folder, "perfetto")

    def export(self, name, *words, archive):
        """The file that the command makes; it must say nothing more."""
        path = self.path(name)
        kind = "--csv" if name.endswith((".csv", ".csv.gz")) else "--perfetto"
        done = self.command("export", kind, path, *words, archive)
        self.expect(f"export {' '.join(words)} of {archive}", (0, [], 1),
                    (done.returncode, re.sub(r"^omptape: wrote .* \([0-9.]+ \w+\)\n", "", done.stdout).splitlines(), done.stdout.count("wrote")))
        return path

    def trace(self, name, *words, archive):
        data = decoding.load(self.export(name, *words, archive=archive))
        known, packets = decoding.protoc_knows(data)
        trace = decoding.Trace(self.protos, data)
        self.expect(f"{name}: protoc decodes every packet", (True, trace.packets), (known, packets))
        return trace

    def table(self, name, *words, archive):
        opener = gzip.open if name.endswith(".gz") else open
        with opener(self.export(name, *words, archive=archive), "rt", newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        self.expect(f"{name}: columns", COLUMNS, rows[0])
        if any(len(row) != len(COLUMNS) for row in rows):
            self.fail(f"{name}: a row has not all columns")
        return [dict(zip(COLUMNS, row)) for row in rows[1:]]


def track_names(expected, location):
    """How a location's track is called, with those above it."""
    process = expected.process(location)
    device = (location.group.name,) if location.group != process else ()
    return (process.name, *device, location.name)


class Comparison:
    """One trace and what is expected of it."""

    def __init__(self, test, name, trace, expected):
        self.test, self.name, self.trace, self.expected = test, name, trace, expected
        by_names = collections.defaultdict(list)
        for uuid in trace.tracks:
            by_names[trace.named(uuid)].append(uuid)
        self.track_of = {}
        for location in expected.locations:
            found = by_names[track_names(expected, location)]
            if found:
                self.track_of[location] = found.pop(0)  # of one name: in the archive's order
        self.location_of = {track: location for location, track in self.track_of.items()}
        self.by_names = by_names

    def say(self, what, expected, found):
        self.test.expect(f"{self.name}: {what}", expected, found)

    def tracks(self):
        """Each location that holds regions has its track, in the archive's order below its process."""
        holds = [one for one in self.expected.locations if one.type != expecting.otf2.LocationType.METRIC]
        self.say("tracks of locations", set(holds), set(self.track_of))
        ranks = collections.defaultdict(list)
        for location in self.expected.locations:
            if location not in self.track_of:
                continue
            track = self.trace.tracks[self.track_of[location]]
            ranks[track.parent_uuid].append(track.sibling_order_rank)
            parent = self.trace.tracks[track.parent_uuid]
            self.say("order of children", parent.EXPLICIT, parent.child_ordering)
            if location.group == self.expected.process(location):
                self.say("a thread of its process", (parent.process.pid, location.name),
                         (track.thread.pid, track.thread.thread_name))
        for found in ranks.values():
            self.say("ranks", sorted(set(found)), found)
        pids = [track.process.pid for track in self.trace.tracks.values() if track.HasField("process")]
        self.say("processes", len(set(pids)), len(pids))
        known = [int(pid) for pid in self.expected.pids.values() if pid is not None]
        if len(set(known)) == len(known):
            self.say("process numbers", set(known), set(pids))
        threads = [(one.thread.pid, one.thread.tid) for one in self.trace.tracks.values() if one.HasField("thread")]
        self.say("numbers of threads", len(set(threads)), len(threads))
        told = {location: int(number) for location, number in self.expected.numbers.items() if location in self.track_of}
        if len(set(told.values())) == len(told) and len(set(known)) == len(known):
            self.say("the system's numbers of threads", told,
                     {location: self.trace.tracks[self.track_of[location]].thread.tid for location in told})
        self.say("time of the start", self.expected.realtime, self.trace.realtime)

    def slices(self):
        for location, track in self.track_of.items():
            wanted, found = self.expected.slices[location], self.trace.slices(track)
            if wanted != found:
                at = next((i for i, pair in enumerate(zip(wanted, found)) if pair[0] != pair[1]), min(len(wanted), len(found)))
                self.test.fail(f"{self.name}: {location.name}: {len(found)} begins and ends, expected {len(wanted)}; at {at}: "
                               f"{found[at:at + 2]}, expected {wanted[at:at + 2]}")

    def flows(self):
        found, creations = collections.Counter(), self.ends_of_creations()
        for flow in self.trace.flows.values():
            if flow.end is None:
                continue
            ends = [self.location_of[track] for track, _ in flow]
            kind = expecting.kind_of(flow)
            if flow.begin[1].time > flow.end[1].time:
                self.test.fail(f"{self.name}: a flow ends before it begins: {flow}")
            if kind is None:
                begin = flow.begin[1]
                kind = expecting.TASK if "task" in begin.category or id(begin) in creations else expecting.LOCK
            if not (kind == expecting.FORK and ends[0] == ends[1]):  # a member that did not come
                found[kind, *ends] += 1
        self.say("flows", self.expected.arrows, found)

    def ends_of_creations(self):
        """The ends (by id) of the slices that create a task."""
        found = set()
        for events in self.trace.events.values():
            opened = []
            for one in events:
                if one.type == "B":
                    opened.append(one)
                elif one.type == "E" and "create task" in opened.pop().name:
                    found.add(id(one))
        return found

    def counters(self):
        wanted, found = {}, {}
        for (whose, name), values in self.expected.counters.items():
            names = (*(track_names(self.expected, whose) if whose in self.track_of else ()), name)
            if whose not in self.track_of:  # a process's, or of a location that holds only values
                names = (*((whose.name,) if whose in self.expected.groups else track_names(self.expected, whose)[:-1]), name)
            wanted.setdefault(names, []).append(values)
        for uuid, values in self.trace.counters.items():
            found.setdefault(self.trace.named(uuid), []).append(values)
        for lists in (*wanted.values(), *found.values()):
            lists.sort()
        self.say("counters", wanted, found)

    def markers(self):
        found = sum(event.category == ["marker"] for events in self.trace.events.values() for event in events)
        self.say("markers", len(self.expected.markers), found)

    def whole(self):
        self.tracks()
        self.slices()
        self.flows()
        self.counters()
        self.markers()


def compare_table(test, name, path, expected):
    rows = test.table(f"{name}.csv.gz", archive=path)
    wanted = [(time, location.name, event, region.name if region else None) for time, location, event, region in
              expected.events]
    found = [(int(row["time_ns"]), row["thread"], row["event"], row["name"] if row["event"] in ("Enter", "Leave") else None)
             for row in rows]
    if wanted != found:
        at = next((i for i, pair in enumerate(zip(wanted, found)) if pair[0] != pair[1]), min(len(wanted), len(found)))
        test.fail(f"{name}: {len(found)} rows, expected {len(wanted)}; at {at}: {found[at:at + 1]}, expected {wanted[at:at + 1]}")


def group(kind):
    def test(exports):
        for name, path, _ in kind(exports):
            if not os.path.exists(path):
                continue
            name = name.replace(" ", ".")
            expected = expecting.Expected(path)
            trace = exports.trace(f"{name}.pftrace.gz", archive=path)
            Comparison(exports, name, trace, expected).whole()
            compare_table(exports, name, path, expected)
            print(f"{name}: {len(expected.events)} events, {trace.packets} packets, {sum(expected.arrows.values())} arrows")
    test.__doc__ = kind.__doc__
    return test


def traced_loops(test):
    """An archive of many parallel regions, and what is expected of it."""
    path = kinds.traced(test, "loops", [test.compile("programs", "parallel_repeat.c")])
    return path, expecting.Expected(path)


def clipped(slices, begin, end):
    """Begins and ends as (type, time, name), between two times; what is open there begins and ends there."""
    found, stack, opened = [], [], False
    for one in slices:
        if one[1] > end:
            break
        if one[1] >= begin and not opened:
            found += [("B", begin, name) for name in stack]
            opened = True
        name = one[2] if one[0] == "B" else stack.pop()
        if one[0] == "B":
            stack.append(name)
        if opened:
            found.append((one[0], one[1], name))
    if not opened:
        found += [("B", begin, name) for name in stack]
    last = end if slices and slices[-1][1] > end else max(begin, slices[-1][1] if slices else begin)
    return found + [("E", last, name) for name in reversed(stack)]


def plain(slices):
    """Slices of a trace as clipped() has them."""
    found, stack = [], []
    for one in slices:
        if one[0] == "B":
            stack.append(one[2])
        found.append((one[0], one[1], stack[-1] if one[0] == "B" else stack.pop()))
    return found


def third_visit(expected):
    """(begin, end, words) of each thread's third visit of a parallel region."""
    name = next(region.name for _, _, _, region in expected.events if region and region.name.startswith("!$omp parallel"))
    times = []
    for slices in expected.slices.values():
        stack, visits = [], 0
        for one in slices:
            if one[0] == "B":
                visits += one[2] == name
                stack.append((one[2] == name and visits == 3, one[1]))
            else:
                third, begin = stack.pop()
                times += [begin, one[1]] if third else []
    words = name.removeprefix("!$omp ").replace(" ", "") + ":3"
    return min(times), max(times), ["--from", words, "--to", words]


def window(test):
    """--from and --to, in all units: events within them, what is open there cut, arrows that begin within."""
    path, expected = traced_loops(test)
    last = max(time for time, *_ in expected.events)
    middle = sorted(time for time, *_ in expected.events)[len(expected.events) // 2]
    for number, (begin, end, words) in enumerate((
            (0, last, []), (middle, last, ["--from", f"{middle}ns"]), (0, middle, [f"--to={middle}ns"]),
            (last // 3 // 1000 * 1000, last // 2 // 1000 * 1000,
             ["--from", f"{last // 3 // 1000 / 1e6:.6f}", "--to", f"{last // 2 // 1000}us"]),
            (middle, middle, [f"--from={middle}ns", f"--to={middle}ns"]),
            third_visit(expected))):
        trace = test.trace(f"window{number}.pftrace", *words, archive=path)
        comparison = Comparison(test, f"window {words}", trace, expected)
        for location, track in comparison.track_of.items():
            test.expect(f"{words}: {location.name}", clipped(expected.slices[location], begin, end), plain(trace.slices(track)))
        for flow in trace.flows.values():
            if not begin <= flow.begin[1].time <= end or flow.end and not begin <= flow.end[1].time <= end:
                test.fail(f"{words}: a flow outside: {flow}")
        rows = test.table(f"window{number}.csv", *words, archive=path)
        edges = [row for row in rows if row["attributes"] in ("window=begin", "window=end")]
        test.expect(f"{words}: rows", sum(begin <= time <= end for time, *_ in expected.events), len(rows) - len(edges))
        for location in comparison.track_of:
            visits = [({"Enter": "B", "Leave": "E"}[row["event"]], int(row["time_ns"]), row["name"]) for row in rows
                      if row["event"] in ("Enter", "Leave") and int(row["location"]) == location._ref]
            test.expect(f"{words}: {location.name}: rows", clipped(expected.slices[location], begin, end), visits)


def threads(test):
    """--threads: these locations alone, and the processes that they are of."""
    path, expected = traced_loops(test)
    for words, chosen in ((["--threads=1"], [1]), (["--threads", "0,1-7"], [0, 1]), (["--threads=0:0"], [0]),
                          (["--threads=OMP thread 1"], [1]), (["--threads=all"], [0, 1])):
        trace = test.trace("threads.pftrace", *words, archive=path)
        locations = [expected.locations[number] for number in chosen]
        found = Comparison(test, f"threads {words}", trace, expected)
        test.expect(f"{words}: tracks", set(locations), set(found.track_of))
        test.expect(f"{words}: processes", 1,
                    sum(track.HasField("process") for track in trace.tracks.values()))
        for location in locations:
            test.expect(f"{words}: {location.name}", expected.slices[location], trace.slices(found.track_of[location]))
        rows = test.table("threads.csv", *words, archive=path)
        test.expect(f"{words}: rows", collections.Counter(location.name for _, location, *_ in expected.events
                                                          if location in locations),
                    collections.Counter(row["thread"] for row in rows))


def durations(test):
    """--min-duration: the regions that last as long, and no others; their places in those around them."""
    path, expected = traced_loops(test)
    for least in (1, 2000, 10**6, 10**12):
        trace = test.trace("durations.pftrace", f"--min-duration={least}ns", archive=path)
        comparison = Comparison(test, f"durations {least}", trace, expected)
        left = 0
        for location, track in comparison.track_of.items():
            stack, wanted = [], []
            for one in expected.slices[location]:
                if one[0] == "B":
                    stack.append([one[1], one[2], len(wanted)])
                    wanted.append(None)
                    continue
                since, name, place = stack.pop()
                if one[1] - since >= least:
                    wanted[place] = ("B", since, name)
                    wanted.append(("E", one[1], name))
            wanted = [one for one in wanted if one is not None]
            left += len(wanted)
            test.expect(f"{least} ns: {location.name}", wanted, plain(trace.slices(track)))
        print(f"{least} ns: {left} begins and ends")
        if least == 1 and left == 0 or least == 10**12 and left > 0:
            test.fail(f"{least} ns: {left} begins and ends")
        test.expect(f"{least} ns: arrows", {}, trace.flows)


def files(test):
    """The file: packed, complete, in the place of an own one, and as it was before when nothing comes of it."""
    path, _ = traced_loops(test)
    one, other = (decoding.load(test.export(name, archive=path)) for name in ("plain.pftrace", "packed.pftrace.gz"))
    test.expect("packed and plain", True, one == other)
    test.expect("a field that Perfetto has not", False, decoding.protoc_knows(one + b"\x0a\x03\x98\x3f\x01")[0])
    for name in ("again.csv", "again.csv.gz"):
        test.write(name, "old\n", 0o600)
        test.export(name, archive=path)
        test.expect(f"{name}: mode", 0o644, os.stat(test.path(name)).st_mode & 0o777)
        test.expect(f"{name}: begin", b"time_ns," if name.endswith("csv") else b"\x1f\x8b\x08",
                    open(test.path(name), "rb").read()[:8 if name.endswith("csv") else 3])
    folder = test.path("folder")
    os.makedirs(folder)
    done = test.command("export", "--csv", "here.csv", path, cwd=folder)
    test.expect("a name without a folder", (0, ["here.csv"]), (done.returncode, os.listdir(folder)))
    done = test.command("export", "--csv", "-", path)
    test.expect("on the standard output", (0, open(os.path.join(folder, "here.csv"), encoding="utf-8").read()),
                (done.returncode, done.stdout))
    # A limit of the file's size stands in for a full disk.
    done = test.command("export", "--csv", "here.csv", path, cwd=folder,
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536)))
    test.expect("too large: exit code", 2, done.returncode)
    if "here.csv: " not in done.stdout or len(done.stdout.splitlines()) != 1 or "damaged" in done.stdout:
        test.fail(f"too large: it says {done.stdout!r}")
    test.expect("too large: what is left", ["here.csv"], os.listdir(folder))
    test.expect("too large: the file before", True, os.path.getsize(os.path.join(folder, "here.csv")) > 65536)


CREATE, SWITCH, COMPLETE = "thread_task_create", "thread_task_switch", "thread_task_complete"
TASK = ("team", 0, 1)
UNKNOWN = 2**64 - 1
# (what, events of t0, events of t1): arrows [(from, time, to, time)], instants [(thread, name)].
ODD = (
    ("a task", [(10, "enter", "create task"), (10, CREATE, *TASK), (10, "leave", "create task")],
     [(15, SWITCH, *TASK), (15, "enter", "task"), (20, "leave", "task"), (20, COMPLETE, *TASK)], [("t0", 10, "t1", 15)], []),
    ("a task that begins before its creation is over", [(10, "enter", "create task"), (10, CREATE, *TASK),
                                                        (30, "leave", "create task")],
     [(15, SWITCH, *TASK), (15, "enter", "task"), (20, "leave", "task"), (20, COMPLETE, *TASK)], [("t0", 15, "t1", 15)],
     [("t0", "create task")]),
    ("a creation without a region", [(5, "enter", "for"), (10, CREATE, *TASK), (40, "leave", "for")],
     [(15, SWITCH, *TASK), (15, "enter", "task"), (20, "leave", "task")], [("t0", 10, "t1", 15)], [("t0", "create task")]),
    ("a task that never runs", [(10, "enter", "create task"), (10, CREATE, *TASK), (10, "leave", "create task")],
     [(12, "enter", "for"), (15, COMPLETE, *TASK), (20, "leave", "for")], [("t0", 10, "t1", 20)], []),
    ("a task of which nothing more is known", [(10, "enter", "create task"), (10, CREATE, *TASK), (10, "leave", "create task")],
     [], [], []),
    ("regions that are not left, left twice and left in another order",
     [(10, "enter", "for"), (11, "enter", "task"), (12, "leave", "for"), (13, "leave", "task"), (14, "enter", "critical")],
     [(20, "leave", "for"), (30, "enter", "for")], [], []),
    ("a lock", [(10, "enter", "critical"), (20, "thread_release_lock", Paradigm.OPENMP, 7, 1), (20, "leave", "critical")],
     [(12, "enter", "critical"), (21, "thread_acquire_lock", Paradigm.OPENMP, 7, 2), (25, "leave", "critical")],
     [("t0", 20, "t1", 25)], []),
    ("a thread that is created and awaited", [(10, "thread_create", "team", 1), (31, "thread_wait", "team", 1)],
     [(11, "thread_begin", "team", 1), (30, "thread_end", "team", 1)], [("t0", 10, "t1", 11), ("t1", 30, "t0", 31)],
     [("t0", "create thread"), ("t0", "thread awaited"), ("t1", "thread begins"), ("t1", "thread ends")]),
    ("threads without creation, begin or wait", [(10, "thread_create", "team", 1)],
     [(11, "thread_begin", "team", UNKNOWN), (30, "thread_end", "team", UNKNOWN)], [], [("t0", "create thread")]),
)


def odd(test):
    """Archives in which something is missing or in another order than omptape's."""
    for number, (what, first, second, arrows, instants) in enumerate(ODD):
        folder = test.path(f"odd{number}")
        Making(folder, (first, second))
        trace = test.trace(f"odd{number}.pftrace", archive=folder)
        names = {uuid: track.name for uuid, track in trace.tracks.items()}
        start = min(event[0] for event in first + second)  # otf2's writer begins the trace at its first event
        for uuid, name in names.items():
            begins = [event for event in (first, second)[name == "t1"] if event[1] == "enter"] if name in ("t0", "t1") else []
            found = [one for one in trace.slices(uuid) if one[0] == "B"]
            test.expect(f"{what}: begins of {name}", [(event[0] - start, event[2]) for event in begins],
                        [(one[1], one[2]) for one in found])
        test.expect(f"{what}: arrows", [(a, s - start, b, t - start) for a, s, b, t in arrows],
                    [(names[flow.begin[0]], flow.begin[1].time, names[flow.end[0]], flow.end[1].time)
                     for flow in trace.flows.values() if flow.end])
        test.expect(f"{what}: instants", instants, [(names[uuid], event.name) for uuid, events in trace.events.items()
                                                    for event in events if event.type == "I"])


def told(test, *words, **environment):
    """What a command says, which must be UTF-8 without what XML does not allow."""
    done = subprocess.run([test.omptape, *words], env=test.environment(**environment), stdout=subprocess.PIPE, check=False)
    try:
        text = done.stdout.decode()
    except UnicodeDecodeError as reason:
        test.fail(f"{' '.join(words)}: {reason}")
        return done.stdout.decode(errors="replace")
    test.expect(f"{' '.join(words)}: ends", words[0] == "check" or done.returncode == 0, True)
    test.expect(f"{' '.join(words)}: what XML does not allow", None, re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", text))
    return text


def names(test):
    """Names that are no UTF-8: every output has U+FFFD in their place, and whoever reads it can."""
    archive = hostile.write_bytes(test.path("archive"))
    forms = {"--json=-": json.loads, "--csv=-": lambda text: list(csv.reader(io.StringIO(text, newline=""), strict=True)),
             "--svg=-": lambda text: ElementTree.fromstring(text).itertext(), "--html=-": pages.data, "--all": str}
    for word, read in forms.items():
        text = told(test, "report", word, archive, LC_ALL="C.UTF-8")
        whole = repr(list(read(text)) if word == "--svg=-" else read(text))
        test.expect(f"{word}: U+FFFD", True, "<00\ufffd" in whole)
        test.expect(f"{word}: noncharacters", None, re.search("[\ufffe\uffff]|\\\\ufff[ef]", whole))
    for words in (["info"], ["info", "--sizes"], ["check", "--all"], ["compare", archive]):
        told(test, *words, archive, LC_ALL="C.UTF-8")
        told(test, *words, archive, LC_ALL="C")
    rows = test.table("names.csv", archive=archive)
    regions = {row["name"] for row in rows if row["event"].lower() == "enter"}
    trace = test.trace("names.pftrace", archive=archive)
    test.expect("the same in Perfetto", regions, {event.name for events in trace.events.values() for event in events if event.type == "B"})
    bad = [len(one) if one[0] > 0x7f and one not in (b"\xef\xbf\xbe", b"\xef\xbf\xbf") else 1 for one in hostile.BAD_BYTES]
    wanted = {f"!$omp for @<{number:02}{sign}><{number:02}{sign}" for number, (one, count) in enumerate(zip(hostile.BAD_BYTES, bad))
              for sign in ("???" if one[0] < 0x20 else "\ufffd" * count,)}
    test.expect("regions", wanted, regions)


def calls(test):
    """A call of MPI's is shown with its place, if that is known; of a place that is no region's the function is.
    A reference to a communicator is its number, of which libotf2 sets half of the bits."""
    with otf2.writer.open(test.path("calls"), timer_resolution=10**9) as archive:
        definitions = archive.definitions
        node = definitions.system_tree_node("machine", class_name="machine")
        process = definitions.location_group("app", system_tree_parent=node, location_group_type=LocationGroupType.PROCESS)
        writer = archive.event_writer_from_location(definitions.location("t0", group=process))
        function = definitions.region("MPI_Recv", source_file="MPI", region_role=RegionRole.POINT2POINT, paradigm=Paradigm.MPI)
        place = definitions.region("MPI_Recv @a.c:5", source_file="/a.c", begin_line_number=5, end_line_number=5,
                                   region_role=RegionRole.POINT2POINT, paradigm=Paradigm.MPI)
        site = definitions.attribute("call site", "where", Type.REGION)
        definitions.group("everyone", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI, members=[])
        world = definitions.comm("world", group=definitions.group("world", group_type=GroupType.COMM_GROUP,
                                                                  paradigm=Paradigm.MPI, members=[]))
        awaited = definitions.attribute("awaited", "a communicator", Type.COMM)
        for begin, attributes in ((1000, {site: place, awaited: world}), (2000, None)):
            writer.enter(begin, function, attributes)
            writer.leave(begin + 10, function)
    trace = test.trace("calls.pftrace", archive=test.path("calls"))
    test.expect("slices", [[("B", 0, "MPI_Recv @a.c:5", [("awaited", 0), ("call site", "MPI_Recv @a.c:5"), ("file", "/a.c"), ("line", 5)]),
                            ("E", 10, []), ("B", 1000, "MPI_Recv", [("file", "MPI")]), ("E", 1010, [])]],
                [trace.slices(uuid) for uuid, track in trace.tracks.items() if track.name == "t0"])
    test.expect("attributes", ["call site=MPI_Recv @a.c:5;awaited=0", ""],
                [row["attributes"] for row in test.table("calls.csv", archive=test.path("calls")) if row["event"] == "Enter"])


def refusals(test):
    """What is no archive, a damaged one, or none of it, makes no file; what is no plain file is not replaced."""
    path, _ = traced_loops(test)
    for words, said in (("--threads=9", "it holds none of the threads 9"), ("--threads=1:0", "it holds none of the threads 1:0"),
                        ("--threads=thread", "it holds none of the threads thread"), ("--from=1000", "s long: nothing is behind --from")):
        for kind in ("--perfetto", "--csv"):
            done = test.command("export", kind, "none", words, os.path.dirname(path))
            if done.returncode != 2 or said not in done.stdout or len(done.stdout.splitlines()) != 1:
                test.fail(f"{words}: exit {done.returncode}, {done.stdout!r}")
            test.expect(f"{words}: a file", False, os.path.exists(test.path("none")))
    victim = os.path.dirname(path)
    target = test.write("target", "not to be touched\n")
    os.symlink(target, test.path("link"))
    os.mkfifo(test.path("pipe"))
    os.makedirs(test.path("directory"))
    for name, said in (("link", "is a link of"), ("pipe", "is no regular file"), ("directory", "is no regular file"),
                       ("directory/", "Is a directory")):
        done = test.command("export", "--perfetto", name, victim)
        if done.returncode != 2 or said not in done.stdout or len(done.stdout.splitlines()) != 1:
            test.fail(f"{name}: exit {done.returncode}, {done.stdout!r}")
    done = test.command("export", "--sqlite", "-", victim)
    test.expect("a database to the standard output", (2, True), (done.returncode, "a database needs a file" in done.stdout))
    test.expect("what the link names", "not to be touched\n", open(target, encoding="utf-8").read())
    events = max((os.path.join(victim, "traces", one) for one in os.listdir(os.path.join(victim, "traces"))), key=os.path.getsize)
    for what, change in (("cut", lambda: os.truncate(events, os.path.getsize(events) // 2)),
                         ("without definitions", lambda: os.remove(os.path.join(victim, "traces.def"))),
                         ("not there", lambda: shutil.rmtree(victim))):
        change()
        for kind in ("--perfetto", "--csv"):
            old = test.write("old", "old\n")
            done = test.command("export", kind, "old", victim)
            if done.returncode != 2 or not done.stdout.startswith("omptape: export: ") or len(done.stdout.splitlines()) != 1:
                test.fail(f"{what}: exit {done.returncode}, {done.stdout!r}")
            test.expect(f"{what}: the file before", "old\n", open(old, encoding="utf-8").read())
    left = {name for name in os.listdir(test.folder) if name.startswith(".")}
    test.expect("hidden files that are left", set(), left)


class Devices(Exports, Setting):
    """Can emulate a device."""


class Cut(Exports, Flood):
    """Can flood the buffers."""


MADE_BY = {kinds.host: (Exports, "19"), kinds.devices: (Devices, "22"), kinds.processes: (Exports, "19"), kinds.cut: (Cut, "19")}
TESTS = {**{kind.__name__: group(kind) for kind in MADE_BY},
         **{test.__name__: test for test in (window, threads, durations, files, odd, calls, refusals, names)}}


def make(options, name, _):
    kind, stage = next(((made for of, made in MADE_BY.items() if of.__name__ == options.name)), (Exports, "19"))
    return kind(options, name, stage)


if __name__ == "__main__":
    sys.exit(main("What omptape export makes of archives.", TESTS, "export", make))
