/* SPDX-License-Identifier: BSD-3-Clause
 *
 * When a region was visited, as users name it. "for@solver.c:112:3" is the third visit of each thread to the
 * region "for @solver.c:112". "for@solver.c:112" is the first one. Threads come to tasks, critical sections
 * and the like by themselves: there it is the third visit of all threads. "time step:37" is the step that the
 * program gave this number, "step:37" the same whatever its name. Used by report and export for --from and
 * --to, in the child that reads. Reads all events once.
 */
#pragma once

#include "src/archive/read/reader.h"

struct omptape_visit {
    uint64_t begin; /* ticks: the first thread enters, */
    uint64_t end;   /* ...and the last one leaves */
};

/* 0, or a negative errno with a line in `error`. Opens the archive: no other one may be open, since libotf2's
 * complaints go to the last one. */
int omptape_visit_find(struct omptape_visit *visit, const char *path, const char *text, char *error,
                       size_t error_bytes);

/* Do the threads of a team visit regions of this role together? Others are counted over all threads. */
bool omptape_region_is_of_teams(uint64_t role);

/* Is a location's id its number as users know it? omptape, as Score-P, has the process below and the
 * location's number within it above. Otherwise, and where one process's locations count from 0, the id is the
 * number. */
bool omptape_locations_are_plain(const struct omptape_reader *reader);
