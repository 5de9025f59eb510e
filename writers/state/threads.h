/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The threads whose records are read: one for each slot of the buffers (buffers/consumer.h).
 */
#pragma once

#include "writers/state/writer.h"

struct omptape_thread {
    struct omptape_location *location; /* NULL: none yet */
    uint32_t delivers; /* the kernel's number of a thread that brings devices' records, else 0 */
    struct omptape_stream_clock clock;
};

/* Sets up writer->threads. 0 or -ENOMEM. */
int omptape_threads_create(struct omptape_writer *writer);

/* The function below for a new thread. */
struct omptape_location *omptape_threads_locate(struct omptape_writer *writer, uint32_t slot);

/* The location of the slot's thread; made from its first record if it is new. NULL: out of memory or nothing
 * to see yet. */
static inline struct omptape_location *omptape_threads_location(struct omptape_writer *writer, uint32_t slot)
{
    struct omptape_location *location = writer->threads[slot].location;
    return location != NULL ? location : omptape_threads_locate(writer, slot);
}
