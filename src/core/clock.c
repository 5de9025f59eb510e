/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses and calibrates the host clock.
 */
#include "src/core/clock.h"

#include "src/core/text_file.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>

bool omptape_clock_is_counter;

static uint64_t read_ns(clockid_t clock)
{
    struct timespec ts;
    clock_gettime(clock, &ts);
    return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

uint64_t omptape_clock_raw_ns(void)
{
    return read_ns(CLOCK_MONOTONIC_RAW);
}

uint64_t omptape_clock_realtime_ns(void)
{
    return read_ns(CLOCK_REALTIME);
}

uint64_t omptape_clock_thread_ns(void)
{
    return read_ns(CLOCK_THREAD_CPUTIME_ID);
}

#if defined(__x86_64__)
/* Returns true if the kernel's clock source is the TSC. The kernel monitors the TSC and changes its clock
 * source if the TSC is unstable or differs between processors, which CPUID does not show. */
static bool kernel_trusts_tsc(void)
{
    static const char source[] = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    char name[32];
    (void)omptape_read_text(AT_FDCWD, source, name, sizeof(name));
    return strcmp(name, "tsc\n") == 0;
}
#endif

enum omptape_clock_kind omptape_clock_choose(void)
{
#if defined(__x86_64__)
    return kernel_trusts_tsc() ? OMPTAPE_CLOCK_TSC : OMPTAPE_CLOCK_MONOTONIC_RAW;
#elif defined(__aarch64__)
    return OMPTAPE_CLOCK_CNTVCT;
#else
    return OMPTAPE_CLOCK_MONOTONIC_RAW;
#endif
}

void omptape_clock_use(enum omptape_clock_kind kind)
{
    omptape_clock_is_counter = kind != OMPTAPE_CLOCK_MONOTONIC_RAW;
}

const char *omptape_clock_name(enum omptape_clock_kind kind)
{
    switch (kind) {
    case OMPTAPE_CLOCK_TSC:
        return "tsc";
    case OMPTAPE_CLOCK_CNTVCT:
        return "cntvct";
    case OMPTAPE_CLOCK_MONOTONIC_RAW:
        return "monotonic_raw";
    }
    return "unknown";
}

uint64_t omptape_clock_second(void)
{
    return omptape_clock_is_counter ? 0 : UINT64_C(1000000000);
}

double omptape_clock_seconds(void)
{
    return 1e-9 * (double)read_ns(CLOCK_MONOTONIC);
}

uint64_t omptape_clock_suspended_ns(void)
{
    /* Both clocks are adjusted alike, but only CLOCK_BOOTTIME advances during suspension. */
    uint64_t awake = read_ns(CLOCK_MONOTONIC);
    uint64_t all = read_ns(CLOCK_BOOTTIME);
    return all > awake ? all - awake : 0;
}

void omptape_clock_anchor(struct omptape_clock_anchor *anchor)
{
    omptape_clock_anchor_any(anchor);
    omptape_clock_complete_anchor(anchor);
}

void omptape_clock_complete_anchor(struct omptape_clock_anchor *anchor)
{
    if (!omptape_clock_is_counter)
        anchor->ticks = anchor->raw_ns;
}

void omptape_clock_anchor_any(struct omptape_clock_anchor *anchor)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        uint64_t before = omptape_clock_counter();
        uint64_t raw = omptape_clock_raw_ns();
        uint64_t realtime = omptape_clock_realtime_ns();
        uint64_t after = omptape_clock_counter();
        if (after - before < best) {
            best = after - before;
            anchor->ticks = before + (after - before) / 2;
            anchor->raw_ns = raw;
            anchor->realtime_ns = realtime;
        }
    }
}
