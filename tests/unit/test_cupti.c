/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The CUPTI producer (device/cupti*.c) on doubles of libcuda and libcupti (tests/cupti/), with a stand-in for
 * the intake that keeps what it is given. What the producer does is once for a process, so each test is a
 * process: test_cupti NAME. DOUBLE_CUPTI and LD_LIBRARY_PATH are set by cupti.cmake.
 */
#include "device/cupti/cupti.h"
#include "device/cupti/devices.h"
#include "device/interface.h"
#include "device/tracing.h"
#include "tests/cupti/driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST_DEVICES = 16, MOST_RECORDS = 100000, BUFFER_BYTES = 1 << 16, OWN = OMPTAPE_FIRST_CUDA_DEVICE };

/* The stand-in for the intake. */

struct opened {
    int number;
    ompt_device_t *device;
    enum omptape_device_producer producer;
    char why[256];
    bool closed;
};
struct kept {
    struct omptape_record_detail detail;
    char name[32];
    uint64_t start;
};
static struct opened opened[MOST_DEVICES];
static size_t opened_count;
static struct kept *kept;
static size_t kept_count;
static size_t invalid_count;
static size_t completed_count;
static bool refuses_buffers;
static ompt_function_lookup_t lookup;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* By name, as a runtime's. */
static ompt_interface_fn_t entry(const char *name)
{
    ompt_interface_fn_t function = lookup(name);
    assert_non_null(function);
    return function;
}
#define CALL(type, name) ((type)entry(name))

void omptape_tracing_open(int device_num, ompt_device_t *device, ompt_function_lookup_t device_lookup,
                          enum omptape_device_producer producer, const char *why)
{
    assert_true(opened_count < MOST_DEVICES);
    struct opened *new = &opened[opened_count++];
    lookup = device_lookup;
    *new = (struct opened){.number = device_num, .device = device, .producer = producer};
    (void)snprintf(new->why, sizeof(new->why), "%s", why);
    (void)CALL(ompt_start_trace_t, "ompt_start_trace")(device, omptape_tracing_buffer_request,
                                                       omptape_tracing_buffer_complete);
}

void omptape_tracing_close(int device_num)
{
    for (size_t i = 0; i < opened_count; i++) {
        if (opened[i].number != device_num || opened[i].closed)
            continue;
        opened[i].closed = true;
        (void)CALL(ompt_flush_trace_t, "ompt_flush_trace")(opened[i].device);
        (void)CALL(ompt_pause_trace_t, "ompt_pause_trace")(opened[i].device, 1);
        (void)CALL(ompt_stop_trace_t, "ompt_stop_trace")(opened[i].device);
    }
}

bool omptape_tracing_has(int device_num)
{
    for (size_t i = 0; i < opened_count; i++)
        if (opened[i].number == device_num)
            return true;
    return false;
}

void omptape_tracing_buffer_request(int device_num, ompt_buffer_t **buffer, size_t *bytes)
{
    (void)device_num;
    *bytes = BUFFER_BYTES;
    *buffer = refuses_buffers ? NULL : malloc(BUFFER_BYTES);
}

static void keep(ompt_buffer_t *buffer, ompt_buffer_cursor_t cursor)
{
    struct kept *new = &kept[kept_count];
    void *native = CALL(ompt_get_record_native_t, "ompt_get_record_native")(buffer, cursor, NULL);
    new->start = CALL(ompt_get_record_abstract_t, "ompt_get_record_abstract")(native)->start_time;
    assert_true(CALL(omptape_get_record_detail_t, OMPTAPE_GET_RECORD_DETAIL)(buffer, cursor, &new->detail));
    if (new->detail.name != NULL)
        (void)snprintf(new->name, sizeof(new->name), "%s", new->detail.name);
    kept_count++;
    assert_true(kept_count < MOST_RECORDS);
}

void omptape_tracing_buffer_complete(int device_num, ompt_buffer_t *buffer, size_t bytes,
                                     ompt_buffer_cursor_t begin, int buffer_owned)
{
    (void)device_num;
    assert_true(buffer_owned);
    pthread_mutex_lock(&lock);
    completed_count++;
    ompt_buffer_cursor_t cursor = begin;
    while (bytes > 0 && cursor != 0) {
        ompt_record_t type = CALL(ompt_get_record_type_t, "ompt_get_record_type")(buffer, cursor);
        if (type == ompt_record_native)
            keep(buffer, cursor);
        else
            invalid_count++;
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

static int begin_cuda(void)
{
    int (*function)(unsigned);
    *(void **)&function = dlsym(load_driver(), "cuInit");
    return function(0);
}

static void make_context(uint32_t device)
{
    int (*function)(uint32_t);
    *(void **)&function = dlsym(load_driver(), "driver_context");
    (void)function(device);
}

static void do_work(struct driver_activity activity)
{
    void (*function)(const struct driver_activity *);
    *(void **)&function = dlsym(load_driver(), "driver_do");
    function(&activity);
}

static void do_kernel(uint32_t device, uint32_t stream, uint64_t start)
{
    do_work((struct driver_activity){.work = DRIVER_KERNEL,
                                     .device = device,
                                     .stream = stream,
                                     .start = start,
                                     .end = start != 0 ? start + 10 : 0,
                                     .name = "_Z6kernelv"});
}

static omptape_cupti_push_t push;
static omptape_cupti_pop_t pop;
static void correlate(omptape_cupti_push_t with_push, omptape_cupti_pop_t with_pop)
{
    push = with_push;
    pop = with_pop;
}

/* What the library does where CUDA calls it. */
int InitializeInjection(void);
__attribute__((visibility("default"))) int InitializeInjection(void)
{
    omptape_cupti_notice();
    return 1;
}

static size_t count_of(enum omptape_activity activity, int device)
{
    size_t count = 0;
    for (size_t i = 0; i < kept_count; i++)
        count += kept[i].detail.activity == activity && kept[i].detail.device == device;
    return count;
}

/* What the user reads of a failure. */
static char line[1024];
static size_t lines_said;
void omptape_message(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    lines_said++;
}

/* The tests. */

/* Host OpenMP and CUDA: the injection comes first, then the tool, then a context. */
static void test_cuda_first(void **state)
{
    (void)state;
    begin_cuda();
    InitializeInjection();
    assert_int_equal(opened_count, 0);
    omptape_cupti_start(OMPTAPE_CUDA_AUTO, false, correlate);
    assert_int_equal(opened_count, 0);
    make_context(1);
    assert_int_equal(opened_count, 1);
    assert_int_equal(opened[0].number, OWN + 1);
    assert_int_equal(opened[0].producer, OMPTAPE_PRODUCER_CUPTI);
    assert_non_null(strstr(opened[0].why, "libcupti.so.13"));
    do_kernel(1, 7, 1000);
    do_work((struct driver_activity){.work = DRIVER_SYNC, .device = 1, .stream = 7, .start = 5, .end = 6});
    omptape_tracing_close(OWN + 1);
    assert_int_equal(count_of(OMPTAPE_ACTIVITY_KERNEL, OWN + 1), 1);
    assert_int_equal(count_of(OMPTAPE_ACTIVITY_SYNC, OWN + 1), 1);
    assert_string_equal(kept[0].name, "_Z6kernelv");
    assert_int_equal(kept[0].start, 1000);
    assert_null(push);
    assert_int_equal(lines_said, 0);
}

/* The tool first, CUDA later. */
static void test_tool_first(void **state)
{
    (void)state;
    omptape_cupti_start(OMPTAPE_CUDA_AUTO, false, correlate);
    assert_null(dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD));
    begin_cuda();
    InitializeInjection();
    make_context(0);
    do_kernel(0, 7, 1000);
    omptape_tracing_close(OWN);
    assert_int_equal(count_of(OMPTAPE_ACTIVITY_KERNEL, OWN), 1);
}

/* The variable names another library, but libcuda is there already, and this thread's context too. */
static void test_already_there(void **state)
{
    (void)state;
    begin_cuda();
    make_context(2);
    omptape_cupti_start(OMPTAPE_CUDA_AUTO, false, correlate);
    assert_int_equal(opened_count, 1);
    assert_int_equal(opened[0].number, OWN + 2);
}

/* An OpenMP device: its number is the runtime's, and operations are related. */
static void test_target(void **state)
{
    (void)state;
    char why[256];
    omptape_cupti_start(OMPTAPE_CUDA_AUTO, false, correlate);
    assert_false(omptape_cupti_open_device(0, "generic-64bit", why, sizeof(why)));
    assert_string_equal(why, "");
    assert_int_equal(opened_count, 0);
    begin_cuda();
    make_context(3);
    assert_true(omptape_cupti_open_device(5, "sm_90", why, sizeof(why)));
    assert_int_equal(opened[0].number, 5);
    assert_non_null(push);
    push(77);
    do_kernel(3, 13, 1000);
    push(78);
    do_work((struct driver_activity){
        .work = DRIVER_COPY, .device = 3, .stream = 13, .start = 1, .end = 2, .bytes = 64, .copy_kind = 1});
    pop();
    pop();
    pop();
    do_kernel(3, 13, 2000);
    omptape_tracing_close(5);
    assert_int_equal(count_of(OMPTAPE_ACTIVITY_KERNEL, 5), 2);
    assert_int_equal(count_of(OMPTAPE_ACTIVITY_COPY, 5), 1);
    assert_int_equal(count_of(OMPTAPE_ACTIVITY_OTHER, 5), 2);
    assert_int_equal(kept_count, 5);
    for (size_t i = 0; i < kept_count; i++) {
        const struct omptape_record_detail *detail = &kept[i].detail;
        if (detail->activity == OMPTAPE_ACTIVITY_OTHER)
            assert_int_equal(detail->operation, detail->correlation == 1 ? 77 : 78);
        if (detail->activity == OMPTAPE_ACTIVITY_COPY)
            assert_int_equal(detail->correlation, 2);
    }
}

/* libcuda tells us inside the runtime's cuInit, before the runtime tells of its device: where an offload
 * runtime is loaded the device waits for its number. */
static void test_target_injected(void **state)
{
    (void)state;
    char why[256];
    assert_non_null(dlopen("libomptarget-double.so", RTLD_NOW | RTLD_GLOBAL));
    omptape_cupti_start(OMPTAPE_CUDA_AUTO, false, correlate);
    begin_cuda();
    InitializeInjection();
    make_context(0);
    do_work((struct driver_activity){.work = DRIVER_ALLOC, .start = 1, .bytes = 4096});
    assert_int_equal(opened_count, 0);
    assert_true(omptape_cupti_open_device(0, "sm_90", why, sizeof(why)));
    do_kernel(0, 7, 1);
    omptape_tracing_close(0);
    assert_int_equal(opened_count, 1);
    assert_int_equal(kept_count, 1);
}

/* Where CUPTI does not know the present device, the n-th announced is CUDA's n-th; a device that nobody
 * announced gets a number of our own with its first record. */
static void test_several(void **state)
{
    (void)state;
    char why[256];
    begin_cuda();
    omptape_cupti_start(OMPTAPE_CUDA_AUTO, false, correlate);
    for (int i = 0; i < 3; i++)
        assert_true(omptape_cupti_open_device(10 + i, "sm_90", why, sizeof(why)));
    for (uint32_t i = 0; i < 4; i++)
        do_kernel(i, 7, 1000);
    do_work((struct driver_activity){
        .work = DRIVER_PEER, .device = 2, .peer = 1, .start = 1, .end = 2, .bytes = 1});
    omptape_tracing_close(10);
    do_kernel(1, 7, 2000);
    omptape_tracing_close(11);
    omptape_tracing_close(12);
    assert_int_equal(count_of(OMPTAPE_ACTIVITY_KERNEL, 10), 1);
    assert_int_equal(count_of(OMPTAPE_ACTIVITY_KERNEL, 11), 2);
    assert_int_equal(count_of(OMPTAPE_ACTIVITY_KERNEL, 12), 1);
    assert_int_equal(count_of(OMPTAPE_ACTIVITY_KERNEL, OWN + 3), 1);
    assert_int_equal(count_of(OMPTAPE_ACTIVITY_COPY, 12), 1);
    assert_int_equal(opened_count, 4);
}

/* Many records of many streams in many buffers, from four threads; none is lost. */
enum { THREADS = 4, KERNELS = 5000 };
static void *launch(void *argument)
{
    uint32_t first = *(uint32_t *)argument * KERNELS;
    for (uint32_t i = 0; i < KERNELS; i++)
        do_kernel(0, first + i, 1 + i);
    return NULL;
}

static void test_many(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    uint32_t numbers[THREADS];
    bool *seen = calloc((size_t)THREADS * KERNELS, sizeof(*seen));
    begin_cuda();
    omptape_cupti_start(OMPTAPE_CUDA_AUTO, false, correlate);
    make_context(0);
    for (uint32_t i = 0; i < THREADS; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, launch, &numbers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    omptape_tracing_close(OWN);
    assert_int_equal(kept_count, THREADS * KERNELS);
    assert_true(completed_count > 10);
    for (size_t i = 0; i < kept_count; i++) {
        assert_in_range(kept[i].detail.stream, 0, THREADS * KERNELS - 1);
        assert_false(seen[kept[i].detail.stream]);
        seen[kept[i].detail.stream] = true;
    }
    assert_int_equal(lines_said, 0);
    free(seen);
}

/* Buffers that end within a record: the whole records come, nothing else happens. */
static void test_truncated(void **state)
{
    (void)state;
    begin_cuda();
    omptape_cupti_start(OMPTAPE_CUDA_AUTO, false, correlate);
    make_context(0);
    for (uint32_t i = 0; i < 1000; i++)
        do_kernel(0, 7, 1 + i);
    omptape_tracing_close(OWN);
    assert_int_equal(kept_count, 1000 - completed_count);
}

/* Other threads launch while the first one still opens the device, or nobody announces it at all: nothing is
 * dropped, and the first records open their devices. */
static void test_before_opened(void **state)
{
    (void)state;
    begin_cuda();
    omptape_cupti_start(OMPTAPE_CUDA_AUTO, false, correlate);
    do_kernel(1, 7, 1000);
    do_kernel(2, 7, 2000);
    assert_int_equal(opened_count, 0);
    if (getenv("ANNOUNCED") != NULL)
        make_context(1);
    omptape_cupti_close_ordinals();
    assert_int_equal(count_of(OMPTAPE_ACTIVITY_KERNEL, OWN + 1), 1);
    assert_int_equal(count_of(OMPTAPE_ACTIVITY_KERNEL, OWN + 2), 1);
    assert_int_equal(opened_count, 2);
    assert_int_equal(lines_said, 0);
}

static void test_zero_times(void **state)
{
    (void)state;
    begin_cuda();
    omptape_cupti_start(OMPTAPE_CUDA_AUTO, false, correlate);
    make_context(0);
    do_kernel(0, 7, 0);
    do_kernel(0, 7, 5);
    omptape_tracing_close(OWN);
    assert_int_equal(kept_count, 1);
    assert_int_equal(invalid_count, 1);
}

/* No memory for buffers: the losses are told of, once. */
static void test_no_buffers(void **state)
{
    (void)state;
    begin_cuda();
    omptape_cupti_start(OMPTAPE_CUDA_AUTO, false, correlate);
    make_context(0);
    refuses_buffers = true;
    for (uint32_t i = 0; i < 10; i++)
        do_kernel(0, 7, 1 + i);
    omptape_tracing_close(OWN);
    assert_int_equal(kept_count, 0);
    assert_int_equal(lines_said, 1);
    assert_non_null(strstr(line, "dropped 10 records"));
}

/* Paused at the start, started, paused again: what lies between is recorded. */
static void test_pause(void **state)
{
    (void)state;
    begin_cuda();
    omptape_cupti_start(OMPTAPE_CUDA_AUTO, true, correlate);
    do_kernel(0, 7, 1);
    make_context(0); /* the stand-in starts the trace */
    do_kernel(0, 7, 2);
    ompt_pause_trace_t pause_trace = CALL(ompt_pause_trace_t, "ompt_pause_trace");
    assert_int_equal(pause_trace(opened[0].device, 1), 1);
    do_kernel(0, 7, 3);
    assert_int_equal(pause_trace(opened[0].device, 0), 1);
    do_kernel(0, 7, 4);
    omptape_tracing_close(OWN);
    assert_int_equal(kept_count, 2);
    assert_int_equal(kept[0].start, 2);
    assert_int_equal(kept[1].start, 4);
}

/* A program without CUDA: nothing is loaded, nothing is said. */
static void test_no_cuda(void **state)
{
    (void)state;
    omptape_cupti_start(OMPTAPE_CUDA_AUTO, false, correlate);
    assert_null(dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD));
    assert_null(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD));
    assert_int_equal(lines_said, 0);
}

/* What it costs a program without CUDA: printed, and bounded far above what it should be. */
static void test_cost(void **state)
{
    (void)state;
    enum { CALLS = 1000 };
    struct timespec begin;
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < CALLS; i++)
        omptape_cupti_start(OMPTAPE_CUDA_AUTO, false, correlate);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double us = ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) / 1e3;
    print_message("--cuda=auto without CUDA: %.1f us\n", us / CALLS);
    assert_true(us / CALLS < 1000);
    assert_int_equal(lines_said, 0);
}

static void test_off(void **state)
{
    (void)state;
    char why[256];
    begin_cuda();
    InitializeInjection();
    omptape_cupti_start(OMPTAPE_CUDA_OFF, false, correlate);
    make_context(0);
    assert_false(omptape_cupti_open_device(0, "sm_90", why, sizeof(why)));
    assert_non_null(strstr(why, "--cuda=off"));
    assert_null(dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD));
    assert_int_equal(opened_count, 0);
}

/* What cannot be used: nothing is opened, the reason is in EXPECTED, and one line says so if the user asked.
 */
static void expect_failure(enum omptape_cuda cuda, size_t lines)
{
    char why[256];
    const char *expected = getenv("EXPECTED");
    assert_non_null(expected);
    begin_cuda();
    omptape_cupti_start(cuda, false, correlate);
    assert_false(omptape_cupti_open_device(0, "sm_90", why, sizeof(why)));
    if (strstr(why, expected) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", why, expected);
    assert_int_equal(lines_said, lines);
    if (lines > 0)
        assert_non_null(strstr(line, expected));
    make_context(0);
    do_kernel(0, 7, 1);
    assert_int_equal(opened_count, 0);
    assert_null(push);
}

static void test_failure_auto(void **state)
{
    (void)state;
    /* Where there is a device, it is worth a word. */
    expect_failure(OMPTAPE_CUDA_AUTO, access("/dev/nvidiactl", F_OK) == 0);
}

static void test_failure_on(void **state)
{
    (void)state;
    expect_failure(OMPTAPE_CUDA_ON, 1);
}

/* The installed libcupti on a machine without a driver. */
static void test_real(void **state)
{
    (void)state;
    void *cuda = dlopen("libcuda.so.1", RTLD_NOW);
    if (cuda != NULL || dlopen("libcupti.so.13", RTLD_NOW) == NULL)
        exit(77);
    char why[256];
    omptape_cupti_start(OMPTAPE_CUDA_ON, false, correlate);
    assert_int_equal(lines_said, 1);
    assert_non_null(strstr(line, "999"));
    assert_false(omptape_cupti_open_device(0, "sm_90", why, sizeof(why)));
    assert_non_null(strstr(why, "999"));
}

static void test_forked(void **state)
{
    (void)state;
    char why[256];
    begin_cuda();
    omptape_cupti_start(OMPTAPE_CUDA_AUTO, false, correlate);
    make_context(0);
    omptape_cupti_forget();
    assert_false(omptape_cupti_open_device(0, "sm_90", why, sizeof(why)));
    assert_non_null(strstr(why, "fork"));
    assert_int_equal(CALL(ompt_flush_trace_t, "ompt_flush_trace")(opened[0].device), 0);
    assert_int_equal(CALL(ompt_get_device_time_t, "ompt_get_device_time")(opened[0].device), 0);
}

/* The clock is the host's, in nanoseconds since 1970. */
static void test_interface(void **state)
{
    (void)state;
    begin_cuda();
    omptape_cupti_start(OMPTAPE_CUDA_AUTO, false, correlate);
    make_context(0);
    uint64_t time = CALL(ompt_get_device_time_t, "ompt_get_device_time")(opened[0].device);
    assert_in_range(time / 1000000000, 1500000000, 4000000000);
    ompt_set_trace_native_t native = CALL(ompt_set_trace_native_t, "ompt_set_trace_native");
    assert_int_equal(native(opened[0].device, 1, ompt_native_kernel_execution), ompt_set_always);
    assert_int_equal(native(opened[0].device, 1, 0xff), ompt_set_sometimes);
    assert_int_equal(native(opened[0].device, 1, ompt_native_overhead), ompt_set_never);
    assert_int_equal(CALL(ompt_set_trace_ompt_t, "ompt_set_trace_ompt")(opened[0].device, 1, 34),
                     ompt_set_never);
    assert_null(lookup("ompt_get_record_ompt"));
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cuda_first),
        cmocka_unit_test(test_tool_first),
        cmocka_unit_test(test_already_there),
        cmocka_unit_test(test_target),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_cost),
        cmocka_unit_test(test_target_injected),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_before_opened),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_zero_times),
        cmocka_unit_test(test_no_buffers),
        cmocka_unit_test(test_pause),
        cmocka_unit_test(test_no_cuda),
        cmocka_unit_test(test_off),
        cmocka_unit_test(test_failure_auto),
        cmocka_unit_test(test_failure_on),
        cmocka_unit_test(test_real),
        cmocka_unit_test(test_forked),
        cmocka_unit_test(test_interface),
    };
    kept = calloc(MOST_RECORDS, sizeof(*kept));
    for (size_t i = 0; argc == 2 && i < sizeof(tests) / sizeof(tests[0]); i++) {
        if (strcmp(tests[i].name + strlen("test_"), argv[1]) != 0)
            continue;
        const struct CMUnitTest one[] = {tests[i]};
        return cmocka_run_group_tests(one, NULL, NULL);
    }
    return 2;
}
