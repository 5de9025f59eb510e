# SPDX-License-Identifier: BSD-3-Clause
"""Archives as the independent checker reads them (tests/checker, whose scripts stand by themselves)."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "checker"))

from archive import Archive  # noqa: E402
from check import check, quickly  # noqa: E402
from contents import contents, processes  # noqa: E402
from mapping import RegionName  # noqa: E402

__all__ = ["Archive", "RegionName", "check", "contents", "processes", "quickly"]
