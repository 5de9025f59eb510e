/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events of input and output, as archive.h has the others.
 */
#ifndef OMPTAPE_ARCHIVE_WRITE_FILES_H
#define OMPTAPE_ARCHIVE_WRITE_FILES_H

#include "src/archive/write/archive.h"

/* The one paradigm of input and output. */
enum { OMPTAPE_IO_PARADIGM = 0 };

void omptape_archive_io_create(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                               OTF2_IoHandleRef handle, OTF2_IoAccessMode mode, OTF2_IoCreationFlag creation,
                               OTF2_IoStatusFlag status);
void omptape_archive_io_destroy(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                                OTF2_IoHandleRef handle);
void omptape_archive_io_delete(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                               OTF2_IoFileRef file);
void omptape_archive_io_seek(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                             OTF2_IoHandleRef handle, int64_t offset, OTF2_IoSeekOption whence,
                             uint64_t position);

struct omptape_archive_operation {
    OTF2_IoHandleRef handle;
    OTF2_IoOperationMode mode;
    OTF2_IoOperationFlag flags;
    uint64_t bytes; /* asked for */
    uint64_t match;
};
/* With the attributes that were set (archive.h). */
void omptape_archive_io_begin(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                              const struct omptape_archive_operation *operation);
void omptape_archive_io_complete(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, OTF2_IoHandleRef handle, uint64_t bytes, uint64_t match);
/* OMPTAPE_RECORD_IO_OPERATION_TEST, _ISSUED, _CANCELLED. */
void omptape_archive_io_progress(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, uint8_t kind, OTF2_IoHandleRef handle, uint64_t match);

#endif
