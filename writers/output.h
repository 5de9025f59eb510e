/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses and creates the archive's folder, and never overwrites a finished archive.
 */
#pragma once

#include "src/job/marks.h"
#include "src/job/unify.h"

#include <omptape/settings.h>
#include <stddef.h>

struct omptape_output {
    char folder[OMPTAPE_PATH_BYTES]; /* Absolute path; the archive is folder/traces.otf2. */
    /* Open descriptor of the folder; files in it are accessed only through this descriptor. */
    int descriptor;
    /* Reason why the requested folder was refused because of other users or links; empty if it was not. */
    char refusal[1024];
    struct omptape_job_marks marks; /* Marks in the folder that the ranks of a job share. */
};

/* Returns 0, or negative errno with `folder` naming the path that could not be created. */
int omptape_output_choose(struct omptape_output *output, const struct omptape_settings *settings);
/* Creates a folder inside the archive's folder, named `name`-`number`, or with the next free number. */
int omptape_output_inside(struct omptape_output *inside, const struct omptape_output *output,
                          const char *name, unsigned number);
/* Marks the folder with an anchor. Called when the archive is complete or will not be written. */
void omptape_output_release(const struct omptape_output *output);
/* Closes the folder's descriptor. */
void omptape_output_close(struct omptape_output *output);
/* Called after release for a process archive of a job. The last process of the job unifies the archives,
 * unless the command that waits for this process will. `lines` receives messages for the user. */
void omptape_output_leave(struct omptape_output *output, const struct omptape_settings *settings,
                          bool is_report_read, struct omptape_job_lines *lines);
