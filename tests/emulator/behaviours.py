# SPDX-License-Identifier: BSD-3-Clause
"""How the emulated devices behave when omptape traces them, and what the archive must hold each time."""
from dataclasses import dataclass, field

ALL = "all"              # each record that was delivered is shown, once
SOME = "some"            # the links of some are damaged: what has a good one is shown
HOST = "host"            # no record came: what the host saw is shown on the device
EVERY = ("maps", "data", "deferred", "copies", "devices")


@dataclass(frozen=True)
class Behaviour:
    """`limit`: of the alignment error of 99 % of the times, ns; None: cannot be judged. `bounded`: no error may be
    more than the archive itself admits."""

    words: str = ""
    shown: str = ALL
    limit: float | None = 1000
    bounded: bool = True
    programs: tuple = ("maps", "data", "devices")
    environment: dict = field(default_factory=dict)
    arguments: dict = field(default_factory=dict)  # of a program
    second: bool = False     # simple_tool.c is there, too, and gets each record once


def _buffer(size):
    return {"OMPTAPE_DEVICE_BUFFER_SIZE": size}


def _flood(size, records):
    return Behaviour(f"flood={records},threads=4,out_of_order", programs=("many",), environment=_buffer(size),
                arguments={"many": ("4200",)})


BEHAVIOURS = {
    "default": Behaviour(programs=EVERY),
    # buffers
    "request_app": Behaviour("request_app", programs=EVERY),
    "complete_app": Behaviour("request_app,complete_app", programs=EVERY),
    "subranges": Behaviour("subranges"),
    "partial_back": Behaviour("subranges,partial_back"),
    "amd": Behaviour("amd", programs=EVERY),
    "amd_async": Behaviour("amd,async,streams=4"),
    "cray": Behaviour("cray"),
    "out_of_order": Behaviour("out_of_order,threads=4,subranges", programs=EVERY),
    "shuffle": Behaviour("shuffle,subranges", programs=EVERY),
    "late": Behaviour("late"),
    "late_device": Behaviour("late_device"),
    "late_finalize": Behaviour("late_finalize"),
    "late_lanes": Behaviour("late_finalize,request_app,subranges"),
    "after_end": Behaviour("after_end", shown=HOST, limit=None),
    "never": Behaviour("never", shown=HOST, limit=None),
    "complete_twice": Behaviour("complete_twice"),
    "owned_twice": Behaviour("owned_twice", environment=_buffer("4K")),
    "duplicate": Behaviour("duplicate", programs=EVERY),
    "empty": Behaviour("empty,subranges"),
    "foreign": Behaviour("foreign,subranges"),
    "hoard": Behaviour("hoard"),
    "flush_fails": Behaviour("flush_fails"),
    "flush_async": Behaviour("flush_async"),
    "stop_fails": Behaviour("stop_fails"),
    "start_fails": Behaviour("start_fails", shown=HOST, limit=None),
    "start_fails_odd": Behaviour("start_fails_odd", programs=("devices",)),
    "small_buffers": Behaviour("subranges", environment=_buffer("4K"), programs=EVERY),
    "large_buffers": Behaviour("", environment=_buffer("16M")),
    # records
    "type_nonemi": Behaviour("type_nonemi"),
    "type_unknown": Behaviour("type_unknown", shown=SOME),
    "target_time_zero": Behaviour("target_time_zero"),
    "thread_hash": Behaviour("thread_hash"),
    "id_submit": Behaviour("id_submit", shown=SOME),
    "id_zero": Behaviour("id_zero", shown=SOME),
    "id_unknown": Behaviour("id_unknown", shown=SOME),
    "device_zero": Behaviour("device_zero,every=1", programs=EVERY),
    "callback_device_zero": Behaviour("callback_device_zero", programs=("devices",)),
    "end_before_begin": Behaviour("end_before_begin"),
    "time_zero": Behaviour("time_zero"),
    "time_zero_all": Behaviour("time_zero,every=1", limit=None),
    "begin_zero": Behaviour("begin_zero"),
    "end_zero": Behaviour("end_zero"),
    "d2d": Behaviour("d2d", programs=("copies",)),
    "d2d_times": Behaviour("d2d_times,every=1", programs=("copies",)),
    "first_null": Behaviour("first_null"),
    "in_place": Behaviour("in_place"),
    "invalid": Behaviour("invalid,every=1"),
    "native": Behaviour("native", shown=SOME),
    "every_kind": Behaviour("every_kind"),
    "cursor_plain": Behaviour("cursor_plain"),
    "cursor_loop": Behaviour("cursor_loop"),
    "cursor_cycle": Behaviour("cursor_cycle"),
    "cursor_past": Behaviour("cursor_past"),
    # what the device lacks
    "no_lookup": Behaviour("no_lookup", shown=HOST, limit=None),
    "one_form": Behaviour("one_form", programs=EVERY),
    "no_device_time": Behaviour("missing=get_device_time", limit=5000),
    "no_translate_time": Behaviour("missing=translate_time"),
    "no_time": Behaviour("missing=get_device_time+translate_time", shown=HOST, limit=None),
    "no_record_type": Behaviour("missing=get_record_type"),
    "no_native": Behaviour("missing=set_trace_native+get_record_native+get_record_abstract"),
    "no_pause": Behaviour("missing=pause_trace"),
    "no_stop": Behaviour("missing=stop_trace"),
    "no_num_procs": Behaviour("missing=get_device_num_procs"),
    "no_start": Behaviour("missing=start_trace", shown=HOST, limit=None),
    "no_set_trace": Behaviour("missing=set_trace_ompt", shown=HOST, limit=None),
    "no_advance": Behaviour("missing=advance_buffer_cursor", shown=HOST, limit=None),
    "no_record": Behaviour("missing=get_record_ompt", shown=HOST, limit=None),
    "no_flush": Behaviour("missing=flush_trace"),
    # what it answers
    "set_never": Behaviour("set=submit:never+data_op:never+target:never+all:never", shown=HOST, limit=None),
    "set_error": Behaviour("set=submit:error+data_op:error+target:error+all:error", shown=HOST, limit=None),
    "set_no_copies": Behaviour("set=data_op:never"),
    "set_sometimes": Behaviour("set=submit:sometimes+data_op:sometimes+all:sometimes"),
    "set_paired": Behaviour("set=submit:sometimes_paired+data_op:impossible"),
    # clocks
    "ramp": Behaviour("ramp"),
    "long": Behaviour(programs=("maps",), arguments={"maps": ("900", "4")}),
    "long_ramp": Behaviour("ramp,amd", programs=("maps",), arguments={"maps": ("900", "4")}),
    "long_async": Behaviour("async,out_of_order,subranges", programs=("maps",), arguments={"maps": ("900", "4")}),
    "gaps": Behaviour(programs=("maps",), arguments={"maps": ("8", "600")}),
    "coarse": Behaviour("hz=25e6"),
    "fast_clock": Behaviour("hz=2.6e9"),
    "exact": Behaviour("jitter=0,ppm=0,drift=0"),
    "wrong_rate": Behaviour("ppm=500"),
    "slow_reading": Behaviour("read_delay=20000", limit=40000),
    "spikes": Behaviour("spike=200000"),
    "step_back": Behaviour("step_back", bounded=False, limit=None),
    "time_dead": Behaviour("time_dead", limit=5000),
    "disagree": Behaviour("disagree"),
    # work
    "async": Behaviour("async", programs=EVERY),
    "streams": Behaviour("async,streams=8", programs=("data", "deferred")),
    "overhang": Behaviour("overhang", programs=EVERY),
    "control": Behaviour(programs=("control",)),
    "control_fails": Behaviour("pause_fails", programs=("control",)),
    "forks": Behaviour(programs=("forks",)),
    "forks_app": Behaviour("amd,async", programs=("forks",)),
    "leave": Behaviour(programs=("leave",)),
    "second": Behaviour(programs=EVERY, second=True),
    "second_amd": Behaviour("amd,async,streams=4", second=True),
    "second_subranges": Behaviour("out_of_order,threads=4,subranges", second=True, environment=_buffer("4K")),
    "second_native": Behaviour("native", shown=SOME, second=True),
    # many
    "flood_8k": _flood("8K", 60000),
    "flood_1m": _flood("1M", 100000),
    "flood_16m": _flood("16M", 100000),
    "flood_million": _flood("1M", 1000000),
}

# Takes more than a minute: not one of CTest's, see the target soak_device.
SOAK = ("flood_million",)
