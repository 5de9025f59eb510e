# SPDX-License-Identifier: BSD-3-Clause
"""What an archive says, without its numbers: two archives hold the same events if these texts are the same, whatever
references they use. For tests of unification."""
from otf2.enums import LocationGroupType

from checker.archive import Archive


def name_of_group(group):
    creator = group.creating_location_group
    own = group.name.partition(": ")[2] if group.name.startswith("rank ") and ": " in group.name else group.name
    return f"{name_of_group(creator)}/{own}" if creator is not None else own


def place(location):
    return f"{name_of_group(location.group)}/{location.name}"


def describe(value):
    """A definition by what it says."""
    kind = type(value).__name__
    if kind == "Location":
        return place(value)
    if kind == "Region":
        return (value.name, value.canonical_name, value.description, str(value.region_role), str(value.paradigm),
                value.source_file, value.begin_line_number, value.end_line_number)
    if kind == "Comm":
        return (tuple(place(one) for one in value.group.members), describe(value.parent))
    if kind in ("Attribute", "Parameter", "RmaWin"):
        return (kind, value.name, describe(value.comm) if kind == "RmaWin" else None)
    if kind == "MetricInstance":
        return (describe(value.metric_class), place(value.recorder), name_of_group(value.scope))
    if kind == "MetricClass":
        return tuple((one.name, one.description, str(one.value_type), one.unit) for one in value.members)
    if isinstance(value, dict):
        return tuple(sorted((one.name, str(describe(content))) for one, content in value.items()))
    if isinstance(value, (list, tuple)):
        return tuple(describe(one) for one in value)
    return str(value)


def text_of(event, with_time):
    fields = sorted((name, describe(value)) for name, value in vars(event).items()
                    if (with_time or name != "time") and value is not None and not (name == "attributes" and not value))
    return f"{type(event).__name__} {fields}"


def contents(path, with_time=True, keep=lambda location: True):
    """{place: [text of each event]} of the locations to keep, and their properties."""
    with Archive(path) as archive:
        events = {place(one): [] for one in archive.locations if keep(one)}
        for location, event in archive.events():
            if keep(location):
                events[place(location)].append(text_of(event, with_time))
        for one in archive.definitions.location_properties:
            if keep(one.location):
                events[place(one.location)].append(f"property {one.name} {describe(one.value)}")
    return events


def processes(path):
    """The names of the processes."""
    with Archive(path) as archive:
        return [one.name for one in archive.definitions.location_groups
                if one.location_group_type == LocationGroupType.PROCESS]
