/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the entries of each table (table.h) are in the state: by number, and by key. Their contracts are
 * those of struct analysis_table's `at`, `make` and `added`; named by them in the rows of tables.c. One
 * thread.
 */
#ifndef OMPTAPE_ANALYSIS_PARTS_LOOKUP_H
#define OMPTAPE_ANALYSIS_PARTS_LOOKUP_H

#include "src/analysis/parts/table.h"

/* at: a table of pairs, and those whose entries are elsewhere or go by another key. */
bool omptape_analysis_at_pair(const struct analysis_state *state, const struct analysis_table *table,
                              uint32_t number, struct analysis_entry *entry);
bool omptape_analysis_at_process(const struct analysis_state *state, const struct analysis_table *table,
                                 uint32_t number, struct analysis_entry *entry);
bool omptape_analysis_at_task_site(const struct analysis_state *state, const struct analysis_table *table,
                                   uint32_t number, struct analysis_entry *entry);
bool omptape_analysis_at_thread(const struct analysis_state *state, const struct analysis_table *table,
                                uint32_t number, struct analysis_entry *entry);
bool omptape_analysis_at_whole(const struct analysis_state *state, const struct analysis_table *table,
                               uint32_t number, struct analysis_entry *entry);

/* make: an entry that belongs to one region, which its struct begins with, and all others. */
void *omptape_analysis_make_at_region(struct analysis_state *state, const struct analysis_table *table,
                                      const uint64_t key[2]);
void *omptape_analysis_make_cause(struct analysis_state *state, const struct analysis_table *table,
                                  const uint64_t key[2]);
void *omptape_analysis_make_device(struct analysis_state *state, const struct analysis_table *table,
                                   const uint64_t key[2]);
void *omptape_analysis_make_lock_holder(struct analysis_state *state, const struct analysis_table *table,
                                        const uint64_t key[2]);
void *omptape_analysis_make_loop_thread(struct analysis_state *state, const struct analysis_table *table,
                                        const uint64_t key[2]);
void *omptape_analysis_make_process(struct analysis_state *state, const struct analysis_table *table,
                                    const uint64_t key[2]);
void *omptape_analysis_make_region(struct analysis_state *state, const struct analysis_table *table,
                                   const uint64_t key[2]);
void *omptape_analysis_make_serial(struct analysis_state *state, const struct analysis_table *table,
                                   const uint64_t key[2]);
void *omptape_analysis_make_task_site(struct analysis_state *state, const struct analysis_table *table,
                                      const uint64_t key[2]);
void *omptape_analysis_make_thread(struct analysis_state *state, const struct analysis_table *table,
                                   const uint64_t key[2]);
void *omptape_analysis_make_whole(struct analysis_state *state, const struct analysis_table *table,
                                  const uint64_t key[2]);

bool omptape_analysis_added_process(struct analysis_state *state, const void *entry);

#endif
