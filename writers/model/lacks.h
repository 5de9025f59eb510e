/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What of a thread's work had no processor, in the sums of the archive's properties: at each reading of its
 * scheduler statistics, such time is moved from computing and serial to blocked and runnable.
 */
#ifndef OMPTAPE_WRITERS_MODEL_LACKS_H
#define OMPTAPE_WRITERS_MODEL_LACKS_H

#include "writers/model/model.h"

/* Up to which reading what had no processor is booked: its time and sums, and the location's work
 * until then; ticks and ns. */
struct omptape_lacks {
    uint64_t time; /* 0: there was none */
    uint64_t work;
    uint64_t computing; /* what is left of it there, */
    uint64_t serial;    /* ...and there */
    uint64_t running;
    uint64_t waiting;
    double carried_ns; /* src/core/buckets.h */
};

/* The merge has come to the time of a reading, `running` and `waiting` ns. */
void omptape_lacks_book(const struct omptape_writer *writer, struct omptape_location *location,
                        struct omptape_lacks *lacks, uint64_t time, uint64_t running, uint64_t waiting);

#endif
