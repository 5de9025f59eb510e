# SPDX-License-Identifier: BSD-3-Clause
"""Makes one archive of every kind, for the readers (readers.py): host programs, devices, several processes, and what
was cut short. Each function yields (name, anchor file, what is special of it).
"""
import os
import shutil
import signal
import subprocess

from emulator.setting import OFFLOAD
from harness import source_of

DISTINCT = "distinct times"      # asked for: no two records of a location have one time
PASSIVE = {"OMP_NUM_THREADS": "2", "KMP_BLOCKTIME": "0"}
HOST = ("parallel_repeat", "parallel_nested", "tasks_depend", "tasks_untied", "locks", "for_ordered", "teams")


def anchor(test, name, folder="out"):
    path = test.path(name, folder, "traces.otf2")
    if not os.path.exists(path):
        test.fail(f"{name}: there is no {path}")
    return path


def traced(test, name, command, code=0, **more):
    """The archive of a program that the command runs."""
    ended = test.run(name, [test.omptape, "-q", "-o", "out", *command], test.environment(**{**PASSIVE, **more}))
    if ended.code != code:
        test.fail(f"{name}: exit {ended.code}, not {code}: {ended.output}")
    return anchor(test, name)


def knows_distinct(test):
    """Whether the command has --distinct-times."""
    return "--distinct-times" in test.command("--help").stdout


def host(test):
    """Programs on the host: loops, nested teams, tasks with dependences and untied ones, locks, a league."""
    heat = test.toolchain.compile(source_of("..", "examples", "heat.c"), test.path("bin", "heat"), flags=["-O1"])
    yield "heat", traced(test, "heat", [heat, "20"]), ()
    yield "sampled", traced(test, "sampled", ["--sample=1000", heat, "200"]), ()
    levels = {"OMP_MAX_ACTIVE_LEVELS": "3"}
    for name in HOST:
        yield name, traced(test, name, [test.compile("programs", name + ".c")], **levels), ()
    if knows_distinct(test):
        for name in HOST:
            yield f"{name} distinct", traced(test, name + ".distinct", [test.compile("programs", name + ".c")],
                                             OMPTAPE_DISTINCT_TIMES="1", **levels), (DISTINCT,)


def devices(test):
    """Target constructs on the host's plugin, and a device that traces itself."""
    for name in ("target", "target_data", "target_nowait"):
        binary = test.compile("programs", name + ".c", flags=[OFFLOAD])
        yield name, traced(test, name, [binary], KMP_WARNINGS="0"), ()
    for name, special in (("emulated", ()), ("emulated.distinct", (DISTINCT,))):
        if DISTINCT in special and not knows_distinct(test):
            continue
        more = {"OMPTAPE_DISTINCT_TIMES": "1"} if special else {}
        test.emulated(name, "maps", "", test.library, OMPTAPE_QUIET="1", OMPTAPE_OUTPUT="out", **more)
        yield name, anchor(test, name), special


def processes(test):
    """Several processes in one archive: what make starts, and MPI jobs: hybrid, with files, between two groups."""
    work = test.toolchain.compile(source_of("e2e", "workload.c"), test.path("bin", "workload"))
    rules = test.write("Makefile", "N = 1 2 3\nall: $(N)\n$(N):\n\t@" + work + " $@\n")
    yield "make", traced(test, "make", ["make", "-s", "-j2", "-f", rules], WORKLOAD_LOG=test.path("log")), ()
    for family, wrapper, options in (("openmpi", "OMPI_CC", ["--oversubscribe"]), ("mpich", "MPICH_CC", [])):
        run, compiler = shutil.which(f"mpirun.{family}"), shutil.which(f"mpicc.{family}")
        if run and compiler:
            for program, ranks in (("hybrid", "3"), ("files", "2"), ("between", "4")):
                binary = test.path("bin", f"{program}.{family}")
                subprocess.run([compiler, "-g", "-fopenmp", "-L" + test.toolchain.library_folder,
                                source_of("mpi", program + ".c"), "-o", binary],
                               env=dict(os.environ, **{wrapper: "clang-19"}), check=True)
                yield f"{program}.{family}", traced(test, f"{program}.{family}", [run, *options, "-n", ranks, binary],
                                                    OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                                    OMPI_MCA_mpi_yield_when_idle="1"), ()


def cut(test):
    """What does not hold the whole run: killed, records lost, a flight recorder, its snapshot, paused."""
    killed = [test.compile("programs", "end_kill.c")]
    yield "killed", traced(test, "killed", killed, 128 + signal.SIGKILL), ()
    paused = [test.compile("programs", "start_paused.c")]
    yield "paused", traced(test, "paused", paused, OMPTAPE_START="paused"), ()
    yield "control", traced(test, "control", [test.compile("programs", "control_inside.c")]), ()
    run = test.start_flood("dropped", ["mix", 2, 700, 1], "drop")
    run.await_part()
    writer = run.writer()
    os.kill(writer, signal.SIGSTOP)
    run.go()
    said = run.process.stdout.readline()
    os.kill(writer, signal.SIGCONT)
    test.finish_flood("dropped", run, said=b"done\n".removeprefix(said))
    yield "dropped", anchor(test, "dropped"), ()
    run = test.start_flood("recorder", ["mix", 2, 700, 2], "overwrite")
    run.await_part()
    run.writer()
    run.go()
    run.await_part()
    asked = test.command("snapshot", run.process.pid)
    test.expect("snapshot", 0, asked.returncode)
    run.go()
    test.finish_flood("recorder", run)
    yield "snapshot", asked.stdout.strip(), ()
    yield "recorder", anchor(test, "recorder"), ()
