# SPDX-License-Identifier: BSD-3-Clause
"""What the user of a job reads once its ranks are one archive: where that is, and which ranks are missing, once, however
the job was started. Usage: tests/run mpi.lines --build BUILD --runtimes DIR openmpi|mpich
"""
import os
import shutil
import subprocess
import sys

from harness import arguments, main
from mpi.jobs import REGIONS
from mpi.mpi import LAUNCHERS, MPI, said

SIZE = 4
AGAIN = 8
MISSING = "rank 2 of 4 left no trace: it used no OpenMP, or was not run by omptape"

# As `omptape unify --quiet DIR`; the first call does what two others would.
SOMEBODY_ELSE = """#!/bin/sh
if mkdir "{first}" 2>/dev/null; then
    "{omptape}" "$@" 2>/dev/null
    rm -f "$3"/.omptape-marks/done.*
    echo "omptape: unify: $3 is being unified by somebody else" >&2
    exit 3
fi
exec "{omptape}" "$@"
"""
WHERE = ("4 ranks: omptape report out", "4 ranks: vampir out/traces.otf2")
ANY = "4 ranks: "  # what costs most, of which time decides


def same(found, lines):
    """The lines, one of which only has to begin so and to say something."""
    return len(found) == len(lines) and all(line.startswith(ANY) and len(line) > len(ANY) if want is ANY else line == want
                                            for line, want in zip(found, lines))


def log_of(mpi, name):
    """What the ranks' commands noted in between."""
    with open(mpi.path(name, "log"), encoding="utf-8", errors="replace") as file:
        return file.read()


def missing(mpi):
    """A rank without OpenMP: one line says it, and the archive. Without the command a rank's writer may begin when others
    have ended: those have missed it, too."""
    libraries = {"OMP_TOOL_LIBRARIES": mpi.library, "OMPTAPE_OUTPUT": "out"}
    for name, command, variables, lines in (
            ("around", [mpi.omptape, "-o", "out", *mpi.launcher(SIZE)], {}, None),
            ("inside", [*mpi.launcher(SIZE), mpi.omptape, "-o", "out"], {},
             [MISSING, ANY, *WHERE]),
            ("libraries", mpi.launcher(SIZE), libraries, [MISSING])):
        result = mpi.launch(name, [*command, mpi.hybrid, "serial", "2"], OMPTAPE_UNIFY="auto", OMPTAPE_LOG="info",
                            OMPTAPE_LOG_FILE="log", **variables)
        found = said(result)
        if name == "libraries":
            found = [line for line in found if "left no trace" not in line or line == MISSING]
        if found.count(MISSING) != 1 or (lines is not None and not same(found, lines)):
            mpi.fail(f"{name}: omptape says {found}; {log_of(mpi, name)}")
        facts = mpi.archive(mpi.path(name, "out", "traces.otf2"), 3 * REGIONS)
        if MISSING not in facts.properties.values():
            mpi.fail(f"{name}: the archive does not say it: {facts.properties}")


def together(mpi):
    """Ranks that have all begun when they end, at the same moment: only one unifies, and only one says what costs most and
    where the archive is."""
    for _ in range(AGAIN):
        result = mpi.launch("together", [*mpi.launcher(SIZE), mpi.omptape, "-o", "out", mpi.hybrid], OMPTAPE_UNIFY="auto",
                            OMPTAPE_LOG="info", OMPTAPE_LOG_FILE="log")
        if not same(said(result), [ANY, *WHERE]):
            mpi.fail(f"together: omptape says {said(result)}; {log_of(mpi, 'together')}")
        out = mpi.path("together", "out")
        mpi.archive(os.path.join(out, "traces.otf2"), SIZE * REGIONS)
        shutil.rmtree(out)


def somebody_else(mpi):
    """Another rank's unification is done when this one looks, but one more is at work: the last rank asks again. Where a
    rank begins when others have ended, those have missed it, too."""
    tree = mpi.path("tree")
    build = os.path.dirname(os.path.dirname(mpi.omptape))
    for part in ("lib", "libexec"):
        shutil.copytree(os.path.join(build, part), os.path.join(tree, part), symlinks=True)
    os.mkdir(os.path.join(tree, "bin"))
    command = os.path.join(tree, "bin", "omptape")
    mpi.write(command, SOMEBODY_ELSE.format(first=os.path.join(tree, "first"), omptape=mpi.omptape), 0o755)
    result = mpi.launch("somebody else", [*mpi.launcher(SIZE), mpi.hybrid, "serial", "2"], OMPTAPE_UNIFY="auto",
                     OMP_TOOL_LIBRARIES=os.path.join(tree, "lib", os.path.basename(mpi.library)), OMPTAPE_OUTPUT="out")
    found = said(result)
    if found[-1:] != [MISSING] or any("left no trace" not in line for line in found) or \
            not os.path.isdir(os.path.join(tree, "first")):
        mpi.fail(f"somebody else: omptape says {found}")
    mpi.archive(mpi.path("somebody else", "out", "traces.otf2"), 3 * REGIONS)


def elsewhere(mpi):
    """All ranks are on other nodes, which cannot report to the command: the archive says what they would have."""
    if subprocess.run(["unshare", "--uts", "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        return
    launcher = mpi.launcher_of_nodes(2)
    result = mpi.launch("elsewhere", [mpi.omptape, "-o", "out", *launcher, mpi.plain], OMPTAPE_UNIFY="auto")
    found = said(result)
    if found[-2:] != [f"{mpi.omptape} report out", "vampir out/traces.otf2"] or " of 4 threads" not in found[0]:
        mpi.fail(f"elsewhere: omptape says {found}")
    mpi.archive(mpi.path("elsewhere", "out", "traces.otf2"), 2)


def lines(mpi):
    for one in (missing, together, somebody_else, elsewhere):
        one(mpi)


if __name__ == "__main__":
    own_arguments = arguments("Reads what omptape says of a job.")
    own_arguments.add_argument("mpi", choices=sorted(LAUNCHERS))
    sys.exit(main("", lines, "mpi.lines", MPI, "19", parser=own_arguments))
