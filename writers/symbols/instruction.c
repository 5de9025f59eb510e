/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Converts what Zydis says of an instruction. Called by sampled_code.c.
 */
#include "writers/symbols/instruction.h"

#if defined(OMPTAPE_HAS_ZYDIS) && defined(__x86_64__)

#include "writers/symbols/registers.h"

#include <Zydis/Zydis.h>

/* Indices in a sample of the registers, in the order of their numbers in instructions. */
static const int8_t sampled[16] = {0, 2, 3, 1, 7, 6, 4, 5, 9, 10, 11, 12, 13, 14, 15, 16};

/* Returns a register's index in a sample, or -1. */
static int8_t index_of(ZydisRegister part)
{
    const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, part);
    const int number = ZydisRegisterGetClass(whole) == ZYDIS_REGCLASS_GPR64 ? ZydisRegisterGetId(whole) : -1;
    return number >= 0 && number < (int)sizeof(sampled) ? sampled[number] : -1;
}

static uint32_t bit_of(int8_t index)
{
    return index >= 0 ? 1U << index : 0;
}

static bool is_written(const ZydisDecodedOperand *operand)
{
    return (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
}

/* Returns false for an instruction whose operand is only a hint or has no meaning. */
static bool uses_memory(const ZydisDecodedInstruction *decoded)
{
    return decoded->mnemonic != ZYDIS_MNEMONIC_NOP && decoded->meta.category != ZYDIS_CATEGORY_PREFETCH;
}

/* Returns true if the memory is a thread's own (FS, GS), or a local variable's on the stack. */
static bool is_own(const ZydisDecodedOperand *operand)
{
    return operand->mem.segment == ZYDIS_REGISTER_FS || operand->mem.segment == ZYDIS_REGISTER_GS ||
           operand->mem.base == ZYDIS_REGISTER_RSP ||
           (operand->mem.base == ZYDIS_REGISTER_RBP && operand->mem.disp.value < 0);
}

static void take_memory(const ZydisDecodedOperand *operand, size_t origin,
                        struct omptape_instruction *instruction)
{
    struct omptape_operand *memory = &instruction->memory;
    const bool relative = operand->mem.base == ZYDIS_REGISTER_RIP;
    const int8_t base = relative ? OMPTAPE_REGISTER_PC : index_of(operand->mem.base);
    const int8_t index = index_of(operand->mem.index);
    const int64_t distance = relative ? (int64_t)instruction->end - (int64_t)origin : 0;
    instruction->addressed |= (relative ? 0 : bit_of(base)) | bit_of(index);
    if (operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
        return;
    const bool reads = (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
    const unsigned bytes = operand->size / 8U;
    instruction->loads |= reads;
    instruction->stores |= is_written(operand);
    if (is_own(operand))
        return;
    /* A gather, a copy, or a processor's state. */
    if (operand->mem.type != ZYDIS_MEMOP_TYPE_MEM || memory->bytes != 0 || bytes == 0 || bytes > UINT8_MAX) {
        instruction->has_others = true;
        return;
    }
    *memory = (struct omptape_operand){.base = base,
                                       .index = index,
                                       .scale = operand->mem.scale,
                                       .bytes = (uint8_t)bytes,
                                       .offset = operand->mem.disp.value + distance,
                                       .reads = reads,
                                       .writes = is_written(operand)};
}

/* Sets what the instruction adds to a register, if it does no more. */
static void take_step(const ZydisDecodedInstruction *decoded, const ZydisDecodedOperand *operands,
                      struct omptape_instruction *instruction)
{
    const ZydisDecodedOperand *added = &operands[1];
    const bool subtracts = decoded->mnemonic == ZYDIS_MNEMONIC_SUB || decoded->mnemonic == ZYDIS_MNEMONIC_DEC;
    const bool counts = decoded->mnemonic == ZYDIS_MNEMONIC_INC || decoded->mnemonic == ZYDIS_MNEMONIC_DEC;
    const bool adds = subtracts || counts || decoded->mnemonic == ZYDIS_MNEMONIC_ADD;
    const int8_t sign = subtracts ? -1 : 1;
    struct omptape_step step = {.by = -1};
    instruction->moved = -1;
    if (decoded->operand_count_visible == 0 || operands[0].type != ZYDIS_OPERAND_TYPE_REGISTER ||
        operands[0].size != 64)
        return;
    if (counts)
        step.offset = sign;
    else if (adds && added->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
        step.offset = sign * added->imm.value.s;
    else if (adds && added->type == ZYDIS_OPERAND_TYPE_REGISTER)
        step = (struct omptape_step){.by = index_of(added->reg.value), .scale = sign};
    else if (decoded->mnemonic == ZYDIS_MNEMONIC_LEA && added->mem.base == operands[0].reg.value)
        step = (struct omptape_step){.by = index_of(added->mem.index),
                                     .scale = (int8_t)added->mem.scale,
                                     .offset = added->mem.disp.value};
    else
        return;
    if (step.by >= 0 || step.scale == 0)
        instruction->moved = index_of(operands[0].reg.value);
    instruction->step = step;
}

/* Returns true for an instruction that a loop has which only waits: it moves, compares, or changes a register
 * by a constant. */
static bool only_looks(const ZydisDecodedInstruction *decoded, const ZydisDecodedOperand *operands)
{
    const bool is_constant = operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
    const bool is_register = operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER;
    if (decoded->meta.category == ZYDIS_CATEGORY_SETCC)
        return is_register;
    switch (decoded->mnemonic) {
    case ZYDIS_MNEMONIC_NOP:
    case ZYDIS_MNEMONIC_PAUSE:
    case ZYDIS_MNEMONIC_CMP:
    case ZYDIS_MNEMONIC_TEST:
    case ZYDIS_MNEMONIC_XCHG:
    case ZYDIS_MNEMONIC_CMPXCHG:
        return true;
    case ZYDIS_MNEMONIC_MOV:
    case ZYDIS_MNEMONIC_MOVZX:
    case ZYDIS_MNEMONIC_MOVSX:
    case ZYDIS_MNEMONIC_MOVSXD:
    case ZYDIS_MNEMONIC_INC:
    case ZYDIS_MNEMONIC_DEC:
        return is_register;
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_AND:
        return is_register && is_constant;
    case ZYDIS_MNEMONIC_XOR:
        return is_register && (is_constant || operands[0].reg.value == operands[1].reg.value);
    default:
        return false;
    }
}

/* Sets the registers that a call may overwrite, by the conventions of x86-64. */
static uint32_t lost_by_call(void)
{
    enum { AX = 0, CX = 2, DX = 3, SI = 4, DI = 5, R8 = 9, R11 = 12 };
    uint32_t lost = 1U << AX | 1U << CX | 1U << DX | 1U << SI | 1U << DI;
    for (unsigned i = R8; i <= R11; i++)
        lost |= 1U << i;
    return lost;
}

bool omptape_instruction_decode(const unsigned char *code, size_t bytes, size_t begin, size_t origin,
                                struct omptape_instruction *instruction)
{
    static const ZydisInstructionAttributes repeats =
        ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;
    ZydisDecoder decoder;
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    *instruction = (struct omptape_instruction){.begin = begin};
    if (begin >= bytes ||
        !ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
        !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code + begin, bytes - begin, &decoded, operands)))
        return false;
    const ZydisInstructionCategory category = decoded.meta.category;
    const bool jumps = category == ZYDIS_CATEGORY_COND_BR || category == ZYDIS_CATEGORY_UNCOND_BR;
    instruction->end = begin + decoded.length;
    instruction->returns = category == ZYDIS_CATEGORY_RET;
    instruction->has_others = category == ZYDIS_CATEGORY_CALL || (decoded.attributes & repeats) != 0;
    if (category == ZYDIS_CATEGORY_CALL)
        instruction->written = lost_by_call();
    for (unsigned i = 0; i < decoded.operand_count; i++) {
        const ZydisDecodedOperand *operand = &operands[i];
        if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && uses_memory(&decoded))
            take_memory(operand, origin, instruction);
        else if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER && is_written(operand))
            instruction->written |= bit_of(index_of(operand->reg.value));
        else if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operand->imm.is_relative && jumps)
            instruction->jumps = true;
        if (instruction->jumps)
            instruction->target = (int64_t)instruction->end + operands[0].imm.value.s;
    }
    instruction->updates = instruction->stores && ((decoded.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0 ||
                                                   decoded.mnemonic == ZYDIS_MNEMONIC_XCHG);
    instruction->looks = instruction->jumps || only_looks(&decoded, operands);
    take_step(&decoded, operands, instruction);
    return true;
}

#else

bool omptape_instruction_decode(const unsigned char *code, size_t bytes, size_t begin, size_t origin,
                                struct omptape_instruction *instruction)
{
    (void)code;
    (void)bytes;
    (void)origin;
    *instruction = (struct omptape_instruction){.begin = begin};
    return false;
}

#endif
