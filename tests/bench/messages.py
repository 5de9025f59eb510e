# SPDX-License-Identifier: BSD-3-Clause
"""What MPI's messages cost with omptape and without: medians of runs in turn, of both MPIs (programs/messages.c).

    tests/run bench.messages --build BUILD --runtimes DIR [--quick]     exit: 0 done, 1 a run failed, 77 no MPI
"""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

from bench import tables
from harness import SKIPPED, arguments, source_of

FAMILIES = ("openmpi", "mpich")
KINDS = {"latency": "latency, ns a message", "rate": "rate, ns a message", "self": "to itself, ns of processor time"}


def measure(family, build, folder, rounds, times):
    """kind -> (medians without and with omptape)."""
    program = os.path.join(folder, f"messages.{family}")
    subprocess.run([f"mpicc.{family}", "-O2", "-w", source_of("bench", "programs/messages.c"), "-o", program], check=True)
    bare = [f"mpirun.{family}", "-n", "2", program, str(rounds)]
    omptape = [os.path.join(build, "bin", "omptape"), "-q", "--mpi=on", "--force", "-o", os.path.join(folder, "out")]
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    values = {kind: ([], []) for kind in KINDS}
    for _ in range(times):
        for which, command in enumerate((bare, [*omptape, *bare])):
            text = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, timeout=300).stdout
            words = text.split()
            for kind, value in zip(words[::2], words[1::2]):
                values[kind][which].append(float(value))
    return {kind: tuple(statistics.median(one) for one in both) for kind, both in values.items()}


def run(options):
    families = [family for family in FAMILIES if shutil.which(f"mpirun.{family}")]
    if not families:
        return SKIPPED
    rounds, times = (1000, 1) if options.quick else (300000, 11)
    with tempfile.TemporaryDirectory() as folder:
        data = {family: measure(family, options.build, folder, rounds, times) for family in families}
    rows = [[family, KINDS[kind], f"{none:.0f}", f"{traced:.0f}", f"{traced - none:+.0f}"]
            for family, kinds in data.items() for kind, (none, traced) in kinds.items()]
    print(f"### MPI's messages, two ranks on one node, medians of {times} runs of {rounds} in turn\n\n"
          + tables.table(["MPI", "what", "none", "omptape", "more"], rows))
    output = os.path.join(options.build, "tests", "bench")
    os.makedirs(output, exist_ok=True)
    with open(os.path.join(output, "messages.json"), "w", encoding="ascii") as file:
        json.dump(data, file)
    return 0


if __name__ == "__main__":
    own = arguments("Measures what MPI's messages cost.")
    own.add_argument("--quick", action="store_true", help="only to see that it works")
    sys.exit(run(own.parse_args()))
