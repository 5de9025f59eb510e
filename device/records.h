/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the records of a delivered buffer and copies them into the calling thread's chunk.
 */
#pragma once

#include "buffers/producer.h"
#include "device/buffers.h"
#include "device/interface.h"

#include <stdatomic.h>

/* Threads that deliver device records. Most belong to the runtime and never begin as OpenMP threads. They get
 * a slot at their first record and release it at their end, so short-lived helpers do not use them up. */
/* Returns the calling thread's slot, or NULL if nothing is recorded. A thread without a slot gets one as
 * OMPTAPE_THREAD_DELIVERS and releases it at its end. `kind` is the record that follows. */
struct omptape_slot *omptape_delivery_slot(enum omptape_kind kind);
/* Must be called before the first call of omptape_delivery_slot. Any thread, any number of times. */
void omptape_delivery_prepare(void);

/* Returns true while the session is open. */
bool omptape_delivery_is_recording(void);

/* A traced device. Created by device/tracing.c, used by the others of device/ on any thread. */
enum omptape_device_state {
    OMPTAPE_DEVICE_NONE = 0,
    OMPTAPE_DEVICE_OPEN = 1,
    OMPTAPE_DEVICE_CLOSING = 2, /* It is being closed: only the closing thread uses it. */
    OMPTAPE_DEVICE_CLOSED = 3,  /* Late buffers are still read. */
};

/* All fields above `state` are constant once the device is open. */
struct omptape_traced_device {
    int number;
    ompt_device_t *pointer;
    struct omptape_interface calls;
    uint64_t events;                /* What the user wants to record; bit n: callback number n. */
    _Atomic uint32_t state;         /* enum omptape_device_state. */
    _Atomic uint32_t anchor_takers; /* Threads that are reading its clock. */
    _Atomic bool started;
    _Atomic bool shared;    /* The second tool traces it, too. */
    _Atomic bool skips;     /* What is delivered is for the second tool alone: omptape is paused. */
    _Atomic bool has_clock; /* ompt_get_device_time has succeeded. */
    /* Sums, as in OMPTAPE_DEVICE_SUMMARY. */
    _Atomic uint64_t requests;
    _Atomic uint64_t refused;
    _Atomic uint64_t completions;
    _Atomic uint64_t records;
    _Atomic uint64_t invalid;
    _Atomic uint64_t dropped;
};

/* The kinds of trace records: their sizes, which ones the user wants, and the runtime's answers. */
/* Requests records for `events` (bit n: callback number n) and native records of the same operations. Adds
 * the answers to `lines`. */
void omptape_kinds_request(const struct omptape_interface *calls, ompt_device_t *device, uint64_t events,
                           struct omptape_lines *lines);

/* Returns true if these events include one for which devices are traced. */
bool omptape_kinds_are_wanted(uint64_t events);

/* The second tool, which gets copies of the records of the devices that it shares
 * (callbacks/second/devices.c). Called by the delivering thread, for one delivered range after the other. */
struct omptape_record_copies {
    int device;
    char *buffer; /* The tool's buffer, or NULL. */
    size_t bytes;
    size_t used;
};
struct omptape_record_taker {
    /* Takes an OMPT record, which may be unaligned; `bytes` is at most the size of ompt_record_ompt_t. */
    void (*take)(struct omptape_record_copies *copies, const void *record, size_t bytes);
    /* Delivers what was taken. */
    void (*end)(struct omptape_record_copies *copies);
};
extern _Atomic(const struct omptape_record_taker *) omptape_record_taker;

/* Device times of the first and the last record with a time; 0 if there is none. */
struct omptape_record_times {
    uint64_t first;
    uint64_t last;
};

/* Copies all records of the range, which may be damaged, and adds them to the device's sums. Called inside
 * buffer_complete, between omptape_device_buffers_enter and _leave. */
void omptape_records_take(struct omptape_traced_device *device, const struct omptape_device_range *range,
                          struct omptape_record_times *times);
