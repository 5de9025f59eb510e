# SPDX-License-Identifier: BSD-3-Clause
"""Two users and a folder that both can write to: what the tests of tests/adversary share."""
import os
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), "e2e"), os.path.join(os.path.dirname(HERE), "checker")]

import check  # noqa: E402
import processes  # noqa: E402
from stages import STAGES, Missing, Toolchain  # noqa: E402

VICTIM = 64101  # a number that nobody has
ATTACKER = 65534
ATTACKER_NAME = "nobody (user 65534)"
BUSY_CODE = 17
PATIENCE = 30  # seconds in which every refusal has to come
PRECIOUS = b"# what must stay as it is\n" * 20


class World:
    """A folder for each test, outside of the build, which may be in a home; a copy of omptape in it; the victim's home with
    a file that nobody else may change, and `share`."""

    def __init__(self, options):
        if os.geteuid() != 0:
            raise Missing("the right to be two users")
        self.problems = []
        self.build = options.build
        self.toolchain = Toolchain(STAGES["19"], options.runtimes)
        self.folder = tempfile.mkdtemp(prefix="omptape-adversary-")
        os.chmod(self.folder, 0o755)
        self._install()
        self.home = self.make_folder("home", VICTIM, 0o755)
        self.share = self.make_folder("share", VICTIM, 0o777)
        self.precious = self.path("home", "precious")
        self.write(self.precious, PRECIOUS, VICTIM)

    def _install(self):
        for part in ("bin", "lib", os.path.join("libexec", "omptape")):
            shutil.copytree(os.path.join(self.build, part), self.path("omptape", part), symlinks=True)
        source = os.path.join(os.path.dirname(HERE), "faults", "busy.c")
        busy = self.toolchain.compile(source, os.path.join(self.toolchain.programs(self.build), "busy"))
        self.busy = shutil.copy(busy, self.folder)
        self.libraries = self.path("libraries")
        os.mkdir(self.libraries)
        shutil.copy(os.path.join(self.toolchain.library_folder, "libomp.so.5"), self.libraries)
        subprocess.run(["chmod", "-R", "a+rX", self.folder], check=True)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def shared(self, *parts):
        return os.path.join(self.share, *parts)

    def fail(self, text):
        self.problems.append(text)

    def expect(self, what, expected, found):
        if expected != found:
            self.fail(f"{what}: expected {expected!r}, found {found!r}")

    # What is there

    def make_folder(self, name, user, mode=0o755):
        path = self.path(name)
        os.mkdir(path)
        os.chmod(path, mode)
        os.chown(path, user, user)
        return path

    def write(self, path, data, user):
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

    def give(self, path, user):
        """The path and all below it."""
        subprocess.run(["chown", "-hR", f"{user}:{user}", path], check=True)

    def parts(self, folder, count=2, user=VICTIM):
        """Parts of a job that never ran: FOLDER/rank-R."""
        maker = os.path.join(self.build, "tests", "unify", "make_parts")
        made = self.path("made")
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
        return os.path.join(folder, "trace.otf2")

    # What is done

    def environment(self, **more):
        return {"PATH": os.environ["PATH"], "HOME": self.home, "LD_LIBRARY_PATH": self.libraries, **more}

    def start(self, command, user=VICTIM, environment=None):
        return subprocess.Popen(command, cwd=self.home, env=environment or self.environment(), user=user, group=user,
                                extra_groups=(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, start_new_session=True)

    def finish(self, what, process, says=()):
        """(exit code, all that was said). It has to end by itself."""
        try:
            out, err = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            self.fail(f"{what}: it did not end within {PATIENCE} s")
        for one in says:
            if one not in out + err:
                self.fail(f"{what}: {one!r} is not said: {out}{err}")
        for line in processes.wait_for_all(PATIENCE):
            self.fail(f"{what}: {line}")
        return process.returncode, out + err

    def omptape(self, what, *words, code=None, says=(), user=VICTIM):
        process = self.start([self.path("omptape", "bin", "omptape"), *words], user)
        ended, said = self.finish(what, process, says)
        if code is not None and ended != code:
            self.fail(f"{what}: the code is {ended}, expected {code}: {said}")
        return said

    def preloaded(self, output, **more):
        return self.environment(LD_PRELOAD=self.path("omptape", "lib", "libomptape.so"), OMPTAPE_OUTPUT=output, **more)

    def trace(self, what, output, seconds="1.2", says=(), **more):
        """A run with the library alone."""
        process = self.start([self.busy, seconds], environment=self.preloaded(output, **more))
        code, said = self.finish(what, process, says)
        self.expect(f"{what}: exit code", BUSY_CODE, code)
        return said

    # What became of it

    def unharmed(self, what):
        with open(self.precious, "rb") as file:
            if file.read() != PRECIOUS:
                self.fail(f"{what}: the victim's file was changed")

    def valid(self, what, folder):
        for problem in check.check(self.path("omptape", "bin", "omptape"), os.path.join(folder, "trace.otf2")):
            self.fail(f"{what}: {problem}")

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

    def wait_for(self, what, condition):
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > deadline:
                self.fail(f"{what}: it never came")
                return
            time.sleep(0.01)

    def clean(self):
        shutil.rmtree(self.folder)


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


__all__ = ["World", "Missing", "VICTIM", "ATTACKER", "ATTACKER_NAME", "BUSY_CODE", "PATIENCE", "checkpoint", "processes"]
