/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decodes single instructions of x86-64, by Zydis. Without Zydis, and on other machines, none is decoded.
 * Sets of general-purpose registers have a bit for each, by its index in a sample (registers.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OMPTAPE_LINE_BYTES = 64 }; /* Of a cache line. */

/* The memory that an instruction accesses: base + index * scale + offset. Thread-local variables, and what
 * calls, pushes and pops access on the stack, is none. */
struct omptape_operand {
    int8_t base;   /* Index of a register in a sample, or -1. */
    int8_t index;  /* Likewise. */
    uint8_t scale; /* 0 without an index. */
    uint8_t bytes; /* 0: none, or the address alone is used. */
    int64_t offset;
    bool reads;
    bool writes;
};

/* What an instruction does to its target: sets, adds, or compares source * factor + constant (factor -1). */
enum omptape_effect_kind {
    OMPTAPE_EFFECT_UNKNOWN,
    OMPTAPE_EFFECT_SET,
    OMPTAPE_EFFECT_ADD,
    OMPTAPE_EFFECT_COMPARE
};
enum omptape_effect_source {
    OMPTAPE_FROM_CONSTANT,
    OMPTAPE_FROM_REGISTER,
    OMPTAPE_FROM_MEMORY,
    OMPTAPE_FROM_ADDRESS /* The address of `memory`. */
};
struct omptape_effect {
    enum omptape_effect_kind kind;
    enum omptape_effect_source from;
    int8_t target; /* Register, or -1: memory. */
    int8_t source; /* Register. */
    uint8_t bytes; /* Of the source: 4 or 8. */
    int64_t factor;
    int64_t constant;
};

struct omptape_instruction {
    size_t begin, end;  /* Offsets in the code. */
    int64_t target;     /* Offset to which it jumps, if `jumps`. */
    uint32_t written;   /* Registers that it overwrites. */
    uint32_t addressed; /* Registers from which it computes an address. */
    struct omptape_operand memory;
    struct omptape_effect effect;
    bool jumps;  /* Direct jump, with a condition or without. */
    bool always; /* It has no condition. */
    bool returns;
    bool updates; /* Atomic update of memory, other than a fence. */
    bool looks;   /* Moves, compares, counts or is a fence, as in loops that wait. */
    bool divides; /* Divides, or takes a square root. */
    bool loads;   /* Reads any memory. */
    bool stores;  /* Writes any memory. */
    /* Accesses other memory than `memory`: a call, a gather, a copy. */
    bool has_others;
};

/* Returns a bit for each byte that an access of `bytes` bytes uses of the line at its address. */
static inline uint64_t omptape_line_mask(uint64_t address, uint64_t bytes)
{
    const uint64_t mask = bytes < OMPTAPE_LINE_BYTES ? (UINT64_C(1) << bytes) - 1 : UINT64_MAX;
    return mask << address % OMPTAPE_LINE_BYTES;
}

/* Decodes the instruction at `begin`. An operand that is relative to the program counter is given for the
 * program counter at `origin`, an offset in the code. Returns false if the bytes are no instruction. */
bool omptape_instruction_decode(const unsigned char *code, size_t bytes, size_t begin, size_t origin,
                                struct omptape_instruction *instruction);
