/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts the samples of each stack of each thread, within the window and of the threads that are chosen. For
 * the formats that hold sums: folded stacks and pprof.
 */
#pragma once

#include "src/command/export/formats.h"
#include "src/command/export/stacks.h"

/* Equal samples of a thread. */
struct export_sample {
    const struct omptape_export_place *place;
    uint64_t context;
    uint32_t constructs; /* a list of stacks.h's */
    uint64_t count;
    uint64_t ns; /* processor time; 0: its samples are not taken by time */
};

struct export_samples {
    struct export_stacks stacks;
    struct omptape_pairs list; /* of struct export_sample, in the order of their first ones */
    struct omptape_arena arena;
    uint64_t count;
    uint64_t period; /* ns between two samples of a thread; 0: not known */
};

/* Reads all events. There is one sample, at least. 0, or a negative errno as a format returns it.
 * export_samples_free in any case. */
int export_samples_read(struct export_samples *samples, const struct export_job *job);
void export_samples_free(struct export_samples *samples);
