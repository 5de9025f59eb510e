/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computed amounts as whole numbers. What archives say may be anything. A sum that does not fit is the
 * greatest number, a difference below zero is 0, a mean of nothing is 0, and a conversion keeps within the
 * type. On any thread.
 */
#ifndef OMPTAPE_CORE_WHOLE_H
#define OMPTAPE_CORE_WHOLE_H

#include <stdint.h>

/* The whole number below `value`: 0 for less and for what is no number, UINT64_MAX for more than fits. */
static inline uint64_t omptape_whole(double value)
{
    return value >= 0x1p64 ? UINT64_MAX : value > 0 ? (uint64_t)value : 0;
}

static inline uint64_t omptape_plus(uint64_t one, uint64_t other)
{
    uint64_t sum = one + other;
    return sum < one ? UINT64_MAX : sum;
}

static inline uint64_t omptape_minus(uint64_t one, uint64_t other)
{
    return one > other ? one - other : 0;
}

static inline uint64_t omptape_times(uint64_t one, uint64_t other)
{
    uint64_t product;
    return __builtin_mul_overflow(one, other, &product) ? UINT64_MAX : product;
}

static inline uint64_t omptape_mean(uint64_t sum, uint64_t count)
{
    return count > 0 ? sum / count : 0;
}

static inline void omptape_add(uint64_t *sum, uint64_t more)
{
    *sum = omptape_plus(*sum, more);
}

static inline void omptape_add_narrow(uint32_t *sum, uint32_t more)
{
    *sum = more > UINT32_MAX - *sum ? UINT32_MAX : *sum + more;
}

#endif
