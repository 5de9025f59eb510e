/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The CUPTI producer (device/cupti/) on doubles of libcuda and libcupti (tests/cupti/). What the producer
 * does is once for a process, so each test is a process: test_cupti NAME. DOUBLE_CUPTI and LD_LIBRARY_PATH
 * are set by cupti.cmake.
 */
#include "device/cupti/devices.h"
#include "device/tracing.h"
#include "tests/unit/devices/cupti_fixture.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* Host OpenMP and CUDA: the injection comes first, then the tool, then a context. */
static void test_cuda_first(void **state)
{
    (void)state;
    begin_cuda();
    InitializeInjection();
    assert_int_equal(intake.opened_count, 0);
    omptape_cupti_start(OMPTAPE_CUDA_AUTO, false, correlate);
    assert_int_equal(intake.opened_count, 0);
    make_context(1);
    assert_int_equal(intake.opened_count, 1);
    assert_int_equal(intake.opened[0].number, OWN + 1);
    assert_int_equal(intake.opened[0].producer, OMPTAPE_PRODUCER_CUPTI);
    assert_non_null(strstr(intake.opened[0].why, "libcupti.so.13"));
    do_kernel(1, 7, 1000);
    do_work((struct driver_activity){.work = DRIVER_SYNC, .device = 1, .stream = 7, .start = 5, .end = 6});
    omptape_tracing_close(OWN + 1);
    assert_int_equal(count_of(OMPTAPE_ACTIVITY_KERNEL, OWN + 1), 1);
    assert_int_equal(count_of(OMPTAPE_ACTIVITY_SYNC, OWN + 1), 1);
    assert_string_equal(intake.kept[0].name, "_Z6kernelv");
    assert_int_equal(intake.kept[0].start, 1000);
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
    assert_int_equal(intake.opened_count, 1);
    assert_int_equal(intake.opened[0].number, OWN + 2);
}

/* An OpenMP device: its number is the runtime's, and operations are related. */
static void test_target(void **state)
{
    (void)state;
    char why[256];
    omptape_cupti_start(OMPTAPE_CUDA_AUTO, false, correlate);
    assert_false(omptape_cupti_open_device(0, "generic-64bit", why, sizeof(why)));
    assert_string_equal(why, "");
    assert_int_equal(intake.opened_count, 0);
    begin_cuda();
    make_context(3);
    assert_true(omptape_cupti_open_device(5, "sm_90", why, sizeof(why)));
    assert_int_equal(intake.opened[0].number, 5);
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
    assert_int_equal(intake.kept_count, 5);
    for (size_t i = 0; i < intake.kept_count; i++) {
        const struct omptape_record_detail *detail = &intake.kept[i].detail;
        if (detail->activity == OMPTAPE_ACTIVITY_OTHER)
            assert_int_equal(detail->operation, detail->correlation == 1 ? 77 : 78);
        if (detail->activity == OMPTAPE_ACTIVITY_COPY)
            assert_int_equal(detail->correlation, 2);
    }
}

/* libcuda reports the device inside the runtime's cuInit, before the runtime does: where an offload runtime
 * is loaded the device waits for its number. */
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
    assert_int_equal(intake.opened_count, 0);
    assert_true(omptape_cupti_open_device(0, "sm_90", why, sizeof(why)));
    do_kernel(0, 7, 1);
    omptape_tracing_close(0);
    assert_int_equal(intake.opened_count, 1);
    assert_int_equal(intake.kept_count, 1);
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
    assert_int_equal(intake.opened_count, 4);
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
    assert_int_equal(intake.kept_count, THREADS * KERNELS);
    assert_true(intake.completed_count > 10);
    for (size_t i = 0; i < intake.kept_count; i++) {
        assert_in_range(intake.kept[i].detail.stream, 0, THREADS * KERNELS - 1);
        assert_false(seen[intake.kept[i].detail.stream]);
        seen[intake.kept[i].detail.stream] = true;
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
    assert_int_equal(intake.kept_count, 1000 - intake.completed_count);
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
    assert_int_equal(intake.opened_count, 0);
    if (getenv("ANNOUNCED") != NULL)
        make_context(1);
    omptape_cupti_close_ordinals();
    assert_int_equal(count_of(OMPTAPE_ACTIVITY_KERNEL, OWN + 1), 1);
    assert_int_equal(count_of(OMPTAPE_ACTIVITY_KERNEL, OWN + 2), 1);
    assert_int_equal(intake.opened_count, 2);
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
    assert_int_equal(intake.kept_count, 1);
    assert_int_equal(intake.invalid_count, 1);
}

/* No memory for buffers: the losses are reported once. */
static void test_no_buffers(void **state)
{
    (void)state;
    begin_cuda();
    omptape_cupti_start(OMPTAPE_CUDA_AUTO, false, correlate);
    make_context(0);
    intake.refuses_buffers = true;
    for (uint32_t i = 0; i < 10; i++)
        do_kernel(0, 7, 1 + i);
    omptape_tracing_close(OWN);
    assert_int_equal(intake.kept_count, 0);
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
    assert_int_equal(pause_trace(intake.opened[0].device, 1), 1);
    do_kernel(0, 7, 3);
    assert_int_equal(pause_trace(intake.opened[0].device, 0), 1);
    do_kernel(0, 7, 4);
    omptape_tracing_close(OWN);
    assert_int_equal(intake.kept_count, 2);
    assert_int_equal(intake.kept[0].start, 2);
    assert_int_equal(intake.kept[1].start, 4);
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
    const int calls = 1000;
    struct timespec begin;
    struct timespec end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    for (int i = 0; i < calls; i++)
        omptape_cupti_start(OMPTAPE_CUDA_AUTO, false, correlate);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    double us = ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) / 1e3;
    print_message("--cuda=auto without CUDA: %.1f us\n", us / calls);
    assert_true(us / calls < 1000);
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
    assert_int_equal(intake.opened_count, 0);
}

/* What cannot be used: nothing is intake.opened, the reason is in EXPECTED, and one line says so if the user
 * asked.
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
    assert_int_equal(intake.opened_count, 0);
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
    assert_int_equal(CALL(ompt_flush_trace_t, "ompt_flush_trace")(intake.opened[0].device), 0);
    assert_int_equal(CALL(ompt_get_device_time_t, "ompt_get_device_time")(intake.opened[0].device), 0);
}

/* The clock is the host's, in nanoseconds since 1970. */
static void test_interface(void **state)
{
    (void)state;
    begin_cuda();
    omptape_cupti_start(OMPTAPE_CUDA_AUTO, false, correlate);
    make_context(0);
    uint64_t time = CALL(ompt_get_device_time_t, "ompt_get_device_time")(intake.opened[0].device);
    assert_in_range(time / 1000000000, 1500000000, 4000000000);
    ompt_set_trace_native_t native = CALL(ompt_set_trace_native_t, "ompt_set_trace_native");
    assert_int_equal(native(intake.opened[0].device, 1, ompt_native_kernel_execution), ompt_set_always);
    assert_int_equal(native(intake.opened[0].device, 1, 0xff), ompt_set_sometimes);
    assert_int_equal(native(intake.opened[0].device, 1, ompt_native_overhead), ompt_set_never);
    assert_int_equal(CALL(ompt_set_trace_ompt_t, "ompt_set_trace_ompt")(intake.opened[0].device, 1, 34),
                     ompt_set_never);
    assert_null(intake.lookup("ompt_get_record_ompt"));
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
    for (size_t i = 0; argc == 2 && i < sizeof(tests) / sizeof(tests[0]); i++) {
        if (strcmp(tests[i].name + strlen("test_"), argv[1]) != 0)
            continue;
        const struct CMUnitTest one[] = {tests[i]};
        return cmocka_run_group_tests(one, NULL, NULL);
    }
    return 2;
}
