/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads on one cache line: which of them disturb each other. Run by CTest as unit.shared_lines.
 */
#include "writers/regions/shared_lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { LINE = 0x4000, MS = 1000000, WRITE = 1, READ = 2 };

/* A sample of a thread that accesses some bytes. */
struct access {
    uint64_t thread;
    uint64_t ms;
    uint64_t address;
    uint8_t bytes;
    unsigned how;
    bool disturbed;
};

static void check(const char *name, const struct access *accesses, size_t count)
{
    struct omptape_shared_lines *lines = omptape_shared_lines_create();
    assert_non_null(lines);
    for (size_t i = 0; i < count; i++) {
        const struct access *one = &accesses[i];
        const uint64_t registers[] = {one->address - 24, 2};
        const struct omptape_code_operand operand = {
            .address = {.is_known = true,
                        .count = 2,
                        .terms = {{.base = 0, .bytes = 8, .scale = 1}, {.base = 1, .bytes = 8, .scale = 8}},
                        .offset = 8},
            .bytes = one->bytes,
            .reads = (one->how & READ) != 0,
            .writes = (one->how & WRITE) != 0};
        const struct omptape_sampled_code code = {.operands = &operand, .operand_count = 1};
        const struct omptape_stack_copy copy = {
            .registers = registers, .thread = one->thread, .time_ns = one->ms * MS};
        if (omptape_shared_lines_note(lines, &code, &copy) != one->disturbed)
            fail_msg("%s: sample %zu", name, i);
    }
    omptape_shared_lines_free(lines);
}

#define CHECK(accesses) check(#accesses, accesses, sizeof(accesses) / sizeof((accesses)[0]))

static void different_bytes_disturb(void **state)
{
    static const struct access writers[] = {{1, 10, LINE, 8, WRITE | READ, false},
                                            {2, 11, LINE + 8, 8, WRITE | READ, true},
                                            {1, 20, LINE, 8, WRITE | READ, true},
                                            {3, 21, LINE + 56, 8, WRITE | READ, true}};
    static const struct access writer_and_reader[] = {
        {1, 10, LINE, 8, WRITE, false}, {2, 11, LINE + 8, 4, READ, true}, {1, 20, LINE, 8, WRITE, false}};
    static const struct access across_lines[] = {{1, 10, LINE - 4, 8, WRITE, false},
                                                 {2, 11, LINE + 4, 8, READ, true}};
    /* Rings are read one after the other. */
    static const struct access late[] = {{1, 10, LINE, 8, WRITE, false},   {1, 90, LINE, 8, WRITE, false},
                                         {1, 180, LINE, 8, WRITE, false},  {1, 270, LINE, 8, WRITE, false},
                                         {2, 12, LINE + 8, 8, READ, true}, {2, 272, LINE + 8, 8, READ, true}};
    (void)state;
    CHECK(writers);
    CHECK(writer_and_reader);
    CHECK(across_lines);
    CHECK(late);
}

static void other_accesses_do_not(void **state)
{
    static const struct access same_bytes[] = {{1, 10, LINE, 8, WRITE | READ, false},
                                               {2, 11, LINE + 4, 8, WRITE | READ, false},
                                               {1, 12, LINE, 8, WRITE, false}};
    /* The processor need not wait. */
    static const struct access only_writers[] = {{1, 10, LINE, 8, WRITE, false},
                                                 {2, 11, LINE + 8, 8, WRITE, false}};
    static const struct access readers[] = {{1, 10, LINE, 8, READ, false}, {2, 11, LINE + 8, 8, READ, false}};
    static const struct access one_thread[] = {{1, 10, LINE, 8, WRITE, false},
                                               {1, 11, LINE + 8, 8, WRITE, false}};
    static const struct access other_lines[] = {{1, 10, LINE, 8, WRITE, false},
                                                {2, 11, LINE + 64, 8, WRITE, false},
                                                {2, 12, LINE - 8, 8, WRITE, false}};
    static const struct access one_after_the_other[] = {{1, 10, LINE, 8, WRITE, false},
                                                        {2, 300, LINE + 8, 8, WRITE, false}};
    /* What one hands to the other is not only beside the bytes of both. */
    static const struct access handed_over[] = {{1, 10, LINE, 8, WRITE, false},
                                                {1, 11, LINE + 16, 8, WRITE, false},
                                                {2, 12, LINE + 16, 8, READ, false},
                                                {2, 13, LINE + 32, 8, WRITE, false}};
    (void)state;
    CHECK(same_bytes);
    CHECK(only_writers);
    CHECK(readers);
    CHECK(one_thread);
    CHECK(other_lines);
    CHECK(one_after_the_other);
    CHECK(handed_over);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(different_bytes_disturb),
        cmocka_unit_test(other_accesses_do_not),
    };
    return cmocka_run_group_tests_name("shared_lines", tests, NULL, NULL);
}
