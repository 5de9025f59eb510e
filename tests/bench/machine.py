# SPDX-License-Identifier: BSD-3-Clause
"""What a result is worth nothing without: the machine, the runtime, the build, the date and the load."""
import datetime
import os
import platform
import subprocess


def _first_line(path, default="unknown"):
    try:
        with open(path, encoding="utf-8") as file:
            return file.readline().strip()
    except OSError:
        return default


def _processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.machine()


def cores():
    """Cores that this process may use: hardware threads of one core count once, as OMP_PLACES=cores has it."""
    found = set()
    for cpu in os.sched_getaffinity(0):
        found.add(_first_line(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list", str(cpu)))
    return len(found)


def _cached(build, name):
    """A variable of the build's CMake cache."""
    try:
        with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as file:
            for line in file:
                if line.startswith(name + ":"):
                    return line.split("=", 1)[1].strip()
    except OSError:
        pass
    return ""


def _revision(folder):
    done = subprocess.run(["git", "-C", folder, "describe", "--always", "--dirty"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=False)
    return done.stdout.strip() or "unknown"


def describe(build, toolchain):
    system = os.uname()
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "processor": _processor(),
        "cores": cores(),
        "kernel": f"{system.sysname} {system.release} {system.machine}",
        "clocksource": _first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        "governor": _first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "none"),
        "runtime": f"LLVM {toolchain.stage.version}",
        "build_type": _cached(build, "CMAKE_BUILD_TYPE") or "RelWithDebInfo",
        "revision": _revision(os.path.dirname(os.path.abspath(__file__))),
        "load_before": os.getloadavg()[0],
    }


def sentence(machine):
    return (f"{machine['processor']}, {machine['cores']} cores, {machine['kernel']}, clock {machine['clocksource']}, "
            f"{machine['runtime']}; omptape {machine['revision']} ({machine['build_type']}); {machine['date']}; load "
            f"average {machine['load_before']:.2f} before, {machine.get('load_after', 0):.2f} after")
