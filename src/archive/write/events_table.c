/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the records whose layout is in a table: of MPI, its windows and its files, of the program's own
 * threads, and rare ones. Called for each event.
 */
#include "src/archive/write/put.h"

/* Layout of a kind of record. `fields` lists the sizes in order: '1', '4' or '8' bytes, or 's'igned. `ref`,
 * `first` and `second` are the numbers, from 1, of an observer's values (observer.h); 0: none. */
struct layout {
    const char *fields;
    uint8_t kind; /* kind of the event for the observer */
    uint8_t ref, first, second;
};

static const struct layout layouts[OMPTAPE_RECORD_NUMBERS] = {
    [OMPTAPE_RECORD_PROGRAM_END] = {"s", OMPTAPE_EVENT_PROGRAM_END, 0, 1, 0},
    [OMPTAPE_RECORD_MEASUREMENT_ON_OFF] = {"1", OMPTAPE_EVENT_MEASUREMENT, 2, 1, 0},
    [OMPTAPE_RECORD_RMA_OP_COMPLETE_BLOCKING] = {"48", OMPTAPE_EVENT_RMA_COMPLETE, 0, 2, 0},
    [OMPTAPE_RECORD_MPI_SEND] = {"4448", OMPTAPE_EVENT_MPI_SEND, 0, 4, 0},
    [OMPTAPE_RECORD_MPI_ISEND] = {"44488", OMPTAPE_EVENT_MPI_SEND, 0, 4, 0},
    [OMPTAPE_RECORD_MPI_RECV] = {"4448", OMPTAPE_EVENT_MPI_RECEIVE, 0, 4, 0},
    [OMPTAPE_RECORD_MPI_IRECV] = {"44488", OMPTAPE_EVENT_MPI_RECEIVE, 0, 4, 0},
    [OMPTAPE_RECORD_MPI_COLLECTIVE_END] = {"14488", OMPTAPE_EVENT_MPI_COLLECTIVE, 0, 4, 5},
    [OMPTAPE_RECORD_NON_BLOCKING_COLLECTIVE_REQUEST] = {"8", OMPTAPE_EVENT_OTHER, 0, 0, 0},
    [OMPTAPE_RECORD_NON_BLOCKING_COLLECTIVE_COMPLETE] = {"144888", OMPTAPE_EVENT_MPI_COLLECTIVE_LATER, 0, 4,
                                                         5},
    [OMPTAPE_RECORD_COMM_CREATE] = {"4", OMPTAPE_EVENT_OTHER, 0, 0, 0},
    [OMPTAPE_RECORD_COMM_DESTROY] = {"4", OMPTAPE_EVENT_OTHER, 0, 0, 0},
    [OMPTAPE_RECORD_THREAD_CREATE] = {"48", OMPTAPE_EVENT_OTHER, 0, 0, 0},
    [OMPTAPE_RECORD_THREAD_BEGIN] = {"48", OMPTAPE_EVENT_OTHER, 0, 0, 0},
    [OMPTAPE_RECORD_THREAD_WAIT] = {"48", OMPTAPE_EVENT_OTHER, 0, 0, 0},
    [OMPTAPE_RECORD_THREAD_END] = {"48", OMPTAPE_EVENT_OTHER, 0, 0, 0},
    [OMPTAPE_RECORD_RMA_PUT] = {"4488", OMPTAPE_EVENT_RMA_OPERATION, 2, 4, 3},
    [OMPTAPE_RECORD_RMA_GET] = {"4488", OMPTAPE_EVENT_RMA_OPERATION, 2, 4, 3},
    [OMPTAPE_RECORD_RMA_ATOMIC] = {"441888", OMPTAPE_EVENT_RMA_OPERATION, 2, 6, 4},
    [OMPTAPE_RECORD_RMA_OP_COMPLETE_NON_BLOCKING] = {"48", OMPTAPE_EVENT_RMA_COMPLETE, 0, 2, 0},
    [OMPTAPE_RECORD_RMA_OP_COMPLETE_REMOTE] = {"48", OMPTAPE_EVENT_RMA_COMPLETE, 0, 2, 3},
    [OMPTAPE_RECORD_RMA_WIN_CREATE] = {"4", OMPTAPE_EVENT_OTHER, 0, 0, 0},
    [OMPTAPE_RECORD_RMA_WIN_DESTROY] = {"4", OMPTAPE_EVENT_OTHER, 0, 0, 0},
    [OMPTAPE_RECORD_RMA_COLLECTIVE_BEGIN] = {"", OMPTAPE_EVENT_OTHER, 0, 0, 0},
    [OMPTAPE_RECORD_RMA_COLLECTIVE_END] = {"144488", OMPTAPE_EVENT_OTHER, 0, 0, 0},
    [OMPTAPE_RECORD_RMA_GROUP_SYNC] = {"444", OMPTAPE_EVENT_OTHER, 0, 0, 0},
    [OMPTAPE_RECORD_RMA_ACQUIRE_LOCK] = {"4481", OMPTAPE_EVENT_OTHER, 0, 0, 0},
    [OMPTAPE_RECORD_RMA_RELEASE_LOCK] = {"448", OMPTAPE_EVENT_OTHER, 0, 0, 0},
    [OMPTAPE_RECORD_RMA_SYNC] = {"441", OMPTAPE_EVENT_OTHER, 0, 0, 0},
    [OMPTAPE_RECORD_IO_CREATE_HANDLE] = {"4144", OMPTAPE_EVENT_OTHER, 0, 0, 0},
    [OMPTAPE_RECORD_IO_DESTROY_HANDLE] = {"4", OMPTAPE_EVENT_OTHER, 0, 0, 0},
    [OMPTAPE_RECORD_IO_DELETE_FILE] = {"14", OMPTAPE_EVENT_OTHER, 0, 0, 0},
    [OMPTAPE_RECORD_IO_SEEK] = {"4s18", OMPTAPE_EVENT_OTHER, 0, 0, 0},
    [OMPTAPE_RECORD_IO_OPERATION_BEGIN] = {"41488", OMPTAPE_EVENT_IO_OPERATION, 0, 2, 5},
    [OMPTAPE_RECORD_IO_OPERATION_TEST] = {"48", OMPTAPE_EVENT_OTHER, 0, 2, 0},
    [OMPTAPE_RECORD_IO_OPERATION_ISSUED] = {"48", OMPTAPE_EVENT_OTHER, 0, 2, 0},
    [OMPTAPE_RECORD_IO_OPERATION_CANCELLED] = {"48", OMPTAPE_EVENT_IO_COMPLETE, 0, 2, 0},
    [OMPTAPE_RECORD_IO_OPERATION_COMPLETE] = {"488", OMPTAPE_EVENT_IO_COMPLETE, 0, 3, 2},
};

static size_t most_of(const char *fields)
{
    size_t max_bytes = 0;
    for (; *fields != '\0'; fields++)
        max_bytes += *fields == '1' ? U8 : *fields == '4' ? U32 : U64;
    return max_bytes;
}

static unsigned char *encode(unsigned char *at, char field, uint64_t value)
{
    switch (field) {
    case '1':
        return omptape_encode_u8(at, (uint8_t)value);
    case '4':
        return omptape_encode_u32(at, (uint32_t)value);
    case '8':
        return omptape_encode_u64(at, value);
    default:
        return omptape_encode_i64(at, (int64_t)value);
    }
}

static uint64_t value_of(const uint64_t *values, uint8_t number)
{
    return number > 0 ? values[number - 1] : 0;
}

void omptape_archive_put_record(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                                enum omptape_record_number kind, const uint64_t *values)
{
    const struct layout *layout = &layouts[kind];
    const size_t max_bytes = most_of(layout->fields);
    unsigned char *record = begin_described_event(
        archive, events, time, HEAD + max_bytes,
        subject_of((enum omptape_event_kind)layout->kind, (uint32_t)value_of(values, layout->ref)),
        value_of(values, layout->first), value_of(values, layout->second));
    if (record == NULL)
        return;
    unsigned char *data = omptape_encode_head(record, (uint8_t)kind, max_bytes);
    unsigned char *end = data;
    for (const char *field = layout->fields; *field != '\0'; field++)
        end = encode(end, *field, *values++);
    end_event(events, record, data, end);
}

/* Writes a record with a single number and without a length. It may have attributes. */
void omptape_archive_mpi_request(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, enum omptape_record_number kind, uint64_t request)
{
    unsigned char *at =
        begin_described_event(archive, events, time, KIND + U64, subject_of(OMPTAPE_EVENT_OTHER, 0), 0, 0);
    if (at != NULL)
        events->at = omptape_encode_u64(omptape_encode_u8(at, (uint8_t)kind), request);
}

void omptape_archive_mpi_collective_begin(struct omptape_archive *archive, struct omptape_events *events,
                                          uint64_t time)
{
    unsigned char *at = begin_event(archive, events, time, HEAD, subject_of(OMPTAPE_EVENT_OTHER, 0), 0, 0);
    if (at != NULL)
        events->at = omptape_encode_u8(omptape_encode_u8(at, OMPTAPE_RECORD_MPI_COLLECTIVE_BEGIN), 0);
}
