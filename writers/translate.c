/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sends each record to the file of its family, after ending what its coming shows to be over. Called by the
 * merge for each record, on the writer's translating thread.
 */
#include "writers/translate.h"

#include "writers/control.h"
#include "writers/mutex.h"
#include "writers/parallel.h"
#include "writers/stack.h"
#include "writers/sync.h"
#include "writers/target.h"
#include "writers/task.h"
#include "writers/work.h"

#include <omptape/ompt.h>

typedef void translator(struct omptape_writer *writer, struct omptape_location *location,
                        const struct omptape_record *record, uint64_t time);

/* `words`: the least that the record must have; a shorter one is damaged and ignored. The end of a scope may
 * lack `begin_words` of them. */
static const struct {
    translator *translate;
    uint8_t words;
    uint8_t begin_words;
} table[OMPTAPE_KIND_COUNT] = {
    [OMPTAPE_PARALLEL_BEGIN] = {omptape_parallel_begin, 4},
    [OMPTAPE_PARALLEL_END] = {omptape_parallel_end, 3},
    [OMPTAPE_IMPLICIT_BEGIN] = {omptape_parallel_implicit_begin, 4},
    [OMPTAPE_IMPLICIT_END] = {omptape_parallel_implicit_end, 3},
    [OMPTAPE_TASK_CREATE] = {omptape_task_create, 4},
    [OMPTAPE_TASK_SCHEDULE] = {omptape_task_schedule, 4},
    [OMPTAPE_DEPENDENCES] = {omptape_task_dependences, 3},
    [OMPTAPE_TASK_DEPENDENCE] = {omptape_task_dependence, 4},
    [OMPTAPE_CANCEL] = {omptape_task_cancel, 4},
    [OMPTAPE_WORK] = {omptape_work, 4, 2},
    [OMPTAPE_DISPATCH] = {omptape_work_dispatch, 4},
    [OMPTAPE_MASKED] = {omptape_work_masked, 3},
    [OMPTAPE_SYNC_REGION] = {omptape_sync_region, 3, 1},
    [OMPTAPE_SYNC_WAIT] = {omptape_sync_wait, 3, 1},
    [OMPTAPE_REDUCTION] = {omptape_sync_reduction, 3, 1},
    [OMPTAPE_LOCK_INIT] = {omptape_mutex_init, 4},
    [OMPTAPE_LOCK_DESTROY] = {omptape_mutex_destroy, 4},
    [OMPTAPE_MUTEX_ACQUIRE] = {omptape_mutex_acquire, 4},
    [OMPTAPE_MUTEX_ACQUIRED] = {omptape_mutex_acquired, 4},
    [OMPTAPE_MUTEX_RELEASED] = {omptape_mutex_released, 4},
    [OMPTAPE_NEST_LOCK] = {omptape_mutex_nest, 4},
    [OMPTAPE_FLUSH] = {omptape_control_flush, 3},
    [OMPTAPE_ERROR] = {omptape_control_error, 3},
    [OMPTAPE_CONTROL_TOOL] = {omptape_control_tool, 5},
    [OMPTAPE_TARGET] = {omptape_target, 4},
    [OMPTAPE_TARGET_DATA_OP] = {omptape_target_data_op, 8},
    [OMPTAPE_TARGET_SUBMIT] = {omptape_target_submit, 4},
    [OMPTAPE_TARGET_MAP] = {omptape_target_map, 7},
    [OMPTAPE_DEVICE_INITIALIZE] = {omptape_target_device, 2},
    [OMPTAPE_DEVICE_FINALIZE] = {omptape_target_device, 2},
    [OMPTAPE_DEVICE_LOAD] = {omptape_target_device, 6},
    [OMPTAPE_DEVICE_UNLOAD] = {omptape_target_device, 3},
    [OMPTAPE_PLACE] = {omptape_control_place, 2},
    [OMPTAPE_MODULE] = {omptape_control_module, 6},
    [OMPTAPE_STALL] = {omptape_control_stall, 4},
    [OMPTAPE_DROPPED] = {omptape_control_dropped, 4},
};

/* What a worker still tells of a region that has ended. */
static bool is_late_end(const struct omptape_record *record)
{
    switch (record->kind) {
    case OMPTAPE_SYNC_REGION:
    case OMPTAPE_SYNC_WAIT:
    case OMPTAPE_REDUCTION:
        return omptape_endpoint(record->a) == ompt_scope_end;
    case OMPTAPE_IMPLICIT_END:
        return true;
    default:
        return false;
    }
}

static bool belongs_to_creation(const struct omptape_record *record)
{
    return record->kind == OMPTAPE_DEPENDENCES || record->kind == OMPTAPE_TASK_DEPENDENCE ||
           record->kind == OMPTAPE_STALL;
}

static bool answers_request(const struct omptape_record *record)
{
    return record->kind == OMPTAPE_MUTEX_ACQUIRED || record->kind == OMPTAPE_NEST_LOCK ||
           record->kind == OMPTAPE_STALL || record->kind == OMPTAPE_DROPPED;
}

static void end_what_is_over(struct omptape_writer *writer, struct omptape_location *location,
                             const struct omptape_record *record)
{
    struct omptape_open_region *innermost = omptape_stack_innermost(location);
    if (innermost != NULL && innermost->class == OMPTAPE_CLASS_CREATE && !belongs_to_creation(record))
        omptape_stack_leave(writer, location, innermost->begin, innermost, false);
    if (!answers_request(record))
        omptape_mutex_give_up(writer, location);
    while (omptape_parallel_is_late(location) && !is_late_end(record))
        omptape_parallel_close_frame(writer, location, record->time);
}

static bool is_whole(const struct omptape_record *record)
{
    if (record->kind >= OMPTAPE_KIND_COUNT || table[record->kind].translate == NULL)
        return false;
    unsigned needed = table[record->kind].words;
    if (omptape_endpoint(record->a) == ompt_scope_end)
        needed -= table[record->kind].begin_words;
    return record->words >= needed;
}

void omptape_translate(struct omptape_writer *writer, struct omptape_location *location,
                       const struct omptape_record *record)
{
    writer->record_count++;
    if (record->time > writer->last_time)
        writer->last_time = record->time;
    if (writer->ended || !is_whole(record))
        return;
    end_what_is_over(writer, location, record);
    table[record->kind].translate(writer, location, record, record->time);
}
