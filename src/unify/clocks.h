/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From the ticks of each process to the times of the unified archive. Processes that read the same counter
 * (same host, same kind of clock, same boot) are one domain and keep their ticks; the times of other domains
 * are shifted and stretched by way of their wall clocks. Pure arithmetic, any thread.
 */
#ifndef OMPTAPE_UNIFY_CLOCKS_H
#define OMPTAPE_UNIFY_CLOCKS_H

#include "src/unify/offsets.h"

#include <stdbool.h>
#include <stdint.h>

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
    uint32_t domain;                        /* filled in by omptape_unify_date */
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

/* Dates `count` processes; the finest counter is the reference. 0 or -ENOMEM. Free with
 * omptape_unify_dating_free. */
int omptape_unify_date(struct omptape_unify_dating *dating, struct omptape_unify_clock *const *clocks,
                       uint32_t count, const struct omptape_unify_offsets *offsets);
void omptape_unify_dating_free(struct omptape_unify_dating *dating);

/* A line for the user if there are measured offsets, but none for some hosts besides the first process's:
 * their names may be mistyped in the file. Else empty. */
void omptape_unify_find_unmeasured(const struct omptape_unify_dating *dating,
                                   const struct omptape_unify_offsets *offsets, char *line, size_t bytes);

/* The time that a reader makes of `ticks`, and back. */
uint64_t omptape_unify_corrected(const struct omptape_unify_corrections *corrections, uint64_t ticks);
uint64_t omptape_unify_uncorrected(const struct omptape_unify_corrections *corrections, uint64_t time);

#endif
