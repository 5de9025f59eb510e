/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the time of a region's visit that the user names. "for@solver.c:112:3" is each thread's third visit
 * of the region "for @solver.c:112"; without a number it is the first visit. Tasks, critical sections and
 * similar regions are not visited by teams: their visits are counted over all threads. "time step:37" is the
 * step to which the program gave this number; "step:37" ignores the name. Used by report and export for
 * --from and --to, in the reading child. Reads all events once.
 */
#pragma once

#include "src/archive/read/reader.h"

struct omptape_visit {
    uint64_t begin; /* first thread's Enter, in ticks */
    uint64_t end;   /* last thread's Leave, in ticks */
};

/* Returns 0, or negative errno with a line in `error`. Opens the archive. No other archive may be open,
 * because libotf2's messages go to the last one. */
int omptape_visit_find(struct omptape_visit *visit, const char *path, const char *text, char *error,
                       size_t error_bytes);

/* True if the threads of a team visit regions of this role together. Others are counted over all threads. */
bool omptape_region_is_of_teams(uint64_t role);

/* Returns true if a location's id is the number that users know. Otherwise the id combines the process (lower
 * half) and the location's number within it (upper half), as in omptape and Score-P. */
bool omptape_locations_are_plain(const struct omptape_reader *reader);
