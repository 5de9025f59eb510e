/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writing the unified archive without its events, once all parts are read and the clocks are dated. What goes
 * wrong is noted in the model.
 */
#ifndef OMPTAPE_UNIFY_WRITING_H
#define OMPTAPE_UNIFY_WRITING_H

#include "src/unify/model.h"

/* write.c: writes definitions, anchor and markers to `folder`/traces.*. 0, or -1 with model->error set. */
int omptape_unify_write(struct omptape_unify_model *model, int folder);

/* write_global.c: the global definitions. */
void omptape_unify_write_global(struct omptape_unify_model *model, OTF2_GlobalDefWriter *out);

/* properties.c: what holds for all processes once, sums, and the rest for each as a property of its location
 * group. What is each process's own becomes definitions, before the strings are written; */
void omptape_unify_define_properties(struct omptape_unify_model *model);
/* then the archive gets the others. */
void omptape_unify_write_properties(struct omptape_unify_model *model, OTF2_Archive *archive);
/* Is it a count, of which the unified archive has the sum? */
bool omptape_unify_is_sum(const char *key);

#endif
