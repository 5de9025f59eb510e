/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts the samples of each stack of each chosen thread within the window. Used by the aggregating formats:
 * folded stacks and pprof.
 */
#pragma once

#include "src/command/export/formats.h"
#include "src/command/export/stacks.h"

/* Samples of one thread with the same stack. */
struct export_sample {
    const struct export_place *place;
    uint64_t context;
    uint32_t construct_list; /* number of a list of constructs (stacks.h) */
    uint64_t count;
    uint64_t ns; /* processor time; 0 if the samples are not taken by time */
};

struct export_samples {
    struct export_stacks stacks;
    struct omptape_pairs list; /* entries are struct export_sample, in the order of their first samples */
    struct omptape_arena arena;
    uint64_t count;
    uint64_t period; /* sampling period of a thread, ns; 0 if unknown */
};

/* Reads all events and counts the samples. Fails if the selected part has no sample. Returns 0 or negative
 * errno, as a format does. The caller calls export_samples_free in any case. */
int export_samples_read(struct export_samples *samples, const struct export_job *job);
void export_samples_free(struct export_samples *samples);
