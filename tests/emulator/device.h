/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An emulated device: its clock, what the tool asked it to trace, and the state of tracing. One for each
 * device that the runtime announces; its address is the ompt_device_t that the tool must hand back.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "omptape/ompt.h"
#include "tests/emulator/device_clock.h"

enum { EM_DEVICES = 16, EM_ETYPES = 64, EM_STREAMS_MAX = 16 };

enum em_phase { EM_UNKNOWN, EM_IDLE, EM_TRACING, EM_STOPPED, EM_FINALIZED };

struct em_lane;

struct em_device {
    int number;
    _Atomic int phase; /* enum em_phase */
    _Atomic int paused;
    struct em_clock clock;
    _Atomic unsigned char asked[EM_ETYPES]; /* the answer that the tool got: an ompt_set_result_t */
    _Atomic int native_flags;
    ompt_callback_buffer_request_t request;
    ompt_callback_buffer_complete_t complete;
    pthread_mutex_t lock; /* of what follows */
    struct em_lane *lanes;
    uint64_t stream_end[EM_STREAMS_MAX]; /* host ticks until which a stream is busy */
    _Atomic unsigned requested;          /* buffers asked for, those that the tool gave, and given back */
    _Atomic unsigned given;
    _Atomic unsigned returned;
    _Atomic unsigned completes;
};

/* The device of this number, or NULL if it is none (the host, an unknown one). */
struct em_device *em_device(int number);

/* Begins one when the runtime does. NULL if the number is beyond the room. */
struct em_device *em_device_begin(int number);

/* The device that a tool means by a pointer: NULL, and a violation, if it is none of ours. `what`: the entry
 * point. */
struct em_device *em_device_of(ompt_device_t *pointer, const char *what);

/* The device's number as its buffer callbacks say it. */
int em_device_told(const struct em_device *device);

/* Whether records of an event are made: the first of the two forms that was asked for, else 0. */
unsigned em_device_etype(struct em_device *device, unsigned emi, unsigned plain);

/* A line for each device: "device NUMBER requested N given N returned N completes N". */
void em_devices_describe(FILE *file);

/* True in a forked child, where there are no devices to call. */
extern volatile int em_device_forked;

/* True while this thread is inside one of the tool's buffer callbacks. */
extern _Thread_local int em_in_callback;
