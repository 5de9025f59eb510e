/* SPDX-License-Identifier: BSD-3-Clause
 *
 * State and interface that the files share which build the model (build.c). While events are read, they track
 * locations, teams, locks and tasks. Each file adds one family of constructs to the model.
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
    uint32_t strand; /* strand that the region belongs to */
    uint32_t place;
    uint32_t op;  /* operation whose lag is set when the region ends; or MODEL_NONE */
    uint32_t arg; /* the operation's barrier, group, loop or call */
    bool again;   /* a resumed task re-enters the region, which began earlier */
};

/* Membership of a location in a team. */
struct build_member {
    struct replay_frame replay;
    struct build_team *team;
    uint32_t index;
    uint32_t strand;
    uint32_t barrier; /* last barrier that the member reached; or MODEL_NONE */
    uint32_t loop;    /* last loop that the member reached; or MODEL_NONE */
};

struct build_team {
    struct replay_team replay;
    bool is_known;
    uint32_t team;
    uint32_t loop; /* first loop of the team */
    uint64_t fork;
    uint64_t lag;      /* shortest lag of its members; 0: unknown */
    uint64_t task_end; /* end of the last completed task */
};

/* An operation of a device that ended. */
struct build_awaited {
    uint32_t op;     /* MODEL_CALL_BEGIN on its stream */
    uint32_t thread; /* its stream */
    uint64_t begin;
    uint64_t end; /* 0: none */
};

/* The last operation of a device that ended, and the last one of any other stream. */
struct build_device {
    struct build_awaited newest;
    struct build_awaited other;
};

/* Work since the last of the kernel's readings. */
struct build_work {
    uint32_t op;
    uint64_t ns;
};

struct build_location {
    struct replay_location replay; /* frames are struct build_frame */
    struct replay_location teams;  /* frames are struct build_member */
    const struct omptape_definition *definition;
    uint64_t process;
    uint32_t thread;  /* index in the model */
    uint32_t strand;  /* the location's own strand */
    uint32_t current; /* strand that it executes now */
    uint32_t fork;    /* MODEL_FORK operation whose team has not begun; or MODEL_NONE */
    uint32_t ended;   /* team that ended last; or MODEL_NONE */
    uint32_t created; /* operation that created a task, if it is the latest one; or MODEL_NONE */
    uint64_t fork_time;
    uint64_t last;     /* time of the last event */
    uint64_t task_end; /* end of the last task executed here */
    uint64_t identity; /* attribute of the newest Enter: identity of the task being created; 0 if none */
    uint64_t switched; /* time of the last task switch here */
    uint32_t taken;    /* strand of the last task that it created and began here; 0: none */
    uint64_t taken_at;
    uint64_t iterations; /* attribute of the newest Enter */
    bool is_resumed;     /* the task switch resumed a task */
    bool has_readings;   /* of the kernel */
    uint64_t running;    /* time on a processor and in the run queue, at the kernel's last reading */
    uint64_t queued;
    uint64_t read_at; /* time of that reading */
    MODEL_LIST(struct build_work) works;
    struct build_work open; /* the last work before that reading, and what has led to it without a break */
    struct build_awaited awaited; /* the last one of those that it asked for */

    /* Of a device's stream: its open operation, and the end of the one before. */
    bool is_stream;
    uint32_t nested;               /* number of open regions */
    struct build_request *request; /* NULL: no operation that the host asked for is open */
    const struct omptape_definition *operation;
    uint64_t begin;
    uint64_t ended_at;
    struct build_device *device;
    struct build_awaited before; /* the operation of another stream for which the open one waited */
};

/* Lags of acquiring a lock: their number and the sum of their logarithms. */
struct build_lags {
    uint64_t count;
    double logarithms;
};

struct build_lock {
    uint32_t lock;
    uint64_t release;
    struct build_lags lags[2]; /* of a lock that was free, and of one that was not */
};

/* State of a strand that only the building needs. */
struct build_strand {
    uint32_t thread; /* that created the task */
    uint64_t created;
    uint64_t child_end; /* end of the last of its child tasks */
    uint32_t group;     /* innermost open taskgroup */
    bool has_begun;
};

/* A call of MPI: its operations and times. */
struct build_call {
    uint32_t begin;
    uint32_t end; /* MODEL_CALL_END; MODEL_NONE if the call never ended */
    uint64_t begin_time;
    uint64_t end_time;
    uint64_t spent; /* time in the call, without regions nested in it */
    uint32_t needs; /* synchronisation of its collective operation; or MODEL_NONE */
    bool blocks;    /* it sends or receives without a request */
};

/* The two calls of a message. */
struct build_message {
    uint32_t send;
    uint32_t receive;
};

struct build {
    struct model *model;
    struct omptape_reader *reader;
    struct omptape_arena arena;
    struct omptape_pairs locations;  /* (0, location) -> struct build_location */
    struct omptape_pairs locks;      /* (process, lock) -> struct build_lock */
    struct omptape_pairs tasks;      /* (communicator, thread and generation) -> strand + 1 */
    struct omptape_pairs identities; /* (process, identity) -> strand + 1 */
    struct omptape_pairs places;     /* (parent, region) -> place + 1 */
    struct omptape_pairs devices;    /* (0, location group) -> struct build_device */
    struct omptape_pairs requests;   /* (process, operation id) -> struct build_request */
    struct omptape_pairs shortest;  /* (thread, place) -> uint64_t: its shortest work there, ns; 0: unknown */
    struct omptape_pairs functions; /* (0, region) -> index of the function + 1 */
    struct replay_teams teams;
    struct omptape_channels channels;
    struct omptape_pairs turns; /* (order, process) -> number of its collective operations so far */
    struct omptape_pairs syncs; /* (order, number) -> synchronisation + 1 */
    MODEL_LIST(struct build_call) calls;
    MODEL_LIST(struct build_message) messages;
    MODEL_LIST(struct build_strand) strands;
    MODEL_LIST(uint64_t) group_ends; /* end of the last task of each group */
    struct build_location *newest;
    uint64_t first; /* time of the first event, in ticks */
    double ns_per_tick;
    bool has_first;
    volatile uint64_t *done;
    bool no_memory;
    bool is_full; /* an index of the model has overflowed */
};

/* Sets an operation's time; a longer time than fits is truncated. */
static inline void build_set_ns(struct model_op *op, uint64_t ns)
{
    op->ns = (ns < MODEL_MAX_NS ? ns : MODEL_MAX_NS) & MODEL_MAX_NS;
}

/* Adds an operation to the strand that the location executes. Returns its index, or MODEL_NONE on failure. */
uint32_t build_add(struct build *build, struct build_location *location, enum model_op_kind kind,
                   uint32_t arg, uint64_t ns);
/* Adds an operation to a strand. Returns its index, or MODEL_NONE if it could not be added. */
uint32_t build_append(struct build *build, uint32_t strand, struct model_op op);

/* Creates a strand. Returns MODEL_NONE if out of memory. */
uint32_t build_strand(struct build *build);

/* Returns a region's place inside `parent`, created if needed. One nested in itself has the outer's place. */
uint32_t build_find_place(struct build *build, uint32_t parent, const struct omptape_definition *region);

/* Returns the location's current place. */
uint32_t build_place(const struct build *build, const struct build_location *location);

/* Returns the innermost open region of the strand that the location executes, or NULL. */
struct build_frame *build_top(const struct build_location *location);

/* Returns the membership in the innermost team, or NULL. */
static inline struct build_member *build_member_of(const struct build_location *location)
{
    return replay_top(&location->teams, sizeof(struct build_member));
}

/* Reserves space for one more entry of a list. */
#define BUILD_RESERVE(build, items)                                                                          \
    (OMPTAPE_RESERVE((items).list, (items).count + 1, &(items).capacity) ||                                  \
     ((build)->no_memory = true, false))

/* Returns true for constructs that members share like a loop. A single is a loop with one chunk. */
static inline bool build_is_loop(enum omptape_region_kind kind)
{
    return kind == OMPTAPE_REGION_LOOP || kind == OMPTAPE_REGION_SECTIONS || kind == OMPTAPE_REGION_SINGLE;
}

/* build_teams.c: teams, barriers and loops. */
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
/* Called after the last event: finds the shortest first chunk of each loop. */
void build_loops_end(const struct build *build);

/* build_readings.c: the kernel's readings of the thread. */
/* Notes an operation's work for the next reading. */
void build_note_work(struct build *build, struct build_location *location, uint32_t op, uint64_t ns);
void build_reading(struct build *build, struct build_location *location, const struct omptape_event *event,
                   uint64_t time);

/* build_mpi.c: calls of MPI. */
void build_call(struct build *build, struct build_location *location, struct build_frame *frame,
                const char *function);
/* Accounts time of the location to its open call, if there is one. */
void build_call_spent(struct build *build, const struct build_location *location, uint64_t ns);
void build_call_left(struct build *build, struct build_location *location, const struct build_frame *frame,
                     uint64_t time);
void build_message(struct build *build, const struct build_location *location,
                   const struct omptape_event *event);
void build_collective(struct build *build, const struct build_location *location,
                      const struct omptape_event *event);
/* Lets `op`, a MODEL_CALL_END, need `needed`, a MODEL_CALL_BEGIN that began at `time`. */
void build_depend(struct build *build, uint32_t needed, uint64_t time, uint32_t op);
/* Called after the last event: links each call to the synchronisations that it needs. */
void build_calls_end(struct build *build);
void build_calls_free(struct build *build);

/* build_crowd.c: Finds the processes with most threads for their processors. Others may have others. */
void build_crowd(struct build *build);

/* build_devices.c: streams of devices, and threads that wait for them. */
bool build_is_stream(const struct omptape_reader *reader, const struct omptape_definition *location);
/* Notes that a thread asks for the operation that the event identifies. */
void build_request(struct build *build, struct build_location *location, const struct omptape_event *event,
                   uint64_t time);
void build_device_event(struct build *build, struct build_location *stream, const struct omptape_event *event,
                        uint64_t time);
/* Returns true if the thread works for a device, or waits for it. */
bool build_is_at_device(const struct build_location *location);
/* Returns true if the thread waited for a device since its last event. */
bool build_waits_for_device(const struct build_location *location, uint64_t time);
/* Adds that wait, and the time after it. */
void build_wait_for_device(struct build *build, struct build_location *location, uint64_t time);

/* build_tasks.c: explicit tasks. */
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
