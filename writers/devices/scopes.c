/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What devices record of OpenMP inside them: parallel regions, loops, barriers of their threads. Begin and
 * end are joined here. Called by records.c.
 */
#include "writers/devices/scopes.h"

#include "src/core/array.h"
#include "writers/devices/track.h"
#include "writers/regions/kinds.h"
#include "writers/regions/references.h"

#include <omptape/ompt.h>
#include <string.h>

enum { TIME = 0, THREAD = 1, TARGET = 2, MEMBER = 3 };
/* More at once than this is no nesting but ends that never came. */
enum { MOST_SCOPES = 65536 };

/* What a record says: a region's begin or end, or something that has no duration (endpoint 0). */
struct scope_meaning {
    enum omptape_region_kind kind;
    unsigned endpoint;
};

static enum omptape_region_kind sync_kind(unsigned kind)
{
    switch (kind) {
    case ompt_sync_region_taskwait:
        return OMPTAPE_REGION_TASKWAIT;
    case ompt_sync_region_taskgroup:
        return OMPTAPE_REGION_TASKGROUP;
    case ompt_sync_region_reduction:
        return OMPTAPE_REGION_REDUCTION;
    case ompt_sync_region_barrier_explicit:
        return OMPTAPE_REGION_BARRIER;
    default:
        return OMPTAPE_REGION_IMPLICIT_BARRIER;
    }
}

/* The first two fields of the members that have a kind and an endpoint, or an endpoint alone. */
struct member_head {
    uint32_t first;
    uint32_t second;
};

static struct scope_meaning scope_of(enum omptape_region_kind kind, unsigned endpoint)
{
    return (struct scope_meaning){.kind = kind, .endpoint = endpoint};
}

static struct scope_meaning meaning_of(unsigned type, struct member_head head)
{
    switch (type) {
    case ompt_callback_thread_begin:
        return scope_of(OMPTAPE_REGION_DEVICE_THREAD, ompt_scope_begin);
    case ompt_callback_thread_end:
        return scope_of(OMPTAPE_REGION_DEVICE_THREAD, ompt_scope_end);
    case ompt_callback_parallel_begin:
        return scope_of(OMPTAPE_REGION_PARALLEL, ompt_scope_begin);
    case ompt_callback_parallel_end:
        return scope_of(OMPTAPE_REGION_PARALLEL, ompt_scope_end);
    case ompt_callback_implicit_task:
        return scope_of(OMPTAPE_REGION_IMPLICIT_TASK, head.first);
    case ompt_callback_work:
        return scope_of(omptape_region_of_work(head.first), head.second);
    case ompt_callback_masked:
        return scope_of(OMPTAPE_REGION_MASKED, head.first);
    case ompt_callback_sync_region:
    case ompt_callback_sync_region_wait:
    case ompt_callback_reduction:
        return scope_of(sync_kind(head.first), head.second);
    case ompt_callback_nest_lock:
        return scope_of(OMPTAPE_REGION_SET_NEST_LOCK, head.first);
    case ompt_callback_task_create:
        return scope_of(OMPTAPE_REGION_TASK_CREATE, 0);
    case ompt_callback_flush:
        return scope_of(OMPTAPE_REGION_FLUSH, 0);
    case ompt_callback_cancel:
        return scope_of(OMPTAPE_REGION_CANCEL, 0);
    case ompt_callback_dispatch:
        return scope_of(OMPTAPE_REGION_LOOP_CHUNK, 0);
    case ompt_callback_mutex_acquire:
    case ompt_callback_mutex_acquired:
    case ompt_callback_mutex_released:
    case ompt_callback_lock_init:
    case ompt_callback_lock_destroy:
        return scope_of(OMPTAPE_REGION_DEVICE_MUTEX, 0);
    case ompt_callback_target_map:
    case ompt_callback_target_map_emi:
        return scope_of(OMPTAPE_REGION_TARGET_MAP, 0);
    case ompt_callback_control_tool:
        return scope_of(OMPTAPE_REGION_CONTROL_TOOL, 0);
    case ompt_callback_dependences:
    case ompt_callback_task_dependence:
    case ompt_callback_task_schedule:
        return scope_of(OMPTAPE_REGION_DEVICE_TASK, 0);
    default:
        return scope_of(OMPTAPE_REGION_KIND_COUNT, 0);
    }
}

static void add_scope(struct omptape_writer *writer, struct omptape_device *device,
                      const struct omptape_device_scope *begun, uint64_t end, uint64_t delivered)
{
    struct omptape_interval interval = {.begin = begun->begin,
                                        .end = end,
                                        .delivered = delivered,
                                        .key = begun->thread,
                                        .target = begun->target,
                                        .region = omptape_references_get(writer, begun->kind, 0),
                                        .peer = INT32_MIN,
                                        .lane = OMPTAPE_LANE_THREAD,
                                        .point = begun->begin == end};
    omptape_track_add(writer, device, &interval);
}

static void begin_scope(struct omptape_device *device, const struct omptape_device_scope *scope)
{
    struct omptape_device_scope *scopes =
        device->scope_count < MOST_SCOPES ? omptape_array_reserve(device->scopes, device->scope_count + 1,
                                                                  &device->scope_capacity, sizeof(*scopes))
                                          : NULL;
    if (scopes == NULL) {
        device->counts.invalid++;
        return;
    }
    device->scopes = scopes;
    device->scopes[device->scope_count++] = *scope;
}

/* The innermost one of that thread and kind. */
static bool take_begun(struct omptape_device *device, const struct omptape_device_scope *ended,
                       struct omptape_device_scope *begun)
{
    for (uint32_t i = device->scope_count; i-- > 0;) {
        const struct omptape_device_scope *scope = &device->scopes[i];
        if (scope->thread != ended->thread || scope->kind != ended->kind || scope->type != ended->type)
            continue;
        *begun = *scope;
        device->scope_count--;
        memmove(&device->scopes[i], &device->scopes[i + 1],
                (device->scope_count - i) * sizeof(device->scopes[0]));
        return true;
    }
    return false;
}

/* Begin and end of some have types of their own. */
static unsigned pair_of(unsigned type)
{
    switch (type) {
    case ompt_callback_thread_end:
        return ompt_callback_thread_begin;
    case ompt_callback_parallel_end:
        return ompt_callback_parallel_begin;
    default:
        return type;
    }
}

void omptape_device_scope_record(struct omptape_writer *writer, struct omptape_device *device,
                                 const struct omptape_record *record)
{
    struct member_head head = {0, 0};
    if (record->words > OMPTAPE_RECORD_HEADER_WORDS + MEMBER)
        memcpy(&head, &record->p[MEMBER], sizeof(head));
    struct scope_meaning meaning = meaning_of(record->a, head);
    if (meaning.kind == OMPTAPE_REGION_KIND_COUNT || record->p[TIME] == 0) {
        device->counts.invalid += meaning.kind == OMPTAPE_REGION_KIND_COUNT;
        device->counts.undated += meaning.kind != OMPTAPE_REGION_KIND_COUNT;
        return;
    }
    struct omptape_device_scope scope = {.thread = record->p[THREAD],
                                         .target = record->p[TARGET],
                                         .begin = record->p[TIME],
                                         .type = pair_of(record->a),
                                         .kind = meaning.kind};
    struct omptape_device_scope begun;
    if (meaning.endpoint == ompt_scope_begin)
        begin_scope(device, &scope);
    else if (meaning.endpoint == ompt_scope_end && take_begun(device, &scope, &begun))
        add_scope(writer, device, &begun, scope.begin, record->time);
    else
        add_scope(writer, device, &scope, scope.begin, record->time);
}

void omptape_device_scopes_finish(struct omptape_writer *writer, struct omptape_device *device)
{
    for (uint32_t i = 0; i < device->scope_count; i++)
        add_scope(writer, device, &device->scopes[i], device->scopes[i].begin, 0);
    device->scope_count = 0;
}
