/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The logical clock of one process: the jumps that it makes, and what lies between. For mend.c.
 */
#ifndef OMPTAPE_UNIFY_ORDER_CLOCK_H
#define OMPTAPE_UNIFY_ORDER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* At `time` the shift becomes `after`; it was `before`, which may be the same. */
struct omptape_order_jump {
    uint64_t time;
    uint64_t before;
    uint64_t after;
    uint64_t held;   /* until when it stays so; then it fades */
    uint64_t window; /* how long before it times are stretched */
};

struct omptape_order_clock {
    uint64_t hold; /* how long a shift stays after it was needed */
    struct omptape_order_jump *jumps;
    uint32_t count, room;
};

/* The shift at `time`, without what is stretched before jumps. */
uint64_t omptape_order_clock_at(const struct omptape_order_clock *clock, uint64_t time);

/* At `time`, which is not before any other jump's, the process must be `needed` later at least. False: no
 * memory.
 */
bool omptape_order_clock_need(struct omptape_order_clock *clock, uint64_t time, uint64_t needed);

/* When nothing is left of a jump, if no other follows. */
uint64_t omptape_order_clock_end(const struct omptape_order_clock *clock, uint32_t jump);

/* All jumps are known: how far back each may reach, at most to `begin`. */
void omptape_order_clock_open_windows(struct omptape_order_clock *clock, uint64_t begin);

/* At `time` the process may not be more than `slack` later than it is. */
void omptape_order_clock_limit(struct omptape_order_clock *clock, uint64_t time, uint64_t slack);

#endif
