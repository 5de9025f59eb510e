# SPDX-License-Identifier: BSD-3-Clause
"""The table of MPI's functions (src/mpi/table.h) beside what an MPI declares."""
import collections
import os
import re
import subprocess

SOURCES = os.path.join(os.path.dirname(__file__), "..", "..", "src", "mpi")
Row = collections.namedtuple("Row", "arguments group")
# What of --events a list is recorded for.
GROUPS = {"MANAGEMENT": {"always"}, "MESSAGES": {"mpi-p2p"}, "COUNTED_MESSAGES": {"mpi-p2p"},
          "REQUESTS": {"mpi-p2p", "mpi-coll", "mpi-rma", "mpi-io"}, "BARRIERS": {"mpi-coll"},
          "COUNTED_COLLECTIVE": {"mpi-coll"}, "WINDOWS": {"mpi-rma"}, "COUNTED_RMA": {"mpi-rma"}, "IO": {"mpi-io"},
          "COUNTED_IO": {"mpi-io"}, "REST": {"mpi-all"}, "COUNTED_REST": {"mpi-all"}}


def rows():
    """MPI_X -> its row."""
    found = {}
    for name in ("table.h", "rest.h"):
        with open(os.path.join(SOURCES, name), encoding="ascii") as file:
            text = file.read()
        for part, body in re.findall(r"#define OMPTAPE_MPI_(\w+)\(X(?:, C)?\)((?:.*\\\n)+.*\n)", text):
            for function, count in re.findall(r"X\((\w+(?:##C)?), (\d+),", body):
                for suffix in ("", "_c") if function.endswith("##C") else ("",):
                    found["MPI_" + function.removesuffix("##C") + suffix] = Row(int(count), GROUPS[part])
    return found


def _split(arguments):
    depth, parts = 0, [""]
    for letter in arguments:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    parts = [part.strip() for part in parts]
    return [] if parts in ([""], ["void"]) else parts


def declared(compiler, folder):
    """MPI_X -> (what it returns, its parameters), as MPI's header has them."""
    source = os.path.join(folder, "header.c")
    with open(source, "w", encoding="ascii") as file:
        file.write("#include <mpi.h>\n")
    text = subprocess.run([compiler, "-E", "-P", source], check=True, capture_output=True, text=True).stdout
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", text)
    functions = re.finditer(r"(?:^|(?<=[;}]))\s*([\w\s\*]+?)\b(MPI_\w+)\s*\(([^;{]*?)\)\s*;", text)
    return {found.group(2): (found.group(1).split(), _split(found.group(3))) for found in functions
            if "typedef" not in found.group(1)}


def disagreements(compiler, folder):
    """What the table has otherwise than this MPI, and what it lacks, in words."""
    table, theirs = rows(), declared(compiler, folder)
    words = []
    for name, (returned, parameters) in sorted(theirs.items()):
        row = table.get(name)
        plain = returned[-1:] == ["int"] and not any("..." in one or "double" in one for one in parameters)
        if row is not None and (not plain or row.arguments != len(parameters)):
            words.append(f"{name} has {len(parameters)} parameters, in the table {row.arguments}")
        elif row is None and plain and not re.search("MPI_T_|_c2f|_f2c|f08|MPIX|Register_datarep_c", name):
            words.append(f"{name} is not in the table")
    if len(theirs) < 300:
        words.append(f"only {len(theirs)} functions are declared")
    return words
