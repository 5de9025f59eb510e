/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Matches sends and receives of messages. Messages between two processes, in one communicator and with one
 * tag, are received in the order in which receives are posted (MPI 3.1, 3.5). The n-th send therefore matches
 * the n-th posted receive, even if later receives complete before it (overtaking.h). The end that is passed
 * first is queued. Different numbers of bytes mean that events are missing, or that threads have sent in
 * another order than their calls began. Then an end matches the oldest queued end with the same number of
 * bytes, if there is one.
 *
 * Used by waits between processes (src/analysis/mpi/mpi.h), arrows (src/replay/arrows.h), export, and
 * unification (order of clocks). Events must be passed in order of each process's time, from the archive's
 * begin, without gaps. One thread.
 */
#pragma once

#include "src/replay/overtaking.h"
#include "src/replay/ranks.h"

/* A queued end of a message. Its contents belong to the caller. */
struct omptape_message_end {
    struct omptape_message_end *next;
    bool cancelled; /* set by the caller: the end matches no other end */
    uint64_t location;
    uint64_t time;
    uint64_t bytes;
    uint64_t place; /* of a receive: index of the matching send in its queue */
    void *owned;
};

/* Initialised with zeros. */
struct omptape_channels {
    struct omptape_ranks ranks;
    struct omptape_overtaking overtaking;
    struct omptape_pairs queues; /* (comm and tag, sender and receiver) -> queued ends */
    struct omptape_pairs places; /* (0, process) -> consecutive number of the process */
    struct omptape_arena arena;
    struct omptape_free_list free;
    struct omptape_free_list free_queues;
};

/* Initialises the channels for the reader's archive, which is read once in advance. `beats`, unless NULL, is
 * incremented meanwhile. Returns false if out of memory. omptape_channels_free is always called. */
bool omptape_channels_begin(struct omptape_channels *channels, const struct omptape_reader *reader,
                            volatile uint64_t *beats);
void omptape_channels_free(struct omptape_channels *channels);

/* Passes an OMPTAPE_EVENT_MPI_SEND or _RECEIVE. Returns the other end if it is queued: it is removed from the
 * queue, and the caller gives it back. Otherwise returns NULL, and *made is the new queued end. *made is NULL
 * if the other process is unknown, or memory is exhausted. */
struct omptape_message_end *omptape_channels_match(struct omptape_channels *channels,
                                                   const struct omptape_event *event,
                                                   struct omptape_message_end **made);
/* Messages that are sent and not received, of one communicator, tag, sender and receiver (processes). */
struct omptape_unreceived {
    uint64_t comm;
    uint64_t tag;
    uint64_t sender;
    uint64_t receiver;
    uint32_t count;
};
/* Returns the entry `number`, from 0. False at the end. If all its messages were cancelled its count is 0. */
bool omptape_channels_unreceived(const struct omptape_channels *channels, uint32_t number,
                                 struct omptape_unreceived *unreceived);
void omptape_channels_release(struct omptape_channels *channels, struct omptape_message_end *end);
