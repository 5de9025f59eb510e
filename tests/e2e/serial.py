# SPDX-License-Identifier: BSD-3-Clause
"""When a program began, and how long it was in no parallel region, with each way to load the tool: the archive is held
against what the program says of itself (serial.c). No time is judged: all that is compared is in which order things were.
"""
import os
import sys
import time

from otf2.enums import LocationType, Paradigm
from otf2.events import Enter, Leave, ThreadFork

from harness import Test, main
from harness.archives import Archive

TICK = 10_000_000  # ns: as exactly as the kernel tells when a process began


class Times:
    """Of one archive, in nanoseconds since 1970."""

    def __init__(self, path):
        self.forks = []
        self.serial = 0     # in the program's region and in nothing else
        stack, begin = [], 0
        with Archive(path) as archive:
            clock = archive.definitions.clock_properties
            first = archive.locations[0]
            for location, event in archive.events():
                at = archive.realtime() + (event.time - clock.global_offset) * 1_000_000_000 // clock.timer_resolution
                if location is not first or location.type != LocationType.CPU_THREAD:
                    continue
                if stack == [Paradigm.USER]:
                    self.serial += at - begin
                begin = at
                if isinstance(event, Enter):
                    stack.append(event.region.paradigm)
                elif isinstance(event, Leave):
                    stack.pop()
                elif isinstance(event, ThreadFork):
                    self.forks.append(at)
                self.end = at
            self.begin = archive.realtime()
            self.duration = int(archive.value("DURATION"))


class Serial(Test):
    def binaries(self):
        self.work = self.compile("e2e", "serial_work.c", output="libserial_work.so", shared=True)
        folder = os.path.dirname(self.work)
        link = ["-L" + folder, "-lserial_work", "-Wl,-rpath," + folder]
        self.plain = self.compile("e2e", "serial.c", link_flags=link)
        self.linked = self.compile("e2e", "serial.c", output="serial.linked", link_flags=[
            *link, "-Wl,--no-as-needed", self.library, "-Wl,-rpath," + os.path.dirname(self.library)])
        self.late = self.compile("e2e", "serial.c", output="serial.late", flags=["-DLATE"],
                                 link_flags=["-Wl,--as-needed", "-ldl"])   # without a runtime

    def trace(self, name, command, **more):
        """What the program said, and when it was started."""
        own = {"OMPTAPE_OUTPUT": "out", "OMPTAPE_QUIET": "1", "OMPTAPE_UNIFY": "off"}
        started = time.time_ns()
        ended = self.run(name, command, self.environment(**own, **more))
        self.expect(f"{name}: exit code", 0, ended.code)
        said = dict(line.split() for line in ended.out.decode().splitlines())
        return {word: int(at) for word, at in said.items()}, started

    def archive(self, name, path):
        facts = self.verify_archive(name, path)
        times = Times(path)
        self.expect(f"{name}: duration", facts.number("DURATION") // 1000, (times.end - times.begin) // 1000)
        return times

    def within(self, what, earliest, at, latest):
        if not earliest <= at <= latest:
            self.fail(f"{what}: {at} is not between {earliest} and {latest}")

    def whole(self, name, command, exact, **more):
        """A program from its start to its end."""
        said, started = self.trace(name, command, **more)
        times = self.archive(name, self.path(name, "out", "traces.otf2"))
        slack = 0 if exact else TICK
        self.within(f"{name}: begin", started - slack, times.begin, said["main"] + slack)
        self.expect(f"{name}: forks", 2, len(times.forks))
        self.within(f"{name}: first region", said["first"], times.forks[0], said["between"])
        self.within(f"{name}: second region", said["second"], times.forks[1], said["after"])
        self.within(f"{name}: end", said["end"], times.end, time.time_ns())
        least = said["first"] - said["main"] + said["second"] - said["between"] + said["end"] - said["after"]
        self.within(f"{name}: serial time", least - slack, times.serial, times.end - times.begin)

    def ways(self):
        preload, tool = {"LD_PRELOAD": self.library}, {"OMP_TOOL_LIBRARIES": self.library}
        late = [self.late, self.work]
        self.whole("launcher", [self.omptape, "-q", "-o", "out", self.plain, "--"], True)
        self.whole("preload", [self.plain, "--"], True, **preload)
        self.whole("linked", [self.linked, "--"], True)
        self.whole("late_preload", late, True, **preload)
        if self.toolchain.stage.family != "gcc":  # whose runtime loads no tool
            self.whole("tool_libraries", [self.plain, "--"], False, **tool)
            self.whole("late_tool_libraries", late, False, **tool)

    def shell(self):
        """A shell that had other things to do first: they are not the program's, if it takes the shell's place."""
        script = 'sleep 0.2; echo shell $(date +%s%N); exec "$@"'
        name = "shell"
        said, _ = self.trace(name, ["sh", "-c", script, "sh", self.late, self.work], OMP_TOOL_LIBRARIES=self.library)
        times = self.archive(name, self.path(name, "out", "traces.otf2"))
        self.within(f"{name}: begin", said["shell"], times.begin, said["between"])

    def child(self):
        """A forked process began with the fork."""
        name = "fork"
        said, _ = self.trace(name, [self.plain, "--", "fork"], LD_PRELOAD=self.library)
        folder = self.path(name, "out")
        child, = (one for one in os.listdir(folder) if os.path.isdir(os.path.join(folder, one)) and one != "traces")
        times = self.archive(name, os.path.join(folder, child, "traces.otf2"))
        self.within(f"{name}: begin", said["between"], times.begin, said["child"])
        self.within(f"{name}: region", said["second"], times.forks[0], said["after"])


def test(serial):
    serial.binaries()
    serial.ways()
    if serial.toolchain.stage.family != "gcc":  # whose runtime hangs in a forked child
        serial.shell()
        serial.child()


if __name__ == "__main__":
    sys.exit(main("Holds the beginning of programs and their serial time against what they say.", test, "serial", Serial,
                  stages=("14", "16", "19", "gomp")))
