/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The functions that compilers make of constructs' bodies, found from the call that hands them to the
 * runtime.
 */
#ifndef OMPTAPE_WRITERS_SYMBOLS_BODIES_H
#define OMPTAPE_WRITERS_SYMBOLS_BODIES_H

#include "writers/symbols/loaded.h"

#include <stdbool.h>
#include <stddef.h>

enum { OMPTAPE_MAX_BODIES = 64 };

/* True for the first byte of a body's function. Where libgomp's caller is not known for certain, this stands
 * for the construct in place of the call's last byte (callbacks/gomp/record.h). */
bool omptape_bodies_is_start(const struct omptape_loaded_place *place);

/* Where the function of the body begins that the construct hands to the runtime: `construct` is the jump to
 * the runtime, or the last byte of the call. For a construct that hands over none (a single, say) but stands
 * in another's body, that body. Where the one cannot be told from others all that it may be; returns how
 * many. A body's start is its own. */
size_t omptape_bodies_find(struct omptape_loaded *loaded, const struct omptape_loaded_place *construct,
                           struct omptape_loaded_place bodies[OMPTAPE_MAX_BODIES]);

/* Where the construct stands in the source as its body tells it, for constructs whose own call does not tell:
 * gcc gives it no line where no data is handed over, and so the line before it; and for a body's start. False
 * for all others. */
bool omptape_bodies_line(struct omptape_loaded *loaded, const struct omptape_loaded_place *construct,
                         const char **file, unsigned *line);

#endif
