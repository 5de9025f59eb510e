/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which part of an archive is analysed: its processes and the locations of each. They are found once from the
 * definitions, so that each process can be read by itself (pass.h). Used by the analysis and by jobs.h, which
 * divides it among processes. Lives as long as it is used, on one thread.
 */
#pragma once

#include "src/analysis/analysis.h"

struct analysis_planned {
    uint32_t index; /* in the plan */
    const struct omptape_definition *group;
    int64_t number;      /* -1: the archive is of one process */
    uint64_t events;     /* that its locations announce */
    uint64_t *locations; /* ids: its threads', and those of devices that it used */
    uint32_t location_count;
};

struct analysis_plan {
    struct omptape_reader *reader;
    const struct omptape_analysis_options *options;
    struct analysis_planned *processes; /* in the archive's order */
    uint32_t count;
    uint64_t events;
    struct omptape_pairs
        process_of;               /* (0, location group) -> analysis_planned, which begins with its number */
    struct analysis_state *first; /* what every pass begins with */
    struct omptape_arena arena;
};

/* The options have to live as long as the plan. 0 or -ENOMEM. The plan is to be freed in either case. */
int omptape_analysis_plan_make(struct analysis_plan *plan, struct omptape_reader *reader,
                               const struct omptape_analysis_options *options);
void omptape_analysis_plan_free(struct analysis_plan *plan);

/* Sorts numbers of its processes: those with most events first. */
void omptape_analysis_plan_sort(const struct analysis_plan *plan, uint32_t *processes, uint32_t count);
