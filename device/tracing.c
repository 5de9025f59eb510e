/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The list of traced devices, and their tracing from open to close. The runtime opens and closes a device on
 * its own threads; other functions run on any thread. There are no locks, because the runtime calls back
 * inside omptape's calls.
 */
#include "device/tracing.h"

#include "device/anchors.h"
#include "device/records.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { MAX_DEVICES = 256 };
/* Reading a clock never takes this long; the reading thread must have been stopped. */
static const uint64_t timeout_ns = 100000000;

_Atomic uint64_t omptape_tracing_anchor_due = UINT64_MAX;

/* Each opening uses a new entry, so that late calls find their own one. */
static struct omptape_traced_device devices[MAX_DEVICES];
static _Atomic uint32_t device_count;
static _Atomic bool abandoned;
static _Atomic bool paused;
static _Atomic uint64_t wanted_events = UINT64_MAX;
static _Atomic size_t buffer_bytes = 1048576;

void omptape_tracing_use(const struct omptape_options *options)
{
    atomic_store(&wanted_events, options->events);
    atomic_store(&buffer_bytes, (size_t)options->device_buffer_bytes);
    atomic_store(&paused, options->paused);
}

bool omptape_tracing_is_wanted(void)
{
    return omptape_kinds_are_wanted(atomic_load(&wanted_events));
}

static uint32_t count_of_devices(void)
{
    uint32_t count = atomic_load_explicit(&device_count, memory_order_acquire);
    return count < MAX_DEVICES ? count : MAX_DEVICES;
}

static bool is_open(const struct omptape_traced_device *device)
{
    return atomic_load_explicit(&device->state, memory_order_acquire) == OMPTAPE_DEVICE_OPEN;
}

static struct omptape_traced_device *find_newest(int number)
{
    for (uint32_t i = count_of_devices(); i-- > 0;)
        if (atomic_load_explicit(&devices[i].state, memory_order_acquire) != OMPTAPE_DEVICE_NONE &&
            devices[i].number == number)
            return &devices[i];
    return NULL;
}

static struct omptape_traced_device *new_device(int number, ompt_device_t *pointer,
                                                const struct omptape_interface *calls)
{
    uint32_t index = atomic_fetch_add(&device_count, 1);
    if (index >= MAX_DEVICES)
        return NULL;
    struct omptape_traced_device *device = &devices[index];
    device->number = number;
    device->pointer = pointer;
    device->calls = *calls;
    device->events = atomic_load(&wanted_events);
    return device;
}

static void put_tracing(int number, enum omptape_device_producer producer, const char *why,
                        const char *description)
{
    enum { MAX_WORDS = OMPTAPE_RECORD_MAX_WORDS - OMPTAPE_RECORD_HEADER_WORDS };
    enum { WHY_WORDS = 15 };
    uint64_t text[MAX_WORDS];
    size_t used = omptape_producer_text(text, WHY_WORDS, why, SIZE_MAX);
    used += omptape_producer_text(text + used, MAX_WORDS - used, description, SIZE_MAX);
    omptape_producer_put_words(omptape_delivery_slot(OMPTAPE_DEVICE_TRACING), OMPTAPE_DEVICE_TRACING,
                               (unsigned)producer, (uint32_t)number, text, used);
}

static void put_summary(struct omptape_traced_device *device)
{
    const uint64_t sums[] = {
        atomic_load(&device->requests),    atomic_load(&device->refused),
        atomic_load(&device->completions), atomic_load(&device->records),
        atomic_load(&device->invalid),     omptape_device_buffers_outstanding(device->number),
        atomic_load(&device->dropped)};
    omptape_producer_put_words(omptape_delivery_slot(OMPTAPE_DEVICE_SUMMARY), OMPTAPE_DEVICE_SUMMARY, 0,
                               (uint32_t)device->number, sums, sizeof(sums) / sizeof(sums[0]));
}

/* Starts the trace; the runtime may call back before this returns. Returns false if the runtime refused. */
static bool start_device(struct omptape_traced_device *device)
{
    if (atomic_exchange(&device->started, true))
        return true;
    if (device->calls.start_trace(device->pointer, omptape_tracing_buffer_request,
                                  omptape_tracing_buffer_complete) != 0)
        return true;
    atomic_store(&device->started, false);
    return false;
}

static void stop_device(struct omptape_traced_device *device)
{
    if (device->calls.stop_trace != NULL && atomic_exchange(&device->started, false))
        (void)device->calls.stop_trace(device->pointer);
}

static void set_paused(struct omptape_traced_device *device, bool pause)
{
    bool done = false;
    if (!pause && !atomic_load(&device->started)) {
        if (!start_device(device))
            put_tracing(device->number, OMPTAPE_PRODUCER_HOST, "the runtime refused to start the trace", "");
        return;
    }
    if (!atomic_load(&device->started))
        return;
    if (device->calls.pause_trace != NULL)
        done = device->calls.pause_trace(device->pointer, pause) != 0;
    /* A device that cannot pause is stopped, and started again later. */
    if (pause && !done)
        stop_device(device);
}

static bool flush_device(struct omptape_traced_device *device)
{
    return atomic_load(&device->started) && device->calls.flush_trace != NULL &&
           device->calls.flush_trace(device->pointer) != 0;
}

/* Takes an anchor of an open device, unless it is being closed. */
static void record_anchor(struct omptape_traced_device *device, bool thorough)
{
    atomic_fetch_add(&device->anchor_takers, 1);
    if (is_open(device))
        omptape_anchors_record(device, thorough);
    atomic_fetch_sub(&device->anchor_takers, 1);
}

static void wait_for_anchor_takers(struct omptape_traced_device *device)
{
    uint64_t until = omptape_clock_raw_ns() + timeout_ns;
    while (atomic_load(&device->anchor_takers) != 0 && omptape_clock_raw_ns() < until)
        sched_yield();
}

void omptape_tracing_record_anchors(void)
{
    uint64_t due = atomic_load_explicit(&omptape_tracing_anchor_due, memory_order_relaxed);
    if (omptape_clock_now() < due || due == UINT64_MAX)
        return;
    /* One thread takes the anchors of all devices. */
    if (!atomic_compare_exchange_strong(&omptape_tracing_anchor_due, &due, omptape_anchors_next_due()))
        return;
    int saved = errno;
    for (uint32_t i = 0; i < count_of_devices(); i++)
        if (is_open(&devices[i]))
            record_anchor(&devices[i], false);
    errno = saved;
}

static void schedule_anchors(void)
{
    bool any = false;
    for (uint32_t i = 0; i < count_of_devices(); i++)
        any |= is_open(&devices[i]);
    atomic_store(&omptape_tracing_anchor_due,
                 any && !atomic_load(&abandoned) ? omptape_anchors_next_due() : UINT64_MAX);
}

static void begin_tracing(struct omptape_traced_device *device, enum omptape_device_producer producer,
                          const char *why)
{
    struct omptape_lines lines = {.used = 0, .text = ""};
    const struct omptape_interface *calls = &device->calls;
    omptape_interface_describe(calls, device->pointer, &lines);
    omptape_kinds_request(calls, device->pointer, atomic_load(&wanted_events), &lines);
    bool later = atomic_load(&paused);
    bool started = !later && start_device(device);
    omptape_lines_add(&lines, "start_trace=%s", later ? "later" : started ? "yes" : "refused");
    omptape_lines_add(&lines, "buffer_bytes=%zu", atomic_load(&buffer_bytes));
    if (started || later) {
        put_tracing(device->number, producer, why, lines.text);
        record_anchor(device, true);
    } else {
        put_tracing(device->number, OMPTAPE_PRODUCER_HOST, "the runtime refused to start the trace",
                    lines.text);
    }
}

void omptape_tracing_open(int device_num, ompt_device_t *pointer, ompt_function_lookup_t lookup,
                          enum omptape_device_producer producer, const char *why)
{
    struct omptape_interface calls;
    struct omptape_traced_device *device = NULL;
    int saved = errno;
    omptape_delivery_prepare();
    omptape_interface_find(&calls, lookup);
    if (producer != OMPTAPE_PRODUCER_HOST) {
        const char *lacks = omptape_interface_lacks(&calls);
        if (lacks != NULL)
            why = lacks;
        else if (!omptape_tracing_is_wanted())
            why = "--events leaves out what devices record";
        else if (omptape_device_buffers_prepare(atomic_load(&buffer_bytes)) != 0)
            why = "there is no memory for device buffers";
        else if ((device = new_device(device_num, pointer, &calls)) == NULL)
            why = "too many devices were initialised";
    }
    if (device == NULL) {
        put_tracing(device_num, OMPTAPE_PRODUCER_HOST, why, "");
    } else {
        /* Buffers of an earlier trace of this device are freed. CUPTI's belong to no single device. */
        if (producer != OMPTAPE_PRODUCER_CUPTI)
            omptape_device_buffers_reclaim(device_num);
        omptape_anchors_prepare();
        atomic_store_explicit(&device->state, OMPTAPE_DEVICE_OPEN, memory_order_release);
        begin_tracing(device, producer, why);
        schedule_anchors();
    }
    errno = saved;
}

static void close_device(struct omptape_traced_device *device)
{
    uint32_t open = OMPTAPE_DEVICE_OPEN;
    if (!atomic_compare_exchange_strong(&device->state, &open, OMPTAPE_DEVICE_CLOSING))
        return;
    int saved = errno;
    wait_for_anchor_takers(device);
    if (atomic_load(&device->started)) {
        (void)flush_device(device);
        omptape_anchors_record(device, true);
        if (device->calls.pause_trace != NULL)
            (void)device->calls.pause_trace(device->pointer, 1);
        stop_device(device);
    }
    atomic_store_explicit(&device->state, OMPTAPE_DEVICE_CLOSED, memory_order_release);
    put_summary(device);
    schedule_anchors();
    errno = saved;
}

/* Also works after omptape_tracing_abandon, because the runtime itself finalises the device here. */
void omptape_tracing_close(int device_num)
{
    struct omptape_traced_device *device = find_newest(device_num);
    if (device != NULL)
        close_device(device);
}

void omptape_tracing_close_all(void)
{
    for (uint32_t i = 0; i < count_of_devices() && !atomic_load(&abandoned); i++)
        close_device(&devices[i]);
}

void omptape_tracing_abandon(void)
{
    atomic_store(&abandoned, true);
    atomic_store(&omptape_tracing_anchor_due, UINT64_MAX);
    for (uint32_t i = 0; i < count_of_devices(); i++)
        wait_for_anchor_takers(&devices[i]);
}

static void pause_device(struct omptape_traced_device *device, bool pause)
{
    if (!atomic_load(&device->shared)) {
        set_paused(device, pause);
        return;
    }
    (void)flush_device(device);
    atomic_store(&device->skips, pause);
}

void omptape_tracing_pause_all(bool pause)
{
    int saved = errno;
    if (atomic_exchange(&paused, pause) != pause) {
        for (uint32_t i = 0; i < count_of_devices() && !atomic_load(&abandoned); i++)
            if (is_open(&devices[i]))
                pause_device(&devices[i], pause);
    }
    errno = saved;
}

void omptape_tracing_flush_all(void)
{
    int saved = errno;
    for (uint32_t i = 0; i < count_of_devices() && !atomic_load(&abandoned); i++) {
        struct omptape_traced_device *device = &devices[i];
        if (!is_open(device) || !atomic_load(&device->started))
            continue;
        (void)flush_device(device);
        record_anchor(device, false);
    }
    errno = saved;
}

void omptape_tracing_forget(void)
{
    uint32_t count = count_of_devices();
    atomic_store(&device_count, 0);
    memset(devices, 0, count * sizeof(devices[0]));
    atomic_store(&abandoned, false);
    atomic_store(&omptape_tracing_anchor_due, UINT64_MAX);
    omptape_device_buffers_forget();
}

/* Returns the device of this number. Some runtimes pass device 0 for all devices; then any open one. */
static struct omptape_traced_device *find_open(int number)
{
    struct omptape_traced_device *device = find_newest(number);
    for (uint32_t i = 0; i < count_of_devices() && device == NULL; i++)
        if (is_open(&devices[i]))
            device = &devices[i];
    return device;
}

/* Returns the device of this number if it may be called, or NULL. */
static struct omptape_traced_device *find_living(int number)
{
    struct omptape_traced_device *device = find_newest(number);
    return device != NULL && is_open(device) && !atomic_load(&abandoned) ? device : NULL;
}

bool omptape_tracing_is_open(int device_num)
{
    return find_living(device_num) != NULL;
}

bool omptape_tracing_share(int device_num, bool share)
{
    struct omptape_traced_device *device = find_living(device_num);
    if (device == NULL || atomic_load(&device->shared) == share)
        return device != NULL;
    int saved = errno;
    const bool is_paused = atomic_load(&paused);
    (void)flush_device(device);
    if (share)
        atomic_store(&device->skips, is_paused);
    if (is_paused)
        set_paused(device, !share);
    atomic_store(&device->shared, share && atomic_load(&device->started));
    if (!atomic_load(&device->shared))
        atomic_store(&device->skips, false);
    errno = saved;
    return atomic_load(&device->shared) == share;
}

bool omptape_tracing_flush(int device_num)
{
    struct omptape_traced_device *device = find_living(device_num);
    int saved = errno;
    const bool done = device != NULL && flush_device(device);
    errno = saved;
    return done;
}

bool omptape_tracing_has(int device_num)
{
    return find_newest(device_num) != NULL;
}

void omptape_tracing_buffer_request(int device_num, ompt_buffer_t **buffer, size_t *bytes)
{
    struct omptape_traced_device *device = find_open(device_num);
    *buffer = NULL;
    *bytes = 0;
    /* CUDA's devices may request buffers before they are opened. */
    if (device == NULL && device_num >= OMPTAPE_FIRST_CUDA_DEVICE && !atomic_load(&abandoned) &&
        omptape_device_buffers_prepare(atomic_load(&buffer_bytes)) == 0)
        *buffer = omptape_device_buffers_acquire(device_num, bytes);
    if (device == NULL || atomic_load(&device->state) == OMPTAPE_DEVICE_CLOSED)
        return;
    atomic_fetch_add_explicit(&device->requests, 1, memory_order_relaxed);
    *buffer = omptape_device_buffers_acquire(device->number, bytes);
    if (*buffer == NULL)
        atomic_fetch_add_explicit(&device->refused, 1, memory_order_relaxed);
}

static void copy_records(struct omptape_traced_device *device, const struct omptape_device_range *range)
{
    struct omptape_record_times times;
    omptape_records_take(device, range, &times);
    if (!atomic_load(&device->has_clock) && times.first != 0) {
        uint64_t ends[] = {times.first, times.last};
        omptape_anchors_translate(device, ends, times.last != times.first ? 2 : 1);
    }
    if (atomic_load(&device->state) == OMPTAPE_DEVICE_CLOSED)
        put_summary(device);
}

void omptape_tracing_buffer_complete(int device_num, ompt_buffer_t *buffer, size_t bytes,
                                     ompt_buffer_cursor_t begin, int buffer_owned)
{
    struct omptape_device_range range;
    int saved = errno;
    if (!omptape_device_buffers_enter(buffer, bytes, begin, &range)) {
        struct omptape_traced_device *device = find_newest(device_num);
        if (device != NULL && bytes > 0)
            atomic_fetch_add_explicit(&device->invalid, 1, memory_order_relaxed);
        return;
    }
    struct omptape_traced_device *device = find_newest(device_num);
    if (device == NULL)
        device = find_newest(range.device);
    if (device != NULL) {
        atomic_fetch_add_explicit(&device->completions, 1, memory_order_relaxed);
        if (range.bytes > 0 && !range.repeated && omptape_delivery_is_recording())
            copy_records(device, &range);
    }
    omptape_device_buffers_leave(&range, buffer_owned != 0);
    omptape_tracing_record_anchors();
    errno = saved;
}
