/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes synthetic activity buffers and walks over them; see the header. Called by tests only.
 */
#include "tests/cupti/activity.h"

#include <string.h>

enum { INVALID_KIND = 21, DRIVER_BYTES = 40, GRID = 128, BLOCK = 64 };

enum activity_cuda activity_cuda = ACTIVITY_CUDA_13_0;

uint32_t activity_version(void)
{
    static const uint32_t versions[] = {13, 19, 130000};
    return versions[activity_cuda];
}

size_t activity_size(uint32_t kind)
{
    static const struct {
        uint32_t kind;
        size_t sizes[ACTIVITY_CUDA_COUNT];
    } table[] = {
        {OMPTAPE_CUPTI_KIND_CONCURRENT_KERNEL, {160, 208, 216}},
        {OMPTAPE_CUPTI_KIND_MEMCPY, {72, 88, 96}},
        {OMPTAPE_CUPTI_KIND_MEMCPY2, {80, 96, 96}},
        {OMPTAPE_CUPTI_KIND_MEMSET, {72, 88, 88}},
        {OMPTAPE_CUPTI_KIND_SYNCHRONIZATION, {40, 40, 56}},
        {OMPTAPE_CUPTI_KIND_EXTERNAL_CORRELATION, {24, 24, 24}},
        {OMPTAPE_CUPTI_KIND_MEMORY2, {112, 120, 128}},
        {OMPTAPE_CUPTI_KIND_DRIVER, {DRIVER_BYTES, DRIVER_BYTES, DRIVER_BYTES}},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (table[i].kind == kind)
            return table[i].sizes[activity_cuda];
    }
    return 0;
}

bool activity_put(struct activity_buffer *buffer, const void *beginning, size_t length)
{
    size_t size = activity_size(*(const uint32_t *)beginning);
    if (size < length)
        size = length;
    if (size > buffer->size - buffer->used)
        return false;
    memset(buffer->bytes + buffer->used, 0, size);
    memcpy(buffer->bytes + buffer->used, beginning, length);
    buffer->used += size;
    return true;
}

uint32_t activity_context(uint32_t device)
{
    return device + 1;
}

bool activity_kernel(struct activity_buffer *buffer, uint64_t start, uint64_t end, uint32_t device,
                     uint32_t stream, uint32_t correlation, const char *name)
{
    struct omptape_cupti_kernel kernel = {.kind = OMPTAPE_CUPTI_KIND_CONCURRENT_KERNEL,
                                          .start = start,
                                          .end = end,
                                          .device = device,
                                          .context = activity_context(device),
                                          .stream = stream,
                                          .grid = {GRID, 2, 1},
                                          .block = {BLOCK, 1, 1},
                                          .correlation = correlation,
                                          .name = name};
    return activity_put(buffer, &kernel, sizeof(kernel));
}

bool activity_copy(struct activity_buffer *buffer, uint8_t copy_kind, uint64_t start, uint64_t end,
                   uint32_t device, uint32_t stream, uint32_t correlation, uint64_t bytes)
{
    struct omptape_cupti_memcpy copy = {.kind = OMPTAPE_CUPTI_KIND_MEMCPY,
                                        .copy_kind = copy_kind,
                                        .bytes = bytes,
                                        .start = start,
                                        .end = end,
                                        .device = device,
                                        .context = activity_context(device),
                                        .stream = stream,
                                        .correlation = correlation};
    return activity_put(buffer, &copy, sizeof(copy));
}

bool activity_peer(struct activity_buffer *buffer, uint64_t start, uint64_t end, uint32_t source,
                   uint32_t destination, uint32_t correlation, uint64_t bytes)
{
    struct omptape_cupti_memcpy_peer copy = {.kind = OMPTAPE_CUPTI_KIND_MEMCPY2,
                                             .copy_kind = OMPTAPE_CUPTI_COPY_PTOP,
                                             .bytes = bytes,
                                             .start = start,
                                             .end = end,
                                             .device = source,
                                             .context = activity_context(source),
                                             .stream = 7,
                                             .source_device = source,
                                             .source_context = activity_context(source),
                                             .destination_device = destination,
                                             .destination_context = activity_context(destination),
                                             .correlation = correlation};
    return activity_put(buffer, &copy, sizeof(copy));
}

bool activity_set(struct activity_buffer *buffer, uint64_t start, uint64_t end, uint32_t device,
                  uint32_t stream, uint32_t correlation, uint64_t bytes)
{
    struct omptape_cupti_memset set = {.kind = OMPTAPE_CUPTI_KIND_MEMSET,
                                       .bytes = bytes,
                                       .start = start,
                                       .end = end,
                                       .device = device,
                                       .context = activity_context(device),
                                       .stream = stream,
                                       .correlation = correlation};
    return activity_put(buffer, &set, sizeof(set));
}

bool activity_sync(struct activity_buffer *buffer, uint32_t type, uint64_t start, uint64_t end,
                   uint32_t context, uint32_t stream, uint32_t correlation)
{
    struct omptape_cupti_synchronization sync = {.kind = OMPTAPE_CUPTI_KIND_SYNCHRONIZATION,
                                                 .type = type,
                                                 .start = start,
                                                 .end = end,
                                                 .correlation = correlation,
                                                 .context = context,
                                                 .stream = stream};
    return activity_put(buffer, &sync, sizeof(sync));
}

bool activity_external(struct activity_buffer *buffer, uint32_t external_kind, uint64_t id,
                       uint32_t correlation)
{
    struct omptape_cupti_external external = {.kind = OMPTAPE_CUPTI_KIND_EXTERNAL_CORRELATION,
                                              .external_kind = external_kind,
                                              .external_id = id,
                                              .correlation = correlation};
    return activity_put(buffer, &external, sizeof(external));
}

bool activity_memory(struct activity_buffer *buffer, uint32_t operation, uint32_t memory_kind, uint64_t time,
                     uint32_t device, uint32_t correlation, uint64_t bytes)
{
    struct omptape_cupti_memory memory = {.kind = OMPTAPE_CUPTI_KIND_MEMORY2,
                                          .operation = operation,
                                          .memory_kind = memory_kind,
                                          .correlation = correlation,
                                          .address = 0x7f0000000000,
                                          .bytes = bytes,
                                          .timestamp = time,
                                          .device = device,
                                          .context = activity_context(device),
                                          .stream = UINT32_MAX};
    return activity_put(buffer, &memory, sizeof(memory));
}

bool activity_driver(struct activity_buffer *buffer, uint32_t correlation)
{
    /* CUpti_ActivityAPI: kind, function, start, end, process, thread, correlation, result */
    uint32_t words[DRIVER_BYTES / sizeof(uint32_t)] = {OMPTAPE_CUPTI_KIND_DRIVER};
    words[8] = correlation;
    return activity_put(buffer, words, sizeof(words));
}

int activity_next(uint8_t *buffer, size_t valid, struct omptape_cupti_activity **record)
{
    size_t at = *record != NULL ? (size_t)((uint8_t *)*record - buffer) : 0;
    if (*record != NULL)
        at += activity_size((*record)->kind);
    if (at >= valid)
        return OMPTAPE_CUPTI_ERROR_MAX_LIMIT_REACHED;
    struct omptape_cupti_activity *found = (struct omptape_cupti_activity *)(void *)(buffer + at);
    size_t size = valid - at >= sizeof(*found) ? activity_size(found->kind) : 0;
    if (size == 0)
        return INVALID_KIND;
    if (size > valid - at)
        return OMPTAPE_CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = found;
    return OMPTAPE_CUPTI_SUCCESS;
}
