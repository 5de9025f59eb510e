#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""That programs and libraries are built as cmake/Harden.cmake says, read from the files by readelf.

    hardening.py ROOT [--protected] [--fortified]

ROOT is a build or an installation's prefix; exit: 0 all are, 1 something is missing, 77 there is no readelf.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

SKIPPED = 77
PROGRAMS = ("bin/omptape", "libexec/omptape/omptape-writer")
LIBRARIES = ("libomptape.so.*.*", "libomptape-mpi.so", "libomptape-marks.so")


def read(path, *words):
    return subprocess.run(["readelf", "-W", *words, path], check=True, capture_output=True, text=True).stdout


def problems_of_links(path):
    segments, dynamic = read(path, "-l"), read(path, "-d")
    stack = re.search(r"GNU_STACK .*", segments)
    if "GNU_RELRO" not in segments:
        yield "no GNU_RELRO"
    if not re.search(r"\(FLAGS\).*BIND_NOW|\(FLAGS_1\).*\bNOW\b", dynamic):
        yield "no BIND_NOW"
    if stack is None or re.search(r"\bR?W?E\b", stack.group(0).split("0x", 1)[1]):
        yield "its stack can be executed"
    if "TEXTREL" in dynamic:
        yield "TEXTREL"
    for line in segments.splitlines():
        if re.match(r"\s+LOAD ", line) and re.search(r"\bRWE\b", line):
            yield f"a segment that can be written and executed: {line.strip()}"


def problems_of_program(path, protected, fortified):
    symbols = read(path, "--dyn-syms")
    if "DYN" not in read(path, "-h") or not re.search(r"\(FLAGS_1\).*\bPIE\b", read(path, "-d")):
        yield "it is no position-independent executable"
    if protected and "__stack_chk_fail" not in symbols:
        yield "no stack protector"
    if fortified and not re.search(r"\b__\w+_chk@", symbols):
        yield "no function that checks sizes (_FORTIFY_SOURCE)"


def main():
    root, options = sys.argv[1], sys.argv[2:]
    if shutil.which("readelf") is None:
        sys.exit(SKIPPED)
    found = []
    libraries = [path for name in LIBRARIES for path in glob.glob(os.path.join(root, "lib*", "**", name), recursive=True)]
    for name in PROGRAMS:
        path = os.path.join(root, name)
        found += [f"{name}: {problem}" for problem in problems_of_program(path, "--protected" in options, "--fortified" in options)]
    for path in [*(os.path.join(root, name) for name in PROGRAMS), *libraries]:
        found += [f"{os.path.relpath(path, root)}: {problem}" for problem in problems_of_links(path)]
    if len(libraries) < len(LIBRARIES):
        found.append(f"of the libraries there are only {libraries}")
    for problem in found:
        print(problem, file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
