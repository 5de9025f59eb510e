/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements lost_pages.h by a handler of SIGBUS, which runs in the thread that made the access.
 */
#include "writers/symbols/lost_pages.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static uintptr_t page_bytes;
static uintptr_t excepted;
static size_t excepted_bytes;

static bool replace_page(uintptr_t address)
{
    const uintptr_t page = address & ~(page_bytes - 1);
    return page - excepted >= excepted_bytes &&
           mmap((void *)page, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                0) != MAP_FAILED;
}

/* If the page stays away, the repeated access has the signal's default effect. */
static void on_lost_page(int number, siginfo_t *information, void *context)
{
    static const struct sigaction by_default = {.sa_handler = SIG_DFL};
    const int error = errno;
    (void)context;
    if (information->si_code != BUS_ADRERR || !replace_page((uintptr_t)information->si_addr))
        (void)sigaction(number, &by_default, NULL);
    errno = error;
}

void omptape_lost_pages_replace(const void *shared, size_t bytes)
{
    const struct sigaction action = {.sa_sigaction = on_lost_page, .sa_flags = SA_SIGINFO | SA_RESTART};
    page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    excepted = (uintptr_t)shared;
    excepted_bytes = bytes;
    (void)sigaction(SIGBUS, &action, NULL);
}
