/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `omptape report` as the ranks of a job (srun, mpirun): each rank analyses a part of the archive's
 * processes. The ranks communicate only through a folder that all of them reach. The last rank merges the
 * parts and prints. For report.c, on its one thread.
 *
 * The folder is FOLDER/.omptape-report-HASH. The hash covers the options that parts depend on, so the parts
 * of a failed run can be reused. It contains part-N, and for each run the links live-RUN-N (claim of a
 * working rank), done-RUN-N and print-RUN. RUN is derived from the launcher's name for the run.
 */
#pragma once

#include "src/analysis/reduce/share.h"
#include "src/command/report/choice.h"

enum { REPORT_SHARE_HASH_BYTES = 20, REPORT_SHARE_NAME_BYTES = 64 };

struct report_share {
    struct analysis_share_of which;
    bool shared;                        /* there are several ranks */
    bool idle;                          /* a rank without work, because the work cannot be divided */
    bool is_explicit;                   /* given by --part; the user may start a single part */
    bool draws;                         /* parts also contain the data of a picture */
    bool merges;                        /* second pass: all parts exist */
    int parent;                         /* descriptor of the folder's parent */
    int folder;                         /* descriptor of the folder; -1 if not open */
    char name[REPORT_SHARE_NAME_BYTES]; /* name of the folder */
    char run[REPORT_SHARE_HASH_BYTES];
};

/* Reads the launcher's variables, or --part N/COUNT. *jobs becomes the rank's processors if a launcher
 * started several ranks and the user did not set it. `draws` is true for a page or picture. Returns 0, or
 * -EINVAL after one line. */
int report_share_read(struct report_share *share, const char *part, bool draws, unsigned *jobs,
                      bool jobs_are_given);

/* Creates the folder before the archive is read, in `texts->parts` (NULL: next to the archive `path`), and
 * this rank's claim. Returns 0, or negative errno after one line. */
int report_share_join(struct report_share *share, const char *path, const struct report_option_texts *texts);

/* Stores this rank's part. Returns 0, or negative errno with one line in `error`. */
int report_share_store(const struct report_share *share, const struct omptape_partial *partial, char *error,
                       size_t error_bytes);

/* Loads a part; an omptape_analysis_part_source. */
int report_share_load(void *share, uint32_t number, struct omptape_partial *partial);

enum report_share_end {
    REPORT_SHARE_OTHERS_CONTINUE, /* another rank prints, or has printed */
    REPORT_SHARE_PRINT,           /* all parts exist, and this rank prints */
    REPORT_SHARE_FAILED,          /* parts are missing; lines about them were printed */
};

/* Marks this rank's part as complete, or as failed if `good` is false. */
enum report_share_end report_share_finish(struct report_share *share, bool good);

/* Removes the folder after printing. If an error prevented printing, the parts stay for another run. */
void report_share_remove(struct report_share *share, bool printed);

void report_share_close(struct report_share *share);
