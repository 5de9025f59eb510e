/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records which code the traced program has loaded, so that call sites can be resolved after it was unloaded.
 */
#pragma once

#include "writers/state/writer.h"

/* Ensures that the module of `address` is recorded, if the program still runs and has one there. */
void omptape_modules_cover(struct omptape_writer *writer, uint64_t address);
/* Records the modules in the library's copy of the memory map. Reads it from `fd`, and closes `fd`. */
void omptape_modules_take(struct omptape_writer *writer, int fd);
/* Records code that the program's library saw at [begin, end) at `time`, mapped from `offset` of the file at
 * `path`. If the program still has it there, its maps tell which file that is: another one at its path is not
 * read. The maps are read again if they were read before `time`. */
void omptape_modules_add(struct omptape_writer *writer, uint64_t time, uint64_t begin, uint64_t end,
                         uint64_t offset, const char *path, size_t path_length);
/* Records all modules that the program has loaded now. */
void omptape_modules_refresh(struct omptape_writer *writer);
/* Frees the maps that were read last. */
void omptape_modules_free(struct omptape_writer *writer);
