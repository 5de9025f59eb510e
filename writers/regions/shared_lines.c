/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Keeps the last two threads that accessed each of some lines. Called by contexts.c for each sample.
 */
#include "writers/regions/shared_lines.h"

#include <stdlib.h>

/* LINES is a power of two. A newer line takes the place of an older one. */
enum { LINES = 1024, USERS = 2, LINE_BYTES = OMPTAPE_LINE_BYTES };
/* Samples of different threads that are closer than this count as being at the same time. */
static const uint64_t window_ns = 100000000;

/* A thread's accesses to a line, without a break of more than the window. Masks have a bit for each byte. */
struct user {
    uint64_t thread;
    uint64_t since;
    uint64_t last;
    uint64_t read;
    uint64_t written;
};

struct line {
    uint64_t number; /* Its address / LINE_BYTES; 0: none. */
    struct user users[USERS];
};

struct omptape_shared_lines {
    struct line lines[LINES];
};

struct omptape_shared_lines *omptape_shared_lines_create(void)
{
    return calloc(1, sizeof(struct omptape_shared_lines));
}

void omptape_shared_lines_free(struct omptape_shared_lines *lines)
{
    free(lines);
}

static bool is_about(const struct user *user, uint64_t time)
{
    return time + window_ns >= user->since && time <= user->last + window_ns;
}

/* Returns the line's user with the thread, else the one that was there longest ago, cleared. */
static struct user *obtain_user(struct line *line, uint64_t thread, uint64_t time)
{
    struct user *oldest = &line->users[0];
    for (unsigned i = 0; i < USERS; i++) {
        struct user *user = &line->users[i];
        if (user->thread == thread && user->last != 0 && is_about(user, time))
            return user;
        if (user->thread == thread || (oldest->thread != thread && user->last < oldest->last))
            oldest = user;
    }
    *oldest = (struct user){.thread = thread, .since = time, .last = time};
    return oldest;
}

/* Returns true if one has to fetch the line because of the other's writes. Writing alone takes no time: the
 * processor writes later, and goes on. */
static bool is_disturbed(const struct user *one, const struct user *other)
{
    return one->read != 0 && other->written != 0 && (one->written & (other->read | other->written)) == 0 &&
           (other->written & (one->read | one->written)) == 0;
}

/* Notes an access to bytes within one line. Returns what omptape_shared_lines_note does. */
static bool note_bytes(struct omptape_shared_lines *lines, uint64_t thread, uint64_t time,
                       const struct omptape_code_operand *operand, uint64_t address, uint64_t bytes)
{
    const uint64_t number = address / LINE_BYTES;
    struct line *line = &lines->lines[number % LINES];
    const uint64_t mask = omptape_line_mask(address, bytes);
    bool disturbed = false;
    if (line->number != number)
        *line = (struct line){.number = number};
    struct user *user = obtain_user(line, thread, time);
    user->since = time < user->since ? time : user->since;
    user->last = time > user->last ? time : user->last;
    user->read |= operand->reads ? mask : 0;
    user->written |= operand->writes ? mask : 0;
    for (unsigned i = 0; i < USERS; i++) {
        const struct user *other = &line->users[i];
        disturbed = disturbed ||
                    (other != user && other->last != 0 && is_about(other, time) && is_disturbed(user, other));
    }
    return disturbed;
}

bool omptape_shared_lines_note(struct omptape_shared_lines *lines, const struct omptape_sampled_code *code,
                               const struct omptape_stack_copy *copy)
{
    bool disturbed = false;
    for (uint32_t i = 0; i < code->operand_count; i++) {
        const struct omptape_code_operand *operand = &code->operands[i];
        uint64_t address;
        if (!omptape_code_value_evaluate(&operand->address, copy, &address))
            continue;
        const uint64_t rest = LINE_BYTES - address % LINE_BYTES;
        const uint64_t bytes = operand->bytes < rest ? operand->bytes : rest;
        disturbed |= note_bytes(lines, copy->thread, copy->time_ns, operand, address, bytes);
        if (operand->bytes > bytes)
            disturbed |= note_bytes(lines, copy->thread, copy->time_ns, operand, address + bytes,
                                    operand->bytes - bytes);
    }
    return disturbed;
}
