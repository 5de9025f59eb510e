/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One function for each kind of event of MPI's windows. Called for each event.
 */
#include "src/archive/write/put.h"
#include "src/archive/write/windows.h"

void omptape_archive_window_access(struct omptape_archive *archive, struct omptape_events *events,
                                   uint64_t time, const struct omptape_archive_access *access)
{
    const bool atomic = access->kind == OMPTAPE_RECORD_RMA_ATOMIC;
    const size_t most = 2 * U32 + 2 * U64 + (atomic ? U8 + U64 : 0);
    unsigned char *data;
    unsigned char *record = begin_record(
        archive, events, tapped(time, access->kind, access->rank, access->match, access->bytes), most, &data);
    if (record == NULL)
        return;
    unsigned char *end = omptape_encode_u32(omptape_encode_u32(data, access->window), access->rank);
    if (atomic)
        end = omptape_encode_u8(end, access->type);
    end = omptape_encode_u64(end, access->bytes);
    if (atomic)
        end = omptape_encode_u64(end, access->received);
    end_event(events, record, data, omptape_encode_u64(end, access->match));
}

void omptape_archive_window_complete(struct omptape_archive *archive, struct omptape_events *events,
                                     uint64_t time, OTF2_RmaWinRef window, uint64_t match, bool remote)
{
    const uint8_t kind =
        remote ? OMPTAPE_RECORD_RMA_OP_COMPLETE_REMOTE : OMPTAPE_RECORD_RMA_OP_COMPLETE_NON_BLOCKING;
    unsigned char *data;
    unsigned char *record =
        begin_record(archive, events, tapped(time, kind, 0, match, remote), U32 + U64, &data);
    if (record != NULL)
        end_event(events, record, data, omptape_encode_u64(omptape_encode_u32(data, window), match));
}

void omptape_archive_window_life(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, uint8_t kind, OTF2_RmaWinRef window)
{
    unsigned char *data;
    unsigned char *record = begin_record(archive, events, tapped(time, kind, 0, 0, 0), U32, &data);
    if (record != NULL)
        end_event(events, record, data, omptape_encode_u32(data, window));
}

void omptape_archive_window_collective_begin(struct omptape_archive *archive, struct omptape_events *events,
                                             uint64_t time)
{
    unsigned char *data;
    unsigned char *record =
        begin_record(archive, events, tapped(time, OMPTAPE_RECORD_RMA_COLLECTIVE_BEGIN, 0, 0, 0), 0, &data);
    if (record != NULL)
        end_event(events, record, data, data);
}

void omptape_archive_window_collective_end(struct omptape_archive *archive, struct omptape_events *events,
                                           uint64_t time, OTF2_CollectiveOp operation,
                                           OTF2_RmaSyncLevel level, OTF2_RmaWinRef window)
{
    unsigned char *data;
    unsigned char *record =
        begin_record(archive, events, tapped(time, OMPTAPE_RECORD_RMA_COLLECTIVE_END, 0, 0, 0),
                     U8 + 3 * U32 + 2 * U64, &data);
    if (record == NULL)
        return;
    unsigned char *end = omptape_encode_u32(omptape_encode_u8(data, operation), level);
    end = omptape_encode_u32(omptape_encode_u32(end, window), OTF2_COLLECTIVE_ROOT_NONE);
    end_event(events, record, data, omptape_encode_u64(omptape_encode_u64(end, 0), 0));
}

void omptape_archive_window_group(struct omptape_archive *archive, struct omptape_events *events,
                                  uint64_t time, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window,
                                  OTF2_GroupRef group)
{
    unsigned char *data;
    unsigned char *record =
        begin_record(archive, events, tapped(time, OMPTAPE_RECORD_RMA_GROUP_SYNC, 0, 0, 0), 3 * U32, &data);
    if (record == NULL)
        return;
    unsigned char *end = omptape_encode_u32(omptape_encode_u32(data, level), window);
    end_event(events, record, data, omptape_encode_u32(end, group));
}

void omptape_archive_window_lock(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, OTF2_RmaWinRef window, uint32_t rank, OTF2_LockType type)
{
    unsigned char *data;
    unsigned char *record = begin_record(
        archive, events, tapped(time, OMPTAPE_RECORD_RMA_ACQUIRE_LOCK, 0, 0, 0), 2 * U32 + U64 + U8, &data);
    if (record == NULL)
        return;
    /* A process has one lock in each window. */
    unsigned char *end = omptape_encode_u32(omptape_encode_u32(data, window), rank);
    end_event(events, record, data, omptape_encode_u8(omptape_encode_u64(end, 0), type));
}

void omptape_archive_window_unlock(struct omptape_archive *archive, struct omptape_events *events,
                                   uint64_t time, OTF2_RmaWinRef window, uint32_t rank)
{
    unsigned char *data;
    unsigned char *record = begin_record(
        archive, events, tapped(time, OMPTAPE_RECORD_RMA_RELEASE_LOCK, 0, 0, 0), 2 * U32 + U64, &data);
    if (record == NULL)
        return;
    unsigned char *end = omptape_encode_u32(omptape_encode_u32(data, window), rank);
    end_event(events, record, data, omptape_encode_u64(end, 0));
}

void omptape_archive_window_sync(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, OTF2_RmaWinRef window, uint32_t rank)
{
    unsigned char *data;
    unsigned char *record =
        begin_record(archive, events, tapped(time, OMPTAPE_RECORD_RMA_SYNC, 0, 0, 0), 2 * U32 + U8, &data);
    if (record == NULL)
        return;
    unsigned char *end = omptape_encode_u32(omptape_encode_u32(data, window), rank);
    end_event(events, record, data, omptape_encode_u8(end, OTF2_RMA_SYNC_TYPE_MEMORY));
}
