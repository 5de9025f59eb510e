# SPDX-License-Identifier: BSD-3-Clause
"""The stages that test programs run on: a compiler and an OpenMP runtime. Compiles programs, once a compiler.

A stage is available when its compiler and its runtime (unpacked by scripts/fetch-runtimes, or installed) are there.
"""
import fcntl
import glob
import os
import shutil
import subprocess
from collections import namedtuple

LANGUAGES = {".c": "c", ".cpp": "c++", ".f90": "fortran"}


class Missing(Exception):
    """Something that this machine does not have: the test is skipped."""


class Broken(Exception):
    """Something that should work does not: the test fails."""


class Stage(namedtuple("Stage", ("name", "family", "version", "runtime", "build", "offload"), defaults=(False,))):
    """One column of the test matrix. `family`: of the compiler: clang, flang or gcc (gfortran too). `version`: of the runtime.
    `runtime`: its folder's name among the unpacked runtimes; "": the compiler's own. `build`: the compiler, with its version."""

    def compilers(self, runtimes):
        """Language -> command."""
        own = os.path.join(runtimes, self.runtime, "bin")
        if self.build == "gcc":
            return {"c": "gcc", "c++": "g++", "fortran": "gfortran"}
        if self.build.startswith("mpicc"):
            return {"c": self.build}
        if self.build == "clang22":
            return {"c": os.path.join(own, "clang"), "c++": os.path.join(own, "clang++")}
        if self.build == "flang19":
            return {"fortran": os.path.join(own, "flang-new")}
        number = self.build.removeprefix("clang")
        return {"c": f"clang-{number}", "c++": f"clang++-{number}"}


STAGES = {
    stage.name: stage
    for stage in (
        Stage("14", "clang", 14, "14", "clang14", True),
        Stage("16", "clang", 16, "16", "clang14"),
        Stage("19", "clang", 19, "19", "clang19", True),
        Stage("22", "clang", 22, "22", "clang22", True),
        Stage("flang19", "flang", 19, "flang", "flang19"),
        # gcc's own runtime, whichever is installed: what is recorded of it is what LLVM 19 would say.
        Stage("gomp", "gcc", 19, "", "gcc"),
    )
}


def language_of(source):
    return LANGUAGES[os.path.splitext(source)[1]]


def has_language(stage, source):
    return language_of(source) in stage.compilers("")


def compile_once(command, source, output, environment=None):
    """Runs the command, which makes `output` of `source`, unless the same command has done that since the source changed."""
    os.makedirs(os.path.dirname(output), exist_ok=True)
    with open(output + ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _is_current(source, output, command):
            _build(command, output, dict(os.environ, **(environment or {})))
    return output


def _is_current(source, output, command):
    try:
        with open(output + ".command", encoding="utf-8") as file:
            if file.read() != "\n".join(command):
                return False
        headers = glob.glob(os.path.join(os.path.dirname(source), "*.h"))
        return os.path.getmtime(output) > max(map(os.path.getmtime, [source, *headers]))
    except OSError:
        return False


def _build(command, output, environment):
    done = subprocess.run(command, cwd=os.path.dirname(output), env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        raise Broken(f"{' '.join(command)}\n{done.stdout.decode(errors='replace')}")
    with open(output + ".command", "w", encoding="utf-8") as file:
        file.write("\n".join(command))


class Toolchain:
    """A stage on this machine."""

    def __init__(self, stage, runtimes):
        self.stage = stage
        self.folder = os.path.join(runtimes, stage.runtime)
        self.library_folder = os.path.join(self.folder, "lib")
        if stage.runtime and not os.path.exists(os.path.join(self.folder, "lib", "libomp.so.5")):
            raise Missing(f"no runtime in {self.folder} (scripts/fetch-runtimes unpacks it)")
        self._compilers = stage.compilers(runtimes)

    def environment(self):
        return {"LD_LIBRARY_PATH": self.library_folder} if self.stage.runtime else {}

    def programs(self, build):
        """The folder of this stage's programs. clang links to one runtime, gcc to its own."""
        linked_to = f".{self.stage.runtime}" if self.stage.runtime else ""
        return os.path.join(build, "tests", "programs", self.stage.build + linked_to)

    def compile(self, source, output, flags=(), link_flags=(), shared=False, libraries=()):
        """Compiles and links one source file, unless that was done already by the same command."""
        compiler = shutil.which(self._compilers[language_of(source)])
        if compiler is None:
            raise Missing(f"no {self._compilers[language_of(source)]}")
        command = [compiler, "-g", "-fopenmp", *self._runtime_flags(source), *flags]
        if shared:
            command += ["-shared", "-fPIC"]
        command += [source, *libraries, "-o", output, *link_flags]
        return compile_once(command, source, output, self.environment() if self.stage.build == "clang22" else None)

    def _runtime_flags(self, source):
        if self.stage.family == "gcc":
            return ["-D_GNU_SOURCE"] if language_of(source) == "c" else []
        flags = ["-L" + os.path.join(self.folder, "lib")]
        if language_of(source) != "fortran":
            flags += ["-D_GNU_SOURCE", "-isystem", os.path.join(self.folder, "include")]
        return flags
