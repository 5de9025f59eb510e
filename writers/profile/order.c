/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Queues of events that wait for the merge (order.h), and a heap of those with events for the current round.
 */
#include "writers/profile/order.h"

#include "src/core/array.h"

#include <stdlib.h>
#include <string.h>

/* A round takes about ROUND_EVENTS events, but at least MIN_LOCATION_EVENTS of each location if there are
 * many. They should fit into the processor's inner caches. */
enum { ROUND_EVENTS = 2048, MIN_LOCATION_EVENTS = 32 };

struct profile_order_lane *profile_order_lane(struct profile_order *order, uint64_t location)
{
    struct profile_order_lane *lane =
        omptape_pairs_obtain(&order->lanes, &order->arena, 0, location, sizeof(*lane));
    if (lane != NULL)
        lane->location = location;
    return lane;
}

static uint32_t count_of(const struct profile_order_lane *lane)
{
    return (uint32_t)(lane->end.next - lane->first);
}

/* Returns how many more events a location may add until the next round. */
static uint32_t share_of(const struct profile_order *order)
{
    const uint32_t share = ROUND_EVENTS / (order->lanes.count > 0 ? order->lanes.count : 1);
    return share > MIN_LOCATION_EVENTS ? share : MIN_LOCATION_EVENTS;
}

static bool reserve(struct profile_order *order, struct profile_order_lane *lane)
{
    const uint32_t count = count_of(lane);
    const uint32_t wanted = count + share_of(order);
    if (!OMPTAPE_RESERVE(lane->list, wanted, &lane->capacity))
        return false;
    lane->first = lane->list;
    lane->end.next = lane->list + count;
    lane->end.end = lane->list + wanted;
    order->is_full = order->is_full || count > 0;
    return true;
}

bool profile_order_add(struct profile_order *order, struct profile_order_lane *lane,
                       const struct archive_event *event)
{
    if (lane->end.next == lane->end.end && !reserve(order, lane))
        return false;
    *lane->end.next++ = *event;
    return true;
}

uint64_t profile_order_waiting(const struct profile_order *order)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < order->lanes.count; i++)
        count += count_of(order->lanes.list[i].value);
    return count;
}

static bool is_before(const struct profile_order_lane *one, const struct profile_order_lane *other)
{
    return one->first->time != other->first->time ? one->first->time < other->first->time
                                                  : one->location < other->location;
}

static void sift_down(struct profile_order *order, uint32_t i)
{
    struct profile_order_lane **heap = order->heap;
    struct profile_order_lane *lane = heap[i];
    for (uint32_t child; (child = 2 * i + 1) < order->heap_count; i = child) {
        if (child + 1 < order->heap_count && is_before(heap[child + 1], heap[child]))
            child++;
        if (is_before(lane, heap[child]))
            break;
        heap[i] = heap[child];
    }
    heap[i] = lane;
}

/* Computes the time until which heap[0] has the next event. */
static void find_bound(struct profile_order *order)
{
    struct profile_order_lane **heap = order->heap;
    order->bound = order->until;
    if (order->heap_count < 2)
        return;
    const struct profile_order_lane *second =
        order->heap_count > 2 && is_before(heap[2], heap[1]) ? heap[2] : heap[1];
    const uint64_t bound = second->first->time + (heap[0]->location < second->location);
    order->bound = bound < order->until ? bound : order->until;
}

bool profile_order_begin(struct profile_order *order, uint64_t until)
{
    if (!OMPTAPE_RESERVE(order->heap, order->lanes.count, &order->heap_capacity) && order->lanes.count > 0)
        return false;
    order->heap_count = 0;
    order->until = until;
    for (uint32_t i = 0; i < order->lanes.count; i++) {
        struct profile_order_lane *lane = order->lanes.list[i].value;
        if (lane->first != lane->end.next && lane->first->time < until)
            order->heap[order->heap_count++] = lane;
    }
    for (uint32_t i = order->heap_count / 2; i-- > 0;)
        sift_down(order, i);
    find_bound(order);
    return true;
}

struct archive_event *profile_order_take_other(struct profile_order *order)
{
    if (order->heap_count == 0)
        return NULL;
    const struct profile_order_lane *lane = order->heap[0];
    if (lane->first == lane->end.next || lane->first->time >= order->until)
        order->heap[0] = order->heap[--order->heap_count];
    if (order->heap_count == 0)
        return NULL;
    sift_down(order, 0);
    find_bound(order);
    return order->heap[0]->first++;
}

void profile_order_end(struct profile_order *order)
{
    const uint32_t share = share_of(order);
    for (uint32_t i = 0; i < order->lanes.count; i++) {
        struct profile_order_lane *lane = order->lanes.list[i].value;
        const uint32_t count = count_of(lane);
        if (lane->list == NULL)
            continue;
        memmove(lane->list, lane->first, count * sizeof(*lane->list));
        lane->first = lane->list;
        lane->end.next = lane->list + count;
        lane->end.end = lane->list + (count + share < lane->capacity ? count + share : lane->capacity);
    }
    order->heap_count = 0;
    order->is_full = false;
}

void profile_order_drop(struct profile_order *order)
{
    for (uint32_t i = 0; i < order->lanes.count; i++) {
        struct profile_order_lane *lane = order->lanes.list[i].value;
        free(lane->list);
        lane->list = lane->first = lane->end.next = NULL;
        lane->end.end = NULL;
        lane->capacity = 0;
    }
    order->is_full = false;
}

void profile_order_free(struct profile_order *order)
{
    profile_order_drop(order);
    omptape_pairs_free(&order->lanes);
    omptape_arena_free(&order->arena);
    free(order->heap);
    *order = (struct profile_order){.heap = NULL};
}
