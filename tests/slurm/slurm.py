# SPDX-License-Identifier: BSD-3-Clause
"""The Slurm of CTest's fixture, for tests in Python: programs and jobs in it."""
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "mpi"))

from jobs import Job  # noqa: E402
from run import PASSED_ON  # noqa: E402
from stages import STAGES, Missing, Toolchain  # noqa: E402

OVER = ("", "COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY")


class Slurm(Job):
    """The cluster of the fixture, and the programs."""

    def __init__(self, options, name):
        super().__init__(options.build, "Slurm")
        self.link = os.path.join(options.build, "tests", "work", "slurm")
        if not os.path.islink(self.link):
            raise Missing("no cluster")
        self.batch = os.path.join(options.build, "bin", "omptape-batch")
        self.folder = os.path.join(options.build, "tests", "work", f"slurm.{name}")
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        toolchain = Toolchain(STAGES["19"], options.runtimes)
        for source in (os.path.join(HERE, "ticker.c"), os.path.join(os.path.dirname(HERE), "mpi", "plain.c")):
            name = os.path.splitext(os.path.basename(source))[0]
            toolchain.compile(source, os.path.join(self.folder, name))
        self.environment = {key: os.environ[key] for key in PASSED_ON if key in os.environ}
        self.environment.update(toolchain.environment(), OMP_NUM_THREADS="2", KMP_BLOCKTIME="0",
                                OMPI_MCA_btl_tcp_if_include="lo",
                                SLURM_CONF=os.path.join(os.readlink(self.link), "slurm.conf"))
        self.has_mpi = self.compile_hybrid(toolchain)
        apart = subprocess.run(["unshare", "--uts", "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0
        self.hosts = ("node1", "node2") if apart else (os.uname().nodename,)

    def compile_hybrid(self, toolchain):
        """Open MPI's processes find each other by PMIx, if Slurm has that."""
        with open(self.environment["SLURM_CONF"], encoding="utf-8") as file:
            if "MpiDefault=pmix" not in file.read() or shutil.which("mpicc.openmpi") is None:
                return False
        command = ["mpicc.openmpi", "-g", "-fopenmp", "-L" + toolchain.library_folder,
                   os.path.join(os.path.dirname(HERE), "mpi", "hybrid.c"), "-o", os.path.join(self.folder, "hybrid")]
        subprocess.run(command, env=dict(os.environ, OMPI_CC="clang-19"), check=True)
        return True

    def run(self, *command):
        done = subprocess.run(command, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            self.fail(f"{' '.join(command)}: {done.stderr}")
        return done.stdout.strip()

    def submit(self, name, text, *wrapper):
        """Returns the job's number."""
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.run(*wrapper, "sbatch", "--parsable", "-o", f"{name}.out", name)

    def state(self, job):
        """As squeue says it; empty: it is over."""
        done = subprocess.run(["squeue", "-h", "-t", "all", "-o", "%T", "-j", job], env=self.environment,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        return "" if done.returncode != 0 or done.stdout.strip() in OVER else done.stdout.strip()

    def complete(self, name, text, *wrapper):
        """Runs a script to its end. Returns the job's number, and what it said."""
        job = self.submit(name, text, *wrapper)
        deadline = time.monotonic() + 120
        while self.state(job) and time.monotonic() < deadline:
            time.sleep(0.1)
        with open(os.path.join(self.folder, f"{name}.out"), encoding="utf-8") as file:
            return job, file.read()
