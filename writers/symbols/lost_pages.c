/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements lost_pages.h by a handler of SIGBUS, which runs in the thread that made the access.
 */
#include "writers/symbols/lost_pages.h"

#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Addresses whose pages are not replaced, from a page's begin on. */
struct range {
    uintptr_t begin, end;
};

enum { MAX_RANGES = 64 };

static uintptr_t page_bytes;
static struct range excepted[MAX_RANGES];
static unsigned excepted_count;

static uintptr_t page_of(uintptr_t address)
{
    return address & ~(page_bytes - 1);
}

static void except(uintptr_t begin, uintptr_t end)
{
    if (excepted_count < MAX_RANGES)
        excepted[excepted_count++] = (struct range){.begin = page_of(begin), .end = end};
}

static int except_object(struct dl_phdr_info *object, size_t bytes, void *data)
{
    (void)bytes;
    (void)data;
    uintptr_t begin = UINTPTR_MAX;
    uintptr_t end = 0;
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const uintptr_t segment = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
        if (object->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        begin = segment < begin ? segment : begin;
        end = segment + object->dlpi_phdr[i].p_memsz;
    }
    except(begin, end);
    return 0;
}

/* mmap is not on POSIX's list of async-signal-safe functions, but is a plain system call here. */
static bool replace_page(uintptr_t page)
{
    for (unsigned i = 0; i < excepted_count; i++)
        if (page >= excepted[i].begin && page < excepted[i].end)
            return false;
    return mmap((void *)page, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                0) != MAP_FAILED;
}

/* If the page stays away, the repeated access has the signal's default effect. A signal that a process has
 * sent (si_code <= 0) is repeated, because no access follows. */
static void on_lost_page(int number, siginfo_t *information, void *context)
{
    static const struct sigaction by_default = {.sa_handler = SIG_DFL};
    const int error = errno;
    (void)context;
    if (information->si_code != BUS_ADRERR || !replace_page(page_of((uintptr_t)information->si_addr)))
        (void)sigaction(number, &by_default, NULL);
    if (information->si_code <= 0)
        (void)raise(number);
    errno = error;
}

void omptape_lost_pages_replace(const void *shared, size_t bytes)
{
    const struct sigaction action = {.sa_sigaction = on_lost_page, .sa_flags = SA_SIGINFO | SA_RESTART};
    page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    except((uintptr_t)shared, (uintptr_t)shared + bytes);
    (void)dl_iterate_phdr(except_object, NULL);
    (void)sigaction(SIGBUS, &action, NULL);
}
