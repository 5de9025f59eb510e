/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Puts events into the order in which they would be read from a trace: by time; of equal times one location's
 * together, lower locations first. Each location has a queue of its own, since its events come in the order
 * of time. So a worker's end of a region, which is known when the next region begins, is late for no other
 * one. The archive appends to the queues (observer.h); where that needs more it calls who adds by
 * profile_order_add. Used by profile.c; one thread.
 */
#pragma once

#include "src/archive/write/observer.h"
#include "src/core/store.h"

#include <stdbool.h>
#include <stdint.h>

/* The queue of a location. */
struct profile_order_lane {
    struct archive_lane end; /* end.next: behind the last event */
    uint64_t location;
    void *own; /* the user's; NULL at first */
    struct archive_event *list;
    struct archive_event *first;
    uint32_t capacity;
};

/* All zeros: empty. */
struct profile_order {
    struct omptape_pairs lanes; /* (0, location) */
    struct omptape_arena arena;
    bool is_full; /* a queue has got its share of events since the last round */
    /* A round of taking: */
    struct profile_order_lane **heap; /* lanes with events for it, the one with the next event first */
    uint32_t heap_count;
    uint32_t heap_room;
    uint64_t until;
    uint64_t bound; /* heap[0] has the next event as long as that is before this time */
};

/* The location's queue, whose end is for its events. NULL: no memory. */
struct profile_order_lane *profile_order_lane(struct profile_order *order, uint64_t location);

/* Appends a copy of an event, which is not before the location's last one. False: no memory. */
bool profile_order_add(struct profile_order *order, struct profile_order_lane *lane,
                       const struct archive_event *event);

/* How many events wait. */
uint64_t profile_order_waiting(const struct profile_order *order);

/* A round: all events before `until` are taken, one by one, which nothing that comes may be before any more.
 * Meanwhile none is added. False: no memory. */
bool profile_order_begin(struct profile_order *order, uint64_t until);
struct archive_event *profile_order_take_other(struct profile_order *order);
/* The next event, of order->heap[0]; it is valid until the round ends. NULL: there is none. */
static inline struct archive_event *profile_order_take(struct profile_order *order)
{
    struct profile_order_lane *lane = order->heap_count > 0 ? order->heap[0] : NULL;
    if (lane != NULL && lane->first != lane->end.next && lane->first->time < order->bound)
        return lane->first++;
    return profile_order_take_other(order);
}
void profile_order_end(struct profile_order *order);

/* Drops all that waits. The queues stay, without room. */
void profile_order_drop(struct profile_order *order);
void profile_order_free(struct profile_order *order);
