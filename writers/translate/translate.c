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
#include "writers/translate/mpi.h"
#include "writers/translate/mpi_communicators.h"
#include "writers/translate/mpi_files.h"
#include "writers/translate/mpi_windows.h"
#include "writers/translate/mutex.h"
#include "writers/translate/parallel.h"
#include "writers/translate/samples.h"
#include "writers/translate/stack.h"
#include "writers/translate/tasks.h"
#include "writers/translate/translators.h"

#include <omptape/ompt.h>
#include <stdlib.h>

/* The first record of a thread, of which its location was made; or of one that goes on with that. */
static void begin_thread(struct omptape_writer *writer, struct omptape_location *location,
                         const struct omptape_record *record, uint64_t time)
{
    if (location->tid == record->b)
        return;
    omptape_sched_change_thread(writer, location, time);
    location->tid = record->b;
}

const struct omptape_translation omptape_translations[UINT8_MAX + 1] = {
    [OMPTAPE_THREAD_BEGIN] = {.translate = {begin_thread, begin_thread}, .least = {2, 2}},
    [OMPTAPE_THREAD_END] = {.translate = {omptape_close_thread, omptape_close_thread}, .least = {2, 2}},
    [OMPTAPE_PARALLEL_BEGIN] = {.translate = {omptape_parallel_begin, omptape_parallel_begin},
                                .least = {5, 5}},
    [OMPTAPE_PARALLEL_END] = {.translate = {omptape_parallel_end, omptape_parallel_end}, .least = {3, 3}},
    [OMPTAPE_IMPLICIT_BEGIN] = {.unusual = omptape_parallel_implicit_begin,
                                .least = {4, 4},
                                .rank = {OMPTAPE_RANK_ANSWERS, OMPTAPE_RANK_ANSWERS}},
    [OMPTAPE_IMPLICIT_END] = {.translate = {omptape_parallel_implicit_end, omptape_parallel_implicit_end},
                              .least = {3, 3},
                              .late_end = true},
    [OMPTAPE_TASK_CREATE] = {.translate = {omptape_task_create, omptape_task_create}, .least = {4, 4}},
    [OMPTAPE_TASK_SCHEDULE] = {.translate = {omptape_task_schedule, omptape_task_schedule},
                               .least = {4, 4},
                               .rank = {OMPTAPE_RANK_ANSWERS, OMPTAPE_RANK_ANSWERS}},
    [OMPTAPE_DEPENDENCES] = {.translate = {omptape_task_dependences, omptape_task_dependences},
                             .least = {3, 3},
                             .goes_with = OMPTAPE_WITH_CREATE},
    [OMPTAPE_TASK_DEPENDENCE] = {.translate = {omptape_task_dependence, omptape_task_dependence},
                                 .least = {4, 4},
                                 .goes_with = OMPTAPE_WITH_CREATE},
    [OMPTAPE_CANCEL] = {.translate = {omptape_task_cancel, omptape_task_cancel}, .least = {4, 4}},
    [OMPTAPE_WORK] = {.translate = {omptape_work_begin, omptape_work_end}, .least = {4, 2}},
    [OMPTAPE_DISPATCH] = {.translate = {omptape_work_dispatch, omptape_work_dispatch}, .least = {4, 4}},
    [OMPTAPE_MASKED] = {.translate = {omptape_work_masked_begin, omptape_work_masked_end}, .least = {3, 3}},
    [OMPTAPE_SYNC_REGION] = {.translate = {omptape_sync_begin, omptape_sync_end},
                             .least = {3, 2},
                             .late_at_end = true,
                             .rank = {0, OMPTAPE_RANK_WAITED}},
    [OMPTAPE_SYNC_WAIT] = {.translate = {omptape_sync_wait_begin, omptape_sync_wait_end},
                           .least = {3, 2},
                           .late_at_end = true,
                           .rank = {0, OMPTAPE_RANK_WAITED}},
    [OMPTAPE_REDUCTION] = {.translate = {omptape_sync_reduction_begin, omptape_sync_reduction_end},
                           .least = {3, 2},
                           .late_at_end = true},
    [OMPTAPE_LOCK_INIT] = {.translate = {omptape_mutex_init, omptape_mutex_init}, .least = {4, 4}},
    [OMPTAPE_LOCK_DESTROY] = {.translate = {omptape_mutex_destroy, omptape_mutex_destroy}, .least = {4, 4}},
    [OMPTAPE_MUTEX_ACQUIRE] = {.translate = {omptape_mutex_acquire, omptape_mutex_acquire}, .least = {4, 4}},
    [OMPTAPE_MUTEX_ACQUIRED] = {.translate = {omptape_mutex_acquired, omptape_mutex_acquired},
                                .least = {4, 4},
                                .goes_with = OMPTAPE_WITH_MUTEX},
    [OMPTAPE_MUTEX_RELEASED] = {.translate = {omptape_mutex_released, omptape_mutex_released},
                                .least = {4, 4}},
    [OMPTAPE_NEST_LOCK] = {.translate = {omptape_mutex_nest, omptape_mutex_nest},
                           .least = {4, 4},
                           .goes_with = OMPTAPE_WITH_MUTEX},
    [OMPTAPE_FLUSH] = {.translate = {omptape_control_flush, omptape_control_flush}, .least = {3, 3}},
    [OMPTAPE_FLUSHES] = {.translate = {omptape_control_flushes_begin, omptape_control_flushes_end},
                         .least = {3, 4},
                         .goes_with = OMPTAPE_WITH_CREATE},
    [OMPTAPE_TURNS] = {.translate = {omptape_task_turns, omptape_task_turns}, .least = {4, 4}},
    [OMPTAPE_ERROR] = {.translate = {omptape_control_error, omptape_control_error}, .least = {3, 3}},
    [OMPTAPE_CONTROL_TOOL] = {.translate = {omptape_control_tool, omptape_control_tool}, .least = {5, 5}},
    [OMPTAPE_TARGET] = {.translate = {omptape_target, omptape_target}, .least = {5, 3}},
    [OMPTAPE_TARGET_DATA_OP] = {.translate = {omptape_target_data_op, omptape_target_data_op},
                                .least = {8, 4}},
    [OMPTAPE_TARGET_SUBMIT] = {.translate = {omptape_target_submit, omptape_target_submit}, .least = {4, 3}},
    [OMPTAPE_TARGET_MAP] = {.translate = {omptape_target_map, omptape_target_map}, .least = {7, 7}},
    [OMPTAPE_DEVICE_INITIALIZE] = {.translate = {omptape_target_device, omptape_target_device},
                                   .least = {2, 2}},
    [OMPTAPE_DEVICE_FINALIZE] = {.translate = {omptape_target_device, omptape_target_device},
                                 .least = {2, 2}},
    [OMPTAPE_DEVICE_LOAD] = {.translate = {omptape_target_device, omptape_target_device}, .least = {6, 6}},
    [OMPTAPE_DEVICE_UNLOAD] = {.translate = {omptape_target_device, omptape_target_device}, .least = {3, 3}},
    [OMPTAPE_MPI_ENTER] = {.translate = {omptape_mpi_translate_enter, omptape_mpi_translate_enter},
                           .least = {2, 2}},
    [OMPTAPE_MPI_LEAVE] = {.translate = {omptape_mpi_translate_leave, omptape_mpi_translate_leave},
                           .least = {2, 2}},
    [OMPTAPE_MPI_SEND] = {.translate = {omptape_mpi_translate_send, omptape_mpi_translate_send},
                          .least = {4, 4}},
    [OMPTAPE_MPI_RECEIVE] = {.translate = {omptape_mpi_translate_receive, omptape_mpi_translate_receive},
                             .least = {4, 4}},
    [OMPTAPE_MPI_REQUEST] = {.translate = {omptape_mpi_translate_request, omptape_mpi_translate_request},
                             .least = {3, 3}},
    [OMPTAPE_MPI_COLLECTIVE] = {.translate = {omptape_mpi_translate_collective,
                                              omptape_mpi_translate_collective},
                                .least = {5, 5}},
    [OMPTAPE_MPI_COMM] = {.translate = {omptape_mpi_translate_communicator,
                                        omptape_mpi_translate_communicator},
                          .least = {5, 5}},
    [OMPTAPE_MPI_COMM_LIFE] = {.translate = {omptape_mpi_translate_life, omptape_mpi_translate_life},
                               .least = {3, 3}},
    [OMPTAPE_MPI_WINDOW] = {.translate = {omptape_mpi_translate_window, omptape_mpi_translate_window},
                            .least = {3, 3}},
    [OMPTAPE_MPI_RMA] = {.translate = {omptape_mpi_translate_rma, omptape_mpi_translate_rma},
                         .least = {3, 3}},
    [OMPTAPE_MPI_FILE] = {.translate = {omptape_mpi_translate_file, omptape_mpi_translate_file},
                          .least = {4, 4}},
    [OMPTAPE_MPI_FILE_IO] = {.translate = {omptape_mpi_translate_io, omptape_mpi_translate_io},
                             .least = {3, 3}},
    [OMPTAPE_PLACE] = {.unusual = omptape_control_place, .least = {2, 2}},
    [OMPTAPE_MODULE] = {.unusual = omptape_control_module, .least = {6, 6}},
    [OMPTAPE_STALL] = {.unusual = omptape_control_stall,
                       .least = {4, 4},
                       .goes_with = OMPTAPE_WITH_CREATE | OMPTAPE_WITH_MUTEX},
    [OMPTAPE_DROPPED] = {.unusual = omptape_gaps_translate, .least = {4, 4}, .goes_with = OMPTAPE_WITH_MUTEX},
};

static bool is_late_end(const struct omptape_translation *translator, const struct omptape_record *record)
{
    return translator->late_end || (translator->late_at_end && omptape_translate_is_end(record));
}

/* Ends what was begun and is told to have ended by nothing but the coming of something else. */
static void end_what_is_over(struct omptape_writer *writer, struct omptape_location *location,
                             const struct omptape_record *record,
                             const struct omptape_translation *translator)
{
    struct omptape_open_region *innermost = omptape_stack_innermost(location);
    if (innermost != NULL && innermost->class == OMPTAPE_CLASS_CREATE &&
        (translator->goes_with & OMPTAPE_WITH_CREATE) == 0) {
        omptape_stack_leave(writer, location, innermost->begin, innermost, false);
        innermost = omptape_stack_innermost(location);
    }
    if (innermost != NULL && innermost->class == OMPTAPE_CLASS_MUTEX &&
        (translator->goes_with & OMPTAPE_WITH_MUTEX) == 0)
        omptape_mutex_give_up(writer, location, innermost);
    while (omptape_parallel_is_late(location) && !is_late_end(translator, record))
        omptape_parallel_close_frame(writer, location, record->time);
}

/* Must what was read of the thread's time wait? What is still open, and may be told to have ended long ago,
 * would end with it. */
static bool sched_must_wait(const struct omptape_location *location, const struct omptape_record *record,
                            const struct omptape_translation *translator)
{
    /* Readers expect nothing between a fork and the begin of its team. */
    const bool forked = record->kind == OMPTAPE_IMPLICIT_BEGIN && location->forks != NULL;
    return forked || record->kind >= OMPTAPE_FIRST_OWN ||
           (translator->goes_with & OMPTAPE_WITH_CREATE) != 0 || omptape_parallel_is_late(location);
}

/* Who is no member of its team is not told when that ends. */
static bool is_or_may_be_late(const struct omptape_location *location)
{
    return omptape_parallel_is_late(location) ||
           (location->stack.within != NULL && omptape_stack_top(location)->outside);
}

void omptape_translate_what_precedes(struct omptape_writer *writer, struct omptape_location *location,
                                     const struct omptape_record *record,
                                     const struct omptape_translation *translator)
{
    end_what_is_over(writer, location, record, translator);
    if ((omptape_sched_waits(location) || omptape_samples_wait(location)) &&
        !sched_must_wait(location, record, translator))
        omptape_samples_show(writer, location, record->time);
    location->pending =
        omptape_sched_waits(location) || omptape_samples_wait(location) || is_or_may_be_late(location);
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
        omptape_threads_create,       omptape_references_create,  omptape_device_create,
        omptape_teams_create,         omptape_tasks_create,       omptape_locks_create,
        omptape_communicators_create, omptape_mpi_windows_create, omptape_mpi_files_create};
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
    omptape_mpi_files_free(writer);
    omptape_locks_free(writer);
    omptape_locations_free(writer);
    omptape_choice_free(writer);
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
    if (translate != NULL && location != NULL) {
        omptape_translate_own(writer, location, record, translation, translate);
        return;
    }
    omptape_translate_note_time(writer, record);
    if (record->kind >= OMPTAPE_FIRST_OF_DEVICES)
        omptape_device_translate(writer, record);
}
