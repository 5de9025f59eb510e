/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the devices that another tool traces together with omptape, whose side is simulated here. Run
 * by CTest as unit.second_devices.
 */
#include "callbacks/second/second.h"
#include "device/records.h"
#include "device/tracing.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 16, LONE_DEVICE = 40, PLAIN_DEVICE = 41 };

_Atomic(const struct omptape_record_taker *) omptape_record_taker;
struct omptape_second_callbacks omptape_second_callbacks;

static ompt_device_t *device_of(int number)
{
    static char devices[PLAIN_DEVICE + 1];
    return (ompt_device_t *)&devices[number];
}

static void deliver_record(int number)
{
    const struct omptape_record_taker *taker = atomic_load(&omptape_record_taker);
    struct omptape_record_copies copies = {.device = number};
    const ompt_record_ompt_t record = {.type = ompt_callback_target_submit_emi};
    taker->take(&copies, &record, sizeof(record));
    taker->end(&copies);
}

bool omptape_tracing_is_open(int number)
{
    return number >= 0;
}

/* A device delivers what it has when the sharing ends. */
bool omptape_tracing_share(int number, bool share)
{
    if (!share)
        deliver_record(number);
    return true;
}

bool omptape_tracing_flush(int number)
{
    deliver_record(number);
    return true;
}

static ompt_set_result_t set_trace_ompt(ompt_device_t *device, unsigned enable, unsigned kind)
{
    (void)device;
    (void)enable;
    (void)kind;
    return ompt_set_always;
}

static void any_function(void)
{
}

static ompt_interface_fn_t look_up(const char *name)
{
    return strcmp(name, "ompt_set_trace_ompt") == 0 ? (ompt_interface_fn_t)set_trace_ompt
                                                    : (ompt_interface_fn_t)any_function;
}

static ompt_interface_fn_t look_up_other(const char *name)
{
    return strcmp(name, "ompt_set_trace_ompt") == 0 ? NULL : (ompt_interface_fn_t)any_function;
}

static ompt_set_result_t request_kernels(ompt_function_lookup_t lookup, int number)
{
    ompt_set_trace_ompt_t set_trace = (ompt_set_trace_ompt_t)lookup("ompt_set_trace_ompt");
    return set_trace(device_of(number), 1, ompt_callback_target_submit_emi);
}

static pthread_barrier_t barrier;
static const int numbers[THREADS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

static void *initialize_device(void *data)
{
    const int number = *(const int *)data;
    (void)pthread_barrier_wait(&barrier);
    return omptape_second_device(number, device_of(number), look_up) != NULL ? data : NULL;
}

static void threads_initialise_devices(void **state)
{
    pthread_t threads[THREADS];
    (void)state;
    assert_int_equal(pthread_barrier_init(&barrier, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, initialize_device, (void *)&numbers[i]), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    ompt_function_lookup_t lookup = omptape_second_device(LONE_DEVICE, device_of(LONE_DEVICE), look_up);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(request_kernels(lookup, i), ompt_set_always);
    pthread_barrier_destroy(&barrier);
}

static unsigned completed;
static ompt_record_ompt_t space[4];

static void request_buffer(int number, ompt_buffer_t **buffer, size_t *bytes)
{
    (void)number;
    *buffer = space;
    *bytes = sizeof(space);
}

static void complete_buffer(int number, ompt_buffer_t *buffer, size_t bytes, ompt_buffer_cursor_t begin,
                            int owned)
{
    assert_int_equal(number, LONE_DEVICE);
    assert_ptr_equal(buffer, space);
    assert_int_equal(bytes, sizeof(space[0]));
    assert_int_equal(begin, (uintptr_t)space);
    assert_true(owned);
    completed++;
}

static void nothing_comes_after_the_end(void **state)
{
    ompt_function_lookup_t lookup = omptape_second_device(LONE_DEVICE, device_of(LONE_DEVICE), look_up);
    ompt_start_trace_t start_trace = (ompt_start_trace_t)lookup("ompt_start_trace");
    ompt_stop_trace_t stop_trace = (ompt_stop_trace_t)lookup("ompt_stop_trace");
    ompt_flush_trace_t flush_trace = (ompt_flush_trace_t)lookup("ompt_flush_trace");
    (void)state;
    assert_int_equal(request_kernels(lookup, LONE_DEVICE), ompt_set_always);
    assert_int_equal(start_trace(device_of(LONE_DEVICE), request_buffer, complete_buffer), 1);
    assert_int_equal(flush_trace(device_of(LONE_DEVICE)), 1);
    assert_int_equal(completed, 1);
    assert_int_equal(stop_trace(device_of(LONE_DEVICE)), 1);
    assert_int_equal(completed, 2);
    assert_int_equal(start_trace(device_of(LONE_DEVICE), request_buffer, complete_buffer), 1);
    omptape_second_end_devices();
    assert_int_equal(completed, 2);
    assert_int_equal(flush_trace(device_of(LONE_DEVICE)), 0);
}

/* omptape traces this device by native records, which the other tool cannot get. */
static void no_tool_takes_a_device_from_omptape(void **state)
{
    (void)state;
    ompt_function_lookup_t lookup =
        omptape_second_device(PLAIN_DEVICE, device_of(PLAIN_DEVICE), look_up_other);
    assert_true(lookup != look_up_other);
    assert_int_equal(request_kernels(lookup, PLAIN_DEVICE), ompt_set_never);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_initialise_devices),
                                       cmocka_unit_test(nothing_comes_after_the_end),
                                       cmocka_unit_test(no_tool_takes_a_device_from_omptape)};
    return cmocka_run_group_tests_name("second_devices", tests, NULL, NULL);
}
