/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is done with the entries of a table (tables.h), whatever its fields are: read as numbers, added to
 * others, made those of another archive, put in order. For partial.c and sums.c. One thread.
 */
#ifndef OMPTAPE_ANALYSIS_REDUCE_ENTRIES_H
#define OMPTAPE_ANALYSIS_REDUCE_ENTRIES_H

#include "src/analysis/reduce/map.h"
#include "src/analysis/reduce/tables.h"

/* How many numbers an entry has that are written. */
uint32_t omptape_analysis_table_numbers(const struct analysis_table *table);
void omptape_analysis_entry_read(const struct analysis_table *table, const void *entry, uint64_t *numbers);
/* False: a number is too large for its field. */
bool omptape_analysis_entry_add(const struct analysis_table *table, void *entry, const uint64_t *numbers);

/* Makes another archive's entry one of this. False: something in it is none of this archive's. */
bool omptape_analysis_entry_map(const struct analysis_table *table, const struct omptape_partial_map *map,
                                uint64_t key[2], uint64_t *numbers);

/* Puts all entries in the order of their keys, whatever the order in which they came. False: no memory. */
bool omptape_analysis_tables_sort(struct analysis_state *state);

#endif
