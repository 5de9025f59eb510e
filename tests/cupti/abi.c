/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Holds device/cupti/abi.h against CUPTI's own header, for every version of a record that this header still
 * describes. Nothing runs: that it compiles is the test. Built only where cupti.h of CUDA 11.8 or later is
 * found.
 */
#include "device/cupti/abi.h"

#include <assert.h>
#include <cupti.h>

#define SAME(ours, our_field, theirs, their_field)                                                           \
    static_assert(offsetof(struct ours, our_field) == offsetof(theirs, their_field),                         \
                  #theirs "." #their_field);                                                                 \
    static_assert(sizeof(((struct ours *)NULL)->our_field) == sizeof(((theirs *)NULL)->their_field),         \
                  "size of " #theirs "." #their_field)
/* Never longer than theirs: the guard against cut records relies on it. */
#define FITS(ours, theirs)                                                                                   \
    static_assert(sizeof(struct ours) <= sizeof(theirs), "size of " #theirs);                                \
    SAME(ours, kind, theirs, kind)

#define KERNEL(theirs)                                                                                       \
    FITS(omptape_cupti_kernel, theirs);                                                                      \
    SAME(omptape_cupti_kernel, start, theirs, start);                                                        \
    SAME(omptape_cupti_kernel, end, theirs, end);                                                            \
    SAME(omptape_cupti_kernel, device, theirs, deviceId);                                                    \
    SAME(omptape_cupti_kernel, context, theirs, contextId);                                                  \
    SAME(omptape_cupti_kernel, stream, theirs, streamId);                                                    \
    SAME(omptape_cupti_kernel, grid[0], theirs, gridX);                                                      \
    SAME(omptape_cupti_kernel, grid[2], theirs, gridZ);                                                      \
    SAME(omptape_cupti_kernel, block[0], theirs, blockX);                                                    \
    SAME(omptape_cupti_kernel, block[2], theirs, blockZ);                                                    \
    SAME(omptape_cupti_kernel, correlation, theirs, correlationId);                                          \
    SAME(omptape_cupti_kernel, name, theirs, name)
KERNEL(CUpti_ActivityKernel5);
KERNEL(CUpti_ActivityKernel6);
KERNEL(CUpti_ActivityKernel7);
KERNEL(CUpti_ActivityKernel8);
KERNEL(CUpti_ActivityKernel9);

#define MEMCPY(theirs)                                                                                       \
    FITS(omptape_cupti_memcpy, theirs);                                                                      \
    SAME(omptape_cupti_memcpy, copy_kind, theirs, copyKind);                                                 \
    SAME(omptape_cupti_memcpy, bytes, theirs, bytes);                                                        \
    SAME(omptape_cupti_memcpy, start, theirs, start);                                                        \
    SAME(omptape_cupti_memcpy, end, theirs, end);                                                            \
    SAME(omptape_cupti_memcpy, device, theirs, deviceId);                                                    \
    SAME(omptape_cupti_memcpy, context, theirs, contextId);                                                  \
    SAME(omptape_cupti_memcpy, stream, theirs, streamId);                                                    \
    SAME(omptape_cupti_memcpy, correlation, theirs, correlationId)
MEMCPY(CUpti_ActivityMemcpy3);
MEMCPY(CUpti_ActivityMemcpy4);
MEMCPY(CUpti_ActivityMemcpy5);

#define PEER(theirs)                                                                                         \
    FITS(omptape_cupti_memcpy_peer, theirs);                                                                 \
    SAME(omptape_cupti_memcpy_peer, bytes, theirs, bytes);                                                   \
    SAME(omptape_cupti_memcpy_peer, start, theirs, start);                                                   \
    SAME(omptape_cupti_memcpy_peer, end, theirs, end);                                                       \
    SAME(omptape_cupti_memcpy_peer, device, theirs, deviceId);                                               \
    SAME(omptape_cupti_memcpy_peer, context, theirs, contextId);                                             \
    SAME(omptape_cupti_memcpy_peer, stream, theirs, streamId);                                               \
    SAME(omptape_cupti_memcpy_peer, source_device, theirs, srcDeviceId);                                     \
    SAME(omptape_cupti_memcpy_peer, destination_device, theirs, dstDeviceId);                                \
    SAME(omptape_cupti_memcpy_peer, correlation, theirs, correlationId)
PEER(CUpti_ActivityMemcpyPtoP2);
PEER(CUpti_ActivityMemcpyPtoP3);
PEER(CUpti_ActivityMemcpyPtoP4);

#define MEMSET(theirs)                                                                                       \
    FITS(omptape_cupti_memset, theirs);                                                                      \
    SAME(omptape_cupti_memset, bytes, theirs, bytes);                                                        \
    SAME(omptape_cupti_memset, start, theirs, start);                                                        \
    SAME(omptape_cupti_memset, end, theirs, end);                                                            \
    SAME(omptape_cupti_memset, device, theirs, deviceId);                                                    \
    SAME(omptape_cupti_memset, context, theirs, contextId);                                                  \
    SAME(omptape_cupti_memset, stream, theirs, streamId);                                                    \
    SAME(omptape_cupti_memset, correlation, theirs, correlationId)
MEMSET(CUpti_ActivityMemset2);
MEMSET(CUpti_ActivityMemset3);
MEMSET(CUpti_ActivityMemset4);

#define SYNCHRONIZATION(theirs)                                                                              \
    FITS(omptape_cupti_synchronization, theirs);                                                             \
    SAME(omptape_cupti_synchronization, type, theirs, type);                                                 \
    SAME(omptape_cupti_synchronization, start, theirs, start);                                               \
    SAME(omptape_cupti_synchronization, end, theirs, end);                                                   \
    SAME(omptape_cupti_synchronization, correlation, theirs, correlationId);                                 \
    SAME(omptape_cupti_synchronization, context, theirs, contextId);                                         \
    SAME(omptape_cupti_synchronization, stream, theirs, streamId)
SYNCHRONIZATION(CUpti_ActivitySynchronization);

FITS(omptape_cupti_external, CUpti_ActivityExternalCorrelation);
SAME(omptape_cupti_external, external_kind, CUpti_ActivityExternalCorrelation, externalKind);
SAME(omptape_cupti_external, external_id, CUpti_ActivityExternalCorrelation, externalId);
SAME(omptape_cupti_external, correlation, CUpti_ActivityExternalCorrelation, correlationId);

#define MEMORY(theirs)                                                                                       \
    FITS(omptape_cupti_memory, theirs);                                                                      \
    SAME(omptape_cupti_memory, operation, theirs, memoryOperationType);                                      \
    SAME(omptape_cupti_memory, memory_kind, theirs, memoryKind);                                             \
    SAME(omptape_cupti_memory, correlation, theirs, correlationId);                                          \
    SAME(omptape_cupti_memory, address, theirs, address);                                                    \
    SAME(omptape_cupti_memory, bytes, theirs, bytes);                                                        \
    SAME(omptape_cupti_memory, timestamp, theirs, timestamp);                                                \
    SAME(omptape_cupti_memory, device, theirs, deviceId);                                                    \
    SAME(omptape_cupti_memory, context, theirs, contextId);                                                  \
    SAME(omptape_cupti_memory, stream, theirs, streamId)
MEMORY(CUpti_ActivityMemory2);
MEMORY(CUpti_ActivityMemory3);

#if CUPTI_API_VERSION >= 130000
KERNEL(CUpti_ActivityKernel10);
MEMCPY(CUpti_ActivityMemcpy6);
SYNCHRONIZATION(CUpti_ActivitySynchronization2);
MEMORY(CUpti_ActivityMemory4);
#endif

static_assert(offsetof(struct omptape_cupti_resource, context) == offsetof(CUpti_ResourceData, context),
              "CUpti_ResourceData");

#define VALUE(ours, theirs) static_assert((int)(ours) == (int)(theirs), #theirs)
VALUE(OMPTAPE_CUPTI_ERROR_MAX_LIMIT_REACHED, CUPTI_ERROR_MAX_LIMIT_REACHED);
VALUE(OMPTAPE_CUPTI_ERROR_MULTIPLE_SUBSCRIBERS, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
VALUE(OMPTAPE_CUPTI_ERROR_UNKNOWN, CUPTI_ERROR_UNKNOWN);
VALUE(OMPTAPE_CUPTI_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY);
VALUE(OMPTAPE_CUPTI_KIND_MEMSET, CUPTI_ACTIVITY_KIND_MEMSET);
VALUE(OMPTAPE_CUPTI_KIND_DRIVER, CUPTI_ACTIVITY_KIND_DRIVER);
VALUE(OMPTAPE_CUPTI_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
VALUE(OMPTAPE_CUPTI_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMCPY2);
VALUE(OMPTAPE_CUPTI_KIND_SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
VALUE(OMPTAPE_CUPTI_KIND_EXTERNAL_CORRELATION, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
VALUE(OMPTAPE_CUPTI_KIND_MEMORY2, CUPTI_ACTIVITY_KIND_MEMORY2);
VALUE(OMPTAPE_CUPTI_COPY_HTOD, CUPTI_ACTIVITY_MEMCPY_KIND_HTOD);
VALUE(OMPTAPE_CUPTI_COPY_DTOH, CUPTI_ACTIVITY_MEMCPY_KIND_DTOH);
VALUE(OMPTAPE_CUPTI_COPY_HTOA, CUPTI_ACTIVITY_MEMCPY_KIND_HTOA);
VALUE(OMPTAPE_CUPTI_COPY_ATOH, CUPTI_ACTIVITY_MEMCPY_KIND_ATOH);
VALUE(OMPTAPE_CUPTI_COPY_ATOA, CUPTI_ACTIVITY_MEMCPY_KIND_ATOA);
VALUE(OMPTAPE_CUPTI_COPY_ATOD, CUPTI_ACTIVITY_MEMCPY_KIND_ATOD);
VALUE(OMPTAPE_CUPTI_COPY_DTOA, CUPTI_ACTIVITY_MEMCPY_KIND_DTOA);
VALUE(OMPTAPE_CUPTI_COPY_DTOD, CUPTI_ACTIVITY_MEMCPY_KIND_DTOD);
VALUE(OMPTAPE_CUPTI_COPY_HTOH, CUPTI_ACTIVITY_MEMCPY_KIND_HTOH);
VALUE(OMPTAPE_CUPTI_COPY_PTOP, CUPTI_ACTIVITY_MEMCPY_KIND_PTOP);
VALUE(OMPTAPE_CUPTI_MEMORY_PAGEABLE, CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE);
VALUE(OMPTAPE_CUPTI_MEMORY_PINNED, CUPTI_ACTIVITY_MEMORY_KIND_PINNED);
VALUE(OMPTAPE_CUPTI_MEMORY_ALLOCATION, CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION);
VALUE(OMPTAPE_CUPTI_MEMORY_RELEASE, CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE);
VALUE(OMPTAPE_CUPTI_SYNC_EVENT, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE);
VALUE(OMPTAPE_CUPTI_SYNC_STREAM_WAITS, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT);
VALUE(OMPTAPE_CUPTI_SYNC_STREAM, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE);
VALUE(OMPTAPE_CUPTI_SYNC_CONTEXT, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE);
VALUE(OMPTAPE_CUPTI_EXTERNAL_CUSTOM0, CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0);
VALUE(OMPTAPE_CUPTI_FLUSH_FORCED, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
VALUE(OMPTAPE_CUPTI_DOMAIN_RESOURCE, CUPTI_CB_DOMAIN_RESOURCE);
VALUE(OMPTAPE_CUPTI_CONTEXT_CREATED, CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
VALUE(OMPTAPE_CUPTI_ALIGNMENT, ACTIVITY_RECORD_ALIGNMENT);
