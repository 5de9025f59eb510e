/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Puts events into the order in which they would be read from a trace: by time; of equal times one location's
 * together, lower locations first. The merge hands them over nearly so: what differs is what was written for
 * a location that is ahead of the others (a tick behind its cause), what a worker tells of a region's end
 * when the next one begins, and what waited (devices). So events are kept until nothing more comes before
 * them. Used by profile.c; one thread.
 */
#ifndef OMPTAPE_WRITERS_PROFILE_ORDER_H
#define OMPTAPE_WRITERS_PROFILE_ORDER_H

#include "writers/archive/tap.h"

#include <stdbool.h>
#include <stdint.h>

struct omptape_ordered {
    struct omptape_tapped event;
    OTF2_AttributeList *attributes; /* NULL: it has none */
};

/* All zeros: empty. */
struct omptape_order {
    struct omptape_ordered *list;
    uint32_t first;
    uint32_t end;
    uint32_t room;
    uint64_t passed; /* everything before this time has been taken */
    uint64_t late;   /* events that came when that was so for them, and others were there */
};

static inline uint32_t omptape_order_count(const struct omptape_order *order)
{
    return order->end - order->first;
}

static inline bool omptape_order_is_before(const struct omptape_tapped *one,
                                           const struct omptape_tapped *other)
{
    return one->time != other->time ? one->time < other->time : one->location < other->location;
}

/* Takes a copy of an event without attributes, if that is done by adding it at the end. */
static inline bool omptape_order_append(struct omptape_order *order, const struct omptape_tapped *event)
{
    struct omptape_ordered *place = &order->list[order->end];
    if (order->end == order->room || order->end == order->first ||
        omptape_order_is_before(event, &place[-1].event))
        return false;
    place->event = *event;
    place->attributes = NULL;
    order->end++;
    return true;
}

/* Takes a copy; its attributes are the order's from now on. False: no memory. */
bool omptape_order_add(struct omptape_order *order, const struct omptape_tapped *event,
                       OTF2_AttributeList *attributes);

/* The next event before `time`, which nothing that comes may be before any more; NULL: there is none. It
 * holds until the next is added. */
void omptape_order_pass(struct omptape_order *order, uint64_t time);
static inline struct omptape_ordered *omptape_order_take(struct omptape_order *order, uint64_t time)
{
    if (order->first < order->end && order->list[order->first].event.time < time)
        return &order->list[order->first++];
    omptape_order_pass(order, time);
    return NULL;
}
void omptape_order_free(struct omptape_order *order);

#endif
