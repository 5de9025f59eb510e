/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of numbers of an archive, and pairs of rows of two archives that describe the same thing. For
 * compare and scale, on their one thread. Functions return 0 or a negative errno unless stated otherwise.
 */
#pragma once

#include "src/analysis/analysis.h"

#include <stdbool.h>
#include <stdint.h>

enum report_row_kind {
    REPORT_ROW_WHOLE,      /* wall time, s */
    REPORT_ROW_COUNT,      /* processes, threads */
    REPORT_ROW_WORK,       /* computing time, thread seconds */
    REPORT_ROW_EFFICIENCY, /* 0 to 1 */
    REPORT_ROW_FINDING,    /* possible gain, s of wall time */
    REPORT_ROW_PHASE,      /* wall time, s */
    REPORT_ROW_REGION,     /* thread time including waiting for it, divided by the threads, s */
    REPORT_ROW_FUNCTION,   /* processor time divided by the threads, s, by samples */
    REPORT_ROW_MACHINE /* nodes, processors, and whether a process has more threads than these; for scale */
};

/* Classes of thread time, which explain why more threads gain less. */
enum report_loss {
    REPORT_LOSS_COMPUTING, /* no loss: computing on a processor */
    REPORT_LOSS_COMMUNICATION,
    REPORT_LOSS_SERIAL, /* others waited while one thread worked */
    REPORT_LOSS_LOCK,
    REPORT_LOSS_IMBALANCE,
    REPORT_LOSS_MANAGEMENT,
    REPORT_LOSS_BLOCKED,
    REPORT_LOSS_PROCESSOR,
    REPORT_LOSSES
};

enum { REPORT_NAME_BYTES = 512, REPORT_MAX_RUNS = 16 };

struct report_row {
    enum report_row_kind kind;
    enum omptape_finding_kind finding; /* for REPORT_ROW_FINDING */
    uint32_t line;                     /* 0 if unknown */
    double value;                      /* median of several runs */
    double min;                        /* smallest of several runs */
    double max;                        /* largest of several runs */
    double values[REPORT_MAX_RUNS];
    double elapsed;                     /* of a region: wall time by its own threads */
    double losses[REPORT_LOSSES];       /* thread seconds by class; the mean of several runs */
    double team;                        /* of a region: threads of all processes that execute it */
    bool dominates_parallel;            /* the region has nearly all of its parallel region's time */
    enum omptape_region_kind construct; /* for REPORT_ROW_REGION */
    double cost;                        /* of a finding: its gain or, if unknown, the time spent there */
    double error;                       /* of a function: statistical error of its samples, s */
    uint32_t place;                     /* offset of the place in the name */
    uint32_t function;                  /* length of the function at the begin of the key */
    char name[REPORT_NAME_BYTES];       /* displayed name: "imbalance: for @solver.c:112" */
    char key[REPORT_NAME_BYTES];        /* function, and name without line numbers; "" for the program */
};

struct report_rows {
    struct report_row *list;
    uint32_t runs; /* number of valid `values` */
    uint32_t count;
    uint32_t capacity;
};

/* losses.c: fill in `elapsed`, `losses`, `team`, `dominates_parallel` and `construct`. */
void report_losses_of_whole(struct report_row *row, const struct omptape_analysis *analysis);
void report_losses_of_region(struct report_row *row, const struct omptape_analysis *analysis,
                             const struct analysis_region *region);
void report_losses_of_phase(struct report_row *row, const struct omptape_analysis *analysis,
                            const struct analysis_phase *phase);
double report_losses_sum(const double losses[REPORT_LOSSES]);

/* losses.c: return the processors of all nodes (0 if unknown), and if a process or node has more threads than
 * those. */
double report_processors(const struct omptape_analysis *analysis);
bool report_is_oversubscribed(const struct omptape_analysis *analysis);

/* Creates the anonymous file for rows from the child to the command. Returns it or negative errno. */
int report_rows_file(void);
/* Merges regions' parts (report_fold) and writes the rows to the file. Returns 0 or negative errno. */
int report_rows_write(struct omptape_analysis *analysis, int descriptor);
int report_rows_read(struct report_rows *rows, int descriptor);
/* Appends a copy of the row and returns it. Returns NULL if out of memory. */
struct report_row *report_rows_add(struct report_rows *rows, const struct report_row *row);
/* Returns the JSON key of the efficiency factor of this name, or the name if it is none's. */
const char *report_factor_key(const char *name);

/* Returns the row of this kind and name; NULL if there is none. */
const struct report_row *report_rows_find(const struct report_rows *rows, enum report_row_kind kind,
                                          const char *name);
void report_rows_free(struct report_rows *rows);

struct report_pair {
    enum report_row_kind kind;
    const char *name;             /* owned by the rows, which must exist as long */
    const struct report_row *old; /* NULL if it is new */
    const struct report_row *new; /* NULL if it is gone */
    double before;
    double after;
    double error;  /* error of the difference */
    double chance; /* probability that the difference is random, by repeated runs; 1 for single runs */
    bool is_noise; /* the difference is not significant */
};

struct report_pairs {
    struct report_pair *list; /* largest change first */
    double wall;              /* the longer of both wall times */
    double wall_before;
    double wall_after;
    uint32_t count;
    uint32_t capacity;
};

/* Pairs rows with the same name first, then rows with the same key in the order of their lines. */
int report_pairs_make(struct report_pairs *pairs, const struct report_rows *before,
                      const struct report_rows *after);
void report_pairs_free(struct report_pairs *pairs);
