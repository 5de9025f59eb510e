/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares scheduler readings (states.h).
 */
#include "src/analysis/timeline/states.h"

#include <omptape/properties.h>
#include <string.h>

static bool is_member(const struct omptape_reader *reader, const struct omptape_definition *class,
                      uint32_t number, const char *name)
{
    return number < class->member_count &&
           strcmp(omptape_reader_name(reader, OMPTAPE_DEF_METRIC_MEMBER, class->members[number]), name) == 0;
}

/* Metric classes of other tools may also have two numbers, so the members' names are compared. While a
 * profile is made, class definitions do not exist yet, and all classes are the writer's own. */
bool omptape_timeline_is_reading(struct timeline_kernel *kernel, const struct omptape_event *event)
{
    const uint64_t id = event->refs[0].id;
    if (!omptape_event_is_scheduling_metric(event))
        return false;
    if (!kernel->is_known || kernel->class != id) {
        const struct omptape_definition *class = omptape_reader_find(kernel->reader, OMPTAPE_DEF_METRIC, id);
        kernel->is_known = true;
        kernel->class = id;
        kernel->is_sums = class == NULL || (class->value[0] == 0 &&
                                            is_member(kernel->reader, class, 0, OMPTAPE_LOCATION_RUNNING) &&
                                            is_member(kernel->reader, class, 1, OMPTAPE_LOCATION_WAITING));
    }
    return kernel->is_sums;
}

/* Computes the shares of running and queued time. A reading is some microseconds older than its time
 * stamp, so the sum is limited to the interval. */
static void compare(const struct timeline_kernel *kernel, const struct timeline_reading *before,
                    const struct timeline_reading *now, struct timeline_states *did)
{
    const uint64_t resolution = kernel->reader->clock_resolution;
    const double ticks_per_ns = resolution > 0 ? (double)resolution / 1e9 : 1;
    const double all = (double)(now->time - before->time);
    const double running = (double)(now->running - before->running) * ticks_per_ns / all;
    const double queued = (double)(now->queued - before->queued) * ticks_per_ns / all;
    const double scale = running + queued > 1 ? 1 / (running + queued) : 1;
    *did = (struct timeline_states){
        .from = before->time, .to = now->time, .running = running * scale, .queued = queued * scale};
}

bool omptape_timeline_read_states(const struct timeline_kernel *kernel, struct timeline_reading *last,
                                  const struct omptape_event *event, uint64_t begin,
                                  struct timeline_states *did)
{
    /* Later times are skipped, so that no sum of times overflows. */
    static const uint64_t latest_time = UINT64_C(1) << 62;
    const struct timeline_reading now = {.time = event->time < latest_time ? event->time : latest_time,
                                         .running = event->values[0].unsigned_int,
                                         .queued = event->values[1].unsigned_int};
    struct timeline_reading before = *last;
    if (before.time == 0)
        before.time = begin;
    *last = now;
    if (now.time <= before.time || now.running < before.running || now.queued < before.queued)
        return false;
    compare(kernel, &before, &now, did);
    return true;
}
