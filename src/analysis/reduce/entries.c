/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads entries of tables as numbers, and adds them by the rules of their fields (table.h).
 */
#include "src/analysis/reduce/table.h"
#include "src/core/sort.h"

#include <stdlib.h>
#include <string.h>

static uint32_t numbers_of(const struct analysis_field *field)
{
    return field->rule == ANALYSIS_DERIVED ? 0 : (uint32_t)field->bytes / field->size;
}

uint32_t omptape_analysis_table_numbers(const struct analysis_table *table)
{
    uint32_t numbers = 0;
    for (uint32_t i = 0; i < table->field_count; i++)
        numbers += numbers_of(&table->fields[i]);
    return numbers;
}

/* Maps a region's id in one half of a key word. */
static bool map_half(const struct omptape_partial_map *map, unsigned shift, uint64_t *key)
{
    uint64_t region = *key >> shift & UINT32_MAX;
    if (region != UINT32_MAX && (!map->id(map->data, OMPTAPE_DEF_REGION, &region) || region >= UINT32_MAX))
        return false;
    *key = (*key & ~((uint64_t)UINT32_MAX << shift)) | region << shift;
    return true;
}

static bool map_key(const struct omptape_partial_map *map, enum analysis_key what, uint64_t *key)
{
    switch (what) {
    case ANALYSIS_KEY_REGION:
        return *key == UINT64_MAX || map->id(map->data, OMPTAPE_DEF_REGION, key);
    case ANALYSIS_KEY_CAUSE:
        return map_half(map, 0, key);
    case ANALYSIS_KEY_SERIAL:
        return map_half(map, 0, key) && map_half(map, 32, key);
    case ANALYSIS_KEY_CONTEXT:
        return map->id(map->data, OMPTAPE_DEF_CALLING_CONTEXT, key);
    case ANALYSIS_KEY_LOCATION:
        return map->id(map->data, OMPTAPE_DEF_LOCATION, key);
    case ANALYSIS_KEY_GROUP:
        return map->id(map->data, OMPTAPE_DEF_LOCATION_GROUP, key);
    case ANALYSIS_KEY_STRING:
        return map->id(map->data, OMPTAPE_DEF_STRING, key);
    case ANALYSIS_KEY_NONE:
        break;
    }
    return true;
}

/* Maps a number that is 1 + id; 0 stays 0. */
static bool map_one_more(const struct omptape_partial_map *map, enum omptape_definition_kind kind,
                         uint64_t *number)
{
    if (*number == 0)
        return true;
    --*number;
    return map->id(map->data, kind, number) && ++*number != 0;
}

/* Maps a number of the given kind. 0 means none and stays 0. */
static bool map_number(const struct omptape_partial_map *map, enum analysis_what what, bool is_location,
                       uint64_t *number)
{
    switch (what) {
    case ANALYSIS_TICKS:
        *number = map->ticks(map->data, *number);
        return true;
    case ANALYSIS_TIME:
        if (*number != 0)
            *number = map->time(map->data, *number);
        return true;
    case ANALYSIS_LOCATION:
        return !is_location || map->id(map->data, OMPTAPE_DEF_LOCATION, number);
    case ANALYSIS_STRING:
        return map_one_more(map, OMPTAPE_DEF_STRING, number);
    case ANALYSIS_REGION:
        return map_one_more(map, OMPTAPE_DEF_REGION, number);
    case ANALYSIS_CONTEXT:
        return map_one_more(map, OMPTAPE_DEF_CALLING_CONTEXT, number);
    case ANALYSIS_COUNT:
        break;
    }
    return true;
}

bool omptape_analysis_entry_map(const struct analysis_table *table, const struct omptape_partial_map *map,
                                uint64_t key[2], uint64_t *numbers)
{
    bool there = false; /* the current worst value is not 0 */
    for (unsigned i = 0; i < 2; i++)
        if (!map_key(map, (enum analysis_key)table->keys[i], &key[i]))
            return false;
    for (uint32_t i = 0; i < table->field_count; i++) {
        const struct analysis_field *field = &table->fields[i];
        for (uint32_t number = 0; number < numbers_of(field); number++, numbers++) {
            there = field->rule == ANALYSIS_WORST ? *numbers != 0 : there;
            if (!map_number(map, (enum analysis_what)field->what, there, numbers))
                return false;
        }
    }
    return true;
}

static uint64_t get(const void *entry, const struct analysis_field *field, uint32_t number)
{
    const char *at = (const char *)entry + field->offset + number * (size_t)field->size;
    uint64_t wide = 0;
    uint32_t narrow = 0;
    if (field->size == sizeof(wide)) {
        memcpy(&wide, at, sizeof(wide));
        return wide;
    }
    memcpy(&narrow, at, sizeof(narrow));
    return narrow;
}

static void set(void *entry, const struct analysis_field *field, uint32_t number, uint64_t value)
{
    char *at = (char *)entry + field->offset + number * (size_t)field->size;
    uint32_t narrow = (uint32_t)value;
    if (field->size == sizeof(value))
        memcpy(at, &value, sizeof(value));
    else
        memcpy(at, &narrow, sizeof(narrow));
}

void omptape_analysis_entry_read(const struct analysis_table *table, const void *entry, uint64_t *numbers)
{
    for (uint32_t i = 0; i < table->field_count; i++)
        for (uint32_t number = 0; number < numbers_of(&table->fields[i]); number++)
            *numbers++ = get(entry, &table->fields[i], number);
}

static bool fits(const struct analysis_table *table, const uint64_t *numbers)
{
    for (uint32_t i = 0; i < table->field_count; i++)
        for (uint32_t number = 0; number < numbers_of(&table->fields[i]); number++)
            if (*numbers++ > UINT32_MAX && table->fields[i].size == sizeof(uint32_t))
                return false;
    return true;
}

/* Returns true if the numbers are worse than the entry's. The fields are one WORST field and the OF_WORST
 * fields behind it, before `end`, one number each. */
static bool is_worse(const void *entry, const struct analysis_field *field, const struct analysis_field *end,
                     const uint64_t *numbers)
{
    uint64_t own = get(entry, field, 0);
    if (*numbers != own)
        return *numbers > own;
    for (field++, numbers++; field < end && field->rule == ANALYSIS_OF_WORST; field++, numbers++) {
        own = get(entry, field, 0);
        if (*numbers != own)
            return own == 0 || (*numbers != 0 && *numbers < own);
    }
    return false;
}

/* Joins two numbers by a rule. `most` is the largest value of the field. */
static uint64_t join(uint64_t own, uint64_t other, uint64_t most, enum analysis_rule rule)
{
    switch (rule) {
    case ANALYSIS_SUM:
        return omptape_plus(own, other) < most ? own + other : most;
    case ANALYSIS_MIN_NONZERO:
        return own == 0 || (other != 0 && other < own) ? other : own;
    default:
        return other > own ? other : own;
    }
}

bool omptape_analysis_entry_add(const struct analysis_table *table, void *entry, const uint64_t *numbers)
{
    bool worse = false;
    if (!fits(table, numbers))
        return false;
    for (uint32_t i = 0; i < table->field_count; i++) {
        const struct analysis_field *field = &table->fields[i];
        uint32_t count = numbers_of(field);
        if (field->rule == ANALYSIS_WORST)
            worse = is_worse(entry, field, table->fields + table->field_count, numbers);
        for (uint32_t number = 0; number < count; number++) {
            bool whole = field->rule == ANALYSIS_WORST || field->rule == ANALYSIS_OF_WORST;
            if (!whole)
                set(entry, field, number,
                    join(get(entry, field, number), numbers[number],
                         field->size == sizeof(uint32_t) ? UINT32_MAX : UINT64_MAX,
                         (enum analysis_rule)field->rule));
            else if (worse)
                set(entry, field, number, numbers[number]);
        }
        numbers += count;
    }
    return true;
}

static int compare_entries(const void *left, const void *right)
{
    const struct analysis_entry *one = left;
    const struct analysis_entry *other = right;
    for (unsigned i = 0; i < 2; i++)
        if (one->key[i] != other->key[i])
            return one->key[i] > other->key[i] ? 1 : -1;
    return 0;
}

/* Sorts a table's pairs by the entries' keys, which may differ from the keys of the pairs. */
static bool sort(struct analysis_state *state, const struct analysis_table *table)
{
    struct omptape_pairs *pairs = (struct omptape_pairs *)((char *)state + table->pairs);
    struct omptape_pairs sorted = {0};
    uint32_t count = pairs->count;
    struct analysis_entry *entries = omptape_calloc(count + (size_t)1, sizeof(*entries));
    bool good = entries != NULL;
    for (uint32_t i = 0; good && i < count; i++) {
        (void)omptape_analysis_entry_at(state, table, i, &entries[i]);
        entries[i].value = &pairs->list[i];
    }
    if (good)
        omptape_sort(entries, count, sizeof(*entries), compare_entries);
    for (uint32_t i = 0; good && i < count; i++) {
        const struct omptape_pair *pair = entries[i].value;
        good = omptape_pairs_put(&sorted, pair->high, pair->low, pair->value) == 0;
    }
    free(entries);
    if (!good) {
        omptape_pairs_free(&sorted);
        return false;
    }
    omptape_pairs_free(pairs);
    *pairs = sorted;
    return true;
}

bool omptape_analysis_tables_sort(struct analysis_state *state)
{
    for (uint32_t i = 0; i < omptape_analysis_table_count; i++) {
        const struct analysis_table *table = &omptape_analysis_tables[i];
        if (!table->is_fixed && !sort(state, table))
            return false;
    }
    return true;
}
