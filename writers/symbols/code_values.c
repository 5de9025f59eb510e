/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Follows instructions with sums in place of numbers. Called by sampled_code.c.
 */
#include "writers/symbols/code_values.h"

#include "writers/symbols/registers.h"

#include <string.h>

enum { BP = OMPTAPE_REGISTER_BP, SP = OMPTAPE_REGISTER_SP };

static const struct omptape_code_value unknown = {.is_known = false};

static bool is_alike(const struct omptape_code_term *one, const struct omptape_code_term *other)
{
    return one->base == other->base && one->is_on_stack == other->is_on_stack && one->bytes == other->bytes &&
           one->offset == other->offset;
}

static void add_term(struct omptape_code_value *sum, struct omptape_code_term term)
{
    for (uint8_t i = 0; i < sum->count; i++)
        if (is_alike(&sum->terms[i], &term)) {
            sum->terms[i].scale = (int64_t)((uint64_t)sum->terms[i].scale + (uint64_t)term.scale);
            if (sum->terms[i].scale == 0)
                sum->terms[i] = sum->terms[--sum->count];
            return;
        }
    if (sum->count == OMPTAPE_CODE_TERMS)
        *sum = unknown;
    else
        sum->terms[sum->count++] = term;
}

/* Adds more * factor. Products wrap as those of the machine do. */
static void add(struct omptape_code_value *sum, const struct omptape_code_value *more, int64_t factor)
{
    if (!more->is_known)
        *sum = unknown;
    for (uint8_t i = 0; i < more->count && sum->is_known && factor != 0; i++) {
        struct omptape_code_term term = more->terms[i];
        term.scale = (int64_t)((uint64_t)term.scale * (uint64_t)factor);
        add_term(sum, term);
    }
    sum->offset = (int64_t)((uint64_t)sum->offset + (uint64_t)more->offset * (uint64_t)factor);
}

static struct omptape_code_value constant_value(int64_t constant)
{
    return (struct omptape_code_value){.is_known = true, .offset = constant};
}

static struct omptape_code_value single_value(struct omptape_code_term term)
{
    return (struct omptape_code_value){.is_known = true, .count = 1, .terms = {term}};
}

static bool is_equal(const struct omptape_code_value *one, const struct omptape_code_value *other)
{
    const struct omptape_code_value rest = omptape_code_value_minus(one, other);
    return rest.is_known && rest.count == 0 && rest.offset == 0;
}

struct omptape_code_value omptape_code_value_minus(const struct omptape_code_value *one,
                                                   const struct omptape_code_value *other)
{
    struct omptape_code_value rest = *one;
    add(&rest, other, -1);
    return rest;
}

void omptape_code_values_init(struct omptape_code_values *values, bool has_frame)
{
    values->has_frame = has_frame;
    values->has_lost = false;
    values->slot_count = values->word_count = 0;
    values->compared = unknown;
    for (int8_t i = 0; i < OMPTAPE_CODE_REGISTERS; i++)
        values->registers[i] = single_value((struct omptape_code_term){.base = i, .bytes = 8, .scale = 1});
}

struct omptape_code_value omptape_code_values_address(const struct omptape_code_values *values,
                                                      const struct omptape_operand *operand)
{
    struct omptape_code_value address = constant_value(operand->offset);
    if (operand->base >= 0)
        add(&address, &values->registers[operand->base], 1);
    if (operand->index >= 0)
        add(&address, &values->registers[operand->index], operand->scale);
    return address;
}

bool omptape_code_values_is_stack(const struct omptape_code_values *values,
                                  const struct omptape_code_value *address)
{
    const struct omptape_code_term *term = &address->terms[0];
    return address->is_known && address->count == 1 && !term->is_on_stack && term->scale == 1 &&
           term->bytes == 8 && (term->base == SP || (term->base == BP && values->has_frame)) &&
           address->offset >= INT32_MIN && address->offset <= INT32_MAX;
}

/* Returns the slot of a word on the stack, or the number of slots. */
static size_t find_slot(const struct omptape_code_values *values, const struct omptape_code_value *address)
{
    size_t slot = 0;
    while (slot < values->slot_count && !is_equal(&values->slot_addresses[slot], address))
        slot++;
    return slot;
}

static struct omptape_code_value read_stack(const struct omptape_code_values *values,
                                            const struct omptape_code_value *address, uint8_t bytes)
{
    const size_t slot = find_slot(values, address);
    if (slot < values->slot_count)
        return values->slots[slot];
    return values->has_lost ? unknown
                            : single_value((struct omptape_code_term){.base = address->terms[0].base,
                                                                      .is_on_stack = true,
                                                                      .bytes = bytes,
                                                                      .offset = (int32_t)address->offset,
                                                                      .scale = 1});
}

static struct omptape_code_value read_word(struct omptape_code_values *values,
                                           const struct omptape_code_value *address, uint8_t bytes,
                                           size_t loader)
{
    size_t word = 0;
    while (word < values->word_count && !is_equal(&values->words[word].address, address))
        word++;
    if (word == OMPTAPE_CODE_WORDS)
        return unknown;
    if (word == values->word_count)
        values->words[values->word_count++] =
            (struct omptape_code_word){.address = *address, .loader = loader};
    return single_value(
        (struct omptape_code_term){.base = -1, .bytes = bytes, .offset = (int32_t)word, .scale = 1});
}

static struct omptape_code_value read_memory(struct omptape_code_values *values,
                                             const struct omptape_code_value *address, uint8_t bytes,
                                             size_t loader)
{
    if (!address->is_known || (bytes != 4 && bytes != 8))
        return unknown;
    return omptape_code_values_is_stack(values, address) ? read_stack(values, address, bytes)
                                                         : read_word(values, address, bytes, loader);
}

static void write_memory(struct omptape_code_values *values, const struct omptape_code_value *address,
                         const struct omptape_code_value *value)
{
    const size_t slot = find_slot(values, address);
    for (size_t i = 0; i < values->word_count; i++)
        if (is_equal(&values->words[i].address, address))
            values->words[i].address = unknown;
    if (!omptape_code_values_is_stack(values, address))
        return;
    if (slot == OMPTAPE_CODE_SLOTS) {
        values->has_lost = true;
        return;
    }
    values->slot_count += slot == values->slot_count;
    values->slot_addresses[slot] = *address;
    values->slots[slot] = *value;
}

/* Of 4 bytes of a register that the sample holds, the value is a signed number. */
static struct omptape_code_value read_register(const struct omptape_code_values *values, int8_t index,
                                               uint8_t bytes)
{
    struct omptape_code_value value = values->registers[index];
    if (bytes == 4 && value.count == 1 && value.offset == 0 && value.terms[0].scale == 1)
        value.terms[0].bytes = 4;
    return value;
}

static struct omptape_code_value source_value(struct omptape_code_values *values,
                                              const struct omptape_instruction *instruction,
                                              const struct omptape_code_value *address, size_t number)
{
    const struct omptape_effect *effect = &instruction->effect;
    switch (effect->from) {
    case OMPTAPE_FROM_REGISTER:
        return read_register(values, effect->source, effect->bytes);
    case OMPTAPE_FROM_MEMORY:
        return read_memory(values, address, effect->bytes, number);
    case OMPTAPE_FROM_ADDRESS:
        return *address;
    case OMPTAPE_FROM_CONSTANT:
        break;
    }
    return constant_value(0);
}

static struct omptape_code_value result_of(struct omptape_code_values *values,
                                           const struct omptape_instruction *instruction,
                                           const struct omptape_code_value *address, size_t number)
{
    const struct omptape_effect *effect = &instruction->effect;
    struct omptape_code_value result = constant_value(effect->constant);
    if (effect->kind == OMPTAPE_EFFECT_UNKNOWN)
        return unknown;
    const struct omptape_code_value source = source_value(values, instruction, address, number);
    add(&result, &source, effect->factor);
    if (effect->kind != OMPTAPE_EFFECT_SET) {
        const struct omptape_code_value before = effect->target >= 0
                                                     ? read_register(values, effect->target, effect->bytes)
                                                     : read_memory(values, address, effect->bytes, number);
        add(&result, &before, 1);
    }
    return result;
}

void omptape_code_values_follow(struct omptape_code_values *values,
                                const struct omptape_instruction *instruction, size_t number)
{
    const struct omptape_code_value address = omptape_code_values_address(values, &instruction->memory);
    const struct omptape_code_value result = result_of(values, instruction, &address, number);
    for (unsigned i = 0; i < OMPTAPE_CODE_REGISTERS; i++)
        if ((instruction->written >> i & 1) != 0)
            values->registers[i] = unknown;
    for (size_t i = 0; i < values->word_count && instruction->has_others; i++)
        values->words[i].address = unknown;
    if (instruction->effect.kind != OMPTAPE_EFFECT_SET && !instruction->jumps)
        values->compared = result;
    if (instruction->effect.kind == OMPTAPE_EFFECT_COMPARE)
        return;
    if (instruction->effect.target >= 0)
        values->registers[instruction->effect.target] = result;
    else if (instruction->memory.writes)
        write_memory(values, &address, &result);
}

bool omptape_code_value_is_sampled(const struct omptape_code_value *value)
{
    bool is_sampled = value->is_known;
    for (uint8_t i = 0; i < value->count; i++)
        is_sampled = is_sampled && value->terms[i].base >= 0;
    return is_sampled;
}

static bool read_copy(const struct omptape_code_term *term, const struct omptape_stack_copy *copy,
                      uint64_t *word)
{
    const uint64_t at = copy->registers[term->base] + (uint64_t)(int64_t)term->offset - copy->registers[SP];
    if (at >= copy->count || copy->count - at < term->bytes)
        return false;
    memcpy(word, copy->bytes + at, term->bytes);
    return true;
}

bool omptape_code_value_evaluate(const struct omptape_code_value *value,
                                 const struct omptape_stack_copy *copy, uint64_t *result)
{
    *result = (uint64_t)value->offset;
    for (uint8_t i = 0; i < value->count && value->is_known; i++) {
        const struct omptape_code_term *term = &value->terms[i];
        uint64_t word = 0;
        if (!term->is_on_stack)
            word = copy->registers[term->base];
        else if (!read_copy(term, copy, &word))
            return false;
        word = term->bytes == 4 ? (uint64_t)(int64_t)(int32_t)(uint32_t)word : word;
        *result += word * (uint64_t)term->scale;
    }
    return value->is_known;
}
