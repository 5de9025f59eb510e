/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files that build the model share (build.c). While the events go by, they know a location, a team,
 * a lock and a task. Also what each family of constructs adds to the model.
 */
#pragma once

#include "src/core/array.h"
#include "src/model/model.h"
#include "src/replay/channels.h"
#include "src/replay/stack.h"
#include "src/replay/teams.h"

/* An open region. */
struct build_frame {
    struct replay_frame replay;
    enum omptape_region_kind kind;
    uint32_t strand; /* that it is of */
    uint32_t place;
    uint32_t op;  /* whose lag is known at its end; or MODEL_NONE */
    uint32_t arg; /* of that: the barrier or the group */
    bool again;   /* a task goes on: the region began before */
};

/* A location is in a team. */
struct build_member {
    struct replay_frame replay;
    struct build_team *team;
    uint32_t index;
    uint32_t strand;
    uint32_t barrier; /* the last one that it came to; or MODEL_NONE */
    uint32_t loop;    /* likewise */
};

struct build_team {
    struct replay_team replay;
    bool is_known;
    uint32_t team;
    uint32_t loop; /* its first one */
    uint64_t fork;
    uint64_t task_end; /* of the last task */
};

struct build_location {
    struct replay_location replay; /* struct build_frame */
    struct replay_location teams;  /* struct build_member */
    const struct omptape_definition *definition;
    uint64_t process;
    uint32_t thread;  /* of the model */
    uint32_t strand;  /* its own */
    uint32_t current; /* the one that it executes */
    uint32_t fork;    /* the operation; MODEL_NONE: there is none whose team has not begun */
    uint32_t ended;   /* the last team */
    uint32_t created; /* the operation that created the newest task; MODEL_NONE: something was done since */
    uint64_t fork_time;
    uint64_t last;       /* event */
    uint64_t task_end;   /* of the last task here */
    uint64_t identity;   /* on the newest Enter: of the task that is being created; 0: none */
    uint64_t switched;   /* when a task began or went on here */
    uint64_t iterations; /* on the newest Enter */
    bool is_resumed;     /* ...which had begun before */
};

struct build_lock {
    uint32_t lock;
    uint64_t release;
    uint64_t free_count;
    uint64_t wait_count;
};

/* What of a strand only the building needs. */
struct build_strand {
    uint64_t created;
    uint64_t child_end; /* of the last of its tasks */
    uint32_t group;     /* the innermost open taskgroup */
    bool has_begun;
};

/* A call of MPI: its operations, and when it was. */
struct build_call {
    uint32_t begin;
    uint32_t end; /* MODEL_NONE: it did not */
    uint64_t begin_time;
    uint64_t end_time;
    uint64_t spent; /* in it, without what else was recorded within */
    uint32_t needs; /* the meeting of its collective operation; or MODEL_NONE */
    bool blocks;    /* it sends or receives without a request */
};

/* The calls at the ends of a message. */
struct build_message {
    uint32_t send;
    uint32_t receive;
};

struct build {
    struct model *model;
    struct omptape_arena arena;
    struct omptape_pairs locations;  /* (0, location) -> build_location */
    struct omptape_pairs locks;      /* (process, lock) -> build_lock */
    struct omptape_pairs tasks;      /* (communicator, thread and generation) -> its strand, +1 */
    struct omptape_pairs identities; /* (process, identity) -> the same */
    struct omptape_pairs places;     /* (parent, region) -> the place, +1 */
    struct omptape_pairs functions;  /* (0, region) -> its index, +1 */
    struct replay_teams teams;
    struct omptape_channels channels;
    struct omptape_pairs turns;    /* (order, process) -> its collective operations */
    struct omptape_pairs meetings; /* (order, number) -> the meeting, +1 */
    MODEL_LIST(struct build_call) calls;
    MODEL_LIST(struct build_message) messages;
    MODEL_LIST(struct build_strand) strands;
    MODEL_LIST(uint64_t) group_ends; /* when a group's last task ended */
    struct build_location *newest;
    uint64_t first; /* event's time, in ticks */
    double ns_per_tick;
    bool has_first;
    volatile uint64_t *done;
    bool no_memory;
    bool is_full; /* the numbers of something do not suffice */
};

/* What is longer than fits is cut. */
static inline void build_set_ns(struct model_op *op, uint64_t ns)
{
    op->ns = (ns < MODEL_MOST_NS ? ns : MODEL_MOST_NS) & MODEL_MOST_NS;
}

/* Adds an operation to what the location executes; MODEL_NONE: no memory. */
uint32_t build_add(struct build *build, struct build_location *location, enum model_op_kind kind,
                   uint32_t arg, uint64_t ns);
/* The same to a strand. */
uint32_t build_append(struct build *build, uint32_t strand, struct model_op op);

/* A new strand; MODEL_NONE: no memory. */
uint32_t build_strand(struct build *build);

/* Where the location is. */
uint32_t build_place(const struct build *build, const struct build_location *location);

/* The innermost region of what the location executes; NULL: there is none. */
struct build_frame *build_top(const struct build_location *location);

/* The innermost team. */
static inline struct build_member *build_member_of(const struct build_location *location)
{
    return replay_top(&location->teams, sizeof(struct build_member));
}

/* Makes room for one more of a list. */
#define BUILD_RESERVE(build, items)                                                                          \
    (OMPTAPE_RESERVE((items).list, (items).count + 1, &(items).room) || ((build)->no_memory = true, false))

/* What members execute together: of a single it is one chunk, which the first one takes. */
static inline bool build_is_loop(enum omptape_region_kind kind)
{
    return kind == OMPTAPE_REGION_LOOP || kind == OMPTAPE_REGION_SECTIONS || kind == OMPTAPE_REGION_SINGLE;
}

/* build_teams.c */
void build_team_named(const struct build *build, const struct build_location *location,
                      const struct build_frame *frame);
void build_fork(struct build *build, struct build_location *location, uint64_t time);
void build_join(struct build *build, struct build_location *location);
void build_team_begin(struct build *build, struct build_location *location, const struct omptape_event *event,
                      uint64_t time);
void build_team_end(struct build *build, struct build_location *location, const struct omptape_event *event);
void build_barrier(struct build *build, struct build_location *location, struct build_frame *frame,
                   uint64_t time);
void build_barrier_left(struct build *build, const struct build_location *location,
                        const struct build_frame *frame, uint64_t time);
void build_loop(struct build *build, struct build_location *location, struct build_frame *frame);
void build_loop_left(struct build *build, struct build_location *location, const struct build_frame *frame);
void build_loop_schedule(struct build *build, const struct build_location *location, const char *schedule);
void build_chunk(struct build *build, struct build_location *location);

/* build_calls.c */
void build_call(struct build *build, struct build_location *location, struct build_frame *frame,
                const char *function);
/* So much time passed on the location: is it in a call? */
void build_call_spent(struct build *build, const struct build_location *location, uint64_t ns);
void build_call_left(struct build *build, struct build_location *location, const struct build_frame *frame,
                     uint64_t time);
void build_message(struct build *build, const struct build_location *location,
                   const struct omptape_event *event);
void build_collective(struct build *build, const struct build_location *location,
                      const struct omptape_event *event);
/* After the last event: what each call needs is known. */
void build_calls_end(struct build *build);
void build_calls_free(struct build *build);

/* build_tasks.c */
void build_task_created(struct build *build, struct build_location *location,
                        const struct omptape_event *event, uint64_t time);
void build_task_switched(struct build *build, struct build_location *location,
                         const struct omptape_event *event, uint64_t time);
void build_task_complete(struct build *build, struct build_location *location,
                         const struct omptape_event *event, uint64_t time);
void build_task_depends(struct build *build, const struct build_location *location, uint64_t identity);
void build_taskwait_left(struct build *build, const struct build_location *location,
                         const struct build_frame *frame, uint64_t time);
void build_group(struct build *build, struct build_location *location, struct build_frame *frame);
void build_group_left(struct build *build, const struct build_location *location,
                      const struct build_frame *frame, uint64_t time);
