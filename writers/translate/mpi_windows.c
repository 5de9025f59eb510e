/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translates records of MPI's windows and of the RMA operations on them. Writes their definitions.
 */
#include "writers/translate/mpi_windows.h"

#include "src/core/array.h"
#include "writers/translate/mpi_communicators.h"

#include <stdlib.h>

/* Writes a record of the location's at `time`. */
#define PUT(kind, ...)                                                                                       \
    OMPTAPE_ARCHIVE_PUT(&writer->archive, location->events, time, OMPTAPE_RECORD_##kind, __VA_ARGS__)

/* Numbers further ahead are ignored, because damaged records can contain any value. */
enum { MAX_AHEAD = 1024 };

void omptape_mpi_windows_free(struct omptape_writer *writer)
{
    free(writer->windows->list);
    free(writer->windows->places);
    free(writer->windows);
}

uint32_t omptape_mpi_windows_count(const struct omptape_writer *writer)
{
    return writer->windows->count;
}

void omptape_mpi_translate_window(struct omptape_writer *writer, struct omptape_location *location,
                                  const struct omptape_record *record, uint64_t time)
{
    struct omptape_mpi_windows *all = writer->windows;
    const uint32_t number = record->b;
    const uint32_t comm = (uint32_t)record->p[0];
    (void)location;
    (void)time;
    if (omptape_communicators_find(writer, comm, 0) == OTF2_UNDEFINED_COMM ||
        (number >= all->number_count && number - all->number_count >= MAX_AHEAD))
        return;
    if (!OMPTAPE_RESERVE(all->places, number + 1, &all->number_capacity))
        return;
    for (; all->number_count <= number; all->number_count++)
        all->places[all->number_count] = UINT32_MAX;
    if (!OMPTAPE_RESERVE(all->list, all->count + 1, &all->capacity))
        return;
    if (all->places[number] == UINT32_MAX) {
        all->places[number] = all->count;
        all->list[all->count++] =
            (struct omptape_mpi_window){.comm = comm, .ordinal = (uint32_t)(record->p[0] >> 32)};
    }
}

/* Returns how many words follow the header and p0. */
static unsigned words_of(enum omptape_mpi_rma step)
{
    static const uint8_t words[UINT8_MAX + 1] = {[OMPTAPE_MPI_RMA_PUT] = 2,
                                                 [OMPTAPE_MPI_RMA_GET] = 2,
                                                 [OMPTAPE_MPI_RMA_ATOMIC] = 3,
                                                 [OMPTAPE_MPI_RMA_COMPLETE] = 1,
                                                 [OMPTAPE_MPI_RMA_GROUP] = 1};
    return words[step];
}

static void put_access(struct omptape_writer *writer, struct omptape_location *location,
                       const struct omptape_record *record, uint64_t time, OTF2_RmaWinRef window)
{
    const unsigned step = record->b & UINT8_MAX;
    const uint32_t rank = (uint32_t)(record->p[0] >> 32);
    if (step == OMPTAPE_MPI_RMA_ATOMIC)
        PUT(RMA_ATOMIC, window, rank, record->b >> 8, record->p[1], record->p[2], record->p[3]);
    else if (step == OMPTAPE_MPI_RMA_PUT)
        PUT(RMA_PUT, window, rank, record->p[1], record->p[2]);
    else
        PUT(RMA_GET, window, rank, record->p[1], record->p[2]);
}

static void put_complete(struct omptape_writer *writer, struct omptape_location *location,
                         const struct omptape_record *record, uint64_t time, OTF2_RmaWinRef window)
{
    enum { HERE = 1U << 8, THERE = 2U << 8 };
    if ((record->b & HERE) != 0)
        PUT(RMA_OP_COMPLETE_NON_BLOCKING, window, record->p[1]);
    if ((record->b & THERE) != 0)
        PUT(RMA_OP_COMPLETE_REMOTE, window, record->p[1], 1);
}

/* Begins at the begin of the call, because nothing else has happened in it. */
static void put_created(struct omptape_writer *writer, struct omptape_location *location,
                        const struct omptape_record *record, uint64_t time, OTF2_RmaWinRef window)
{
    const OTF2_CollectiveOp operation = record->b >> 8 != 0 ? OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE
                                                            : OTF2_COLLECTIVE_OP_CREATE_HANDLE;
    omptape_archive_put_record(&writer->archive, location->events, location->last,
                               OMPTAPE_RECORD_RMA_COLLECTIVE_BEGIN, NULL);
    PUT(RMA_WIN_CREATE, window);
    PUT(RMA_COLLECTIVE_END, operation, OTF2_RMA_SYNC_LEVEL_PROCESS, window, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
}

static void put_destroyed(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                          OTF2_RmaWinRef window)
{
    PUT(RMA_WIN_DESTROY, window);
    PUT(RMA_COLLECTIVE_END, OTF2_COLLECTIVE_OP_DESTROY_HANDLE, OTF2_RMA_SYNC_LEVEL_PROCESS, window,
        OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
}

void omptape_mpi_translate_rma(struct omptape_writer *writer, struct omptape_location *location,
                               const struct omptape_record *record, uint64_t time)
{
    enum { HEAD = OMPTAPE_RECORD_HEADER_WORDS + 1 };
    const OTF2_RmaSyncLevel both = OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY;
    const enum omptape_mpi_rma step = (enum omptape_mpi_rma)(record->b & UINT8_MAX);
    const uint32_t number = (uint32_t)record->p[0];
    const uint32_t rank = (uint32_t)(record->p[0] >> 32);
    const bool detail = record->b >> 8 != 0;
    if (!omptape_mpi_is_shown(location, record) || record->words < HEAD + words_of(step) ||
        number >= writer->windows->number_count || writer->windows->places[number] == UINT32_MAX)
        return;
    const uint32_t place = writer->windows->places[number];
    const OTF2_RmaWinRef window = OMPTAPE_RMA_WINDOW + 1 + place;
    OTF2_GroupRef group = OTF2_UNDEFINED_GROUP;
    time = omptape_location_time(location, time);
    switch (step) {
    case OMPTAPE_MPI_RMA_PUT:
    case OMPTAPE_MPI_RMA_GET:
    case OMPTAPE_MPI_RMA_ATOMIC:
        /* Checks the rank, because damaged records can contain any value. */
        if (omptape_communicators_find(writer, writer->windows->list[place].comm, rank) !=
            OTF2_UNDEFINED_COMM)
            put_access(writer, location, record, time, window);
        break;
    case OMPTAPE_MPI_RMA_COMPLETE:
        put_complete(writer, location, record, time, window);
        break;
    case OMPTAPE_MPI_RMA_LOCK:
        /* The lock id is 0, because a process has one lock in each window. */
        PUT(RMA_ACQUIRE_LOCK, window, rank, 0, detail ? OTF2_LOCK_SHARED : OTF2_LOCK_EXCLUSIVE);
        break;
    case OMPTAPE_MPI_RMA_UNLOCK:
        PUT(RMA_RELEASE_LOCK, window, rank, 0);
        break;
    case OMPTAPE_MPI_RMA_CREATED:
        put_created(writer, location, record, time, window);
        break;
    case OMPTAPE_MPI_RMA_DESTROYED:
        put_destroyed(writer, location, time, window);
        break;
    case OMPTAPE_MPI_RMA_FENCE:
        PUT(RMA_COLLECTIVE_END, OTF2_COLLECTIVE_OP_BARRIER, both, window, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
        break;
    case OMPTAPE_MPI_RMA_GROUP:
        group = omptape_communicators_find_group(writer, record->p[1]);
        if (group != OTF2_UNDEFINED_GROUP)
            PUT(RMA_GROUP_SYNC, detail ? both : OTF2_RMA_SYNC_LEVEL_PROCESS, window, group);
        break;
    case OMPTAPE_MPI_RMA_SYNC:
        PUT(RMA_SYNC, window, rank, OTF2_RMA_SYNC_TYPE_MEMORY);
        break;
    }
}

void omptape_mpi_windows_write(struct omptape_writer *writer, OTF2_RmaWinRef first)
{
    for (uint32_t i = 0; i < writer->windows->count; i++) {
        const struct omptape_mpi_window *window = &writer->windows->list[i];
        /* All process archives use the same name and communicator for the same window. */
        OTF2_StringRef name = omptape_archive_format(&writer->strings, "MPI Window %u", window->ordinal);
        OMPTAPE_DEFINE(&writer->archive, RmaWin, first + i, name,
                       omptape_communicators_find(writer, window->comm, 0),
                       OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS);
    }
}
