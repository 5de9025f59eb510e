/* SPDX-License-Identifier: BSD-3-Clause
 *
 * State of the writer while it translates. All of it belongs to one thread: the writer's main thread, or the
 * only one of a child that makes a checkpoint or snapshot. In writers/ only the watch runs on another thread.
 */
#pragma once

#include "buffers/consumer.h"
#include "src/archive/write/archive.h"
#include "src/archive/write/strings.h"
#include "src/core/buckets.h"
#include "writers/state/timeline.h"
#include <omptape/properties.h>
#include <stdbool.h>
#include <stdint.h>

/* Time and location of an event that other events must follow. All zeros: none. */
struct omptape_moment {
    uint64_t time;
    OTF2_LocationRef location;
};

struct omptape_open_region {
    OTF2_RegionRef region;
    uint8_t class;         /* enum omptape_class (writers/translate/stack.h). */
    uint8_t bucket;        /* enum omptape_bucket. */
    uint8_t nested_bucket; /* Bucket of regions inside it that have no bucket of their own. */
    bool written;          /* True if its Enter is in the archive; then its Leave must be, too. */
    bool hidden;           /* True if it must never be written (region_filter.h). */
    bool counted;          /* True if region_filter.h has counted it. */
    uint16_t key;
    uint64_t id;
    uint64_t site;
    uint64_t begin;
};

struct omptape_frame;

/* Open regions of a location: regions inside tasks inside tasks (writers/translate/stack.h). */
struct omptape_stack {
    /* The first entry is a sentinel, to which time without an open region is booked. */
    struct omptape_open_region *regions;
    struct omptape_open_region *top;   /* Innermost region. */
    struct omptape_open_region *floor; /* Region below the top frame's first one. */
    struct omptape_open_region *end;   /* End of the allocated memory. */
    struct omptape_frame *frames;
    struct omptape_frame *frame; /* Top frame; NULL: none. */
    uint32_t frame_count;
    uint32_t frame_capacity;
    struct omptape_task_name announced; /* Task that the location has announced last. */
    struct omptape_team *implicit_team; /* Team of the top frame if that is an implicit task; else NULL. */
    /* True if the top frame is in a hidden team: nothing in it is shown. */
    bool in_hidden;
    /* True if the thread is a helper of the runtime and in no task now. */
    bool is_helper;
    /* Time up to which time is booked; UINT64_MAX: the thread has ended. */
    uint64_t booked;
    uint64_t bucket_ticks[OMPTAPE_BUCKET_COUNT];
};

/* Dropped records of a thread (writers/translate/translators.h). */
struct omptape_gaps {
    bool lossy;       /* True if some of its records are missing: regions may look open that have ended. */
    uint64_t end;     /* Time at which the last gap ended. */
    uint64_t dropped; /* Number of dropped events, once known. */
    uint64_t before;  /* Number of these that earlier threads of the location dropped. */
    uint64_t marked;  /* Number of the current thread's dropped events in gaps that have a marker. */
};

/* State of devices/ in a location. A thread's location has only a rank, the node's a name. */
struct omptape_device_location {
    OTF2_StringRef name;
    bool metric; /* True if the location has only metrics. */
    bool rank_known;
    uint32_t rank; /* Rank in the communicator of transfers. */
};

/* A sample that waits for the merge. */
struct omptape_sample {
    uint64_t time;                  /* Time of the trace. */
    OTF2_CallingContextRef context; /* Undefined: a reading of counters only. */
    /* Not 0: it is an event of the thread with the number `context` (translate/created_threads.h). */
    uint8_t thread_event;
    bool counted; /* True if it has a reading of counters. */
    /* True for a sample of processor time; false: it is only the place of the reading. */
    bool timed;
};
/* The task that the location created last, for translate/call_paths.h. */
struct omptape_last_task {
    uint64_t address;
    OTF2_CallingContextRef parent;
    OTF2_CallingContextRef context; /* Context of the task's execution, + 1; 0: none. */
};
/* Counters of a location (observe/counters.h), summed over its threads. */
struct omptape_counter_sums {
    uint64_t sums[OMPTAPE_MAX_COUNTERS];
};
struct omptape_location_counters {
    uint64_t sums[OMPTAPE_MAX_COUNTERS]; /* Sums so far. */
    struct omptape_counter_sums *list;   /* One entry for each counted sample in the queue. */
    uint32_t count;
    uint32_t capacity;
    struct omptape_counter_sums written; /* Sums in the archive. */
    struct omptape_counter_sums hidden;  /* Counts while nothing was recorded. */
};
struct omptape_samples {
    struct omptape_sample *list;                /* In order of time. */
    struct omptape_location_counters *counters; /* NULL: nothing is counted. */
    uint32_t count;
    uint32_t capacity;
    uint32_t dropped; /* Number of oldest samples dropped because there were too many. */
    uint8_t *used;    /* One bit for each context to which the location's events refer. */
    uint32_t used_bytes;
    struct omptape_last_task last_task;
    struct omptape_own_sample *own; /* Sample that its thread takes of itself (samples.c); NULL: none. */
};

/* Who created a thread, and who was found waiting for its end, by TIDs; 0: unknown. */
struct omptape_thread_origin {
    uint32_t creator;
    uint32_t joiner;
    uint32_t number;       /* See translate/created_threads.h; 0: unknown. */
    uint64_t seen_joining; /* How often the joiner was found waiting. */
    uint64_t ended;        /* When the kernel recorded its end; 0: it did not. */
};

struct omptape_location {
    OTF2_LocationRef ref; /* Number in the archive (locations.h). */
    uint32_t index;       /* Index in the writer's list. */
    uint32_t number;      /* Number among the threads' locations; devices' locations are not counted. */
    /* Number of threads that had it, one after the other (locations.h); 0: a device's location. */
    uint32_t threads;
    uint32_t tid; /* TID of the current thread. */
    uint32_t first_tid;
    unsigned thread_type; /* ompt_thread_t. */
    int64_t place;
    char *binding;         /* Processors on which it may run, in the kernel's format; NULL: not known. */
    char *allowed;         /* Later allowed processors, after they changed. */
    uint64_t allowed_hash; /* Hash of the mask that was seen last; 0: not seen since `binding` is known. */
    uint64_t allowed_changes;
    char *other; /* Name of a thread unknown to OpenMP and MPI; NULL for others. */
    struct omptape_thread_origin origin;
    struct omptape_events events[1]; /* Event file: open from the archive's opening until it is closed. */
    uint64_t begin;                  /* Begin of the current thread. */
    uint64_t first_begin;
    uint64_t lived; /* Lifetime of earlier threads. */
    uint64_t end;   /* End of its thread, the program or the trace; 0: it lives. */
    uint64_t last;  /* Time of the last written event. */
    bool closed;    /* True if no more events are written for it. */
    /* True if something may have to be done before its next record: its team may have ended, or readings
     * (sched.h) or samples may wait. */
    bool pending;
    bool off_written;                       /* True if its last MeasurementOnOff was "off". */
    struct omptape_location *next_reusable; /* See locations.h. */
    struct omptape_stack stack;
    struct omptape_gaps gaps;
    struct omptape_team *forks;                    /* See translate/parallel.h. */
    struct omptape_early_releases *early_releases; /* See translate/mutex.h. */
    struct omptape_lock *held_routines;            /* See omptape_mutex_list_held. */
    uint64_t tests;     /* Tests of a lock in the innermost request; 0: one, or none. */
    uint64_t last_test; /* Time of the last one; 0 without `tests`. */
    /* See writers/translate/translators.h; NULL: nothing was awaited so far. */
    struct omptape_awaited *awaited;
    struct omptape_sched *sched;       /* See sched.h; NULL: never read. */
    struct omptape_switches *switches; /* See observe/switches.h; NULL: not recorded. */
    uint32_t switches_tid;             /* Thread for which switches were requested last. */
    struct omptape_samples samples;    /* See translate/samples.h. */
    char *title;                       /* The program's name for the thread (translate/user.c), or NULL. */
    OTF2_RegionRef *names;             /* Regions by their numbers (translate/user.c); NULL: none. */
    struct omptape_device *device;     /* Device of the location; NULL: a thread's location. */
    struct omptape_device_location on_device;
};

/* Returns true for a thread known to OpenMP or MPI; false for a device, another thread or the node. */
static inline bool omptape_location_is_of_openmp(const struct omptape_location *location)
{
    return location->device == NULL && location->other == NULL && !location->on_device.metric;
}

/* Threads of different types never share a location (ompt_thread_t, from 1). */
enum { OMPTAPE_THREAD_TYPES = 5 };

/* Forces inlining, so that it does not depend on the compiler's limits for the size of a caller. */
#define OMPTAPE_COMPILED_IN static inline __attribute__((always_inline))

/* Adds the time since the last call to the innermost region's bucket. */
OMPTAPE_COMPILED_IN void omptape_stack_book(struct omptape_location *location, uint64_t time)
{
    struct omptape_stack *stack = &location->stack;
    if (time <= stack->booked)
        return;
    stack->bucket_ticks[stack->top->bucket] += time - stack->booked;
    stack->booked = time;
}

/* Returns the number of open regions. */
static inline uint32_t omptape_location_depth(const struct omptape_location *location)
{
    return (uint32_t)(location->stack.top - location->stack.regions);
}

/* Returns the time for an event at `time`: not before the location's last event. */
static inline uint64_t omptape_location_time(const struct omptape_location *location, uint64_t time)
{
    return time > location->last ? time : location->last;
}

/* The program's region is always the first one (regions/references.h). */
enum { OMPTAPE_PROGRAM_REGION = 0 };

/* Returns the moment of the location's last event. */
static inline struct omptape_moment omptape_location_moment(const struct omptape_location *location)
{
    bool later = location->events->last > location->last;
    return (struct omptape_moment){later ? location->events->last : location->last, location->ref};
}

/* Returns the time for an event that `cause` has caused. If times are equal, readers that merge all
 * locations return the lower location first. */
static inline uint64_t omptape_location_time_after(const struct omptape_location *location, uint64_t time,
                                                   struct omptape_moment cause)
{
    uint64_t earliest = cause.time + (cause.location > location->ref);
    return omptape_location_time(location, time > earliest ? time : earliest);
}

/* The file in which the command expects the report (report.h). */
struct omptape_report_file {
    int file;    /* -1: no report was requested. */
    int command; /* The command's folder in /proc; -1: the file belongs to no process. */
};

/* See translate/created_threads.h. */
struct omptape_created_threads {
    uint8_t *written; /* Which events of each thread were written, by its number. */
    uint32_t capacity;
    uint32_t count;
    OTF2_CommRef comm;
    bool exist; /* True if an event was written. */
};

/* The writer. A structure to which it points belongs to one folder; others do not access its members. */
struct omptape_writer {
    struct omptape_consumer consumer;
    const struct omptape_settings *settings; /* The writer's own copy, which the program cannot change. */
    int process;             /* Descriptor of the program's folder in /proc; -1: not available. */
    struct omptape_shm *shm; /* Counters, chunks and requests: each value is read only once, and checked. */
    const struct omptape_clock_sync_found *compared; /* See clock_sync.h; NULL: clocks were not compared. */
    struct omptape_report_file report;
    struct omptape_timeline timeline;
    struct omptape_archive archive;
    struct omptape_archive_strings strings;
    struct omptape_symbols *symbols;
    struct omptape_thread *threads; /* Indexed by slot (threads.h). */
    struct omptape_location **locations;
    uint32_t location_count;
    uint32_t location_capacity;
    uint32_t thread_count;     /* Number of threads that have begun. */
    uint32_t thread_locations; /* Number of locations that are no device's. */
    /* Reusable locations by type of thread; see locations.h. */
    struct omptape_location *reusable[OMPTAPE_THREAD_TYPES];
    struct omptape_references *references; /* This and the next four belong to regions/. */
    struct omptape_sites *sites;
    struct omptape_sources *sources;
    struct omptape_contexts *contexts;
    struct omptape_module_maps *module_maps;   /* See regions/modules.h; NULL: none are kept. */
    struct omptape_region_texts *region_texts; /* See definitions/; NULL: made at the end. */
    struct omptape_profile *profile;           /* See profile/; NULL: this is a trace. */
    /* Profile that gets the events now: `profile`, or the one of `omptape top` (top_answers.h); NULL:
     * none. */
    struct omptape_profile *sums;
    struct omptape_region_filter *filter; /* NULL: everything is shown. */
    struct omptape_devices *devices;      /* See devices/. */
    struct omptape_observer *observer;    /* See observe/; NULL: nothing can be read. */
    uint64_t observed; /* The kernel's records have been read up to this time; 0: no pass waits for them. */
    const char *counter_names[OMPTAPE_MAX_COUNTERS]; /* As many as archive.counters. */
    struct omptape_teams *teams;                     /* This and the next six belong to translate/. */
    struct omptape_tasks *tasks;
    struct omptape_created_threads created_threads;
    struct omptape_locks *locks;
    struct omptape_communicators *communicators;
    struct omptape_mpi_windows *windows;
    struct omptape_files *files;
    struct omptape_user_names *user_names; /* NULL: the program named nothing. */
    OTF2_StringRef program;                /* The program's path, as in ProgramBegin. */
    OTF2_StringRef command;                /* The program's path and arguments, joined by blanks. */
    bool program_open;                     /* True if the program's region has been entered and not left. */
    bool paused;                           /* True if nothing is written now. */
    bool paused_by_program; /* True if the program has paused recording (omp_control_tool, --start=paused). */
    bool was_started;       /* True if omp_control_tool has requested "start" at least once. */
    /* True if the flight recorder forgets the records that it translates. */
    bool forgetting;
    /* True after omp_control_tool_end or if the disk is full: later records are ignored. */
    bool ended;
    bool final;                  /* True if the program is over: only records up to final_horizon count. */
    bool lossy;                  /* True if records were dropped. */
    bool forms_incomplete_teams; /* True if teams are formed without their missing members. */
    uint64_t final_horizon;
    uint64_t begin;        /* Begin of the program. */
    uint64_t window_begin; /* Begin of the flight recorder's archive; 0: no flight recorder. */
    /* A pass ends when the consumer has returned this many chunks to the pool; 0: never. */
    uint64_t stop_at_freed;
    uint64_t last_time;
    uint64_t processor_ns; /* Processor time of the writer and its children while the program ran. */
    uint64_t record_count; /* Number of the program's events in the archive. */
    uint64_t forgotten;    /* Number of events before the archive's begin. */
    uint64_t dropped;
    uint64_t stalled; /* Ticks. */
    uint64_t synthesised;
    uint64_t incomplete_teams;
};
