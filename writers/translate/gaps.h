/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Gaps in a thread's records: each has a marker, and what was going on before it may long be over.
 */
#ifndef OMPTAPE_WRITERS_TRANSLATE_GAPS_H
#define OMPTAPE_WRITERS_TRANSLATE_GAPS_H

#include "writers/model/model.h"

/* The location's thread, which has ended or will be heard no more, dropped so many events in all. Marks those
 * that no record told of. `location` may be NULL. */
void omptape_gaps_close(struct omptape_writer *writer, struct omptape_location *location, uint64_t events);

#endif
