/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Moments of a trace and durations as users type them: "1.5", "20ms", and for moments also an instance of a
 * region, "for@solver.c:112:3" (src/archive/read/visits.h finds it). Used by report and export.
 */
#ifndef OMPTAPE_COMMAND_TEXT_MOMENT_H
#define OMPTAPE_COMMAND_TEXT_MOMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct omptape_time_option {
    bool is_said;
    const char *visit; /* of a region, as it was typed, the caller's; NULL: a time */
    uint64_t ns;       /* since the trace's start */
};

/* Seconds, unless ms, us or ns stand behind the number. */
bool omptape_duration_read(const char *text, uint64_t *ns);

/* The value of --OPTION; NULL: it was not given. 0, or -EINVAL with a line in `error`. */
int omptape_moment_read(struct omptape_time_option *moment, const char *option, const char *text, char *error,
                        size_t bytes);

/* Is the second one certainly not behind the first one? */
bool omptape_moments_are_swapped(const struct omptape_time_option *from,
                                 const struct omptape_time_option *to);

#endif
