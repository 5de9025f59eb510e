/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What each thread is in when its events end, and for which threads of its process it waits there. From that
 * and from what calls of MPI wait for (mpi/ends.h) findings/hangs.c follows who waits for whom in a program
 * that was ended while it hung. Events say which ends were never reported (attribute `synthesised`).
 */
#pragma once

#include "src/analysis/state.h"

enum analysis_open_kind {
    ANALYSIS_OPEN_IDLE, /* it has nothing to do, or is over */
    ANALYSIS_OPEN_WORK, /* it goes on by itself */
    ANALYSIS_OPEN_LOCK,
    ANALYSIS_OPEN_TEAM,  /* for its team, at a barrier */
    ANALYSIS_OPEN_TASKS, /* for tasks */
    ANALYSIS_OPEN_MPI
};

/* What a call of MPI waits for. */
enum analysis_open_why {
    ANALYSIS_OPEN_WHY_UNKNOWN,
    ANALYSIS_OPEN_WHY_MESSAGE,    /* that was not sent */
    ANALYSIS_OPEN_WHY_RECEIVE,    /* of what it sent */
    ANALYSIS_OPEN_WHY_COLLECTIVE, /* others, in an operation of all */
    ANALYSIS_OPEN_WHY_WINDOW,     /* others' part in a window's epoch, or a lock */
    ANALYSIS_OPEN_WHY_NOTHING     /* it might have gone on: what it waits for is there */
};

/* More threads that are waited for are counted. */
enum { ANALYSIS_OPEN_AWAITED = 8 };

/* Of one location. Ids are one more than they are, 0: none. `awaited` are locations; of MPI processes
 * (location groups). */
struct analysis_open {
    uint32_t kind; /* enum analysis_open_kind */
    uint64_t region;
    uint64_t left;   /* the one that it left last, */
    uint64_t begin;  /* ...and when; else of the visit */
    uint64_t end;    /* of the location's events */
    uint64_t before; /* the longest visit of the region that came to an end */
    uint64_t awaited[ANALYSIS_OPEN_AWAITED];
    uint64_t awaited_count;
    uint64_t held; /* of LOCK: the region where it was acquired, */
    uint64_t held_since;
    uint64_t doubled; /* ...by the thread itself */
    uint64_t running; /* of WORK: thousandths of its time on a processor, when that was told last, and 1; 0:
                         never */
    /* Of MPI, from all processes together: */
    enum analysis_open_why why;
    bool polls;     /* it is in no call, but asks again and again in this one */
    bool locked;    /* of WINDOW: they have its lock */
    bool any;       /* one of those who are awaited is enough */
    bool has_tag;   /* of the message, */
    uint64_t tag;   /* ...which is this */
    uint64_t other; /* messages that the sender sent it with other tags, and that nobody received, */
    uint64_t other_tag;
    uint64_t untraced; /* of those who are awaited so many left no trace */
};

/* What a location is in, when a Leave comes that the program never reported. */
struct analysis_ending {
    bool noted;
    bool in_task;
    uint8_t kind; /* enum analysis_open_kind */
    uint64_t time;
    const struct analysis_region *region; /* NULL: none */
    uint64_t begin;
    uint64_t before;
    bool has_lock;
    uint32_t lock;                  /* that it asks for */
    const struct replay_comm *comm; /* of its innermost team; NULL: none */
    uint64_t team;                  /* instance, 0: none, */
    uint64_t barrier;               /* ...and that of the team at whose barrier it is, 0: none */
    const struct replay_comm *barrier_comm;
};

/* Of a location. */
struct analysis_latest {
    struct analysis_ending ending;
    uint64_t running;                   /* as struct analysis_open has it */
    const struct analysis_region *left; /* the last region that it left, */
    uint64_t left_time;                 /* ...and when */
};
