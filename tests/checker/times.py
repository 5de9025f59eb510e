# SPDX-License-Identifier: BSD-3-Clause
"""Where the time of threads went: the sums in the properties, computed again from the events.

When a thread began and ended stands nowhere but in these sums, so that what it did outside of all regions is only bounded
by its first and last event; on the first location it is known.

What of computing and serial had no processor (BLOCKED, RUNNABLE) is estimated from readings of the scheduler's statistics.
Together they are what the events say; and a thread cannot have queued, or slept, for longer than those readings leave. The
kernel counts a wait for a processor when it is over: the first reading counts what was before the thread's first event, and
a later one may count more than the time since the reading before, which what is slept later is taken off for.
"""
from otf2.enums import Paradigm
from otf2.events import Enter, Leave, MeasurementOnOff, Metric, ProgramBegin, ThreadFork, ThreadTeamBegin

from checker.mapping import RegionName, changes_thread
from checker.program import is_whole
from checker.report import Check

IDLE, SERIAL, OUTSIDE = "IDLE", "SERIAL", None
LACKS = ("BLOCKED", "RUNNABLE")
BUCKETS = ("COMPUTING", SERIAL, *LACKS, "BARRIER", "TASK_WAIT", "LOCK", "TASK_MANAGEMENT", "TRANSFER", "TARGET", "MPI", IDLE)
KINDS = {
    "COMPUTING": ("parallel", "teams", "task", "target task", "reduction"),
    "BARRIER": ("barrier", "implicit barrier", "implementation barrier", "wait for team", "wait for reduction"),
    "TASK_WAIT": ("taskwait", "wait for tasks"),
    "LOCK": ("critical", "flush", "atomic", "ordered", "omp_set_lock", "omp_test_lock", "omp_set_nest_lock", "omp_test_nest_lock"),
    "TASK_MANAGEMENT": ("create task", "taskloop"),
    "TRANSFER": ("target enter data", "target exit data", "target update", "target alloc", "target delete",
                 "target transfer to device", "target transfer from device", "target associate", "target disassociate"),
    "TARGET": ("target", "target submit"),
    "MPI": ("MPI",),
}
BUCKET_OF = {kind: bucket for bucket, kinds in KINDS.items() for kind in kinds}
ROUNDING = 2    # ns
CARRIED = 0.01  # s: what is blocked counts from here on, and may be of the readings before
SUMS = "processor time", "run queue wait"
REPORTED = 1e-8  # s: the report's numbers have nine digits behind the point
SHIFT = 4       # ticks that a record is moved by to have a time of its own, on average, at most: the sums are without that
WANTS = ("FILTER", "LIMIT_PER_SITE", "START", "PROCESSES")


class Line:
    """What is open on one location, and what it spent."""

    def __init__(self, time):
        self.first = self.last = time
        self.open = []      # (kind, bucket, spare)
        self.team = None    # that it begins now
        self.forked_idle = False    # its last fork was where nothing was open
        self.spent = dict.fromkeys((*BUCKETS, OUTSIDE), 0)
        self.nobody = 0     # ticks between two threads
        self.read = dict.fromkeys(SUMS, 0)  # ns, the last reading,
        self.read_at = time
        self.early = 0      # ns: of it, what was before the first event
        self.late = 0       # ns: counted after its time, and not yet taken off

    def change_thread(self, time):
        self.nobody += time - self.last
        self.last = time

    def go_to(self, time):
        self.spent[self.open[-1][1] if self.open else OUTSIDE] += time - self.last
        self.last = time

    def take_reading(self, time, sums, ns):
        """`sums`: in ns. `ns`: of a tick."""
        is_first = not any(self.read.values())
        more = sum(sums.values()) - sum(self.read.values()) - (time - self.read_at) * ns
        if is_first:
            self.early = max(0, more)
        else:
            self.late = max(0, self.late + more)
        self.read, self.read_at = sums, time

    def enter(self, kind, region, by_idle):
        """`by_idle`: the team that it begins was forked by a thread that did nothing else."""
        # A team that the runtime forked for its own purposes, at no place of the program's, waits until there are tasks.
        spare = by_idle and kind == "parallel" and not self.open and "@" not in region.name
        bucket = BUCKET_OF.get(kind)
        if spare or bucket == "BARRIER" and self._is_spare():
            bucket = IDLE
        elif bucket is None:
            bucket = next((one[1] for one in reversed(self.open) if one[0] not in KINDS["LOCK"]), OUTSIDE)
        self.open.append((kind, bucket, spare))

    def _is_spare(self):
        return next((one[2] for one in reversed(self.open) if one[0] in KINDS["COMPUTING"]), False)


class Times(Check):
    def __init__(self, archive, report, partial):
        super().__init__(archive, report, partial)
        self._lines = {}
        self._kinds = {}
        self._readings = {}     # metric -> (one of SUMS, its place among the values), none: it is of counters
        self._events = 0
        self._slack = ROUNDING  # ns
        self._program = None    # the line of the program's own thread
        self._ns = 1e9 / archive.definitions.clock_properties.timer_resolution

    def handler(self, location, kind):
        if not self.archive.is_thread(location):
            return None
        return {Enter: self._enter, Leave: self._leave, ThreadFork: self._fork, ThreadTeamBegin: self._begin_team,
                ProgramBegin: self._begin, MeasurementOnOff: self._measure, Metric: self._metric}.get(kind, self._at)

    def _at(self, location, event):
        """The location's line, at the event's time."""
        line = self._lines.get(location)
        if line is None:
            line = self._lines[location] = Line(event.time)
        line.go_to(event.time)
        self._events += 1
        return line

    def _measure(self, location, event):
        line = self._lines.get(location)
        if line is not None and changes_thread(event):
            line.change_thread(event.time)
        self._at(location, event)

    def _metric(self, location, event):
        line = self._at(location, event)
        metric = event.metric
        places = self._readings.get(metric)
        if places is None:
            names = [] if hasattr(metric, "recorder") else [one.name for one in metric.members]
            places = self._readings[metric] = [(name, names.index(name)) for name in SUMS] if SUMS[0] in names else []
        if places:
            values = event.values
            line.take_reading(event.time, {name: values[place] for name, place in places}, self._ns)

    def _enter(self, location, event):
        line, region = self._at(location, event), event.region
        kind = self._kinds.get(region)
        if kind is None:
            # The program's own region may be called as a construct is.
            user = "program" if is_whole(region) else "user"
            own = {Paradigm.USER: user, Paradigm.MPI: "MPI"}.get(region.paradigm)
            kind = own or RegionName(region.name).kind
            self._kinds[region] = kind
        primary = self._lines.get(line.team.group.members[0]) if kind == "parallel" and line.team is not None else None
        line.enter(kind, region, primary is not None and primary.forked_idle)

    def _leave(self, location, event):
        line = self._at(location, event)
        if line.open:
            line.open.pop()

    def _fork(self, location, event):
        line = self._at(location, event)
        line.forked_idle = not line.open

    def _begin_team(self, location, event):
        self._at(location, event).team = event.thread_team

    def _begin(self, location, event):
        self._program = self._at(location, event)

    def finish(self):
        lived = self.archive.value("TIME_LIVED")
        if lived is None:
            return
        told = {bucket: int(self.archive.value(f"TIME_{bucket}")) for bucket in BUCKETS}
        if sum(told.values()) != int(lived):
            self.report.add("time", f"threads lived {lived} ns, and spent {sum(told.values())}")
        if self.partial or any(self.archive.value(key) is not None for key in WANTS):
            return
        ns = self._ns
        if self.archive.value("DISTINCT_TIMES") is not None:
            self._slack += SHIFT * self._events * ns
        for bucket in BUCKETS:
            if bucket not in (SERIAL, IDLE, *LACKS):
                self._compare(bucket, told[bucket], sum(line.spent[bucket] for line in self._lines.values()) * ns,
                              bucket == "COMPUTING" and sum(told[lack] for lack in LACKS))
        self._bound(int(lived), told, ns)

    def agree_with(self, threads):
        """The report's threads: each one's parts make up its life, and all together those of the events."""
        seconds = 1 / self.archive.definitions.clock_properties.timer_resolution
        nobody = {location._ref: line.nobody * seconds for location, line in self._lines.items()}
        for thread in threads:
            parts = sum(thread["parts"].values())
            life = thread["end_s"] - thread["begin_s"] - nobody.get(thread["location"], 0)
            if abs(parts - life) > REPORTED:
                self.report.add("report", f"{thread['name']} spends {parts} s of {life} s")
            self._agree_on_lacks(thread, life)
        for bucket in BUCKETS:
            told = sum(thread["parts"][bucket.lower() + "_s"] for thread in threads)
            found = sum(line.spent[bucket] for line in self._lines.values()) * seconds
            lacked = bucket == "COMPUTING" and sum(thread["parts"][lack.lower() + "_s"] for thread in threads for lack in LACKS)
            slack = REPORTED * (len(threads) + 1)
            if bucket not in (SERIAL, IDLE, *LACKS) and not -slack <= found - told <= lacked + slack:
                self.report.add("report", f"the threads' {bucket} is {told:.9f} s, the events say {found:.9f} s")

    def _agree_on_lacks(self, thread, life):
        line = next((line for location, line in self._lines.items() if location._ref == thread["location"]), None)
        if line is None or not any(line.read.values()):
            most = 0, 0
        else:
            ran, queued = (line.read[name] / 1e9 for name in SUMS)
            counted_elsewhere = (line.early + line.late) / 1e9
            most = max(0, life - ran - queued + counted_elsewhere) + CARRIED, queued + REPORTED
        for lack, limit in zip(LACKS, most):
            if thread["parts"][lack.lower() + "_s"] > limit + REPORTED:
                self.report.add("report", f"{thread['name']} is {lack} for {thread['parts'][lack.lower() + '_s']} s, the readings "
                                          f"leave {limit:.9f} s")

    def _compare(self, bucket, told, found, lacked=0):
        """`lacked`: of the work, what had no processor lies in this bucket, or in serial."""
        if not told - self._slack <= found <= told + lacked + self._slack:
            self.report.add("time", f"TIME_{bucket} is {told}, the events say {found:.0f}")

    def _bound(self, lived, told, ns):
        """Of what is outside of all regions, and idle."""
        least = sum(line.last - line.first - line.nobody for line in self._lines.values()) * ns
        length = max(line.last for line in self._lines.values()) - min(line.first for line in self._lines.values())
        most = len(self._lines) * length * ns
        if not least - self._slack <= lived <= most + self._slack:
            self.report.add("time", f"threads lived {lived} ns, which should be from {least:.0f} to {most:.0f}")
        serial = self._program.spent[OUTSIDE] * ns if self._program is not None else 0
        others = [one for one in self._lines if one.name.startswith("Initial thread")]
        lacked = sum(told[lack] for lack in LACKS)
        if told[SERIAL] + lacked < serial - self._slack or not others and told[SERIAL] > serial + self._slack:
            self.report.add("time", f"TIME_SERIAL is {told[SERIAL]}, the events say {serial:.0f}")
