/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Describes tables of numbers: their entries with keys and fields, and the rules by which fields of two
 * passes are joined. All tables are in tables.c, and table_entries.c finds their entries.
 */
#pragma once

#include "src/analysis/state.h"
#include "src/archive/read/reader.h"

enum analysis_rule {
    ANALYSIS_SUM,
    ANALYSIS_MAX,
    ANALYSIS_MIN_NONZERO, /* smallest value; 0: none */
    ANALYSIS_WORST,       /* largest value, together with the OF_WORST fields behind it */
    ANALYSIS_OF_WORST,    /* follows WORST; if WORST is equal, the entry with the smaller value wins */
    ANALYSIS_DERIVED,     /* derived from the key, definitions or other fields: not serialised */
};

/* Meaning of a number, if it depends on definitions or the clock. */
enum analysis_what {
    ANALYSIS_COUNT,
    ANALYSIS_TICKS,
    ANALYSIS_TIME,
    ANALYSIS_LOCATION,
    ANALYSIS_STRING,
    ANALYSIS_REGION,
    ANALYSIS_CONTEXT
};

/* Meaning of the two words of a key. */
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
    uint16_t bytes; /* of the whole field */
    uint8_t size;   /* of one number */
    uint8_t rule;   /* enum analysis_rule */
    uint8_t what;   /* enum analysis_what */
};

struct analysis_entry {
    uint64_t key[2]; /* ids of the archive's definitions */
    void *value;     /* NULL: nothing to serialise */
};

struct analysis_table;
/* Finds an entry by its index. Returns false after the last one. */
typedef bool analysis_at(const struct analysis_state *state, const struct analysis_table *table,
                         uint32_t number, struct analysis_entry *entry);
/* Finds an entry by its key, and creates it if necessary. Returns NULL if the archive has no such object
 * or memory is exhausted. The key is not trusted. */
typedef void *analysis_make(struct analysis_state *state, const uint64_t key[2]);
/* Called after an entry was added. Returns false if the entry had been added before. */
typedef bool analysis_added(struct analysis_state *state, const void *entry);

struct analysis_table {
    const char *name;
    const struct analysis_field *fields;
    uint32_t field_count;
    uint32_t bytes;  /* size of an entry's struct */
    uint8_t keys[2]; /* enum analysis_key */
    size_t pairs;    /* offset in the state */
    analysis_at *at; /* NULL: the entries are the values of `pairs`, with the same keys */
    /* NULL: an entry belongs to one region, whose pointer is its first member. */
    analysis_make *make;
    bool is_fixed;         /* all entries exist from the beginning, in the final order */
    analysis_added *added; /* or NULL */
};

/* Maps ids and times of one archive to another one, to add sums of the first to the second
 * (src/analysis/reduce/partial.h, src/analysis/reduce/pyramid_bytes.h). Used for profiles whose process
 * became part of a larger archive (src/analysis/reduce/profile.h). One thread. */

struct omptape_partial_map {
    const void *data;
    /* Returns false if the id does not exist. */
    bool (*id)(const void *data, enum omptape_definition_kind kind, uint64_t *id);
    uint64_t (*time)(const void *data, uint64_t time);
    uint64_t (*ticks)(const void *data, uint64_t ticks); /* duration */
};

/* tables.c: all tables of a pass's sums. Every field of an entry's struct has a row;
 * tests/unit/analysis/test_partial.c checks each byte. A new field needs a row in tables.c. All rules give
 * the same result for any order of passes. */

/* In the order of serialisation: tables that refer to others come after them. */
extern const struct analysis_table omptape_analysis_tables[];
extern const uint32_t omptape_analysis_table_count;

/* table_entries.c: `at` and `make` of the tables that have their own, and `added` of processes. */
extern analysis_at entry_at_process, entry_at_task_site, entry_at_thread, entry_at_whole;
extern analysis_make entry_make_cause, entry_make_device, entry_make_lock_holder, entry_make_loop_thread,
    entry_make_open, entry_make_other_sampled, entry_make_outliers, entry_make_phase_share,
    entry_make_process, entry_make_region, entry_make_sampled, entry_make_serial, entry_make_serial_sampled,
    entry_make_step, entry_make_task_site, entry_make_thread, entry_make_value, entry_make_whole;
extern analysis_added entry_added_process;

/* Find an entry as the table's `at` and `make` do. */
bool omptape_analysis_entry_at(const struct analysis_state *state, const struct analysis_table *table,
                               uint32_t number, struct analysis_entry *entry);
void *omptape_analysis_entry_make(struct analysis_state *state, const struct analysis_table *table,
                                  const uint64_t key[2]);

/* Maximum of numbers per entry. */
enum { ANALYSIS_MAX_NUMBERS = 512 };

/* entries.c: reads entries of any table as numbers, adds and maps them, and sorts tables. Called by
 * partial.c and sums.c. One thread. */

/* Returns how many numbers of an entry are serialised. */
uint32_t omptape_analysis_table_numbers(const struct analysis_table *table);
void omptape_analysis_entry_read(const struct analysis_table *table, const void *entry, uint64_t *numbers);
/* Adds numbers to an entry. Returns false if a number is too large for its field. */
bool omptape_analysis_entry_add(const struct analysis_table *table, void *entry, const uint64_t *numbers);

/* Maps an entry of another archive to this one. Returns false if it refers to what this archive lacks. */
bool omptape_analysis_entry_map(const struct analysis_table *table, const struct omptape_partial_map *map,
                                uint64_t key[2], uint64_t *numbers);

/* Sorts all entries by their keys. Returns false if out of memory. */
bool omptape_analysis_tables_sort(struct analysis_state *state);
