/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The OTF2 archive that is being written: opening, events, markers, closing. The event files are written here
 * (event_file.h), all else by libotf2. The first error (a full disk, say) is remembered once, so that
 * translation can go on without looking.
 */
#pragma once

#include "src/archive/write/attributes.h"
#include "src/archive/write/disk_reserve.h"
#include "src/archive/write/event_file.h"
#include "src/archive/write/observer.h"
#include "src/archive/write/records.h"
#include "src/archive/write/task_name.h"

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>

/* Attributes of events. The numbers are the archive's references. docs/mapping.md says where each is used. */
enum omptape_attribute {
    OMPTAPE_ATTRIBUTE_SYNTHESISED, /* uint8: 1 on a Leave whose end the program never reported */
    OMPTAPE_ATTRIBUTE_ITERATIONS,  /* uint64 */
    OMPTAPE_ATTRIBUTE_START,       /* int64: first iteration of a chunk */
    OMPTAPE_ATTRIBUTE_COUNT,       /* uint64: sections */
    OMPTAPE_ATTRIBUTE_TASK,        /* uint64: identity of a task with dependences */
    OMPTAPE_ATTRIBUTE_FLAGS,       /* string: task flags, cancel flags, map flags */
    OMPTAPE_ATTRIBUTE_WAIT_ID,     /* uint64: the runtime's name of a lock */
    OMPTAPE_ATTRIBUTE_HINT,        /* uint32 */
    OMPTAPE_ATTRIBUTE_LOCK_KIND,   /* uint32: the runtime's implementation */
    OMPTAPE_ATTRIBUTE_COMMAND,     /* uint64: omp_control_tool */
    OMPTAPE_ATTRIBUTE_MODIFIER,    /* uint64 */
    OMPTAPE_ATTRIBUTE_DEVICE,      /* int32 */
    OMPTAPE_ATTRIBUTE_SOURCE_DEVICE,
    OMPTAPE_ATTRIBUTE_BYTES,           /* uint64 */
    OMPTAPE_ATTRIBUTE_HOST_ADDRESS,    /* uint64 */
    OMPTAPE_ATTRIBUTE_DEVICE_ADDRESS,  /* uint64 */
    OMPTAPE_ATTRIBUTE_OPERATION,       /* uint64: identity of a data operation or submission */
    OMPTAPE_ATTRIBUTE_TARGET,          /* uint64: identity of the target region that it belongs to */
    OMPTAPE_ATTRIBUTE_HOST_THREAD,     /* location: whose operation a device's event belongs to */
    OMPTAPE_ATTRIBUTE_CORRELATION,     /* uint64: CUDA's number of an activity */
    OMPTAPE_ATTRIBUTE_TEAM_THREADS,    /* uint32: threads of each team of a kernel */
    OMPTAPE_ATTRIBUTE_PROCESS_ID,      /* uint64: of ProgramBegin, */
    OMPTAPE_ATTRIBUTE_THREAD_ID,       /* uint64: if it is another one */
    OMPTAPE_ATTRIBUTE_CALL,            /* region: where a function of MPI's is called */
    OMPTAPE_ATTRIBUTE_OFFSET,          /* uint64: of an access to a file that names one */
    OMPTAPE_ATTRIBUTE_CALLS,           /* uint64: of MPI, flushes, turns: in a row, that a Leave ends */
    OMPTAPE_ATTRIBUTE_LOCK,            /* uint32: what is waited for when the trace ends: a lock's number; */
    OMPTAPE_ATTRIBUTE_COMM,            /* comm, ...of MPI in this communicator */
    OMPTAPE_ATTRIBUTE_RANK,            /* uint32: ...a message's sender, a root, or a window's rank, */
    OMPTAPE_ATTRIBUTE_TAG,             /* uint32: ...the message's tag, */
    OMPTAPE_ATTRIBUTE_COLLECTIVE,      /* uint8: ...or this operation */
    OMPTAPE_ATTRIBUTE_CALLING_CONTEXT, /* calling context: where a thread's counters were read */
    OMPTAPE_ATTRIBUTE_NUM
};

/* Parameters, tied to the region that was entered last. */
enum omptape_parameter {
    OMPTAPE_PARAMETER_SCHEDULE,        /* string */
    OMPTAPE_PARAMETER_DEPEND,          /* string: one for each dependence, "in 0x7ffc..." */
    OMPTAPE_PARAMETER_SINK,            /* int64: iteration that a doacross loop waits for, */
    OMPTAPE_PARAMETER_SOURCE,          /* or that it has done */
    OMPTAPE_PARAMETER_DEPENDS_ON,      /* uint64: identity of the task that must run first */
    OMPTAPE_PARAMETER_TEAMS_REQUESTED, /* uint64 */
    OMPTAPE_PARAMETER_TEAMS_GRANTED,   /* uint64 */
    OMPTAPE_PARAMETER_STEP,            /* uint64: the number of a user's step */
    OMPTAPE_PARAMETER_RANGE,           /* uint64: which of the program's ranges begins or ends */
    OMPTAPE_PARAMETER_PAYLOAD,         /* uint64: a number that the program passes with a name, */
    OMPTAPE_PARAMETER_PAYLOAD_SIGNED,  /* int64: ...or this, */
    OMPTAPE_PARAMETER_PAYLOAD_REAL,    /* string: ...or this */
    OMPTAPE_PARAMETER_NUM
};

enum omptape_marker_kind {
    OMPTAPE_MARKER_ERROR,
    OMPTAPE_MARKER_WARNING,
    OMPTAPE_MARKER_DROPPED,
    OMPTAPE_MARKER_DEVICE,
    OMPTAPE_MARKER_LIMIT,
    OMPTAPE_MARKER_NUM
};

/* The window that all transfers of devices are in; MPI's follow. */
enum { OMPTAPE_RMA_WINDOW = 0 };

/* What takes samples: there is one. */
enum { OMPTAPE_INTERRUPT_GENERATOR = 0 };

/* Classes of metrics. Readers want numbers without gaps: where the last one is defined all are. So levels
 * have a number more where there are counters. */
enum omptape_metric {
    OMPTAPE_METRIC_SCHED,    /* uint64 each: what the kernel counts of a thread */
    OMPTAPE_METRIC_COUNTERS, /* int64 each: that tells them from the first; `counters` of them */
    OMPTAPE_METRIC_LEVEL,    /* the first level (omptape_archive_add_level); the others follow */
};

/* A metric of one member, as the memory in use. */
struct omptape_level {
    OTF2_StringRef name;
    OTF2_StringRef description;
    OTF2_StringRef unit;
    OTF2_Type type;
    OTF2_MetricType source;
    OTF2_MetricMode mode;
    OTF2_RecorderKind recorder;
};
/* Where it is measured. */
struct omptape_level_place {
    uint32_t metric;
    OTF2_LocationRef location;
};
/* Their members. */
enum omptape_metric_member {
    OMPTAPE_MEMBER_RUNNING,
    OMPTAPE_MEMBER_WAITING,
    OMPTAPE_MEMBER_SYSTEM,
    OMPTAPE_MEMBER_MINOR_FAULTS,
    OMPTAPE_MEMBER_MAJOR_FAULTS,
    OMPTAPE_MEMBER_VOLUNTARY,
    OMPTAPE_MEMBER_INVOLUNTARY,
    OMPTAPE_SCHED_MEMBERS /* those of the first class */
};

struct omptape_archive {
    OTF2_Archive *otf2;
    struct omptape_attributes attributes; /* for the next event; empty again after it */
    struct archive_observer observer;     /* gets all events; .event NULL: the files do */
    unsigned step;     /* that a location's records are apart at least: 1 if their times are to be distinct */
    uint32_t counters; /* members of OMPTAPE_METRIC_COUNTERS; 0: there is no such class */
    struct omptape_level *levels; /* from OMPTAPE_METRIC_LEVEL on */
    uint32_t level_count;
    uint32_t level_room;
    struct omptape_level_place *level_places;
    uint32_t level_place_count;
    uint32_t level_place_room;
    int files; /* of the archive (src/archive/otf2_files.h); -1: nothing yet */
    struct omptape_marker_note *markers;
    uint32_t marker_count;
    uint32_t marker_capacity;
    size_t property_bytes;
    bool defines; /* the size of definitions has been said */
    struct omptape_disk_reserve disk_reserve;
    char error[256]; /* the first thing that went wrong, empty if nothing did */
};

/* Events can be prepared from now on, before there is a file. archive->observer is to be set before the
 * first. */
void omptape_archive_create(struct omptape_archive *archive);
/* Opens traces.otf2 in `folder` (a descriptor) for writing, and makes that the current folder: a core file
 * goes there. 0, or -EIO with archive->error set. */
int omptape_archive_open(struct omptape_archive *archive, int folder);
/* Definitions can be written from now on, if the words of each are not more than so many (those of the
 * longest group, mapping table or text). The first failure is remembered. */
void omptape_archive_begin_definitions(struct omptape_archive *archive, uint64_t longest);
/* Writes the markers and closes all. 0, or -EIO with archive->error set. */
int omptape_archive_close(struct omptape_archive *archive);
/* Remembers an error code of libotf2's, if it is the first. */
void omptape_archive_check(struct omptape_archive *archive, OTF2_ErrorCode code, const char *what);
/* The same of the system's, negative. */
void omptape_archive_fail(struct omptape_archive *archive, int error);

/* It stays closed on failure (remembered). */
void omptape_archive_open_location(struct omptape_archive *archive, struct omptape_events *events,
                                   OTF2_LocationRef location);
/* Returns the number of its events, also of those that an observer got. */
uint64_t omptape_archive_close_location(struct omptape_archive *archive, struct omptape_events *events);

/* Does an observer get the events in place of the files? */
static inline bool omptape_archive_is_observed_alone(const struct omptape_archive *archive)
{
    return archive->observer.event != NULL && !archive->observer.beside;
}

/* How many events of this file are in the archive. */
static inline uint64_t omptape_archive_written(const struct omptape_archive *archive,
                                               const struct omptape_events *events)
{
    return omptape_archive_is_observed_alone(archive) ? 0 : events->count;
}

/* An OTF2_Archive_SetProperty; `name` is completed and made fit for OTF2 (include/omptape/properties.h). What
 * does not fit into the anchor file any more (256 KiB) is left out. */
void omptape_archive_property(struct omptape_archive *archive, const char *prefix, const char *name,
                              const char *value);

/* Attributes for the next event. */
void omptape_archive_set_u8(struct omptape_archive *archive, enum omptape_attribute attribute, uint8_t value);
void omptape_archive_set_i32(struct omptape_archive *archive, enum omptape_attribute attribute,
                             int32_t value);
void omptape_archive_set_u32(struct omptape_archive *archive, enum omptape_attribute attribute,
                             uint32_t value);
void omptape_archive_set_i64(struct omptape_archive *archive, enum omptape_attribute attribute,
                             int64_t value);
void omptape_archive_set_u64(struct omptape_archive *archive, enum omptape_attribute attribute,
                             uint64_t value);
void omptape_archive_set_string(struct omptape_archive *archive, enum omptape_attribute attribute,
                                OTF2_StringRef value);
void omptape_archive_set_location(struct omptape_archive *archive, enum omptape_attribute attribute,
                                  OTF2_LocationRef value);
void omptape_archive_set_region(struct omptape_archive *archive, enum omptape_attribute attribute,
                                OTF2_RegionRef value);
void omptape_archive_set_context(struct omptape_archive *archive, enum omptape_attribute attribute,
                                 OTF2_CallingContextRef value);
void omptape_archive_set_comm(struct omptape_archive *archive, enum omptape_attribute attribute,
                              OTF2_CommRef value);
void omptape_archive_clear_attributes(struct omptape_archive *archive);

/* After an error (a full disk) nothing is written any more; libotf2 would write behind its buffers. */
static inline bool omptape_archive_can_write(const struct omptape_archive *archive,
                                             const struct omptape_events *events)
{
    return omptape_events_are_open(events) && archive->error[0] == '\0';
}

/* For events.c: writes the chunk, which has no more room for a record of so many bytes at most, and begins
 * another one at `time`. False: it cannot be written, or the file is not open. */
__attribute__((cold)) bool omptape_archive_next_chunk(struct omptape_archive *archive,
                                                      struct omptape_events *events, uint64_t time,
                                                      size_t bytes);

/* Events. What is for a file that is not open is ignored. `time` is the earliest that the record may
 * have: it is written at that of the location's last record if that is later. Where times are to be distinct,
 * it is one behind it. */
void omptape_archive_program_begin(struct omptape_archive *archive, struct omptape_events *events,
                                   uint64_t time, OTF2_StringRef name, uint32_t count,
                                   const OTF2_StringRef *arguments);
void omptape_archive_program_end(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, int64_t status);
void omptape_archive_enter(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                           OTF2_RegionRef region);
void omptape_archive_leave(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                           OTF2_RegionRef region, bool synthesised);
void omptape_archive_fork(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                          uint32_t requested);
void omptape_archive_join(struct omptape_archive *archive, struct omptape_events *events, uint64_t time);
void omptape_archive_team_begin(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                                OTF2_CommRef comm);
void omptape_archive_team_end(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                              OTF2_CommRef comm);
void omptape_archive_task_create(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, const struct omptape_task_name *name);
void omptape_archive_task_switch(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, const struct omptape_task_name *name);
void omptape_archive_task_complete(struct omptape_archive *archive, struct omptape_events *events,
                                   uint64_t time, const struct omptape_task_name *name);
void omptape_archive_lock_acquire(struct omptape_archive *archive, struct omptape_events *events,
                                  uint64_t time, uint32_t lock, uint32_t order);
void omptape_archive_lock_release(struct omptape_archive *archive, struct omptape_events *events,
                                  uint64_t time, uint32_t lock, uint32_t order);
void omptape_archive_parameter_string(struct omptape_archive *archive, struct omptape_events *events,
                                      uint64_t time, enum omptape_parameter parameter, OTF2_StringRef value);
void omptape_archive_parameter_i64(struct omptape_archive *archive, struct omptape_events *events,
                                   uint64_t time, enum omptape_parameter parameter, int64_t value);
void omptape_archive_parameter_u64(struct omptape_archive *archive, struct omptape_events *events,
                                   uint64_t time, enum omptape_parameter parameter, uint64_t value);
void omptape_archive_measurement(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, bool on);
/* The events from here on are those of another thread, whose number the kernel knows. There are two of these
 * in a row, off and on, or one of the mode that the recording is in. */
void omptape_archive_change_thread(struct omptape_archive *archive, struct omptape_events *events,
                                   uint64_t time, bool on, uint32_t tid);
void omptape_archive_buffer_flush(struct omptape_archive *archive, struct omptape_events *events,
                                  uint64_t begin, uint64_t end);

/* A transfer, by the device's location: from the host (a get) or to it (`put`). `rank`: of the other side. */
void omptape_archive_rma(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                         bool put, uint32_t rank, uint64_t bytes, uint64_t match);
void omptape_archive_rma_complete(struct omptape_archive *archive, struct omptape_events *events,
                                  uint64_t time, uint64_t match);
/* Adds a level. Its number; OMPTAPE_METRIC_SCHED: out of memory. */
uint32_t omptape_archive_add_level(struct omptape_archive *archive, const struct omptape_level *level);
/* The location measures the level. Called once for each pair of these. */
void omptape_archive_add_level_place(struct omptape_archive *archive, uint32_t metric,
                                     OTF2_LocationRef location);

/* The number of a class, and of the first of its members, in the definitions. */
uint32_t omptape_archive_metric_ref(const struct omptape_archive *archive, uint32_t metric);
uint32_t omptape_archive_member_ref(const struct omptape_archive *archive, uint32_t metric);

/* The values of a metric, one for each member. */
void omptape_archive_metric(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                            uint32_t metric, OTF2_Type type, uint8_t count, const uint64_t *values);

/* A sample of the one interrupt generator, of a thread in this calling context. */
void omptape_archive_sample(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                            OTF2_CallingContextRef context);

/* A marker at one moment of one location, kept until the archive is closed; none before it is opened. Copies
 * the text. */
void omptape_archive_mark(struct omptape_archive *archive, uint64_t time, OTF2_LocationRef location,
                          enum omptape_marker_kind marker, const char *text);
