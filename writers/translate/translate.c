/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sends each record to the file of its family, after ending what its coming shows to be over. Called by the
 * merge for each record.
 */
#include "writers/translate/translate.h"

#include "writers/devices/devices.h"
#include "writers/model/locations.h"
#include "writers/model/sched.h"
#include "writers/model/threads.h"
#include "writers/regions/choice.h"
#include "writers/regions/references.h"
#include "writers/translate/close.h"
#include "writers/translate/mutex.h"
#include "writers/translate/parallel.h"
#include "writers/translate/stack.h"
#include "writers/translate/translators.h"

#include <omptape/ompt.h>
#include <stdlib.h>

/* Classes of regions that the coming of any record but a few shows to be over. */
enum { BIT_CREATE = 1 << OMPTAPE_CLASS_CREATE, BIT_MUTEX = 1 << OMPTAPE_CLASS_MUTEX };

/* `words`: the least that the record must have; a shorter one is damaged and ignored. The end of a scope may
 * lack `begin_words` of them. */
struct translator {
    omptape_translator *translate; /* NULL: there is nothing to translate */
    uint8_t words;
    uint8_t begin_words;
    bool late_end;      /* a worker still tells it of a region that has ended, */
    bool late_at_end;   /* if it is the end of a scope */
    uint16_t goes_with; /* bits of the classes above that it belongs to */
};

/* By any value that a kind may have in damaged memory. */
static const struct translator translators[UINT8_MAX + 1] = {
    [OMPTAPE_THREAD_END] = {.translate = omptape_close_thread, .words = 2},
    [OMPTAPE_PARALLEL_BEGIN] = {.translate = omptape_parallel_begin, .words = 5},
    [OMPTAPE_PARALLEL_END] = {.translate = omptape_parallel_end, .words = 3},
    [OMPTAPE_IMPLICIT_BEGIN] = {.translate = omptape_parallel_implicit_begin, .words = 4},
    [OMPTAPE_IMPLICIT_END] = {.translate = omptape_parallel_implicit_end, .words = 3, .late_end = true},
    [OMPTAPE_TASK_CREATE] = {.translate = omptape_task_create, .words = 4},
    [OMPTAPE_TASK_SCHEDULE] = {.translate = omptape_task_schedule, .words = 4},
    [OMPTAPE_DEPENDENCES] = {.translate = omptape_task_dependences, .words = 3, .goes_with = BIT_CREATE},
    [OMPTAPE_TASK_DEPENDENCE] = {.translate = omptape_task_dependence, .words = 4, .goes_with = BIT_CREATE},
    [OMPTAPE_CANCEL] = {.translate = omptape_task_cancel, .words = 4},
    [OMPTAPE_WORK] = {.translate = omptape_work, .words = 4, .begin_words = 2},
    [OMPTAPE_DISPATCH] = {.translate = omptape_work_dispatch, .words = 4},
    [OMPTAPE_MASKED] = {.translate = omptape_work_masked, .words = 3},
    [OMPTAPE_SYNC_REGION] = {.translate = omptape_sync_region,
                             .words = 3,
                             .begin_words = 1,
                             .late_at_end = true},
    [OMPTAPE_SYNC_WAIT] = {.translate = omptape_sync_wait, .words = 3, .begin_words = 1, .late_at_end = true},
    [OMPTAPE_REDUCTION] = {.translate = omptape_sync_reduction,
                           .words = 3,
                           .begin_words = 1,
                           .late_at_end = true},
    [OMPTAPE_LOCK_INIT] = {.translate = omptape_mutex_init, .words = 4},
    [OMPTAPE_LOCK_DESTROY] = {.translate = omptape_mutex_destroy, .words = 4},
    [OMPTAPE_MUTEX_ACQUIRE] = {.translate = omptape_mutex_acquire, .words = 4},
    [OMPTAPE_MUTEX_ACQUIRED] = {.translate = omptape_mutex_acquired, .words = 4, .goes_with = BIT_MUTEX},
    [OMPTAPE_MUTEX_RELEASED] = {.translate = omptape_mutex_released, .words = 4},
    [OMPTAPE_NEST_LOCK] = {.translate = omptape_mutex_nest, .words = 4, .goes_with = BIT_MUTEX},
    [OMPTAPE_FLUSH] = {.translate = omptape_control_flush, .words = 3},
    [OMPTAPE_ERROR] = {.translate = omptape_control_error, .words = 3},
    [OMPTAPE_CONTROL_TOOL] = {.translate = omptape_control_tool, .words = 5},
    [OMPTAPE_TARGET] = {.translate = omptape_target, .words = 5, .begin_words = 2},
    [OMPTAPE_TARGET_DATA_OP] = {.translate = omptape_target_data_op, .words = 8, .begin_words = 4},
    [OMPTAPE_TARGET_SUBMIT] = {.translate = omptape_target_submit, .words = 4, .begin_words = 1},
    [OMPTAPE_TARGET_MAP] = {.translate = omptape_target_map, .words = 7},
    [OMPTAPE_DEVICE_INITIALIZE] = {.translate = omptape_target_device, .words = 2},
    [OMPTAPE_DEVICE_FINALIZE] = {.translate = omptape_target_device, .words = 2},
    [OMPTAPE_DEVICE_LOAD] = {.translate = omptape_target_device, .words = 6},
    [OMPTAPE_DEVICE_UNLOAD] = {.translate = omptape_target_device, .words = 3},
    [OMPTAPE_MPI_ENTER] = {.translate = omptape_mpi_translate_enter, .words = 2},
    [OMPTAPE_MPI_LEAVE] = {.translate = omptape_mpi_translate_leave, .words = 2},
    [OMPTAPE_MPI_SEND] = {.translate = omptape_mpi_translate_send, .words = 4},
    [OMPTAPE_MPI_RECEIVE] = {.translate = omptape_mpi_translate_receive, .words = 4},
    [OMPTAPE_MPI_REQUEST] = {.translate = omptape_mpi_translate_request, .words = 3},
    [OMPTAPE_MPI_COLLECTIVE] = {.translate = omptape_mpi_translate_collective, .words = 5},
    [OMPTAPE_MPI_COMM] = {.translate = omptape_mpi_translate_communicator, .words = 5},
    [OMPTAPE_MPI_WINDOW] = {.translate = omptape_mpi_translate_window, .words = 3},
    [OMPTAPE_MPI_RMA] = {.translate = omptape_mpi_translate_rma, .words = 3},
    [OMPTAPE_PLACE] = {.translate = omptape_control_place, .words = 2},
    [OMPTAPE_MODULE] = {.translate = omptape_control_module, .words = 6},
    [OMPTAPE_STALL] = {.translate = omptape_control_stall, .words = 4, .goes_with = BIT_CREATE | BIT_MUTEX},
    [OMPTAPE_DROPPED] = {.translate = omptape_gaps_translate, .words = 4, .goes_with = BIT_MUTEX},
};

static bool is_end(const struct omptape_record *record)
{
    return omptape_endpoint(record->a) == ompt_scope_end;
}

static bool is_late_end(const struct translator *translator, const struct omptape_record *record)
{
    return translator->late_end || (translator->late_at_end && is_end(record));
}

/* Is there something to be done before the record is translated? */
static bool is_preceded(const struct omptape_location *location, const struct translator *translator)
{
    const struct omptape_open_region *innermost = omptape_stack_innermost(location);
    unsigned open = innermost != NULL ? 1U << innermost->class : 0;
    return (open & (BIT_CREATE | BIT_MUTEX) & ~(unsigned)translator->goes_with) != 0 ||
           omptape_parallel_is_late(location) || omptape_sched_waits(location);
}

/* Ends what was begun and is told to have ended by nothing but the coming of something else. */
static void end_what_is_over(struct omptape_writer *writer, struct omptape_location *location,
                             const struct omptape_record *record, const struct translator *translator)
{
    struct omptape_open_region *innermost = omptape_stack_innermost(location);
    if (innermost != NULL && innermost->class == OMPTAPE_CLASS_CREATE &&
        (translator->goes_with & BIT_CREATE) == 0) {
        omptape_stack_leave(writer, location, innermost->begin, innermost, false);
        innermost = omptape_stack_innermost(location);
    }
    if (innermost != NULL && innermost->class == OMPTAPE_CLASS_MUTEX &&
        (translator->goes_with & BIT_MUTEX) == 0)
        omptape_mutex_give_up(writer, location, innermost);
    while (omptape_parallel_is_late(location) && !is_late_end(translator, record))
        omptape_parallel_close_frame(writer, location, record->time);
}

/* Must what was read of the thread's time wait? What is still open, and may be told to have ended long ago,
 * would end with it. */
static bool sched_must_wait(const struct omptape_location *location, const struct omptape_record *record,
                            const struct translator *translator)
{
    return record->kind >= OMPTAPE_FIRST_OWN || (translator->goes_with & BIT_CREATE) != 0 ||
           omptape_parallel_is_late(location);
}

static __attribute__((noinline)) void translate_what_precedes(struct omptape_writer *writer,
                                                              struct omptape_location *location,
                                                              const struct omptape_record *record,
                                                              const struct translator *translator)
{
    end_what_is_over(writer, location, record, translator);
    if (omptape_sched_waits(location) && !sched_must_wait(location, record, translator))
        omptape_sched_show(writer, location, record->time);
}

static bool is_whole(const struct translator *translator, const struct omptape_record *record)
{
    unsigned needed = translator->words;
    if (is_end(record))
        needed -= translator->begin_words;
    return translator->translate != NULL && record->words >= needed;
}

/* A thread that got no buffer when it began comes later, without the runtime's telling. */
static bool is_event(const struct omptape_record *record)
{
    return __builtin_expect(record->kind == OMPTAPE_THREAD_BEGIN, 0) ? record->a != 0
                                                                     : record->kind < OMPTAPE_FIRST_OWN;
}

int omptape_translate_create(struct omptape_writer *writer)
{
    static int (*const creators[])(struct omptape_writer *) = {
        omptape_threads_create,       omptape_references_create, omptape_device_create,
        omptape_teams_create,         omptape_tasks_create,      omptape_locks_create,
        omptape_communicators_create, omptape_mpi_windows_create};
    int error = 0;
    for (size_t i = 0; i < sizeof(creators) / sizeof(creators[0]) && error == 0; i++)
        error = creators[i](writer);
    return error;
}

void omptape_translate_free(struct omptape_writer *writer)
{
    omptape_tasks_free(writer);
    omptape_teams_free(writer);
    omptape_communicators_free(writer);
    omptape_mpi_windows_free(writer);
    omptape_locks_free(writer);
    omptape_locations_free(writer);
    omptape_choice_free(writer);
    omptape_device_free(writer);
    omptape_references_free(writer);
    free(writer->threads);
}

static void count(struct omptape_writer *writer, const struct omptape_record *record)
{
    writer->record_count += is_event(record);
    if (record->time > writer->last_time)
        writer->last_time = record->time;
}

void omptape_translate_own(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_record *record)
{
    const struct translator *translator = &translators[record->kind];
    count(writer, record);
    if (writer->ended || !is_whole(translator, record))
        return;
    if (__builtin_expect(is_preceded(location, translator), 0))
        translate_what_precedes(writer, location, record, translator);
    translator->translate(writer, location, record, record->time);
}

void omptape_translate(struct omptape_writer *writer, struct omptape_location *location,
                       const struct omptape_record *record)
{
    if (writer->archive.room.full) {
        writer->archive.room.unwritten += is_event(record);
        omptape_close_trace(writer, writer->last_time);
    } else if (record->kind >= OMPTAPE_FIRST_OF_DEVICES) {
        count(writer, record);
        omptape_device_translate(writer, record);
    } else if (location != NULL) {
        omptape_translate_own(writer, location, record);
    } else {
        count(writer, record);
    }
}
