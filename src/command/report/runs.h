/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Groups of runs of one program version: finds their archives, merges their rows, and tests whether two
 * groups differ by more than noise. For compare and scale, on their one thread.
 */
#pragma once

#include "src/command/report/pairs.h"
#include "src/core/string_list.h"

#include <stdio.h>

/* Adds the archives that an operand names: itself, the matches of a shell pattern, or the archives in a
 * folder. If there are none, the operand is added unchanged and the reader refuses it. */
void report_runs_find(struct omptape_string_list *paths, const char *operand);

/* Reads the rows of one archive in a guarded child. Returns the exit code; one line precedes an error's. */
int report_runs_read(const char *command, const char *path, struct report_rows *rows);

/* Writes the timeline of one archive, read in a guarded child, as a picture of at least `seconds`. Returns 0,
 * or negative errno after one line. */
int report_runs_draw(const char *command, const char *path, double seconds, FILE *out);

/* Merges a run into the rows of earlier runs: adds its values and updates the medians. Returns 0, -ENOMEM, or
 * -E2BIG if there are REPORT_MAX_RUNS. */
int report_runs_merge(struct report_rows *all, const struct report_rows *run);

/* Returns the middle value, or the mean of the two middle values. Sorts the values. */
double report_runs_median(double *values, uint32_t count);

/* Returns the probability that groups of the same kind differ as much by chance. It is the exact two-sided p
 * of the Mann-Whitney test with mean ranks for ties. `count` and `others` are 1 to REPORT_MAX_RUNS. */
double report_runs_chance(const double *values, uint32_t count, const double *rest, uint32_t others);

/* Returns the significance level: 0.05, or the smallest p that so few runs can reach. */
double report_runs_level(uint32_t count, uint32_t others);

/* Sets `chance` and `is_noise` of each pair; `before` and `after` are the numbers of runs. */
void report_runs_test(struct report_pairs *pairs, uint32_t before, uint32_t after);
