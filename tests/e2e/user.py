# SPDX-License-Identifier: BSD-3-Clause
"""What a program names itself (include/omptape/omptape.h) is in the archive as often as it was said, from its first word on; and a
program without the tool does the same.

    tests/run e2e.user --build BUILD --runtimes DIR
"""
import collections
import sys

from otf2.enums import Paradigm, RegionRole
from otf2.events import Enter, ParameterUnsignedInt

from harness import main, source_of

NAMED = {"before": 1, "time step": 8, "sweep": 24, "left open": 24, "in a team": 16, "point": 32, "x" * 511: 1,
         "used again": 1, "in a task": 16, "own thread": 1, "never ends": 1}
STEPS = {"time step": list(range(8)), "sweep": [0, 1, 2] * 8}


class Named:
    """An observer of the checker."""

    def __init__(self):
        self.entered = collections.Counter()
        self.steps = collections.defaultdict(list)
        self._last = {}

    def __call__(self, location, event):
        if isinstance(event, Enter):
            self._last[location] = event.region.name
            if event.region.paradigm == Paradigm.USER and event.region.region_role == RegionRole.CODE:
                self.entered[event.region.name] += 1
        elif isinstance(event, ParameterUnsignedInt) and event.parameter.name == "step":
            self.steps[self._last[location]].append(event.value)

    def archive(self, archive):
        pass


def user(test):
    program = test.compile("e2e", "user.c", flags=["-I" + source_of("..", "include", "omptape"), "-pthread"])
    alone = test.run("alone", [program])
    test.expect("alone", (b"0 \n", 0), (alone.out, alone.code))
    traced = test.run("traced", [test.omptape, "-q", "-o", "out", "--", program])
    test.expect("traced: exit code", 0, traced.code)
    test.expect("traced: is recording", b"1", traced.out.split()[0])
    seen = test.judge("traced", test.path("traced", "out", "traces.otf2"), Named())
    test.expect("traced: named", NAMED, dict(seen.entered))
    test.expect("traced: steps", STEPS, dict(seen.steps))


if __name__ == "__main__":
    sys.exit(main(__doc__, user, "e2e.user", stages=("19", "14", "gomp")))
