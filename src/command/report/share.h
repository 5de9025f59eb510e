/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `omptape report` as the ranks of a job: Started by srun, mpirun and the like, it shares the processes of
 * the archive with the other ranks, without a word to them. Each leaves its part in a folder that all reach,
 * and the last rank merges and prints. For report.c, on its one thread.
 *
 * The folder is FOLDER/.omptape-report-HASH: of the words of the command that parts depend on, so that parts
 * of a run that failed are of use to the next. In it: part-N; and of each run, told apart by the launcher's
 * name for it, links live-RUN-N (claims, while a rank is at work), done-RUN-N and print-RUN.
 */
#pragma once

#include "src/analysis/reduce/share.h"
#include "src/command/report/choice.h"

enum { REPORT_SHARE_HASH_BYTES = 20, REPORT_SHARE_NAME_BYTES = 64 };

struct report_share {
    struct analysis_share_of which;
    bool shared;                        /* there are others */
    bool idle;                          /* a rank that has nothing to do: it cannot be shared */
    bool said;                          /* ...as the user said, who may start one part alone */
    bool draws;                         /* parts hold what a picture needs, too */
    bool merges;                        /* the second pass: all parts are there */
    int parent;                         /* where the folder is */
    int folder;                         /* or -1 */
    char name[REPORT_SHARE_NAME_BYTES]; /* the folder's */
    char run[REPORT_SHARE_HASH_BYTES];
};

/* What the launcher says, or --part N/COUNT; *jobs becomes 1 where a launcher has started several and the
 * user did not say. `draws`: a page or picture is asked for. 0, or -EINVAL after one line. */
int report_share_read(struct report_share *share, const char *part, bool draws, unsigned *jobs,
                      bool jobs_are_said);

/* Before the reading: makes the folder, in `parts` (NULL: with the archive `path`), and says that this rank
 * is at work. 0, or a negative errno after one line. */
int report_share_enter(struct report_share *share, const char *path, const char *parts,
                       const struct report_words *words);

/* Keeps this rank's part. 0, or a negative errno with one line in `error`. */
int report_share_keep(const struct report_share *share, const struct omptape_partial *partial, char *error,
                      size_t error_bytes);

/* A part; an omptape_analysis_part_source. */
int report_share_load(void *share, uint32_t number, struct omptape_partial *partial);

enum report_share_end {
    REPORT_SHARE_OTHERS_GO_ON, /* somebody else will print, or has */
    REPORT_SHARE_PRINT,        /* all parts are there, and it is for this rank to print */
    REPORT_SHARE_FAILED,       /* not all are there: which, was said in lines */
};

/* This rank's part is there, or (`good` false) will not be. */
enum report_share_end report_share_leave(struct report_share *share, bool good);

/* It is printed: nothing is left behind. Or it is not, for an error: the parts stay for another run. */
void report_share_remove(struct report_share *share, bool printed);

void report_share_close(struct report_share *share);
