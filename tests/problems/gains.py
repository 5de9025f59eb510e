# SPDX-License-Identifier: BSD-3-Clause
"""What findings say is to be won, beside what the mended programs win: both forms without the tool in turn, the bad one
under omptape. Prints a table and leaves it, with every single value, in BUILD/tests/problems/.

    tests/run problems.gains --build BUILD --runtimes DIR [OPTIONS]     exit: 0 done, 1 a run failed or forms differ
"""
import json
import os
import shutil
import statistics
import subprocess
import sys
import time

from bench import tables
from harness import PASSED_ON, Missing, Toolchain, arguments
from problems import sums
from problems.program import STAGES, Program, names

FORMS = ("bad", "mended")
CLOSE = 0.2
HEALTHY = 0.03


class Failed(Exception):
    """A run that did not end as it must."""


class Case:
    """One program on one stage."""

    def __init__(self, options, program, stage):
        self.options, self.program, self.stage = options, program, STAGES[stage]
        self._toolchain = Toolchain(self.stage, options.runtimes)
        self._binary = program.compile(self._toolchain, options.build)
        self._folder = os.path.join(options.build, "tests", "problems", f"{program.name}.{stage}")
        self.walls = {form: [] for form in FORMS}
        self.findings = []
        self._sums = set()

    def _run(self, command):
        """The output and the seconds."""
        own = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        environment = {**own, **self._toolchain.environment(), **self.program.variables()}
        begun = time.monotonic()
        done = subprocess.run(command, cwd=self._folder, env=environment, capture_output=True, text=True, check=False,
                              timeout=300)
        seconds = time.monotonic() - begun
        if done.returncode != 0:
            raise Failed(f"{' '.join(command)} ends with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout, seconds

    def _command(self, form):
        return self.program.command(self.stage, self._binary, form, self.options.scale)

    def round(self):
        shutil.rmtree(self._folder, ignore_errors=True)
        os.makedirs(self._folder)
        for form in FORMS if not self.program.healthy else FORMS[:1]:
            said, seconds = self._run(self._command(form))
            self.walls[form].append(seconds)
            self._sums.add(said)
        if not self.options.truth:
            omptape = os.path.join(self.options.build, "bin", "omptape")
            self._run([omptape, "-q", "--sample", "-o", "out", "--", *self._command("bad")])
            self._run([omptape, "report", "--json", "report.json", "out"])
            self.findings.append(self.program.finding(self.stage, os.path.join(self._folder, "report.json")))
            with open(os.path.join(self._folder, "report.json"), encoding="utf-8") as file:
                for text in sums.faults(json.load(file)):
                    print(f"gains: {self.program.name} {self.stage.name}: {text}", file=sys.stderr)
        if len(self._sums) != 1:
            raise Failed(f"{self.program.name}: the forms do not do the same: {sorted(self._sums)}")
        if not self.options.keep:
            shutil.rmtree(self._folder)

    @property
    def wall(self):
        return statistics.median(self.walls["bad"])

    @property
    def gain(self):
        """What the mended form wins."""
        return 0.0 if self.program.healthy else self.wall - statistics.median(self.walls["mended"])

    @property
    def finding(self):
        """Of the run with the median gain."""
        by_gain = sorted(self.findings, key=lambda one: one.gain)
        return by_gain[len(by_gain) // 2] if by_gain else None

    def by_shares(self):
        """The finding's gain by the true one, both as shares of their walls: tracing makes some runs longer."""
        return self.finding.gain / self.finding.wall / (self.gain / self.wall)

    def right_place(self):
        if self.program.healthy:
            return self.finding.biggest <= HEALTHY * self.finding.wall
        return self.finding.right

    def row(self):
        expected = "nothing" if self.program.healthy else ", ".join(
            f"{kind}:{line}" for kind, line in sorted(self.program.expected(self.stage)))
        row = [self.program.name, self.stage.name, expected, f"{self.wall:.3f}", f"{self.gain:.3f}"]
        if self.finding is None:
            return row
        found = self.finding
        row += [f"{found.kind}:{found.line}", "yes" if self.right_place() else "**no**", f"{found.gain:.3f}",
                f"{found.wall:.3f}"]
        return row + (["-", "-"] if self.gain == 0 else [f"{found.gain / self.gain:.2f}", f"{self.by_shares():.2f}"])


HEADER = ["program", "stage", "expected", "wall, s", "won, s", "first finding", "right", "its gain, s",
          "traced wall, s", "gain/won", "by shares"]


def measure(options, cases):
    failed = []
    for number in range(options.rounds):
        for case in cases:
            if case not in failed:
                print(f"{number + 1}: {case.program.name} {case.stage.name}", file=sys.stderr, flush=True)
                try:
                    case.round()
                except (Failed, OSError, subprocess.TimeoutExpired) as reason:
                    print(f"gains: {reason}", file=sys.stderr)
                    failed.append(case)
    return failed


def summary(cases):
    """How many are right."""
    judged = [case for case in cases if case.finding is not None]
    ill = [case for case in judged if not case.program.healthy]
    right = [case for case in judged if case.right_place()]
    close = [case for case in ill if case in right and abs(case.finding.gain - case.gain) <= CLOSE * abs(case.gain)]
    return (f"{len(right)} of {len(judged)} have the right first finding (healthy: none above 3 %); {len(close)} of "
            f"{len(ill)} gains are within 20 % of what the mended form wins.")


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--scale", default="1")
    parser.add_argument("--stages", default="14,16,19,22,gomp,flang19,openmpi,mpich", help="with commas")
    parser.add_argument("--only", action="append", help="a program's name, or how it begins; may be repeated")
    parser.add_argument("--truth", action="store_true", help="without omptape")
    parser.add_argument("--keep", action="store_true", help="the archives of the last round")
    options = parser.parse_args()
    cases = []
    for name in names():
        program = Program(name)
        if options.only and not any(name.startswith(one) for one in options.only):
            continue
        for stage in program.stages(options.stages.split(",")):
            try:
                cases.append(Case(options, program, stage))
            except Missing as reason:
                print(f"gains: {name} on {stage} is left out: {reason}", file=sys.stderr)
    failed = measure(options, cases)
    cases = [case for case in cases if case not in failed]
    text = tables.table(HEADER[:5] if options.truth else HEADER, [case.row() for case in cases])
    text += "" if options.truth else "\n" + summary(cases) + "\n"
    folder = os.path.join(options.build, "tests", "problems")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "gains.md"), "w", encoding="utf-8") as file:
        file.write(text)
    with open(os.path.join(folder, "gains.json"), "w", encoding="utf-8") as file:
        json.dump([{"program": case.program.name, "stage": case.stage.name, "walls": case.walls,
                    "findings": [one.numbers() for one in case.findings]} for case in cases], file, indent=1)
    print(text)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
