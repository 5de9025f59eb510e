/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a loop stands whose bounds are told by functions that were inlined: gcc gives the call that begins it
 * no line, and the line table then has that of the last bound's function.
 */
#ifndef OMPTAPE_WRITERS_SYMBOLS_BOUNDS_H
#define OMPTAPE_WRITERS_SYMBOLS_BOUNDS_H

#include "writers/symbols/loaded.h"

#include <stdbool.h>
#include <stddef.h>

/* `call` is the last byte of a call. True if it begins a loop of libgomp's and lies in the code of an inlined
 * function that is none of the loop's: then where that one is called, as far as it is known the line of the
 * construct above it, and how many of the functions inlined there are around the loop. */
bool omptape_bounds_find(struct omptape_loaded *loaded, const struct omptape_loaded_place *call,
                         const char **file, unsigned *line, size_t *around);

#endif
