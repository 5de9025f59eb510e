/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One function for each kind of event of MPI's that omptape writes. Called for each event. A tap (tap.h) gets
 * none of them: the calls that they are in tell a profile all that it adds up.
 */
#include "writers/archive/mpi.h"

#include "writers/archive/put.h"

/* OTF2's numbers of the records. */
enum {
    MPI_SEND = 14,
    MPI_ISEND = 15,
    MPI_RECV = 18,
    MPI_IRECV = 19,
    MPI_COLLECTIVE_BEGIN = 22,
    MPI_COLLECTIVE_END = 23,
    NON_BLOCKING_COLLECTIVE_REQUEST = 85,
    NON_BLOCKING_COLLECTIVE_COMPLETE = 86
};

static void put_message(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                        uint8_t kind, const struct omptape_archive_message *message)
{
    const size_t most = 3 * U32 + U64 + (message->requested ? U64 : 0);
    unsigned char *record = begin_event(archive, events, time, HEAD + most);
    if (record == NULL)
        return;
    unsigned char *data = omptape_encode_head(record, kind, most);
    unsigned char *end = omptape_encode_u32(omptape_encode_u32(data, message->peer), message->comm);
    end = omptape_encode_u64(omptape_encode_u32(end, message->tag), message->bytes);
    if (message->requested)
        end = omptape_encode_u64(end, message->request);
    end_event(events, record, data, end);
}

void omptape_archive_mpi_send(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                              const struct omptape_archive_message *message)
{
    put_message(archive, events, time, message->requested ? MPI_ISEND : MPI_SEND, message);
}

void omptape_archive_mpi_receive(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, const struct omptape_archive_message *message)
{
    put_message(archive, events, time, message->requested ? MPI_IRECV : MPI_RECV, message);
}

/* Of one number: without a length. */
void omptape_archive_mpi_request(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, enum omptape_archive_request what, uint64_t request)
{
    unsigned char *at = begin_event(archive, events, time, KIND + U64);
    if (at != NULL)
        events->at = omptape_encode_u64(omptape_encode_u8(at, (uint8_t)what), request);
}

void omptape_archive_mpi_collective_begin(struct omptape_archive *archive, struct omptape_events *events,
                                          uint64_t time)
{
    unsigned char *at = begin_event(archive, events, time, HEAD);
    if (at != NULL)
        events->at = omptape_encode_u8(omptape_encode_u8(at, MPI_COLLECTIVE_BEGIN), 0);
}

void omptape_archive_mpi_collective_posted(struct omptape_archive *archive, struct omptape_events *events,
                                           uint64_t time, uint64_t request)
{
    unsigned char *record = begin_event(archive, events, time, HEAD + U64);
    if (record == NULL)
        return;
    unsigned char *data = omptape_encode_head(record, NON_BLOCKING_COLLECTIVE_REQUEST, U64);
    end_event(events, record, data, omptape_encode_u64(data, request));
}

void omptape_archive_mpi_collective_end(struct omptape_archive *archive, struct omptape_events *events,
                                        uint64_t time, const struct omptape_archive_collective *collective)
{
    const uint8_t kind = collective->requested ? NON_BLOCKING_COLLECTIVE_COMPLETE : MPI_COLLECTIVE_END;
    const size_t most = U8 + 2 * U32 + 2 * U64 + (collective->requested ? U64 : 0);
    unsigned char *record = begin_event(archive, events, time, HEAD + most);
    if (record == NULL)
        return;
    unsigned char *data = omptape_encode_head(record, kind, most);
    unsigned char *end = omptape_encode_u32(omptape_encode_u8(data, collective->operation), collective->comm);
    end = omptape_encode_u64(omptape_encode_u32(end, collective->root), collective->sent);
    end = omptape_encode_u64(end, collective->received);
    if (collective->requested)
        end = omptape_encode_u64(end, collective->request);
    end_event(events, record, data, end);
}
