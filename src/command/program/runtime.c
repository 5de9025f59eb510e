/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Searches the machine for LLVM's OpenMP runtime and compares what it offers with what a program demands.
 * Called by gomp.c.
 */
#include "src/command/program/runtime.h"

#include "src/command/program/elf.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const file_names[] = {"libomp.so.5", "libomp.so", "libiomp5.so"};
enum { FILE_NAMES = sizeof(file_names) / sizeof(file_names[0]) };

static void add_folder(struct omptape_string_list *candidates, const char *folder)
{
    for (size_t i = 0; i < FILE_NAMES; i++) {
        char *path = omptape_text("%s/%s", folder, file_names[i]);
        omptape_string_list_add(candidates, path);
        free(path);
    }
}

static int newest_first(const void *a, const void *b)
{
    return strverscmp(*(char *const *)b, *(char *const *)a);
}

static void add_folders(struct omptape_string_list *candidates, const char *pattern)
{
    glob_t found;

    if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
        return;
    qsort(found.gl_pathv, found.gl_pathc, sizeof(*found.gl_pathv), newest_first);
    for (size_t i = 0; i < found.gl_pathc; i++)
        add_folder(candidates, found.gl_pathv[i]);
    globfree(&found);
}

static void add_loaded(struct omptape_string_list *candidates, const struct omptape_libraries *libraries)
{
    static const char *const prefixes[] = {"libomp.so", "libiomp5.so"};

    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        const struct omptape_library *library = omptape_libraries_find(libraries, prefixes[i]);
        if (library != NULL && library->path != NULL)
            omptape_string_list_add(candidates, library->path);
    }
}

static void add_installed(struct omptape_string_list *candidates)
{
    static const char *const patterns[] = {"/usr/lib/llvm-*/lib",
                                           "/usr/lib64/llvm*/lib*",
                                           ("/usr/lib/" OMPTAPE_MULTIARCH),
                                           "/usr/lib64",
                                           "/usr/lib",
                                           ("/usr/local/lib/" OMPTAPE_MULTIARCH),
                                           "/usr/local/lib64",
                                           "/usr/local/lib",
                                           "/opt/rocm*/llvm/lib",
                                           "/opt/rocm*/lib/llvm/lib"};
    struct omptape_string_list folders = {0};
    const char *library_path = getenv("LD_LIBRARY_PATH");

    if (library_path != NULL)
        omptape_string_list_split(&folders, library_path, ':');
    for (size_t i = 0; i < folders.count; i++)
        if (*folders.items[i])
            add_folder(candidates, folders.items[i]);
    omptape_string_list_free(&folders);
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
        add_folders(candidates, patterns[i]);
}

static void add_asked(struct omptape_string_list *candidates, const char *asked)
{
    struct stat status;

    if (stat(asked, &status) == 0 && S_ISDIR(status.st_mode))
        add_folder(candidates, asked);
    else
        omptape_string_list_add(candidates, asked);
}

/* The first thing that the file lacks (owned), or NULL if it lacks nothing. */
static char *find_lacking(const char *path, const struct omptape_string_list *demands, bool only_versions)
{
    static const char *const always[] = {"ompt_start_tool", "__kmpc_fork_call", "GOMP_parallel"};
    struct omptape_string_list offers = {0};
    struct omptape_elf elf;
    char *lacking = NULL;

    int error = omptape_elf_read(path, &elf);
    bool foreign = elf.foreign;
    omptape_elf_free(&elf);
    if (error != 0)
        return omptape_text("ELF format");
    if (foreign)
        return omptape_text("this machine's format");
    (void)omptape_elf_offers(path, &offers);
    omptape_string_list_sort(&offers);
    for (size_t i = 0; i < sizeof(always) / sizeof(always[0]) && lacking == NULL; i++)
        if (!omptape_string_list_find(&offers, always[i]))
            lacking = omptape_text("%s", always[i]);
    for (size_t i = 0; i < demands->count && lacking == NULL; i++) {
        const char *demand = demands->items[i];
        if (omptape_string_list_find(&offers, demand) || (only_versions && *demand != '@'))
            continue;
        lacking = omptape_text("%.*s", *demand == '@' ? 255 : (int)strcspn(demand, "@"),
                               *demand == '@' ? demand + 1 : demand);
    }
    omptape_string_list_free(&offers);
    return lacking;
}

int omptape_runtime_find(const char *asked, const struct omptape_libraries *libraries,
                         const struct omptape_string_list *demands, bool only_versions,
                         struct omptape_runtime *runtime)
{
    struct omptape_string_list candidates = {0};

    *runtime = (struct omptape_runtime){0};
    if (asked != NULL) {
        add_asked(&candidates, asked);
    } else {
        add_loaded(&candidates, libraries);
        add_installed(&candidates);
    }
    for (size_t i = 0; i < candidates.count && runtime->path == NULL; i++) {
        char *path = realpath(candidates.items[i], NULL);
        if (path == NULL)
            continue;
        char *lacking = find_lacking(path, demands, only_versions);
        const char *shown = candidates.items[i][0] == '/' ? candidates.items[i] : path;
        if (lacking == NULL)
            runtime->path = omptape_text("%s", shown);
        else if (runtime->best == NULL)
            runtime->best = omptape_text("%s", shown);
        if (lacking != NULL && runtime->lacking == NULL)
            runtime->lacking = lacking;
        else
            free(lacking);
        free(path);
    }
    omptape_string_list_free(&candidates);
    return runtime->path != NULL ? 0 : -ENOENT;
}

void omptape_runtime_free(struct omptape_runtime *runtime)
{
    free(runtime->path);
    free(runtime->lacking);
    free(runtime->best);
    *runtime = (struct omptape_runtime){0};
}
