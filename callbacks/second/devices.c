/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The devices that omptape traces, as the second tool sees them (second.h). A device's tracing interface
 * serves one tool, which is omptape. The other tool gets copies of the OMPT records, in its own buffers and
 * with its own identities, each time that the runtime delivers some. Native records have the runtime's own
 * form, which cannot be copied: they go to omptape alone.
 */
#include "callbacks/second/second.h"
#include "callbacks/second/word_pairs.h"
#include "device/interface.h"
#include "device/records.h"
#include "device/tracing.h"
#include "src/core/events.h"

#include <stdatomic.h>
#include <string.h>

/* OMPT's entry points have parameters that are not needed here. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

enum { MAX_DEVICES = 64, KINDS = 64 };

/* A device that both tools trace. All fields above `kinds` are constant after `pointer` is set. */
struct shared_device {
    _Atomic(ompt_device_t *) pointer;
    int number;
    ompt_set_trace_ompt_t set_trace_ompt; /* The runtime's, or NULL. */
    _Atomic uint64_t kinds;               /* The records that the other tool wants; bit n: kind n. */
    _Atomic bool is_paused;
    _Atomic(ompt_callback_buffer_request_t) request;
    _Atomic(ompt_callback_buffer_complete_t) complete; /* NULL while the other tool does not trace. */
};
static struct shared_device devices[MAX_DEVICES];
static _Atomic uint32_t device_count;
/* The runtime's, of the device that was initialised last. */
static _Atomic(ompt_function_lookup_t) device_lookup;

static uint32_t count_devices(void)
{
    const uint32_t count = atomic_load_explicit(&device_count, memory_order_acquire);
    return count < MAX_DEVICES ? count : MAX_DEVICES;
}

/* Returns the newest device with this pointer, or else NULL. */
static struct shared_device *find_device(const ompt_device_t *pointer)
{
    for (uint32_t i = count_devices(); i-- > 0;)
        if (atomic_load(&devices[i].pointer) == pointer)
            return &devices[i];
    return NULL;
}

static struct shared_device *find_number(int number)
{
    for (uint32_t i = count_devices(); i-- > 0;)
        if (atomic_load(&devices[i].pointer) != NULL && devices[i].number == number)
            return &devices[i];
    return NULL;
}

ompt_id_t omptape_second_id(ompt_id_t id, ompt_callbacks_t emi)
{
    const bool has_own = atomic_load(&omptape_second_callbacks.theirs[emi]) != NULL;
    return has_own && id != ompt_id_none ? omptape_word_value(id) : id;
}

/* The copies of records. */

/* Returns the kind that the other tool wants a record to have, or 0 if it does not want the record. Both
 * forms of a kind have the same record. */
static unsigned choose_kind(uint64_t kinds, unsigned kind)
{
    const unsigned other = omptape_event_other_form(kind);
    if ((kinds >> kind & 1) != 0)
        return kind;
    return other != 0 && (kinds >> other & 1) != 0 ? other : 0;
}

static void set_identities(ompt_record_ompt_t *record)
{
    record->thread_id = omptape_word_theirs(record->thread_id);
    record->target_id = omptape_second_id(record->target_id, ompt_callback_target_emi);
    switch ((unsigned)record->type) {
    case ompt_callback_target:
    case ompt_callback_target_emi:
        record->record.target.task_id = omptape_word_theirs(record->record.target.task_id);
        record->record.target.target_id =
            omptape_second_id(record->record.target.target_id, ompt_callback_target_emi);
        break;
    case ompt_callback_target_data_op:
    case ompt_callback_target_data_op_emi:
        record->record.target_data_op.host_op_id =
            omptape_second_id(record->record.target_data_op.host_op_id, ompt_callback_target_data_op_emi);
        break;
    case ompt_callback_target_submit:
    case ompt_callback_target_submit_emi:
        record->record.target_kernel.host_op_id =
            omptape_second_id(record->record.target_kernel.host_op_id, ompt_callback_target_submit_emi);
        break;
    case ompt_callback_target_map:
    case ompt_callback_target_map_emi:
        record->record.target_map.target_id =
            omptape_second_id(record->record.target_map.target_id, ompt_callback_target_emi);
        break;
    default:
        break;
    }
}

/* Bytes from a buffer's begin to its first record, which must be aligned. */
static size_t first_record(const char *buffer)
{
    return -(uintptr_t)buffer % _Alignof(ompt_record_ompt_t);
}

static void end_copies(struct omptape_record_copies *copies)
{
    const struct shared_device *device = find_number(copies->device);
    ompt_callback_buffer_complete_t complete = device != NULL ? atomic_load(&device->complete) : NULL;
    if (copies->buffer != NULL && complete != NULL)
        complete(copies->device, copies->buffer, copies->used,
                 (ompt_buffer_cursor_t)(uintptr_t)(copies->buffer + first_record(copies->buffer)), 1);
    copies->buffer = NULL;
}

/* Makes room for a record. Returns false if the other tool gives no buffer of that size. */
static bool prepare_copy(const struct shared_device *device, struct omptape_record_copies *copies)
{
    ompt_buffer_t *buffer = NULL;
    if (copies->buffer != NULL && copies->bytes - copies->used >= sizeof(ompt_record_ompt_t))
        return true;
    end_copies(copies);
    ((ompt_callback_buffer_request_t)atomic_load(&device->request))(copies->device, &buffer, &copies->bytes);
    if (buffer == NULL)
        return false;
    copies->buffer = buffer;
    copies->used = first_record(copies->buffer);
    if (copies->bytes >= copies->used + sizeof(ompt_record_ompt_t))
        return true;
    copies->used = 0;
    end_copies(copies);
    return false;
}

static void take_record(struct omptape_record_copies *copies, const void *from, size_t bytes)
{
    const struct shared_device *device = find_number(copies->device);
    ompt_record_ompt_t record;
    if (device == NULL || atomic_load(&device->complete) == NULL || atomic_load(&device->is_paused))
        return;
    memset(&record, 0, sizeof(record));
    memcpy(&record, from, bytes);
    const unsigned kind = choose_kind(atomic_load(&device->kinds), (unsigned)record.type);
    if (kind == 0 || !prepare_copy(device, copies))
        return;
    record.type = (ompt_callbacks_t)kind;
    set_identities(&record);
    memcpy(copies->buffer + copies->used, &record, sizeof(record));
    copies->used += sizeof(record);
}

/* The other tool calls the following functions, on any thread. */

static ompt_set_result_t set_trace_ompt(ompt_device_t *pointer, unsigned enable, unsigned kind)
{
    struct shared_device *device = find_device(pointer);
    if (device == NULL || kind >= KINDS)
        return ompt_set_error;
    const uint64_t kinds = kind != 0 ? UINT64_C(1) << kind : UINT64_MAX;
    if (enable == 0) {
        (void)atomic_fetch_and(&device->kinds, ~kinds);
        return ompt_set_always;
    }
    const ompt_set_result_t answer =
        device->set_trace_ompt != NULL ? device->set_trace_ompt(pointer, enable, kind) : ompt_set_never;
    if (answer >= ompt_set_sometimes)
        (void)atomic_fetch_or(&device->kinds, kinds);
    return answer;
}

static ompt_set_result_t set_trace_native(ompt_device_t *device, int enable, int flags)
{
    return ompt_set_never;
}

static int start_trace(ompt_device_t *pointer, ompt_callback_buffer_request_t request,
                       ompt_callback_buffer_complete_t complete)
{
    struct shared_device *device = find_device(pointer);
    if (device == NULL || request == NULL || complete == NULL || atomic_load(&device->complete) != NULL)
        return 0;
    if (!omptape_tracing_share(device->number, true))
        return 0;
    atomic_store(&device->is_paused, false);
    atomic_store(&device->request, request);
    atomic_store(&device->complete, complete);
    return 1;
}

/* Has the device deliver what it has. Once omptape has closed the device, nothing is left. */
static int flush_trace(ompt_device_t *pointer)
{
    const struct shared_device *device = find_device(pointer);
    if (device == NULL || atomic_load(&device->complete) == NULL)
        return 0;
    return omptape_tracing_flush(device->number) || !omptape_tracing_is_open(device->number);
}

static int pause_trace(ompt_device_t *pointer, int begin_pause)
{
    struct shared_device *device = find_device(pointer);
    if (device == NULL || atomic_load(&device->complete) == NULL)
        return 0;
    (void)omptape_tracing_flush(device->number);
    atomic_store(&device->is_paused, begin_pause != 0);
    return 1;
}

static int stop_trace(ompt_device_t *pointer)
{
    struct shared_device *device = find_device(pointer);
    if (device == NULL || atomic_load(&device->complete) == NULL)
        return 0;
    (void)omptape_tracing_share(device->number, false);
    atomic_store(&device->complete, NULL);
    return 1;
}

void omptape_second_end_devices(void)
{
    for (uint32_t i = 0; i < count_devices(); i++)
        /* The end of the sharing flushes the device, for omptape alone. */
        if (atomic_exchange(&devices[i].complete, NULL) != NULL)
            (void)omptape_tracing_share(devices[i].number, false);
}

/* A cursor is the address of a record. */
static int advance_buffer_cursor(ompt_device_t *device, ompt_buffer_t *buffer, size_t bytes,
                                 ompt_buffer_cursor_t current, ompt_buffer_cursor_t *next)
{
    const uintptr_t end = (uintptr_t)buffer + bytes;
    *next = current + sizeof(ompt_record_ompt_t);
    return *next < end && end - *next >= sizeof(ompt_record_ompt_t);
}

static ompt_record_t get_record_type(ompt_buffer_t *buffer, ompt_buffer_cursor_t current)
{
    return ompt_record_ompt;
}

static ompt_record_ompt_t *get_record_ompt(ompt_buffer_t *buffer, ompt_buffer_cursor_t current)
{
    return (ompt_record_ompt_t *)(uintptr_t)current;
}

static void *get_record_native(ompt_buffer_t *buffer, ompt_buffer_cursor_t current, ompt_id_t *host_op_id)
{
    return NULL;
}

static ompt_record_abstract_t *get_record_abstract(void *native)
{
    return NULL;
}

static ompt_interface_fn_t look_up_device(const char *name)
{
    static const struct omptape_interface own = {
        .set_trace_ompt = set_trace_ompt,
        .set_trace_native = set_trace_native,
        .start_trace = start_trace,
        .pause_trace = pause_trace,
        .flush_trace = flush_trace,
        .stop_trace = stop_trace,
        .advance_buffer_cursor = advance_buffer_cursor,
        .get_record_type = get_record_type,
        .get_record_ompt = get_record_ompt,
        .get_record_native = get_record_native,
        .get_record_abstract = get_record_abstract,
    };
    const ompt_interface_fn_t ours = omptape_interface_get(&own, name);
    return ours != NULL ? ours : ((ompt_function_lookup_t)atomic_load(&device_lookup))(name);
}

ompt_function_lookup_t omptape_second_device(int device_num, ompt_device_t *device,
                                             ompt_function_lookup_t lookup)
{
    static const struct omptape_record_taker taker = {take_record, end_copies};
    struct omptape_interface calls;
    omptape_interface_find(&calls, lookup);
    /* CUPTI makes the records of NVIDIA's devices: these have no interface of the runtime. */
    if (!omptape_tracing_is_open(device_num) || omptape_interface_lacks(&calls) != NULL)
        return lookup;
    /* Several threads may initialise devices at the same time. */
    const uint32_t index = atomic_fetch_add(&device_count, 1);
    if (index >= MAX_DEVICES)
        return NULL;
    devices[index].number = device_num;
    devices[index].set_trace_ompt = calls.set_trace_ompt;
    atomic_store(&devices[index].pointer, device);
    omptape_word_keep_removed();
    atomic_store(&omptape_record_taker, &taker);
    atomic_store(&device_lookup, lookup);
    return look_up_device;
}
