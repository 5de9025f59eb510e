/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Examines the innermost loop around a sampled address. Called by symbols.c, once for each address.
 */
#include "writers/symbols/sampled_code.h"

#include <string.h>

/* Limits of the loops that are examined, and of a loop that only waits. */
enum { MAX_INSTRUCTIONS = 96, MAX_WAITING_BYTES = 96, MAX_INSTRUCTION_BYTES = 15 };

/* Consecutive instructions; the one at `sampled` begins at the sampled address. */
struct sequence {
    struct omptape_instruction list[MAX_INSTRUCTIONS];
    size_t count;
    size_t sampled;
};

/* Returns the end of the first jump behind `at` that leads back to `at` or before it; 0 if there is none.
 * Sets `begin` to where it leads. */
static size_t find_loop(const unsigned char *code, size_t bytes, size_t at, size_t *begin)
{
    struct omptape_instruction instruction = {.end = at};
    for (unsigned i = 0; i < MAX_INSTRUCTIONS; i++) {
        if (!omptape_instruction_decode(code, bytes, instruction.end, at, &instruction) ||
            instruction.returns)
            return 0;
        if (instruction.jumps && instruction.target >= 0 && instruction.target <= (int64_t)at) {
            *begin = (size_t)instruction.target;
            return instruction.end;
        }
    }
    return 0;
}

/* Decodes the loop. Returns false if it has too many instructions or none begins at `at`. */
static bool read_loop(const unsigned char *code, size_t begin, size_t end, size_t at, struct sequence *loop)
{
    size_t next = begin;
    bool passes = false;
    loop->count = 0;
    while (next < end) {
        if (loop->count == MAX_INSTRUCTIONS ||
            !omptape_instruction_decode(code, end, next, at, &loop->list[loop->count]))
            return false;
        if (next == at)
            loop->sampled = loop->count;
        passes = passes || next == at;
        next = loop->list[loop->count++].end;
    }
    return passes;
}

static bool only_waits(const struct sequence *loop)
{
    uint32_t written = 0;
    uint32_t addressed = 0;
    bool reads = false;
    for (size_t i = 0; i < loop->count; i++) {
        const struct omptape_instruction *instruction = &loop->list[i];
        if (!instruction->looks || (instruction->stores && !instruction->loads))
            return false;
        reads = reads || instruction->loads;
        written |= instruction->written;
        addressed |= instruction->addressed;
    }
    return reads && (written & addressed) == 0;
}

/* Returns the registers that the instructions from `from` to before `to` overwrite. */
static uint32_t written_between(const struct sequence *loop, size_t from, size_t to)
{
    uint32_t written = 0;
    for (size_t i = from; i < to; i++)
        written |= loop->list[i].written;
    return written;
}

/* Returns true if the operand of instruction `i` is addressed by the registers' values at the sample, in this
 * iteration or the next. */
static bool is_addressed_by_sample(const struct sequence *loop, size_t i)
{
    const size_t sampled = loop->sampled;
    const uint32_t addressed = loop->list[i].addressed;
    if (i >= sampled)
        return (written_between(loop, sampled, i) & addressed) == 0;
    const uint32_t until_next = written_between(loop, sampled, loop->count) | written_between(loop, 0, i);
    return (written_between(loop, i, sampled) & addressed) == 0 || (until_next & addressed) == 0;
}

/* Returns the only instruction of the loop that overwrites the register. Returns NULL if none or several do.
 */
static const struct omptape_instruction *find_writer(const struct sequence *loop, int8_t index)
{
    const struct omptape_instruction *writer = NULL;
    for (size_t i = 0; i < loop->count; i++)
        if ((loop->list[i].written >> index & 1) != 0) {
            if (writer != NULL)
                return NULL;
            writer = &loop->list[i];
        }
    return writer;
}

/* Sets by how much the operand's address grows. One of its registers must move by a step that stays the same.
 */
static void find_step(const struct sequence *loop, struct omptape_code_operand *operand)
{
    const uint32_t written = written_between(loop, 0, loop->count);
    const struct omptape_operand *place = &operand->place;
    const bool base_moves = place->base >= 0 && (written >> place->base & 1) != 0;
    const bool index_moves = place->index >= 0 && (written >> place->index & 1) != 0;
    const int8_t moving = base_moves ? place->base : place->index;
    const int8_t factor = base_moves ? 1 : (int8_t)place->scale;
    if (base_moves == index_moves)
        return;
    const struct omptape_instruction *writer = find_writer(loop, moving);
    if (writer == NULL || writer->moved != moving ||
        (writer->step.by >= 0 && (written >> writer->step.by & 1) != 0))
        return;
    operand->has_step = true;
    operand->step = (struct omptape_step){.by = writer->step.by,
                                          .scale = (int8_t)(writer->step.scale * factor),
                                          .offset = writer->step.offset * factor};
}

static void take_operands(const struct sequence *loop, struct omptape_code_operand *space,
                          struct omptape_sampled_code *found)
{
    found->has_all = true;
    for (size_t i = 0; i < loop->count; i++) {
        found->has_all = found->has_all && !loop->list[i].has_others;
        if (loop->list[i].memory.bytes == 0)
            continue;
        if (found->operand_count == OMPTAPE_CODE_OPERANDS || !is_addressed_by_sample(loop, i)) {
            found->has_all = false;
            continue;
        }
        struct omptape_code_operand *operand = &space[found->operand_count++];
        *operand = (struct omptape_code_operand){.place = loop->list[i].memory,
                                                 .is_sampled = i == loop->sampled || i + 1 == loop->sampled};
        find_step(loop, operand);
    }
}

/* Returns true if an atomic update ends at `at`. Instructions cannot be decoded backwards, so any begin that
 * has the prefix of atomic updates is tried. */
static bool ends_update(const unsigned char *code, size_t at)
{
    enum { LOCK = 0xf0 };
    struct omptape_instruction instruction;
    for (size_t length = 2; length <= MAX_INSTRUCTION_BYTES && length <= at; length++)
        if (code[at - length] == LOCK &&
            omptape_instruction_decode(code, at, at - length, at, &instruction) && instruction.end == at &&
            instruction.updates)
            return true;
    return false;
}

struct omptape_sampled_code
omptape_sampled_code_read(const unsigned char *code, size_t bytes, size_t at,
                          struct omptape_code_operand space[OMPTAPE_CODE_OPERANDS])
{
    struct omptape_sampled_code found = {.operands = space};
    struct omptape_instruction instruction;
    struct sequence loop;
    size_t begin = 0;
    if (!omptape_instruction_decode(code, bytes, at, at, &instruction))
        return found;
    found.updates = instruction.updates || ends_update(code, at);
    const size_t end = find_loop(code, bytes, at, &begin);
    if (end == 0 || !read_loop(code, begin, end, at, &loop))
        return found;
    found.waits = end - begin < MAX_WAITING_BYTES && only_waits(&loop);
    take_operands(&loop, space, &found);
    found.updates = found.updates || (loop.sampled > 0 && loop.list[loop.sampled - 1].updates);
    return found;
}
