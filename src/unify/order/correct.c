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

/* ROUNDING: error of interpolated times, in ticks. APART: ticks of an end behind what it needs. */
enum { ROUNDING = 3, APART = 8 };
/* An end that waits for more than this multiple of the archive's depth is not waited for. */
enum { MAX_DISTANCES = 16 };

struct waiting_end {
    struct omptape_order_link *link;
    struct omptape_order_end *end;
    bool is_source;
};

struct process {
    struct omptape_order_clock clock;
    struct waiting_end *queue; /* sorted by time; elements [head, count) */
    uint32_t head, count, capacity;
    struct waiting_end *sources; /* begins of operations, while an earlier end is in the queue */
    uint32_t waiting_count, waiting_capacity;
    bool listed;
};

struct correction {
    struct process *processes;
    uint32_t count, capacity;
    uint32_t *list; /* processes to be processed */
    uint32_t listed, list_capacity;
    uint64_t now;              /* time of the current end in the archive */
    uint64_t reorder_distance; /* omptape_order_counts */
    uint64_t hold;             /* one second, in ticks */
};

static struct process *process_of(struct correction *correction, uint32_t number)
{
    if (!OMPTAPE_RESERVE(correction->processes, number + 1, &correction->capacity))
        return NULL;
    while (correction->count <= number)
        correction->processes[correction->count++] = (struct process){.clock.hold = correction->hold};
    return &correction->processes[number];
}

static void check_later(struct correction *correction, uint32_t number)
{
    struct process *process = &correction->processes[number];
    if (!OMPTAPE_RESERVE(correction->list, correction->listed + 1, &correction->list_capacity))
        return;
    if (!process->listed)
        correction->list[correction->listed++] = number;
    process->listed = true;
}

static void resolve(struct omptape_order_link *link, struct omptape_order_end *end, uint64_t time)
{
    end->time = time;
    end->is_final = true;
    if (++link->final_count == 2 * link->members)
        omptape_order_release(link);
}

/* Makes the time of a source final, and schedules the processes that wait for it. */
static void complete_source(struct correction *correction, const struct process *process,
                            const struct waiting_end *one)
{
    struct omptape_order_link *link = one->link;
    const uint64_t time = one->end->time;
    for (uint32_t i = 0; i < link->target_count; i++)
        if (!link->targets[i].is_final)
            check_later(correction, link->targets[i].process);
    resolve(link, one->end, time + omptape_order_clock_at(&process->clock, time));
}

/* Returns true if all ends that this one needs are final. `when`: the latest of their times, 0: none. */
static bool is_ready(const struct correction *correction, const struct omptape_order_link *link,
                     const struct omptape_order_end *end, uint64_t *when)
{
    const uint64_t waited = correction->now > end->time ? correction->now - end->time : 0;
    uint32_t missing = end->needs == OMPTAPE_ORDER_ALL ? link->members : end->needs == OMPTAPE_ORDER_ROOT;
    *when = 0;
    for (uint32_t i = 0; i < link->source_count && end->needs != OMPTAPE_ORDER_NONE; i++) {
        const struct omptape_order_end *source = &link->sources[i];
        if (end->needs == OMPTAPE_ORDER_ROOT && source->process != end->root)
            continue;
        if (!source->is_final && waited <= MAX_DISTANCES * (correction->reorder_distance + 1))
            return false;
        missing--;
        if (source->is_final && source->time > *when)
            *when = source->time;
    }
    return missing == 0 || waited > correction->reorder_distance;
}

static void complete_target(struct process *process, const struct waiting_end *one, uint64_t when)
{
    const uint64_t time = one->end->time;
    const uint64_t shift = omptape_order_clock_at(&process->clock, time);
    if (when > 0 && time < when + (shift > 0 ? ROUNDING : 0)) {
        const uint64_t needed = time + shift < when + ROUNDING ? when + APART - time : shift;
        (void)omptape_order_clock_need(&process->clock, time, needed);
    }
    resolve(one->link, one->end, time + omptape_order_clock_at(&process->clock, time));
}

/* Makes the begins of operations final that precede all queued ends. */
static void complete_sources(struct correction *correction, struct process *process)
{
    const uint64_t until =
        process->head < process->count ? process->queue[process->head].end->time : UINT64_MAX;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < process->waiting_count; i++) {
        const struct waiting_end one = process->sources[i];
        if (one.end->time <= until)
            complete_source(correction, process, &one);
        else
            process->sources[kept++] = one;
    }
    process->waiting_count = kept;
}

static void advance(struct correction *correction, struct process *process)
{
    uint64_t when = 0;
    complete_sources(correction, process);
    while (process->head < process->count) {
        const struct waiting_end one = process->queue[process->head];
        if (!one.is_source && !is_ready(correction, one.link, one.end, &when))
            break;
        process->head++;
        if (one.is_source)
            complete_source(correction, process, &one);
        else
            complete_target(process, &one, when);
        complete_sources(correction, process);
    }
    if (process->head == process->count)
        process->head = process->count = 0;
}

static void advance_all(struct correction *correction)
{
    while (correction->listed > 0 && !omptape_out_of_memory) {
        struct process *process = &correction->processes[correction->list[--correction->listed]];
        process->listed = false;
        advance(correction, process);
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

static bool on_forward(void *data, struct omptape_order_link *link, struct omptape_order_end *end,
                       bool is_source)
{
    struct correction *correction = data;
    struct process *process = process_of(correction, end->process);
    const struct waiting_end one = {.link = link, .end = end, .is_source = is_source};
    if (process == NULL)
        return false;
    compact(process);
    const bool good =
        is_source && link->collective
            ? OMPTAPE_APPEND(process->sources, process->waiting_count, process->waiting_capacity, one)
            : OMPTAPE_APPEND(process->queue, process->count, process->capacity, one);
    if (!good || (is_source && link->collective))
        return good; /* the operation's target follows immediately */
    correction->now = end->time;
    check_later(correction, end->process);
    advance_all(correction);
    return !omptape_out_of_memory;
}

/* Processes the remaining ends, which wait for ends that are not in the archive. */
static void drain(struct correction *correction)
{
    correction->now = UINT64_MAX;
    for (uint32_t i = 0; i < correction->count; i++)
        check_later(correction, i);
    advance_all(correction);
}

static uint64_t final_time(const struct correction *correction, const struct omptape_order_end *end)
{
    return end->time + omptape_order_clock_at(&correction->processes[end->process].clock, end->time);
}

static void limit(struct correction *correction, const struct omptape_order_end *source, uint64_t target)
{
    const uint64_t time = final_time(correction, source) + APART;
    omptape_order_clock_limit(&correction->processes[source->process].clock, source->time,
                              target > time ? target - time : 0);
}

/* Narrows the windows of the processes of sources. The earliest target that needs a source is its limit. */
static bool on_backward(void *data, struct omptape_order_link *link, struct omptape_order_end *end,
                        bool is_source)
{
    struct correction *correction = data;
    uint64_t first = UINT64_MAX;         /* earliest end that needs all members */
    uint64_t first_of_root = UINT64_MAX; /* earliest end that needs the root */
    uint32_t root = UINT32_MAX;
    (void)end;
    (void)is_source;
    if (link->source_count < link->members || link->target_count < link->members)
        return true;
    for (uint32_t i = 0; i < link->members; i++) {
        const struct omptape_order_end *target = &link->targets[i];
        const uint64_t time = final_time(correction, target);
        if (target->needs == OMPTAPE_ORDER_ALL && time < first)
            first = time;
        if (target->needs == OMPTAPE_ORDER_ROOT && time < first_of_root)
            first_of_root = time;
        root = target->needs == OMPTAPE_ORDER_ROOT ? target->root : root;
    }
    for (uint32_t i = 0; i < link->members; i++) {
        const struct omptape_order_end *source = &link->sources[i];
        const uint64_t target = source->process == root && first_of_root < first ? first_of_root : first;
        if (target != UINT64_MAX)
            limit(correction, source, target);
    }
    return true;
}

struct points {
    struct omptape_order_point *list;
    uint32_t count, capacity;
};

static void add_point(struct points *points, uint64_t time, uint64_t shift)
{
    if (!OMPTAPE_RESERVE(points->list, points->count + 1, &points->capacity))
        return;
    if (points->count == 0 || time > points->list[points->count - 1].time)
        points->list[points->count++] = (struct omptape_order_point){time, shift};
}

/* Lists the points where the shift changes its slope: its decay's start and end, and a window's ends. */
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

static int collect(struct omptape_order_correction *found, const struct correction *correction,
                   const struct omptape_order_reading *reading)
{
    found->processes = omptape_calloc(correction->count + 1U, sizeof(*found->processes));
    if (found->processes == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < correction->count; i++) {
        struct points points = {.list = NULL};
        if (correction->processes[i].clock.count == 0)
            continue;
        describe(&points, &correction->processes[i].clock);
        found->processes[found->count++] = (struct omptape_order_shifts){
            .group = omptape_order_group(reading, i), .points = points.list, .count = points.count};
    }
    return omptape_out_of_memory ? -ENOMEM : 0;
}

int omptape_order_correct(struct omptape_order_correction *found, const char *path,
                          const struct omptape_order_counts *counts, volatile uint64_t *beats, char *error,
                          size_t bytes)
{
    struct correction correction = {.reorder_distance = counts->reorder_distance, .hold = counts->resolution};
    struct omptape_order_reading *reading = NULL;
    const struct omptape_order_pass forward = {
        .end = on_forward, .data = &correction, .keeps = true, .beats = beats};
    const struct omptape_order_pass backward = {.end = on_backward, .data = &correction, .beats = beats};
    *found = (struct omptape_order_correction){.count = 0};
    int result = omptape_order_read(path, &forward, &reading, error, bytes);
    if (result == 0)
        drain(&correction);
    omptape_order_close(reading);
    reading = NULL;
    for (uint32_t i = 0; i < correction.count; i++)
        omptape_order_clock_open_windows(&correction.processes[i].clock, counts->begin);
    if (result == 0 && !omptape_out_of_memory)
        result = omptape_order_read(path, &backward, &reading, error, bytes);
    if (result == 0)
        result = omptape_out_of_memory ? -ENOMEM : collect(found, &correction, reading);
    omptape_order_close(reading);
    for (uint32_t i = 0; i < correction.count; i++) {
        free(correction.processes[i].clock.jumps);
        free(correction.processes[i].queue);
        free(correction.processes[i].sources);
    }
    free(correction.processes);
    free(correction.list);
    if (result == -ENOMEM)
        snprintf(error, bytes, "out of memory");
    return result;
}

void omptape_order_correction_free(struct omptape_order_correction *correction)
{
    for (uint32_t i = 0; i < correction->count; i++)
        free(correction->processes[i].points);
    free(correction->processes);
    *correction = (struct omptape_order_correction){.count = 0};
}

uint64_t omptape_order_shift_at(const struct omptape_order_shifts *shifts, uint64_t time)
{
    const struct omptape_order_point *points = shifts->points;
    const size_t next = omptape_first_above(points, shifts->count, sizeof(*points),
                                            offsetof(struct omptape_order_point, time), time);
    if (next == 0 || next == shifts->count)
        return next == 0 ? 0 : points[next - 1].time == time ? points[next - 1].shift : 0;
    const long double part = (long double)(time - points[next - 1].time) /
                             (long double)(points[next].time - points[next - 1].time);
    return (uint64_t)((long double)points[next - 1].shift +
                      part * ((long double)points[next].shift - (long double)points[next - 1].shift));
}
