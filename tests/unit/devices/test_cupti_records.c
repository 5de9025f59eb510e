/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parser of CUPTI's activity buffers (device/cupti/records.c): whole and damaged ones, of several
 * versions of CUPTI; and with cuptiActivityGetNextRecord itself where libcupti is installed, which reads
 * buffers without any driver.
 */
#include "device/cupti/records.h"
#include "tests/cupti/activity.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = 1 << 16, HOME = 40, UNKNOWN_ORDINAL = 9, UNKNOWN_KIND = 9999 };

static uint64_t memory[BYTES / sizeof(uint64_t)];
static omptape_cupti_next_t next_record = activity_next;

static struct activity_buffer empty_buffer(void)
{
    memset(memory, 0xee, sizeof(memory));
    return (struct activity_buffer){.bytes = (uint8_t *)memory, .size = sizeof(memory)};
}

/* Device n of CUDA has number n + 10 here. */
static int number(uint32_t ordinal)
{
    return ordinal < UNKNOWN_ORDINAL ? (int)ordinal + 10 : -1;
}

static ompt_buffer_cursor_t next(const struct activity_buffer *buffer, ompt_buffer_cursor_t current)
{
    return omptape_cupti_next_cursor(next_record, buffer->bytes, buffer->used, current);
}

static struct omptape_record_detail detail_at(ompt_buffer_cursor_t cursor)
{
    struct omptape_record_detail detail;
    assert_true(omptape_cupti_record_detail(cursor, number, HOME, &detail));
    return detail;
}

/* The only record of the buffer. */
static struct omptape_record_detail only_detail(const struct activity_buffer *buffer)
{
    ompt_buffer_cursor_t cursor = next(buffer, 0);
    assert_int_not_equal(cursor, 0);
    assert_int_equal(next(buffer, cursor), 0);
    return detail_at(cursor);
}

static void test_kernel(void **state)
{
    (void)state;
    struct activity_buffer buffer = empty_buffer();
    activity_kernel(&buffer, 1000, 5000, 1, 13, 77, "_Z3addPd");

    ompt_buffer_cursor_t cursor = next(&buffer, 0);
    assert_int_equal(omptape_cupti_record_type(cursor), ompt_record_native);
    ompt_id_t operation = 5;
    void *native = omptape_cupti_record_native(cursor, &operation);
    assert_int_equal(operation, 0);
    ompt_record_abstract_t *abstract = omptape_cupti_record_abstract(native);
    assert_int_equal(abstract->rclass, ompt_record_native_event);
    assert_string_equal(abstract->type, "CONCURRENT_KERNEL");
    assert_int_equal(abstract->start_time, 1000);
    assert_int_equal(abstract->end_time, 5000);
    assert_int_equal(abstract->hwid, 13);
    struct omptape_record_detail detail = only_detail(&buffer);
    assert_int_equal(detail.device, 11);
    assert_int_equal(detail.activity, OMPTAPE_ACTIVITY_KERNEL);
    assert_int_equal(detail.stream, 13);
    assert_int_equal(detail.context, activity_context(1));
    assert_int_equal(detail.correlation, 77);
    assert_int_equal(detail.operation, 0);
    assert_int_equal(detail.teams, 256);
    assert_int_equal(detail.threads, 64);
    assert_int_equal(detail.peer, -1);
    assert_string_equal(detail.name, "_Z3addPd");
}

static void test_grid_overflow(void **state)
{
    (void)state;
    struct activity_buffer buffer = empty_buffer();
    struct omptape_cupti_kernel kernel = {.kind = OMPTAPE_CUPTI_KIND_CONCURRENT_KERNEL,
                                          .grid = {INT32_MAX, INT32_MAX, INT32_MAX},
                                          .block = {-5, 0, 3}};
    activity_put(&buffer, &kernel, sizeof(kernel));
    struct omptape_record_detail detail = only_detail(&buffer);
    assert_int_equal(detail.teams, UINT32_MAX);
    assert_int_equal(detail.threads, 3);
}

static void test_copies(void **state)
{
    (void)state;
    static const struct {
        uint8_t kind;
        enum omptape_copy copy;
    } table[] = {
        {0, OMPTAPE_COPY_OTHER},
        {OMPTAPE_CUPTI_COPY_HTOD, OMPTAPE_COPY_TO_DEVICE},
        {OMPTAPE_CUPTI_COPY_DTOH, OMPTAPE_COPY_FROM_DEVICE},
        {OMPTAPE_CUPTI_COPY_HTOA, OMPTAPE_COPY_TO_DEVICE},
        {OMPTAPE_CUPTI_COPY_ATOH, OMPTAPE_COPY_FROM_DEVICE},
        {OMPTAPE_CUPTI_COPY_ATOA, OMPTAPE_COPY_ON_DEVICE},
        {OMPTAPE_CUPTI_COPY_ATOD, OMPTAPE_COPY_ON_DEVICE},
        {OMPTAPE_CUPTI_COPY_DTOA, OMPTAPE_COPY_ON_DEVICE},
        {OMPTAPE_CUPTI_COPY_DTOD, OMPTAPE_COPY_ON_DEVICE},
        {OMPTAPE_CUPTI_COPY_HTOH, OMPTAPE_COPY_HOST},
        {OMPTAPE_CUPTI_COPY_PTOP, OMPTAPE_COPY_PEER},
        {200, OMPTAPE_COPY_OTHER},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct activity_buffer buffer = empty_buffer();
        activity_copy(&buffer, table[i].kind, 10, 20, 0, 14, 5, 4096);
        struct omptape_record_detail detail = only_detail(&buffer);
        assert_int_equal(detail.activity, OMPTAPE_ACTIVITY_COPY);
        assert_int_equal(detail.copy, table[i].copy);
        assert_int_equal(detail.bytes, 4096);
        assert_int_equal(detail.device, 10);
        assert_int_equal(detail.stream, 14);
        assert_int_equal(detail.peer, -1);
    }
}

static void test_peer(void **state)
{
    (void)state;
    struct activity_buffer buffer = empty_buffer();
    activity_peer(&buffer, 10, 20, 2, 5, 33, 1 << 20);
    struct omptape_record_detail detail = only_detail(&buffer);
    assert_int_equal(detail.copy, OMPTAPE_COPY_PEER);
    assert_int_equal(detail.device, 15);
    assert_int_equal(detail.peer, 12);
    assert_int_equal(detail.correlation, 33);
    assert_int_equal(detail.bytes, 1 << 20);
}

static void test_set(void **state)
{
    (void)state;
    struct activity_buffer buffer = empty_buffer();
    activity_set(&buffer, 10, 20, 0, 7, 9, 512);
    struct omptape_record_detail detail = only_detail(&buffer);
    assert_int_equal(detail.activity, OMPTAPE_ACTIVITY_SET);
    assert_int_equal(detail.bytes, 512);
    assert_int_equal(detail.correlation, 9);
}

/* Synchronisation names a context alone: its device is known from another record, else it is the home. */
static void test_sync(void **state)
{
    (void)state;
    struct activity_buffer buffer = empty_buffer();
    activity_sync(&buffer, OMPTAPE_CUPTI_SYNC_STREAM, 10, 20, 1000, 13, 3);
    assert_int_equal(only_detail(&buffer).device, HOME);
    omptape_cupti_note_context(1000, 4);
    struct omptape_record_detail detail = only_detail(&buffer);
    assert_int_equal(detail.device, 14);
    assert_int_equal(detail.activity, OMPTAPE_ACTIVITY_SYNC);
    assert_int_equal(detail.stream, 13);
    assert_int_equal(detail.context, 1000);
    assert_string_equal(detail.name, "stream synchronize");

    omptape_cupti_note_context(1000, 5);
    assert_int_equal(only_detail(&buffer).device, 15);

    buffer = empty_buffer();
    activity_sync(&buffer, OMPTAPE_CUPTI_SYNC_CONTEXT, 10, 20, 1000, UINT32_MAX, 3);
    detail = only_detail(&buffer);
    assert_int_equal(detail.stream, OMPTAPE_CUPTI_NO_STREAM);
    assert_string_equal(detail.name, "context synchronize");
}

/* More contexts than are remembered: those beyond are at home. */
static void test_many_contexts(void **state)
{
    (void)state;
    struct activity_buffer buffer = empty_buffer();
    for (uint32_t context = 0; context < 2000; context++)
        omptape_cupti_note_context(0x10000 + context, 3);
    activity_sync(&buffer, 0, 10, 20, 0x10000, 13, 3);
    assert_int_equal(only_detail(&buffer).device, 13);
    buffer = empty_buffer();
    activity_sync(&buffer, 0, 10, 20, 0x10000 + 1999, 13, 3);
    assert_int_equal(only_detail(&buffer).device, HOME);
}

static void test_external(void **state)
{
    (void)state;
    struct activity_buffer buffer = empty_buffer();
    activity_external(&buffer, 2, 5, 50); /* somebody else's */
    activity_external(&buffer, OMPTAPE_CUPTI_EXTERNAL_CUSTOM0, 0, 51);
    activity_external(&buffer, OMPTAPE_CUPTI_EXTERNAL_CUSTOM0, UINT64_C(1) << 50, 52);
    ompt_buffer_cursor_t cursor = next(&buffer, 0);
    ompt_id_t operation = 0;
    assert_int_equal(omptape_cupti_record_type(cursor), ompt_record_native);
    ompt_record_abstract_t *abstract =
        omptape_cupti_record_abstract(omptape_cupti_record_native(cursor, &operation));
    assert_int_equal(operation, UINT64_C(1) << 50);
    assert_int_equal(abstract->rclass, ompt_record_native_info);
    assert_int_equal(abstract->start_time, 0);
    assert_int_equal(abstract->end_time, 0);
    struct omptape_record_detail detail = only_detail(&buffer);
    assert_int_equal(detail.activity, OMPTAPE_ACTIVITY_OTHER);
    assert_int_equal(detail.operation, UINT64_C(1) << 50);
    assert_int_equal(detail.correlation, 52);
    assert_int_equal(detail.device, HOME);
}

static void test_memory(void **state)
{
    (void)state;
    struct activity_buffer buffer = empty_buffer();
    activity_memory(&buffer, 0, 3, 100, 0, 1, 10);
    activity_memory(&buffer, OMPTAPE_CUPTI_MEMORY_ALLOCATION, 3, 100, 0, 1, 4096);
    activity_memory(&buffer, OMPTAPE_CUPTI_MEMORY_RELEASE, 3, 200, 0, 2, 4096);
    activity_memory(&buffer, OMPTAPE_CUPTI_MEMORY_ALLOCATION, OMPTAPE_CUPTI_MEMORY_PINNED, 300, 0, 3, 64);
    ompt_buffer_cursor_t cursor = next(&buffer, 0);
    struct omptape_record_detail detail = detail_at(cursor);
    assert_int_equal(detail.activity, OMPTAPE_ACTIVITY_ALLOC);
    assert_int_equal(detail.copy, OMPTAPE_COPY_OTHER);
    assert_int_equal(detail.bytes, 4096);
    assert_int_equal(detail.stream, OMPTAPE_CUPTI_NO_STREAM);
    ompt_record_abstract_t *abstract =
        omptape_cupti_record_abstract(omptape_cupti_record_native(cursor, NULL));
    assert_int_equal(abstract->start_time, 100);
    assert_int_equal(abstract->end_time, 100);
    cursor = next(&buffer, cursor);
    assert_int_equal(detail_at(cursor).activity, OMPTAPE_ACTIVITY_FREE);
    cursor = next(&buffer, cursor);
    assert_int_equal(detail_at(cursor).copy, OMPTAPE_COPY_HOST);
    assert_int_equal(next(&buffer, cursor), 0);
}

/* CUPTI gives time 0 where it could not take one. */
static void test_zero_times(void **state)
{
    (void)state;
    static const uint64_t times[][2] = {{0, 0}, {0, 5}, {5, 0}, {5, 5}};
    static const ompt_record_t types[] = {ompt_record_invalid, ompt_record_invalid, ompt_record_invalid,
                                          ompt_record_native};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        struct activity_buffer buffer = empty_buffer();
        activity_kernel(&buffer, times[i][0], times[i][1], 0, 7, 1, "k");
        activity_copy(&buffer, 1, times[i][0], times[i][1], 0, 7, 1, 1);
        activity_peer(&buffer, times[i][0], times[i][1], 0, 1, 1, 1);
        activity_set(&buffer, times[i][0], times[i][1], 0, 7, 1, 1);
        activity_sync(&buffer, 1, times[i][0], times[i][1], 0, 7, 1);
        unsigned count = 0;
        for (ompt_buffer_cursor_t at = next(&buffer, 0); at != 0; at = next(&buffer, at), count++)
            assert_int_equal(omptape_cupti_record_type(at), types[i]);
        assert_int_equal(count, 5);
    }
}

/* API calls and kinds that a later CUPTI may add lie between the records that count. */
static void test_other_kinds(void **state)
{
    (void)state;
    struct activity_buffer buffer = empty_buffer();
    for (uint32_t i = 0; i < 5; i++) {
        activity_driver(&buffer, i);
        activity_kernel(&buffer, 10 + i, 20 + i, 0, 7, i, "k");
        activity_driver(&buffer, i);
    }
    uint32_t count = 0;
    for (ompt_buffer_cursor_t at = next(&buffer, 0); at != 0; at = next(&buffer, at))
        assert_int_equal(detail_at(at).correlation, count++);
    assert_int_equal(count, 5);
}

static void test_empty(void **state)
{
    (void)state;
    struct activity_buffer buffer = empty_buffer();
    assert_int_equal(next(&buffer, 0), 0);
    activity_driver(&buffer, 1);
    assert_int_equal(next(&buffer, 0), 0);
}

static void test_unknown_device(void **state)
{
    (void)state;
    struct activity_buffer buffer = empty_buffer();
    activity_kernel(&buffer, 1, 2, UNKNOWN_ORDINAL, 7, 1, "k");
    assert_int_equal(only_detail(&buffer).device, HOME);
}

/* A buffer that ends anywhere: only whole records come out of it. */
static void test_truncated(void **state)
{
    (void)state;
    struct activity_buffer buffer = empty_buffer();
    size_t ends[4];
    activity_kernel(&buffer, 1, 2, 0, 7, 1, "k");
    ends[0] = buffer.used;
    activity_external(&buffer, OMPTAPE_CUPTI_EXTERNAL_CUSTOM0, 5, 1);
    ends[1] = buffer.used;
    activity_copy(&buffer, 1, 1, 2, 0, 7, 1, 1);
    ends[2] = buffer.used;
    activity_sync(&buffer, 1, 1, 2, 0, 7, 1);
    ends[3] = buffer.used;
    size_t whole = buffer.used;
    for (buffer.used = 0; buffer.used <= whole; buffer.used++) {
        unsigned expected = 0;
        unsigned count = 0;
        for (size_t i = 0; i < 4; i++)
            expected += buffer.used >= ends[i];
        for (ompt_buffer_cursor_t at = next(&buffer, 0); at != 0; at = next(&buffer, at))
            count++;
        assert_int_equal(count, expected);
    }
}

/* Whatever the walk itself answers, no cursor leaves the buffer or goes back. */
static uintptr_t answers[2];
static int lying_next(uint8_t *buffer, size_t valid, struct omptape_cupti_activity **record)
{
    (void)valid;
    *record = (struct omptape_cupti_activity *)(void *)(buffer + answers[*record != NULL]);
    return OMPTAPE_CUPTI_SUCCESS;
}

static void test_lies(void **state)
{
    (void)state;
    static const uintptr_t lies[] = {0, 1, 4, 8, BYTES - 8, BYTES, BYTES + 8, (uintptr_t)-8};
    struct activity_buffer buffer = empty_buffer();
    for (int i = 0; i < 4; i++)
        activity_kernel(&buffer, 1, 2, 0, 7, 1, "k");
    buffer.used = BYTES;
    next_record = lying_next;
    for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        answers[0] = 0;
        answers[1] = lies[i];
        ompt_buffer_cursor_t first = next(&buffer, 0);
        assert_ptr_equal((void *)(uintptr_t)first, buffer.bytes);
        assert_int_equal(next(&buffer, first), 0);
    }
    next_record = activity_next;
}

/* Random bytes changed in a good buffer: the walk ends, and all cursors are inside. */
static void test_damage(void **state)
{
    (void)state;
    srand(1);
    for (int round = 0; round < 2000; round++) {
        struct activity_buffer buffer = empty_buffer();
        for (uint32_t i = 0; i < 20; i++) {
            activity_kernel(&buffer, 1, 2, 0, 7, i, "k");
            activity_copy(&buffer, 1, 1, 2, 0, 7, i, 1);
            activity_external(&buffer, OMPTAPE_CUPTI_EXTERNAL_CUSTOM0, 5, i);
        }
        for (int i = 0; i < 20; i++)
            buffer.bytes[(size_t)rand() % buffer.used] = (uint8_t)rand();
        buffer.used = (size_t)rand() % (buffer.used + 1);
        ompt_buffer_cursor_t last = 0;
        for (ompt_buffer_cursor_t at = next(&buffer, 0); at != 0; at = next(&buffer, at)) {
            assert_true(at > last);
            assert_in_range(at, (uintptr_t)buffer.bytes, (uintptr_t)buffer.bytes + buffer.used - 1);
            (void)omptape_cupti_record_type(at);
            (void)detail_at(at);
            last = at;
        }
    }
}

static void test_versions(void **state)
{
    for (int cuda = 0; cuda < ACTIVITY_CUDA_COUNT; cuda++) {
        activity_cuda = (enum activity_cuda)cuda;
        test_kernel(state);
        test_copies(state);
        test_peer(state);
        test_set(state);
        test_external(state);
        test_memory(state);
        test_other_kinds(state);
        test_truncated(state);
    }
    activity_cuda = ACTIVITY_CUDA_13_0;
}

/* The walk of CUPTI itself. */
static void test_real_walk(void **state)
{
    void *library = dlopen("libcupti.so.13", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        skip();
    *(void **)&next_record = dlsym(library, "cuptiActivityGetNextRecord");
    assert_non_null(*(void **)&next_record);
    test_kernel(state);
    test_copies(state);
    test_peer(state);
    test_set(state);
    test_external(state);
    test_memory(state);
    test_zero_times(state);
    test_other_kinds(state);
    test_truncated(state);
    test_damage(state);
    next_record = activity_next;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernel),
        cmocka_unit_test(test_grid_overflow),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_peer),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_sync),
        cmocka_unit_test(test_external),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_zero_times),
        cmocka_unit_test(test_other_kinds),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_many_contexts),
        cmocka_unit_test(test_unknown_device),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_lies),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_real_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
