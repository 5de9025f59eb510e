/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Determines when this process began. A runtime starts the tool when the program first uses OpenMP, possibly
 * long after its beginning. If the library is linked or preloaded, its constructor reads the clock before
 * main. A forked child reads the clock inside fork(). If the runtime loads the library later, the kernel's
 * start time of the process is used.
 */
#include "src/core/clock.h"
#include "src/core/process_stat.h"
#include "src/tool/libc.h"
#include "src/tool/tool.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* The kernel's start times count from boot and include suspension. */
static const uint64_t second_ns = 1000000000;
static const uint64_t suspension_ns = 10000000;

static struct omptape_clock_anchor earliest; /* raw_ns 0: not read yet */
static uint64_t suspended_ns;                /* omptape_clock_suspended_ns at `earliest` */
static bool is_child;                        /* `earliest` was read in fork() */

static void note_time(void)
{
    omptape_clock_anchor_any(&earliest);
    suspended_ns = omptape_clock_suspended_ns();
}

/* Runs before all other constructors of this library. */
__attribute__((constructor(101))) static void begin(void)
{
    /* This check comes first: another libc's errno is not reached. */
    if (!omptape_libc_may_act())
        return;
    const int saved = errno;
    note_time();
    errno = saved;
}

void omptape_process_start_reset(void)
{
    note_time();
    is_child = true;
}

/* A library that was loaded later, as runtimes do with RTLD_LOCAL, is not in the global scope. */
bool omptape_was_loaded_with_program(void)
{
    void *program = dlopen(NULL, RTLD_LAZY);
    bool found = program != NULL && dlsym(program, "omptape_version") != NULL;
    if (program != NULL)
        dlclose(program);
    return found;
}

/* Returns true if the kernel's start time can be used. It is the time of the fork, and before exec the
 * process may have been a shell. A shell has nearly always waited for a child, so such a process is rejected.
 */
static bool is_new_program(void)
{
    struct rusage children;
    return getrusage(RUSAGE_CHILDREN, &children) == 0 && children.ru_minflt == 0 && children.ru_majflt == 0;
}

/* Returns how long before `moment` (CLOCK_MONOTONIC_RAW) the process was forked, in ns; 0 if unknown. */
static uint64_t age_at(uint64_t moment)
{
    struct omptape_process_stat stat;
    struct timespec boot;
    uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK);
    if (hz == 0 || hz > second_ns || omptape_process_stat(AT_FDCWD, "/proc/self/stat", &stat) != 0 ||
        clock_gettime(CLOCK_BOOTTIME, &boot) != 0)
        return 0;
    uint64_t since = omptape_clock_raw_ns() - moment;
    uint64_t now = (uint64_t)boot.tv_sec * second_ns + (uint64_t)boot.tv_nsec;
    /* The kernel truncates to ticks: add half of one. */
    uint64_t start = stat.start / hz * second_ns + stat.start % hz * second_ns / hz + second_ns / hz / 2;
    return stat.start > 0 && now > start + since ? now - start - since : 0;
}

uint64_t omptape_process_start(struct omptape_clock_anchor *anchor)
{
    struct omptape_clock_anchor now;
    omptape_clock_anchor(&now);
    *anchor = now;
    /* Another library's constructor may use OpenMP before this library's constructor runs. */
    if (earliest.raw_ns == 0 || earliest.raw_ns > now.raw_ns)
        return 0;
    uint64_t before = 0;
    if (!is_child && !omptape_was_loaded_with_program() && is_new_program())
        before = age_at(earliest.raw_ns);
    struct omptape_clock_anchor first = earliest;
    omptape_clock_complete_anchor(&first);
    /* A counter stops, or is reset, while the machine is suspended. */
    if (first.ticks >= now.ticks || omptape_clock_suspended_ns() > suspended_ns + suspension_ns)
        return before + (now.raw_ns - first.raw_ns);
    *anchor = first;
    return before;
}
