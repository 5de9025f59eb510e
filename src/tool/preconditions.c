/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks whether a session may start in this process now: system call filters, the limit on processes and the
 * current folder. The constructors record the state at program start.
 */
#include "src/core/words.h"
#include "src/tool/libc.h"
#include "src/tool/tool.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <omptape/shm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* System call filters (seccomp). A filter may kill the process for a call, and a session needs calls that
 * OpenMP does not need. A session therefore does not start under a filter that the program has installed for
 * itself. Under filters from before the program's start, as in containers and services, the calls are tried
 * in a child first (trial.c). Whether a child may be made cannot be tried. It was made under the same filters
 * if the parent has them, too. A parent outside of the pid namespace belongs to a container, whose filters
 * are made for arbitrary programs.
 *
 * The filters are counted only in programs that are linked with an OpenMP runtime; other programs pay for two
 * symbol look-ups. If a runtime is loaded later, or the kernel does not report filters, no filter counts as
 * new. Loader and runtimes open and read files, so a filter that forbids this ends the program anyway. */

enum { UNKNOWN = -1 };

static int filters_at_start = UNKNOWN;
static bool has_runtime;

/* What /proc/PID/status says of a process. */
struct process_filters {
    int filters; /* UNKNOWN if there is no such file */
    int parent;
};

/* Linux 5.9 and newer report the number of filters, older kernels only a mode. */
static void parse_line(const char *line, struct process_filters *found)
{
    const char *mode = omptape_text_after(line, "Seccomp:");
    const char *number = omptape_text_after(line, "Seccomp_filters:");
    const char *parent = omptape_text_after(line, "PPid:");
    if (number != NULL)
        found->filters = atoi(number);
    else if (mode != NULL)
        found->filters = atoi(mode) != 0;
    else if (parent != NULL)
        found->parent = atoi(parent);
}

static struct process_filters read_filters(const char *path)
{
    char block[512];
    char line[64]; /* truncated: the line of groups may be long */
    size_t used = 0;
    struct process_filters found = {UNKNOWN, UNKNOWN};
    ssize_t n;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return found;
    while ((n = read(fd, block, sizeof(block))) > 0)
        for (ssize_t i = 0; i < n; i++) {
            const bool ends = block[i] == '\n';
            if (used < sizeof(line) - 1)
                line[used++] = ends ? '\0' : block[i];
            if (!ends)
                continue;
            line[used - 1] = '\0';
            parse_line(line, &found);
            used = 0;
        }
    close(fd);
    return found;
}

/* Returns the number of the calling thread's filters, or UNKNOWN. */
static int count_filters(void)
{
    return read_filters("/proc/thread-self/status").filters;
}

/* Returns true if the parent made this process under the same filters. */
static bool had_filters_as_child(const struct process_filters *own)
{
    char path[32];
    if (own->parent == 0)
        return true;
    snprintf(path, sizeof(path), "/proc/%d/status", own->parent);
    const int of_parent = read_filters(path).filters;
    return of_parent == UNKNOWN || of_parent >= own->filters;
}

__attribute__((constructor(101))) static void note_filters(void)
{
    if (!omptape_libc_may_act())
        return;
    const int saved = errno;
    has_runtime =
        dlsym(RTLD_DEFAULT, "__kmpc_fork_call") != NULL || dlsym(RTLD_NEXT, "GOMP_parallel") != NULL;
    if (has_runtime)
        filters_at_start = count_filters();
    errno = saved;
}

bool omptape_has_runtime(void)
{
    return has_runtime;
}

bool omptape_seccomp_is_new(void)
{
    return filters_at_start != UNKNOWN && count_filters() > filters_at_start;
}

/* Returns true if the children of this process get another pid namespace (unshare, setns). The first one is
 * its first process: when it ends, the program can make no process any more. The kernel does not resolve the
 * link before there is one. */
static bool has_foreign_children(void)
{
    static const char children[] = "/proc/self/ns/pid_for_children";
    char own[64];
    char theirs[64];
    const ssize_t length = readlink("/proc/self/ns/pid", own, sizeof(own));
    if (length <= 0)
        return false;
    if (readlink(children, theirs, sizeof(theirs)) == length)
        return memcmp(own, theirs, (size_t)length) != 0;
    const int link = open(children, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (link >= 0)
        close(link);
    return link >= 0;
}

/* Returns true if a filter forbids a session, or might do so. `text` receives why. */
static bool is_filtered(char *text, size_t bytes)
{
    const struct process_filters own = read_filters("/proc/thread-self/status");
    long fatal = 0;
    if (own.filters <= 0)
        return false;
    if (filters_at_start != UNKNOWN && own.filters > filters_at_start)
        snprintf(text, bytes,
                 "the program has restricted its system calls (seccomp), and might be killed for those that "
                 "start a writer (omp_get_max_threads(), called before, starts it)");
    else if (!had_filters_as_child(&own))
        snprintf(text, bytes,
                 "system calls were restricted (seccomp) just before the program's start, and a new process "
                 "might be fatal (it was not if `sh -c 'PROGRAM; exit $?'` runs there)");
    else if (has_foreign_children())
        return false; /* the trial would become the namespace's first process */
    else if (!omptape_launch_is_emulated() && (fatal = omptape_trial_fatal_call()) > 0)
        snprintf(text, bytes, "system call %ld, which tracing needs, is fatal here (seccomp)", fatal);
    else
        return false; /* also if no process can be made for the trial */
    return true;
}

bool omptape_launch_refusal(char *text, size_t bytes)
{
    if (is_filtered(text, bytes))
        return true;
    if (!has_foreign_children())
        return false;
    snprintf(text, bytes, "the program's children get a pid namespace of their own");
    return true;
}

static bool began_outside_root; /* the current folder was not "/" at program start */

static bool is_in_root(void)
{
    char path[2]; /* holds only "/" */
    return getcwd(path, sizeof(path)) != NULL && path[0] == '/';
}

__attribute__((constructor)) static void note_folder(void)
{
    if (!omptape_libc_may_act())
        return;
    const int saved = errno;
    began_outside_root = !is_in_root();
    errno = saved;
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
