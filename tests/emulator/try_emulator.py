# SPDX-License-Identifier: BSD-3-Clause
"""Tries the emulator with a small correct tool (simple_tool.c): what it says it delivered must be what that tool
read, in every mode that such a tool survives, and each mistake of a tool must be noticed. CTest calls it once a
case:

    tests/run emulator.try_emulator --build BUILD --runtimes DIR CASE      exit: 0 passed, 1 failed, 77 skipped
    tests/run emulator.try_emulator --list                                 prints the cases
"""
import collections
import sys

from emulator.setting import Setting
from harness import main

# Modes in which the tool must read each record that got into a buffer so many times.
ONCE = {
    "default": "", "request_app": "request_app", "complete_app": "request_app,complete_app", "subranges": "subranges",
    "partial_back": "subranges,partial_back", "amd": "amd", "out_of_order": "out_of_order,threads=4,subranges",
    "shuffle": "shuffle", "late": "late", "late_device": "late_device", "empty": "empty", "hoard": "hoard",
    "late_finalize": "late_finalize",
    "flush_fails": "flush_fails", "flush_async": "flush_async", "stop_fails": "stop_fails",
    "type_nonemi": "type_nonemi", "target_time_zero": "target_time_zero", "thread_hash": "thread_hash",
    "type_unknown": "type_unknown", "device_zero": "device_zero", "end_before_begin": "end_before_begin",
    "times_zero": "time_zero,every=2", "end_zero": "end_zero", "begin_zero": "begin_zero", "d2d_times": "d2d_times",
    "first_null": "first_null", "in_place": "in_place", "invalid": "invalid", "native": "native",
    "every_kind": "every_kind", "cursor_plain": "cursor_plain", "async": "async", "overhang": "overhang",
    "ramp": "ramp,step_back", "sometimes": "set=data_op:sometimes+submit:sometimes_paired",
    "refused": "set=data_op:never+submit:error+target:impossible", "flood": "flood=20000,threads=4,out_of_order",
    "loaded": "", "clock": "hz=1e8,spike=50000,read_delay=2000",
}
TWICE = {"complete_twice": "complete_twice", "duplicate": "duplicate,every=1"}
NEVER = {"never": "never", "no_buffer": "", "small_buffer": "", "start_fails": "start_fails", "no_lookup": "no_lookup",
         "missing": "missing=get_record_type+translate_time"}
# A tool's mistake, the modes in which it is made, and what the emulator says of it.
FAULTS = {
    "null_device": ("", "the device pointer is NULL"),
    "other_device": ("", "not a device's pointer"),
    "start_twice": ("", "tracing already"),
    "stop_twice": ("", "not tracing"),
    "unknown_event": ("", "is no event"),
    "flush_inside": ("subranges", "within a buffer callback"),
    "late_flush": ("", "after the device was finalized"),
    "cursor": ("", "a cursor that the device never gave"),
    "read_later": ("subranges", "taken away, or written over"),
    "same_buffer": ("hoard", "a buffer that the device already has"),
    "loop": ("cursor_loop", "steps that led nowhere"),
    "cycle": ("cursor_cycle", "steps that led nowhere"),
    "past": ("cursor_past", "steps that led nowhere"),
    "forked": ("", "called in a forked child"),
    "unknown_mode": ("no_such_mode", "knows no mode"),
}
TOOL_BYTES = {"no_buffer": "0", "small_buffer": "40"}
PROGRAMS = ("maps", "data", "deferred", "copies", "devices")


def read_output(path):
    """(OMPT lines, native lines, other lines) of the simple tool."""
    ompt, native, other = collections.Counter(), 0, []
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words[0] == "ompt":
                ompt[tuple(map(int, words[3:]))] += 1
            elif words[0] == "native":
                native += 1
            else:
                other.append(words)
    return ompt, native, other


class Trial(Setting):
    def __init__(self, options, name, stage):
        super().__init__(options, name, stage)
        self.case = options.name

    def trial(self, program, words, **more):
        name = f"{self.case}.{program}"
        out = self.path(f"{name}.out")
        arguments = ["200"] if program == "many" else []
        tool = self.built("tests", "emulator", "libsimple_tool.so")
        bare = self.alone(name, program, arguments)
        traced, truth = self.emulated(name, program, words, tool, arguments, loaded=self.case == "loaded",
                                      SIMPLE_TOOL_OUT=out, **more)
        self.same(name, bare, traced)
        return name, truth, out

    def plain(self, program, words, times):
        """Each record is delivered and read so many times, and says what the truth says."""
        name, truth, out = self.trial(program, words, **{"SIMPLE_TOOL_BYTES": TOOL_BYTES.get(self.case, "8192")})
        self.expect(f"{name}: violations", [], truth.violations)
        ompt, native, _ = read_output(out)
        expected = collections.Counter()
        for record in truth.records:
            if record.kind == "nothing":
                continue
            if times == 0 and record.delivered + record.read:
                self.fail(f"{name}: delivered in spite of all: {record}")
            if record.fate == "buffered" and (record.delivered, record.read) != (times, times):
                self.fail(f"{name}: not {times} times: {record}")
            if record.fate == "pending":
                self.fail(f"{name}: in no buffer: {record}")
            if record.kind.startswith("native"):
                native -= record.read
            elif record.kind != "host" and record.read:
                expected[self.line(record)] += record.read
        self.expect(f"{name}: native records unexplained", 0, native)
        if not {"every_kind", "type_unknown"} & set(words.split(",")):
            self.expect(f"{name}: records that differ", [], sorted(((expected - ompt) + (ompt - expected)).items())[:5])
        return truth

    @staticmethod
    def line(record):
        """As the simple tool prints it: operation, target, begin, end."""
        if record.kind.startswith("target"):
            return 0, record.target, record.device_begin, 0
        return record.operation, record.target, record.device_begin, record.device_end

    def buffered(self, truth):
        return [record for record in truth.records if record.fate == "buffered"]

    def success(self, words, times):
        for program in ("many",) if self.case == "flood" else PROGRAMS:
            truth = self.plain(program, words, times)
            if times and self.case != "refused" and not self.buffered(truth):
                self.fail(f"{program}: no record was made")
            if self.case == "flood":
                self.expect("flood: records", 20000, len(truth.of("flood")))
            if self.case == "default":
                self.check_clock(truth)

    def check_clock(self, truth):
        """The device's times must be the host's but for what the clock is said to do."""
        hz = truth.hz()
        for device in truth.devices:
            records = [record for record in truth.of("to", "from", "kernel") if record.device == device]
            if len(records) < 2 or records[-1].begin - records[0].begin < 0.1 * hz:
                continue
            host = (records[-1].begin - records[0].begin) / hz
            own = (records[-1].device_begin - records[0].device_begin) / 1e9
            ppm = (own / host - 1) * 1e6
            if not 1 < abs(ppm) < 100:
                self.fail(f"device {device}: rate off by {ppm:.1f} ppm")

    def mistake(self):
        words, said = FAULTS[self.case]
        program = "forks" if self.case == "forked" else "data"
        name, truth, _ = self.trial(program, words, SIMPLE_TOOL_FAULT=self.case, SIMPLE_TOOL_BYTES="65536")
        if not any(said in line for line in truth.violations):
            self.fail(f"{name}: nothing said of it: {truth.violations}")

    def test(self):
        for modes, times in ((ONCE, 1), (TWICE, 2), (NEVER, 0)):
            if self.case in modes:
                self.success(modes[self.case], times)
        if self.case in FAULTS:
            self.mistake()


CASES = (*ONCE, *TWICE, *NEVER, *FAULTS)

if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        print("\n".join(CASES))
        sys.exit(0)
    sys.exit(main("Tries the emulator with a small tool.", {case: Trial.test for case in CASES}, "emulator", Trial, "22"))
