/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Between unification and what it finds of the order of messages (src/unify/order/).
 */
#ifndef OMPTAPE_UNIFY_MENDING_H
#define OMPTAPE_UNIFY_MENDING_H

#include "src/unify/model.h"
#include "src/unify/order/links.h"
#include "src/unify/progress.h"

/* What is to be mended: the unified archive in `dir`, of which this is known. */
struct omptape_unify_mending {
    const char *dir;
    struct omptape_order_counts counts;
};

/* Counts in a child process, because libotf2 may crash. 0, or negative errno with a line in `error`. */
int omptape_unify_count(const char *dir, struct omptape_order_counts *counts,
                        struct omptape_unify_progress *progress, char *error, size_t bytes);

/* Does anything come before what it needs? */
static inline bool omptape_unify_is_early(const struct omptape_order_counts *counts)
{
    return counts->received_early + counts->left_early > 0;
}

/* What a user should know of it, or an empty line. `mended`: what could be mended is. */
void omptape_unify_describe_order(const char *dir, const struct omptape_order_counts *counts, bool mended,
                                  char *line, size_t bytes);

/* In the child of the staging, when the unified archive has been read and dated: sets model->mended, and the
 * dating's range. 0, or -1 with model->error set. */
int omptape_unify_mend(struct omptape_unify_model *model, const struct omptape_unify_mending *mending,
                       volatile uint64_t *beats);

#endif
