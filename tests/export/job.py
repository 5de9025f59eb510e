# SPDX-License-Identifier: BSD-3-Clause
"""An archive of two processes that send messages, the first with a device that runs kernels: written by Python's otf2,
for what no program makes without MPI and a device."""
import otf2
from otf2.enums import GroupType, LocationGroupType, LocationType, Paradigm, RegionRole

FIRST = 1000
# (sent, received, bytes) from rank 0 to 1; and from 1 to 0.
THERE = [(10, 40, 100), (50, 90, 200)]
BACK = [(20, 30, 7)]
# (begin, end, region) on the stream.
WORK = [(5, 15, "kernel"), (20, 22, "copy"), (30, 60, "kernel")]


def write(folder):
    with otf2.writer.open(folder, timer_resolution=10**9) as archive:
        definitions = archive.definitions
        node = definitions.system_tree_node("machine", class_name="machine")
        ranks = [definitions.location_group(f"MPI rank {rank}", system_tree_parent=node, location_group_type=LocationGroupType.PROCESS)
                 for rank in range(2)]
        device = definitions.location_group("device 0", system_tree_parent=node, creating_location_group=ranks[0],
                                            location_group_type=LocationGroupType.ACCELERATOR)
        threads = [definitions.location("Master thread", group=rank) for rank in ranks]
        stream = definitions.location("stream 0", group=device, type=LocationType.ACCELERATOR_STREAM)
        definitions.group("all", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI, members=threads)
        members = definitions.group("world", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI, members=threads)
        world = definitions.comm("MPI_COMM_WORLD", group=members)
        region = {name: definitions.region(name, region_role=RegionRole.POINT2POINT, paradigm=Paradigm.MPI) for name in ("MPI_Send", "MPI_Recv")}
        region["kernel"] = definitions.region("kernel", region_role=RegionRole.FUNCTION, paradigm=Paradigm.OPENMP)
        region["copy"] = definitions.region("copy", region_role=RegionRole.DATA_TRANSFER, paradigm=Paradigm.OPENMP)
        steps = [[], []]
        for sender, messages in ((0, THERE), (1, BACK)):
            for sent, received, size in messages:
                steps[sender].append((sent, "MPI_Send", "mpi_send", 1 - sender, size))
                steps[1 - sender].append((received, "MPI_Recv", "mpi_recv", sender, size))
        for thread, calls in zip(threads, steps):
            writer = archive.event_writer_from_location(thread)
            for time, name, event, peer, size in sorted(calls):
                writer.enter(FIRST + time - 2, region[name])
                getattr(writer, event)(FIRST + time, peer, world, 0, size)
                writer.leave(FIRST + time + 2, region[name])
        writer = archive.event_writer_from_location(stream)
        for begin, end, name in WORK:
            writer.enter(FIRST + begin, region[name])
            writer.leave(FIRST + end, region[name])
    return folder
