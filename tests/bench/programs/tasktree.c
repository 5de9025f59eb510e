/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A kernel of tiny tasks: a binary tree without cut-off, a task and some steps of work for each node. Run by
 * tests/bench/run.py. Usage: tasktree DEPTH STEPS
 */
#include "bench.h"

#include <stdlib.h>

static unsigned steps;

/* The nodes of a tree are numbered from 1, the children of n are 2n and 2n + 1. */
static uint64_t visit(uint64_t node, int depth)
{
    uint64_t left = 0;
    uint64_t right = 0;
    uint64_t own = bench_work(node, steps);
    if (depth > 1) {
#pragma omp task shared(left)
        left = visit(2 * node, depth - 1);
#pragma omp task shared(right)
        right = visit(2 * node + 1, depth - 1);
#pragma omp taskwait
    }
    return own + left + right;
}

int main(int argc, char **argv)
{
    int depth = argc > 1 ? atoi(argv[1]) : 16;
    steps = argc > 2 ? (unsigned)atoi(argv[2]) : 50;
    if (depth < 1 || depth > 30)
        return 2;
    uint64_t nodes = (UINT64_C(1) << depth) - 1;
    uint64_t total = 0;

    uint64_t begin = bench_ns();
#pragma omp parallel
#pragma omp single
    total = visit(1, depth);
    return bench_finish(begin, total == bench_expected(nodes * (nodes + 1) / 2, nodes, steps));
}
