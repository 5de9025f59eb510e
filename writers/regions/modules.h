/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Keeps up with what code the traced program has loaded, so that call sites can be resolved after it is gone.
 */
#pragma once

#include "writers/state/writer.h"

/* Makes sure that the module of `address` is remembered, if the program still runs and has one there. */
void omptape_modules_cover(struct omptape_writer *writer, uint64_t address);
/* Remembers the modules in the copy of the memory map that the library made, as a file at `fd`, which this
 * closes. */
void omptape_modules_take(struct omptape_writer *writer, int fd);
/* Remembers code that the program's library saw at [begin, end), mapped from `offset` of the file at `path`.
 */
void omptape_modules_add(struct omptape_writer *writer, uint64_t begin, uint64_t end, uint64_t offset,
                         const char *path, size_t path_length);
/* Remembers all modules that the program has loaded now. */
void omptape_modules_refresh(struct omptape_writer *writer);
