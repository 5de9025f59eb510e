# SPDX-License-Identifier: BSD-3-Clause
"""What `omptape whatif` predicts for the mended programs, beside what they take: both forms are traced, and the bad one's trace
is asked for the scenario that the program names (program.py). Prints a table and leaves it in BUILD/tests/problems/.

    tests/run problems.predictions --build BUILD --runtimes DIR [OPTIONS]     exit: 0 done, 1 a run failed
"""
import json
import os
import shutil
import subprocess
import sys

import otf2

from bench import tables
from harness import PASSED_ON, Missing, Toolchain, arguments
from problems.program import STAGES, Program, names

FORMS = ("bad", "mended")
CLOSE, NEAR = 0.10, 0.20
HEADER = ["program", "stage", "scenario", "wall, s", "model's error", "predicted, s", "mended, s", "error"]


class Case:
    """One program on one stage."""

    def __init__(self, options, program, stage):
        self.options, self.program, self.stage = options, program, STAGES[stage]
        self._toolchain = Toolchain(self.stage, options.runtimes)
        self._binary = program.compile(self._toolchain, options.build)
        self._folder = os.path.join(options.build, "tests", "problems", f"predicted-{program.name}.{stage}")
        self._omptape = os.path.join(options.build, "bin", "omptape")

    def _run(self, command):
        own = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        environment = {**own, **self._toolchain.environment(), **self.program.variables()}
        done = subprocess.run(command, cwd=self._folder, env=environment, capture_output=True, text=True, check=False, timeout=300)
        if done.returncode != 0:
            raise RuntimeError(f"{self.program.name}: {' '.join(command)} ends with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def _wall(self, trace):
        """Seconds."""
        with otf2.reader.open(os.path.join(self._folder, trace, "traces.otf2")) as reader:
            clock = reader.definitions.clock_properties
            return clock.trace_length / clock.timer_resolution

    def record(self):
        """Of several runs of each form the shortest, which others on the machine disturbed least."""
        shutil.rmtree(self._folder, ignore_errors=True)
        os.makedirs(self._folder)
        for form in FORMS * self.options.rounds:
            command = self.program.command(self.stage, self._binary, form, self.options.scale)
            self._run([*self.options.prefix.split(), self._omptape, "-q", "-o", "new", "--", *command])
            kept = os.path.join(self._folder, form)
            if os.path.exists(kept) and self._wall(form) <= self._wall("new"):
                kept = os.path.join(self._folder, "new")
            shutil.rmtree(kept, ignore_errors=True)
            if not kept.endswith("new"):
                os.rename(os.path.join(self._folder, "new"), kept)

    def predict(self):
        """A row of the table, and by how much the prediction is wrong."""
        scenarios = self.program.scenarios()
        bad = json.loads(self._run([self._omptape, "whatif", "--json=-", "bad", *scenarios]))
        mended = json.loads(self._run([self._omptape, "whatif", "--json=-", "mended", "serial x1"]))
        predicted, wall = bad["scenarios"][-1]["wall_s"], mended["wall_s"]
        error = predicted / wall - 1
        return error, [self.program.name, self.stage.name, " + ".join(scenarios), f"{bad['wall_s']:.3f}", f"{bad['model_error']:+.1%}",
                       f"{predicted:.3f}", f"{wall:.3f}", f"{error:+.1%}"]


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--scale", default="0.5")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--stages", default="19", help="with commas")
    parser.add_argument("--only", action="append", help="a program's name, or how it begins; may be repeated")
    parser.add_argument("--again", action="store_true", help="predict from the traces of the last time")
    parser.add_argument("--prefix", default="", help="what starts each traced run")
    options = parser.parse_args()
    rows, errors, failed = [], [], 0
    for name in names():
        program = Program(name)
        if not program.scenarios() or options.only and not any(name.startswith(one) for one in options.only):
            continue
        for stage in program.stages(options.stages.split(",")):
            try:
                case = Case(options, program, stage)
                if not options.again:
                    case.record()
                error, row = case.predict()
            except Missing as reason:
                print(f"predictions: {name} on {stage} is left out: {reason}", file=sys.stderr)
            except (RuntimeError, OSError, subprocess.TimeoutExpired) as reason:
                print(f"predictions: {reason}", file=sys.stderr)
                failed += 1
            else:
                print(" ".join(row), file=sys.stderr, flush=True)
                errors.append(abs(error))
                rows.append(row)
    text = tables.table(HEADER, rows) + (f"\n{sum(one <= CLOSE for one in errors)} of {len(errors)} predictions are within 10 %, "
                                         f"{sum(one <= NEAR for one in errors)} within 20 %.\n")
    with open(os.path.join(options.build, "tests", "problems", "predictions.md"), "w", encoding="utf-8") as file:
        file.write(text)
    print(text)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
