/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Dispatches each record to its translator, after closing regions that the record shows to have ended.
 */
#include "writers/translate/translate.h"

#include "writers/devices/devices.h"
#include "writers/regions/references.h"
#include "writers/regions/region_filter.h"
#include "writers/state/locations.h"
#include "writers/state/threads.h"
#include "writers/translate/created_threads.h"
#include "writers/translate/mpi_communicators.h"
#include "writers/translate/mpi_files.h"
#include "writers/translate/mpi_windows.h"
#include "writers/translate/mutex.h"
#include "writers/translate/samples.h"
#include "writers/translate/stack.h"
#include "writers/translate/tasks.h"

#include <errno.h>
#include <stdlib.h>

/* Translates the first record of a thread, for which its location was created or which reuses a location. */
static void begin_thread(struct omptape_writer *writer, struct omptape_location *location,
                         const struct omptape_record *record, uint64_t time)
{
    if (location->tid == record->b)
        return;
    omptape_sched_change_thread(writer, location, time);
    location->tid = record->b;
}

/* A kind's translator and the least number of words; for a scope, those of its begin and its end. */
#define ONE(function, words) .translate = {function, function}, .min_words = {words, words}
#define SCOPE(begin, words, end, end_words) .translate = {begin, end}, .min_words = {words, end_words}
#define UNUSUAL(function, words) .unusual = function, .min_words = {words, words}

const struct omptape_translation omptape_translations[UINT8_MAX + 1] = {
    [OMPTAPE_THREAD_BEGIN] = {UNUSUAL(begin_thread, 2)},
    [OMPTAPE_THREAD_END] = {ONE(omptape_close_thread, 2)},
    [OMPTAPE_PARALLEL_BEGIN] = {ONE(omptape_parallel_begin, 5)},
    [OMPTAPE_PARALLEL_END] = {ONE(omptape_parallel_end, 3)},
    [OMPTAPE_IMPLICIT_BEGIN] = {UNUSUAL(omptape_parallel_implicit_begin, 4),
                                .rank = {OMPTAPE_RANK_ANSWERS, OMPTAPE_RANK_ANSWERS}},
    [OMPTAPE_IMPLICIT_END] = {ONE(omptape_parallel_implicit_end, 3), .late_end = true},
    [OMPTAPE_TASK_CREATE] = {ONE(omptape_task_create, 4)},
    [OMPTAPE_TASK_SCHEDULE] = {ONE(omptape_task_schedule, 4),
                               .rank = {OMPTAPE_RANK_ANSWERS, OMPTAPE_RANK_ANSWERS}},
    [OMPTAPE_DEPENDENCES] = {ONE(omptape_task_dependences, 3), .keeps_open = OMPTAPE_KEEPS_CREATE},
    [OMPTAPE_TASK_DEPENDENCE] = {ONE(omptape_task_dependence, 4), .keeps_open = OMPTAPE_KEEPS_CREATE},
    [OMPTAPE_CANCEL] = {ONE(omptape_task_cancel, 4)},
    [OMPTAPE_WORK] = {SCOPE(omptape_work_begin, 4, omptape_work_end, 2)},
    [OMPTAPE_DISPATCH] = {ONE(omptape_work_dispatch, 4)},
    [OMPTAPE_MASKED] = {SCOPE(omptape_work_masked_begin, 3, omptape_work_masked_end, 3)},
    [OMPTAPE_SYNC_REGION] = {SCOPE(omptape_sync_begin, 3, omptape_sync_end, 2), .late_at_end = true,
                             .rank = {0, OMPTAPE_RANK_WAITED}},
    [OMPTAPE_SYNC_WAIT] = {SCOPE(omptape_sync_wait_begin, 3, omptape_sync_wait_end, 2), .late_at_end = true,
                           .rank = {0, OMPTAPE_RANK_WAITED}},
    [OMPTAPE_REDUCTION] = {SCOPE(omptape_sync_reduction_begin, 3, omptape_sync_reduction_end, 2),
                           .late_at_end = true},
    [OMPTAPE_LOCK_INIT] = {ONE(omptape_mutex_init, 4)},
    [OMPTAPE_LOCK_DESTROY] = {ONE(omptape_mutex_destroy, 4)},
    [OMPTAPE_MUTEX_ACQUIRE] = {ONE(omptape_mutex_acquire, 4)},
    [OMPTAPE_MUTEX_ACQUIRED] = {ONE(omptape_mutex_acquired, 4), .keeps_open = OMPTAPE_KEEPS_MUTEX},
    [OMPTAPE_MUTEX_RELEASED] = {ONE(omptape_mutex_released, 4)},
    [OMPTAPE_MUTEX_TESTS] = {ONE(omptape_mutex_tests, 4), .keeps_open = OMPTAPE_KEEPS_MUTEX},
    [OMPTAPE_NEST_LOCK] = {ONE(omptape_mutex_nest, 4), .keeps_open = OMPTAPE_KEEPS_MUTEX},
    [OMPTAPE_FLUSH] = {ONE(omptape_control_flush, 3)},
    [OMPTAPE_FLUSHES] = {SCOPE(omptape_control_flushes_begin, 3, omptape_control_flushes_end, 4),
                         .keeps_open = OMPTAPE_KEEPS_CREATE},
    [OMPTAPE_TURNS] = {ONE(omptape_task_turns, 4)},
    [OMPTAPE_ERROR] = {ONE(omptape_control_error, 3)},
    [OMPTAPE_CONTROL_TOOL] = {ONE(omptape_control_tool, 5)},
    [OMPTAPE_TARGET] = {SCOPE(omptape_target, 5, omptape_target, 3)},
    [OMPTAPE_TARGET_DATA_OP] = {SCOPE(omptape_target_data_op, 8, omptape_target_data_op, 4)},
    [OMPTAPE_TARGET_SUBMIT] = {SCOPE(omptape_target_submit, 4, omptape_target_submit, 3)},
    [OMPTAPE_TARGET_MAP] = {ONE(omptape_target_map, 7)},
    [OMPTAPE_DEVICE_INITIALIZE] = {ONE(omptape_target_device, 2)},
    [OMPTAPE_DEVICE_FINALIZE] = {ONE(omptape_target_device, 2)},
    [OMPTAPE_DEVICE_LOAD] = {ONE(omptape_target_device, 6)},
    [OMPTAPE_DEVICE_UNLOAD] = {ONE(omptape_target_device, 3)},
    [OMPTAPE_MPI_ENTER] = {ONE(omptape_mpi_translate_enter, 2)},
    [OMPTAPE_MPI_LEAVE] = {ONE(omptape_mpi_translate_leave, 2)},
    [OMPTAPE_MPI_SEND] = {ONE(omptape_mpi_translate_send, 4)},
    [OMPTAPE_MPI_RECEIVE] = {ONE(omptape_mpi_translate_receive, 4)},
    [OMPTAPE_MPI_REQUEST] = {ONE(omptape_mpi_translate_request, 3)},
    [OMPTAPE_MPI_COLLECTIVE] = {ONE(omptape_mpi_translate_collective, 5)},
    [OMPTAPE_MPI_COMM] = {ONE(omptape_mpi_translate_communicator, 5)},
    [OMPTAPE_MPI_COMM_CHANGE] = {ONE(omptape_mpi_translate_life, 3)},
    [OMPTAPE_MPI_WINDOW] = {ONE(omptape_mpi_translate_window, 3)},
    [OMPTAPE_MPI_RMA] = {ONE(omptape_mpi_translate_rma, 3)},
    [OMPTAPE_MPI_FILE] = {ONE(omptape_mpi_translate_file, 4)},
    [OMPTAPE_MPI_FILE_IO] = {ONE(omptape_mpi_translate_io, 3)},
    [OMPTAPE_USER_BEGIN] = {ONE(omptape_user_translate_begin, 2)},
    [OMPTAPE_USER_END] = {ONE(omptape_user_translate_end, 2)},
    [OMPTAPE_USER_MARK] = {ONE(omptape_user_translate_mark, 2)},
    [OMPTAPE_PLACE] = {UNUSUAL(omptape_control_place, 2)},
    [OMPTAPE_MODULE] = {UNUSUAL(omptape_control_module, 6)},
    [OMPTAPE_STALL] = {UNUSUAL(omptape_control_stall, 4),
                       .keeps_open = OMPTAPE_KEEPS_CREATE | OMPTAPE_KEEPS_MUTEX},
    [OMPTAPE_DROPPED] = {UNUSUAL(omptape_gaps_translate, 4), .keeps_open = OMPTAPE_KEEPS_MUTEX},
};

static bool is_late_end(const struct omptape_translation *translator, const struct omptape_record *record)
{
    return translator->late_end || (translator->late_at_end && omptape_translate_is_end(record));
}

/* Ends regions whose end is only implied by the next record. */
static void end_implicit_regions(struct omptape_writer *writer, struct omptape_location *location,
                                 const struct omptape_record *record,
                                 const struct omptape_translation *translator)
{
    struct omptape_open_region *innermost = omptape_stack_innermost(location);
    if (innermost != NULL && innermost->class == OMPTAPE_CLASS_CREATE &&
        (translator->keeps_open & OMPTAPE_KEEPS_CREATE) == 0) {
        omptape_stack_leave(writer, location, innermost->begin, innermost, false);
        innermost = omptape_stack_innermost(location);
    }
    if (innermost != NULL && innermost->class == OMPTAPE_CLASS_MUTEX &&
        (translator->keeps_open & OMPTAPE_KEEPS_MUTEX) == 0)
        omptape_mutex_cancel_request(writer, location, innermost);
    while (omptape_parallel_is_late(location) && !is_late_end(translator, record))
        omptape_parallel_close_frame(writer, location, record->time);
}

static bool has_pending(const struct omptape_location *location)
{
    return omptape_sched_has_pending(location) || omptape_samples_are_pending(location);
}

/* Returns true if pending scheduler readings must wait. A region that is still open, whose end may be
 * reported late, would end with them. */
static bool sched_must_wait(const struct omptape_location *location, const struct omptape_record *record,
                            const struct omptape_translation *translator)
{
    /* Readers expect no event between a fork and the begin of its team. */
    const bool forked = record->kind == OMPTAPE_IMPLICIT_BEGIN && location->forks != NULL;
    return forked || record->kind >= OMPTAPE_FIRST_OWN ||
           (translator->keeps_open & OMPTAPE_KEEPS_CREATE) != 0 || omptape_parallel_is_late(location);
}

/* Returns true if the team around the location has ended, or may end unnoticed. Threads that are no members
 * of a team get no team-end event. */
static bool is_possibly_late(const struct omptape_location *location)
{
    return omptape_parallel_is_late(location) ||
           (location->stack.implicit_team != NULL && omptape_stack_top(location)->outside);
}

void omptape_translate_what_precedes(struct omptape_writer *writer, struct omptape_location *location,
                                     const struct omptape_record *record,
                                     const struct omptape_translation *translator)
{
    /* Late ends get the time of the team's end. The kernel's readings before that time precede them. */
    if (has_pending(location) && omptape_parallel_is_late(location))
        omptape_samples_write(writer, location, omptape_parallel_clip(location, record->time, true));
    end_implicit_regions(writer, location, record, translator);
    if (has_pending(location) && !sched_must_wait(location, record, translator))
        omptape_samples_write(writer, location, record->time);
    location->pending = has_pending(location) || is_possibly_late(location);
}

/* Returns true if the location's thread works in a region of its own task, and only later events can follow.
 * No end is reported late, and no event must come right after the last one. */
static bool is_at_work(const struct omptape_location *location)
{
    static const uint32_t working = 1U << OMPTAPE_CLASS_PARALLEL | 1U << OMPTAPE_CLASS_TASK |
                                    1U << OMPTAPE_CLASS_WORK | 1U << OMPTAPE_CLASS_INNER |
                                    1U << OMPTAPE_CLASS_MASKED | 1U << OMPTAPE_CLASS_USER;
    const struct omptape_open_region *innermost = omptape_stack_innermost(location);
    const bool forks = location->forks != NULL && (location->stack.frame_count == 0 ||
                                                   omptape_stack_top(location)->team != location->forks);
    if (location->closed || location->device != NULL || location->other != NULL || forks ||
        omptape_parallel_is_over(location) || is_possibly_late(location))
        return false;
    return innermost != NULL ? (working >> innermost->class & 1) != 0 : location->stack.frame_count == 0;
}

void omptape_translate_advance(struct omptape_writer *writer, uint64_t time)
{
    for (uint32_t i = 0; i < writer->location_count && time > 0 && !writer->ended; i++)
        if (has_pending(writer->locations[i]) && is_at_work(writer->locations[i]))
            omptape_samples_write(writer, writer->locations[i], time - 1);
}

/* A thread that got no buffer at its begin gets a begin record later, which is no event of the runtime. */
static bool is_event(const struct omptape_record *record)
{
    return __builtin_expect(record->kind == OMPTAPE_THREAD_BEGIN, 0) ? record->a != 0
                                                                     : record->kind < OMPTAPE_FIRST_OWN;
}

int omptape_translate_create(struct omptape_writer *writer)
{
    static int (*const creators[])(struct omptape_writer *) = {
        omptape_threads_create, omptape_references_create, omptape_device_create, omptape_teams_create,
        omptape_tasks_create};
    int error = 0;
    writer->locks = calloc(1, sizeof(*writer->locks));
    writer->communicators = calloc(1, sizeof(*writer->communicators));
    writer->windows = calloc(1, sizeof(*writer->windows));
    writer->files = calloc(1, sizeof(*writer->files));
    if (writer->locks == NULL || writer->communicators == NULL || writer->windows == NULL ||
        writer->files == NULL)
        return -ENOMEM;
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
    omptape_mpi_files_free(writer);
    omptape_locks_free(writer);
    omptape_user_names_free(writer);
    omptape_created_threads_free(writer);
    omptape_locations_free(writer);
    omptape_region_filter_free(writer);
    omptape_device_free(writer);
    omptape_references_free(writer);
    free(writer->threads);
}

void omptape_translate(struct omptape_writer *writer, struct omptape_location *location,
                       const struct omptape_record *record)
{
    if (writer->archive.disk_reserve.full) {
        writer->archive.disk_reserve.unwritten += is_event(record);
        omptape_close_trace(writer, writer->last_time);
        return;
    }
    writer->record_count += is_event(record);
    const struct omptape_translation *translation = &omptape_translations[record->kind];
    omptape_translator *translate = translation->translate[omptape_translate_is_end(record)];
    if (translate == NULL)
        translate = translation->unusual;
    /* A sample belongs to a single moment and does not show that any region has ended. */
    if (record->kind == OMPTAPE_SAMPLE && location != NULL) {
        omptape_translate_note_time(writer, record);
        if (!writer->ended)
            omptape_samples_translate(writer, location, record, record->time);
        return;
    }
    if (translate != NULL && location != NULL) {
        omptape_translate_own(writer, location, record, translation, translate);
        return;
    }
    omptape_translate_note_time(writer, record);
    if (record->kind >= OMPTAPE_FIRST_OF_DEVICES)
        omptape_device_translate(writer, record);
}
