/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Samples of a pyramid's rows (pyramid.h): when each was taken, in which regions and in which calling
 * context. All are kept up to TIMELINE_MOST_SAMPLES. Beyond that every second one of each row is dropped,
 * then every second one of what is left, and so on. One thread.
 */
#pragma once

#include "src/core/store.h"

enum { TIMELINE_MOST_SAMPLES = 1 << 20, TIMELINE_MOST_HALVINGS = 30 };

struct timeline_sample {
    uint64_t time;
    uint32_t place; /* number of a row of `places` */
};

/* Of one row, in the order in which they came. */
struct timeline_row_samples {
    struct timeline_sample *list;
    uint32_t count;
    uint32_t room;
    uint64_t seen; /* with those that were dropped */
};

/* Open regions, each once: the innermost, and those around it. */
struct timeline_path {
    uint64_t outer;  /* 1 + number of a row of `paths`; 0: none */
    uint64_t region; /* index into the pyramid's regions */
};

struct timeline_place {
    uint64_t path;    /* 1 + number of a row of `paths`; 0: in no region */
    uint64_t context; /* id of a calling context */
};

/* All zeros: there are none. */
struct timeline_samples {
    unsigned halvings; /* one of 1 << halvings samples is kept */
    uint64_t kept;
    struct omptape_rows paths;  /* struct timeline_path; a path's outer one comes before it */
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

/* The path that leads from `outer` into the region; both and the result as in timeline_path. */
uint64_t omptape_timeline_sampled_path(struct timeline_samples *samples, uint64_t outer, uint64_t region);
/* The number of the place, as in timeline_sample. */
uint32_t omptape_timeline_sampled_place(struct timeline_samples *samples, uint64_t path, uint64_t context);

/* Is the next sample of the row one of those that are kept? It counts as seen. */
bool omptape_timeline_is_kept(const struct timeline_samples *samples, struct timeline_row_samples *row);
/* Adds it. */
void omptape_timeline_keep(struct timeline_samples *samples, struct timeline_row_samples *row, uint64_t time,
                           uint32_t place);
/* Of a row whose samples were halved less often than the others': drops every second one. */
void omptape_timeline_halve(struct timeline_row_samples *row);

void omptape_timeline_samples_free(struct timeline_samples *samples);
