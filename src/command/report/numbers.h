/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the output of --json and --csv with the names in docs/report.md. There is a list for each kind of
 * thing. Some values are of several kinds of objects.
 *
 * Times are ticks of the analysis and become seconds in the output. One thread. The tree records errors.
 */
#pragma once

#include "src/analysis/analysis.h"
#include "src/command/text/value_tree.h"

/* Add members to the open object. A region may be NULL; its texts are empty then. */
void report_write_seconds(struct value_tree *tree, const struct omptape_analysis *analysis, const char *key,
                          uint64_t ticks);
void report_write_moment(struct value_tree *tree, const struct omptape_analysis *analysis, const char *key,
                         uint64_t time);
void report_write_name(struct value_tree *tree, const struct analysis_region *region);
void report_write_line(struct value_tree *tree, const char *file, uint32_t line);
void report_write_place(struct value_tree *tree, const struct analysis_region *region);
/* Writes the parts of something that began at `begin`: they add up exactly to its end minus its begin. For
 * sums `begin` is the begin of the trace. */
void report_write_parts(struct value_tree *tree, const struct omptape_analysis *analysis, uint64_t begin,
                        const uint64_t *parts);
void report_write_durations(struct value_tree *tree, const struct omptape_analysis *analysis, const char *key,
                            const struct analysis_durations *durations);

/* numbers_constructs.c: each function writes a list. */
void report_write_regions(struct value_tree *tree, const struct omptape_analysis *analysis);
/* phases.c: writes a finding's phase and slow step; then all steps. */
void report_write_phase(struct value_tree *tree, const struct omptape_finding *finding);
void report_write_steps(struct value_tree *tree, const struct omptape_analysis *analysis);
/* numbers.c: writes the seven efficiencies into the open object. */
void report_write_factors(struct value_tree *tree, const struct analysis_efficiency *efficiency);
/* values.c: writes the list of values. */
void report_write_values(struct value_tree *tree, const struct omptape_analysis *analysis);
void report_write_phases(struct value_tree *tree, const struct omptape_analysis *analysis);
void report_write_loops(struct value_tree *tree, const struct omptape_analysis *analysis);
void report_write_tasks(struct value_tree *tree, const struct omptape_analysis *analysis);
void report_write_locks(struct value_tree *tree, const struct omptape_analysis *analysis);
/* counted.c: writes two lists, by region and by function. */
void report_write_counters(struct value_tree *tree, const struct omptape_analysis *analysis);
void report_write_samples(struct value_tree *tree, const struct omptape_analysis *analysis);
/* Writes the regions before and after a serial part; texts are empty for NULL. */
void report_write_serial(struct value_tree *tree, const struct analysis_serial *serial);
/* Writes construct, serial part and thread unknown to OpenMP; all texts but one are empty. */
void report_write_sampled_place(struct value_tree *tree, const struct analysis_sampled *row);
/* inside.c: writes the functions of each construct and serial part. sampled.c: writes call paths. */
void report_write_functions(struct value_tree *tree, const struct omptape_analysis *analysis);
void report_write_call_paths(struct value_tree *tree, const struct omptape_analysis *analysis);
void report_write_lock_holders(struct value_tree *tree, const struct omptape_analysis *analysis);
void report_write_serials(struct value_tree *tree, const struct omptape_analysis *analysis);
void report_write_outliers(struct value_tree *tree, const struct omptape_analysis *analysis);
void report_write_transfers(struct value_tree *tree, const struct omptape_analysis *analysis);
void report_write_mpi(struct value_tree *tree, const struct omptape_analysis *analysis);
void report_write_devices(struct value_tree *tree, const struct omptape_analysis *analysis);
void report_write_processes(struct value_tree *tree, const struct omptape_analysis *analysis);
void report_write_nodes(struct value_tree *tree, const struct omptape_analysis *analysis);
void report_write_threads(struct value_tree *tree, const struct omptape_analysis *analysis);
