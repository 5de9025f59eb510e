/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adds to work how much of it was time in a run queue (build.h). The kernel's sums of running and queued time
 * since the thread began are read at intervals. Between two readings all that the thread did has the same
 * share of queued time.
 */
#include "src/model/build.h"

#include "src/core/whole.h"

#include <math.h>

void build_note_work(struct build *build, struct build_location *location, uint32_t op, uint64_t ns)
{
    struct build_work *last =
        location->works.count > 0 ? &location->works.list[location->works.count - 1] : NULL;
    if (last != NULL && last->op == op)
        last->ns += ns;
    else if (location->has_readings && op != MODEL_NONE && BUILD_RESERVE(build, location->works))
        location->works.list[location->works.count++] = (struct build_work){op, ns};
}

/* Sets which part of an operation is time in a run queue. The noted work has this share of it. */
static void set_queued(struct build *build, const struct build_work *work, double share)
{
    struct model *model = build->model;
    const double all = (double)model->ops.list[work->op].ns;
    if (all == 0 || (share == 0 && work->op >= model->queued.count))
        return;
    if (!OMPTAPE_RESERVE(model->queued.list, work->op + 1, &model->queued.capacity)) {
        build->no_memory = true;
        return;
    }
    while (model->queued.count <= work->op)
        model->queued.list[model->queued.count++] = 0;
    uint8_t *queued = &model->queued.list[work->op];
    const double before = (double)*queued * (all - (double)work->ns) / all;
    *queued = (uint8_t)fmin(0.5 + before + share * (double)MODEL_ALL_QUEUED * (double)work->ns / all,
                            MODEL_ALL_QUEUED);
}

void build_reading(struct build *build, struct build_location *location, const struct omptape_event *event)
{
    if (!omptape_event_is_scheduling_metric(event))
        return;
    const double running = (double)omptape_minus(event->values[0].unsigned_int, location->running);
    const double queued = (double)omptape_minus(event->values[1].unsigned_int, location->queued);
    for (uint32_t i = 0; i < location->works.count; i++)
        set_queued(build, &location->works.list[i], queued > 0 ? queued / (queued + running) : 0);
    location->works.count = 0;
    location->has_readings = true;
    location->running = event->values[0].unsigned_int;
    location->queued = event->values[1].unsigned_int;
}
