/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sorts the processes of `omptape top` for display.
 */
#include "src/command/top/state.h"

#include "src/command/report/state.h"
#include "src/core/sort.h"

static uint64_t rank_of(const struct top_process *process)
{
    return process->has_message ? top_now(process)->facts.rank : 0;
}

/* Orders by rank; processes without a rank come first, in the order of their process numbers. */
static int compare_ranks(const void *left, const void *right)
{
    const struct top_process *a = left;
    const struct top_process *b = right;
    if (rank_of(a) != rank_of(b))
        return (rank_of(a) > rank_of(b)) - (rank_of(a) < rank_of(b));
    return (a->found.program > b->found.program) - (a->found.program < b->found.program);
}

/* Returns the share of its threads' time that a process was at work; -1 if it has ended or is unknown. */
static double work_of(const struct top_process *process)
{
    const uint64_t all = omptape_parts_sum(process->interval.parts);
    if (process->state == TOP_ENDED || all == 0)
        return -1;
    return (double)report_time_at_work(process->interval.parts) / (double)all;
}

static int compare_work(const void *left, const void *right)
{
    const double a = work_of(left);
    const double b = work_of(right);
    return a != b ? (a < b) - (a > b) : compare_ranks(left, right);
}

void top_sort_processes(struct top *top)
{
    const pid_t writer = top->processes[top->chosen].found.writer;
    const bool is_first = top->chosen == 0;
    omptape_sort(top->processes, top->count, sizeof(*top->processes),
                 top->by_work ? compare_work : compare_ranks);
    for (uint32_t i = 0; i < top->count && !is_first; i++)
        if (top->processes[i].found.writer == writer)
            top->chosen = i;
}
