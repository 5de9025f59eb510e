/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From the ids and times of one archive to those of another one, for sums that were made for the first and
 * are added to those of the second (partial.h, pyramid_bytes.h): a profile's, whose process became a part of
 * a larger archive (profile.h). One thread.
 */
#ifndef OMPTAPE_ANALYSIS_REDUCE_MAP_H
#define OMPTAPE_ANALYSIS_REDUCE_MAP_H

#include "src/archive/read/reader.h"

struct omptape_partial_map {
    const void *data;
    /* False: there is none. */
    bool (*id)(const void *data, enum omptape_definition_kind kind, uint64_t *id);
    uint64_t (*time)(const void *data, uint64_t time);
    uint64_t (*ticks)(const void *data, uint64_t ticks); /* a span */
};

#endif
