/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a pass has summed up, as tables of numbers: which entries each has, which fields these, and how the
 * fields of two passes become one. Every field of an entry's struct has a row, so that none is forgotten
 * (tests/unit/analysis/test_partial.c looks at each byte): one more field is one more row in tables.c.
 * entries.h works with them.
 *
 * All rules give the same whatever the order in which passes are added.
 */
#ifndef OMPTAPE_ANALYSIS_REDUCE_TABLES_H
#define OMPTAPE_ANALYSIS_REDUCE_TABLES_H

#include "src/analysis/reduce/table.h"

/* In the order in which they are written: what refers to others comes after them. */
extern const struct analysis_table omptape_analysis_tables[];
extern const uint32_t omptape_analysis_table_count;

/* More numbers no entry has. */
enum { ANALYSIS_MOST_NUMBERS = 512 };

#endif
