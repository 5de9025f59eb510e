# SPDX-License-Identifier: BSD-3-Clause
"""Imports Python's otf2 without what writes archives or reads them in other ways than the checker: all of it takes longer to
import than most tests need. The few tests that write archives import it themselves before.
"""
import ctypes
import sys
import types

_UNUSED = ("otf2.writer", *(f"_otf2.{name}" for name in (
    "DefWriter", "EvtWriter", "GlobalDefWriter", "SnapWriter", "EventSizeEstimator", "DefReader", "DefReaderCallbacks",
    "EvtReader", "EvtReaderCallbacks", "SnapReader", "SnapReaderCallbacks", "GlobalSnapReader", "GlobalSnapReaderCallbacks")))


class _Unused(types.ModuleType):
    """Others ask it for types alone, which their functions point to."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if self.__name__ == "otf2.writer":
            raise ImportError("a test that writes archives imports otf2 before the harness (checker/reader.py)")
        return type(name, (ctypes.Structure,), {})


if "otf2" not in sys.modules:
    sys.modules.update({name: _Unused(name) for name in _UNUSED})

import _otf2  # noqa: E402
import otf2  # noqa: E402

__all__ = ["_otf2", "otf2"]
