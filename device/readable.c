/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tries whether memory can be read, without a signal handler. Called by threads that deliver device records.
 */
#include "device/readable.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* No page is smaller; a larger one is only tried more often. */
enum { PAGE = 4096, PAGES = sizeof(((struct omptape_readable *)0)->pages) / sizeof(uintptr_t) };

static bool page_can_be_read(struct omptape_readable *readable, uintptr_t page)
{
    uintptr_t *known = &readable->pages[page / PAGE % PAGES];
    char byte;
    struct iovec to = {.iov_base = &byte, .iov_len = 1};
    struct iovec from = {.iov_base = (void *)page, .iov_len = 1};
    if (page == 0)
        return false;
    if (*known == page)
        return true;
    int saved = errno;
    ssize_t n = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
    /* Where the call is forbidden the runtime has to be trusted. */
    bool good = n == 1 || (n < 0 && errno != EFAULT);
    errno = saved;
    if (good)
        *known = page;
    return good;
}

bool omptape_readable_has(struct omptape_readable *readable, const void *pointer, size_t bytes)
{
    uintptr_t begin = (uintptr_t)pointer;
    if (begin - readable->base < readable->bytes)
        return bytes <= readable->bytes - (begin - readable->base);
    if (begin > UINTPTR_MAX - bytes)
        return false;
    for (uintptr_t page = begin / PAGE * PAGE; page < begin + bytes; page += PAGE)
        if (!page_can_be_read(readable, page))
            return false;
    return true;
}

size_t omptape_readable_text(struct omptape_readable *readable, const char *text, size_t most)
{
    size_t length = 0;
    if (text == NULL)
        return 0;
    while (length < most) {
        size_t to_page_end = PAGE - (uintptr_t)(text + length) % PAGE;
        size_t piece = to_page_end < most - length ? to_page_end : most - length;
        if (!omptape_readable_has(readable, text + length, piece)) {
            /* In a buffer whose end is no page's. */
            uintptr_t in_buffer = (uintptr_t)(text + length) - readable->base;
            if (in_buffer >= readable->bytes)
                break;
            piece = readable->bytes - in_buffer;
            return length + strnlen(text + length, piece);
        }
        size_t n = strnlen(text + length, piece);
        length += n;
        if (n < piece)
            break;
    }
    return length;
}
