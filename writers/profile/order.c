/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The events that wait for the merge to pass them (order.h): a sorted list, in which nearly all are added at
 * the end.
 */
#include "writers/profile/order.h"

#include "src/core/array.h"

#include <stdlib.h>
#include <string.h>

static bool is_before(const struct omptape_tapped *one, const struct omptape_tapped *other)
{
    return one->time != other->time ? one->time < other->time : one->lane->location < other->lane->location;
}

/* Of what is before all events. */
static struct omptape_tap_lane nowhere;

/* Those that were taken make room, or more is had. */
static bool make_room(struct omptape_order *order)
{
    uint32_t count = omptape_order_count(order);
    uint32_t first = order->list != NULL ? (uint32_t)(order->first - order->list) : 1;
    if (order->list == NULL || first <= count) {
        struct omptape_tapped *list =
            omptape_array_reserve(order->list, first + count + 1, &order->capacity, sizeof(*list));
        if (list == NULL)
            return false;
        order->list = list;
        list[0] = (struct omptape_tapped){.lane = &nowhere};
    } else {
        memcpy(order->list + 1, order->first, count * sizeof(order->list[0]));
        first = 1;
    }
    order->first = order->list + first;
    order->room.next = order->first + count;
    order->room.end = order->list + order->capacity;
    return true;
}

/* Its place among the others, which make way for it. */
static struct omptape_tapped *make_way(struct omptape_order *order, const struct omptape_tapped *event)
{
    uint32_t high = omptape_order_count(order);
    uint32_t back = 1;
    /* Mostly not far from the end. */
    while (back < high && is_before(event, &order->first[high - back]))
        back *= 2;
    uint32_t low = back < high ? high - back : 0;
    high -= back / 2;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (is_before(event, &order->first[middle]))
            high = middle;
        else
            low = middle + 1;
    }
    struct omptape_tapped *place = order->first + low;
    memmove(place + 1, place, (size_t)(order->room.next - place) * sizeof(*place));
    order->late += event->time < order->passed;
    return place;
}

bool omptape_order_add(struct omptape_order *order, const struct omptape_tapped *event)
{
    if (order->room.next == order->room.end && !make_room(order))
        return false;
    struct omptape_tapped *place = order->room.next;
    if (place != order->first && is_before(event, &place[-1]))
        place = make_way(order, event);
    *place = *event;
    order->room.next++;
    return true;
}

/* All before that time has been taken. */
void omptape_order_pass(struct omptape_order *order, uint64_t time)
{
    order->passed = time > order->passed ? time : order->passed;
    if (order->list != NULL && order->first == order->room.next) {
        order->first = order->list + 1;
        order->room.next = order->first;
    }
}

void omptape_order_free(struct omptape_order *order)
{
    free(order->list);
    *order = (struct omptape_order){.list = NULL};
}
