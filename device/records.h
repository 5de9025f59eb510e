/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading the records of a delivered buffer and copying them into the calling thread's chunk.
 */
#ifndef OMPTAPE_DEVICE_RECORDS_H
#define OMPTAPE_DEVICE_RECORDS_H

#include "device/buffers.h"
#include "device/traced.h"

/* The device times of the first and the last record that have one; 0: none has. */
struct omptape_record_times {
    uint64_t first;
    uint64_t last;
};

/* Copies all records of the range, however damaged it is, and adds them to the device's sums. Called inside
 * buffer_complete, between the enter and leave of its buffer. */
void omptape_records_take(struct omptape_traced_device *device, const struct omptape_device_range *range,
                          struct omptape_record_times *times);

#endif
