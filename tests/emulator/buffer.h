/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One buffer of the tool, and the table by which a pointer that the tool hands to an entry point is found
 * again. Shared by buffers.c (filling), complete.c (handing over) and cursor.c (reading).
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "tests/emulator/buffers.h"

struct em_buffer {
    struct em_buffer *next; /* in the table */
    struct em_device *device;
    unsigned char *memory;
    size_t bytes;
    _Atomic size_t used; /* by the lane's thread */
    size_t sent;
    size_t last;          /* where the last record begins */
    pthread_mutex_t lock; /* of what follows, and of sent */
    int in_flight;        /* ranges on their way */
    bool closed;          /* nothing more is written */
    bool hoarded;
    _Atomic int with_tool; /* handed back for good */
    _Atomic int exposed;   /* ranges that the tool is being shown just now */
};

/* A descriptor for memory that the tool gave. A violation if the device has that memory already. */
struct em_buffer *em_buffer_new(struct em_device *device, void *memory, size_t bytes);

/* The newest descriptor of that address, or NULL. */
struct em_buffer *em_buffer_of(const void *memory);

struct em_slot *em_buffer_slot(struct em_buffer *buffer, size_t offset);

ompt_buffer_cursor_t em_cursor_of(size_t offset);

/* owned_twice: held while the tool is asked for a buffer, and while it gets one back again. */
extern pthread_mutex_t em_buffer_requests;

/* Gives back, empty, what em_buffers_hoard took. */
void em_buffer_return_hoard(struct em_device *device);
