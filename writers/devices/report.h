/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The archive's properties for each device: source of its records and the reason, what became of them, and
 * how its clock was aligned (include/omptape/properties.h).
 */
#pragma once

#include "writers/state/writer.h"

#include <stdint.h>

/* Counts of a device's records, by which a user can judge them. */
struct omptape_device_counts {
    uint64_t records;    /* Records of any kind. */
    uint64_t shown;      /* Intervals in the archive from these records. */
    uint64_t observed;   /* Intervals in the archive as the host observed them. */
    uint64_t unlinked;   /* Shown intervals whose host operation is unknown. */
    uint64_t repaired;   /* Records with impossible times, or with the id of another operation. */
    uint64_t undated;    /* Not shown, because no time could be determined. */
    uint64_t duplicates; /* Repeated records, which are not shown. */
    uint64_t invalid;    /* Invalid records. */
    uint64_t refused;    /* Buffer requests that were refused. */
    uint64_t lost;       /* Buffers that were not returned. */
    uint64_t dropped;    /* Records for which the pool had no memory. */
    uint64_t kernels;    /* Kernels in the archive. */
    uint64_t transfers;  /* Transfers in the archive; `bytes` is their size. */
    uint64_t bytes;
};

/* Sets the properties. Called after all intervals. `resolution`: ticks of the host's clock per second. */
void omptape_device_report(struct omptape_writer *writer, uint64_t resolution);

/* Returns kernels, transfers and their bytes of all devices; the other counts are 0. */
struct omptape_device_counts omptape_device_sum(const struct omptape_writer *writer);

/* Calls `warn` with one line for each problem of the devices. The text is valid only during the call. */
void omptape_device_warnings(struct omptape_writer *writer,
                             void (*warn)(struct omptape_writer *writer, const char *text));
