/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of `omptape top` share: the processes that are looked at, and what each did between two
 * answers of its writer (src/analysis/reduce/message.h).
 */
#pragma once

#include "src/analysis/reduce/message.h"
#include "src/command/text/screen.h"
#include "src/job/writer_call.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A construct in the interval. */
struct top_region {
    const struct analysis_region *region; /* of the newer message */
    uint64_t parts[OMPTAPE_BUCKET_COUNT]; /* thread time */
    uint64_t visits;
};

/* A function in which samples found threads at work. */
struct top_function {
    const char *name;
    const char *place; /* "for @solver.c:112", where most of them were; "": in no construct */
    uint64_t samples;
    uint64_t most; /* of these at that place */
};

struct top_phase {
    const struct analysis_region *region;
    uint64_t count; /* that ended or went on in the interval */
};

struct top_thread {
    const struct analysis_thread *thread;
    uint64_t parts[OMPTAPE_BUCKET_COUNT];
};

/* What a process did from one message to the next. Ticks are of its trace. */
struct top_interval {
    uint64_t wall;
    uint64_t records;
    uint64_t parts[OMPTAPE_BUCKET_COUNT];
    struct analysis_efficiency efficiency;
    struct analysis_efficiency whole; /* of the run from its beginning on */
    struct top_region *regions;       /* what takes most thread time first */
    uint32_t region_count;
    struct top_function *functions; /* most samples first */
    uint32_t function_count;
    uint64_t samples; /* of all functions */
    struct top_phase *phases;
    uint32_t phase_count;
    struct top_thread *threads; /* that were there, in the archive's order */
    uint32_t thread_count;
};

/* interval.c: from `before` (NULL: the sums' beginning) to `now`. 0 or -ENOMEM. To be freed in any case. */
int top_interval_make(struct top_interval *interval, const struct omptape_message *before,
                      const struct omptape_message *now);
void top_interval_free(struct top_interval *interval);

enum top_state {
    TOP_WAITS, /* for the first answer */
    TOP_RUNS,
    TOP_SILENT, /* its writer gave no answer in time: it is stopped, or has too much to do */
    TOP_ENDED
};

struct top_process {
    struct omptape_writer_found found;
    enum top_state state;
    struct omptape_writer_call call; /* under way; fd < 0: none */
    bool accepted;                   /* its answer has begun */
    unsigned char *bytes;            /* of the answer, so far */
    size_t count;
    size_t room;
    struct omptape_message messages[2]; /* the last two, */
    unsigned newest;                    /* ...and the newer of them */
    bool has_message;
    bool has_interval;
    bool is_told; /* the interval was in a line of JSON */
    struct top_interval interval;
};

static inline const struct omptape_message *top_now(const struct top_process *process)
{
    return &process->messages[process->newest];
}

/* A node on which the writers of other ranks are. */
struct top_node {
    char *name;
    uint32_t ranks;
};

enum top_sort { TOP_BY_TIME, TOP_BY_WAITING, TOP_BY_VISITS, TOP_SORTS };

/* All that is looked at, and how it is shown. */
struct top {
    const char *target; /* PID, folder or job; NULL: all of the user's */
    struct top_process *processes;
    uint32_t count;
    uint32_t room;
    struct top_node *nodes; /* other ones, with ranks of the folder's job */
    uint32_t node_count;
    uint32_t node_room;
    uint32_t chosen;       /* the process whose details are shown */
    uint64_t interval_ns;  /* between two pictures */
    uint64_t next_look_ns; /* for processes that are new */
    bool is_json;
    bool is_once;
    bool is_frozen;
    bool shows_threads;
    enum top_sort sort;
};

/* writers.c: looks for processes that are new. 0, or a negative errno after one line. */
int top_find(struct top *top);
/* "3 ranks on other nodes are not shown: node7 (2), node8 (1)"; false: there are none. */
bool top_describe_nodes(const struct top *top, char *text, size_t bytes);
/* Asks all that are there. */
void top_ask(struct top *top);
/* Reads what has come of their answers, waits `ms` for more at the most, or until `keys` (a descriptor, or
 * -1) is readable. True: there is nothing more to come. */
bool top_wait(struct top *top, int ms, int keys);
/* Has any process not ended? */
bool top_is_alive(const struct top *top);
void top_free(struct top *top);

/* picture.c: the present picture, of `lines` lines at most (0: as many as it takes). */
void top_print(const struct top *top, const struct omptape_screen *screen, unsigned lines);
/* numbers.c: the same as one line of JSON, where each interval comes once. 0 or -ENOMEM. */
int top_tell(struct top *top, FILE *out);

/* terminal.c: runs in a terminal until the user ends it. Returns the exit code. */
int top_run_in_terminal(struct top *top);
