/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events of MPI's windows, as archive.h has the others.
 */
#ifndef OMPTAPE_ARCHIVE_WRITE_WINDOWS_H
#define OMPTAPE_ARCHIVE_WRITE_WINDOWS_H

#include "src/archive/write/archive.h"

/* Something with another process's memory. */
struct omptape_archive_access {
    uint8_t kind; /* OMPTAPE_RECORD_RMA_PUT, _GET, _ATOMIC */
    OTF2_RmaWinRef window;
    uint32_t rank;
    OTF2_RmaAtomicType type; /* of ATOMIC */
    uint64_t bytes;          /* sent, or got */
    uint64_t received;       /* of ATOMIC */
    uint64_t match;
};
void omptape_archive_window_access(struct omptape_archive *archive, struct omptape_events *events,
                                   uint64_t time, const struct omptape_archive_access *access);
/* It is complete here, or `remote` at the other side. */
void omptape_archive_window_complete(struct omptape_archive *archive, struct omptape_events *events,
                                     uint64_t time, OTF2_RmaWinRef window, uint64_t match, bool remote);

/* OMPTAPE_RECORD_RMA_WIN_CREATE, _WIN_DESTROY. */
void omptape_archive_window_life(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, uint8_t kind, OTF2_RmaWinRef window);

void omptape_archive_window_collective_begin(struct omptape_archive *archive, struct omptape_events *events,
                                             uint64_t time);
void omptape_archive_window_collective_end(struct omptape_archive *archive, struct omptape_events *events,
                                           uint64_t time, OTF2_CollectiveOp operation,
                                           OTF2_RmaSyncLevel level, OTF2_RmaWinRef window);
void omptape_archive_window_group(struct omptape_archive *archive, struct omptape_events *events,
                                  uint64_t time, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window,
                                  OTF2_GroupRef group);
void omptape_archive_window_lock(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, OTF2_RmaWinRef window, uint32_t rank, OTF2_LockType type);
void omptape_archive_window_unlock(struct omptape_archive *archive, struct omptape_events *events,
                                   uint64_t time, OTF2_RmaWinRef window, uint32_t rank);
void omptape_archive_window_sync(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, OTF2_RmaWinRef window, uint32_t rank);

#endif
