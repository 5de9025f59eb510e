/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The work of a trace as a compact graph. It holds what each thread and each task did, in its own order, and
 * where it depended on others. Waiting is not part of it: simulate.h works out again who waits for whom.
 *
 * A strand is a row of operations that one thread executes at a time: a thread's own, or an explicit task's.
 * Operations are 16 bytes each, about one for an event, so ten million events take about 200 MB. All times
 * are in ns since the archive's first event. One thread builds it; nobody changes it afterwards.
 */
#pragma once

#include "src/archive/read/reader.h"
#include "src/archive/read/regions.h"

#include <stdio.h>

/* No operation, strand, place and so on. */
#define MODEL_NONE UINT32_MAX

/* Beside each: `arg`; `ns`. A lag is what passes between the moment when nothing is missing any more and the
 * moment when the thread goes on. */
enum model_op_kind {
    MODEL_WORK,        /* -; how long */
    MODEL_SAMPLE,      /* region of the function, an index of `functions`; - */
    MODEL_FORK,        /* team; - */
    MODEL_TEAM_BEGIN,  /* team; lag since the fork */
    MODEL_TEAM_END,    /* team; - */
    MODEL_JOIN,        /* team; - */
    MODEL_BARRIER,     /* barrier; lag */
    MODEL_ACQUIRE,     /* lock; lag */
    MODEL_RELEASE,     /* lock; - */
    MODEL_CREATE,      /* the task's strand; - */
    MODEL_RUN,         /* the task's strand, which its creator executes at once; - */
    MODEL_TASKWAIT,    /* -; lag */
    MODEL_GROUP_BEGIN, /* group; - */
    MODEL_GROUP_WAIT,  /* group; lag */
    MODEL_LOOP_BEGIN,  /* loop; the operation that ends this thread's part */
    MODEL_CHUNK,       /* chunk; - */
    MODEL_LOOP_END,    /* loop; - */
    MODEL_CALL_BEGIN,  /* of MPI: link to meetings that it comes to; - */
    MODEL_CALL_END,    /* link to meetings that it needs; what the call takes when these are over */
    MODEL_OP_KINDS
};

enum { MODEL_NS_BITS = 40, MODEL_PLACE_BITS = 18, MODEL_KIND_BITS = 5 };
#define MODEL_MOST_NS ((UINT64_C(1) << MODEL_NS_BITS) - 1)
#define MODEL_MOST_PLACES (UINT32_C(1) << MODEL_PLACE_BITS)

struct model_op {
    uint64_t ns : MODEL_NS_BITS;
    uint64_t place : MODEL_PLACE_BITS;
    uint64_t kind : MODEL_KIND_BITS;
    uint64_t
        flag : 1;  /* of MODEL_ACQUIRE: the lock was not free; of MODEL_TEAM_BEGIN: the forking thread's */
    uint32_t next; /* of the same strand; or MODEL_NONE */
    uint32_t arg;
};

/* A region and what is around it. Place 0 is outside of all regions. A region within itself has the place of
 * the outer one. */
struct model_place {
    uint32_t parent;
    const struct omptape_definition *region;
};

struct model_strand {
    uint32_t first; /* operations */
    uint32_t last;
    uint32_t parent; /* the strand that created it; a thread has none */
    uint32_t group;  /* the innermost taskgroup around its creation */
    uint32_t team;   /* ...and the team */
    uint32_t place;  /* ...and the place */
    uint32_t waits;  /* how many tasks it depends on */
    uint32_t edge;   /* the first task that depends on it: a row of `edges` */
};

/* A task that depends on another one. */
struct model_edge {
    uint32_t strand;
    uint32_t next;
};

struct model_team {
    uint32_t size;
    uint32_t place;   /* of its fork */
    uint32_t region;  /* the place of its region; 0: not known */
    uint32_t barrier; /* its first one */
    uint32_t begin;   /* the MODEL_TEAM_BEGIN of a member, if possible of one that has not forked it */
    bool is_nested;
};

/* Members pass the barriers of a team in one order. */
struct model_barrier {
    uint64_t last;     /* arrival, when it was recorded */
    uint32_t arrivals; /* so many came */
    uint32_t team;
    uint32_t place;
    uint32_t next; /* of the team */
};

enum model_schedule { MODEL_STATIC, MODEL_DYNAMIC, MODEL_GUIDED };

/* One execution of a loop, or of sections, by a team. */
struct model_loop {
    uint32_t place;
    uint32_t team;
    uint32_t next;  /* of the team */
    uint32_t chunk; /* the first recorded one, in the order of time */
    uint32_t last_chunk;
    uint32_t part;    /* the first thread's */
    uint32_t threads; /* so many executed it */
    enum model_schedule schedule;
    uint64_t iterations;
};

/* What one thread did of a loop. */
struct model_part {
    uint32_t first;  /* its MODEL_LOOP_BEGIN */
    uint32_t index;  /* of the member */
    uint32_t thread; /* of the model */
    uint32_t next;   /* of the loop */
};

struct model_chunk {
    uint32_t first;      /* its MODEL_CHUNK, */
    uint32_t end;        /* ...and the operation behind it */
    uint32_t next;       /* of the loop */
    uint64_t iterations; /* 0: not known */
};

/* Calls of MPI that come together: what others need is there once so many have begun. */
struct model_meeting {
    uint64_t last; /* of these began then, when it was recorded */
    uint32_t needed;
};

/* A meeting of a call, and its next one. */
struct model_link {
    uint32_t meeting;
    uint32_t next;
};

/* What it usually takes to get a lock that is free, and one that another thread just released. */
struct model_lock {
    uint64_t free_ns;
    uint64_t wait_ns;
};

/* A location, and the strand that it executes. */
struct model_thread {
    const struct omptape_definition *location;
    uint32_t strand;
    uint64_t begin;
    uint64_t running_ns; /* that it had a processor, by the kernel's readings, */
    uint64_t queued_ns;  /* ...and that it wanted one */
    bool is_initial;     /* it is no worker of teams */
};

/* A growing list of the type. */
#define MODEL_LIST(type)                                                                                     \
    struct {                                                                                                 \
        type *list;                                                                                          \
        uint32_t count;                                                                                      \
        uint32_t room;                                                                                       \
    }

struct model {
    const struct omptape_reader *reader;
    MODEL_LIST(struct model_op) ops;
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
    MODEL_LIST(struct model_meeting) meetings;
    MODEL_LIST(struct model_link) links;
    uint32_t groups;
    uint64_t wall;       /* from the first event to the last */
    uint64_t sample_ns;  /* that one sample stands for; 0: there are none */
    uint64_t processors; /* that the program could use; 0: not known */
    uint64_t calls;      /* of MPI, */
    uint64_t unfollowed; /* ...and events of MPI that the model does not follow; */
    uint64_t device;     /* ...and of devices */
};

/* Builds the model of all events of the archive, whose reader must live as long. 0, or a negative errno with
 * one line in `error`. The caller frees the model in any case. */
int model_build(struct model *model, struct omptape_reader *reader, volatile uint64_t *done, char *error,
                size_t error_bytes);
void model_free(struct model *model);

/* Is the region the place's, or around it? */
bool model_is_within(const struct model *model, uint32_t place, const struct omptape_definition *region);
