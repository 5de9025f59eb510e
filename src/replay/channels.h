/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the two ends of each message. Messages from one process to another, in one communicator and with one
 * tag, arrive in the order in which receives are posted (MPI 3.1, 3.5). So the n-th that is sent belongs to
 * the n-th that was posted, even if later ones are complete before it (overtaking.h). The end that comes
 * first waits for the other. Different numbers of bytes mean that something is missing, or that threads have
 * sent in another order than their calls began. Then a message belongs to the oldest end with its number of
 * bytes, if there is one.
 *
 * Used by everything that needs both ends: waits between processes (waits.h), arrows
 * (src/analysis/timeline/arrows.h), export, and the order of clocks (unify/order). Events must come in the
 * order of each process's time, from the archive's beginning, and without a gap. One thread; memory as long
 * as the channels live.
 */
#ifndef OMPTAPE_ANALYSIS_MPI_CHANNELS_H
#define OMPTAPE_ANALYSIS_MPI_CHANNELS_H

#include "src/replay/overtaking.h"
#include "src/replay/ranks.h"

/* One end of a message that the other end is looked for. What it means is its owner's. */
struct omptape_message_end {
    struct omptape_message_end *next;
    bool cancelled; /* it meets nobody: its owner may set that */
    uint64_t location;
    uint64_t time;
    uint64_t bytes;
    uint64_t place; /* of a receive: in the order in which its queue's messages are sent */
    void *owned;
};

/* All zeros is empty. */
struct omptape_channels {
    struct omptape_ranks ranks;
    struct omptape_overtaking overtaking;
    struct omptape_pairs queues; /* (comm and tag, sender and receiver) -> what waits */
    struct omptape_pairs places; /* (0, process) -> its small number */
    struct omptape_arena arena;
    struct omptape_free_list free;
    struct omptape_free_list free_queues;
};

/* Of the archive that the reader has open, which is read once ahead; `beats`: counted up meanwhile, or NULL.
 * False: no memory. Free with omptape_channels_free in any case. */
bool omptape_channels_begin(struct omptape_channels *channels, const struct omptape_reader *reader,
                            volatile uint64_t *beats);
void omptape_channels_free(struct omptape_channels *channels);

/* The other end of this message, if that came by before: it is taken out, and to be given back. Else NULL,
 * and *made is the end that now waits; NULL: it cannot be told who the other process is, or there is no
 * memory
 * (*good is false). `event` is OMPTAPE_EVENT_MPI_SEND or _RECEIVE. */
struct omptape_message_end *omptape_channels_meet(struct omptape_channels *channels,
                                                  const struct omptape_event *event,
                                                  struct omptape_message_end **made, bool *good);
/* Messages that were sent and not received so far, of one communicator, tag, sender and receiver (processes).
 */
struct omptape_unreceived {
    uint64_t comm;
    uint64_t tag;
    uint64_t sender;
    uint64_t receiver;
    uint32_t count;
};
/* The `number`-th such, from 0 on. False: there are no more. One whose messages were all cancelled has none.
 */
bool omptape_channels_unreceived(const struct omptape_channels *channels, uint32_t number,
                                 struct omptape_unreceived *unreceived);
void omptape_channels_give_back(struct omptape_channels *channels, struct omptape_message_end *end);

#endif
