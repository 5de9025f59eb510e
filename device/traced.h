/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the intake of device records: one device that is traced. Made by device/tracing.c, used by the files
 * beside it on whichever thread the runtime chose.
 */
#ifndef OMPTAPE_DEVICE_TRACED_H
#define OMPTAPE_DEVICE_TRACED_H

#include "device/interface.h"

#include <stdatomic.h>

enum omptape_device_state {
    OMPTAPE_DEVICE_NONE = 0,
    OMPTAPE_DEVICE_OPEN = 1,
    OMPTAPE_DEVICE_CLOSING = 2, /* its end has begun: only the thread that closes it calls it */
    OMPTAPE_DEVICE_CLOSED = 3,  /* late buffers are still read */
};

/* Everything above `state` is constant once the device is open. */
struct omptape_traced_device {
    int number;
    ompt_device_t *pointer;
    struct omptape_interface calls;
    _Atomic uint32_t state;         /* enum omptape_device_state */
    _Atomic uint32_t anchor_takers; /* threads that are reading its clock */
    _Atomic bool started;
    _Atomic bool has_clock; /* ompt_get_device_time has answered */
    /* Sums, as in OMPTAPE_DEVICE_SUMMARY. */
    _Atomic uint64_t requests;
    _Atomic uint64_t refused;
    _Atomic uint64_t completions;
    _Atomic uint64_t records;
    _Atomic uint64_t invalid;
    _Atomic uint64_t dropped;
};

#endif
