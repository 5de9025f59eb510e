/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Brings the two ends of each message together. What one process sends to another one in a communicator with
 * one tag arrives in the order in which receives are posted (MPI 3.1, 3.5). That order is hardly known when a
 * receive is complete, since who posts several may wait for a later one first: a message meets the oldest one
 * of its bytes, or the oldest if there is none such, and whichever end comes by first waits for the other.
 * Used by the waits between processes (waits.h) and by arrows (picture/arrows.h); events must come in the
 * order of each process's time, from the archive's beginning, and without a gap. One thread; memory as long
 * as the channels live.
 */
#ifndef OMPTAPE_ANALYSIS_MPI_CHANNELS_H
#define OMPTAPE_ANALYSIS_MPI_CHANNELS_H

#include "src/analysis/mpi/ranks.h"

/* One end of a message that the other end is looked for. What it means is its owner's. */
struct omptape_message_end {
    struct omptape_message_end *next;
    bool cancelled; /* it meets nobody: its owner may set that */
    uint64_t location;
    uint64_t time;
    uint64_t bytes;
    void *owned;
};

/* All zeros, but for ranks.reader, is empty. */
struct omptape_channels {
    struct omptape_ranks ranks;
    struct omptape_pairs queues[2]; /* (comm and tag, sender and receiver) -> sends; receives */
    struct omptape_pairs places;    /* (0, process) -> its small number */
    struct omptape_arena arena;
    struct omptape_message_end *free;
    struct omptape_message_queue *free_queues;
};

void omptape_channels_free(struct omptape_channels *channels);

/* The other end of this message, if that came by before: it is taken out, and to be given back. Else NULL,
 * and *made is the end that now waits; NULL: it cannot be told who the other process is, or there is no
 * memory
 * (*good is false). `event` is OMPTAPE_EVENT_MPI_SEND or _RECEIVE. */
struct omptape_message_end *omptape_channels_meet(struct omptape_channels *channels,
                                                  const struct omptape_event *event,
                                                  struct omptape_message_end **made, bool *good);
void omptape_channels_give_back(struct omptape_channels *channels, struct omptape_message_end *end);

#endif
