/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses lists of numbers as users type them: processes ("0,4-7") and threads ("0-3,7", "2:0-3" for process
 * 2, "OMP thread 5"). Used by report and export.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ranges_item {
    const char *name; /* points into the parsed list; NULL if the range holds numbers */
    size_t length;
    bool any_process;
    uint32_t process;
    uint32_t first;
    uint32_t last;
};

/* Parsed list. All zeros is the empty list, which contains every number. */
struct ranges {
    struct ranges_item *list;
    uint32_t count;
    uint32_t capacity;
};

/* Parses a decimal number at *text and advances *text past it. False if there is none or it overflows. */
bool number_read(const char **text, uint64_t *number);

/* Parse a list of processes or of threads; "all" stands for all threads. `list` must outlive `ranges`. Return
 * 0, -EINVAL if the list is malformed, or -ENOMEM. The caller calls ranges_free in any case. */
int ranges_read(struct ranges *ranges, const char *list);
int ranges_read_threads(struct ranges *ranges, const char *list);

bool ranges_have(const struct ranges *ranges, uint32_t number);
/* Returns true if the list contains the thread by number or by `name`, which may be NULL. */
bool ranges_have_thread(const struct ranges *ranges, uint32_t process, uint32_t number, const char *name);
void ranges_free(struct ranges *ranges);
