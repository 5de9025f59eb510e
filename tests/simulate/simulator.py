# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of simulated machines share: the simulator's programs and its archives."""
import json
import subprocess

from harness import Broken, Test, arguments

SOCKET = 64      # threads
OF_A_RANK = 4    # threads
AT_ONCE = 4      # programs: a writer waits for this and that


class Program:
    """A line of the simulator's list."""

    def __init__(self, line):
        self.list, self.name, kind, what, loss, scenario = line.rstrip("\n").split(" ", 5)
        self.kind, self.loss, self.scenario = ("" if word == "-" else word for word in (kind, loss, scenario))
        self.has_ranks = what == "ranks"

    def sizes(self, threads):
        """A team, on two sockets if it is large, or as many threads in ranks of a few."""
        if self.has_ranks:
            return {"ranks": threads // OF_A_RANK, "threads": OF_A_RANK}
        return {"threads": threads, "sockets": 1 if threads < SOCKET else 2}


def options(doc):
    """A parser of the command line, with what all of these tests have."""
    parser = arguments(doc.splitlines()[0])
    parser.add_argument("--threads", default="128", help="numbers, with commas")
    parser.add_argument("--sockets", type=int, help="on so many, not as many as such machines have")
    parser.add_argument("--noise", default="1", help="a factor")
    parser.add_argument("--passive", action="store_true", help="threads that wait sleep, as by OMP_WAIT_POLICY")
    parser.add_argument("--only", default="", help="how programs' names begin, with commas")
    return parser


class Simulator(Test):
    """Makes archives."""

    def __init__(self, options_, name):
        super().__init__(options_, name)
        self._simulate = self.built("tests", "simulate", "simulate")

    def programs(self, of_list):
        """Those of a list that the command line wants."""
        lines = subprocess.run([self._simulate], capture_output=True, text=True, check=True).stdout.splitlines()
        programs = (Program(line) for line in lines)
        return [one for one in programs if one.list == of_list and one.name.startswith(tuple(self.options.only.split(",")))]

    def simulate(self, program, threads, folder, repaired=False):
        """Makes an archive in `folder`: what is true of it, by name."""
        parameters = {**program.sizes(threads), "noise": self.options.noise, "passive": int(self.options.passive), "repaired": int(repaired)}
        if self.options.sockets is not None:
            parameters["sockets"] = self.options.sockets
        if self.options.seed is not None:
            parameters["seed"] = self.options.seed
        words = [f"{name}={value}" for name, value in parameters.items()]
        ended = subprocess.run([self._simulate, program.name, folder, self.built("tests", "simulate", "simulate-writer"), *words],
                               capture_output=True, text=True, check=False, timeout=250)
        if ended.returncode != 0:
            raise Broken(f"simulate {program.name} {' '.join(words)} ends with {ended.returncode}: {ended.stderr}")
        if program.has_ranks:
            self.command("unify", folder)
        return dict(line.split("=", 1) for line in ended.stdout.splitlines())

    def ask(self, command, folder, *words):
        """The JSON of a command of omptape on an archive, or on several."""
        told = self.command(command, "--json", folder + ".json", folder, *words)
        if told.returncode != 0:
            raise Broken(f"omptape {command} {' '.join(words)} ends with {told.returncode}: {told.stdout.strip()}")
        with open(folder + ".json", encoding="utf-8") as file:
            return json.load(file)
