/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The names that a thread's stream has told lately, so that a record need not repeat the text. The thread
 * finds a name by its hash, the writer by its number in the stream. There is room for a fixed count of names:
 * another one takes the number of an earlier one, and its text is recorded again.
 *
 * Called on the slot's thread. A signal handler may interrupt any of these functions. While `filling` is set,
 * or the slot is held, the handler records the text and leaves the numbers alone.
 */
#ifndef OMPTAPE_BUFFERS_NAMES_H
#define OMPTAPE_BUFFERS_NAMES_H

#include "buffers/slot.h"

#include <omptape/record.h>
#include <omptape/user.h>

enum { OMPTAPE_NAMES_WAYS = 4, OMPTAPE_NAMES_SETS = OMPTAPE_USER_NAMES / OMPTAPE_NAMES_WAYS };

struct omptape_names {
    uint64_t hashes[OMPTAPE_USER_NAMES];  /* by number; 0: none */
    uint16_t levels[OMPTAPE_USER_STACKS]; /* how many regions are open */
    uint8_t oldest[OMPTAPE_NAMES_SETS];   /* whose number is taken next */
    volatile uint8_t filling;
};

/* The slot's names; made when they are first asked for. NULL: out of memory. */
struct omptape_names *omptape_names_create(struct omptape_slot *slot);
static inline struct omptape_names *omptape_names_of(struct omptape_slot *slot)
{
    return __builtin_expect(slot->names != NULL, 1) ? slot->names : omptape_names_create(slot);
}

/* A new thread has the slot: it has told no names. */
void omptape_names_clear(struct omptape_slot *slot);

/* The number of the name with this hash; negative: it has none. */
static inline int omptape_names_find(const struct omptape_names *names, uint64_t hash)
{
    const unsigned first = (unsigned)(hash >> 32) % OMPTAPE_NAMES_SETS * OMPTAPE_NAMES_WAYS;
    for (unsigned i = first; i < first + OMPTAPE_NAMES_WAYS; i++)
        if (names->hashes[i] == hash)
            return (int)i;
    return -1;
}

/* A number for the name with this hash, which has none. */
unsigned omptape_names_number(struct omptape_names *names, uint64_t hash);

#endif
