/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sorts events into the order in which a reader returns them from a trace: by time, and events of equal time
 * by location. Each location has a separate queue, because its events come in order of time. So a worker's
 * late end of a region, known when the next region begins, delays no other location. The archive appends to
 * the queues (observer.h); if a queue is full, it calls profile_order_add through the observer. Used by
 * profile.c; one thread.
 */
#pragma once

#include "src/archive/write/observer.h"
#include "src/core/store.h"

#include <stdbool.h>
#include <stdint.h>

/* Queue of a location. */
struct profile_order_lane {
    struct archive_lane end; /* end.next: position after the last event. */
    uint64_t location;
    void *own; /* Pointer of the queue's user; NULL at first. */
    struct archive_event *list;
    struct archive_event *first;
    uint32_t capacity;
};

/* All zeros: empty. */
struct profile_order {
    struct omptape_pairs lanes; /* Key: (0, location). */
    struct omptape_arena arena;
    bool is_full; /* True if a queue has received its share of events since the last round. */
    /* State of the current round. */
    /* Queues with events for the round; the first one has the next event. */
    struct profile_order_lane **heap;
    uint32_t heap_count;
    uint32_t heap_capacity;
    uint64_t until;
    uint64_t bound; /* heap[0] has the next event while that event is before this time. */
};

/* Returns the location's queue, to which its events are appended. Returns NULL if out of memory. */
struct profile_order_lane *profile_order_lane(struct profile_order *order, uint64_t location);

/* Appends a copy of an event, which must not precede the location's last one. False if out of memory. */
bool profile_order_add(struct profile_order *order, struct profile_order_lane *lane,
                       const struct archive_event *event);

/* Returns the number of waiting events. */
uint64_t profile_order_waiting(const struct profile_order *order);

/* Begins a round, in which all events before `until` are taken one by one. Later events must not be before
 * `until`. No event may be added during the round. Returns false if out of memory. */
bool profile_order_begin(struct profile_order *order, uint64_t until);
struct archive_event *profile_order_take_other(struct profile_order *order);
/* Returns the next event, of order->heap[0], valid until the round ends. Returns NULL if there is none. */
static inline struct archive_event *profile_order_take(struct profile_order *order)
{
    struct profile_order_lane *lane = order->heap_count > 0 ? order->heap[0] : NULL;
    if (lane != NULL && lane->first != lane->end.next && lane->first->time < order->bound)
        return lane->first++;
    return profile_order_take_other(order);
}
void profile_order_end(struct profile_order *order);

/* Drops all waiting events. The queues remain, without memory. */
void profile_order_drop(struct profile_order *order);
void profile_order_free(struct profile_order *order);
