# SPDX-License-Identifier: BSD-3-Clause
"""Mutates archives, profiles, checkpoints and plans and gives them to `omptape info`, `report`, `compare`, `check`, `export` and
`unify`, built with AddressSanitizer and UndefinedBehaviorSanitizer. Each must end within ten seconds of processor time, with less than a
GiB of memory, a documented exit code and plain lines; libotf2 may crash, in the child that omptape reads with.

    tests/run fuzz.fuzz --build BUILD --runtimes DIR --command OMPTAPE [--runs N] [--seed S] [--only N] [--of WORD]

What fails is kept in BUILD/tests/work/fuzz, as it was before, too; --seed S --only N makes that run again.
"""
import collections
import concurrent.futures
import csv
import glob
import io
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import zlib
from xml.etree import ElementTree

from faults.fault import Fault
from fuzz import mutate, seeds
from harness import arguments, main, pages

SECONDS, MEMORY_KIB = 10, 1 << 20
PATIENCE = 6     # times as long it may take where others have the processors
CODES = {"info": (0, 2), "report": (0, 2), "compare": (0, 2), "whatif": (0, 2), "check": (0, 1, 2), "export": (0, 2), "unify": (0, 1, 2)}
SANITIZER_CODE = 99
# In the current folder: the sanitizers would make those above by mkdir(), which omptape has a word in, before it begins.
REPORT = "report"
OPTIONS = ("detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=8:handle_abort=1:print_stacktrace=1:"
           f"exitcode={SANITIZER_CODE}:log_path={REPORT}")
# A line of a stack: where the program stands is either in our sources or in a library.
FRAME = re.compile(r"^\s+#\d+ 0x[0-9a-f]+ (?:in (\S+) )?(.*)$", re.MULTILINE)
OUTSIDE = b"not to be touched\n"


class Outcome:
    """How one command ended."""

    def __init__(self, status, usage, late, out, err, reports):
        self.code = os.waitstatus_to_exitcode(status)
        self.memory = usage.ru_maxrss
        self.late = late
        self.out, self.err, self.reports = out, err, reports


def run(command, folder):
    """Runs a command to its end, or kills it with its children when it takes too long."""
    environment = {"PATH": os.environ["PATH"], "ASAN_OPTIONS": OPTIONS, "UBSAN_OPTIONS": OPTIONS}
    if "ASAN_SYMBOLIZER_PATH" in os.environ:    # clang's have none of their own
        environment["ASAN_SYMBOLIZER_PATH"] = os.environ["ASAN_SYMBOLIZER_PATH"]
    paths = [os.path.join(folder, name) for name in ("stdout", "stderr")]
    with open(paths[0], "wb") as out, open(paths[1], "wb") as err:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=err, start_new_session=True)
        late = threading.Event()

        def end():
            late.set()
            os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(PATIENCE * SECONDS, end)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = 0  # it was waited for
    texts = []
    for path in (*paths, *sorted(glob.glob(os.path.join(folder, REPORT + ".*")))):
        with open(path, "rb") as file:
            texts.append(file.read())
    reports = [text.decode(errors="replace") for text in texts[2:]]
    # A warning is that there was no memory for something.
    return Outcome(status, usage, late.is_set() or usage.ru_utime + usage.ru_stime > SECONDS, texts[0], texts[1],
                   [text for text in reports if "ERROR:" in text or "runtime error:" in text])


def whose(report):
    """Whose code a sanitizer complains of: the innermost that is neither the sanitizer's nor libc's."""
    if "runtime error:" in report:
        return "omptape"
    for _, place in FRAME.findall(report):
        if "libotf2" in place or "libopen-trace-format2" in place:
            return "libotf2"
        if re.search(r"/(src|writers|buffers)/[a-z_/0-9]+\.[ch]:\d+", place) and "libsanitizer" not in place:
            return "omptape"
    return "nobody"


def no_number(text):
    raise ValueError(f"{text} is no JSON")


def read_page(text):
    pages.data(text, parse_constant=no_number)


def read_table(text):
    widths = {len(row) for row in csv.reader(io.StringIO(text, newline=""), strict=True)}
    if len(widths) > 1:
        raise ValueError(f"rows of {widths} columns")


FORMS = {"--json=-": lambda text: json.loads(text, parse_constant=no_number), "--svg=-": ElementTree.fromstring,
         "--html=-": read_page, "--csv=-": read_table}


def malformed(outcome, words):
    """[what is wrong] with what it has written, which others read."""
    for form in (FORMS[word] for word in words if outcome.code == 0 and outcome.out and word in FORMS):
        try:
            form(outcome.out.decode())
        except (ValueError, AttributeError, csv.Error, zlib.error, ElementTree.ParseError) as error:
            return [f"it writes what cannot be read: {error}"]
    return []


def find_problems(outcome, words):
    """[what is wrong], and a word for the count."""
    name = words[0]
    problems = malformed(outcome, words)
    lines = outcome.err.decode(errors="replace").splitlines()
    crashes = [whose(report) for report in outcome.reports]
    if outcome.late:
        problems.append(f"it takes more than {SECONDS} s of processor time, or {PATIENCE * SECONDS} s")
    if outcome.memory > MEMORY_KIB:
        problems.append(f"it takes {outcome.memory >> 10} MiB of memory")
    if not outcome.late and outcome.code not in CODES[name]:
        problems.append(f"it ends with {outcome.code}")
    for report, culprit in zip(outcome.reports, crashes):
        if culprit != "libotf2":
            problems.append(f"{culprit}: {report[:3000]}")
    if outcome.code == 2 and not lines:
        problems.append("it ends with 2 and says nothing")
    for line in lines:
        if not line.startswith("omptape") or re.search(r"[\x00-\x1f\x7f]", line):
            problems.append(f"it says {line!r}")
    words = {0: "accepted", 1: "violations", 2: "refused"}
    return problems, "crashes of libotf2" if crashes else words.get(outcome.code, "failed")


class Fuzz:
    """One test: the folders, and what came out."""

    def __init__(self, fault):
        self.fault = fault
        self.options = fault.options
        self.seed = fault.options.seed if fault.options.seed is not None else random.randrange(2**32)
        self.counts = collections.Counter()
        self.memory = 0
        self.lock = threading.Lock()
        self.failures = 0

    def prepare(self, number, folders, place, name):
        """Makes a mutated folder; all is chosen by the seed and the number. Returns where it is from, the command
        for it and what was changed."""
        chance = random.Random(f"{self.seed} {number}")
        seed = chance.choice(sorted(folders))
        words = chance.choice(folders[seed])
        shutil.copytree(seed, os.path.join(place, name), symlinks=True)
        return seed, words, mutate.folder(chance, os.path.join(place, name))

    def memory_alone(self, number, folders, place, words):
        """A sanitizer takes an eighth of what is allocated, even if it is not used."""
        self.prepare(number, folders, place, "alone")
        return run([self.fault.omptape, *words, "alone"], place).memory

    def one(self, number, folders):
        place = os.path.join(self.fault.folder, f"run.{number}")
        outside = os.path.join(place, "outside")
        seed, words, what = self.prepare(number, folders, place, "victim")
        with open(outside, "wb") as file:
            file.write(OUTSIDE)
        outcome = run([self.options.command, *words, "victim"], place)
        if outcome.memory > MEMORY_KIB:
            outcome.memory = self.memory_alone(number, folders, place, words)
        problems, word = find_problems(outcome, words)
        with open(outside, "rb") as file:
            if file.read() != OUTSIDE:
                problems.append("it changed a file outside of the folder")
        with self.lock:
            self.counts[f"{words[0]} {word}"] += 1
            self.memory = max(self.memory, outcome.memory)
            if problems:
                self.failures += 1
                self.fault.fail(f"run {number}: {' '.join(words)} on {os.path.relpath(seed, self.fault.folder)} with "
                                f"changes of {what}: " + "\n    ".join(problems))
        if problems:
            self.prepare(number, folders, place, "before")
        else:
            shutil.rmtree(place)

    def all(self):
        folders = {folder: commands for folder, commands in seeds.make(self.fault).items()
                   if self.options.of in os.path.relpath(folder, self.fault.folder)}
        numbers = range(self.options.runs) if self.options.only is None else [self.options.only]
        print(f"seed {self.seed}, {len(numbers)} runs on {len(folders)} folders", flush=True)
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for done, _ in enumerate(pool.map(lambda number: self.one(number, folders), numbers), 1):
                if done % 1000 == 0:
                    print(f"{done} runs, {self.failures} failures", flush=True)
        print("; ".join(f"{word}: {count}" for word, count in sorted(self.counts.items())))
        print(f"{len(numbers)} runs, {self.failures} failures, at most {self.memory >> 10} MiB")


if __name__ == "__main__":
    own = arguments("Mutates what omptape reads.")
    own.add_argument("--command", type=os.path.abspath, required=True)
    own.add_argument("--runs", type=int, default=300)
    own.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    own.add_argument("--only", type=int)
    own.add_argument("--of", default="", help="of the folders whose names have this word")
    sys.exit(main("", lambda fault: Fuzz(fault).all(), "fuzz", Fault, ("19", "14"), parser=own))
