/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decides whether a program runs on LLVM's runtime in libgomp's place, and prepares it. Called by
 * run.c, and by restart.c in the program's own process.
 */
#include "src/command/program/gomp.h"

#include "src/command/program/elf.h"
#include "src/command/program/runtime.h"
#include "src/command/text/notice.h"
#include "src/core/message.h"
#include "src/core/string_list.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char soname[] = "libgomp.so.1";

static bool is_llvm(const struct omptape_library *library)
{
    return library->path != NULL && omptape_elf_defines(library->path, "__kmpc_fork_call");
}

/* gcc's patches of 2026 give libgomp an OMPT of its own: it looks for a tool's function by name. */
static bool starts_tools(const struct omptape_library *library)
{
    return library->path != NULL && omptape_elf_mentions(library->path, "ompt_start_tool");
}

static void collect_demands(const struct omptape_program *program, const struct omptape_libraries *libraries,
                            struct omptape_string_list *demands)
{
    if (program->binary != NULL)
        (void)omptape_elf_demands(program->binary, soname, demands);
    for (size_t i = 0; i < libraries->count; i++)
        if (libraries->items[i].path != NULL)
            (void)omptape_elf_demands(libraries->items[i].path, soname, demands);
}

static void say_why_not(const char *name, const struct omptape_options *options,
                        const struct omptape_runtime *runtime)
{
    if (runtime->lacking != NULL)
        omptape_notice_untraced(
            "%s uses GNU's libgomp, which cannot be traced, and LLVM's runtime %s lacks %s", name,
            runtime->best, runtime->lacking);
    else if (options->libomp != NULL)
        omptape_notice_untraced("%s uses GNU's libgomp, which cannot be traced, and %s is no LLVM runtime",
                                name, options->libomp);
    else
        omptape_notice_untraced("%s uses GNU's libgomp, which cannot be traced, and LLVM's runtime is not "
                                "installed (Debian: apt install libomp5-19; --libomp=PATH names one)",
                                name);
}

/* The link's own name must not hold what LD_LIBRARY_PATH takes for a separator. */
static char *make_link_folder(const char *runtime)
{
    const char *wanted = getenv("TMPDIR");
    char *parent =
        wanted != NULL && *wanted && strpbrk(wanted, ":;$") == NULL ? realpath(wanted, NULL) : NULL;
    char *folder = omptape_text("%s/omptape-XXXXXX", parent != NULL ? parent : "/tmp");
    char *link = NULL;
    char *target = realpath(runtime, NULL);

    if (mkdtemp(folder) == NULL) {
        omptape_notice_untraced("cannot make a folder like %s: %s (TMPDIR names another place)", folder,
                                omptape_cause(errno));
        goto fail;
    }
    link = omptape_text("%s/%s", folder, soname);
    if (target == NULL || symlink(target, link) != 0) {
        omptape_notice_untraced("cannot make the link %s: %s (TMPDIR names another place)", link,
                                omptape_cause(errno));
        (void)rmdir(folder);
        goto fail;
    }
    goto out;
fail:
    free(folder);
    folder = NULL;
out:
    free(parent);
    free(link);
    free(target);
    return folder;
}

/* Asks the loader whether the link will be found: a program's RPATH, for one, goes before LD_LIBRARY_PATH. */
static bool link_is_loaded(const struct omptape_program *program, const struct omptape_gomp_plan *plan)
{
    struct omptape_libraries libraries;
    size_t length = strlen(plan->folder);

    if (omptape_libraries_read(program, plan->library_path, &libraries) != 0)
        return true;
    const struct omptape_library *library = omptape_libraries_find(&libraries, soname);
    bool loaded = library != NULL && library->path != NULL &&
                  strncmp(library->path, plan->folder, length) == 0 && library->path[length] == '/';
    omptape_libraries_free(&libraries);
    return loaded;
}

/* "4" or "4,2": what both runtimes understand. */
static bool is_thread_count(const char *text)
{
    char *end = NULL;

    for (const char *p = text;; p = end + 1) {
        errno = 0;
        long count = strtol(p, &end, 10);
        if (end == p || errno != 0 || count < 0 || count > INT_MAX)
            return false;
        end += strspn(end, " \t");
        if (*end == '\0' || (*end == ',' && end[1] == '\0'))
            return true;
        if (*end != ',')
            return false;
    }
}

/* libgomp passes over a value that it does not understand, often an empty one; LLVM's runtime ends the
 * program at once. */
static void mend_thread_count(void)
{
    const char *text = getenv("OMP_NUM_THREADS");

    if (text == NULL || is_thread_count(text))
        return;
    omptape_notice("OMP_NUM_THREADS=\"%.60s\" is no number of threads; ignored, as by libgomp", text);
    (void)unsetenv("OMP_NUM_THREADS");
}

static void say_runtime(const char *name, const char *runtime)
{
    omptape_notice("%s uses GNU's libgomp, which cannot be traced; running it on LLVM's runtime %s "
                   "(--gomp=off forbids)",
                   name, runtime);
}

static void install_runtime(const char *name, const struct omptape_program *program, bool uses,
                            struct omptape_gomp_plan *plan)
{
    const char *before = getenv("LD_LIBRARY_PATH");

    plan->folder = make_link_folder(plan->runtime);
    if (plan->folder == NULL) {
        plan->hopeless = true;
        free(plan->runtime);
        plan->runtime = NULL;
        return;
    }
    plan->library_path = before != NULL && *before ? omptape_text("%s:%s", plan->folder, before)
                                                   : omptape_text("%s", plan->folder);
    if (!uses) {
        omptape_notice("--gomp=force: what asks for GNU's libgomp gets LLVM's runtime %s", plan->runtime);
        return;
    }
    if (!link_is_loaded(program, plan))
        plan->preload = realpath(plan->runtime, NULL);
    say_runtime(name, plan->runtime);
}

/* One that cannot be traced as it is. */
static bool uses_libgomp(const struct omptape_libraries *libraries)
{
    const struct omptape_library *library = omptape_libraries_find(libraries, soname);
    return library != NULL && !is_llvm(library) && !starts_tools(library);
}

/* Sets plan->runtime, or says why there is none. */
static void choose_runtime(const char *name, const struct omptape_program *program,
                           const struct omptape_libraries *libraries, const struct omptape_options *options,
                           bool force, struct omptape_gomp_plan *plan)
{
    struct omptape_string_list demands = {0};
    struct omptape_runtime runtime;

    bool has_other = omptape_libraries_find(libraries, "libomp.so") != NULL ||
                     omptape_libraries_find(libraries, "libiomp5") != NULL;
    if (options->gomp == OMPTAPE_GOMP_OFF) {
        plan->hopeless = !has_other;
        if (!has_other)
            omptape_notice_untraced(
                "%s uses GNU's libgomp, which cannot be traced, and --gomp=off forbids LLVM's runtime", name);
        return;
    }
    collect_demands(program, libraries, &demands);
    if (omptape_runtime_find(options->libomp, libraries, &demands, force, &runtime) == 0) {
        plan->runtime = omptape_text("%s", runtime.path);
    } else {
        plan->hopeless = !has_other;
        say_why_not(name, options, &runtime);
    }
    omptape_runtime_free(&runtime);
    omptape_string_list_free(&demands);
}

void omptape_gomp_prepare(const char *name, const struct omptape_program *program,
                          const struct omptape_libraries *libraries, const struct omptape_options *options,
                          struct omptape_gomp_plan *plan)
{
    bool force = options->gomp == OMPTAPE_GOMP_ON;
    bool uses = uses_libgomp(libraries);

    *plan = (struct omptape_gomp_plan){0};
    if (!force && !uses)
        return;
    choose_runtime(name, program, libraries, options, force, plan);
    if (plan->runtime == NULL)
        return;
    install_runtime(name, program, uses, plan);
    mend_thread_count();
}

void omptape_gomp_prepare_restart(const char *name, const struct omptape_program *program,
                                  const struct omptape_libraries *libraries,
                                  const struct omptape_options *options, struct omptape_gomp_plan *plan)
{
    *plan = (struct omptape_gomp_plan){0};
    if (!uses_libgomp(libraries))
        return;
    choose_runtime(name, program, libraries, options, false, plan);
    plan->preload = plan->runtime != NULL ? realpath(plan->runtime, NULL) : NULL;
    if (plan->preload != NULL && strpbrk(plan->preload, " :") != NULL) {
        omptape_notice("%s cannot be preloaded because of its path; %s runs untraced", plan->preload, name);
        free(plan->preload);
        plan->preload = NULL;
        plan->hopeless = true;
    } else if (plan->preload != NULL) {
        say_runtime(name, plan->runtime);
        mend_thread_count();
    }
}

void omptape_gomp_end(struct omptape_gomp_plan *plan)
{
    if (plan->folder != NULL) {
        char *link = omptape_text("%s/%s", plan->folder, soname);
        (void)unlink(link);
        (void)rmdir(plan->folder);
        free(link);
    }
    free(plan->runtime);
    free(plan->folder);
    free(plan->library_path);
    free(plan->preload);
    *plan = (struct omptape_gomp_plan){0};
}
