/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Saturating arithmetic for values from archives, which may be arbitrary. A sum that overflows is the largest
 * number, a negative difference is 0, the mean of no values is 0. Conversions are limited to the type's
 * range. Any thread.
 */
#pragma once

#include <stdint.h>

/* Returns `value` rounded down: 0 for negative values and NaN, UINT64_MAX if it is too large. */
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

static inline uint64_t omptape_greater(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

/* Returns a negative number, 0 or a positive number like memcmp. */
static inline int omptape_order(uint64_t one, uint64_t other)
{
    return (one > other) - (one < other);
}

/* For qsort and bsearch: the lowest number first. */
static inline int omptape_compare_whole(const void *left, const void *right)
{
    return omptape_order(*(const uint64_t *)left, *(const uint64_t *)right);
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
