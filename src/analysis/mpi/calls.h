/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls of MPI that wait for another process, and what threads do between such calls. For waits.c.
 */
#ifndef OMPTAPE_ANALYSIS_MPI_CALLS_H
#define OMPTAPE_ANALYSIS_MPI_CALLS_H

#include "src/analysis/mpi/lacking.h"
#include "src/analysis/state.h"

/* Which step of an epoch a call is: events do not say that. */
enum waits_step { WAITS_NO_STEP, WAITS_POST, WAITS_START, WAITS_COMPLETE, WAITS_WAIT, WAITS_STEPS };

/* Asking again and again whether something is complete, since something was. */
struct waits_polling {
    uint64_t begin;                 /* of the first call that asked in vain; 0: none did */
    bool probes;                    /* for any message; else for what was begun */
    uint64_t inside;                /* time in these calls, */
    uint64_t between;               /* ...and between them, as far as nothing else is recorded */
    uint64_t longest;               /* of these; 0: there is none */
    struct analysis_region *region; /* the last one's; NULL: of a process that is not looked at */
};

/* What a thread did: in MPI, or between two calls of it. */
struct waits_did {
    uint64_t begin;
    uint64_t end;
    struct analysis_region *region; /* mostly in this construct, or the function; NULL: in none */
    bool calls;                     /* it is a call of MPI */
};

enum { WAITS_DID = 6 };

/* What it did lately: nothing that came later took longer. The latest comes last. */
struct waits_past {
    uint32_t count;
    struct waits_did list[WAITS_DID];
};

/* One call. It lives while it is open or somebody uses it. */
struct waits_call {
    uint32_t uses;
    bool in_parallel; /* the thread is in a parallel region */
    enum waits_step step;
    uint64_t location;
    uint64_t process;
    struct analysis_region *region; /* its function; NULL: of a process that is not looked at */
    uint64_t outside_since;         /* its thread was outside of MPI from then on, */
    uint64_t begin;
    uint64_t end;      /* 0: it is open */
    uint64_t released; /* it gave a lock back, which nobody else has before then; 0: none */
    bool completes;    /* what was begun, */
    bool takes;        /* ...or what was probed for */
    bool polls;        /* asks for either, and takes it at most if it is there: */
    bool probes;
    bool fetches; /* what was probed for, by a request */
    bool ends;    /* the process's use of MPI */
    bool is_rma;  /* it is about a window */
    bool waits;   /* for requests */
    bool sends;   /* without a request: to that rank, in that communicator */
    uint64_t send_comm;
    uint64_t send_to;
    uint64_t send_tag;
    bool is_untold;               /* it may have waited for a process that the archive does not have */
    struct waits_polling polling; /* ...as others did before */
    struct waits_past past;
    /* For whom it waits: the last one of all that it needs. */
    uint64_t until;   /* 0: for nobody */
    uint64_t charged; /* its waiting is, until then; 0: not yet */
    enum omptape_finding_kind kind;
    uint64_t late;                   /* location, */
    uint64_t late_since;             /* ...outside of MPI since then */
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
    uint64_t since;    /* what it does now began then */
    uint64_t call_end; /* of the last one; 0: there was none */
    bool polled;       /* in vain, by that */
    uint32_t others;   /* constructs open that were entered since then, */
    uint64_t others_since;
    uint64_t others_time; /* ...and how long there were any */
    uint64_t gap;         /* from the last call to the one that is open, without these */
    struct waits_polling polling;
    struct waits_past past;
    struct waits_lacking lacking;
    uint64_t outside; /* of MPI, until the last call began */
    uint32_t place_count;
    struct waits_place places[WAITS_PLACES];
};

struct waits_calls {
    struct analysis_state *state;
    struct omptape_pairs threads; /* (0, location) -> waits_thread */
    struct omptape_pairs regions; /* (0, region) -> waits_region */
    struct omptape_pairs callers; /* (0, process) -> waits_caller */
    struct omptape_arena arena;
    struct omptape_free_list free;
};

void omptape_waits_calls_free(struct waits_calls *calls);

/* NULL: no memory. */
struct waits_thread *omptape_waits_thread(struct waits_calls *calls, uint64_t location);

/* The thread of the process that calls MPI; NULL: none has so far, or several have. */
const struct waits_thread *omptape_waits_caller(struct waits_calls *calls, uint64_t process);

/* The thread enters or leaves a region. */
void omptape_waits_enter(struct waits_calls *calls, struct waits_thread *thread, uint64_t time,
                         uint64_t region);
void omptape_waits_leave(struct waits_calls *calls, struct waits_thread *thread, uint64_t time,
                         uint64_t region);

/* How long the thread has been outside of MPI by then. */
static inline uint64_t omptape_waits_outside(const struct waits_thread *thread, uint64_t time)
{
    return thread->outside + (thread->call == NULL && time > thread->call_end ? time - thread->call_end : 0);
}

/* Did the one go on without the other? */
static inline bool omptape_waits_ended_before(const struct waits_call *call, const struct waits_call *other)
{
    return call->end != 0 && other->begin >= call->end;
}

/* The call cannot end before `other` begins, or has given a lock back: it waits until then. */
void omptape_waits_needs(struct waits_calls *calls, struct waits_call *call, enum omptape_finding_kind kind,
                         const struct waits_call *other);

/* A message that both ends were there for from `since` on was there at `now`: the call, its one end, waited
 * until the other end's thread called MPI again, if that is when the message went on. */
void omptape_waits_stalled(struct waits_calls *calls, struct waits_call *call,
                           const struct waits_thread *other, uint64_t since, uint64_t now);

/* The call needs a process that the archive does not have: how long it waited for that one is not known. */
void omptape_waits_untold(struct waits_calls *calls, struct waits_call *call);

static inline struct waits_call *omptape_waits_call_use(struct waits_call *call)
{
    call->uses++;
    return call;
}
void omptape_waits_call_drop(struct waits_calls *calls, struct waits_call *call);

#endif
