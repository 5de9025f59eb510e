/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers of locations in an archive, in the form that other tools use. The upper half is the location's
 * number within its process, the lower half the process's number, which is 0 in a process archive. Event
 * files are named by these numbers: FOLDER/traces/<id>.evt.
 */
#pragma once

#include <stdint.h>

enum { OMPTAPE_LOCATION_SHIFT = 32 };

static inline uint64_t omptape_location_id(uint32_t index, uint32_t process)
{
    return (uint64_t)index << OMPTAPE_LOCATION_SHIFT | process;
}

static inline uint32_t omptape_location_index(uint64_t id)
{
    return (uint32_t)(id >> OMPTAPE_LOCATION_SHIFT);
}

static inline uint32_t omptape_location_process(uint64_t id)
{
    return (uint32_t)(id & UINT32_MAX);
}
