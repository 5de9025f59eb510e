/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements the two passes of the correction (links.h). In the first pass each process has a queue: ends
 * wait there until the times of the ends that they need are final. In the second pass all times are final,
 * and the windows are narrowed.
 */
#include "src/unify/order/links.h"

#include "src/core/array.h"
#include "src/core/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ROUNDING: error of interpolated times, in ticks. APART: ticks by which an end is placed behind what it
 * needs. */
enum { ROUNDING = 3, APART = 8 };
/* An end that waits for more than this multiple of the archive's depth is not waited for. */
enum { MAX_DEPTHS = 16 };

/* An end that waits in a queue. */
struct waiting {
    struct omptape_order_link *link;
    struct omptape_order_end *end;
    bool gives;
};

struct process {
    struct omptape_order_clock clock;
    struct waiting *queue; /* sorted by time; elements [head, count) */
    uint32_t head, count, room;
    struct waiting *gives; /* begins of operations, while an earlier end is in the queue */
    uint32_t give_count, give_room;
    bool listed;
};

struct mending {
    struct process *processes;
    uint32_t count, room;
    uint32_t *list; /* processes to be processed */
    uint32_t listed, list_room;
    uint64_t now;   /* time of the current end in the archive */
    uint64_t depth; /* omptape_order_counts */
    uint64_t hold;  /* one second, in ticks */
};

static struct process *process_of(struct mending *mending, uint32_t number)
{
    if (!OMPTAPE_RESERVE(mending->processes, number + 1, &mending->room))
        return NULL;
    while (mending->count <= number)
        mending->processes[mending->count++] = (struct process){.clock.hold = mending->hold};
    return &mending->processes[number];
}

static bool push(struct waiting **list, uint32_t *count, uint32_t *room, struct waiting one)
{
    struct waiting *grown = omptape_array_reserve(*list, *count + 1, room, sizeof(*grown));
    if (grown == NULL)
        return false;
    *list = grown;
    grown[(*count)++] = one;
    return true;
}

static void look_later(struct mending *mending, uint32_t number)
{
    struct process *process = &mending->processes[number];
    if (!OMPTAPE_RESERVE(mending->list, mending->listed + 1, &mending->list_room))
        return;
    if (!process->listed)
        mending->list[mending->listed++] = number;
    process->listed = true;
}

static void settle(struct omptape_order_link *link, struct omptape_order_end *end, uint64_t time)
{
    end->time = time;
    end->settled = true;
    if (++link->settled == 2 * link->members)
        omptape_order_release(link);
}

/* Makes a giving end's time final, and schedules the processes that wait for it. */
static void settle_give(struct mending *mending, const struct process *process, const struct waiting *one)
{
    struct omptape_order_link *link = one->link;
    const uint64_t time = one->end->time;
    for (uint32_t i = 0; i < link->taken; i++)
        if (!link->takes[i].settled)
            look_later(mending, link->takes[i].process);
    settle(link, one->end, time + omptape_order_clock_at(&process->clock, time));
}

/* Returns true if all ends that this one needs are final. `when` receives the latest of their times, or 0 if
 * there is none. */
static bool is_ready(const struct mending *mending, const struct omptape_order_link *link,
                     const struct omptape_order_end *end, uint64_t *when)
{
    const uint64_t waited = mending->now > end->time ? mending->now - end->time : 0;
    uint32_t missing = end->needs == OMPTAPE_ORDER_ALL ? link->members : end->needs == OMPTAPE_ORDER_ROOT;
    *when = 0;
    for (uint32_t i = 0; i < link->given && end->needs != OMPTAPE_ORDER_NOBODY; i++) {
        const struct omptape_order_end *give = &link->gives[i];
        if (end->needs == OMPTAPE_ORDER_ROOT && give->process != end->root)
            continue;
        if (!give->settled && waited <= MAX_DEPTHS * (mending->depth + 1))
            return false;
        missing--;
        if (give->settled && give->time > *when)
            *when = give->time;
    }
    return missing == 0 || waited > mending->depth;
}

static void settle_take(struct process *process, const struct waiting *one, uint64_t when)
{
    const uint64_t time = one->end->time;
    const uint64_t shift = omptape_order_clock_at(&process->clock, time);
    if (when > 0 && time < when + (shift > 0 ? ROUNDING : 0)) {
        const uint64_t needed = time + shift < when + ROUNDING ? when + APART - time : shift;
        (void)omptape_order_clock_need(&process->clock, time, needed);
    }
    settle(one->link, one->end, time + omptape_order_clock_at(&process->clock, time));
}

/* Makes the begins of operations final that precede all queued ends. */
static void settle_gives(struct mending *mending, struct process *process)
{
    const uint64_t until =
        process->head < process->count ? process->queue[process->head].end->time : UINT64_MAX;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < process->give_count; i++) {
        const struct waiting one = process->gives[i];
        if (one.end->time <= until)
            settle_give(mending, process, &one);
        else
            process->gives[kept++] = one;
    }
    process->give_count = kept;
}

static void advance(struct mending *mending, struct process *process)
{
    uint64_t when = 0;
    settle_gives(mending, process);
    while (process->head < process->count) {
        const struct waiting one = process->queue[process->head];
        if (!one.gives && !is_ready(mending, one.link, one.end, &when))
            break;
        process->head++;
        if (one.gives)
            settle_give(mending, process, &one);
        else
            settle_take(process, &one, when);
        settle_gives(mending, process);
    }
    if (process->head == process->count)
        process->head = process->count = 0;
}

static void advance_all(struct mending *mending)
{
    while (mending->listed > 0 && !omptape_out_of_memory) {
        struct process *process = &mending->processes[mending->list[--mending->listed]];
        process->listed = false;
        advance(mending, process);
    }
}

/* Moves the queue to the front of its array when half of it is processed. */
static void compact(struct process *process)
{
    const uint32_t left = process->count - process->head;
    if (process->head < process->count / 2 || process->head == 0)
        return;
    for (uint32_t i = 0; i < left; i++)
        process->queue[i] = process->queue[process->head + i];
    process->head = 0;
    process->count = left;
}

static bool on_forward(void *data, struct omptape_order_link *link, struct omptape_order_end *end, bool gives)
{
    struct mending *mending = data;
    struct process *process = process_of(mending, end->process);
    const struct waiting one = {.link = link, .end = end, .gives = gives};
    if (process == NULL)
        return false;
    compact(process);
    const bool good = gives && link->collective
                          ? push(&process->gives, &process->give_count, &process->give_room, one)
                          : push(&process->queue, &process->count, &process->room, one);
    if (!good || (gives && link->collective))
        return good; /* the operation's taking end follows immediately */
    mending->now = end->time;
    look_later(mending, end->process);
    advance_all(mending);
    return !omptape_out_of_memory;
}

/* Processes the remaining ends, which wait for ends that are not in the archive. */
static void drain(struct mending *mending)
{
    mending->now = UINT64_MAX;
    for (uint32_t i = 0; i < mending->count; i++)
        look_later(mending, i);
    advance_all(mending);
}

static uint64_t final_time(const struct mending *mending, const struct omptape_order_end *end)
{
    return end->time + omptape_order_clock_at(&mending->processes[end->process].clock, end->time);
}

static void limit(struct mending *mending, const struct omptape_order_end *give, uint64_t take)
{
    const uint64_t time = final_time(mending, give) + APART;
    omptape_order_clock_limit(&mending->processes[give->process].clock, give->time,
                              take > time ? take - time : 0);
}

/* Narrows the windows of the giving processes. For each giving end the earliest end that needs it is the
 * limit. */
static bool on_backward(void *data, struct omptape_order_link *link, struct omptape_order_end *end,
                        bool gives)
{
    struct mending *mending = data;
    uint64_t first = UINT64_MAX;         /* earliest end that needs all members */
    uint64_t first_of_root = UINT64_MAX; /* earliest end that needs the root */
    uint32_t root = UINT32_MAX;
    (void)end;
    (void)gives;
    if (link->given < link->members || link->taken < link->members)
        return true;
    for (uint32_t i = 0; i < link->members; i++) {
        const struct omptape_order_end *take = &link->takes[i];
        const uint64_t time = final_time(mending, take);
        if (take->needs == OMPTAPE_ORDER_ALL && time < first)
            first = time;
        if (take->needs == OMPTAPE_ORDER_ROOT && time < first_of_root)
            first_of_root = time;
        root = take->needs == OMPTAPE_ORDER_ROOT ? take->root : root;
    }
    for (uint32_t i = 0; i < link->members; i++) {
        const struct omptape_order_end *give = &link->gives[i];
        const uint64_t take = give->process == root && first_of_root < first ? first_of_root : first;
        if (take != UINT64_MAX)
            limit(mending, give, take);
    }
    return true;
}

struct points {
    struct omptape_order_point *list;
    uint32_t count, room;
};

static void add_point(struct points *points, uint64_t time, uint64_t shift)
{
    if (!OMPTAPE_RESERVE(points->list, points->count + 1, &points->room))
        return;
    if (points->count == 0 || time > points->list[points->count - 1].time)
        points->list[points->count++] = (struct omptape_order_point){time, shift};
}

/* Lists the points where the shift changes its slope: start and end of its decay, and both ends of a
 * window. */
static void describe(struct points *points, const struct omptape_order_clock *clock)
{
    for (uint32_t i = 0; i < clock->count; i++) {
        const struct omptape_order_jump *jump = &clock->jumps[i];
        const uint64_t height = jump->after - jump->before;
        const uint64_t window = height == 0 ? 0 : jump->window > 0 ? jump->window : jump->time > 0;
        const uint64_t begin = jump->time - window;
        uint64_t bends[] = {i > 0 ? jump[-1].held : 0, i > 0 ? omptape_order_clock_end(clock, i - 1) : 0,
                            begin};
        if (begin < bends[1]) {
            bends[2] = bends[1];
            bends[1] = begin < bends[0] ? bends[0] : begin;
            bends[0] = begin < bends[0] ? begin : bends[0];
        }
        for (int k = 0; k < 3; k++) {
            const uint64_t inside = bends[k] > begin ? bends[k] - begin : 0;
            if (bends[k] > 0 && bends[k] < jump->time)
                add_point(points, bends[k],
                          omptape_order_clock_at(clock, bends[k]) +
                              (inside > 0 ? (uint64_t)((long double)height * (long double)inside /
                                                       (long double)window)
                                          : 0));
        }
        add_point(points, jump->time, jump->after);
    }
    if (clock->count > 0) {
        add_point(points, clock->jumps[clock->count - 1].held, clock->jumps[clock->count - 1].after);
        add_point(points, omptape_order_clock_end(clock, clock->count - 1), 0);
    }
}

static int collect(struct omptape_order_mending *found, const struct mending *mending,
                   const struct omptape_order_reading *reading)
{
    found->processes = omptape_calloc(mending->count + 1U, sizeof(*found->processes));
    if (found->processes == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < mending->count; i++) {
        struct points points = {.list = NULL};
        if (mending->processes[i].clock.count == 0)
            continue;
        describe(&points, &mending->processes[i].clock);
        found->processes[found->count++] = (struct omptape_order_shifts){
            .group = omptape_order_group(reading, i), .points = points.list, .count = points.count};
    }
    return omptape_out_of_memory ? -ENOMEM : 0;
}

int omptape_order_mend(struct omptape_order_mending *found, const char *path,
                       const struct omptape_order_counts *counts, volatile uint64_t *beats, char *error,
                       size_t bytes)
{
    struct mending mending = {.depth = counts->depth, .hold = counts->resolution};
    struct omptape_order_reading *reading = NULL;
    const struct omptape_order_pass forward = {
        .end = on_forward, .data = &mending, .keeps = true, .beats = beats};
    const struct omptape_order_pass backward = {.end = on_backward, .data = &mending, .beats = beats};
    *found = (struct omptape_order_mending){.count = 0};
    int result = omptape_order_read(path, &forward, &reading, error, bytes);
    if (result == 0)
        drain(&mending);
    omptape_order_close(reading);
    reading = NULL;
    for (uint32_t i = 0; i < mending.count; i++)
        omptape_order_clock_open_windows(&mending.processes[i].clock, counts->begin);
    if (result == 0 && !omptape_out_of_memory)
        result = omptape_order_read(path, &backward, &reading, error, bytes);
    if (result == 0)
        result = omptape_out_of_memory ? -ENOMEM : collect(found, &mending, reading);
    omptape_order_close(reading);
    for (uint32_t i = 0; i < mending.count; i++) {
        free(mending.processes[i].clock.jumps);
        free(mending.processes[i].queue);
        free(mending.processes[i].gives);
    }
    free(mending.processes);
    free(mending.list);
    if (result == -ENOMEM)
        snprintf(error, bytes, "out of memory");
    return result;
}

void omptape_order_mending_free(struct omptape_order_mending *mending)
{
    for (uint32_t i = 0; i < mending->count; i++)
        free(mending->processes[i].points);
    free(mending->processes);
    *mending = (struct omptape_order_mending){.count = 0};
}

uint64_t omptape_order_shift_at(const struct omptape_order_shifts *shifts, uint64_t time)
{
    const struct omptape_order_point *points = shifts->points;
    uint32_t low = 0;
    uint32_t high = shifts->count;
    while (low < high) { /* searches the first point after `time` */
        const uint32_t middle = low + (high - low) / 2;
        if (points[middle].time <= time)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || low == shifts->count)
        return low == 0 ? 0 : points[low - 1].time == time ? points[low - 1].shift : 0;
    const long double part =
        (long double)(time - points[low - 1].time) / (long double)(points[low].time - points[low - 1].time);
    return (uint64_t)((long double)points[low - 1].shift +
                      part * ((long double)points[low].shift - (long double)points[low - 1].shift));
}
