#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The promise of buffers/producer.h, read from the library's machine code: a callback that records an event executes
no atomic read-modify-write, no lock, no system call, and calls nothing but the rare ways out named here. Run by CTest:

    hot_path.py LIBRARY         exit: 0 kept, 1 broken, 77 no objdump or another machine
"""
import re
import shutil
import subprocess
import sys

SKIPPED = 77

CALLBACKS = (
    "parallel_begin", "parallel_end", "implicit_task", "task_create", "task_schedule", "work", "dispatch", "masked",
    "sync_region", "sync_region_wait", "reduction", "flush", "mutex_acquire", "mutex_acquired", "mutex_released",
    "nest_lock", "task_dependence", "target", "target_submit", "target_emi", "target_data_op_emi",
    "target_submit_emi")

# Where a callback goes when it cannot just store: the thread's first event, a full chunk, a new team's places, code that
# was not seen before; after an operation of a device, what is due for it; in a long row of flushes, where it begins to be
# one record, and once a look at the system's clock. The second group is shared code that must keep the promise itself.
RARE = {"omptape_producer_put_slow", "omptape_producer_attach", "omptape_producer_append_queued", "omptape_producer_id",
        "begin_parallel_slowly", "create_slow", "note_places", "omptape_module_record",
        "omptape_module_record_new", "begin_data_op_slowly", "after_end", "omptape_clock_raw_ns", "omptape_held_put"}
SHARED = {"put_sync", "flush_in_row", "omptape_put_test", "omptape_producer_get", "put_target", "put_end", "relate", "finish_slowly",
          "has_work_after", "omptape_repeats_continue", "omptape_repeats_extend", "omptape_repeats_must_hold",
          "omptape_repeats_count", "omptape_held_update", "omptape_held_is_last", "release"}

FORBIDDEN = {
    "x86_64": re.compile(r"^(lock\b|xchg\b.*\(|cmpxchg|xadd|syscall|sysenter|int\b|mfence|rdtscp|cpuid)"),
    "aarch64": re.compile(r"^(ld(a|)xr|st(l|)xr|cas|ldadd|ldset|ldclr|ldeor|swp|svc|dmb\b)"),
}
BRANCH = {"x86_64": re.compile(r"^(call|j\w+)\s"), "aarch64": re.compile(r"^(bl?|b\.\w+|cbn?z|tbn?z)\s")}


def machine_of(library):
    """The processor that it is for."""
    with open(library, "rb") as file:
        header = file.read(20)
    return {62: "x86_64", 183: "aarch64"}.get(int.from_bytes(header[18:20], "little"))


def functions(library):
    """Name to list of instructions."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", library], check=True, capture_output=True,
                          text=True).stdout
    found, body = {}, None
    for line in text.splitlines():
        start = re.match(r"^[0-9a-f]+ <([^>]+)>:$", line)
        if start:
            body = found.setdefault(start.group(1), [])
        elif body is not None and "\t" in line:
            body.append(line.split("\t", 1)[1].strip())
    return found


def base_name(symbol):
    """Without an offset and without what compilers append to parts of a function."""
    return re.sub(r"(\+0x[0-9a-f]+|@plt|\.(part|constprop|isra|cold|lto_priv)(\.\d+)*)+$", "", symbol)


def check(name, body, machine):
    problems = []
    for instruction in body:
        if FORBIDDEN[machine].match(instruction):
            problems.append(f"{name}: {instruction}")
        target = re.search(r"<([^>]+)>", instruction)
        if target and BRANCH[machine].match(instruction):
            called = base_name(target.group(1))
            if called != base_name(name) and called not in RARE | SHARED:
                problems.append(f"{name}: goes to {called}")
    return problems


def main():
    if shutil.which("objdump") is None or (machine := machine_of(sys.argv[1])) not in FORBIDDEN:
        print("SKIPPED: needs objdump on x86-64 or aarch64")
        return SKIPPED
    found = functions(sys.argv[1])
    problems = []
    for callback in CALLBACKS:
        name = "omptape_on_" + callback
        if name not in found:
            problems.append(f"{name}: not in the library")
    for name, body in found.items():
        base = base_name(name)
        if base in SHARED or base.removeprefix("omptape_on_") in CALLBACKS:
            problems += check(name, body, machine)
    for problem in problems:
        print(f"FAILED: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
