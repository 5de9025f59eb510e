# SPDX-License-Identifier: BSD-3-Clause
"""Compares the archives that two builds' writers make of the same records, for changes that are to leave archives as they
are. Not part of the tests.

    tests/run compare.compare --before BUILD --build BUILD --runtimes DIR [--stage STAGE] [PROGRAM...]
    tests/run compare.compare --before BUILD --build BUILD --runtimes DIR --devices [BEHAVIOUR...]

Each test program (without names: all of tests/programs; with --devices the emulator's behaviours) runs once, preloaded
with the library of the second build. What it recorded is given to both writers (both_writers.c), so times, threads and
identities are the same. All files must be equal byte for byte but the anchor and the global definitions, and these in
what otf2-print shows of them, less what each writer reads from its clock. Exit: 0 all are equal, 1 some differ.
"""
import glob
import os
import re
import subprocess
import sys

from e2e.program import Program
from e2e.run import Case
from emulator.behaviours import BEHAVIOURS, SOAK
from emulator.setting import Setting
from harness import STAGES, Broken, Missing, arguments, processes, source_of

# Devices without a clock: their times come from the rate of the host's, which each writer measures.
CLOCKLESS = ("no_device_time", "time_dead")
# What a writer finds out by itself, anew each time: how fast the clock is (and so all that is told in nanoseconds), and
# when it worked.
OWN = re.compile(r"CLOCK_PROPERTIES|Trace identifier|OMPTAPE::(DEVICE::\d+::)?(TIME|DURATION|CLOCK|WRITER_TIME)")


def variables(test):
    """For a program whose records both writers get."""
    writers = [os.path.join(build, "libexec", "omptape", "omptape-writer") for build in (test.options.before, test.build)]
    return {"OMPTAPE_WRITER": test.built("tests", "compare", "both_writers"), "COMPARED_WRITERS": ":".join(writers),
            "OMPTAPE_OUTPUT": test.path("out"), "OMPTAPE_BUFFER_SIZE": "1G", "OMPTAPE_CHECKPOINT": "off",
            "OMPTAPE_SCHED": "off"}     # each writer reads it at its own moment


def record_program(case):
    case.run("run", [case.binary, *case.arguments], case.environment(LD_PRELOAD=case.library, **variables(case)))


def record_devices(setting):
    behaviour = BEHAVIOURS[setting.options.behaviour]
    for program in behaviour.programs:
        more = {**behaviour.environment, **variables(setting), "OMPTAPE_OUTPUT": setting.path(program)}
        setting.emulated(f"run.{program}", program, behaviour.words, setting.library,
                         behaviour.arguments.get(program, ()), timeout=200, **more)


def definitions(path):
    """The lines of otf2-print on the global definitions, without what is a writer's own."""
    shown = subprocess.run(["otf2-print", "-G", "-I", path], capture_output=True, check=True).stdout
    text = re.sub(r"\nProperty value\s*", " = ", shown.decode(errors="replace"))
    return [re.sub(r"\.(before|after)\b", "", line) for line in text.splitlines() if not OWN.search(line)]


def content(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


def compare_archives(test, *anchors):
    folders = [os.path.dirname(path) for path in anchors]
    files = [sorted(os.path.relpath(path, folder) for path in glob.glob(os.path.join(folder, "**"), recursive=True)
                    if os.path.isfile(path)) for folder in folders]
    test.expect(f"{anchors[0]}: files", *files)
    for name in files[0]:
        if name in files[1] and not name.endswith((".otf2", "traces.def")):
            if content(folders[0], name) != content(folders[1], name):
                test.fail(f"{folders[0]}: {name} differs")
    for before, after in zip(*(definitions(path) for path in anchors)):
        if before != after:
            test.fail(f"{anchors[0]}: definition\n    {before}\n  is now\n    {after}")
            return


def compare_all(test):
    """The number of archives of each writer."""
    before, after = (sorted(glob.glob(test.path(f"*.{side}*", "**", "*.otf2"), recursive=True))
                     for side in ("before", "after"))
    test.expect("number of archives", len(before), len(after))
    for pair in zip(before, after):
        compare_archives(test, *pair)
    return len(before)


def cases(options):
    """Pairs of a test and what records in it."""
    if options.devices:
        for options.behaviour in options.names or [name for name in BEHAVIOURS if name not in SOAK + CLOCKLESS]:
            yield Setting(options, f"compare.{options.behaviour}"), record_devices
        return
    stage = STAGES[options.stage]
    for options.program in map(os.path.abspath, options.names or sorted(glob.glob(source_of("programs", "*.*")))):
        if Program(options.program).applies(stage):
            try:
                yield Case(options), record_program
            except (Missing, Broken) as reason:
                print(f"{options.program}: skipped: {reason}")


def main():
    parser = arguments(__doc__.partition("\n\n")[0])
    parser.add_argument("--before", type=os.path.abspath, required=True, help="the other build folder")
    parser.add_argument("--stage", default="19", choices=STAGES)
    parser.add_argument("--devices", action="store_true", help="the emulator's, with LLVM 22's runtime")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    processes.adopt_orphans()
    compared, differing = 0, 0
    for test, record in cases(options):
        record(test)
        compared += compare_all(test)
        differing += test.report()
    print(f"compare: {compared} archives of each, {differing} programs differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
