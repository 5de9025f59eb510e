/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The search for an LLVM OpenMP runtime that can stand in for GNU's libgomp: one that knows OMPT and offers
 * all that a program asks of libgomp.so.1.
 */
#ifndef OMPTAPE_COMMAND_PROGRAM_RUNTIME_H
#define OMPTAPE_COMMAND_PROGRAM_RUNTIME_H

#include "src/command/program/libraries.h"
#include "src/core/string_list.h"

#include <stdbool.h>

struct omptape_runtime {
    char *path;    /* of the runtime found, absolute (owned), or NULL */
    char *lacking; /* what the best candidate lacks, "GOMP_5.1" (owned), or NULL: there was no candidate */
    char *best;    /* that candidate (owned), or NULL */
};

/* Looks at `asked` alone if given (a file, or a folder that holds one), else in LD_LIBRARY_PATH and where
 * distributions install it, the newest first; one that the program loads anyway goes before all. `demands`
 * comes from omptape_elf_demands; with `only_versions` the single symbols in it are not asked for. 0, or
 * -ENOENT with `best` and `lacking` set as far as known. Free with omptape_runtime_free in any case. */
int omptape_runtime_find(const char *asked, const struct omptape_libraries *libraries,
                         const struct omptape_string_list *demands, bool only_versions,
                         struct omptape_runtime *runtime);
void omptape_runtime_free(struct omptape_runtime *runtime);

#endif
