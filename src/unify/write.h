/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writing the unified archive without its events, once all parts are read and the clocks are dated. What goes
 * wrong is noted in the model.
 */
#ifndef OMPTAPE_UNIFY_WRITE_H
#define OMPTAPE_UNIFY_WRITE_H

#include "src/unify/model.h"

/* Writes definitions, anchor and markers to `folder`/trace.*. 0, or -1 with model->error set. */
int omptape_unify_write(struct omptape_unify_model *model, int folder);

/* write_global.c: the global definitions. */
void omptape_unify_write_global(struct omptape_unify_model *model, OTF2_GlobalDefWriter *out);

#endif
