/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tiny device. Its entry points are called by the intake under test, on whichever thread the test has it
 * work.
 */
#include "tests/unit/devices/device_fixture.h"

#include "src/core/named_functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNKS = 256 };

struct fake_device fake;
struct session fake_session;
static char the_device;
ompt_device_t *const fake_pointer = &the_device;
static _Atomic uint64_t device_time;

static void note(const char *call)
{
    strncat(fake.calls, call, sizeof(fake.calls) - strlen(fake.calls) - 2);
    strcat(fake.calls, " ");
}

static void see(const ompt_device_t *device)
{
    if (device != fake_pointer)
        fake.wrong_pointer = true;
}

static int get_device_num_procs(ompt_device_t *device)
{
    see(device);
    return 132;
}

static ompt_device_time_t get_device_time(ompt_device_t *device)
{
    see(device);
    fake.clock_readings++;
    uint64_t now = atomic_fetch_add(&device_time, fake.time_step) + fake.time_step;
    return fake.time_step != 0 ? now : 0;
}

static double translate_time(ompt_device_t *device, ompt_device_time_t time)
{
    see(device);
    return (double)time / 1e9;
}

static ompt_set_result_t set_trace_ompt(ompt_device_t *device, unsigned enable, unsigned etype)
{
    see(device);
    if (enable)
        fake.asked |= UINT64_C(1) << etype;
    bool emi = etype >= ompt_callback_target_emi && etype <= ompt_callback_target_map_emi;
    return emi ? fake.answer_emi : fake.answer_plain;
}

static ompt_set_result_t set_trace_native(ompt_device_t *device, int enable, int flags)
{
    see(device);
    if (enable)
        fake.native_flags |= (unsigned)flags;
    return ompt_set_sometimes;
}

static int start_trace(ompt_device_t *device, ompt_callback_buffer_request_t request,
                       ompt_callback_buffer_complete_t complete)
{
    see(device);
    note("start");
    fake.request = request;
    fake.complete = complete;
    return fake.start_answer;
}

static int pause_trace(ompt_device_t *device, int begin_pause)
{
    see(device);
    note(begin_pause ? "pause" : "resume");
    return fake.pause_answer;
}

static int flush_trace(ompt_device_t *device)
{
    see(device);
    note("flush");
    return 1;
}

static int stop_trace(ompt_device_t *device)
{
    see(device);
    note("stop");
    return 1;
}

static struct fake_cell *cell_at(ompt_buffer_t *buffer, ompt_buffer_cursor_t cursor)
{
    return (struct fake_cell *)(void *)((char *)buffer + (uint32_t)cursor);
}

static __thread size_t my_range_end;

static int advance_buffer_cursor(ompt_device_t *device, ompt_buffer_t *buffer, size_t bytes,
                                 ompt_buffer_cursor_t current, ompt_buffer_cursor_t *next)
{
    (void)buffer;
    (void)bytes;
    see(device);
    if (fake.advance != NULL)
        return fake.advance(current, next);
    *next = current + sizeof(struct fake_cell);
    return *next + sizeof(struct fake_cell) <= my_range_end;
}

static ompt_record_t get_record_type(ompt_buffer_t *buffer, ompt_buffer_cursor_t current)
{
    return (ompt_record_t)cell_at(buffer, current)->type;
}

static ompt_record_ompt_t *get_record_ompt(ompt_buffer_t *buffer, ompt_buffer_cursor_t current)
{
    struct fake_cell *cell = cell_at(buffer, current);
    if (fake.record_elsewhere != NULL)
        return (ompt_record_ompt_t *)(uintptr_t)fake.record_elsewhere;
    return cell->absent ? NULL : &cell->ompt;
}

static void *get_record_native(ompt_buffer_t *buffer, ompt_buffer_cursor_t current, ompt_id_t *operation)
{
    struct fake_cell *cell = cell_at(buffer, current);
    *operation = cell->operation;
    return cell->absent ? NULL : cell;
}

static ompt_record_abstract_t *get_record_abstract(void *native)
{
    if (fake.abstract_elsewhere != NULL)
        return (ompt_record_abstract_t *)(uintptr_t)fake.abstract_elsewhere;
    return &((struct fake_cell *)native)->abstract;
}

ompt_interface_fn_t fake_lookup(const char *name)
{
    static const struct omptape_named_function entries[] = {
        {"ompt_get_device_num_procs", (ompt_interface_fn_t)get_device_num_procs},
        {"ompt_get_device_time", (ompt_interface_fn_t)get_device_time},
        {"ompt_translate_time", (ompt_interface_fn_t)translate_time},
        {"ompt_set_trace_ompt", (ompt_interface_fn_t)set_trace_ompt},
        {"ompt_set_trace_native", (ompt_interface_fn_t)set_trace_native},
        {"ompt_start_trace", (ompt_interface_fn_t)start_trace},
        {"ompt_pause_trace", (ompt_interface_fn_t)pause_trace},
        {"ompt_flush_trace", (ompt_interface_fn_t)flush_trace},
        {"ompt_stop_trace", (ompt_interface_fn_t)stop_trace},
        {"ompt_advance_buffer_cursor", (ompt_interface_fn_t)advance_buffer_cursor},
        {"ompt_get_record_type", (ompt_interface_fn_t)get_record_type},
        {"ompt_get_record_ompt", (ompt_interface_fn_t)get_record_ompt},
        {"ompt_get_record_native", (ompt_interface_fn_t)get_record_native},
        {"ompt_get_record_abstract", (ompt_interface_fn_t)get_record_abstract},
    };
    for (size_t i = 0; fake.lacks[i] != NULL; i++)
        if (strcmp(fake.lacks[i], name) == 0)
            return NULL;
    if (fake.lacks_all)
        return NULL;
    return omptape_named_function_find(entries, sizeof(entries) / sizeof(entries[0]), name);
}

int fake_setup(void **state)
{
    (void)state;
    struct omptape_options options = {.events = UINT64_MAX, .device_buffer_bytes = 8192};
    fake = (struct fake_device){.answer_emi = ompt_set_always,
                                .answer_plain = ompt_set_always,
                                .start_answer = 1,
                                .pause_answer = 1,
                                .time_step = 1000};
    device_time = 5000;
    session_open_shared(&fake_session, CHUNKS);
    omptape_tracing_use(&options);
    return 0;
}

int fake_teardown(void **state)
{
    (void)state;
    omptape_tracing_forget();
    omptape_device_cupti_open = NULL;
    session_close(&fake_session);
    return 0;
}

void fake_initialize(int number, const char *type, ompt_function_lookup_t lookup)
{
    ompt_callback_device_initialize_t initialize =
        (ompt_callback_device_initialize_t)omptape_device_callback(ompt_callback_device_initialize);
    initialize(number, type, fake_pointer, lookup, NULL);
}

void fake_finalize(int number)
{
    ompt_callback_device_finalize_t finalize =
        (ompt_callback_device_finalize_t)omptape_device_callback(ompt_callback_device_finalize);
    finalize(number);
}

struct fake_cell *fake_request(int number, size_t *cells)
{
    ompt_buffer_t *buffer = &the_device;
    size_t bytes = 1;
    fake.request(number, &buffer, &bytes);
    *cells = bytes / sizeof(struct fake_cell);
    return buffer;
}

void fake_complete(int number, struct fake_cell *buffer, size_t first, size_t count, bool owned)
{
    size_t begin = first * sizeof(struct fake_cell);
    size_t bytes = count * sizeof(struct fake_cell);
    my_range_end = begin + bytes;
    fake.complete(number, buffer, bytes, begin, owned);
}

void fake_fill_submit(struct fake_cell *cell, uint64_t operation)
{
    *cell = (struct fake_cell){.type = ompt_record_ompt};
    cell->ompt.type = ompt_callback_target_submit;
    cell->ompt.time = 1000 + operation;
    cell->ompt.thread_id = 77;
    cell->ompt.target_id = 5;
    cell->ompt.record.target_kernel.host_op_id = operation;
    cell->ompt.record.target_kernel.requested_num_teams = 8;
    cell->ompt.record.target_kernel.granted_num_teams = 4;
    cell->ompt.record.target_kernel.end_time = 2000 + operation;
}

void fake_fill_native(struct fake_cell *cell, uint64_t operation, const char *name)
{
    *cell = (struct fake_cell){.type = ompt_record_native, .operation = operation};
    cell->abstract.rclass = ompt_record_native_event;
    snprintf(cell->name, sizeof(cell->name), "%s", name);
    cell->abstract.type = cell->name;
    cell->abstract.start_time = 100 + operation;
    cell->abstract.end_time = 200 + operation;
    cell->abstract.hwid = 3;
}

const struct omptape_record *fake_next(enum omptape_kind kind)
{
    struct omptape_slot *slot = omptape_producer_slot;
    struct omptape_stream *stream = slot != NULL ? session_stream(&fake_session, slot->index) : NULL;
    const struct omptape_record *record = NULL;
    while (stream != NULL && (record = session_next(&fake_session, stream)) != NULL)
        if (record->kind == kind)
            return record;
    return NULL;
}

unsigned fake_count(enum omptape_kind kind)
{
    unsigned count = 0;
    omptape_consumer_refresh(&fake_session.consumer);
    for (uint32_t i = 0; i < fake_session.consumer.stream_count; i++) {
        struct omptape_stream *stream = &fake_session.consumer.streams[i];
        const struct omptape_record *record;
        while (stream->active && (record = session_next(&fake_session, stream)) != NULL)
            count += record->kind == kind;
    }
    return count;
}
