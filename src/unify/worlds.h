/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Communicators with processes of several MPI_COMM_WORLDs, each of which knows but its own world: the last
 * step before the definitions are written, once all parts are read and dated.
 */
#ifndef OMPTAPE_UNIFY_WORLDS_H
#define OMPTAPE_UNIFY_WORLDS_H

#include "src/unify/model.h"

/* Brings their sides together. Processes that left no archive, and those of whom it cannot be told which
 * they are, get places in MPI's list that lead nowhere. What goes wrong is noted in the model. */
void omptape_unify_settle_worlds(struct omptape_unify_model *model);

#endif
