/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The end of an archive: closes what is open, writes the definitions and the properties. Once when the
 * program is over, and in the child that writes a snapshot or a checkpoint.
 */
#ifndef OMPTAPE_WRITERS_FINISH_H
#define OMPTAPE_WRITERS_FINISH_H

#include "writers/model/ending.h"
#include "writers/watch.h"

/* The ending of a program that `watch` saw, or that told us itself. */
struct omptape_ending omptape_finish_ending(struct omptape_writer *writer, const struct omptape_watch *watch);

/* Closes the archive. What went wrong is in its error text. */
void omptape_finish(struct omptape_writer *writer, const struct omptape_ending *ending);

#endif
