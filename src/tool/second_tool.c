/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds another OMPT tool beside omptape. A runtime uses the first tool that accepts: in the address space,
 * then in OMP_TOOL_LIBRARIES, then LLVM's own tool for ThreadSanitizer (Archer). This file continues the
 * search after omptape, so that the other tool works as it would without omptape. Called on the thread on
 * which the runtime looks for a tool.
 */
#include "src/core/message.h"
#include "src/core/options.h"
#include "src/tool/tool.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef omptape_start_tool_function start_function;

/* Arguments of ompt_start_tool, and the tool that was found. */
struct search {
    unsigned omp_version;
    const char *runtime_version;
    ompt_start_tool_result_t *tool;
};

static char tool_path[OMPTAPE_PATH_BYTES];

static void ask(struct search *search, start_function *start, const char *path)
{
    Dl_info info;
    search->tool = start(search->omp_version, search->runtime_version);
    if (search->tool == NULL)
        return;
    if (path == NULL && dladdr(*(void **)&start, &info) != 0)
        path = info.dli_fname;
    if (path != NULL && strlen(path) < sizeof(tool_path))
        memcpy(tool_path, path, strlen(path) + 1);
}

static start_function *find_start(void *handle)
{
    start_function *start;
    *(void **)&start = dlsym(handle, "ompt_start_tool");
    return start;
}

/* Calls ompt_start_tool of the library `path`. omptape itself, under any path, is skipped. `why` receives the
 * reason if the library has no tool. */
static void query_library(struct search *search, const char *path, const char **why)
{
    void *handle = dlopen(path, RTLD_LAZY);
    *why = handle == NULL ? dlerror() : "it has no function ompt_start_tool";
    if (handle == NULL || dlsym(handle, "omptape_is_recording") != NULL)
        return;
    start_function *start = find_start(handle);
    if (start == NULL)
        return;
    *why = "it does not accept this runtime";
    ask(search, start, path);
}

static void query_listed_libraries(struct search *search, const char *list)
{
    char path[OMPTAPE_PATH_BYTES];
    const char *why;
    while (list != NULL && search->tool == NULL) {
        const size_t length = strcspn(list, ":");
        if (length > 0 && length < sizeof(path)) {
            memcpy(path, list, length);
            path[length] = '\0';
            query_library(search, path, &why);
        }
        list = list[length] == ':' ? list + length + 1 : NULL;
    }
}

/* Returns true for a program under ThreadSanitizer. LLVM's runtime loads Archer into it, which reports
 * OpenMP's synchronisation to the sanitizer. Without Archer the sanitizer reports races in most programs and
 * changes their exit code. Users disable Archer by its own variable. */
static bool archer_is_needed(void)
{
    const char *options = getenv("ARCHER_OPTIONS");
    return dlsym(RTLD_DEFAULT, "__tsan_init") != NULL &&
           (options == NULL || strstr(options, "enable=0") == NULL);
}

/* The runtime finds Archer by the program's search path, too. That usually is the runtime's folder. */
static void query_archer(struct search *search)
{
    const char *why;
    char path[OMPTAPE_PATH_BYTES];
    Dl_info runtime;
    query_library(search, "libarcher.so", &why);
    const void *entry = dlsym(RTLD_DEFAULT, "__kmpc_fork_call");
    if (search->tool != NULL || entry == NULL || dladdr(entry, &runtime) == 0)
        return;
    const char *slash = strrchr(runtime.dli_fname, '/');
    const int folder = slash != NULL ? (int)(slash - runtime.dli_fname) : 0;
    if (slash != NULL &&
        snprintf(path, sizeof(path), "%.*s/libarcher.so", folder, runtime.dli_fname) < (int)sizeof(path))
        query_library(search, path, &why);
}

const char *omptape_second_tool_path(void)
{
    return tool_path;
}

ompt_start_tool_result_t *omptape_second_tool_find(unsigned omp_version, const char *runtime_version)
{
    struct search search = {.omp_version = omp_version, .runtime_version = runtime_version};
    struct omptape_options options;
    const char *why = NULL;
    (void)omptape_options_read(&options, NULL, 0);
    if (options.with_tool != NULL && strcmp(options.with_tool, "none") == 0)
        return NULL;
    if (options.with_tool != NULL) {
        query_library(&search, options.with_tool, &why);
        if (search.tool == NULL)
            omptape_message("--with-tool: %s is no tool for this program: %s", options.with_tool, why);
        return search.tool;
    }
    start_function *const behind[] = {omptape_program_tool(), find_start(RTLD_NEXT)};
    for (size_t i = 0; i < 2 && search.tool == NULL; i++)
        if (behind[i] != NULL)
            ask(&search, behind[i], NULL);
    if (search.tool == NULL)
        query_listed_libraries(&search, getenv("OMP_TOOL_LIBRARIES"));
    if (search.tool == NULL && archer_is_needed())
        query_archer(&search);
    return search.tool;
}
