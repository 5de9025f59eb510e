/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Properties that follow from a region's kind (src/archive/read/regions.h). Used by the analysis and by the
 * pyramids of the timeline (pyramid.h).
 */
#pragma once

#include "src/archive/read/reader.h"
#include "src/core/buckets.h"
#include "src/core/constructs.h"

/* The module that handles the begin and end of a region and the attributes of its begin. */
enum analysis_family {
    ANALYSIS_FAMILY_OTHER,
    ANALYSIS_FAMILY_CREATE, /* creation of a task */
    ANALYSIS_FAMILY_LOOP,   /* loops, sections and their chunks */
    ANALYSIS_FAMILY_MOVE,   /* data movement to and from a device */
    ANALYSIS_FAMILY_TEAM,   /* parallel, teams */
    ANALYSIS_FAMILY_TASK,   /* execution of an explicit task */
    ANALYSIS_FAMILY_BARRIER,
    ANALYSIS_FAMILY_TASKWAIT,                       /* taskwait, taskgroup */
    ANALYSIS_FAMILY_PHASE,                          /* named by the program */
    ANALYSIS_FAMILY_MPI_END,                        /* begins or ends MPI; by its name */
    ANALYSIS_FAMILY_STATEFUL = ANALYSIS_FAMILY_TEAM /* from this value on the end is handled, too */
};

/* What a team member did in a region during a phase (shares.h). */
enum analysis_activity {
    ANALYSIS_ACTIVITY_COMPUTING,
    ANALYSIS_ACTIVITY_LOCK,     /* waited for the lock of the region */
    ANALYSIS_ACTIVITY_FORK,     /* late: between the fork and the member's begin */
    ANALYSIS_ACTIVITY_CREATION, /* created tasks of the region */
    ANALYSIS_ACTIVITY_TARGET,   /* waited for a device or moved data */
    ANALYSIS_ACTIVITY_MPI,      /* in an MPI call */
    ANALYSIS_ACTIVITY_STALL,    /* blocked because the buffers were full; charged to no one */
};

/* Which further sum receives the time of a bucket. */
enum analysis_further_sum {
    ANALYSIS_FURTHER_SUM_NONE,
    ANALYSIS_FURTHER_SUM_WORK,    /* task and team: computing and task management */
    ANALYSIS_FURTHER_SUM_PROCESS, /* process, while no parallel region is open: serial, MPI */
};

/* Bits of a thread's activity. */
enum {
    ANALYSIS_FLAG_WORK = 1,   /* the bucket is work */
    ANALYSIS_FLAG_IDLE = 2,   /* the bucket is waiting without work: at a barrier, for tasks */
    ANALYSIS_FLAG_WATCHED = 4 /* each change is examined, because the process has devices */
};

/* Properties of time in a region, derived from its bucket. */
struct analysis_time_class {
    uint8_t bucket;
    uint8_t activity;    /* enum analysis_activity */
    uint8_t further_sum; /* enum analysis_further_sum */
    uint8_t flags;       /* ANALYSIS_FLAG_WORK and ANALYSIS_FLAG_IDLE */
};

struct analysis_time_class omptape_region_time_class(enum omptape_bucket bucket);

/* Properties of a region's kind that each visit needs. */
struct analysis_region_facts {
    uint8_t family; /* enum analysis_family */
    uint8_t rule;   /* rule that selects the bucket (src/core/buckets.h) */
    /* It is blamed for its own time; else the enclosing region is, such as a loop for its chunks. */
    bool is_blamed;
    bool is_place;                         /* it has a bucket of its own and is blamed */
    bool is_timed;                         /* visits are compared with each other (outliers.h) */
    struct analysis_time_class time_class; /* for the rule OWN */
};

struct analysis_region_facts omptape_region_facts(enum omptape_region_kind kind);
