# SPDX-License-Identifier: BSD-3-Clause
"""A program with one known performance problem, and what must be found in it. A comment on the line to be named says
which, /* HERE kind */ (Fortran: ! HERE kind); one that begins /* HERE[gcc] ... is for that family of compilers alone;
what comes after a colon says why. Several marks, or several kinds in one, are alternatives; none: the program is healthy. Its
first comment may have the lines

    //: only offload                for compilers and runtimes with a host plugin
    //: only clang                  for that family of compilers
    //: environment NAME=VALUE...
    //: share 0.33                  of the wall that the mended form wins, where that follows from the work
    //: proposal PATTERN            of the proposal, where the iterations of a loop are known (clang)
    //: ranks 2                     so many processes of MPI's
    //: scenario dynamic@HERE       what `omptape whatif` is asked for, to predict the mended form; HERE is the first mark's file and line,
                                    HERE+2 two lines below it; "; " is between several

which begin with !: in Fortran, and with //: in C++ as well.
"""
import glob
import json
import os
import re

from harness import STAGES as OPENMP_STAGES
from harness import source_of
from harness.stages import Stage

FOLDER = source_of("problems", "programs")
SIDES = ("after", "before")  # a serial part is named by the region on one side of it
SAMPLED = ("allocation", "atomic", "false_sharing", "hot_function", "scattered", "spin", "stride")
OFFLOAD_STAGE = "22"
MPI_STAGES = {name: Stage(name, "gcc", 19, "", f"mpicc.{name}") for name in ("openmpi", "mpich")}
STAGES = {**OPENMP_STAGES, **MPI_STAGES}
FORTRAN_STAGES = ("flang19", "gomp")
ENDINGS = ("c", "cpp", "f90")
FLAGS = {"c": ("-O2", "-std=gnu11", "-pthread"), "cpp": ("-O2", "-std=gnu++17", "-pthread"), "f90": ("-O2",)}
_MARK = re.compile(r"(?:/\*|!) HERE(?:\[(\w+)\])? ([\w ]+?)(?:: .*)?(?: \*/|$)")
_LINE = re.compile(r"(?://|!): (\w+) (.*)")


def names():
    """All of them."""
    return sorted(os.path.splitext(os.path.basename(path))[0] for ending in ENDINGS
                  for path in glob.glob(os.path.join(FOLDER, f"*.{ending}")))


class Program:
    """One of them."""

    def __init__(self, name):
        self.name = name
        paths = {ending: os.path.join(FOLDER, f"{name}.{ending}") for ending in ENDINGS}
        self._ending = next(ending for ending, path in paths.items() if os.path.exists(path))
        self.fortran = self._ending == "f90"
        self.source = paths[self._ending]
        self._marks = []   # (family or None, kinds, line)
        words = {}
        with open(self.source, encoding="utf-8") as file:
            for number, text in enumerate(file, 1):
                mark, line = _MARK.search(text.rstrip("\n")), _LINE.match(text)
                if mark:
                    kinds = [kind for kind in mark[2].split() if kind not in SIDES]
                    self._marks.append((mark[1], kinds, number))
                if line:
                    words[line[1]] = line[2].strip()
        only = words.get("only", "").split(" ")[0]
        self.offload = only == "offload"
        self._family = None if self.offload else only or None
        self.environment = dict(text.split("=", 1) for text in words.get("environment", "").split())
        self.share = float(words["share"]) if "share" in words else None
        self._proposal = words.get("proposal")
        self.ranks = int(words.get("ranks", 0))
        self._scenario = words.get("scenario", "")

    @property
    def kind(self):
        """The first word of its name."""
        return self.name.split("_")[0]

    @property
    def needs_samples(self):
        """Its problem is one that only samples show."""
        return any(kind in SAMPLED for _, kinds, _ in self._marks for kind in kinds)

    @property
    def healthy(self):
        return not self._marks

    def expected(self, stage):
        """{(kind, line)}: one of them must be the first finding."""
        return {(kind, line) for family, kinds, line in self._marks for kind in kinds if family in (None, stage.family)}

    def proposal(self, stage):
        """A pattern of what must be proposed; "": anything."""
        return self._proposal if self._proposal and stage.family == "clang" else ""

    def scenarios(self):
        """What predicts the mended form."""
        def place(match):
            return f"{os.path.basename(self.source)}:{self._marks[0][2] + int(match[1] or 0)}"
        return [re.sub(r"HERE([+-]\d+)?", place, one) for one in self._scenario.split("; ") if one]

    def stages(self, names_of_stages):
        """Those that it can run on."""
        if self.ranks:
            return [name for name in names_of_stages if name in MPI_STAGES]
        names_of_stages = [name for name in names_of_stages if name not in MPI_STAGES]
        if self.fortran:
            return [name for name in names_of_stages if name in FORTRAN_STAGES]
        return [name for name in names_of_stages if name != FORTRAN_STAGES[0] and (not self.offload or name == OFFLOAD_STAGE)
                and self._family in (None, STAGES[name].family)]

    def finding(self, stage, path):
        """What a report in JSON has first."""
        with open(path, encoding="utf-8") as file:
            return Finding(json.load(file), self.expected(stage), os.path.basename(self.source))

    def compile(self, toolchain, build, steps=None):
        """The path of the program. `steps`: of a unit of work (work.h)."""
        flags = list(FLAGS[self._ending])
        if self.offload:
            flags.append("-fopenmp-targets=x86_64-pc-linux-gnu")
        output = os.path.join(toolchain.programs(build), "problems", self.name)
        if steps is not None:
            flags.append(f"-DWORK_STEPS={steps}")
            output += f".{steps}"
        return toolchain.compile(self.source, output, flags)

    def command(self, stage, binary, *words):
        """What starts it."""
        if not self.ranks:
            return [binary, *words]
        options = ["--oversubscribe", "--bind-to", "none"] if stage.name == "openmpi" else []
        return [f"mpirun.{stage.name}", *options, "-n", str(self.ranks), binary, *words]

    def variables(self):
        """Two threads that stay where they are, unless the program says otherwise."""
        return {"OMP_NUM_THREADS": "2", "OMP_PROC_BIND": "true", "OMP_DYNAMIC": "false",
                "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **self.environment}


class Finding:
    """The first finding of a report, or that there is none. Its gain is that of all findings that are the same problem,
    which may have several sites (`expected`: {(kind, line)}, in `file`). Where what is to win is not known, it is what
    goes there."""

    def __init__(self, report, expected, file):
        found = [(one["kind"], os.path.basename(one["file"] or ""), one["line"],
                  one["gain_s"] or one.get("takes_s", 0.0)) for one in report["findings"]]
        self.proposals = {(one["kind"], one["line"]): one.get("proposal", "") for one in report["findings"]}
        # Others take processors from a short run, omptape's writer among them; that is a problem of its own.
        if "preemption" not in {kind for kind, _ in expected}:
            found = [one for one in found if one[0] != "preemption"]
        same = [one for one in found if one[1] == file and (one[0], one[2]) in expected]
        self.wall = report["wall_s"]
        self.kind, self.file, self.line, self.gain = found[0] if found else ("none", "", None, 0.0)
        self.biggest = max((one[3] for one in found), default=0.0)
        self.sampled = bool(report.get("samples"))
        self.right = bool(found) and found[0] in same
        if self.right:
            self.gain = sum(one[3] for one in same)

    def numbers(self):
        """As JSON has them."""
        return {name: value for name, value in vars(self).items() if name != "proposals"}

    @property
    def proposal(self):
        """Of the first one."""
        return self.proposals.get((self.kind, self.line), "")

    def __str__(self):
        return f"{self.kind} {self.file}:{self.line} {self.gain:.3f} s of {self.wall:.3f}"


# In every run of the tests: what others on the machine can hardly hide. The rest is for gains.py.
ALWAYS = ("atomic_sum", "chain_creates", "chain_depend", "chain_few", "chain_taskwait", "chain_wavefront",
          "chunks_rows", "few_if", "few_league", "fine_producer", "fine_sort", "fine_taskloop", "healthy_dynamic",
          "healthy_graph", "healthy_pool", "hot_clock", "hot_entropy", "hot_rwlock", "hot_strlen", "hot_thrown",
          "imbalance_brief", "imbalance_cheap", "imbalance_pairs", "imbalance_rare", "imbalance_sections",
          "imbalance_triangle", "lock_critical", "lock_holder", "lock_several", "nested_unequal", "outlier_iteration",
          "oversubscription_bound", "oversubscription_nested", "oversubscription_pinned", "scattered_index",
          "serial_between", "serial_single", "sharing_counters", "sharing_stack", "spin_flag", "stride_columns",
          "transfers_repeated")


def listed():
    """"NAME STAGE" for each test of every run: with clang on LLVM 19, and with gcc."""
    for name in ALWAYS:
        program = Program(name)
        for stage in (OFFLOAD_STAGE,) if program.offload else ("19", "gomp"):
            if stage in program.stages((stage,)):
                yield f"{name} {stage}"


if __name__ == "__main__":
    print("\n".join(listed()))
