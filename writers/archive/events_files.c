/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One function for each kind of event of input and output. Called for each event.
 */
#include "writers/archive/files.h"

#include "writers/archive/put.h"

/* As begin_event, of a record with a length and perhaps attributes; its data come to *data. Who gets events
 * in place of files (tap.h) wants to know no more of these than that they were. */
static unsigned char *begin_record(struct omptape_archive *archive, struct omptape_events *events,
                                   uint64_t time, uint8_t kind, size_t most, unsigned char **data)
{
    struct omptape_attributes *attributes = &archive->attributes;
    const bool described = attributes->count > 0;
    unsigned char *record = begin_event(archive, events, time,
                                        HEAD + most + (described ? omptape_attributes_most(attributes) : 0));
    if (record == NULL) {
        omptape_archive_give_away(archive, events, tapped(time, kind, 0, 0, 0));
        omptape_attributes_clear(attributes);
        return NULL;
    }
    if (described)
        record = omptape_attributes_encode(attributes, record);
    *data = omptape_encode_head(record, kind, most);
    return record;
}

void omptape_archive_io_create(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                               OTF2_IoHandleRef handle, OTF2_IoAccessMode mode, OTF2_IoCreationFlag creation,
                               OTF2_IoStatusFlag status)
{
    unsigned char *data;
    unsigned char *record =
        begin_record(archive, events, time, OMPTAPE_RECORD_IO_CREATE_HANDLE, 3 * U32 + U8, &data);
    if (record == NULL)
        return;
    unsigned char *end = omptape_encode_u8(omptape_encode_u32(data, handle), (uint8_t)mode);
    end_event(events, record, data, omptape_encode_u32(omptape_encode_u32(end, creation), status));
}

void omptape_archive_io_destroy(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                                OTF2_IoHandleRef handle)
{
    unsigned char *data;
    unsigned char *record = begin_record(archive, events, time, OMPTAPE_RECORD_IO_DESTROY_HANDLE, U32, &data);
    if (record != NULL)
        end_event(events, record, data, omptape_encode_u32(data, handle));
}

void omptape_archive_io_delete(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                               OTF2_IoFileRef file)
{
    unsigned char *data;
    unsigned char *record =
        begin_record(archive, events, time, OMPTAPE_RECORD_IO_DELETE_FILE, U8 + U32, &data);
    if (record != NULL)
        end_event(events, record, data,
                  omptape_encode_u32(omptape_encode_u8(data, OMPTAPE_IO_PARADIGM), file));
}

void omptape_archive_io_seek(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                             OTF2_IoHandleRef handle, int64_t offset, OTF2_IoSeekOption whence,
                             uint64_t position)
{
    unsigned char *data;
    unsigned char *record =
        begin_record(archive, events, time, OMPTAPE_RECORD_IO_SEEK, U32 + 2 * U64 + U8, &data);
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
        begin_record(archive, events, time, OMPTAPE_RECORD_IO_OPERATION_BEGIN, 2 * U32 + U8 + 2 * U64, &data);
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
        begin_record(archive, events, time, OMPTAPE_RECORD_IO_OPERATION_COMPLETE, U32 + 2 * U64, &data);
    if (record == NULL)
        return;
    unsigned char *end = omptape_encode_u64(omptape_encode_u32(data, handle), bytes);
    end_event(events, record, data, omptape_encode_u64(end, match));
}

void omptape_archive_io_progress(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, uint8_t kind, OTF2_IoHandleRef handle, uint64_t match)
{
    unsigned char *data;
    unsigned char *record = begin_record(archive, events, time, kind, U32 + U64, &data);
    if (record != NULL)
        end_event(events, record, data, omptape_encode_u64(omptape_encode_u32(data, handle), match));
}
