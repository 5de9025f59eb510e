/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds causal dependencies between the processes of an MPI program, independently of their clocks. A message
 * is sent before it is received. A collective operation ends after those members have begun it whose data it
 * needs. Runs on one thread. Memory use is proportional to the number of incomplete messages and operations.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Members whose begin must precede an end. */
enum omptape_order_needs { OMPTAPE_ORDER_NONE, OMPTAPE_ORDER_ALL, OMPTAPE_ORDER_ROOT };

/* One end of a link: a source (a send, or a member's begin of an operation) or a target (a receive, or a
 * member's end). Ends are passed in the order of their times in the archive. */
struct omptape_order_end {
    uint32_t process; /* numbered from 0 by first appearance (omptape_order_group) */
    uint64_t time;
    enum omptape_order_needs needs; /* of a target */
    uint32_t root;                  /* process that is the operation's root */
    bool is_final;                  /* for the pass: its time is final */
};

struct omptape_order_reading;

/* A message, or a collective operation of all members of a communicator. */
struct omptape_order_link {
    struct omptape_order_reading *reading;
    struct omptape_order_link *next; /* next link of the free list */
    uint32_t members;                /* number of sources and of targets; 1 for a message */
    uint32_t source_count;
    uint32_t target_count;
    uint32_t final_count; /* for the pass: number of ends whose times are final */
    bool collective;
    uint64_t comm, number;             /* of a collective operation */
    struct omptape_order_end *sources; /* arrays of `members` ends */
    struct omptape_order_end *targets;
};

struct omptape_order_reading;

/* Callback of a pass for each end. `is_source` is false for a target. The callback returns false to stop the
 * reading. A link is released after the callback for its last end, unless `keeps` is true. */
struct omptape_order_pass {
    bool (*end)(void *data, struct omptape_order_link *link, struct omptape_order_end *end, bool is_source);
    void *data;
    bool keeps;               /* links stay until omptape_order_release, or the end of the reading */
    volatile uint64_t *beats; /* incremented as a sign of progress, or NULL */
};

/* Reads the archive `path` (src/archive/read/reader.h) once. Returns 0, or negative errno with `error`. */
int omptape_order_read(const char *path, const struct omptape_order_pass *pass,
                       struct omptape_order_reading **reading, char *error, size_t bytes);
/* Frees the reading. Must be called once after each omptape_order_read, also if that failed. */
void omptape_order_close(struct omptape_order_reading *reading);

void omptape_order_release(struct omptape_order_link *link);

/* Returns the location group of a process; valid after omptape_order_read. */
uint64_t omptape_order_group(const struct omptape_order_reading *reading, uint32_t process);

/* Counts of the dependencies in an archive, and of those in the wrong order. */
struct omptape_order_counts {
    uint64_t messages;
    uint64_t received_early;
    uint64_t operations; /* ends of collective operations that depend on other members */
    uint64_t left_early; /* such ends that precede one of these members' begins */
    uint64_t max_early;  /* greatest time by which an end is too early, ticks */
    /* Greatest time in ticks by which a needed end may follow in the archive's order. */
    uint64_t reorder_distance;
    uint64_t resolution; /* ticks per second */
    uint64_t begin;      /* first time of the archive */
};
int omptape_order_count(const char *path, struct omptape_order_counts *counts, volatile uint64_t *beats,
                        char *error, size_t bytes);

/* The logical clock of one process: its jumps, and the shifts between them. Used by correct.c. */

/* A jump of the shift at `time` from `before` to `after`, which may be equal. */
struct omptape_order_jump {
    uint64_t time;
    uint64_t before;
    uint64_t after;
    uint64_t held;   /* time until which the shift stays constant; then it decays */
    uint64_t window; /* length of the stretched time before the jump */
};

struct omptape_order_clock {
    uint64_t hold; /* time for which a shift stays constant after it was needed */
    struct omptape_order_jump *jumps;
    uint32_t count, capacity;
};

/* Returns the shift at `time`, without the stretching before jumps. */
uint64_t omptape_order_clock_at(const struct omptape_order_clock *clock, uint64_t time);

/* Requires that the process is shifted by at least `needed` at `time`. `time` must not precede an earlier
 * jump. Returns false if out of memory. */
bool omptape_order_clock_need(struct omptape_order_clock *clock, uint64_t time, uint64_t needed);

/* Returns the time when a jump's shift has decayed to 0 if no other jump follows. */
uint64_t omptape_order_clock_end(const struct omptape_order_clock *clock, uint32_t jump);

/* Sets the windows of all jumps after the last jump is known; they reach back at most to `begin`. */
void omptape_order_clock_open_windows(struct omptape_order_clock *clock, uint64_t begin);

/* Requires that the process is shifted by at most `slack` more at `time`. */
void omptape_order_clock_limit(struct omptape_order_clock *clock, uint64_t time, uint64_t slack);

/* correct.c: shifts the times of an archive's processes so that causes precede effects, where comparing their
 * clocks was not enough. It implements a controlled logical clock (Rabenseifner 1997; Becker, Rabenseifner,
 * Wolf 2009). All locations of a process are shifted alike, so that the order within the process does not
 * change. Forward: an end that precedes what it needs is moved behind it. The following events of its process
 * are shifted by the same amount for one second; then the shift decays by 1/8192 of the time. Backward:
 * before a jump the times are stretched over 1024 times its length, so that no gap remains. No message of the
 * process is thereby received before it is sent. The algorithm takes two passes. It uses memory for
 * incomplete links, and 40 bytes per jump; there is at most one jump per message. */

/* A point of a shift. Between two it is interpolated linearly; before the first and after the last it is
 * 0. */
struct omptape_order_point {
    uint64_t time;
    uint64_t shift;
};

struct omptape_order_shifts {
    uint64_t group; /* location group of the process */
    struct omptape_order_point *points;
    uint32_t count;
};

struct omptape_order_correction {
    struct omptape_order_shifts *processes; /* the shifted processes */
    uint32_t count;
};

/* Computes the shifts. `counts` are the result of omptape_order_count. Returns 0, or negative errno with a
 * line in `error`. The caller always frees the result with omptape_order_correction_free. */
int omptape_order_correct(struct omptape_order_correction *correction, const char *path,
                          const struct omptape_order_counts *counts, volatile uint64_t *beats, char *error,
                          size_t bytes);
void omptape_order_correction_free(struct omptape_order_correction *correction);

/* Returns the shift at a time. */
uint64_t omptape_order_shift_at(const struct omptape_order_shifts *shifts, uint64_t time);
