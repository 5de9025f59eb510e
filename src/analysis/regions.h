/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What follows from a region's kind (src/archive/read/regions.h). Used by the analysis and by the summaries
 * of time (pyramid.h).
 */
#pragma once

#include "src/archive/read/reader.h"
#include "src/core/buckets.h"
#include "src/core/constructs.h"

/* Which analysis observes the begin and the end of a region, and the attributes of the begin. */
enum analysis_family {
    ANALYSIS_FAMILY_OTHER,
    ANALYSIS_FAMILY_CREATE, /* a task's creation */
    ANALYSIS_FAMILY_LOOP,   /* and sections; their chunks */
    ANALYSIS_FAMILY_MOVE,   /* of data, to a device and back */
    ANALYSIS_FAMILY_TEAM,   /* parallel, teams */
    ANALYSIS_FAMILY_TASK,   /* an explicit task's execution */
    ANALYSIS_FAMILY_BARRIER,
    ANALYSIS_FAMILY_PHASE,                          /* what the program named */
    ANALYSIS_FAMILY_STATEFUL = ANALYSIS_FAMILY_TEAM /* from here on the end is told, too */
};

/* In which way a thread is in a region: of what a member of a team did in a phase (shares.h). */
enum analysis_way {
    ANALYSIS_WAY_COMPUTING,
    ANALYSIS_WAY_LOCK,     /* waited for the lock of the region */
    ANALYSIS_WAY_FORK,     /* came late: between the fork and the member's begin */
    ANALYSIS_WAY_CREATION, /* created the tasks of the region */
    ANALYSIS_WAY_TARGET,   /* waited for a device or moved data */
    ANALYSIS_WAY_MPI,      /* in a call of MPI */
    ANALYSIS_WAY_STALL,    /* stood still until there was room for its events: nobody's fault */
};

/* What becomes of time in a bucket beside that. */
enum analysis_use {
    ANALYSIS_USE_OTHER,
    ANALYSIS_USE_WORK,    /* the task's and the team's: computing, and what tasks take */
    ANALYSIS_USE_PROCESS, /* the process's, where no parallel region is open: serial, MPI */
};

/* Bits of what a thread does. */
enum {
    ANALYSIS_DOING_WORK = 1,   /* the bucket is work; */
    ANALYSIS_DOING_IDLE = 2,   /* ...is waiting of those who have nothing to do: at a barrier, for tasks */
    ANALYSIS_DOING_WATCHED = 4 /* each change is looked at, for devices' sake */
};

/* What time in a region is: follows from its bucket. */
struct analysis_manner {
    uint8_t bucket;
    uint8_t way;   /* enum analysis_way */
    uint8_t use;   /* enum analysis_use */
    uint8_t doing; /* of DOING_WORK and _IDLE */
};

struct analysis_manner omptape_region_manner(enum omptape_bucket bucket);

/* What follows from its kind for each visit. */
struct analysis_region_facts {
    uint8_t family;                /* enum analysis_family */
    uint8_t rule;                  /* whose bucket time in it has (src/core/buckets.h) */
    bool is_blamed;                /* for what is done there; else what is around it: a loop for its chunks */
    bool is_place;                 /* both are its own */
    bool is_timed;                 /* visits are compared with each other (outliers.h) */
    struct analysis_manner manner; /* by the rule OWN */
};

struct analysis_region_facts omptape_region_facts(enum omptape_region_kind kind);
