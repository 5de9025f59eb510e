# SPDX-License-Identifier: BSD-3-Clause
"""Programs that define functions named like libc's, which ISO C allows for most of them (Rodinia's myocyte has a
`read`): the library must never call them. Its imports are read from the build, so that a new one joins by itself.

    tests/run faults.own_functions --build BUILD --runtimes DIR imports     the library imports no function at all
    tests/run faults.own_functions --build BUILD --runtimes DIR missing     a libc without one of the functions
    tests/run faults.own_functions --build BUILD --runtimes DIR programs    a program for each function, and one with all of them
"""
import concurrent.futures
import os
import re
import subprocess
import sys

from faults.fault import Fault
from harness import BUSY_CODE, main, source_of

# The functions that programs were seen to define, and of which nothing that they need is built.
SEEN = {"read", "write", "open", "access", "fcntl", "clone"}
DATA = {"__environ", "_environ", "environ", "_r_debug", "__stack_chk_guard"}


def undefined(*command):
    listed = subprocess.run(["nm", "--undefined-only", *command], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r" [UwvV] (\w+)", listed))


def imported(fault):
    """What the library would import if it did not look into libc itself."""
    with open(fault.built("src", "tool", "libc_names.h"), encoding="utf-8") as file:
        return set(re.findall(r" X\((\w+),", file.read()))


def imports(fault):
    """Nothing but data is left to the loader; and what finds libc's functions calls none itself."""
    bound = undefined("-D", fault.library) - DATA
    if bound:
        fault.fail(f"the library imports {sorted(bound)}")
    binder = undefined(fault.built("src", "tool", "CMakeFiles", "omptape.dir", "libc.c.o"))
    # Its atomics are calls of static code on aarch64.
    calls = {name for name in binder if not name.startswith("__aarch64_")} - DATA - {"getauxval", "_GLOBAL_OFFSET_TABLE_"}
    if calls:
        fault.fail(f"src/tool/libc.c calls {sorted(calls)}")
    if not SEEN <= imported(fault):
        fault.fail(f"not among the names: {sorted(SEEN - imported(fault))}")


def harmful(fault, folder, names):
    """An object file with such functions."""
    output = os.path.join(folder, "own.o")
    text = "".join(f"long {name}(void) {{ __builtin_trap(); }}\n" for name in names)
    subprocess.run(["gcc", "-w", "-ffreestanding", "-fPIC", "-x", "c", "-c", "-", "-o", output], input=text, text=True,
                   check=True)
    return output


def build(fault, name, names, link_flags=()):
    """A program that exports them, and its folder."""
    folder = os.path.join(fault.folder, name)
    os.makedirs(folder)
    program = fault.toolchain.compile(source_of("faults", "own_functions.c"), os.path.join(folder, "program"),
                                      link_flags=("-rdynamic", *link_flags),
                                      libraries=(harmful(fault, folder, names),))
    return program, folder


def outcome(program, folder, environment):
    done = subprocess.run([program], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


def traced(fault, name, program, folder, environment):
    """As without the tool, and a whole archive."""
    code, out, err = outcome(program, folder, environment)
    if (code, out, err) != (BUSY_CODE, b"right\n", b""):
        fault.fail(f"{name}: exit code {code}, {out!r}, {err!r}")
        return
    checked = fault.command("check", os.path.join(folder, environment["OMPTAPE_OUTPUT"]))
    if checked.returncode != 0:
        fault.fail(f"{name}: {checked.stdout}")


def try_one(fault, name):
    """Whether the program can live with its own function at all; then it must do so traced, too."""
    program, folder = build(fault, name, [name])
    if outcome(program, folder, fault.environment())[:2] != (BUSY_CODE, b"right\n"):
        return False
    traced(fault, name, program, folder, fault.preloaded())
    return True


def try_all(fault, names):
    """All of them in one program, with the library loaded in each way."""
    program, folder = build(fault, "all", names)
    traced(fault, "all, preloaded", program, folder, fault.preloaded())
    # The runtime itself calls these for such a tool.
    program, folder = build(fault, "opened", [name for name in names if name not in ("dlclose", "dlerror", "strtok_r")])
    traced(fault, "all, by OMP_TOOL_LIBRARIES", program, folder,
           fault.traced(OMP_TOOL_LIBRARIES=fault.library))
    program, folder = build(fault, "linked", names, ("-Wl,--no-as-needed", "-L" + fault.built("lib"), "-lomptape",
                                                     "-Wl,-rpath," + fault.built("lib")))
    traced(fault, "all, linked", program, folder, fault.traced())


def programs(fault):
    """One for each function; where it runs without the tool it must run with it."""
    names = sorted(imported(fault))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        tried = [name for name, lives in zip(names, pool.map(lambda name: try_one(fault, name), names)) if lives]
    print(f"{len(tried)} functions of {len(names)} tried; a program cannot define {sorted(set(names) - set(tried))}")
    if not SEEN <= set(tried) or len(tried) < len(names) // 2:
        fault.fail("too few functions could be tried")
    try_all(fault, tried)


def missing(fault):
    """A library that looks for a function that libc does not have: nothing is traced, one line says why."""
    program, folder = build(fault, "missing", [])
    with open(fault.library, "rb") as file:
        content = file.read()
    changed = content.replace(b"\0clone\0", b"\0clome\0")
    if changed == content:
        fault.fail("the library does not name clone")
    copy = os.path.join(folder, "libomptape.so")
    with open(copy, "wb") as file:
        file.write(changed)
    result = outcome(program, folder, fault.environment(LD_PRELOAD=copy))
    if result != (BUSY_CODE, b"right\n", b"omptape: this libc has no clome: nothing is traced\n"):
        fault.fail(f"without clone: {result}")


if __name__ == "__main__":
    sys.exit(main("Tries programs with functions named like libc's.",
                  {test.__name__: test for test in (imports, missing, programs)}, "fault.own_functions", Fault, ("19", "14")))
