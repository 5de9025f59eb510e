/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Entry points that steer a device: what to trace, start, pause, flush, stop, and its clock. Called by the
 * tool on any thread; each call that the specification does not allow is noted.
 */
#include "tests/emulator/interface.h"

#include <string.h>

#include "tests/emulator/buffers.h"
#include "tests/emulator/delivery.h"
#include "tests/emulator/engine.h"
#include "tests/emulator/modes.h"
#include "tests/emulator/reading.h"
#include "tests/emulator/violations.h"

enum { PROCS = 64 };

static int get_device_num_procs(ompt_device_t *pointer)
{
    return em_device_of(pointer, "ompt_get_device_num_procs") != NULL ? PROCS : -1;
}

/* The device behind the pointer, if something may still be asked of it. */
static struct em_device *living(ompt_device_t *pointer, const char *what)
{
    struct em_device *device = em_device_of(pointer, what);

    if (device != NULL && atomic_load(&device->phase) == EM_FINALIZED) {
        em_violation("%s: after the device was finalized (a real one would hang or crash)", what);
        return NULL;
    }
    return device;
}

static ompt_device_time_t get_device_time(ompt_device_t *pointer)
{
    struct em_device *device = living(pointer, "ompt_get_device_time");

    return device != NULL ? em_clock_read(&device->clock) : 0;
}

static double translate_time(ompt_device_t *pointer, ompt_device_time_t time)
{
    struct em_device *device = em_device_of(pointer, "ompt_translate_time");

    return device != NULL ? em_clock_translate(&device->clock, time) : 0;
}

static bool is_operation(unsigned etype)
{
    switch (etype) {
    case 0:
    case ompt_callback_target:
    case ompt_callback_target_emi:
    case ompt_callback_target_data_op:
    case ompt_callback_target_data_op_emi:
    case ompt_callback_target_submit:
    case ompt_callback_target_submit_emi:
        return true;
    default:
        return false;
    }
}

static ompt_set_result_t answer(unsigned etype)
{
    bool produced = is_operation(etype) || em_mode(EM_EVERY_KIND);

    return em_modes_set_result(etype, produced ? ompt_set_always : ompt_set_never);
}

static void ask(struct em_device *device, unsigned etype, bool enable, ompt_set_result_t result)
{
    if (result >= ompt_set_sometimes)
        atomic_store(&device->asked[etype], enable ? (unsigned char)result : 0);
}

static ompt_set_result_t set_trace_ompt(ompt_device_t *pointer, unsigned enable, unsigned etype)
{
    struct em_device *device = living(pointer, "ompt_set_trace_ompt");
    ompt_set_result_t result;

    if (device == NULL)
        return ompt_set_error;
    if (etype >= EM_ETYPES) {
        em_violation("ompt_set_trace_ompt: %u is no event", etype);
        return ompt_set_error;
    }
    if (atomic_load(&device->phase) == EM_TRACING)
        em_note("ompt_set_trace_ompt while the device is tracing");
    result = answer(etype);
    if (etype != 0)
        ask(device, etype, enable != 0, result);
    else if (result >= ompt_set_sometimes)
        for (unsigned one = 1; one < EM_ETYPES; one++)
            ask(device, one, enable != 0, answer(one) < result ? answer(one) : result);
    return result;
}

static ompt_set_result_t set_trace_native(ompt_device_t *pointer, int enable, int flags)
{
    struct em_device *device = living(pointer, "ompt_set_trace_native");

    if (device == NULL)
        return ompt_set_error;
    if (!em_mode(EM_NATIVE))
        return ompt_set_never;
    if (enable)
        atomic_fetch_or(&device->native_flags, flags);
    else
        atomic_fetch_and(&device->native_flags, ~flags);
    return ompt_set_sometimes;
}

static int start_trace(ompt_device_t *pointer, ompt_callback_buffer_request_t request,
                       ompt_callback_buffer_complete_t complete)
{
    struct em_device *device = living(pointer, "ompt_start_trace");

    if (device == NULL || em_mode(EM_START_FAILS) || (em_mode(EM_START_FAILS_ODD) && device->number % 2 == 1))
        return 0;
    if (request == NULL || complete == NULL) {
        em_violation("ompt_start_trace: a callback is NULL");
        return 0;
    }
    if (atomic_load(&device->phase) == EM_TRACING) {
        em_violation("ompt_start_trace: the device is tracing already");
        return 0;
    }
    device->request = request;
    device->complete = complete;
    em_delivery_start();
    em_engine_start();
    atomic_store(&device->paused, 0);
    atomic_store(&device->phase, EM_TRACING);
    if (em_mode(EM_HOARD))
        em_buffers_hoard(device);
    return 1;
}

/* A device that is tracing, for a call that asks for that. */
static struct em_device *tracing(ompt_device_t *pointer, const char *what)
{
    struct em_device *device = living(pointer, what);

    if (device != NULL && em_in_callback) {
        em_violation("%s: called from within a buffer callback", what);
        return NULL;
    }
    if (device != NULL && atomic_load(&device->phase) != EM_TRACING) {
        em_violation("%s: the device is not tracing", what);
        return NULL;
    }
    return device;
}

static int pause_trace(ompt_device_t *pointer, int begin_pause)
{
    struct em_device *device = tracing(pointer, "ompt_pause_trace");

    if (device == NULL || em_mode(EM_PAUSE_FAILS))
        return 0;
    atomic_store(&device->paused, begin_pause != 0);
    return 1;
}

/* What is in flight is not waited for. */
static void flush(struct em_device *device)
{
    em_engine_settle(device, em_host_now());
    em_buffers_send(device, false);
    if (em_mode(EM_LATE))
        em_delivery_release(device);
}

static int flush_trace(ompt_device_t *pointer)
{
    struct em_device *device = tracing(pointer, "ompt_flush_trace");

    if (device == NULL || em_mode(EM_FLUSH_FAILS))
        return 0;
    flush(device);
    if (!em_mode(EM_FLUSH_ASYNC))
        em_delivery_drain(device);
    return 1;
}

static void stop(struct em_device *device)
{
    atomic_store(&device->phase, EM_STOPPED);
    em_engine_settle(device, UINT64_MAX);
    em_buffers_send(device, true);
    if (em_mode(EM_LATE))
        em_delivery_release(device);
    em_delivery_drain(device);
}

static int stop_trace(ompt_device_t *pointer)
{
    struct em_device *device = tracing(pointer, "ompt_stop_trace");

    if (device == NULL || em_mode(EM_STOP_FAILS))
        return 0;
    stop(device);
    return 1;
}

void em_interface_finalizing(struct em_device *device)
{
    em_engine_settle(device, UINT64_MAX);
    if (em_mode(EM_LATE_DEVICE)) {
        em_buffers_send(device, false);
        em_delivery_release(device);
        em_delivery_drain(device);
    }
}

void em_interface_finalized(struct em_device *device)
{
    if (em_mode(EM_LATE_DEVICE))
        em_delivery_release(device);
    if (atomic_load(&device->phase) == EM_TRACING) {
        em_note("device %d was not stopped before its end", device->number);
        stop(device);
    }
    em_delivery_drain(device);
    atomic_store(&device->phase, EM_FINALIZED);
}

ompt_interface_fn_t em_interface_lookup(const char *name)
{
    static const struct {
        const char *name;
        ompt_interface_fn_t function;
    } entries[] = {
        {"get_device_num_procs", (ompt_interface_fn_t)get_device_num_procs},
        {"get_device_time", (ompt_interface_fn_t)get_device_time},
        {"translate_time", (ompt_interface_fn_t)translate_time},
        {"set_trace_ompt", (ompt_interface_fn_t)set_trace_ompt},
        {"set_trace_native", (ompt_interface_fn_t)set_trace_native},
        {"start_trace", (ompt_interface_fn_t)start_trace},
        {"pause_trace", (ompt_interface_fn_t)pause_trace},
        {"flush_trace", (ompt_interface_fn_t)flush_trace},
        {"stop_trace", (ompt_interface_fn_t)stop_trace},
    };

    if (name == NULL || strncmp(name, "ompt_", 5) != 0 || em_modes_missing(name + 5))
        return NULL;
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
        if (strcmp(name + 5, entries[i].name) == 0)
            return entries[i].function;
    return em_reading_lookup(name + 5);
}
