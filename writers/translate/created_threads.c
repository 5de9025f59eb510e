/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements created_threads.h.
 */
#include "writers/translate/created_threads.h"

#include "src/archive/write/archive.h"
#include "src/core/array.h"
#include "writers/translate/parallel.h"
#include "writers/translate/samples.h"
#include "writers/translate/teams.h"

#include <omptape/ompt.h>
#include <stdlib.h>

/* Events of later threads are not written. */
enum { MAX_THREADS = 1 << 20 };
/* Key of the communicator; MPI's are smaller. */
static const uint32_t comm_key = UINT32_MAX;

/* Events of a thread that were written. EXPECTED: its ThreadEnd announces a ThreadWait. */
enum { CREATED = 1, BEGUN = 2, AWAITED = 4, ENDED = 8, EXPECTED = 16 };

uint32_t omptape_created_threads_number(struct omptape_writer *writer)
{
    struct omptape_created_threads *threads = &writer->created_threads;
    if (writer->profile != NULL || threads->count == MAX_THREADS ||
        !OMPTAPE_RESERVE_CLEARED(threads->written, threads->count + 2, &threads->capacity))
        return 0;
    return ++threads->count;
}

void omptape_created_threads_queue(struct omptape_location *location, uint64_t time,
                                   enum omptape_record_number event, uint32_t number)
{
    if (number > 0)
        omptape_samples_queue(location, time,
                              (struct omptape_sample){.context = number, .thread_event = (uint8_t)event});
}

/* Writes the event with `number`, which may be undefined. */
static void put(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                enum omptape_record_number event, uint64_t number)
{
    struct omptape_created_threads *threads = &writer->created_threads;
    threads->comm = omptape_teams_reserve_comm(writer, comm_key);
    if (threads->comm == OTF2_UNDEFINED_COMM)
        return;
    threads->exist = true;
    location->last = omptape_location_time(location, time);
    OMPTAPE_ARCHIVE_PUT(&writer->archive, location->events, location->last, event, threads->comm, number);
}

/* Returns true if the location forks a team now: its runtime may be creating workers. */
static bool is_forking(const struct omptape_location *location)
{
    return location->forks != NULL && location->stack.implicit_team != location->forks;
}

static bool can_be_exact(const struct omptape_writer *writer, const struct omptape_location *location,
                         uint64_t time)
{
    return time >= location->last &&
           (location->events->count == 0 || time >= location->events->last + writer->archive.step);
}

void omptape_created_threads_write(struct omptape_writer *writer, struct omptape_location *location,
                                   const struct omptape_sample *queued)
{
    uint8_t *written = &writer->created_threads.written[queued->context];
    const bool is_creation = queued->thread_event == OMPTAPE_RECORD_THREAD_CREATE;
    if (is_creation ? is_forking(location) || !can_be_exact(writer, location, queued->time)
                    : (*written & AWAITED) != 0 || (*written & (ENDED | EXPECTED)) == ENDED)
        return;
    *written |= is_creation ? CREATED : AWAITED;
    put(writer, location, queued->time, (enum omptape_record_number)queued->thread_event, queued->context);
}

/* Writes what is queued of the location's creator up to its begin, or to the end of the creator's team. */
static void write_creation(struct omptape_writer *writer, const struct omptape_location *location)
{
    for (uint32_t i = 0; i < writer->location_count; i++) {
        struct omptape_location *creator = writer->locations[i];
        if (creator->tid != location->origin.creator || creator == location || creator->device != NULL ||
            creator->end != 0)
            continue;
        if (omptape_samples_are_pending(creator))
            omptape_samples_write(writer, creator, omptape_parallel_clip(creator, location->begin, true));
        break;
    }
}

void omptape_created_threads_begin_initial(struct omptape_writer *writer, struct omptape_location *location)
{
    if (location->thread_type != ompt_thread_initial || location->threads != 1 ||
        location->events->count > 0 || location->origin.number == 0 || writer->forgetting)
        return;
    write_creation(writer, location);
    omptape_created_threads_begin(writer, location);
}

void omptape_created_threads_begin(struct omptape_writer *writer, struct omptape_location *location)
{
    const uint32_t number = location->origin.number;
    const bool is_created = number > 0 && (writer->created_threads.written[number] & CREATED) != 0;
    if (number == 0 || (location->other == NULL && !is_created))
        return;
    writer->created_threads.written[number] |= BEGUN;
    put(writer, location, location->begin, OMPTAPE_RECORD_THREAD_BEGIN,
        is_created ? number : OTF2_UNDEFINED_UINT64);
}

void omptape_created_threads_end(struct omptape_writer *writer, struct omptape_location *location,
                                 uint64_t until)
{
    const uint32_t number = location->origin.number;
    if (number == 0 || location->origin.ended == 0 || location->origin.ended > until)
        return;
    uint8_t *written = &writer->created_threads.written[number];
    if ((*written & BEGUN) != 0)
        put(writer, location, location->origin.ended, OMPTAPE_RECORD_THREAD_END,
            (*written & AWAITED) != 0 ? number : OTF2_UNDEFINED_UINT64);
    *written |= ENDED;
}

void omptape_created_threads_end_initial(struct omptape_writer *writer, struct omptape_location *location)
{
    if (location->other != NULL || !omptape_created_threads_has_begun(writer, location))
        return;
    uint8_t *written = &writer->created_threads.written[location->origin.number];
    const bool is_joined = location->origin.joiner != 0;
    if ((*written & ENDED) != 0 || location->off_written)
        return;
    *written |= is_joined ? ENDED | EXPECTED : ENDED;
    put(writer, location, location->last, OMPTAPE_RECORD_THREAD_END,
        is_joined ? location->origin.number : OTF2_UNDEFINED_UINT64);
}

bool omptape_created_threads_has_begun(const struct omptape_writer *writer,
                                       const struct omptape_location *location)
{
    return location->origin.number > 0 &&
           (writer->created_threads.written[location->origin.number] & BEGUN) != 0;
}

bool omptape_created_threads_exist(const struct omptape_writer *writer)
{
    return writer->created_threads.exist;
}

/* Writes a group of all threads: their references, or their positions in the list. */
static void write_group(struct omptape_writer *writer, OTF2_GroupRef group, OTF2_GroupType type)
{
    uint64_t *all = calloc(writer->location_count + 1U, sizeof(*all));
    uint32_t count = 0;
    for (uint32_t i = 0; i < writer->location_count && all != NULL; i++) {
        const struct omptape_location *location = writer->locations[i];
        if (location->device != NULL || location->on_device.metric)
            continue;
        all[count] = type == OTF2_GROUP_TYPE_COMM_LOCATIONS ? location->ref : count;
        count++;
    }
    if (all == NULL)
        omptape_archive_check(&writer->archive, OTF2_ERROR_MEM_ALLOC_FAILED, "Group");
    else
        OMPTAPE_DEFINE(&writer->archive, Group, group,
                       omptape_archive_string(&writer->strings, "POSIX threads"), type, OTF2_PARADIGM_PTHREAD,
                       OTF2_GROUP_FLAG_NONE, count, all);
    free(all);
}

void omptape_created_threads_write_list(struct omptape_writer *writer, OTF2_GroupRef group)
{
    write_group(writer, group, OTF2_GROUP_TYPE_COMM_LOCATIONS);
}

bool omptape_created_threads_write_comm(struct omptape_writer *writer, uint64_t key, OTF2_GroupRef group)
{
    if (key != comm_key)
        return false;
    write_group(writer, group, OTF2_GROUP_TYPE_COMM_GROUP);
    OMPTAPE_DEFINE(&writer->archive, Comm, writer->created_threads.comm,
                   omptape_archive_string(&writer->strings, "POSIX threads"), group, OTF2_UNDEFINED_COMM,
                   OTF2_COMM_FLAG_NONE);
    return true;
}

void omptape_created_threads_free(struct omptape_writer *writer)
{
    free(writer->created_threads.written);
}
