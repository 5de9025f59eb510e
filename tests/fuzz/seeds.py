# SPDX-License-Identifier: BSD-3-Clause
"""The folders that are mutated: archives of programs, of MPI's and of an emulated device, parts of a job, what became of them,
what a killed writer left, and a unification that was interrupted."""
import os
import shutil
import subprocess

from emulator.setting import Setting
from faults.recovery import PASSIVE, kill_at_once, start_passive
from harness import Missing, source_of, wait_for
from harness.processes import family

PROGRAMS = ("tasks_depend", "locks", "parallel_nested", "control_tool", "cancel_for")


def run(fault, name, command, **more):
    """An archive in a folder of its own."""
    fault.run(name, command, fault.preloaded(OMP_CANCELLATION="true", OMP_MAX_ACTIVE_LEVELS="3", **PASSIVE, **more))
    return fault.path(name, "out")


def programs(fault):
    for name in PROGRAMS:
        yield run(fault, "seed." + name, [fault.compile("programs", name + ".c")])


def profile(fault):
    return run(fault, "seed.profile", [fault.compile("programs", "tasks_depend.c")], OMPTAPE_PROFILE="on")


def device(fault):
    """With metrics, transfers and accelerators; nothing where this machine has no offloading."""
    try:
        setting = Setting(fault.options, "fuzz.device", "22")
    except Missing:
        return
    setting.emulated("maps", "maps", "", fault.library, OMPTAPE_QUIET="1", OMPTAPE_OUTPUT="out")
    yield os.path.join(setting.folder, "maps", "out")


def mpi(fault):
    """Messages, collective operations, windows and who waits for whom, of two ranks, and parts of processes of several
    worlds; nothing where there is no MPI."""
    family = next((one for one in ("openmpi", "mpich") if shutil.which(f"mpirun.{one}") and shutil.which(f"mpicc.{one}")), None)
    if family is None or shutil.which("clang-19") is None:
        return
    environment = fault.environment(**PASSIVE, OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1",
                                    OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    for name, words in (("calls", []), ("windows", []), ("worlds", ["grow"]), ("worlds", ["pieces"])):
        program, seed = fault.path(f"{name}.exe"), ".".join(["seed", name, *words])
        subprocess.run([f"mpicc.{family}", "-w", source_of("mpi", f"{name}.c"), "-o", program], check=True,
                       env=dict(os.environ, OMPI_CC="clang-19", MPICH_CC="clang-19"))
        fault.run(seed, [fault.omptape, "-q", "-o", "out", "--mpi=on", f"--unify={'off' if words else 'auto'}",
                         f"mpirun.{family}", "-n", "2", program, *words], environment, 120)
        yield fault.path(seed, "out")


def job(fault, name):
    folder = os.path.join(fault.folder, name)
    subprocess.run([fault.built("tests", "unify", "make_parts"), folder, "3", "2", "20", "2", "1000000"], check=True)
    return folder


def ranks(fault, name):
    """Of MPI."""
    folder = os.path.join(fault.folder, name)
    subprocess.run([fault.built("tests", "unify", "make_ranks"), folder, "2", "1", "4", "0", "0", "0"], check=True)
    return folder


def unify(fault, folder):
    subprocess.run([fault.omptape, "unify", "-q", folder], check=True)
    return folder


def interrupted(fault):
    """Parts, and the folder with which their unification was decided (src/unify/plan.c)."""
    whole, folder = unify(fault, job(fault, "seed.whole")), job(fault, "seed.interrupted")
    decided = os.path.join(folder, ".omptape-unify")
    shutil.copytree(whole, decided, ignore=shutil.ignore_patterns("*.evt"))
    lines, number = [], 0
    for part in sorted(os.listdir(folder)):
        if not part.startswith("rank-"):
            continue
        for file in sorted(os.listdir(os.path.join(folder, part, "traces"))):
            if file.endswith(".evt"):
                location = int(file[:-4])
                lines.append(f"move {location + int(part.split('-')[1])} {location} {part}/traces")
                number += 1
        status = os.stat(os.path.join(folder, part, "traces.otf2"))
        lines.append(f"part {status.st_size} {status.st_mtime_ns // 10**9} {status.st_mtime_ns % 10**9} {part}")
    with open(os.path.join(decided, "plan"), "w", encoding="utf-8") as file:
        file.write("\n".join(["omptape-unify 3", f"locations {number}", *lines, "end", ""]))
    return folder


def killed(fault):
    """A program and its writer were killed after the first checkpoint."""
    program = start_passive(fault, "seed.killed", "60", "100000")
    writer = fault.writer(program.pid)
    wait_for("a checkpoint", lambda: os.path.exists(fault.path("seed.killed", "out", ".omptape-checkpoint")))
    kill_at_once(program, others=family(writer))
    return fault.path("seed.killed", "out")


def make(fault):
    """{folder: the commands that it is tried with}."""
    exports = [["export", *words] for words in (["--perfetto", "made"], ["--perfetto", "made", "--min-duration=1us"],
                                                ["--perfetto", "made.gz", "--from=1ms"], ["--csv", "made"],
                                                ["--csv", "made", "--instances"], ["--sqlite", "made"], ["--folded", "made"],
                                                ["--pprof", "made"])]
    reports = [["report", *words] for words in (["--all"], ["--json=-"], ["--csv=-"], ["--html=-"], ["--svg=-", "--jobs=2"],
                                                ["--html=-", "--from=10us", "--to=1s"], ["--part=0/2", "--json=-"])]
    all_of_them = [["info"], ["info", "--sizes"], *reports, ["compare", "victim"], ["whatif"], ["check"],
                   ["check", "--all"], *exports, ["unify"], ["unify"]]
    found = {folder: all_of_them for folder in (*programs(fault), *device(fault), *mpi(fault))}
    found.update((folder, [["unify"]]) for folder in found if ".worlds." in folder)
    found[profile(fault)] = [["info"], *reports, *reports, ["compare", "victim"], ["check"], ["unify"]]
    found[unify(fault, job(fault, "seed.unified"))] = all_of_them
    for folder in (job(fault, "seed.parts"), interrupted(fault), killed(fault)):
        found[folder] = [["unify"]]
    return found
