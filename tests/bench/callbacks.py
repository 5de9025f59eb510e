# SPDX-License-Identifier: BSD-3-Clause
"""Whether the floor tool is omptape's floor: both must register the same callbacks, or they are not comparable."""
import os
import re

# The properties in an archive's anchor file: name and value, each with a zero byte at its end.
_PROPERTY = re.compile(rb"OMPTAPE::INFO::CALLBACK::([A-Z_]+)\0([a-z_ ]+)\0")
_ACCEPTED = ("always", "sometimes", "sometimes_paired")


def _of_omptape(launcher, tool, command):
    found = {}

    def read(folder):
        with open(os.path.join(folder, "trace", "traces.otf2"), "rb") as file:
            found.update((name.decode().lower(), value.decode() in _ACCEPTED)
                         for name, value in _PROPERTY.findall(file.read()))

    launcher.run(tool, command, 1, keep=read)
    return found


def _of_floor(launcher, tool, command):
    report = launcher.run(tool, command, 1).report
    return {name.removeprefix("callback."): value == "yes" for name, value in report.items()
            if name.startswith("callback.")}


def differences(launcher, tools, command):
    """A line for each callback that one of the two registers and the other does not."""
    ours = _of_omptape(launcher, next(tool for tool in tools if tool.is_omptape), command)
    floor = _of_floor(launcher, next(tool for tool in tools if tool.is_floor), command)
    if not ours:
        return ["callbacks: omptape's archive does not tell which it registered"]
    return [f"callbacks: {name}: omptape {ours.get(name, 'does not ask')}, floor {floor.get(name, 'does not ask')}"
            for name in sorted({*ours, *floor}) if ours.get(name) != floor.get(name)]
