/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computed amounts as whole numbers. What archives say may be anything, and to convert a number that does not
 * fit is undefined. On any thread.
 */
#ifndef OMPTAPE_CORE_WHOLE_H
#define OMPTAPE_CORE_WHOLE_H

#include <stdint.h>

/* The whole number below `value`: 0 for less and for what is no number, UINT64_MAX for more than fits. */
static inline uint64_t omptape_whole(double value)
{
    return value >= 0x1p64 ? UINT64_MAX : value > 0 ? (uint64_t)value : 0;
}

#endif
