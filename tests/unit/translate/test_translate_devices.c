/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests of the translation of devices: what the host saw, what devices recorded, and how both are tied
 * together. Run by CTest on one thread.
 */
#include "tests/unit/translate/translate_device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define LINKS(ID) "[device=0] [target id=900] [operation id=" #ID "] [host thread=0]"
#define COPY_LINKS(ID, BYTES)                                                                                \
    "[device=0] [target id=900] [bytes=" #BYTES "] [operation id=" #ID "] [host thread=0]"

/* No tracing at all: the device's timeline shows the host's operations, named so. */
static void test_host_observed(void **state)
{
    (void)state;
    start_target(0);
    put_transfer(1, 200000, 210000, ompt_target_data_transfer_to_device, 0, 64);
    put_kernel(2, 300000, 400000, 4);
    put_transfer(3, 500000, 510000, ompt_target_data_transfer_from_device, 0, 32);
    finish_target(0);
    expect_location("Device 0 host-observed 1",
                    "200000 enter !$omp target transfer to device @0x7000 " COPY_LINKS(
                        1, 64) "\n"
                               "200000 get 1 64 1\n"
                               "210000 done 1\n"
                               "210000 leave !$omp target transfer to device @0x7000\n"
                               "300000 enter !$omp target kernel @0x7000 " LINKS(
                                   2) "\n"
                                      "300000 parameter teams requested=4\n"
                                      "400000 leave !$omp target kernel @0x7000\n"
                                      "500000 enter !$omp target transfer from device @0x7000 " COPY_LINKS(
                                          3, 32) "\n"
                                                 "500000 put 1 32 2\n"
                                                 "510000 done 2\n"
                                                 "510000 leave !$omp target transfer from device @0x7000\n");
    assert_int_equal(counts_of(0)->observed, 3);
    assert_int_equal(counts_of(0)->shown, 0);
    assert_int_equal(counts_of(0)->kernels, 1);
    assert_int_equal(counts_of(0)->transfers, 2);
    assert_int_equal(counts_of(0)->bytes, 96);
}

/* The records' times are the device's own. */
static void test_traced(void **state)
{
    (void)state;
    start_target(0);
    put_tracing(0, 0, OMPTAPE_PRODUCER_RUNTIME);
    put_transfer(1, 200000, 201000, ompt_target_data_transfer_to_device, 0, 64);
    put_kernel(2, 300000, 301000, 4);
    put_transfer_record(0, 0, 1, 205000, 250000, ompt_target_data_transfer_to_device, 64);
    put_kernel_record(0, 0, 2, 310000, 390000);
    finish_target(0);
    expect_location("Device 0 stream 1", "205000 enter !$omp target transfer to device @0x7000 " COPY_LINKS(
                                             1, 64) "\n"
                                                    "205000 get 1 64 1\n"
                                                    "250000 done 1\n"
                                                    "250000 leave !$omp target transfer to device @0x7000\n"
                                                    "310000 enter !$omp target kernel @0x7000 " LINKS(
                                                        2) "\n"
                                                           "310000 parameter teams requested=4\n"
                                                           "310000 parameter teams granted=3\n"
                                                           "390000 leave !$omp target kernel @0x7000\n");
    expect_no_location("Device 0 host-observed 1");
    assert_int_equal(counts_of(0)->records, 2);
    assert_int_equal(counts_of(0)->shown, 2);
    assert_int_equal(counts_of(0)->unlinked, 0);
    assert_int_equal(counts_of(0)->repaired, 0);
}

/* A record that never came: the host's times, beside those that did. */
static void test_missing_record_is_observed(void **state)
{
    (void)state;
    start_target(0);
    put_tracing(0, 0, OMPTAPE_PRODUCER_RUNTIME);
    put_kernel(1, 200000, 210000, 4);
    put_kernel(2, 300000, 301000, 4);
    put_kernel_record(0, 0, 2, 310000, 390000);
    finish_target(0);
    expect_location("Device 0 host-observed 1", "200000 enter !$omp target kernel @0x7000 " LINKS(
                                                    1) "\n"
                                                       "200000 parameter teams requested=4\n"
                                                       "210000 leave !$omp target kernel @0x7000\n");
    assert_int_equal(counts_of(0)->observed, 1);
    assert_int_equal(counts_of(0)->shown, 1);
}

static void test_late_records_are_put_in_order(void **state)
{
    (void)state;
    start_target(0);
    put_tracing(0, 0, OMPTAPE_PRODUCER_RUNTIME);
    put_kernel(1, 200000, 201000, 4);
    put_kernel(2, 300000, 301000, 4);
    put_kernel_record(0, 0, 2, 310000, 390000);
    translate_pass();
    put_kernel_record(0, 0, 1, 210000, 290000);
    finish_target(0);
    expect_location("Device 0 stream 1", "210000 enter !$omp target kernel @0x7000 " LINKS(
                                             1) "\n"
                                                "210000 parameter teams requested=4\n"
                                                "210000 parameter teams granted=3\n"
                                                "290000 leave !$omp target kernel @0x7000\n"
                                                "310000 enter !$omp target kernel @0x7000 " LINKS(
                                                    2) "\n"
                                                       "310000 parameter teams requested=4\n"
                                                       "310000 parameter teams granted=3\n"
                                                       "390000 leave !$omp target kernel @0x7000\n");
}

static void test_overlap_gives_a_second_stream(void **state)
{
    (void)state;
    start_target(0);
    put_tracing(0, 0, OMPTAPE_PRODUCER_RUNTIME);
    put_kernel(1, 200000, 201000, 4);
    put_kernel(2, 202000, 203000, 4);
    put_kernel_record(0, 0, 1, 210000, 290000);
    put_kernel_record(0, 0, 2, 250000, 390000);
    finish_target(0);
    expect_location("Device 0 stream 1", "210000 enter !$omp target kernel @0x7000 " LINKS(
                                             1) "\n"
                                                "210000 parameter teams requested=4\n"
                                                "210000 parameter teams granted=3\n"
                                                "290000 leave !$omp target kernel @0x7000\n");
    expect_location("Device 0 stream 2", "250000 enter !$omp target kernel @0x7000 " LINKS(
                                             2) "\n"
                                                "250000 parameter teams requested=4\n"
                                                "250000 parameter teams granted=3\n"
                                                "390000 leave !$omp target kernel @0x7000\n");
}

/* A thread that brings nothing but records is no location; its records are there all the same. */
/* Their times differ on the device; as host times, both begin and end with the operation. */
static void test_short_records_at_the_begin_are_no_duplicates(void **state)
{
    (void)state;
    start_target(0);
    put_tracing(0, 0, OMPTAPE_PRODUCER_RUNTIME);
    put_transfer(1, 200000, 201000, ompt_target_data_transfer_to_device, 0, 64);
    put_transfer_record(0, 0, 1, 199998, 199999, ompt_target_data_transfer_to_device, 64);
    put_transfer_record(0, 0, 1, 199999, 200000, ompt_target_data_transfer_to_device, 64);
    put_transfer_record(0, 0, 1, 199999, 200000, ompt_target_data_transfer_to_device, 64);
    finish_target(0);
    assert_int_equal(counts_of(0)->transfers, 2);
    assert_int_equal(counts_of(0)->duplicates, 1);
}

static void test_delivering_thread_has_no_location(void **state)
{
    (void)state;
    start_target(0);
    unsigned bringer = translate_thread(15);
    struct omptape_record *first = (struct omptape_record *)(void *)translate.slots[bringer]->chunk->records;
    first->a = OMPTAPE_THREAD_DELIVERS;
    first->b = 4711;
    put_tracing(bringer, 0, OMPTAPE_PRODUCER_RUNTIME);
    put_kernel(1, 200000, 201000, 4);
    put_kernel_record(bringer, 0, 1, 210000, 290000);
    translate_end_thread(bringer);
    finish_target(0);
    assert_int_equal(translate.text->locations, 2);
    assert_string_equal(translate.text->names[1], "Device 0 stream 1");
    assert_int_equal(counts_of(0)->shown, 1);
}

static void test_memory_in_use(void **state)
{
    (void)state;
    start_target(0);
    put_alloc(1, 200000, 0xa000, 100);
    put_alloc(2, 210000, 0xb000, 50);
    put_delete(3, 220000, 0xa000);
    put_delete(4, 230000, 0xc000); /* which nobody allocated */
    finish_target(0);
    expect_location("Device 0 memory", "200010 metric 100\n210010 metric 150\n220010 metric 50\n"
                                       "230010 metric 50\n");
    expect_no_location("Device 1 memory");
}

static void test_hidden_operations_are_hidden_on_the_device(void **state)
{
    (void)state;
    translate_choose("-target submit", 0, false);
    start_target(0);
    put_tracing(0, 0, OMPTAPE_PRODUCER_RUNTIME);
    put_kernel(1, 200000, 201000, 4);
    put_transfer(2, 300000, 301000, ompt_target_data_transfer_to_device, 0, 8);
    put_kernel_record(0, 0, 1, 210000, 290000);
    put_transfer_record(0, 0, 2, 305000, 310000, ompt_target_data_transfer_to_device, 8);
    finish_target(0);
    expect_location("Device 0 stream 1", "305000 enter !$omp target transfer to device @0x7000 " COPY_LINKS(
                                             2, 8) "\n"
                                                   "305000 get 1 8 1\n"
                                                   "310000 done 1\n"
                                                   "310000 leave !$omp target transfer to device @0x7000\n");
}

/* What threads of the device did: begin and end joined, nested, on a location for each thread. */
static void test_threads_of_the_device(void **state)
{
    (void)state;
    start_target(0);
    put_tracing(0, 0, OMPTAPE_PRODUCER_RUNTIME);
    put_scope_record(0, ompt_callback_work, 7, 220000, ompt_work_loop, ompt_scope_begin);
    put_scope_record(0, ompt_callback_implicit_task, 7, 210000, ompt_scope_begin, 0);
    put_scope_record(0, ompt_callback_work, 7, 230000, ompt_work_loop, ompt_scope_end);
    put_scope_record(0, ompt_callback_implicit_task, 7, 240000, ompt_scope_end, 0);
    put_scope_record(0, ompt_callback_flush, 8, 225000, 0, 0);
    finish_target(0);
    expect_location("Device 0 thread 7", "210000 enter !$omp implicit task [device=0] [target id=900]\n"
                                         "220000 enter !$omp for [device=0] [target id=900]\n"
                                         "230000 leave !$omp for\n"
                                         "240000 leave !$omp implicit task\n");
    expect_location("Device 0 thread 8", "225000 enter !$omp flush [device=0] [target id=900]\n"
                                         "225000 leave !$omp flush\n");
}

/* CUDA's streams by number; a kernel of a construct has its name, others their own. */
static void test_native_records(void **state)
{
    (void)state;
    start_target(0);
    put_tracing(0, 0, OMPTAPE_PRODUCER_CUPTI);
    put_kernel(1, 200000, 201000, 4);
    put_native(&(struct native){.activity = OMPTAPE_ACTIVITY_KERNEL,
                                .begin = 210000,
                                .end = 290000,
                                .stream = 7,
                                .operation = 1,
                                .correlation = 50,
                                .name = "__omp_offloading_10_20_main_l42"});
    put_native(&(struct native){.activity = OMPTAPE_ACTIVITY_KERNEL,
                                .begin = 300000,
                                .end = 310000,
                                .stream = 7,
                                .correlation = 51,
                                .name = "_Z5saxpyi"});
    put_native(&(struct native){.activity = OMPTAPE_ACTIVITY_COPY,
                                .copy = OMPTAPE_COPY_FROM_DEVICE,
                                .begin = 320000,
                                .end = 330000,
                                .stream = 8,
                                .bytes = 16,
                                .correlation = 52});
    finish_target(0);
    expect_location("Device 0 stream 7",
                    "210000 enter !$omp target kernel @0x7000 [device=0] [target id=900] [correlation id=50] "
                    "[operation id=1] [host thread=0]\n"
                    "210000 parameter teams requested=4\n"
                    "290000 leave !$omp target kernel @0x7000\n"
                    "300000 enter saxpy(int) [device=0] [correlation id=51]\n"
                    "310000 leave saxpy(int)\n");
    expect_location("Device 0 stream 8",
                    "320000 enter copy from device [device=0] [correlation id=52] [bytes=16]\n"
                    "320000 put 1 16 1\n"
                    "330000 done 1\n"
                    "330000 leave copy from device\n");
    assert_int_equal(counts_of(0)->unlinked, 2);
    assert_int_equal(counts_of(0)->kernels, 2);
}

/* Two names for two locations. */
static void test_one_stream_overlaps_itself(void **state)
{
    (void)state;
    struct native kernel = {
        .activity = OMPTAPE_ACTIVITY_KERNEL, .begin = 210000, .end = 290000, .stream = 7, .name = "k"};
    start_target(0);
    put_tracing(0, 0, OMPTAPE_PRODUCER_CUPTI);
    put_native(&kernel);
    kernel.begin = 220000;
    put_native(&kernel);
    finish_target(0);
    expect_location("Device 0 stream 7", "210000 enter k [device=0]\n290000 leave k\n");
    expect_location("Device 0 stream 7 (2)", "220000 enter k [device=0]\n290000 leave k\n");
}

static const struct native correlated = {.activity = OMPTAPE_ACTIVITY_KERNEL,
                                         .begin = 210000,
                                         .end = 290000,
                                         .stream = 7,
                                         .correlation = 50,
                                         .name = "k"};

static void expect_correlated(void)
{
    finish_target(0);
    unsigned streams = 0;
    for (unsigned i = 0; i < translate.text->locations; i++)
        streams += strncmp(translate.text->names[i], "Device ", 7) == 0;
    assert_int_equal(streams, 1);
    assert_int_equal(counts_of(0)->unlinked, 0);
    assert_int_equal(counts_of(0)->observed, 0);
    assert_int_equal(counts_of(0)->shown, 1);
    assert_non_null(strstr(translate.text->events[1], "[operation id=1] [host thread=0]"));
}

/* Another record names the operation. It may come before... */
static void test_correlation_told_before(void **state)
{
    (void)state;
    start_target(0);
    put_tracing(0, 0, OMPTAPE_PRODUCER_CUPTI);
    put_kernel(1, 200000, 201000, 4);
    put_explanation(0, 1, 50);
    put_native(&correlated);
    expect_correlated();
}

/* ...or after it. */
static void test_correlation_told_after(void **state)
{
    (void)state;
    start_target(0);
    put_tracing(0, 0, OMPTAPE_PRODUCER_CUPTI);
    put_kernel(1, 200000, 201000, 4);
    put_native(&correlated);
    put_explanation(0, 1, 50);
    expect_correlated();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_host_observed, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_traced, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_missing_record_is_observed, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_late_records_are_put_in_order, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_overlap_gives_a_second_stream, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_short_records_at_the_begin_are_no_duplicates, translate_open,
                                        translate_close),
        cmocka_unit_test_setup_teardown(test_delivering_thread_has_no_location, translate_open,
                                        translate_close),
        cmocka_unit_test_setup_teardown(test_memory_in_use, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_hidden_operations_are_hidden_on_the_device, translate_open,
                                        translate_close),
        cmocka_unit_test_setup_teardown(test_threads_of_the_device, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_native_records, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_one_stream_overlaps_itself, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_correlation_told_before, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_correlation_told_after, translate_open, translate_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
