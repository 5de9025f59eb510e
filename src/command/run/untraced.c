/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Explains a missing archive. Called by the command's one thread after a run of which no writer reported.
 */
#include "src/command/run/untraced.h"

#include "src/command/program/elf.h"
#include "src/command/program/forward.h"
#include "src/command/program/notice.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Sonames of the OpenMP runtimes that programs link. */
static const struct omptape_library *find_runtime(const struct omptape_libraries *libraries)
{
    static const char *const prefixes[] = {"libomp.so", "libiomp5.so",  "libgomp.so",   "libnvomp.so",
                                           "libcraymp", "libarcher.so", "libomptarget."};
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        const struct omptape_library *library = omptape_libraries_find(libraries, prefixes[i]);
        if (library != NULL)
            return library;
    }
    return NULL;
}

void omptape_untraced_explain(const char *name, const struct omptape_program *program,
                              const struct omptape_libraries *libraries, const char *replacement)
{
    const char *switched = getenv("OMP_TOOL");
    const struct omptape_library *library = find_runtime(libraries);
    const char *runtime = NULL;

    if (library != NULL)
        runtime = library->path != NULL ? library->path : library->name;
    if (library != NULL && replacement != NULL)
        runtime = replacement;
    if (switched != NULL && strcmp(switched, "disabled") == 0)
        omptape_notice("nothing was traced: OMP_TOOL=disabled keeps the OpenMP runtime from loading omptape");
    else if (omptape_forward_is_launcher(name))
        omptape_notice("nothing was traced on this node: no program that %s started here used an OpenMP "
                       "runtime that can be traced",
                       name);
    else if (runtime != NULL)
        omptape_notice("nothing was traced: %s never used OpenMP, or its runtime %s has no OMPT "
                       "(OMP_TOOL_VERBOSE_INIT=stderr tells)",
                       name, runtime);
    else if (program->script)
        omptape_notice("nothing was traced: no program that %s started used an OpenMP runtime that can be "
                       "traced%s",
                       name, replacement != NULL ? "" : " (for programs built by gcc try --gomp=force)");
    else if (program->binary != NULL && omptape_elf_defines(program->binary, "__kmpc_fork_call"))
        omptape_notice("nothing was traced: %s never used the OpenMP runtime it holds, or that has no OMPT "
                       "(OMP_TOOL_VERBOSE_INIT=stderr tells)",
                       name);
    else
        omptape_notice("nothing was traced: %s has no OpenMP runtime among its libraries", name);
}
