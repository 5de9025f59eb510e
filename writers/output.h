/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the archive goes: chooses and makes its folder, so that no finished archive is ever touched.
 */
#ifndef OMPTAPE_WRITERS_OUTPUT_H
#define OMPTAPE_WRITERS_OUTPUT_H

#include "src/job/marks.h"
#include "src/job/unify.h"

#include <omptape/settings.h>
#include <stddef.h>

struct omptape_output {
    char folder[OMPTAPE_PATH_BYTES]; /* absolute; the archive is folder/traces.otf2 */
    int descriptor;                  /* of the folder; what is in it is reached by this alone */
    char refusal[1024]; /* why it is not the folder that was asked for, if others have to do with it */
    struct omptape_job_marks marks; /* in the folder that the ranks of a job share */
};

/* 0, or negative errno with `folder` naming what could not be made. */
int omptape_output_choose(struct omptape_output *output, const struct omptape_settings *settings);
/* The same for an archive inside another's folder: `name`-`number`, or the next number that is free. */
int omptape_output_inside(struct omptape_output *inside, const struct omptape_output *output,
                          const char *name, unsigned number);
/* The archive is complete, or there will be none: an anchor marks the folder from now on. */
void omptape_output_release(const struct omptape_output *output);
/* Closes the descriptor. */
void omptape_output_close(struct omptape_output *output);
/* Of a job's part, after that: the last of the job's processes makes one archive of the parts, unless the
 * command that waits for this process will. What the user should know of that goes to `lines`. */
void omptape_output_leave(struct omptape_output *output, const struct omptape_settings *settings,
                          bool is_report_read, struct omptape_job_lines *lines);

#endif
