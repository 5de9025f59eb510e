/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which loops use little of what comes from memory. Run by CTest as unit.far_accesses.
 */
#include "writers/regions/far_accesses.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { MIB = 1 << 20, SAMPLES = 9 };

static struct omptape_code_operand space[OMPTAPE_CODE_OPERANDS];

/* Returns whether the last of some samples is marked, between which the address grows. */
static bool is_far(const struct omptape_sampled_code *code, uint64_t step_register, uint64_t growth)
{
    struct omptape_address_range range = {0};
    bool far = false;
    for (uint64_t i = 0; i < SAMPLES; i++) {
        const uint64_t registers[] = {UINT64_C(1) << 32 | i * growth, step_register};
        far = omptape_far_accesses_note(&range, code, registers);
    }
    return far;
}

/* A loop that reads 8 bytes at each of the offsets, and goes on by register 1 and `step`. */
static struct omptape_sampled_code loop_of(uint32_t count, const int64_t *offsets, int64_t step)
{
    for (uint32_t i = 0; i < count; i++)
        space[i] = (struct omptape_code_operand){
            .place = {.base = 0, .index = -1, .bytes = 8, .offset = offsets[i], .reads = true},
            .is_sampled = i == 0,
            .has_step = true,
            .step = {.by = 1, .scale = 1, .offset = step}};
    return (struct omptape_sampled_code){.operands = space, .operand_count = count, .has_all = true};
}

static void columns_are_far_apart(void **state)
{
    static const int64_t one[] = {0};
    static const int64_t unrolled[] = {0, 32768, 65536, 98304};
    struct omptape_sampled_code code = loop_of(1, one, 0);
    (void)state;
    assert_true(is_far(&code, 32768, MIB));
    assert_true(is_far(&code, (uint64_t)-32768, MIB));
    assert_true(is_far(&code, 64, MIB));
    assert_false(is_far(&code, 32, MIB));   /* half of each line is used */
    assert_false(is_far(&code, 8, MIB));    /* all of it */
    assert_false(is_far(&code, 32768, 64)); /* stays in the cache */
    code.has_all = false;
    assert_false(is_far(&code, 32768, MIB)); /* what else it uses is not known */
    code = loop_of(4, unrolled, 4 * 32768);
    assert_true(is_far(&code, 0, MIB));
}

static void lines_that_are_used_are_not(void **state)
{
    static const int64_t row[] = {0, 8, 16, 24, 32, 40, 48, 56};
    static const int64_t structure[] = {0, 8, 16};
    static const int64_t twice[] = {0, 0, 0};
    static const int64_t after_step[] = {8 - 64, 0, 16};
    struct omptape_sampled_code code = loop_of(8, row, 64);
    (void)state;
    assert_false(is_far(&code, 0, MIB));
    code = loop_of(3, structure, 64);
    assert_false(is_far(&code, 0, MIB));
    code = loop_of(3, twice, 64);
    assert_true(is_far(&code, 0, MIB));
    space[0].has_step = false;
    assert_false(is_far(&code, 0, MIB));
    /* The address grows before the sampled access: the others' are those of the next iteration. */
    code = loop_of(3, after_step, 64);
    assert_false(is_far(&code, 0, MIB));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_far_apart),
        cmocka_unit_test(lines_that_are_used_are_not),
    };
    return cmocka_run_group_tests_name("far_accesses", tests, NULL, NULL);
}
