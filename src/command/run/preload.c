/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds libomptape.so and sets the variables that make the program load it.
 */
#include "src/command/run/run.h"

#include "src/command/run/program.h"
#include "src/command/text/notice.h"
#include "src/core/string_list.h"
#include "src/core/words.h"
#include "src/job/process.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *own_folder(void)
{
    char path[PATH_MAX];
    if (!omptape_process_own_path(path, sizeof(path)))
        return NULL;
    *strrchr(path, '/') = '\0';
    return omptape_text("%s", path);
}

char *preload_find(void)
{
    /* Relative to the command: the installed place and the build tree's. */
    static const char *const places[] = {OMPTAPE_LIBRARY_FOLDER, "../lib"};
    char *folder = own_folder();
    char *found = NULL;
    for (size_t i = 0; folder != NULL && i < sizeof(places) / sizeof(places[0]) && found == NULL; i++) {
        char *place = omptape_text("%s/%s", folder, places[i]);
        char *resolved = realpath(place, NULL);
        found = omptape_text("%s/libomptape.so", resolved != NULL ? resolved : place);
        if (access(found, R_OK) != 0) {
            free(found);
            found = NULL;
        }
        free(resolved);
        free(place);
    }
    if (found == NULL)
        notice_failure("libomptape.so is not in %s/%s", folder != NULL ? folder : "?", places[0]);
    free(folder);
    return found;
}

static void put_before(const char *variable, const char *first)
{
    const char *before = getenv(variable);
    const bool alone = before == NULL || *before == '\0';
    char *value = omptape_text("%s%s%s", first, alone ? "" : ":", alone ? "" : before);
    (void)setenv(variable, value, 1);
    free(value);
}

/* Returns the path of another library in the folder of `library`; the caller frees it. */
static char *beside(const char *library, const char *name)
{
    return omptape_text("%.*s/%s", (int)(strrchr(library, '/') - library), library, name);
}

/* Annotation interfaces that look up a tool library by an environment variable. */
static const struct {
    const char *variable;
    const char *annotations; /* the interface's name in messages */
    /* Older variable that takes precedence, so `variable` is not set beside it; NULL if there is none. */
    const char *older;
    /* Set only if the program contains the variable's name, because OpenMP runtimes read it, too. */
    bool asked;
    /* The variable is a list, so the user's value is appended; else it is kept in OMPTAPE_NEXT_*. */
    bool list;
} interfaces[] = {
    {"NVTX_INJECTION64_PATH", "NVTX's ranges and marks", NULL, false, false},
    {"INTEL_LIBITTNOTIFY64", "ITT's tasks and frames", NULL, true, false},
    {"KOKKOS_TOOLS_LIBS", "Kokkos' kernels and regions", "KOKKOS_PROFILE_LIBRARY", false, true},
};

/* True if the symbol belongs to an interface without such a variable: the marks library is preloaded. */
static bool is_preloaded_for(const char *symbol)
{
    static const char *const names[] = {"__cyg_profile_func_enter", "omp_control_tool", NULL};
    for (size_t i = 0; names[i] != NULL; i++)
        if (strcmp(symbol, names[i]) == 0)
            return true;
    return omptape_starts_with(symbol, "roctx") || omptape_starts_with(symbol, "cali_");
}

/* OpenMP runtimes contain ITT calls of their own, which report what OMPT reports. */
static bool is_runtime(const char *path)
{
    const char *name = omptape_base_name(path);
    return omptape_starts_with(name, "libomp") || omptape_starts_with(name, "libiomp");
}

/* True if a file of the program contains the text, and for scripts and Python: their loads are unknown. */
static bool may_contain(const struct run_program *program, const struct libraries *libraries,
                        const char *text)
{
    if (program->binary == NULL || program->script || elf_contains(program->binary, text) ||
        omptape_starts_with(omptape_base_name(program->binary), "python"))
        return true;
    for (uint32_t i = 0; i < libraries->count; i++) {
        const char *path = libraries->items[i].path;
        if (path != NULL && !is_runtime(path) && elf_contains(path, text))
            return true;
    }
    return false;
}

static bool imports_marks(const struct run_program *program, const struct libraries *libraries)
{
    bool found = program->binary != NULL && elf_imports(program->binary, is_preloaded_for);
    for (uint32_t i = 0; i < libraries->count && !found; i++)
        found = libraries->items[i].path != NULL && elf_imports(libraries->items[i].path, is_preloaded_for);
    return found;
}

static bool is_set(const char *variable)
{
    const char *value = variable != NULL ? getenv(variable) : NULL;
    return value != NULL && *value != '\0';
}

/* Sets `variable` to the marks library. `older` is the conflicting variable if it is set, or NULL. */
static void name_marks(const char *variable, const char *older, const char *annotations, bool list,
                       const char *marks)
{
    const char *before = is_set(variable) ? getenv(variable) : "";
    if (strstr(before, marks) != NULL)
        return;
    if (older != NULL) {
        omptape_notice("%s is set, and stays: %s are not in the trace", older, annotations);
        return;
    }
    char *value = omptape_text("%s%s%s", marks, *before != '\0' && list ? ";" : "", list ? before : "");
    char *next = omptape_text("OMPTAPE_NEXT_%s", variable);
    if (*before != '\0' && !list)
        (void)setenv(next, before, 1);
    (void)setenv(variable, value, 1);
    free(next);
    free(value);
}

void preload_add_marks(const struct run_program *program, const struct libraries *libraries,
                       const char *library)
{
    char *marks = beside(library, "libomptape-marks.so");
    const char *preloaded = getenv("LD_PRELOAD");
    if (access(marks, R_OK) != 0)
        goto out;
    for (size_t i = 0; i < sizeof(interfaces) / sizeof(interfaces[0]); i++)
        if (!interfaces[i].asked || may_contain(program, libraries, interfaces[i].variable))
            name_marks(interfaces[i].variable, is_set(interfaces[i].older) ? interfaces[i].older : NULL,
                       interfaces[i].annotations, interfaces[i].list, marks);
    if (preloaded != NULL && strstr(preloaded, library) != NULL && imports_marks(program, libraries))
        put_before("LD_PRELOAD", marks);
out:
    free(marks);
}

void preload_add_mpi(const char *library)
{
    char *names = beside(library, "libomptape-mpi.so");
    const char *before = getenv("LD_PRELOAD");
    if (before != NULL && strstr(before, library) != NULL && access(names, R_OK) == 0)
        put_before("LD_PRELOAD", names);
    free(names);
}

/* AddressSanitizer must be the first library: it aborts a program that has another library preloaded. */
static bool has_address_sanitizer(const struct libraries *libraries)
{
    return libraries_find(libraries, "libasan.so") != NULL ||
           libraries_find(libraries, "libclang_rt.asan") != NULL;
}

/* Disables AddressSanitizer's check of the library order, for sanitised programs that the program starts. */
static void relax_address_sanitizer(void)
{
    static const char wanted[] = "verify_asan_link_order=0";
    const char *before = getenv("ASAN_OPTIONS");
    if (before != NULL && strstr(before, "verify_asan_link_order") != NULL)
        return;
    char *value =
        omptape_text("%s%s%s", before != NULL ? before : "", before != NULL && *before ? ":" : "", wanted);
    (void)setenv("ASAN_OPTIONS", value, 1);
    free(value);
}

bool preload_set(const char *name, const struct run_program *program, const struct libraries *libraries,
                 const char *library)
{
    bool separable = strpbrk(library, " :") == NULL;
    if (strchr(library, ':') == NULL && (!separable || has_address_sanitizer(libraries)) &&
        libraries_find_runtime(libraries, true) == NULL) {
        put_before("OMP_TOOL_LIBRARIES", library);
        return true;
    }
    if (!separable) {
        notice_untraced("%s cannot be preloaded into %s because of its path", library, name);
        return false;
    }
    put_before("LD_PRELOAD", library);
    relax_address_sanitizer();
    /* The variable stays set in any case, as a static program's children may load the library. */
    if (program->binary != NULL && program->interpreter == NULL &&
        !elf_defines(program->binary, "ompt_start_tool")) {
        notice_untraced("%s is linked statically and cannot load libomptape.so (link it without -static)",
                        name);
        return false;
    }
    if (program->privileged) {
        char *arguments[] = {(char *)(uintptr_t)name, NULL};
        char *advice = wrapper_advice(wrapper_find(arguments));
        notice_untraced("%s runs with raised privileges and ignores LD_PRELOAD%s", name, advice);
        free(advice);
        return false;
    }
    return true;
}

void preload_add_tool_variable(const struct libraries *libraries, const char *library)
{
    static const char *const prefixes[] = {"libomp.so", "libiomp5.so", "libgomp.so"};
    static const char function[] = "ompt_start_tool";
    bool passed_over = false;
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]) && !passed_over; i++) {
        const struct run_library *own = libraries_find(libraries, prefixes[i]);
        passed_over = own != NULL && own->path != NULL && elf_binds_itself(own->path, function);
    }
    if (passed_over && strchr(library, ':') == NULL)
        put_before("OMP_TOOL_LIBRARIES", library);
}
