/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The stand-ins of the CUPTI producer's unit tests. Used by test_cupti.c.
 */
#include "tests/unit/devices/cupti_fixture.h"

#include "device/tracing.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BUFFER_BYTES = 1 << 16 };

/* The stand-in for the intake. */

struct cupti_intake intake;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

ompt_interface_fn_t entry(const char *name)
{
    ompt_interface_fn_t function = intake.lookup(name);
    assert_non_null(function);
    return function;
}

void omptape_tracing_open(int device_num, ompt_device_t *device, ompt_function_lookup_t device_lookup,
                          enum omptape_device_producer producer, const char *why)
{
    assert_true(intake.opened_count < MAX_DEVICES);
    struct opened *new = &intake.opened[intake.opened_count++];
    intake.lookup = device_lookup;
    *new = (struct opened){.number = device_num, .device = device, .producer = producer};
    (void)snprintf(new->why, sizeof(new->why), "%s", why);
    (void)CALL(ompt_start_trace_t, "ompt_start_trace")(device, omptape_tracing_buffer_request,
                                                       omptape_tracing_buffer_complete);
}

void omptape_tracing_close(int device_num)
{
    for (size_t i = 0; i < intake.opened_count; i++) {
        if (intake.opened[i].number != device_num || intake.opened[i].closed)
            continue;
        intake.opened[i].closed = true;
        (void)CALL(ompt_flush_trace_t, "ompt_flush_trace")(intake.opened[i].device);
        (void)CALL(ompt_pause_trace_t, "ompt_pause_trace")(intake.opened[i].device, 1);
        (void)CALL(ompt_stop_trace_t, "ompt_stop_trace")(intake.opened[i].device);
    }
}

bool omptape_tracing_has(int device_num)
{
    for (size_t i = 0; i < intake.opened_count; i++)
        if (intake.opened[i].number == device_num)
            return true;
    return false;
}

void omptape_tracing_buffer_request(int device_num, ompt_buffer_t **buffer, size_t *bytes)
{
    (void)device_num;
    *bytes = BUFFER_BYTES;
    *buffer = intake.refuses_buffers ? NULL : malloc(BUFFER_BYTES);
}

static void keep_record(ompt_buffer_t *buffer, ompt_buffer_cursor_t cursor)
{
    struct kept *new = &intake.kept[intake.kept_count];
    void *native = CALL(ompt_get_record_native_t, "ompt_get_record_native")(buffer, cursor, NULL);
    new->start = CALL(ompt_get_record_abstract_t, "ompt_get_record_abstract")(native)->start_time;
    assert_true(CALL(omptape_get_record_detail_t, OMPTAPE_GET_RECORD_DETAIL)(buffer, cursor, &new->detail));
    if (new->detail.name != NULL)
        (void)snprintf(new->name, sizeof(new->name), "%s", new->detail.name);
    intake.kept_count++;
    assert_true(intake.kept_count < MAX_RECORDS);
}

void omptape_tracing_buffer_complete(int device_num, ompt_buffer_t *buffer, size_t bytes,
                                     ompt_buffer_cursor_t begin, int buffer_owned)
{
    (void)device_num;
    assert_true(buffer_owned);
    pthread_mutex_lock(&lock);
    intake.completed_count++;
    ompt_buffer_cursor_t cursor = begin;
    while (bytes > 0 && cursor != 0) {
        ompt_record_t type = CALL(ompt_get_record_type_t, "ompt_get_record_type")(buffer, cursor);
        if (type == ompt_record_native)
            keep_record(buffer, cursor);
        else
            intake.invalid_count++;
        if (!CALL(ompt_advance_buffer_cursor_t, "ompt_advance_buffer_cursor")(NULL, buffer, bytes, cursor,
                                                                              &cursor))
            break;
    }
    pthread_mutex_unlock(&lock);
    free(buffer);
}

/* The program. */

static void *load_driver(void)
{
    void *handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    assert_non_null(handle);
    return handle;
}

int begin_cuda(void)
{
    int (*function)(unsigned);
    *(void **)&function = dlsym(load_driver(), "cuInit");
    return function(0);
}

void make_context(uint32_t device)
{
    int (*function)(uint32_t);
    *(void **)&function = dlsym(load_driver(), "driver_context");
    (void)function(device);
}

void do_work(struct driver_activity activity)
{
    void (*function)(const struct driver_activity *);
    *(void **)&function = dlsym(load_driver(), "driver_do");
    function(&activity);
}

void do_kernel(uint32_t device, uint32_t stream, uint64_t start)
{
    do_work((struct driver_activity){.work = DRIVER_KERNEL,
                                     .device = device,
                                     .stream = stream,
                                     .start = start,
                                     .end = start != 0 ? start + 10 : 0,
                                     .name = "_Z6kernelv"});
}

omptape_cupti_push_t push;
omptape_cupti_pop_t pop;
void correlate(omptape_cupti_push_t with_push, omptape_cupti_pop_t with_pop)
{
    push = with_push;
    pop = with_pop;
}

__attribute__((visibility("default"))) int InitializeInjection(void)
{
    omptape_cupti_notice();
    return 1;
}

size_t count_of(enum omptape_activity activity, int device)
{
    size_t count = 0;
    for (size_t i = 0; i < intake.kept_count; i++)
        count += intake.kept[i].detail.activity == activity && intake.kept[i].detail.device == device;
    return count;
}

/* What the user reads of a failure. */
char line[1024];
size_t lines_said;
void omptape_message(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    lines_said++;
}
