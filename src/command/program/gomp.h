/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs that use GNU's OpenMP runtime, libgomp, which cannot be traced (it has no OMPT): puts LLVM's
 * compatible runtime in its place, by a private folder in which libgomp.so.1 is that runtime.
 */
#ifndef OMPTAPE_COMMAND_PROGRAM_GOMP_H
#define OMPTAPE_COMMAND_PROGRAM_GOMP_H

#include "src/command/program/libraries.h"
#include "src/command/program/program.h"
#include "src/core/options.h"

#include <stdbool.h>

struct omptape_gomp_plan {
    char *runtime;      /* that takes libgomp's place (owned); NULL: none does */
    char *folder;       /* holds the link named libgomp.so.1 (owned); NULL: the program runs as it is */
    char *library_path; /* LD_LIBRARY_PATH for the program (owned), or NULL */
    /* runtime to preload as well (owned), or NULL: where the program's RPATH goes before LD_LIBRARY_PATH */
    char *preload;
    bool hopeless; /* the program runs on libgomp alone; a line has said why */
};

/* Decides, makes the folder, and says in one line what was done, or why nothing could be. `name` is what the
 * user calls the program. `plan` is to be ended with omptape_gomp_end in any case. */
void omptape_gomp_prepare(const char *name, const struct omptape_program *program,
                          const struct omptape_libraries *libraries, const struct omptape_options *options,
                          struct omptape_gomp_plan *plan);

/* The same for a program that a launcher or a script started, and whose process is being replaced: makes no
 * folder, which nobody would remove, and sets `runtime` and `preload` alone. Nothing else than the runtime's
 * own symbols goes before libgomp then, which is loaded all the same. */
void omptape_gomp_prepare_restart(const char *name, const struct omptape_program *program,
                                  const struct omptape_libraries *libraries,
                                  const struct omptape_options *options, struct omptape_gomp_plan *plan);

/* Removes the folder. Programs that still run keep their runtime. */
void omptape_gomp_end(struct omptape_gomp_plan *plan);

#endif
