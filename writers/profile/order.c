/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The events that wait for the merge to pass them (order.h): a sorted list, in which nearly all are added at
 * the end.
 */
#include "writers/profile/order.h"

#include "src/core/array.h"

#include <stdlib.h>
#include <string.h>

static bool make_room(struct omptape_order *order)
{
    uint32_t count = omptape_order_count(order);
    if (order->first > 0 && order->first >= count) {
        memcpy(order->list, order->list + order->first, count * sizeof(order->list[0]));
        order->first = 0;
        order->end = count;
        return true;
    }
    struct omptape_ordered *list =
        omptape_array_reserve(order->list, order->end + 1, &order->room, sizeof(*list));
    if (list == NULL)
        return false;
    order->list = list;
    return true;
}

/* Its place among the others, which make way for it. */
static struct omptape_ordered *make_way(struct omptape_order *order, const struct omptape_tapped *event)
{
    uint32_t low = order->first;
    uint32_t high = order->end - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (omptape_order_is_before(event, &order->list[middle].event))
            high = middle;
        else
            low = middle + 1;
    }
    memmove(order->list + low + 1, order->list + low, (order->end - 1 - low) * sizeof(order->list[0]));
    order->late += event->time < order->passed;
    return &order->list[low];
}

bool omptape_order_add(struct omptape_order *order, const struct omptape_tapped *event,
                       OTF2_AttributeList *attributes)
{
    if (order->end == order->room && !make_room(order))
        return false;
    struct omptape_ordered *place = &order->list[order->end++];
    if (place > order->list + order->first && omptape_order_is_before(event, &place[-1].event))
        place = make_way(order, event);
    place->event = *event;
    place->attributes = attributes;
    return true;
}

/* All before that time has been taken. */
void omptape_order_pass(struct omptape_order *order, uint64_t time)
{
    order->passed = time > order->passed ? time : order->passed;
    if (order->first == order->end) {
        order->first = 0;
        order->end = 0;
    }
}

void omptape_order_free(struct omptape_order *order)
{
    for (uint32_t i = order->first; i < order->end; i++)
        if (order->list[i].attributes != NULL)
            OTF2_AttributeList_Delete(order->list[i].attributes);
    free(order->list);
    *order = (struct omptape_order){.list = NULL};
}
