/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds rows of short calls that follow each other (calls.h), for the finding of small messages.
 */
#include "src/analysis/mpi/calls.h"

/* Returns true if the row has such a call. Otherwise adds it; the oldest one may go. */
static bool repeats(struct waits_row *row, const struct waits_call *call)
{
    const struct waits_row_call one = {.region = call->region, .peer = call->peer};
    for (uint32_t i = 0; i < row->count && i < WAITS_ROW; i++)
        if (row->list[i].region == one.region && row->list[i].peer == one.peer)
            return true;
    row->list[row->count++ % WAITS_ROW] = one;
    return false;
}

static void add_to_row(struct analysis_state *state, struct analysis_region *region, uint64_t calls,
                       uint64_t time)
{
    struct analysis_mpi *mpi = omptape_analysis_at_region(state, &state->mpi, region, sizeof(*mpi));
    if (mpi == NULL)
        return;
    mpi->in_row += calls;
    omptape_add(&mpi->in_row_time, time);
}

void omptape_waits_note_row(struct analysis_state *state, struct waits_thread *thread,
                            const struct waits_call *call)
{
    const double most_ns = 2000; /* between two calls of a row */
    struct waits_row *row = &thread->row;
    const uint64_t gap = omptape_minus(call->begin, thread->call_end);
    const uint64_t until = call->until < call->end ? call->until : call->end;
    const struct analysis_process *process = omptape_analysis_process(state, call->process);
    const bool belongs = call->about.waits || call->about.synchronises || call->posts;
    if (process == NULL || call->region == NULL || (call->peer == 0 && !belongs) ||
        thread->call_end < state->from || (double)gap * state->ns_per_tick >= most_ns || call->hears)
        *row = (struct waits_row){0};
    if (process == NULL || call->region == NULL || (call->peer == 0 && row->count == 0))
        return;
    const uint64_t threads = call->in_parallel && process->most_threads > 0 ? process->most_threads : 1;
    const uint64_t time =
        omptape_minus(call->end - thread->call_end, omptape_minus(until, call->begin)) / threads;
    if (belongs && row->count > 0 && !row->of_waits) {
        if (row->last != NULL)
            add_to_row(state, row->last, 0, time);
        return;
    }
    row->of_waits = belongs && (row->count == 0 || row->of_waits);
    if (!repeats(row, call))
        return;
    add_to_row(state, call->region, 1, time);
    row->last = call->region;
}
