# SPDX-License-Identifier: BSD-3-Clause
"""For Python programs that want to tell the tool what they do, as include/omptape/omptape.h is for C.

    import omptape

    with omptape.region("solver"):
        for number in omptape.steps("time step", range(100)):
            ...
            omptape.value("residual", residual)

Without the tool all of it does nothing.
"""
import contextlib
import ctypes


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
