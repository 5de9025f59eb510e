# SPDX-License-Identifier: BSD-3-Clause
"""One test: its folder, its environment, the programs that it runs, its problems and its end; and its command line."""
import argparse
import fcntl
import os
import shutil
import subprocess

from harness import archives, processes
from harness.facts import Facts
from harness.stages import STAGES, Broken, Missing, Toolchain
from harness.waiting import longest_wait, note_wait, wait_for

SKIPPED = 77
PASSED = 0
FAILED = 1
MAX_PROBLEMS = 40  # that are printed
PASSED_ON = ("PATH", "HOME", "LANG", "TMPDIR", "USER")
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUSY_CODE = 17  # the exit code of faults/busy.c and others


def source_of(*parts):
    """A file below tests/."""
    return os.path.join(TESTS, *parts)


class Test:
    """Of a stage; of several: of the first that this machine has. The folder is BUILD/tests/work/NAME."""

    def __init__(self, options, name, stage=None):
        self.options = options
        self.build, self.runtimes = options.build, options.runtimes
        self.name = name
        self.problems = []
        self.end_timeout = 60  # seconds in which all that was started has to end
        self.toolchain = self._toolchain((stage,) if isinstance(stage, str) else stage or ())
        self.folder = os.path.join(options.build, "tests", "work", name)
        self.servers = []  # process numbers of what works for the test as long as it lasts
        self._printed = set()  # kinds of records that otf2-print has read
        self._random = None
        self._take_folder()
        self.memory_before = processes.shared_memory()

    def _toolchain(self, stages):
        missing = None
        for stage in stages:
            try:
                return Toolchain(STAGES[stage], self.runtimes)
            except Missing as reason:
                missing = reason
        if missing is not None:
            raise missing
        return None

    def _take_folder(self):
        """For this test alone as long as it runs: of two with one folder each would remove the other's files."""
        locks = os.path.join(os.path.dirname(self.folder), ".locks")
        os.makedirs(locks, exist_ok=True)
        self._lock = open(os.path.join(locks, self.name), "w", encoding="utf-8")  # until the test ends
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Broken(f"another test is at work in {self.folder}") from None
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)

    @property
    def random(self):
        """Random numbers; the seed is printed, and can be given."""
        if self._random is None:
            import random  # pylint: disable=import-outside-toplevel; few tests need it, and it takes long
            seed = self.options.seed if self.options.seed is not None else random.randrange(2**32)
            print(f"seed {seed}", flush=True)
            self._random = random.Random(seed)
        return self._random

    # Problems

    def fail(self, text):
        self.problems.append(text)

    def expect(self, what, expected, found):
        if expected != found:
            self.fail(f"{what}: expected {expected!r}, found {found!r}")

    def try_undisturbed(self, attempt, tries=5):
        """Calls attempt(), which says whether it has proof that others had the processors, until it finds no problem or
        nobody disturbed it. What a disturbed attempt finds is no problem of the product's."""
        for _ in range(tries):
            before = len(self.problems)
            disturbed = attempt()
            if len(self.problems) == before or not disturbed:
                return
            print("disturbed:", *self.problems[before:], sep="\n    ", flush=True)
            del self.problems[before:]

    def try_longer(self, lengths, attempt):
        """Calls attempt(length), which says in lines what the run lacks, until it lacks nothing. What a short run may lack, as
        samples where the writer begins late, a long one must have: what the longest lacks are problems."""
        for length in lengths:
            lacking = attempt(length)
            if not lacking:
                return
            print(f"a run of length {length}:", *lacking, sep="\n    ", flush=True)
        self.problems += lacking

    def report(self):
        """Prints what failed, and removes the folder if nothing has. The exit code."""
        for problem in self.problems[:MAX_PROBLEMS]:
            print(f"FAILED: {problem}")
        if self.problems and longest_wait():
            print(f"margin: {longest_wait()}")
        if len(self.problems) > MAX_PROBLEMS:
            print(f"FAILED: and {len(self.problems) - MAX_PROBLEMS} more")
        if not self.problems:
            shutil.rmtree(self.folder, ignore_errors=True)
        self._lock.close()
        return FAILED if self.problems else PASSED

    def close(self):
        """What is to be done at the end, whatever has happened."""

    # Files

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def built(self, *parts):
        path = os.path.join(self.build, *parts)
        if not os.path.exists(path):
            raise Broken(f"{path} is not built")
        return path

    @property
    def omptape(self):
        return self.built("bin", "omptape")

    @property
    def library(self):
        return self.built("lib", "libomptape.so")

    def write(self, name, text, mode=0o644):
        """A file of the test's folder; its path."""
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def compile(self, *source, output=None, **more):
        """A program of the stage, shared by all tests that compile it so; `source` is below tests/."""
        output = output or os.path.splitext(source[-1])[0]
        return self.toolchain.compile(source_of(*source), os.path.join(self.toolchain.programs(self.build), output),
                                      **more)

    # Programs

    def environment(self, **more):
        own = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        if self.toolchain is not None:
            own.update(self.toolchain.environment())
        own.update(more)
        return own

    def preloaded(self, **more):
        return self.environment(**{"LD_PRELOAD": self.library, "OMPTAPE_OUTPUT": "out", **more})

    def start(self, name, command, environment=None, **more):
        """Starts a program in the folder NAME, whose output goes to files there."""
        environment = self.environment() if environment is None else environment
        return processes.Program(name, self.path(name), command, environment, **more)

    def finish(self, program, timeout=120):
        """Waits for the program's end. Nothing that it started may be left."""
        ended, late = program.finish(timeout, lambda: self.expect_nothing_left(program.name))
        if late:
            self.fail(f"{program.name}: it did not end within {timeout} s: {ended.output}")
        note_wait(program.name, ended.seconds, timeout)
        return ended

    def run(self, name, command, environment=None, timeout=120, **more):
        """Both."""
        return self.finish(self.start(name, command, environment, **more), timeout)

    def command(self, *words, **more):
        """The command's own answer; `more` is for subprocess.run."""
        return subprocess.run([self.omptape, *(str(word) for word in words)], check=False, **{
            "cwd": self.folder, "env": self.environment(), "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True,
            "errors": "replace", "timeout": 120, **more})

    def writer(self, program=None, seconds=60):
        """The process number of that program's writer, or of the one in this test's care."""
        return wait_for("an omptape-writer", lambda: processes.writer_of(program), seconds)

    def expect_nothing_left(self, name):
        for line in processes.wait_for_all(self.end_timeout, self.servers):
            self.fail(f"{name}: {line}")
        left = processes.shared_memory() - self.memory_before
        if left:
            self.fail(f"{name}: left in /dev/shm: {', '.join(sorted(left))}")

    # Archives

    def expect_no_links(self, what, folder):
        """A finished archive can be copied by what follows links."""
        links = [os.path.join(root, name) for root, folders, files in os.walk(folder) for name in folders + files
                 if os.path.islink(os.path.join(root, name))]
        self.expect(f"{what}: links", [], links)

    def verify_archive(self, what, path, facts=None, thorough=True, accepted=lambda problem: False):
        """The checkers must be content. Returns `facts`, an observer that has seen the archive; if it is not looked at
        thoroughly, its definitions alone."""
        facts = Facts() if facts is None else facts
        if not os.path.exists(path):
            self.fail(f"{what}: there is no {path}")
            return facts
        found = archives.check(self.omptape, path, [facts], self._printed) if thorough else archives.quickly(self.omptape, path, facts)
        for problem in found:
            if not accepted(problem):
                self.fail(f"{what}: {problem}")
        return facts


# The command line


def arguments(description):
    """What every test is told."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--build", type=os.path.abspath, required=True, help="the build folder")
    parser.add_argument("--runtimes", type=os.path.abspath, required=True, help="the unpacked runtimes")
    parser.add_argument("--seed", type=int, default=os.environ.get("OMPTAPE_TEST_SEED"), help="of what is random")
    return parser


def run_test(make, test):
    """The exit code of a test: `make` gives the Test, which `test` gets."""
    processes.adopt_orphans()
    subject = None
    try:
        subject = make()
        test(subject)
    except Missing as reason:
        if subject is None or not subject.problems:
            print(f"SKIPPED: {reason}")
            if subject is not None:
                shutil.rmtree(subject.folder)
            return SKIPPED
    except (Broken, TimeoutError) as reason:
        if subject is None:
            print(f"FAILED: {reason}")
            return FAILED
        subject.fail(str(reason))
    except Exception:  # what has been found before is printed, too
        if subject is None:
            raise
        import traceback  # pylint: disable=import-outside-toplevel; tests that pass do without
        subject.fail(traceback.format_exc())
    finally:
        if subject is not None:
            subject.close()
    return subject.report()


def main(description, tests, prefix, make=Test, stage=None, stages=(), parser=None):
    """The exit code of a script of tests, {name: function}: the one that is named runs on `stage`, or on each of
    `stages`. A function alone is a script with one test. `prefix` is that of CTest's names."""
    parser = parser or arguments(description)
    if isinstance(tests, dict):
        parser.add_argument("name", choices=tests)
    options = parser.parse_args()
    name, test = (f"{prefix}.{options.name}", tests[options.name]) if isinstance(tests, dict) else (prefix, tests)
    if not stages:
        return run_test(lambda: make(options, name, stage), test)
    codes = {run_test(lambda one=one: make(options, f"{name}.{one}", one), test) for one in stages}
    return FAILED if FAILED in codes else PASSED if PASSED in codes else SKIPPED
