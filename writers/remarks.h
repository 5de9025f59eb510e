/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the user asked for and did not get: an archive with nothing in it, or rules that nothing matched.
 */
#ifndef OMPTAPE_WRITERS_REMARKS_H
#define OMPTAPE_WRITERS_REMARKS_H

#include "writers/model/model.h"

/* Calls `add` with one line each. When all locations are closed. */
void omptape_remarks(struct omptape_writer *writer,
                     void (*add)(struct omptape_writer *writer, const char *text));

#endif
