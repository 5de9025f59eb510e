# SPDX-License-Identifier: BSD-3-Clause
"""Other users than the one who runs the tests, who must be root for that."""
import os
import shutil
import tempfile

from harness.stages import Missing

NOBODY = 65534


def nobody_else():
    """A user without a name and without any process, also of tests that run at the same time: NOBODY's may be theirs."""
    return 50000 + os.getpid() % 5000


def need_root():
    if os.geteuid() != 0:
        raise Missing("root rights")


def as_user(user):
    """For subprocess: to be that user, and in no other group."""
    return {"user": user, "group": user, "extra_groups": ()}


class PublicFolder:
    """A folder that every user may look into, which the build may not be. `with` removes it."""

    def __init__(self, name, files=()):
        self.path = tempfile.mkdtemp(prefix=f"omptape-{name}-")
        os.chmod(self.path, 0o755)
        for file in files:
            self.copy(file)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path)

    def at(self, *parts):
        return os.path.join(self.path, *parts)

    def copy(self, file, name=""):
        return shutil.copy(file, self.at(name))

    def make(self, name, user=0, mode=0o777):
        """A folder in it."""
        path = self.at(name)
        os.mkdir(path)
        os.chmod(path, mode)
        os.chown(path, user, user)
        return path
