# SPDX-License-Identifier: BSD-3-Clause
"""What must go on in folders that several users have to do with, and what lies in folders of others:

    tests/run adversary.legitimate --build BUILD --runtimes DIR NAME
"""
import os
import shutil
import sys

from adversary.world import VICTIM, World
from harness import BUSY_CODE, main


def legitimate(world):
    """What must go on: a folder that is named by a link, a folder of a group, what is root's."""
    world.link(world.share, world.at("home", "by-link"), VICTIM)
    world.tell("link", "-o", world.at("home", "by-link"), world.busy, "0.3", code=BUSY_CODE)
    world.valid("link", world.share)
    for command in ("info", "report", "check", "unify"):
        world.tell(f"link: {command}", command, world.at("home", "by-link"), code=0)
    group = world.make_folder("group", 0, 0o777)
    os.chown(group, 0, VICTIM)
    os.chmod(group, 0o2775)
    world.parts(group)
    world.tell("group", "unify", group, code=0)
    world.valid("group", group)
    of_root = world.make_folder("of-root", VICTIM, 0o777)
    world.parts(of_root, 2)
    world.link("elsewhere:1:2:3", os.path.join(of_root, ".omptape-job"), VICTIM)
    shutil.move(os.path.join(of_root, "rank-1"), world.at("away"))
    world.tell("one", "unify", of_root, says=["1 process"])
    shutil.move(world.at("away"), os.path.join(of_root, "rank-1"))
    world.give(os.path.join(of_root, "rank-1"), 0)
    world.tell("root's part", "unify", of_root, code=1, says=["its files cannot be moved"])
    squashed(world)


def squashed(world):
    """A file system that gives root's files to nobody, as NFS does."""
    if shutil.which("bindfs") is None:
        print("no bindfs: no file system that changes owners was tried")
        return
    below, above = world.make_folder("below", 0), world.make_folder("above", 0)
    script = ('bindfs -f --force-user=nobody --chown-ignore "$1" "$2" & server=$!\n'
              'while kill -0 $server && ! mountpoint -q "$2"; do sleep 0.05; done\n'
              'cd "$2" && shift 2 && "$@"; stat -c %U out/traces.otf2 && cp -a out whole && mkdir whole/rank-0 && '
              'mv whole/traces* whole/rank-0 && ' + world.installed + ' unify whole\n'
              'code=$?; cd /; umount -l "$OLDPWD"; wait $server; exit $code')
    ended = world.end(world.begin("squashed", ["unshare", "-m", "sh", "-c", script, "sh", below, above, world.installed,
                                               "-o", "out", world.busy, "1"], user=0))
    if b"Permission" in ended.err and b"mount" in ended.err:
        print(f"no right to mount: {ended.output}")
        return
    world.expect("squashed: owner", b"right\nnobody\n", ended.out)
    world.expect("squashed: the last line", True, ended.output.endswith("whole/traces.otf2 holds 1 process"))
    world.valid("squashed", os.path.join(below, "whole"))


def passages(world):
    """Another owner's folders, whose names may not be listed: one that only lets through, and one to put things into."""
    through, own = world.make_folder("through", 0, 0o711), world.make_folder("through/own", VICTIM, 0o755)
    for place in own, world.make_folder("drop", 0, 0o1733):
        out, page = os.path.join(place, "out"), os.path.join(place, "page.html")
        for words in ([], [], ["--force"]):
            world.tell(f"{place} {words}", "-q", *words, "-o", out, world.busy, "0.1", code=BUSY_CODE)
        world.trace(f"{place} loaded", out, "0.1")
        for folder in out, out + "-2", out + "-3":
            world.valid(place, folder)
        ended = world.end(world.begin(f"{place} by default", ["sh", "-c", f"cd {place} && exec {world.busy} 0.1"], world.preloaded("")))
        world.expect(f"{place} by default", (BUSY_CODE, b""), (ended.code, ended.err))
        world.tell(f"{place} unified", "unify", out, code=0)
        world.tell(f"{place} shown", "report", "--html", page, out, code=0)
        world.tell(f"{place} exported", "export", "--csv", page + ".csv", out, code=0)
        names = os.listdir(place)
        world.expect(f"{place}: what is left", ["out", "out-2", "out-3", "page.html", "page.html.csv"],
                     sorted(name for name in names if not name.startswith("omptape-busy-")))
        world.expect(f"{place}: of the default name", 6, len(names))
    said = world.tell("no place", "-o", os.path.join(through, "out"), world.busy, "0.1", code=BUSY_CODE)
    world.expect("no place", True, "Permission denied" in said)


if __name__ == "__main__":
    sys.exit(main("What must go on.", {"legitimate": legitimate, "passages": passages}, "adversary", World, "19"))
