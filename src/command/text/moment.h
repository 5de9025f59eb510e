/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses moments of a trace and durations as users type them: "1.5", "20ms". A moment can also be an instance
 * of a region, "for@solver.c:112:3", which src/archive/read/visits.h looks up. Used by report and export.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct time_option {
    bool is_given;
    /* The region's instance as typed, owned by the caller; NULL if `ns` holds the moment. */
    const char *visit;
    uint64_t ns; /* since the start of the trace */
};

/* Parses a duration in seconds, or in ms, us or ns that follow the number. Returns false for other texts. */
bool duration_read(const char *text, uint64_t *ns);

/* Parses the value `text` of --OPTION (NULL: not given). Returns 0, or -EINVAL with a line in `error`. */
int moment_read(struct time_option *moment, const char *option, const char *text, char *error, size_t bytes);

/* Returns true if both moments are times and `from` is later than `to`. */
bool moments_are_swapped(const struct time_option *from, const struct time_option *to);
