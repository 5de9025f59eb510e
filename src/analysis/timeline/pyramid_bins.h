/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a pyramid (pyramid.h) consists of, for those who draw it; and how its bins are filled, one stretch of
 * a location's time after the other, by pyramid.c.
 */
#pragma once

#include "src/analysis/analysis.h"
#include "src/analysis/timeline/samples.h"

/* Of the page: bins of a level are twice as long as those below it. */
enum { PYRAMID_LEVELS = 8, PYRAMID_TOPS = 2, PYRAMID_MOST_CURVES = 64, PYRAMID_CURVE_BINS = 1024 };

/* One visit of a region by a host thread. */
struct pyramid_visit {
    uint64_t ticks; /* 0: none */
    uint64_t begin;
    uint64_t location; /* id */
};
enum { PYRAMID_VISITS = 8 }; /* the longest of a region that are kept */

/* The regions in which a bin's location was longest, the longest first. */
struct pyramid_tops {
    uint32_t region[PYRAMID_TOPS]; /* 1 + index into `regions`; 0: none */
    uint64_t ticks[PYRAMID_TOPS];
};

/* What the kernel says of a thread: on a processor, waiting for one, or asleep. */
enum pyramid_state { PYRAMID_RUNNING, PYRAMID_RUNNABLE, PYRAMID_BLOCKED, PYRAMID_STATES };

struct pyramid_row {
    const struct omptape_definition *location;
    bool device;
    bool other;     /* a thread that neither OpenMP nor MPI knows: it has states alone */
    uint64_t begin; /* of what is in the bins, */
    uint64_t end;   /* and its end */
    uint64_t events;
    uint64_t *buckets[OMPTAPE_BUCKET_COUNT]; /* ticks of each bin; NULL: nothing of that bucket */
    struct pyramid_tops *tops;               /* of each bin; NULL: no event */
    uint64_t *states[PYRAMID_STATES];        /* ticks of each bin; NULL: the kernel said nothing */
    struct timeline_row_samples samples;
};

struct pyramid_region {
    const struct omptape_definition *definition;
    uint32_t index;
    uint32_t place;                              /* in the list of the pen that it was counted by last */
    struct pyramid_visit visits[PYRAMID_VISITS]; /* the longest first; of equal ones the last that began */
};

/* A measured value over time, the largest in each bin. */
struct pyramid_curve {
    const struct omptape_definition *member; /* METRIC_MEMBER */
    const struct omptape_definition *location;
    double last;
    uint32_t first_bin;
    uint32_t last_bin;
    double bins[PYRAMID_CURVE_BINS]; /* bin 0 begins with the row's; as many rows' bins in each as fit */
};

struct omptape_pyramid {
    struct omptape_reader *reader;
    uint64_t begin;           /* of bin 0 */
    uint64_t until;           /* what is later is left out */
    uint64_t width;           /* of a bin; at least 1 */
    uint32_t bins;            /* of each row: a power of two */
    struct pyramid_row *rows; /* all locations but those that only measure devices, in the archive's order */
    uint32_t row_count;
    uint32_t row_room;
    struct pyramid_region **regions; /* in the order in which they were entered */
    uint32_t region_count;
    uint32_t region_room;
    struct pyramid_curve *curves[PYRAMID_MOST_CURVES];
    uint32_t curve_count;
    uint32_t curves_left_out;
    struct timeline_samples samples;
    struct pyramid_walk *walk;
    struct omptape_arena arena;
};

enum { PYRAMID_PEN_REGIONS = 8 };

/* Where a row is being written: its newest bin. All zeros: nowhere yet. */
struct pyramid_pen {
    struct pyramid_row *row;
    uint64_t bin_end; /* time */
    uint32_t bin;
    uint32_t least;       /* region which has been there shortest, */
    uint64_t least_ticks; /* ...as long as it has these */
    /* What the bin has that is not in the row yet: */
    uint64_t until; /* more of the bin's ends by then */
    uint64_t end;   /* of the last stretch; 0: there was none */
    uint64_t parts[OMPTAPE_BUCKET_COUNT];
    uint32_t used; /* of the list of regions, which are as in pyramid_tops */
    uint32_t region[PYRAMID_PEN_REGIONS];
    uint64_t ticks[PYRAMID_PEN_REGIONS];
};

/* Counts a region to the newest bin, and returns its place in the pen's list: 0 if it has none. */
uint32_t omptape_pyramid_count(struct pyramid_pen *pen, uint32_t region, uint64_t ticks);

/* Adds from..to, which begins where the row's last stretch ended or later; `region` as in pyramid_tops. The
 * bins must reach `to` (below). False: no memory. */
bool omptape_pyramid_add(struct omptape_pyramid *pyramid, struct pyramid_pen *pen, enum omptape_bucket bucket,
                         uint32_t region, uint64_t from, uint64_t to);
/* The same where it ends in the newest bin; else false, and nothing has been done. `place`: the region's in
 * the pen's list, if it is still there. Also of a pen without a row. */
static inline bool omptape_pyramid_add_again(struct pyramid_pen *pen, enum omptape_bucket bucket,
                                             uint32_t region, uint32_t *place, uint64_t from, uint64_t to)
{
    if (from >= pen->bin_end || to > pen->bin_end)
        return false;
    pen->parts[bucket] += to - from;
    pen->end = to;
    if (*place < pen->used && pen->region[*place] == region)
        pen->ticks[*place] += to - from;
    else
        *place = omptape_pyramid_count(pen, region, to - from);
    return true;
}
/* Notes what the newest bin holds. To be called before bins get longer, and at the end. */
void omptape_pyramid_lift(struct omptape_pyramid *pyramid, struct pyramid_pen *pen);
/* Do the bins reach this time? If not: omptape_pyramid_lift of all pens, then omptape_pyramid_stretch. */
bool omptape_pyramid_reaches(const struct omptape_pyramid *pyramid, uint64_t time);
/* Makes all bins twice as long, until they reach this time. */
void omptape_pyramid_stretch(struct omptape_pyramid *pyramid, uint64_t time);

/* Adds what the row's thread did from..to, as if it had done all of it evenly. These are the ticks of each
 * state, which are not more than that together. A tick or two may be lost to rounding. The bins must reach
 * `to`. False: no memory. */
bool omptape_pyramid_add_states(struct omptape_pyramid *pyramid, struct pyramid_row *row, uint64_t from,
                                uint64_t to, const uint64_t ticks[PYRAMID_STATES]);

/* Moves so much of what the row has of one bucket from..to to another, by what each bin has of it. The pen
 * must be lifted. False: no memory. */
bool omptape_pyramid_move(struct omptape_pyramid *pyramid, struct pyramid_row *row, enum omptape_bucket from,
                          enum omptape_bucket to, uint64_t begin, uint64_t end, uint64_t ticks);

/* Keeps the visit if it is one of the region's longest. */
void omptape_pyramid_keep_visit(struct pyramid_region *region, struct pyramid_visit visit);

/* Counts a region to the newest bin, beside what stretches say. */
void omptape_pyramid_note(struct pyramid_pen *pen, uint32_t region, uint64_t ticks);

/* Makes all bins twice as long and half as many; pens as above. */
void omptape_pyramid_halve(struct omptape_pyramid *pyramid);

/* The row's bin that holds this time, which is not before the first. */
uint32_t omptape_pyramid_bin(const struct omptape_pyramid *pyramid, uint64_t time);

/* Notes a measured value. False: no memory. */
bool omptape_pyramid_measure(struct omptape_pyramid *pyramid, const struct omptape_definition *member,
                             const struct omptape_definition *location, uint64_t time, double value);
