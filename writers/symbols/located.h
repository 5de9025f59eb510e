/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether the line of a call to libgomp's functions is the call's own. gcc gives many of them none: what the
 * line table then says is the line of whatever stands before.
 */
#ifndef OMPTAPE_WRITERS_SYMBOLS_LOCATED_H
#define OMPTAPE_WRITERS_SYMBOLS_LOCATED_H

#include "writers/symbols/loaded.h"

#include <stdbool.h>
#include <stddef.h>

/* `call` is a jump to the runtime, or the last byte of a call. False where the line is another's, or may be.
 */
bool omptape_located(struct omptape_loaded *loaded, const struct omptape_loaded_place *call);

/* The line of a task that clang gives none: its memory is asked for by a call right before, which has it.
 * `call`: the call that creates the task, by its last byte, or the jump. False if it creates none, or if not
 * every task of the function is created right behind its own allocation: then calls were merged. */
bool omptape_allocated_line(struct omptape_loaded *loaded, const struct omptape_loaded_place *call,
                            const char **file, unsigned *line);

/* Where a loop stands whose bounds are told by functions that were inlined: gcc gives the call that begins
 * it no line, and the line table then has that of the last bound's function.
 * `call` is the last byte of a call. True if it begins a loop of libgomp's and lies in the code of an inlined
 * function that is none of the loop's: then where that one is called, as far as it is known the line of the
 * construct above it, and how many of the functions inlined there are around the loop. */
bool omptape_bounds_find(struct omptape_loaded *loaded, const struct omptape_loaded_place *call,
                         const char **file, unsigned *line, size_t *around);

#endif
