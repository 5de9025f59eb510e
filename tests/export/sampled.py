# SPDX-License-Identifier: BSD-3-Clause
"""An archive with samples whose stacks are known, written by Python's otf2 event by event. What each thread does is a
text, a line a step: `+for @a.c:11` enters a region, `-` leaves the innermost one, `main:20;lines:6` is a sample's
path, outermost first, with lines; `=20,10` is what the kernel counts: ns on a processor, ns in its queue, `<` and `>`
acquire and release a lock, `.` is nothing. A step takes 10 ns."""
import _otf2
import otf2
from otf2.enums import InterruptGeneratorMode, LocationGroupType, Paradigm, ParadigmClass, RegionRole, Type

STEP = 10
FIRST = 1000  # of the clock, whose tick is a nanosecond
PERIOD_US = 250  # that a sample stands for

# name: role, the function that it stands in
REGIONS = {"app": (RegionRole.ARTIFICIAL, ""), "parallel @a.c:9": (RegionRole.PARALLEL, "solve"),
           "for @a.c:11": (RegionRole.LOOP, "solve"), "for chunk @a.c:11": (RegionRole.LOOP, "solve"),
           "implicit barrier @a.c:13": (RegionRole.IMPLICIT_BARRIER, "solve"),
           "wait for team @a.c:13": (RegionRole.IMPLICIT_BARRIER, "solve"), "task @a.c:15": (RegionRole.TASK, "solve"),
           "taskwait @b.c:7": (RegionRole.TASK_WAIT, "gone"), "critical @a.c:20": (RegionRole.CRITICAL, "solve"),
           "critical sblock @a.c:20": (RegionRole.CRITICAL_SBLOCK, "solve"), "step": (RegionRole.CODE, ""),
           "parallel @kernels.so+0x10": (RegionRole.PARALLEL, "")}

KERNELS = "kernels.cpython-311-x86_64-linux-gnu.so"  # a library that contains a construct

SYSTEM = {name: {"description": "/usr/lib/x86_64-linux-gnu/libc.so.6"} for name in ("strlen", "strchr", "rand")}  # functions of libraries
SYSTEM.update({"launch": {"description": "/usr/bin/launch"}, "dgemm_": {"description": "/usr/lib/libblas.so.3"}, "[glue.so]": {"description": "/usr/lib/python3/glue.so"},
               f"[{KERNELS}]": {"description": "/usr/lib/python3/" + KERNELS}})

MASTER = """
+app
main:20;lines:6
+parallel @a.c:9
+for @a.c:11
+for chunk @a.c:11
main:19;solve:12;dg:5
main:19;solve:12;dg:5
main:19;solve:13;dg:4
-
-
+implicit barrier @a.c:13
+wait for team @a.c:13
main:19;solve:13;[OpenMP runtime]:0
+task @a.c:15
main:19;solve:16;operator;:6
-
-
-
-
main:21;solve:30;solve:12;lines:7
-
"""
WORKER = """
[OpenMP worker]:0
+parallel @a.c:9
+for @a.c:11
+for chunk @a.c:11
main:19;solve:12;dg:5
main:19;solve:12;lines:6
parallel @a.c:9;solve:12;dg:5
-
-
+taskwait @b.c:7
other:8;lines:6
other:8;[OpenMP runtime]:0
-
-
"""

# A look at a thread that sleeps, and a sample.
ASLEEP = """
main:19;read:0;[blocked]:0
main:19;dg:5
"""

# What the program names has no function.
NAMED = """
+step
main:19;lines:6
main:19;[OpenMP runtime]:0
+parallel @a.c:9
main:19;solve:12;dg:5
main:19;solve:12;[OpenMP runtime]:0
-
-
"""
NAMED_STACKS = {"main;step;lines": 1, "main;step;[OpenMP runtime]": 1, "main;step;solve;parallel @a.c:9;dg": 1,
                "main;step;solve;parallel @a.c:9;[OpenMP runtime]": 1}

# Readings, and the states that follow from them: (name, begin, end, ns of each).
READINGS = """
=0,0
=10,0
=20,0
=20,10
=20,10
=25,12
=1,0
=11,0
"""
STATES = (("on a processor", 0, 20, {"on a processor": 20}), ("runnable", 20, 30, {"runnable": 10}), ("blocked", 30, 40, {"blocked": 10}),
          ("partly on a processor", 40, 50, {"on a processor": 5, "runnable": 2, "blocked": 3}),
          ("on a processor", 60, 70, {"on a processor": 10}))  # another thread's

# The functions of each thread's samples, with the constructs that are open, and how many they are.
STACKS = {
    "Master thread": {
        "main;lines": 1,
        "main;solve;parallel @a.c:9;for @a.c:11;dg": 3,
        "main;solve;parallel @a.c:9;implicit barrier @a.c:13;[OpenMP runtime]": 1,
        "main;solve;parallel @a.c:9;task @a.c:15;operator,": 1,
        "main;solve;solve;lines": 1},
    "OMP thread 1": {
        "[OpenMP worker]": 1,
        "main;solve;parallel @a.c:9;for @a.c:11;dg": 1,
        "main;solve;parallel @a.c:9;for @a.c:11;lines": 1,
        "parallel @a.c:9;solve;for @a.c:11;dg": 1,
        "parallel @a.c:9;taskwait @b.c:7;other;lines": 1,
        "other;parallel @a.c:9;taskwait @b.c:7;[OpenMP runtime]": 1}}


class Writing:
    """One archive while it is written."""

    def __init__(self, definitions):
        self.definitions = definitions
        self.functions = {}
        self.generator = definitions.interrupt_generator("processor time", exponent=-6, period=PERIOD_US)

    def region(self, name):
        role, function = REGIONS[name]
        source_file = "/usr/lib/python3/" + KERNELS if "+" in name else name.rpartition("@")[2].partition(":")[0]
        return self.definitions.region("!$omp " + name if "@" in name else name, description=function, region_role=role,
                                       source_file=source_file,
                                       begin_line_number=int(name.rpartition(":")[2]) if ":" in name else 0,
                                       paradigm=Paradigm.OPENMP if "@" in name else Paradigm.USER)

    def function(self, name):
        if name in REGIONS:
            return self.region(name)
        return self.definitions.region(name, region_role=RegionRole.FUNCTION, paradigm=Paradigm.SAMPLING, **SYSTEM.get(name, {"source_file": "a.c"}))

    def context(self, path):
        context = None
        for call in path:
            name, _, line = call.rpartition(":") if "@" not in call else (call, "", call.rpartition(":")[2])
            place = self.definitions.source_code_location(file="" if name[0] == "[" else "a.c", line_number=int(line))
            context = self.definitions.calling_context(self.function(name), source_code_location=place, parent=context)
        return context

    def readings(self):
        return self.definitions.metric_class([self.definitions.metric_member(name, value_type=Type.UINT64, unit="ns")
                                              for name in ("processor time", "run queue wait")])

    def steps(self, writer, text, sample, enter, leave):
        """`sample`, `enter`, `leave` write an event of (time, context or region)."""
        opened = []
        for number, step in enumerate(text.split("\n")[1:-1]):
            time = FIRST + number * STEP
            if step == "-":
                leave(writer, time, opened.pop())
            elif step.startswith("="):
                writer.metric(time, self.readings(), [int(value) for value in step[1:].split(",")])
            elif step in ("<", ">"):
                (writer.thread_acquire_lock if step == "<" else writer.thread_release_lock)(time, Paradigm.OPENMP, 1, number)
            elif step.startswith("+"):
                opened.append(self.region(step[1:]))
                enter(writer, time, opened[-1])
            elif step != ".":
                sample(writer, time, self.context(separate(step)))


def separate(path):
    """The calls of a path; the name of one has a semicolon."""
    return path.replace("operator;", "operator?").replace(";", "\n").replace("operator?", "operator;").split("\n")


def threads(archive):
    """Both locations, by their names."""
    definitions = archive.definitions
    node = definitions.system_tree_node("machine", class_name="machine")
    process = definitions.location_group("app", system_tree_parent=node, location_group_type=LocationGroupType.PROCESS)
    return {name: definitions.location(name, group=process) for name in STACKS}


def write(folder, texts=(MASTER, WORKER), properties=()):
    """As omptape writes it. `properties`: (name, text) of each."""
    with otf2.writer.open(folder, timer_resolution=10**9) as archive:
        for name, text in properties:
            _otf2.Archive_SetProperty(archive._handle, f"OMPTAPE::{name}", text, True)
        writing = Writing(archive.definitions)
        for (name, location), text in zip(threads(archive).items(), texts):
            assert name in STACKS
            writing.steps(archive.event_writer_from_location(location), text,
                          lambda writer, time, context: writer.calling_context_sample(time, context, 0, writing.generator),
                          lambda writer, time, region: writer.enter(time, region),
                          lambda writer, time, region: writer.leave(time, region))
    return folder


# As other tools have it: what was sampled, and regions that are contexts, too.
FOREIGN = {
    "Master thread": """
main:20;lines:6
+parallel @a.c:9
+for @a.c:11
main:19;solve:12;dg:5
main:19;solve:12;dg:5
-
-
main:20;lines:6
""",
    "OMP thread 1": """
+parallel @a.c:9
+for @a.c:11
main:19;solve:12;lines:7
-
-
"""}
FOREIGN_STACKS = {"main;lines": 2, "main;solve;parallel @a.c:9;for @a.c:11;dg": 2, "main;solve;parallel @a.c:9;for @a.c:11;lines": 1}
FOREIGN_REGIONS = {"parallel @a.c:9": 2, "for @a.c:11": 2}
FOREIGN_SAMPLES = {(None, "lines", 6): 2, ("for @a.c:11", "dg", 5): 2, ("for @a.c:11", "lines", 7): 1}


class ScoreP(Writing):
    """Score-P's way with unwinding: a region that is entered is a calling context, and no Enter is written. What was
    sampled within it has it in its path."""

    def __init__(self, definitions):
        super().__init__(definitions)
        self.opened = []

    def enter(self, writer, time, region):
        parent = self.opened[-1] if self.opened else self.context(["main:19", "solve:9"])
        self.opened.append(self.definitions.calling_context(region, source_code_location=None, parent=parent))
        writer.calling_context_enter(time, self.opened[-1], 1)

    def leave(self, writer, time, _):
        writer.calling_context_leave(time, self.opened.pop())

    def sample(self, writer, time, context):
        if self.opened:  # the function alone is below the region
            context = self.definitions.calling_context(context.region, source_code_location=context.source_code_location,
                                                       parent=self.opened[-1])
        writer.calling_context_sample(time, context, 1, self.generator)


class Lo2s(Writing):
    """lo2s's way: samples alone, counted by instructions."""

    def __init__(self, definitions):
        super().__init__(definitions)
        self.generator = definitions.interrupt_generator("instructions", interrupt_generator_mode=InterruptGeneratorMode.COUNT,
                                                         period=11010113)

    def enter(self, *_):
        pass

    leave = enter

    def sample(self, writer, time, context):
        writer.calling_context_sample(time, context, 2, self.generator)


# A function of a library that takes nearly all.
HOT = {"Master thread": "\n+parallel @a.c:9\n+for @a.c:11\n" + 20 * "main:19;count:7;strlen:0\n" + "-\n-\n",
       "OMP thread 1": "\n"}
# Of two kinds of functions that programs call too often, one has more samples, and the other the largest function.
KINDS = ("\n+app\n+parallel @a.c:9\n+for @a.c:11\n" + 24 * "main:19;count:7;strlen:0\n" + 28 * "main:19;draw:8;rand:0\n" +
         20 * "main:19;count:7;strchr:0\n" + "-\n-\n-\n", "\n")
# A construct of a library that an interpreter without lines calls through another library.
INTERPRETED = ("\n+app\n+parallel @kernels.so+0x10\n" + 24 * f"interpret:0;[glue.so]:0;[{KERNELS}]:0;[glue.so]:0;dgemm_:0\n" +
               16 * f"interpret:0;[glue.so]:0;[{KERNELS}]:0\n" + "-\n" +
               20 * f"launch:0;[glue.so]:0;[{KERNELS}]:0;strlen:0\n" + "-\n", "\n")


def write_foreign(folder, way, texts=None):
    """`way`: ScoreP or Lo2s."""
    with otf2.writer.open(folder, timer_resolution=10**9) as archive:
        definitions = archive.definitions
        for paradigm, name in ((Paradigm.OPENMP, "OpenMP"), (Paradigm.SAMPLING, "Sampling")):
            definitions.paradigm(paradigm=paradigm, name=name, paradigm_class=ParadigmClass.THREAD_FORK_JOIN)
        writing = way(definitions)
        for name, location in threads(archive).items():
            writing.steps(archive.event_writer_from_location(location), (texts or FOREIGN)[name], writing.sample, writing.enter, writing.leave)
    return folder
