/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Who gets the events of an archive in which none are written (a profile), one by one, as they would have
 * been written. They come in the order of the merge, each with the time that it would have had. Called by the
 * archive's functions for events (events*.c) on the thread of whoever translates.
 */
#ifndef OMPTAPE_ARCHIVE_WRITE_TAP_H
#define OMPTAPE_ARCHIVE_WRITE_TAP_H

#include "src/archive/write/attributes.h"

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>

/* OTF2's numbers of the records. Beside each: `ref`; `value`. Those of MPI and of I/O without words tell
 * nothing more. */
enum omptape_record_number {
    OMPTAPE_RECORD_BUFFER_FLUSH = 10,
    OMPTAPE_RECORD_MEASUREMENT_ON_OFF =
        11,                    /* number of the thread that the location changes to, 0: it does not; mode */
    OMPTAPE_RECORD_ENTER = 12, /* region */
    OMPTAPE_RECORD_LEAVE = 13, /* region */
    OMPTAPE_RECORD_MPI_SEND = 14, /* -; bytes: also the other messages */
    OMPTAPE_RECORD_MPI_ISEND = 15,
    OMPTAPE_RECORD_MPI_ISEND_COMPLETE = 16,
    OMPTAPE_RECORD_MPI_IRECV_REQUEST = 17,
    OMPTAPE_RECORD_MPI_RECV = 18,
    OMPTAPE_RECORD_MPI_IRECV = 19,
    OMPTAPE_RECORD_MPI_REQUEST_TEST = 20,
    OMPTAPE_RECORD_MPI_REQUEST_CANCELLED = 21,
    OMPTAPE_RECORD_MPI_COLLECTIVE_BEGIN = 22,
    OMPTAPE_RECORD_MPI_COLLECTIVE_END = 23, /* -; bytes sent, received: also of one that did not block */
    OMPTAPE_RECORD_METRIC = 31,             /* metric; its values come as attributes without a name */
    OMPTAPE_RECORD_PARAMETER_STRING = 32,   /* parameter; string */
    OMPTAPE_RECORD_PARAMETER_INT = 33,      /* parameter; value */
    OMPTAPE_RECORD_PARAMETER_UNSIGNED_INT = 34,
    OMPTAPE_RECORD_RMA_WIN_CREATE = 35,
    OMPTAPE_RECORD_RMA_WIN_DESTROY = 36,
    OMPTAPE_RECORD_RMA_COLLECTIVE_BEGIN = 37,
    OMPTAPE_RECORD_RMA_COLLECTIVE_END = 38,
    OMPTAPE_RECORD_RMA_GROUP_SYNC = 39,
    OMPTAPE_RECORD_RMA_ACQUIRE_LOCK = 41,
    OMPTAPE_RECORD_RMA_RELEASE_LOCK = 43,
    OMPTAPE_RECORD_RMA_SYNC = 44,
    OMPTAPE_RECORD_RMA_PUT = 46, /* remote rank; matching id, bytes */
    OMPTAPE_RECORD_RMA_GET = 47,
    OMPTAPE_RECORD_RMA_ATOMIC = 48,                   /* remote rank; matching id, bytes sent */
    OMPTAPE_RECORD_RMA_OP_COMPLETE_BLOCKING = 49,     /* -; matching id */
    OMPTAPE_RECORD_RMA_OP_COMPLETE_NON_BLOCKING = 50, /* -; matching id */
    OMPTAPE_RECORD_RMA_OP_COMPLETE_REMOTE = 52,       /* -; matching id, 1 */
    OMPTAPE_RECORD_THREAD_FORK = 53,                  /* -; threads requested */
    OMPTAPE_RECORD_THREAD_JOIN = 54,
    OMPTAPE_RECORD_THREAD_TEAM_BEGIN = 55,   /* comm */
    OMPTAPE_RECORD_THREAD_TEAM_END = 56,     /* comm */
    OMPTAPE_RECORD_THREAD_ACQUIRE_LOCK = 57, /* -; lock, order */
    OMPTAPE_RECORD_THREAD_RELEASE_LOCK = 58,
    OMPTAPE_RECORD_THREAD_TASK_CREATE = 59, /* comm; creating thread, generation */
    OMPTAPE_RECORD_THREAD_TASK_SWITCH = 60,
    OMPTAPE_RECORD_THREAD_TASK_COMPLETE = 61,
    OMPTAPE_RECORD_CALLING_CONTEXT_SAMPLE = 68, /* calling context */
    OMPTAPE_RECORD_IO_CREATE_HANDLE = 69,
    OMPTAPE_RECORD_IO_DESTROY_HANDLE = 70,
    OMPTAPE_RECORD_IO_SEEK = 72,
    OMPTAPE_RECORD_IO_DELETE_FILE = 74,
    OMPTAPE_RECORD_IO_OPERATION_BEGIN = 75,
    OMPTAPE_RECORD_IO_OPERATION_TEST = 76,
    OMPTAPE_RECORD_IO_OPERATION_ISSUED = 77,
    OMPTAPE_RECORD_IO_OPERATION_COMPLETE = 78,
    OMPTAPE_RECORD_IO_OPERATION_CANCELLED = 79,
    OMPTAPE_RECORD_PROGRAM_BEGIN = 83,
    OMPTAPE_RECORD_PROGRAM_END = 84,
    OMPTAPE_RECORD_NON_BLOCKING_COLLECTIVE_REQUEST = 85,
    OMPTAPE_RECORD_NON_BLOCKING_COLLECTIVE_COMPLETE = 86,
    OMPTAPE_RECORD_COMM_CREATE = 87,
    OMPTAPE_RECORD_COMM_DESTROY = 88,
    OMPTAPE_RECORD_NUMBERS /* all are less */
};

enum { OMPTAPE_TAPPED_VALUES = 2 };

struct omptape_said; /* what an Enter, Leave or Metric says beside that: theirs */

struct omptape_tapped {
    uint64_t time;
    union {
        uint64_t value[OMPTAPE_TAPPED_VALUES];
        struct omptape_said *said; /* of Enter and Leave: or NULL; of Metric */
    };
    uint32_t ref;
    uint8_t number; /* enum omptape_record_number */
};

/* Where a location's next event goes; at `end` is no room. All its events have the same until it is closed.
 */
struct omptape_tap_lane {
    struct omptape_tapped *next;
    const struct omptape_tapped *end;
};

struct omptape_events;

/* `event` NULL: there is nobody. It gets what does not just go to its lane, and the attributes of this event
 * (NULL where it has none). All three are the callee's until it returns. */
struct omptape_tap {
    void *data;
    void (*event)(void *data, struct omptape_events *events, const struct omptape_tapped *event,
                  const struct omptape_attributes *attributes);
};

#endif
