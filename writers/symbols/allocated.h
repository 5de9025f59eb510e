/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The line of a task that clang gives none: its memory is asked for by a call right before, which has it.
 */
#ifndef OMPTAPE_WRITERS_SYMBOLS_ALLOCATED_H
#define OMPTAPE_WRITERS_SYMBOLS_ALLOCATED_H

#include "writers/symbols/loaded.h"

#include <stdbool.h>

/* `call`: the call that creates the task, by its last byte, or the jump. False if it creates none, or if not
 * every task of the function is created right behind its own allocation: then calls were merged. */
bool omptape_allocated_line(struct omptape_loaded *loaded, const struct omptape_loaded_place *call,
                            const char **file, unsigned *line);

#endif
