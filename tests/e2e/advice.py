# SPDX-License-Identifier: BSD-3-Clause
"""What a run is told in one line: processors that were too few, an archive with nothing in it, where it is. And the
threads' processor time, which the first comes from.

    tests/run e2e.advice --build BUILD --runtimes DIR bound
"""
import os
import pty
import sys

from harness import main
from harness.facts import Facts


class Times(Facts):
    """The location properties of threads, by the OS thread id."""

    def __init__(self):
        super().__init__()
        self.of = {}

    def archive(self, archive):
        super().archive(archive)
        by_location = {}
        for one in archive.definitions.location_properties:
            by_location.setdefault(one.location, {})[one.name] = one.value
        self.of = {own["OS thread id"]: own for own in by_location.values()}


def without_load(texts, alone):
    """Not what is said because of other programs on this machine; on remarks' account, nothing of processors."""
    return [text for text in texts if ("% of their time for" if alone else "% of their time for a processor: ") not in text]


def advise(test, name, words, expected, alone=True, **environment):
    """Runs the program by the command, and by itself with the library. Both have to say what is expected, or nothing; the
    library too if `alone`."""
    done = test.command("-o", f"{name}-out", *words, env=test.environment(**environment))
    said = without_load([line.partition("warning: ")[2] for line in done.stdout.splitlines() if "warning: " in line], alone)
    variables = {"OMPTAPE_" + word[2:].partition("=")[0].upper(): word.partition("=")[2]
                 for word in words if word.startswith("--")}
    program = [word for word in words if not word.startswith("--")]
    done = test.run(name, program, test.preloaded(**environment, **variables))
    lines = [line for line in done.output.splitlines() if line.startswith("omptape: ")]
    if not alone:
        test.expect(f"{name}: the library says", [], lines)
    if expected is None:
        test.expect(f"{name}: the command says", [], said)
        test.expect(f"{name}: the library says", [], lines)
    elif len(said) != 1 or expected not in said[0]:
        test.fail(f"{name}: the command says {said}")
    elif alone and (len(lines) != 1 or expected not in lines[0]):
        test.fail(f"{name}: the library says {lines}")
    facts = test.verify_archive(name, test.path(f"{name}-out", "traces.otf2"), Times())
    kept = without_load([text for key, text in facts.properties.items() if key.startswith("OMPTAPE::WARNING")], alone)
    if expected is not None and (len(kept) != 1 or expected not in kept[0]):
        test.fail(f"{name}: the archive says {kept}")
    return facts


def bound(test):
    """Three threads on one processor; two on two, which is nothing to speak of."""
    turns = test.compile("e2e", "turns.c")
    processor = min(os.sched_getaffinity(0))
    here = ["taskset", "-c", str(processor)]
    advise(test, "bound", [*here, turns, "3", "400"], f"all 3 threads were bound to processor {processor} and waited",
           alone=False)
    if len(os.sched_getaffinity(0)) > 1:
        advise(test, "enough", [turns, "2", "20"], None, alone=False)
        advise(test, "places", [turns, "2", "400"], "OMP_PLACES", alone=False, OMP_PLACES=f"{{{processor}}},{{{processor}}}")


def shared(test):
    """More threads than processors, which none is bound to alone."""
    turns = test.compile("e2e", "turns.c")
    count = len(os.sched_getaffinity(0))
    if count > 1:
        advise(test, "shared", [turns, str(3 * count), "200"], f"{3 * count} threads shared {count} processors and waited",
               alone=False)


def times(test):
    """The last reading is later than the program's own; nothing without them."""
    turns = test.compile("e2e", "turns.c")
    done = test.run("times", [turns, "2", "200"], test.preloaded())
    own = int(done.output.split()[0])
    facts = test.verify_archive("times", test.path("times", "out", "traces.otf2"), Times())
    pid = facts.properties["OMPTAPE::PID"]
    if facts.of.get(pid, {}).get("processor time", 0) < own:
        test.fail(f"times: the program had used {own} ns, the archive says {facts.of.get(pid)}")
    test.expect("times: metric", True, facts.events["Metric"] >= 1)
    done = test.command("-q", "-o", "off", "--sched=off", turns, "2", "200")
    facts = test.verify_archive("off", test.path("off", "traces.otf2"), Times())
    test.expect("off: metric", 0, facts.events["Metric"])
    test.expect("off: properties", [], [own for own in facts.of.values() if "processor time" in own])
    said = test.command("info", "off").stdout
    test.expect("off: info", True, "Processor time is not known" in said)


def empty(test):
    """Whatever leaves an archive empty, or a rule without effect."""
    parallel = test.compile("programs", "parallel.c")
    unused = test.compile("programs", "unused_openmp.c")
    advise(test, "paused", ["--start=paused", parallel], "--start=paused, and the program never started it")
    advise(test, "file", ["--filter=-file=nonesuch.c", parallel], "no construct matched -file=nonesuch.c")
    advise(test, "rules", ["--filter=-function=nonesuch,-critical,-flush", parallel],
           "no construct matched -function=nonesuch, nor 2 other rules")
    advise(test, "hidden", ["--filter=-*", parallel], "--filter left nothing")
    advise(test, "events", ["--events=task", parallel], "--events left nothing but parallel regions")
    advise(test, "chosen", ["--events=none", parallel], None)
    advise(test, "unused", [unused], "the program reached no OpenMP construct")


def terminal(test):
    """Where the archive is, for somebody at a terminal."""
    program = test.compile("programs", "parallel.c")
    for name, more, expected in (("loud", {}, True), ("quiet", {"OMPTAPE_QUIET": "1"}, False)):
        os.makedirs(test.path(name))
        pid, screen = pty.fork()
        if pid == 0:
            os.chdir(test.path(name))
            os.execve(program, [program], test.preloaded(**more))
        written = b""
        while True:
            try:
                part = os.read(screen, 4096)
            except OSError:  # the terminal's last user is gone
                break
            if not part:
                break
            written += part
        os.close(screen)
        test.expect(f"{name}: exit code", 0, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        test.expect(f"{name}: says it", expected, f"omptape: the trace is in {test.path(name, 'out')}\r\n".encode() in written)
        test.expect_nothing_left(name)
    done = test.run("pipe", [program], test.preloaded())
    test.expect("pipe: silent", False, "omptape" in done.output)


if __name__ == "__main__":
    sys.exit(main(__doc__, {"bound": bound, "shared": shared, "times": times, "empty": empty, "terminal": terminal},
                  "e2e.advice", stage=("19", "16", "14")))
