/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finishes an archive: closes all locations, writes definitions and properties.
 */
#include "writers/finish.h"

#include "src/core/clock.h"
#include "src/core/log.h"
#include "writers/definitions/definitions.h"
#include "writers/devices/devices.h"
#include "writers/devices/report.h"
#include "writers/observe/observe.h"
#include "writers/profile/profile.h"
#include "writers/regions/modules.h"
#include "writers/report.h"
#include "writers/state/locations.h"
#include "writers/state/threads.h"
#include "writers/translate/parallel.h"
#include "writers/translate/translators.h"

#include <omptape/ompt.h>
#include <stdio.h>
#include <sys/wait.h>

/* Describes an end by MPI_Abort, or an exit without MPI_Finalize: such a rank is the reason why the
 * launcher ends the others. Returns false if the program did neither. */
static bool describe_mpi_end(const struct omptape_shm *shm, const struct omptape_watch *watch, char *text,
                             size_t bytes)
{
    const bool exited = atomic_load(&shm->end) == OMPTAPE_END_FINALIZE;
    const uint32_t use = atomic_load(&shm->mpi_use);
    int status = atomic_load(&shm->exit_status) - 1;
    if (!exited && !atomic_load(&watch->replaced) && watch->status_known && WIFEXITED(watch->status))
        status = WEXITSTATUS(watch->status);
    else if (!exited)
        status = -1;
    if (use == OMPTAPE_MPI_ABORTED)
        snprintf(text, bytes, "MPI_Abort with error code %d", (int)atomic_load(&shm->mpi_error));
    else if (use == OMPTAPE_MPI_IN_WORLD && status >= 0)
        snprintf(text, bytes, "exit status %d without MPI_Finalize", status);
    else if (use == OMPTAPE_MPI_IN_WORLD && exited)
        snprintf(text, bytes, "exit without MPI_Finalize");
    else
        return false;
    return true;
}

static void describe_end(const struct omptape_shm *shm, const struct omptape_watch *watch, char *text,
                         size_t bytes)
{
    switch (atomic_load(&shm->end)) {
    case OMPTAPE_END_FINALIZE:
        snprintf(text, bytes, "finalize");
        return;
    case OMPTAPE_END_EXIT_REGION:
        snprintf(text, bytes, "exit inside a parallel region");
        return;
    case OMPTAPE_END_CONTROL:
        snprintf(text, bytes, "omp_control_tool");
        return;
    default:
        break;
    }
    if (atomic_load(&watch->replaced))
        snprintf(text, bytes, "exec of another program");
    else if (!watch->status_known)
        snprintf(text, bytes, "unknown");
    else if (WIFSIGNALED(watch->status))
        snprintf(text, bytes, "signal %d", WTERMSIG(watch->status));
    else
        snprintf(text, bytes, "exit status %d without finalize", WEXITSTATUS(watch->status));
}

struct omptape_ending omptape_finish_ending(struct omptape_writer *writer, const struct omptape_watch *watch)
{
    bool gone = atomic_load(&watch->gone);
    struct omptape_ending ending = {
        .status = OTF2_UNDEFINED_INT64, .program_over = true, .end_known = true, .has_maps = !gone};
    if (gone && watch->status_known)
        ending.status =
            WIFSIGNALED(watch->status) ? 128 + WTERMSIG(watch->status) : WEXITSTATUS(watch->status);
    uint64_t ticks = atomic_load(&writer->shm->end_ticks);
    if (ticks == 0)
        ticks = atomic_load(&watch->gone_ticks);
    ending.time = omptape_timeline_of(&writer->timeline, ticks != 0 ? ticks : omptape_clock_now());
    if (!describe_mpi_end(writer->shm, watch, ending.text, sizeof(ending.text)))
        describe_end(writer->shm, watch, ending.text, sizeof(ending.text));
    return ending;
}

static void end_program(struct omptape_writer *writer, const struct omptape_ending *ending)
{
    struct omptape_location *first = writer->location_count > 0 ? writer->locations[0] : NULL;
    if (first == NULL)
        return;
    omptape_close_regions(writer, first, writer->last_time);
    omptape_locations_leave_program(writer, writer->last_time, !ending->end_known);
    OMPTAPE_ARCHIVE_PUT(&writer->archive, first->events, writer->last_time, OMPTAPE_RECORD_PROGRAM_END,
                        (uint64_t)ending->status);
}

/* Counts the records dropped by threads that outlived the program or that never got a buffer. */
static void count_dropped(struct omptape_writer *writer)
{
    for (uint32_t i = 0; i < writer->consumer.stream_count; i++) {
        const struct omptape_stream *stream = &writer->consumer.streams[i];
        if (stream->active)
            omptape_gaps_close(writer, writer->threads[i].location,
                               omptape_consumer_dropped(&writer->consumer, stream));
    }
    writer->dropped += atomic_load(&writer->shm->dropped_records);
}

/* Adds a location if the program was killed before its first event, to have the program in the archive. */
static void add_some_location(struct omptape_writer *writer)
{
    const struct omptape_record begin = {.time = writer->begin,
                                         .kind = OMPTAPE_THREAD_BEGIN,
                                         .a = ompt_thread_initial,
                                         .b = (uint32_t)writer->settings->pid};
    omptape_locations_add(writer, &begin);
}

void omptape_finish(struct omptape_writer *writer, const struct omptape_ending *ending)
{
    if (ending->time > writer->last_time)
        writer->last_time = ending->time;
    if (ending->has_maps)
        omptape_modules_refresh(writer);
    if (writer->location_count == 0)
        add_some_location(writer);
    count_dropped(writer);
    /* The reserve was kept for the definitions and properties that are written now. */
    omptape_disk_reserve_end(&writer->archive.disk_reserve);
    omptape_device_finish(writer);
    omptape_parallel_synthesise_workers(writer, writer->last_time);
    if (ending->program_over)
        end_program(writer, ending);
    uint64_t end = writer->last_time;
    for (uint32_t i = 0; i < writer->location_count; i++)
        omptape_close_location(writer, writer->locations[i], end);
    omptape_observe_adopt(writer, end);
    if (writer->profile != NULL)
        omptape_profile_finish(writer);
    omptape_log(OMPTAPE_LOG_INFO, OMPTAPE_LOG_WRITER, "closes %u locations; %llu records were dropped",
                writer->location_count, (unsigned long long)writer->dropped);
    uint64_t resolution = omptape_timeline_resolution(&writer->timeline);
    if (writer->archive.error[0] == '\0')
        omptape_definitions_write(writer, resolution);
    omptape_report_properties(writer, resolution, ending->text, ending->warning);
    omptape_device_report(writer, resolution);
    omptape_archive_close(&writer->archive);
}
