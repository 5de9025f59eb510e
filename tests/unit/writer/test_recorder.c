/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the flight recorder: how much it keeps, and the requests for snapshots. Run by CTest as
 * unit.recorder.
 */
#include "tests/unit/translate/translate_script.h"
#include "writers/recorder.h"
#include "writers/requests.h"
#include <omptape/requests.h>

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { POOL = 64 }; /* chunks of the fixture's session */

/* Records into chunks until so many are in use. Returns how many records that took. */
static uint64_t fill(struct omptape_slot *slot, uint64_t chunks)
{
    uint64_t put = 0;
    while (omptape_consumer_chunks_in_use(&translate.writer.consumer) < chunks) {
        assert_true(session_put(slot, 8, put));
        put++;
    }
    return put;
}

static void test_keeps_most_of_the_pool(void **state)
{
    (void)state;
    struct omptape_writer *writer = &translate.writer;
    struct omptape_recorder recorder;
    translate.settings.policy = OMPTAPE_POLICY_OVERWRITE;
    omptape_recorder_start(&recorder, writer);
    assert_true(recorder.on && writer->paused);
    put_initial_thread(10);
    struct omptape_slot *slot = translate.slots[0];
    omptape_consumer_refresh(&writer->consumer);

    fill(slot, POOL / 4);
    omptape_recorder_pass(writer);
    assert_int_equal(writer->record_count, 0);
    uint64_t calm = omptape_recorder_max_sleep_ns(writer);
    fill(slot, POOL);
    assert_true(omptape_recorder_max_sleep_ns(writer) < calm);
    struct omptape_merge_result result = omptape_recorder_pass(writer);
    uint64_t kept = omptape_consumer_chunks_in_use(&writer->consumer);
    uint64_t passed_over = writer->record_count;
    assert_true(passed_over > 0 && !result.blocked);
    /* Neither less than it must, nor more than leaves the threads room. */
    assert_in_range(kept, POOL * 3 / 4, POOL - 1);
    omptape_recorder_pass(writer);
    assert_int_equal(writer->record_count, passed_over);
    assert_int_equal(writer->stop_at_freed, 0);
}

static void test_not_for_other_policies(void **state)
{
    (void)state;
    struct omptape_recorder recorder;
    translate.settings.policy = OMPTAPE_POLICY_DROP;
    omptape_recorder_start(&recorder, &translate.writer);
    assert_false(recorder.on || translate.writer.paused || translate.writer.forgetting);
}

static void ask(int value)
{
    const union sigval own = {.sival_int = value};
    assert_int_equal(sigqueue(getpid(), OMPTAPE_REQUEST_SIGNAL, own), 0);
}

static void test_requests_queue(void **state)
{
    (void)state;
    enum { MANY = 100 };
    struct omptape_request request;
    omptape_requests_start();
    assert_false(omptape_requests_take(&request));
    for (int i = 0; i < MANY; i++)
        ask(i);
    for (int i = 0; i < MANY; i++) {
        assert_true(omptape_requests_take(&request));
        assert_int_equal(request.answer_pid, getpid());
        assert_int_equal(request.answer_place, i);
    }
    assert_false(omptape_requests_take(&request));
}

/* By kill: nobody waits for an answer. */
static void test_request_without_answer(void **state)
{
    (void)state;
    struct omptape_request request = {.answer_pid = 1};
    omptape_requests_start();
    assert_int_equal(kill(getpid(), SIGUSR1), 0);
    assert_true(omptape_requests_take(&request));
    assert_int_equal(request.answer_pid, 0);
    omptape_requests_answer(&request, "nobody\n");
    assert_int_equal(kill(getpid(), OMPTAPE_REQUEST_SIGNAL), 0);
    request.answer_pid = 1;
    assert_true(omptape_requests_take(&request));
    assert_int_equal(request.answer_pid, 0);
}

static void test_answers(void **state)
{
    (void)state;
    int ends[2];
    char text[64] = "";
    assert_int_equal(pipe(ends), 0);
    const struct omptape_request request = {.answer_pid = getpid(), .answer_place = ends[1]};
    omptape_requests_answer(&request, "trace=here\n");
    assert_int_equal(read(ends[0], text, sizeof(text)), (ssize_t)strlen("trace=here\n"));
    assert_string_equal(text, "trace=here\n");
    /* Nobody there any more, or somebody else's descriptor. */
    close(ends[0]);
    close(ends[1]);
    omptape_requests_answer(&request, "late\n");
    const struct omptape_request gone = {.answer_pid = INT32_MAX, .answer_place = 1};
    omptape_requests_answer(&gone, "late\n");
}

/* A snapshot is refused at once where there is no flight recorder. */
static void test_refusal(void **state)
{
    (void)state;
    int ends[2];
    char text[256] = "";
    struct omptape_recorder recorder = {.on = false};
    struct omptape_output output = {.folder = ""};
    omptape_requests_start();
    assert_int_equal(pipe(ends), 0);
    ask(ends[1]);
    omptape_recorder_serve(&recorder, &translate.writer, &output);
    assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
    assert_non_null(strstr(text, "error=it is not recorded by --when-full=overwrite"));
    assert_int_equal(recorder.child, 0);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, translate_open, translate_close)
    const struct CMUnitTest tests[] = {
        TEST(keeps_most_of_the_pool),
        TEST(not_for_other_policies),
        TEST(requests_queue),
        TEST(request_without_answer),
        TEST(answers),
        TEST(refusal),
    };
    /* A request without a reader must not end the test. */
    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests_name("recorder", tests, NULL, NULL);
}
