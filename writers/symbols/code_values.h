/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values of registers and of words on the stack while instructions are followed from a sampled address on.
 * Each value is a sum of what the sample holds: registers, and words of its stack. Called by sampled_code.c.
 * The values that it keeps are evaluated for each sample.
 */
#pragma once

#include "writers/symbols/instruction.h"
#include "writers/symbols/unwind.h"

enum {
    OMPTAPE_CODE_TERMS = 3,
    OMPTAPE_CODE_REGISTERS = 17,
    OMPTAPE_CODE_SLOTS = 16,
    OMPTAPE_CODE_WORDS = 48
};

struct omptape_code_term {
    int8_t base;      /* Register of the sample; -1: another word of memory, with the number `offset`. */
    bool is_on_stack; /* The word at register + offset, else the register itself. */
    uint8_t bytes;    /* 8, or 4 of a signed number. */
    int32_t offset;
    int64_t scale;
};

struct omptape_code_value {
    bool is_known; /* False: no such sum is known. */
    uint8_t count;
    struct omptape_code_term terms[OMPTAPE_CODE_TERMS];
    int64_t offset;
};

/* A word of memory that the code loads; samples do not hold it. */
struct omptape_code_word {
    struct omptape_code_value address;
    size_t loader; /* Number of the first instruction that loads it. */
};

/* What is known between two instructions. */
struct omptape_code_values {
    bool has_frame; /* The frame pointer leads to the stack. */
    bool has_lost;  /* Words on the stack were overwritten that have no slot. */
    struct omptape_code_value registers[OMPTAPE_CODE_REGISTERS];
    struct omptape_code_value compared; /* What the last comparison or sum compares with 0. */
    /* Words on the stack that were overwritten. */
    struct omptape_code_value slot_addresses[OMPTAPE_CODE_SLOTS];
    struct omptape_code_value slots[OMPTAPE_CODE_SLOTS];
    size_t slot_count;
    struct omptape_code_word words[OMPTAPE_CODE_WORDS];
    size_t word_count;
};

/* Each register has the sample's value. */
void omptape_code_values_init(struct omptape_code_values *values, bool has_frame);
/* Follows the instruction with this number. Jumps are taken or not, as the caller goes on. */
void omptape_code_values_follow(struct omptape_code_values *values,
                                const struct omptape_instruction *instruction, size_t number);
/* Returns the address of an operand. */
struct omptape_code_value omptape_code_values_address(const struct omptape_code_values *values,
                                                      const struct omptape_operand *operand);
/* Returns true if the address is on the thread's stack. */
bool omptape_code_values_is_stack(const struct omptape_code_values *values,
                                  const struct omptape_code_value *address);

/* Returns one - other. */
struct omptape_code_value omptape_code_value_minus(const struct omptape_code_value *one,
                                                   const struct omptape_code_value *other);
/* Returns true if samples hold all terms. */
bool omptape_code_value_is_sampled(const struct omptape_code_value *value);
/* Evaluates the value for a sample. Returns false if its copy of the stack is too small. */
bool omptape_code_value_evaluate(const struct omptape_code_value *value,
                                 const struct omptape_stack_copy *copy, uint64_t *result);
