# SPDX-License-Identifier: BSD-3-Clause
"""What `omptape whatif` predicts for the mended programs, beside what they take: both forms run in turn, under omptape and
without. The bad one's trace is asked for the scenario that the program names (program.py). The prediction is compared with
the mended form's trace, and with its run without omptape. "Others" is the share of the processors that other programs had
in the worst of the four runs. Prints a table and leaves it in BUILD/tests/problems/.

    tests/run problems.predictions --build BUILD --runtimes DIR [OPTIONS]     exit: 0 done, 1 a run failed
"""
import json
import os
import shutil
import subprocess
import sys
import time

import otf2

from bench import tables
from harness import PASSED_ON, Missing, Toolchain, arguments
from problems.program import STAGES, Program, names

FORMS = ("bad", "mended")
CLOSE, NEAR = 0.10, 0.20
HEADER = ["program", "stage", "scenario", "bare, s", "traced, s", "model's error", "predicted, s", "mended traced, s", "error",
          "mended bare, s", "error", "others"]


def busy():
    """Seconds that processors worked for anybody, or that the host gave to others, since the machine began."""
    with open("/proc/stat", encoding="utf-8") as file:
        ticks = [int(word) for word in file.readline().split()[1:9]]
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")   # not idle, not waiting for a disk


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

    def _measure(self, trace, command):
        """Seconds, and the share of the processors that others had."""
        begun, before, own = time.monotonic(), busy(), sum(os.times()[:4])
        self._run(command)
        wall = time.monotonic() - begun
        others = (busy() - before - sum(os.times()[:4]) + own) / wall / os.cpu_count()
        return {"wall": self._wall(trace) if trace else wall, "others": others}

    def record(self):
        """Of several runs of each form the shortest, which others on the machine disturbed least."""
        shutil.rmtree(self._folder, ignore_errors=True)
        os.makedirs(self._folder)
        kept = {}
        for form in FORMS * self.options.rounds:
            command = [*self.options.prefix.split(), *self.program.command(self.stage, self._binary, form, self.options.scale)]
            traced = self._measure("new", [self._omptape, "-q", "-o", "new", "--", *command])
            is_shorter = form not in kept or traced["wall"] < kept[form]["wall"]
            shutil.rmtree(os.path.join(self._folder, form if is_shorter else "new"), ignore_errors=True)
            if is_shorter:
                kept[form] = traced
                os.rename(os.path.join(self._folder, "new"), os.path.join(self._folder, form))
            bare = self._measure(None, command)
            kept[f"{form} bare"] = min(bare, kept.get(f"{form} bare", bare), key=lambda one: one["wall"])
        with open(os.path.join(self._folder, "runs.json"), "w", encoding="utf-8") as file:
            json.dump(kept, file)

    def predict(self):
        """A row of the table, and by how much the prediction is wrong: of the traced run, and of the bare one."""
        if not os.path.exists(os.path.join(self._folder, "runs.json")):
            raise Missing(f"{self._folder} has no runs of a last time")
        scenarios = self.program.scenarios()
        answer = json.loads(self._run([self._omptape, "whatif", "--json=-", "bad", *scenarios]))
        with open(os.path.join(self._folder, "runs.json"), encoding="utf-8") as file:
            runs = json.load(file)
        wall = {name: run["wall"] for name, run in runs.items()}
        predicted = answer["scenarios"][-1]["wall_s"]
        errors = [predicted / wall[name] - 1 for name in ("mended", "mended bare")]
        return errors, [self.program.name, self.stage.name, " + ".join(scenarios), f"{wall['bad bare']:.3f}", f"{wall['bad']:.3f}",
                        f"{answer['model_error']:+.1%}", f"{predicted:.3f}", f"{wall['mended']:.3f}", f"{errors[0]:+.1%}",
                        f"{wall['mended bare']:.3f}", f"{errors[1]:+.1%}", f"{max(run['others'] for run in runs.values()):.0%}"]


def summary(errors, runs):
    """How many predictions are near."""
    near = [sum(abs(one) <= limit for one in errors) for limit in (CLOSE, NEAR)]
    return f"{near[0]} of {len(errors)} predictions are within 10 % of the mended form {runs}, {near[1]} within 20 %.\n"


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
                wrong, row = case.predict()
            except Missing as reason:
                print(f"predictions: {name} on {stage} is left out: {reason}", file=sys.stderr)
            except (RuntimeError, OSError, subprocess.TimeoutExpired) as reason:
                print(f"predictions: {reason}", file=sys.stderr)
                failed += 1
            else:
                print(" ".join(row), file=sys.stderr, flush=True)
                errors.append(wrong)
                rows.append(row)
    text = "\n".join((tables.table(HEADER, rows), summary([one[0] for one in errors], "under omptape"),
                      summary([one[1] for one in errors], "without")))
    with open(os.path.join(options.build, "tests", "problems", "predictions.md"), "w", encoding="utf-8") as file:
        file.write(text)
    print(text)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
