# Copyright Spack Project Developers. See COPYRIGHT file for details.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

import os

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Omptape(CMakePackage):
    """Event tracer for OpenMP programs. It runs an unchanged program, records what its threads
    do through OMPT, the tool interface of OpenMP 5, says what costs time and where, and leaves
    an OTF2 archive that Vampir, ViTE and other readers can open."""

    homepage = "https://omptape.invalid"
    url = f"file://{os.getcwd()}/omptape-0.2.0.tar.gz"
    manual_download = True

    license("BSD-3-Clause", checked_by="omptape")

    version("0.2.0", sha256="@SHA256@")

    depends_on("c", type="build")
    depends_on("cmake@3.16:", type="build")
    depends_on("pkgconfig", type="build")

    # omp-tools.h to build with, and the runtime that programs of gcc are traced on.
    depends_on("llvm-openmp@12:", type=("build", "run"))
    depends_on("otf2@3:")
    depends_on("elfutils@0.176:")
    depends_on("zlib-api")
    depends_on("sqlite")

    # The tool is written for these two; other systems have neither its clock nor its buffers.
    requires("platform=linux", msg="omptape traces on Linux only")
    requires("target=x86_64:", "target=aarch64:", policy="one_of", msg="x86-64 and aarch64 only")
    conflicts("%gcc@:7", msg="C11 with statement expressions of GCC 8 or newer is needed")

    def cmake_args(self):
        return [
            self.define("BUILD_TESTING", False),
            self.define("OMPTAPE_WITH_SQLITE", True),
            # Without Zydis, whether the machine has it or not.
            self.define("OMPTAPE_WITH_ZYDIS", False),
            self.define("OMPT_INCLUDE_DIR", self.spec["llvm-openmp"].prefix.include),
        ]

    def test_version(self):
        """the command says its version"""
        omptape = which(self.prefix.bin.omptape, required=True)
        said = omptape("--version", output=str.split, error=str.split)
        assert str(self.spec.version) in said
