/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translates records of kernels, transfers and other activity of devices. Called by devices.c.
 */
#include "writers/devices/state.h"

#include "src/core/array.h"
#include "writers/devices/devices.h"
#include "writers/regions/kinds.h"
#include "writers/regions/references.h"

#include <omptape/ompt.h>
#include <string.h>

/* Payload of DEVICE_RECORD, of all types (include/omptape/record.h). */
enum { TIME = 0, THREAD = 1, TARGET = 2, MEMBER = 3 };
/* Payload of DEVICE_NATIVE. */
enum {
    START = 0,
    END = 1,
    UNIT = 2,
    OPERATION = 3,
    BYTES = 4,
    KIND = 5,
    SIZE = 6,
    CORRELATION = 7,
    NAME = 9
};

/* Copies the union's member out of the record. Returns false if the record is too short. */
static bool copy_member(const struct omptape_record *record, void *to, size_t bytes)
{
    if (omptape_record_payload(record) * 8 < MEMBER * 8 + bytes)
        return false;
    memcpy(to, &record->p[MEMBER], bytes);
    return true;
}

static bool is_known_device(struct omptape_writer *writer, int32_t number)
{
    return omptape_device_find(writer, number) != NULL;
}

/* Returns the device of the record's operation: some runtimes deliver all records as device 0's. */
static struct omptape_device *true_device(struct omptape_writer *writer, struct omptape_device *device,
                                          const struct omptape_operation *operation)
{
    if (operation == NULL || operation->device == device->number || operation->peer == device->number)
        return device;
    struct omptape_device *other = omptape_device_find(writer, operation->device);
    if (other == NULL)
        return device;
    device->counts.repaired++;
    return other;
}

/* Stores the times of an operation's first record. Returns true if this record repeats it. */
static bool is_repeated(struct omptape_operation *operation, uint64_t begin, uint64_t end)
{
    if (operation->matched)
        return begin != 0 && operation->matched_begin == begin && operation->matched_end == end;
    operation->matched = true;
    operation->matched_begin = begin;
    operation->matched_end = end;
    return false;
}

static void add_interval(struct omptape_writer *writer, struct omptape_device *device,
                         struct omptape_interval *interval, struct omptape_operation *operation)
{
    device = true_device(writer, device, operation);
    if (operation != NULL && is_repeated(operation, interval->begin, interval->end)) {
        device->counts.duplicates++;
        return;
    }
    interval->operation = operation;
    interval->untimed = interval->begin == 0;
    omptape_operations_acquire(operation);
    omptape_intervals_add(writer, device, interval);
}

/* Handles a known fault of runtimes: a transfer has the id of the kernel to which it belongs, or none. */
static struct omptape_operation *find_match(struct omptape_writer *writer, struct omptape_device *device,
                                            const struct omptape_operation_key *like)
{
    struct omptape_operation *operation = omptape_operations_match(&writer->devices->operations, like);
    device->counts.repaired += operation != NULL && !operation->matched;
    return operation;
}

static void take_data_op(struct omptape_writer *writer, struct omptape_device *device,
                         const struct omptape_record *record)
{
    ompt_record_target_data_op_t said;
    if (!copy_member(record, &said, sizeof(said))) {
        device->counts.invalid++;
        return;
    }
    unsigned type = (unsigned)said.optype;
    enum omptape_region_kind kind = omptape_region_of_operation(type);
    struct omptape_operation *operation =
        omptape_operations_find(&writer->devices->operations, said.host_op_id);
    if (operation == NULL || operation->type != type)
        operation = find_match(writer, device,
                               &(struct omptape_operation_key){.target = record->p[TARGET],
                                                               .bytes = said.bytes,
                                                               .begin = record->p[TIME],
                                                               .end = said.end_time,
                                                               .type = type});
    bool copies = kind == OMPTAPE_REGION_TARGET_TO_DEVICE || kind == OMPTAPE_REGION_TARGET_FROM_DEVICE;
    bool between = copies && said.src_device_num != said.dest_device_num &&
                   is_known_device(writer, said.src_device_num) &&
                   is_known_device(writer, said.dest_device_num);
    int32_t other = said.src_device_num == device->number ? said.dest_device_num : said.src_device_num;
    uint64_t site = operation != NULL ? operation->site : (uint64_t)(uintptr_t)said.codeptr_ra;
    add_interval(writer, device,
                 &(struct omptape_interval){.begin = record->p[TIME],
                                            .end = said.end_time,
                                            .delivered = record->time,
                                            .bytes = said.bytes,
                                            .target = record->p[TARGET],
                                            .region = omptape_references_get(writer, kind, site),
                                            .peer = between ? other : INT32_MIN,
                                            .copy = OMPTAPE_COPY_OTHER,
                                            .lane = OMPTAPE_LANE_STREAM},
                 operation);
}

static void take_kernel(struct omptape_writer *writer, struct omptape_device *device,
                        const struct omptape_record *record)
{
    ompt_record_target_kernel_t said;
    if (!copy_member(record, &said, sizeof(said))) {
        device->counts.invalid++;
        return;
    }
    struct omptape_operation *operation =
        omptape_operations_find(&writer->devices->operations, said.host_op_id);
    if (operation == NULL || operation->type != 0)
        operation =
            find_match(writer, device,
                       &(struct omptape_operation_key){
                           .target = record->p[TARGET], .begin = record->p[TIME], .end = said.end_time});
    uint64_t site = operation != NULL ? operation->site : 0;
    add_interval(
        writer, device,
        &(struct omptape_interval){.begin = record->p[TIME],
                                   .end = said.end_time,
                                   .delivered = record->time,
                                   .target = record->p[TARGET],
                                   .region = omptape_references_get(writer, OMPTAPE_REGION_KERNEL, site),
                                   .granted = said.granted_num_teams,
                                   .peer = INT32_MIN,
                                   .lane = OMPTAPE_LANE_STREAM},
        operation);
}

static enum omptape_region_kind native_kind(enum omptape_activity activity, enum omptape_copy copy)
{
    static const enum omptape_region_kind kinds[] = {[OMPTAPE_ACTIVITY_OTHER] = OMPTAPE_REGION_ACTIVITY,
                                                     [OMPTAPE_ACTIVITY_KERNEL] = OMPTAPE_REGION_KERNEL,
                                                     [OMPTAPE_ACTIVITY_COPY] = OMPTAPE_REGION_COPY,
                                                     [OMPTAPE_ACTIVITY_SET] = OMPTAPE_REGION_SET,
                                                     [OMPTAPE_ACTIVITY_SYNC] = OMPTAPE_REGION_SYNCHRONIZE,
                                                     [OMPTAPE_ACTIVITY_ALLOC] = OMPTAPE_REGION_ALLOC,
                                                     [OMPTAPE_ACTIVITY_FREE] = OMPTAPE_REGION_FREE};
    if (activity == OMPTAPE_ACTIVITY_COPY && copy == OMPTAPE_COPY_TO_DEVICE)
        return OMPTAPE_REGION_COPY_TO_DEVICE;
    if (activity == OMPTAPE_ACTIVITY_COPY && copy == OMPTAPE_COPY_FROM_DEVICE)
        return OMPTAPE_REGION_COPY_FROM_DEVICE;
    return activity < sizeof(kinds) / sizeof(kinds[0]) ? kinds[activity] : OMPTAPE_REGION_ACTIVITY;
}

/* Returns the region: the construct's for a target construct's kernel, else one with the activity's name. */
static OTF2_RegionRef native_region(struct omptape_writer *writer, enum omptape_activity activity,
                                    enum omptape_copy copy, const struct omptape_operation *operation,
                                    const char *name)
{
    bool named = name[0] != '\0';
    if (activity == OMPTAPE_ACTIVITY_KERNEL && operation != NULL && operation->site != 0)
        return omptape_references_get(writer, OMPTAPE_REGION_KERNEL, operation->site);
    if (activity == OMPTAPE_ACTIVITY_COPY && operation != NULL)
        return omptape_references_get(writer, operation->kind, operation->site);
    return named ? omptape_references_get_named(writer, native_kind(activity, copy), name)
                 : omptape_references_get(writer, native_kind(activity, copy), 0);
}

static bool is_explanation(const struct omptape_record *record)
{
    return (record->a >> 8) == OMPTAPE_ACTIVITY_OTHER && record->p[START] == 0 && record->p[END] == 0 &&
           record->p[OPERATION] != 0 && record->p[CORRELATION] != 0;
}

/* Returns the change of memory by allocations outside OpenMP. The host reports OpenMP's allocations. */
static int64_t memory_change(enum omptape_activity activity, enum omptape_copy copy, uint64_t bytes)
{
    if (copy == OMPTAPE_COPY_HOST || bytes > INT64_MAX)
        return 0;
    return activity == OMPTAPE_ACTIVITY_ALLOC  ? (int64_t)bytes
           : activity == OMPTAPE_ACTIVITY_FREE ? -(int64_t)bytes
                                               : 0;
}

void omptape_device_native(struct omptape_writer *writer, struct omptape_device *device,
                           const struct omptape_record *record)
{
    struct omptape_operations *operations = &writer->devices->operations;
    if (is_explanation(record)) {
        omptape_correlations_insert(&operations->correlations, record->p[CORRELATION], record->p[OPERATION]);
        return;
    }
    device->counts.records++;
    enum omptape_activity activity = (enum omptape_activity)(record->a >> 8);
    enum omptape_copy copy = (enum omptape_copy)(record->p[KIND] & 0xffU);
    uint64_t id = record->p[OPERATION];
    struct omptape_operation *operation =
        id == 0 && record->p[CORRELATION] != 0
            ? omptape_operations_find_correlated(operations, record->p[CORRELATION])
            : omptape_operations_find(operations, id);
    const char *name = omptape_device_text(record, NAME, NULL);
    add_interval(
        writer, device,
        &(struct omptape_interval){
            .begin = record->p[START],
            .end = record->p[END],
            .delivered = record->time,
            .key = record->p[UNIT],
            .bytes = record->p[BYTES],
            .correlation = record->p[CORRELATION],
            .memory_change = memory_change(activity, copy, record->p[BYTES]),
            .region = native_region(writer, activity, copy, operation, name),
            .granted = (uint32_t)record->p[SIZE],
            .threads = (uint32_t)(record->p[SIZE] >> 32),
            .peer = copy == OMPTAPE_COPY_PEER ? (int32_t)(uint32_t)(record->p[KIND] >> 32) : INT32_MIN,
            .copy = (uint8_t)copy,
            .lane = activity == OMPTAPE_ACTIVITY_SYNC ? OMPTAPE_LANE_SYNC : OMPTAPE_LANE_STREAM},
        operation);
}

/* More open scopes than this are no nesting but missing ends. */
enum { MAX_SCOPES = 65536 };

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

/* First two fields of the members that have a kind and an endpoint, or only an endpoint. */
struct member_head {
    uint32_t first;
    uint32_t second;
};

/* Endpoints besides ompt_scope_endpoint_t: of an event without duration, or in a field of the member. */
enum { POINT = 0, IN_FIRST = 8, IN_SECOND };

/* Meaning of the types of records of events inside a device. The kind of region is OMPTAPE_REGION_KIND_COUNT
 * if the first field determines it. */
static const struct {
    uint8_t begins; /* Type of the begin; 0 if the type is unknown. */
    uint8_t kind;
    uint8_t endpoint;
} meanings[] = {
#define MEANING(type, kind, endpoint) [ompt_callback_##type] = {ompt_callback_##type, kind, endpoint}
    MEANING(thread_begin, OMPTAPE_REGION_DEVICE_THREAD, ompt_scope_begin),
    [ompt_callback_thread_end] = {ompt_callback_thread_begin, OMPTAPE_REGION_DEVICE_THREAD, ompt_scope_end},
    MEANING(parallel_begin, OMPTAPE_REGION_PARALLEL, ompt_scope_begin),
    [ompt_callback_parallel_end] = {ompt_callback_parallel_begin, OMPTAPE_REGION_PARALLEL, ompt_scope_end},
    MEANING(implicit_task, OMPTAPE_REGION_IMPLICIT_TASK, IN_FIRST),
    MEANING(work, OMPTAPE_REGION_KIND_COUNT, IN_SECOND),
    MEANING(masked, OMPTAPE_REGION_MASKED, IN_FIRST),
    MEANING(sync_region, OMPTAPE_REGION_KIND_COUNT, IN_SECOND),
    MEANING(sync_region_wait, OMPTAPE_REGION_KIND_COUNT, IN_SECOND),
    MEANING(reduction, OMPTAPE_REGION_KIND_COUNT, IN_SECOND),
    MEANING(nest_lock, OMPTAPE_REGION_SET_NEST_LOCK, IN_FIRST),
    MEANING(task_create, OMPTAPE_REGION_TASK_CREATE, POINT),
    MEANING(flush, OMPTAPE_REGION_FLUSH, POINT),
    MEANING(cancel, OMPTAPE_REGION_CANCEL, POINT),
    MEANING(dispatch, OMPTAPE_REGION_LOOP_CHUNK, POINT),
    MEANING(mutex_acquire, OMPTAPE_REGION_DEVICE_MUTEX, POINT),
    MEANING(mutex_acquired, OMPTAPE_REGION_DEVICE_MUTEX, POINT),
    MEANING(mutex_released, OMPTAPE_REGION_DEVICE_MUTEX, POINT),
    MEANING(lock_init, OMPTAPE_REGION_DEVICE_MUTEX, POINT),
    MEANING(lock_destroy, OMPTAPE_REGION_DEVICE_MUTEX, POINT),
    MEANING(target_map, OMPTAPE_REGION_TARGET_MAP, POINT),
    MEANING(target_map_emi, OMPTAPE_REGION_TARGET_MAP, POINT),
    MEANING(control_tool, OMPTAPE_REGION_CONTROL_TOOL, POINT),
    MEANING(dependences, OMPTAPE_REGION_DEVICE_TASK, POINT),
    MEANING(task_dependence, OMPTAPE_REGION_DEVICE_TASK, POINT),
    MEANING(task_schedule, OMPTAPE_REGION_DEVICE_TASK, POINT),
#undef MEANING
};

/* Returns the kind of region, or OMPTAPE_REGION_KIND_COUNT if the record's type is unknown. */
static enum omptape_region_kind scope_kind(unsigned type, unsigned first)
{
    if (type >= sizeof(meanings) / sizeof(meanings[0]) || meanings[type].begins == 0)
        return OMPTAPE_REGION_KIND_COUNT;
    if (meanings[type].kind != OMPTAPE_REGION_KIND_COUNT)
        return (enum omptape_region_kind)meanings[type].kind;
    return type == ompt_callback_work ? omptape_region_of_work(first) : sync_kind(first);
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
    omptape_intervals_add(writer, device, &interval);
}

static void begin_scope(struct omptape_device *device, const struct omptape_device_scope *scope)
{
    if (device->scope_count >= MAX_SCOPES ||
        !OMPTAPE_APPEND(device->scopes, device->scope_count, device->scope_capacity, *scope))
        device->counts.invalid++;
}

/* Removes the innermost open scope of that thread and kind, copied to `begun`. False if there is none. */
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

/* Translates an OMPT record of an event inside a device, other than target, data operation and submission. */
static void take_scope(struct omptape_writer *writer, struct omptape_device *device,
                       const struct omptape_record *record)
{
    struct member_head head = {0, 0};
    if (record->words > OMPTAPE_RECORD_HEADER_WORDS + MEMBER)
        memcpy(&head, &record->p[MEMBER], sizeof(head));
    const enum omptape_region_kind kind = scope_kind(record->a, head.first);
    if (kind == OMPTAPE_REGION_KIND_COUNT || record->p[TIME] == 0) {
        device->counts.invalid += kind == OMPTAPE_REGION_KIND_COUNT;
        device->counts.undated += kind != OMPTAPE_REGION_KIND_COUNT;
        return;
    }
    unsigned endpoint = meanings[record->a].endpoint;
    if (endpoint >= IN_FIRST)
        endpoint = endpoint == IN_FIRST ? head.first : head.second;
    struct omptape_device_scope scope = {.thread = record->p[THREAD],
                                         .target = record->p[TARGET],
                                         .begin = record->p[TIME],
                                         .type = meanings[record->a].begins,
                                         .kind = kind};
    struct omptape_device_scope begun;
    if (endpoint == ompt_scope_begin)
        begin_scope(device, &scope);
    else if (endpoint == ompt_scope_end && take_begun(device, &scope, &begun))
        add_scope(writer, device, &begun, scope.begin, record->time);
    else
        add_scope(writer, device, &scope, scope.begin, record->time);
}

void omptape_device_record(struct omptape_writer *writer, struct omptape_device *device,
                           const struct omptape_record *record)
{
    device->counts.records++;
    switch (record->a) {
    case ompt_callback_target:
    case ompt_callback_target_emi:
        /* The host's timeline has the construct. */
        return;
    case ompt_callback_target_data_op:
    case ompt_callback_target_data_op_emi:
        take_data_op(writer, device, record);
        return;
    case ompt_callback_target_submit:
    case ompt_callback_target_submit_emi:
        take_kernel(writer, device, record);
        return;
    default:
        take_scope(writer, device, record);
        return;
    }
}

void omptape_device_scopes_finish(struct omptape_writer *writer, struct omptape_device *device)
{
    for (uint32_t i = 0; i < device->scope_count; i++)
        add_scope(writer, device, &device->scopes[i], device->scopes[i].begin, 0);
    device->scope_count = 0;
}
