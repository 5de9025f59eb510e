/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The futex system call on shared (not process-private) words.
 */
#include "buffers/futex.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void omptape_futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns)
{
    int saved = errno;
    struct timespec timeout = {.tv_sec = (time_t)(timeout_ns / 1000000000U),
                               .tv_nsec = (long)(timeout_ns % 1000000000U)};
    syscall(SYS_futex, word, FUTEX_WAIT, value, &timeout, NULL, 0);
    errno = saved;
}

static void wake_some(_Atomic uint32_t *word, int max)
{
    int saved = errno;
    syscall(SYS_futex, word, FUTEX_WAKE, max, NULL, NULL, 0);
    errno = saved;
}

void omptape_futex_wake(_Atomic uint32_t *word)
{
    wake_some(word, INT_MAX);
}

void omptape_futex_wake_one(_Atomic uint32_t *word)
{
    wake_some(word, 1);
}
