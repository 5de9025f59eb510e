# SPDX-License-Identifier: BSD-3-Clause
"""What one user plants in a folder that another one traces to, or unifies: nothing of the other one's may be changed, read
for true or waited for, and what is refused is named with its owner. Each CTest test is one of the functions below:

    tests/run adversary.adversary --build BUILD --runtimes DIR NAME
"""
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import otf2  # noqa: F401, as checker/reader.py asks for: page/hostile.py writes an archive

from adversary.world import ATTACKER, ATTACKER_NAME, PATIENCE, VICTIM, World, checkpoint
from faults.fault import end_busy
from harness import BUSY_CODE, main, pages, processes, wait_for
from harness.users import as_user
from page import hostile

LINK = f"is a link of {ATTACKER_NAME}"


def plan(world):
    """Somebody's plan, which moves a file from another file system through a link to the victim's file."""
    away = tempfile.mkdtemp(dir="/dev/shm")
    try:
        os.makedirs(os.path.join(away, "part", "traces"))
        world.write_for(ATTACKER, os.path.join(away, "part", "traces", "0.evt"), b"the attacker's text\n")
        world.give(away, ATTACKER)
        subprocess.run(["chmod", "-R", "a+rwX", away], check=True)
        world.link(os.path.join(away, "part"), world.shared("part"))
        for name in (".omptape-unify", "traces"):
            os.mkdir(world.shared(name))
        world.write_for(ATTACKER, world.shared(".omptape-unify", "traces.otf2"), b"")
        world.write_for(ATTACKER, world.shared(".omptape-unify", "plan"), b"omptape-unify 3\nlocations 0\nmove 0 0 part/traces\nend\n")
        for name in (".omptape-unify", "traces"):
            world.give(world.shared(name), ATTACKER)
            os.chmod(world.shared(name), 0o777)
        world.link(world.precious, world.shared("traces", "0.evt.copy"))
        world.tell("plan", "unify", world.share, code=2, says=[f".omptape-unify belongs to {ATTACKER_NAME}"])
        world.unharmed("plan")
        # The same in a folder of the victim's that others can write to.
        os.chown(world.shared(".omptape-unify"), VICTIM, VICTIM)
        world.tell("plan file", "unify", world.share, code=2, says=[f".omptape-unify/plan belongs to {ATTACKER_NAME}"])
        world.unharmed("plan file")
        # And the victim's own plan, on what the attacker left: the part is a link, the target of the copy another.
        os.chown(world.shared(".omptape-unify", "plan"), VICTIM, VICTIM)
        world.tell("plan's part", "unify", world.share, code=2, says=[ATTACKER_NAME])
        world.unharmed("plan's part")
    finally:
        shutil.rmtree(away)


def checkpoint_names(world):
    """Links where a writer makes its checkpoints."""
    world.link(world.precious, world.shared(".omptape-checkpoint.new"))
    world.tell("command", "-o", world.share, world.busy, "1.5", code=BUSY_CODE)
    world.unharmed("command")
    world.valid("command", world.share)
    results = world.make_folder("results", VICTIM, 0o777)
    for name in (".omptape-checkpoint.new", ".omptape-checkpoint"):
        world.link(world.precious, os.path.join(results, name))
    world.trace("library", results, "1.5")
    world.unharmed("library")
    world.valid("library", results)


def definitions(world):
    """Links at the names of an archive's files."""
    os.chmod(world.at(), 0o777)
    for name in ("traces.def", "traces.marker", "traces.otf2", "traces"):
        results = world.make_folder(f"results-{name}", VICTIM, 0o777)
        world.link(world.home if name == "traces" else world.precious, os.path.join(results, name))
        before = world.snapshot(world.home)
        world.trace(name, results, "0.2", says=[f"{name} {LINK}"])
        world.expect(f"{name}: the victim's files", before, world.snapshot(world.home))
        world.valid(name, results + "-2")
        said = world.tell(f"{name} by the command", "-o", results, world.busy, "0.1", code=BUSY_CODE)
        if f"{name} {LINK}" not in said:
            world.fail(f"{name} by the command: the link is not named: {said}")
        world.expect(f"{name} by the command: the victim's files", before, world.snapshot(world.home))
    # The next name that is tried is nobody's to use, either.
    results = world.make_folder("taken", VICTIM, 0o777)
    world.archive(results)
    target = world.make_folder("home/target", VICTIM)
    world.link(target, results + "-2")
    world.trace("numbered", results, "0.2")
    world.expect("numbered: in the victim's folder", [], os.listdir(target))
    world.valid("numbered", results + "-3")


def scratch(world):
    """A checkpoint that names the victim's archive as what is left of its making."""
    kept = world.make_folder("home/kept", VICTIM)
    world.archive(kept)
    before = world.snapshot(kept)
    for owner, code, says in (ATTACKER, 2, [f".omptape-checkpoint belongs to {ATTACKER_NAME}"]), (VICTIM, None, []):
        folder = world.make_folder(f"share/of-{owner}", VICTIM, 0o777)
        os.mkdir(os.path.join(folder, "traces"))
        world.write_for(VICTIM, os.path.join(folder, "traces", "0.evt"), b"events")
        os.chown(os.path.join(folder, "traces"), VICTIM, VICTIM)
        link = os.path.join(folder, "omptape-checkpoint-1-abcdef")
        world.link(kept, link)
        data = checkpoint(link, [("traces/0.evt", b""), ("traces.def", b"definitions"), ("traces.otf2", b"anchor")])
        world.write_for(owner, os.path.join(folder, ".omptape-checkpoint"), data)
        world.tell(f"of {owner}", "unify", folder, code=code, says=says)
        world.expect(f"of {owner}: the victim's archive", before, world.snapshot(kept))
        if owner == VICTIM:
            world.expect("it was put back", True, os.path.exists(os.path.join(folder, "traces.otf2")))


def part(world):
    """A part that is a link to the victim's archive, and parts of another user."""
    kept = world.make_folder("home/kept", VICTIM)
    world.archive(kept)
    before = world.snapshot(kept)
    world.parts(world.share, 4)
    os.rename(world.shared("rank-0"), world.at("away"))
    world.link(kept, world.shared("rank-0"))
    world.link(os.path.join(kept, "traces"), world.shared("rank-1", "linked"))
    shutil.move(world.shared("rank-1", "traces"), world.shared("rank-1", "own"))
    world.link(os.path.join(kept, "traces"), world.shared("rank-1", "traces"))
    world.give(world.shared("rank-2"), ATTACKER)
    world.tell("part", "unify", world.share, code=1,
                  says=[f"rank-0 {LINK}", f"traces {LINK}", f"rank-2 belongs to {ATTACKER_NAME}"])
    world.expect("the victim's archive", before, world.snapshot(kept))
    world.valid("part", world.share)
    for name in ("rank-0", "rank-1", "rank-2"):
        world.expect(f"{name} is left", True, os.path.lexists(world.shared(name)))


def force(world):
    """--force on what only looks like an archive."""
    target = world.make_folder("home/target", VICTIM)
    for name in ("0.evt", "0.def", "notes.def"):
        world.write_for(VICTIM, os.path.join(target, name), PRECIOUS_TEXT)
    before = world.snapshot(target)
    for how in ("command", "library", "part", "plan"):
        results = world.make_folder(f"results-{how}", VICTIM, 0o777)
        world.write_for(ATTACKER, os.path.join(results, "traces.otf2"), b"")
        if how == "part":
            world.link(target, os.path.join(results, "rank-0"))
        elif how == "plan":
            world.link(target, os.path.join(results, ".omptape-unify"))
        else:
            world.link(target, os.path.join(results, "traces"))
        if how == "library":
            world.trace(how, results, "0.2", OMPTAPE_FORCE="on")
        else:
            world.tell(how, "--force", "-o", results, world.busy, "0.2", code=BUSY_CODE)
        world.expect(f"{how}: the victim's files", before, world.snapshot(target))


def own_folder(world):
    """A folder that is called trace and is the user's own."""
    os.mkdir(world.shared("traces"))
    world.write_for(VICTIM, world.shared("traces", "notes.txt"), PRECIOUS_TEXT)
    world.give(world.shared("traces"), VICTIM)
    before = world.snapshot(world.share)
    world.tell("alone", "unify", world.share, code=2, says=["holds no archive"])
    world.expect("alone", before, world.snapshot(world.share))
    world.parts(world.share)
    before = world.snapshot(world.share)
    world.tell("with parts", "unify", world.share, code=2, says=["traces of user", "is in the way"])
    world.expect("with parts", before, world.snapshot(world.share))
    os.rename(world.shared("traces"), world.shared("mine"))
    world.tell("renamed", "unify", world.share, code=0)
    world.valid("renamed", world.share)


def named(world):
    """A link of the attacker's where the victim's folder is to be, to one of the victim's own, with an archive in it."""
    kept, ranks = world.at("home", "kept"), {"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0", "SLURM_NTASKS": "2", "SLURM_PROCID": "0"}
    world.make_folder("home/kept", VICTIM)
    world.archive(kept)
    before = world.snapshot(kept)
    said = "it is a link of another user"
    world.link(kept, world.shared("out"))
    world.link("out", world.shared("mine"), VICTIM)  # the victim's own link leads there
    for name in ("out", "mine"):
        for words in (["-o"], ["--force", "-o"]):
            world.tell(" ".join([name, *words]), *words, world.shared(name), world.busy, "0.1", code=BUSY_CODE, says=[said])
        world.trace(f"{name} loaded", world.shared(name), "0.1", says=[said])
        world.tell(f"{name} unified", "unify", world.shared(name), code=2, says=[said])
        world.expect(name, before, world.snapshot(kept))

    # Names that omptape chooses can be known before: what is there is not taken.
    plant = ('now=$(date +%s); for s in $(seq 0 120); do '
             'ln -s ../home/kept omptape-busy-$(date -d "@$((now + s))" +%Y%m%d-%H%M%S)-$$; done')
    for what, environment, begin in (("chosen", {}, plant), ("a job's", ranks, "")):
        world.link(kept, world.shared("omptape-7.0"))
        command = ["sh", "-c", f'cd {world.share}; {begin}\nexec "$@"', "sh", world.installed, world.busy, "0.1"]
        ended = world.end(world.begin(what, command, world.environment(**environment)))
        world.expect(f"{what}: exit code", BUSY_CODE, ended.code)
        world.expect(f"{what}: what is the victim's", before, world.snapshot(kept))
        made = [name for name in os.listdir(world.share) if not os.path.islink(world.shared(name))]
        world.expect(f"{what}: folders", ["2"], [name.rpartition("-")[2] for name in made])
        world.valid(what, world.shared(made[0]))
        shutil.rmtree(world.share)
        world.share = world.make_folder("share", VICTIM, 0o777)

    # The victim's own link is the victim's word.
    world.make_folder("home/new", VICTIM)
    world.link(world.at("home", "new"), world.shared("own"), VICTIM)
    world.tell("own", "-q", "-o", world.shared("own") + "/", world.busy, "0.1", code=BUSY_CODE)
    world.valid("own", world.at("home", "new"))


def claims(world):
    """Locks, claims, marks and a job's identity that another user made."""
    host = os.uname().nodename
    world.parts(world.share)
    alive = f"{host}:{os.getpid()}:0:0"
    for text in (alive, "elsewhere:1", f"{host}:999999999:1:0"):
        world.link(text, world.shared(".omptape-unifying"))
        # Times to come would make it look touched again and again.
        os.utime(world.shared(".omptape-unifying"), (time.time() + 1e6,) * 2, follow_symlinks=False)
        began = time.monotonic()
        world.tell(f"lock {text}", "unify", world.share, code=3, says=[f".omptape-unifying of {ATTACKER_NAME}"])
        if time.monotonic() - began > PATIENCE:
            world.fail(f"lock {text}: it was waited for")
        os.unlink(world.shared(".omptape-unifying"))
    world.link(alive, world.shared("rank-1", ".omptape-writing"))
    world.tell("claim", "unify", world.share, code=1, says=[f".omptape-writing of {ATTACKER_NAME}"])
    world.expect("claim: the part is left", True, os.path.exists(world.shared("rank-1", "traces.otf2")))

    job = world.at("home", "job")
    ranks = {"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0", "SLURM_NTASKS": "2", "SLURM_PROCID": "0"}
    world.trace("rank", job, "0.1", **ranks, OMPTAPE_UNIFY="off")
    identity = world.identity(job)
    shutil.rmtree(job)
    world.make_folder("home/job", VICTIM, 0o777)
    world.link(identity, os.path.join(job, ".omptape-job"))
    world.trace("another's identity", job, "0.1", **ranks, OMPTAPE_UNIFY="off")
    world.expect("another's identity", [".omptape-job"], os.listdir(job))
    world.expect("own identity", identity, world.identity(job + "-2"))

    # Nobody can hold a job's unification up by a mark.
    job = world.at("home", "marked")
    world.make_folder("home/marked", VICTIM, 0o777)
    os.mkdir(os.path.join(job, ".omptape-marks"))
    os.chown(os.path.join(job, ".omptape-marks"), VICTIM, VICTIM)
    os.chmod(os.path.join(job, ".omptape-marks"), 0o777)
    world.link(alive, os.path.join(job, ".omptape-marks", "live.1.1"))
    world.trace("mark", job, "0.1", **{**ranks, "SLURM_NTASKS": "2"})
    world.valid("mark", job)
    world.expect("mark: left", False, os.path.exists(os.path.join(job, ".omptape-marks")))


KINDS = ("file", "folder", "link", "dangling", "pipe", "socket")
RANK = {"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0", "SLURM_NTASKS": "2", "SLURM_PROCID": "0"}
# Each name that omptape gives in a folder of the user's, and the ways to trace to it that have to do with the name.
NAMES = {".omptape-run": ("command", "forced", "rank", "library"), ".omptape-job": ("command", "rank", "library"),
         ".omptape-writing": ("command", "forced", "library"), ".omptape-unify": ("command", "rank", "library"),
         ".omptape-checkpoint": ("command",), ".omptape-marks": ("rank",), ".omptape-replacing": ("rank forced",),
         "rank-0": ()}


def names(world):
    """Another user's things of every kind at every name that omptape gives in the victim's folder: nobody waits for them, and
    one line says what is in the way, and whose it is."""
    os.chmod(world.at(), 0o777)
    for name, concerned in NAMES.items():
        for kind in KINDS if name == ".omptape-job" else ("link", "folder"):
            for way in dict.fromkeys(("command", "rank forced", *concerned)):
                what = f"{name} {kind} {way}".replace("/", "-")
                results = world.make_folder(what.replace(" ", "_"), VICTIM, 0o777)
                if way == "rank forced" and name == ".omptape-replacing":
                    world.link("another job", os.path.join(results, ".omptape-job"), VICTIM)
                world.plant(kind, os.path.join(results, name))
                before = world.snapshot(world.home)
                began = time.monotonic()
                more = {**(RANK if "rank" in way else {}), "OMPTAPE_UNIFY": "off"}
                words = [world.busy, "0.1"] if way == "library" else \
                    [world.installed, *(["--force"] if "forced" in way else []), "-o", results, world.busy, "0.1"]
                environment = world.preloaded(results) if way == "library" else world.environment(**more)
                ended = world.end(world.begin(what, words, environment))
                if time.monotonic() - began > PATIENCE:
                    world.fail(f"{what}: it was waited for")
                world.expect(f"{what}: exit code", BUSY_CODE, ended.code)
                said = [line for line in ended.lines if name in line and ATTACKER_NAME in line]
                if len(said) > 1 or not said and way in concerned:
                    world.fail(f"{what}: {len(said)} lines say what is in the way: {ended.output}")
                world.expect(f"{what}: the victim's files", before, world.snapshot(world.home))
                found = [os.path.join(folder, "traces.otf2") for one in (results, results + "-2") if os.path.isdir(one)
                         for folder, _, files in os.walk(one) if "traces.otf2" in files]
                world.expect(f"{what}: archives", 1, len(found))
                for archive in found:
                    world.verify_archive(what, archive, thorough=False)


def report_parts(world):
    """Another user's things where the ranks of a job leave their parts of a report."""
    folder = world.make_folder("archive", VICTIM, 0o777)
    world.parts(folder)
    world.tell("unify", "unify", folder, code=0)
    ranks = [world.environment(**{**RANK, "SLURM_PROCID": str(rank)}) for rank in range(2)]
    gone = world.end(world.begin("alone", [world.installed, "report", folder], ranks[1]))
    name = next(name for name in os.listdir(folder) if name.startswith(".omptape-report-"))
    world.expect("one rank alone", 0, gone.code)
    for kind in KINDS:
        for left in glob.glob(os.path.join(folder, ".omptape-report-*")):
            subprocess.run(["rm", "-rf", left], check=True)
        world.plant(kind, os.path.join(folder, name))
        ended = [world.end(world.begin(f"{kind} {rank}", [world.installed, "report", folder], ranks[rank])) for rank in range(2)]
        said = [line for one in ended for line in one.lines if name in line and ATTACKER_NAME in line and "--parts" in line]
        world.expect(f"{kind}: lines", 1, len(said))
        world.expect(f"{kind}: codes", True, all(one.code not in (0, None) for one in ended))
        told = world.end(world.begin(f"{kind} told", [world.installed, "report", "--part", "1/2", folder]))
        world.expect(f"{kind}: told its part", True, told.code == 0 or name in told.output or ".omptape-report-" not in told.output)


def hard_links(world):
    """Where the system lets anybody link to any file: second names of the victim's file."""
    for name in (".omptape-checkpoint.new", "traces.def", "traces.marker"):
        results = world.make_folder(f"results-{name}", VICTIM, 0o777)
        os.link(world.precious, os.path.join(results, name))
        world.trace(name, results, "1.2")
        world.unharmed(name)
    # A checkpoint of the victim's that would be put back into it.
    os.mkdir(world.shared("traces"))
    world.give(world.shared("traces"), VICTIM)
    os.link(world.precious, world.shared("traces", "0.evt"))
    data = checkpoint("", [("traces/0.evt", b"events"), ("traces.def", b"definitions"), ("traces.otf2", b"anchor")])
    world.write_for(VICTIM, world.shared(".omptape-checkpoint"), data)
    world.tell("restore", "unify", world.share)
    world.unharmed("restore")


def swapped(world):
    """The folder of event files is put away while it is written to, and a link is put in its place."""
    results = world.make_folder("results", VICTIM, 0o777)
    target = world.make_folder("home/target", VICTIM)
    for name in ("0.def", "0.evt", "1.def", "1.evt"):
        world.write_for(VICTIM, os.path.join(target, name), PRECIOUS_TEXT)
    before = world.snapshot(target)
    program = world.begin("swapped", [world.busy, "1.5"], world.preloaded(results))
    trace = os.path.join(results, "traces")
    wait_for("swapped: the folder", lambda: os.path.isdir(trace))
    os.rename(trace, world.at("results", "away"))
    world.link(target, trace)
    world.expect("swapped: exit code", BUSY_CODE, world.end(program).code)
    world.expect("swapped: the victim's files", before, world.snapshot(target))


def pipes(world):
    """Reading a pipe takes for ever."""
    world.parts(world.share, 7)
    for rank, name in enumerate(("traces.otf2", "traces.def", "traces/0.def", "traces/0.evt", "traces.marker",
                                 ".omptape-writing")):
        path = world.shared(f"rank-{rank}", name)
        if os.path.exists(path):
            os.unlink(path)
        world.pipe(path)
    said = world.tell("parts", "unify", world.share, code=1,
                         says=[f"{name} is no regular file; it belongs to {ATTACKER_NAME}"
                               for name in ("traces.otf2", "traces.def", "traces/0.def", "traces/0.evt", "traces.marker")])
    if f".omptape-writing of {ATTACKER_NAME}" not in said:
        world.fail(f"the claim is not named: {said}")
    world.expect("parts: the lock", False, os.path.lexists(world.shared(".omptape-unifying")))
    world.valid("parts", world.share)

    for name, place in ((".omptape-unify", ""), ("plan", ".omptape-unify"), (".omptape-checkpoint", ""), ("traces", ""),
                        ("traces.otf2", ""), (".omptape-unifying", "")):
        folder = world.make_folder(f"of-{place}{name}", VICTIM, 0o777)
        world.parts(folder)
        if place:
            os.mkdir(os.path.join(folder, place))
            world.give(os.path.join(folder, place), VICTIM)
        world.pipe(os.path.join(folder, place, name))
        said = world.tell(name, "unify", folder)
        if ATTACKER_NAME not in said or name not in said:
            world.fail(f"{name}: neither it nor its owner is named: {said}")
        if name != ".omptape-unifying":
            world.expect(f"{name}: the lock", False, os.path.lexists(os.path.join(folder, ".omptape-unifying")))

    for name in ("traces.otf2", "traces.def", "traces/0.def", "traces/0.evt", "traces.marker", "traces"):
        folder = world.make_folder("read-" + name.replace("/", "-"), VICTIM, 0o777)
        world.archive(folder)
        path = os.path.join(folder, name)
        if os.path.isdir(path):
            shutil.rmtree(path)
        elif os.path.exists(path):
            os.unlink(path)
        world.pipe(path)
        for command in ("info", "check"):
            said = world.tell(f"{command} {name}", command, folder)
            if name not in said or ATTACKER_NAME not in said or len(said.strip().splitlines()) > 1 and command == "check":
                world.fail(f"{command} {name}: says {said}")


def others(world):
    """What belongs to somebody else is read, and not unified."""
    finished = world.make_folder("finished", ATTACKER)
    world.archive(finished, ATTACKER)
    for command in ("info", "report", "check"):
        world.tell(command, command, finished, code=0)
    before = world.snapshot(finished)
    os.chmod(finished, 0o777)
    world.tell("unify", "unify", finished, code=2, says=[f"traces.otf2 belongs to {ATTACKER_NAME}"])
    world.expect("unify", before, world.snapshot(finished))
    # Root is nobody's deputy.
    world.parts(world.share)
    world.tell("root", "unify", world.share, code=2, says=[f"belongs to user {VICTIM}", "left to that user"], user=0)
    world.tell("its owner", "unify", world.share, code=0)
    world.valid("its owner", world.share)


def escapes(world):
    """An archive whose files and thread are called so that a terminal would obey."""
    folder = world.make_folder("finished", ATTACKER, 0o755)
    hostile.write(folder, ["/a.c"])
    for name in os.listdir(folder):
        os.rename(os.path.join(folder, name), os.path.join(folder, name.replace("traces", "a\x1b[31mb\u202e\u061c", 1)))
    world.give(folder, ATTACKER)
    for words in (["info"], ["info", "--sizes"], ["report", "--all"], ["report", "--csv=-"], ["report", "--json=-"], ["report", "--svg=-"],
                  ["check"], ["check", "--all"], ["whatif"], ["compare", folder], ["unify"], ["export", "--folded=-"]):
        said = world.tell(" ".join(words), *words, folder)
        if re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u202e]", said):
            world.fail(f"{' '.join(words)}: the terminal is told something: {said!r}")


def sources(world):
    """What an archive names as its source is shown on a page only if the archive's owner could read it, too."""
    def source(path, user, mode, at=""):
        world.write_for(user, path, b"int first;\n" + os.path.basename(at or path).encode() + b" is shown\nint third;\n")
        os.chmod(path, mode)
        return path

    world.make_folder("home/private", VICTIM, 0o700)
    hidden = source(world.at("home", "private", "hidden.c"), VICTIM, 0o644)
    closed = source(world.at("home", "closed.c"), VICTIM, 0o600)
    public = source(world.at("home", "public.c"), VICTIM, 0o644)
    taken = source(world.at("theirs.c"), ATTACKER, 0o600)
    link, linked = world.shared("link.c"), source(world.at("home", "key"), VICTIM, 0o600, "link.c")
    passage = world.shared("passage")
    world.link(linked, link)
    world.link(os.path.dirname(hidden), passage)
    through = os.path.join(passage, "hidden.c")
    everything = [hidden, closed, public, taken, link, through]
    for owner, reader, wanted in ((ATTACKER, VICTIM, {public}), (ATTACKER, 0, {public, taken}),
                                  (VICTIM, VICTIM, {hidden, closed, public, through}), (0, 0, {*everything} - {link})):
        folder = world.make_folder(f"archive-{owner}-{reader}", VICTIM, 0o755)
        hostile.write(os.path.join(folder, "made"), everything)
        world.give(os.path.join(folder, "made"), owner)
        world.tell(f"{owner} {reader}", "report", "--html", os.path.join(folder, "page.html"), os.path.join(folder, "made"), code=0,
                   user=reader)
        with open(os.path.join(folder, "page.html"), encoding="utf-8") as file:
            shown = pages.data(file.read())["sources"]
        found = {place.rpartition(":")[0] for place in shown}
        world.expect(f"{owner}'s archive, read by {reader}", sorted(wanted), sorted(found))
        for place, one in shown.items():
            world.expect(place, True, f"{os.path.basename(place).split(':')[0]} is shown" in one["text"])


def leftovers(world):
    """Whoever comes next removes what a killed writer left in memory, and nothing else."""
    place = "/dev/shm"
    host = os.uname().nodename
    dead = subprocess.Popen(["true"])
    dead.wait()
    kept, made = [], []
    try:
        def make(name, claim, owner):
            path = os.path.join(place, f"{processes.CHECKPOINT}{dead.pid}-{name}")
            made.append(path)
            os.makedirs(os.path.join(path, "traces"))
            world.write_for(owner, os.path.join(path, "traces", "0.evt"), b"events")
            if claim:
                world.link(claim, os.path.join(path, ".omptape-writing"), owner)
            world.give(path, owner)
            os.chmod(path, 0o755)
            return path

        gone = make("dead00", f"{host}:{dead.pid}:1:0", VICTIM)
        kept.append(make("alive0", f"{host}:{os.getpid()}:0:0", VICTIM))
        kept.append(make("others", f"{host}:{dead.pid}:1:0", ATTACKER))
        kept.append(make("remote", "elsewhere:1:2:3", VICTIM))
        link = os.path.join(place, f"{processes.CHECKPOINT}{dead.pid}-linked")
        made.append(link)
        world.link(world.home, link)
        kept.append(link)
        before = world.snapshot(world.home)
        program = world.begin("leftovers", [world.busy, "100"], world.preloaded(world.at("home", "results")))
        wait_for("the dead writer's", lambda: not os.path.exists(gone))
        end_busy(program.pid)
        world.expect("leftovers: exit code", BUSY_CODE, world.end(program).code)
        # Without a checkpoint nothing says where its folder is.
        gone = make("dead01", f"{host}:{dead.pid}:1:0", VICTIM)
        world.tell("unified", "unify", world.at("home", "results"), code=0)
        world.expect("the dead writer's, by unify", False, os.path.exists(gone))
        for path in kept:
            world.expect(f"{path} is there", True, os.path.lexists(path))
        after = {name: what for name, what in world.snapshot(world.home).items() if not name.startswith("results")}
        world.expect("the victim's files", before, after)
    finally:
        for path in made:
            if os.path.islink(path):
                os.unlink(path)
            else:
                shutil.rmtree(path, ignore_errors=True)


def impostor(world):
    """A process that looks like the writer of the victim's program, and was there before it."""
    program = subprocess.Popen(["sh", "-c", 'read go && exec "$0" 60', world.busy], stdin=subprocess.PIPE, cwd=world.home,
                               env=world.preloaded(world.at("home", "results"), OMPTAPE_WHEN_FULL="overwrite"), **as_user(VICTIM))
    shutil.copy(shutil.which("sleep"), world.at("omptape-writer"))
    pretender = subprocess.Popen([world.at("omptape-writer"), str(program.pid)], **as_user(ATTACKER),
                                 preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals()))
    try:
        program.stdin.write(b"go\n")
        program.stdin.flush()
        wait_for("the writer", lambda: os.path.lexists(world.at("home", "results", ".omptape-writing")))
        for user in (VICTIM, 0):
            done = subprocess.run([world.installed, "snapshot", str(program.pid)], capture_output=True, text=True, cwd=world.home,
                                  env=world.environment(), timeout=PATIENCE, check=False, **as_user(user))
            world.expect(f"asked by {user}: {done.stderr}", (0, "traces.otf2\n"), (done.returncode, os.path.basename(done.stdout)))
    finally:
        for process in (pretender, program):
            process.kill()
            process.wait()
        program.stdin.close()
        world.expect_nothing_left("impostor")


PRECIOUS_TEXT = b"the victim's own\n"
TESTS = {"plan": plan, "checkpoint": checkpoint_names, "definitions": definitions, "scratch": scratch, "part": part,
         "force": force, "own_folder": own_folder, "named": named, "claims": claims, "names": names, "report_parts": report_parts,
         "hard_links": hard_links, "swapped": swapped, "pipes": pipes, "others": others, "escapes": escapes,
         "sources": sources, "leftovers": leftovers, "impostor": impostor}


if __name__ == "__main__":
    sys.exit(main("What another user can do.", TESTS, "adversary", World, "19"))
