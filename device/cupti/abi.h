/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The part of CUPTI's binary interface that device/cupti/ uses, so that no CUDA header is needed to build. It
 * follows the public documentation of the CUPTI Activity API; tests/cupti/abi.c compares it with the real
 * header if that exists.
 *
 * Activity records grow only at their end. The structs here contain the common fields of all versions from 13
 * (CUDA 11.0) to 130001 (CUDA 13.0). These versions deliver CUpti_ActivityKernel5 to 10, Memcpy3 to 6,
 * MemcpyPtoP2 to 4, Memset2 to 4, Synchronization, Synchronization2, and Memory2 to 4. CUPTI itself knows the
 * sizes (cuptiActivityGetNextRecord).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The version that cuptiGetVersion returns with CUDA 11.0, the oldest one with these records. From CUDA 13.0
 * on it is at least 10000 times CUDA's major version. */
enum { OMPTAPE_CUPTI_OLDEST_VERSION = 13 };

/* CUptiResult. */
enum omptape_cupti_result {
    OMPTAPE_CUPTI_SUCCESS = 0,
    OMPTAPE_CUPTI_ERROR_MAX_LIMIT_REACHED = 12,
    OMPTAPE_CUPTI_ERROR_MULTIPLE_SUBSCRIBERS = 39,
    OMPTAPE_CUPTI_ERROR_UNKNOWN = 999,
};

/* CUpti_ActivityKind. */
enum omptape_cupti_kind {
    OMPTAPE_CUPTI_KIND_MEMCPY = 1,
    OMPTAPE_CUPTI_KIND_MEMSET = 2,
    OMPTAPE_CUPTI_KIND_DRIVER = 4,
    OMPTAPE_CUPTI_KIND_CONCURRENT_KERNEL = 10,
    OMPTAPE_CUPTI_KIND_MEMCPY2 = 22,
    OMPTAPE_CUPTI_KIND_SYNCHRONIZATION = 38,
    OMPTAPE_CUPTI_KIND_EXTERNAL_CORRELATION = 39,
    OMPTAPE_CUPTI_KIND_MEMORY2 = 49,
};

/* CUpti_ActivityMemcpyKind. */
enum omptape_cupti_copy {
    OMPTAPE_CUPTI_COPY_HTOD = 1,
    OMPTAPE_CUPTI_COPY_DTOH = 2,
    OMPTAPE_CUPTI_COPY_HTOA = 3,
    OMPTAPE_CUPTI_COPY_ATOH = 4,
    OMPTAPE_CUPTI_COPY_ATOA = 5,
    OMPTAPE_CUPTI_COPY_ATOD = 6,
    OMPTAPE_CUPTI_COPY_DTOA = 7,
    OMPTAPE_CUPTI_COPY_DTOD = 8,
    OMPTAPE_CUPTI_COPY_HTOH = 9,
    OMPTAPE_CUPTI_COPY_PTOP = 10,
};

/* CUpti_ActivityMemoryKind. */
enum omptape_cupti_memory_kind {
    OMPTAPE_CUPTI_MEMORY_PAGEABLE = 1,
    OMPTAPE_CUPTI_MEMORY_PINNED = 2,
};

/* CUpti_ActivityMemoryOperationType. */
enum omptape_cupti_memory_operation {
    OMPTAPE_CUPTI_MEMORY_ALLOCATION = 1,
    OMPTAPE_CUPTI_MEMORY_RELEASE = 2,
};

/* CUpti_ActivitySynchronizationType. */
enum omptape_cupti_sync {
    OMPTAPE_CUPTI_SYNC_EVENT = 1,
    OMPTAPE_CUPTI_SYNC_STREAM_WAITS = 2,
    OMPTAPE_CUPTI_SYNC_STREAM = 3,
    OMPTAPE_CUPTI_SYNC_CONTEXT = 4,
};

enum {
    OMPTAPE_CUPTI_EXTERNAL_CUSTOM0 = 3, /* CUpti_ExternalCorrelationKind. */
    OMPTAPE_CUPTI_FLUSH_FORCED = 1,     /* CUpti_ActivityFlag. */
    OMPTAPE_CUPTI_DOMAIN_RESOURCE = 3,  /* CUpti_CallbackDomain. */
    OMPTAPE_CUPTI_CONTEXT_CREATED = 1,  /* CUpti_CallbackIdResource. */
    OMPTAPE_CUPTI_ALIGNMENT = 8,        /* Alignment of buffers and records, bytes. */
};

/* CUpti_Activity: the beginning of every record. */
struct omptape_cupti_activity {
    uint32_t kind;
};

/* CUpti_ActivityKernel5 to 10. Times are in nanoseconds. */
struct omptape_cupti_kernel {
    uint32_t kind;
    uint8_t cache_config;
    uint8_t shared_memory_config;
    uint16_t registers_per_thread;
    uint32_t partitioned_cache_requested;
    uint32_t partitioned_cache_executed;
    uint64_t start;
    uint64_t end;
    uint64_t completed;
    uint32_t device;
    uint32_t context;
    uint32_t stream;
    int32_t grid[3];
    int32_t block[3];
    int32_t static_shared_memory;
    int32_t dynamic_shared_memory;
    uint32_t local_memory_per_thread;
    uint32_t local_memory_total;
    uint32_t correlation;
    int64_t grid_id;
    const char *name;
};

/* CUpti_ActivityMemcpy3 to 6. */
struct omptape_cupti_memcpy {
    uint32_t kind;
    uint8_t copy_kind;
    uint8_t source_kind;
    uint8_t destination_kind;
    uint8_t flags;
    uint64_t bytes;
    uint64_t start;
    uint64_t end;
    uint32_t device;
    uint32_t context;
    uint32_t stream;
    uint32_t correlation;
};

/* CUpti_ActivityMemcpyPtoP2 to 4: copies between devices. `device`, `context` and `stream` ran the copy. */
struct omptape_cupti_memcpy_peer {
    uint32_t kind;
    uint8_t copy_kind;
    uint8_t source_kind;
    uint8_t destination_kind;
    uint8_t flags;
    uint64_t bytes;
    uint64_t start;
    uint64_t end;
    uint32_t device;
    uint32_t context;
    uint32_t stream;
    uint32_t source_device;
    uint32_t source_context;
    uint32_t destination_device;
    uint32_t destination_context;
    uint32_t correlation;
};

/* CUpti_ActivityMemset2 to 4. */
struct omptape_cupti_memset {
    uint32_t kind;
    uint32_t value;
    uint64_t bytes;
    uint64_t start;
    uint64_t end;
    uint32_t device;
    uint32_t context;
    uint32_t stream;
    uint32_t correlation;
};

/* CUpti_ActivitySynchronization and 2. The times are when the host waited, on the same clock. */
struct omptape_cupti_synchronization {
    uint32_t kind;
    uint32_t type;
    uint64_t start;
    uint64_t end;
    uint32_t correlation;
    uint32_t context;
    uint32_t stream;
    uint32_t event;
};

/* CUpti_ActivityExternalCorrelation. */
struct omptape_cupti_external {
    uint32_t kind;
    uint32_t external_kind;
    uint64_t external_id;
    uint32_t correlation;
    uint32_t reserved;
};

/* CUpti_ActivityMemory2 to 4: a moment, not an interval. */
struct omptape_cupti_memory {
    uint32_t kind;
    uint32_t operation;
    uint32_t memory_kind;
    uint32_t correlation;
    uint64_t address;
    uint64_t bytes;
    uint64_t timestamp;
    uint64_t pc;
    uint32_t process;
    uint32_t device;
    uint32_t context;
    uint32_t stream;
};

/* CUpti_ResourceData, the argument of CONTEXT_CREATED. */
struct omptape_cupti_resource {
    void *context; /* CUcontext. */
    void *handle;
    void *descriptor;
};

typedef void (*omptape_cupti_request_t)(uint8_t **buffer, size_t *size, size_t *max_records);
typedef void (*omptape_cupti_complete_t)(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                                         size_t valid);
typedef void (*omptape_cupti_callback_t)(void *user, int domain, uint32_t id, const void *data);

/* CUPTI's functions. Each has the parameters and the result of CUPTI's function of similar name; `int` is
 * CUptiResult or a CUPTI enumeration. Those from flush_period on may be NULL, as older versions lack some. */
struct omptape_cupti_functions {
    int (*get_version)(uint32_t *version);
    int (*get_timestamp)(uint64_t *time);
    int (*subscribe)(void **subscriber, omptape_cupti_callback_t callback, void *user);
    int (*unsubscribe)(void *subscriber);
    int (*register_callbacks)(omptape_cupti_request_t request, omptape_cupti_complete_t complete);
    int (*enable)(int kind);
    int (*disable)(int kind);
    int (*next_record)(uint8_t *buffer, size_t valid, struct omptape_cupti_activity **record);
    int (*flush_all)(uint32_t flag);

    int (*flush_period)(uint32_t milliseconds);
    int (*dropped_records)(void *context, uint32_t stream, size_t *dropped);
    int (*push_external)(int kind, uint64_t id);
    int (*pop_external)(int kind, uint64_t *last);
    int (*enable_callback)(uint32_t enable, void *subscriber, int domain, uint32_t id);
    int (*get_context_id)(void *context, uint32_t *id);
    int (*get_device_id)(void *context, uint32_t *id);
    int (*result_string)(int result, const char **text);
};
