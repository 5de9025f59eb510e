/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What happened to a device's records.
 */
#ifndef OMPTAPE_WRITERS_DEVICES_COUNTS_H
#define OMPTAPE_WRITERS_DEVICES_COUNTS_H

#include <stdint.h>

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

#endif
