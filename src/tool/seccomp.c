/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Filters of system calls (seccomp) that the program set on itself. Nothing tells what a filter does with a
 * call, and it may be to kill who makes it; so a session's start, which needs many that OpenMP does not, has
 * to stay away from a filter that was made for this program alone. Those that stood when the program began,
 * as in containers and services, are made for whatever runs there.
 *
 * The constructor counts the filters in programs with an OpenMP runtime among their libraries, and for others
 * it costs two look-ups of a symbol. Where a runtime is loaded later, or the kernel does not tell, no filter
 * is known to be new. The loader has opened and read files before, and runtimes do at their start: a filter
 * that forbids that ends the program anyway.
 */
#include "src/tool/libc.h"
#include "src/tool/tool.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { UNKNOWN = -1 };

static int at_start = UNKNOWN;

/* Since Linux 5.9 the number of filters; before, whether there are any, which is said by a mode. */
static int value_of(const char *line, int known)
{
    static const char mode[] = "Seccomp:";
    static const char number[] = "Seccomp_filters:";
    if (strncmp(line, number, sizeof(number) - 1) == 0)
        return atoi(line + sizeof(number) - 1);
    if (strncmp(line, mode, sizeof(mode) - 1) == 0)
        return atoi(line + sizeof(mode) - 1) != 0;
    return known;
}

/* Of the calling thread; UNKNOWN: the kernel does not tell. */
static int count_filters(void)
{
    char block[512];
    char line[64]; /* the beginning of one; that of the groups may be long */
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
            filters = value_of(line, filters);
            used = 0;
        }
    close(fd);
    return filters;
}

__attribute__((constructor(101))) static void note_filters(void)
{
    if (omptape_libc_may_act() &&
        (dlsym(RTLD_DEFAULT, "__kmpc_fork_call") != NULL || dlsym(RTLD_NEXT, "GOMP_parallel") != NULL))
        at_start = count_filters();
}

bool omptape_seccomp_is_new(void)
{
    return at_start != UNKNOWN && count_filters() > at_start;
}
