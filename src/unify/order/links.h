/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What must come before what in an archive of an MPI program, whatever the clocks say. A message is sent
 * before it is received. A collective operation that passes something on ends after those have begun it whose
 * part it needs. One thread; memory is what is under way.
 */
#ifndef OMPTAPE_UNIFY_ORDER_LINKS_H
#define OMPTAPE_UNIFY_ORDER_LINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whose part an end needs. */
enum omptape_order_needs { OMPTAPE_ORDER_NOBODY, OMPTAPE_ORDER_ALL, OMPTAPE_ORDER_ROOT };

/* One end of a link, in the order of an archive's times. */
struct omptape_order_end {
    uint32_t process; /* counted from 0 as they come by (omptape_order_group) */
    uint64_t time;
    enum omptape_order_needs needs; /* of one that takes */
    uint32_t root;                  /* process */
    bool settled;                   /* for the pass: its time is final */
};

struct omptape_order_reading;

/* A message, or an operation of all members of a communicator. */
struct omptape_order_link {
    struct omptape_order_reading *reading;
    struct omptape_order_link *next; /* free ones */
    uint32_t members;                /* so many give, and as many take; of a message one each */
    uint32_t given;
    uint32_t taken;
    uint32_t settled; /* for the pass: ends whose times are final */
    bool collective;
    uint64_t comm, number;           /* of an operation */
    struct omptape_order_end *gives; /* `members` of each */
    struct omptape_order_end *takes;
};

struct omptape_order_reading;

/* What a pass does with the ends as they come by: `gives` says which it is. It returns false to stop. Links
 * go when all their ends have come by, after this was called for the last one: a link that must stay is kept
 * by `keep`. */
struct omptape_order_pass {
    bool (*end)(void *data, struct omptape_order_link *link, struct omptape_order_end *end, bool gives);
    void *data;
    bool keeps;               /* links stay until omptape_order_release, or the end of the reading */
    volatile uint64_t *beats; /* counted up as it goes on, or NULL */
};

/* Reads the archive that `path` names (src/archive/read/reader.h) once. 0, or negative errno with a line in
 * `error`.
 */
int omptape_order_read(const char *path, const struct omptape_order_pass *pass,
                       struct omptape_order_reading **reading, char *error, size_t bytes);
/* Once after each read, whatever it returned. */
void omptape_order_close(struct omptape_order_reading *reading);

void omptape_order_release(struct omptape_order_link *link);

/* The location group of a process. After a read. */
uint64_t omptape_order_group(const struct omptape_order_reading *reading, uint32_t process);

/* What an archive's order looks like. */
struct omptape_order_counts {
    uint64_t messages;
    uint64_t received_early;
    uint64_t operations; /* ends of collective operations that need others, */
    uint64_t left_early; /* ...before these have begun */
    uint64_t most;       /* ticks */
    uint64_t depth;      /* ticks: how much later than an end what it needs may come by in the archive */
    uint64_t resolution; /* ...of which there are so many in a second */
    uint64_t begin;      /* of the archive */
};
int omptape_order_count(const char *path, struct omptape_order_counts *counts, volatile uint64_t *beats,
                        char *error, size_t bytes);

/* The logical clock of one process: the jumps that it makes, and what lies between. For mend.c. */

/* At `time` the shift becomes `after`; it was `before`, which may be the same. */
struct omptape_order_jump {
    uint64_t time;
    uint64_t before;
    uint64_t after;
    uint64_t held;   /* until when it stays so; then it fades */
    uint64_t window; /* how long before it times are stretched */
};

struct omptape_order_clock {
    uint64_t hold; /* how long a shift stays after it was needed */
    struct omptape_order_jump *jumps;
    uint32_t count, room;
};

/* The shift at `time`, without what is stretched before jumps. */
uint64_t omptape_order_clock_at(const struct omptape_order_clock *clock, uint64_t time);

/* At `time`, which is not before any other jump's, the process must be `needed` later at least. False: no
 * memory.
 */
bool omptape_order_clock_need(struct omptape_order_clock *clock, uint64_t time, uint64_t needed);

/* When nothing is left of a jump, if no other follows. */
uint64_t omptape_order_clock_end(const struct omptape_order_clock *clock, uint32_t jump);

/* All jumps are known: how far back each may reach, at most to `begin`. */
void omptape_order_clock_open_windows(struct omptape_order_clock *clock, uint64_t begin);

/* At `time` the process may not be more than `slack` later than it is. */
void omptape_order_clock_limit(struct omptape_order_clock *clock, uint64_t time, uint64_t slack);

/* mend.c: Shifts the times of an archive's processes where comparing their clocks was not enough, so that
 * causes come before effects. It is a controlled logical clock (Rabenseifner 1997; Becker, Rabenseifner,
 * Wolf 2009). All locations of a process are shifted alike, so that nothing inside of it changes its order.
 * Forward: an end that comes before what it needs is put behind that. What follows in its process is shifted
 * by as much for a second, then less by 1 in 8192 as time goes on. Backward: before such a jump the times
 * are stretched over 1024 times its length, so that it vanishes. But what the process sends meanwhile is
 * never received before it is sent. Two passes over the archive; memory is what is under way, and 40 bytes a
 * jump, at most one for each message. */

/* From `time` on the process is `shift` later, and between two such points as much as a line between them
 * says; before the first and behind the last nothing is shifted. */
struct omptape_order_point {
    uint64_t time;
    uint64_t shift;
};

struct omptape_order_shifts {
    uint64_t group; /* location group of the process */
    struct omptape_order_point *points;
    uint32_t count;
};

struct omptape_order_mending {
    struct omptape_order_shifts *processes; /* those that are shifted */
    uint32_t count;
};

/* `counts` are those of the archive (omptape_order_count). 0, or negative errno with a line in `error`. Free
 * with omptape_order_mending_free, whatever it returns. */
int omptape_order_mend(struct omptape_order_mending *mending, const char *path,
                       const struct omptape_order_counts *counts, volatile uint64_t *beats, char *error,
                       size_t bytes);
void omptape_order_mending_free(struct omptape_order_mending *mending);

/* By how much a time is shifted. */
uint64_t omptape_order_shift_at(const struct omptape_order_shifts *shifts, uint64_t time);

#endif
