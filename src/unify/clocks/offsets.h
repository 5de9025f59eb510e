/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measured offsets between hosts' wall clocks, as a file gives them (--clock-offsets). Read once by the
 * process that unifies.
 *
 * Each line has three words: a host name or a rank; when it was measured, in seconds since 1970 by that
 * host's clock (a fraction is allowed); and how many ns must be added to that clock. Between the measurements
 * of one host the offset is interpolated; before the first and after the last it is constant. A line for a
 * rank goes before those for its host. Empty lines and what follows a '#' are passed over.
 */
#ifndef OMPTAPE_UNIFY_CLOCKS_OFFSETS_H
#define OMPTAPE_UNIFY_CLOCKS_OFFSETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct omptape_unify_offset {
    char *who;     /* a host, or a rank in its shortest form */
    int64_t time;  /* ns since 1970 */
    int64_t value; /* ns to add */
};

struct omptape_unify_offsets {
    struct omptape_unify_offset *list; /* sorted by who, then time */
    uint32_t count;
    uint32_t capacity;
};

/* 0, or negative errno with one line in `error`. Free with omptape_unify_offsets_free, whatever it returns.
 */
int omptape_unify_offsets_read(struct omptape_unify_offsets *offsets, const char *path, char *error,
                               size_t bytes);
void omptape_unify_offsets_free(struct omptape_unify_offsets *offsets);

/* The lines for a process: of its rank, else of its host. Returns the first and how many there are. */
const struct omptape_unify_offset *omptape_unify_offsets_of(const struct omptape_unify_offsets *offsets,
                                                            const char *host, int64_t rank, size_t *count);

/* What must be added to the wall clock at that time. */
int64_t omptape_unify_offset_at(const struct omptape_unify_offset *list, size_t count, int64_t time);

#endif
