/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The samples of a pyramid's rows (pyramid.h): their times, regions and calling contexts. Up to
 * TIMELINE_MAX_SAMPLES are kept. Beyond this number every second sample of each row is dropped, then every
 * second of the remaining ones, and so on. One thread.
 */
#pragma once

#include "src/core/store.h"

enum { TIMELINE_MAX_SAMPLES = 1 << 20, TIMELINE_MAX_HALVINGS = 30 };

struct timeline_sample {
    uint64_t time;
    uint32_t place; /* index of a row of `places` */
};

/* Samples of one row, in the order in which they were added. */
struct timeline_row_samples {
    struct timeline_sample *list;
    uint32_t count;
    uint32_t capacity;
    uint64_t seen; /* number of samples, including dropped ones */
};

/* Open regions without duplicates: the innermost one, and the path around it. */
struct timeline_path {
    uint64_t outer;  /* 1 + index of a row of `paths`; 0: none */
    uint64_t region; /* index into the pyramid's regions */
};

struct timeline_place {
    uint64_t path;    /* 1 + index of a row of `paths`; 0: in no region */
    uint64_t context; /* id of a calling context */
};

/* All zeros: no samples. */
struct timeline_samples {
    unsigned halvings; /* one of 1 << halvings samples is kept */
    uint64_t kept;
    struct omptape_rows paths;  /* struct timeline_path; an outer path comes before its inner ones */
    struct omptape_rows places; /* struct timeline_place */
};

static inline const struct timeline_path *timeline_path_at(const struct timeline_samples *samples,
                                                           uint32_t number)
{
    return samples->paths.list[number].data;
}

static inline const struct timeline_place *timeline_place_at(const struct timeline_samples *samples,
                                                             uint32_t number)
{
    return samples->places.list[number].data;
}

/* Returns the path from `outer` into the region; both paths are as in timeline_path. */
uint64_t omptape_timeline_sampled_path(struct timeline_samples *samples, uint64_t outer, uint64_t region);
/* Returns the index of the place, as in timeline_sample. */
uint32_t omptape_timeline_sampled_place(struct timeline_samples *samples, uint64_t path, uint64_t context);

/* Returns true if the row's next sample must be kept, and counts it as seen. */
bool omptape_timeline_is_kept(const struct timeline_samples *samples, struct timeline_row_samples *row);
/* Adds a sample to the row. */
void omptape_timeline_keep(struct timeline_samples *samples, struct timeline_row_samples *row, uint64_t time,
                           uint32_t place);
/* Drops every second sample of a row. */
void omptape_timeline_halve(struct timeline_row_samples *row);

void omptape_timeline_samples_free(struct timeline_samples *samples);
