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

/* Returns the pattern of the last of some samples, between which the address grows. */
static enum omptape_access_pattern pattern_of(const struct omptape_sampled_code *code, uint64_t step_register,
                                              uint64_t growth)
{
    struct omptape_pairs ranges = {0};
    struct omptape_arena arena = {0};
    enum omptape_access_pattern pattern = OMPTAPE_ACCESS_NEAR;
    for (uint64_t i = 0; i < SAMPLES; i++) {
        const uint64_t registers[OMPTAPE_CODE_REGISTERS] = {UINT64_C(1) << 32 | i * growth, step_register};
        pattern = omptape_far_accesses_note(&ranges, &arena, code,
                                            &(struct omptape_stack_copy){.registers = registers});
    }
    omptape_pairs_free(&ranges);
    omptape_arena_free(&arena);
    return pattern;
}

static bool is_far(const struct omptape_sampled_code *code, uint64_t step_register, uint64_t growth)
{
    return pattern_of(code, step_register, growth) == OMPTAPE_ACCESS_FAR;
}

static struct omptape_code_value value_of(int8_t base, int64_t offset)
{
    return (struct omptape_code_value){
        .is_known = true, .count = 1, .terms = {{.base = base, .bytes = 8, .scale = 1}}, .offset = offset};
}

/* A loop that reads 8 bytes at each of the offsets, and goes on by register 1 and `step`. */
static struct omptape_sampled_code loop_of(uint32_t count, const int64_t *offsets, int64_t step)
{
    for (uint32_t i = 0; i < count; i++)
        space[i] = (struct omptape_code_operand){.address = value_of(0, offsets[i]),
                                                 .step = value_of(1, step),
                                                 .bytes = 8,
                                                 .reads = true,
                                                 .is_sampled = i == 0,
                                                 .index = -1};
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

static void tiles_are_not(void **state)
{
    static const int64_t one[] = {0};
    struct omptape_sampled_code code = loop_of(1, one, 0);
    (void)state;
    code.left = value_of(2, -31); /* register 2 is 0 */
    code.left_step = 1;
    assert_false(is_far(&code, 32768, MIB));
    code.left = value_of(2, -3000);
    assert_true(is_far(&code, 32768, MIB));
    code.left = value_of(2, 3000 * 8);
    code.left_step = -8;
    assert_true(is_far(&code, 32768, MIB));
    code.left = value_of(2, INT64_MIN);
    code.left_step = -1;
    assert_true(is_far(&code, 32768, MIB));
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
    space[0].step.is_known = false;
    assert_false(is_far(&code, 0, MIB));
    /* The address grows before the sampled access: the others' are those of the next iteration. */
    code = loop_of(3, after_step, 64);
    assert_false(is_far(&code, 0, MIB));
}

/* Samples read target[i] through an index that lies at i * 4. Returns whether the last one is marked. */
static bool is_scattered(const uint64_t *targets, size_t count)
{
    const struct omptape_code_operand operands[] = {
        {.address = value_of(0, 0), .bytes = 8, .reads = true, .is_sampled = true, .index = 1},
        {.address = value_of(1, 0),
         .step = {.is_known = true, .offset = 4},
         .bytes = 4,
         .reads = true,
         .index = -1}};
    const struct omptape_sampled_code code = {.operands = operands, .operand_count = 2, .has_all = true};
    struct omptape_pairs ranges = {0};
    struct omptape_arena arena = {0};
    bool scattered = false;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t registers[OMPTAPE_CODE_REGISTERS] = {UINT64_C(1) << 32 | targets[i], i * 4};
        scattered = omptape_far_accesses_note(&ranges, &arena, &code,
                                              &(struct omptape_stack_copy){.registers = registers}) ==
                    OMPTAPE_ACCESS_SCATTERED;
    }
    omptape_pairs_free(&ranges);
    omptape_arena_free(&arena);
    return scattered;
}

static void the_order_of_an_index_counts(void **state)
{
    static const uint64_t disorder[] = {9 * MIB, 2 * MIB, 7 * MIB, MIB, 8 * MIB, 3 * MIB};
    static const uint64_t order[] = {MIB, 2 * MIB, 3 * MIB, 5 * MIB, 8 * MIB, 9 * MIB};
    static const uint64_t in_cache[] = {900, 200, 700, 100, 800, 300};
    (void)state;
    assert_true(is_scattered(disorder, 6));
    assert_false(is_scattered(disorder, 3)); /* too few to tell */
    assert_false(is_scattered(order, 6));
    assert_false(is_scattered(in_cache, 6));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_far_apart),
        cmocka_unit_test(tiles_are_not),
        cmocka_unit_test(lines_that_are_used_are_not),
        cmocka_unit_test(the_order_of_an_index_counts),
    };
    return cmocka_run_group_tests_name("far_accesses", tests, NULL, NULL);
}
