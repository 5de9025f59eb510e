/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What processes send and get (bytes.h).
 */
#include "src/analysis/mpi/bytes.h"

#include "src/analysis/location.h"

void omptape_analysis_message(struct analysis_state *state, struct analysis_location *location,
                              const struct omptape_event *event)
{
    struct analysis_frame *top = omptape_analysis_top(location);
    location->thread->messages++; /* also those outside of what is looked at: their other ends may be in it */
    if (top == NULL || top->region->kind != OMPTAPE_REGION_MPI || !state->inside)
        return;
    struct analysis_mpi *mpi = omptape_analysis_at_region(state, &state->mpi, top->region, sizeof(*mpi));
    if (mpi == NULL)
        return;
    if (event->kind != OMPTAPE_EVENT_MPI_RECEIVE)
        mpi->sent += event->value[2];
    if (event->kind == OMPTAPE_EVENT_MPI_RECEIVE)
        mpi->received += event->value[2];
    else if (event->kind != OMPTAPE_EVENT_MPI_SEND)
        mpi->received += event->value[3];
}
