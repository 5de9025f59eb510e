/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the machine code around a sampled address does. Supports x86-64 only (instruction.h): on other
 * machines nothing is known.
 */
#pragma once

#include "writers/symbols/code_values.h"

enum { OMPTAPE_CODE_OPERANDS = 16 };

/* An access of the loop around the sampled address. Its address is known from the sample. */
struct omptape_code_operand {
    struct omptape_code_value address;
    struct omptape_code_value step; /* By how much its address grows with each iteration, if that is known. */
    uint8_t bytes;
    bool reads;
    bool writes;
    bool is_sampled; /* The instruction at the sampled address, or the one before it, has it. */
    /* Number of the access that loads the index or the pointer from which the address is computed, and goes
     * through memory itself; -1: none. */
    int8_t index;
    uint8_t array; /* Equal for accesses of one loop to one array, as far as the code shows it. */
};

struct omptape_sampled_code {
    /* The address is in a loop that waits for a change in memory. Such a loop only reads memory at a constant
     * address and compares it, or exchanges it atomically, as a lock does. */
    bool waits;
    /* The instruction at the address, or the one before it, updates memory atomically. */
    bool updates;
    /* The same: it divides, or takes a square root. */
    bool divides;
    /* What the code around the address accesses, as far as the registers at the address tell where. */
    int64_t loop; /* Begin of the loop, by its distance from the sampled address. */
    const struct omptape_code_operand *operands;
    uint32_t operand_count;
    bool has_all; /* There are no others, except on the stack. */
    /* The loop ends when `left` is 0, which grows by `left_step` with each iteration. 0: not known. */
    struct omptape_code_value left;
    int64_t left_step;
};

/* Examines the code around the instruction that begins at the offset `at`. `start`: the offset of its
 * function's first instruction, or `at` if that is unknown. `has_frame`: the frame pointer leads to the
 * stack. Writes operands into `space`, to which the result points. */
struct omptape_sampled_code
omptape_sampled_code_read(const unsigned char *code, size_t bytes, size_t start, size_t at, bool has_frame,
                          struct omptape_code_operand space[OMPTAPE_CODE_OPERANDS]);
