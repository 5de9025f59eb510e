# SPDX-License-Identifier: BSD-3-Clause
"""Archives as the independent checker reads them (tests/checker)."""
from checker.archive import Archive
from checker.check import check, quickly
from checker.contents import contents, processes
from checker.mapping import RegionName
from checker.program import is_whole

__all__ = ["Archive", "RegionName", "check", "contents", "is_whole", "processes", "quickly"]
