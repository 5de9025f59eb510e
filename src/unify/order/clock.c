/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements the jumps of a process's logical clock and the decay of its shift (links.h).
 */
#include "src/unify/order/links.h"

#include "src/core/array.h"

/* A shift decays by 1/8192 of the time; a window is 1024 times as long as its jump. */
enum { FADE_BITS = 13, WINDOW_BITS = 10, ROUNDING = 2 };

/* Returns the first jump after `time`. */
static uint32_t jump_behind(const struct omptape_order_clock *clock, uint64_t time)
{
    return (uint32_t)omptape_first_above(clock->jumps, clock->count, sizeof(*clock->jumps),
                                         offsetof(struct omptape_order_jump, time), time);
}

uint64_t omptape_order_clock_at(const struct omptape_order_clock *clock, uint64_t time)
{
    const uint32_t behind = jump_behind(clock, time);
    if (behind == 0)
        return 0;
    const struct omptape_order_jump *jump = &clock->jumps[behind - 1];
    const uint64_t faded = time > jump->held ? (time - jump->held) >> FADE_BITS : 0;
    return jump->after > faded ? jump->after - faded : 0;
}

uint64_t omptape_order_clock_end(const struct omptape_order_clock *clock, uint32_t jump)
{
    return clock->jumps[jump].held + (clock->jumps[jump].after << FADE_BITS);
}

/* A need after the start of the decay creates a new jump, if only to stop the decay. No margin is added: it
 * would move other events, which would add margins of their own, without end. */
bool omptape_order_clock_need(struct omptape_order_clock *clock, uint64_t time, uint64_t needed)
{
    struct omptape_order_jump *last = clock->count > 0 ? &clock->jumps[clock->count - 1] : NULL;
    const uint64_t shift = omptape_order_clock_at(clock, time);
    if (last != NULL && needed <= shift && time <= last->held) {
        last->held = time + clock->hold;
        return true;
    }
    const uint64_t after = needed > shift ? needed : shift;
    if (last != NULL && last->time == time) {
        last->after = after;
        last->held = time + clock->hold;
        return true;
    }
    return OMPTAPE_APPEND(clock->jumps, clock->count, clock->capacity,
                          (struct omptape_order_jump){
                              .time = time, .before = shift, .after = after, .held = time + clock->hold});
}

void omptape_order_clock_open_windows(struct omptape_order_clock *clock, uint64_t begin)
{
    for (uint32_t i = 0; i < clock->count; i++) {
        struct omptape_order_jump *jump = &clock->jumps[i];
        const uint64_t earliest = i > 0 ? jump[-1].time : begin;
        const uint64_t capacity = jump->time > earliest ? jump->time - earliest : 0;
        const uint64_t wanted = (jump->after - jump->before) << WINDOW_BITS;
        jump->window = wanted < capacity ? wanted : capacity;
    }
}

void omptape_order_clock_limit(struct omptape_order_clock *clock, uint64_t time, uint64_t slack)
{
    const uint32_t behind = jump_behind(clock, time);
    if (behind == clock->count)
        return;
    struct omptape_order_jump *jump = &clock->jumps[behind];
    const uint64_t height = jump->after - jump->before;
    /* Times and readings of the clock are rounded to each other. */
    const uint64_t distance = jump->time - time > ROUNDING ? jump->time - time - ROUNDING : 0;
    if (distance >= jump->window || slack >= height)
        return;
    const uint64_t max =
        (uint64_t)((long double)distance * (long double)height / (long double)(height - slack));
    jump->window = max < jump->window ? max : jump->window;
}
