#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A program with OpenMP on the host and CUDA kernels (program.c), traced by omptape on doubles of libcuda and libcupti:
what the archive holds with each --cuda, and that the program notices nothing. Run by CTest.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(TESTS, "e2e"))
sys.path.insert(0, os.path.join(TESTS, "checker"))

import check  # noqa: E402
import processes  # noqa: E402
from run import PASSED_ON, SKIPPED  # noqa: E402
from stages import STAGES, Missing, Toolchain  # noqa: E402

KERNELS = 200
# CUDA's activities bear the program's own names.
NAMES_OF_CUDA = re.compile(r"region: (\".*\" is a name that the mapping does not have|\(more of the same\))$")


class Traces:
    def __init__(self, options):
        self.build = options.build
        self.doubles = os.path.join(options.build, "tests", "cupti", "doubles")
        self.launcher = os.path.join(options.build, "bin", "omptape")
        self.toolchain = Toolchain(STAGES["19"], options.runtimes)
        self.program = self.toolchain.compile(
            os.path.join(HERE, "program.c"), os.path.join(options.build, "tests", "cupti", "program"),
            flags=["-I" + os.path.dirname(TESTS)], link_flags=[os.path.join(self.doubles, "libcuda.so.1")])
        self.problems = []

    def fail(self, text):
        self.problems.append(text)

    def trace(self, name, *options, **variables):
        """(standard error, OTF2's definitions and events as text)"""
        folder = os.path.join(self.build, "tests", "work", "cupti." + name)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        environment = {key: os.environ[key] for key in PASSED_ON if key in os.environ}
        runtime = self.toolchain.environment()["LD_LIBRARY_PATH"]
        environment.update({"LD_LIBRARY_PATH": f"{runtime}:{self.doubles}"}, **variables)
        result = processes.run([self.launcher, "-q", "-o", "out", *options, self.program], folder, environment)
        for line in processes.wait_for_all():
            self.fail(f"{name}: {line}")
        if (result.code, result.out) != (0, b""):
            self.fail(f"{name}: exit {result.code}, {result.out!r}")
        archive = os.path.join(folder, "out", "trace.otf2")
        for problem in check.check(self.launcher, archive):
            if not NAMES_OF_CUDA.search(problem):
                self.fail(f"{name}: {problem}")
        text = "".join(subprocess.run(["otf2-print", *more, archive], capture_output=True, text=True, check=True).stdout
                       for more in (["-G"], []))
        return result.err.decode(errors="replace"), text

    def expect(self, name, text, counts):
        for what, expected in counts.items():
            found = len(re.findall(what, text, re.MULTILINE))
            if found != expected:
                self.fail(f"{name}: {found} times {what}, not {expected}")

    def traced(self, name, *options, **variables):
        said, text = self.trace(name, *options, **variables)
        if said:
            self.fail(f"{name}: said {said!r}")
        self.expect(name, text, {
            r"^ENTER .*\"add\(double\*, int\)\"": KERNELS,
            r"^LEAVE .*\"add\(double\*, int\)\"": KERNELS,
            r"^RMA_GET .*Bytes: 4096": 2,
            r"^LOCATION_GROUP .*ACCELERATOR": 1,
            r"^LOCATION .*\"CUDA device 1 stream 1[34]\"": 2,
        })

    def untraced(self, name, expected, *options, **variables):
        said, text = self.trace(name, *options, **variables)
        if not re.fullmatch(expected, said):
            self.fail(f"{name}: said {said!r}")
        self.expect(name, text, {r"add\(double": 0, r"^LOCATION_GROUP .*ACCELERATOR": 0})

    def run(self):
        self.traced("auto")
        self.traced("on", "--cuda=on")
        self.traced("small", DOUBLE_CUPTI="small")
        self.traced("cuda11", DOUBLE_CUPTI="cuda11")
        self.untraced("off", "", "--cuda=off")
        busy = r"omptape: CUDA's devices are not traced: another profiler uses CUPTI in this process\n"
        self.untraced("busy", busy, DOUBLE_CUPTI="busy")
        self.untraced("on.busy", busy, "--cuda=on", DOUBLE_CUPTI="busy")
        self.untraced("on.unknown", r"omptape: CUDA's devices are not traced: cuptiSubscribe answers .*\(999\).*\n",
                      "--cuda=on", DOUBLE_CUPTI="unknown")


def main():
    parser = argparse.ArgumentParser(description="Traces a CUDA program on doubles.")
    parser.add_argument("--build", type=os.path.abspath, required=True)
    parser.add_argument("--runtimes", type=os.path.abspath, required=True)
    processes.adopt_orphans()
    try:
        traces = Traces(parser.parse_args())
        traces.run()
    except Missing as reason:
        print(f"SKIPPED: {reason}")
        return SKIPPED
    for problem in traces.problems:
        print(f"FAILED: {problem}")
    return 1 if traces.problems else 0


if __name__ == "__main__":
    sys.exit(main())
