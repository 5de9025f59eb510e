# SPDX-License-Identifier: BSD-3-Clause
"""Reads what the emulator wrote: the truth of every record that a device could have made, and what the tool did
against the specification. README.md describes the lines.
"""
import glob
import os
from dataclasses import dataclass


@dataclass(slots=True)
class Record:
    """One entry: times of the host in ticks, of the device as the record had them."""

    device: int
    kind: str
    operation: int
    target: int
    begin: int
    end: int
    device_begin: int
    device_end: int
    bytes: int
    fate: str
    delivered: int
    read: int
    damage: frozenset

    def key(self):
        return self.device, self.kind, self.operation


class Truth:
    """All of one process."""

    def __init__(self, folder):
        self.records = []
        self.pairs = []       # (ticks, CLOCK_MONOTONIC_RAW in ns)
        self.devices = {}     # number -> {"requested": ..., "given": ..., "returned": ..., "completes": ...}
        self.clock = None
        self.complete = False
        self.pid = None
        for path in glob.glob(os.path.join(folder, "truth.*")):
            self.pid = int(path.rpartition(".")[2])
            self._read(path)
        self.violations, self.notes, self.watched = [], [], False
        for path in glob.glob(os.path.join(folder, "violations.*")):
            self.watched = True
            self._read_violations(path)

    def _read(self, path):
        damages = {"-": frozenset()}
        with open(path, encoding="utf-8") as file:
            for line in file:
                words = line.split()
                if words[0] == "record":
                    if words[13] not in damages:
                        damages[words[13]] = frozenset(words[13].split("+"))
                    self.records.append(Record(int(words[1]), words[2], *map(int, words[3:10]), words[10],
                                               int(words[11]), int(words[12]), damages[words[13]]))
                elif words[0] == "pair":
                    self.pairs.append((int(words[1]), int(words[2])))
                elif words[0] == "device":
                    self.devices[int(words[1])] = {words[i]: int(words[i + 1]) for i in range(2, len(words), 2)}
                elif words[0] == "clock":
                    self.clock = words[1]
                elif words[0] == "end":
                    self.complete = True

    def _read_violations(self, path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                word, _, text = line.rstrip("\n").partition(": ")
                (self.violations if word == "violation" else self.notes).append(text)

    def hz(self):
        """Ticks of the host's clock in a second, as these pairs have it."""
        (first, first_ns), (last, last_ns) = self.pairs[0], self.pairs[-1]
        return (last - first) * 1e9 / (last_ns - first_ns)

    def of(self, *kinds):
        return [record for record in self.records if record.kind in kinds]
