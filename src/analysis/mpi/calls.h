/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Internal interfaces of the files in this folder: MPI calls that wait for another process, and the threads'
 * activity between MPI calls. For waits.c.
 */
#pragma once

#include "src/analysis/state.h"
#include "src/replay/channels.h"
#include "src/replay/ranks.h"

/* awaited_threads.c: determines whether the awaited thread ran. Between two readings of the kernel's sums
 * (metric events) it is assumed to queue at a constant rate while it was awake. Sleep is attributed to the
 * time outside of MPI, because waiting in MPI spins. Waiting for the thread is kept until its next reading.
 * The part that is due to its missing processor since its last MPI call becomes a cause of its own. The time
 * that it slept is noted. */

enum { WAITS_READINGS = 16 };

struct waits_reading {
    uint64_t time;
    uint64_t running_ns; /* processor time until then */
    uint64_t queued_ns;  /* run-queue time until then */
    uint64_t outside;    /* time outside of MPI until then */
};

/* Waiting for the thread in one cause that extends beyond the last reading. */
struct waits_pending {
    struct analysis_cause *cause;
    struct analysis_late *late;
    uint64_t threads; /* threads of the waiting process */
    uint64_t waited;
    uint64_t outside; /* time outside of MPI since the last reading */
    double queued;    /* time without a processor before the reading, since its last MPI call */
    double slept;     /* time asleep before the reading, since its last MPI call */
};

/* State of one thread, initialised to zeros. */
struct waits_sched {
    struct waits_reading readings[WAITS_READINGS]; /* sorted by time */
    uint32_t reading_count;
    struct waits_pending *pending; /* malloc'ed; freed with the thread */
    uint32_t pending_count;
    uint32_t pending_capacity;
};

/* Adds a reading of the thread `location`, which left its last MPI call at `outside_since`. */
void omptape_waits_sched_read(struct analysis_state *state, struct waits_sched *sched, uint64_t location,
                              struct waits_reading reading, uint64_t outside_since);

/* Notes that others waited for the thread until `to`, for a cause that was charged already. The caller sets
 * cause, late, threads and waited. Since `since` the thread waits for nobody. */
void omptape_waits_sched_attribute(struct analysis_state *state, struct waits_sched *sched, uint64_t location,
                                   struct waits_pending pending, uint64_t since, uint64_t to);

/* Step of an epoch that a call performs; events do not contain it. */
enum waits_step { WAITS_NO_STEP, WAITS_POST, WAITS_START, WAITS_COMPLETE, WAITS_WAIT, WAITS_STEPS };

/* Properties of a region, also for regions of processes that are not analysed. */
struct waits_region {
    enum omptape_region_kind kind;
    enum waits_step step;
    bool polls; /* tests or probes without waiting */
    bool probes;
    bool fetches;      /* MPI_Imrecv: receives a probed message by a request */
    bool ends;         /* MPI_Finalize */
    bool is_rma;       /* operates on a window */
    bool waits;        /* waits for requests */
    bool synchronises; /* begins, ends or completes accesses to a window */
};

/* Consecutive unsuccessful polling calls since the last completion. */
struct waits_polling {
    uint64_t begin;                 /* of the first unsuccessful call; 0 if there is none */
    bool probes;                    /* polls for any message, otherwise for a request */
    uint64_t inside;                /* time in these calls */
    uint64_t between;               /* time between them, without recorded constructs */
    uint64_t longest;               /* longest single time between them; 0 if none */
    struct analysis_region *region; /* region of the last call; NULL if the process is not analysed */
};

/* Activity of a thread: an MPI call, or the time between two calls. */
struct waits_activity {
    uint64_t begin;
    uint64_t end;
    struct analysis_region *region; /* its function, or the construct with most of the time; NULL if none */
    bool calls;                     /* true for an MPI call */
    uint64_t until;                 /* end of its waiting; this and the next fields as in struct waits_call */
    uint64_t late;
    uint64_t late_since;
    struct analysis_region *late_in;
};

enum { WAITS_HISTORY = 6 };

/* Recent activities of a thread, sorted by time. An entry is dropped when a later one takes longer. */
struct waits_history {
    uint32_t count;
    struct waits_activity list[WAITS_HISTORY];
};

/* The needs of a call, or of a request that it waits for. */
struct waits_wanted {
    bool is_known;
    uint64_t request;   /* OMPTAPE_EVENT_NO_REQUEST for the call itself */
    bool sends;         /* needs the receive of its message; otherwise needs a message */
    bool is_collective; /* needs other members of a collective operation */
    bool has_rank;      /* `rank` (sender, receiver, root, or rank of a window) is set; otherwise any rank */
    bool has_tag;
    uint64_t comm;
    uint64_t rank;
    uint64_t tag;
    uint64_t operation; /* OTF2_CollectiveOp */
};

/* One MPI call. It exists while it is open or in use. */
struct waits_call {
    uint32_t uses;
    bool in_parallel;          /* the thread is in a parallel region */
    struct waits_region about; /* its function */
    uint64_t location;
    uint64_t process;
    struct analysis_region *region; /* its function; NULL if the process is not analysed */
    uint64_t free_since;            /* of its thread, before the call */
    uint64_t begin;
    uint64_t end;                 /* 0 while it is open */
    uint64_t released;            /* time at which it released a lock; 0 if it did not */
    bool completes;               /* completes a request */
    bool receives_probed;         /* receives a message that was probed for */
    struct waits_wanted sent;     /* of a blocking send; otherwise `sends` is false */
    uint64_t peer;                /* 1 + rank or root of its first message or operation; 0: none */
    bool posts;                   /* posts a receive */
    bool sends;                   /* sends a message */
    bool hears;                   /* receives what may depend on its thread's last message */
    uint64_t sent_before;         /* begin of its thread's last call before it that sends */
    uint64_t replies;             /* begin of the call whose message its thread received before it */
    uint64_t answered;            /* the same if it works on the answer; 0: none */
    bool is_unknown;              /* may have waited for a process without a trace */
    struct waits_polling polling; /* unsuccessful polling calls before this one */
    struct waits_history history;
    /* The last of all processes that the call needs; the call waits for it. */
    uint64_t until;   /* end of the wait; 0 if there is none */
    uint64_t charged; /* the wait is charged up to then; 0 if not yet */
    enum omptape_finding_kind kind;
    uint64_t late;                   /* location of the late thread */
    uint64_t late_since;             /* since then nobody kept it in MPI */
    struct analysis_region *late_in; /* its construct meanwhile; NULL if none */
    bool is_answered;                /* the late process answered a message of this process */
};

enum { WAITS_ROW = 8 };

/* Calls without work between them. Some repeat: they have the same function and peer. */
struct waits_row {
    struct waits_row_call {
        const struct analysis_region *region;
        uint64_t peer;
    } list[WAITS_ROW]; /* the last different ones; number i at i % WAITS_ROW */
    uint32_t count;
    bool of_waits;                /* all calls in it wait for requests, or are of their kind */
    struct analysis_region *last; /* function of the last one that repeats; NULL if none */
};

enum { WAITS_PLACES = 8 };

/* Time that a thread spent in a construct; NULL: outside of all. */
struct waits_place {
    struct analysis_region *region;
    uint64_t time;
};

enum { WAITS_SAMPLES = 16, WAITS_SAMPLE_PLACES = 4 };

/* A sample of a thread outside of MPI. */
struct waits_sample {
    uint64_t time;
    uint64_t context; /* id of the calling context */
    uint32_t key_count;
    uint64_t keys[WAITS_SAMPLE_PLACES]; /* the last waits that it was noted for: kind and region */
};

/* A thread: its current call or construct, and its constructs since the last call. */
struct waits_thread {
    uint64_t location;
    uint64_t process;
    struct waits_call *call; /* open call; NULL if none */
    uint32_t inner;          /* calls nested in it */
    uint32_t depth;          /* open constructs */
    struct analysis_region *outermost;
    uint64_t since;      /* begin of its current activity */
    uint64_t call_end;   /* end of the last call; 0 if none */
    uint64_t free_since; /* since then the last call waited for nobody; not after call_end */
    bool polled;         /* the last call polled without success */
    uint32_t others;     /* open constructs entered since the last call */
    uint64_t others_since;
    uint64_t others_time; /* time in the constructs that `others` counts */
    uint64_t gap;         /* time from the last call to the open one, without these constructs */
    struct waits_polling polling;
    struct waits_history history;
    struct waits_sched sched;
    uint64_t outside; /* time outside of MPI until the last call began */
    uint32_t place_count;
    struct waits_place places[WAITS_PLACES];
    struct waits_row row;
    uint64_t sent;  /* begin of the last call that sends */
    uint64_t got;   /* begin of the last call that receives */
    uint64_t heard; /* 1 + process whose message came last, if nothing was sent since; else 0 */
    uint64_t heard_at;
    uint64_t heard_sent;  /* begin of the call that sent this message */
    uint64_t heard_after; /* time outside of MPI before the call that received it */
    uint64_t sample_count;
    struct waits_sample samples[WAITS_SAMPLES]; /* the last ones; number i at i % WAITS_SAMPLES */
};

/* rows.c: notes whether the call, which just ended, continues a row. Calls that post receives, complete what
 * others began or synchronise a window belong to the call of the row that they follow. An answer to the
 * thread's last message ends the row: what the next call sends may depend on it. */
void omptape_waits_note_row(struct analysis_state *state, struct waits_thread *thread,
                            const struct waits_call *call);

/* Notes a sample of the thread. */
void omptape_waits_sample(struct waits_thread *thread, uint64_t time, uint64_t context);

/* State of the second pass. The key and value of each table: */
struct waits {
    struct analysis_state *state;
    struct omptape_channels channels;
    struct omptape_pairs threads;      /* (0, location): waits_thread */
    struct omptape_pairs regions;      /* (0, region): waits_region */
    struct omptape_pairs callers;      /* (0, process): waits_thread that calls MPI, or `several` */
    struct omptape_pairs sends;        /* (process, request): waits_end */
    struct omptape_pairs receives;     /* (process, request): call that posted a receive */
    struct omptape_pairs counts;       /* (order, process): number of collective operations so far */
    struct omptape_pairs instances;    /* (order, number): the calls of the members that arrived */
    struct omptape_pairs queues;       /* (0, process): started nonblocking operations in order */
    struct omptape_pairs begun;        /* (process, request): nonblocking operation that has not ended */
    struct omptape_pairs epochs;       /* (window and origin, target): waits_epoch, the oldest of a list */
    struct omptape_pairs window_locks; /* (window, rank): waits_lock */
    struct omptape_pairs held;         /* (window and rank, process): waits_held */
    struct omptape_pairs under_way;    /* (process, operation): 2 + 2 * target rank, + 1 for a get */
    struct omptape_pairs wants;        /* (0, location): needs of the last call that recorded any */
    struct omptape_pairs unfinished;   /* (process, location): needs of a call that never ended */
    struct omptape_pairs lock_counts;  /* (comm, process): number of window locks held */
    struct omptape_pairs groups;       /* (step, process): group of the epoch that the process began */
    struct omptape_arena arena;
    struct omptape_free_list free_calls;
    struct omptape_free_list free_ends;
    struct omptape_free_list free_instances; /* of any capacity */
    struct omptape_free_list free_begun;
    struct omptape_free_list free_epochs;
    uint64_t events;
};

/* Returns the thread's entry, created if necessary. Returns NULL if out of memory. */
struct waits_thread *omptape_waits_thread(struct waits *waits, uint64_t location);

/* Returns the process's thread that calls MPI, or NULL if none or several do. */
const struct waits_thread *omptape_waits_caller(struct waits *waits, uint64_t process);

/* Note that the thread enters or leaves a region. */
void omptape_waits_enter(struct waits *waits, struct waits_thread *thread, uint64_t time, uint64_t region);
void omptape_waits_leave(struct waits *waits, struct waits_thread *thread, uint64_t time, uint64_t region);

/* Returns how long the thread has been outside of MPI until `time`. */
static inline uint64_t omptape_waits_outside(const struct waits_thread *thread, uint64_t time)
{
    return thread->outside + (thread->call == NULL && time > thread->call_end ? time - thread->call_end : 0);
}

/* Returns true if `call` ended before `other` began. */
static inline bool omptape_waits_ended_before(const struct waits_call *call, const struct waits_call *other)
{
    return call->end != 0 && other->begin >= call->end;
}

/* Notes that the call cannot end before `other` begins or releases a lock; the call waits until then. */
void omptape_waits_needs(struct waits *waits, struct waits_call *call, enum omptape_finding_kind kind,
                         const struct waits_call *other);

/* Notes a message whose ends both existed at `since` and which arrived at `now`; the call is one end. It
 * waited until the other end's thread called MPI again, if the message progressed at that time. */
void omptape_waits_stalled(struct waits *waits, struct waits_call *call, const struct waits_thread *other,
                           uint64_t since, uint64_t now);

/* Notes that the call needs a process without a trace: the time of this wait is unknown. */
void omptape_waits_unknown(struct waits *waits, struct waits_call *call);

static inline struct waits_call *omptape_waits_call_use(struct waits_call *call)
{
    call->uses++;
    return call;
}
void omptape_waits_call_drop(struct waits *waits, struct waits_call *call);

/* collectives.c: matches collective operations. The n-th operation on a communicator is the n-th of each of
 * its members (MPI 3.1, 5.1). Nonblocking operations are counted separately, in the order of their start
 * (5.12). Operations on a window or file are counted per window or file. MPI_Finalize counts for
 * MPI_COMM_WORLD (8.7). When all members have arrived, each earlier member is charged with waiting for the
 * last one that it needs. For waits.c and posted.c. */

/* Keys of separate orders; the number of the communicator, window or file is added. */
#define WAITS_BLOCKING UINT64_C(0)
#define WAITS_POSTED (UINT64_C(1) << 32)
#define WAITS_WINDOW (UINT64_C(2) << 32)
#define WAITS_FILE (UINT64_C(3) << 32)
#define WAITS_END (UINT64_C(4) << 32)

/* One process's part in an operation. */
struct waits_part {
    uint64_t order;
    uint64_t comm;
    uint64_t operation;       /* OTF2_CollectiveOp, or a value for a file operation */
    uint64_t root;            /* rank, or OTF2_CollectiveRoot */
    struct waits_call *came;  /* call that starts the operation; others may continue then */
    struct waits_call *waits; /* call that waits for the others; the same call if it blocks */
};

/* Returns how many operations of this order the process has taken part in. */
uint64_t omptape_waits_collectives_of(const struct waits *waits, uint64_t order, uint64_t process);

void omptape_waits_collective(struct waits *waits, const struct waits_part *part);

/* Frees the lists of members of all operations. */
void omptape_waits_free_instances(struct waits *waits);

/* ends.c: determines for which processes MPI calls wait that never ended, after all events were read. */

/* Returns what the call waits for, according to the event's attributes. */
struct waits_wanted omptape_waits_wanted(const struct analysis_state *state,
                                         const struct omptape_event *event);
/* Adds a need to the call. */
void omptape_waits_end_wants(struct waits *waits, const struct waits_call *call,
                             const struct waits_wanted *wanted);
/* Notes that the call never ended. */
void omptape_waits_end_open(struct waits *waits, const struct waits_call *call);
/* Processes OMPTAPE_EVENT_RMA_LOCK or _UNLOCK. */
void omptape_waits_end_lock(struct waits *waits, const struct waits_call *call,
                            const struct omptape_event *event);

/* Processes OMPTAPE_EVENT_RMA_GROUP. */
void omptape_waits_end_group(struct waits *waits, const struct waits_call *call,
                             const struct omptape_event *event);

/* Stores who waits for whom in the state's `opens`. */
void omptape_waits_ends_store(struct waits *waits);

/* epochs.c: matches the synchronisation of windows. The n-th access epoch of one process to another is the
 * n-th exposure epoch of that one (MPI 3.1, 11.5.2). An exclusive lock makes others wait until it is released
 * (11.5.3). Operations of all members, such as a fence, are in collectives.c. */

/* Processes OMPTAPE_EVENT_RMA_GROUP in this call: a step of an epoch with each process of the group. */
void omptape_waits_epoch_step(struct waits *waits, struct waits_call *call,
                              const struct omptape_event *event);

/* Processes OMPTAPE_EVENT_RMA_LOCK and _UNLOCK in this call. */
void omptape_waits_lock(struct waits *waits, struct waits_call *call, const struct omptape_event *event);

/* Process OMPTAPE_EVENT_RMA_OPERATION and _COMPLETE in this call. */
void omptape_waits_operation(struct waits *waits, struct waits_call *call, const struct omptape_event *event);
void omptape_waits_operation_end(struct waits *waits, struct waits_call *call,
                                 const struct omptape_event *event);

/* posted.c: matches nonblocking collective operations. OTF2 has an event for the start of an operation, but
 * its communicator is known only at the end. All processes start them in the same order. Each process's
 * operations are therefore queued until all earlier ones have ended, and then passed to collectives.c. */

/* Process OMPTAPE_EVENT_MPI_COLLECTIVE_POSTED and _LATER in this call. */
void omptape_waits_post(struct waits *waits, struct waits_call *call, const struct omptape_event *event);
void omptape_waits_complete(struct waits *waits, struct waits_call *call, const struct omptape_event *event);

/* absent.c: MPI processes without a trace; they have ranks in communicators, but no location. */

/* Sets state->result->absent: the absent ranks of each MPI_COMM_WORLD, and the number of others. */
void omptape_mpi_find_absent(struct analysis_state *state);
