/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that runs on a GNU libgomp without OMPT (gcc's patches of 2026 add it) is begun anew on LLVM's
 * runtime if the omptape command stands behind the run; else one line says why nothing will be traced. Runs
 * in the library's constructor, before main, and in its destructor, for a libgomp that was loaded later.
 */
#include "src/core/message.h"
#include "src/job/report_file.h"
#include "src/tool/libc.h"
#include "src/tool/tool.h"
#include <omptape/restart.h>

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

/* Paths are static: the program's stack may be small. */
enum { PATH_BYTES = 4096, OWN_ARGUMENTS = 3 };

struct libgomp {
    const char *path;  /* NULL: there is none */
    bool starts_tools; /* it asks for a tool's function, by whatever way: has its name as a string */
};

static bool mentions_tools(const struct dl_phdr_info *object)
{
    static const char name[] = "\0ompt_start_tool";
    bool found = false;
    for (unsigned i = 0; i < object->dlpi_phnum && !found; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && (segment->p_flags & (PF_R | PF_W)) == PF_R)
            found = memmem((const void *)(object->dlpi_addr + segment->p_vaddr), segment->p_filesz, name,
                           sizeof(name)) != NULL;
    }
    return found;
}

static int find_libgomp(struct dl_phdr_info *object, size_t size, void *data)
{
    struct libgomp *found = data;
    (void)size;
    const char *slash = strrchr(object->dlpi_name, '/');
    if (slash != NULL && strncmp(slash, "/libgomp.so", strlen("/libgomp.so")) == 0)
        *found = (struct libgomp){object->dlpi_name, mentions_tools(object)};
    return 0;
}

/* Is it LLVM's runtime under libgomp's name? Loaded late, its symbols may be nobody else's. */
static bool is_llvm(const char *path)
{
    void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    bool found = library != NULL && dlsym(library, "__kmpc_fork_call") != NULL;
    if (library != NULL)
        dlclose(library);
    return found;
}

/* Does this process run on a GNU libgomp that cannot be traced? */
static bool has_libgomp(void)
{
    struct libgomp libgomp = {NULL, false};
    dl_iterate_phdr(find_libgomp, &libgomp);
    return libgomp.path != NULL && !libgomp.starts_tools && dlsym(RTLD_DEFAULT, "__kmpc_fork_call") == NULL &&
           !is_llvm(libgomp.path);
}

/* Takes the text out of the variable, in place: nothing is allocated here. */
static void take_out(const char *name, size_t name_length, const char *text)
{
    size_t length = strlen(text);
    for (char **variable = __environ; *variable != NULL; variable++) {
        if (strncmp(*variable, name, name_length + 1) != 0)
            continue;
        char *place = strstr(*variable + name_length + 1, text);
        if (place != NULL)
            memmove(place, place + length, strlen(place + length) + 1);
    }
}

/* True if the command has settled this program's runtime already. What it put into the environment for it
 * alone goes out again. */
static bool is_settled(void)
{
    const char *settled = getenv(OMPTAPE_RESTART_SETTLED);
    if (settled == NULL)
        return false;
    const char *equals = strchr(settled, '=');
    if (equals != NULL && equals[1] != '\0')
        take_out(settled, (size_t)(equals - settled), equals + 1);
    unsetenv(OMPTAPE_RESTART_SETTLED);
    const char *path = getenv("LD_LIBRARY_PATH");
    if (path != NULL && path[0] == '\0')
        unsetenv("LD_LIBRARY_PATH");
    return true;
}

/* By the name under which it was started, maybe a link's, or by its own. */
static bool find_name(char *path, size_t bytes)
{
    static const char own[] = "/proc/self/exe";
    const char *called = (const char *)getauxval(AT_EXECFN);
    struct stat file;
    struct stat self;
    if (called != NULL && strchr(called, '/') != NULL && stat(called, &file) == 0 && stat(own, &self) == 0 &&
        file.st_dev == self.st_dev && file.st_ino == self.st_ino)
        return snprintf(path, bytes, "%s", called) < (int)bytes;
    ssize_t length = readlink(own, path, bytes - 1);
    path[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/* The file that this process runs, if that can be run again just like that: not where the loader was called
 * by name, nor under valgrind. */
static bool find_own_file(char *path, size_t bytes)
{
    if (getauxval(AT_BASE) == 0 || !find_name(path, bytes))
        return false;
    return getenv("LD_PRELOAD") != NULL && !omptape_launch_is_emulated() && access(path, X_OK) == 0;
}

/* Returns if it cannot be done; then the program just goes on. */
static void restart_program(const char *command, int argc, char *const *argv)
{
    static char file[PATH_BYTES];
    if (argc < 1 || !find_own_file(file, sizeof(file)) || access(command, X_OK) != 0)
        return;
    const char **arguments = calloc((size_t)argc + OWN_ARGUMENTS + 1, sizeof(*arguments));
    if (arguments == NULL)
        return;
    arguments[0] = "omptape";
    arguments[1] = OMPTAPE_RESTART_OPTION;
    arguments[2] = file;
    memcpy(arguments + OWN_ARGUMENTS, argv, (size_t)argc * sizeof(*argv));
    execv(command, (char *const *)arguments);
    free(arguments);
}

static bool met; /* at the start */

__attribute__((constructor)) static void meet_libgomp(int argc, char **argv)
{
    if (!omptape_libc_may_act())
        return;
    bool settled = is_settled();
    met = has_libgomp();
    if (!met || settled)
        return;
    const char *command = getenv(OMPTAPE_RESTART_VARIABLE);
    if (command != NULL)
        restart_program(command, argc, argv);
    else if (getenv("OMPTAPE_REPORT_FILE") == NULL)
        omptape_message("this program runs on GNU's libgomp, which cannot be traced; "
                        "`omptape PROGRAM` runs it on LLVM's runtime if that is installed");
}

/* Python does so with numpy. The command says it then. */
__attribute__((destructor)) static void part_from_libgomp(void)
{
    static char line[PATH_BYTES + 16];
    static char file[PATH_BYTES];
    static char escaped[PATH_BYTES];
    if (!omptape_libc_may_act() || met || getenv(OMPTAPE_RESTART_VARIABLE) == NULL || !has_libgomp())
        return;
    ssize_t length = readlink("/proc/self/exe", file, sizeof(file) - 1);
    int report = length > 0 ? omptape_report_file_open(getenv("OMPTAPE_REPORT_FILE")) : -1;
    if (report < 0)
        return;
    file[length] = '\0';
    int n = snprintf(line, sizeof(line), OMPTAPE_RESTART_LATE_KEY "%s\n",
                     omptape_report_file_escape(file, escaped, sizeof(escaped)));
    (void)!write(report, line, (size_t)n);
    close(report);
}
