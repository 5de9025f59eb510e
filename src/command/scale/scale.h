/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `omptape scale`: compares runs of a program with different numbers of threads, ranks or nodes. Used by the
 * files of this folder, on the command's only thread.
 */
#pragma once

#include "src/command/report/pairs.h"
#include "src/command/text/screen.h"
#include "src/command/text/value_tree.h"
#include "src/core/string_list.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { SCALE_TEXT_BYTES = 1000, SCALE_LABEL_BYTES = 40, SCALE_MAX_CAUSES = 2, SCALE_MAX_TERMS = 3 };

/* Share of the wall time. Smaller parts get no text and no curve. */
#define SCALE_MIN_SHARE 0.05

/* A size: all runs with the same numbers of processes, threads and nodes. */
struct scale_size {
    uint32_t processes;
    uint32_t threads; /* sum over all processes */
    uint32_t nodes;
    double processors;       /* sum over all nodes; 0 if unknown */
    bool is_oversubscribed;  /* there are more threads than processors */
    struct report_rows rows; /* merged over the runs; a region's values are wall times */
    const struct report_row *wall;
    double speedup;                /* relative to the first size */
    double efficiency;             /* speed-up divided by the ratio of the numbers of threads */
    double computation;            /* computing time of the first size divided by this size's; 0 if unknown */
    char label[SCALE_LABEL_BYTES]; /* "4", "2 x 4" */
};

enum scale_model {
    SCALE_MODEL_NONE,       /* fewer than three sizes, or no model fits */
    SCALE_MODEL_AMDAHL,     /* constant + shared / P */
    SCALE_MODEL_USL,        /* constant + shared / P + growing (P - 1) */
    SCALE_MODEL_NORMAL_FORM /* constant + growing P^i log2(P)^j */
};

/* A term: seconds (P^exponent log2(P)^logarithms - minus). */
struct scale_term {
    double exponent;
    double logarithms;
    double minus;
    double seconds;
};

/* A fitted curve: the sum of its terms. */
struct scale_fit {
    enum scale_model model;
    unsigned term_count;
    struct scale_term terms[SCALE_MAX_TERMS];         /* the first one is the constant */
    double inverse[SCALE_MAX_TERMS][SCALE_MAX_TERMS]; /* inverse matrix of the normal equations */
    uint32_t freedom;      /* degrees of freedom: number of sizes minus number of terms */
    double max_threads;    /* threads of the largest fitted size */
    double error;          /* relative root mean square error; at least the runs' noise */
    double constant_error; /* standard error of the constant, in seconds */
};

/* Prediction for twice as many threads as the largest fitted size has. */
struct scale_prediction {
    uint32_t threads; /* 0 if there is no sufficiently certain prediction */
    double time;
    double half_interval; /* half width of the 90 % interval in seconds, if the model is correct */
    uint32_t enough;      /* from this number of threads on, doubling saves less than 10 %; 0 if unknown */
};

/* A loss of thread time that grows with the number of threads. */
struct scale_cause {
    enum report_loss loss;
    double first; /* thread seconds in the first size */
    double last;  /* thread seconds in the compared size */
    double share; /* share of the compared size's thread time */
};

/* The whole run, a phase or a region. */
struct scale_part {
    const char *name; /* name in the tables */
    enum report_row_kind kind;
    const struct report_row **rows; /* by size; NULL if the size does not contain it */
    double share;                   /* highest share of the wall time in any size */
    uint32_t best;                  /* the size after which no size is faster */
    bool stops_scaling;             /* `best` is not the largest size */
    bool is_serial;                 /* one thread does most of the work */
    double gain; /* wall seconds saved in the largest size by this part's best number of threads; 0 if none */
    uint32_t compared_size; /* size whose losses are explained; 0 if there is none */
    double computation;     /* relative efficiency of computing in that size; 0 if unknown */
    struct scale_cause causes[SCALE_MAX_CAUSES];
    unsigned cause_count;
    struct scale_fit fit;
    struct scale_prediction prediction;
    char text[SCALE_TEXT_BYTES]; /* description in sentences */
};

struct scale {
    struct scale_size *sizes; /* sorted by number of threads */
    uint32_t size_count;
    struct scale_part *parts; /* the whole run first, then by descending share */
    uint32_t part_count;
    uint32_t part_capacity;
    bool is_weak;             /* weak scaling: the work grows with the threads */
    bool has_many_processes;  /* in at least one size */
    const char *varies;       /* what varies: "threads", "ranks" or "nodes" */
    const char *program;      /* name for titles */
    struct report_rows known; /* one row per part */
};

/* model.c: Adds a run and takes over its rows. `requested_threads` is the number of threads per process; 0
 * means as many as worked. Returns 0 or negative errno. */
int scale_add_run(struct scale *scale, struct report_rows *rows, uint32_t requested_threads);

/* Called after all runs are added: sorts the sizes and computes the parts. Returns 0 or -ENOMEM. */
int scale_finish(struct scale *scale);
void scale_free(struct scale *scale);

/* fit.c: Returns the model's name for texts and JSON, such as "USL"; "" for none. */
const char *scale_model_name(enum scale_model model);
/* Fits a curve to `count` pairs of number of threads and time. `noise` is the runs' relative variation. */
struct scale_fit scale_fit_times(const double *threads, const double *times, uint32_t count, double noise,
                                 bool is_weak);
/* Return the curve's time for a number of threads, and half the width of its 90 % interval. */
double scale_fit_time(const struct scale_fit *fit, double threads);
double scale_fit_half_interval(const struct scale_fit *fit, double threads);

/* causes.c: Computes `compared_size`, `computation` and the causes of a part. */
void scale_find_causes(const struct scale *scale, struct scale_part *part);
/* Returns the name of a loss in JSON, such as "lock". */
const char *scale_loss_key(enum report_loss loss);
/* Returns the part's name in sentences and in the picture. */
const char *scale_part_name(const struct scale_part *part);
/* Writes the part's `text`. */
void scale_describe(const struct scale *scale, struct scale_part *part);

/* print.c: Prints the text. Returns 0 or -ENOMEM. */
int scale_print(const struct scale *scale, const struct screen *screen, unsigned top);

/* print.c: Writes the text and the curves as an HTML page; a report_file_writer. */
int scale_write_html(FILE *out, const void *scale);

/* numbers.c: Lists the numbers of a struct scale; a value_tree_writer. */
void scale_write_numbers(struct value_tree *tree, const void *scale);

/* curves.c: Draws speed-up over threads; a report_file_writer. */
int scale_write_svg(FILE *out, const void *scale);

/* series.c: Options of a series of runs. */
struct scale_series {
    const char *threads; /* "1,2,4"; NULL for auto, or, with `ranks`, for the program's own number */
    const char *ranks;   /* "1,2,4", which replace {ranks} in the command; or NULL */
    const char *repeat;  /* number of runs per size, or NULL */
    const char *output;  /* output folder, or NULL */
    bool is_trace;       /* record traces instead of profiles */
    char *const *argv;
};

struct scale_run {
    char *path;                 /* path of the archive; owned */
    uint32_t requested_threads; /* threads per process; 0 means as many as worked */
};

/* Runs the program for each size, several times, and lists the complete runs. *stopped receives the signal
 * that ended the series early, or 0. Returns 0, or negative errno after an error message. */
int scale_run_series(const struct scale_series *series, struct scale_run **runs, uint32_t *count,
                     int *stopped);
