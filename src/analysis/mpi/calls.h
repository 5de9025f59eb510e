/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls of MPI that wait for another process, and what threads do between such calls. For waits.c.
 */
#pragma once

#include "src/analysis/state.h"
#include "src/replay/channels.h"
#include "src/replay/ranks.h"

/* lacking.c: Did the thread that others wait for run? Between two readings of the kernel's sums (metric
 * events of the thread) it waited for a processor evenly whenever it did not sleep. It slept outside of MPI,
 * where waiting spins. What others waited for it is kept until the next reading. Without the lack of a
 * processor since its last call of MPI it would have come earlier: this part becomes a cause of its own. The
 * time that it slept is noted. */

enum { WAITS_READINGS = 16 };

struct waits_reading {
    uint64_t time;
    uint64_t running_ns; /* how long it had been on a processor by then, */
    uint64_t queued_ns;  /* ...waited for one, */
    uint64_t outside;    /* ...and been outside of MPI */
};

/* What others waited for the thread, in one cause, until after the last reading. */
struct waits_owed {
    struct analysis_cause *cause;
    struct analysis_late *late;
    uint64_t threads; /* of the process that waited */
    uint64_t waited;
    uint64_t outside; /* since that reading it was outside of MPI for so long, */
    double lacked;    /* ...and before had no processor so long since its last call, */
    double slept;     /* ...and slept so long */
};

/* Of one thread; all zeros at first. */
struct waits_lacking {
    struct waits_reading readings[WAITS_READINGS]; /* the latest comes last */
    uint32_t reading_count;
    struct waits_owed *owed; /* malloc'ed */
    uint32_t owed_count;
    uint32_t owed_room;
};

void omptape_waits_lacking_free(struct waits_lacking *lacking);

/* A reading of the thread `location`, which left its last call of MPI at `outside_since`. */
void omptape_waits_read_lack(struct analysis_state *state, struct waits_lacking *lacking, uint64_t location,
                             struct waits_reading reading, uint64_t outside_since);

/* Others waited for it until `to`, for a cause that has been charged with it: cause, late, threads and waited
 * are set. It has been outside of MPI since `since`. */
void omptape_waits_find_lack(struct analysis_state *state, struct waits_lacking *lacking, uint64_t location,
                             struct waits_owed owed, uint64_t since, uint64_t to);

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
    bool calls;                     /* it is a call of MPI, */
    uint64_t until;                 /* ...which waited until then, as in struct waits_call: */
    uint64_t late;
    uint64_t late_since;
    struct analysis_region *late_in;
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

/* Both ends of a message were there from `since` on, and it was there at `now`. The call is its one end. It
 * waited until the other end's thread called MPI again, if the message went on at that time. */
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

/* collectives.c: Collective operations of MPI. The n-th of a communicator is the n-th of each of its members
 * (MPI 3.1, 5.1). Operations that do not block are counted apart, in the order in which they begin (5.12).
 * Those on a window or a file are counted for that. MPI_Finalize counts for MPI_COMM_WORLD (8.7). When all
 * members have come, those have waited that came before the last one that they need. For waits.c and
 * posted.c. */

struct waits_collectives {
    struct waits_calls *calls;
    struct omptape_ranks *ranks;
    struct omptape_pairs counts;    /* (order, process) -> how many it has been at */
    struct omptape_pairs instances; /* (order, number) -> the calls of those who were there */
    struct omptape_arena arena;
    struct omptape_free_list free; /* of any size */
};

/* What has an order of its own: the number of the communicator, window or file is added. */
#define WAITS_BLOCKING UINT64_C(0)
#define WAITS_POSTED (UINT64_C(1) << 32)
#define WAITS_WINDOW (UINT64_C(2) << 32)
#define WAITS_FILE (UINT64_C(3) << 32)
#define WAITS_END (UINT64_C(4) << 32)

/* What one process does in an operation. */
struct waits_part {
    uint64_t order;
    uint64_t comm;
    uint64_t operation;       /* OTF2_CollectiveOp, or what it is of a file */
    uint64_t root;            /* rank, or OTF2_CollectiveRoot */
    struct waits_call *came;  /* from here on others may go on; */
    struct waits_call *waits; /* ...and here this one waits for others: the same if it blocks */
};

void omptape_waits_collectives_free(struct waits_collectives *collectives);

/* How many of this order the process has been at. */
uint64_t omptape_waits_collectives_of(const struct waits_collectives *collectives, uint64_t order,
                                      uint64_t process);

void omptape_waits_collective(struct waits_collectives *collectives, const struct waits_part *part);

/* ends.c: Calls of MPI that never ended: for which processes they wait, when all events went by. For
 * waits.c. */

/* What a call, or a request that it waits for, needs. */
struct waits_wanted {
    bool is_known;
    uint64_t request;   /* OMPTAPE_EVENT_NO_REQUEST: the call itself */
    bool sends;         /* a receive of what it sends; else a message, */
    bool is_collective; /* ...or others in an operation */
    bool has_rank;      /* sender, receiver, root, or rank of a window; else any */
    bool has_tag;
    uint64_t comm;
    uint64_t rank;
    uint64_t tag;
    uint64_t operation; /* OTF2_CollectiveOp */
};

struct waits_ends {
    struct waits_calls *calls;
    struct omptape_ranks *ranks;
    const struct omptape_channels *channels;
    const struct waits_collectives *collectives;
    struct omptape_pairs wants;  /* (0, location) -> what its last call that told of it wants */
    struct omptape_pairs open;   /* (process, location) -> the same, of calls that never ended */
    struct omptape_pairs locks;  /* (comm, process) -> so many locks of windows on it that it has */
    struct omptape_pairs groups; /* (step, process) -> the group that it began an epoch with */
    struct omptape_arena arena;
};

void omptape_waits_ends_free(struct waits_ends *ends);

/* What the event's attributes say that is waited for. */
struct waits_wanted omptape_waits_wanted(const struct analysis_state *state,
                                         const struct omptape_event *event);
/* The call wants this, too. */
void omptape_waits_end_wants(struct waits_ends *ends, const struct waits_call *call,
                             const struct waits_wanted *wanted);
/* The call did not come to its end. */
void omptape_waits_end_open(struct waits_ends *ends, const struct waits_call *call);
/* OMPTAPE_EVENT_RMA_LOCK or _UNLOCK. */
void omptape_waits_end_lock(struct waits_ends *ends, const struct waits_call *call,
                            const struct omptape_event *event);

/* OMPTAPE_EVENT_RMA_GROUP. */
void omptape_waits_end_group(struct waits_ends *ends, const struct waits_call *call,
                             const struct omptape_event *event);

/* Who waits for whom gets into the state's `opens`. */
void omptape_waits_ends_tell(struct waits_ends *ends);

/* epochs.c: Windows that processes synchronise among themselves. The n-th epoch in which one process has
 * access to another is the n-th in which that one is exposed to it (MPI 3.1, 11.5.2). An exclusive lock
 * makes others wait until it is released (11.5.3). Operations of all members, as a fence, are in
 * collectives.c. */

struct waits_epochs {
    struct waits_calls *calls;
    struct omptape_ranks *ranks;
    struct omptape_pairs pairs; /* (window and who has access, who is exposed) -> waits_epoch, the oldest */
    struct omptape_pairs locks; /* (window, rank) -> waits_lock */
    struct omptape_pairs held;  /* (window and rank, process) -> waits_held */
    struct omptape_pairs under_way; /* (process, operation) -> 2 + 2 * its rank, + 1 if it gets data */
    struct omptape_arena arena;
    struct omptape_free_list free;
};

void omptape_waits_epochs_free(struct waits_epochs *epochs);

/* OMPTAPE_EVENT_RMA_GROUP in this call: a step of an epoch with each of the group. */
void omptape_waits_epoch_step(struct waits_epochs *epochs, struct waits_call *call,
                              const struct omptape_event *event);

/* OMPTAPE_EVENT_RMA_LOCK and _UNLOCK in this call. */
void omptape_waits_lock(struct waits_epochs *epochs, struct waits_call *call,
                        const struct omptape_event *event);

/* OMPTAPE_EVENT_RMA_OPERATION and _COMPLETE in this call. */
void omptape_waits_operation(struct waits_epochs *epochs, const struct waits_call *call,
                             const struct omptape_event *event);
void omptape_waits_operation_end(struct waits_epochs *epochs, struct waits_call *call,
                                 const struct omptape_event *event);

/* posted.c: Collective operations that do not block. OTF2 has an event when one begins, but its communicator
 * is known only at its end. All processes begin them in the same order. So those of each process are kept in
 * this order until all before them have ended, and are then passed to collectives.c. */

struct waits_posted {
    struct waits_collectives *collectives;
    struct omptape_pairs queues;   /* (0, process) -> what it has begun, in this order */
    struct omptape_pairs requests; /* (process, request) -> that which has not ended */
    struct omptape_arena arena;
    struct omptape_free_list free;
};

void omptape_waits_posted_free(struct waits_posted *posted);

/* OMPTAPE_EVENT_MPI_COLLECTIVE_POSTED and _LATER in this call. */
void omptape_waits_post(struct waits_posted *posted, struct waits_call *call,
                        const struct omptape_event *event);
void omptape_waits_complete(struct waits_posted *posted, struct waits_call *call,
                            const struct omptape_event *event);

/* absent.c: MPI's processes that left no trace: they have places in the communicators, and no location.
 * Called once by waits.c. */

/* Sets state->result->absent: ranks of each MPI_COMM_WORLD, and how many others communicators have. */
void omptape_mpi_find_absent(struct analysis_state *state);
