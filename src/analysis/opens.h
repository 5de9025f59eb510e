/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What each thread is doing when its events end, and which threads of its process it waits for. In a program
 * that was ended while it hung, findings/hangs.c combines it with the waits of MPI calls (mpi/ends.c). The
 * result shows who waits for whom. The attribute `synthesised` marks events whose end was never reported.
 */
#pragma once

#include "src/analysis/state.h"

enum analysis_open_kind {
    ANALYSIS_OPEN_IDLE, /* no work, or ended */
    ANALYSIS_OPEN_WORK, /* it can continue by itself */
    ANALYSIS_OPEN_LOCK,
    ANALYSIS_OPEN_TEAM,  /* at a barrier of its team */
    ANALYSIS_OPEN_TASKS, /* waits for tasks */
    ANALYSIS_OPEN_MPI
};

/* What an MPI call waits for. */
enum analysis_open_why {
    ANALYSIS_OPEN_WHY_UNKNOWN,
    ANALYSIS_OPEN_WHY_MESSAGE,    /* a message that was not sent */
    ANALYSIS_OPEN_WHY_RECEIVE,    /* the receive of its message */
    ANALYSIS_OPEN_WHY_COLLECTIVE, /* other processes in a collective operation */
    ANALYSIS_OPEN_WHY_WINDOW,     /* other processes in a window's epoch, or a lock */
    ANALYSIS_OPEN_WHY_NOTHING     /* nothing: it could have continued */
};

/* The first awaited threads are listed; further ones are only counted. */
enum { ANALYSIS_OPEN_AWAITED = 8 };

/* State of one location. Ids are stored as 1 + id; 0: none. `awaited` contains locations; for MPI
 * processes (location groups). */
struct analysis_open {
    uint32_t kind; /* enum analysis_open_kind */
    uint64_t region;
    uint64_t left;   /* region that it left last */
    uint64_t begin;  /* of the visit, or the time when it left the last region */
    uint64_t end;    /* of the location's events */
    uint64_t before; /* longest earlier visit of the region that ended normally */
    uint64_t awaited[ANALYSIS_OPEN_AWAITED];
    uint64_t awaited_count;
    uint64_t held; /* LOCK: region in which the lock was acquired */
    uint64_t held_since;
    uint64_t doubled; /* LOCK: the thread holds the lock itself */
    /* WORK: 1 + thousandths of its time on a processor at the last reading; 0: no reading */
    uint64_t running;
    /* MPI, computed over all processes: */
    enum analysis_open_why why;
    bool polls;     /* it is in no call, but repeats this call */
    bool locked;    /* WINDOW: the awaited processes hold its lock */
    bool any;       /* one of the awaited processes is enough */
    bool has_tag;   /* the message's tag is known */
    uint64_t tag;   /* tag of the message */
    uint64_t other; /* unreceived messages of the sender with other tags */
    uint64_t other_tag;
    uint64_t untraced; /* number of awaited processes that left no trace */
};

/* The state of a location at a Leave that the program did not report. */
struct analysis_ending {
    bool noted;
    bool in_task;
    uint8_t kind; /* enum analysis_open_kind */
    uint64_t time;
    const struct analysis_region *region; /* NULL: none */
    uint64_t begin;
    uint64_t before;
    bool has_lock;
    uint32_t lock;                  /* lock that it waits for */
    const struct replay_comm *comm; /* communicator of its innermost team; NULL: none */
    uint64_t team;                  /* instance of the innermost team; 0: none */
    uint64_t barrier;               /* instance of the team at whose barrier it waits; 0: none */
    const struct replay_comm *barrier_comm;
};

/* The last state of a location. */
struct analysis_latest {
    struct analysis_ending ending;
    uint64_t running;                   /* as in struct analysis_open */
    const struct analysis_region *left; /* region that it left last */
    uint64_t left_time;                 /* time when it left that region */
};
