# SPDX-License-Identifier: BSD-3-Clause
"""Two users and a folder that both can write to: what the tests of tests/adversary share."""
import os
import shutil
import socket
import stat
import struct
import subprocess

from harness import BUSY_CODE, Test
from harness.users import NOBODY, PublicFolder, as_user, need_root

VICTIM = 64101  # a number that nobody has
ATTACKER = NOBODY
ATTACKER_NAME = f"nobody (user {NOBODY})"
PATIENCE = 60  # seconds in which every refusal has to come: half of what omptape waits for other hosts
PRECIOUS = b"# what must stay as it is\n" * 20


class World(Test):
    """A folder for each test, outside of the build, which may be in a home; a copy of omptape in it; the victim's home with
    a file that nobody else may change, and `share`."""

    def __init__(self, options, name, stage):
        need_root()
        super().__init__(options, name, stage)
        self._public = PublicFolder("adversary")
        self._install()
        self.home = self.make_folder("home", VICTIM, 0o755)
        self.share = self.make_folder("share", VICTIM, 0o777)
        self.precious = self.at("home", "precious")
        self.write_for(VICTIM, self.precious, PRECIOUS)

    def _install(self):
        for part in ("bin", "lib", os.path.join("libexec", "omptape")):
            shutil.copytree(os.path.join(self.build, part), self.at("omptape", part), symlinks=True)
        self.busy = self._public.copy(self.compile("faults", "busy.c"))
        self.libraries = self.at("libraries")
        os.mkdir(self.libraries)
        shutil.copy(os.path.join(self.toolchain.library_folder, "libomp.so.5"), self.libraries)
        subprocess.run(["chmod", "-R", "a+rX", self.at()], check=True)
        self.installed = self.at("omptape", "bin", "omptape")

    def close(self):
        shutil.rmtree(self._public.path)

    def at(self, *parts):
        """In the folder that both see."""
        return self._public.at(*parts)

    def shared(self, *parts):
        return os.path.join(self.share, *parts)

    # What is there

    def make_folder(self, name, user, mode=0o755):
        return self._public.make(name, user, mode)

    def write_for(self, user, path, data):
        with open(path, "wb") as file:
            file.write(data)
        os.chown(path, user, user)

    def link(self, target, path, user=ATTACKER):
        os.symlink(target, path)
        os.lchown(path, user, user)

    def pipe(self, path, user=ATTACKER):
        os.mkfifo(path, 0o666)
        os.chmod(path, 0o666)
        os.chown(path, user, user)

    def plant(self, kind, path, user=ATTACKER):
        """Something of another user's, which the victim may read."""
        if kind == "file":
            self.write_for(user, path, b"text\n")
        elif kind == "folder":
            os.mkdir(path)
            os.chown(path, user, user)
        elif kind == "socket":
            with socket.socket(socket.AF_UNIX) as one:
                one.bind(path)
            os.chown(path, user, user)
        elif kind == "pipe":
            self.pipe(path, user)
        else:
            self.link({"link": self.home, "dangling": "nowhere"}[kind], path, user)

    def give(self, path, user):
        """The path and all below it."""
        subprocess.run(["chown", "-hR", f"{user}:{user}", path], check=True)

    def parts(self, folder, count=2, user=VICTIM):
        """Parts of a job that never ran: FOLDER/rank-R."""
        maker = self.built("tests", "unify", "make_parts")
        made = self.at("made")
        subprocess.run([maker, made, str(count), "2", "20", str(count), "0"], check=True)
        self.give(made, user)
        for name in os.listdir(made):
            os.rename(os.path.join(made, name), os.path.join(folder, name))
        os.rmdir(made)

    def archive(self, folder, user=VICTIM):
        """A finished archive in FOLDER itself."""
        self.parts(folder, 1, user)
        for name in os.listdir(os.path.join(folder, "rank-0")):
            os.rename(os.path.join(folder, "rank-0", name), os.path.join(folder, name))
        os.rmdir(os.path.join(folder, "rank-0"))
        return os.path.join(folder, "traces.otf2")

    # What is done

    def environment(self, **more):
        return {"PATH": os.environ["PATH"], "HOME": self.home, "LD_LIBRARY_PATH": self.libraries, **more}

    def preloaded(self, output="out", **more):
        return self.environment(LD_PRELOAD=self.at("omptape", "lib", "libomptape.so"), OMPTAPE_OUTPUT=output, **more)

    def begin(self, what, command, environment=None, user=VICTIM):
        """Starts a program in the victim's home."""
        return self.start(what.replace("/", " "), command, environment, cwd=self.home, **as_user(user))

    def end(self, program, says=()):
        """How it ended, which has to be by itself."""
        ended = self.finish(program, PATIENCE)
        for one in says:
            if one not in ended.output:
                self.fail(f"{program.name}: {one!r} is not said: {ended.output}")
        return ended

    def tell(self, what, *words, code=None, says=(), user=VICTIM):
        """What omptape says."""
        ended = self.end(self.begin(what, [self.installed, *words], user=user), says)
        if code is not None and ended.code != code:
            self.fail(f"{what}: the code is {ended.code}, expected {code}: {ended.output}")
        return ended.output

    def trace(self, what, output, seconds="1.2", says=(), **more):
        """A run with the library alone."""
        ended = self.end(self.begin(what, [self.busy, seconds], self.preloaded(output, **more)), says)
        self.expect(f"{what}: exit code", BUSY_CODE, ended.code)

    # What became of it

    @staticmethod
    def identity(folder):
        """Of the job whose folder this is: a link, or a file once the job is over."""
        path = os.path.join(folder, ".omptape-job")
        if os.path.islink(path):
            return os.readlink(path)
        with open(path, encoding="utf-8") as file:
            return file.read().strip().rpartition(": ")[2]

    def unharmed(self, what):
        with open(self.precious, "rb") as file:
            if file.read() != PRECIOUS:
                self.fail(f"{what}: the victim's file was changed")

    def valid(self, what, folder):
        self.verify_archive(what, os.path.join(folder, "traces.otf2"))

    @staticmethod
    def snapshot(folder):
        """Everything about a folder that must not change."""
        found = {}
        for root, folders, files in os.walk(folder):
            for name in folders + files:
                path = os.path.join(root, name)
                status = os.lstat(path)
                data = None
                if stat.S_ISREG(status.st_mode):
                    with open(path, "rb") as file:
                        data = file.read()
                found[os.path.relpath(path, folder)] = (status.st_mode, status.st_uid, data)
        return found


def _sum(value, data):
    """The checksum of checkpoints (src/folder/checkpoint_pack.c)."""
    prime, mask = 0x100000001B3, (1 << 64) - 1
    whole = len(data) // 8 * 8
    for (word,) in struct.iter_unpack("<Q", data[:whole]):
        value = ((value ^ word) * prime) & mask
        value ^= value >> 29
    for byte in data[whole:]:
        value = ((value ^ byte) * prime) & mask
    return value


def checkpoint(scratch, files):
    """A checkpoint as a writer leaves it: `files` are (name, bytes)."""
    host = os.uname().nodename.encode()
    head = struct.pack("<8sIIQ128s256s", b"omptckp\0", 1, 408, 12345, host, scratch.encode())
    value, data = 0xCBF29CE484222325, b""
    for piece in [head, *(struct.pack("<32sQQ", name.encode(), 0, len(text)) + text for name, text in files)]:
        pieces = [piece] if piece is head else [piece[:48], piece[48:]]
        for one in pieces:
            value = _sum(value, one)
        data += piece
    return data + struct.pack("<32sQQ", b"", value, 0)
