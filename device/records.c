/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Iterates over the records of a delivered buffer by the runtime's cursor, and copies each record. Called by
 * the delivering thread, inside buffer_complete. The runtime is not trusted: pointers are checked before they
 * are read, and the iteration ends after the largest possible count of records.
 */
#include "device/records.h"

#include "src/core/events.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static _Atomic bool has_key;

/* Ends a delivering thread's stream at its end. One that the runtime has begun since ends by thread_end. */
static void at_thread_end(void *unused)
{
    (void)unused;
    omptape_producer_end_delivery();
}

static void make_key(void)
{
    atomic_store(&has_key, pthread_key_create(&key, at_thread_end) == 0);
}

void omptape_delivery_prepare(void)
{
    (void)pthread_once(&once, make_key);
}

struct omptape_slot *omptape_delivery_slot(enum omptape_kind kind)
{
    struct omptape_slot *slot = omptape_producer_slot;
    if (slot != NULL)
        return slot;
    slot = omptape_producer_attach(kind, OMPTAPE_THREAD_DELIVERS);
    /* Any value except NULL makes the destructor run. */
    if (slot != NULL && atomic_load(&has_key))
        (void)pthread_setspecific(key, slot);
    return slot;
}

bool omptape_delivery_is_recording(void)
{
    struct omptape_shm *shm = atomic_load_explicit(&omptape_producer_shm, memory_order_acquire);
    return shm != NULL &&
           atomic_load_explicit(&shm->program_state, memory_order_relaxed) == OMPTAPE_PROGRAM_RUNNING;
}

/* Sizes of the members of ompt_record_ompt_t's union (OpenMP 5.2 section 19.4.3.4). */
static const uint8_t member_bytes[] = {
    [ompt_callback_thread_begin] = sizeof(ompt_record_thread_begin_t),
    [ompt_callback_parallel_begin] = sizeof(ompt_record_parallel_begin_t),
    [ompt_callback_parallel_end] = sizeof(ompt_record_parallel_end_t),
    [ompt_callback_task_create] = sizeof(ompt_record_task_create_t),
    [ompt_callback_task_schedule] = sizeof(ompt_record_task_schedule_t),
    [ompt_callback_implicit_task] = sizeof(ompt_record_implicit_task_t),
    [ompt_callback_target] = sizeof(ompt_record_target_t),
    [ompt_callback_target_data_op] = sizeof(ompt_record_target_data_op_t),
    [ompt_callback_target_submit] = sizeof(ompt_record_target_kernel_t),
    [ompt_callback_control_tool] = sizeof(ompt_record_control_tool_t),
    [ompt_callback_sync_region_wait] = sizeof(ompt_record_sync_region_t),
    [ompt_callback_mutex_released] = sizeof(ompt_record_mutex_t),
    [ompt_callback_dependences] = sizeof(ompt_record_dependences_t),
    [ompt_callback_task_dependence] = sizeof(ompt_record_task_dependence_t),
    [ompt_callback_work] = sizeof(ompt_record_work_t),
    [ompt_callback_masked] = sizeof(ompt_record_masked_t),
    [ompt_callback_target_map] = sizeof(ompt_record_target_map_t),
    [ompt_callback_sync_region] = sizeof(ompt_record_sync_region_t),
    [ompt_callback_lock_init] = sizeof(ompt_record_mutex_acquire_t),
    [ompt_callback_lock_destroy] = sizeof(ompt_record_mutex_t),
    [ompt_callback_mutex_acquire] = sizeof(ompt_record_mutex_acquire_t),
    [ompt_callback_mutex_acquired] = sizeof(ompt_record_mutex_t),
    [ompt_callback_nest_lock] = sizeof(ompt_record_nest_lock_t),
    [ompt_callback_flush] = sizeof(ompt_record_flush_t),
    [ompt_callback_cancel] = sizeof(ompt_record_cancel_t),
    [ompt_callback_reduction] = sizeof(ompt_record_sync_region_t),
    [ompt_callback_dispatch] = sizeof(ompt_record_dispatch_t),
    [ompt_callback_target_emi] = sizeof(ompt_record_target_t),
    [ompt_callback_target_data_op_emi] = sizeof(ompt_record_target_data_op_t),
    [ompt_callback_target_submit_emi] = sizeof(ompt_record_target_kernel_t),
    [ompt_callback_target_map_emi] = sizeof(ompt_record_target_map_t),
    [ompt_callback_error] = sizeof(ompt_record_error_t),
};
enum { KINDS = sizeof(member_bytes) / sizeof(member_bytes[0]) };

/* The kinds of target operations, by their EMI callbacks. */
static const struct {
    uint8_t emi;
    uint8_t native; /* ompt_native_mon_flag_t: the same operations as native records. */
} target_kinds[] = {
    {ompt_callback_target_emi, 0},
    {ompt_callback_target_data_op_emi, ompt_native_data_motion_explicit | ompt_native_data_motion_implicit},
    {ompt_callback_target_submit_emi, ompt_native_kernel_invocation | ompt_native_kernel_execution},
    {ompt_callback_target_map_emi, 0},
};
enum { TARGET_KINDS = sizeof(target_kinds) / sizeof(target_kinds[0]) };

/* Returns the size of the union's member for a type of record (ompt_callbacks_t), -1 if it is unknown. */
static int bytes_of_member(unsigned type)
{
    if (type < KINDS && member_bytes[type] != 0)
        return member_bytes[type];
    /* A thread_end record consists of the time only. */
    return type == ompt_callback_thread_end ? 0 : -1;
}

/* Returns the events for which records of this kind are requested. */
static uint64_t events_of(unsigned kind)
{
    const unsigned other = omptape_event_other_form(kind);
    return OMPTAPE_EVENT(kind) | (other != 0 ? OMPTAPE_EVENT(other) : 0);
}

bool omptape_kinds_are_wanted(uint64_t events)
{
    uint64_t wanted = 0;
    for (size_t i = 0; i < TARGET_KINDS; i++)
        wanted |= events & events_of(target_kinds[i].emi);
    return wanted != 0;
}

static bool request_kind(const struct omptape_interface *calls, ompt_device_t *device, unsigned kind,
                         struct omptape_lines *lines)
{
    ompt_set_result_t result = calls->set_trace_ompt(device, 1, kind);
    omptape_lines_add(lines, "set_trace_ompt.%s=%s", omptape_event_name(kind),
                      omptape_set_result_name((unsigned)result));
    return result >= ompt_set_sometimes;
}

static void request_native(const struct omptape_interface *calls, ompt_device_t *device, uint64_t events,
                           struct omptape_lines *lines)
{
    unsigned flags = 0;
    for (size_t i = 0; i < TARGET_KINDS; i++)
        flags |= (events & events_of(target_kinds[i].emi)) != 0 ? target_kinds[i].native : 0U;
    if (flags == 0 || calls->set_trace_native == NULL)
        return;
    ompt_set_result_t result = calls->set_trace_native(device, 1, (int)flags);
    omptape_lines_add(lines, "set_trace_native.0x%02x=%s", flags, omptape_set_result_name((unsigned)result));
}

void omptape_kinds_request(const struct omptape_interface *calls, ompt_device_t *device, uint64_t events,
                           struct omptape_lines *lines)
{
    uint64_t rest = events;
    for (size_t i = 0; i < TARGET_KINDS; i++) {
        rest &= ~events_of(target_kinds[i].emi);
        if ((events & events_of(target_kinds[i].emi)) == 0 || calls->set_trace_ompt == NULL)
            continue;
        if (!request_kind(calls, device, target_kinds[i].emi, lines))
            (void)request_kind(calls, device, omptape_event_other_form(target_kinds[i].emi), lines);
    }
    request_native(calls, device, events, lines);
    for (unsigned kind = 1; calls->set_trace_ompt != NULL && kind < KINDS; kind++)
        if (member_bytes[kind] != 0 && (rest & OMPTAPE_EVENT(kind)) != 0)
            (void)request_kind(calls, device, kind, lines);
}

/* Checking pointers from a runtime. A record may lie outside the buffer: OpenMP 5.2 section 19.6.2.3.15
 * allows thread-local storage. So the pointer's value alone does not show whether it is valid. */

/* Memory known to be readable: one buffer, and the pages that were checked last. One for each delivery. */
struct readable {
    uintptr_t base;
    size_t bytes;
    uintptr_t pages[4];
};

/* The smallest page size. A larger page is only checked more often. */
enum { PAGE = 4096, PAGES = sizeof(((struct readable *)0)->pages) / sizeof(uintptr_t) };

static bool page_can_be_read(struct readable *readable, uintptr_t page)
{
    uintptr_t *known = &readable->pages[page / PAGE % PAGES];
    char byte;
    struct iovec to = {.iov_base = &byte, .iov_len = 1};
    struct iovec from = {.iov_base = (void *)page, .iov_len = 1};
    if (page == 0)
        return false;
    if (*known == page)
        return true;
    int saved = errno;
    ssize_t n = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
    /* If the call is forbidden, the runtime must be trusted. */
    bool good = n == 1 || (n < 0 && errno != EFAULT);
    errno = saved;
    if (good)
        *known = page;
    return good;
}

/* True if these bytes can be read. Inside the buffer it is a comparison, else a system call a page. */
static bool readable_has(struct readable *readable, const void *pointer, size_t bytes)
{
    uintptr_t begin = (uintptr_t)pointer;
    if (begin - readable->base < readable->bytes)
        return bytes <= readable->bytes - (begin - readable->base);
    if (begin > UINTPTR_MAX - bytes)
        return false;
    for (uintptr_t page = begin / PAGE * PAGE; page < begin + bytes; page += PAGE)
        if (!page_can_be_read(readable, page))
            return false;
    return true;
}

/* Returns the length of a text, at most `max` bytes, as far as it can be read. */
static size_t readable_text(struct readable *readable, const char *text, size_t max)
{
    size_t length = 0;
    if (text == NULL)
        return 0;
    while (length < max) {
        size_t to_page_end = PAGE - (uintptr_t)(text + length) % PAGE;
        size_t piece = to_page_end < max - length ? to_page_end : max - length;
        if (!readable_has(readable, text + length, piece)) {
            /* The buffer ends within a page. */
            uintptr_t in_buffer = (uintptr_t)(text + length) - readable->base;
            if (in_buffer >= readable->bytes)
                break;
            piece = readable->bytes - in_buffer;
            return length + strnlen(text + length, piece);
        }
        size_t n = strnlen(text + length, piece);
        length += n;
        if (n < piece)
            break;
    }
    return length;
}

_Atomic(const struct omptape_record_taker *) omptape_record_taker;

enum { OMPT_FIXED = 3, NATIVE_FIXED = 9, SMALLEST_RECORD = 8 };
enum { MAX_NAME_WORDS = OMPTAPE_RECORD_MAX_WORDS - OMPTAPE_RECORD_HEADER_WORDS - NATIVE_FIXED };

struct record_walk {
    const struct omptape_interface *calls;
    const struct omptape_device_range *range;
    int device;
    struct readable readable;
    struct omptape_record_times *times;
    uintptr_t first; /* Address of the first record in the buffer, or 0. */
    bool left_range;
    bool skips;
    uint64_t events;
    const struct omptape_record_taker *taker; /* NULL if the device is not shared. */
    struct omptape_record_copies copies;
    uint64_t records;
    uint64_t invalid;
    uint64_t dropped;
};

static void note_time(struct record_walk *walk, uint64_t time)
{
    if (time == 0)
        return;
    if (walk->times->first == 0)
        walk->times->first = time;
    walk->times->last = time;
}

/* Returns false if the record lies in the buffer but outside the delivered range. Cursors are opaque, but
 * such records show where the cursor is. */
static bool is_in_range(struct record_walk *walk, const void *record)
{
    uintptr_t place = (uintptr_t)record;
    if (place - walk->readable.base >= walk->readable.bytes)
        return true;
    if (walk->first == 0)
        walk->first = place;
    walk->left_range = place >= walk->first && place - walk->first >= walk->range->bytes;
    return !walk->left_range;
}

static struct omptape_record *reserve_record(struct record_walk *walk, struct omptape_slot **slot,
                                             size_t words, enum omptape_kind kind, unsigned a, int device)
{
    *slot = omptape_delivery_slot(kind);
    struct omptape_record *record =
        *slot != NULL ? omptape_producer_reserve(*slot, words, kind, a, (uint32_t)device) : NULL;
    walk->records += record != NULL;
    walk->dropped += record == NULL && omptape_delivery_is_recording();
    return record;
}

static void copy_ompt_record(struct record_walk *walk, ompt_buffer_cursor_t cursor)
{
    const void *from = walk->calls->get_record_ompt(walk->range->buffer, cursor); /* May be unaligned. */
    ompt_record_ompt_t head;
    const size_t head_bytes = offsetof(ompt_record_ompt_t, record);
    /* AMD's runtime returns NULL at the beginning of some buffers. */
    if (from == NULL || !is_in_range(walk, from))
        return;
    if (!readable_has(&walk->readable, from, head_bytes)) {
        walk->invalid++;
        return;
    }
    memcpy(&head, from, head_bytes);
    int bytes = bytes_of_member((unsigned)head.type);
    const char *member = (const char *)from + head_bytes;
    if (bytes < 0 || !readable_has(&walk->readable, from, head_bytes + (size_t)bytes)) {
        walk->invalid++;
        return;
    }
    if (walk->taker != NULL)
        walk->taker->take(&walk->copies, from, head_bytes + (size_t)bytes);
    /* The second tool may have requested more than the user wants to record. */
    if (walk->skips || (walk->taker != NULL && (walk->events & events_of((unsigned)head.type)) == 0))
        return;
    size_t words = OMPTAPE_RECORD_HEADER_WORDS + OMPT_FIXED + ((size_t)bytes + 7) / 8;
    struct omptape_slot *slot;
    struct omptape_record *record =
        reserve_record(walk, &slot, words, OMPTAPE_DEVICE_RECORD, (unsigned)head.type, walk->device);
    note_time(walk, head.time);
    if (record == NULL)
        return;
    record->p[0] = head.time;
    record->p[1] = head.thread_id;
    record->p[2] = head.target_id;
    if (bytes > 0) {
        record->p[OMPT_FIXED + (bytes - 1) / 8] = 0;
        memcpy(record->p + OMPT_FIXED, member, (size_t)bytes);
    }
    omptape_producer_commit(slot, record);
}

static void put_native(struct record_walk *walk, const ompt_record_abstract_t *abstract,
                       const struct omptape_record_detail *detail, const char *name, size_t length)
{
    uint64_t text[MAX_NAME_WORDS];
    size_t text_words = omptape_producer_text(text, MAX_NAME_WORDS, name, length);
    size_t words = OMPTAPE_RECORD_HEADER_WORDS + NATIVE_FIXED + text_words;
    struct omptape_slot *slot;
    unsigned a = ((unsigned)abstract->rclass & 0xffU) | ((unsigned)detail->activity << 8);
    struct omptape_record *record =
        reserve_record(walk, &slot, words, OMPTAPE_DEVICE_NATIVE, a, detail->device);
    if (record == NULL)
        return;
    record->p[0] = abstract->start_time;
    record->p[1] = abstract->end_time;
    record->p[2] = detail->stream;
    record->p[3] = detail->operation;
    record->p[4] = detail->bytes;
    record->p[5] = ((uint64_t)detail->copy & 0xffU) | ((uint64_t)(uint32_t)detail->peer << 32);
    record->p[6] = detail->teams | ((uint64_t)detail->threads << 32);
    record->p[7] = detail->correlation;
    record->p[8] = detail->context;
    memcpy(record->p + NATIVE_FIXED, text, text_words * sizeof(text[0]));
    omptape_producer_commit(slot, record);
}

/* Copies the abstract of a native record (OpenMP 5.2 sections 19.6.2.3.16/17). False if there is none. */
static bool find_abstract(struct record_walk *walk, ompt_buffer_cursor_t cursor, ompt_id_t *operation,
                          ompt_record_abstract_t *abstract)
{
    const struct omptape_interface *calls = walk->calls;
    if (calls->get_record_native == NULL || calls->get_record_abstract == NULL)
        return false;
    void *native = calls->get_record_native(walk->range->buffer, cursor, operation);
    if (native == NULL || !is_in_range(walk, native))
        return false;
    const ompt_record_abstract_t *from = calls->get_record_abstract(native);
    if (from == NULL || !readable_has(&walk->readable, from, sizeof(*from)))
        return false;
    memcpy(abstract, from, sizeof(*from));
    return true;
}

static void copy_native_record(struct record_walk *walk, ompt_buffer_cursor_t cursor)
{
    ompt_record_abstract_t abstract = {.rclass = ompt_record_native_info};
    ompt_id_t operation = 0;
    bool has_abstract = find_abstract(walk, cursor, &operation, &abstract);
    struct omptape_record_detail detail = {
        .device = walk->device, .peer = -1, .stream = abstract.hwid, .operation = operation};
    if (walk->left_range || walk->skips)
        return;
    if (!has_abstract) {
        walk->invalid++;
        return;
    }
    /* Only omptape's own producer has details, and its names are readable. */
    bool detailed = walk->calls->get_record_detail != NULL &&
                    walk->calls->get_record_detail(walk->range->buffer, cursor, &detail);
    const char *name = detailed ? detail.name : abstract.type;
    size_t max = MAX_NAME_WORDS * sizeof(uint64_t);
    size_t length = !detailed ? readable_text(&walk->readable, name, max) : detail.name != NULL ? max : 0;
    note_time(walk, abstract.start_time);
    note_time(walk, abstract.end_time);
    put_native(walk, &abstract, &detail, length > 0 ? name : NULL, length);
}

static ompt_record_t type_of(const struct record_walk *walk, ompt_buffer_cursor_t cursor)
{
    if (walk->calls->get_record_type != NULL)
        return walk->calls->get_record_type(walk->range->buffer, cursor);
    return walk->calls->get_record_ompt != NULL ? ompt_record_ompt : ompt_record_native;
}

static void copy_record(struct record_walk *walk, ompt_buffer_cursor_t cursor)
{
    ompt_record_t type = type_of(walk, cursor);
    if (type == ompt_record_ompt && walk->calls->get_record_ompt != NULL)
        copy_ompt_record(walk, cursor);
    else if (type == ompt_record_native)
        copy_native_record(walk, cursor);
    else
        walk->invalid++;
}

static void walk_through(struct record_walk *walk, ompt_device_t *device)
{
    const struct omptape_device_range *range = walk->range;
    ompt_buffer_cursor_t cursor = range->begin;
    ompt_buffer_cursor_t milestone = cursor;
    size_t max = range->bytes / SMALLEST_RECORD + 1;
    for (size_t n = 1; n <= max; n++) {
        copy_record(walk, cursor);
        if (walk->left_range)
            break;
        ompt_buffer_cursor_t next = cursor;
        if (!walk->calls->advance_buffer_cursor(device, range->buffer, range->bytes, cursor, &next))
            return;
        /* A cursor in a cycle reaches the start or a milestone again (Brent's algorithm). */
        if (next == cursor || next == range->begin || next == milestone)
            break;
        if ((n & (n - 1)) == 0)
            milestone = next;
        cursor = next;
    }
    /* The iteration did not end regularly. */
    walk->invalid++;
}

void omptape_records_take(struct omptape_traced_device *device, const struct omptape_device_range *range,
                          struct omptape_record_times *times)
{
    struct record_walk walk = {.calls = &device->calls,
                               .range = range,
                               .device = device->number,
                               .readable = {.base = (uintptr_t)range->base, .bytes = range->size},
                               .times = times,
                               .skips = atomic_load(&device->skips),
                               .events = device->events,
                               .taker =
                                   atomic_load(&device->shared) ? atomic_load(&omptape_record_taker) : NULL,
                               .copies = {.device = device->number}};
    *times = (struct omptape_record_times){0};
    walk_through(&walk, device->pointer);
    if (walk.taker != NULL)
        walk.taker->end(&walk.copies);
    atomic_fetch_add_explicit(&device->records, walk.records, memory_order_relaxed);
    atomic_fetch_add_explicit(&device->invalid, walk.invalid, memory_order_relaxed);
    atomic_fetch_add_explicit(&device->dropped, walk.dropped, memory_order_relaxed);
}
