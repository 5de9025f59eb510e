# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program and looks after everything that it starts: this process adopts what outlives its parent, so nothing
can be left behind unnoticed. Finds programs and their writers among all processes.
"""
import ctypes
import glob
import os
import re
import signal
import subprocess
import time
from collections import namedtuple

_PR_SET_CHILD_SUBREAPER = 36
OURS = "omptape"  # part of the names in /dev/shm that must be gone after a run
CHECKPOINT = "omptape-checkpoint-"


def adopt_orphans():
    """From now on, orphaned descendants become children of this process."""
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "PR_SET_CHILD_SUBREAPER")


class Ended(namedtuple("Ended", ("folder", "code", "out", "err", "seconds", "archives"))):
    """How a program ended. `code`: as the shell's, 128 + signal. `out`, `err`: what it printed, as bytes. `archives`: the anchor
    files that were there when it had ended."""

    @property
    def output(self):
        """All its output, as text."""
        return (self.out + self.err).decode(errors="replace").strip()

    @property
    def lines(self):
        """Of the standard error."""
        return self.err.decode(errors="replace").splitlines()


class Program:
    """One that runs in a group of its own; its output goes to files of its folder, unless `more` says otherwise."""

    def __init__(self, name, folder, command, environment, **more):
        self.name, self.folder = name, folder
        self._begun = time.monotonic()
        os.makedirs(folder, exist_ok=True)
        with open(self._path("stdout"), "wb") as out, open(self._path("stderr"), "wb") as err:
            self.process = subprocess.Popen([str(word) for word in command], env=environment, **{
                "cwd": folder, "start_new_session": True, "stdin": subprocess.DEVNULL, "stdout": out, "stderr": err, **more})
        self.pid = self.process.pid

    def _path(self, name):
        return os.path.join(self.folder, name)

    def finish(self, timeout, wait_for_rest):
        """Waits for the program's own end, or kills its group; then calls wait_for_rest(), which waits for what it has left
        running. Says how it ended, and whether that was too late."""
        late = False
        try:
            out, _ = self.process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            late = True
            os.killpg(self.pid, signal.SIGKILL)
            out, _ = self.process.communicate()
        seconds, archives, status = time.monotonic() - self._begun, anchors(self.folder), self.process.returncode
        wait_for_rest()
        texts = []
        for name in ("stdout", "stderr"):
            with open(self._path(name), "rb") as file:
                texts.append(file.read())
        return Ended(self.folder, 128 - status if status < 0 else status, texts[0] if out is None else out, texts[1],
                     seconds, archives), late


def anchors(folder):
    """The archives below it."""
    return frozenset(os.path.join(place, name) for place, _, names in os.walk(folder) for name in names
                     if name.endswith(".otf2"))


# All processes


def _stat(pid):
    """(state, parent); None: it is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
        return fields[0], int(fields[1])
    except OSError:
        return None


def state_of(pid):
    found = _stat(pid)
    return found[0] if found else ""


def command_of(pid):
    """Its words; none: it is gone."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().decode(errors="replace").split("\0")
    except OSError:
        return []


def all_pids():
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]


def children_of(parent):
    """Of any of its threads."""
    found = []
    for path in glob.glob(f"/proc/{parent}/task/*/children"):
        try:
            with open(path, encoding="ascii") as file:
                found += [int(word) for word in file.read().split()]
        except OSError:
            continue
    return found


def family(pid):
    """A process and its children: a writer may be making a checkpoint."""
    return [pid, *children_of(pid)]


def is_descendant(pid):
    """Of this process."""
    while pid > 1:
        found = _stat(pid)
        if found is None:
            return False
        pid = found[1]
        if pid == os.getpid():
            return True
    return False


def _is_writer(pid):
    words = command_of(pid)
    return bool(words) and words[0].endswith("omptape-writer")


def writer_of(program=None):
    """The writer of that program, or the one in this test's care; None: there is none. Not what it forked, which has its
    name for a moment."""
    for pid in all_pids():
        if _is_writer(pid) and (program is None or command_of(pid)[1:2] == [str(program)]) and is_descendant(pid) \
                and not _is_writer((_stat(pid) or (None, 0))[1]):
            return pid
    return None


def program_of(launcher, binary):
    """The launcher's program, once it runs; else None."""
    for pid in children_of(launcher):
        try:
            if os.readlink(f"/proc/{pid}/exe") == os.path.realpath(binary):
                return pid
        except OSError:
            continue
    return None


def kill_all(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


# What is left


def _forget_killed():
    """What LLVM's runtime leaves in /dev/shm when it is killed: a later process with the same number may take it for
    another runtime in itself, and end ("unknown library already initialized")."""
    for name in os.listdir("/dev/shm"):
        registered = re.fullmatch(r"__KMP_REGISTERED_LIB_(\d+)_\d+", name)
        if registered and not os.path.exists(f"/proc/{registered[1]}"):
            try:
                os.unlink(os.path.join("/dev/shm", name))
            except OSError:
                continue


def wait_for_all(timeout, servers=()):
    """Waits for every adopted process but the test's own servers. Returns a line for each that did not end; those are
    killed."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            _forget_killed()
            return []
        if pid == 0 and servers and set(children_of(os.getpid())) <= set(servers):
            _forget_killed()
            return []
        if pid == 0:
            time.sleep(0.005)  # between two looks
    left = []
    for pid in set(children_of(os.getpid())) - set(servers):
        left.append(f"process {pid} ({state_of(pid)}) {' '.join(command_of(pid))} is left after {timeout} s")
        os.kill(pid, signal.SIGKILL)
    return left


def shared_memory():
    """Names in /dev/shm that could be omptape's: other programs use it too, and MPI's run beside in other tests. Folders
    of checkpoints may be other tests' (checkpoint_folders)."""
    return {name for name in os.listdir("/dev/shm") if OURS in name.lower() and not name.startswith(CHECKPOINT)}


def checkpoint_folders(writer=""):
    """Names in /dev/shm of writers that make checkpoints, or of that one's."""
    prefix = f"{CHECKPOINT}{writer}-" if writer else CHECKPOINT
    return {name for name in os.listdir("/dev/shm") if name.startswith(prefix)}
