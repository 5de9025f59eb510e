/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests of what the writer does with device records that cannot be true: repaired where the intent is clear,
 * counted, and never written as nonsense. Run by CTest on one thread.
 */
#include "tests/unit/translate/translate_device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define LINKS(ID) "[device=0] [target id=900] [operation id=" #ID "] [host thread=0]"
/* A kernel's lines, in the times of the archive. */
#define KERNEL(BEGIN, END, ID)                                                                               \
    #BEGIN " enter !$omp target kernel @0x7000 " LINKS(ID) "\n" #BEGIN                                       \
                                                           " parameter teams requested=4\n" #BEGIN           \
                                                           " parameter teams granted=3\n" #END               \
                                                           " leave !$omp target kernel @0x7000\n"

static void start_traced(void)
{
    start_target(0);
    put_tracing(0, 0, OMPTAPE_PRODUCER_RUNTIME);
    put_kernel(1, 200000, 205000, 4);
}

static void test_duplicate_is_dropped(void **state)
{
    (void)state;
    start_traced();
    put_kernel_record(0, 0, 1, 210000, 290000);
    put_kernel_record(0, 0, 1, 210000, 290000);
    finish_target(0);
    expect_location("Device 0 stream 1", KERNEL(210000, 290000, 1));
    expect_no_location("Device 0 stream 2");
    assert_int_equal(counts_of(0)->records, 2);
    assert_int_equal(counts_of(0)->duplicates, 1);
    assert_int_equal(counts_of(0)->shown, 1);
}

/* The same with an id that is nobody's: both mean the same operation. */
static void test_duplicate_without_id_is_dropped(void **state)
{
    (void)state;
    start_traced();
    put_kernel_record(0, 0, 0, 210000, 290000);
    put_kernel_record(0, 0, 0, 210000, 290000);
    finish_target(0);
    expect_location("Device 0 stream 1", KERNEL(210000, 290000, 1));
    expect_no_location("Device 0 stream 2");
    assert_int_equal(counts_of(0)->duplicates, 1);
    assert_int_equal(counts_of(0)->unlinked, 0);
}

/* One operation, done in two parts: no duplicate. */
static void test_parts_are_shown(void **state)
{
    (void)state;
    start_traced();
    put_kernel_record(0, 0, 1, 210000, 220000);
    put_kernel_record(0, 0, 1, 230000, 240000);
    finish_target(0);
    expect_location("Device 0 stream 1", KERNEL(210000, 220000, 1) KERNEL(230000, 240000, 1));
    assert_int_equal(counts_of(0)->duplicates, 0);
    assert_int_equal(counts_of(0)->shown, 2);
}

/* Both are times of the operation: they were exchanged. */
static void test_end_before_begin(void **state)
{
    (void)state;
    start_traced();
    put_kernel_record(0, 0, 1, 290000, 210000);
    finish_target(0);
    expect_location("Device 0 stream 1", KERNEL(210000, 290000, 1));
    assert_int_equal(counts_of(0)->repaired, 1);
}

/* The end lies before the host asked for it: the begin alone is believed. */
static void test_end_long_before_begin(void **state)
{
    (void)state;
    start_traced();
    put_kernel_record(0, 0, 1, 290000, 1000);
    finish_target(0);
    expect_location("Device 0 stream 1", KERNEL(290000, 290000, 1));
    assert_int_equal(counts_of(0)->repaired, 1);
}

static void test_time_0_takes_the_hosts_times(void **state)
{
    (void)state;
    start_traced();
    put_kernel_record(0, 0, 1, 0, 0);
    finish_target(0);
    expect_location("Device 0 host-observed 1", KERNEL(200000, 205000, 1));
    expect_no_location("Device 0 stream 1");
    assert_int_equal(counts_of(0)->repaired, 1);
}

static void test_end_0_takes_the_hosts_end(void **state)
{
    (void)state;
    start_traced();
    put_kernel_record(0, 0, 1, 202000, 0);
    finish_target(0);
    expect_location("Device 0 stream 1", KERNEL(202000, 205000, 1));
    assert_int_equal(counts_of(0)->repaired, 1);
}

/* Nothing is known of it, not even an operation. */
static void test_time_0_of_nobody_is_not_shown(void **state)
{
    (void)state;
    start_target(0);
    put_tracing(0, 0, OMPTAPE_PRODUCER_RUNTIME);
    put_kernel_record(0, 0, 77, 0, 0);
    finish_target(0);
    assert_int_equal(translate.text->locations, 1);
    assert_int_equal(counts_of(0)->undated, 1);
    assert_int_equal(counts_of(0)->shown, 0);
}

/* Runtimes that have no clock to read: the host's times. */
static void test_without_a_clock(void **state)
{
    (void)state;
    start_target(0);
    put_tracing_without_clock(0);
    put_kernel(1, 200000, 205000, 4);
    put_kernel_record(0, 0, 1, 210000, 290000);
    finish_target(0);
    expect_location("Device 0 host-observed 1", KERNEL(200000, 205000, 1));
    expect_no_location("Device 0 host-observed 2");
    assert_int_equal(counts_of(0)->repaired, 1);
}

/* A transfer has the id of the kernel before it; there is one transfer like it that has no record. */
static void test_id_of_another_operation(void **state)
{
    (void)state;
    start_traced();
    put_transfer(2, 300000, 301000, ompt_target_data_transfer_to_device, 0, 8);
    put_kernel_record(0, 0, 1, 210000, 290000);
    put_transfer_record(0, 0, 1, 310000, 320000, ompt_target_data_transfer_to_device, 8);
    finish_target(0);
    expect_location(
        "Device 0 stream 1",
        KERNEL(210000, 290000,
               1) "310000 enter !$omp target transfer to device @0x7000 [device=0] [target id=900] "
                  "[bytes=8] [operation id=2] [host thread=0]\n"
                  "310000 get 1 8 1\n"
                  "320000 done 1\n"
                  "320000 leave !$omp target transfer to device @0x7000\n");
    assert_int_equal(counts_of(0)->repaired, 1);
    assert_int_equal(counts_of(0)->observed, 0);
}

/* Two operations alike: the records are theirs in their order. */
static void test_ids_missing(void **state)
{
    (void)state;
    start_traced();
    put_kernel(2, 300000, 301000, 4);
    put_kernel_record(0, 0, 0, 210000, 290000);
    put_kernel_record(0, 0, 0, 310000, 320000);
    finish_target(0);
    expect_location("Device 0 stream 1", KERNEL(210000, 290000, 1) KERNEL(310000, 320000, 2));
    assert_int_equal(counts_of(0)->repaired, 2);
    assert_int_equal(counts_of(0)->unlinked, 0);
}

/* It is shown, but tied to nothing. */
static void test_id_of_nobody(void **state)
{
    (void)state;
    start_target(0);
    put_tracing(0, 0, OMPTAPE_PRODUCER_RUNTIME);
    put_kernel_record(0, 0, 77, 210000, 290000);
    finish_target(0);
    expect_location("Device 0 stream 1", "210000 enter !$omp target kernel [device=0] [target id=900]\n"
                                         "210000 parameter teams granted=3\n"
                                         "290000 leave !$omp target kernel\n");
    assert_int_equal(counts_of(0)->unlinked, 1);
}

/* The host knows on which device the construct ran. */
static void test_device_of_another_record(void **state)
{
    (void)state;
    start_target(1);
    put_tracing(0, 0, OMPTAPE_PRODUCER_RUNTIME);
    put_tracing(0, 1, OMPTAPE_PRODUCER_RUNTIME);
    put_kernel(1, 200000, 205000, 4);
    put_kernel_record(0, 0, 1, 210000, 290000);
    finish_target(1);
    expect_location("Device 1 stream 1",
                    "210000 enter !$omp target kernel @0x7000 [device=1] [target id=900] [operation id=1] "
                    "[host thread=0]\n"
                    "210000 parameter teams requested=4\n"
                    "210000 parameter teams granted=3\n"
                    "290000 leave !$omp target kernel @0x7000\n");
    expect_no_location("Device 0 stream 1");
}

/* A kernel cannot begin before it was submitted. */
static void test_begin_before_the_hosts(void **state)
{
    (void)state;
    start_traced();
    put_kernel_record(0, 0, 1, 120000, 290000);
    finish_target(0);
    expect_location("Device 0 stream 1", KERNEL(200000, 290000, 1));
    assert_int_equal(counts_of(0)->repaired, 1);
}

/* A record that is cut short, and one of an event that does not exist. */
static void test_records_that_are_none(void **state)
{
    (void)state;
    const uint64_t words[] = {210000 + DEVICE_AHEAD, 0, TARGET_ID, 0, 0, 0, 0, 0, 0, 0};
    start_target(0);
    put_tracing(0, 0, OMPTAPE_PRODUCER_RUNTIME);
    translate_put_words(0, END_OF_WORK, OMPTAPE_DEVICE_RECORD, ompt_callback_target_submit_emi, 0, 3, words);
    translate_put_words(0, END_OF_WORK, OMPTAPE_DEVICE_RECORD, 9999, 0, 10, words);
    finish_target(0);
    assert_int_equal(translate.text->locations, 1);
    assert_int_equal(counts_of(0)->invalid, 2);
}

/* Ends without a begin are points; what never ends does not hide what comes after it. */
static void test_scopes_without_their_other_half(void **state)
{
    (void)state;
    start_target(0);
    put_tracing(0, 0, OMPTAPE_PRODUCER_RUNTIME);
    put_scope_record(0, ompt_callback_work, 7, 210000, ompt_work_loop, ompt_scope_end);
    put_scope_record(0, ompt_callback_work, 7, 220000, ompt_work_sections, ompt_scope_begin);
    put_scope_record(0, ompt_callback_masked, 7, 230000, ompt_scope_begin, 0);
    put_scope_record(0, ompt_callback_masked, 7, 240000, ompt_scope_end, 0);
    finish_target(0);
    expect_location("Device 0 thread 7", "210000 enter !$omp for [device=0] [target id=900]\n"
                                         "210000 leave !$omp for\n"
                                         "220000 enter !$omp sections [device=0] [target id=900]\n"
                                         "220000 leave !$omp sections\n"
                                         "230000 enter !$omp masked [device=0] [target id=900]\n"
                                         "240000 leave !$omp masked\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_duplicate_is_dropped, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_duplicate_without_id_is_dropped, translate_open,
                                        translate_close),
        cmocka_unit_test_setup_teardown(test_parts_are_shown, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_end_before_begin, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_end_long_before_begin, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_time_0_takes_the_hosts_times, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_end_0_takes_the_hosts_end, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_time_0_of_nobody_is_not_shown, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_without_a_clock, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_id_of_another_operation, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_ids_missing, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_id_of_nobody, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_device_of_another_record, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_begin_before_the_hosts, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_records_that_are_none, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_scopes_without_their_other_half, translate_open,
                                        translate_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
