/* SPDX-License-Identifier: BSD-3-Clause
 *
 * State of the writer for the program's devices: host operations on them, intervals of their records, and the
 * locations that show these. Used only in writers/devices/.
 */
#pragma once

#include "writers/devices/operations.h"
#include "writers/devices/report.h"
#include "writers/state/writer.h"

struct omptape_device_clock;

/* Kind of the device's location on which an interval is shown. */
enum omptape_lane {
    OMPTAPE_LANE_STREAM,   /* Key: the device's stream; 0: none named. */
    OMPTAPE_LANE_SYNC,     /* Key: the device's stream, on which the interval waits. */
    OMPTAPE_LANE_THREAD,   /* Key: a thread of the device; regions nest. */
    OMPTAPE_LANE_OBSERVED, /* As the host observed it. */
    OMPTAPE_LANE_COUNT
};

/* An activity of a device. */
struct omptape_interval {
    uint64_t begin; /* Device time; in LANE_OBSERVED and after the conversion: host ticks. */
    uint64_t end;
    uint64_t recorded_begin; /* Device times before the conversion, which identify repeated records. */
    uint64_t recorded_end;
    uint64_t delivered; /* Delivery time in host ticks, at which the activity was over; 0: unknown. */
    uint64_t key;
    uint64_t bytes;
    uint64_t target;
    uint64_t correlation;                /* CUDA's correlation id, or 0. */
    int64_t memory_change;               /* Bytes that it allocates or frees, if no operation reports them. */
    struct omptape_operation *operation; /* NULL: unknown. */
    OTF2_RegionRef region;
    uint32_t granted; /* Number of teams; 0: not reported. */
    uint32_t threads; /* Threads of each team; 0: not reported. */
    int32_t peer;     /* Other device of a copy, or INT32_MIN. */
    uint8_t lane;     /* enum omptape_lane. */
    uint8_t copy;     /* enum omptape_copy. */
    bool converted;   /* True if begin and end are host ticks. */
    bool untimed;     /* True if the record has no times: the host operation's times are used. */
    bool point;       /* True for an event without duration. */
    bool written;     /* True if its events are written. */
};

/* Sort entry of a waiting interval, to avoid moving the intervals. */
struct omptape_interval_order {
    uint64_t begin;
    struct omptape_interval *interval;
};

/* Waiting intervals, to be sorted: an interval that comes late may have begun early. */
struct omptape_interval_queue {
    struct omptape_interval *list;
    uint32_t count;
    uint32_t capacity;
    struct omptape_interval_order *order; /* Used only while intervals are written. */
    uint32_t order_capacity;
};

enum { OMPTAPE_MAX_NESTED = 16 };

/* A location of a device. */
struct omptape_device_stream {
    struct omptape_location *location;
    uint64_t key;
    enum omptape_lane lane;
    uint32_t ordinal; /* Ordinal among the streams with the same lane and key, from 1. */
    /* Next stream with the same lane and key, for overlapping intervals. */
    struct omptape_device_stream *next;
    struct omptape_device_stream *all; /* Next stream of the device. */
    uint32_t depth;                    /* Number of open regions; only LANE_THREAD has any. */
    OTF2_RegionRef open[OMPTAPE_MAX_NESTED];
    uint64_t open_end[OMPTAPE_MAX_NESTED];
};

/* A scope that a record from inside the device began and none has ended yet. */
struct omptape_device_scope {
    uint64_t thread;
    uint64_t target;
    uint64_t begin;
    unsigned type; /* ompt_callbacks_t. */
    enum omptape_region_kind kind;
};

struct omptape_device {
    int32_t number;
    enum omptape_device_producer producer;
    uint64_t opened; /* Host ticks. */
    OTF2_LocationGroupRef group;
    char *type; /* NULL: not reported. */
    char *why;  /* Reason for the producer; NULL: not reported. */
    struct omptape_device_clock *clock;
    uint32_t anchors_since; /* Number of anchors since waiting records were converted. */
    struct omptape_interval_queue records;
    struct omptape_interval_queue observed;
    struct omptape_device_stream *streams; /* All streams, newest first. */
    uint32_t lane_counts[OMPTAPE_LANE_COUNT];
    struct omptape_location *first_location;
    struct omptape_hash by_key; /* Maps lane and key to the first stream. */
    struct omptape_device_scope *scopes;
    uint32_t scope_count;
    uint32_t scope_capacity;
    struct omptape_device_counts counts;
    uint64_t sums_invalid;           /* Invalid records counted by the program's library. */
    char *interface;                 /* Lines "key=value"; NULL: not reported. */
    struct omptape_hash allocations; /* Maps a device address to bytes. */
    uint64_t memory;                 /* Bytes in use. */
    struct omptape_location *memory_location;
};

/* All devices, and the host's operations on them. */
struct omptape_devices {
    struct omptape_device **list;
    uint32_t count;
    uint32_t capacity;
    struct omptape_operations operations;
    bool cuda;           /* True if CUPTI traces some of them. */
    uint64_t next_match; /* Matching id of the next transfer. */
    /* Number of the metric; OMPTAPE_METRIC_SCHED: no device has memory in use. */
    uint32_t memory_metric;
    struct omptape_location **ranks; /* Locations in the communicator of transfers, by rank. */
    uint32_t rank_count;
    uint32_t rank_capacity;
};

/* Returns the device of this number, or NULL if the runtime never reported it. */
struct omptape_device *omptape_device_find(struct omptape_writer *writer, int32_t number);

/* intervals.c: intervals of devices on their way into the archive. They wait for late ones, are sorted,
 * converted to the host's clock, and written to a free location. */

/* Adds a copy of the interval. The interval must hold a reference to its operation (operations.h). */
void omptape_intervals_add(struct omptape_writer *writer, struct omptape_device *device,
                           const struct omptape_interval *interval);
/* Converts the times of waiting intervals with the clock's readings so far. A long run's clock thins old
 * ones. */
void omptape_intervals_convert(struct omptape_writer *writer, struct omptape_device *device);
/* Links waiting intervals to operations reported meanwhile, before operations without a record are shown. */
void omptape_intervals_link(struct omptape_writer *writer, struct omptape_device *device);
/* Writes all waiting intervals. */
void omptape_intervals_finish(struct omptape_writer *writer, struct omptape_device *device);
void omptape_intervals_free(struct omptape_device *device);

/* Translates DEVICE_ANCHOR: a reading of the device's clock. */
void omptape_device_add_anchor(struct omptape_writer *writer, struct omptape_device *device,
                               const struct omptape_record *record);

/* records.c: reads the records that devices delivered, and looks up their host operations. */

/* Translates DEVICE_RECORD: a record of OMPT, of any type. */
void omptape_device_record(struct omptape_writer *writer, struct omptape_device *device,
                           const struct omptape_record *record);
/* Translates DEVICE_NATIVE: a record of the device's own interface. */
void omptape_device_native(struct omptape_writer *writer, struct omptape_device *device,
                           const struct omptape_record *record);

/* OpenMP inside devices. */
/* Adds the scopes that have begun without a reported end. */
void omptape_device_scopes_finish(struct omptape_writer *writer, struct omptape_device *device);

/* streams.c: a device's locations: one for each stream, and further ones for overlapping intervals of the
 * same stream. Intervals must come in the order of their begins. */

/* Writes "Device 0", or "CUDA device 0" if OpenMP does not number it. Returns `text`. */
const char *omptape_device_name(const struct omptape_device *device, char *text, size_t bytes);

/* Returns the location on which this interval (in host ticks) can be written now. Leaves regions there that
 * are over. Returns NULL if out of memory. */
struct omptape_device_stream *omptape_streams_for(struct omptape_writer *writer,
                                                  struct omptape_device *device,
                                                  const struct omptape_interval *interval);
/* Called after the interval's region was entered there. Leaves it when no other region can be inside it. */
void omptape_streams_entered(struct omptape_writer *writer, struct omptape_device_stream *stream,
                             const struct omptape_interval *interval);
/* Returns a location of the device, adding one if there is none. Returns NULL if out of memory. */
struct omptape_location *omptape_streams_any(struct omptape_writer *writer, struct omptape_device *device);
/* Leaves all open regions. */
void omptape_streams_finish(struct omptape_writer *writer, struct omptape_device *device);

/* Returns the location's rank in the communicator of transfers. */
uint32_t omptape_streams_rank(struct omptape_writer *writer, struct omptape_location *location);

/* Adds `change` to the bytes in use on the device, and writes the metric. */
void omptape_streams_memory(struct omptape_writer *writer, struct omptape_device *device, uint64_t time,
                            int64_t change, bool hidden);
