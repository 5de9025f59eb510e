/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two tools, one word. OMPT gives a tool one word for each thread, region, task and target construct. With a
 * second tool, the runtime's word holds the address of a pair, in which each tool has a word of its own. The
 * identities of target constructs and operations also stand in records of devices. There the runtime's word
 * stays ours, and a table has the other tool's. Any thread, in signal handlers, too: nothing
 * here locks or calls the program's allocator.
 */
#ifndef OMPTAPE_CALLBACKS_SECOND_WORD_PAIRS_H
#define OMPTAPE_CALLBACKS_SECOND_WORD_PAIRS_H

#include <omptape/ompt.h>
#include <stdint.h>

struct omptape_word_pair {
    ompt_data_t ours;
    ompt_data_t theirs;
    uint32_t index;        /* of the pair itself, from 1 on */
    _Atomic uint32_t next; /* the index of the next free pair, or 0 */
    _Atomic uint32_t in_use;
};

/* The pair of a word, made where the word is still 0. NULL for no word. */
struct omptape_word_pair *omptape_word_pair_of(ompt_data_t *word);
/* A new pair for a word whose thread, region or task begins. NULL for no word. */
struct omptape_word_pair *omptape_word_pair_begin(ompt_data_t *word);
/* Releases the pair of a word whose thread, region or task has ended. The word keeps its value, and what it
 * points to lasts a while. The runtime may report a dependence on a task that has just ended. */
void omptape_word_pair_end(const ompt_data_t *word);

/* How many pairs are in use; for tests. */
uint64_t omptape_word_pairs_in_use(void);

/* The other tool's word for one of our identities, which is not 0. Valid until its removal. A table without
 * room gives a word that is shared. */
ompt_data_t *omptape_word_add(uint64_t id);
/* The same for one that was added before; NULL: it was not. */
ompt_data_t *omptape_word_find(uint64_t id);
void omptape_word_remove(uint64_t id);

#endif
