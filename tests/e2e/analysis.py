# SPDX-License-Identifier: BSD-3-Clause
"""What `omptape report` says of programs of which all is known beforehand: who has which iterations, who holds the lock
that others wait for. The threads sleep, so that no other program changes what comes out.

    tests/run e2e.analysis --build BUILD --runtimes DIR NAME
"""
import json
import sys

from e2e.messages import Told, judge
from harness import main

STAGE = "19"
BEGIN = """#include <omp.h>
#include <unistd.h>
int main(void)
{
"""
END = "    return 0;\n}\n"


def report(test, body, before=""):
    """Of a program with this body of main; the body's first line is line 1."""
    source = test.write("known.c", before + BEGIN + "#line 1\n" + body + END)
    work = test.toolchain.compile(source, test.path("known.out"))
    judge(test, "the run", Told(test, [test.omptape, "-q", "-o", "out", work], {}), 0, [])
    return json.loads(Told(test, [test.omptape, "report", "--json=-", "out"], {}).out)


LOOPS = """#pragma omp parallel num_threads(4)
    {
#pragma omp for schedule(static)
        for (int i = 0; i < 10; i++)
            usleep(1000);
#pragma omp for schedule(static, 3)
        for (int i = 0; i < 20; i++)
            usleep(1000);
#pragma omp for schedule(static, 5)
        for (int i = 0; i < 10; i++)
            usleep(10000);
#pragma omp for schedule(static)
        for (int i = 0; i < 5; i++)
            usleep(40000);
#pragma omp for schedule(static)
        for (int i = 0; i < 400; i++)
            usleep(i < 100 ? 1000 : 10);
#pragma omp for schedule(dynamic, 8)
        for (int i = 100; i < 141; i++)
            usleep(100);
#pragma omp sections
        {
            usleep(1000);
#pragma omp section
            usleep(80000);
#pragma omp section
            usleep(1000);
        }
        for (int step = 0; step < 3; step++) {
#pragma omp for schedule(static, 2) nowait
            for (int i = 0; i < 6; i++)
                usleep(1000);
        }
    }
"""


def loops(test):
    """Iterations of each thread, and why its time differs."""
    found = {one["line"]: one for one in report(test, LOOPS)["loops"]}
    for line, iterations, chunks, shares in ((3, 10, 4, [3, 3, 2, 2]), (6, 20, 7, [6, 6, 5, 3]), (9, 10, 2, [5, 5, 0, 0]),
                                             (12, 5, 4, [2, 1, 1, 1]), (15, 400, 4, [100] * 4), (18, 41, 6, None),
                                             (21, 3, 0, [0] * 4), (30, 18, 9, [6, 6, 6, 0])):
        loop = found.get(line) or found[line + 1]  # clang: dynamic ones at the loop itself
        test.expect(f"line {line}", (iterations, chunks, 4), (loop["iterations"], loop["chunks"], loop["threads"]))
        test.expect(f"line {line}: its threads' iterations", shares or iterations,
                    loop["thread_iterations"] if shares else sum(loop["thread_iterations"]))
        if line == 21:  # who had which section is not known
            continue
        lost = sum(loop[f"lost_to_{reason}_s"] for reason in ("few", "iterations", "cost"))
        test.expect(f"line {line}: all is lost to something", True, abs(lost - loop["wall_s"] + loop["mean_s"]) < 1e-8)
        test.expect(f"line {line}: its threads' time", True,
                    abs(sum(loop["thread_s"]) / 4 - loop["mean_s"]) < 1e-8 and
                    loop["mean_s"] <= max(loop["thread_s"]) <= loop["wall_s"] + 1e-8)
    for line, reason in ((9, "iterations"), (12, "few"), (15, "cost"), (21, "")):
        test.expect(f"line {line}: most is lost to", reason, found[line]["reason"])


TINY = "".join(f"""__attribute__((noinline)) static void {name}(double *x)
{{
""" + "".join(f"""#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 64; i++)
        x[i] = x[i] * 0.5 + {name[-1]}{site};
""" for site in range(count)) + "}\n" for name, count in (("part1", 6), ("part2", 2)))
CALLS = """    static double x[64];
    for (int step = 0; step < 2000; step++) {
        part1(x);
        part2(x);
    }
"""


def tiny(test):
    """Many tiny regions: one finding for those of the function that has most, and one for the others; nothing twice."""
    for _ in range(3):  # a busy machine makes none of them tiny
        found = report(test, CALLS, "#line 1\n" + TINY)
        findings = [one for one in found["findings"] if one["kind"] == "tiny_regions"]
        if len(findings) == 2:
            break
    test.expect("functions, instances", {("part1", 12000), ("part2", 4000)},
                {(one["function"], one["count"]) for one in findings})
    for one in findings:
        gains = {region["line"]: region["gain_s"] for region in found["regions"]
                 if region["function"] == one["function"] and region["region"].startswith("parallel")}
        test.expect(f"{one['function']}: its regions", 6 if one["function"] == "part1" else 2, len(gains))
        test.expect(f"{one['function']}: their parts", True, abs(sum(gains.values()) - one["gain_s"]) < 1e-7)
        test.expect(f"{one['function']}: the one that costs most", max(gains, key=gains.get), one["line"])
        test.expect(f"{one['function']}: the text", True, f"{len(gains)} tiny regions in {one['function']}" in one["text"])


if __name__ == "__main__":
    sys.exit(main("What the analysis says of programs that are known.", {"loops": loops, "tiny": tiny}, "analysis", stage=STAGE))
