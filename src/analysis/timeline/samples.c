/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Keeps samples (samples.h).
 */
#include "src/analysis/timeline/samples.h"

#include "src/core/array.h"

uint64_t omptape_timeline_sampled_path(struct timeline_samples *samples, uint64_t outer, uint64_t region)
{
    const struct timeline_path path = {.outer = outer, .region = region};
    return (uint64_t)omptape_rows_number(&samples->paths, &path, sizeof(path)) + 1;
}

uint32_t omptape_timeline_sampled_place(struct timeline_samples *samples, uint64_t path, uint64_t context)
{
    const struct timeline_place place = {.path = path, .context = context};
    return omptape_rows_number(&samples->places, &place, sizeof(place));
}

bool omptape_timeline_is_kept(const struct timeline_samples *samples, struct timeline_row_samples *row)
{
    return row->seen++ % (UINT64_C(1) << samples->halvings) == 0;
}

void omptape_timeline_keep(struct timeline_samples *samples, struct timeline_row_samples *row, uint64_t time,
                           uint32_t place)
{
    if (!OMPTAPE_RESERVE(row->list, row->count + 1, &row->capacity) || samples->places.failed ||
        samples->paths.failed)
        return;
    row->list[row->count++] = (struct timeline_sample){.time = time, .place = place};
    samples->kept++;
}

void omptape_timeline_halve(struct timeline_row_samples *row)
{
    for (uint32_t i = 0; 2 * i < row->count; i++)
        row->list[i] = row->list[2 * i];
    row->count = (row->count + 1) / 2;
}

void omptape_timeline_samples_free(struct timeline_samples *samples)
{
    omptape_rows_free(&samples->paths);
    omptape_rows_free(&samples->places);
}
