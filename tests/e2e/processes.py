# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program and looks after everything that it starts: this process adopts what outlives its parent, so nothing
can be left behind unnoticed.
"""
import ctypes
import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass

_PR_SET_CHILD_SUBREAPER = 36
CHECKPOINT = "omptape-checkpoint-"


def adopt_orphans():
    """From now on, orphaned descendants become children of this process."""
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "PR_SET_CHILD_SUBREAPER")


@dataclass
class Run:
    """How a program ended. `code`: as the shell's: 128 + signal."""

    code: int
    signalled: int
    out: bytes
    err: bytes
    seconds: float


def run(command, folder, environment, timeout=60):
    """Runs to the end of the program itself; what it leaves running is not waited for."""
    out_path, err_path = os.path.join(folder, "stdout"), os.path.join(folder, "stderr")
    started = time.monotonic()
    with open(out_path, "wb") as out, open(err_path, "wb") as err:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=err, start_new_session=True)
        try:
            status = process.wait(timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            status = None
    seconds = time.monotonic() - started
    with open(out_path, "rb") as out, open(err_path, "rb") as err:
        output, errors = out.read(), err.read()
    if status is None:
        raise TimeoutError(f"{os.path.basename(folder)}: {command[0]} did not end within {timeout} s\n{errors.decode(errors='replace')}")
    signalled = -status if status < 0 else 0
    return Run(128 + signalled if signalled else status, signalled, output, errors, seconds)


def _children():
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                    fields = file.read().rpartition(")")[2].split()
                with open(f"/proc/{entry}/cmdline", "rb") as file:
                    command = file.read().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if int(fields[1]) == os.getpid():
                found.append((int(entry), fields[0], command))
    return found


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


def wait_for_all(timeout=20):
    """Waits for every adopted process. Returns a line for each that did not end; those are killed."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            _forget_killed()
            return []
        if pid == 0:
            time.sleep(0.005)
    left = []
    for pid, state, command in _children():
        left.append(f"process {pid} ({state}) {command} is left after {timeout} s")
        os.kill(pid, signal.SIGKILL)
    return left


def shared_memory():
    """Names in /dev/shm that could be omptape's: other programs use it too, and MPI's run beside in other tests. Folders
    of checkpoints may be other tests' (checkpoint_folders)."""
    return {name for name in os.listdir("/dev/shm") if "omptape" in name.lower() and not name.startswith(CHECKPOINT)}


def checkpoint_folders():
    """Names in /dev/shm of writers that make checkpoints."""
    return {name for name in os.listdir("/dev/shm") if name.startswith(CHECKPOINT)}
