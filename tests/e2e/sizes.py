# SPDX-License-Identifier: BSD-3-Clause
"""Compares what `omptape info --sizes` says with the files of an archive and with its events."""
import os
import re

ROW = re.compile(r"^ +([\d,]+) +([\d,]*) +[\d.]* +[\d.]+ %  (.+)$")


def rows(text):
    """{name: (bytes, number)}; of names that come twice, the first."""
    found = {}
    for line in text.splitlines():
        match = ROW.match(line)
        if match:
            size, number, name = match.groups()
            found.setdefault(name, (int(size.replace(",", "")), int(number.replace(",", "") or 0)))
    return found


def on_disk(anchor):
    """Bytes of all files of the archive."""
    base = os.path.splitext(anchor)[0]
    files = [anchor, base + ".def", base + ".marker"]
    files += [os.path.join(base, name) for name in os.listdir(base)]
    return sum(os.path.getsize(path) for path in files if os.path.exists(path))


def compare(anchor, text, events):
    """Problems of the command's output, if the archive has so many events."""
    found = rows(text)
    if found.get("total", (0,))[0] != on_disk(anchor):
        yield f"--sizes: {on_disk(anchor)} bytes on disk, counted are {found.get('total')}"
    if not events:
        return
    whole = found.get("all event files, by events", (0, 0))
    if whole[1] != events:
        yield f"--sizes: {events} events, counted are {whole[1]}"
    rest = found["rest (chunk headers, ends of chunks)"][0]
    needed = re.search(r"own encoding of these events: ([\d,]+) bytes", text)
    needless = whole[0] - rest - int(needed.group(1).replace(",", ""))
    # A chunk begins with a time stamp, needed or not.
    if not 0 <= needless <= 9 * (whole[0] // (512 * 1024)):
        yield f"--sizes: {needless} bytes of the events are padding"
