/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The libraries that a program's loader will load at its start, as the loader itself tells (what ldd shows).
 */
#ifndef OMPTAPE_COMMAND_RUN_LIBRARIES_H
#define OMPTAPE_COMMAND_RUN_LIBRARIES_H

#include "src/command/run/program.h"

#include <stdbool.h>
#include <stdint.h>

struct omptape_library {
    char *name; /* as asked for: "libgomp.so.1", or a path */
    char *path; /* the file, or NULL: not found */
};

struct omptape_libraries {
    struct omptape_library *items;
    uint32_t count;
    uint32_t capacity;
};

/* Asks the loader of program->binary. The program is not run.
 * 0, or negative errno: nothing is known, `libraries` is empty (the program has no loader, or one that cannot
 * tell). */
int omptape_libraries_read(const struct omptape_program *program, struct omptape_libraries *libraries);
void omptape_libraries_free(struct omptape_libraries *libraries);

/* The first library whose name, less its folder, starts with `prefix`; NULL if there is none. */
const struct omptape_library *omptape_libraries_find(const struct omptape_libraries *libraries,
                                                     const char *prefix);

/* The first one that is an OpenMP runtime by what it defines, whatever it is called: LLVM's kind (Intel's,
 * NVIDIA's), or GNU's libgomp. NULL if there is none. Reads the files. */
const struct omptape_library *omptape_libraries_find_runtime(const struct omptape_libraries *libraries,
                                                             bool gnu);

#endif
