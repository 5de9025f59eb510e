# SPDX-License-Identifier: BSD-3-Clause
"""File systems that behave as a network's (remote_disk.py), mounted for a test."""
import importlib.util
import os
import subprocess
import sys

from harness.stages import Missing
from harness.test import source_of
from harness.waiting import wait_for


class RemoteDisks:
    """A folder, `behind`, and the places at which it is mounted, each by a server of its own. now() says what is to
    happen with calls (remote_disk.py)."""

    def __init__(self, test, behind, *places, at_first="ok"):
        if os.getuid() != 0 or not os.path.exists("/dev/fuse") or importlib.util.find_spec("fusepy") is None:
            raise Missing("this needs root rights, /dev/fuse and python3-fusepy")
        self.test, self.places = test, places
        for folder in (behind, *places):
            os.makedirs(folder)
        self.now(at_first)
        with open(test.path("disks.log"), "ab") as log:
            self.servers = [subprocess.Popen([sys.executable, source_of("harness", "remote_disk.py"), behind, place,
                                              test.path("control")], stdout=log, stderr=log) for place in places]
        test.servers += [server.pid for server in self.servers]
        try:
            for place in places:
                wait_for("the file system", lambda at=place: os.path.ismount(at))
        except BaseException:
            self.close()
            raise

    def now(self, what):
        self.test.write("control.new", what)
        os.rename(self.test.path("control.new"), self.test.path("control"))

    def close(self):
        self.now("ok")
        for place, server in zip(self.places, self.servers, strict=True):
            subprocess.run(["umount", place], check=False)
            server.terminate()
            server.wait(100)
