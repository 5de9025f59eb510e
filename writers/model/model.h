/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the writer knows of the traced program while it translates: locations with their stacks, teams, tasks,
 * locks. Everything here belongs to the writer's one translating thread.
 */
#ifndef OMPTAPE_WRITERS_MODEL_MODEL_H
#define OMPTAPE_WRITERS_MODEL_MODEL_H

#include "buffers/consumer.h"
#include "writers/archive/archive.h"
#include "writers/archive/strings.h"
#include "writers/model/idmap.h"
#include "writers/model/timeline.h"

#include <stdbool.h>
#include <stdint.h>

/* What kind of interval an open region is: decides which end closes it and where its time is booked. */
enum omptape_class {
    OMPTAPE_CLASS_PARALLEL,
    OMPTAPE_CLASS_TASK,
    OMPTAPE_CLASS_CREATE, /* key: none; closed by whatever follows */
    OMPTAPE_CLASS_WORK,   /* key: ompt_work_t */
    OMPTAPE_CLASS_INNER,  /* chunk, section, single's block: ends with what is around it */
    OMPTAPE_CLASS_MASKED,
    OMPTAPE_CLASS_SYNC,      /* key: ompt_sync_region_t */
    OMPTAPE_CLASS_WAIT,      /* key: ompt_sync_region_t */
    OMPTAPE_CLASS_REDUCTION, /* key: ompt_sync_region_t */
    OMPTAPE_CLASS_MUTEX,     /* key: ompt_mutex_t, id: wait id; from the request on */
    OMPTAPE_CLASS_HOLD,      /* id: wait id; while it is held */
    OMPTAPE_CLASS_TARGET,    /* id: target id */
    OMPTAPE_CLASS_OPERATION, /* id: operation id: data operation or submission */
    OMPTAPE_CLASS_COUNT
};

/* Where time goes in the summary. */
enum omptape_bucket {
    OMPTAPE_BUCKET_SERIAL,
    OMPTAPE_BUCKET_PARALLEL,
    OMPTAPE_BUCKET_BARRIER,
    OMPTAPE_BUCKET_TASK,
    OMPTAPE_BUCKET_LOCK,
    OMPTAPE_BUCKET_TARGET,
    OMPTAPE_BUCKET_COUNT
};

struct omptape_open_region {
    OTF2_RegionRef region;
    uint8_t class; /* enum omptape_class */
    uint8_t bucket;
    bool written; /* its Enter is in the archive, so its Leave must be */
    bool hidden;  /* must never be written (choice.h) */
    uint16_t key;
    bool counted; /* choice.h has counted it */
    uint64_t id;
    uint64_t site;
    uint64_t begin;
};

struct omptape_location;
struct omptape_device;

/* One instance of a parallel or teams region. */
struct omptape_team {
    uint64_t id;
    uint64_t serial; /* 1 for the first: a team that is gone is not taken for one that has its memory */
    uint64_t site;
    OTF2_RegionRef region;
    uint32_t requested;
    bool league;
    bool written; /* its ThreadFork is in the archive */
    bool hidden;  /* nothing of it is shown, nor what its members do in it */
    bool formed;  /* members and comm are known */
    bool begun;   /* its primary's implicit task began */
    bool ended;   /* its parallel_end was seen */
    bool cut_off; /* that end was not the program's: it was over */
    /* the primary's: later ends of other members are clipped to these */
    uint64_t barrier_end;
    uint64_t end;
    struct omptape_location *primary;
    struct omptape_team *parent;
    struct omptape_team *outer_fork; /* of the primary's */
    uint32_t fork_depth;             /* frames on the primary's stack when it forked, */
    uint32_t fork_regions;           /* and regions */
    bool gap;      /* records were dropped between the fork and the primary's implicit task, or behind that */
    uint32_t size; /* actual parallelism, once formed */
    uint32_t present;  /* members inside: the team may go when the last has left and it has ended */
    uint32_t children; /* teams whose parent this is */
    struct omptape_location **members; /* by thread number; NULL where one never came */
    uint32_t *positions;               /* thread number to position in the comm's group */
    uint32_t *generations;             /* tasks created by each thread number */
    OTF2_CommRef comm;
};

/* One explicit task, from its creation to its completion. */
struct omptape_task {
    uint64_t id;
    uint64_t site;
    uint64_t team;       /* serial; 0: outside any */
    uint32_t creator;    /* position of its creator in the team */
    uint32_t generation; /* 0: has no OTF2 task (undeferred, merged, or no team) */
    OTF2_CommRef comm;
    bool untied;
    bool target;
    bool started;
    bool written;                          /* its ThreadTaskCreate is in the archive */
    bool hidden;                           /* it is not shown, */
    bool in_hidden;                        /* nor what runs in it */
    bool taskwait;                         /* not a task: a taskwait with dependences */
    struct omptape_location *runs_on;      /* whose stack it is on, or NULL */
    struct omptape_open_region *suspended; /* regions to enter again when it resumes */
    uint32_t suspended_count;
    struct omptape_task *next_spare; /* once it is over */
};

/* A task on a location's stack: the implicit task of a team, an initial task, or an explicit task. */
struct omptape_frame {
    struct omptape_team *team; /* of the implicit or explicit task; NULL: initial task */
    struct omptape_task *task; /* explicit task, else NULL */
    uint64_t parallel_id;      /* implicit and initial tasks: what their id is made of */
    uint32_t position;         /* of this thread in the team */
    uint32_t thread_number;
    uint32_t base; /* its first open region */
    bool implicit;
    bool outside;       /* came when the team had been formed without it: is not in its communicator */
    bool written;       /* its ThreadTeamBegin is in the archive */
    bool in_hidden;     /* nothing in it is shown: its team is hidden */
    bool of_other_team; /* explicit task of a team in which this location, for want of records, is not */
};

/* Locks whose release was shown before the program told of it (mutex.c). More at once than this are not told
 * apart. */
enum { OMPTAPE_MOST_EARLY_RELEASES = 8 };

/* The OTF2 task that a location last announced as running. */
struct omptape_announced {
    OTF2_CommRef comm;
    uint32_t creator;
    uint32_t generation;
};

struct omptape_location {
    OTF2_LocationRef ref;
    uint32_t tid;
    unsigned thread_type; /* ompt_thread_t */
    int64_t place;
    OTF2_EvtWriter *events; /* NULL before the archive is opened, and once closed */
    uint64_t event_count;   /* once closed */
    uint64_t begin;
    uint64_t last;   /* time of the last event written */
    uint64_t booked; /* time up to which time is booked */
    uint64_t books[OMPTAPE_BUCKET_COUNT];
    struct omptape_open_region *regions;
    uint32_t region_count;
    uint32_t region_capacity;
    struct omptape_frame *frames;
    uint32_t frame_count;
    uint32_t frame_capacity;
    struct omptape_announced announced;
    uint64_t early_releases[OMPTAPE_MOST_EARLY_RELEASES]; /* wait ids */
    uint32_t early_release_count;
    /* forked here and not joined yet, the last one first (through `outer_fork`) */
    struct omptape_team *forks;
    bool closed;                   /* nothing more is written for it */
    bool off_written;              /* its last MeasurementOnOff said off */
    bool lossy;                    /* some of its records were dropped: what they ended may seem to be open */
    uint64_t gap_end;              /* when the last of these gaps was over */
    uint64_t dropped;              /* events, once they are known */
    bool in_hidden;                /* the top frame's */
    uint64_t marked;               /* of these, those in gaps that have their marker */
    char *binding;                 /* processors it may run on, as the kernel lists them; NULL: not known */
    struct omptape_device *device; /* whose it is; NULL: it is a thread */
    OTF2_StringRef name;           /* of a device's */
    bool metric;                   /* a device's, for nothing but metrics */
    bool rank_known;
    uint32_t rank; /* in the communicator of transfers */
};

/* The time to write for something that happened at `time`: never before the location's last event. */
static inline uint64_t omptape_location_time(const struct omptape_location *location, uint64_t time)
{
    return time > location->last ? time : location->last;
}

struct omptape_lock {
    uint32_t id;
    uint32_t order;                  /* acquisitions so far */
    bool written;                    /* its present acquisition is in the archive */
    struct omptape_location *holder; /* NULL: free */
};

/* All of the writer's state. */
struct omptape_writer {
    struct omptape_consumer consumer;
    struct omptape_shm *shm;
    struct omptape_timeline timeline;
    struct omptape_thread *threads; /* by slot (threads.h) */
    struct omptape_archive archive;
    struct omptape_archive_strings strings;
    struct omptape_symbols *symbols;
    struct omptape_references *references; /* these: writers/regions/ */
    struct omptape_sites *sites;
    struct omptape_sources *sources;
    struct omptape_choice *choice; /* NULL: everything is shown */
    char choice_error[512];        /* why not everything that was asked for is done, or empty */
    struct omptape_idmap teams;
    uint64_t last_team; /* serial */
    struct omptape_idmap tasks;
    struct omptape_task *spare_tasks;
    OTF2_StringRef task_flags[64]; /* spelt, by the flags; 0: not yet (task.c) */
    struct omptape_idmap locks;
    struct omptape_location **locations;
    uint32_t location_count;
    uint32_t location_capacity;
    struct omptape_formed *formed; /* distinct teams (teams.c) */
    uint32_t formed_count;
    uint32_t formed_capacity;
    struct omptape_idmap formed_index;
    uint32_t next_lock;
    struct omptape_devices *devices; /* writers/devices/ */
    bool paused;                     /* nothing is written now */
    bool paused_by_program;          /* as omp_control_tool said last */
    bool forgetting;                 /* the flight recorder passes over what is too old */
    uint64_t window_begin;           /* where the flight recorder's archive begins; 0: it is none */
    uint64_t stop_at_given; /* a pass ends when the consumer has given this many chunks back; 0: never */
    bool ended;             /* omp_control_tool_end: the rest is ignored */
    bool final;             /* the program is over: what is there up to final_horizon is all that counts */
    bool lossy;             /* records were dropped */
    bool impatient;         /* teams are formed from whoever came */
    uint64_t final_horizon;
    uint64_t last_time;
    uint64_t record_count; /* events of the program that are in the archive */
    uint64_t forgotten;    /* those before it began */
    uint64_t dropped;
    uint64_t stalled; /* ticks */
    uint64_t synthesised;
    uint64_t incomplete_teams;
};

#endif
