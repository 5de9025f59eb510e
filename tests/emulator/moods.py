# SPDX-License-Identifier: BSD-3-Clause
"""The moods in which the emulator is put in front of omptape, and what the archive must hold in each."""
from dataclasses import dataclass, field

ALL = "all"              # each record that was delivered is shown, once
SOME = "some"            # the links of some are damaged: what has a good one is shown
HOST = "host"            # no record came: what the host saw is shown on the device
EVERY = ("maps", "data", "deferred", "copies", "devices")


@dataclass(frozen=True)
class Mood:
    """`limit`: of the alignment error of 99 % of the times, ns; None: cannot be judged. `bounded`: no error may be
    more than the archive itself admits."""

    words: str = ""
    shown: str = ALL
    limit: float | None = 1000
    bounded: bool = True
    programs: tuple = ("maps", "data", "devices")
    environment: dict = field(default_factory=dict)
    arguments: dict = field(default_factory=dict)  # of a program


def _buffer(size):
    return {"OMPTAPE_DEVICE_BUFFER_SIZE": size}


def _flood(size, records):
    return Mood(f"flood={records},threads=4,out_of_order", programs=("many",), environment=_buffer(size),
                arguments={"many": ("4200",)})


MOODS = {
    "default": Mood(programs=EVERY),
    # buffers
    "request_app": Mood("request_app", programs=EVERY),
    "complete_app": Mood("request_app,complete_app", programs=EVERY),
    "subranges": Mood("subranges"),
    "partial_back": Mood("subranges,partial_back"),
    "amd": Mood("amd", programs=EVERY),
    "amd_async": Mood("amd,async,streams=4"),
    "cray": Mood("cray"),
    "out_of_order": Mood("out_of_order,threads=4,subranges", programs=EVERY),
    "shuffle": Mood("shuffle,subranges", programs=EVERY),
    "late": Mood("late"),
    "late_device": Mood("late_device"),
    "late_finalize": Mood("late_finalize"),
    "late_lanes": Mood("late_finalize,request_app,subranges"),
    "after_end": Mood("after_end", shown=HOST, limit=None),
    "never": Mood("never", shown=HOST, limit=None),
    "complete_twice": Mood("complete_twice"),
    "owned_twice": Mood("owned_twice", environment=_buffer("4K")),
    "duplicate": Mood("duplicate", programs=EVERY),
    "empty": Mood("empty,subranges"),
    "foreign": Mood("foreign,subranges"),
    "hoard": Mood("hoard"),
    "flush_fails": Mood("flush_fails"),
    "flush_async": Mood("flush_async"),
    "stop_fails": Mood("stop_fails"),
    "start_fails": Mood("start_fails", shown=HOST, limit=None),
    "start_fails_odd": Mood("start_fails_odd", programs=("devices",)),
    "small_buffers": Mood("subranges", environment=_buffer("4K"), programs=EVERY),
    "large_buffers": Mood("", environment=_buffer("16M")),
    # records
    "type_nonemi": Mood("type_nonemi"),
    "type_unknown": Mood("type_unknown", shown=SOME),
    "target_time_zero": Mood("target_time_zero"),
    "thread_hash": Mood("thread_hash"),
    "id_submit": Mood("id_submit", shown=SOME),
    "id_zero": Mood("id_zero", shown=SOME),
    "id_unknown": Mood("id_unknown", shown=SOME),
    "device_zero": Mood("device_zero,every=1", programs=EVERY),
    "callback_device_zero": Mood("callback_device_zero", programs=("devices",)),
    "end_before_begin": Mood("end_before_begin"),
    "time_zero": Mood("time_zero"),
    "time_zero_all": Mood("time_zero,every=1", limit=None),
    "begin_zero": Mood("begin_zero"),
    "end_zero": Mood("end_zero"),
    "d2d": Mood("d2d", programs=("copies",)),
    "d2d_times": Mood("d2d_times,every=1", programs=("copies",)),
    "first_null": Mood("first_null"),
    "in_place": Mood("in_place"),
    "invalid": Mood("invalid,every=1"),
    "native": Mood("native", shown=SOME),
    "every_kind": Mood("every_kind"),
    "cursor_plain": Mood("cursor_plain"),
    "cursor_loop": Mood("cursor_loop"),
    "cursor_cycle": Mood("cursor_cycle"),
    "cursor_past": Mood("cursor_past"),
    # what the device lacks
    "no_lookup": Mood("no_lookup", shown=HOST, limit=None),
    "no_device_time": Mood("missing=get_device_time", limit=5000),
    "no_translate_time": Mood("missing=translate_time"),
    "no_time": Mood("missing=get_device_time+translate_time", shown=HOST, limit=None),
    "no_record_type": Mood("missing=get_record_type"),
    "no_native": Mood("missing=set_trace_native+get_record_native+get_record_abstract"),
    "no_pause": Mood("missing=pause_trace"),
    "no_stop": Mood("missing=stop_trace"),
    "no_num_procs": Mood("missing=get_device_num_procs"),
    "no_start": Mood("missing=start_trace", shown=HOST, limit=None),
    "no_set_trace": Mood("missing=set_trace_ompt", shown=HOST, limit=None),
    "no_advance": Mood("missing=advance_buffer_cursor", shown=HOST, limit=None),
    "no_record": Mood("missing=get_record_ompt", shown=HOST, limit=None),
    "no_flush": Mood("missing=flush_trace"),
    # what it answers
    "set_never": Mood("set=submit:never+data_op:never+target:never+all:never", shown=HOST, limit=None),
    "set_error": Mood("set=submit:error+data_op:error+target:error+all:error", shown=HOST, limit=None),
    "set_no_copies": Mood("set=data_op:never"),
    "set_sometimes": Mood("set=submit:sometimes+data_op:sometimes+all:sometimes"),
    "set_paired": Mood("set=submit:sometimes_paired+data_op:impossible"),
    # clocks
    "ramp": Mood("ramp"),
    "long": Mood(programs=("maps",), arguments={"maps": ("900", "4")}),
    "long_ramp": Mood("ramp,amd", programs=("maps",), arguments={"maps": ("900", "4")}),
    "long_async": Mood("async,out_of_order,subranges", programs=("maps",), arguments={"maps": ("900", "4")}),
    "gaps": Mood(programs=("maps",), arguments={"maps": ("8", "600")}),
    "coarse": Mood("hz=25e6"),
    "fast_clock": Mood("hz=2.6e9"),
    "exact": Mood("jitter=0,ppm=0,drift=0"),
    "wrong_rate": Mood("ppm=500"),
    "slow_reading": Mood("read_delay=20000", limit=40000),
    "spikes": Mood("spike=200000"),
    "step_back": Mood("step_back", bounded=False, limit=None),
    "time_dead": Mood("time_dead", limit=5000),
    "disagree": Mood("disagree"),
    # work
    "async": Mood("async", programs=EVERY),
    "streams": Mood("async,streams=8", programs=("data", "deferred")),
    "overhang": Mood("overhang", programs=EVERY),
    "control": Mood(programs=("control",)),
    "control_fails": Mood("pause_fails", programs=("control",)),
    "forks": Mood(programs=("forks",)),
    "forks_app": Mood("amd,async", programs=("forks",)),
    "leave": Mood(programs=("leave",)),
    # many
    "flood_8k": _flood("8K", 100000),
    "flood_1m": _flood("1M", 300000),
    "flood_16m": _flood("16M", 300000),
    "flood_million": _flood("1M", 1000000),
}

# Takes more than a minute: not one of CTest's, see the target soak_device.
SOAK = ("flood_million",)
