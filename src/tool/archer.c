/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs under ThreadSanitizer. LLVM's runtime loads a tool of its own into them, Archer, which tells the
 * sanitizer how OpenMP orders what threads do; without it most programs are reported as full of races, and
 * exit with another code. A process can have one tool only, so that one goes first. Called by the runtime's
 * thread that looks for a tool.
 */
#include "src/tool/tool.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* The user keeps Archer out by its own variable. */
static bool is_switched_off(void)
{
    const char *options = getenv("ARCHER_OPTIONS");
    return options != NULL && strstr(options, "enable=0") != NULL;
}

bool omptape_archer_is_needed(void)
{
    if (dlsym(RTLD_DEFAULT, "__tsan_init") == NULL || is_switched_off())
        return false;
    void *archer = dlopen("libarcher.so", RTLD_LAZY);
    if (archer == NULL)
        return false;
    bool is_tool = dlsym(archer, "ompt_start_tool") != NULL;
    dlclose(archer);
    return is_tool;
}
