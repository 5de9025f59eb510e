/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of `omptape report` and `omptape compare` share. All of it runs in the child process of
 * omptape_reader_guard, on its one thread.
 */
#pragma once

#include "src/analysis/analysis.h"
#include "src/command/report/tree.h"
#include "src/command/text/screen.h"
#include "src/command/text/table.h"
#include "src/command/text/units.h"

enum { REPORT_DATE_BYTES = 64, REPORT_PERCENT_BYTES = 16 };

/* What is printed. */
struct report {
    struct omptape_analysis *analysis;
    struct omptape_screen screen;
    unsigned findings;  /* so many of the first ones are printed above */
    unsigned top;       /* rows of each table at most; 0: a few, UINT_MAX: all */
    bool all;           /* also what says nothing new */
    bool threads;       /* a row for each thread, too */
    bool whole;         /* no window was chosen */
    bool profile;       /* the archive has sums and no events */
    bool by_phase;      /* phases in place of all else */
    const char *inside; /* the place whose call tree is asked for; NULL: none */
    const char *folder; /* as the user called the archive */
};

/* facts.c: seconds of the whole, of the serial parts (the mean over processes), and since the archive's
 * beginning. */
double report_wall(const struct omptape_analysis *analysis);
/* Energy of the nodes' processors while the program ran, of whatever ran there, J. 0: not known of all nodes.
 */
double report_energy(const struct omptape_analysis *analysis);
double report_serial(const struct omptape_analysis *analysis);
double report_moment(const struct omptape_analysis *analysis, uint64_t time);
uint64_t report_sum(const uint64_t parts[OMPTAPE_BUCKET_COUNT]);
/* Of that, what is work. */
uint64_t report_working(const uint64_t parts[OMPTAPE_BUCKET_COUNT]);
/* The same with what of the work had no processor: blocked, runnable. */
uint64_t report_at_work(const uint64_t parts[OMPTAPE_BUCKET_COUNT]);
/* Is it more than noise, a hundredth of the thread time? Then tables have columns of it. */
bool report_has(const struct omptape_analysis *analysis, enum omptape_bucket bucket);
/* Thread time that a region costs: its own, with what others waited for it in place of its own waiting where
 * that is more. (At a lock both are the same waiting.) */
uint64_t report_cost(const struct analysis_region *region);
/* Why more is to win at a region than that, in words; "": it is not more. */
const char *report_beyond(const struct omptape_analysis *analysis, const struct analysis_region *region);
/* "2.10 s" of ticks. */
const char *report_time(const struct omptape_analysis *analysis, uint64_t ticks,
                        char text[OMPTAPE_UNIT_BYTES]);
/* "17 %", "0.4 %"; "" of nothing. */
const char *report_percent(double part, double whole, char text[REPORT_PERCENT_BYTES]);
/* The program's name; the local time of the recording by strftime's format, "" if it is not known. */
const char *report_program(const struct omptape_analysis *analysis);
const char *report_date(const struct omptape_analysis *analysis, const char *format,
                        char date[REPORT_DATE_BYTES]);

/* fold.c: adds parts of constructs to their wholes, which alone stay in the list of regions. 0 or -ENOMEM. */
int report_fold(struct omptape_analysis *analysis);
/* A barrier and the like: what was waited for is shown where that was. */
bool report_is_mere_waiting(const struct analysis_region *region);

/* sampled.c: "strlen from count @parse.c:31 30 of 39 samples, ...". These are the functions in which threads
 * were found most often, each with its hottest line. They are of the serial part, or if that is NULL of the
 * region (NULL: in none). False: there are no samples. */
bool report_hottest(const struct omptape_analysis *analysis, const struct analysis_region *region,
                    const struct analysis_serial *serial, char *text, size_t bytes);
/* "for @solver.c:112 takes 61 % of the run; inside: ..." of the region that takes most. If threads that OpenMP
 * does not know take more, it is of these. False: there are no samples. */
bool report_hottest_region(const struct omptape_analysis *analysis, char *line, size_t bytes);
/* Likewise by who calls the function that the region is in. False: it is one caller, or not known. */
bool report_callers(const struct omptape_analysis *analysis, const struct analysis_region *region, char *text,
                    size_t bytes);
/* Likewise of the regions that take most and that no finding has shown. False: there is nothing to print. */
bool report_print_samples(const struct report *report);

/* Likewise of threads that OpenMP does not know. False: there is nothing to print. */
bool report_print_other_threads(const struct report *report);

/* phases.c: the phases that the program named, in place of all else. 0 or -ENOMEM. */
int report_print_by_phase(const struct report *report);

/* inside.c: the call tree of report->inside. 0, -ENOENT: there is no such place, or -ENOMEM. */
int report_print_inside(const struct report *report);

/* numbers.c: a report_teller of the analysis. */
void report_tell(struct report_tree *tree, const void *data);

/* findings.c: from the header to the efficiencies. */
void report_print_findings(const struct report *report);
void report_print_header(const struct report *report); /* what ran, alone */
/* "parallel 46 % = load balance 92 % x ...", in the caller's buffer. */
const char *report_efficiency(const struct analysis_efficiency *efficiency, char *line, size_t bytes);
/* "for @solver.c:112 loses 2.1 s (17 %): ..." */
void report_sentence(const struct omptape_analysis *analysis, const struct omptape_finding *finding,
                     char *text, size_t bytes);
/* "for @solver.c:112", "serial between A and B": where, in words, in the caller's buffer. */
const char *report_place(const struct omptape_finding *finding, char *text, size_t bytes);

/* tables_outliers.c: "omptape report --from T --to T DIR", which shows a stretch of time; nothing of a
 * profile. */
void report_print_command(const struct report *report, uint64_t begin, uint64_t end, unsigned indent);

/* The line of omptape_report_first. */
void report_first_line(const struct omptape_analysis *analysis, char *line, size_t bytes);

/* tables.c: regions, and the sections behind them. 0 or -ENOMEM. */
int report_print_tables(const struct report *report);

/* One table of `omptape report` that is being filled, and its cells. Used by the tables (tables.c,
 * tables_processes.c). One thread.
 */

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
/* Prints it, unless it is empty. 0 or -ENOMEM. */
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

/* counted.c: the counters of regions and functions. 0 or -ENOMEM. */
int report_print_counters(const struct report *report);

/* sampled.c: below the table, the functions of those of the first serial parts that take long. */
void report_print_serial_samples(const struct report *report, uint32_t count);

/* tables_outliers.c, tables_processes.c: each prints its table, if there is something to show. 0 or -1: no
 * memory. */
int report_print_phases(const struct report *report);
int report_print_values(const struct report *report);
int report_print_outliers(const struct report *report);
int report_print_transfers(const struct report *report);
int report_print_devices(const struct report *report);
int report_print_mpi(const struct report *report);
int report_print_processes(const struct report *report);
int report_print_nodes(const struct report *report);
int report_print_threads(const struct report *report);
