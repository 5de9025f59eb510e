#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""That scripts/structure finds what it is there to find, in small trees made for it. Usage: test_structure.py"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "structure")

MARKS = "<!-- layers: from scripts/layers by scripts/structure --docs -->\n%s<!-- /layers -->\n"
GOOD = {
    "scripts/layers": "# folder | uses | holds\nsrc/folder | src/core | what is high\nsrc/core | | what is low\n",
    "docs/architecture.md": MARKS % """| folder | holds | may use |
|---|---|---|
| `src/folder/` | what is high | `src/core` |
| `src/core/` | what is low | |
""",
    "src/core/low.h": "int omptape_low(void);\n",
    "src/core/low.c": '#include "src/core/low.h"\nint omptape_low(void) { return 1; }\n',
    "src/folder/high.h": "int omptape_high(void);\n",
    "src/folder/high.c": '#include "src/core/low.h"\n#include "src/folder/high.h"\nint omptape_high(void) { return omptape_low(); }\n',
}
DECLARED_BY_HAND = '#include "src/core/low.h"\nint omptape_high(void);\nint omptape_low(void) { return omptape_high(); }\n'
# What is changed in the good tree, and what must be said of it.
CASES = [
    ({}, None),
    ({"src/core/low.h": '#include "src/folder/high.h"\nint omptape_low(void);\n'}, "src/core/low.h may not use src/folder/high.h"),
    ({"src/core/low.c": DECLARED_BY_HAND}, "src/core/low.c may not use src/folder/high.c (omptape_high)"),
    ({"src/folder/next.h": '#pragma once\n#include "src/folder/high.h"\n', "src/folder/high.h": '#pragma once\n#include "src/folder/next.h"\n'},
     None),
    ({"src/folder/next.c": "int omptape_low(void) { return 2; }\n"}, "omptape_low is defined twice"),
    ({"src/attic/old.c": "int omptape_old;\n"}, "src/attic has no place among the layers"),
    ({"docs/architecture.md": MARKS % "| old |\n"}, "docs/architecture.md does not show scripts/layers"),
    ({"scripts/layers": GOOD["scripts/layers"] + "src/attic | | what is gone\n"}, "src/attic has no sources"),
]


def build(folder, files):
    """Writes the tree and compiles it; leaves compile_commands.json as CMake would."""
    commands = []
    for name, text in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        if name.endswith(".c"):
            command = f"cc -I{folder} -c {path} -o {path}.o"
            commands.append({"file": path, "directory": folder, "command": command})
    for command in commands:
        subprocess.run(command["command"].split(), check=True, stderr=subprocess.DEVNULL)
    with open(os.path.join(folder, "compile_commands.json"), "w", encoding="utf-8") as file:
        json.dump(commands, file)


def said(files):
    """The script's exit code and lines on a tree."""
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        os.mkdir(os.path.join(folder, "scripts"))
        script = shutil.copy(SCRIPT, os.path.join(folder, "scripts"))
        build(folder, files)
        done = subprocess.run([sys.executable, script, folder], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


def main():
    failures = 0
    for change, expected in CASES:
        code, text = said({**GOOD, **change})
        if code != (expected is not None) or (expected or "no circles") not in text:
            print(f"FAILED: {sorted(change)[:2]}: expected {expected!r}, exit {code}:\n{text}")
            failures += 1
    return 1 if failures else 0


sys.exit(main())
