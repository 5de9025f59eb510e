/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adds kernels and transfers of devices to the model (build.h). A device's stream is a thread of the model.
 * Each of its operations begins when the host has asked for it and the one before has ended. One that begins
 * just after the end of an operation of another stream, and could have begun before, waits for that one. A
 * thread in a target construct waits for an operation that ends between two of its events.
 */
#include "src/model/build.h"

#include "src/core/buckets.h"
#include "src/core/whole.h"

#include <string.h>

/* The host's request for an operation. */
struct build_request {
    struct build_location *host;
    uint32_t op; /* its MODEL_CALL_BEGIN */
    uint64_t time;
};

bool build_is_stream(const struct omptape_reader *reader, const struct omptape_definition *location)
{
    const char *name = omptape_reader_name(reader, OMPTAPE_DEF_LOCATION, location->id);
    /* Where the host observed the operations, they have the host's times. */
    return omptape_location_device(reader, location) != NULL && name != NULL &&
           strstr(name, "host-observed") == NULL;
}

void build_request(struct build *build, struct build_location *location, const struct omptape_event *event,
                   uint64_t time)
{
    uint64_t operation;
    (void)omptape_event_number(build->model->reader, event, READER_OPERATION_ID, &operation);
    struct build_request *request = operation != 0
                                        ? omptape_pairs_obtain(&build->requests, &build->arena,
                                                               location->process, operation, sizeof(*request))
                                        : NULL;
    if (request != NULL)
        *request = (struct build_request){.host = location,
                                          .op = build_add(build, location, MODEL_CALL_BEGIN, MODEL_NONE, 0),
                                          .time = time};
}

/* Returns the request for the operation that the event begins, or NULL. */
static struct build_request *find_request(const struct build *build, const struct omptape_event *event)
{
    uint64_t host;
    uint64_t operation;
    (void)omptape_event_number(build->model->reader, event, READER_HOST_THREAD, &host);
    (void)omptape_event_number(build->model->reader, event, READER_OPERATION_ID, &operation);
    const struct build_location *location = omptape_pairs_get(&build->locations, 0, host);
    return location != NULL ? omptape_pairs_get(&build->requests, location->process, operation) : NULL;
}

/* Returns when the open operation was asked for and the one before had ended. */
static uint64_t ready_at(const struct build_location *stream)
{
    const uint64_t asked = stream->request->time;
    return asked > stream->ended_at ? asked : stream->ended_at;
}

/* Returns the operation of another stream for which one that begins at `time` waited when ready; or end 0. */
static struct build_awaited find_before(const struct build_location *stream, uint64_t ready, uint64_t time)
{
    const uint64_t max_lag_ns = 20000;
    const struct build_awaited *newest = &stream->device->newest;
    const struct build_awaited *before = newest->thread != stream->thread ? newest : &stream->device->other;
    const uint64_t lag = omptape_minus(time, before->end);
    return before->end > ready && before->end <= time && lag <= max_lag_ns && lag < before->end - ready
               ? *before
               : (struct build_awaited){.end = 0};
}

static void begin_operation(struct build *build, struct build_location *stream,
                            const struct omptape_event *event, uint64_t time)
{
    const struct omptape_definition *region =
        omptape_reader_find(build->model->reader, OMPTAPE_DEF_REGION, event->refs[0].id);
    if (stream->nested++ > 0 || region == NULL || omptape_reader_device_work(region) == OMPTAPE_DEVICE_OTHER)
        return;
    stream->request = find_request(build, event);
    stream->operation = region;
    stream->begin = time;
    stream->before = stream->request != NULL ? find_before(stream, ready_at(stream), time)
                                             : (struct build_awaited){.end = 0};
    build->model->device += stream->request == NULL;
}

static uint32_t append(struct build *build, const struct build_location *stream, enum model_op_kind kind,
                       uint32_t place, uint64_t ns)
{
    struct model_op op = {.kind = (uint64_t)kind & ((1U << MODEL_KIND_BITS) - 1), .arg = MODEL_NONE};
    op.place = place & (MODEL_MAX_PLACES - 1);
    build_set_ns(&op, ns);
    return build_append(build, stream->strand, op);
}

static void note_end(struct build_device *device, const struct build_awaited *ended)
{
    if (device->newest.thread != ended->thread)
        device->other = device->newest;
    device->newest = *ended;
}

/* What the stream needed after the request and the operation before is a lag, which no scenario changes. */
static void end_operation(struct build *build, struct build_location *stream, uint64_t time)
{
    const struct build_request *request = stream->request;
    const struct build_awaited *before = &stream->before;
    const uint32_t place = build_find_place(build, 0, stream->operation);
    const uint64_t ready = before->end > 0 ? before->end : ready_at(stream);
    const uint32_t needs = append(build, stream, MODEL_CALL_END, place, omptape_minus(stream->begin, ready));
    if (needs != MODEL_NONE)
        build->model->ops.list[needs].flag = true;
    build_depend(build, request->op, request->time, needs);
    if (before->end > 0)
        build_depend(build, before->op, before->end, needs);
    append(build, stream, MODEL_WORK, place, omptape_minus(time, stream->begin));
    request->host->awaited = (struct build_awaited){.op = append(build, stream, MODEL_CALL_BEGIN, place, 0),
                                                    .thread = stream->thread,
                                                    .begin = stream->begin,
                                                    .end = time};
    note_end(stream->device, &request->host->awaited);
    stream->ended_at = time;
    stream->request = NULL;
}

void build_device_event(struct build *build, struct build_location *stream, const struct omptape_event *event,
                        uint64_t time)
{
    if (event->kind == OMPTAPE_EVENT_ENTER)
        begin_operation(build, stream, event, time);
    if (event->kind != OMPTAPE_EVENT_LEAVE || stream->nested == 0)
        return;
    stream->nested--;
    if (stream->nested == 0 && stream->request != NULL)
        end_operation(build, stream, time);
}

bool build_is_at_device(const struct build_location *location)
{
    const struct build_frame *top = build_top(location);
    const unsigned bucket = top != NULL && top->kind < OMPTAPE_REGION_KIND_COUNT
                                ? omptape_bucket_rules[top->kind].bucket
                                : OMPTAPE_BUCKET_COUNT;
    return bucket == OMPTAPE_BUCKET_TARGET || bucket == OMPTAPE_BUCKET_TRANSFER;
}

bool build_waits_for_device(const struct build_location *location, uint64_t time)
{
    return build_is_at_device(location) && location->awaited.end > location->last &&
           location->awaited.end <= time;
}

/* The kernel's readings lie between the begin of a wait and its end: until the last it was taken for work. */
static void shorten_work(const struct build *build, const struct build_location *location, uint64_t ns)
{
    const uint32_t last = build->model->strands.list[location->current].last;
    struct model_op *op = last != MODEL_NONE ? &build->model->ops.list[last] : NULL;
    if (op != NULL && op->kind == MODEL_WORK && op->place == build_place(build, location))
        build_set_ns(op, omptape_minus(op->ns, ns));
}

void build_wait_for_device(struct build *build, struct build_location *location, uint64_t time)
{
    shorten_work(build, location, omptape_minus(location->last, location->awaited.begin));
    build_depend(build, location->awaited.op, location->awaited.end,
                 build_add(build, location, MODEL_CALL_END, MODEL_NONE, time - location->awaited.end));
}
