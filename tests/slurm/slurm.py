# SPDX-License-Identifier: BSD-3-Clause
"""The Slurm of CTest's fixture, for tests in Python: programs and jobs in it."""
import os
import shutil
import subprocess

from harness import Missing, source_of, wait_for
from mpi.jobs import Job

OVER = ("", "COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY")


class Slurm(Job):
    """The cluster of the fixture, and the programs."""

    def __init__(self, options, name, stage):
        self.link = os.path.join(options.build, "tests", "work", "slurm")
        if not os.path.islink(self.link):
            raise Missing("no cluster")
        super().__init__(options, name, stage, "Slurm")
        self.batch = self.built("bin", "omptape-batch")
        for source in (source_of("slurm", "ticker.c"), source_of("mpi", "plain.c")):
            self.toolchain.compile(source, self.path(os.path.splitext(os.path.basename(source))[0]))
        self.has_mpi = self._has_mpi()
        if self.has_mpi:
            self.compile_hybrid("mpicc.openmpi")
        apart = subprocess.run(["unshare", "--uts", "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0
        self.hosts = ("node1", "node2") if apart else (os.uname().nodename,)

    def environment(self, **more):
        return super().environment(**{
            "OMP_NUM_THREADS": "2", "KMP_BLOCKTIME": "0", "OMPI_MCA_btl_tcp_if_include": "lo",
            "SLURM_CONF": os.path.join(os.readlink(self.link), "slurm.conf"), **more})

    def _has_mpi(self):
        """Open MPI's processes find each other by PMIx, if Slurm has that."""
        with open(self.environment()["SLURM_CONF"], encoding="utf-8") as file:
            return "MpiDefault=pmix" in file.read() and shutil.which("mpicc.openmpi") is not None

    def ask(self, *command):
        """What it prints."""
        done = subprocess.run(command, cwd=self.folder, env=self.environment(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            self.fail(f"{' '.join(command)}: {done.stderr}")
        return done.stdout.strip()

    def submit(self, name, text, *wrapper):
        """Returns the job's number."""
        self.write(name, text)
        return self.ask(*wrapper, "sbatch", "--parsable", "-o", f"{name}.out", name)

    def state(self, job):
        """As squeue says it; empty: it is over."""
        done = subprocess.run(["squeue", "-h", "-t", "all", "-o", "%T", "-j", job], env=self.environment(),
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        # An answer that does not come says nothing.
        return "unknown" if done.returncode != 0 else "" if done.stdout.strip() in OVER else done.stdout.strip()

    def complete(self, name, text, *wrapper):
        """Runs a script to its end. Returns the job's number, and what it said."""
        job = self.submit(name, text, *wrapper)
        wait_for(f"{name}: its end", lambda: not self.state(job), 300, 0.1)
        with open(self.path(f"{name}.out"), encoding="utf-8") as file:
            return job, file.read()
