/* SPDX-License-Identifier: BSD-3-Clause
 *
 * State and interface that the files of `omptape top` share: the observed processes, and what each did
 * between two answers of its writer (src/analysis/reduce/message.h).
 */
#pragma once

#include "src/analysis/reduce/message.h"
#include "src/command/text/screen.h"
#include "src/job/writer_call.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A construct's sums in the interval. */
struct top_region {
    const struct analysis_region *region; /* region of the newer message */
    uint64_t parts[OMPTAPE_BUCKET_COUNT]; /* thread time by bucket, in ticks */
    uint64_t visits;
};

/* A function in which samples found working threads, or the program's own one in which they sleep. */
struct top_function {
    const char *name;
    const char *place; /* construct with most of these samples, "for @solver.c:112"; "" if none */
    uint64_t samples;
    uint64_t asleep;           /* looks that found a thread asleep */
    uint64_t samples_at_place; /* number of samples and looks at `place` */
};

struct top_phase {
    const struct analysis_region *region;
    uint64_t count; /* number of instances in the interval */
};

struct top_thread {
    const struct analysis_thread *thread;
    uint64_t parts[OMPTAPE_BUCKET_COUNT];
};

/* A thread that OpenMP does not know; it is computing, runnable or blocked. */
struct top_other {
    const struct omptape_message_thread *thread;
    uint64_t parts[OMPTAPE_BUCKET_COUNT];
};

/* What a process did between two messages. Times are in ticks of its trace. */
struct top_interval {
    uint64_t wall;
    uint64_t records;
    uint64_t parts[OMPTAPE_BUCKET_COUNT];
    struct analysis_efficiency efficiency;
    struct analysis_efficiency whole; /* efficiency since the begin of the run */
    struct top_region *regions;       /* sorted by thread time, descending */
    uint32_t region_count;
    struct top_function *functions; /* sorted by samples and looks, descending */
    uint32_t function_count;
    uint64_t samples; /* sums over all functions */
    uint64_t asleep;
    struct top_phase *phases;
    uint32_t phase_count;
    struct top_thread *threads; /* threads that existed in the interval, in the archive's order */
    uint32_t thread_count;
    struct top_other *others; /* sorted by their numbers */
    uint32_t other_count;
};

/* interval.c: Subtracts the older sums; `before` may be NULL. A sum may have
 * decreased, as time was later attributed to other buckets. These increased by as much more than the
 * interval, so their increases are reduced in proportion. */
void top_subtract(uint64_t parts[OMPTAPE_BUCKET_COUNT], const uint64_t *now, const uint64_t *before);

/* interval.c: Computes the interval from `before` to `now`. If `before` is NULL, it starts where the sums
 * begin. Returns 0 or -ENOMEM. The caller frees `interval` in any case. */
int top_interval_make(struct top_interval *interval, const struct omptape_message *before,
                      const struct omptape_message *now);
void top_interval_free(struct top_interval *interval);

enum top_state {
    TOP_WAITS, /* no answer yet */
    TOP_RUNS,
    TOP_SILENT,     /* the last request was not answered in time: the writer is stopped or overloaded */
    TOP_UNREADABLE, /* the last answer was too long, damaged, or of another version of omptape */
    TOP_ENDED
};

struct top_process {
    struct omptape_writer_found found;
    enum top_state state;
    struct omptape_writer_call call; /* current request; fd is -1 if there is none */
    bool accepted;                   /* the writer has connected to answer */
    unsigned char *bytes;            /* received part of the answer */
    size_t count;
    size_t capacity;
    struct omptape_message messages[2]; /* the last two messages */
    unsigned newest;                    /* index of the newer one */
    bool has_message;
    bool has_interval;
    bool is_written; /* the interval has been written as JSON */
    struct top_interval interval;
};

static inline const struct omptape_message *top_now(const struct top_process *process)
{
    return &process->messages[process->newest];
}

/* Converts ticks of the message's trace to seconds; 0 if the resolution is unknown. */
static inline double top_seconds(const struct omptape_message *message, uint64_t ticks)
{
    return message->facts.resolution > 0 ? (double)ticks / (double)message->facts.resolution : 0;
}

/* A node on which other ranks' writers run. */
struct top_node {
    char *name;
    uint32_t ranks;
};

enum top_sort { TOP_BY_TIME, TOP_BY_WAITING, TOP_BY_VISITS, TOP_SORTS };

/* Everything that is observed, and how it is shown. */
struct top {
    const char *target; /* PID, folder or job; NULL for all of the user's programs */
    struct top_process *processes;
    uint32_t count;
    uint32_t capacity;
    struct top_node *nodes; /* other nodes, with ranks of the folder's job */
    uint32_t node_count;
    uint32_t node_capacity;
    uint32_t chosen;      /* index of the process whose details are shown */
    uint64_t interval_ns; /* time between two updates */
    struct omptape_writer_search search;
    uint64_t next_search_ns; /* time of the next search for new processes */
    bool is_json;
    bool is_once;
    bool is_frozen;
    bool shows_threads;
    bool by_work; /* order of the processes: by time at work instead of by rank */
    enum top_sort sort;
};

/* writers.c: Searches for new processes. Returns 0, or negative errno after an error message. */
int top_find(struct top *top);
/* Writes "3 ranks on other nodes are not shown: node7 (2), node8 (1)". Returns false if there are none. */
bool top_describe_nodes(const struct top *top, char *text, size_t bytes);
/* Sends a request to the writer of each process. */
void top_ask(struct top *top);
/* Receives answers. Waits for at most `ms` milliseconds, or until the descriptor `keys` is readable; `keys`
 * may be -1. If nothing came, looks which writers have ended. Returns true if no answer is pending. */
bool top_wait(struct top *top, int ms, int keys);
/* Returns true if a process has not ended. */
bool top_is_alive(const struct top *top);
void top_free(struct top *top);

/* order.c: Sorts the processes. `chosen` keeps its process, but the first process stays chosen if it was. */
void top_sort_processes(struct top *top);

/* picture.c: Prints the current state in at most `lines` lines; 0 means no limit. */
void top_print(const struct top *top, const struct screen *screen, unsigned lines);
/* numbers.c: Writes the current state as one line of JSON, with each interval once. Returns 0 or -ENOMEM. */
int top_write_json(struct top *top, FILE *out);

/* terminal.c: Runs in a terminal until the user ends it. Returns the exit code. */
int top_run_in_terminal(struct top *top);
