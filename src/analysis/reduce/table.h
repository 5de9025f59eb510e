/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a table of numbers is: its entries, their keys and fields, and by which rules the fields of two passes
 * become one. tables.h has all there are.
 */
#ifndef OMPTAPE_ANALYSIS_REDUCE_TABLE_H
#define OMPTAPE_ANALYSIS_REDUCE_TABLE_H

#include "src/analysis/state.h"

enum analysis_rule {
    ANALYSIS_SUM,
    ANALYSIS_MOST,
    ANALYSIS_FIRST,    /* the least; 0 is none */
    ANALYSIS_WORST,    /* the greater, with what the next rows say of it; */
    ANALYSIS_OF_WORST, /* ...of two that are equal that with the less of these */
    ANALYSIS_AGAIN,    /* follows from the key, the definitions or other fields: not written */
};

/* What a number is, where it is more than a count: other definitions and clocks have other ones. */
enum analysis_what {
    ANALYSIS_COUNT,
    ANALYSIS_TICKS,
    ANALYSIS_TIME,
    ANALYSIS_LOCATION,
    ANALYSIS_STRING,
    ANALYSIS_REGION,
    ANALYSIS_CONTEXT
};

/* And what the two halves of a key are. */
enum analysis_key {
    ANALYSIS_KEY_NONE,
    ANALYSIS_KEY_REGION, /* UINT64_MAX: none */
    ANALYSIS_KEY_CAUSE,  /* kind << 32 | region; UINT32_MAX: none */
    ANALYSIS_KEY_SERIAL, /* region after << 32 | region before; UINT32_MAX: none */
    ANALYSIS_KEY_CONTEXT,
    ANALYSIS_KEY_LOCATION,
    ANALYSIS_KEY_GROUP,
};

/* Numbers of one kind in an entry: uint64_t or uint32_t. */
struct analysis_field {
    uint16_t offset;
    uint16_t bytes; /* of all */
    uint8_t size;   /* of one */
    uint8_t rule;   /* enum analysis_rule */
    uint8_t what;   /* enum analysis_what */
};

struct analysis_entry {
    uint64_t key[2]; /* ids of the archive's definitions */
    void *value;     /* NULL: there is nothing to write of it */
};

struct analysis_table;
/* The entry with this number. False: there are no more. */
typedef bool analysis_at(const struct analysis_state *state, const struct analysis_table *table,
                         uint32_t number, struct analysis_entry *entry);
/* The entry with this key, which is made if it is not there. NULL: the archive has no such thing, or
 * state->no_memory. Nothing in the key is believed. */
typedef void *analysis_make(struct analysis_state *state, const struct analysis_table *table,
                            const uint64_t key[2]);

struct analysis_table {
    const char *name;
    const struct analysis_field *fields;
    uint32_t field_count;
    uint32_t bytes;  /* of an entry's struct */
    uint8_t keys[2]; /* enum analysis_key */
    size_t pairs;    /* where in the state: for `at` and `make` */
    analysis_at *at;
    analysis_make *make;
    bool is_fixed; /* its entries are there from the beginning, in their order */
    /* Once it is added; NULL: nothing is to be done. False: it was there already. */
    bool (*added)(struct analysis_state *state, const void *entry);
};

#endif
