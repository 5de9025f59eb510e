# SPDX-License-Identifier: BSD-3-Clause
"""What an archive says, without its numbers: two archives hold the same events if these texts are the same, whatever
references they use. For tests of unification."""
from otf2.enums import LocationGroupType, Paradigm

from checker.archive import Archive


class Words:
    """Definitions by what they say."""

    def __init__(self, archive):
        self._archive = archive

    def place(self, location):
        return f"{self._archive.title(location.group)}/{location.name}"

    def describe(self, value):
        kind = type(value).__name__
        if kind == "Location":
            return self.place(value)
        if kind == "Region":
            return (value.name, value.canonical_name, value.description, str(value.region_role), str(value.paradigm),
                    value.source_file, value.begin_line_number, value.end_line_number)
        if kind == "Comm":
            if value.group.paradigm == Paradigm.MPI:    # whose processes have other archives
                return (value.group.name, len(value.group.members), self.describe(value.parent))
            return (tuple(self.place(one) for one in value.group.members), self.describe(value.parent))
        if kind == "CallingContext":
            place = value.source_code_location
            return (self.describe(value.region), place.file, place.line_number, self.describe(value.parent))
        if kind in ("Attribute", "Parameter", "RmaWin"):
            return (kind, value.name, self.describe(value.comm) if kind == "RmaWin" else None)
        if kind == "MetricInstance":
            return (self.describe(value.metric_class), self.place(value.recorder), self._archive.title(value.scope))
        if kind == "MetricClass":
            return tuple((one.name, one.description, str(one.value_type), one.unit) for one in value.members)
        if isinstance(value, dict):
            return tuple(sorted((one.name, str(self.describe(content))) for one, content in value.items()))
        if isinstance(value, (list, tuple)):
            return tuple(self.describe(one) for one in value)
        return str(value)

    def event(self, event, with_time):
        fields = sorted((name, self.describe(value)) for name, value in vars(event).items()
                        if (with_time or name != "time") and value is not None and not (name == "attributes" and not value))
        return f"{type(event).__name__} {fields}"


def contents(path, with_time=True, keep=lambda location: True):
    """{place: [text of each event]} of the locations to keep, and their properties."""
    with Archive(path) as archive:
        words = Words(archive)
        events = {words.place(one): [] for one in archive.locations if keep(one)}
        for location, event in archive.events():
            if keep(location):
                events[words.place(location)].append(words.event(event, with_time))
        for one in archive.definitions.location_properties:
            if keep(one.location):
                events[words.place(one.location)].append(f"property {one.name} {words.describe(one.value)}")
    return events


def processes(path):
    """The processes, as "app (pid 4711)"."""
    with Archive(path) as archive:
        return [archive.title(one) for one in archive.definitions.location_groups
                if one.location_group_type == LocationGroupType.PROCESS]
