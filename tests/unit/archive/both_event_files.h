/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two archives at once: each event goes into the event files of libotf2's and of ours, which must be equal
 * then. For unit tests with cmocka, one thread.
 */
#pragma once

#include "src/archive/write/archive.h"
#include "tests/unit/archive/otf2_events.h"
#include "tests/unit/scratch.h"

enum { LOCATIONS = 3, MAX_ARGUMENTS = 64 };

enum event_kind {
    PROGRAM_BEGIN,
    PROGRAM_END,
    ENTER,
    LEAVE,
    LEAVE_SYNTHESISED,
    FORK,
    JOIN,
    TEAM_BEGIN,
    TEAM_END,
    TASK_CREATE,
    TASK_SWITCH,
    TASK_COMPLETE,
    LOCK_ACQUIRE,
    LOCK_RELEASE,
    PARAMETER_STRING,
    PARAMETER_I64,
    PARAMETER_U64,
    MEASUREMENT,
    BUFFER_FLUSH,
    RMA_PUT,
    RMA_GET,
    RMA_COMPLETE,
    THREAD_CREATED,
    THREAD_BEGUN,
    THREAD_AWAITED,
    THREAD_ENDED,
    WINDOW_GET,
    WINDOW_ATOMIC,
    WINDOW_COMPLETE,
    WINDOW_COMPLETE_REMOTE,
    WINDOW_CREATE,
    WINDOW_BEGIN,
    WINDOW_END,
    WINDOW_GROUP,
    WINDOW_LOCK,
    WINDOW_UNLOCK,
    WINDOW_SYNC,
    IO_CREATE,
    IO_DESTROY,
    IO_DELETE,
    IO_SEEK,
    IO_BEGIN,
    IO_COMPLETE,
    IO_TEST,
    IO_ISSUED,
    IO_CANCELLED,
    SAMPLE,
    METRIC,
    KINDS
};

/* What an event says; each kind takes of it what it has. */
struct event {
    enum event_kind kind;
    uint64_t time;
    uint64_t value[4];
    uint32_t count; /* arguments, or values of a metric */
};

struct both_files {
    char base[SCRATCH_BYTES];
    char path[2][SCRATCH_BYTES + 8]; /* libotf2's folder, and ours */
    OTF2_Archive *otf2;
    OTF2_EvtWriter *writers[LOCATIONS];
    OTF2_AttributeList *list;
    struct omptape_archive archive;
    struct omptape_events events[LOCATIONS];
    uint64_t last[LOCATIONS];
};

extern struct both_files both;

/* Opens both, each with so many locations. */
void both_open(void);

/* The same event to both. A time before the last one's is that one's. */
void both_put(unsigned location, struct event event);

/* An attribute of the next event of both; its number says the type. */
void both_set(unsigned attribute, uint64_t value);

/* Closes all and compares the files; removes them. */
void both_close(void);
/* Closes libotf2's, and removes both. */
void both_forget(void);

/* The whole event file of an archive in `folder`; the caller frees it. */
size_t both_read(const char *folder, unsigned location, unsigned char **bytes);
