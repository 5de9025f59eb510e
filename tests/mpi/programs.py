# SPDX-License-Identifier: BSD-3-Clause
"""Programs of MPI, which an MPI's own compiler command compiles, once for all tests."""
import hashlib
import os

from harness import source_of
from harness.stages import compile_once


def compile_program(test, compiler, source, *options, suffix=".exe", sleeps=True):
    """`source` is in tests/mpi; `compiler`: mpicc.openmpi or the like; `sleeps`: ranks that wait for long leave the
    processor to others, with MPICH, too. Returns the program's path."""
    command = [compiler, "-g", "-w", *options, source_of("mpi", source)]
    if sleeps and compiler.endswith(".mpich"):
        command += ["-Wl,--no-as-needed", test.built("tests", "mpi", "libmpich_sleep.so")]
    variant = hashlib.sha1("\n".join(command).encode()).hexdigest()[:8]  # others may run the same source of another command
    output = os.path.join(test.build, "tests", "programs", f"{os.path.basename(compiler)}.{variant}",
                          os.path.splitext(source)[0] + suffix)
    return compile_once([*command, "-o", output], source_of("mpi", source), output, {"OMPI_CC": "clang-19", "MPICH_CC": "clang-19"})
