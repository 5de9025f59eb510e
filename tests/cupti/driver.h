/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Between the doubles of libcuda and libcupti, and for the programs that use them: what a program asks of its
 * devices, and the activity that a tool hears of. Any thread.
 */
#pragma once

#include <stdint.h>

enum driver_work {
    DRIVER_CONTEXT,
    DRIVER_KERNEL,
    DRIVER_COPY,
    DRIVER_PEER,
    DRIVER_SET,
    DRIVER_SYNC,
    DRIVER_ALLOC,
    DRIVER_FREE
};

struct driver_activity {
    enum driver_work work;
    uint32_t device;
    uint32_t stream;
    uint32_t peer; /* the source of DRIVER_PEER */
    uint64_t bytes;
    uint64_t start; /* epoch nanoseconds, as CUPTI's; 0: the device could not tell */
    uint64_t end;
    const char *name;
    uint32_t copy_kind; /* CUpti_ActivityMemcpyKind */
};

/* Exported by the libcuda double. */
int cuInit(unsigned flags);
/* Makes a context current on this thread. */
int driver_context(uint32_t device);
/* The device of this thread's context, or -1. */
int driver_present_device(void);
/* Does the work at once: tells the tool, if there is one. */
void driver_do(const struct driver_activity *activity);
/* The tool's ear; NULL takes it away. Returns 0, or -1 if cuInit was never called. */
int driver_listen(void (*listener)(const struct driver_activity *activity));
