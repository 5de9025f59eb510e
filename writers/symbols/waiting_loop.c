/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decodes the few instructions that waiting loops consist of. Any other instruction in a loop means that it
 * computes. Called by symbols.c, once for each sampled address.
 */
#include "writers/symbols/waiting_loop.h"

#include <stdint.h>
#include <string.h>

/* Limits of the loops that are examined. */
enum { MAX_INSTRUCTIONS = 24, MAX_BYTES = 96, RSP = 4, RBP = 5 };

/* Effects of an instruction. Registers are bits. */
struct instruction {
    size_t bytes; /* 0: not an instruction of a waiting loop. */
    bool reads;   /* True if it reads memory. */
    bool jumps;
    int64_t jump;       /* Distance of the jump from the end of the instruction. */
    uint32_t written;   /* Registers that it overwrites. */
    uint32_t addressed; /* Registers from which it computes an address. */
};

/* Reading position in the code. */
struct cursor {
    const unsigned char *at;
    const unsigned char *end;
    unsigned rex;
    bool is_short; /* True for 16-bit operands. */
    bool failed;
};

static unsigned take(struct cursor *cursor)
{
    if (cursor->at == cursor->end) {
        cursor->failed = true;
        return 0;
    }
    return *cursor->at++;
}

static int64_t take_signed(struct cursor *cursor, unsigned bytes)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint32_t)take(cursor) << 8 * i;
    return bytes == 1 ? (int8_t)value : (int32_t)value;
}

/* Operands of an instruction: one in memory or a register, and a register. */
struct operands {
    unsigned mode;
    unsigned other; /* Register, or part of the operation code. */
    unsigned base;
};

static struct operands take_operands(struct cursor *cursor, struct instruction *instruction)
{
    const unsigned byte = take(cursor);
    struct operands operands = {.mode = byte >> 6, .other = byte >> 3 & 7, .base = byte & 7};
    const bool in_memory = operands.mode != 3;
    const bool is_relative = operands.mode == 0 && operands.base == RBP;
    unsigned base = operands.base;
    bool has_base = !is_relative;
    if (in_memory && base == RSP) {
        const unsigned scaled = take(cursor);
        const unsigned index = (scaled >> 3 & 7) | (cursor->rex & 2) << 2;
        base = scaled & 7;
        has_base = operands.mode != 0 || base != RBP;
        if (index != RSP)
            instruction->addressed |= 1U << index;
    }
    if (in_memory && (operands.mode == 2 || !has_base))
        (void)take_signed(cursor, 4);
    else if (operands.mode == 1)
        (void)take(cursor);
    if (in_memory && has_base)
        instruction->addressed |= 1U << (base | (cursor->rex & 1) << 3);
    operands.base |= (cursor->rex & 1) << 3;
    operands.other |= (cursor->rex & 4) << 1;
    return operands;
}

static bool is_load(unsigned code)
{
    return code == 0x8a || code == 0x8b || code == 0x63;
}

/* Returns true for a comparison or test of two operands. */
static bool is_comparison(unsigned code)
{
    return (code >= 0x38 && code <= 0x3b) || code == 0x84 || code == 0x85;
}

static unsigned immediate_bytes(const struct cursor *cursor)
{
    return cursor->is_short ? 2 : 4;
}

/* Decodes codes 0x80 to 0x83: operations with an immediate. Accepts a comparison, or an increment of a
 * counter in a register. */
static void read_arithmetic(struct cursor *cursor, unsigned code, struct instruction *instruction)
{
    enum { ADD = 0, SUB = 5, COMPARE = 7 };
    const struct operands operands = take_operands(cursor, instruction);
    const unsigned operation = operands.other & 7;
    const bool counts = (operation == ADD || operation == SUB) && operands.mode == 3;
    (void)take_signed(cursor, code == 0x81 ? immediate_bytes(cursor) : 1);
    instruction->reads = operands.mode != 3;
    if (counts)
        instruction->written |= 1U << operands.base;
    cursor->failed |= !counts && operation != COMPARE;
}

/* Decodes the codes after 0x0f. */
static void read_long_code(struct cursor *cursor, struct instruction *instruction)
{
    const unsigned code = take(cursor);
    const bool extends = code == 0xb6 || code == 0xb7 || code == 0xbe || code == 0xbf;
    const bool exchanges = code == 0xb0 || code == 0xb1;
    const bool sets = code >= 0x90 && code <= 0x9f;
    if (code >= 0x80 && code <= 0x8f) {
        instruction->jumps = true;
        instruction->jump = take_signed(cursor, 4);
        return;
    }
    const struct operands operands = take_operands(cursor, instruction);
    if (code == 0x1f) {
        instruction->addressed = 0;
        return;
    }
    cursor->failed |= !(extends || exchanges || sets) || (sets && operands.mode != 3);
    instruction->reads = operands.mode != 3;
    instruction->written |= exchanges ? 1U : 1U << (sets ? operands.base : operands.other);
}

static void read_code(struct cursor *cursor, unsigned code, struct instruction *instruction)
{
    struct operands operands;
    if (is_load(code) || is_comparison(code) || code == 0x86 || code == 0x87) {
        operands = take_operands(cursor, instruction);
        instruction->reads = operands.mode != 3;
        if (!is_comparison(code))
            instruction->written |= 1U << operands.other;
        cursor->failed |= (code == 0x86 || code == 0x87) && operands.mode == 3;
    } else if (code == 0x80 || code == 0x81 || code == 0x83) {
        read_arithmetic(cursor, code, instruction);
    } else if (code == 0x3c || code == 0xa8 || code == 0x24 || code == 0x34) {
        (void)take(cursor);
        instruction->written |= code == 0x24 || code == 0x34 ? 1 : 0;
    } else if (code == 0x3d || code == 0xa9) {
        (void)take_signed(cursor, immediate_bytes(cursor));
    } else if (code == 0xf6 || code == 0xf7) {
        operands = take_operands(cursor, instruction);
        (void)take_signed(cursor, code == 0xf6 ? 1 : immediate_bytes(cursor));
        instruction->reads = operands.mode != 3;
        cursor->failed |= (operands.other & 7) != 0;
    } else if (code == 0xff || code == 0xfe) {
        operands = take_operands(cursor, instruction);
        instruction->written |= 1U << operands.base;
        cursor->failed |= operands.mode != 3 || (operands.other & 7) > 1;
    } else if (code >= 0xb0 && code <= 0xbf) {
        (void)take_signed(cursor, code < 0xb8 ? 1 : immediate_bytes(cursor));
        instruction->written |= 1U << ((code & 7) | (cursor->rex & 1) << 3);
        cursor->failed |= code >= 0xb8 && (cursor->rex & 8) != 0;
    } else if (code == 0x31 || code == 0x33) {
        operands = take_operands(cursor, instruction);
        instruction->written |= 1U << operands.base;
        cursor->failed |= operands.mode != 3 || operands.base != operands.other;
    } else if ((code >= 0x70 && code <= 0x7f) || code == 0xeb || code == 0xe9) {
        instruction->jumps = true;
        instruction->jump = take_signed(cursor, code == 0xe9 ? 4 : 1);
    } else {
        cursor->failed |= code != 0x90;
    }
}

static struct instruction read_instruction(const unsigned char *code, size_t bytes)
{
    struct instruction instruction = {.bytes = 0};
    struct cursor cursor = {.at = code, .end = code + bytes};
    unsigned byte = take(&cursor);
    while (byte == 0xf0 || byte == 0xf3 || byte == 0x66) {
        cursor.is_short |= byte == 0x66;
        byte = take(&cursor);
    }
    if ((byte & 0xf0) == 0x40) {
        cursor.rex = byte & 0xf;
        byte = take(&cursor);
    }
    if (byte == 0x0f)
        read_long_code(&cursor, &instruction);
    else
        read_code(&cursor, byte, &instruction);
    instruction.bytes = cursor.failed ? 0 : (size_t)(cursor.at - code);
    return instruction;
}

/* Returns true if the loop from `begin` to its backward jump, which ends at `end`, only waits. The loop
 * must contain the instruction at `at`. */
static bool only_waits(const unsigned char *code, size_t begin, size_t end, size_t at)
{
    uint32_t written = 0;
    uint32_t addressed = 0;
    bool reads = false;
    bool passes = false;
    for (size_t i = begin; i < end;) {
        const struct instruction instruction = read_instruction(code + i, end - i);
        if (instruction.bytes == 0)
            return false;
        passes = passes || i == at;
        reads = reads || instruction.reads;
        written |= instruction.written;
        addressed |= instruction.addressed;
        i += instruction.bytes;
    }
    return passes && reads && (written & addressed) == 0;
}

bool omptape_is_waiting_loop(const unsigned char *code, size_t bytes, size_t at)
{
    size_t i = at;
    for (unsigned count = 0; count < MAX_INSTRUCTIONS && i < bytes; count++) {
        const struct instruction instruction = read_instruction(code + i, bytes - i);
        if (instruction.bytes == 0)
            return false;
        i += instruction.bytes;
        const int64_t target = (int64_t)i + instruction.jump;
        if (instruction.jumps && target >= 0 && target <= (int64_t)at && (int64_t)at - target < MAX_BYTES)
            return only_waits(code, (size_t)target, i, at);
    }
    return false;
}
