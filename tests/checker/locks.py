# SPDX-License-Identifier: BSD-3-Clause
"""Checks of locks: each acquisition has one release, and the acquisition order is the order of the times."""
from report import Check, name_of


class Locks(Check):
    """Lock numbers are each process's own."""

    def __init__(self, archive, report, partial):
        super().__init__(archive, report, partial)
        self._acquired = {}  # (process, lock) -> {order: (time, location)}
        self._released = {}  # (process, lock) -> {order: time}

    def event(self, location, event):
        kind = type(event).__name__
        if kind == "ThreadAcquireLock":
            orders = self._acquired.setdefault((location.group, event.lock_id), {})
            if event.acquisition_order in orders:
                self.report.add("lock", f"{name_of(location)}: lock {event.lock_id} is acquired as "
                                        f"{event.acquisition_order} again")
            orders[event.acquisition_order] = (event.time, location)
        elif kind == "ThreadReleaseLock":
            orders = self._released.setdefault((location.group, event.lock_id), {})
            if event.acquisition_order in orders:
                self.report.add("lock", f"{name_of(location)}: lock {event.lock_id} is released as "
                                        f"{event.acquisition_order} again")
            orders[event.acquisition_order] = event.time
            acquired = self._acquired.get((location.group, event.lock_id), {}).get(event.acquisition_order)
            if acquired is not None and acquired[1] is not location:
                self.report.add("lock", f"{name_of(location)}: releases lock {event.lock_id} as "
                                        f"{event.acquisition_order}, which {name_of(acquired[1])} acquired")

    def finish(self):
        for (process, lock), orders in self._released.items():
            for order, time in orders.items():
                acquired = self._acquired.get((process, lock), {}).get(order)
                if acquired is None or acquired[0] > time:
                    self.report.add("lock", f"lock {lock}: release {order} at {time}, acquired {acquired}")
        for (process, lock), orders in self._acquired.items():
            times = [orders[order][0] for order in sorted(orders)]
            if times != sorted(times):
                self.report.add("lock", f"lock {lock}: the acquisition order is not that of the times")
            # A program may end with a lock held; but nobody can get what was never given back.
            held = [order for order in orders if order not in self._released.get((process, lock), {}) and order != max(orders)]
            if held:
                self.report.add("lock", f"lock {lock}: acquisition {held[0]} is never released")
