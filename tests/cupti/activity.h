/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Synthetic activity buffers: records with the sizes that a certain version of CUPTI gives them, and the walk
 * over them as cuptiActivityGetNextRecord does it. For the unit tests and for the libcupti double; a buffer
 * is filled and read by one thread at a time.
 */
#pragma once

#include "device/cupti/abi.h"

#include <stdbool.h>

enum activity_cuda { ACTIVITY_CUDA_11_0, ACTIVITY_CUDA_12_0, ACTIVITY_CUDA_13_0, ACTIVITY_CUDA_COUNT };

/* The version whose sizes all functions below use; CUDA 13.0 at first. */
extern enum activity_cuda activity_cuda;

/* cuptiGetVersion's answer for it. */
uint32_t activity_version(void);

struct activity_buffer {
    uint8_t *bytes; /* aligned to 8 */
    size_t size;
    size_t used;
};

/* Size of a record of that kind, 0: unknown to CUPTI. CUPTI_ACTIVITY_KIND_DRIVER is known. */
size_t activity_size(uint32_t kind);

/* Appends a record whose beginning is `*beginning`, of `length` bytes, the rest 0. Returns false if the
 * buffer is full. */
bool activity_put(struct activity_buffer *buffer, const void *beginning, size_t length);

bool activity_kernel(struct activity_buffer *buffer, uint64_t start, uint64_t end, uint32_t device,
                     uint32_t stream, uint32_t correlation, const char *name);
bool activity_copy(struct activity_buffer *buffer, uint8_t copy_kind, uint64_t start, uint64_t end,
                   uint32_t device, uint32_t stream, uint32_t correlation, uint64_t bytes);
bool activity_peer(struct activity_buffer *buffer, uint64_t start, uint64_t end, uint32_t source,
                   uint32_t destination, uint32_t correlation, uint64_t bytes);
bool activity_set(struct activity_buffer *buffer, uint64_t start, uint64_t end, uint32_t device,
                  uint32_t stream, uint32_t correlation, uint64_t bytes);
bool activity_sync(struct activity_buffer *buffer, uint32_t type, uint64_t start, uint64_t end,
                   uint32_t context, uint32_t stream, uint32_t correlation);
bool activity_external(struct activity_buffer *buffer, uint32_t external_kind, uint64_t id,
                       uint32_t correlation);
bool activity_memory(struct activity_buffer *buffer, uint32_t operation, uint32_t memory_kind, uint64_t time,
                     uint32_t device, uint32_t correlation, uint64_t bytes);
/* A call of the driver's API, which omptape ignores. */
bool activity_driver(struct activity_buffer *buffer, uint32_t correlation);

/* The context of a device in all records above. */
uint32_t activity_context(uint32_t device);

/* As cuptiActivityGetNextRecord. */
int activity_next(uint8_t *buffer, size_t valid, struct omptape_cupti_activity **record);
