/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The threads whose records are read: one for each slot of the buffers (buffers/consumer.h).
 */
#pragma once

#include "writers/state/writer.h"

struct omptape_thread {
    struct omptape_location *location; /* NULL: none yet. */
    uint32_t delivers; /* TID of a thread that only delivers devices' records; 0: other threads. */
    struct omptape_stream_clock clock;
};

/* Creates writer->threads. Returns 0 or -ENOMEM. */
int omptape_threads_create(struct omptape_writer *writer);

/* Creates the location of a new thread; used by omptape_threads_location. */
struct omptape_location *omptape_threads_locate(struct omptape_writer *writer, uint32_t slot);

/* Returns the location of the slot's thread. Creates it from the thread's first record if necessary. Returns
 * NULL if out of memory or there is no record yet. */
static inline struct omptape_location *omptape_threads_location(struct omptape_writer *writer, uint32_t slot)
{
    struct omptape_location *location = writer->threads[slot].location;
    return location != NULL ? location : omptape_threads_locate(writer, slot);
}
