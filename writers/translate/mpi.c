/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls of MPI, and the messages, requests and collective operations in them.
 */
#include "src/mpi/functions.h"

#include "src/archive/write/mpi.h"
#include "src/archive/write/windows.h"
#include "writers/regions/choice.h"
#include "writers/regions/references.h"
#include "writers/regions/sites.h"
#include "writers/translate/mpi.h"
#include "writers/translate/mpi_awaited.h"
#include "writers/translate/mpi_communicators.h"
#include "writers/translate/stack.h"

/* The region that stands for the place where the function is called goes with its Enter. */
static void set_call(struct omptape_writer *writer, const struct omptape_location *location, unsigned number,
                     uint64_t address)
{
    if (address == 0)
        return;
    OTF2_RegionRef call = omptape_references_meet(writer, location, OMPTAPE_REGION_MPI_CALL, address).region;
    if (call == OTF2_UNDEFINED_REGION)
        return;
    struct omptape_region *region = &writer->references->list[call];
    region->function = region->function == 0 ? number + 1 : region->function;
    if (writer->choice != NULL)
        omptape_choice_written(writer, call, true);
    omptape_archive_set_region(&writer->archive, OMPTAPE_ATTRIBUTE_CALL, call);
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
    omptape_stack_enter(writer, location, time,
                        &(struct omptape_enter){.kind = OMPTAPE_REGION_MPI,
                                                .class = OMPTAPE_CLASS_MPI,
                                                .key = (uint16_t)number,
                                                .site = OMPTAPE_SITE_NAMED | number});
    omptape_awaited_note(location, record);
    return true;
}

/* The call that the record is of; NULL: its begin is missing. */
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

static void leave_if_told(struct omptape_writer *writer, struct omptape_location *location,
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
        omptape_archive_window_collective_begin(&writer->archive, location->events, location->last);
    else
        omptape_archive_mpi_collective_begin(&writer->archive, location->events, location->last);
}

void omptape_mpi_translate_leave(struct omptape_writer *writer, struct omptape_location *location,
                                 const struct omptape_record *record, uint64_t time)
{
    struct omptape_open_region *call = find_call(location, record);
    if (record->words > OMPTAPE_RECORD_HEADER_WORDS && call != NULL && call == location->stack.top &&
        call->written && record->p[0] > 1)
        omptape_archive_set_u64(&writer->archive, OMPTAPE_ATTRIBUTE_CALLS, record->p[0]);
    if (call != NULL && call == location->stack.top && call->written)
        omptape_awaited_set_probed(writer, location, record->a & OMPTAPE_MPI_FUNCTION_MASK);
    omptape_stack_leave(writer, location, time, call, false);
}

static bool read_message(const struct omptape_writer *writer, const struct omptape_record *record,
                         struct omptape_archive_message *message)
{
    enum { WITH_REQUEST = OMPTAPE_RECORD_HEADER_WORDS + 3 };
    /* One that waits for another message has more words, and no request. */
    const bool requested = record->words == WITH_REQUEST + ((record->a & OMPTAPE_MPI_ENTERS) != 0);
    *message = (struct omptape_archive_message){
        .peer = (uint32_t)(record->p[0] >> 32),
        .comm = omptape_communicators_find(writer, (uint32_t)record->p[0], (uint32_t)(record->p[0] >> 32)),
        .tag = record->b,
        .bytes = record->p[1],
        .requested = requested,
        .request = requested ? record->p[2] : 0};
    return message->comm != OTF2_UNDEFINED_COMM;
}

void omptape_mpi_translate_send(struct omptape_writer *writer, struct omptape_location *location,
                                const struct omptape_record *record, uint64_t time)
{
    struct omptape_archive_message message;
    if ((record->a & OMPTAPE_MPI_ENTERS) != 0 && !enter(writer, location, record, time))
        return;
    if (omptape_mpi_is_shown(location, record) && read_message(writer, record, &message))
        omptape_archive_mpi_send(&writer->archive, location->events, omptape_location_time(location, time),
                                 &message);
}

static bool takes_probed(const struct omptape_record *record)
{
    const unsigned family = omptape_mpi_functions[record->a & OMPTAPE_MPI_FUNCTION_MASK].family;
    return family == OMPTAPE_MPI_FAMILY_MRECV || family == OMPTAPE_MPI_FAMILY_IMRECV;
}

/* What a probe has found was posted by that probe. */
static void note_posted(struct omptape_mpi_receives *receives, const struct omptape_record *record)
{
    const uint64_t id = record->p[0];
    receives->open++;
    receives->of_several |= receives->last != 0 && (receives->last ^ id) >> OMPTAPE_ID_SEQUENCE_BITS != 0;
    receives->last = id;
    receives->overtaking += takes_probed(record);
}

static void note_received(struct omptape_mpi_receives *receives, const struct omptape_record *record,
                          const struct omptape_archive_message *message)
{
    bool overtakes = receives->of_several || takes_probed(record);
    if (!message->requested) {
        overtakes |= receives->open > 0;
    } else {
        overtakes |= message->request < receives->newest;
        receives->newest = message->request > receives->newest ? message->request : receives->newest;
        receives->open -= receives->open > 0;
    }
    receives->overtaking += overtakes;
}

void omptape_mpi_translate_receive(struct omptape_writer *writer, struct omptape_location *location,
                                   const struct omptape_record *record, uint64_t time)
{
    struct omptape_archive_message message;
    if (omptape_mpi_is_shown(location, record) && read_message(writer, record, &message)) {
        note_received(&writer->communicators->receives, record, &message);
        omptape_archive_mpi_receive(&writer->archive, location->events, omptape_location_time(location, time),
                                    &message);
    }
    leave_if_told(writer, location, record, time);
}

void omptape_mpi_translate_request(struct omptape_writer *writer, struct omptape_location *location,
                                   const struct omptape_record *record, uint64_t time)
{
    static const uint8_t events[] = {
        [OMPTAPE_MPI_RECEIVE_POSTED] = OMPTAPE_ARCHIVE_RECEIVE_POSTED,
        [OMPTAPE_MPI_SEND_COMPLETE] = OMPTAPE_ARCHIVE_SEND_COMPLETE,
        [OMPTAPE_MPI_TESTED] = OMPTAPE_ARCHIVE_REQUEST_TESTED,
        [OMPTAPE_MPI_CANCELLED] = OMPTAPE_ARCHIVE_REQUEST_CANCELLED,
    };
    const uint64_t now = omptape_location_time(location, time);
    struct omptape_mpi_receives *receives = &writer->communicators->receives;
    bool shown = omptape_mpi_is_shown(location, record);
    if (shown && record->b == OMPTAPE_MPI_RECEIVE_POSTED)
        note_posted(receives, record);
    if (shown && record->b == OMPTAPE_MPI_TESTED)
        omptape_awaited_set(writer, location, record);
    if (shown && record->b == OMPTAPE_MPI_COLLECTIVE_POSTED)
        omptape_archive_mpi_collective_posted(&writer->archive, location->events, now, record->p[0]);
    else if (shown && record->b < sizeof(events))
        omptape_archive_mpi_request(&writer->archive, location->events, now,
                                    (enum omptape_archive_request)events[record->b], record->p[0]);
    leave_if_told(writer, location, record, time);
}

void omptape_mpi_translate_collective(struct omptape_writer *writer, struct omptape_location *location,
                                      const struct omptape_record *record, uint64_t time)
{
    enum { WITH_REQUEST = OMPTAPE_RECORD_HEADER_WORDS + 4 };
    bool requested = record->words >= WITH_REQUEST;
    bool rooted = record->b < (uint32_t)OTF2_COLLECTIVE_ROOT_THIS_GROUP;
    const struct omptape_archive_collective collective = {
        .operation = (uint8_t)(record->p[0] >> 32),
        .comm = omptape_communicators_find(writer, (uint32_t)record->p[0], rooted ? record->b : 0),
        .root = record->b,
        .sent = record->p[1],
        .received = record->p[2],
        .requested = requested,
        .request = requested ? record->p[3] : 0};
    if (omptape_mpi_is_shown(location, record) && collective.comm != OTF2_UNDEFINED_COMM &&
        collective.operation <= OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE)
        omptape_archive_mpi_collective_end(&writer->archive, location->events,
                                           omptape_location_time(location, time), &collective);
    leave_if_told(writer, location, record, time);
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
    const struct omptape_archive_collective collective = {
        .operation = freed ? OTF2_COLLECTIVE_OP_DESTROY_HANDLE : OTF2_COLLECTIVE_OP_CREATE_HANDLE,
        .comm = omptape_communicators_find(writer, (uint32_t)record->p[0], 0),
        .root = (uint32_t)OTF2_COLLECTIVE_ROOT_NONE,
        .requested = requested,
        .request = requested ? record->p[1] : 0};
    if (!omptape_mpi_is_shown(location, record) || collective.comm == OTF2_UNDEFINED_COMM)
        return;
    if ((record->a & OMPTAPE_MPI_ENTERS) != 0)
        omptape_archive_mpi_collective_begin(archive, location->events, location->last);
    if (omptape_communicators_have_life(writer, number))
        omptape_archive_mpi_comm_life(archive, location->events, now,
                                      freed ? OMPTAPE_RECORD_COMM_DESTROY : OMPTAPE_RECORD_COMM_CREATE,
                                      omptape_communicators_find(writer, number, 0));
    omptape_archive_mpi_collective_end(archive, location->events, now, &collective);
}
