# SPDX-License-Identifier: BSD-3-Clause
"""Reads a test program's own description: comment lines that say how to build and run it, and what its archive holds.

Lines `//: WORD ...` (Fortran: `!: WORD ...`), each with an optional condition in brackets first, as in
`//: [clang >=16] enter for_chunk@one 20`. The words:

  only CONDITION          the stages on which the program makes sense
  cflags, ldflags, args   for the compiler, the linker, the program (as a shell splits them)
  env NAME=VALUE          for the run
  lib NAME                lib/NAME.c becomes a shared library, its path is the program's first argument
  exit N, signal N        how the program ends (default: exit 0)
  end TEXT                the archive's kind of end (default: finalize); `A | B`: either
  archives N              how many archives the run leaves (default: 1)
  threads N               CPU locations in the archive
  locks N                 different locks
  events TYPE N           OTF2 events of a type
  enter KIND[@MARK] N     entries of regions: KIND is a name of the mapping, blanks written as `_`; MARK names a source
                          line by a comment `@MARK` there (FILE:MARK: in lib/FILE). What
                          gcc and flang compiled is held against all lines together
  marker CATEGORY N       OTF2 markers of a category
  limited KIND@MARK N N   a site of which --limit-per-site left instances out: how many are shown, and all
  property NAME TEXT      an archive property OMPTAPE::NAME; absent if there is no text
  function KIND@MARK NAME the enclosing function
  instances KIND@MARK NAME | NAME...   the instances of templates that have regions there, all of them, or "(reduction)";
                          no name: regions of none
  says TEXT               a line of omptape's on the standard error ends with this
  vary WORD...            what may differ from the runtime's own counts: groups of counts.py, or "all"

Numbers may have >= or <= in front. Conditions: stage family (clang, flang, gcc), runtime versions (19, >=16, <19),
offload; main and child tell the archives of a program that forks. All terms must hold; `!` negates one.
"""
import os
import re
import shlex
import zlib

from harness.stages import STAGES, has_language

_LINE = re.compile(r"^\s*(?://|!): (?:\[(?P<condition>[^]]*)\] )?(?P<word>\S+) ?(?P<rest>.*?)\s*$")
_MARK = re.compile(r"@([a-z_0-9]+)\s*(?:\*/)?\s*$")


class Number:
    """An expected number."""

    def __init__(self, text):
        match = re.fullmatch(r"(>=|<=)?(\d+)", text)
        if match is None:
            raise ValueError(f"'{text}' is no number")
        self._relation, self._value = match[1], int(match[2])
        self.text = text

    def holds(self, value):
        if self._relation == ">=":
            return value >= self._value
        if self._relation == "<=":
            return value <= self._value
        return value == self._value


def holds(condition, stage, role=None):
    """Whether all terms of a condition hold on a stage (and for an archive's role)."""
    return all(_term_holds(term, stage, role) for term in (condition or "").split())


def holds_somewhere(condition, stage):
    """The same for an archive of any role."""
    return any(holds(condition, stage, role) for role in ("main", "child"))


def _term_holds(term, stage, role):
    if term.startswith("!"):
        return not _term_holds(term[1:], stage, role)
    if term in ("main", "child"):
        return role == term
    if term == "offload":
        return stage.offload
    match = re.fullmatch(r"(>=|<=|<|>)?(\d+)", term)
    if match:
        version = int(match[2])
        return {None: stage.version == version, ">=": stage.version >= version, "<=": stage.version <= version,
                "<": stage.version < version, ">": stage.version > version}[match[1]]
    if term not in ("clang", "flang", "gcc"):
        raise ValueError(f"unknown term '{term}' in a condition")
    return stage.family == term


class Program:
    """One test program and its expectations."""

    WORDS = {"only", "cflags", "ldflags", "args", "env", "lib", "exit", "signal", "end", "archives", "threads", "locks",
             "events", "enter", "function", "instances", "marker", "limited", "property", "says", "vary"}

    def __init__(self, source):
        self.source = source
        self.name = os.path.splitext(os.path.basename(source))[0]
        self._lines = []
        self._marks = {}
        self._read_marks(source)
        with open(source, encoding="utf-8") as file:
            for text in file:
                match = _LINE.match(text)
                if match:
                    if match["word"] not in self.WORDS:
                        raise ValueError(f"{source}: unknown word '{match['word']}'")
                    self._lines.append((match["condition"], match["word"], match["rest"]))

    def _read_marks(self, source):
        marks = self._marks[os.path.basename(source)] = {}
        with open(source, encoding="utf-8") as file:
            for number, text in enumerate(file, 1):
                match = _MARK.search(text)
                if match and not _LINE.match(text):
                    marks.setdefault(match[1], set()).add(number)

    def applies(self, stage):
        """Whether the program makes sense on a stage."""
        if not has_language(stage, self.source):
            return False
        return all(holds(rest, stage) for _, word, rest in self._lines if word == "only")

    def stages(self):
        """The stages on which the program makes sense."""
        return [stage for stage in STAGES.values() if self.applies(stage)]

    def chosen_stages(self):
        """The names of those that every run of the tests tries: one for each description that differs between stages,
        LLVM 19's where it has that, and at least one more than that. Which one is another program's turn."""
        alike = {}
        for stage in self.stages():
            lines = tuple(number for number, (condition, _, _) in enumerate(self._lines)
                          if holds_somewhere(condition, stage))
            alike.setdefault(lines, []).append(stage.name)
        turn = zlib.crc32(self.name.encode())
        chosen = {"19" if "19" in names else names[turn % len(names)] for names in alike.values()}
        others = [stage.name for stage in self.stages() if stage.name not in chosen]
        if len(chosen) == 1 and others:
            chosen.add(others[turn % len(others)])
        return chosen

    def all(self, word, stage, role=None):
        """The texts of every line with this word that holds."""
        return [rest for condition, found, rest in self._lines if found == word and holds(condition, stage, role)]

    def one(self, word, stage, default=None):
        found = self.all(word, stage)
        return found[-1] if found else default

    def ends(self, stage):
        """The kinds of end that the main archive may have."""
        return self.one("end", stage, "finalize").split(" | ")

    def words(self, word, stage):
        """All lines of a word, split as a shell would."""
        return [part for rest in self.all(word, stage) for part in shlex.split(rest)]

    def lines_of(self, mark):
        """(file, line numbers) of MARK or FILE:MARK."""
        file, _, name = mark.rpartition(":")
        file = file or os.path.basename(self.source)
        if file not in self._marks:
            self._read_marks(os.path.join(os.path.dirname(self.source), "lib", file))
        if name not in self._marks[file]:
            raise ValueError(f"{self.source}: nothing is marked @{mark}")
        return file, self._marks[file][name]
