/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the machine code around a sampled address does. Supports x86-64 only (instruction.h): on other
 * machines nothing is known.
 */
#pragma once

#include "writers/symbols/instruction.h"

enum { OMPTAPE_CODE_OPERANDS = 16 };

/* An access of the loop around the sampled address. */
struct omptape_code_operand {
    struct omptape_operand place; /* By the registers at the sampled address. */
    bool is_sampled;              /* The instruction at the sampled address, or the one before it, has it. */
    bool has_step;
    struct omptape_step step; /* By how much its address grows with each iteration, if it has one. */
};

struct omptape_sampled_code {
    /* The address is in a loop that waits for a change in memory. Such a loop only reads memory at a constant
     * address and compares it, or exchanges it atomically, as a lock does. */
    bool waits;
    /* The instruction at the address, or the one before it, updates memory atomically. */
    bool updates;
    /* What the code around the address accesses, as far as the registers at the address tell where. */
    const struct omptape_code_operand *operands;
    uint32_t operand_count;
    bool has_all; /* There are no others, except on the stack. */
};

/* Examines the code around the instruction that begins at the offset `at`. Writes operands into `space`, to
 * which the result points. */
struct omptape_sampled_code
omptape_sampled_code_read(const unsigned char *code, size_t bytes, size_t at,
                          struct omptape_code_operand space[OMPTAPE_CODE_OPERANDS]);
