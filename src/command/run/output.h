/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The folder that --output names: made absolute, created, and never shared with an archive of an earlier run.
 */
#ifndef OMPTAPE_COMMAND_RUN_OUTPUT_H
#define OMPTAPE_COMMAND_RUN_OUTPUT_H

#include <stdbool.h>

struct omptape_run_output {
    char *folder; /* absolute (owned) */
    char *aside;  /* where an archive that is to be replaced waits (owned), or NULL */
    bool created; /* by this call; empty until a writer fills it */
    bool claimed; /* for this run, against others that are given the same folder */
    bool alone;   /* no other folder was in it: what will be there is this run's */
};

/* Claims the folder `asked`, which the user `named`. Where another run or another user has it, or with
 * `force` false where an archive is in it, the first of asked-2, asked-3, ... that does not exist is claimed,
 * and a line says so. With `force` the old archive is set aside. A name that is omptape's own is one that did
 * not exist: others may know it beforehand. 0, or negative errno after one line that says what is wrong. Free
 * with omptape_run_output_end. */
int omptape_run_output_claim(const char *asked, bool named, bool force, struct omptape_run_output *output);

/* For --strict: can something be written in the folder? Tries with a file that nobody sees. True, or false
 * after one line. */
bool omptape_run_output_try(const char *folder);

/* Deletes the replaced archive, or restores it if no new one came; removes the folder again if it was created
 * for nothing. */
void omptape_run_output_end(struct omptape_run_output *output);

#endif
