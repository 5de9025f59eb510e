/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of how records are packed: flags, endpoints, identities, headers, texts. Run by CTest as
 * unit.record.
 */
#include "tests/unit/session_fixture.h"

#include <omptape/ompt.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_flags_survive_folding(void **state)
{
    (void)state;
    for (uint32_t folded = 0; folded <= UINT16_MAX; folded++) {
        uint32_t flags = omptape_unfold_flags((uint16_t)folded);
        assert_int_equal(flags & ~0xf80007ffU, 0);
        assert_int_equal(omptape_fold_flags((int)flags), folded);
    }
}

static void test_every_flag_of_ompt_has_its_place(void **state)
{
    (void)state;
    static const uint32_t flags[] = {
        (uint32_t)ompt_parallel_invoker_program,
        (uint32_t)ompt_parallel_invoker_runtime,
        (uint32_t)ompt_parallel_league,
        (uint32_t)ompt_parallel_team,
        (uint32_t)ompt_task_initial,
        (uint32_t)ompt_task_implicit,
        (uint32_t)ompt_task_explicit,
        (uint32_t)ompt_task_target,
        (uint32_t)ompt_task_taskwait,
        (uint32_t)ompt_task_undeferred,
        (uint32_t)ompt_task_untied,
        (uint32_t)ompt_task_final,
        (uint32_t)ompt_task_mergeable,
        (uint32_t)ompt_task_merged,
    };
    enum { COUNT = sizeof(flags) / sizeof(flags[0]) };
    for (uint32_t set = 0; set < 1U << COUNT; set++) {
        uint32_t together = 0;
        for (unsigned i = 0; i < COUNT; i++)
            together |= (set >> i & 1) != 0 ? flags[i] : 0;
        assert_int_equal(omptape_unfold_flags(omptape_fold_flags((int)together)), together);
    }
}

static void test_endpoints(void **state)
{
    (void)state;
    for (unsigned value = 0; value < 256; value++) {
        for (unsigned endpoint = 0; endpoint < 256; endpoint++) {
            uint16_t a = omptape_pack_endpoint(value, endpoint);
            assert_int_equal(omptape_endpoint_value(a), value);
            assert_int_equal(omptape_endpoint(a), endpoint);
        }
    }
    /* A value that does not fit does not become an endpoint. */
    assert_int_equal(omptape_endpoint(omptape_pack_endpoint(0x1ff, 1)), 1);
}

static void test_identities_differ(void **state)
{
    (void)state;
    assert_int_not_equal(omptape_id(0, 1), 0);
    assert_int_not_equal(omptape_id(0, 2), omptape_id(0, 1));
    assert_int_not_equal(omptape_id(1, 1), omptape_id(0, 1));
    assert_int_equal(omptape_id(5, 7) >> OMPTAPE_ID_SEQUENCE_BITS, 5);
    /* The highest slot leaves the bit of implicit tasks alone, and no number runs into the slot's bits. */
    uint64_t highest = omptape_id(OMPTAPE_MAX_SLOTS - 1, UINT64_MAX);
    assert_int_equal(highest & OMPTAPE_ID_IMPLICIT, 0);
    assert_int_equal(highest >> OMPTAPE_ID_SEQUENCE_BITS, OMPTAPE_MAX_SLOTS - 1);
}

static void test_header_holds_its_fields(void **state)
{
    (void)state;
    struct session session;
    session_open(&session, 4);
    struct omptape_slot *slot = session_new_thread();
    struct omptape_stream *stream = session_stream(&session, slot->index);
    assert_non_null(session_next(&session, stream));

    uint64_t before = omptape_clock_now();
    omptape_put(slot, OMPTAPE_PLACE, 0xffff, UINT32_MAX);
    omptape_put1(slot, OMPTAPE_ERROR, 0x10001, 0, 11);
    omptape_put2(slot, OMPTAPE_CANCEL, 0, 0x80000000, 21, 22);
    omptape_put3(slot, OMPTAPE_CONTROL_TOOL, 3, 4, 31, 32, UINT64_MAX);
    uint64_t after = omptape_clock_now();
    static const struct {
        uint8_t kind, words;
        uint16_t a;
        uint32_t b;
        uint64_t p[3];
    } expected[] = {{OMPTAPE_PLACE, 2, 0xffff, UINT32_MAX, {0}},
                    {OMPTAPE_ERROR, 3, 1, 0, {11}},
                    {OMPTAPE_CANCEL, 4, 0, 0x80000000, {21, 22}},
                    {OMPTAPE_CONTROL_TOOL, 5, 3, 4, {31, 32, UINT64_MAX}}};
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        const struct omptape_record *record = session_next(&session, stream);
        assert_int_equal(record->kind, expected[i].kind);
        assert_int_equal(record->words, expected[i].words);
        assert_int_equal(record->a, expected[i].a);
        assert_int_equal(record->b, expected[i].b);
        assert_memory_equal(record->p, expected[i].p, (record->words - OMPTAPE_RECORD_HEADER_WORDS) * 8U);
        assert_true(record->time >= before && record->time <= after);
    }
    /* A thread that is not recorded. */
    omptape_put(NULL, OMPTAPE_FLUSH, 0, 0);
    omptape_put1(NULL, OMPTAPE_FLUSH, 0, 0, 1);
    omptape_put2(NULL, OMPTAPE_FLUSH, 0, 0, 1, 2);
    omptape_put3(NULL, OMPTAPE_FLUSH, 0, 0, 1, 2, 3);
    assert_null(session_next(&session, stream));
    session_close(&session);
}

/* The text that `words` words hold. */
static void expect_text(const uint64_t *payload, size_t words, const char *text)
{
    assert_int_equal(words, strlen(text) / 8 + 1);
    assert_string_equal((const char *)payload, text);
    for (size_t i = strlen(text); i < words * 8; i++)
        assert_int_equal(((const char *)payload)[i], 0);
}

static void test_texts_are_padded_and_cut(void **state)
{
    (void)state;
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz";
    enum { MAX_WORDS = 4 };
    for (size_t length = 0; length < sizeof(alphabet); length++) {
        for (size_t room = 1; room <= MAX_WORDS; room++) {
            uint64_t payload[MAX_WORDS + 1];
            char expected[sizeof(alphabet)];
            memset(payload, 0xee, sizeof(payload));
            size_t kept = length < room * 8 - 1 ? length : room * 8 - 1;
            snprintf(expected, sizeof(expected), "%.*s", (int)kept, alphabet);
            size_t words = omptape_producer_text(payload, room, alphabet, length);
            expect_text(payload, words, expected);
            assert_true(words <= room);
            assert_int_equal(payload[words], UINT64_C(0xeeeeeeeeeeeeeeee));
        }
    }
}

static void test_texts_end_where_they_end(void **state)
{
    (void)state;
    uint64_t payload[2];
    expect_text(payload, omptape_producer_text(payload, 2, "ab\0cd", 5), "ab");
    expect_text(payload, omptape_producer_text(payload, 2, "ab", SIZE_MAX), "ab");
    expect_text(payload, omptape_producer_text(payload, 2, NULL, SIZE_MAX), "");
    expect_text(payload, omptape_producer_text(payload, 2, "ab", 0), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flags_survive_folding),
        cmocka_unit_test(test_every_flag_of_ompt_has_its_place),
        cmocka_unit_test(test_endpoints),
        cmocka_unit_test(test_identities_differ),
        cmocka_unit_test(test_header_holds_its_fields),
        cmocka_unit_test(test_texts_are_padded_and_cut),
        cmocka_unit_test(test_texts_end_where_they_end),
    };
    return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
