/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parser of CUPTI's activity buffers. Called by the intake on whichever thread CUPTI completes a buffer:
 * its worker, or a thread of the program that flushes.
 */
#include "device/cupti/records.h"

#include <stdatomic.h>
#include <string.h>

enum { CONTEXTS = 256, ABSTRACTS = 256 };

/* Context in the upper half plus 1, its device in the lower; 0: free. */
static _Atomic uint64_t contexts[CONTEXTS];

void omptape_cupti_note_context(uint32_t context, uint32_t ordinal)
{
    uint64_t entry = ((uint64_t)context + 1) << 32 | ordinal;
    for (uint32_t i = 0; i < CONTEXTS; i++) {
        _Atomic uint64_t *place = &contexts[(context + i) % CONTEXTS];
        uint64_t found = atomic_load_explicit(place, memory_order_relaxed);
        if (found == entry || (found == 0 && atomic_compare_exchange_strong(place, &found, entry)))
            return;
        if (found >> 32 == entry >> 32) {
            atomic_store_explicit(place, entry, memory_order_relaxed);
            return;
        }
    }
}

static bool find_context(uint32_t context, uint32_t *ordinal)
{
    for (uint32_t i = 0; i < CONTEXTS; i++) {
        uint64_t found = atomic_load_explicit(&contexts[(context + i) % CONTEXTS], memory_order_relaxed);
        if (found == 0)
            return false;
        if (found >> 32 == (uint64_t)context + 1) {
            *ordinal = (uint32_t)found;
            return true;
        }
    }
    return false;
}

/* What of a record of this kind is read; 0: nothing, the kind is none of ours. */
static size_t bytes_read(uint32_t kind)
{
    switch (kind) {
    case OMPTAPE_CUPTI_KIND_CONCURRENT_KERNEL:
        return sizeof(struct omptape_cupti_kernel);
    case OMPTAPE_CUPTI_KIND_MEMCPY:
        return sizeof(struct omptape_cupti_memcpy);
    case OMPTAPE_CUPTI_KIND_MEMCPY2:
        return sizeof(struct omptape_cupti_memcpy_peer);
    case OMPTAPE_CUPTI_KIND_MEMSET:
        return sizeof(struct omptape_cupti_memset);
    case OMPTAPE_CUPTI_KIND_SYNCHRONIZATION:
        return sizeof(struct omptape_cupti_synchronization);
    case OMPTAPE_CUPTI_KIND_EXTERNAL_CORRELATION:
        return sizeof(struct omptape_cupti_external);
    case OMPTAPE_CUPTI_KIND_MEMORY2:
        return sizeof(struct omptape_cupti_memory);
    default:
        return 0;
    }
}

static const void *record_at(ompt_buffer_cursor_t current)
{
    return (const void *)(uintptr_t)current;
}

static uint32_t kind_of(const void *record)
{
    return ((const struct omptape_cupti_activity *)record)->kind;
}

static bool is_wanted(const void *record)
{
    if (kind_of(record) == OMPTAPE_CUPTI_KIND_EXTERNAL_CORRELATION) {
        const struct omptape_cupti_external *external = record;
        return external->external_kind == OMPTAPE_CUPTI_EXTERNAL_CUSTOM0 && external->external_id != 0;
    }
    if (kind_of(record) == OMPTAPE_CUPTI_KIND_MEMORY2) {
        const struct omptape_cupti_memory *memory = record;
        return memory->operation == OMPTAPE_CUPTI_MEMORY_ALLOCATION ||
               memory->operation == OMPTAPE_CUPTI_MEMORY_RELEASE;
    }
    return true;
}

ompt_buffer_cursor_t omptape_cupti_next_cursor(omptape_cupti_next_t next, ompt_buffer_t *buffer, size_t bytes,
                                               ompt_buffer_cursor_t current)
{
    uintptr_t begin = (uintptr_t)buffer;
    uintptr_t end = begin + bytes;
    uintptr_t last = (uintptr_t)current;
    struct omptape_cupti_activity *record = (struct omptape_cupti_activity *)last;

    while (next(buffer, bytes, &record) == OMPTAPE_CUPTI_SUCCESS) {
        uintptr_t at = (uintptr_t)record;
        /* In an undamaged buffer CUPTI goes on from record to record, and all have room. */
        if (at < begin || at >= end || at % OMPTAPE_CUPTI_ALIGNMENT != 0 || (last != 0 && at <= last) ||
            end - at < sizeof(*record))
            return 0;
        size_t needed = bytes_read(record->kind);
        if (needed > end - at)
            return 0;
        if (needed > 0 && is_wanted(record))
            return (ompt_buffer_cursor_t)at;
        last = at;
    }
    return 0;
}

/* Start and end; equal where the record is of a moment. */
static void read_times(const void *record, uint64_t *start, uint64_t *end)
{
    switch (kind_of(record)) {
    case OMPTAPE_CUPTI_KIND_CONCURRENT_KERNEL:
        *start = ((const struct omptape_cupti_kernel *)record)->start;
        *end = ((const struct omptape_cupti_kernel *)record)->end;
        break;
    case OMPTAPE_CUPTI_KIND_MEMCPY:
    case OMPTAPE_CUPTI_KIND_MEMCPY2: /* the same as far as this */
        *start = ((const struct omptape_cupti_memcpy *)record)->start;
        *end = ((const struct omptape_cupti_memcpy *)record)->end;
        break;
    case OMPTAPE_CUPTI_KIND_MEMSET:
        *start = ((const struct omptape_cupti_memset *)record)->start;
        *end = ((const struct omptape_cupti_memset *)record)->end;
        break;
    case OMPTAPE_CUPTI_KIND_SYNCHRONIZATION:
        *start = ((const struct omptape_cupti_synchronization *)record)->start;
        *end = ((const struct omptape_cupti_synchronization *)record)->end;
        break;
    case OMPTAPE_CUPTI_KIND_MEMORY2:
        *start = *end = ((const struct omptape_cupti_memory *)record)->timestamp;
        break;
    default:
        *start = *end = 0;
        break;
    }
}

ompt_record_t omptape_cupti_record_type(ompt_buffer_cursor_t current)
{
    const void *record = record_at(current);
    uint64_t start;
    uint64_t end;

    if (kind_of(record) == OMPTAPE_CUPTI_KIND_EXTERNAL_CORRELATION)
        return ompt_record_native;
    read_times(record, &start, &end);
    return start != 0 && end != 0 ? ompt_record_native : ompt_record_invalid;
}

void *omptape_cupti_record_native(ompt_buffer_cursor_t current, ompt_id_t *host_op_id)
{
    const void *record = record_at(current);
    if (host_op_id != NULL)
        *host_op_id = kind_of(record) == OMPTAPE_CUPTI_KIND_EXTERNAL_CORRELATION
                          ? ((const struct omptape_cupti_external *)record)->external_id
                          : 0;
    return (void *)(uintptr_t)current;
}

static uint64_t stream_of(const void *record)
{
    switch (kind_of(record)) {
    case OMPTAPE_CUPTI_KIND_CONCURRENT_KERNEL:
        return ((const struct omptape_cupti_kernel *)record)->stream;
    case OMPTAPE_CUPTI_KIND_MEMCPY:
    case OMPTAPE_CUPTI_KIND_MEMCPY2:
        return ((const struct omptape_cupti_memcpy *)record)->stream;
    case OMPTAPE_CUPTI_KIND_MEMSET:
        return ((const struct omptape_cupti_memset *)record)->stream;
    case OMPTAPE_CUPTI_KIND_SYNCHRONIZATION: {
        uint32_t stream = ((const struct omptape_cupti_synchronization *)record)->stream;
        return stream != UINT32_MAX ? stream : OMPTAPE_CUPTI_NO_STREAM;
    }
    case OMPTAPE_CUPTI_KIND_MEMORY2: {
        uint32_t stream = ((const struct omptape_cupti_memory *)record)->stream;
        return stream != UINT32_MAX ? stream : OMPTAPE_CUPTI_NO_STREAM;
    }
    default:
        return OMPTAPE_CUPTI_NO_STREAM;
    }
}

static const char *type_name(uint32_t kind)
{
    switch (kind) {
    case OMPTAPE_CUPTI_KIND_CONCURRENT_KERNEL:
        return "CONCURRENT_KERNEL";
    case OMPTAPE_CUPTI_KIND_MEMCPY:
        return "MEMCPY";
    case OMPTAPE_CUPTI_KIND_MEMCPY2:
        return "MEMCPY2";
    case OMPTAPE_CUPTI_KIND_MEMSET:
        return "MEMSET";
    case OMPTAPE_CUPTI_KIND_SYNCHRONIZATION:
        return "SYNCHRONIZATION";
    case OMPTAPE_CUPTI_KIND_EXTERNAL_CORRELATION:
        return "EXTERNAL_CORRELATION";
    case OMPTAPE_CUPTI_KIND_MEMORY2:
        return "MEMORY2";
    default:
        return "?";
    }
}

ompt_record_abstract_t *omptape_cupti_record_abstract(void *native_record)
{
    /* OMPT wants a pointer, and a record of CUPTI has no room for what it points to. */
    static ompt_record_abstract_t abstracts[ABSTRACTS];
    static atomic_uint taken;

    ompt_record_abstract_t *abstract = &abstracts[atomic_fetch_add(&taken, 1) % ABSTRACTS];
    uint64_t start;
    uint64_t end;
    read_times(native_record, &start, &end);
    abstract->rclass = start == end ? ompt_record_native_info : ompt_record_native_event;
    abstract->type = type_name(kind_of(native_record));
    abstract->start_time = start;
    abstract->end_time = end;
    abstract->hwid = stream_of(native_record);
    return abstract;
}

/* CUDA's limits keep real products far below; a damaged record must not overflow. */
static uint32_t product(const int32_t size[3])
{
    uint64_t result = 1;
    for (int i = 0; i < 3; i++) {
        uint64_t factor = size[i] > 0 ? (uint64_t)size[i] : 1;
        if (__builtin_mul_overflow(result, factor, &result))
            return UINT32_MAX;
    }
    return result < UINT32_MAX ? (uint32_t)result : UINT32_MAX;
}

static enum omptape_copy copy_of(uint8_t kind)
{
    switch (kind) {
    case OMPTAPE_CUPTI_COPY_HTOD:
    case OMPTAPE_CUPTI_COPY_HTOA:
        return OMPTAPE_COPY_TO_DEVICE;
    case OMPTAPE_CUPTI_COPY_DTOH:
    case OMPTAPE_CUPTI_COPY_ATOH:
        return OMPTAPE_COPY_FROM_DEVICE;
    case OMPTAPE_CUPTI_COPY_ATOA:
    case OMPTAPE_CUPTI_COPY_ATOD:
    case OMPTAPE_CUPTI_COPY_DTOA:
    case OMPTAPE_CUPTI_COPY_DTOD:
        return OMPTAPE_COPY_ON_DEVICE;
    case OMPTAPE_CUPTI_COPY_HTOH:
        return OMPTAPE_COPY_HOST;
    case OMPTAPE_CUPTI_COPY_PTOP:
        return OMPTAPE_COPY_PEER;
    default:
        return OMPTAPE_COPY_OTHER;
    }
}

static const char *sync_name(uint32_t type)
{
    switch (type) {
    case OMPTAPE_CUPTI_SYNC_EVENT:
        return "event synchronize";
    case OMPTAPE_CUPTI_SYNC_STREAM_WAITS:
        return "stream wait event";
    case OMPTAPE_CUPTI_SYNC_STREAM:
        return "stream synchronize";
    case OMPTAPE_CUPTI_SYNC_CONTEXT:
        return "context synchronize";
    default:
        return "synchronize";
    }
}

/* Where it ran: what every record but two kinds says. */
static void describe_place(struct omptape_record_detail *detail, omptape_cupti_number_t number,
                           uint32_t ordinal, uint32_t context, uint32_t correlation)
{
    omptape_cupti_note_context(context, ordinal);
    detail->device = number(ordinal);
    detail->context = context;
    detail->correlation = correlation;
}

static void describe_kernel(const struct omptape_cupti_kernel *kernel, omptape_cupti_number_t number,
                            struct omptape_record_detail *detail)
{
    describe_place(detail, number, kernel->device, kernel->context, kernel->correlation);
    detail->activity = OMPTAPE_ACTIVITY_KERNEL;
    detail->teams = product(kernel->grid);
    detail->threads = product(kernel->block);
    detail->name = kernel->name;
}

static void describe_memcpy(const struct omptape_cupti_memcpy *copy, omptape_cupti_number_t number,
                            struct omptape_record_detail *detail)
{
    describe_place(detail, number, copy->device, copy->context, copy->correlation);
    detail->activity = OMPTAPE_ACTIVITY_COPY;
    detail->copy = copy_of(copy->copy_kind);
    detail->bytes = copy->bytes;
}

static void describe_peer(const struct omptape_cupti_memcpy_peer *copy, omptape_cupti_number_t number,
                          struct omptape_record_detail *detail)
{
    describe_place(detail, number, copy->device, copy->context, copy->correlation);
    detail->activity = OMPTAPE_ACTIVITY_COPY;
    detail->copy = OMPTAPE_COPY_PEER;
    detail->device = number(copy->destination_device);
    detail->peer = number(copy->source_device);
    detail->bytes = copy->bytes;
}

static void describe_memset(const struct omptape_cupti_memset *set, omptape_cupti_number_t number,
                            struct omptape_record_detail *detail)
{
    describe_place(detail, number, set->device, set->context, set->correlation);
    detail->activity = OMPTAPE_ACTIVITY_SET;
    detail->bytes = set->bytes;
}

static void describe_sync(const struct omptape_cupti_synchronization *sync, omptape_cupti_number_t number,
                          struct omptape_record_detail *detail)
{
    uint32_t ordinal;
    if (find_context(sync->context, &ordinal))
        detail->device = number(ordinal);
    detail->activity = OMPTAPE_ACTIVITY_SYNC;
    detail->context = sync->context;
    detail->correlation = sync->correlation;
    detail->name = sync_name(sync->type);
}

static void describe_memory(const struct omptape_cupti_memory *memory, omptape_cupti_number_t number,
                            struct omptape_record_detail *detail)
{
    describe_place(detail, number, memory->device, memory->context, memory->correlation);
    detail->activity =
        memory->operation == OMPTAPE_CUPTI_MEMORY_ALLOCATION ? OMPTAPE_ACTIVITY_ALLOC : OMPTAPE_ACTIVITY_FREE;
    detail->bytes = memory->bytes;
    if (memory->memory_kind == OMPTAPE_CUPTI_MEMORY_PAGEABLE ||
        memory->memory_kind == OMPTAPE_CUPTI_MEMORY_PINNED)
        detail->copy = OMPTAPE_COPY_HOST;
}

static void describe_external(const struct omptape_cupti_external *external,
                              struct omptape_record_detail *detail)
{
    detail->activity = OMPTAPE_ACTIVITY_OTHER;
    detail->operation = external->external_id;
    detail->correlation = external->correlation;
}

bool omptape_cupti_record_detail(ompt_buffer_cursor_t current, omptape_cupti_number_t number, int home,
                                 struct omptape_record_detail *detail)
{
    const void *record = record_at(current);

    *detail =
        (struct omptape_record_detail){.device = home, .peer = -1, .stream = stream_of(record), .name = NULL};
    switch (kind_of(record)) {
    case OMPTAPE_CUPTI_KIND_CONCURRENT_KERNEL:
        describe_kernel(record, number, detail);
        break;
    case OMPTAPE_CUPTI_KIND_MEMCPY:
        describe_memcpy(record, number, detail);
        break;
    case OMPTAPE_CUPTI_KIND_MEMCPY2:
        describe_peer(record, number, detail);
        break;
    case OMPTAPE_CUPTI_KIND_MEMSET:
        describe_memset(record, number, detail);
        break;
    case OMPTAPE_CUPTI_KIND_SYNCHRONIZATION:
        describe_sync(record, number, detail);
        break;
    case OMPTAPE_CUPTI_KIND_EXTERNAL_CORRELATION:
        describe_external(record, detail);
        break;
    case OMPTAPE_CUPTI_KIND_MEMORY2:
        describe_memory(record, number, detail);
        break;
    default:
        return false;
    }
    if (detail->device < 0)
        detail->device = home;
    return true;
}
