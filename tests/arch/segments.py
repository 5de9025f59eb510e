# SPDX-License-Identifier: BSD-3-Clause
"""What is loaded on aarch64 lies so that it can be mapped with pages of 64 KiB, as some of its kernels have them.

    tests/run arch.segments --build BUILD --runtimes DIR
"""
import re
import subprocess
import sys

from harness import main

LARGEST_PAGE = 65536
LOADED = (("lib", "libomptape.so"), ("lib", "libomptape-mpi.so"), ("lib", "libomptape-marks.so"), ("libexec", "omptape", "omptape-writer"), ("bin", "omptape"))


def segments(test):
    """Each segment's place in memory and in the file differ by whole pages of the largest kind."""
    for parts in LOADED:
        text = subprocess.run(["readelf", "-lW", test.built(*parts)], check=True, capture_output=True, text=True).stdout
        found = re.findall(r"^ +LOAD +(0x\w+) +(0x\w+) .* (0x\w+)$", text, re.MULTILINE)
        if not found:
            test.fail(f"{parts[-1]}: no segment is found")
        for offset, address, alignment in ([int(number, 16) for number in one] for one in found):
            if alignment % LARGEST_PAGE != 0 or (address - offset) % LARGEST_PAGE != 0:
                test.fail(f"{parts[-1]}: the segment at {address:#x} (of the file: {offset:#x}) is aligned to {alignment:#x}")


if __name__ == "__main__":
    sys.exit(main(__doc__, segments, "arch.segments"))
