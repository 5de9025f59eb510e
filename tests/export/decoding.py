# SPDX-License-Identifier: BSD-3-Clause
"""Reads a Perfetto trace by Perfetto's public field numbers (perfetto.proto) and its rules: clocks that count
differences, texts that are told once, tracks below tracks. It shares no code with what wrote the trace."""
import collections
import gzip
import importlib
import os
import re
import shutil
import subprocess
import sys

from harness import Missing, source_of

BOOTTIME = 6
CLEARED, NEEDED = 1, 2
# What protoc prints of a field that the .proto does not have: its number.
UNKNOWN_FIELD = re.compile(rb"^\s*\d+(:| \{)", re.MULTILINE)


class Problem(Exception):
    """The trace is not what Perfetto could read."""


def messages(folder, name):
    """The messages of NAME.proto, as protoc makes them for Python."""
    if shutil.which("protoc") is None:
        raise Missing("no protoc")
    try:
        importlib.import_module("google.protobuf")
    except ImportError as reason:
        raise Missing("no python3-protobuf") from reason
    subprocess.run(["protoc", f"--python_out={folder}", f"--proto_path={source_of('export')}", f"{name}.proto"], check=True)
    sys.path.insert(0, folder)
    try:
        return importlib.import_module(f"{name}_pb2")
    finally:
        sys.path.remove(folder)


Event = collections.namedtuple("Event", "type time name category notes begins ends")
Sample = collections.namedtuple("Sample", "time pid tid stack")  # [(function, file, line)], the outermost first
Flow = collections.namedtuple("Flow", "begin end")  # (track, event); end: None


def load(path):
    """The file's bytes, unpacked."""
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rb") as file:
        return file.read()


def protoc_knows(data):
    """Whether protoc decodes all with the public .proto, and meets no field that this lacks."""
    done = subprocess.run(["protoc", "--decode=perfetto.protos.Trace", f"--proto_path={source_of('export')}",
                           os.path.join(source_of("export"), "perfetto.proto")], input=data, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    return done.returncode == 0 and UNKNOWN_FIELD.search(done.stdout) is None, done.stdout.count(b"\npacket {") + 1


class Trace:
    """A whole trace: `tracks` {uuid: descriptor}, `events` {uuid: [Event]}, `flows` {id: Flow}, `samples` [Sample]."""

    def __init__(self, protos, data):
        self._protos = protos
        self.tracks = {}
        self.events = collections.defaultdict(list)
        self.counters = collections.defaultdict(list)  # uuid -> [(time, value)]
        self.flows = {}
        self.sources = {}
        self.samples = []
        self._mappings, self._frames, self._callstacks = {}, {}, {}
        self.realtime = None
        self._texts = {"event_categories": {}, "event_names": {}, "debug_annotation_names": {},
                       "debug_annotation_string_values": {}, "function_names": {}, "mapping_paths": {}, "source_paths": {}}
        self._clock, self._incremental, self._time = None, set(), {}
        trace = protos.Trace()
        trace.ParseFromString(data)
        self.packets = len(trace.packet)
        for number, packet in enumerate(trace.packet):
            try:
                self._take(packet, number)
            except (KeyError, Problem) as reason:
                raise Problem(f"packet {number}: {reason!r}: {packet}") from reason

    def _take(self, packet, number):
        if packet.trusted_packet_sequence_id != 1:
            raise Problem("not of the one sequence")
        first = bool(packet.sequence_flags & CLEARED)
        if first != (number == 0) or packet.first_packet_on_sequence != first or bool(packet.previous_packet_dropped) != first:
            raise Problem("not the first packet, or another first one")
        what = packet.WhichOneof("data")
        if what == "clock_snapshot":
            self._take_clocks(packet)
        if packet.HasField("interned_data"):
            self._take_texts(packet.interned_data)
        if what == "track_descriptor":
            track = packet.track_descriptor
            if track.uuid in self.tracks or track.parent_uuid and track.parent_uuid not in self.tracks:
                raise Problem("a track again, or without its parent")
            self.tracks[track.uuid] = track
        elif what == "track_event":
            if not packet.sequence_flags & NEEDED:
                raise Problem("an event that does not say what it needs")
            self._take_event(packet.track_event, self._time_of(packet))
        elif what == "perf_sample":
            sample = packet.perf_sample
            self.samples.append(Sample(self._time_of(packet), sample.pid, sample.tid, self._callstacks[sample.callstack_iid]))

    def _take_clocks(self, packet):
        for clock in packet.clock_snapshot.clocks:
            self._time[clock.clock_id] = clock.timestamp
            if clock.is_incremental:
                self._incremental.add(clock.clock_id)
        if packet.clock_snapshot.primary_trace_clock != BOOTTIME or self._time[BOOTTIME] != 0:
            raise Problem("another clock than the trace's")
        self.realtime = self._time.get(1)
        self._clock = packet.trace_packet_defaults.timestamp_clock_id
        self._time[self._clock]  # it has to be one of them

    def _time_of(self, packet):
        clock = packet.timestamp_clock_id if packet.HasField("timestamp_clock_id") else self._clock
        if clock not in self._incremental:
            return packet.timestamp
        self._time[clock] += packet.timestamp
        return self._time[clock]

    def _take_texts(self, data):
        for kind, texts in self._texts.items():
            for entry in getattr(data, kind):
                if not entry.iid or entry.iid in texts:
                    raise Problem("a number of a text again")
                texts[entry.iid] = entry.str.decode() if hasattr(entry, "str") else entry.name
        for source in data.source_locations:
            self.sources[source.iid] = source
        for one in data.mappings:
            self._mappings[one.iid] = [self._texts["mapping_paths"][number] for number in one.path_string_ids]
        for one in data.frames:
            self._mappings[one.mapping_id]  # older versions want it, and a rel_pc of its own
            if one.iid in self._frames or any(one.rel_pc == other.rel_pc for other in self._frames.values()):
                raise Problem("a frame again")
            self._frames[one.iid] = one
        for one in data.callstacks:
            if not one.iid or one.iid in self._callstacks:
                raise Problem("a callstack again")
            self._callstacks[one.iid] = [self._call(self._frames[number]) for number in one.frame_ids]

    def _call(self, frame):
        path = self._texts["source_paths"][frame.source_path_iid] if frame.source_path_iid else ""
        return self._texts["function_names"][frame.function_name_id], path, frame.line_number

    def _note(self, annotation):
        what = annotation.WhichOneof("value")
        value = getattr(annotation, what)
        if what == "string_value_iid":
            value = self._texts["debug_annotation_string_values"][value]
        return self._texts["debug_annotation_names"][annotation.name_iid], value

    def _take_event(self, event, time):
        track = self.tracks[event.track_uuid]
        if (event.type == event.TYPE_COUNTER) != track.HasField("counter"):
            raise Problem("a counter and no counter")
        if event.type == event.TYPE_COUNTER:
            self.counters[event.track_uuid].append((time, getattr(event, event.WhichOneof("counter_value_field"))))
            return
        name = self._texts["event_names"][event.name_iid] if event.HasField("name_iid") else None
        category = [self._texts["event_categories"][one] for one in event.category_iids]
        notes = [self._note(one) for one in event.debug_annotations]
        if event.HasField("source_location_iid"):
            source = self.sources[event.source_location_iid]
            if dict(notes).get("file") != source.file_name or dict(notes).get("line", 0) != source.line_number:
                raise Problem("another source than the annotations tell")
        one = Event(event.TYPE_SLICE_BEGIN and "?BEIC"[event.type], time, name, category, notes, list(event.flow_ids),
                    list(event.terminating_flow_ids))
        self.events[event.track_uuid].append(one)
        for flow in one.begins:
            if flow in self.flows:
                raise Problem("a flow that begins twice")
            self.flows[flow] = Flow((event.track_uuid, one), None)
        for flow in one.ends:
            if self.flows[flow].end is not None:
                raise Problem("a flow that ends twice")
            self.flows[flow] = self.flows[flow]._replace(end=(event.track_uuid, one))

    def slices(self, track):
        """Begins and ends in their order: ("B", time, name, notes), ("E", time, notes). They must be nested."""
        found, depth, last = [], 0, 0
        for event in self.events.get(track, ()):
            if event.type == "I":
                continue
            depth += 1 if event.type == "B" else -1
            if depth < 0:
                raise Problem(f"track {track}: {event} has no begin")
            if event.time < last:
                raise Problem(f"track {track}: {event} comes after {last}")
            last = event.time
            found.append(("B", event.time, event.name, sorted(event.notes)) if event.type == "B" else
                         ("E", event.time, sorted(event.notes)))
        if depth:
            raise Problem(f"track {track}: {depth} begins without an end")
        return found

    def named(self, uuid):
        """Names from the outermost track to this one."""
        track = self.tracks[uuid]
        return (*(self.named(track.parent_uuid) if track.parent_uuid else ()), track.name)
