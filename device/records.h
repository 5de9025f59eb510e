/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading the records of a delivered buffer and copying them into the calling thread's chunk.
 */
#ifndef OMPTAPE_DEVICE_RECORDS_H
#define OMPTAPE_DEVICE_RECORDS_H

#include "buffers/producer.h"
#include "device/buffers.h"
#include "device/interface.h"

#include <stdatomic.h>

/* Threads that deliver device records. Most are the runtime's own and never begin as OpenMP threads; they
 * get a slot at their first record and give it back at their end, so that short-lived helpers use none up. */
/* The calling thread's slot; a thread without one gets it as OMPTAPE_THREAD_DELIVERS and gives it back when
 * it ends. NULL: nothing is recorded. `kind` is the record that is about to be written. */
struct omptape_slot *omptape_delivery_slot(enum omptape_kind kind);
/* Must come before the first of the above. Any thread, any number of times. */
void omptape_delivery_prepare(void);

/* True while what is recorded finds a reader. */
bool omptape_delivery_is_recording(void);

/* Inside the intake of device records: one device that is traced. Made by device/tracing.c, used by the
 * files beside it on whichever thread the runtime chose. */
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

/* The kinds of trace records: which there are, how large they are, which the user wants, and what the
 * runtime answers when asked for them. */
/* Asks for the records of `events` (bit n: callback number n) and for native ones of the same operations; the
 * answers go to `lines`. */
void omptape_kinds_ask(const struct omptape_interface *calls, ompt_device_t *device, uint64_t events,
                       struct omptape_lines *lines);

/* True if these events include one of those that devices are traced for. */
bool omptape_kinds_are_wanted(uint64_t events);

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
