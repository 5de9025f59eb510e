/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The data of a pyramid (pyramid.h), for code that draws it. Also the functions by which pyramid.c fills its
 * bins, with one interval of a location's time after the other.
 */
#pragma once

#include "src/analysis/analysis.h"
#include "src/analysis/timeline/samples.h"

/* Of the page: the bins of a level are twice as long as those of the level below. */
enum { PYRAMID_LEVELS = 8, PYRAMID_TOPS = 2, PYRAMID_MAX_CURVES = 64, PYRAMID_CURVE_BINS = 1024 };

/* One visit of a region by a host thread. */
struct pyramid_visit {
    uint64_t ticks; /* 0: none */
    uint64_t begin;
    uint64_t location; /* id */
};
enum { PYRAMID_VISITS = 8 }; /* number of longest visits kept per region */

/* The regions with most time in a bin, longest first. */
struct pyramid_tops {
    uint32_t region[PYRAMID_TOPS]; /* 1 + index into `regions`; 0: none */
    uint64_t ticks[PYRAMID_TOPS];
};

/* A thread's state by its scheduler statistics: on a processor, runnable without one, or asleep. */
enum pyramid_state { PYRAMID_RUNNING, PYRAMID_RUNNABLE, PYRAMID_BLOCKED, PYRAMID_STATES };

/* What the archive records of the life of a thread that the program created. */
enum pyramid_life { PYRAMID_CREATED = 1, PYRAMID_ENDED = 2, PYRAMID_AWAITED = 4 };

struct pyramid_row {
    const struct omptape_definition *location;
    uint8_t life; /* enum pyramid_life, of `other` */
    bool device;
    bool other;     /* a thread unknown to OpenMP and MPI: it only has states */
    uint64_t begin; /* begin of the time in the bins; of `other`: of its life, if `life` says so */
    uint64_t end;   /* likewise its end */
    uint64_t events;
    uint64_t *buckets[OMPTAPE_BUCKET_COUNT]; /* ticks per bin; NULL: no time in this bucket */
    struct pyramid_tops *tops;               /* per bin; NULL: no event */
    uint64_t *states[PYRAMID_STATES];        /* ticks per bin; NULL: no readings */
    struct timeline_row_samples samples;
};

struct pyramid_region {
    const struct omptape_definition *definition;
    uint32_t index;
    uint32_t place;                              /* its last index in the list of a writer */
    struct pyramid_visit visits[PYRAMID_VISITS]; /* longest first; of equal ones the last begun first */
};

/* A measured value over time: the largest one in each bin. */
struct pyramid_curve {
    const struct omptape_definition *member; /* METRIC_MEMBER */
    const struct omptape_definition *location;
    double last;
    uint32_t first_bin;
    uint32_t last_bin;
    /* Begin with the rows' first bin; each covers the same number of the rows' bins. */
    double bins[PYRAMID_CURVE_BINS];
};

struct omptape_pyramid {
    struct omptape_reader *reader;
    uint64_t begin; /* of bin 0 */
    uint64_t until; /* later times are left out */
    uint64_t width; /* of a bin; at least 1 */
    uint32_t bins;  /* of each row: a power of two */
    /* All locations in the archive's order, except locations that only measure devices. */
    struct pyramid_row *rows;
    uint32_t row_count;
    uint32_t row_capacity;
    struct pyramid_region **regions; /* in the order of the first visit */
    uint32_t region_count;
    uint32_t region_capacity;
    struct pyramid_curve *curves[PYRAMID_MAX_CURVES];
    uint32_t curve_count;
    uint32_t curves_left_out;
    struct timeline_samples samples;
    struct pyramid_walk *walk;
    struct omptape_arena arena;
};

enum { PYRAMID_WRITER_REGIONS = 8 };

/* The write position of a row: its newest bin, with data that is not in the row yet. All zeros: none. */
struct pyramid_row_writer {
    struct pyramid_row *row;
    uint64_t bin_end; /* time */
    uint32_t bin;
    uint32_t least;       /* index of the region with the shortest time */
    uint64_t least_ticks; /* the entry is valid while that region has this time */
    /* Data of the bin that is not in the row yet: */
    uint64_t until; /* intervals that end by then extend this bin */
    uint64_t end;   /* end of the last interval; 0: none */
    uint64_t parts[OMPTAPE_BUCKET_COUNT];
    uint32_t used; /* used entries of `region`, which are as in pyramid_tops */
    uint32_t region[PYRAMID_WRITER_REGIONS];
    uint64_t ticks[PYRAMID_WRITER_REGIONS];
};

/* Adds a region's time to the newest bin. Returns its index in the writer's list; 0 if it was not added. */
uint32_t omptape_pyramid_count(struct pyramid_row_writer *writer, uint32_t region, uint64_t ticks);

/* Adds from..to to a row. It must not begin before the end of the row's last interval; `region` as in
 * pyramid_tops. The bins must reach `to` (below). Returns false if out of memory. */
bool omptape_pyramid_add(struct omptape_pyramid *pyramid, struct pyramid_row_writer *writer,
                         enum omptape_bucket bucket, uint32_t region, uint64_t from, uint64_t to);
/* As omptape_pyramid_add for an interval within the newest bin; otherwise returns false and does nothing.
 * `place` is the region's last index in the writer's list. The writer may have no row. */
static inline bool omptape_pyramid_add_again(struct pyramid_row_writer *writer, enum omptape_bucket bucket,
                                             uint32_t region, uint32_t *place, uint64_t from, uint64_t to)
{
    if (from >= writer->bin_end || to > writer->bin_end)
        return false;
    writer->parts[bucket] += to - from;
    writer->end = to;
    if (*place < writer->used && writer->region[*place] == region)
        writer->ticks[*place] += to - from;
    else
        *place = omptape_pyramid_count(writer, region, to - from);
    return true;
}
/* Writes the newest bin to the row. Must be called before bins become longer, and at the end. */
void omptape_pyramid_flush(struct omptape_pyramid *pyramid, struct pyramid_row_writer *writer);
/* Returns true if the bins reach this time. Otherwise the caller flushes all writers (omptape_pyramid_flush)
 * and calls omptape_pyramid_lengthen_bins. */
bool omptape_pyramid_reaches(const struct omptape_pyramid *pyramid, uint64_t time);
/* Doubles the length of all bins until they reach this time. */
void omptape_pyramid_lengthen_bins(struct omptape_pyramid *pyramid, uint64_t time);

/* Adds a thread's states from..to, evenly distributed. `ticks` of all states together must not exceed the
 * interval. Rounding may lose two ticks. The bins must reach `to`. Returns false if out of memory. */
bool omptape_pyramid_add_states(struct omptape_pyramid *pyramid, struct pyramid_row *row, uint64_t from,
                                uint64_t to, const uint64_t ticks[PYRAMID_STATES]);

/* Moves ticks from one bucket to another between `begin` and `end`, in proportion to each bin's ticks. The
 * writer must be flushed. Returns false if out of memory. */
bool omptape_pyramid_move(struct omptape_pyramid *pyramid, struct pyramid_row *row, enum omptape_bucket from,
                          enum omptape_bucket to, uint64_t begin, uint64_t end, uint64_t ticks);

/* Keeps the visit if it is one of the region's longest. */
void omptape_pyramid_keep_visit(struct pyramid_region *region, struct pyramid_visit visit);

/* Adds a region's time to the newest bin, in addition to intervals. */
void omptape_pyramid_note(struct pyramid_row_writer *writer, uint32_t region, uint64_t ticks);

/* Doubles the length of all bins and halves their number. The writers must be flushed. */
void omptape_pyramid_halve(struct omptape_pyramid *pyramid);

/* Adds a measured value. Returns false if out of memory. */
bool omptape_pyramid_measure(struct omptape_pyramid *pyramid, const struct omptape_definition *member,
                             const struct omptape_definition *location, uint64_t time, double value);
