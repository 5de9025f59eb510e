/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums up the bytes that processes send, receive, read and write (mpi.h).
 */
#include "src/analysis/mpi/mpi.h"

#include "src/analysis/location.h"

#include <string.h>

/* Returns the sums of the MPI function that the thread is in. NULL: none, or out of memory. */
static struct analysis_mpi *function_of(struct analysis_state *state,
                                        const struct analysis_location *location)
{
    const struct analysis_frame *top = omptape_analysis_top(location);
    if (top == NULL || top->region->kind != OMPTAPE_REGION_MPI)
        return NULL;
    return omptape_analysis_at_region(state, &state->mpi, top->region, sizeof(struct analysis_mpi));
}

void omptape_analysis_message(struct analysis_state *state, struct analysis_location *location,
                              const struct omptape_event *event)
{
    location->thread->messages++; /* also outside the window: their other ends may lie inside */
    struct analysis_mpi *mpi = state->inside ? function_of(state, location) : NULL;
    if (mpi == NULL)
        return;
    const bool gets = event->kind == OMPTAPE_EVENT_RMA_OPERATION && strcmp(event->name, "RmaGet") == 0;
    omptape_add(event->kind == OMPTAPE_EVENT_MPI_RECEIVE || gets ? &mpi->received : &mpi->sent,
                event->value[2]);
    if (event->kind == OMPTAPE_EVENT_MPI_COLLECTIVE || event->kind == OMPTAPE_EVENT_MPI_COLLECTIVE_LATER ||
        event->kind == OMPTAPE_EVENT_RMA_OPERATION)
        omptape_add(&mpi->received, event->value[3]);
}

void omptape_analysis_calls(struct analysis_state *state, const struct analysis_location *location,
                            const struct omptape_event *event)
{
    const uint64_t calls = omptape_analysis_attribute(state, event, READER_CALLS);
    struct analysis_mpi *mpi = state->inside && calls > 1 ? function_of(state, location) : NULL;
    if (mpi == NULL)
        return;
    omptape_add(&mpi->repeated, calls - 1);
    omptape_add(&mpi->repeated_time, omptape_minus(event->time, location->top->replay.begin));
}

uint64_t omptape_analysis_io_comm(const struct omptape_reader *reader, const struct omptape_event *event)
{
    enum { HANDLE_COMM = 3 };
    const struct omptape_definition *file =
        omptape_reader_find(reader, OMPTAPE_DEF_IO_HANDLE, event->refs[0].id);
    bool known =
        file != NULL && file->ref_count > HANDLE_COMM && file->refs[HANDLE_COMM].kind == OMPTAPE_DEF_COMM;
    return known ? file->refs[HANDLE_COMM].id : OTF2_UNDEFINED_COMM;
}

/* Counts MPI files only: at other files (POSIX, for example) processes do not wait for each other. */
void omptape_analysis_io_handle(struct analysis_state *state, const struct analysis_location *location,
                                const struct omptape_event *event)
{
    location->thread->messages += omptape_analysis_io_comm(state->reader, event) != OTF2_UNDEFINED_COMM;
}

void omptape_analysis_io_begin(struct analysis_state *state, const struct analysis_location *location,
                               const struct omptape_event *event)
{
    bool reads = event->value[0] == OTF2_IO_OPERATION_MODE_READ;
    if (!reads && event->value[0] != OTF2_IO_OPERATION_MODE_WRITE)
        return;
    struct analysis_mpi *mpi = function_of(state, location);
    if (mpi != NULL)
        (void)omptape_pairs_put(&state->io, location->process, event->value[1],
                                reads ? &mpi->read : &mpi->written);
}

void omptape_analysis_io_complete(struct analysis_state *state, const struct analysis_location *location,
                                  const struct omptape_event *event)
{
    uint64_t *sum = omptape_pairs_remove(&state->io, location->process, event->value[1]);
    if (sum != NULL && state->inside)
        *sum += event->value[2];
}
