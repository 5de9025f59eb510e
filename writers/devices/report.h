/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The archive's properties for each device. They say where its records came from and why, what became of
 * them, and how its clock was aligned (include/omptape/properties.h).
 */
#pragma once

#include "writers/state/writer.h"

#include <stdint.h>

/* What happened to a device's records. */
/* For the reader to judge the records by. */
struct omptape_device_counts {
    uint64_t records;    /* that came, of any kind */
    uint64_t shown;      /* intervals in the archive from them */
    uint64_t observed;   /* intervals as the host saw them */
    uint64_t unlinked;   /* of those shown: whose host operation is not known */
    uint64_t repaired;   /* had impossible times, or another's operation id */
    uint64_t undated;    /* not shown: no time could be made out */
    uint64_t duplicates; /* not shown */
    uint64_t invalid;    /* not records at all */
    uint64_t refused;    /* requests for a buffer that got none */
    uint64_t lost;       /* buffers that were not given back */
    uint64_t dropped;    /* records for which the pool had no room */
    uint64_t kernels;    /* of those in the archive */
    uint64_t transfers;  /* likewise, with so many bytes: */
    uint64_t bytes;
};

/* Sets the properties; when all is written. `resolution`: ticks of the host's clock a second. */
void omptape_device_report(struct omptape_writer *writer, uint64_t resolution);

/* Kernels, transfers and their bytes of all devices; the other counts are 0. */
struct omptape_device_counts omptape_device_sum(const struct omptape_writer *writer);

/* Calls `warn` with one line for each thing about the devices that is worth a warning; the text holds until
 * it returns. */
void omptape_device_warnings(struct omptape_writer *writer,
                             void (*warn)(struct omptape_writer *writer, const char *text));
