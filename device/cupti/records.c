/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parser of CUPTI's activity buffers. Called by device/tracing.c on the thread on which CUPTI completes a
 * buffer: its worker, or a program thread that flushes.
 */
#include "device/cupti/records.h"

#include <stdatomic.h>
#include <stddef.h>

enum { CONTEXTS = 256, ABSTRACTS = 256 };

/* Context + 1 in the upper half, its device in the lower half; 0 if the entry is free. */
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

static const void *record_at(ompt_buffer_cursor_t current)
{
    return (const void *)(uintptr_t)current;
}

static uint32_t kind_of(const void *record)
{
    return ((const struct omptape_cupti_activity *)record)->kind;
}

/* Returns the product of the sizes. CUDA limits it, but a damaged record must not make it overflow. */
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
    static const enum omptape_copy copies[] = {[OMPTAPE_CUPTI_COPY_HTOD] = OMPTAPE_COPY_TO_DEVICE,
                                               [OMPTAPE_CUPTI_COPY_HTOA] = OMPTAPE_COPY_TO_DEVICE,
                                               [OMPTAPE_CUPTI_COPY_DTOH] = OMPTAPE_COPY_FROM_DEVICE,
                                               [OMPTAPE_CUPTI_COPY_ATOH] = OMPTAPE_COPY_FROM_DEVICE,
                                               [OMPTAPE_CUPTI_COPY_ATOA] = OMPTAPE_COPY_ON_DEVICE,
                                               [OMPTAPE_CUPTI_COPY_ATOD] = OMPTAPE_COPY_ON_DEVICE,
                                               [OMPTAPE_CUPTI_COPY_DTOA] = OMPTAPE_COPY_ON_DEVICE,
                                               [OMPTAPE_CUPTI_COPY_DTOD] = OMPTAPE_COPY_ON_DEVICE,
                                               [OMPTAPE_CUPTI_COPY_HTOH] = OMPTAPE_COPY_HOST,
                                               [OMPTAPE_CUPTI_COPY_PTOP] = OMPTAPE_COPY_PEER};
    return kind < sizeof(copies) / sizeof(copies[0]) ? copies[kind] : OMPTAPE_COPY_OTHER;
}

static const char *sync_name(uint32_t type)
{
    static const char *const names[] = {[OMPTAPE_CUPTI_SYNC_EVENT] = "event synchronize",
                                        [OMPTAPE_CUPTI_SYNC_STREAM_WAITS] = "stream wait event",
                                        [OMPTAPE_CUPTI_SYNC_STREAM] = "stream synchronize",
                                        [OMPTAPE_CUPTI_SYNC_CONTEXT] = "context synchronize"};
    return type > 0 && type < sizeof(names) / sizeof(names[0]) ? names[type] : "synchronize";
}

/* Fills in the device and context, which all kinds of records except two contain. */
static void describe_place(struct omptape_record_detail *detail, omptape_cupti_number_t number,
                           uint32_t ordinal, uint32_t context, uint32_t correlation)
{
    omptape_cupti_note_context(context, ordinal);
    detail->device = number(ordinal);
    detail->context = context;
    detail->correlation = correlation;
}

static void describe_kernel(const void *record, omptape_cupti_number_t number,
                            struct omptape_record_detail *detail)
{
    const struct omptape_cupti_kernel *kernel = record;
    describe_place(detail, number, kernel->device, kernel->context, kernel->correlation);
    detail->activity = OMPTAPE_ACTIVITY_KERNEL;
    detail->teams = product(kernel->grid);
    detail->threads = product(kernel->block);
    detail->name = kernel->name;
}

static void describe_memcpy(const void *record, omptape_cupti_number_t number,
                            struct omptape_record_detail *detail)
{
    const struct omptape_cupti_memcpy *copy = record;
    describe_place(detail, number, copy->device, copy->context, copy->correlation);
    detail->activity = OMPTAPE_ACTIVITY_COPY;
    detail->copy = copy_of(copy->copy_kind);
    detail->bytes = copy->bytes;
}

static void describe_peer(const void *record, omptape_cupti_number_t number,
                          struct omptape_record_detail *detail)
{
    const struct omptape_cupti_memcpy_peer *copy = record;
    describe_place(detail, number, copy->device, copy->context, copy->correlation);
    detail->activity = OMPTAPE_ACTIVITY_COPY;
    detail->copy = OMPTAPE_COPY_PEER;
    detail->device = number(copy->destination_device);
    detail->peer = number(copy->source_device);
    detail->bytes = copy->bytes;
}

static void describe_memset(const void *record, omptape_cupti_number_t number,
                            struct omptape_record_detail *detail)
{
    const struct omptape_cupti_memset *set = record;
    describe_place(detail, number, set->device, set->context, set->correlation);
    detail->activity = OMPTAPE_ACTIVITY_SET;
    detail->bytes = set->bytes;
}

static void describe_sync(const void *record, omptape_cupti_number_t number,
                          struct omptape_record_detail *detail)
{
    const struct omptape_cupti_synchronization *sync = record;
    uint32_t ordinal;
    if (find_context(sync->context, &ordinal))
        detail->device = number(ordinal);
    detail->activity = OMPTAPE_ACTIVITY_SYNC;
    detail->context = sync->context;
    detail->correlation = sync->correlation;
    detail->name = sync_name(sync->type);
}

static void describe_memory(const void *record, omptape_cupti_number_t number,
                            struct omptape_record_detail *detail)
{
    const struct omptape_cupti_memory *memory = record;
    describe_place(detail, number, memory->device, memory->context, memory->correlation);
    detail->activity =
        memory->operation == OMPTAPE_CUPTI_MEMORY_ALLOCATION ? OMPTAPE_ACTIVITY_ALLOC : OMPTAPE_ACTIVITY_FREE;
    detail->bytes = memory->bytes;
    if (memory->memory_kind == OMPTAPE_CUPTI_MEMORY_PAGEABLE ||
        memory->memory_kind == OMPTAPE_CUPTI_MEMORY_PINNED)
        detail->copy = OMPTAPE_COPY_HOST;
}

static void describe_external(const void *record, omptape_cupti_number_t number,
                              struct omptape_record_detail *detail)
{
    const struct omptape_cupti_external *external = record;
    (void)number;
    detail->activity = OMPTAPE_ACTIVITY_OTHER;
    detail->operation = external->external_id;
    detail->correlation = external->correlation;
}

/* The layout of one kind of record: its size and offsets of fields; 0 if there is no such field. */
struct layout {
    const char *name;
    size_t bytes;
    /* A 64-bit field; equal to `end` if the record has one time only. */
    size_t start;
    size_t end;
    size_t stream; /* A 32-bit field. */
    void (*describe)(const void *record, omptape_cupti_number_t number, struct omptape_record_detail *detail);
};

#define LAYOUT(name, type, start, end, describe)                                                             \
    {name,                                                                                                   \
     sizeof(struct omptape_cupti_##type),                                                                    \
     offsetof(struct omptape_cupti_##type, start),                                                           \
     offsetof(struct omptape_cupti_##type, end),                                                             \
     offsetof(struct omptape_cupti_##type, stream),                                                          \
     describe}
static const struct layout layouts[] = {
    [OMPTAPE_CUPTI_KIND_MEMCPY] = LAYOUT("MEMCPY", memcpy, start, end, describe_memcpy),
    [OMPTAPE_CUPTI_KIND_MEMSET] = LAYOUT("MEMSET", memset, start, end, describe_memset),
    [OMPTAPE_CUPTI_KIND_CONCURRENT_KERNEL] = LAYOUT("CONCURRENT_KERNEL", kernel, start, end, describe_kernel),
    [OMPTAPE_CUPTI_KIND_MEMCPY2] = LAYOUT("MEMCPY2", memcpy_peer, start, end, describe_peer),
    [OMPTAPE_CUPTI_KIND_SYNCHRONIZATION] =
        LAYOUT("SYNCHRONIZATION", synchronization, start, end, describe_sync),
    [OMPTAPE_CUPTI_KIND_EXTERNAL_CORRELATION] = {"EXTERNAL_CORRELATION",
                                                 sizeof(struct omptape_cupti_external), 0, 0, 0,
                                                 describe_external},
    [OMPTAPE_CUPTI_KIND_MEMORY2] = LAYOUT("MEMORY2", memory, timestamp, timestamp, describe_memory),
};

/* Returns the layout of a record; its `bytes` are 0 if the kind is unknown. */
static const struct layout *layout_of(const void *record)
{
    static const struct layout other = {.name = "?"};
    const uint32_t kind = kind_of(record);
    const bool known = kind < sizeof(layouts) / sizeof(layouts[0]) && layouts[kind].bytes > 0;
    return known ? &layouts[kind] : &other;
}

static uint64_t time_at(const void *record, size_t offset)
{
    return offset > 0 ? *(const uint64_t *)((const void *)((const char *)record + offset)) : 0;
}

static uint64_t stream_of(const void *record)
{
    const size_t offset = layout_of(record)->stream;
    const uint32_t stream =
        offset > 0 ? *(const uint32_t *)((const void *)((const char *)record + offset)) : UINT32_MAX;
    return stream != UINT32_MAX ? stream : OMPTAPE_CUPTI_NO_STREAM;
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
        /* In an undamaged buffer the records are whole and in ascending order. */
        if (at < begin || at >= end || at % OMPTAPE_CUPTI_ALIGNMENT != 0 || (last != 0 && at <= last) ||
            end - at < sizeof(*record))
            return 0;
        size_t needed = layout_of(record)->bytes;
        if (needed > end - at)
            return 0;
        if (needed > 0 && is_wanted(record))
            return (ompt_buffer_cursor_t)at;
        last = at;
    }
    return 0;
}

ompt_record_t omptape_cupti_record_type(ompt_buffer_cursor_t current)
{
    const void *record = record_at(current);
    const struct layout *layout = layout_of(record);
    if (kind_of(record) == OMPTAPE_CUPTI_KIND_EXTERNAL_CORRELATION)
        return ompt_record_native;
    return time_at(record, layout->start) != 0 && time_at(record, layout->end) != 0 ? ompt_record_native
                                                                                    : ompt_record_invalid;
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

ompt_record_abstract_t *omptape_cupti_record_abstract(void *native_record)
{
    /* OMPT requires a pointer, and CUPTI's record has no space for the abstract. */
    static ompt_record_abstract_t abstracts[ABSTRACTS];
    static atomic_uint taken;
    ompt_record_abstract_t *abstract = &abstracts[atomic_fetch_add(&taken, 1) % ABSTRACTS];
    const struct layout *layout = layout_of(native_record);
    abstract->start_time = time_at(native_record, layout->start);
    abstract->end_time = time_at(native_record, layout->end);
    abstract->rclass =
        abstract->start_time == abstract->end_time ? ompt_record_native_info : ompt_record_native_event;
    abstract->type = layout->name;
    abstract->hwid = stream_of(native_record);
    return abstract;
}

bool omptape_cupti_record_detail(ompt_buffer_cursor_t current, omptape_cupti_number_t number,
                                 int first_device, struct omptape_record_detail *detail)
{
    const void *record = record_at(current);
    const struct layout *layout = layout_of(record);
    *detail = (struct omptape_record_detail){
        .device = first_device, .peer = -1, .stream = stream_of(record), .name = NULL};
    if (layout->describe == NULL)
        return false;
    layout->describe(record, number, detail);
    if (detail->device < 0)
        detail->device = first_device;
    return true;
}
