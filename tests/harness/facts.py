# SPDX-License-Identifier: BSD-3-Clause
"""Counts what an archive says, while the checker reads it."""
import collections

from harness.archives import RegionName, is_whole


class Facts:
    """An observer of the checker: sees every event of one archive."""

    def __init__(self):
        self.events = collections.Counter()   # by type
        self.kinds = collections.Counter()    # entries by region kind; not of the program's own region
        self.sites = collections.Counter()    # entries by (kind, file, line)
        self.regions = {}                     # (kind, file, line) -> description
        self.instances = collections.defaultdict(set)   # (kind, file, line) -> of templates, None: of none
        self.locks = set()
        self.threads = 0
        self.properties = {}
        self.markers = collections.Counter()  # by category
        self._names = {}

    def number(self, key):
        """A number that the archive says of itself."""
        return int(self.properties.get(f"OMPTAPE::{key}", "0"))

    @property
    def end(self):
        """The kind of end."""
        return self.properties.get("OMPTAPE::END")

    def __call__(self, location, event):
        kind = type(event).__name__
        self.events[kind] += 1
        if kind == "Enter" and not is_whole(event.region):
            self._enter(event.region)
        elif kind == "ThreadAcquireLock":
            self.locks.add(event.lock_id)

    def _enter(self, region):
        name = self._names.get(region)
        if name is None:
            name = self._names[region] = RegionName(region.name)
        site = (name.kind, name.file, name.line)
        self.kinds[name.kind] += 1
        self.sites[site] += 1
        self.regions[site] = region.description
        self.instances[site].add(name.instance)

    def archive(self, archive):
        self.properties = archive.properties
        self.markers = collections.Counter(category for category, _, _ in archive.markers)
        self.threads = sum(map(archive.is_thread, archive.locations))
