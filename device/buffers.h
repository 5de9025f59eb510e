/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The buffers that devices write their records into. All are in one reservation of address space. Memory of a
 * buffer stays readable and writable, so that late accesses by a runtime do no harm. Any thread may call all
 * functions at any time, inside any callback. No function takes a lock or waits.
 */
#pragma once

#include <omptape/ompt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reserves the address space for buffers of `bytes` each. Only the first call has an effect. Returns 0, or a
 * negative errno if there will be no buffers. */
int omptape_device_buffers_prepare(size_t bytes);

/* Returns a buffer for a device and its size. Returns NULL if the limit is reached or memory is exhausted. */
void *omptape_device_buffers_acquire(int device, size_t *bytes);

/* The buffer and range of a completion. */
struct omptape_device_range {
    ompt_buffer_t *buffer; /* The address that the runtime passed. */
    size_t bytes;          /* Bytes of records, at most the buffer's size. */
    ompt_buffer_cursor_t begin;
    const char *base; /* Start of the whole buffer. */
    size_t size;
    int device; /* The device for which it was taken. */
    /* The runtime had returned the buffer, and had delivered these records before. */
    bool repeated;
    uint32_t index;
};

/* Adds a reference, so that the buffer is not reused while its records are read. False if it was never
 * taken. */
bool omptape_device_buffers_enter(ompt_buffer_t *buffer, size_t bytes, ompt_buffer_cursor_t begin,
                                  struct omptape_device_range *range);
/* Removes this reference. `owned` means that the runtime returns the buffer. */
void omptape_device_buffers_leave(const struct omptape_device_range *range, bool owned);

/* Returns how many of a device's buffers were not returned. */
uint32_t omptape_device_buffers_outstanding(int device);
/* Frees a device's buffers that were not returned. Only if the runtime does not use them any more. */
void omptape_device_buffers_reclaim(int device);

/* Forgets the buffers in a forked child. They remain mapped: the runtime's copy may write into them. */
void omptape_device_buffers_forget(void);
