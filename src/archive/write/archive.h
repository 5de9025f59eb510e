/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes an OTF2 archive: open, definitions, events, markers, close. omptape itself writes the event files
 * (event_file.h); libotf2 writes everything else. The first error, for example a full disk, is recorded.
 * Later calls then do nothing, so callers need not check each call.
 */
#pragma once

#include "src/archive/write/attribute_table.h"
#include "src/archive/write/attributes.h"
#include "src/archive/write/disk_reserve.h"
#include "src/archive/write/event_file.h"
#include "src/archive/write/observer.h"
#include "src/archive/write/records.h"
#include "src/archive/write/task_name.h"

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>

/* Attributes of events. The values are the archive's references. */
enum omptape_attribute {
#define ROW(name, ...) OMPTAPE_ATTRIBUTE_##name,
    OMPTAPE_ATTRIBUTES(ROW) OMPTAPE_ATTRIBUTE_NUM
#undef ROW
};

/* Parameters of the region that was entered last. */
enum omptape_parameter {
#define ROW(name, ...) OMPTAPE_PARAMETER_##name,
    OMPTAPE_PARAMETERS(ROW) OMPTAPE_PARAMETER_NUM
#undef ROW
};

extern const struct omptape_attribute_info {
    const char *name;
    const char *description;
    OTF2_Type type;
} omptape_attribute_infos[OMPTAPE_ATTRIBUTE_NUM];

extern const struct omptape_parameter_info {
    const char *name;
    OTF2_ParameterType type;
} omptape_parameter_infos[OMPTAPE_PARAMETER_NUM];

enum omptape_marker_kind {
    OMPTAPE_MARKER_ERROR,
    OMPTAPE_MARKER_WARNING,
    OMPTAPE_MARKER_DROPPED,
    OMPTAPE_MARKER_DEVICE,
    OMPTAPE_MARKER_LIMIT,
    OMPTAPE_MARKER_NUM
};

/* Window of all device transfers; MPI's windows follow. */
enum { OMPTAPE_RMA_WINDOW = 0 };

/* The only interrupt generator. */
enum { OMPTAPE_INTERRUPT_GENERATOR = 0 };

/* Classes of metrics. Readers expect consecutive numbers, so the levels' numbers are one lower if there are
 * no counters (omptape_archive_metric_ref). */
enum omptape_metric {
    OMPTAPE_METRIC_SCHED,    /* uint64 each: the kernel's scheduling statistics of a thread */
    OMPTAPE_METRIC_COUNTERS, /* int64 each, unlike the first class; `counters` members */
    OMPTAPE_METRIC_LEVEL,    /* first level (omptape_archive_add_level); the others follow */
};

/* A metric with one member, for example the memory in use. */
struct omptape_level {
    OTF2_StringRef name;
    OTF2_StringRef description;
    OTF2_StringRef unit;
    OTF2_Type type;
    OTF2_MetricType source;
    OTF2_MetricMode mode;
    OTF2_RecorderKind recorder;
};
/* A location that measures a level. */
struct omptape_level_place {
    uint32_t metric;
    OTF2_LocationRef location;
};
/* Members of the metric classes. */
enum omptape_metric_member {
    OMPTAPE_MEMBER_RUNNING,
    OMPTAPE_MEMBER_WAITING,
    OMPTAPE_MEMBER_SYSTEM,
    OMPTAPE_MEMBER_MINOR_FAULTS,
    OMPTAPE_MEMBER_MAJOR_FAULTS,
    OMPTAPE_MEMBER_VOLUNTARY,
    OMPTAPE_MEMBER_INVOLUNTARY,
    OMPTAPE_SCHED_MEMBERS /* number of members of OMPTAPE_METRIC_SCHED */
};

struct omptape_archive {
    OTF2_Archive *otf2;
    OTF2_GlobalDefWriter *definitions;    /* NULL except while the global definitions are written */
    struct omptape_attributes attributes; /* of the next event; cleared after it */
    struct archive_observer observer;     /* receives all events; .event NULL: the files receive them */
    unsigned step;     /* minimum ticks between a location's records: 1 if times must differ, else 0 */
    uint32_t counters; /* number of members of OMPTAPE_METRIC_COUNTERS; 0: the class does not exist */
    struct omptape_level *levels; /* numbered from OMPTAPE_METRIC_LEVEL */
    uint32_t level_count;
    uint32_t level_capacity;
    struct omptape_level_place *level_places;
    uint32_t level_place_count;
    uint32_t level_place_capacity;
    int files; /* the archive's handle (src/archive/otf2_files.h); -1: not open yet */
    struct omptape_marker_note *markers;
    uint32_t marker_count;
    uint32_t marker_capacity;
    size_t property_bytes;
    bool defines; /* the chunk size of definitions is set */
    struct omptape_disk_reserve disk_reserve;
    char error[256]; /* the first error, or "" */
};

/* Initialises the archive. Events can be prepared from now on, before there is a file. The caller sets
 * archive->observer before the first event. */
void omptape_archive_create(struct omptape_archive *archive);
/* Opens traces.otf2 for writing in `folder` (a descriptor). Makes it the current folder, so that no other one
 * is in use. Returns 0, or -EIO with archive->error set. */
int omptape_archive_open(struct omptape_archive *archive, int folder);
/* Allows definitions of up to `longest` words (longest group, mapping table or text). Errors are recorded. */
void omptape_archive_begin_definitions(struct omptape_archive *archive, uint64_t longest);
/* Writes the markers and closes the archive. Returns 0, or -EIO with archive->error set. */
int omptape_archive_close(struct omptape_archive *archive);
/* Records an error code of libotf2, if it is the first error. */
void omptape_archive_check(struct omptape_archive *archive, OTF2_ErrorCode code, const char *what);
/* Writes a global definition: OMPTAPE_DEFINE(archive, Comm, ref, name...). Does nothing after an error. */
#define OMPTAPE_DEFINE(archive, Kind, ...)                                                                   \
    ((archive)->error[0] != '\0'                                                                             \
         ? (void)0                                                                                           \
         : omptape_archive_check(                                                                            \
               (archive), OTF2_GlobalDefWriter_Write##Kind((archive)->definitions, __VA_ARGS__), #Kind))
/* Records a negative errno, if it is the first error. */
void omptape_archive_fail(struct omptape_archive *archive, int error);

/* Opens a location's event file. On failure the file stays closed and the error is recorded. */
void omptape_archive_open_location(struct omptape_archive *archive, struct omptape_events *events,
                                   OTF2_LocationRef location);
/* Closes a location's event file. Returns its number of events, including the observer's. */
uint64_t omptape_archive_close_location(struct omptape_archive *archive, struct omptape_events *events);

/* Returns true if an observer receives the events in place of the files. */
static inline bool omptape_archive_is_observed_alone(const struct omptape_archive *archive)
{
    return archive->observer.event != NULL && !archive->observer.beside;
}

/* Returns the number of events of this file that are in the archive. */
static inline uint64_t omptape_archive_written(const struct omptape_archive *archive,
                                               const struct omptape_events *events)
{
    return omptape_archive_is_observed_alone(archive) ? 0 : events->count;
}

/* Sets a property. `name` is converted to OTF2's form (include/omptape/properties.h). Properties that exceed
 * the anchor file's size (256 KiB) are dropped. */
void omptape_archive_property(struct omptape_archive *archive, const char *prefix, const char *name,
                              const char *value);

/* Sets an attribute of the next event. Signed 32-bit values are passed zero-extended. */
void omptape_archive_set(struct omptape_archive *archive, enum omptape_attribute attribute, uint64_t value);
void omptape_archive_clear_attributes(struct omptape_archive *archive);

/* Returns false after an error, as libotf2 would then write beyond its buffers, and for a closed file. */
static inline bool omptape_archive_can_write(const struct omptape_archive *archive,
                                             const struct omptape_events *events)
{
    return omptape_events_are_open(events) && archive->error[0] == '\0';
}

/* Writes the chunk if it has less than `bytes` left for a record, and begins a new one at `time`. Returns
 * false if it cannot be written or the file is not open. Called by events.c. */
__attribute__((cold)) bool omptape_archive_next_chunk(struct omptape_archive *archive,
                                                      struct omptape_events *events, uint64_t time,
                                                      size_t bytes);

/* Functions for events. Events of a closed file are dropped. `time` is the earliest possible time of the
 * record. It is at least the last record's on the location, or one tick later if times must be distinct. */
void omptape_archive_program_begin(struct omptape_archive *archive, struct omptape_events *events,
                                   uint64_t time, OTF2_StringRef name, uint32_t count,
                                   const OTF2_StringRef *arguments);
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
/* `value`: a string's reference or a number's bits. */
void omptape_archive_parameter(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                               enum omptape_parameter parameter, uint64_t value);
/* `tid`, if not 0: the following events belong to this kernel thread, another one than before. It is called
 * twice in a row with off and on then, or once with the current mode of the recording. */
void omptape_archive_measurement(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, bool on, uint32_t tid);
void omptape_archive_buffer_flush(struct omptape_archive *archive, struct omptape_events *events,
                                  uint64_t begin, uint64_t end);

/* Adds a level. Returns its number, or OMPTAPE_METRIC_SCHED if out of memory. */
uint32_t omptape_archive_add_level(struct omptape_archive *archive, const struct omptape_level *level);
/* Adds a location that measures the level. Called once for each pair. */
void omptape_archive_add_level_place(struct omptape_archive *archive, uint32_t metric,
                                     OTF2_LocationRef location);

/* Return the definition references of a class and of its first member. */
uint32_t omptape_archive_metric_ref(const struct omptape_archive *archive, uint32_t metric);
uint32_t omptape_archive_member_ref(const struct omptape_archive *archive, uint32_t metric);

/* Records a metric's values, one per member. */
void omptape_archive_metric(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                            uint32_t metric, OTF2_Type type, uint8_t count, const uint64_t *values);

/* Records a sample of a thread in this calling context. */
void omptape_archive_sample(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                            OTF2_CallingContextRef context);

/* The only I/O paradigm. */
enum { OMPTAPE_IO_PARADIGM = 0 };

/* Writes a record of another kind with the attributes that were set. Such records are those of MPI with its
 * windows and files, of devices' transfers, and of the program's end. `values` are the arguments of libotf2's
 * function after the time, in the same order. OMPTAPE_RECORD_RMA_OP_COMPLETE_REMOTE has an additional 1 at
 * the end, MEASUREMENT_ON_OFF the thread or 0. */
void omptape_archive_put_record(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                                enum omptape_record_number kind, const uint64_t *values);
#define OMPTAPE_ARCHIVE_PUT(archive, events, time, kind, ...)                                                \
    omptape_archive_put_record(archive, events, time, kind, (const uint64_t[]){__VA_ARGS__})

/* Records a change of a request's state: OMPTAPE_RECORD_MPI_ISEND_COMPLETE, _IRECV_REQUEST, _REQUEST_TEST,
 * _REQUEST_CANCELLED. */
void omptape_archive_mpi_request(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, enum omptape_record_number kind, uint64_t request);

void omptape_archive_mpi_collective_begin(struct omptape_archive *archive, struct omptape_events *events,
                                          uint64_t time);

/* Adds a marker at one moment of one location. It is kept until the archive is closed; before the archive is
 * open it is dropped. Copies the text. */
void omptape_archive_mark(struct omptape_archive *archive, uint64_t time, OTF2_LocationRef location,
                          enum omptape_marker_kind marker, const char *text);
