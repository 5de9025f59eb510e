/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The buffers that devices write their records into. One reservation of address space holds them all; memory
 * that was a buffer once stays readable and writable for good, whatever a runtime does with it late. Any
 * thread may call everything here at any time, inside any other callback; nothing locks or waits.
 */
#ifndef OMPTAPE_DEVICE_BUFFERS_H
#define OMPTAPE_DEVICE_BUFFERS_H

#include <omptape/ompt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reserves the address space for buffers of `bytes` each. Only the first call does anything. 0, or negative
 * errno: there will be no buffers. */
int omptape_device_buffers_prepare(size_t bytes);

/* A buffer for a device, and its size. NULL: the limit on their sum is reached, or memory is short. */
void *omptape_device_buffers_take(int device, size_t *bytes);

/* What a completion is about. */
struct omptape_device_range {
    ompt_buffer_t *buffer; /* as the runtime named it */
    size_t bytes;          /* of records, at most the buffer's size */
    ompt_buffer_cursor_t begin;
    const char *base; /* the whole buffer */
    size_t size;
    int device; /* for which it was taken */
    /* The runtime had given the buffer back, and these records had come before that. */
    bool repeated;
    uint32_t index;
};

/* Keeps a buffer from being reused while its records are read. False: it was never given to anyone. */
bool omptape_device_buffers_enter(ompt_buffer_t *buffer, size_t bytes, ompt_buffer_cursor_t begin,
                                  struct omptape_device_range *range);
/* Must follow it; `owned`: the runtime gives the buffer back. */
void omptape_device_buffers_leave(const struct omptape_device_range *range, bool owned);

/* How many of a device's buffers have not come back. */
uint32_t omptape_device_buffers_outstanding(int device);
/* Takes them back. Only when the runtime has forgotten them. */
void omptape_device_buffers_reclaim(int device);

/* In a forked child: they are the parent's, and stay where the runtime's copy may write into them. */
void omptape_device_buffers_forget(void);

#endif
