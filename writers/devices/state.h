/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The state of the writer for the program's devices: the operations that the host started on them, the
 * intervals of their records, and the locations that show these. Only writers/devices/ uses it.
 */
#pragma once

#include "writers/devices/operations.h"
#include "writers/devices/report.h"
#include "writers/state/writer.h"

struct omptape_device_clock;

/* On which of a device's locations an interval is shown. */
enum omptape_lane {
    OMPTAPE_LANE_STREAM,   /* key: the device's stream, 0: it names none */
    OMPTAPE_LANE_SYNC,     /* the same: waiting for what is on that stream */
    OMPTAPE_LANE_THREAD,   /* key: a thread of the device; regions nest */
    OMPTAPE_LANE_OBSERVED, /* as the host saw it */
    OMPTAPE_LANE_COUNT
};

/* Something that a device did. */
struct omptape_interval {
    uint64_t begin; /* device time; on LANE_OBSERVED and once converted: host ticks */
    uint64_t end;
    uint64_t recorded_begin; /* once converted: the device's times, which tell what came twice */
    uint64_t recorded_end;
    uint64_t delivered; /* host ticks: it was over then; 0: not known */
    uint64_t key;
    uint64_t bytes;
    uint64_t target;
    uint64_t correlation;                /* CUDA's, or 0 */
    int64_t memory_change;               /* bytes that it allocates or frees, if no operation tells of it */
    struct omptape_operation *operation; /* NULL: not known */
    OTF2_RegionRef region;
    uint32_t granted; /* teams, 0: not told */
    uint32_t threads; /* of each team, 0: not told */
    int32_t peer;     /* a copy's other device, or INT32_MIN */
    uint8_t lane;     /* enum omptape_lane */
    uint8_t copy;     /* enum omptape_copy */
    bool dated;       /* begin and end are host ticks */
    bool untimed;     /* its times are not to be had: those of the host's operation serve */
    bool point;       /* has no duration by nature */
    bool written;     /* waits no longer */
};

/* Where a waiting interval stands: what is sorted instead of itself. */
struct omptape_track_place {
    uint64_t begin;
    struct omptape_interval *interval;
};

/* Intervals in waiting, to be sorted: what comes late may have begun first. */
struct omptape_track {
    struct omptape_interval *list;
    uint32_t count;
    uint32_t capacity;
    struct omptape_track_place *order; /* used while some are written only */
    uint32_t order_capacity;
};

enum { OMPTAPE_MOST_NESTED = 16 };

/* A location of a device. */
struct omptape_device_stream {
    struct omptape_location *location;
    uint64_t key;
    enum omptape_lane lane;
    uint32_t ordinal;                   /* among those with the same lane and key, from 1 */
    struct omptape_device_stream *next; /* with the same lane and key: for what overlaps */
    struct omptape_device_stream *all;  /* of the device */
    uint32_t depth;                     /* regions entered and not left yet: on LANE_THREAD only */
    OTF2_RegionRef open[OMPTAPE_MOST_NESTED];
    uint64_t open_end[OMPTAPE_MOST_NESTED];
};

/* A scope that a record on the device's side began, until the record that ends it. */
struct omptape_device_scope {
    uint64_t thread;
    uint64_t target;
    uint64_t begin;
    unsigned type; /* ompt_callbacks_t */
    enum omptape_region_kind kind;
};

struct omptape_device {
    int32_t number;
    enum omptape_device_producer producer;
    uint64_t opened; /* host ticks */
    OTF2_LocationGroupRef group;
    char *type; /* NULL: not told */
    char *why;  /* it has that producer; NULL: not told */
    struct omptape_device_clock *clock;
    uint32_t anchors_since; /* records were dated */
    struct omptape_track records;
    struct omptape_track observed;
    struct omptape_device_stream *streams; /* all of them, the newest first */
    uint32_t lane_counts[OMPTAPE_LANE_COUNT];
    struct omptape_location *first_location;
    struct omptape_hash by_key; /* lane and key to the first stream */
    struct omptape_device_scope *scopes;
    uint32_t scope_count;
    uint32_t scope_capacity;
    struct omptape_device_counts counts;
    uint64_t sums_invalid;           /* what the program's side found to be no records */
    char *interface;                 /* lines "key=value", NULL: not told */
    struct omptape_hash allocations; /* device address to bytes */
    uint64_t memory;                 /* bytes in use */
    struct omptape_location *memory_location;
};

/* All devices, and what the host does on them. */
struct omptape_devices {
    struct omptape_device **list;
    uint32_t count;
    uint32_t capacity;
    struct omptape_operations operations;
    bool cuda;                       /* some are traced by CUPTI */
    uint64_t next_match;             /* matching id of the next transfer */
    uint32_t memory_metric;          /* a level; OMPTAPE_METRIC_SCHED: no device has any in use */
    struct omptape_location **ranks; /* of the communicator that transfers are in */
    uint32_t rank_count;
    uint32_t rank_capacity;
};

/* The same, NULL if the runtime never told of it. */
struct omptape_device *omptape_device_find(struct omptape_writer *writer, int32_t number);

/* track.c: Device intervals on their way into the archive. They wait until late ones are there, are sorted,
 * converted to the host's clock, and written to a location that is free. */

/* Takes a copy. The interval's operation must be in use for it (operations.h). */
void omptape_track_add(struct omptape_writer *writer, struct omptape_device *device,
                       const struct omptape_interval *interval);
/* Finds the host's times of what waits by the clock's readings so far. In a long run the clock remembers
 * these only coarsely later. */
void omptape_track_date(struct omptape_writer *writer, struct omptape_device *device);
/* Ties what waits to the operations that were told meanwhile; before those without a record are settled. */
void omptape_track_join(struct omptape_writer *writer, struct omptape_device *device);
/* Writes all that waits. */
void omptape_track_finish(struct omptape_writer *writer, struct omptape_device *device);
void omptape_track_free(struct omptape_device *device);

/* Puts a device's intervals onto the host's clock and mends times that cannot be. */
/* DEVICE_ANCHOR: a reading of the device's clock. */
void omptape_dating_take_anchor(struct omptape_writer *writer, struct omptape_device *device,
                                const struct omptape_record *record);

/* records.c: Reads the records that devices delivered, and finds the host operations that they belong to. */

/* DEVICE_RECORD: one of OMPT's, of any type. */
void omptape_device_record(struct omptape_writer *writer, struct omptape_device *device,
                           const struct omptape_record *record);
/* DEVICE_NATIVE: one of the device's own. */
void omptape_device_native(struct omptape_writer *writer, struct omptape_device *device,
                           const struct omptape_record *record);

/* What devices record of OpenMP inside them. */
/* What began and was never said to end. */
void omptape_device_scopes_finish(struct omptape_writer *writer, struct omptape_device *device);

/* streams.c: A device's locations: one for each stream, and one more wherever intervals of the same stream
 * overlap. Asked for in the order in which the intervals begin. */

/* "Device 0"; "CUDA device 0" if OpenMP does not number it. Returns `text`. */
const char *omptape_device_name(const struct omptape_device *device, char *text, size_t bytes);

/* The location on which this interval (in host ticks) can be written now; regions there that are over have
 * been left. NULL: out of memory. */
struct omptape_device_stream *omptape_streams_for(struct omptape_writer *writer,
                                                  struct omptape_device *device,
                                                  const struct omptape_interval *interval);
/* The interval's region was entered there: it is left, or will be once no other can be in it. */
void omptape_streams_entered(struct omptape_writer *writer, struct omptape_device_stream *stream,
                             const struct omptape_interval *interval);
/* Some location of the device, made if there is none. NULL: out of memory. */
struct omptape_location *omptape_streams_any(struct omptape_writer *writer, struct omptape_device *device);
/* Leaves what is open. */
void omptape_streams_finish(struct omptape_writer *writer, struct omptape_device *device);

/* A place in the communicator of transfers. */
uint32_t omptape_streams_rank(struct omptape_writer *writer, struct omptape_location *location);

/* The number of bytes that the device's memory holds changes. */
void omptape_streams_memory(struct omptape_writer *writer, struct omptape_device *device, uint64_t time,
                            int64_t change, bool hidden);
