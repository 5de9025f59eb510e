# SPDX-License-Identifier: BSD-3-Clause
"""For Python programs that want to tell the tool what they do, as include/omptape/omptape.h is for C.

    import omptape

    with omptape.region("solver"):
        for number in omptape.steps("time step", range(100)):
            ...
            omptape.value("residual", residual)

Without the tool all of it does nothing.

It also reads what omptape makes of a trace, as pandas' DataFrames, or as lists of dicts where there is no pandas:

    print(omptape.read_table("report.json", "regions"))     # or an archive's folder
    print(omptape.read_table("heat.db", "region_time"))     # of omptape export --sqlite heat.db DIR
    print(omptape.query("heat.db", "SELECT region, sum(self) FROM visits GROUP BY region"))
"""
import contextlib
import ctypes
import json
import os
import sqlite3
import subprocess


def _find(name, *types, result=None):
    try:
        function = getattr(ctypes.CDLL(None), name)
    except (AttributeError, OSError):
        return None
    function.argtypes, function.restype = types, result
    return function


_begin = _find("omptape_user_begin", ctypes.c_char_p)
_step = _find("omptape_user_step", ctypes.c_char_p, ctypes.c_uint64)
_end = _find("omptape_user_end")
_mark = _find("omptape_user_mark", ctypes.c_char_p)
_value = _find("omptape_user_put_value", ctypes.c_char_p, ctypes.c_double)
_is_recording = _find("omptape_is_recording", result=ctypes.c_int)


def begin(name):
    """A region of the calling thread begins."""
    if _begin:
        _begin(name.encode())


def step(name, number):
    """Step `number` begins: a region that also ends the step before of the same name."""
    if _step:
        _step(name.encode(), number)


def end():
    """The innermost region or step of the calling thread ends."""
    if _end:
        _end()


def mark(name):
    """Something happens: a region of no length."""
    if _mark:
        _mark(name.encode())


def value(name, number):
    """A number at this time, as a residual."""
    if _value:
        _value(name.encode(), number)


def is_recording():
    """Are events of this process being recorded?"""
    return bool(_is_recording and _is_recording())


@contextlib.contextmanager
def region(name):
    """A region as long as the block; also a decorator of a function."""
    begin(name)
    try:
        yield
    finally:
        end()


def steps(name, items):
    """The items, each of which is a step, by their numbers from 0 on."""
    started = False
    try:
        for number, item in enumerate(items):
            step(name, number)
            started = True
            yield item
    finally:
        if started:
            end()


def read_report(source, command="omptape"):
    """What `omptape report --json` says of an archive, or what a file that it made holds: a dict."""
    if os.path.isdir(source) or str(source).endswith(".otf2"):
        text = subprocess.run([command, "report", "--json", "-", source], check=True, stdout=subprocess.PIPE).stdout
    else:
        with open(source, "rb") as file:
            text = file.read()
    return json.loads(text)


def query(database, sql, parameters=()):
    """The rows that SQL finds in a database of `omptape export --sqlite`, which stays as it is."""
    address = "file:" + os.path.abspath(database).replace("%", "%25").replace("?", "%3f").replace("#", "%23") + "?mode=ro"
    with contextlib.closing(sqlite3.connect(address, uri=True)) as opened:
        opened.row_factory = sqlite3.Row
        return _as_table([dict(row) for row in opened.execute(sql, parameters)])


def read_table(source, name, command="omptape"):
    """A table or a view of a database, or a list of a report ("regions", "findings", ...)."""
    if _is_database(source):
        quoted = name.replace('"', '""')
        return query(source, f'SELECT * FROM "{quoted}"')
    return _as_table(read_report(source, command)[name])


def _is_database(source):
    if os.path.isdir(source):
        return False
    with open(source, "rb") as file:
        return file.read(16) == b"SQLite format 3\0"


def _as_table(rows):
    """Values within values get names as "visits.count"."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.json_normalize(rows)
