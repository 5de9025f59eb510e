/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The properties of a unified archive: what holds for all processes once, sums, and the rest for each as a
 * property of its location group.
 */
#ifndef OMPTAPE_UNIFY_PROPERTIES_H
#define OMPTAPE_UNIFY_PROPERTIES_H

#include "src/unify/model.h"

/* Is it a count, of which the unified archive has the sum? */
bool omptape_unify_is_sum(const char *key);
/* What is each process's own becomes definitions; before the strings are written. */
void omptape_unify_define_properties(struct omptape_unify_model *model);
/* After that: sets the properties of the archive to be. */
void omptape_unify_write_properties(struct omptape_unify_model *model, OTF2_Archive *archive);

#endif
