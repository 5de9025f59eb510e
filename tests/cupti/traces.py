# SPDX-License-Identifier: BSD-3-Clause
"""A program with OpenMP on the host and CUDA kernels (program.c), traced by omptape on doubles of libcuda and libcupti:
what the archive holds with each --cuda, and that the program notices nothing. Run by CTest.
"""
import os
import re
import subprocess
import sys

from harness import TESTS, Test, main

KERNELS = 200
# CUDA's activities bear the program's own names.
NAMES_OF_CUDA = re.compile(r"region: (\".*\" is a name that the mapping does not have|\(more of the same\))$")


class Traces(Test):
    def __init__(self, options, name, stage):
        super().__init__(options, name, stage)
        self.doubles = self.built("tests", "cupti", "doubles")
        self.program = self.compile("cupti", "program.c", output="cupti_program", flags=["-I" + os.path.dirname(TESTS)],
                                    link_flags=[os.path.join(self.doubles, "libcuda.so.1")])

    def trace(self, name, *options, **variables):
        """(standard error, OTF2's definitions and events as text)"""
        runtime = self.toolchain.environment()["LD_LIBRARY_PATH"]
        ended = self.run(name, [self.omptape, "-q", "-o", "out", *options, self.program],
                         self.environment(LD_LIBRARY_PATH=f"{runtime}:{self.doubles}", **variables))
        self.expect(f"{name}: end", (0, b""), (ended.code, ended.out))
        archive = self.path(name, "out", "traces.otf2")
        self.verify_archive(name, archive, accepted=NAMES_OF_CUDA.search)
        text = "".join(subprocess.run(["otf2-print", *more, archive], capture_output=True, text=True, check=True).stdout
                       for more in (["-G"], []))
        return ended.err.decode(errors="replace"), text

    def count(self, name, text, counts):
        for what, expected in counts.items():
            found = len(re.findall(what, text, re.MULTILINE))
            if found != expected:
                self.fail(f"{name}: {found} times {what}, not {expected}")

    def traced(self, name, *options, **variables):
        said, text = self.trace(name, *options, **variables)
        if said:
            self.fail(f"{name}: said {said!r}")
        self.count(name, text, {
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
        self.count(name, text, {r"add\(double": 0, r"^LOCATION_GROUP .*ACCELERATOR": 0})

    def test(self):
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


if __name__ == "__main__":
    sys.exit(main("Traces a CUDA program on doubles.", Traces.test, "cupti", Traces, "19"))
