/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The devices of the CUPTI producer, and OMPT's tracing interface for each (OpenMP 5.2 section 19.6.2). The
 * entry points are called by device/tracing.c, the buffer callbacks by CUPTI. CUPTI calls them on its worker
 * thread, or on threads of the program that call CUDA or flush.
 *
 * CUPTI collects for the whole process. So only the first start and the last pause of a device have an
 * effect. A buffer contains the records of all devices; each record names its device.
 */
#include "device/cupti/devices.h"

#include "device/cupti/records.h"
#include "device/tracing.h"
#include "src/core/message.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* OMPT's entry points have parameters that are not needed here. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

enum { DEVICES = 256, NO_NUMBER = -1 };

struct cuda_device {
    atomic_int number; /* The device's number + 1; 0 if it was not opened. */
    atomic_bool opened;
    atomic_bool running;
};

static struct cuda_device devices[DEVICES]; /* Indexed by CUDA's ordinal. */
static atomic_int first_device;             /* Number + 1 of the device opened first. */
static const struct omptape_cupti_library *library;
static const struct omptape_cupti_functions *functions; /* The functions of `library`. */
static atomic_bool started;
static atomic_bool collecting;
static atomic_bool is_correlating;
/* Set from the beginning, because other threads use a device while the first one is still opening it. */
static _Atomic ompt_callback_buffer_request_t request_buffer = omptape_tracing_buffer_request;
static _Atomic ompt_callback_buffer_complete_t buffer_is_complete = omptape_tracing_buffer_complete;

/* The kinds of activities. The first is required; older versions may lack the others. */
static const int kinds[] = {OMPTAPE_CUPTI_KIND_CONCURRENT_KERNEL, OMPTAPE_CUPTI_KIND_MEMCPY,
                            OMPTAPE_CUPTI_KIND_MEMCPY2,           OMPTAPE_CUPTI_KIND_MEMSET,
                            OMPTAPE_CUPTI_KIND_SYNCHRONIZATION,   OMPTAPE_CUPTI_KIND_MEMORY2};
/* CUPTI relates external ids to the records of API calls, so both kinds are required. External ids come
 * first, because calls recorded before them are not related. */
static const int correlation_kinds[] = {OMPTAPE_CUPTI_KIND_EXTERNAL_CORRELATION, OMPTAPE_CUPTI_KIND_DRIVER};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

void omptape_cupti_use(const struct omptape_cupti_library *found)
{
    library = found;
    functions = &found->functions;
}

void omptape_cupti_set_started(void)
{
    atomic_store_explicit(&started, true, memory_order_release);
}

const struct omptape_cupti_functions *omptape_cupti(void)
{
    return atomic_load_explicit(&started, memory_order_acquire) ? functions : NULL;
}

static void enable_correlation_kinds(void)
{
    for (size_t i = 0; i < COUNT(correlation_kinds); i++)
        (void)functions->enable(correlation_kinds[i]);
}

int omptape_cupti_resume(void)
{
    if (atomic_exchange(&collecting, true))
        return OMPTAPE_CUPTI_SUCCESS;
    int result = functions->enable(kinds[0]);
    if (result != OMPTAPE_CUPTI_SUCCESS) {
        atomic_store(&collecting, false);
        return result;
    }
    for (size_t i = 1; i < COUNT(kinds); i++)
        (void)functions->enable(kinds[i]);
    if (atomic_load(&is_correlating))
        enable_correlation_kinds();
    return OMPTAPE_CUPTI_SUCCESS;
}

void omptape_cupti_enable_correlation(void)
{
    if (!atomic_exchange(&is_correlating, true) && atomic_load(&collecting))
        enable_correlation_kinds();
}

static void suspend_collecting(void)
{
    if (!atomic_exchange(&collecting, false))
        return;
    for (size_t i = 0; i < COUNT(kinds); i++)
        (void)functions->disable(kinds[i]);
    for (size_t i = COUNT(correlation_kinds); i > 0 && atomic_load(&is_correlating); i--)
        (void)functions->disable(correlation_kinds[i - 1]);
}

static bool any_running(void)
{
    for (size_t i = 0; i < DEVICES; i++)
        if (atomic_load(&devices[i].running))
            return true;
    return false;
}

/* Delivery of the records. */

static int first_device_number(void)
{
    int number = atomic_load(&first_device);
    return number != 0 ? number - 1 : OMPTAPE_FIRST_CUDA_DEVICE;
}

/* Returns true if omptape_tracing_open has returned for the device, with or without success. */
static bool is_opened(int number)
{
    for (size_t i = 0; i < DEVICES; i++)
        if (atomic_load(&devices[i].number) == number + 1)
            return atomic_load(&devices[i].opened);
    return false;
}

/* Returns a running device's number: device/tracing.c refuses an ended one's buffers, which others need. */
static int running_number(void)
{
    for (size_t i = 0; i < DEVICES; i++)
        if (atomic_load(&devices[i].running))
            return atomic_load(&devices[i].number) - 1;
    return first_device_number();
}

/* Returns the number of a device, or NO_NUMBER. One not announced is opened at its first record. */
static int number_of(uint32_t ordinal)
{
    if (ordinal >= DEVICES)
        return NO_NUMBER;
    omptape_cupti_open_ordinal(ordinal);
    return atomic_load(&devices[ordinal].number) - 1;
}

static int advance_buffer_cursor(ompt_device_t *device, ompt_buffer_t *buffer, size_t size,
                                 ompt_buffer_cursor_t current, ompt_buffer_cursor_t *next)
{
    *next = omptape_cupti_next_cursor(functions->next_record, buffer, size, current);
    return *next != 0;
}

static ompt_record_t get_record_type(ompt_buffer_t *buffer, ompt_buffer_cursor_t current)
{
    return omptape_cupti_record_type(current);
}

static void *get_record_native(ompt_buffer_t *buffer, ompt_buffer_cursor_t current, ompt_id_t *host_op_id)
{
    return omptape_cupti_record_native(current, host_op_id);
}

static bool get_record_detail(ompt_buffer_t *buffer, ompt_buffer_cursor_t current,
                              struct omptape_record_detail *detail)
{
    return omptape_cupti_record_detail(current, number_of, first_device_number(), detail);
}

void omptape_cupti_request(uint8_t **buffer, size_t *size, size_t *max_records)
{
    ompt_buffer_t *memory = NULL;
    size_t bytes = 0;
    ompt_callback_buffer_request_t request = atomic_load(&request_buffer);
    request(running_number(), &memory, &bytes);
    *buffer = memory;
    *size = memory != NULL ? bytes : 0;
    *max_records = 0;
}

/* Waits until the first device is known to device/tracing.c. This happens before any call of CUDA for it, so
 * the wait does not involve a lock that the caller may hold. */
static void wait_for_first_device(void)
{
    static const struct timespec slice = {.tv_nsec = 1000000};
    enum { MAX_SLICES = 2000 };
    int number = first_device_number();
    for (int i = 0; i < MAX_SLICES && !omptape_tracing_has(number); i++) {
        if (is_opened(number))
            return;
        nanosleep(&slice, NULL);
    }
}

/* Opens the devices of a buffer's records if no device was announced. Only known devices have records. */
static void open_first_device(ompt_buffer_t *buffer, size_t valid, ompt_buffer_cursor_t begin)
{
    struct omptape_record_detail detail;
    ompt_buffer_cursor_t cursor = begin;
    while (cursor != 0 && atomic_load(&first_device) == 0) {
        (void)omptape_cupti_record_detail(cursor, number_of, first_device_number(), &detail);
        cursor = omptape_cupti_next_cursor(functions->next_record, buffer, valid, cursor);
    }
    if (begin != 0 && atomic_load(&first_device) != 0)
        wait_for_first_device();
}

void omptape_cupti_complete(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    ompt_callback_buffer_complete_t complete = atomic_load(&buffer_is_complete);
    ompt_buffer_cursor_t begin = omptape_cupti_next_cursor(functions->next_record, buffer, valid, 0);
    open_first_device(buffer, valid, begin);
    complete(first_device_number(), buffer, begin != 0 ? valid : 0, begin, 1);
}

/* The other entry points of a device. */

static ompt_device_time_t get_device_time(ompt_device_t *device)
{
    uint64_t time = 0;
    const struct omptape_cupti_functions *cupti = omptape_cupti();
    return cupti != NULL && cupti->get_timestamp(&time) == OMPTAPE_CUPTI_SUCCESS ? time : ompt_time_none;
}

static ompt_set_result_t set_trace_ompt(ompt_device_t *device, unsigned enable, unsigned etype)
{
    return ompt_set_never;
}

/* Reports which native records can be expected. The kinds are enabled for all devices at once. */
static ompt_set_result_t set_trace_native(ompt_device_t *device, int enable, int flags)
{
    const int had = ompt_native_data_motion_explicit | ompt_native_kernel_execution | ompt_native_runtime;
    if ((flags & had) == 0)
        return ompt_set_never;
    return (flags & ~had) == 0 ? ompt_set_always : ompt_set_sometimes;
}

static int start_trace(ompt_device_t *device, ompt_callback_buffer_request_t request,
                       ompt_callback_buffer_complete_t complete)
{
    struct cuda_device *of_cuda = device;
    atomic_store(&request_buffer, request);
    atomic_store(&buffer_is_complete, complete);
    if (omptape_cupti_resume() != OMPTAPE_CUPTI_SUCCESS)
        return 0;
    atomic_store(&of_cuda->running, true);
    return 1;
}

static int pause_trace(ompt_device_t *device, int begin_pause)
{
    struct cuda_device *of_cuda = device;
    if (omptape_cupti() == NULL)
        return 0;
    atomic_store(&of_cuda->running, begin_pause == 0);
    if (begin_pause == 0)
        return omptape_cupti_resume() == OMPTAPE_CUPTI_SUCCESS;
    if (!any_running())
        suspend_collecting();
    return 1;
}

static int flush_trace(ompt_device_t *device)
{
    const struct omptape_cupti_functions *cupti = omptape_cupti();
    return cupti != NULL && cupti->flush_all(0) == OMPTAPE_CUPTI_SUCCESS;
}

static void report_losses(const struct omptape_cupti_functions *cupti)
{
    size_t dropped = 0;
    if (cupti->dropped_records != NULL &&
        cupti->dropped_records(NULL, 0, &dropped) == OMPTAPE_CUPTI_SUCCESS && dropped > 0)
        omptape_message("CUPTI dropped %zu records of CUDA's devices for want of buffers", dropped);
}

/* Stops the trace. Activities in progress on the last device are delivered without times, and counted as
 * such. Waiting for the device would keep the program from ending if a kernel never ends. */
static int stop_trace(ompt_device_t *device)
{
    struct cuda_device *of_cuda = device;
    const struct omptape_cupti_functions *cupti = omptape_cupti();
    atomic_store(&of_cuda->running, false);
    if (cupti == NULL)
        return 0;
    if (any_running())
        return 1;
    (void)cupti->flush_all(OMPTAPE_CUPTI_FLUSH_FORCED);
    report_losses(cupti);
    suspend_collecting();
    return 1;
}

static ompt_interface_fn_t look_up_entry_point(const char *name)
{
    static const struct omptape_interface calls = {
        .get_device_time = get_device_time,
        .set_trace_ompt = set_trace_ompt,
        .set_trace_native = set_trace_native,
        .start_trace = start_trace,
        .pause_trace = pause_trace,
        .flush_trace = flush_trace,
        .stop_trace = stop_trace,
        .advance_buffer_cursor = advance_buffer_cursor,
        .get_record_type = get_record_type,
        .get_record_native = get_record_native,
        .get_record_abstract = omptape_cupti_record_abstract,
        .get_record_detail = get_record_detail,
    };
    return omptape_interface_get(&calls, name);
}

static void open_device(struct cuda_device *device, int number)
{
    char why[512];
    int none = 0;
    (void)atomic_compare_exchange_strong(&first_device, &none, number + 1);
    (void)snprintf(why, sizeof(why), "CUPTI %u, %.400s", (unsigned)library->version, library->path);
    omptape_tracing_open(number, device, look_up_entry_point, OMPTAPE_PRODUCER_CUPTI, why);
    atomic_store(&device->opened, true);
}

bool omptape_cupti_has_other_number(uint32_t ordinal, int device_num)
{
    int number = ordinal < DEVICES ? atomic_load(&devices[ordinal].number) - 1 : NO_NUMBER;
    return number != NO_NUMBER && number != device_num && number < OMPTAPE_FIRST_CUDA_DEVICE;
}

bool omptape_cupti_open_number(uint32_t ordinal, int device_num)
{
    if (ordinal >= DEVICES)
        return false;
    atomic_store(&devices[ordinal].number, device_num + 1);
    open_device(&devices[ordinal], device_num);
    return true;
}

void omptape_cupti_open_ordinal(uint32_t ordinal)
{
    int unopened = 0;
    if (ordinal >= DEVICES || atomic_load_explicit(&devices[ordinal].number, memory_order_relaxed) != 0)
        return;
    int number = OMPTAPE_FIRST_CUDA_DEVICE + (int)ordinal;
    if (atomic_compare_exchange_strong(&devices[ordinal].number, &unopened, number + 1))
        open_device(&devices[ordinal], number);
}

void omptape_cupti_close_ordinals(void)
{
    const struct omptape_cupti_functions *cupti = omptape_cupti();
    /* Devices that were not announced are opened by their records. */
    if (cupti != NULL && atomic_load(&collecting) && atomic_load(&first_device) == 0)
        (void)cupti->flush_all(0);
    for (size_t i = 0; i < DEVICES && omptape_cupti() != NULL; i++) {
        int number = atomic_load(&devices[i].number) - 1;
        if (number >= OMPTAPE_FIRST_CUDA_DEVICE)
            omptape_tracing_close(number);
    }
}

void omptape_cupti_forget_devices(void)
{
    atomic_store(&started, false);
    atomic_store(&collecting, false);
    for (size_t i = 0; i < DEVICES; i++) {
        atomic_store(&devices[i].number, 0);
        atomic_store(&devices[i].opened, false);
        atomic_store(&devices[i].running, false);
    }
}
