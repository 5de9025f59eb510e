/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a table of numbers is: its entries with their keys and fields, and the rules by which the fields of
 * two passes become one. tables.c has all tables.
 */
#pragma once

#include "src/analysis/state.h"
#include "src/archive/read/reader.h"

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
    ANALYSIS_KEY_STRING,
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
 * memory ran out. Nothing in the key is believed. */
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

/* From the ids and times of one archive to those of another one. Sums that were made for the first are added
 * to those of the second (src/analysis/reduce/partial.h, src/analysis/reduce/pyramid_bytes.h). They are a
 * profile's, whose process became a part of a larger archive (src/analysis/reduce/profile.h). One thread. */

struct omptape_partial_map {
    const void *data;
    /* False: there is none. */
    bool (*id)(const void *data, enum omptape_definition_kind kind, uint64_t *id);
    uint64_t (*time)(const void *data, uint64_t time);
    uint64_t (*ticks)(const void *data, uint64_t ticks); /* a span */
};

/* tables.c: all tables of the sums of a pass. Every field of an entry's struct has a row, so that none is
 * forgotten: tests/unit/analysis/test_partial.c looks at each byte. A new field needs a row in tables.c. All
 * rules give the same result, whatever the order in which passes are added. */

/* In the order in which they are written: what refers to others comes after them. */
extern const struct analysis_table omptape_analysis_tables[];
extern const uint32_t omptape_analysis_table_count;

/* More numbers no entry has. */
enum { ANALYSIS_MOST_NUMBERS = 512 };

/* entries.c: reads the entries of any table as numbers, adds them to others, maps them to another archive
 * and sorts them. For partial.c and sums.c. One thread. */

/* How many numbers an entry has that are written. */
uint32_t omptape_analysis_table_numbers(const struct analysis_table *table);
void omptape_analysis_entry_read(const struct analysis_table *table, const void *entry, uint64_t *numbers);
/* False: a number is too large for its field. */
bool omptape_analysis_entry_add(const struct analysis_table *table, void *entry, const uint64_t *numbers);

/* Makes another archive's entry one of this. False: something in it is none of this archive's. */
bool omptape_analysis_entry_map(const struct analysis_table *table, const struct omptape_partial_map *map,
                                uint64_t key[2], uint64_t *numbers);

/* Puts all entries in the order of their keys, whatever the order in which they came. False: no memory. */
bool omptape_analysis_tables_sort(struct analysis_state *state);

/* lookup.c: Where the entries of each table (table.h) are in the state: by number, and by key. Their
 * contracts are those of struct analysis_table's `at`, `make` and `added`; named by them in the rows of
 * tables.c. One thread. */

/* at: a table of pairs, and those whose entries are elsewhere or go by another key. */
analysis_at omptape_analysis_at_pair;
analysis_at omptape_analysis_at_process;
analysis_at omptape_analysis_at_task_site;
analysis_at omptape_analysis_at_thread;
analysis_at omptape_analysis_at_whole;

/* make: an entry that belongs to one region, which its struct begins with, and all others. */
analysis_make omptape_analysis_make_at_region;
analysis_make omptape_analysis_make_cause;
analysis_make omptape_analysis_make_device;
analysis_make omptape_analysis_make_lock_holder;
analysis_make omptape_analysis_make_loop_thread;
analysis_make omptape_analysis_make_open;
analysis_make omptape_analysis_make_other_sampled;
analysis_make omptape_analysis_make_process;
analysis_make omptape_analysis_make_region;
analysis_make omptape_analysis_make_sampled;
analysis_make omptape_analysis_make_serial;
analysis_make omptape_analysis_make_serial_sampled;
analysis_make omptape_analysis_make_task_site;
analysis_make omptape_analysis_make_step;
analysis_make omptape_analysis_make_thread;
analysis_make omptape_analysis_make_outliers;
analysis_make omptape_analysis_make_value;
analysis_make omptape_analysis_make_whole;

bool omptape_analysis_added_process(struct analysis_state *state, const void *entry);
