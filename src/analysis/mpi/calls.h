/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls of MPI that wait for another process, and what threads do between such calls. For waits.c.
 */
#ifndef OMPTAPE_ANALYSIS_MPI_CALLS_H
#define OMPTAPE_ANALYSIS_MPI_CALLS_H

#include "src/analysis/state.h"

/* Which step of an epoch a call is: events do not say that. */
enum waits_step { WAITS_NO_STEP, WAITS_POST, WAITS_START, WAITS_COMPLETE, WAITS_WAIT, WAITS_STEPS };

/* One call. It lives while it is open or somebody uses it. */
struct waits_call {
    struct waits_call *next; /* free ones */
    uint32_t uses;
    bool in_parallel; /* the thread is in a parallel region */
    enum waits_step step;
    uint64_t location;
    uint64_t process;
    struct analysis_region *region; /* its function; NULL: of a process that is not looked at */
    uint64_t begin;
    uint64_t end; /* 0: it is open */
    /* What the thread did before: since the call before it ended, */
    uint64_t before_begin;
    struct analysis_region *before; /* ...mostly in this construct; NULL: in none; */
    struct analysis_region *last;   /* ...and the call before; NULL: none */
    /* For whom it waits: the last one of all that it needs. */
    uint64_t until; /* 0: for nobody */
    enum omptape_finding_kind kind;
    uint64_t late;                   /* location */
    struct analysis_region *late_in; /* at what that was meanwhile; NULL: in no construct */
};

enum { WAITS_PLACES = 8 };

/* How long a thread was in a construct; NULL: in none. */
struct waits_place {
    struct analysis_region *region;
    uint64_t time;
};

/* A thread: what it is in, and where it was since its last call. */
struct waits_thread {
    uint64_t location;
    uint64_t process;
    struct waits_call *call; /* open; NULL: none */
    uint32_t inner;          /* calls within it */
    uint32_t depth;          /* constructs open, */
    struct analysis_region *outermost;
    uint64_t since; /* what it does now began then */
    uint64_t before_begin;
    struct analysis_region *last;
    uint32_t place_count;
    struct waits_place places[WAITS_PLACES];
};

struct waits_calls {
    struct analysis_state *state;
    struct omptape_pairs threads; /* (0, location) -> waits_thread */
    struct omptape_pairs regions; /* (0, region) -> waits_region */
    struct omptape_arena arena;
    struct waits_call *free;
};

void omptape_waits_calls_free(struct waits_calls *calls);

/* NULL: no memory. */
struct waits_thread *omptape_waits_thread(struct waits_calls *calls, uint64_t location);

/* The thread enters or leaves a region. */
void omptape_waits_enter(struct waits_calls *calls, struct waits_thread *thread, uint64_t time,
                         uint64_t region);
void omptape_waits_leave(struct waits_calls *calls, struct waits_thread *thread, uint64_t time,
                         uint64_t region);

/* Did the one go on without the other? */
static inline bool omptape_waits_ended_before(const struct waits_call *call, const struct waits_call *other)
{
    return call->end != 0 && other->begin >= call->end;
}

/* The call cannot end before `other` begins: it waits until then. */
void omptape_waits_needs(struct waits_calls *calls, struct waits_call *call, enum omptape_finding_kind kind,
                         const struct waits_call *other);

static inline struct waits_call *omptape_waits_call_use(struct waits_call *call)
{
    call->uses++;
    return call;
}
void omptape_waits_call_drop(struct waits_calls *calls, struct waits_call *call);

#endif
