/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of reading delivered records: all kinds, native ones, and damage of every sort. Run by CTest as
 * unit.device_records.
 */
#include "tests/unit/devices/device_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { CELL = sizeof(struct fake_cell) };

static struct fake_cell *buffer;
static size_t cells;

static int setup(void **state)
{
    fake_setup(state);
    fake_initialize(1, NULL, fake_lookup);
    buffer = fake_request(1, &cells);
    return buffer == NULL || cells < 16;
}

static int teardown(void **state)
{
    return fake_teardown(state);
}

/* Ends the device and reads one of its sums. */
static uint64_t sum(unsigned which)
{
    fake_finalize(1);
    const struct omptape_record *record = fake_next(OMPTAPE_DEVICE_SUMMARY);
    assert_non_null(record);
    assert_int_equal(record->words, 2 + 7);
    return record->p[which];
}
enum { REQUESTED = 0, REFUSED = 1, COMPLETED = 2, TAKEN = 3, INVALID = 4, OUTSTANDING = 5 };

static void kernels_come_as_they_were(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++)
        fake_fill_submit(&buffer[i], 10 + i);
    fake_complete(1, buffer, 0, 3, true);
    for (unsigned i = 0; i < 3; i++) {
        const struct omptape_record *record = fake_next(OMPTAPE_DEVICE_RECORD);
        ompt_record_target_kernel_t kernel;
        assert_non_null(record);
        assert_int_equal(record->a, ompt_callback_target_submit);
        assert_int_equal(record->b, 1);
        assert_int_equal(record->words, 2 + 3 + sizeof(kernel) / 8);
        assert_int_equal(record->p[0], 1010 + i);
        assert_int_equal(record->p[1], 77);
        assert_int_equal(record->p[2], 5);
        memcpy(&kernel, record->p + 3, sizeof(kernel));
        assert_int_equal(kernel.host_op_id, 10 + i);
        assert_int_equal(kernel.requested_num_teams, 8);
        assert_int_equal(kernel.granted_num_teams, 4);
        assert_int_equal(kernel.end_time, 2010 + i);
    }
    assert_null(fake_next(OMPTAPE_DEVICE_RECORD));
}

static void every_kind_has_its_size(void **state)
{
    (void)state;
    static const struct {
        unsigned type;
        size_t bytes;
    } kinds[] = {
        {ompt_callback_thread_begin, sizeof(ompt_record_thread_begin_t)},
        {ompt_callback_thread_end, 0},
        {ompt_callback_parallel_begin, sizeof(ompt_record_parallel_begin_t)},
        {ompt_callback_work, sizeof(ompt_record_work_t)},
        {ompt_callback_dispatch, sizeof(ompt_record_dispatch_t)},
        {ompt_callback_dependences, sizeof(ompt_record_dependences_t)},
        {ompt_callback_implicit_task, sizeof(ompt_record_implicit_task_t)},
        {ompt_callback_sync_region_wait, sizeof(ompt_record_sync_region_t)},
        {ompt_callback_mutex_acquire, sizeof(ompt_record_mutex_acquire_t)},
        {ompt_callback_target, sizeof(ompt_record_target_t)},
        {ompt_callback_target_emi, sizeof(ompt_record_target_t)},
        {ompt_callback_target_data_op, sizeof(ompt_record_target_data_op_t)},
        {ompt_callback_target_data_op_emi, sizeof(ompt_record_target_data_op_t)},
        {ompt_callback_target_map, sizeof(ompt_record_target_map_t)},
        {ompt_callback_control_tool, sizeof(ompt_record_control_tool_t)},
    };
    enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };
    for (size_t i = 0; i < KINDS; i++) {
        memset(&buffer[i], 0x5a, sizeof(buffer[i]));
        buffer[i].type = ompt_record_ompt;
        buffer[i].absent = 0;
        buffer[i].ompt.type = (ompt_callbacks_t)kinds[i].type;
    }
    fake_complete(1, buffer, 0, KINDS, true);
    for (size_t i = 0; i < KINDS; i++) {
        const struct omptape_record *record = fake_next(OMPTAPE_DEVICE_RECORD);
        assert_non_null(record);
        assert_int_equal(record->a, kinds[i].type);
        assert_int_equal(record->words, 2 + 3 + (kinds[i].bytes + 7) / 8);
        assert_memory_equal(record->p + 3, &buffer[i].ompt.record, kinds[i].bytes);
        for (size_t j = kinds[i].bytes; j < (kinds[i].bytes + 7) / 8 * 8; j++)
            assert_int_equal(((const char *)(record->p + 3))[j], 0);
    }
    assert_int_equal(sum(INVALID), 0);
}

static void native_records_say_what_ompt_knows(void **state)
{
    (void)state;
    fake_fill_native(&buffer[0], 42, "barrier packet");
    buffer[0].abstract.rclass = ompt_record_native_info;
    fake_complete(1, buffer, 0, 1, true);
    const struct omptape_record *record = fake_next(OMPTAPE_DEVICE_NATIVE);
    assert_non_null(record);
    assert_int_equal(record->a, ompt_record_native_info);
    assert_int_equal(record->b, 1);
    assert_int_equal(record->p[0], 142);
    assert_int_equal(record->p[1], 242);
    assert_int_equal(record->p[2], 3);
    assert_int_equal(record->p[3], 42);
    assert_int_equal((int32_t)(record->p[5] >> 32), -1);
    assert_string_equal((const char *)(record->p + 9), "barrier packet");
}

static void long_names_are_cut(void **state)
{
    (void)state;
    static char name[5000];
    memset(name, 'n', sizeof(name) - 1);
    fake_fill_native(&buffer[0], 1, "");
    buffer[0].abstract.type = name;
    fake_complete(1, buffer, 0, 1, true);
    const struct omptape_record *record = fake_next(OMPTAPE_DEVICE_NATIVE);
    assert_non_null(record);
    assert_int_equal(record->words, OMPTAPE_RECORD_MAX_WORDS);
    assert_int_equal(strlen((const char *)(record->p + 9)), (OMPTAPE_RECORD_MAX_WORDS - 11) * 8 - 1);
}

static void absent_and_invalid_records_are_passed_over(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 6; i++)
        fake_fill_submit(&buffer[i], i);
    buffer[0].absent = 1;
    buffer[1].type = ompt_record_invalid;
    buffer[2].type = 0;
    buffer[3].ompt.type = (ompt_callbacks_t)12345;
    fake_fill_native(&buffer[4], 4, "x");
    buffer[4].absent = 1;
    fake_complete(1, buffer, 0, 6, true);
    const struct omptape_record *record = fake_next(OMPTAPE_DEVICE_RECORD);
    assert_non_null(record);
    assert_int_equal(record->p[0], 1005);
    assert_null(fake_next(OMPTAPE_DEVICE_RECORD));
}

static void invalid_records_are_counted(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++)
        fake_fill_submit(&buffer[i], i);
    buffer[0].absent = 1;
    buffer[1].type = ompt_record_invalid;
    buffer[2].ompt.type = (ompt_callbacks_t)12345;
    fake_complete(1, buffer, 0, 4, true);
    assert_int_equal(sum(INVALID), 2);
}

static void record_types_may_be_missing(void **state)
{
    (void)state;
    fake.lacks[0] = "ompt_get_record_type";
    fake_initialize(1, NULL, fake_lookup);
    fake_fill_submit(&buffer[0], 7);
    buffer[0].type = 99;
    fake_complete(1, buffer, 0, 1, false);
    assert_non_null(fake_next(OMPTAPE_DEVICE_RECORD));

    fake.lacks[1] = "ompt_get_record_ompt";
    fake_initialize(1, NULL, fake_lookup);
    struct fake_cell *other = fake_request(1, &cells);
    fake_fill_native(&other[0], 7, "native");
    fake_complete(1, other, 0, 1, true);
    assert_non_null(fake_next(OMPTAPE_DEVICE_NATIVE));
}

/* A record may be put together elsewhere, at any alignment. */
static void records_outside_the_buffer_are_read(void **state)
{
    (void)state;
    static char memory[sizeof(ompt_record_ompt_t) + 1];
    struct fake_cell cell;
    fake_fill_submit(&cell, 9);
    memcpy(memory + 1, &cell.ompt, sizeof(cell.ompt));
    buffer[0].type = ompt_record_ompt;
    fake.record_elsewhere = memory + 1;
    fake_complete(1, buffer, 0, 1, true);
    const struct omptape_record *record = fake_next(OMPTAPE_DEVICE_RECORD);
    assert_non_null(record);
    assert_int_equal(record->p[0], 1009);
}

static void wild_pointers_are_not_followed(void **state)
{
    (void)state;
    if (getenv("OMPTAPE_TEST_EMULATED") != NULL)
        skip(); /* there is no process_vm_readv to try them with */
    long page = sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, (size_t)page * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    assert_int_equal(mprotect(pages + page, (size_t)page, PROT_NONE), 0);
    /* The head of a record can be read, but not its end. */
    struct fake_cell cell;
    fake_fill_submit(&cell, 1);
    memcpy(pages + page - 40, &cell.ompt, 40);
    const void *const wild[] = {(void *)8,          (void *)(UINTPTR_MAX - 15), (void *)0x800000000000,
                                pages + page,       pages + page - 40,          pages + page - 8,
                                (char *)buffer - 1, (char *)buffer + 8192 - 40};
    enum { WILD = sizeof(wild) / sizeof(wild[0]) };
    memcpy((char *)buffer + 8192 - 40, &cell.ompt, 40);
    for (size_t i = 0; i < WILD; i++) {
        fake_fill_submit(&buffer[0], i);
        fake.record_elsewhere = wild[i];
        fake_complete(1, buffer, 0, 1, false);
        fake_fill_native(&buffer[0], i, "name");
        /* An abstract is shorter. */
        fake.abstract_elsewhere = i == 4 || i > 5 ? pages + page : wild[i];
        fake_complete(1, buffer, 0, 1, false);
    }
    assert_int_equal(sum(INVALID), 2 * WILD);
    munmap(pages, (size_t)page * 2);
}

static void wild_names_are_left_out(void **state)
{
    (void)state;
    if (getenv("OMPTAPE_TEST_EMULATED") != NULL)
        skip(); /* there is no process_vm_readv to try them with */
    long page = sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, (size_t)page * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    assert_int_equal(mprotect(pages + page, (size_t)page, PROT_NONE), 0);
    memset(pages + page - 6, 'k', 6);
    const char *const names[] = {NULL, (char *)16, pages + page - 6};
    static const char *const expected[] = {"", "", "kkkkkk"};
    for (unsigned i = 0; i < 3; i++) {
        fake_fill_native(&buffer[0], i, "");
        buffer[0].abstract.type = names[i];
        fake_complete(1, buffer, 0, 1, false);
        const struct omptape_record *record = fake_next(OMPTAPE_DEVICE_NATIVE);
        assert_non_null(record);
        assert_string_equal((const char *)(record->p + 9), expected[i]);
    }
    munmap(pages, (size_t)page * 2);
}

static unsigned advanced;

static int advance_never(ompt_buffer_cursor_t current, ompt_buffer_cursor_t *next)
{
    *next = current;
    return 1;
}

static int advance_in_a_circle(ompt_buffer_cursor_t current, ompt_buffer_cursor_t *next)
{
    *next = (current + CELL) % (5 * (size_t)CELL);
    return ++advanced < 1000000;
}

/* One that the start is no part of. */
static int advance_into_a_circle(ompt_buffer_cursor_t current, ompt_buffer_cursor_t *next)
{
    *next = current < 5 * (size_t)CELL ? current + CELL : (size_t)CELL;
    return ++advanced < 1000000;
}

/* To the buffer's end, whatever the range. */
static int advance_too_far(ompt_buffer_cursor_t current, ompt_buffer_cursor_t *next)
{
    *next = current + CELL;
    return *next + CELL <= 8192;
}

static void walks_end(void **state)
{
    (void)state;
    for (unsigned i = 0; i < cells; i++)
        fake_fill_submit(&buffer[i], i);
    fake.advance = advance_never;
    fake_complete(1, buffer, 0, 8, false);
    assert_non_null(fake_next(OMPTAPE_DEVICE_RECORD));
    assert_null(fake_next(OMPTAPE_DEVICE_RECORD));

    advanced = 0;
    fake.advance = advance_in_a_circle;
    fake_complete(1, buffer, 0, 8, false);
    assert_int_equal(advanced, 5);
    assert_int_equal(fake_count(OMPTAPE_DEVICE_RECORD), 5);

    advanced = 0;
    fake.advance = advance_into_a_circle;
    fake_complete(1, buffer, 0, 8, false);
    assert_in_range(advanced, 6, 16);
    assert_in_range(fake_count(OMPTAPE_DEVICE_RECORD), 6, 16);

    fake.advance = advance_too_far;
    fake_complete(1, buffer, 0, 8, false);
    assert_int_equal(fake_count(OMPTAPE_DEVICE_RECORD), 8);
    assert_int_equal(sum(INVALID), 4);
}

/* Never the same cursor, but the same records again and again. */
static int advance_endlessly(ompt_buffer_cursor_t current, ompt_buffer_cursor_t *next)
{
    (void)current;
    advanced++;
    *next = advanced % 8 * CELL | (uint64_t)advanced << 32;
    return 1;
}

static void walks_are_bounded(void **state)
{
    (void)state;
    for (unsigned i = 0; i < cells; i++)
        fake_fill_submit(&buffer[i], i);
    advanced = 0;
    fake.advance = advance_endlessly;
    fake_complete(1, buffer, 0, cells, false);
    assert_in_range(advanced, 1, cells * CELL / 8 + 1);
}

static void sub_ranges_and_late_ones_are_read(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 9; i++)
        fake_fill_submit(&buffer[i], i);
    fake_complete(1, buffer, 6, 3, false);
    fake_complete(1, buffer, 0, 3, false);
    /* Given back before all of it was delivered. */
    fake_complete(1, buffer, 0, 0, true);
    fake_complete(1, buffer, 3, 3, false);
    assert_int_equal(fake_count(OMPTAPE_DEVICE_RECORD), 9);
    /* Again what was there. */
    fake_complete(1, buffer, 3, 3, true);
    fake_complete(1, buffer, 6, 3, true);
    assert_int_equal(fake_count(OMPTAPE_DEVICE_RECORD), 0);
    assert_int_equal(sum(OUTSTANDING), 0);
}

static void what_comes_after_the_end_is_read(void **state)
{
    (void)state;
    fake_fill_submit(&buffer[0], 1);
    assert_int_equal(sum(OUTSTANDING), 1);
    fake_complete(1, buffer, 0, 1, true);
    const struct omptape_record *record = fake_next(OMPTAPE_DEVICE_RECORD);
    assert_non_null(record);
    record = fake_next(OMPTAPE_DEVICE_SUMMARY);
    assert_non_null(record);
    assert_int_equal(record->p[TAKEN], 1);
    /* But there are no more buffers. */
    assert_null(fake_request(1, &cells));
}

static void records_name_a_known_device(void **state)
{
    (void)state;
    fake_fill_submit(&buffer[0], 1);
    fake_complete(0, buffer, 0, 1, true);
    const struct omptape_record *record = fake_next(OMPTAPE_DEVICE_RECORD);
    assert_non_null(record);
    assert_int_equal(record->b, 1);
    assert_non_null(fake_request(0, &cells));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(kernels_come_as_they_were),
        TEST(every_kind_has_its_size),
        TEST(native_records_say_what_ompt_knows),
        TEST(long_names_are_cut),
        TEST(absent_and_invalid_records_are_passed_over),
        TEST(invalid_records_are_counted),
        TEST(record_types_may_be_missing),
        TEST(records_outside_the_buffer_are_read),
        TEST(wild_pointers_are_not_followed),
        TEST(wild_names_are_left_out),
        TEST(walks_end),
        TEST(walks_are_bounded),
        TEST(sub_ranges_and_late_ones_are_read),
        TEST(what_comes_after_the_end_is_read),
        TEST(records_name_a_known_device),
    };
    return cmocka_run_group_tests_name("device_records", tests, NULL, NULL);
}
