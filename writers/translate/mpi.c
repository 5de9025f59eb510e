/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translates MPI calls, and the messages, requests and collective operations in them.
 */
#include "src/mpi/functions.h"

#include "writers/regions/references.h"
#include "writers/regions/region_filter.h"
#include "writers/regions/sites.h"
#include "writers/translate/mpi_communicators.h"
#include "writers/translate/stack.h"
#include "writers/translate/translators.h"

#include <stdlib.h>
#include <string.h>

/* Adds the region of the call site to the attributes of the call's Enter. */
static void set_call(struct omptape_writer *writer, const struct omptape_location *location, unsigned number,
                     uint64_t address)
{
    if (address == 0)
        return;
    OTF2_RegionRef call =
        omptape_references_get_at(writer, location, OMPTAPE_REGION_MPI_CALL, address).region;
    if (call == OTF2_UNDEFINED_REGION)
        return;
    struct omptape_region *region = &writer->references->list[call];
    region->function = region->function == 0 ? number + 1 : region->function;
    if (writer->filter != NULL)
        omptape_region_filter_written(writer, call, true);
    omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_CALL, call);
}

/* Returns the words that describe what the call waits for. In the record of a send that enters its call
 * they precede the return address, in others they follow it. */
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

/* Stores what the call that the location's thread enters waits for. */
static void note_awaited(struct omptape_location *location, const struct omptape_record *record)
{
    uint32_t count;
    const uint64_t *words = find_words(record, &count);
    if (count > 0 && location->awaited == NULL)
        location->awaited = calloc(1, sizeof(*location->awaited));
    struct omptape_awaited *awaited = location->awaited;
    if (awaited == NULL)
        return;
    const uint32_t max = sizeof(awaited->words) / sizeof(awaited->words[0]);
    awaited->function = record->a & OMPTAPE_MPI_FUNCTION_MASK;
    awaited->what = record->kind == OMPTAPE_MPI_SEND ? OMPTAPE_MPI_AWAITS_MESSAGE : (uint8_t)record->b;
    awaited->count = count < max ? count : max;
    memcpy(awaited->words, words, awaited->count * sizeof(*words));
}

static void set_comm(struct omptape_writer *writer, OTF2_CommRef comm, uint64_t rank)
{
    if (comm == OTF2_UNDEFINED_COMM)
        return;
    omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_COMM, comm);
    if (rank != UINT32_MAX)
        omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_RANK, (uint32_t)rank);
}

static void set_message(struct omptape_writer *writer, uint64_t from, uint32_t tag)
{
    const uint64_t sender = from >> 32;
    const uint32_t rank = sender == UINT32_MAX ? 0 : (uint32_t)sender;
    set_comm(writer, omptape_communicators_find(writer, (uint32_t)from, rank), sender);
    if (tag != UINT32_MAX)
        omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_TAG, tag);
}

static void set_collective(struct omptape_writer *writer, uint64_t what, uint32_t root)
{
    const bool rooted = root < (uint32_t)OTF2_COLLECTIVE_ROOT_THIS_GROUP;
    set_comm(writer, omptape_communicators_find(writer, (uint32_t)what, rooted ? root : 0),
             rooted ? root : UINT32_MAX);
    omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_COLLECTIVE, (uint8_t)(what >> 32));
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

/* Adds to the attributes what an unsuccessfully tested request awaits, unless it was tested last. */
static void set_tested(struct omptape_writer *writer, struct omptape_location *location,
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

/* Called at the end of a call that asks for a message without waiting. Adds the message to the attributes
 * of the Leave, if the record named it. */
static void set_probed(struct omptape_writer *writer, struct omptape_location *location, unsigned function)
{
    struct omptape_awaited *awaited = location->awaited;
    if (awaited == NULL || awaited->count < 2 || awaited->what != OMPTAPE_MPI_AWAITS_MESSAGE ||
        awaited->function != function)
        return;
    const unsigned family = omptape_mpi_functions[function].family;
    if (family == OMPTAPE_MPI_FAMILY_IPROBE || family == OMPTAPE_MPI_FAMILY_IMPROBE)
        set_awaited(writer, awaited->what, awaited->words[0], awaited->words[1]);
}

static bool enter(struct omptape_writer *writer, struct omptape_location *location,
                  const struct omptape_record *record, uint64_t time)
{
    const unsigned number = record->a & OMPTAPE_MPI_FUNCTION_MASK;
    const unsigned site_after = OMPTAPE_RECORD_HEADER_WORDS + (record->kind == OMPTAPE_MPI_SEND ? 2 : 0);
    if (number >= OMPTAPE_MPI_FUNCTIONS)
        return false;
    writer->communicators->called = true;
    if (record->words > site_after)
        set_call(writer, location, number,
                 record->p[record->kind == OMPTAPE_MPI_SEND
                               ? record->words - (unsigned)OMPTAPE_RECORD_HEADER_WORDS - 1
                               : 0]);
    OMPTAPE_ENTER(writer, location, time, .kind = OMPTAPE_REGION_MPI, .class = OMPTAPE_CLASS_MPI,
                  .key = (uint16_t)number, .site = OMPTAPE_SITE_NAMED | number);
    note_awaited(location, record);
    return true;
}

/* Returns the open call of the record, or NULL if its begin is missing. */
static struct omptape_open_region *find_call(const struct omptape_location *location,
                                             const struct omptape_record *record)
{
    return omptape_stack_find(location, OMPTAPE_CLASS_MPI, record->a & OMPTAPE_MPI_FUNCTION_MASK, 0);
}

bool omptape_mpi_is_shown(const struct omptape_location *location, const struct omptape_record *record)
{
    const struct omptape_open_region *call = find_call(location, record);
    return call != NULL && call->written;
}

static void leave_if_last(struct omptape_writer *writer, struct omptape_location *location,
                          const struct omptape_record *record, uint64_t time)
{
    if ((record->a & OMPTAPE_MPI_LEAVES) != 0)
        omptape_stack_leave(writer, location, time, find_call(location, record), false);
}

void omptape_mpi_translate_enter(struct omptape_writer *writer, struct omptape_location *location,
                                 const struct omptape_record *record, uint64_t time)
{
    const unsigned number = record->a & OMPTAPE_MPI_FUNCTION_MASK;
    if (!enter(writer, location, record, time) || (record->a & OMPTAPE_MPI_ENTERS) == 0 ||
        !omptape_mpi_is_shown(location, record))
        return;
    if (omptape_mpi_functions[number].role == OMPTAPE_MPI_ROLE_RMA)
        omptape_archive_put_record(&writer->archive, location->events, location->last,
                                   OMPTAPE_RECORD_RMA_COLLECTIVE_BEGIN, NULL);
    else
        omptape_archive_mpi_collective_begin(&writer->archive, location->events, location->last);
}

void omptape_mpi_translate_leave(struct omptape_writer *writer, struct omptape_location *location,
                                 const struct omptape_record *record, uint64_t time)
{
    struct omptape_open_region *call = find_call(location, record);
    if (record->words > OMPTAPE_RECORD_HEADER_WORDS && call != NULL && call == location->stack.top &&
        call->written && record->p[0] > 1)
        omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_CALLS, record->p[0]);
    if (call != NULL && call == location->stack.top && call->written)
        set_probed(writer, location, record->a & OMPTAPE_MPI_FUNCTION_MASK);
    omptape_stack_leave(writer, location, time, call, false);
}

/* Reads a message's values. The last is valid only if *requested. False if the communicator is unknown. */
enum { MESSAGE_REQUEST = 4, MESSAGE_VALUES };

static bool read_message(const struct omptape_writer *writer, const struct omptape_record *record,
                         uint64_t *values, bool *requested)
{
    enum { WITH_REQUEST = OMPTAPE_RECORD_HEADER_WORDS + 3 };
    const uint32_t peer = (uint32_t)(record->p[0] >> 32);
    const OTF2_CommRef comm = omptape_communicators_find(writer, (uint32_t)record->p[0], peer);
    /* A send that waits for another message has more words, and no request. */
    *requested = record->words == WITH_REQUEST + ((record->a & OMPTAPE_MPI_ENTERS) != 0);
    const uint64_t all[MESSAGE_VALUES] = {peer, comm, record->b, record->p[1], *requested ? record->p[2] : 0};
    memcpy(values, all, sizeof(all));
    return comm != OTF2_UNDEFINED_COMM;
}

void omptape_mpi_translate_send(struct omptape_writer *writer, struct omptape_location *location,
                                const struct omptape_record *record, uint64_t time)
{
    uint64_t message[MESSAGE_VALUES];
    bool requested;
    if ((record->a & OMPTAPE_MPI_ENTERS) != 0 && !enter(writer, location, record, time))
        return;
    if (omptape_mpi_is_shown(location, record) && read_message(writer, record, message, &requested))
        omptape_archive_put_record(&writer->archive, location->events, omptape_location_time(location, time),
                                   requested ? OMPTAPE_RECORD_MPI_ISEND : OMPTAPE_RECORD_MPI_SEND, message);
}

static bool takes_probed(const struct omptape_record *record)
{
    const unsigned family = omptape_mpi_functions[record->a & OMPTAPE_MPI_FUNCTION_MASK].family;
    return family == OMPTAPE_MPI_FAMILY_MRECV || family == OMPTAPE_MPI_FAMILY_IMRECV;
}

/* A message found by a probe counts as posted by that probe. */
static void note_posted(struct omptape_mpi_receives *receives, const struct omptape_record *record)
{
    const uint64_t id = record->p[0];
    receives->open++;
    receives->of_several |= receives->last != 0 && (receives->last ^ id) >> OMPTAPE_ID_SEQUENCE_BITS != 0;
    receives->last = id;
    receives->overtaking += takes_probed(record);
}

/* `request` is NULL if the receive has none. */
static void note_received(struct omptape_mpi_receives *receives, const struct omptape_record *record,
                          const uint64_t *request)
{
    bool overtakes = receives->of_several || takes_probed(record);
    if (request == NULL) {
        overtakes |= receives->open > 0;
    } else {
        overtakes |= *request < receives->newest;
        receives->newest = *request > receives->newest ? *request : receives->newest;
        receives->open -= receives->open > 0;
    }
    receives->overtaking += overtakes;
}

void omptape_mpi_translate_receive(struct omptape_writer *writer, struct omptape_location *location,
                                   const struct omptape_record *record, uint64_t time)
{
    uint64_t message[MESSAGE_VALUES];
    bool requested;
    if (omptape_mpi_is_shown(location, record) && read_message(writer, record, message, &requested)) {
        note_received(&writer->communicators->receives, record, requested ? &message[MESSAGE_REQUEST] : NULL);
        omptape_archive_put_record(&writer->archive, location->events, omptape_location_time(location, time),
                                   requested ? OMPTAPE_RECORD_MPI_IRECV : OMPTAPE_RECORD_MPI_RECV, message);
    }
    leave_if_last(writer, location, record, time);
}

void omptape_mpi_translate_request(struct omptape_writer *writer, struct omptape_location *location,
                                   const struct omptape_record *record, uint64_t time)
{
    static const uint8_t events[] = {
        [OMPTAPE_MPI_RECEIVE_POSTED] = OMPTAPE_RECORD_MPI_IRECV_REQUEST,
        [OMPTAPE_MPI_SEND_COMPLETE] = OMPTAPE_RECORD_MPI_ISEND_COMPLETE,
        [OMPTAPE_MPI_TESTED] = OMPTAPE_RECORD_MPI_REQUEST_TEST,
        [OMPTAPE_MPI_CANCELLED] = OMPTAPE_RECORD_MPI_REQUEST_CANCELLED,
    };
    const uint64_t now = omptape_location_time(location, time);
    struct omptape_mpi_receives *receives = &writer->communicators->receives;
    bool shown = omptape_mpi_is_shown(location, record);
    if (shown && record->b == OMPTAPE_MPI_RECEIVE_POSTED)
        note_posted(receives, record);
    if (shown && record->b == OMPTAPE_MPI_TESTED)
        set_tested(writer, location, record);
    if (shown && record->b == OMPTAPE_MPI_COLLECTIVE_POSTED)
        OMPTAPE_ARCHIVE_PUT(&writer->archive, location->events, now,
                            OMPTAPE_RECORD_NON_BLOCKING_COLLECTIVE_REQUEST, record->p[0]);
    else if (shown && record->b < sizeof(events))
        omptape_archive_mpi_request(&writer->archive, location->events, now,
                                    (enum omptape_record_number)events[record->b], record->p[0]);
    leave_if_last(writer, location, record, time);
}

void omptape_mpi_translate_collective(struct omptape_writer *writer, struct omptape_location *location,
                                      const struct omptape_record *record, uint64_t time)
{
    enum { WITH_REQUEST = OMPTAPE_RECORD_HEADER_WORDS + 4 };
    bool requested = record->words >= WITH_REQUEST;
    bool rooted = record->b < (uint32_t)OTF2_COLLECTIVE_ROOT_THIS_GROUP;
    const uint8_t operation = (uint8_t)(record->p[0] >> 32);
    const OTF2_CommRef comm =
        omptape_communicators_find(writer, (uint32_t)record->p[0], rooted ? record->b : 0);
    if (omptape_mpi_is_shown(location, record) && comm != OTF2_UNDEFINED_COMM &&
        operation <= OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE)
        OMPTAPE_ARCHIVE_PUT(
            &writer->archive, location->events, omptape_location_time(location, time),
            requested ? OMPTAPE_RECORD_NON_BLOCKING_COLLECTIVE_COMPLETE : OMPTAPE_RECORD_MPI_COLLECTIVE_END,
            operation, comm, record->b, record->p[1], record->p[2], requested ? record->p[3] : 0);
    leave_if_last(writer, location, record, time);
}

void omptape_mpi_translate_life(struct omptape_writer *writer, struct omptape_location *location,
                                const struct omptape_record *record, uint64_t time)
{
    enum { WITH_REQUEST = OMPTAPE_RECORD_HEADER_WORDS + 2 };
    struct omptape_archive *archive = &writer->archive;
    const bool freed = record->b != 0;
    const uint32_t number = (uint32_t)(record->p[0] >> 32);
    const bool requested = record->words >= WITH_REQUEST;
    const uint64_t now = omptape_location_time(location, time);
    const OTF2_CommRef comm = omptape_communicators_find(writer, (uint32_t)record->p[0], 0);
    if (!omptape_mpi_is_shown(location, record) || comm == OTF2_UNDEFINED_COMM)
        return;
    if ((record->a & OMPTAPE_MPI_ENTERS) != 0)
        omptape_archive_mpi_collective_begin(archive, location->events, location->last);
    if (omptape_communicators_have_lifetime(writer, number))
        OMPTAPE_ARCHIVE_PUT(archive, location->events, now,
                            freed ? OMPTAPE_RECORD_COMM_DESTROY : OMPTAPE_RECORD_COMM_CREATE,
                            omptape_communicators_find(writer, number, 0));
    OMPTAPE_ARCHIVE_PUT(archive, location->events, now,
                        requested ? OMPTAPE_RECORD_NON_BLOCKING_COLLECTIVE_COMPLETE
                                  : OMPTAPE_RECORD_MPI_COLLECTIVE_END,
                        freed ? OTF2_COLLECTIVE_OP_DESTROY_HANDLE : OTF2_COLLECTIVE_OP_CREATE_HANDLE, comm,
                        (uint32_t)OTF2_COLLECTIVE_ROOT_NONE, 0, 0, requested ? record->p[1] : 0);
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
