# SPDX-License-Identifier: BSD-3-Clause
"""What `omptape whatif` predicts for a program that waits for its device (programs/waits.c): the model has the operations
in order on their stream, and the host's waits for them. All numbers are compared with the same record, so no time decides.

    tests/run emulator.predictions --build BUILD --runtimes DIR
"""
import json
import os
import sys

from emulator.setting import Setting
from harness import TESTS, main

CLOSE = 0.15


class Predictions(Setting):
    def numbers(self, name, *words):
        """The JSON of a command, as `words` ask for it."""
        file = self.path(name + ".json")
        told = self.command(*words[:1], "--json", file, self.path("out"), *words[1:])
        if told.returncode != 0:
            self.fail(f"{name}: ends with {told.returncode}: {told.stdout.strip()}")
        with open(file, encoding="utf-8") as text:
            return json.load(text)

    def near(self, what, wanted, found):
        if abs(found - wanted) > CLOSE * abs(wanted):
            self.fail(f"{what}: {found}, and not about {wanted}")

    def test(self):
        self.emulated("waits", "waits", "", self.built("lib", "libomptape.so"), OMPTAPE_OUTPUT=self.path("out"))
        kernels = sum(device["kernel_s"] for device in self.numbers("report", "report")["devices"])
        transfers = sum(device["transfer_s"] for device in self.numbers("report", "report")["devices"])
        site = "@waits.c:%d" % self.line("omp target")
        model = self.numbers("whatif", "whatif", f"kernel{site} x0.5", "transfer x0", f"target kernel{site} x0", "kernel x2")
        self.near("wall time of the unchanged run", model["wall_s"], model["model_wall_s"])
        half, moved, none, twice = (one["gain_s"] for one in model["scenarios"][:4])
        self.near("half of the kernels", kernels / 2, half)
        self.near("no kernels", kernels, none)
        self.near("kernels that take twice as long", -kernels, twice)
        if not transfers / 2 < moved < 4 * transfers:  # with what the host does for them
            self.fail(f"no transfers: {moved}, of {transfers}")
        path = self.numbers("path", "whatif")
        self.near("kernels on the path", kernels, sum(row["path_s"] for row in path["regions"] if "kernel" in row["region"]))

    @staticmethod
    def line(text):
        with open(os.path.join(TESTS, "emulator", "programs", "waits.c"), encoding="utf-8") as source:
            return next(number for number, line in enumerate(source, 1) if text in line)


if __name__ == "__main__":
    sys.exit(main("Predicts for a device.", Predictions.test, "predictions", Predictions, "22"))
