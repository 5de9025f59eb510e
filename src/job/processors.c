/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the affinity mask and the limit of the cgroups.
 */
#include "src/job/processors.h"

#include "src/core/quota.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MASK_WORDS = 1024 };

static unsigned in_affinity(void)
{
    static unsigned long mask[MASK_WORDS];
    unsigned count = 0;
    long bytes = syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask);
    for (size_t i = 0; bytes > 0 && i < (size_t)bytes / sizeof(mask[0]); i++)
        count += (unsigned)__builtin_popcountl(mask[i]);
    return count > 0 ? count : 1;
}

/* Returns the limit of the process's cgroups in processors, rounded up; UINT_MAX if there is none. */
static unsigned in_quota(void)
{
    struct omptape_quota quota = {.limited = false};
    const int process = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (process >= 0) {
        omptape_quota_read(&quota, process, "/proc/self/mountinfo");
        close(process);
    }
    const uint64_t count =
        quota.limited ? (quota.quota_ns + quota.period_ns - 1) / quota.period_ns : UINT_MAX;
    return count < UINT_MAX ? (unsigned)count : UINT_MAX;
}

unsigned omptape_processors(void)
{
    unsigned affinity = in_affinity();
    unsigned quota = in_quota();
    return quota < affinity ? quota : affinity;
}
