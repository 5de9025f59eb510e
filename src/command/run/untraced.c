/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Explains why a program left no trace (run.h).
 */
#include "src/command/run/program.h"
#include "src/command/run/run.h"
#include "src/command/text/notice.h"
#include "src/core/string_list.h"
#include "src/core/words.h"
#include "src/folder/archive_files.h"
#include "src/folder/beneath.h"
#include "src/folder/named_folder.h"
#include "src/job/job.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Returns the OpenMP runtime that the program is linked with, found by its symbols, else by its name. */
static const struct run_library *find_runtime(const struct libraries *libraries)
{
    static const char *const prefixes[] = {"libnvomp.so", "libcraymp", "libarcher.so", "libomptarget."};
    const struct run_library *library = libraries_find_runtime(libraries, false);
    if (library == NULL)
        library = libraries_find_runtime(libraries, true);
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]) && library == NULL; i++)
        library = libraries_find(libraries, prefixes[i]);
    return library;
}

static void explain_wrapper(const struct wrapper *wrapper)
{
    char *advice = wrapper_advice(wrapper);
    omptape_notice("nothing was traced: %s %s, so libomptape.so was not loaded%s", wrapper->name,
                   wrapper->does, advice);
    free(advice);
}

void untraced_explain_user(const char *name, uid_t user, const char *folder)
{
    char owner[OMPTAPE_OWNER_BYTES];
    const struct omptape_quoted quoted = omptape_quoted(folder != NULL ? folder : ".");
    const int opened = folder != NULL ? omptape_beneath_open_named(folder) : -1;
    omptape_owner_name(user, owner, sizeof(owner));
    const bool there = opened >= 0 && omptape_archive_files_exist(opened);
    omptape_close(opened);
    if (there)
        omptape_notice("%s became %s, and its archive is that user's: %s/" OMPTAPE_ARCHIVE_ANCHOR, name,
                       owner, quoted.text);
    else
        omptape_notice(
            "nothing was traced: %s became %s and never used OpenMP after that, or could not write to "
            "%s (-o names a folder of that user's)",
            name, owner, quoted.text);
}

void untraced_explain(char *const *argv, const struct run_program *program, const struct libraries *libraries)
{
    const char *name = argv[0];
    const struct wrapper *wrapper = wrapper_find(argv);
    const char *switched = getenv("OMP_TOOL");
    const struct run_library *library = find_runtime(libraries);
    const char *runtime = NULL;
    if (library != NULL)
        runtime = library->path != NULL ? library->path : library->name;
    if (switched != NULL && switched[0] != '\0' && strcasecmp(switched, "enabled") != 0)
        omptape_notice("nothing was traced: OMP_TOOL=%s keeps the OpenMP runtime from loading omptape",
                       switched);
    else if (program->foreign)
        omptape_notice("nothing was traced: %s is built for %s, and libomptape.so is not", name,
                       program->machine);
    else if (wrapper != NULL)
        explain_wrapper(wrapper);
    else if (omptape_launcher_is(name))
        omptape_notice("nothing was traced on this node: no program that %s started here used MPI or an "
                       "OpenMP runtime that can be traced",
                       name);
    else if (library != NULL && library == libraries_find_runtime(libraries, true))
        omptape_notice("nothing was traced: %s never called its OpenMP runtime %s, or past omptape (from a "
                       "library loaded with RTLD_DEEPBIND, or by dlsym)",
                       name, runtime);
    else if (runtime != NULL)
        omptape_notice("nothing was traced: %s never used OpenMP, or its runtime %s has no OMPT "
                       "(OMP_TOOL_VERBOSE_INIT=stderr tells)",
                       name, runtime);
    else if (program->script)
        omptape_notice(
            "nothing was traced: no program that %s started used MPI or an OpenMP runtime that can "
            "be traced",
            name);
    else if (program->binary != NULL && elf_defines(program->binary, "__kmpc_fork_call"))
        omptape_notice("nothing was traced: %s never used the OpenMP runtime it holds, or that has no OMPT, "
                       "or holds a tool, too (OMP_TOOL_VERBOSE_INIT=stderr tells)",
                       name);
    else if (program->binary != NULL && elf_defines(program->binary, "GOMP_parallel"))
        omptape_notice(
            "nothing was traced: %s holds GNU's libgomp (linked statically), whose calls cannot be "
            "recorded",
            name);
    else if (libraries_find(libraries, "libmpi") != NULL)
        omptape_notice("nothing was traced: %s never called MPI_Init, and has no OpenMP runtime among its "
                       "libraries",
                       name);
    else
        omptape_notice("nothing was traced: %s has neither MPI nor an OpenMP runtime among its libraries "
                       "(was it compiled with -fopenmp?)",
                       name);
}

static const struct wrapper cleared = {"env -i", "clears the environment"};
static const struct wrapper unset = {"env -u LD_PRELOAD", "takes LD_PRELOAD out of the environment"};

static const char own_environment[] = "gives its program an environment of its own";
static const char elsewhere[] = "starts its program on another host, without this environment";
static const char contained[] = "runs its program in a container, without this environment";

static const struct wrapper wrappers[] = {
    {"sudo", own_environment},    {"doas", own_environment},   {"su", own_environment},
    {"runuser", own_environment}, {"pkexec", own_environment}, {"systemd-run", own_environment},
    {"ssh", elsewhere},           {"rsh", elsewhere},          {"pdsh", elsewhere},
    {"clush", elsewhere},         {"docker", contained},       {"podman", contained},
    {"apptainer", contained},     {"singularity", contained},  {"ch-run", contained},
    {"enroot", contained},        {"shifter", contained},      {"sarus", contained},
};

static const char *const transparent[] = {"timeout", "nice",    "ionice", "nohup", "setsid", "stdbuf",
                                          "taskset", "numactl", "chrt",   "time",  "env",    "strace"};

static bool is_one_of(const char *word, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, names[i]) == 0)
            return true;
    return false;
}

/* Parses env's options, up to the first word that is neither an option nor NAME=VALUE. */
static const struct wrapper *find_in_env(char *const *arguments)
{
    for (; *arguments != NULL && ((*arguments)[0] == '-' || strchr(*arguments, '=') != NULL); arguments++) {
        const char *word = *arguments;
        if (strcmp(word, "-") == 0 || strcmp(word, "--ignore-environment") == 0 ||
            (word[0] == '-' && word[1] != '-' && word[strcspn(word, "iuCS")] == 'i'))
            return &cleared;
        if (strcmp(word, "-uLD_PRELOAD") == 0 || strcmp(word, "--unset=LD_PRELOAD") == 0 ||
            (strcmp(word, "-u") == 0 && arguments[1] != NULL && strcmp(arguments[1], "LD_PRELOAD") == 0))
            return &unset;
        if (strcmp(word, "-u") == 0 && arguments[1] != NULL)
            arguments++;
    }
    return NULL;
}

const struct wrapper *wrapper_find(char *const *argv)
{
    bool behind = false;
    for (; *argv != NULL; argv++) {
        const char *name = omptape_base_name(*argv);
        const struct wrapper *found = strcmp(name, "env") == 0 ? find_in_env(argv + 1) : NULL;
        for (size_t i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]) && found == NULL; i++)
            if (strcmp(name, wrappers[i].name) == 0)
                found = &wrappers[i];
        if (found != NULL)
            return found;
        /* After a transparent program come its own arguments and then the wrapped program's name. */
        behind = behind || is_one_of(name, transparent, sizeof(transparent) / sizeof(transparent[0]));
        if (!behind)
            return NULL;
    }
    return NULL;
}

char *wrapper_advice(const struct wrapper *wrapper)
{
    if (wrapper == NULL)
        return omptape_text("%s", "");
    return omptape_text("; put omptape behind it: %s omptape PROGRAM", wrapper->name);
}
