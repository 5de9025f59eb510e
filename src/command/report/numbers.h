/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What --json and --csv tell, under the names that docs/report.md lists: numbers.c puts it together of lists,
 * one for each kind of thing, and of values that objects of several kinds have.
 *
 * Times are ticks of the analysis, and seconds in what is told. One thread. The tree notes its own errors.
 */
#pragma once

#include "src/analysis/analysis.h"
#include "src/command/report/tree.h"

/* Members of the object that is open. A region may be NULL: its texts are empty then. */
void report_tell_seconds(struct report_tree *tree, const struct omptape_analysis *analysis, const char *key,
                         uint64_t ticks);
void report_tell_moment(struct report_tree *tree, const struct omptape_analysis *analysis, const char *key,
                        uint64_t time);
void report_tell_name(struct report_tree *tree, const struct analysis_region *region);
void report_tell_line(struct report_tree *tree, const char *file, uint32_t line);
void report_tell_place(struct report_tree *tree, const struct analysis_region *region);
/* Of what began then and consists of them: they add up to its end less its begin, as told. Sums of several
 * begin at the trace's beginning. */
void report_tell_parts(struct report_tree *tree, const struct omptape_analysis *analysis, uint64_t begin,
                       const uint64_t *parts);
void report_tell_durations(struct report_tree *tree, const struct omptape_analysis *analysis, const char *key,
                           const struct analysis_durations *durations);

/* numbers_constructs.c: each a list. */
void report_tell_regions(struct report_tree *tree, const struct omptape_analysis *analysis);
/* phases.c; of a finding the phase in which it is, and the slow instance of one. */
void report_tell_phase(struct report_tree *tree, const struct omptape_finding *finding);
void report_tell_steps(struct report_tree *tree, const struct omptape_analysis *analysis);
/* numbers.c: the seven of an efficiency, into the object that is open. */
void report_tell_factors(struct report_tree *tree, const struct analysis_efficiency *efficiency);
/* values.c */
void report_tell_values(struct report_tree *tree, const struct omptape_analysis *analysis);
void report_tell_phases(struct report_tree *tree, const struct omptape_analysis *analysis);
void report_tell_loops(struct report_tree *tree, const struct omptape_analysis *analysis);
void report_tell_tasks(struct report_tree *tree, const struct omptape_analysis *analysis);
void report_tell_locks(struct report_tree *tree, const struct omptape_analysis *analysis);
/* counted.c: two lists, by region and by function. */
void report_tell_counters(struct report_tree *tree, const struct omptape_analysis *analysis);
void report_tell_samples(struct report_tree *tree, const struct omptape_analysis *analysis);
/* After and before which region; empty texts where that is NULL. */
void report_tell_serial(struct report_tree *tree, const struct analysis_serial *serial);
/* Construct, serial part and thread that OpenMP does not know; texts are empty but for one of these. */
void report_tell_sampled_place(struct report_tree *tree, const struct analysis_sampled *row);
/* inside.c: the functions of each construct and serial part. sampled.c: call paths. */
void report_tell_functions(struct report_tree *tree, const struct omptape_analysis *analysis);
void report_tell_call_paths(struct report_tree *tree, const struct omptape_analysis *analysis);
void report_tell_lock_holders(struct report_tree *tree, const struct omptape_analysis *analysis);
void report_tell_serials(struct report_tree *tree, const struct omptape_analysis *analysis);
void report_tell_outliers(struct report_tree *tree, const struct omptape_analysis *analysis);
void report_tell_transfers(struct report_tree *tree, const struct omptape_analysis *analysis);
void report_tell_mpi(struct report_tree *tree, const struct omptape_analysis *analysis);
void report_tell_devices(struct report_tree *tree, const struct omptape_analysis *analysis);
void report_tell_processes(struct report_tree *tree, const struct omptape_analysis *analysis);
void report_tell_nodes(struct report_tree *tree, const struct omptape_analysis *analysis);
void report_tell_threads(struct report_tree *tree, const struct omptape_analysis *analysis);
