/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Visits of regions as tables hold them: begin, end, the visit around it, and which of its region's visits it
 * is. For the tables, in the child that reads; one thread.
 */
#pragma once

#include "src/command/export/formats.h"
#include "src/command/export/stacks.h"

/* A visit. Times are ns since the trace's start, within the window. */
struct export_visit {
    struct export_open open;                 /* as long as it is open; its begin is not cut by the window */
    const struct omptape_definition *region; /* NULL: it is not defined */
    uint64_t id;                             /* from 1 on, in the order of the visits' begins */
    uint64_t parent;                         /* the visit around it; 0: there is none */
    uint64_t number;                         /* as --from names it: for@solver.c:112:3 has 3 */
    uint64_t begin;
    uint64_t end;
    uint64_t children;   /* ns of the visits directly within it */
    int64_t chunk_start; /* of a loop's chunk, */
    uint64_t iterations; /* ...or of a whole loop */
    bool has_chunk_start;
    uint64_t step; /* the number that the program gave it */
    bool has_iterations;
    bool has_step;
};

struct export_visits {
    const struct export_job *job;
    struct export_stacks stacks;
    struct replay_location *open; /* of each place: frames are struct export_visit */
    struct omptape_pairs counts;  /* (region, location or all) -> visits so far */
    struct omptape_arena arena;
    uint64_t last; /* id of a visit */
    uint64_t now;  /* ns */
    void *data;    /* of who gets the visits */
    /* A visit has ended, or the window has, and part of it lies within. */
    void (*take)(void *data, const struct omptape_export_place *place, const struct export_visit *visit);
};

/* All zeros but `job`, `data` and `take` at first. False: no memory. */
bool export_visits_begin(struct export_visits *visits);

/* The next event, of a place that is chosen or not. False: the window is over, or no memory. */
bool export_visits_follow(struct export_visits *visits, const struct omptape_event *event);

/* All visits that are open end. */
void export_visits_end(struct export_visits *visits);
void export_visits_free(struct export_visits *visits);

/* The innermost visit of a place; NULL: none is open. */
struct export_visit *export_visits_top(const struct export_visits *visits,
                                       const struct omptape_export_place *place);
