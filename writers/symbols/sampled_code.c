/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Examines the innermost loop around a sampled address. Called by symbols.c, once for each address.
 */
#include "writers/symbols/sampled_code.h"

#include "writers/symbols/registers.h"

/* Limits of the loops that are examined, and of a loop that only waits. */
enum { MAX_INSTRUCTIONS = 96, MAX_WAITING_BYTES = 96, MAX_INSTRUCTION_BYTES = 15 };

/* Consecutive instructions; the one at `sampled` begins at the sampled address. */
struct sequence {
    struct omptape_instruction list[MAX_INSTRUCTIONS];
    size_t count;
    size_t sampled;
};

/* Returns where the loop goes on behind the instruction. Conditions are false, unless only a jump leads
 * behind an unconditional one. `*target` is where the last conditional jump leads. */
static size_t next_of(const struct omptape_instruction *instruction, int64_t *target)
{
    const bool forward = instruction->jumps && instruction->target > (int64_t)instruction->end;
    if (forward && !instruction->always)
        *target = instruction->target;
    return forward && instruction->always && *target != (int64_t)instruction->end
               ? (size_t)instruction->target
               : instruction->end;
}

/* Returns the end of the first jump behind `at` that leads back to `at` or before it; 0 if there is none.
 * Sets `begin` to where it leads. */
static size_t find_loop(const unsigned char *code, size_t bytes, size_t at, size_t *begin)
{
    struct omptape_instruction instruction = {.end = at};
    int64_t target = 0;
    for (unsigned i = 0; i < MAX_INSTRUCTIONS; i++) {
        if (!omptape_instruction_decode(code, bytes, next_of(&instruction, &target), at, &instruction) ||
            instruction.returns)
            return 0;
        if (instruction.jumps && instruction.target >= 0 && instruction.target <= (int64_t)at) {
            *begin = (size_t)instruction.target;
            return instruction.end;
        }
    }
    return 0;
}

/* Decodes the loop. Returns false if it has too many instructions or does not pass `at`. */
static bool read_loop(const unsigned char *code, size_t bytes, size_t begin, size_t end, size_t at,
                      struct sequence *loop)
{
    size_t next = begin;
    int64_t target = 0;
    size_t branch = 0; /* Number of instructions up to the last conditional jump forward. */
    bool passes = false;
    loop->count = loop->sampled = 0;
    do {
        if (loop->count == MAX_INSTRUCTIONS ||
            !omptape_instruction_decode(code, bytes, next, at, &loop->list[loop->count]))
            return false;
        if (next == at)
            loop->sampled = loop->count;
        passes = passes || next == at;
        const struct omptape_instruction *last = &loop->list[loop->count++];
        next = next_of(last, &target);
        if (last->jumps && !last->always && last->target == target)
            branch = loop->count;
        /* The condition is true: what lies between leaves the loop. */
        if (last->always && last->target >= (int64_t)end && next == last->end && loop->sampled < branch)
            loop->count = branch;
    } while (loop->list[loop->count - 1].end != end);
    return passes;
}

/* Addresses of the loop's instructions, in as many rounds from the sampled one on. */
enum { ROUNDS = 3 };
struct rounds {
    struct omptape_code_values values;          /* Behind the last one. */
    struct omptape_code_value compared[ROUNDS]; /* By the jump that ends the loop or goes on with it. */
    struct omptape_code_value addresses[ROUNDS][MAX_INSTRUCTIONS];
};

/* Returns the number of the jump whose condition ends the loop. */
static size_t find_exit(const struct sequence *loop)
{
    const struct omptape_instruction *last = &loop->list[loop->count - 1];
    for (size_t i = 0; i < loop->count && last->always; i++) {
        const struct omptape_instruction *jump = &loop->list[i];
        if (jump->jumps && !jump->always &&
            (jump->target >= (int64_t)last->end || jump->target < (int64_t)loop->list[0].begin))
            return i;
    }
    return loop->count - 1;
}

static void follow_rounds(const struct sequence *loop, bool has_frame, struct rounds *rounds)
{
    const size_t exit = find_exit(loop);
    omptape_code_values_init(&rounds->values, has_frame);
    for (size_t i = 0; i < ROUNDS * loop->count; i++) {
        const size_t number = (loop->sampled + i) % loop->count;
        const struct omptape_instruction *instruction = &loop->list[number];
        rounds->addresses[i / loop->count][number] =
            omptape_code_values_address(&rounds->values, &instruction->memory);
        if (number == exit)
            rounds->compared[i / loop->count] = rounds->values.compared;
        omptape_code_values_follow(&rounds->values, instruction, number);
    }
}

static bool is_stack(const struct sequence *loop, const struct rounds *rounds, size_t i)
{
    return loop->list[i].memory.base == OMPTAPE_REGISTER_SP ||
           omptape_code_values_is_stack(&rounds->values, &rounds->addresses[0][i]);
}

/* Returns by how much the address grows from one round to the next. */
static struct omptape_code_value step_of(const struct rounds *rounds, size_t i)
{
    return omptape_code_value_minus(&rounds->addresses[2][i], &rounds->addresses[1][i]);
}

static bool only_waits(const struct sequence *loop, const struct rounds *rounds)
{
    bool reads = false;
    for (size_t i = 0; i < loop->count; i++) {
        const struct omptape_instruction *instruction = &loop->list[i];
        const bool is_own = instruction->memory.bytes > 0 && is_stack(loop, rounds, i);
        if (!instruction->looks || (instruction->stores && !instruction->loads && !is_own))
            return false;
        const struct omptape_code_value step = step_of(rounds, i);
        if (instruction->memory.bytes > 0 && (!step.is_known || step.count > 0 || step.offset != 0))
            return false;
        reads = reads || (instruction->loads && !is_own);
    }
    return reads;
}

/* Returns the registers that the instructions from `from` to before `to` overwrite. */
static uint32_t written_between(const struct sequence *loop, size_t from, size_t to)
{
    uint32_t written = 0;
    for (size_t i = from; i < to; i++)
        written |= loop->list[i].written;
    return written;
}

/* Returns the address in this iteration or the next, by what the sample holds. */
static struct omptape_code_value address_at_sample(const struct sequence *loop, const struct rounds *rounds,
                                                   size_t i)
{
    struct omptape_code_values sampled;
    if (i >= loop->sampled || (written_between(loop, i, loop->sampled) & loop->list[i].addressed) != 0)
        return rounds->addresses[0][i];
    omptape_code_values_init(&sampled, rounds->values.has_frame);
    return omptape_code_values_address(&sampled, &loop->list[i].memory);
}

/* Returns the number of the instruction that loads what the address depends on in each round anew. Returns -1
 * if there is none, or if the address depends on more. */
static int find_loader(const struct rounds *rounds, size_t i)
{
    const struct omptape_code_value step = step_of(rounds, i);
    for (uint8_t k = 0; step.is_known && k < step.count; k++)
        if (step.terms[k].base < 0)
            return (int)rounds->values.words[step.terms[k].offset].loader;
    return -1;
}

/* Links each access with the one that loads its index. */
static void link_indices(const struct rounds *rounds, const size_t *instructions,
                         struct omptape_code_operand *operands, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const int loader = find_loader(rounds, instructions[i]);
        operands[i].index = -1;
        for (uint32_t k = 0; k < count && loader >= 0; k++) {
            const struct omptape_code_value *step = &operands[k].step;
            if (instructions[k] == (size_t)loader && step->is_known && (step->count > 0 || step->offset != 0))
                operands[i].index = (int8_t)k;
        }
    }
}

static void take_left(const struct rounds *rounds, struct omptape_sampled_code *found)
{
    const struct omptape_code_value step =
        omptape_code_value_minus(&rounds->compared[2], &rounds->compared[1]);
    found->left = rounds->compared[0];
    if (step.is_known && step.count == 0 && omptape_code_value_is_sampled(&found->left))
        found->left_step = step.offset;
}

/* Returns a number of the word that the address is counted from. */
static uint8_t array_of(const struct omptape_code_value *address)
{
    for (uint8_t i = 0; i < address->count; i++) {
        const struct omptape_code_term *term = &address->terms[i];
        if (term->scale == 1 && term->bytes == 8 && term->base >= 0)
            return (uint8_t)((unsigned)term->base * 31U + (unsigned)term->is_on_stack * 7U +
                             (unsigned)term->offset);
    }
    return 0;
}

static void take_operands(const struct sequence *loop, const struct rounds *rounds,
                          struct omptape_code_operand *space, struct omptape_sampled_code *found)
{
    size_t instructions[OMPTAPE_CODE_OPERANDS];
    found->has_all = true;
    for (size_t i = 0; i < loop->count; i++) {
        const struct omptape_operand *memory = &loop->list[i].memory;
        const struct omptape_code_value address = address_at_sample(loop, rounds, i);
        found->has_all = found->has_all && !loop->list[i].has_others;
        if (memory->bytes == 0 || is_stack(loop, rounds, i))
            continue;
        if (found->operand_count == OMPTAPE_CODE_OPERANDS || !omptape_code_value_is_sampled(&address)) {
            found->has_all = false;
            continue;
        }
        instructions[found->operand_count] = i;
        space[found->operand_count++] =
            (struct omptape_code_operand){.address = address,
                                          .step = step_of(rounds, i),
                                          .bytes = memory->bytes,
                                          .reads = memory->reads,
                                          .writes = memory->writes,
                                          .is_sampled = i == loop->sampled || i + 1 == loop->sampled,
                                          .array = array_of(&rounds->addresses[1][i])};
    }
    link_indices(rounds, instructions, space, found->operand_count);
    for (uint32_t i = 0; i < found->operand_count; i++)
        space[i].step.is_known = omptape_code_value_is_sampled(&space[i].step);
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

/* Decodes the instruction before `at` and those from there on that are executed for certain: up to a jump or
 * a call. Instructions cannot be decoded backwards, so all from `start` on are decoded. */
static void read_straight(const unsigned char *code, size_t bytes, size_t start, size_t at,
                          struct sequence *straight)
{
    struct omptape_instruction instruction = {.end = start, .jumps = true};
    straight->count = 0;
    while (instruction.end < at)
        if (!omptape_instruction_decode(code, bytes, instruction.end, at, &instruction))
            break;
    if (instruction.end == at && !instruction.jumps && !instruction.returns)
        straight->list[straight->count++] = instruction;
    straight->sampled = straight->count;
    instruction.end = at;
    do {
        if (!omptape_instruction_decode(code, bytes, instruction.end, at, &instruction))
            return;
        straight->list[straight->count++] = instruction;
    } while (straight->count < MAX_INSTRUCTIONS && !instruction.jumps && !instruction.returns &&
             !instruction.has_others);
}

/* Takes the operands of code around which there is no loop, as of a function that a loop calls. By how much
 * their addresses grow is not known. There is no next round, so an instruction before the sample that
 * overwrites what it computes its address from has no address. */
static void take_straight(const unsigned char *code, size_t bytes, size_t start, size_t at, bool has_frame,
                          struct omptape_code_operand *space, struct omptape_sampled_code *found)
{
    struct sequence straight;
    struct rounds rounds;
    read_straight(code, bytes, start, at, &straight);
    if (straight.count == straight.sampled)
        return;
    found->divides = straight.list[straight.sampled].divides || straight.list[0].divides;
    if (straight.sampled > 0 && (straight.list[0].written & straight.list[0].addressed) != 0)
        straight.list[0].memory.bytes = 0;
    follow_rounds(&straight, has_frame, &rounds);
    take_operands(&straight, &rounds, space, found);
    found->has_all = false;
    for (uint32_t i = 0; i < found->operand_count; i++) {
        space[i].step.is_known = false;
        space[i].index = -1;
    }
}

struct omptape_sampled_code
omptape_sampled_code_read(const unsigned char *code, size_t bytes, size_t start, size_t at, bool has_frame,
                          struct omptape_code_operand space[OMPTAPE_CODE_OPERANDS])
{
    struct omptape_sampled_code found = {.operands = space};
    struct omptape_instruction instruction;
    struct sequence loop;
    struct rounds rounds;
    size_t begin = 0;
    if (!omptape_instruction_decode(code, bytes, at, at, &instruction))
        return found;
    found.updates = instruction.updates || ends_update(code, at);
    const size_t end = find_loop(code, bytes, at, &begin);
    if (end == 0 || !read_loop(code, bytes, begin, end, at, &loop)) {
        take_straight(code, bytes, start, at, has_frame, space, &found);
        return found;
    }
    follow_rounds(&loop, has_frame, &rounds);
    found.loop = (int64_t)begin - (int64_t)at;
    found.waits = end > begin && end - begin < MAX_WAITING_BYTES && only_waits(&loop, &rounds);
    take_operands(&loop, &rounds, space, &found);
    take_left(&rounds, &found);
    found.updates = found.updates || (loop.sampled > 0 && loop.list[loop.sampled - 1].updates);
    found.divides =
        loop.list[loop.sampled].divides || (loop.sampled > 0 && loop.list[loop.sampled - 1].divides);
    return found;
}
