/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Creates the state of threads, and the location of a slot's thread.
 */
#include "writers/state/threads.h"

#include "writers/state/locations.h"

#include <errno.h>
#include <stdlib.h>

int omptape_threads_create(struct omptape_writer *writer)
{
    writer->threads = calloc(OMPTAPE_MAX_SLOTS, sizeof(*writer->threads));
    return writer->threads != NULL ? 0 : -ENOMEM;
}

struct omptape_location *omptape_threads_locate(struct omptape_writer *writer, uint32_t slot)
{
    struct omptape_thread *thread = &writer->threads[slot];
    const struct omptape_record *first =
        omptape_consumer_peek(&writer->consumer, &writer->consumer.streams[slot]);
    if (first == NULL)
        return NULL;
    struct omptape_record begin = {.time =
                                       omptape_timeline_place(&writer->timeline, &thread->clock, first->time,
                                                              omptape_timeline_now(&writer->timeline))};
    if (begin.time < writer->begin)
        begin.time = writer->begin;
    /* Otherwise the record is damaged, and it is only known that the thread recorded something. */
    if (first->kind == OMPTAPE_THREAD_BEGIN) {
        begin.a = first->a;
        begin.b = first->b;
    } else if (thread->delivers != 0) {
        begin.b = thread->delivers;
    }
    thread->location = omptape_locations_add(writer, &begin);
    return thread->location;
}
