/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shifts the times of an archive's processes so that what must come before something does, where comparing
 * their clocks was not enough: a controlled logical clock (Rabenseifner 1997; Becker, Rabenseifner, Wolf
 * 2009). All locations of a process are shifted alike, so that nothing inside of it changes its order.
 *
 * Forward: an end that comes before what it needs is put behind that; what follows in its process is shifted
 * by as much for a second, then less by 1 in 8192 as time goes on. Backward: before such a jump the times are
 * stretched so that it vanishes, over 1024 times its length, but never so far that what the process sends
 * meanwhile is received before it is sent. Two passes over the archive; memory is what is under way, and 40
 * bytes a jump, at most one for each message.
 */
#ifndef OMPTAPE_UNIFY_ORDER_MEND_H
#define OMPTAPE_UNIFY_ORDER_MEND_H

#include "src/unify/order/links.h"

/* From `time` on the process is `shift` later, and between two such points as much as a line between them
 * says; before the first and behind the last nothing is shifted. */
struct omptape_order_point {
    uint64_t time;
    uint64_t shift;
};

struct omptape_order_shifts {
    uint64_t group; /* location group of the process */
    struct omptape_order_point *points;
    uint32_t count;
};

struct omptape_order_mending {
    struct omptape_order_shifts *processes; /* those that are shifted */
    uint32_t count;
};

/* `counts` are those of the archive (omptape_order_count). 0, or negative errno with a line in `error`. Free
 * with omptape_order_mending_free, whatever it returns. */
int omptape_order_mend(struct omptape_order_mending *mending, const char *path,
                       const struct omptape_order_counts *counts, volatile uint64_t *beats, char *error,
                       size_t bytes);
void omptape_order_mending_free(struct omptape_order_mending *mending);

/* By how much a time is shifted. */
uint64_t omptape_order_shift_at(const struct omptape_order_shifts *shifts, uint64_t time);

#endif
