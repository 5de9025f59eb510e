# SPDX-License-Identifier: BSD-3-Clause
"""What the fault tests share: a busy program, what it must say, and what its archive must hold."""
from harness import BUSY_CODE, Test, counts


class Fault(Test):
    """With busy.c, compiled."""

    def __init__(self, options, name, stage=("19", "14")):
        super().__init__(options, name, stage)
        self.busy = self.compile("faults", "busy.c")

    @property
    def counting(self):
        """What to preload so that a program's events are counted, too."""
        return f"{self.built('tests', 'e2e', 'libcount_tool.so')}:{self.library}"

    def traced(self, **more):
        """For what omptape starts or loads by other means than LD_PRELOAD."""
        return self.environment(**{"OMPTAPE_OUTPUT": "out", **more})

    def expect_own_end(self, name, ended, lines=1):
        """The program ended as it would have without the tool; at most some lines of omptape on stderr, which are
        returned."""
        if ended.code != BUSY_CODE or ended.out != b"right\n":
            self.fail(f"{name}: exit code {ended.code}, output {ended.out!r}; {ended.err!r}")
        if len(ended.lines) > lines or any(not line.startswith("omptape") for line in ended.lines):
            self.fail(f"{name}: stderr has {ended.lines}")
        return ended.lines

    def valid(self, name, path, counted=None):
        """The archive is in order; with counts: it holds every event that was committed, and no other."""
        facts = self.judge(name, path)
        if counted is not None:
            for problem in counts.compare(counted, facts):
                self.fail(f"{name}: {problem}")
        return facts

    def accounted_for(self, name, facts, counted):
        """What is recorded, dropped, forgotten and unwritten is what was counted, and at most one more a thread."""
        found = sum(facts.number(key) for key in ("RECORDS", "DROPPED", "FORGOTTEN", "UNWRITTEN"))
        callbacks = counts.callbacks(counted)
        if not callbacks <= found <= callbacks + facts.threads:
            self.fail(f"{name}: {callbacks} callbacks, {found} records")
