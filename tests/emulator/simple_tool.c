/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A small OMPT tool that traces devices as the specification says, to try the emulator with: it copies every
 * record out as a line of text. No part of omptape. Called by the runtime and by the emulator's threads.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omptape/ompt.h"

enum { DEVICES = 16, BUFFER_BYTES = 65536 };

/* What the device's lookup gave. */
static ompt_get_device_time_t get_device_time;
static ompt_translate_time_t translate_time;
static ompt_set_trace_ompt_t set_trace_ompt;
static ompt_set_trace_native_t set_trace_native;
static ompt_start_trace_t start_trace;
static ompt_flush_trace_t flush_trace;
static ompt_stop_trace_t stop_trace;
static ompt_advance_buffer_cursor_t advance_buffer_cursor;
static ompt_get_record_type_t get_record_type;
static ompt_get_record_ompt_t get_record_ompt;
static ompt_get_record_native_t get_record_native;
static ompt_get_record_abstract_t get_record_abstract;

static ompt_device_t *handles[DEVICES];
static int started[DEVICES];
static _Atomic uint64_t identity;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *out;

/* SIMPLE_TOOL_FAULT names a mistake, which the emulator must see. */
static int is_faulty(const char *fault)
{
    const char *text = getenv("SIMPLE_TOOL_FAULT");

    return text != NULL && strcmp(text, fault) == 0;
}

static size_t buffer_bytes(void)
{
    const char *text = getenv("SIMPLE_TOOL_BYTES");

    return text != NULL ? strtoul(text, NULL, 10) : BUFFER_BYTES;
}

static void on_request(int device, ompt_buffer_t **buffer, size_t *bytes)
{
    (void)device;
    static char one[65536];

    *bytes = buffer_bytes();
    *buffer = *bytes != 0 ? malloc(*bytes) : NULL;
    if (is_faulty("same_buffer")) {
        free(*buffer);
        *buffer = one;
    }
}

static void put_ompt(int device, const ompt_record_ompt_t *record)
{
    unsigned long long operation = 0;
    unsigned long long end = 0;

    switch ((int)record->type) {
    case ompt_callback_target_data_op:
    case ompt_callback_target_data_op_emi:
        operation = record->record.target_data_op.host_op_id;
        end = record->record.target_data_op.end_time;
        break;
    case ompt_callback_target_submit:
    case ompt_callback_target_submit_emi:
        operation = record->record.target_kernel.host_op_id;
        end = record->record.target_kernel.end_time;
        break;
    default:
        break;
    }
    fprintf(out, "ompt %d %d %llu %llu %llu %llu\n", device, (int)record->type, operation,
            (unsigned long long)record->target_id, (unsigned long long)record->time, end);
}

static void put_native(int device, ompt_buffer_t *buffer, ompt_buffer_cursor_t cursor)
{
    ompt_id_t operation = 0;
    void *native = get_record_native(buffer, cursor, &operation);
    const ompt_record_abstract_t *abstract = native != NULL ? get_record_abstract(native) : NULL;

    if (abstract != NULL) {
        fprintf(out, "native %d %d %llu %s %llu %llu\n", device, (int)abstract->rclass,
                (unsigned long long)operation, abstract->type != NULL ? abstract->type : "-",
                (unsigned long long)abstract->start_time, (unsigned long long)abstract->end_time);
    }
}

static void put_record(int device, ompt_buffer_t *buffer, ompt_buffer_cursor_t cursor)
{
    const ompt_record_ompt_t *record;

    switch (get_record_type(buffer, cursor)) {
    case ompt_record_ompt:
        record = get_record_ompt(buffer, cursor);
        if (record != NULL)
            put_ompt(device, record);
        break;
    case ompt_record_native:
        put_native(device, buffer, cursor);
        break;
    default:
        break;
    }
}

static void misuse_buffer(int device, ompt_buffer_t *buffer, ompt_buffer_cursor_t cursor)
{
    static ompt_buffer_t *earlier;
    static ompt_buffer_cursor_t earlier_cursor;

    if (is_faulty("flush_inside"))
        flush_trace(handles[device]);
    if (is_faulty("cursor"))
        get_record_ompt(buffer, cursor + 8);
    if (is_faulty("read_later") && earlier == buffer)
        get_record_ompt(earlier, earlier_cursor);
    earlier = buffer;
    earlier_cursor = cursor;
}

static void on_complete(int device, ompt_buffer_t *buffer, size_t bytes, ompt_buffer_cursor_t begin,
                        int buffer_owned)
{
    ompt_buffer_cursor_t cursor = begin;
    int more = bytes > 0;

    pthread_mutex_lock(&lock);
    if (more)
        misuse_buffer(device, buffer, begin);
    while (more) {
        put_record(device, buffer, cursor);
        more = advance_buffer_cursor(handles[device], buffer, bytes, cursor, &cursor);
    }
    pthread_mutex_unlock(&lock);
    if (buffer_owned && !is_faulty("same_buffer"))
        free(buffer);
}

static void misuse_devices(int number)
{
    int nobody = 0;

    if (is_faulty("null_device"))
        get_device_time(NULL);
    if (is_faulty("other_device"))
        get_device_time((ompt_device_t *)&nobody);
    if (is_faulty("start_twice"))
        start_trace(handles[number], on_request, on_complete);
    if (is_faulty("unknown_event"))
        set_trace_ompt(handles[number], 1, 1000);
}

static void look_up(ompt_function_lookup_t lookup)
{
    get_device_time = (ompt_get_device_time_t)lookup("ompt_get_device_time");
    translate_time = (ompt_translate_time_t)lookup("ompt_translate_time");
    set_trace_ompt = (ompt_set_trace_ompt_t)lookup("ompt_set_trace_ompt");
    set_trace_native = (ompt_set_trace_native_t)lookup("ompt_set_trace_native");
    start_trace = (ompt_start_trace_t)lookup("ompt_start_trace");
    flush_trace = (ompt_flush_trace_t)lookup("ompt_flush_trace");
    stop_trace = (ompt_stop_trace_t)lookup("ompt_stop_trace");
    advance_buffer_cursor = (ompt_advance_buffer_cursor_t)lookup("ompt_advance_buffer_cursor");
    get_record_type = (ompt_get_record_type_t)lookup("ompt_get_record_type");
    get_record_ompt = (ompt_get_record_ompt_t)lookup("ompt_get_record_ompt");
    get_record_native = (ompt_get_record_native_t)lookup("ompt_get_record_native");
    get_record_abstract = (ompt_get_record_abstract_t)lookup("ompt_get_record_abstract");
}

static int is_complete(void)
{
    return get_device_time != NULL && translate_time != NULL && set_trace_ompt != NULL &&
           set_trace_native != NULL && start_trace != NULL && flush_trace != NULL && stop_trace != NULL &&
           advance_buffer_cursor != NULL && get_record_type != NULL && get_record_ompt != NULL &&
           get_record_native != NULL && get_record_abstract != NULL;
}

/* Device time and what the runtime translates it to. */
static void put_time(int device)
{
    ompt_device_time_t time = get_device_time(handles[device]);

    fprintf(out, "time %d %llu %.9f\n", device, (unsigned long long)time,
            translate_time(handles[device], time));
}

static void on_device_initialize(int number, const char *type, ompt_device_t *device,
                                 ompt_function_lookup_t lookup, const char *documentation)
{
    static const unsigned kinds[] = {ompt_callback_target_emi, ompt_callback_target_data_op_emi,
                                     ompt_callback_target_submit_emi};

    (void)type;
    (void)documentation;
    if (lookup == NULL || number < 0 || number >= DEVICES)
        return;
    look_up(lookup);
    if (!is_complete()) {
        fprintf(out, "incomplete %d\n", number);
        return;
    }
    handles[number] = device;
    put_time(number);
    fprintf(out, "set %d all %d\n", number, (int)set_trace_ompt(device, 1, 0));
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        fprintf(out, "set %d %u %d\n", number, kinds[i], (int)set_trace_ompt(device, 1, kinds[i]));
    fprintf(out, "set %d native %d\n", number, (int)set_trace_native(device, 1, 0xff));
    started[number] = start_trace(device, on_request, on_complete);
    fprintf(out, "start %d %d\n", number, started[number]);
    misuse_devices(number);
}

static void on_device_finalize(int number)
{
    if (number >= 0 && number < DEVICES && started[number]) {
        put_time(number);
        flush_trace(handles[number]);
        stop_trace(handles[number]);
        if (is_faulty("stop_twice"))
            stop_trace(handles[number]);
    }
}

static void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task,
                      ompt_data_t *target_task, ompt_data_t *target, const void *site)
{
    (void)kind;
    (void)device;
    (void)task;
    (void)target_task;
    (void)site;
    if (endpoint == ompt_scope_begin && target != NULL)
        target->value = atomic_fetch_add(&identity, 1) + 1;
}

static void on_data_op(ompt_scope_endpoint_t endpoint, ompt_data_t *target_task, ompt_data_t *target,
                       ompt_id_t *operation, ompt_target_data_op_t kind, void *from, int from_device,
                       void *to, int to_device, size_t bytes, const void *site)
{
    (void)target_task;
    (void)target;
    (void)kind;
    (void)from;
    (void)from_device;
    (void)to;
    (void)to_device;
    (void)bytes;
    (void)site;
    if (endpoint != ompt_scope_end)
        *operation = atomic_fetch_add(&identity, 1) + 1;
}

static void on_submit(ompt_scope_endpoint_t endpoint, ompt_data_t *target, ompt_id_t *operation,
                      unsigned teams)
{
    (void)target;
    (void)teams;
    if (endpoint != ompt_scope_end)
        *operation = atomic_fetch_add(&identity, 1) + 1;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
    const char *path = getenv("SIMPLE_TOOL_OUT");

    (void)device;
    (void)data;
    out = fopen(path != NULL ? path : "/dev/null", "we");
    if (out == NULL || set_callback == NULL)
        return 0;
    set_callback(ompt_callback_device_initialize, (ompt_callback_t)on_device_initialize);
    set_callback(ompt_callback_device_finalize, (ompt_callback_t)on_device_finalize);
    set_callback(ompt_callback_target_emi, (ompt_callback_t)on_target);
    set_callback(ompt_callback_target_data_op_emi, (ompt_callback_t)on_data_op);
    set_callback(ompt_callback_target_submit_emi, (ompt_callback_t)on_submit);
    return 1;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
    if (is_faulty("late_flush") && handles[0] != NULL)
        flush_trace(handles[0]);
    pthread_mutex_lock(&lock);
    fprintf(out, "identities %llu\nend\n", (unsigned long long)atomic_load(&identity));
    fclose(out);
    out = fopen("/dev/null", "we");
    pthread_mutex_unlock(&lock);
}

__attribute__((visibility("default"))) ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version,
                                                                                 const char *runtime_version)
{
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};

    (void)omp_version;
    (void)runtime_version;
    return &result;
}
