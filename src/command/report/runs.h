/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Several runs of one program in one state: which archives they are, and what they have in common. And do two
 * groups of them differ by more than noise? For compare and scale, on their one thread.
 */
#pragma once

#include "src/command/report/pairs.h"
#include "src/core/string_list.h"

#include <stdio.h>

/* Adds the archives that an operand names: itself, those that a pattern of a shell matches, or those in a
 * folder that is none itself. Where there are none it is added as it is, for the reader to refuse. */
void report_runs_find(struct omptape_string_list *paths, const char *operand);

/* Reads the numbers of one archive in a guarded child. Returns the exit code, after one line of this
 * command's where it is not 0. */
int report_runs_read(const char *command, const char *path, struct report_rows *rows);

/* Writes the timeline of one archive, read in a guarded child, as a picture of at least so many seconds. 0,
 * or a negative errno after a line. */
int report_runs_draw(const char *command, const char *path, double seconds, FILE *out);

/* Adds a run to the rows of those before: their values, and the medians. 0, -ENOMEM, or -E2BIG: there are
 * REPORT_MOST_RUNS. */
int report_runs_merge(struct report_rows *all, const struct report_rows *run);

/* The middle value, or the mean of the two in the middle. Sorts them. */
double report_runs_median(double *values, uint32_t count);

/* How likely groups of one kind differ so much by chance: the exact two-sided p of Mann and Whitney's test,
 * ties at their mean rank. `count` and `others` are 1 to REPORT_MOST_RUNS. */
double report_runs_chance(const double *values, uint32_t count, const double *rest, uint32_t others);

/* The p from which on a difference is called none: 0.05, or the least that so few runs can have. */
double report_runs_level(uint32_t count, uint32_t others);

/* Fills chance and noise of each pair of rows that have so many runs. */
void report_runs_test(struct report_pairs *pairs, uint32_t before, uint32_t after);
