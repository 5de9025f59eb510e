#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""That all links within the documentation lead somewhere: files and headings, and docs/*.md that any file names.
Usage: links.py [FOLDER]"""
import os
import re
import subprocess
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")
NAMED = re.compile(r"\bdocs/[\w-]+\.md\b")


def text_of(name):
    with open(name, encoding="utf-8", errors="replace") as file:
        return file.read()


def without_code(text):
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    return re.sub(r"^    .*$|`[^`\n]*`", "", text, flags=re.M)


def anchors(text):
    """A heading's anchor, as GitHub makes it: lower case, blanks to dashes, no punctuation."""
    headings = re.findall(r"^#+ +(.*)$", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M), flags=re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def problems(names):
    tracked = set(names)
    for name in names:
        if not os.path.isfile(name) or os.path.islink(name):
            continue
        text = text_of(name)
        for named in sorted(set(NAMED.findall(text)) - tracked):
            yield f"{name} names {named}, which is not there"
        if not name.endswith(".md"):
            continue
        for link in LINK.findall(without_code(text)):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
            if target not in tracked:
                yield f"{name} links to {link}: no such file in the repository"
            elif anchor and anchor not in anchors(text_of(target)):
                yield f"{name} links to {link}: no such heading"


def main():
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    names = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.splitlines()
    found = list(problems(names))
    for problem in found:
        print(f"links: {problem}", file=sys.stderr)
    links = sum(len(LINK.findall(without_code(text_of(name)))) for name in names if name.endswith(".md"))
    if links == 0:
        sys.exit("links: not one link was found")
    print(f"links: {links} links, {len(found)} lead nowhere")
    sys.exit(1 if found else 0)


main()
