/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `omptape scale`: runs of one program that differ in their numbers of threads, ranks or nodes, side by side.
 * The files of this folder and main.c use it, on the command's only thread.
 */
#pragma once

#include "src/command/report/pairs.h"
#include "src/command/report/tree.h"
#include "src/command/text/screen.h"
#include "src/core/string_list.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* `omptape scale ...`: argv[0] is "scale", argv[argc] is NULL. Returns the exit code. */
int omptape_command_scale(int argc, char **argv);

enum { SCALE_TEXT_BYTES = 1000, SCALE_LABEL_BYTES = 40, SCALE_MOST_CAUSES = 2, SCALE_MOST_TERMS = 3 };

/* Of the wall time: parts that take less get no sentence and no curve. */
#define SCALE_LEAST_SHARE 0.05

/* All runs with the same numbers of processes, threads and nodes. */
struct scale_size {
    uint32_t processes;
    uint32_t threads; /* of all processes */
    uint32_t nodes;
    double processors;       /* of all nodes; 0: not known */
    bool is_oversubscribed;  /* there are more threads than processors */
    struct report_rows rows; /* of the runs together; of a region the values are wall times */
    const struct report_row *wall;
    double speedup;                /* against the first size */
    double efficiency;             /* the speed-up by the number of times that there are threads */
    double computation;            /* the first size's thread time of computing by this one's; 0: not known */
    char label[SCALE_LABEL_BYTES]; /* "4", "2 x 4" */
};

enum scale_model {
    SCALE_MODEL_NONE,       /* fewer than three sizes, or none fits */
    SCALE_MODEL_AMDAHL,     /* constant + shared / P */
    SCALE_MODEL_USL,        /* ...+ growing (P - 1) */
    SCALE_MODEL_NORMAL_FORM /* constant + growing P^i log2(P)^j */
};

/* seconds (P^exponent log2(P)^logarithms - minus) */
struct scale_term {
    double exponent;
    double logarithms;
    double minus;
    double seconds;
};

/* The time is the sum of the terms. */
struct scale_fit {
    enum scale_model model;
    unsigned term_count;
    struct scale_term terms[SCALE_MOST_TERMS];          /* the first one is constant */
    double inverse[SCALE_MOST_TERMS][SCALE_MOST_TERMS]; /* of the squares of the terms by the times */
    uint32_t freedom;                                   /* so many sizes more than terms */
    double most;                                        /* threads of the sizes that it goes through */
    double error;          /* of times: the root of the mean square, relative; at least the runs' noise */
    double constant_error; /* standard error of the constant, in seconds */
};

/* What a curve says of twice as many threads as the largest size that it goes through has. */
struct scale_prediction {
    uint32_t threads; /* 0: nothing that is certain enough */
    double time;
    double doubt;    /* 90 % are within so many seconds of it, if the curve is right */
    uint32_t enough; /* from so many threads on, twice as many win less than a tenth; 0: not known */
};

/* What takes more thread time with more threads. */
struct scale_cause {
    enum report_loss loss;
    double first; /* thread seconds in the first size, */
    double last;  /* ...and in the largest with a processor for each thread, */
    double share; /* ...of all its thread time */
};

/* The whole, or a region. */
struct scale_part {
    const char *name; /* as in the tables */
    enum report_row_kind kind;
    const struct report_row **rows; /* of each size; NULL: it was not there */
    double share;                   /* of the wall time, where that is most */
    uint32_t best;                  /* the size from which on more threads win nothing more */
    bool is_stopped;                /* ...which is not the largest */
    bool is_serial;                 /* one thread executes it */
    double gain;        /* wall seconds in the largest size, with the best number in this part; 0: none */
    uint32_t judged;    /* the size by which causes are found; 0: there is none */
    double computation; /* computation scaling there; 0: not known */
    struct scale_cause causes[SCALE_MOST_CAUSES];
    unsigned cause_count;
    struct scale_fit fit;
    struct scale_prediction next;
    char text[SCALE_TEXT_BYTES]; /* sentences */
};

struct scale {
    struct scale_size *sizes; /* fewest threads first */
    uint32_t size_count;
    struct scale_part *parts; /* the whole, then regions: what takes most first */
    uint32_t part_count;
    uint32_t part_room;
    bool is_weak;             /* the work grows with the threads */
    bool has_many_processes;  /* in some size */
    const char *varies;       /* "threads", "ranks" or "nodes" */
    const char *program;      /* for titles */
    struct report_rows known; /* one row of each part */
};

/* model.c: adds a run; the rows are taken. `asked` threads in each process, 0: as many as worked. 0 or a
 * negative errno. */
int scale_add_run(struct scale *scale, struct report_rows *rows, uint32_t asked);

/* Once all are added: sorts sizes, finds parts, and says what grows. 0 or -ENOMEM. */
int scale_finish(struct scale *scale);
void scale_free(struct scale *scale);

/* fit.c: of `count` pairs of a number of threads and a time, whose runs differ by `noise`, relative. */
struct scale_fit scale_fit_times(const double *threads, const double *times, uint32_t count, double noise,
                                 bool is_weak);
/* What the curve says of a number of threads, and how far that may be off (scale_prediction). */
double scale_fit_time(const struct scale_fit *fit, double threads);
double scale_fit_doubt(const struct scale_fit *fit, double threads);

/* causes.c: fills `judged`, `computation` and the causes of a part. */
void scale_find_causes(const struct scale *scale, struct scale_part *part);
/* "lock", as JSON calls it. */
const char *scale_loss_key(enum report_loss loss);
/* Fills `text` of a part. */
void scale_describe(const struct scale *scale, struct scale_part *part);

/* print.c: the text. 0 or -ENOMEM. */
int scale_print(const struct scale *scale, const struct omptape_screen *screen, unsigned top);

/* print.c: the same and the curves as a page: a report_file_writer. */
int scale_write_html(FILE *out, const void *scale);

/* tell.c: a report_teller of a struct scale. */
void scale_tell(struct report_tree *tree, const void *scale);

/* curves.c: speed-up over threads, as a picture: a report_file_writer. */
int scale_write_svg(FILE *out, const void *scale);

/* series.c: runs the program. */
struct scale_series {
    const char *threads; /* "1,2,4", or NULL: auto, or where there are ranks the program's own */
    const char *ranks;   /* "1,2,4", which take the place of {ranks} in the command; or NULL */
    const char *repeat;  /* a number, or NULL */
    const char *output;  /* folder, or NULL */
    bool is_trace;       /* events in place of sums */
    char *const *argv;
};

struct scale_run {
    char *path;     /* archive; owned */
    uint32_t asked; /* threads of each process; 0: as many as worked */
};

/* Runs it again and again, and lists the runs that are complete. *stopped is the signal that ended the series
 * early, or 0. Returns 0, or a negative errno after one line. */
int scale_run_series(const struct scale_series *series, struct scale_run **runs, uint32_t *count,
                     int *stopped);
