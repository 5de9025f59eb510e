# SPDX-License-Identifier: BSD-3-Clause
"""`omptape whatif`: what is on the critical path, what it predicts, and what it refuses.

    tests/run e2e.whatif --build BUILD --runtimes DIR NAME
"""
import json
import re
import sys

from export import sampled  # imports otf2, before the harness
from e2e.messages import CommandResult, each, expect_result
from e2e.report import members, rows_of_members
from harness import main, source_of

STAGE = "19"
# Threads that sleep take as long on a busy machine, and a little more. The second thread has more of the loop, a lock is held, then tasks.
SOURCE = """#include <unistd.h>
int main(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < 8; i++)
            usleep(i < 4 ? 10000 : 50000);
#pragma omp critical (held)
        usleep(20000);
#pragma omp barrier
#pragma omp single
        for (int i = 0; i < 4; i++) {
#pragma omp task
            usleep(30000);
        }
    }
    usleep(50000);
    return 0;
}
"""
LINES = {word: number for number, line in enumerate(SOURCE.splitlines(), 1) for word in ("omp for", "critical", "barrier", "task") if word in line}
LOOP, LOCK, TASK = f"for@work.c:{LINES['omp for']}", f"critical@work.c:{LINES['critical']}", f"task@work.c:{LINES['task']}"


def trace(test):
    """Whether the run was disturbed (rests.h)."""
    work = test.toolchain.compile(test.write("work.c", SOURCE), test.path("work.out"), flags=["-include", source_of("e2e", "rests.h")])
    told = CommandResult(test, [test.omptape, "-q", "--force", "-o", "out", work], {})
    expect_result(test, "trace", told, 0, [])
    return "disturbed" in told.out


def whatif(test, *words):
    return CommandResult(test, [test.omptape, "whatif", *words], {})


def numbers(test, *scenarios):
    told = whatif(test, "--json=-", "out", *scenarios)
    test.expect(f"exit code of {scenarios}", 0, told.code)
    return json.loads(told.out)


def expect_near(test, what, wanted, found):
    """On a busy machine sleeps are longer than they should be."""
    if not 0.6 * wanted <= found <= 1.5 * wanted:
        test.fail(f"{what}: {found}, and not about {wanted}")


def check_predictions(test):
    """The sleeps say what each scenario wins."""
    disturbed = trace(test)
    found = numbers(test)
    expect_near(test, "the model", found["wall_s"], found["model_wall_s"])
    test.expect("waits without end", 0, found["waits_without_end"])
    expect_near(test, "the path and its lag", found["model_wall_s"], found["path"]["work_s"] + found["path"]["lag_s"])
    regions = {row["region"].replace(" @", "@"): row for row in found["regions"]}
    loop, tasks = regions[LOOP]["path_s"], regions[TASK]["path_s"]
    test.expect("the loop on the path", True, loop >= 0.2)
    test.expect("the tasks on the path", True, tasks >= 0.06)
    # Without the loop both threads come to the lock at once, and one waits for the other.
    expect_near(test, "without the loop", 0.9 * loop, regions[LOOP]["gain_s"])
    test.expect("another path takes over", True, regions[LOOP]["until_s"] < regions[LOOP]["path_s"])
    rows = numbers(test, f"{LOOP} x0.5", f"dynamic@work.c:{LINES['omp for']}", f"zero-wait {LOCK}", f"{TASK} x0")["scenarios"]
    gains = {row["scenario"]: row["gain_s"] for row in rows}
    expect_near(test, "half of the loop", 0.5 * loop, gains[f"{LOOP} x0.5"])
    expect_near(test, "dynamic", 0.3 * loop, gains[f"dynamic@work.c:{LINES['omp for']}"])  # then they come to the lock at once
    expect_near(test, "the lock is free when the second thread comes", 0.5 * loop, 0.5 * loop + gains[f"zero-wait {LOCK}"])
    expect_near(test, "no tasks", tasks, gains[f"{TASK} x0"])
    test.expect("all together", "all together", rows[-1]["scenario"])
    for told in (whatif(test, "out"), whatif(test, "out", f"{LOOP} x0.5", f"dynamic@work.c:{LINES['omp for']}")):
        test.expect("width", [], [line for line in told.out.splitlines() if len(line) > 80])
        test.expect("the error", True, "for the unchanged run" in told.out)
    return disturbed


def predicted(test):
    test.try_undisturbed(lambda: check_predictions(test))


def crowded(test):
    """Two threads on one processor, and half of the first one's time is in the run queue. With one thread all of its work is
    shorter by that, however much lies between two of the kernel's readings."""
    visits = 20000
    ns = visits * sampled.STEP
    first = "\n=0,0\n" + visits * "+step\n-\n" + f"={ns},{ns}\n+parallel @a.c:9\n-\n"
    sampled.write(test.path("out"), (first, "\n+parallel @a.c:9\n-\n"), [("PROCESSORS", "1")])
    told = numbers(test, "threads=1")
    expect_near(test, "as it was", 2 * ns * 1e-9, told["wall_s"])
    found = told["scenarios"][0]["wall_s"] * 1e9  # of each 10 ns it has 4 or 5 left
    if not 0.75 * ns <= found <= 1.05 * ns:
        test.fail(f"with one thread: {found} ns, and not about {ns}")


def uninterrupted(test):
    """The first of two threads on one processor is in the run queue while it waits for tasks: its work always takes the same."""
    visits = 10000
    ns = 4 * visits * sampled.STEP
    first = "\n=0,0\n" + visits * "+step\n-\n+taskwait @b.c:7\n-\n" + f"={3 * ns // 4},{ns // 4}\n+parallel @a.c:9\n-\n"
    sampled.write(test.path("out"), (first, "\n+parallel @a.c:9\n-\n"), [("PROCESSORS", "1")])
    found = numbers(test, "threads=1")["scenarios"][0]["wall_s"] * 1e9
    if not 0.95 * ns <= found <= ns + 1000:
        test.fail(f"with one thread: {found} ns, and not {ns}")


def interrupted(test):
    """A thread loses its processor once when it acquires a free lock. What is usual for the lock stays as it was."""
    inner = "+critical sblock @a.c:20\n-\n"
    first, second = f"+critical @a.c:20\n<\n{inner}>\n-\n.\n.\n", f">\n-\n+critical @a.c:20\n.\n.\n<\n{inner}"
    pause = 1000 * ".\n"
    texts = (first.replace("<", pause + "<", 1) + 99 * first, ".\n.\n" + pause + second[4:] + 99 * second + ">\n-\n")
    sampled.write(test.path("out"), ["\n" + text for text in reversed(texts)])
    found = numbers(test, "zero-wait critical@a.c:20")["scenarios"][0]["wall_s"] * 1e9
    if not 12000 <= found <= 15000:
        test.fail(f"without waits: {found} ns")


def refused(test):
    """One line, and the regions that there are."""
    trace(test)
    each(test, (
        (["whatif", "out", "for@work.c:99 x0.5"], 2, f'"for@work.c:99 x0.5": the archive has no such region; there is {LOOP}'),
        (["whatif", "out", "dynamic@work.c:1"], 2, f"the archive has no such loop; there is {LOOP}"),
        (["whatif", "out", "zero-wait critical@work.c:1"], 2, f"the archive has no such lock; there is {LOCK}"),
        (["whatif", "out", "faster"], 2, '"faster" is no scenario'),
        (["whatif", "nothing"], 2, "nothing"),
        (["whatif", "--what", "out"], 2, "no option is named --what"),
    ))


def documented(test):
    """docs/whatif.md names each member of the JSON, and none that is not there."""
    trace(test)
    with open(source_of("..", "docs", "whatif.md"), encoding="utf-8") as file:
        rows = rows_of_members(file.read().split("\n## JSON\n")[1].splitlines())
    said = set(rows) | {word for text in rows.values() for word in re.findall(r"`(\w+)`", text)}
    found = set(members(numbers(test))) | set(members(numbers(test, f"{LOOP} x0.5")))
    test.expect("members", sorted(said), sorted(found | {"function", "phase"}))  # of which there may be none


if __name__ == "__main__":
    sys.exit(main(__doc__, {"predicted": predicted, "crowded": crowded, "uninterrupted": uninterrupted, "interrupted": interrupted,
                             "refused": refused, "documented": documented}, "e2e.whatif", stage=STAGE))
