/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the entries of each table (table.h) are in the state: by number, and by key. Their contracts are
 * those of struct analysis_table's `at`, `make` and `added`; named by them in the rows of tables.c. One
 * thread.
 */
#ifndef OMPTAPE_ANALYSIS_REDUCE_LOOKUP_H
#define OMPTAPE_ANALYSIS_REDUCE_LOOKUP_H

#include "src/analysis/reduce/table.h"

/* at: a table of pairs, and those whose entries are elsewhere or go by another key. */
analysis_at omptape_analysis_at_pair;
analysis_at omptape_analysis_at_process;
analysis_at omptape_analysis_at_task_site;
analysis_at omptape_analysis_at_thread;
analysis_at omptape_analysis_at_whole;

/* make: an entry that belongs to one region, which its struct begins with, and all others. */
analysis_make omptape_analysis_make_at_region;
analysis_make omptape_analysis_make_cause;
analysis_make omptape_analysis_make_device;
analysis_make omptape_analysis_make_lock_holder;
analysis_make omptape_analysis_make_loop_thread;
analysis_make omptape_analysis_make_open;
analysis_make omptape_analysis_make_process;
analysis_make omptape_analysis_make_region;
analysis_make omptape_analysis_make_sampled;
analysis_make omptape_analysis_make_serial;
analysis_make omptape_analysis_make_serial_sampled;
analysis_make omptape_analysis_make_task_site;
analysis_make omptape_analysis_make_step;
analysis_make omptape_analysis_make_thread;
analysis_make omptape_analysis_make_outliers;
analysis_make omptape_analysis_make_whole;

bool omptape_analysis_added_process(struct analysis_state *state, const void *entry);

#endif
