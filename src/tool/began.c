/* SPDX-License-Identifier: BSD-3-Clause
 *
 * When this process began. A runtime starts the tool when the program first uses OpenMP, which may be long
 * after. The library's constructor reads the clock before main where the program was linked with the library
 * or has it preloaded; a forked child reads it inside fork(). A library that the runtime loads itself comes
 * as late as the runtime calls: then the kernel's time of the fork counts.
 */
#include "src/core/clock.h"
#include "src/core/process_stat.h"
#include "src/tool/libc.h"
#include "src/tool/tool.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* The kernel counts from boot, asleep or awake. */
static const uint64_t second_ns = 1000000000;
static const uint64_t suspension_ns = 10000000;

static struct omptape_clock_anchor earliest; /* raw_ns 0: not read yet */
static uint64_t asleep;                      /* omptape_clock_asleep_ns then */
static bool is_child;                        /* it was read in fork() */

static void note_time(void)
{
    omptape_clock_anchor_any(&earliest);
    asleep = omptape_clock_asleep_ns();
}

/* Before all others of this library. */
__attribute__((constructor(101))) static void begin(void)
{
    if (omptape_libc_may_act())
        note_time();
}

void omptape_began_anew(void)
{
    note_time();
    is_child = true;
}

/* Was the library there when the program started? Who loads it later does so for itself alone, as a runtime
 * does (RTLD_LOCAL); else the constructor's time is as good as any. */
bool omptape_began_with_program(void)
{
    void *program = dlopen(NULL, RTLD_LAZY);
    bool found = program != NULL && dlsym(program, "omptape_version") != NULL;
    if (program != NULL)
        dlclose(program);
    return found;
}

/* The process may have been another program before exec, a shell say: the kernel keeps the time of its fork
 * only. A shell has nearly always run commands, so a process that waited for a child is not believed. */
static bool is_new_program(void)
{
    struct rusage children;
    return getrusage(RUSAGE_CHILDREN, &children) == 0 && children.ru_minflt == 0 && children.ru_majflt == 0;
}

/* How long before `moment` (CLOCK_MONOTONIC_RAW) the kernel made this process; 0: not known. */
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
    /* Its ticks are cut off: the middle of the last one is meant. */
    uint64_t start = stat.start / hz * second_ns + stat.start % hz * second_ns / hz + second_ns / hz / 2;
    return stat.start > 0 && now > start + since ? now - start - since : 0;
}

uint64_t omptape_began(struct omptape_clock_anchor *anchor)
{
    struct omptape_clock_anchor now;
    omptape_clock_anchor(&now);
    *anchor = now;
    /* A library with an OpenMP program in its own constructor may come before. */
    if (earliest.raw_ns == 0 || earliest.raw_ns > now.raw_ns)
        return 0;
    uint64_t before = 0;
    if (!is_child && !omptape_began_with_program() && is_new_program())
        before = age_at(earliest.raw_ns);
    struct omptape_clock_anchor first = earliest;
    omptape_clock_settle(&first);
    /* A counter stands still, or starts anew, while the machine is suspended. */
    if (first.ticks >= now.ticks || omptape_clock_asleep_ns() > asleep + suspension_ns)
        return before + (now.raw_ns - first.raw_ns);
    *anchor = first;
    return before;
}
