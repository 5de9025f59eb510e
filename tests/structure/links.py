#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""That the documentation is not stale. All links lead to files and headings, and so does docs/*.md in any file. Paths
in code quotes exist and begin at the root or in the document's folder. Options exist in a source or a script.
Usage: links.py [FOLDER]"""
import fnmatch
import os
import re
import subprocess
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")
NAMED = re.compile(r"\bdocs/[\w-]+\.md\b")
CODE = re.compile(r"`([^`]+)`")
PATH = re.compile(r"[\w.*+-]+(/[\w.*+-]+)+")
SOURCE = re.compile(r"[\w-]+\.(c|h|py|cmake|js)")
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]+")
FOREIGN = {"--screenshot", "--check-style"}  # Chromium's, EasyBuild's


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


def is_there(path, folder, names):
    """Whether a path, or a pattern of paths, names a file or a folder, from the root or from `folder`."""
    for start in ("", folder + "/"):
        if any(fnmatch.fnmatchcase(name, start + path) or name.startswith(start + path + "/") for name in names):
            return True
    return False


def stale(name, text, names, sources):
    """Paths and options in a document that are not there."""
    folder = os.path.dirname(name)
    tops = {one.split("/")[0] for one in names if "/" in one}
    bases = {os.path.basename(one) for one in names}
    words = {word.rstrip(",;:/") for code in CODE.findall(text) for word in code.split()}
    for word in sorted(words):
        if PATH.fullmatch(word) and word.split("/")[0] in tops and not is_there(word, folder, names):
            yield f"{name} names {word}, which is not there"
        if SOURCE.fullmatch(word) and word in bases and not is_there(word, folder, names):
            yield f"{name} names {word} without its path from the root"
    for option in sorted(set(OPTION.findall(text)) - FOREIGN):
        if option not in sources and f'"{option[2:]}"' not in sources:
            yield f"{name} names {option}, which no source knows"


def problems(names):
    tracked = set(names)
    sources = "".join(text_of(name) for name in names if not name.endswith((".md", ".in")) and os.path.isfile(name))
    for name in names:
        if not os.path.isfile(name) or os.path.islink(name):
            continue
        text = text_of(name)
        for named in sorted(set(NAMED.findall(text)) - tracked):
            yield f"{name} names {named}, which is not there"
        if not name.endswith(".md"):
            continue
        yield from stale(name, text, names, sources)
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
