/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes steps and used bytes of lines from a sample. Called by contexts.c for each sample.
 */
#include "writers/regions/far_accesses.h"

#include "writers/symbols/registers.h"

/* CACHE_BYTES: more than what a processor has for itself. */
enum { LINE_BYTES = OMPTAPE_LINE_BYTES, CACHE_BYTES = 4 << 20, MIN_COMPARED = 6, MIN_LEFT = 256 };

static int64_t step_of(const struct omptape_code_operand *operand, const struct omptape_stack_copy *copy)
{
    uint64_t step;
    return omptape_code_value_evaluate(&operand->step, copy, &step) ? (int64_t)step : 0;
}

/* Returns how many bytes of the line at the address the loop accesses. Equal accesses count once. The
 * sample may tell an access of the previous or the next iteration instead of this one's. */
static uint32_t used_bytes(const struct omptape_sampled_code *code, const struct omptape_stack_copy *copy,
                           uint64_t address)
{
    uint64_t used = 0;
    for (uint32_t i = 0; i < code->operand_count; i++) {
        const uint64_t step = (uint64_t)step_of(&code->operands[i], copy);
        uint64_t at;
        if (!omptape_code_value_evaluate(&code->operands[i].address, copy, &at))
            return LINE_BYTES;
        at -= step;
        for (unsigned iteration = 0; iteration < 3; iteration++, at += step)
            if (at / LINE_BYTES == address / LINE_BYTES)
                used |= omptape_line_mask(at, code->operands[i].bytes);
    }
    return (uint32_t)__builtin_popcountll(used);
}

static uint64_t size_of(int64_t number)
{
    return number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
}

/* Returns true if no sample shows that the loop has more iterations than a tile. */
static bool is_tile(struct omptape_address_range *range, const struct omptape_sampled_code *code,
                    const struct omptape_stack_copy *copy)
{
    uint64_t left;
    if (code->left_step == 0 || !omptape_code_value_evaluate(&code->left, copy, &left))
        return false;
    left = size_of((int64_t)left) / size_of(code->left_step);
    range->most_left = left > range->most_left ? left : range->most_left;
    return range->most_left < MIN_LEFT;
}

/* Returns true if the addresses are not in the order of the index. */
static bool is_disordered(struct omptape_address_range *range, uint64_t index, uint64_t target)
{
    for (uint32_t i = 0; i < OMPTAPE_ADDRESS_PAIRS && i < range->pairs; i++) {
        const bool differs = index != range->indices[i] && target != range->targets[i];
        range->compared += differs;
        range->disordered += differs && (index > range->indices[i]) != (target > range->targets[i]);
    }
    range->indices[range->pairs % OMPTAPE_ADDRESS_PAIRS] = index;
    range->targets[range->pairs % OMPTAPE_ADDRESS_PAIRS] = target;
    range->pairs++;
    return range->compared >= MIN_COMPARED && 4 * range->disordered >= range->compared;
}

static enum omptape_access_pattern pattern_of(struct omptape_address_range *range,
                                              const struct omptape_sampled_code *code,
                                              const struct omptape_code_operand *operand, uint64_t address,
                                              const struct omptape_stack_copy *copy)
{
    const int64_t step = step_of(operand, copy);
    uint64_t index;
    if (code->has_all && (step >= LINE_BYTES || step <= -LINE_BYTES))
        return used_bytes(code, copy, address) <= LINE_BYTES / 4 && !is_tile(range, code, copy)
                   ? OMPTAPE_ACCESS_FAR
                   : OMPTAPE_ACCESS_NEAR;
    if (operand->index < 0 ||
        !omptape_code_value_evaluate(&code->operands[operand->index].address, copy, &index) ||
        !is_disordered(range, index, address))
        return OMPTAPE_ACCESS_NEAR;
    return used_bytes(code, copy, address) <= LINE_BYTES / 2 ? OMPTAPE_ACCESS_SCATTERED : OMPTAPE_ACCESS_NEAR;
}

/* Returns the thread's addresses of the array, or NULL if out of memory. */
static struct omptape_address_range *range_of(struct omptape_pairs *ranges, struct omptape_arena *arena,
                                              const struct omptape_sampled_code *code,
                                              const struct omptape_code_operand *operand,
                                              const struct omptape_stack_copy *copy)
{
    const uint64_t loop = copy->registers[OMPTAPE_REGISTER_PC] + (uint64_t)code->loop;
    return omptape_pairs_obtain(ranges, arena, copy->thread, loop << 8 | operand->array,
                                sizeof(struct omptape_address_range));
}

enum omptape_access_pattern omptape_far_accesses_note(struct omptape_pairs *ranges,
                                                      struct omptape_arena *arena,
                                                      const struct omptape_sampled_code *code,
                                                      const struct omptape_stack_copy *copy)
{
    for (uint32_t i = 0; i < code->operand_count; i++) {
        const struct omptape_code_operand *operand = &code->operands[i];
        uint64_t address;
        if (!operand->is_sampled || !omptape_code_value_evaluate(&operand->address, copy, &address))
            continue;
        struct omptape_address_range *range = range_of(ranges, arena, code, operand, copy);
        if (range == NULL)
            break;
        const enum omptape_access_pattern pattern = pattern_of(range, code, operand, address, copy);
        if (pattern == OMPTAPE_ACCESS_NEAR && operand->index < 0)
            continue;
        range->low = range->low == 0 || address < range->low ? address : range->low;
        range->high = address > range->high ? address : range->high;
        return range->high - range->low > CACHE_BYTES ? pattern : OMPTAPE_ACCESS_NEAR;
    }
    return OMPTAPE_ACCESS_NEAR;
}
