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

/* Returns true for a variable of the thread's own, and for what a call, a push or a pop accesses. */
static bool is_own(const ZydisDecodedOperand *operand)
{
    return operand->mem.segment == ZYDIS_REGISTER_FS || operand->mem.segment == ZYDIS_REGISTER_GS ||
           (operand->mem.base == ZYDIS_REGISTER_RSP &&
            operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN);
}

static void take_memory(const ZydisDecodedOperand *operand, size_t origin,
                        struct omptape_instruction *instruction)
{
    struct omptape_operand *memory = &instruction->memory;
    const bool relative = operand->mem.base == ZYDIS_REGISTER_RIP;
    const int64_t distance = relative ? (int64_t)instruction->end - (int64_t)origin : 0;
    struct omptape_operand taken = {.base = relative ? OMPTAPE_REGISTER_PC : index_of(operand->mem.base),
                                    .index = index_of(operand->mem.index),
                                    .scale = operand->mem.scale,
                                    .offset = operand->mem.disp.value + distance,
                                    .reads = (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0,
                                    .writes = is_written(operand)};
    const unsigned bytes = operand->size / 8U;
    instruction->addressed |= (relative ? 0 : bit_of(taken.base)) | bit_of(taken.index);
    if (operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN) {
        taken.reads = taken.writes = false;
        *memory = taken;
        return;
    }
    instruction->loads |= taken.reads;
    instruction->stores |= taken.writes;
    if (is_own(operand))
        return;
    /* A gather, a copy, or a processor's state. */
    if (operand->mem.type != ZYDIS_MEMOP_TYPE_MEM || memory->bytes != 0 || bytes == 0 || bytes > UINT8_MAX) {
        instruction->has_others = true;
        return;
    }
    taken.bytes = (uint8_t)bytes;
    *memory = taken;
}

/* Sets where the value comes from. Returns false if it is of less than 4 bytes, or none of these. */
static bool take_source(const ZydisDecodedOperand *source, struct omptape_effect *effect)
{
    effect->from = OMPTAPE_FROM_CONSTANT;
    if (source->type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
        effect->constant = source->imm.value.s * effect->factor;
        return true;
    }
    effect->bytes = (uint8_t)(source->size / 8);
    if (source->type == ZYDIS_OPERAND_TYPE_REGISTER) {
        effect->from = OMPTAPE_FROM_REGISTER;
        effect->source = index_of(source->reg.value);
        return effect->source >= 0 && effect->bytes >= 4;
    }
    const bool is_address =
        source->type == ZYDIS_OPERAND_TYPE_MEMORY && source->mem.type == ZYDIS_MEMOP_TYPE_AGEN;
    effect->from = is_address ? OMPTAPE_FROM_ADDRESS : OMPTAPE_FROM_MEMORY;
    return source->type == ZYDIS_OPERAND_TYPE_MEMORY &&
           (is_address ||
            (source->mem.type == ZYDIS_MEMOP_TYPE_MEM && effect->bytes >= 4 && !is_own(source)));
}

/* Sets the effect of an instruction that multiplies by a constant. Returns false for others. */
static bool take_product(const ZydisDecodedInstruction *decoded, const ZydisDecodedOperand *operands,
                         struct omptape_effect *effect)
{
    enum { MAX_SHIFT = 31 };
    const bool shifts = decoded->mnemonic == ZYDIS_MNEMONIC_SHL;
    const ZydisDecodedOperand *factor = &operands[shifts ? 1 : 2];
    if (decoded->operand_count_visible != (shifts ? 2 : 3) || factor->type != ZYDIS_OPERAND_TYPE_IMMEDIATE ||
        (shifts && factor->imm.value.u > MAX_SHIFT))
        return false;
    effect->factor = shifts ? INT64_C(1) << factor->imm.value.u : factor->imm.value.s;
    return take_source(&operands[shifts ? 0 : 1], effect);
}

static void take_effect(const ZydisDecodedInstruction *decoded, const ZydisDecodedOperand *operands,
                        struct omptape_instruction *instruction)
{
    const ZydisDecodedOperand *to = &operands[0];
    struct omptape_effect effect = {
        .kind = OMPTAPE_EFFECT_SET, .target = -1, .bytes = (uint8_t)(to->size / 8), .factor = 1};
    bool is_known = decoded->operand_count > 0 && to->size >= 32;
    switch (decoded->mnemonic) {
    case ZYDIS_MNEMONIC_CMP:
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_ADD:
        effect.kind = decoded->mnemonic == ZYDIS_MNEMONIC_CMP ? OMPTAPE_EFFECT_COMPARE : OMPTAPE_EFFECT_ADD;
        effect.factor = decoded->mnemonic == ZYDIS_MNEMONIC_ADD ? 1 : -1;
        is_known = is_known && take_source(&operands[1], &effect);
        break;
    case ZYDIS_MNEMONIC_MOV:
    case ZYDIS_MNEMONIC_MOVSXD:
    case ZYDIS_MNEMONIC_LEA:
    case ZYDIS_MNEMONIC_CDQE:
        is_known = is_known && take_source(&operands[1], &effect);
        break;
    case ZYDIS_MNEMONIC_INC:
    case ZYDIS_MNEMONIC_DEC:
        effect.kind = OMPTAPE_EFFECT_ADD;
        effect.constant = decoded->mnemonic == ZYDIS_MNEMONIC_INC ? 1 : -1;
        break;
    case ZYDIS_MNEMONIC_XOR:
        is_known = is_known && to->type == ZYDIS_OPERAND_TYPE_REGISTER &&
                   operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER && operands[1].reg.value == to->reg.value;
        break;
    case ZYDIS_MNEMONIC_SHL:
    case ZYDIS_MNEMONIC_IMUL:
        is_known = is_known && take_product(decoded, operands, &effect);
        break;
    default:
        is_known = false;
    }
    if (is_known && to->type == ZYDIS_OPERAND_TYPE_REGISTER)
        effect.target = index_of(to->reg.value);
    const bool has_target =
        effect.target >= 0 || (effect.kind == OMPTAPE_EFFECT_COMPARE ? to->type == ZYDIS_OPERAND_TYPE_MEMORY
                                                                     : instruction->memory.writes);
    if (!is_known || !has_target)
        effect = (struct omptape_effect){.target = -1};
    instruction->effect = effect;
}

/* True for an instruction of a loop that only waits: moves, compares, changes a register by a constant. */
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
    case ZYDIS_MNEMONIC_MOV:
        return true;
    case ZYDIS_MNEMONIC_MOVZX:
    case ZYDIS_MNEMONIC_MOVSX:
    case ZYDIS_MNEMONIC_MOVSXD:
    case ZYDIS_MNEMONIC_CDQE:
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

/* Returns true for a fence, which orders memory accesses (omp flush). Instead of MFENCE, compilers use an
 * atomic update of the top of the stack that changes nothing. */
static bool is_fence(const ZydisDecodedInstruction *decoded, const ZydisDecodedOperand *operands)
{
    if (decoded->mnemonic == ZYDIS_MNEMONIC_MFENCE || decoded->mnemonic == ZYDIS_MNEMONIC_LFENCE ||
        decoded->mnemonic == ZYDIS_MNEMONIC_SFENCE)
        return true;
    return (decoded->attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0 &&
           (decoded->mnemonic == ZYDIS_MNEMONIC_OR || decoded->mnemonic == ZYDIS_MNEMONIC_ADD) &&
           operands[0].mem.base == ZYDIS_REGISTER_RSP && operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
           operands[1].imm.value.u == 0;
}

/* Returns true for divisions and square roots: of the usual instructions only these take tens of cycles. */
static bool is_division(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_DIV:
    case ZYDIS_MNEMONIC_IDIV:
    case ZYDIS_MNEMONIC_DIVSS:
    case ZYDIS_MNEMONIC_DIVSD:
    case ZYDIS_MNEMONIC_DIVPS:
    case ZYDIS_MNEMONIC_DIVPD:
    case ZYDIS_MNEMONIC_VDIVSS:
    case ZYDIS_MNEMONIC_VDIVSD:
    case ZYDIS_MNEMONIC_VDIVPS:
    case ZYDIS_MNEMONIC_VDIVPD:
    case ZYDIS_MNEMONIC_SQRTSS:
    case ZYDIS_MNEMONIC_SQRTSD:
    case ZYDIS_MNEMONIC_SQRTPS:
    case ZYDIS_MNEMONIC_SQRTPD:
    case ZYDIS_MNEMONIC_VSQRTSS:
    case ZYDIS_MNEMONIC_VSQRTSD:
    case ZYDIS_MNEMONIC_VSQRTPS:
    case ZYDIS_MNEMONIC_VSQRTPD:
        return true;
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
    instruction->always = category == ZYDIS_CATEGORY_UNCOND_BR;
    for (unsigned i = 0; i < decoded.operand_count; i++) {
        const ZydisDecodedOperand *operand = &operands[i];
        if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && uses_memory(&decoded))
            take_memory(operand, origin, instruction);
        else if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER && is_written(operand) &&
                 !(category == ZYDIS_CATEGORY_CALL && operand->reg.value == ZYDIS_REGISTER_RSP))
            instruction->written |= bit_of(index_of(operand->reg.value));
        else if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operand->imm.is_relative && jumps)
            instruction->jumps = true;
        if (instruction->jumps)
            instruction->target = (int64_t)instruction->end + operands[0].imm.value.s;
    }
    const bool fence = is_fence(&decoded, operands);
    instruction->updates =
        !fence && instruction->stores &&
        ((decoded.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0 || decoded.mnemonic == ZYDIS_MNEMONIC_XCHG);
    instruction->divides = is_division(decoded.mnemonic);
    instruction->looks = instruction->jumps || fence || only_looks(&decoded, operands);
    take_effect(&decoded, operands, instruction);
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
