/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What two archives have in common: rows of numbers of each, and pairs of rows that are about the same thing.
 * For compare.c, on its one thread. Functions return 0 or a negative errno.
 */
#pragma once

#include "src/analysis/analysis.h"

#include <stdbool.h>
#include <stdint.h>

enum report_row_kind {
    REPORT_ROW_WHOLE,      /* seconds of wall */
    REPORT_ROW_COUNT,      /* processes, threads */
    REPORT_ROW_WORK,       /* thread seconds that were computed */
    REPORT_ROW_EFFICIENCY, /* 0 to 1 */
    REPORT_ROW_FINDING,    /* seconds of wall to win */
    REPORT_ROW_PHASE,      /* seconds of wall */
    REPORT_ROW_REGION,     /* seconds: thread time and what others waited for it, by threads */
    REPORT_ROW_FUNCTION,   /* seconds of processor time, by threads: from samples */
    REPORT_ROW_MACHINE /* nodes, processors, and whether a process has more threads than these: for scale */
};

/* Where thread time goes, as far as that tells why more threads do not win more. */
enum report_loss {
    REPORT_LOSS_COMPUTING, /* none: on a processor in user code */
    REPORT_LOSS_COMMUNICATION,
    REPORT_LOSS_SERIAL, /* others had to wait while one thread worked */
    REPORT_LOSS_LOCK,
    REPORT_LOSS_IMBALANCE,
    REPORT_LOSS_MANAGEMENT,
    REPORT_LOSS_BLOCKED,
    REPORT_LOSS_PROCESSOR,
    REPORT_LOSSES
};

enum { REPORT_NAME_BYTES = 512, REPORT_MOST_RUNS = 16 };

struct report_row {
    enum report_row_kind kind;
    enum omptape_finding_kind finding; /* of a finding */
    uint32_t line;                     /* 0: not known */
    double value;                      /* of several runs the median, */
    double least;                      /* ...the least, */
    double most;                       /* ...and the most of their */
    double values[REPORT_MOST_RUNS];
    double elapsed;               /* of a region: wall time, by the threads that were in it, */
    double losses[REPORT_LOSSES]; /* ...and of it and of the wall time: thread seconds, of several runs the
                                     mean */
    double team;                  /* of a region: threads of all processes that execute it */
    bool is_alone;                /* nearly all of its parallel region's time is in it */
    enum omptape_region_kind construct; /* of a region */
    double takes;                 /* of a finding: the same, or where that is not known what goes there */
    double error;                 /* of a function: what its number of samples may be off */
    uint32_t place;               /* where in its name the place begins */
    uint32_t function;            /* bytes of the function that its key begins with */
    char name[REPORT_NAME_BYTES]; /* as it is shown: "imbalance: for @solver.c:112" */
    char key[REPORT_NAME_BYTES];  /* the function, and the name without the lines in it; "": the program */
};

struct report_rows {
    struct report_row *list;
    uint32_t runs; /* so many `values` each row has */
    uint32_t count;
    uint32_t room;
};

/* losses.c: fills `elapsed`, `losses`, `team`, `is_alone` and `construct`. */
void report_losses_of_whole(struct report_row *row, const struct omptape_analysis *analysis);
void report_losses_of_region(struct report_row *row, const struct omptape_analysis *analysis,
                             const struct analysis_region *region);
void report_losses_of_phase(struct report_row *row, const struct omptape_analysis *analysis,
                            const struct analysis_phase *phase);
double report_losses_sum(const double losses[REPORT_LOSSES]);

/* losses.c: processors of all nodes, 0 if that is not known; has a process, or a node, more threads? */
double report_processors(const struct omptape_analysis *analysis);
bool report_is_oversubscribed(const struct omptape_analysis *analysis);

/* From the child that reads an archive to the command: a file without a name. Returns its descriptor. */
int report_rows_file(void);
/* Joins what is one region (report_fold), and writes the analysis's rows there. 0, or negative errno. */
int report_rows_keep(struct omptape_analysis *analysis, int descriptor);
int report_rows_read(struct report_rows *rows, int descriptor);
/* A copy of the row, at their end; NULL: no memory. */
struct report_row *report_rows_add(struct report_rows *rows, const struct report_row *row);
void report_rows_free(struct report_rows *rows);

struct report_pair {
    enum report_row_kind kind;
    const char *name;             /* the rows', which have to live as long */
    const struct report_row *old; /* NULL: it was not there, */
    const struct report_row *new; /* ...is not there any more */
    double before;
    double after;
    double error;  /* of their difference */
    double chance; /* how likely it comes by chance, by repeated runs; 1 where each side is one */
    bool is_noise; /* it is no difference by these */
};

struct report_pairs {
    struct report_pair *list; /* what changed most comes first */
    double wall;              /* the longer one */
    double wall_before;
    double wall_after;
    uint32_t count;
    uint32_t room;
};

/* Rows of the same name belong together; of the others those with the same key, in the order of their lines.
 */
int report_pairs_make(struct report_pairs *pairs, const struct report_rows *before,
                      const struct report_rows *after);
void report_pairs_free(struct report_pairs *pairs);
