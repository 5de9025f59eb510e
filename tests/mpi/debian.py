# SPDX-License-Identifier: BSD-3-Clause
"""Real hybrid programs from Debian, compiled by gcc for libgomp, under their MPI: traced by the command before the
launcher and between the two. Their results must be those of a run without the tool, the archives one each and in order.
Usage: tests/run mpi.debian --build BUILD --runtimes DIR; programs that are not installed are passed over.
"""
import os
import re
import shutil
import subprocess
import sys
import sysconfig

from harness import Missing, Test, main

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


class Debian(Test):
    launcher = ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-n", "2"]

    def launch(self, name, command, prepare, results):
        os.makedirs(self.path(name))
        prepare(self.path(name))
        ended = self.run(name, command, self.environment(
            OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive", OMPI_MCA_mpi_yield_when_idle="1",
            OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
            CP2K_DATA_DIR="/usr/share/cp2k", LD_LIBRARY_PATH=OPENBLAS), 120)
        if ended.code != 0:
            self.fail(f"{name}: exit {ended.code}, {ended.output}")
        return results(self.path(name)) if ended.code == 0 else None

    def archive(self, name, regions):
        facts = self.verify_archive(name, self.path(name, "out", "traces.otf2"))
        if facts.events["ThreadFork"] < regions or facts.number("PROCESSES") != 2:
            self.fail(f"{name}: {facts.events['ThreadFork']} parallel regions of {facts.number('PROCESSES')} processes")

    def program(self, name, arguments, prepare, results, regions):
        traced = [self.omptape, "-q", "-o", "out"]
        expected = self.launch(f"{name}.bare", [*self.launcher, name, *arguments], prepare, results)
        if not expected:
            self.fail(f"{name}: no results without the tool")
        for way, command in (("around", [*traced, *self.launcher, name]), ("inside", [*self.launcher, *traced, name])):
            found = self.launch(f"{name}.{way}", [*command, *arguments], prepare, results)
            self.expect(f"{name}, {way}: results", expected, found)
            self.archive(f"{name}.{way}", regions)


def test(debian):
    present = [name for name in PROGRAMS if shutil.which(name) and (name != "hpcc" or os.path.isdir(OPENBLAS))]
    if not present or not shutil.which("mpirun.openmpi"):
        raise Missing(f"none of {', '.join(PROGRAMS)} is installed, or no Open MPI")
    for name in present:
        debian.program(name, *PROGRAMS[name])


if __name__ == "__main__":
    sys.exit(main("Traces real hybrid Debian programs.", test, "mpi.debian", Debian))
