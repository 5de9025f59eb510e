/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the writer knows of the traced program while it translates. All of it belongs to one thread: the
 * writer's main thread, or the only one of a child that makes a checkpoint or a snapshot. Nothing in writers/
 * runs on another but the watch.
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

/* A moment that others must come after, as the archive has it. All zero: none. */
struct omptape_moment {
    uint64_t time;
    OTF2_LocationRef location;
};

struct omptape_open_region {
    OTF2_RegionRef region;
    uint8_t class;  /* enum omptape_class (writers/translate/stack.h) */
    uint8_t bucket; /* enum omptape_bucket, */
    uint8_t around; /* ...and that of regions in it that are no places of their own */
    bool written;   /* its Enter is in the archive, so its Leave must be */
    bool hidden;    /* must never be written (choice.h) */
    bool counted;   /* choice.h has counted it */
    uint16_t key;
    uint64_t id;
    uint64_t site;
    uint64_t begin;
};

struct omptape_frame;

/* What is open on a location: regions inside tasks inside tasks (writers/translate/stack.h). */
struct omptape_stack {
    struct omptape_open_region *regions; /* the first is none: all the time in which nothing is open */
    struct omptape_open_region *top;     /* the innermost, */
    struct omptape_open_region *floor;   /* ...and the one below the top frame's first */
    struct omptape_open_region *end;     /* of the room for them */
    struct omptape_frame *frames;
    struct omptape_frame *frame; /* the top one; NULL: none */
    uint32_t frame_count;
    uint32_t frame_capacity;
    struct omptape_task_name announced; /* the task that the location last said to run */
    struct omptape_team *within;        /* of whose implicit task the top frame is; NULL: it is none */
    bool in_hidden;                     /* the top frame is in a hidden team: nothing in it is shown */
    bool spare;                         /* the thread is one that the runtime keeps, and in no task now */
    uint64_t booked;                    /* time up to which time is booked; UINT64_MAX: the thread is over */
    uint64_t books[OMPTAPE_BUCKET_COUNT];
};

/* What a thread dropped (writers/translate/close.h). */
struct omptape_gaps {
    bool lossy;       /* some of its records are missing: what they ended may seem to be open */
    uint64_t end;     /* when the last gap was over */
    uint64_t dropped; /* events, once they are known */
    uint64_t before;  /* of these, those of threads that had the location before */
    uint64_t marked;  /* of the others, those in gaps that have their marker */
};

/* What devices/ keeps of a location; of a thread's its rank alone. */
struct omptape_device_place {
    OTF2_StringRef name;
    bool metric; /* it is for nothing but metrics */
    bool rank_known;
    uint32_t rank; /* in the communicator of transfers */
};

/* A sample that waits for the merge, and all of a location's. */
struct omptape_sample {
    uint64_t time;                  /* of the trace */
    OTF2_CallingContextRef context; /* undefined: a reading of counters alone */
    bool counted;                   /* there is such a reading */
    bool timed;                     /* it is of the thread's time; else it is the place of that reading */
};
/* The task that a location created last, as translate/call_paths.h needs it. */
struct omptape_created {
    uint64_t address;
    OTF2_CallingContextRef parent;
    OTF2_CallingContextRef context; /* of what it executes, + 1; 0: there was none */
};
/* A location's counters (observe/counters.h): what its threads counted, all together. */
struct omptape_counted_sums {
    uint64_t sums[OMPTAPE_COUNTERS_MOST];
};
struct omptape_counted {
    uint64_t sums[OMPTAPE_COUNTERS_MOST]; /* so far */
    struct omptape_counted_sums *list;    /* one for each sample in the queue that is counted */
    uint32_t count;
    uint32_t capacity;
    struct omptape_counted_sums shown;  /* those in the archive */
    struct omptape_counted_sums hidden; /* what was counted while nothing was recorded */
};
struct omptape_samples {
    struct omptape_sample *list;     /* in the order of time */
    struct omptape_counted *counted; /* NULL: nothing is */
    uint32_t count;
    uint32_t capacity;
    uint32_t dropped; /* the oldest, since there were too many */
    uint8_t *used;    /* a bit for each context: the location's events refer to it, */
    uint32_t used_bytes;
    struct omptape_created created;
    struct omptape_own_sample *own; /* that its thread takes of itself (samples.c); NULL: none */
};

struct omptape_location {
    OTF2_LocationRef ref; /* in the archive (locations.h) */
    uint32_t index;       /* in the writer's list */
    uint32_t number;      /* a thread's: among those of threads, devices' locations do not count */
    uint32_t threads;     /* that it has had, one after the other (locations.h); 0: it is a device's */
    uint32_t tid;         /* of the present one */
    uint32_t first_tid;
    unsigned thread_type; /* ompt_thread_t */
    int64_t place;
    char *binding;         /* processors it may run on, as the kernel lists them; NULL: not known */
    char *allowed;         /* the same later, since it changed, */
    uint64_t allowed_hash; /* ...the mask as it was seen last; 0: not since `binding` is known */
    uint64_t allowed_changes;
    char *other;                     /* its name, if neither OpenMP nor MPI knows the thread; else NULL */
    struct omptape_events events[1]; /* its file: open from when the archive is until it is closed */
    uint64_t begin;                  /* of the present thread; */
    uint64_t first_begin;
    uint64_t lived; /* ...and how long those before it lived */
    uint64_t end;   /* when its thread was over, the program or the trace; 0: it lives */
    uint64_t last;  /* time of the last event written */
    bool closed;    /* nothing more is written for it */
    bool pending;   /* its team may have ended, or readings of its time (sched.h) may wait: something may have
                       to  be done before its next record */
    bool off_written;                    /* its last MeasurementOnOff said off */
    struct omptape_location *next_spare; /* locations.h */
    struct omptape_stack stack;
    struct omptape_gaps gaps;
    struct omptape_team *forks;                    /* translate/parallel.h */
    struct omptape_early_releases *early_releases; /* translate/mutex.h */
    struct omptape_awaited *awaited;               /* writers/translate/mpi.h; NULL: nothing was ever */
    struct omptape_sched *sched;                   /* sched.h; NULL: never read */
    struct omptape_switches *switches;             /* observe/switches.h; NULL: not recorded */
    uint32_t switches_tid;                         /* the thread for which they were asked last */
    struct omptape_samples samples;                /* translate/samples.h */
    char *title;                   /* what the program calls the thread (translate/user.c), or NULL */
    OTF2_RegionRef *names;         /* by their numbers (translate/user.c); NULL: there is none */
    struct omptape_device *device; /* whose it is; NULL: it is a thread */
    struct omptape_device_place on_device;
};

/* Is it a thread that OpenMP or MPI knows? Else it is a device's, or another thread's. */
static inline bool omptape_location_is_of_openmp(const struct omptape_location *location)
{
    return location->device == NULL && location->other == NULL;
}

/* Threads of different types never share a location (ompt_thread_t, from 1 on). */
enum { OMPTAPE_THREAD_TYPES = 5 };

/* How many regions are open. */
static inline uint32_t omptape_location_depth(const struct omptape_location *location)
{
    return (uint32_t)(location->stack.top - location->stack.regions);
}

/* The time to write for something that happened at `time`: never before the location's last event. */
static inline uint64_t omptape_location_time(const struct omptape_location *location, uint64_t time)
{
    return time > location->last ? time : location->last;
}

/* The region of the whole program is the first of all (regions/references.h). */
enum { OMPTAPE_PROGRAM_REGION = 0 };

/* The location's last event. */
static inline struct omptape_moment omptape_location_moment(const struct omptape_location *location)
{
    bool later = location->events->last > location->last;
    return (struct omptape_moment){later ? location->events->last : location->last, location->ref};
}

/* The same for what `cause` brought about: readers that merge all locations take the lower one first where
 * times are equal. */
static inline uint64_t omptape_location_time_after(const struct omptape_location *location, uint64_t time,
                                                   struct omptape_moment cause)
{
    uint64_t earliest = cause.time + (cause.location > location->ref);
    return omptape_location_time(location, time > earliest ? time : earliest);
}

/* The file in which the command wants to be told how the run ended (report.h). */
struct omptape_report_file {
    int file;    /* -1: nobody asked */
    int command; /* its folder in /proc; -1: a file of no process */
};

/* The writer. What a family points to is its own: nobody else looks inside. */
struct omptape_writer {
    struct omptape_consumer consumer;
    const struct omptape_settings *settings; /* the writer's own: the program cannot change them */
    struct omptape_shm *shm; /* counters, chunks and requests: each is read once, and checked */
    const struct omptape_clock_sync_found *compared; /* clock_sync.h; NULL: clocks were not compared */
    struct omptape_report_file report;
    struct omptape_timeline timeline;
    struct omptape_archive archive;
    struct omptape_archive_strings strings;
    struct omptape_symbols *symbols;
    struct omptape_thread *threads; /* by slot (threads.h) */
    struct omptape_location **locations;
    uint32_t location_count;
    uint32_t location_capacity;
    uint32_t thread_count;                                /* threads that have begun, */
    uint32_t thread_locations;                            /* ...and locations that are no device's */
    struct omptape_location *spare[OMPTAPE_THREAD_TYPES]; /* by type of thread; locations.h */
    struct omptape_references *references;                /* these: regions/ */
    struct omptape_sites *sites;
    struct omptape_sources *sources;
    struct omptape_contexts *contexts;
    struct omptape_region_texts *region_texts; /* definitions/; NULL: they are made at the end */
    struct omptape_profile *profile;           /* profile/; NULL: this is a trace */
    struct omptape_profile *sums;              /* ...that gets the events now: the same, or of who looks
                                                  (live.h); NULL: nobody does */
    struct omptape_choice *choice;             /* NULL: everything is shown */
    struct omptape_devices *devices;           /* devices/ */
    struct omptape_observer *observer;         /* observe/; NULL: nothing can be read */
    const char *counter_names[OMPTAPE_COUNTERS_MOST]; /* ...as many as archive.counters */
    struct omptape_teams *teams;                      /* these: translate/ */
    struct omptape_tasks *tasks;
    struct omptape_locks *locks;
    struct omptape_communicators *communicators;
    struct omptape_mpi_windows *windows;
    struct omptape_files *files;
    struct omptape_user_names *user_names; /* NULL: the program named nothing */
    OTF2_StringRef program;                /* its path and arguments as ProgramBegin has them */
    OTF2_StringRef command;                /* ...joined by blanks */
    bool program_open;                     /* its region has been entered and not left */
    bool paused;                           /* nothing is written now */
    bool paused_by_program;                /* as omp_control_tool said last */
    bool was_started;                      /* it said "start" at least once */
    bool forgetting;                       /* the flight recorder passes over what is too old */
    bool ended;                            /* omp_control_tool_end, or no more room: the rest is ignored */
    bool final;     /* the program is over: what is there up to final_horizon is all that counts */
    bool lossy;     /* records were dropped */
    bool impatient; /* teams are formed from whoever came */
    uint64_t final_horizon;
    uint64_t begin;         /* of the program */
    uint64_t window_begin;  /* where the flight recorder's archive begins; 0: it is none */
    uint64_t stop_at_given; /* a pass ends when the consumer has given this many chunks back; 0: never */
    uint64_t last_time;
    uint64_t processor_ns; /* that the writer and its children took while the program ran */
    uint64_t record_count; /* events of the program that are in the archive */
    uint64_t forgotten;    /* those before it began */
    uint64_t dropped;
    uint64_t stalled; /* ticks */
    uint64_t synthesised;
    uint64_t incomplete_teams;
};
