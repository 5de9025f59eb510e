/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One table of `omptape report` that is being filled, and its cells. Used by the tables (tables.c,
 * tables_processes.c). One thread.
 */
#ifndef OMPTAPE_COMMAND_REPORT_SECTION_H
#define OMPTAPE_COMMAND_REPORT_SECTION_H

#include "src/command/report/state.h"
#include "src/command/text/table.h"

/* How many rows are shown unless --top says another number. */
enum { REPORT_USUAL_REGIONS = 10, REPORT_USUAL_ROWS = 3, REPORT_USUAL_THREADS = 64 };

struct report_section {
    const struct report *report;
    const struct omptape_analysis *analysis;
    struct omptape_table table;
    uint32_t count; /* of all rows */
    uint32_t shown;
};

struct report_section report_section_begin(const struct report *report,
                                           const struct omptape_table_column *columns, unsigned column_count,
                                           uint32_t count, unsigned usual);
/* Prints it. 0 or -1: no memory. */
int report_section_end(struct report_section *section);

void report_cell_time(struct report_section *section, uint64_t ticks);
/* "-": there is none. */
void report_cell_mean(struct report_section *section, const struct analysis_durations *durations);
void report_cell_count(struct report_section *section, uint64_t count);
void report_cell_bytes(struct report_section *section, uint64_t bytes);
void report_cell_share(struct report_section *section, uint64_t part, uint64_t whole);
void report_cell_label(struct report_section *section, const struct analysis_region *region,
                       const char *none);
/* The function around it, as people call it. */
void report_cell_function(struct report_section *section, const struct analysis_region *region);

/* tables_outliers.c, tables_processes.c: each prints its table, if there is something to show. 0
 * or -1: no memory. */
int report_print_outliers(const struct report *report);
int report_print_transfers(const struct report *report);
int report_print_devices(const struct report *report);
int report_print_mpi(const struct report *report);
int report_print_processes(const struct report *report);
int report_print_nodes(const struct report *report);
int report_print_threads(const struct report *report);

#endif
