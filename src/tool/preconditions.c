/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks whether a session may start in this process now: system call filters and the current folder. The
 * constructors record the state at program start.
 */
#include "src/tool/libc.h"
#include "src/tool/tool.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <omptape/shm.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* System call filters (seccomp). A filter may kill the process for a call, and a session needs calls that
 * OpenMP does not need. A session therefore does not start under a filter that the program has installed for
 * itself. Filters from before the program's start, as in containers and services, are made for arbitrary
 * programs.
 *
 * The filters are counted only in programs that are linked with an OpenMP runtime; other programs pay for two
 * symbol look-ups. If a runtime is loaded later, or the kernel does not report filters, no filter counts as
 * new. Loader and runtimes open and read files, so a filter that forbids this ends the program anyway. */

enum { UNKNOWN = -1 };

static int filters_at_start = UNKNOWN;
static bool has_runtime;

/* Parses a line of /proc/PID/status. Linux 5.9 and newer report the number of filters, older kernels only a
 * mode. Returns `known` for other lines. */
static int parse_filters(const char *line, int known)
{
    static const char mode[] = "Seccomp:";
    static const char number[] = "Seccomp_filters:";
    if (strncmp(line, number, sizeof(number) - 1) == 0)
        return atoi(line + sizeof(number) - 1);
    if (strncmp(line, mode, sizeof(mode) - 1) == 0)
        return atoi(line + sizeof(mode) - 1) != 0;
    return known;
}

/* Returns the number of the calling thread's filters, or UNKNOWN. */
static int count_filters(void)
{
    char block[512];
    char line[64]; /* truncated: the line of groups may be long */
    size_t used = 0;
    int filters = UNKNOWN;
    ssize_t n;
    int fd = open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return UNKNOWN;
    while ((n = read(fd, block, sizeof(block))) > 0)
        for (ssize_t i = 0; i < n; i++) {
            const bool ends = block[i] == '\n';
            if (used < sizeof(line) - 1)
                line[used++] = ends ? '\0' : block[i];
            if (!ends)
                continue;
            line[used - 1] = '\0';
            filters = parse_filters(line, filters);
            used = 0;
        }
    close(fd);
    return filters;
}

__attribute__((constructor(101))) static void note_filters(void)
{
    has_runtime = omptape_libc_may_act() && (dlsym(RTLD_DEFAULT, "__kmpc_fork_call") != NULL ||
                                             dlsym(RTLD_NEXT, "GOMP_parallel") != NULL);
    if (has_runtime)
        filters_at_start = count_filters();
}

bool omptape_has_runtime(void)
{
    return has_runtime;
}

bool omptape_seccomp_is_new(void)
{
    return filters_at_start != UNKNOWN && count_filters() > filters_at_start;
}

static bool began_outside_root; /* the current folder was not "/" at program start */

static bool is_in_root(void)
{
    char path[2]; /* holds only "/" */
    return getcwd(path, sizeof(path)) != NULL && path[0] == '/';
}

__attribute__((constructor)) static void note_folder(void)
{
    if (omptape_libc_may_act())
        began_outside_root = !is_in_root();
}

const char *omptape_place_refusal(const char *output)
{
    static char path[OMPTAPE_PATH_BYTES];
    if (output != NULL && output[0] == '/')
        return NULL;
    if (getcwd(path, sizeof(path)) == NULL || path[0] != '/')
        return "the current folder is gone";
    if (began_outside_root && path[1] == '\0')
        return "the program has moved to the folder /";
    return NULL;
}
