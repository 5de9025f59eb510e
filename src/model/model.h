/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The work of a trace as a compact graph. It holds what each thread and each task did, in order, and where it
 * depended on others. Waiting is not included: simulate.h computes again who waits for whom.
 *
 * A strand is a list of operations that one thread executes at a time: a thread's own operations or those of
 * an explicit task. An operation has 16 bytes and there is about one per event, so ten million events take
 * about 200 MB. All times are in ns since the archive's first event. One thread builds the model; it is
 * constant afterwards.
 */
#pragma once

#include "src/archive/read/reader.h"
#include "src/archive/read/regions.h"

#include <stdio.h>

/* No operation, strand, place and so on. */
#define MODEL_NONE UINT32_MAX

/* Kinds of operations. The comments give the meaning of `arg` and of `ns`. A lag is the time from the moment
 * in which nothing is missing any more to the moment in which the thread continues. */
enum model_op_kind {
    MODEL_WORK,        /* -; duration */
    MODEL_SAMPLE,      /* index in `functions`; - */
    MODEL_FORK,        /* team; - */
    MODEL_TEAM_BEGIN,  /* team; lag since the fork */
    MODEL_TEAM_END,    /* team; - */
    MODEL_JOIN,        /* team; - */
    MODEL_BARRIER,     /* barrier; lag */
    MODEL_ACQUIRE,     /* lock; lag */
    MODEL_RELEASE,     /* lock; - */
    MODEL_CREATE,      /* the task's strand; - */
    MODEL_RUN,         /* strand of a task that its creator executes at once; - */
    MODEL_TASKWAIT,    /* -; lag */
    MODEL_GROUP_BEGIN, /* group; - */
    MODEL_GROUP_WAIT,  /* group; lag */
    MODEL_LOOP_BEGIN,  /* loop; index of the operation that ends this thread's part */
    MODEL_CHUNK,       /* chunk; - */
    MODEL_LOOP_END,    /* loop; - */
    MODEL_CALL_BEGIN,  /* first link to the synchronisations that a call of MPI enters; - */
    MODEL_CALL_END,    /* first link to the synchronisations that it needs; time after they are complete */
    MODEL_OP_KINDS
};

enum { MODEL_NS_BITS = 40, MODEL_PLACE_BITS = 18, MODEL_KIND_BITS = 5 };
enum { MODEL_ALL_QUEUED = UINT8_MAX };
#define MODEL_MAX_NS ((UINT64_C(1) << MODEL_NS_BITS) - 1)
#define MODEL_MAX_PLACES (UINT32_C(1) << MODEL_PLACE_BITS)

struct model_op {
    uint64_t ns : MODEL_NS_BITS;
    uint64_t place : MODEL_PLACE_BITS;
    uint64_t kind : MODEL_KIND_BITS;
    /* MODEL_ACQUIRE: the lock was not free; MODEL_TEAM_BEGIN: the forking thread; MODEL_CALL_END: the time is
     * a lag; MODEL_WORK: of the runtime, to begin a task. */
    uint64_t flag : 1;
    uint32_t next; /* next operation of the strand; or MODEL_NONE */
    uint32_t arg;
};

/* A region and its enclosing ones. Place 0 is outside of all. One nested in itself has the outer's place. */
struct model_place {
    uint32_t parent;
    const struct omptape_definition *region;
    uint64_t first_chunk; /* of a loop: shortest first chunk of all executions, ns; UINT64_MAX if none */
    uint64_t lag; /* of a barrier or a parallel region: shortest lag of all executions, ns; 0: unknown */
};

struct model_strand {
    uint32_t first; /* first and last operation */
    uint32_t last;
    uint32_t parent; /* strand that created the task; MODEL_NONE for a thread */
    uint32_t group;  /* innermost taskgroup around its creation */
    uint32_t team;   /* team in which it was created */
    uint32_t place;  /* place of its creation */
    uint32_t waits;  /* number of tasks that it depends on */
    uint32_t edge;   /* first task that depends on it: index in `edges` */
};

/* A task that depends on another one. */
struct model_edge {
    uint32_t strand;
    uint32_t next;
};

struct model_team {
    uint32_t size;
    uint32_t place;   /* place of its fork */
    uint32_t region;  /* place of its parallel region; 0 if unknown */
    uint32_t barrier; /* its first barrier */
    uint32_t begin;   /* MODEL_TEAM_BEGIN of a member, preferably not of the forking one */
    bool is_nested;
};

/* A barrier of a team. All members pass a team's barriers in the same order. */
struct model_barrier {
    uint64_t last;     /* time of the last arrival in the recording */
    uint32_t arrivals; /* number of members that arrived */
    uint32_t team;
    uint32_t next; /* next barrier of the team */
};

enum model_schedule { MODEL_STATIC, MODEL_DYNAMIC, MODEL_GUIDED };

/* One execution of a loop, sections or single construct by a team. */
struct model_loop {
    uint32_t place;
    uint32_t team;
    uint32_t next;  /* next loop of the team */
    uint32_t chunk; /* first recorded chunk, in order of time */
    uint32_t last_chunk;
    uint32_t part;    /* first entry of the list of parts */
    uint32_t threads; /* number of threads that executed it */
    enum model_schedule schedule;
};

/* One thread's part of a loop. */
struct model_part {
    uint32_t first; /* its MODEL_LOOP_BEGIN */
    uint32_t index; /* index of the member in the team */
    uint32_t next;  /* next part of the loop */
};

struct model_chunk {
    uint32_t first;      /* its MODEL_CHUNK */
    uint32_t end;        /* the operation after the chunk */
    uint32_t next;       /* next chunk of the loop */
    uint32_t strand;     /* strand of its operations */
    uint64_t iterations; /* 0 if unknown */
};

/* A synchronisation of MPI calls: complete when `needed` calls have begun. */
struct model_sync {
    uint64_t last; /* time in the recording when the last of them began */
    uint32_t needed;
};

/* List entry: a synchronisation of a call. */
struct model_sync_link {
    uint32_t sync;
    uint32_t next;
};

/* Usual time to acquire a lock that is free, and one that another thread has just released, ns. */
struct model_lock {
    uint64_t lag[2];
};

/* A location and the strand of its own operations. */
struct model_thread {
    const struct omptape_definition *location;
    uint32_t strand;
    uint64_t begin;
    bool is_initial; /* the thread is not a worker of teams */
};

/* A growing list of a type. */
#define MODEL_LIST(type)                                                                                     \
    struct {                                                                                                 \
        type *list;                                                                                          \
        uint32_t count;                                                                                      \
        uint32_t capacity;                                                                                   \
    }

struct model {
    const struct omptape_reader *reader;
    MODEL_LIST(struct model_op) ops;
    /* Part of each operation's work in which its thread waited for a processor, of MODEL_ALL_QUEUED. Missing:
     * 0. */
    MODEL_LIST(uint8_t) queued;
    MODEL_LIST(struct model_place) places;
    MODEL_LIST(struct model_strand) strands;
    MODEL_LIST(struct model_edge) edges;
    MODEL_LIST(struct model_team) teams;
    MODEL_LIST(struct model_barrier) barriers;
    MODEL_LIST(struct model_loop) loops;
    MODEL_LIST(struct model_part) parts;
    MODEL_LIST(struct model_chunk) chunks;
    MODEL_LIST(struct model_thread) threads;
    MODEL_LIST(const struct omptape_definition *) functions;
    MODEL_LIST(struct model_lock) locks;
    MODEL_LIST(struct model_sync) syncs;
    MODEL_LIST(struct model_sync_link) sync_links;
    uint32_t groups;
    uint64_t wall; /* time from the first to the last event */
    /* Of the processes that share processors and have most threads for them: the number of processors (0 if
     * unknown), threads and processes. */
    uint64_t processors;
    uint64_t crowd;
    uint64_t crowd_processes;
    /* Number of processors that the threads take in turns. 0: each has one, even if not all share the
     * same. */
    uint64_t shared;
    int64_t newest_first; /* how often a thread took the newest of its tasks, less how often the oldest */
    uint64_t create_ns;   /* shortest time between two creations of tasks by a thread; 0 if unknown */
    uint64_t chunk_ns;    /* cost of taking a chunk of a loop, which is part of the chunk before */
    uint64_t calls;       /* number of calls of MPI */
    uint64_t unfollowed;  /* number of MPI events that the model ignores */
    uint64_t device;      /* number of device events that the model ignores */
    uint32_t streams;     /* number of threads that are streams of devices */
};

/* Builds the model from all events of the archive. `reader` must outlive the model. Returns 0, or negative
 * errno with a line in `error`. The caller frees the model in any case. */
int model_build(struct model *model, struct omptape_reader *reader, volatile uint64_t *done, char *error,
                size_t error_bytes);
void model_free(struct model *model);

/* Returns the recorded work in a chunk, ns. */
uint64_t model_chunk_work(const struct model *model, const struct model_chunk *chunk);

/* Returns true if the region is the place's region or encloses it. */
bool model_is_within(const struct model *model, uint32_t place, const struct omptape_definition *region);
