/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What of an archive is exported: a window of time, some locations, and regions that last long enough. For
 * export.c, which reads the words, and for places.c and the formats, which go by it.
 */
#ifndef OMPTAPE_COMMAND_EXPORT_CHOICE_H
#define OMPTAPE_COMMAND_EXPORT_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct omptape_export_range {
    bool any_process;
    uint32_t process;
    uint32_t first;
    uint32_t last;
};

struct omptape_export_choice {
    uint64_t from;  /* ns since the trace's start */
    uint64_t to;    /* likewise; UINT64_MAX: its end */
    uint64_t least; /* ns that a region has to last */
    struct omptape_export_range *ranges;
    uint32_t count; /* 0: all locations */
    uint32_t room;
};

/* The words as they were typed; NULL: there was none. */
struct omptape_export_words {
    const char *from;
    const char *to;
    const char *threads;
    const char *min_duration;
};

/* 0, or a negative errno with a line in `error`. omptape_export_choice_free in any case. */
int omptape_export_choice_read(struct omptape_export_choice *choice, const struct omptape_export_words *words,
                               char *error, size_t bytes);

/* Is this location of that process chosen? */
bool omptape_export_choice_has(const struct omptape_export_choice *choice, uint32_t process, uint32_t number);

void omptape_export_choice_free(struct omptape_export_choice *choice);

#endif
