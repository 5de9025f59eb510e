/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared declarations of `omptape report` and `omptape compare`. All of it runs in the child process of
 * omptape_reader_guard, on its one thread.
 */
#pragma once

#include "src/analysis/analysis.h"
#include "src/command/text/screen.h"
#include "src/command/text/table.h"
#include "src/command/text/units.h"
#include "src/command/text/value_tree.h"

/* Arguments of the printing functions. */
struct report {
    struct omptape_analysis *analysis;
    struct screen screen;
    unsigned findings;  /* number of findings printed above */
    unsigned top;       /* maximum rows of a table; 0: a few, UINT_MAX: all */
    bool all;           /* --all: also rows without news */
    bool threads;       /* also a row for each thread */
    bool whole;         /* no window was selected */
    bool profile;       /* the archive has sums and no events */
    bool by_phase;      /* prints phases only */
    const char *inside; /* place whose call tree is printed; NULL if none */
    const char *folder; /* archive's path as the user gave it */
};

/* facts.c: return seconds: the length of the run, of its serial parts (mean of the processes), and a moment
 * since the begin of the trace. */
double report_wall(const struct omptape_analysis *analysis);
/* Returns the energy of the nodes' processors and memory during the run, including other programs, J. Returns
 * 0 if it is unknown for a node. */
double report_energy(const struct omptape_analysis *analysis);
double report_serial(const struct omptape_analysis *analysis);
double report_moment(const struct omptape_analysis *analysis, uint64_t time);
/* Returns the time at work. */
uint64_t report_time_working(const uint64_t parts[OMPTAPE_BUCKET_COUNT]);
/* Returns the time at work including blocked and runnable time. */
uint64_t report_time_at_work(const uint64_t parts[OMPTAPE_BUCKET_COUNT]);
/* Returns true if the bucket has more than a hundredth of the thread time. Tables then have a column for it.
 */
bool report_has(const struct omptape_analysis *analysis, enum omptape_bucket bucket);
/* Returns the thread time that a region costs: its own time, where the waiting for the region replaces its
 * own waiting if it is larger. At a lock both are the same waiting. */
uint64_t report_cost(const struct analysis_region *region);
/* Returns a phrase that explains why the region's gain is larger than its cost; "" if it is not. */
const char *report_gain_reason(const struct omptape_analysis *analysis, const struct analysis_region *region);
/* Formats ticks as "2.10 s". */
struct units_text report_time(const struct omptape_analysis *analysis, uint64_t ticks);
/* Formats a share: "17 %", "0.4 %"; "" if the whole is 0. */
struct units_text report_percent(double part, double whole);
/* Return the program's name, and the recording's local time in strftime's format ("" if unknown). */
const char *report_program(const struct omptape_analysis *analysis);
struct units_text report_date(const struct omptape_analysis *analysis, const char *format);

/* fold.c: adds constructs' parts to the whole ones, which alone remain in the regions. 0 or -ENOMEM. */
int report_fold(struct omptape_analysis *analysis);
/* Returns true for a region that only waits, such as a barrier. The awaited region shows that time. */
bool report_is_only_waiting(const struct analysis_region *region);

/* sampled.c: writes the functions in which threads were found most often, each with its hottest line: "strlen
 * from count @parse.c:31 30 of 39 samples, ...". They belong to the serial part or, if that is NULL, to the
 * region (NULL: outside of all). Returns false if there are no samples. */
bool report_hottest(const struct omptape_analysis *analysis, const struct analysis_region *region,
                    const struct analysis_serial *serial, char *text, size_t bytes);
/* Writes "for @solver.c:112 takes 61 % of the run; inside: ..." about the region with most time. If threads
 * unknown to OpenMP ran longer, it describes them instead. Returns false if there are no samples. */
bool report_hottest_region(const struct omptape_analysis *analysis, char *line, size_t bytes);
/* Writes the callers of the region's function in the same form. False: one caller, or they are unknown. */
bool report_callers(const struct omptape_analysis *analysis, const struct analysis_region *region, char *text,
                    size_t bytes);
/* Prints the regions with most time that no finding has shown. Returns false if there are none. */
bool report_print_samples(const struct report *report);

/* Prints the busiest threads that OpenMP does not know. */
void report_print_other_threads(const struct report *report);

/* phases.c: prints phases only (--by phase). Returns 0 or -ENOMEM. */
int report_print_by_phase(const struct report *report);

/* inside.c: prints the call tree of report->inside. Returns 0, -ENOENT if there is no such place, or -ENOMEM.
 */
int report_print_inside(const struct report *report);

/* numbers.c: a value_tree_writer; `data` is the analysis. */
void report_write_numbers(struct value_tree *tree, const void *data);

/* findings.c: prints the header, the findings and the efficiencies. */
void report_print_findings(const struct report *report);
/* Returns true if the finding is only counted, below the first one of its kind. Threads without a processor
 * are one problem outside the program: without --all only the first place is printed. */
bool report_is_folded(const struct report *report, unsigned number);
void report_print_header(const struct report *report); /* what ran */
/* Writes "parallel 46 % = load balance 92 % x ..." into the caller's buffer. */
const char *report_efficiency(const struct analysis_efficiency *efficiency, char *line, size_t bytes);
/* Writes "for @solver.c:112 loses 2.1 s (17 %): ...". */
void report_sentence(const struct omptape_analysis *analysis, const struct omptape_finding *finding,
                     char *text, size_t bytes);
/* Writes the finding's place into the caller's buffer: "for @solver.c:112", "serial between A and B". */
const char *report_place(const struct omptape_finding *finding, char *text, size_t bytes);

/* tables_outliers.c: prints the command that shows an interval, "omptape report --from T --to T DIR", but no
 * profile's. */
void report_print_command(const struct report *report, uint64_t begin, uint64_t end, unsigned indent);

/* Writes the line of report_first. */
void report_first_line(const struct omptape_analysis *analysis, char *line, size_t bytes);

/* tables.c: prints the regions and all further tables. Returns 0 or -ENOMEM. */
int report_print_tables(const struct report *report);

/* A table that is being filled, and its cells. Used by the tables*.c files on one thread. */

/* Default number of rows; --top overrides it. */
enum { REPORT_DEFAULT_REGIONS = 10, REPORT_DEFAULT_ROWS = 3, REPORT_DEFAULT_THREADS = 64 };

struct report_section {
    const struct report *report;
    const struct omptape_analysis *analysis;
    struct table table;
    uint32_t count; /* number of all rows */
    uint32_t shown;
};

/* Begins a section for `count` rows. `columns` is as for table_of; `usual` limits the rows. */
struct report_section report_section_begin(const struct report *report, const char *columns, uint32_t count,
                                           unsigned usual);
/* Prints the table unless it is empty. Returns 0 or -ENOMEM. */
int report_section_end(struct report_section *section);

void report_cell_time(struct report_section *section, uint64_t ticks);
void report_cell_count(struct report_section *section, uint64_t count);
void report_cell_bytes(struct report_section *section, uint64_t bytes);
void report_cell_share(struct report_section *section, uint64_t part, uint64_t whole);
void report_cell_label(struct report_section *section, const struct analysis_region *region,
                       const char *none);

/* counted.c: prints the counters of regions and functions. Returns 0 or -ENOMEM. */
int report_print_counters(const struct report *report);

/* sampled.c: prints, below the table, the hottest functions of long serial parts among the first `count`. */
void report_print_serial_samples(const struct report *report, uint32_t count);

/* tables_outliers.c, tables_processes.c, phases.c, values.c: each prints its table if it has rows. Returns 0
 * or a negative value if out of memory. */
int report_print_phases(const struct report *report);
int report_print_values(const struct report *report);
int report_print_outliers(const struct report *report);
int report_print_transfers(const struct report *report);
int report_print_devices(const struct report *report);
int report_print_mpi(const struct report *report);
int report_print_processes(const struct report *report);
int report_print_nodes(const struct report *report);
int report_print_threads(const struct report *report);
