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

static uint64_t code_address(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
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
    uint64_t site = operation != NULL ? operation->site : code_address(said.codeptr_ra);
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

/* Returns the region: the construct's for a kernel of a target construct, otherwise one with the
 * activity's own name. */
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

/* Meaning of a record: a region's begin or end, or an event without duration (endpoint 0). */
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

/* First two fields of the members that have a kind and an endpoint, or only an endpoint. */
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
    omptape_intervals_add(writer, device, &interval);
}

static void begin_scope(struct omptape_device *device, const struct omptape_device_scope *scope)
{
    if (device->scope_count >= MAX_SCOPES ||
        !OMPTAPE_APPEND(device->scopes, device->scope_count, device->scope_capacity, *scope))
        device->counts.invalid++;
}

/* Removes the innermost open scope of that thread and kind, and copies it to `begun`. Returns false if
 * there is none. */
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

/* Returns the type of the begin, because the begin and end of some scopes have different types. */
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

/* Translates an OMPT record of an event inside a device, of a type other than target, data operation and
 * submission. */
static void take_scope(struct omptape_writer *writer, struct omptape_device *device,
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
