/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of a device's tracing from open to close: who produces its records, what is asked for, what is
 * called and in which order, and anchors. Run by CTest as unit.device_tracing.
 */
#include "tests/unit/devices/device_fixture.h"

#include "device/buffers.h"
#include "device/records.h"
#include "src/core/events.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

static void configure(uint64_t events, bool paused)
{
    struct omptape_options options = {.events = events, .device_buffer_bytes = 8192, .paused = paused};
    omptape_tracing_use(&options);
}

static const char *why_of(const struct omptape_record *record)
{
    return (const char *)record->p;
}

static const char *lines_of(const struct omptape_record *record)
{
    const char *why = why_of(record);
    return why + (strlen(why) / 8 + 1) * 8;
}

static void assert_tracing(int producer, const char *why, const char *line)
{
    const struct omptape_record *record = fake_next(OMPTAPE_DEVICE_TRACING);
    assert_non_null(record);
    assert_int_equal(record->a, producer);
    assert_non_null(strstr(why_of(record), why));
    if (line != NULL)
        assert_non_null(strstr(lines_of(record), line));
}

static void no_interface_means_host(void **state)
{
    (void)state;
    fake.lacks_all = true;
    fake_initialize(0, "generic-64bit", fake_lookup);
    assert_tracing(OMPTAPE_PRODUCER_HOST, "offers no tracing interface", NULL);
    fake_initialize(0, "generic-64bit", NULL);
    assert_tracing(OMPTAPE_PRODUCER_HOST, "offers no tracing interface", NULL);
    assert_true(omptape_tracing_anchor_due == UINT64_MAX);
    fake_finalize(0);
    assert_int_equal(fake_count(OMPTAPE_DEVICE_SUMMARY), 0);
}

static void what_is_needed_is_named(void **state)
{
    (void)state;
    static const char *const needed[] = {"ompt_start_trace", "ompt_advance_buffer_cursor"};
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
        fake.lacks[0] = needed[i];
        fake_initialize(0, NULL, fake_lookup);
        assert_tracing(OMPTAPE_PRODUCER_HOST, needed[i], NULL);
    }
    fake.lacks[0] = "ompt_get_record_ompt";
    fake.lacks[1] = "ompt_get_record_abstract";
    fake_initialize(0, NULL, fake_lookup);
    assert_tracing(OMPTAPE_PRODUCER_HOST, "ompt_get_record_ompt", NULL);
    assert_string_equal(fake.calls, "");
}

static void interface_is_opened_and_closed_in_order(void **state)
{
    (void)state;
    fake_initialize(3, "gfx90a", fake_lookup);
    const struct omptape_record *record = fake_next(OMPTAPE_DEVICE_TRACING);
    assert_non_null(record);
    assert_int_equal(record->a, OMPTAPE_PRODUCER_RUNTIME);
    assert_int_equal(record->b, 3);
    static const char *const lines[] = {"offers=get_device_num_procs,get_device_time,",
                                        "procs=132\n",
                                        "set_trace_ompt.target_emi=always\n",
                                        "set_trace_ompt.target_data_op_emi=always\n",
                                        "set_trace_ompt.target_submit_emi=always\n",
                                        "set_trace_ompt.target_map_emi=always\n",
                                        "set_trace_ompt.error=always\n",
                                        "set_trace_native.0x0f=sometimes\n",
                                        "start_trace=yes\n",
                                        "buffer_bytes=8192\n"};
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        assert_non_null(strstr(lines_of(record), lines[i]));
    assert_null(strstr(lines_of(record), "lacks="));
    assert_null(strstr(lines_of(record), "set_trace_ompt.target=")); /* EMI was accepted */
    fake_finalize(3);
    assert_string_equal(fake.calls, "start flush pause stop ");
    fake_finalize(3);
    omptape_tracing_close_all();
    assert_string_equal(fake.calls, "start flush pause stop ");
    assert_false(fake.wrong_pointer);
    assert_true(omptape_tracing_anchor_due == UINT64_MAX);
}

/* CUPTI collects for the whole process before any device is opened; what it got then stays its own. */
static void cuda_gets_buffers_before_its_devices_are_opened(void **state)
{
    (void)state;
    enum { OWN = OMPTAPE_FIRST_CUDA_DEVICE + 1 };
    ompt_buffer_t *buffer = NULL;
    size_t bytes = 0;
    omptape_tracing_buffer_request(3, &buffer, &bytes);
    assert_null(buffer);
    assert_false(omptape_tracing_has(OWN));
    omptape_tracing_buffer_request(OWN, &buffer, &bytes);
    assert_non_null(buffer);
    assert_true(bytes >= 8192);
    omptape_tracing_open(OWN, NULL, fake_lookup, OMPTAPE_PRODUCER_CUPTI, "");
    assert_true(omptape_tracing_has(OWN));
    assert_int_equal(omptape_device_buffers_outstanding(OWN), 1);
    omptape_tracing_buffer_complete(OWN, buffer, 0, 0, 1);
    assert_int_equal(omptape_device_buffers_outstanding(OWN), 0);
    fake_finalize(OWN);
}

static void all_answers_fit(void **state)
{
    (void)state;
    fake.answer_emi = ompt_set_impossible;
    fake.answer_plain = ompt_set_sometimes_paired;
    fake_initialize(0, NULL, fake_lookup);
    assert_tracing(OMPTAPE_PRODUCER_RUNTIME, "", "buffer_bytes=8192\n");
}

static void older_codes_are_asked_where_newer_are_refused(void **state)
{
    (void)state;
    fake.answer_emi = ompt_set_never;
    fake_initialize(0, NULL, fake_lookup);
    assert_tracing(OMPTAPE_PRODUCER_RUNTIME, "",
                   "set_trace_ompt.target_emi=never\nset_trace_ompt.target=always\n");
    assert_true(fake.asked & OMPTAPE_EVENT(ompt_callback_target_map));
    assert_false(fake.asked & OMPTAPE_EVENT(ompt_callback_device_initialize));
}

static void only_wanted_kinds_are_asked_for(void **state)
{
    (void)state;
    configure(OMPTAPE_EVENT(ompt_callback_target_submit_emi) | OMPTAPE_EVENT(ompt_callback_target_submit) |
                  OMPTAPE_EVENT(ompt_callback_flush),
              false);
    fake_initialize(0, NULL, fake_lookup);
    assert_true(fake.asked ==
                (OMPTAPE_EVENT(ompt_callback_target_submit_emi) | OMPTAPE_EVENT(ompt_callback_flush)));
    assert_int_equal(fake.native_flags, ompt_native_kernel_invocation | ompt_native_kernel_execution);
}

static void no_target_events_no_tracing(void **state)
{
    (void)state;
    configure(omptape_events_always, false);
    fake_initialize(0, NULL, fake_lookup);
    assert_tracing(OMPTAPE_PRODUCER_HOST, "--events", NULL);
    assert_string_equal(fake.calls, "");
}

static void everything_optional_may_be_missing(void **state)
{
    (void)state;
    static const char *const optional[] = {
        "ompt_get_device_num_procs", "ompt_get_device_time",    "ompt_translate_time",
        "ompt_set_trace_ompt",       "ompt_set_trace_native",   "ompt_pause_trace",
        "ompt_flush_trace",          "ompt_stop_trace",         "ompt_get_record_type",
        "ompt_get_record_native",    "ompt_get_record_abstract"};
    memcpy(fake.lacks, optional, sizeof(optional));
    fake_initialize(0, NULL, fake_lookup);
    assert_tracing(OMPTAPE_PRODUCER_RUNTIME, "", "lacks=get_device_num_procs,get_device_time,");
    omptape_tracing_pause_all(true);
    omptape_tracing_pause_all(false);
    omptape_tracing_flush_all();
    fake_finalize(0);
    assert_string_equal(fake.calls, "start ");
}

static void refused_start_means_host(void **state)
{
    (void)state;
    fake.start_answer = 0;
    fake_initialize(0, NULL, fake_lookup);
    assert_tracing(OMPTAPE_PRODUCER_HOST, "refused to start", "start_trace=refused");
    fake_finalize(0);
    assert_string_equal(fake.calls, "start ");
}

static void pause_and_start_reach_the_device(void **state)
{
    (void)state;
    fake_initialize(0, NULL, fake_lookup);
    omptape_tracing_pause_all(true);
    omptape_tracing_pause_all(true);
    omptape_tracing_pause_all(false);
    omptape_tracing_flush_all();
    assert_string_equal(fake.calls, "start pause resume flush ");
}

static unsigned taken;

static void take(struct omptape_record_copies *copies, const void *record, size_t bytes)
{
    ompt_record_ompt_t copy;
    assert_int_equal(copies->device, 5);
    assert_true(bytes <= sizeof(copy));
    memcpy(&copy, record, bytes);
    assert_int_equal(copy.record.target_kernel.host_op_id, 70 + taken);
    taken++;
    copies->used++;
}

static void end_range(struct omptape_record_copies *copies)
{
    assert_int_equal(copies->used, 1);
}

static void deliver_kernel(uint64_t operation)
{
    size_t cells = 0;
    struct fake_cell *buffer = fake_request(5, &cells);
    fake_fill_submit(&buffer[0], operation);
    fake_complete(5, buffer, 0, 1, true);
}

static void shared_device_goes_on_while_paused(void **state)
{
    static const struct omptape_record_taker taker = {take, end_range};
    (void)state;
    assert_false(omptape_tracing_share(5, true));
    fake_initialize(5, NULL, fake_lookup);
    atomic_store(&omptape_record_taker, &taker);
    assert_true(omptape_tracing_share(5, true));
    deliver_kernel(70);
    omptape_tracing_pause_all(true);
    deliver_kernel(71);
    omptape_tracing_pause_all(false);
    deliver_kernel(72);
    assert_int_equal(taken, 3);
    assert_int_equal(fake_count(OMPTAPE_DEVICE_RECORD), 2);
    assert_string_equal(fake.calls, "start flush flush flush ");
    /* omptape's own pause comes when the other tool has stopped. */
    omptape_tracing_pause_all(true);
    assert_true(omptape_tracing_share(5, false));
    assert_string_equal(fake.calls, "start flush flush flush flush flush pause ");
    atomic_store(&omptape_record_taker, NULL);
}

static void sharing_starts_what_waits(void **state)
{
    (void)state;
    configure(UINT64_MAX, true);
    fake_initialize(0, NULL, fake_lookup);
    assert_true(omptape_tracing_share(0, true));
    assert_string_equal(fake.calls, "start ");
    omptape_tracing_pause_all(false);
    fake_finalize(0);
    assert_string_equal(fake.calls, "start flush flush pause stop ");
    assert_false(omptape_tracing_flush(0));
}

static void what_cannot_pause_is_stopped(void **state)
{
    (void)state;
    fake.pause_answer = 0;
    fake_initialize(0, NULL, fake_lookup);
    omptape_tracing_pause_all(true);
    omptape_tracing_pause_all(false);
    assert_string_equal(fake.calls, "start pause stop start ");
}

static void paused_start_begins_later(void **state)
{
    (void)state;
    configure(UINT64_MAX, true);
    fake_initialize(0, NULL, fake_lookup);
    assert_tracing(OMPTAPE_PRODUCER_RUNTIME, "", "start_trace=later\n");
    assert_string_equal(fake.calls, "");
    omptape_tracing_pause_all(false);
    assert_string_equal(fake.calls, "start ");
}

static void abandoned_devices_are_left_alone(void **state)
{
    (void)state;
    fake_initialize(0, NULL, fake_lookup);
    omptape_tracing_abandon();
    omptape_tracing_pause_all(true);
    omptape_tracing_flush_all();
    omptape_tracing_close_all();
    assert_string_equal(fake.calls, "start ");
    assert_true(omptape_tracing_anchor_due == UINT64_MAX);
    /* But when the runtime itself ends the device, it still is there. */
    fake_finalize(0);
    assert_string_equal(fake.calls, "start flush pause stop ");
}

static bool cupti_works;
static unsigned cupti_asked;

static bool open_by_cupti(int device_num, const char *type, char *why, size_t why_bytes)
{
    (void)device_num;
    assert_string_equal(type, "sm_90");
    cupti_asked++;
    snprintf(why, why_bytes, "another profiler is there");
    return cupti_works;
}

static void nvidia_without_interface_is_for_cupti(void **state)
{
    (void)state;
    omptape_device_cupti_open = open_by_cupti;
    cupti_works = false;
    cupti_asked = 0;
    fake.lacks_all = true;
    fake_initialize(0, "sm_90", fake_lookup);
    assert_tracing(OMPTAPE_PRODUCER_HOST, "another profiler is there", NULL);
    cupti_works = true;
    fake_initialize(0, "sm_90", NULL);
    fake_initialize(0, "generic-64bit", NULL);
    assert_int_equal(cupti_asked, 2);
    assert_int_equal(fake_count(OMPTAPE_DEVICE_TRACING), 1);
    /* The runtime's own interface goes first. */
    fake.lacks_all = false;
    fake_initialize(0, "sm_90", fake_lookup);
    assert_int_equal(cupti_asked, 2);
}

static const struct omptape_record *next_anchor(int kind)
{
    const struct omptape_record *record = fake_next(OMPTAPE_DEVICE_ANCHOR);
    assert_non_null(record);
    assert_int_equal(record->a, kind);
    return record;
}

static void anchors_have_brackets(void **state)
{
    (void)state;
    uint64_t begin = omptape_clock_now();
    fake_initialize(2, NULL, fake_lookup);
    const struct omptape_record *record = next_anchor(OMPTAPE_ANCHOR_DEVICE);
    assert_int_equal(record->b, 2);
    assert_int_equal(record->words, 2 + 3 * OMPTAPE_ANCHOR_READINGS);
    for (unsigned i = 0; i < OMPTAPE_ANCHOR_READINGS; i++) {
        assert_true(record->p[3 * i] >= begin && record->p[3 * i] <= record->p[3 * i + 2]);
        assert_int_equal(record->p[3 * i + 1] % 1000, 0);
    }
    record = next_anchor(OMPTAPE_ANCHOR_TRANSLATED);
    assert_int_equal(record->words, 2 + 2 * OMPTAPE_ANCHOR_READINGS);
    for (unsigned i = 0; i < OMPTAPE_ANCHOR_READINGS; i++) {
        double seconds;
        memcpy(&seconds, &record->p[2 * i + 1], sizeof(seconds));
        assert_true(seconds == (double)record->p[2 * i] / 1e9);
    }
    assert_true(omptape_tracing_anchor_due > begin);
    assert_true(omptape_tracing_anchor_due != UINT64_MAX);
}

static void anchors_are_taken_when_due(void **state)
{
    (void)state;
    fake_initialize(0, NULL, fake_lookup);
    const unsigned first = fake.clock_readings;
    assert_in_range(first, 8, 256);
    /* Not the clock decides here: the machine may stop for longer than the time between two anchors. */
    atomic_store(&omptape_tracing_anchor_due, UINT64_MAX - 1);
    omptape_tracing_record_anchors();
    assert_int_equal(fake.clock_readings, first);
    const uint64_t begin = omptape_clock_now();
    atomic_store(&omptape_tracing_anchor_due, begin);
    omptape_tracing_record_anchors();
    assert_in_range(fake.clock_readings, first + 8, first + 64);
    assert_true(omptape_tracing_anchor_due > begin && omptape_tracing_anchor_due != UINT64_MAX);
    assert_int_equal(fake_count(OMPTAPE_DEVICE_ANCHOR), 4);
}

static void clock_that_cannot_tell_gives_no_anchor(void **state)
{
    (void)state;
    fake.time_step = 0;
    fake_initialize(0, NULL, fake_lookup);
    assert_in_range(fake.clock_readings, 8, 256);
    assert_int_equal(fake_count(OMPTAPE_DEVICE_ANCHOR), 0);
}

static void use_translation_alone(void)
{
    size_t cells;
    fake_initialize(0, NULL, fake_lookup);
    struct fake_cell *buffer = fake_request(0, &cells);
    for (unsigned i = 0; i < 5; i++)
        fake_fill_submit(&buffer[i], i);
    fake_complete(0, buffer, 0, 5, true);
    const struct omptape_record *record = next_anchor(OMPTAPE_ANCHOR_TRANSLATED);
    assert_int_equal(record->words, 2 + 4);
    assert_int_equal(record->p[0], 1000);
    assert_int_equal(record->p[2], 1004);
}

static void translation_serves_alone(void **state)
{
    (void)state;
    fake.lacks[0] = "ompt_get_device_time";
    use_translation_alone();
}

static void translation_serves_where_the_clock_is_dead(void **state)
{
    (void)state;
    fake.time_step = 0;
    use_translation_alone();
}

static void forked_child_has_no_devices(void **state)
{
    (void)state;
    size_t cells;
    fake_initialize(0, NULL, fake_lookup);
    struct fake_cell *buffer = fake_request(0, &cells);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        omptape_tracing_forget();
        buffer->operation = 1; /* the runtime's copy may still do this */
        fake_complete(0, buffer, 0, 1, true);
        bool none = fake_request(0, &cells) == NULL && cells == 0;
        fake_finalize(0);
        _exit(none && strcmp(fake.calls, "start ") == 0 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(no_interface_means_host),
        TEST(what_is_needed_is_named),
        TEST(interface_is_opened_and_closed_in_order),
        TEST(cuda_gets_buffers_before_its_devices_are_opened),
        TEST(all_answers_fit),
        TEST(older_codes_are_asked_where_newer_are_refused),
        TEST(only_wanted_kinds_are_asked_for),
        TEST(no_target_events_no_tracing),
        TEST(everything_optional_may_be_missing),
        TEST(refused_start_means_host),
        TEST(pause_and_start_reach_the_device),
        TEST(shared_device_goes_on_while_paused),
        TEST(sharing_starts_what_waits),
        TEST(what_cannot_pause_is_stopped),
        TEST(paused_start_begins_later),
        TEST(abandoned_devices_are_left_alone),
        TEST(nvidia_without_interface_is_for_cupti),
        TEST(anchors_have_brackets),
        TEST(anchors_are_taken_when_due),
        TEST(clock_that_cannot_tell_gives_no_anchor),
        TEST(translation_serves_alone),
        TEST(translation_serves_where_the_clock_is_dead),
        TEST(forked_child_has_no_devices),
    };
    return cmocka_run_group_tests_name("device_tracing", tests, NULL, NULL);
}
