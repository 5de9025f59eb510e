/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One function for each kind of event of input and output. Called for each event.
 */
#include "src/archive/write/files.h"

#include "src/archive/write/put.h"

void omptape_archive_io_create(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                               OTF2_IoHandleRef handle, OTF2_IoAccessMode mode, OTF2_IoCreationFlag creation,
                               OTF2_IoStatusFlag status)
{
    unsigned char *data;
    unsigned char *record = begin_record(
        archive, events, tapped(time, OMPTAPE_RECORD_IO_CREATE_HANDLE, 0, 0, 0), 3 * U32 + U8, &data);
    if (record == NULL)
        return;
    unsigned char *end = omptape_encode_u8(omptape_encode_u32(data, handle), (uint8_t)mode);
    end_event(events, record, data, omptape_encode_u32(omptape_encode_u32(end, creation), status));
}

void omptape_archive_io_destroy(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                                OTF2_IoHandleRef handle)
{
    unsigned char *data;
    unsigned char *record =
        begin_record(archive, events, tapped(time, OMPTAPE_RECORD_IO_DESTROY_HANDLE, 0, 0, 0), U32, &data);
    if (record != NULL)
        end_event(events, record, data, omptape_encode_u32(data, handle));
}

void omptape_archive_io_delete(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                               OTF2_IoFileRef file)
{
    unsigned char *data;
    unsigned char *record =
        begin_record(archive, events, tapped(time, OMPTAPE_RECORD_IO_DELETE_FILE, 0, 0, 0), U8 + U32, &data);
    if (record != NULL)
        end_event(events, record, data,
                  omptape_encode_u32(omptape_encode_u8(data, OMPTAPE_IO_PARADIGM), file));
}

void omptape_archive_io_seek(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                             OTF2_IoHandleRef handle, int64_t offset, OTF2_IoSeekOption whence,
                             uint64_t position)
{
    unsigned char *data;
    unsigned char *record = begin_record(archive, events, tapped(time, OMPTAPE_RECORD_IO_SEEK, 0, 0, 0),
                                         U32 + 2 * U64 + U8, &data);
    if (record == NULL)
        return;
    unsigned char *end = omptape_encode_i64(omptape_encode_u32(data, handle), offset);
    end_event(events, record, data, omptape_encode_u64(omptape_encode_u8(end, (uint8_t)whence), position));
}

void omptape_archive_io_begin(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                              const struct omptape_archive_operation *operation)
{
    unsigned char *data;
    unsigned char *record =
        begin_record(archive, events,
                     tapped(time, OMPTAPE_RECORD_IO_OPERATION_BEGIN, 0, operation->mode, operation->match),
                     2 * U32 + U8 + 2 * U64, &data);
    if (record == NULL)
        return;
    unsigned char *end =
        omptape_encode_u8(omptape_encode_u32(data, operation->handle), (uint8_t)operation->mode);
    end = omptape_encode_u64(omptape_encode_u32(end, operation->flags), operation->bytes);
    end_event(events, record, data, omptape_encode_u64(end, operation->match));
}

void omptape_archive_io_complete(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, OTF2_IoHandleRef handle, uint64_t bytes, uint64_t match)
{
    unsigned char *data;
    unsigned char *record =
        begin_record(archive, events, tapped(time, OMPTAPE_RECORD_IO_OPERATION_COMPLETE, 0, match, bytes),
                     U32 + 2 * U64, &data);
    if (record == NULL)
        return;
    unsigned char *end = omptape_encode_u64(omptape_encode_u32(data, handle), bytes);
    end_event(events, record, data, omptape_encode_u64(end, match));
}

void omptape_archive_io_progress(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, uint8_t kind, OTF2_IoHandleRef handle, uint64_t match)
{
    unsigned char *data;
    unsigned char *record = begin_record(archive, events, tapped(time, kind, 0, match, 0), U32 + U64, &data);
    if (record != NULL)
        end_event(events, record, data, omptape_encode_u64(omptape_encode_u32(data, handle), match));
}
