/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes steps and used bytes of lines from a sample's registers. Called by contexts.c for each sample.
 */
#include "writers/regions/far_accesses.h"

/* CACHE_BYTES: more than what a processor has for itself. */
enum { LINE_BYTES = OMPTAPE_LINE_BYTES, MAX_USED_BYTES = LINE_BYTES / 4, CACHE_BYTES = 4 << 20 };

static int64_t step_of(const struct omptape_code_operand *operand, const uint64_t *registers)
{
    const struct omptape_step *step = &operand->step;
    const uint64_t by = step->by >= 0 ? registers[step->by] * (uint64_t)(int64_t)step->scale : 0;
    return operand->has_step ? (int64_t)(by + (uint64_t)step->offset) : 0;
}

/* Returns how many bytes of the line at the address the loop accesses. Equal accesses count once. The
 * registers may tell an access of the previous or the next iteration instead of this one's. */
static uint32_t used_bytes(const struct omptape_sampled_code *code, const uint64_t *registers,
                           uint64_t address)
{
    uint64_t used = 0;
    for (uint32_t i = 0; i < code->operand_count; i++) {
        const struct omptape_operand *place = &code->operands[i].place;
        const uint64_t step = (uint64_t)step_of(&code->operands[i], registers);
        uint64_t at = omptape_operand_address(place, registers) - step;
        for (unsigned iteration = 0; iteration < 3; iteration++, at += step)
            if (at / LINE_BYTES == address / LINE_BYTES)
                used |= omptape_line_mask(at, place->bytes);
    }
    return (uint32_t)__builtin_popcountll(used);
}

bool omptape_far_accesses_note(struct omptape_address_range *range, const struct omptape_sampled_code *code,
                               const uint64_t *registers)
{
    for (uint32_t i = 0; code->has_all && i < code->operand_count; i++) {
        const struct omptape_code_operand *operand = &code->operands[i];
        const int64_t step = step_of(operand, registers);
        const uint64_t address = omptape_operand_address(&operand->place, registers);
        if (!operand->is_sampled || (step < LINE_BYTES && step > -LINE_BYTES) ||
            used_bytes(code, registers, address) > MAX_USED_BYTES)
            continue;
        range->low = range->low == 0 || address < range->low ? address : range->low;
        range->high = address > range->high ? address : range->high;
        return range->high - range->low > CACHE_BYTES;
    }
    return false;
}
