/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Machine code of loops that wait, that compute, and that update memory. Run by CTest as unit.sampled_code.
 */
#include "writers/symbols/sampled_code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct omptape_code_operand space[OMPTAPE_CODE_OPERANDS];

static struct omptape_sampled_code read_code(const unsigned char *code, size_t bytes, size_t at)
{
    return omptape_sampled_code_read(code, bytes, at, at, true, space);
}

struct loop {
    const char *name;
    unsigned char code[32];
    size_t bytes;
    size_t at;
    bool waits;
};

static const struct loop loops[] = {
    {"mov flag(%rip),%eax; test %eax,%eax; je",
     {0x8b, 0x05, 0, 0, 0, 0, 0x85, 0xc0, 0x74, 0xf6},
     10,
     6,
     true},
    {"the same, found at its begin", {0x8b, 0x05, 0, 0, 0, 0, 0x85, 0xc0, 0x74, 0xf6}, 10, 0, true},
    {"the same, found between instructions", {0x8b, 0x05, 0, 0, 0, 0, 0x85, 0xc0, 0x74, 0xf6}, 10, 1, false},
    {"cmpl $0,(%rdi); je", {0x83, 0x3f, 0x00, 0x74, 0xfb}, 5, 3, true},
    {"pause; cmp %eax,8(%rdi,%rcx,4); jne", {0xf3, 0x90, 0x39, 0x44, 0x8f, 0x08, 0x75, 0xf8}, 8, 2, true},
    {"mov $1,%eax; xchg %eax,(%rdi); test %eax,%eax; jne",
     {0xb8, 1, 0, 0, 0, 0x87, 0x07, 0x85, 0xc0, 0x75, 0xf5},
     11,
     5,
     true},
    {"lock cmpxchg %ecx,(%rdi); jne", {0xf0, 0x0f, 0xb1, 0x0f, 0x75, 0xfa}, 6, 0, true},
    {"lock orq $0,(%rsp); cmpl $0,(%rdi); je: flushes and looks",
     {0xf0, 0x48, 0x83, 0x0c, 0x24, 0x00, 0x83, 0x3f, 0x00, 0x74, 0xf5},
     11,
     6,
     true},
    {"mfence; cmpl $0,(%rdi); je", {0x0f, 0xae, 0xf0, 0x83, 0x3f, 0x00, 0x74, 0xf8}, 8, 3, true},
    {"movzbl (%rdi),%eax; test $1,%al; jne (long)",
     {0x0f, 0xb6, 0x07, 0xa8, 0x01, 0x0f, 0x85, 0xf5, 0xff, 0xff, 0xff},
     11,
     3,
     true},
    {"dec %ecx; je out; cmpb $0,(%rdi); je: gives up after a while",
     {0xff, 0xc9, 0x74, 0x10, 0x80, 0x3f, 0x00, 0x74, 0xf7},
     9,
     4,
     true},
    {"mulsd; addsd; dec; jne",
     {0xf2, 0x0f, 0x59, 0xc1, 0xf2, 0x0f, 0x58, 0xc2, 0x48, 0xff, 0xc8, 0x75, 0xf3},
     13,
     8,
     false},
    {"mov (%rdi),%rdi; test %rdi,%rdi; jne: follows a list",
     {0x48, 0x8b, 0x3f, 0x48, 0x85, 0xff, 0x75, 0xf8},
     8,
     3,
     false},
    {"cmpb $0,(%rdi,%rax); inc %rax: looks for an end",
     {0x80, 0x3c, 0x07, 0x00, 0x48, 0x8d, 0x40, 0x01, 0x75, 0xf6},
     10,
     0,
     false},
    {"cmpb $0,(%rdi); inc %rdi; jne", {0x80, 0x3f, 0x00, 0x48, 0xff, 0xc7, 0x75, 0xf8}, 8, 3, false},
    {"add (%rdi),%eax; dec %ecx; jne: a sum", {0x03, 0x07, 0xff, 0xc9, 0x75, 0xfa}, 6, 2, false},
    {"mov %eax,(%rdi); jmp: stores", {0x89, 0x07, 0xeb, 0xfc}, 4, 2, false},
    {"dec %ecx; jne: reads no memory", {0xff, 0xc9, 0x75, 0xfc}, 4, 2, false},
    {"nopl 0(%rax); dec %ecx; jne: neither", {0x0f, 0x1f, 0x40, 0x00, 0xff, 0xc9, 0x75, 0xf8}, 8, 4, false},
    {"call; test; je", {0xe8, 0, 0, 0, 0, 0x85, 0xc0, 0x74, 0xf7}, 9, 5, false},
    {"the jump leads forward", {0x83, 0x3f, 0x00, 0x74, 0x03}, 5, 0, false},
    {"the code ends", {0x83, 0x3f}, 2, 0, false},
    {"jmp out; test %eax,%eax; je: the loop behind is another one",
     {0x83, 0x3f, 0x00, 0xeb, 0x04, 0x85, 0xc0, 0x74, 0xf7, 0xc3},
     10,
     0,
     false},
    {"jne next; jmp out; next: jmp: clang without optimisation",
     {0x83, 0x3f, 0x00, 0x75, 0x02, 0xeb, 0x02, 0xeb, 0xf7, 0xc3},
     10,
     0,
     true},
};

static void loops_are_told_apart(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++)
        if (read_code(loops[i].code, loops[i].bytes, loops[i].at).waits != loops[i].waits)
            fail_msg("%s", loops[i].name);
}

/* Any value may be in a register, and none of the stack may have been copied. */
static void evaluate_all(struct omptape_sampled_code code)
{
    static const uint64_t registers[OMPTAPE_CODE_REGISTERS] = {UINT64_C(1) << 63, UINT64_MAX, 7};
    const struct omptape_stack_copy copy = {.registers = registers};
    uint64_t value;
    for (uint32_t i = 0; i < code.operand_count; i++) {
        (void)omptape_code_value_evaluate(&code.operands[i].address, &copy, &value);
        (void)omptape_code_value_evaluate(&code.operands[i].step, &copy, &value);
    }
    if (code.left_step != 0)
        (void)omptape_code_value_evaluate(&code.left, &copy, &value);
}

/* Nothing behind the bytes is read, nor beside the registers: for the sanitizers. */
static void any_bytes_do_no_harm(void **state)
{
    uint32_t seed = 1;
    unsigned char code[40];
    (void)state;
    for (unsigned i = 0; i < 200000; i++) {
        for (size_t j = 0; j < sizeof(code); j++) {
            seed = seed * 1664525 + 1013904223;
            code[j] = (unsigned char)(seed >> 24);
        }
        const size_t bytes = i % sizeof(code);
        evaluate_all(read_code(code + sizeof(code) - bytes, bytes, i % (bytes + 1)));
    }
}

/* rax is doubled 24 times in each iteration, so that its factor has more than 64 bits in the third one. */
static void large_factors_do_no_harm(void **state)
{
    enum { TIMES = 24 };
    static const unsigned char twice[] = {0x48, 0x01, 0xc0};                 /* add %rax,%rax */
    static const unsigned char end[] = {0x48, 0x8b, 0x0c, 0xc7, 0x75, 0xb2}; /* mov (%rdi,%rax,8),%rcx; jne */
    unsigned char code[TIMES * sizeof(twice) + sizeof(end)];
    (void)state;
    for (size_t i = 0; i < TIMES; i++)
        memcpy(code + i * sizeof(twice), twice, sizeof(twice));
    memcpy(code + TIMES * sizeof(twice), end, sizeof(end));
    const struct omptape_sampled_code found = read_code(code, sizeof(code), 0);
    assert_int_equal(found.operand_count, 1);
    evaluate_all(found);
}

/* divsd %xmm1,%xmm0; addsd %xmm2,%xmm0; dec %eax; jne */
static void a_division_is_seen_from_behind(void **state)
{
    static const unsigned char code[] = {0xf2, 0x0f, 0x5e, 0xc1, 0xf2, 0x0f,
                                         0x58, 0xc2, 0xff, 0xc8, 0x75, 0xf4};
    (void)state;
    assert_true(read_code(code, sizeof(code), 0).divides);
    assert_true(read_code(code, sizeof(code), 4).divides);
    assert_false(read_code(code, sizeof(code), 8).divides);
    assert_true(read_code(code, 8, 0).divides); /* no loop is known */
    assert_false(read_code(code, 8, 4).divides);
}

/* lock addq $1,(%rdi,%rcx,8); dec %edx; jne: the sample is behind the update. */
static const unsigned char update[] = {0xf0, 0x48, 0x83, 0x04, 0xcf, 0x01, 0xff, 0xca, 0x75, 0xf6};

static void an_atomic_update_is_seen_from_behind(void **state)
{
    (void)state;
    assert_true(read_code(update, sizeof(update), 6).updates);
    assert_true(read_code(update, 6 + 2, 6).updates); /* no loop is known */
    assert_true(read_code(update, sizeof(update), 0).updates);
    assert_false(read_code(update, sizeof(update), 8).updates);
    assert_false(read_code(update + 6, 2, 0).updates);
    /* lock orq $0,(%rsp): a fence. */
    static const unsigned char fence[] = {0xf0, 0x48, 0x83, 0x0c, 0x24, 0x00, 0xff, 0xca, 0x75, 0xf6};
    assert_false(read_code(fence, sizeof(fence), 6).updates);
    assert_false(read_code(fence, sizeof(fence), 0).updates);
}

/* The value is register + offset. */
static void check_value(const struct omptape_code_value *value, int base, int64_t offset)
{
    assert_true(value->is_known && value->count == 1);
    assert_int_equal(value->terms[0].base, base);
    assert_int_equal(value->terms[0].scale, 1);
    assert_int_equal(value->offset, offset);
}

static void operands_are_those_that_the_registers_tell(void **state)
{
    /* add %rax,8(%rdi); add $8,%rsi; mov (%rsi),%rax; incl 0x10(%rip); mov %rax,-8(%rbp); push %rax; jmp */
    static const unsigned char code[] = {0x48, 0x01, 0x47, 0x08, 0x48, 0x83, 0xc6, 0x08,
                                         0x48, 0x8b, 0x06, 0xff, 0x05, 0x10, 0,    0,
                                         0,    0x48, 0x89, 0x45, 0xf8, 0x50, 0xeb, 0xe8};
    enum { AT_BEGIN = 0, AT_LOAD = 8, DI = 5, SI = 4, PC = 8 };
    (void)state;
    struct omptape_sampled_code found = read_code(code, sizeof(code), AT_LOAD);
    assert_int_equal(found.operand_count, 3); /* not the stack's */
    check_value(&found.operands[0].address, DI, 8);
    assert_int_equal(found.operands[0].bytes, 8);
    assert_true(found.operands[0].reads && found.operands[0].writes);
    check_value(&found.operands[1].address, SI, 0);
    assert_true(found.operands[1].reads && !found.operands[1].writes);
    check_value(&found.operands[2].address, PC, 17 + 0x10 - AT_LOAD);
    assert_int_equal(found.operands[2].bytes, 4);
    /* At the begin, %rsi has another value than at the load. */
    found = read_code(code, sizeof(code), AT_BEGIN);
    assert_int_equal(found.operand_count, 3);
    check_value(&found.operands[0].address, DI, 8);
    check_value(&found.operands[1].address, SI, 8);
    check_value(&found.operands[2].address, PC, 17 + 0x10);
    /* A frame pointer that leads elsewhere is a pointer as others are. */
    found = omptape_sampled_code_read(code, sizeof(code), AT_BEGIN, AT_BEGIN, false, space);
    assert_int_equal(found.operand_count, 4);
}

/* Of code without a loop, the access before the sample and those that follow. */
static void a_called_function_has_operands(void **state)
{
    /* test %esi,%esi; je out; mov 8(%rax),%rdx; lea 1(%rdx),%rcx; mov %rcx,8(%rax); out: ret */
    static const unsigned char code[] = {0x85, 0xf6, 0x74, 0x0c, 0x48, 0x8b, 0x50, 0x08, 0x48,
                                         0x8d, 0x4a, 0x01, 0x48, 0x89, 0x48, 0x08, 0xc3};
    enum { AT_LOAD = 4, BEHIND = 8, AX = 0 };
    (void)state;
    struct omptape_sampled_code found = omptape_sampled_code_read(code, sizeof(code), 0, BEHIND, true, space);
    assert_int_equal(found.operand_count, 2);
    assert_true(found.operands[0].reads && found.operands[0].is_sampled);
    check_value(&found.operands[0].address, AX, 8);
    assert_false(found.operands[0].step.is_known);
    assert_true(found.operands[1].writes);
    check_value(&found.operands[1].address, AX, 8);
    /* A jump before it, and an unknown begin. */
    assert_int_equal(omptape_sampled_code_read(code, sizeof(code), 0, AT_LOAD, true, space).operand_count, 2);
    assert_int_equal(read_code(code, sizeof(code), BEHIND).operand_count, 1);
}

/* The sample does not tell where the load before it was, and there is no next round in which it would be. */
static void an_overwritten_base_is_unknown(void **state)
{
    /* mov 8(%rax),%rax; mov %rcx,(%rax); ret */
    static const unsigned char code[] = {0x48, 0x8b, 0x40, 0x08, 0x48, 0x89, 0x08, 0xc3};
    enum { BEHIND = 4, AX = 0 };
    (void)state;
    const struct omptape_sampled_code found =
        omptape_sampled_code_read(code, sizeof(code), 0, BEHIND, true, space);
    assert_int_equal(found.operand_count, 1);
    assert_true(found.operands[0].writes);
    check_value(&found.operands[0].address, AX, 0);
}

static void steps_are_found(void **state)
{
    /* addsd (%rdx),%xmm0; add %r8,%rdx; movsd 8(%rdi,%rcx,8),%xmm1; sub $2,%rcx; mov (%rsi),%rsi; jmp */
    static const unsigned char code[] = {0xf2, 0x0f, 0x58, 0x02, 0x4c, 0x01, 0xc2, 0xf2, 0x0f, 0x10, 0x4c,
                                         0xcf, 0x08, 0x48, 0x83, 0xe9, 0x02, 0x48, 0x8b, 0x36, 0xeb, 0xea};
    enum { AT_SECOND = 7, R8 = 9 };
    (void)state;
    const struct omptape_sampled_code found = read_code(code, sizeof(code), AT_SECOND);
    assert_int_equal(found.operand_count, 3);
    assert_true(found.has_all);
    check_value(&found.operands[0].step, R8, 0);
    assert_false(found.operands[0].is_sampled);
    assert_true(found.operands[1].step.is_known && found.operands[1].is_sampled);
    assert_int_equal(found.operands[1].step.count, 0);
    assert_int_equal(found.operands[1].step.offset, -16);
    assert_false(found.operands[2].step.is_known); /* follows a list */
}

/* Code of gcc without optimisation keeps its variables on the stack. */
static void values_on_the_stack_are_followed(void **state)
{
    /* again: mov -8(%rbp),%eax; cltq; lea 0(,%rax,8),%rdx; mov -0x18(%rbp),%rax; add %rdx,%rax;
     * movsd (%rax),%xmm0; addl $2,-8(%rbp); jmp again */
    static const unsigned char code[] = {0x8b, 0x45, 0xf8, 0x48, 0x98, 0x48, 0x8d, 0x14, 0xc5, 0,
                                         0,    0,    0,    0x48, 0x8b, 0x45, 0xe8, 0x48, 0x01, 0xd0,
                                         0xf2, 0x0f, 0x10, 0x00, 0x83, 0x45, 0xf8, 0x02, 0xeb, 0xe2};
    enum { BP = 6, SP = 7, WORDS = 8 };
    const uint64_t words[WORDS] = {[4] = 0x10000, [6] = 5}; /* the pointer, and the index in its upper half */
    uint64_t registers[OMPTAPE_CODE_REGISTERS] = {[SP] = 0x7000, [BP] = 0x7000 + 7 * 8};
    const struct omptape_stack_copy copy = {
        .registers = registers, .bytes = (const unsigned char *)words, .count = sizeof(words)};
    uint64_t address = 0;
    (void)state;
    const struct omptape_sampled_code found = read_code(code, sizeof(code), 0);
    assert_int_equal(found.operand_count, 1);
    assert_true(omptape_code_value_evaluate(&found.operands[0].address, &copy, &address));
    assert_int_equal(address, 0x10000 + 5 * 8);
    assert_int_equal(found.operands[0].step.count, 0);
    assert_int_equal(found.operands[0].step.offset, 16);
    registers[BP] = 0x7000 + 4096; /* not in the copy */
    assert_false(omptape_code_value_evaluate(&found.operands[0].address, &copy, &address));
}

/* gcc without optimisation puts the way out of a loop between its condition and its body. */
static void the_way_out_is_no_part(void **state)
{
    /* again: cmp %ecx,%edx; jle body; add $8,%rsi; jmp out; body: add (%rsi),%rax; add $16,%rsi; jmp again;
     * out: */
    static const unsigned char code[] = {0x39, 0xca, 0x7e, 0x06, 0x48, 0x83, 0xc6, 0x08, 0xeb, 0x09,
                                         0x48, 0x03, 0x06, 0x48, 0x83, 0xc6, 0x10, 0xeb, 0xed};
    (void)state;
    const struct omptape_sampled_code found = read_code(code, sizeof(code), 10);
    assert_int_equal(found.operand_count, 1);
    assert_int_equal(found.operands[0].step.offset, 16);
}

static void an_index_is_linked(void **state)
{
    /* again: movslq (%rdx),%rax; addsd (%rsi,%rax,8),%xmm0; add $4,%rdx; jmp again */
    static const unsigned char code[] = {0x48, 0x63, 0x02, 0xf2, 0x0f, 0x58, 0x04,
                                         0xc6, 0x48, 0x83, 0xc2, 0x04, 0xeb, 0xf2};
    (void)state;
    const struct omptape_sampled_code found = read_code(code, sizeof(code), 8);
    assert_int_equal(found.operand_count, 2);
    assert_true(found.operands[1].is_sampled && !found.operands[1].step.is_known);
    assert_int_equal(found.operands[1].index, 0);
    assert_int_equal(found.operands[0].index, -1);
    assert_int_equal(found.operands[0].step.offset, 4);
}

static void the_end_of_a_loop_is_found(void **state)
{
    /* again: add (%rsi),%rax; add $8,%rsi; cmp %rdi,%rsi; jne again */
    static const unsigned char to_end[] = {0x48, 0x03, 0x06, 0x48, 0x83, 0xc6,
                                           0x08, 0x48, 0x39, 0xfe, 0x75, 0xf4};
    /* again: cmp %ecx,%edx; jge out; add (%rsi),%eax; inc %edx; jmp again; out: */
    static const unsigned char at_begin[] = {0x39, 0xca, 0x7d, 0x06, 0x03, 0x06, 0xff, 0xc2, 0xeb, 0xf6};
    enum { CX = 2, DX = 3, SI = 4, DI = 5 };
    uint64_t registers[OMPTAPE_CODE_REGISTERS] = {[SI] = 0x1000, [DI] = 0x1040, [DX] = 3, [CX] = 10};
    const struct omptape_stack_copy copy = {.registers = registers};
    uint64_t left = 0;
    (void)state;
    struct omptape_sampled_code found = read_code(to_end, sizeof(to_end), 0);
    assert_true(omptape_code_value_evaluate(&found.left, &copy, &left));
    assert_int_equal((int64_t)left, 8 - 0x40);
    assert_int_equal(found.left_step, 8);
    found = read_code(at_begin, sizeof(at_begin), 4);
    assert_true(omptape_code_value_evaluate(&found.left, &copy, &left));
    assert_int_equal((int64_t)left, 3 + 1 - 10);
    assert_int_equal(found.left_step, 1);
}

static void others_are_not_all(void **state)
{
    /* movsq; jmp: its second access, and a call's, a gather's and a repeated copy's. */
    static const unsigned char copy[] = {0x48, 0xa5, 0xeb, 0xfc};
    static const unsigned char call[] = {0xe8, 0, 0, 0, 0, 0xeb, 0xf9};
    static const unsigned char gather[] = {0xc4, 0xe2, 0xed, 0x92, 0x04, 0xc8, 0xeb, 0xf8};
    static const unsigned char fill[] = {0xf3, 0x48, 0xab, 0xeb, 0xfb};
    static const unsigned char padding[] = {0x0f, 0x1f, 0x04, 0x00, 0xeb, 0xfa};
    (void)state;
    const struct omptape_sampled_code found = read_code(copy, sizeof(copy), 0);
    assert_false(found.has_all);
    assert_int_equal(found.operand_count, 1);
    assert_true(found.operands[0].writes && !found.operands[0].reads);
    assert_false(read_code(call, sizeof(call), 0).has_all);
    assert_false(read_code(gather, sizeof(gather), 0).has_all);
    assert_false(read_code(fill, sizeof(fill), 0).has_all);
    assert_true(read_code(padding, sizeof(padding), 0).has_all);
    assert_int_equal(read_code(padding, sizeof(padding), 0).operand_count, 0);
}

/* Without Zydis, and on other machines, nothing is decoded. */
static bool can_decode(void)
{
    static const unsigned char nop = 0x90;
    struct omptape_instruction instruction;
    return omptape_instruction_decode(&nop, 1, 0, 0, &instruction);
}

int main(void)
{
    if (!can_decode())
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_are_told_apart),
        cmocka_unit_test(any_bytes_do_no_harm),
        cmocka_unit_test(large_factors_do_no_harm),
        cmocka_unit_test(a_division_is_seen_from_behind),
        cmocka_unit_test(an_atomic_update_is_seen_from_behind),
        cmocka_unit_test(operands_are_those_that_the_registers_tell),
        cmocka_unit_test(a_called_function_has_operands),
        cmocka_unit_test(an_overwritten_base_is_unknown),
        cmocka_unit_test(steps_are_found),
        cmocka_unit_test(values_on_the_stack_are_followed),
        cmocka_unit_test(the_way_out_is_no_part),
        cmocka_unit_test(an_index_is_linked),
        cmocka_unit_test(the_end_of_a_loop_is_found),
        cmocka_unit_test(others_are_not_all),
    };
    return cmocka_run_group_tests_name("sampled_code", tests, NULL, NULL);
}
