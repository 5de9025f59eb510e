/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Puts events into the order in which they would be read from a trace: by time; of equal times one location's
 * together, lower locations first. The merge hands them over nearly so; what differs is what was written for
 * a location that is ahead of the others (a tick behind its cause), what a worker tells of a region's end
 * when the next one begins, and what waited (devices). So events are kept until nothing more comes before
 * them. Nearly all come behind the newest: the archive puts them there (tap.h), what does not comes to
 * omptape_order_add. Used by profile.c; one thread.
 */
#ifndef OMPTAPE_WRITERS_PROFILE_ORDER_H
#define OMPTAPE_WRITERS_PROFILE_ORDER_H

#include "src/archive/write/tap.h"

#include <stdbool.h>
#include <stdint.h>

/* All zeros: empty. */
struct omptape_order {
    struct omptape_tap_room room;
    struct omptape_tapped *list; /* the first is none, at time 0 */
    struct omptape_tapped *first;
    uint32_t capacity;
    uint64_t passed; /* everything before this time has been taken */
    uint64_t late;   /* events that came when that was so for them, and others were there */
};

static inline uint32_t omptape_order_count(const struct omptape_order *order)
{
    return (uint32_t)(order->room.next - order->first);
}

/* Takes a copy, with its lane. False: no memory. */
bool omptape_order_add(struct omptape_order *order, const struct omptape_tapped *event);

/* The next event before `time`, which nothing that comes may be before any more; NULL: there is none. It
 * holds until the next is added. */
void omptape_order_pass(struct omptape_order *order, uint64_t time);
static inline struct omptape_tapped *omptape_order_take(struct omptape_order *order, uint64_t time)
{
    if (order->first != order->room.next && order->first->time < time)
        return order->first++;
    omptape_order_pass(order, time);
    return NULL;
}
/* All that waits is dropped. There is no room any more, unless something is added. */
void omptape_order_free(struct omptape_order *order);

#endif
