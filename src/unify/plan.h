/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The step from parts to the unified archive. It is prepared in a hidden folder, with a plan of what is to be
 * moved; one rename of that folder decides that it will happen, and from then on it can be completed any
 * number of times, by any process that holds the lock.
 */
#ifndef OMPTAPE_UNIFY_PLAN_H
#define OMPTAPE_UNIFY_PLAN_H

#include "src/unify/model.h"
#include "src/unify/progress.h"

#include <stdbool.h>
#include <stddef.h>

/* The name of the folder in which this process prepares. Removed by whoever comes next if it is killed. */
void omptape_unify_staging_name(char *name, size_t bytes, long pid);

/* Folders are descriptors. Writes the plan for the model's parts, which are in `folder`, into the folder
 * `staging` in which its definitions are. 0 or negative errno. */
int omptape_unify_plan_write(const struct omptape_unify_model *model, int folder, int staging);

/* Decides: from now on the parts are to become one. `name` is that of the folder `staging`. 0 or negative
 * errno. */
int omptape_unify_plan_decide(int folder, int staging, const char *name,
                              struct omptape_unify_progress *progress);

/* True if a plan was decided and not completed. */
bool omptape_unify_plan_pending(int folder);

/* Completes the decided plan. *copied is set if files had to be copied from another file system. 0, or
 * negative errno with a phrase in `what` that names a file; then the next call goes on from there. */
int omptape_unify_plan_complete(int folder, struct omptape_unify_progress *progress, bool *copied, char *what,
                                size_t bytes);

/* Removes what killed processes have left behind. */
void omptape_unify_plan_tidy(int folder);

#endif
