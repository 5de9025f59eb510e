/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the dating of processes knows (clocks.h) while it goes on and when it is done.
 */
#ifndef OMPTAPE_UNIFY_CLOCKS_DATING_H
#define OMPTAPE_UNIFY_CLOCKS_DATING_H

#include "src/unify/clocks/offsets.h"

#include <stdbool.h>
#include <stdint.h>

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

#endif
