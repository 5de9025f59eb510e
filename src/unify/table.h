/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of bytes with numbers, each content once: what makes equal definitions of several processes one. The
 * process that unifies, one thread.
 */
#ifndef OMPTAPE_UNIFY_TABLE_H
#define OMPTAPE_UNIFY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct omptape_unify_row {
    void *data; /* aligned for any type */
    uint32_t bytes;
    uint32_t hash;
};

/* All zeros is an empty table. */
struct omptape_unify_table {
    struct omptape_unify_row *rows; /* by number, from 0 in the order they came */
    uint32_t count;
    uint32_t room;
    uint32_t *slots; /* number + 1, or 0 */
    uint32_t slot_count;
    bool failed; /* memory ran out: some row is missing */
};

/* The number of the row with this content, which is added if there is none. 0 when memory is out. */
uint32_t omptape_unify_row(struct omptape_unify_table *table, const void *data, size_t bytes);
uint32_t omptape_unify_words(struct omptape_unify_table *table, const uint64_t *words, size_t count);
uint32_t omptape_unify_text(struct omptape_unify_table *table, const char *text);

const uint64_t *omptape_unify_words_at(const struct omptape_unify_table *table, uint32_t number);
const char *omptape_unify_text_at(const struct omptape_unify_table *table, uint32_t number);
uint32_t omptape_unify_word_count(const struct omptape_unify_table *table, uint32_t number);

void omptape_unify_table_free(struct omptape_unify_table *table);

#endif
