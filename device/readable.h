/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory that a runtime pointed to. A record may lie outside the buffer (OpenMP 5.2 section 19.6.2.3.15
 * allows thread-local storage), so a pointer that is wrong cannot be told by its value alone.
 */
#ifndef OMPTAPE_DEVICE_READABLE_H
#define OMPTAPE_DEVICE_READABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is known to be readable: one buffer, and the pages that were tried last. One for each delivery. */
struct omptape_readable {
    uintptr_t base;
    size_t bytes;
    uintptr_t pages[4];
};

/* True if these bytes can be read; inside the buffer for a comparison, elsewhere for a system call a page. */
bool omptape_readable_has(struct omptape_readable *readable, const void *pointer, size_t bytes);

/* The length of a text, at most `most` bytes, as far as it can be read. */
size_t omptape_readable_text(struct omptape_readable *readable, const char *text, size_t most);

#endif
