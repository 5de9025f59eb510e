# SPDX-License-Identifier: BSD-3-Clause
"""Archives as no program makes them at will: written by Python's otf2, event by event."""
import otf2
from otf2.enums import GroupType, LocationGroupType, Paradigm, RegionRole

OFFSET = 1000  # of the clock, whose tick is a nanosecond


class Making:
    """Two threads, t0 and t1, and regions of some roles. `write` maps a location to [(time, event, arguments)], where an
    event is the name of a method of otf2's event writer and a text among the arguments is that region."""

    REGIONS = {"create task": RegionRole.TASK_CREATE, "task": RegionRole.TASK, "for": RegionRole.LOOP,
               "critical": RegionRole.CRITICAL}

    def __init__(self, folder, write, threads=2):
        with otf2.writer.open(folder, timer_resolution=10**9) as archive:
            definitions = archive.definitions
            node = definitions.system_tree_node("machine", class_name="machine")
            process = definitions.location_group("app", system_tree_parent=node,
                                                 location_group_type=LocationGroupType.PROCESS)
            locations = [definitions.location(f"t{i}", group=process) for i in range(threads)]
            regions = {name: definitions.region(name, region_role=role, paradigm=Paradigm.OPENMP)
                       for name, role in self.REGIONS.items()}
            definitions.group("all", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.OPENMP, members=locations)
            group = definitions.group("team", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.OPENMP, members=locations)
            team = definitions.comm("team", group=group)
            for location, events in zip(locations, write):
                writer = archive.event_writer_from_location(location)
                for time, event, *arguments in events:
                    known = [{**regions, "team": team}[one] if isinstance(one, str) else one for one in arguments]
                    getattr(writer, event)(OFFSET + time, *known)
