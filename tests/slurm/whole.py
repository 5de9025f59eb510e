# SPDX-License-Identifier: BSD-3-Clause
"""One archive for each step of a real Slurm over two nodes, whatever way it is started:

    tests/run slurm.whole --build BUILD --runtimes DIR

Exit 77: no Slurm.
"""
import sys

from harness import main
from mpi.jobs import REGIONS
from slurm.slurm import Slurm

SIZE = 4
TICKS = 10  # parallel regions of `ticker 0.1`
# A late rank comes when the others have ended.
SCRIPT = """#!/bin/bash
#SBATCH --nodes=2 --ntasks=4
mkdir begun.0 begun.3
srun {omptape} -o inside ./ticker 0.1 begun.0 4
OMP_TOOL_LIBRARIES={library} OMPTAPE_OUTPUT=libraries srun ./ticker 0.1
LD_PRELOAD={library} OMPTAPE_OUTPUT=preload srun ./ticker 0.1
srun {omptape} ./ticker 0.1 begun.3 4
OMP_TOOL_LIBRARIES={library} srun ./ticker 0.1
{omptape} -o around srun ./ticker 0.1
srun {omptape} -o serial sh -c '[ $SLURM_PROCID = 2 ] || exec ./ticker 0.1'
OMP_TOOL_LIBRARIES={library} OMPTAPE_OUTPUT=late srun sh -c '[ $SLURM_PROCID = 0 ] || sleep 0.7; exec ./ticker 0.1'
echo over
"""
MPI_STEPS = """srun {omptape} -o mpi ./hybrid
OMP_TOOL_LIBRARIES={library} OMPTAPE_OUTPUT=killed srun ./hybrid kill 1
"""


class Whole(Slurm):
    """And what it must leave."""

    def step(self, name, program="ticker", regions=TICKS, **more):
        found = self.ranks(self.path(name), SIZE, regions, program, hosts=self.hosts, **more)
        if found and {one["HOST"] for one in found} != set(self.hosts):
            self.fail(f"{name}: it is on {[one['HOST'] for one in found]}, not {self.hosts}")


def plain(slurm):
    """Steps of a script that knows of omptape."""
    text = SCRIPT.replace("echo over\n", MPI_STEPS + "echo over\n") if slurm.has_mpi else SCRIPT
    job, said = slurm.complete("plain.sh", text.format(omptape=slurm.omptape, library=slurm.library))
    if "over" not in said:
        slurm.fail(f"plain.sh: {said}")
    for name in ("inside", "libraries", "preload", f"omptape-{job}.3", f"omptape-{job}.4", "around"):
        slurm.step(name)
    for name in ("inside", f"omptape-{job}.3"):
        if said.count(f"4 ranks: vampir {name}/traces.otf2") != 1:
            slurm.fail(f"{name}: not said once by ranks that have all begun when they end: {said}")
    slurm.step("serial", without=(2,))
    slurm.whole(slurm.path("late"), [(rank, "ticker", TICKS) for rank in range(SIZE)], SIZE,
                hosts=slurm.hosts)
    if slurm.has_mpi:
        slurm.step("mpi", "hybrid", REGIONS)
        slurm.killed(slurm.path("killed"), SIZE, 1)


def wrapped(slurm):
    """A step of a script that does not, beside what the script itself runs."""
    text = "#!/bin/bash\n#SBATCH --nodes=2 --ntasks=4 --job-name=two\n./plain\nsrun ./ticker 0.1\n"
    job, said = slurm.complete("wrapped.sh", text, slurm.batch)
    slurm.step(f"omptape-two-{job}.0")
    for step in ("0", "batch"):
        if f"omptape-two-{job}.{step}/traces.otf2" not in said:
            slurm.fail(f"wrapped: {said}")


def test(slurm):
    plain(slurm)
    wrapped(slurm)


if __name__ == "__main__":
    sys.exit(main("Traces steps of Slurm.", test, "slurm.whole", Whole, "19"))
