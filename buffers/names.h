/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The names that a thread's stream has recorded, so that later records need not repeat the text. The thread
 * finds a name by its hash, the writer by its number in the stream. The table has a fixed size. A new name
 * takes the number of an older one, and its text is recorded again.
 *
 * Called on the slot's thread. A signal handler may interrupt any of these functions. While the table or the
 * slot is held, the handler records the text and does not change the table.
 */
#pragma once

#include "buffers/slot.h"

#include <omptape/record.h>
#include <omptape/user.h>
#include <stdbool.h>

enum { OMPTAPE_NAMES_WAYS = 4, OMPTAPE_NAMES_SETS = OMPTAPE_USER_NAMES / OMPTAPE_NAMES_WAYS };

struct omptape_names {
    uint64_t hashes[OMPTAPE_USER_NAMES];  /* Indexed by number; 0 if the number is free. */
    uint16_t levels[OMPTAPE_USER_STACKS]; /* How many regions are open on each stack. */
    uint8_t oldest[OMPTAPE_NAMES_SETS];   /* For each set, the way whose number is reused next. */
    volatile uintptr_t holder;            /* Stack pointer of the function that holds the table, or 0. */
};

/* Allocates the slot's table of names. Returns NULL if out of memory. */
struct omptape_names *omptape_names_create(struct omptape_slot *slot);
static inline struct omptape_names *omptape_names_of(struct omptape_slot *slot)
{
    return __builtin_expect(slot->names != NULL, 1) ? slot->names : omptape_names_create(slot);
}

/* Removes all names, because a new thread uses the slot. */
void omptape_names_clear(struct omptape_slot *slot);

/* Returns the number of the name with this hash, or a negative value if it has none. */
static inline int omptape_names_find(const struct omptape_names *names, uint64_t hash)
{
    const unsigned first = (unsigned)(hash >> 32) % OMPTAPE_NAMES_SETS * OMPTAPE_NAMES_WAYS;
    for (unsigned i = first; i < first + OMPTAPE_NAMES_WAYS; i++)
        if (names->hashes[i] == hash)
            return (int)i;
    return -1;
}

/* Holds the table. Returns false in a signal handler that has interrupted its holder; not if another handler
 * left the holder by longjmp. */
bool omptape_names_hold(struct omptape_names *names);
void omptape_names_release(struct omptape_names *names);

/* Returns a number for the name with this hash, which has none yet. The caller stores the hash in `hashes`
 * once the text is recorded. A signal handler that leaves by longjmp in between leaves the number free. */
unsigned omptape_names_reserve(struct omptape_names *names, uint64_t hash);
