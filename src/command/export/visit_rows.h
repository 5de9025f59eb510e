/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Visits of regions for tables: begin, end, enclosing visit, and number among the region's visits. Used by
 * the tables in the reading child process, on one thread.
 */
#pragma once

#include "src/command/export/formats.h"
#include "src/command/export/stacks.h"

/* A visit of a region. Times in ns since the start of the trace, limited to the window. */
struct export_visit {
    struct export_open open; /* valid while it is open; its begin is not limited to the window */
    const struct omptape_definition *region; /* NULL if it is not defined */
    uint64_t id;                             /* counts from 1 in the order of the begins */
    uint64_t parent;                         /* id of the enclosing visit; 0 if there is none */
    uint64_t number;                         /* as in --from: 3 for for@solver.c:112:3 */
    uint64_t begin;
    uint64_t end;
    uint64_t children;   /* time of the visits directly inside it, ns */
    int64_t chunk_start; /* first iteration of a loop's chunk */
    uint64_t iterations; /* iterations of a whole loop */
    bool has_chunk_start;
    uint64_t step; /* number that the program gave to the step */
    bool has_iterations;
    bool has_step;
};

struct export_visits {
    const struct export_job *job;
    struct export_stacks stacks;
    struct replay_location *open; /* by place; the frames are struct export_visit */
    struct omptape_pairs counts;  /* (region, location or UINT64_MAX for all) -> visits so far */
    struct omptape_arena arena;
    uint64_t last; /* id of the last visit */
    uint64_t now;  /* time of the current event, ns */
    void *data;    /* passed to `take` */
    /* Called when a visit or the window ends and a part of the visit lies in the window. */
    void (*take)(void *data, const struct export_place *place, const struct export_visit *visit);
};

/* Initialises `visits`, in which only `job`, `data` and `take` are set. Returns false if out of memory. */
bool export_visits_begin(struct export_visits *visits);

/* Handles the next event of any place. Returns false after the end of the window or if out of memory. */
bool export_visits_follow(struct export_visits *visits, const struct omptape_event *event);

/* Ends all open visits. */
void export_visits_end(struct export_visits *visits);
void export_visits_free(struct export_visits *visits);

/* Returns the innermost open visit of a place, or NULL. */
struct export_visit *export_visits_top(const struct export_visits *visits, const struct export_place *place);
