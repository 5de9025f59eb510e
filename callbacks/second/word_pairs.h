/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two tools, one word. OMPT gives a tool one word for each thread, region, task and target construct. With a
 * second tool, the runtime's word holds the address of a pair, which has a word for each tool.
 *
 * The identities of target constructs and operations also appear in records of devices. For these the
 * runtime's word remains omptape's, and a table has the other tool's word. Any thread, also in signal
 * handlers: no function here takes a lock or calls the program's allocator.
 */
#pragma once

#include <omptape/ompt.h>
#include <stdint.h>

struct omptape_word_pair {
    ompt_data_t ours;
    ompt_data_t theirs;
    uint32_t index;        /* The index of this pair, from 1 on. */
    _Atomic uint32_t next; /* The index of the next free pair; 0 at the end. */
    _Atomic uint32_t in_use;
};

/* Returns the pair of a word, and creates it if the word is still 0. Returns NULL if `word` is NULL. */
struct omptape_word_pair *omptape_word_pair_of(ompt_data_t *word);
/* Creates a pair for a word whose thread, region or task begins. Returns NULL if `word` is NULL. */
struct omptape_word_pair *omptape_word_pair_begin(ompt_data_t *word);
/* Releases the pair of a word whose thread, region or task has ended. The word keeps its value, and its pair
 * is not reused immediately. The runtime may still report a dependence on a task that has just ended. */
void omptape_word_pair_end(const ompt_data_t *word);

/* Returns how many pairs are in use. For tests. */
uint64_t omptape_word_pairs_in_use(void);

/* Adds the other tool's word for one of omptape's identities, which is not 0. It is valid until its removal.
 * Returns a shared word if the table is full. */
ompt_data_t *omptape_word_add(uint64_t id);
/* Returns the word of an identity, or NULL if it was not added. */
ompt_data_t *omptape_word_find(uint64_t id);
void omptape_word_remove(uint64_t id);

/* From here on, the values of removed words are kept: records of devices arrive later. */
void omptape_word_keep_removed(void);
/* Returns the value of an identity's word, also of the last thousands removed; 0 if there is none. */
uint64_t omptape_word_value(uint64_t id);
/* Returns the other tool's word if `word` is the runtime's, which has the address of a pair, else `word`. */
uint64_t omptape_word_theirs(uint64_t word);
