/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists of numbers as users type them: processes, "0,4-7", and threads, "0-3,7", "2:0-3" (of process 2), "OMP
 * thread 5". Used by report and export.
 */
#ifndef OMPTAPE_COMMAND_TEXT_RANGES_H
#define OMPTAPE_COMMAND_TEXT_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct omptape_range {
    const char *name; /* in the list; NULL: numbers */
    size_t length;
    bool any_process;
    uint32_t process;
    uint32_t first;
    uint32_t last;
};

/* All zeros is an empty one, which has all. */
struct omptape_ranges {
    struct omptape_range *list;
    uint32_t count;
    uint32_t room;
};

/* Reads a number at *text and moves that behind it. */
bool omptape_number_read(const char **text, uint64_t *number);

/* The list, which must live as long: of processes; of threads, where "all" is all. 0, -EINVAL: it is none, or
 * -ENOMEM. omptape_ranges_free in any case. */
int omptape_ranges_read(struct omptape_ranges *ranges, const char *list);
int omptape_ranges_read_threads(struct omptape_ranges *ranges, const char *list);

bool omptape_ranges_have(const struct omptape_ranges *ranges, uint32_t number);
/* `name`: the thread's, which may be in the list as well. */
bool omptape_ranges_have_thread(const struct omptape_ranges *ranges, uint32_t process, uint32_t number,
                                const char *name);
void omptape_ranges_free(struct omptape_ranges *ranges);

#endif
