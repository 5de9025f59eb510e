# SPDX-License-Identifier: BSD-3-Clause
"""A Python program that starts workers which use OpenMP: driver.py subprocess|fork|spawn|pool LIBRARY PROGRAM. Traced
by runs.py; `self` in front of the way has the driver use OpenMP first.
"""
import ctypes
import multiprocessing
import subprocess
import sys


def work(library, regions):
    assert ctypes.CDLL(library).workload(regions) == 0


def main():
    words = sys.argv[1:]
    if words[0] == "self":
        words.pop(0)
        work(words[1], 2)
    way, library, program = words
    if way == "subprocess":
        workers = [subprocess.Popen([program, str(3 + i)]) for i in range(3)]
        assert [one.wait() for one in workers] == [0, 0, 0]
        return
    context = multiprocessing.get_context("spawn" if way == "spawn" else "fork")
    if way == "pool":
        with context.Pool(3) as pool:  # whose end is a SIGTERM
            pool.starmap(work, [(library, 3)] * 6, chunksize=1)
        return
    workers = [context.Process(target=work, args=(library, 3 + i)) for i in range(3)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    assert [one.exitcode for one in workers] == [0, 0, 0]


if __name__ == "__main__":
    main()
