/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the dating of processes knows (clocks.h) while it goes on and when it is done.
 */
#ifndef OMPTAPE_UNIFY_CLOCKS_DATING_H
#define OMPTAPE_UNIFY_CLOCKS_DATING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct omptape_unify_offsets;

enum { OMPTAPE_UNIFY_SAMPLES = 2, OMPTAPE_UNIFY_NO_HUB = -1 };

/* One moment on two clocks, in ticks of the traces. */
struct omptape_unify_sample {
    uint64_t ticks;
    uint64_t reference;
    uint64_t error; /* ticks that it may be off */
};

/* What one process knows of it. */
struct omptape_unify_comparison {
    struct omptape_unify_sample list[OMPTAPE_UNIFY_SAMPLES];
    uint32_t count;
    int64_t pid; /* of the reference, */
    const char *host;
};

/* What a domain's processes know. */
struct omptape_unify_samples {
    struct omptape_unify_sample *list; /* both moments of each are later than those of the one before */
    uint32_t count;
    uint32_t room;
    int64_t
        hub; /* the domain whose clock was the reference; OMPTAPE_UNIFY_NO_HUB: the samples are of no use */
    long double rate; /* the hub's ticks in one of its own, by the wall clocks */
};

/* A moment on both clocks. */
struct omptape_unify_anchor {
    uint64_t ticks;
    uint64_t realtime; /* ns since 1970 */
};

/* Ticks and times of clocks are less than this; in ns that is the year 2116. */
#define OMPTAPE_UNIFY_MOST_TICKS (UINT64_MAX / 4)

/* What a process knows of its clock. */
struct omptape_unify_clock {
    const char *host;                       /* "" if it is not known */
    const char *kind;                       /* "tsc" */
    int64_t rank;                           /* -1: none */
    uint64_t resolution;                    /* ticks a second */
    uint64_t first, last;                   /* its events lie between these ticks */
    struct omptape_unify_anchor start, end; /* end.realtime 0: there is none */
    uint64_t error;                         /* ns that its wall clock may be off */
    int64_t pid;
    uint64_t jumps; /* times that it went back */
    struct omptape_unify_comparison comparison;
    uint32_t domain; /* filled in by omptape_unify_date */
};

/* A correction that holds at one moment; between two, it is interpolated, as OTF2 does it. */
struct omptape_unify_correction {
    uint64_t ticks;
    int64_t offset;   /* ticks to add */
    double deviation; /* ticks */
};

struct omptape_unify_corrections {
    /* in the order of `ticks`; empty: no correction, else two at least */
    struct omptape_unify_correction *list;
    uint32_t count;
    uint32_t room;
};

struct omptape_unify_domain {
    const struct omptape_unify_clock *clock; /* of its first process */
    uint64_t first, last;
    struct omptape_unify_anchor start, end; /* the earliest and the latest of its processes' anchors */
    uint64_t resolution, longest;           /* of the process that ran longest, and how long that was */
    long double rate;                       /* ticks in a second of its wall clock */
    uint64_t error;
    struct omptape_unify_samples samples;
    struct omptape_unify_corrections corrections;
};

struct omptape_unify_dating {
    struct omptape_unify_domain *domains; /* 0 is the reference */
    uint32_t domain_count;
    uint32_t home;        /* the domain of the first process */
    uint64_t resolution;  /* of the unified archive, */
    uint64_t first, last; /* ...the range of its times, */
    uint64_t realtime;    /* ...and the wall clock at its beginning */
};

/* From the ticks of each process to the times of the unified archive. Processes that read the same counter
 * (same host, same kind of clock, same boot) are one domain and keep their ticks. The times of other domains
 * are shifted and stretched by what messages have shown of their clocks, or else by way of their
 * wall clocks. Pure arithmetic, any thread.
 */

/* Dates `count` processes; the finest counter is the reference. 0 or -ENOMEM. Free with
 * omptape_unify_dating_free. */
int omptape_unify_date(struct omptape_unify_dating *dating, struct omptape_unify_clock *const *clocks,
                       uint32_t count, const struct omptape_unify_offsets *offsets);
void omptape_unify_dating_free(struct omptape_unify_dating *dating);

/* A line for the user if there are measured offsets, but none for some hosts besides the first process's.
 * Their names may be mistyped in the file. Else empty. */
void omptape_unify_find_unmeasured(const struct omptape_unify_dating *dating,
                                   const struct omptape_unify_offsets *offsets, char *line, size_t bytes);

/* The steps of the dating that make corrections (clocks.h). Pure arithmetic, any thread. */

/* Rounded towards 0, and never near what 64 bits cannot hold: damaged archives may say anything of their
 * clocks. */
int64_t omptape_unify_to_whole(long double number);

/* Of two moments; negative if the second is earlier. */
long double omptape_unify_difference(uint64_t from, uint64_t to);

/* The time that all domains have in common, when `ticks` is that of the domain `number`: ns since 1970. */
long double omptape_unify_wall_at(const struct omptape_unify_dating *dating, uint32_t number,
                                  long double ticks, const struct omptape_unify_offsets *offsets);

/* Makes the corrections of all domains, so that no time is negative. 0 or -ENOMEM. */
int omptape_unify_correct(struct omptape_unify_dating *dating, const struct omptape_unify_offsets *offsets);

/* The time that a reader makes of `ticks`, and back. */
uint64_t omptape_unify_corrected(const struct omptape_unify_corrections *corrections, uint64_t ticks);
uint64_t omptape_unify_uncorrected(const struct omptape_unify_corrections *corrections, uint64_t time);

/* Measured offsets between hosts' wall clocks, as a file gives them (--clock-offsets). Read once by the
 * process that unifies.
 *
 * Each line has three words: a host name or a rank; when it was measured, in seconds since 1970 by that
 * host's clock (a fraction is allowed); and how many ns must be added to that clock. Between the measurements
 * of one host the offset is interpolated; before the first and after the last it is constant. A line for a
 * rank goes before those for its host. Empty lines and what follows a '#' are passed over.
 */

struct omptape_unify_offset {
    char *who;     /* a host, or a rank in its shortest form */
    int64_t time;  /* ns since 1970 */
    int64_t value; /* ns to add */
};

struct omptape_unify_offsets {
    struct omptape_unify_offset *list; /* sorted by who, then time */
    uint32_t count;
    uint32_t capacity;
};

/* 0, or negative errno with one line in `error`. Free with omptape_unify_offsets_free, whatever it returns.
 */
int omptape_unify_offsets_read(struct omptape_unify_offsets *offsets, const char *path, char *error,
                               size_t bytes);
void omptape_unify_offsets_free(struct omptape_unify_offsets *offsets);

/* The lines for a process: of its rank, else of its host. Returns the first and how many there are. */
const struct omptape_unify_offset *omptape_unify_offsets_of(const struct omptape_unify_offsets *offsets,
                                                            const char *host, int64_t rank, size_t *count);

/* What must be added to the wall clock at that time. */
int64_t omptape_unify_offset_at(const struct omptape_unify_offset *list, size_t count, int64_t time);

/* Clocks that were compared while the program ran (include/omptape/clock_sync.h): which domain's times follow
 * which other's, and how. Part of the dating (clocks.h). Pure arithmetic, any thread.
 *
 * A domain's ticks become its hub's by a line through the moments at which both were read. Outside of these
 * it goes on with the measured slope, if the moments are far enough apart to tell it. Else it goes on with
 * the rates that both counters have by their wall clocks.
 */

/* Reads a process's properties (include/omptape/properties.h), which may hold anything; the host's name stays
 * where it is. */
void omptape_unify_comparison_read(struct omptape_unify_comparison *comparison, const char *samples,
                                   const char *reference);

/* Gives the domains their samples, once the clocks have their domains and these their rates. Domains for
 * which the user has measured offsets get none. 0 or -ENOMEM. */
int omptape_unify_samples_join(struct omptape_unify_dating *dating, struct omptape_unify_clock *const *clocks,
                               uint32_t count, const struct omptape_unify_offsets *offsets);

/* What `ticks` are by the hub's clock, and back. */
long double omptape_unify_to_hub(const struct omptape_unify_samples *samples, long double ticks);
long double omptape_unify_from_hub(const struct omptape_unify_samples *samples, long double ticks);

#endif
