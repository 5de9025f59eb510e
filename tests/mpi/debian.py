#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Real hybrid programs from Debian, compiled by gcc for libgomp, under their MPI: traced by the command before the
launcher and between the two. Their results must be those of a run without the tool, the archives one each and in order.
Usage: debian.py --build BUILD --runtimes DIR; programs that are not installed are passed over.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import sysconfig

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "checker"))

import check  # noqa: E402
import processes  # noqa: E402
from facts import Facts  # noqa: E402
from run import PASSED_ON, SKIPPED  # noqa: E402

# hpcc itself has no OpenMP, its linear algebra has: whatever the system's alternatives say.
OPENBLAS = os.path.join("/usr/lib", sysconfig.get_config_var("MULTIARCH") or "", "openblas-openmp")
HPL = """HPL

HPL.out
8
1 Ns
256
1 NBs
64
0
1 grids
1
2
16.0
1 PFACTs
2
1 NBMINs
4
1 NDIVs
2
1 RFACTs
1
1 BCASTs
1
1 DEPTHs
0
2
64
0
0
1
8
"""
WATER = """#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/spce.itp"
[ system ]
water
[ molecules ]
SOL 216
"""
DYNAMICS = """integrator = md
nsteps = 100
dt = 0.002
cutoff-scheme = Verlet
coulombtype = PME
rcoulomb = 0.9
rvdw = 0.9
constraints = h-bonds
gen_vel = yes
gen_seed = 42
nstlog = 50
"""
ENERGY = """&GLOBAL
PROJECT water
RUN_TYPE ENERGY
PRINT_LEVEL LOW
&END
&FORCE_EVAL
METHOD Quickstep
&DFT
BASIS_SET_FILE_NAME BASIS_MOLOPT
POTENTIAL_FILE_NAME GTH_POTENTIALS
&MGRID
CUTOFF 100
&END
&SCF
MAX_SCF 3
SCF_GUESS ATOMIC
&OT
&END
&END
&XC
&XC_FUNCTIONAL PADE
&END
&END
&END
&SUBSYS
&CELL
ABC 6 6 6
&END
&COORD
O 0 0 0
H 0.757 0.586 0
H -0.757 0.586 0
&END
&KIND H
BASIS_SET DZVP-MOLOPT-SR-GTH
POTENTIAL GTH-PADE-q1
&END
&KIND O
BASIS_SET DZVP-MOLOPT-SR-GTH
POTENTIAL GTH-PADE-q6
&END
&END
&END
"""


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="ascii") as file:
        file.write(text)


def read(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
        return file.read()


def prepare_hpcc(folder):
    write(folder, "hpccinf.txt", HPL)


def results_of_hpcc(folder):
    text = read(folder, "hpccoutf.txt")
    return len(re.findall(r"\.\.\.\. PASSED", text)), re.findall(r"Success=(\d)", text), "FAILED" in text


def prepare_gromacs(folder):
    write(folder, "topol.top", WATER)
    write(folder, "md.mdp", DYNAMICS)
    start = "/usr/share/gromacs/top/spc216.gro"
    subprocess.run([shutil.which("gmx") or "gmx_mpi", "-quiet", "grompp", "-f", "md.mdp", "-c", start, "-p", "topol.top",
                    "-o", "run.tpr", "-maxwarn", "5"],
                   cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def results_of_gromacs(folder):
    return re.findall(r"Kinetic En\.\n.*", read(folder, "md.log"))


def prepare_cp2k(folder):
    write(folder, "water.inp", ENERGY)


def results_of_cp2k(folder):
    # Sums of several threads differ in the last digits.
    return [round(float(number), 9) for number in re.findall(r"energy \[a\.u\.\]:\s+(\S+)", read(folder, "stdout"))]


# program -> (arguments, what comes before, its results, regions that its archive must hold at least)
PROGRAMS = {
    "hpcc": ([], prepare_hpcc, results_of_hpcc, 2),
    "gmx_mpi": (["-quiet", "mdrun", "-s", "run.tpr", "-ntomp", "2", "-reprod"], prepare_gromacs, results_of_gromacs,
                1000),
    "cp2k.psmp": (["water.inp"], prepare_cp2k, results_of_cp2k, 1000),
}


class Debian:
    def __init__(self, options):
        self.omptape = os.path.join(options.build, "bin", "omptape")
        self.runtime = os.path.join(options.runtimes, "19", "lib", "libomp.so.5")
        self.folder = os.path.join(options.build, "tests", "work", "mpi.debian")
        self.launcher = ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-n", "2"]
        self.problems = []

    def fail(self, text):
        self.problems.append(text)

    def run(self, name, command, prepare, results):
        folder = os.path.join(self.folder, name)
        os.makedirs(folder)
        prepare(folder)
        environment = {key: os.environ[key] for key in PASSED_ON if key in os.environ}
        environment.update(OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive", OMPI_MCA_mpi_yield_when_idle="1",
                           OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                           OMPTAPE_LIBOMP=self.runtime, CP2K_DATA_DIR="/usr/share/cp2k",
                           LD_LIBRARY_PATH=OPENBLAS)
        result = processes.run(command, folder, environment, 120)
        for line in processes.wait_for_all():
            self.fail(f"{name}: {line}")
        if result.code != 0:
            self.fail(f"{name}: exit {result.code}, {result.err.decode(errors='replace')}")
        return results(folder) if result.code == 0 else None

    def archive(self, name, regions):
        path = os.path.join(self.folder, name, "out", "trace.otf2")
        if not os.path.exists(path):
            self.fail(f"{name}: no archive")
            return
        facts = Facts()
        for problem in check.check(self.omptape, path, [facts]):
            self.fail(f"{name}: {problem}")
        if facts.events["ThreadFork"] < regions or facts.properties.get("OMPTAPE::PROCESSES") != "2":
            self.fail(f"{name}: {facts.events['ThreadFork']} parallel regions of "
                      f"{facts.properties.get('OMPTAPE::PROCESSES')} processes")

    def program(self, name, arguments, prepare, results, regions):
        traced = [self.omptape, "-q", "-o", "out"]
        expected = self.run(f"{name}.bare", [*self.launcher, name, *arguments], prepare, results)
        if not expected:
            self.fail(f"{name}: no results without the tool")
        for way, command in (("around", [*traced, *self.launcher, name]), ("inside", [*self.launcher, *traced, name])):
            found = self.run(f"{name}.{way}", [*command, *arguments], prepare, results)
            if found != expected:
                self.fail(f"{name}, {way}: the results are {found}, not {expected}")
            self.archive(f"{name}.{way}", regions)


def main():
    parser = argparse.ArgumentParser(description="Traces real hybrid Debian programs.")
    parser.add_argument("--build", type=os.path.abspath, required=True)
    parser.add_argument("--runtimes", type=os.path.abspath, required=True)
    options = parser.parse_args()
    processes.adopt_orphans()
    debian = Debian(options)
    shutil.rmtree(debian.folder, ignore_errors=True)
    present = [name for name in PROGRAMS if shutil.which(name) and (name != "hpcc" or os.path.isdir(OPENBLAS))]
    if not present or not shutil.which("mpirun.openmpi") or not os.path.exists(debian.runtime):
        print(f"SKIPPED: none of {', '.join(PROGRAMS)} is installed, or no Open MPI, or no {debian.runtime}")
        return SKIPPED
    for name in present:
        debian.program(name, *PROGRAMS[name])
    for problem in debian.problems:
        print(f"FAILED: {problem}")
    return 1 if debian.problems else 0


if __name__ == "__main__":
    sys.exit(main())
