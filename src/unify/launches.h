/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Launches among the processes: a script may have started several programs with ranks from 0 each, which the
 * launcher's names of job and step tell apart.
 */
#ifndef OMPTAPE_UNIFY_LAUNCHES_H
#define OMPTAPE_UNIFY_LAUNCHES_H

#include "src/unify/model.h"
#include "src/unify/search.h"

/* Puts the parts in the order in which their locations come: what lies in the folder itself, the ranks of one
 * launch after those of another as these began, other processes; each as they were. `indexes`, of as many
 * numbers, is put in the same order; `looked_at` is the number of the part that is being read, in case
 * libotf2 crashes on it. 0 or -ENOMEM. `folder`: the output folder. */
int omptape_unify_order(struct omptape_unify_model *model, int folder, uint32_t *indexes,
                        uint32_t *looked_at);

/* Which ranks the launches had and nobody recorded, and why, as one line; "": all are there. Once all parts
 * are read; `search` has those that are left out. Makes a warning of the archive for each launch and reason.
 */
void omptape_unify_find_missing(struct omptape_unify_model *model, const struct omptape_unify_search *search,
                                char *text, size_t bytes);

#endif
