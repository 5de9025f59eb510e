/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The command as one of many: `mpirun -n 4 omptape PROGRAM` starts it once for each rank. Together they fill
 * one folder and say one word.
 */
#ifndef OMPTAPE_COMMAND_RUN_RANK_H
#define OMPTAPE_COMMAND_RUN_RANK_H

#include "src/command/run/report.h"
#include "src/core/options.h"
#include "src/job/marks.h"

struct omptape_rank {
    struct omptape_job job;
    struct omptape_job_marks marks; /* entered: this command is one of several */
    bool unify;
    bool explain; /* --report */
};

/* True if this process is one of several ranks. */
bool omptape_rank_is_one(struct omptape_rank *rank);

/* Joins the job's folder and passes it on to the program. 0, or negative errno after one line that says what
 * is wrong. */
int omptape_rank_begin(struct omptape_rank *rank, const struct omptape_options *options);

/* Says what went wrong in this rank; the last rank of the job makes one archive, and says what
 * costs most in it and where it is. True if
 * this was the last and no rank was traced. `killed`: the program was ended by a signal. */
bool omptape_rank_end(struct omptape_rank *rank, struct omptape_report *report, bool killed);

#endif
