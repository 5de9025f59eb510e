# SPDX-License-Identifier: BSD-3-Clause
"""Checks of MPI: each message that was sent was received, and not before; requests are begun before they end, and end
once; all members of a communicator take part in the same collective operations, in the same order; a communicator whose
definition says so is made before it is used and freed after that, each time in such an operation."""
import collections
import functools

from otf2 import events as ev
from otf2.enums import CollectiveOp, CommFlag, GroupType, Paradigm, RegionRole

from checker.report import Check, name_of

ROLES = {RegionRole.POINT2POINT, RegionRole.BARRIER, RegionRole.COLL_ONE2ALL, RegionRole.COLL_ALL2ONE,
         RegionRole.COLL_ALL2ALL, RegionRole.COLL_OTHER, RegionRole.CODE, RegionRole.RMA, RegionRole.FILE_IO,
         RegionRole.FILE_IO_METADATA}
NO_ROOT = 0xffffffff
STANDS_BY = 0xfffffffd      # on the root's side of an inter-communicator
ROOTED = {CollectiveOp.BCAST, CollectiveOp.GATHER, CollectiveOp.GATHERV, CollectiveOp.SCATTER, CollectiveOp.SCATTERV,
          CollectiveOp.REDUCE}


class Mpi(Check):
    def __init__(self, archive, report, partial):
        super().__init__(archive, report, partial)
        self._members = {}      # communicator -> processes (location groups), by rank; None: has no archive
        self._sent = collections.defaultdict(list)      # (communicator, sender, receiver, tag) -> (time, bytes)
        self._received = collections.defaultdict(list)
        self._open = {}         # (process, request) -> what it is
        self._in_collective = set()
        self._operations = collections.defaultdict(list)        # (communicator, process) -> (operation, root)
        self._later = collections.defaultdict(collections.Counter)      # the same of those that did not block
        self._kinds = {
            ev.MpiSend: self._send, ev.MpiIsend: self._send, ev.MpiRecv: self._receive, ev.MpiIrecv: self._receive,
            ev.MpiIrecvRequest: functools.partial(self._begin, what=("receive", None)),
            ev.NonBlockingCollectiveRequest: functools.partial(self._begin, what=("collective", None)),
            ev.MpiIsendComplete: functools.partial(self._end, kind="send"),
            ev.MpiRequestCancelled: self._cancel, ev.MpiRequestTest: self._test,
            ev.MpiCollectiveBegin: self._begin_collective, ev.MpiCollectiveEnd: self._end_collective,
            ev.NonBlockingCollectiveComplete: self._complete_collective,
            ev.CommCreate: functools.partial(self._live, creates=True),
            ev.CommDestroy: functools.partial(self._live, creates=False)}
        self._alive = {}        # (process, communicator that has a life) -> is it there
        self._lives = {}        # location -> was what it made or freed last made? Its operation follows

    def members(self, comm):
        if comm not in self._members:
            listed = [] if comm.group.group_type == GroupType.COMM_SELF else comm.group.members
            self._members[comm] = [None if one is None else one.group for one in listed]
        return self._members[comm]

    def process(self, comm, rank, location):
        """Who has this rank; False: nobody can have it."""
        if comm.group.group_type == GroupType.COMM_SELF:
            return location.group if rank == 0 else False
        members = self.members(comm)
        return members[rank] if rank < len(members) else False

    def handler(self, location, kind):
        return self._kinds.get(kind)

    def _test(self, location, event):
        if not self.partial and (location.group, event.request_id) not in self._open:
            self.report.add("mpi", f"{name_of(location)}: request {event.request_id} is tested, but not under way")

    def _begin_collective(self, location, _):
        if location in self._in_collective:
            self.report.add("mpi", f"{name_of(location)} begins a collective operation in another one")
        self._in_collective.add(location)

    def _live(self, location, event, creates):
        """Its members may have it several times, one after the other."""
        comm, key = event.communicator, (location.group, event.communicator)
        what = f"{name_of(location)} {'makes' if creates else 'frees'} {comm.name}"
        if comm.flags != CommFlag.CREATE_DESTROY_EVENTS:
            self.report.add("mpi", f"{what}, of which its definition says nothing")
        if self._alive.get(key, self.partial and not creates) == creates:
            self.report.add("mpi", f"{what}, which is {'' if creates else 'not '}there")
        self._alive[key] = creates
        self._lives[location] = creates

    def _use(self, location, event):
        """What was posted before may be complete when its communicator is freed; what all do at once is not posted."""
        comm = event.communicator
        freed = self._lives.get(location) is False
        if comm.flags == CommFlag.CREATE_DESTROY_EVENTS and not self.partial and not freed \
                and not self._alive.get((location.group, comm)):
            self.report.add("mpi", f"{name_of(location)} uses {comm.name}, which is not there")

    def _end_life(self, location, event):
        creates = self._lives.pop(location, None)
        wanted = {None: event.collective_op, True: CollectiveOp.CREATE_HANDLE, False: CollectiveOp.DESTROY_HANDLE}[creates]
        if event.collective_op != wanted:
            self.report.add("mpi", f"{name_of(location)}: a communicator is {'made' if creates else 'freed'} in {event.collective_op}")

    def _end_collective(self, location, event):
        self._use(location, event)
        self._end_life(location, event)
        if location not in self._in_collective and not self.partial:
            self.report.add("mpi", f"{name_of(location)} ends a collective operation that it did not begin")
        self._in_collective.discard(location)
        self._operations[event.communicator, location.group].append(self._operation(location, event))

    def _complete_collective(self, location, event):
        self._end_life(location, event)
        self._end(location, event, "collective")
        self._later[event.communicator, location.group][self._operation(location, event)] += 1

    def _operation(self, location, event):
        root = event.root if isinstance(event.root, int) else getattr(event.root, "_ref", NO_ROOT)
        if event.collective_op not in ROOTED and root != NO_ROOT:
            self.report.add("mpi", f"{name_of(location)}: {event.collective_op} has the root {root}")
        return event.collective_op, root

    def _send(self, location, event):
        receiver = self.process(event.communicator, event.receiver, location)
        if receiver is False:
            self.report.add("mpi", f"{name_of(location)} sends to rank {event.receiver} of {event.communicator.name}")
            return
        key = (event.communicator, location.group, receiver, event.msg_tag)
        self._sent[key].append((event.time, event.msg_length))
        if isinstance(event, ev.MpiIsend):
            self._begin(location, event, ("send", (key, (event.time, event.msg_length))))

    def _receive(self, location, event):
        sender = self.process(event.communicator, event.sender, location)
        if sender is False:
            self.report.add("mpi", f"{name_of(location)} receives of rank {event.sender} of {event.communicator.name}")
            return
        key = (event.communicator, sender, location.group, event.msg_tag)
        self._received[key].append((event.time, event.msg_length))
        if isinstance(event, ev.MpiIrecv):
            self._end(location, event, "receive")

    def _begin(self, location, event, what):
        if (location.group, event.request_id) in self._open:
            self.report.add("mpi", f"{name_of(location)}: request {event.request_id} begins twice")
        self._open[location.group, event.request_id] = what

    def _end(self, location, event, kind):
        what = self._open.pop((location.group, event.request_id), None)
        if (what is None and not self.partial) or (what is not None and what[0] != kind):
            self.report.add("mpi", f"{name_of(location)}: request {event.request_id} ends as a {kind}, but is {what}")
        return what

    def _cancel(self, location, event):
        what = self._open.pop((location.group, event.request_id), None)
        if what is None and not self.partial:
            self.report.add("mpi", f"{name_of(location)}: request {event.request_id} is cancelled, but not under way")
        elif what is not None and what[0] == "send":
            self._sent[what[1][0]].remove(what[1][1])

    def finish(self):
        self._definitions()
        for key in self._sent.keys() | self._received.keys():
            self._messages(key)
        self._collectives(self._operations)
        self._collectives({key: sorted(found.elements(), key=repr) for key, found in self._later.items()})

    def _definitions(self):
        for region in self.archive.definitions.regions:
            if region.paradigm != Paradigm.MPI:
                continue
            # One for each function, and for each place where it is called.
            placed = " @" in region.name
            if not region.name.startswith("MPI_") or (region.source_file != "MPI") != placed or region.region_role not in ROLES:
                self.report.add("mpi", f"region {region.name} of {region.source_file} has the role {region.region_role}")

    def _messages(self, key):
        comm, sender, receiver, tag = key
        sent, received = sorted(self._sent[key]), sorted(self._received[key])
        if None in (sender, receiver) or self.partial:
            return
        what = f"{comm.name}, tag {tag}, {sender.name} to {receiver.name}"
        if collections.Counter(size for _, size in sent) != collections.Counter(size for _, size in received):
            self.report.add("mpi", f"{what}: {len(sent)} messages of {sum(one[1] for one in sent)} bytes are sent, "
                                   f"{len(received)} of {sum(one[1] for one in received)} received")
        elif any(later[0] < earlier[0] for earlier, later in zip(sent, received)) and self._one_clock():
            self.report.add("mpi", f"{what}: a message is received before it is sent")

    def _one_clock(self):
        hosts = {self.archive.value_of(group, "HOST") for group in self.archive.definitions.location_groups}
        return len(hosts) == 1

    def _collectives(self, found):
        comms = {comm for comm, _ in found}
        for comm in comms:
            if comm.group.group_type == GroupType.COMM_SELF or self.partial:
                continue
            lists = {process: found.get((comm, process), []) for process in self.members(comm) if process is not None}
            # Who stands by does not know the root.
            unsure = any(root == STANDS_BY for one in lists.values() for _, root in one)
            same = {str(sorted(str(operation) for operation, _ in one) if unsure else one) for one in lists.values()}
            if len(same) > 1:
                self.report.add("mpi", f"{comm.name}: its members do not take part in the same: " + ", ".join(
                    f"{process.name} {len(one)}" for process, one in lists.items()))
