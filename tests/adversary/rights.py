# SPDX-License-Identifier: BSD-3-Clause
"""A program that gives up rights, and overwrites the memory that it shares with its writer: the writer writes for it nowhere
else, and with no more rights than the program has left. Each CTest test is one of the functions below:

    tests/run adversary.rights --build BUILD --runtimes DIR NAME
"""
import os
import re
import shutil
import sys

from adversary.world import ATTACKER, VICTIM, World
from harness import main, wait_for

CODE = 7  # of renounce.c


class Rights(World):
    def __init__(self, options, name, stage):
        super().__init__(options, name, stage)
        self.renounce = self.at("renounce")
        shutil.copy(self.compile("adversary", "renounce.c"), self.renounce)
        os.chmod(self.renounce, 0o755)

    def attacked(self, what, who, user=0, by_command=True, seconds="0.4"):
        """The program is traced into a folder of `user`, and tries to have text appended to a file of that one's."""
        results = self.make_folder(f"results {what}", user, 0o755)
        shell_file = os.path.join(results, "rc")
        self.write_for(user, shell_file, b"# the shell's\n")
        os.chmod(shell_file, 0o600)
        folder = os.path.join(results, "trace")
        words = [self.renounce, who, shell_file, seconds]
        environment = self.environment() if by_command else self.preloaded(folder)
        ended = self.end(self.begin(what, [self.installed, "-o", folder, *words] if by_command else words, environment, user=user))
        self.expect(f"{what}: exit code", CODE, ended.code)
        with open(shell_file, "rb") as file:
            self.expect(f"{what}: the file", b"# the shell's\n", file.read())
        self.expect(f"{what}: what is beside", ["rc", "trace"], sorted(os.listdir(results)))
        self.valid(what, folder)
        self.expect(f"{what}: what is in it", ["traces", "traces.def", "traces.otf2"], sorted(os.listdir(folder)))
        return folder, ended

    def owners(self, folder):
        return {os.lstat(os.path.join(root, name)).st_uid for root, folders, files in os.walk(folder) for name in (*folders, *files, "")}


def user(world):
    """Root's program becomes somebody else: so does what its writer writes."""
    for by_command in (True, False):
        folder, ended = world.attacked("by the command" if by_command else "by the library", str(ATTACKER), by_command=by_command)
        world.expect("the archive's owners", {ATTACKER}, world.owners(folder))
        if by_command and not re.search(r"omptape: [\d,]+ events of", ended.output):
            world.fail(f"the summary is missing: {ended.output}")


def capabilities(world):
    """Root's program gives up its capabilities, and stays root."""
    folder, _ended = world.attacked("capabilities", "caps")
    world.expect("the archive's owners", {0}, world.owners(folder))


def kept(world):
    """The program of a user who has nothing to give up, and root's that keeps all: nothing is written elsewhere."""
    for name, one in (("victim", VICTIM), ("root", 0)):
        for by_command in (True, False):
            folder, _ended = world.attacked(f"{name} {by_command}", "0", one, by_command)
            world.expect("the archive's owners", {one}, world.owners(folder))


def effective(world):
    """The writer's rights in the file system while the program runs."""
    results = world.make_folder("results", 0, 0o755)
    program = world.begin("running", [world.renounce, str(ATTACKER), "/nowhere", "5"], world.preloaded(os.path.join(results, "trace")),
                          user=0)

    def rights():
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{number}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
                if words[0] != b"omptape-writer" or int(words[1]) != program.pid:
                    continue
                with open(f"/proc/{number}/status", encoding="ascii") as file:
                    lines = dict(line.split(":", 1) for line in file)
                return [int(lines[key].split()[3]) for key in ("Uid", "Gid")] + [lines["Groups"].split(), int(lines["CapEff"], 16)]
            except (OSError, IndexError, ValueError):
                continue
        return None

    wait_for("the writer to give up its rights", lambda: rights() == [ATTACKER, ATTACKER, [], 0])
    world.expect("exit code", CODE, world.end(program).code)


TESTS = {"user": user, "capabilities": capabilities, "kept": kept, "effective": effective}


if __name__ == "__main__":
    sys.exit(main("What a program does that gives up its rights.", TESTS, "adversary", Rights, "19"))
