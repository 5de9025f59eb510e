# SPDX-License-Identifier: BSD-3-Clause
"""Programs that something else watches, too: sanitizers, valgrind, strace and gdb. Traced, they must say the same and
end the same way as without the tool.

    tests/run faults.watched --build BUILD --runtimes DIR NAME
"""
import glob
import os
import shutil
import subprocess
import sys

from faults.fault import Fault
from harness import BUSY_CODE, STAGES, Missing, Toolchain, main

RACE_CODE = 66  # of a program in which ThreadSanitizer found a race
# What LLVM's documentation asks for: the runtime is not built with ThreadSanitizer.
TSAN = {"TSAN_OPTIONS": "ignore_noninstrumented_modules=1"}


def outcome(ended):
    return ended.code, ended.out.decode(errors="replace"), ended.err.decode(errors="replace")


def same_and_traced(fault, name, command, **more):
    """Runs the command without the tool, then with it preloaded."""
    alone = outcome(fault.run(f"{name} alone", command, fault.environment(**more), 100))
    traced = outcome(fault.run(name, command, fault.preloaded(**more), 100))
    if alone != (BUSY_CODE, "right\n", ""):
        fault.fail(f"{name}: without the tool: {alone}")
    fault.expect(f"{name}: with the tool", alone, traced)
    fault.valid(name, fault.path(name, "out", "traces.otf2"))


def has_runtime(compiler, sanitizer):
    folder = subprocess.run([compiler, "--print-runtime-dir"], capture_output=True, text=True, check=True).stdout.strip()
    return bool(glob.glob(os.path.join(folder, f"libclang_rt.{sanitizer}*.a")))


def compilers(fault, sanitizer):
    """The stages whose compiler has this sanitizer."""
    found = []
    for stage in ("14", "19"):
        try:
            toolchain = Toolchain(STAGES[stage], fault.options.runtimes)
        except Missing:
            continue
        compiler = shutil.which(f"clang-{stage}")
        if compiler is not None and has_runtime(compiler, sanitizer):
            found.append((stage, toolchain))
    if not found:
        raise Missing(f"no clang with {sanitizer} (libclang-rt-*-dev)")
    return found


def under_sanitizer(fault, sanitizer, flag, **more):
    for stage, toolchain in compilers(fault, sanitizer):
        fault.toolchain = toolchain
        program = fault.compile("faults", "watched.c", output=f"watched.{flag}", flags=[f"-fsanitize={flag}"])
        same_and_traced(fault, f"{flag} {stage}", [program], **more)


def thread(fault):
    """ThreadSanitizer, with Archer switched off."""
    under_sanitizer(fault, "tsan", "thread", ARCHER_OPTIONS="enable=0", **TSAN)


def archer(fault):
    """ThreadSanitizer finds races where there are none unless Archer is a tool, too: then both are."""
    for stage, toolchain in compilers(fault, "tsan"):
        if not os.path.exists(os.path.join(toolchain.library_folder, "libarcher.so")):
            raise Missing("no libarcher.so")
        fault.toolchain = toolchain
        program = fault.compile("faults", "own_functions.c", output="archer", flags=["-fsanitize=thread"])
        same_and_traced(fault, f"archer {stage}", [program], **TSAN)
        # The program's own search path names the folder of runtime and Archer.
        racing = fault.compile("faults", "race.c", flags=["-fsanitize=thread", f"-Wl,-rpath,{toolchain.library_folder}"])
        found = outcome(fault.run(f"race {stage}", [racing], fault.preloaded(LD_LIBRARY_PATH="", **TSAN), 100))
        if found[:2] != (RACE_CODE, "right\n") or found[2].count("WARNING: ThreadSanitizer: data race") != 1 or "race.c:15" not in found[2]:
            fault.fail(f"{stage}: the race was not found: {found}")
        facts = fault.valid(f"race {stage}", fault.path(f"race {stage}", "out", "traces.otf2"))
        fault.expect(f"{stage}: regions and tasks in the archive", (1, 10),
                     (facts.events["ThreadFork"], facts.events["ThreadTaskComplete"]))


def address(fault):
    under_sanitizer(fault, "asan", "address")


def memory(fault):
    """Runtimes are not built with MemorySanitizer, so strings that they make seem uninitialised to it."""
    under_sanitizer(fault, "msan", "memory", MSAN_OPTIONS="intercept_strlen=0")


def undefined(fault):
    under_sanitizer(fault, "ubsan_standalone", "undefined")


def debian(fault, name):
    """The program, and one of Debian's to run it under."""
    if shutil.which(name) is None:
        raise Missing(f"no {name}")
    # valgrind 3.19 cannot read all of clang 19's newer format.
    return fault.compile("faults", "watched.c", output="watched.dwarf4", flags=["-gdwarf-4"])


def valgrind(fault):
    """memcheck says nothing, of the program and of the library in it."""
    program = debian(fault, "valgrind")
    same_and_traced(fault, "memcheck", ["valgrind", "-q", "--error-exitcode=99", program])
    same_and_traced(fault, "children", ["valgrind", "-q", "--trace-children=yes", "--error-exitcode=99", program])


def strace(fault):
    program = debian(fault, "strace")
    same_and_traced(fault, "strace", ["strace", "-f", "-o", "calls", program])


def gdb(fault):
    """It reports threads and processes in passing; the rest is as without the tool."""
    program = debian(fault, "gdb")
    command = ["gdb", "-batch", "-nx", "-ex", f"set environment LD_PRELOAD {fault.library}", "-ex",
               "run", program]
    _, out, err = outcome(fault.run("gdb", command, fault.traced(DEBUGINFOD_URLS=""), 100))
    if "\nright\n" not in out or "exited with code 021]" not in out or "SIG" in out + err:
        fault.fail(f"gdb: {out} {err}")
    fault.valid("gdb", fault.path("gdb", "out", "traces.otf2"))


TESTS = {test.__name__: test for test in (thread, archer, address, memory, undefined, valgrind, strace, gdb)}

if __name__ == "__main__":
    sys.exit(main("Programs that something else watches, too.", TESTS, "fault.watched", Fault, ("19", "14")))
