# SPDX-License-Identifier: BSD-3-Clause
"""A file system as a network's may be: each call takes its time, fails, or comes to no end; no file can be mapped and
shared. Run by tests as a process of its own: remote_disk.py FOLDER MOUNTED CONTROL. The file CONTROL says what is to
happen with calls that come in: "ok", "slow SECONDS" for each, "hang" until it says something else, "fail ERRNO" for
what writes, "linkless": there are no links and no colons in names, as on FAT, "remember": what was seen of a folder, its
names and that there is none, is believed until this side changes something in it, as NFS does for half a minute."""
import errno
import os
import sys
import time

from fusepy import FUSE, FuseOSError, Operations

WRITING = {"mkdir", "unlink", "rmdir", "rename", "symlink", "create", "write", "truncate", "fsync", "flush", "link"}


class RemoteDisk(Operations):
    """What lies in a folder, by way of this process."""

    def __init__(self, folder, control):
        self.folder, self.control = folder, control
        self.use_ns = True
        self.names = {}  # of each folder, as they were seen
        self.absent = set()

    def _demand(self):
        with open(self.control, encoding="ascii") as file:
            return file.read().split() or ["hang"] # it is being written

    def _remember(self, operation, words):
        """The same as without a memory, but for what others changed."""
        path = words[0]
        folder = os.path.dirname(path)
        if operation in WRITING - {"write", "truncate", "fsync", "flush"}:
            for place in {folder, *(os.path.dirname(word) for word in words[1:] if operation == "rename")}:
                self.names.pop(place, None)
                self.absent = {name for name in self.absent if os.path.dirname(name) != place}
        elif path in self.absent:
            raise FuseOSError(errno.ENOENT)
        if operation == "readdir":
            if path not in self.names:
                self.names[path] = self.readdir(*words)
            return self.names[path]
        try:
            return getattr(self, operation)(*words)
        except FileNotFoundError:
            self.absent.add(path)
            raise

    def __call__(self, operation, *words):
        if operation not in ("init", "destroy"):
            while (what := self._demand()) == ["hang"]:
                time.sleep(0.01)  # between two looks
            if what[0] == "slow":
                time.sleep(float(what[1]))
            elif what[0] == "fail" and operation in WRITING:
                raise FuseOSError(int(what[1]))
            elif what[0] == "linkless" and operation in ("symlink", "link"):
                raise FuseOSError(errno.EPERM)
            elif what[0] == "linkless" and ":" in words[0]:
                raise FuseOSError(errno.EINVAL)
        try:
            if operation not in ("init", "destroy") and what == ["remember"]:
                return self._remember(operation, words)
            return getattr(self, operation)(*words)
        except OSError as error:
            raise FuseOSError(error.errno) from error

    def _at(self, path):
        return self.folder + path

    def getattr(self, path, fh=None):
        found = os.lstat(self._at(path))
        return {**{name: getattr(found, name) for name in ("st_mode", "st_nlink", "st_uid", "st_gid", "st_size", "st_ino", "st_blocks")},
                "st_atime": found.st_atime_ns, "st_mtime": found.st_mtime_ns, "st_ctime": found.st_ctime_ns}

    def access(self, path, amode):
        if not os.access(self._at(path), amode, follow_symlinks=False):
            raise FuseOSError(errno.EACCES)

    def readdir(self, path, fh):
        return [".", "..", *os.listdir(self._at(path))]

    def readlink(self, path):
        return os.readlink(self._at(path))

    def symlink(self, target, source):
        os.symlink(source, self._at(target))

    def link(self, target, source):
        os.link(self._at(source), self._at(target))

    def mkdir(self, path, mode):
        os.mkdir(self._at(path), mode)

    def rmdir(self, path):
        os.rmdir(self._at(path))

    def unlink(self, path):
        os.unlink(self._at(path))

    def rename(self, old, new):
        os.rename(self._at(old), self._at(new))

    def chmod(self, path, mode):
        os.chmod(self._at(path), mode)

    def chown(self, path, uid, gid):
        os.chown(self._at(path), uid, gid, follow_symlinks=False)

    def utimens(self, path, times=None):
        os.utime(self._at(path), ns=times, follow_symlinks=False)

    def statfs(self, path):
        found = os.statvfs(self._at(path))
        return {name: getattr(found, name) for name in ("f_bavail", "f_bfree", "f_blocks", "f_bsize", "f_files", "f_ffree", "f_frsize", "f_namemax")}

    def open(self, path, flags):
        return os.open(self._at(path), flags & ~os.O_APPEND)

    def create(self, path, mode, fi=None):
        return os.open(self._at(path), os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)

    def read(self, path, size, offset, fh):
        return os.pread(fh, size, offset)

    def write(self, path, data, offset, fh):
        return os.pwrite(fh, data, offset)

    def truncate(self, path, length, fh=None):
        os.truncate(self._at(path), length)

    def flush(self, path, fh):
        """Nothing is kept back."""

    def fsync(self, path, datasync, fh):
        os.fsync(fh)

    def release(self, path, fh):
        os.close(fh)


if __name__ == "__main__":
    FUSE(RemoteDisk(sys.argv[1], sys.argv[3]), sys.argv[2], foreground=True, direct_io=True, allow_other=True, use_ino=True,
         attr_timeout=0, entry_timeout=0, fsname="remote")
