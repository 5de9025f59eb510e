/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The part of an archive that is analysed: its processes and the locations of each. They are found once from
 * the definitions, so that each process can be read separately (pass.h). Used by the analysis and by jobs.c,
 * which divides the processes. A plan must outlive its users; one thread.
 */
#pragma once

#include "src/analysis/analysis.h"

struct analysis_planned {
    uint32_t index; /* in the plan */
    const struct omptape_definition *group;
    int64_t number;      /* -1: the archive has only one process */
    uint64_t events;     /* number of events according to its locations' definitions */
    uint64_t *locations; /* ids of its threads and of the devices that it used */
    uint32_t location_count;
};

struct analysis_plan {
    struct omptape_reader *reader;
    const struct omptape_analysis_options *options;
    struct analysis_planned *processes; /* in the archive's order */
    uint32_t count;
    uint64_t events;
    /* (0, location group) -> analysis_planned, which begins with its index. */
    struct omptape_pairs process_of;
    struct analysis_state *first; /* initial state, copied by every pass */
    struct omptape_arena arena;
};

/* Makes a plan. The options must outlive it. Returns 0 or -ENOMEM. The caller frees the plan anyway. */
int omptape_analysis_plan_make(struct analysis_plan *plan, struct omptape_reader *reader,
                               const struct omptape_analysis_options *options);
void omptape_analysis_plan_free(struct analysis_plan *plan);

/* Sorts indices of the plan's processes by the number of events, largest first. */
void omptape_analysis_plan_sort(const struct analysis_plan *plan, uint32_t *processes, uint32_t count);
