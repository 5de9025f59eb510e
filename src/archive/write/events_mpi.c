/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One function for each kind of event of MPI's that omptape writes. Called for each event.
 */
#include "src/archive/write/mpi.h"

#include "src/archive/write/put.h"

static void put_message(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                        uint8_t kind, const struct omptape_archive_message *message)
{
    const size_t most = 3 * U32 + U64 + (message->requested ? U64 : 0);
    const struct omptape_tapped event = tapped(time, kind, 0, message->bytes, 0);
    unsigned char *data;
    unsigned char *record = begin_record(archive, events, event, most, &data);
    if (record == NULL)
        return;
    unsigned char *end = omptape_encode_u32(omptape_encode_u32(data, message->peer), message->comm);
    end = omptape_encode_u64(omptape_encode_u32(end, message->tag), message->bytes);
    if (message->requested)
        end = omptape_encode_u64(end, message->request);
    end_event(events, record, data, end);
}

void omptape_archive_mpi_send(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                              const struct omptape_archive_message *message)
{
    put_message(archive, events, time,
                message->requested ? OMPTAPE_RECORD_MPI_ISEND : OMPTAPE_RECORD_MPI_SEND, message);
}

void omptape_archive_mpi_receive(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, const struct omptape_archive_message *message)
{
    put_message(archive, events, time,
                message->requested ? OMPTAPE_RECORD_MPI_IRECV : OMPTAPE_RECORD_MPI_RECV, message);
}

/* Of one number: without a length. May have attributes. */
void omptape_archive_mpi_request(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, enum omptape_archive_request what, uint64_t request)
{
    unsigned char *at = begin_with_attributes(archive, events, time, KIND + U64);
    if (at != NULL)
        events->at = omptape_encode_u64(omptape_encode_u8(at, (uint8_t)what), request);
    else
        omptape_archive_give_away(archive, events, tapped(time, (uint8_t)what, 0, 0, 0));
}

void omptape_archive_mpi_collective_begin(struct omptape_archive *archive, struct omptape_events *events,
                                          uint64_t time)
{
    unsigned char *at = begin_event(archive, events, time, HEAD);
    if (at != NULL)
        events->at = omptape_encode_u8(omptape_encode_u8(at, OMPTAPE_RECORD_MPI_COLLECTIVE_BEGIN), 0);
    else
        omptape_archive_give_away(archive, events,
                                  tapped(time, OMPTAPE_RECORD_MPI_COLLECTIVE_BEGIN, 0, 0, 0));
}

void omptape_archive_mpi_collective_posted(struct omptape_archive *archive, struct omptape_events *events,
                                           uint64_t time, uint64_t request)
{
    const struct omptape_tapped event = tapped(time, OMPTAPE_RECORD_NON_BLOCKING_COLLECTIVE_REQUEST, 0, 0, 0);
    unsigned char *data;
    unsigned char *record = begin_record(archive, events, event, U64, &data);
    if (record != NULL)
        end_event(events, record, data, omptape_encode_u64(data, request));
}

void omptape_archive_mpi_comm_life(struct omptape_archive *archive, struct omptape_events *events,
                                   uint64_t time, uint8_t kind, OTF2_CommRef comm)
{
    unsigned char *data;
    unsigned char *record = begin_record(archive, events, tapped(time, kind, 0, 0, 0), U32, &data);
    if (record != NULL)
        end_event(events, record, data, omptape_encode_u32(data, comm));
}

void omptape_archive_mpi_collective_end(struct omptape_archive *archive, struct omptape_events *events,
                                        uint64_t time, const struct omptape_archive_collective *collective)
{
    const uint8_t kind = collective->requested ? OMPTAPE_RECORD_NON_BLOCKING_COLLECTIVE_COMPLETE
                                               : OMPTAPE_RECORD_MPI_COLLECTIVE_END;
    const size_t most = U8 + 2 * U32 + 2 * U64 + (collective->requested ? U64 : 0);
    const struct omptape_tapped event = tapped(time, kind, 0, collective->sent, collective->received);
    unsigned char *data;
    unsigned char *record = begin_record(archive, events, event, most, &data);
    if (record == NULL)
        return;
    unsigned char *end = omptape_encode_u32(omptape_encode_u8(data, collective->operation), collective->comm);
    end = omptape_encode_u64(omptape_encode_u32(end, collective->root), collective->sent);
    end = omptape_encode_u64(end, collective->received);
    if (collective->requested)
        end = omptape_encode_u64(end, collective->request);
    end_event(events, record, data, end);
}
