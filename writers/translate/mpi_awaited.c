/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What calls of MPI wait for when the trace ends (awaited.h). Called by mpi.c for each call that may wait,
 * and once for each location by close.c.
 */
#include "writers/translate/mpi_awaited.h"

#include "src/archive/write/mpi.h"
#include "src/mpi/functions.h"
#include "writers/translate/mpi_communicators.h"
#include "writers/translate/stack.h"

#include <stdlib.h>
#include <string.h>

/* Where the words are in the record, which of a message that is sent, too, has them before the address. */
static const uint64_t *find_words(const struct omptape_record *record, uint32_t *count)
{
    const uint32_t words = record->words - (uint32_t)OMPTAPE_RECORD_HEADER_WORDS;
    if (record->kind == OMPTAPE_MPI_SEND) {
        *count = words == 5 ? 2 : 0;
        return &record->p[2];
    }
    *count = words > 1 ? words - 1 : 0;
    return &record->p[1];
}

void omptape_awaited_note(struct omptape_location *location, const struct omptape_record *record)
{
    uint32_t count;
    const uint64_t *words = find_words(record, &count);
    if (count > 0 && location->awaited == NULL)
        location->awaited = calloc(1, sizeof(*location->awaited));
    struct omptape_awaited *awaited = location->awaited;
    if (awaited == NULL)
        return;
    const uint32_t most = sizeof(awaited->words) / sizeof(awaited->words[0]);
    awaited->function = record->a & OMPTAPE_MPI_FUNCTION_MASK;
    awaited->what = record->kind == OMPTAPE_MPI_SEND ? OMPTAPE_MPI_AWAITS_MESSAGE : (uint8_t)record->b;
    awaited->count = count < most ? count : most;
    memcpy(awaited->words, words, awaited->count * sizeof(*words));
}

static void set_comm(struct omptape_writer *writer, OTF2_CommRef comm, uint64_t rank)
{
    if (comm == OTF2_UNDEFINED_COMM)
        return;
    omptape_archive_set_comm(&writer->archive, OMPTAPE_ATTRIBUTE_COMM, comm);
    if (rank != UINT32_MAX)
        omptape_archive_set_u32(&writer->archive, OMPTAPE_ATTRIBUTE_RANK, (uint32_t)rank);
}

static void set_message(struct omptape_writer *writer, uint64_t from, uint32_t tag)
{
    const uint64_t sender = from >> 32;
    const uint32_t rank = sender == UINT32_MAX ? 0 : (uint32_t)sender;
    set_comm(writer, omptape_communicators_find(writer, (uint32_t)from, rank), sender);
    if (tag != UINT32_MAX)
        omptape_archive_set_u32(&writer->archive, OMPTAPE_ATTRIBUTE_TAG, tag);
}

static void set_collective(struct omptape_writer *writer, uint64_t what, uint32_t root)
{
    const bool rooted = root < (uint32_t)OTF2_COLLECTIVE_ROOT_THIS_GROUP;
    set_comm(writer, omptape_communicators_find(writer, (uint32_t)what, rooted ? root : 0),
             rooted ? root : UINT32_MAX);
    omptape_archive_set_u8(&writer->archive, OMPTAPE_ATTRIBUTE_COLLECTIVE, (uint8_t)(what >> 32));
}

static void set_awaited(struct omptape_writer *writer, unsigned awaits, uint64_t what, uint64_t which)
{
    if (awaits == OMPTAPE_MPI_AWAITS_MESSAGE)
        set_message(writer, what, (uint32_t)which);
    else if (awaits == OMPTAPE_MPI_AWAITS_COLLECTIVE)
        set_collective(writer, what, (uint32_t)which);
    else if (awaits == OMPTAPE_MPI_AWAITS_WINDOW)
        set_comm(writer, omptape_communicators_find(writer, (uint32_t)what, 0), what >> 32);
}

void omptape_awaited_set(struct omptape_writer *writer, struct omptape_location *location,
                         const struct omptape_record *record)
{
    if (record->words < OMPTAPE_RECORD_HEADER_WORDS + OMPTAPE_MPI_AWAITED_WORDS)
        return;
    if (location->awaited == NULL)
        location->awaited = calloc(1, sizeof(*location->awaited));
    if (location->awaited == NULL || location->awaited->tested == record->p[0])
        return;
    location->awaited->tested = record->p[0];
    set_awaited(writer, (unsigned)(record->p[2] >> 32), record->p[1], record->p[2]);
}

void omptape_awaited_set_probed(struct omptape_writer *writer, struct omptape_location *location,
                                unsigned function)
{
    struct omptape_awaited *awaited = location->awaited;
    if (awaited == NULL || awaited->count < 2 || awaited->what != OMPTAPE_MPI_AWAITS_MESSAGE ||
        awaited->function != function)
        return;
    const unsigned family = omptape_mpi_functions[function].family;
    if (family == OMPTAPE_MPI_FAMILY_IPROBE || family == OMPTAPE_MPI_FAMILY_IMPROBE)
        set_awaited(writer, awaited->what, awaited->words[0], awaited->words[1]);
}

static void write_requests(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                           const struct omptape_awaited *awaited)
{
    const uint64_t now = omptape_location_time(location, time);
    for (uint32_t i = 0; i + OMPTAPE_MPI_AWAITED_WORDS <= awaited->count; i += OMPTAPE_MPI_AWAITED_WORDS) {
        const uint64_t *words = &awaited->words[i];
        set_awaited(writer, (unsigned)(words[2] >> 32), words[1], words[2]);
        omptape_archive_mpi_request(&writer->archive, location->events, now, OMPTAPE_RECORD_MPI_REQUEST_TEST,
                                    words[0]);
        location->last = now;
    }
}

void omptape_awaited_write(struct omptape_writer *writer, struct omptape_location *location, uint64_t time)
{
    const struct omptape_awaited *awaited = location->awaited;
    const struct omptape_open_region *open = omptape_stack_innermost(location);
    if (awaited == NULL || open == NULL || !open->written ||
        !omptape_stack_is(open, OMPTAPE_CLASS_MPI, awaited->function, 0) ||
        !omptape_archive_can_write(&writer->archive, location->events))
        return;
    if (awaited->what == OMPTAPE_MPI_AWAITS_REQUESTS)
        write_requests(writer, location, time, awaited);
    else if (awaited->count > 0)
        set_awaited(writer, awaited->what, awaited->words[0], awaited->count > 1 ? awaited->words[1] : 0);
}
